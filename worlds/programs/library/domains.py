"""Which arguments the functions of the library allow, in words and as a check: those that tests may use."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["ALLOWED", "Allowed"]

Holds = Callable[[Any], bool]
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class Allowed(NamedTuple):
    """The arguments of a kind.

    Attributes:
        words: Description of them.
        holds: Tells whether a plain value is one.
    """

    words: str
    holds: Holds


def _whole(low: int, high: int) -> Holds:
    return lambda value: type(value) is int and low <= value <= high


def _list_of(least: int, most: int, holds: Holds) -> Holds:
    return lambda value: type(value) is list and least <= len(value) <= most and all(map(holds, value))


def _tuple_of(*parts: Holds) -> Holds:
    return lambda value: (
        type(value) is tuple and len(value) == len(parts) and all(h(v) for h, v in zip(parts, value, strict=True))
    )


def _one_of(*values: str) -> Holds:
    return lambda value: type(value) is str and value in values


def _text(most: int, characters: str = "", least: int = 0) -> Holds:
    """Whether a value is a printable text, made of the given characters if there are any."""
    allowed = frozenset(characters)

    def holds(value: Any) -> bool:
        plain = type(value) is str and least <= len(value) <= most and value.isascii() and value.isprintable()
        return plain and (not allowed or allowed.issuperset(value))

    return holds


def _is_word(value: Any) -> bool:
    return type(value) is str and 1 <= len(value) <= 10 and _LETTERS.issuperset(value)


def _is_span(value: Any) -> bool:
    return _tuple_of(_whole(0, 99), _whole(0, 99))(value) and value[0] <= value[1]


def _is_grid(value: Any) -> bool:
    return _list_of(1, 6, _list_of(1, 6, _whole(0, 99)))(value) and len({len(row) for row in value}) == 1


def _is_date(value: Any) -> bool:
    return _tuple_of(_whole(1890, 2110), _whole(1, 12), _whole(1, 28))(value)


def _rises(value: Any, place: int) -> bool:
    keys = [item[place] if place >= 0 else item for item in value]
    return keys == sorted(keys)


def _is_payment(value: Any) -> bool:
    if not _tuple_of(_one_of("deposit", "withdraw", "move"), _text(20, least=1), _whole(0, 99))(value):
        return False
    names = value[1].split(":")
    return len(names) == (2 if value[0] == "move" else 1) and all(map(_is_word, names))


def _are_parents(value: Any) -> bool:
    return (
        _list_of(1, 12, _whole(-1, 11))(value) and value[0] == -1 and all(0 <= p < i for i, p in enumerate(value) if i)
    )


def _is_ballot(value: Any) -> bool:
    return _list_of(1, 6, _is_word)(value) and len(set(value)) == len(value)


def _named_once(holds: Holds) -> Holds:
    """Whether a value is such a list, and no two of its items have the same name."""
    return lambda value: holds(value) and len({item[0] for item in value}) == len(value)


def _in_order(holds: Holds, place: int = -1) -> Holds:
    return lambda value: holds(value) and _rises(value, place)


_TEXT80, _NAME = _text(80), _text(12, least=1)
_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_CHANGES = ("major", "minor", "patch")


def _number(low: int, high: int) -> Allowed:
    return Allowed(f"a whole number from {low} to {high}", _whole(low, high))


def _line(what: str, most: int) -> Allowed:
    return Allowed(f"{what}: at most {most} printable ASCII characters", _text(most))


def _numbers(least: int, most: int, low: int, high: int) -> Allowed:
    count = f"at most {most}" if least == 0 else f"{least} to {most}"
    return Allowed(f"a list of {count} whole numbers from {low} to {high}", _list_of(least, most, _whole(low, high)))


ALLOWED: Mapping[str, Allowed] = {
    "ints": _numbers(0, 12, -99, 99),
    "naturals": _numbers(1, 12, 1, 99), "figures": _numbers(1, 8, 0, 15),
    "words": Allowed("a list of at most 12 words of 1 to 10 letters a to z or A to Z", _list_of(0, 12, _is_word)),
    "text": Allowed("a text of at most 80 printable ASCII characters", _TEXT80),
    "letters": Allowed("a text of at most 30 letters a, b and c", _text(30, "abc")),
    "spans": Allowed("a list of at most 8 pairs (a, b) with 0 <= a <= b <= 99", _list_of(0, 8, _is_span)),
    "pairs": Allowed("a list of at most 8 pairs (word of 1 to 10 letters, whole number from 0 to 99)",
                     _list_of(0, 8, _tuple_of(_is_word, _whole(0, 99)))),
    "moves": Allowed("a list of at most 12 pairs (word of 1 to 10 letters, whole number from -99 to 99)",
                     _list_of(0, 12, _tuple_of(_is_word, _whole(-99, 99)))),
    "edges": Allowed("a list of at most 12 pairs of whole numbers from 0 to 9",
                     _list_of(0, 12, _tuple_of(_whole(0, 9), _whole(0, 9)))),
    "grid": Allowed("a list of 1 to 6 equally long lists of 1 to 6 whole numbers from 0 to 99", _is_grid),
    "small": _number(1, 9), "count": _number(0, 9), "few": _number(0, 9), "closing": _number(10, 20),
    "width": _number(6, 20),
    "narrow": _number(4, 20), "cell": _number(0, 9), "natural": _number(0, 999), "int": _number(-99, 999),
    "base": _number(2, 16), "percent": _number(0, 100), "amount": _number(0, 9999), "node": _number(0, 9),
    "year": _number(1, 9999), "days": _number(-400, 400), "points": _number(0, 100), "step": _number(1, 60),
    "minutes": _number(0, 9999),
    "limit": _number(3, 40), "quantity": _number(0, 999), "entry": _number(0, 600), "exit": _number(600, 9999),
    "free": _number(0, 120), "period": _number(1, 60), "now": _number(0, 999), "gap": _number(1, 60),
    "entries": _number(0, 999), "last page": _number(1, 20), "low": _number(-99, 99), "high": _number(-99, 99),
    "hour": _number(0, 20), "seconds": _number(0, 999_999),
    "person": Allowed("a word of 1 to 10 letters", _is_word),
    "candidate": Allowed("a word of 1 to 10 letters", _is_word),
    "team": Allowed("a name of 1 to 12 characters", _NAME),
    "date": Allowed("a date (year, month, day) with a year from 1890 to 2110 and a day from 1 to 28", _is_date),
    "path": _line("a path", 60), "decimal": _line("an amount as text", 12),
    "expression": Allowed("a correct formula of at most 80 digits, spaces and characters + - * ( )",
                          _text(80, "0123456789 +-*()")),
    "brackets": Allowed("a text of at most 20 of the characters ( ) [ ] { } and x", _text(20, "()[]{}x")),
    "parents": Allowed("a list of 1 to 12 numbers: -1, and then for each node a smaller one", _are_parents),
    "ballots": Allowed("a list of 1 to 8 lists of 1 to 6 different words of letters", _list_of(1, 8, _is_ballot)),
    "jobs": Allowed("a list of at most 8 jobs (name, arrival from 0 to 20, length from 1 to 9) with different names",
                    _named_once(_list_of(0, 8, _tuple_of(_NAME, _whole(0, 20), _whole(1, 9))))),
    "cache steps": Allowed("a list of at most 20 steps (\"get\", \"put\" or \"drop\", key, number from 0 to 99); keys "
                           "are words of letters",
                           _list_of(0, 20, _tuple_of(_one_of("get", "put", "drop"), _is_word, _whole(0, 99)))),
    "payments": Allowed("a list of at most 12 payments, with amounts from 0 to 99 and words of letters as names",
                        _list_of(0, 12, _is_payment)),
    "signals": Allowed("a list of at most 20 words of letters, such as \"push\"", _list_of(0, 20, _is_word)),
    "edits": Allowed("a list of at most 15 words of letters, such as \"ab\" or \"undo\"", _list_of(0, 15, _is_word)),
    "csv line": _line("a line", 80),
    "cells": Allowed("a list of at most 6 texts of at most 20 printable ASCII characters", _list_of(0, 6, _text(20))),
    "csv lines": Allowed("a list of at most 8 lines of at most 60 printable ASCII characters", _list_of(0, 8,
             _text(60))),
    "header": Allowed("a name of 1 to 12 characters", _NAME),
    "version": Allowed("a version of at most 16 characters", _text(16, "0123456789.rcv-", 1)),
    "versions": Allowed("a list of at most 8 versions of at most 16 characters",
                        _list_of(0, 8, _text(16, "0123456789.rcv-", 1))),
    "version part": Allowed('"major", "minor" or "patch"', _one_of(*_CHANGES)),
    "duration": Allowed("a duration of at most 20 characters, with numbers of at most 4 digits", _text(20,
    "0123456789 dhms")),
    "durations": Allowed("a list of at most 6 durations of at most 20 characters", _list_of(0, 6, _text(20,
    "0123456789 dhms"))),
    "ini lines": Allowed("a list of at most 12 lines of at most 40 printable ASCII characters", _list_of(0, 12,
             _text(40))),
    "section": _line("a name", 12), "setting": _line("a key", 12), "query": _line("a query", 80),
    "parameter": _line("a name", 12), "parameter value": _line("a value", 20), "parameter start": _line("a text", 12),
    "title": _line("a title", 60), "full name": _line("a name", 40),
    "titles": Allowed("a list of at most 8 titles of at most 40 printable ASCII characters", _list_of(0, 8, _text(40))),
    "shifts": Allowed("a list of at most 8 shifts, with days from 0 to 6 and minutes from 0 to 1439",
                      _list_of(0, 8, _tuple_of(_whole(0, 6), _whole(0, 1439), _whole(0, 1439)))),
    "marks": _numbers(0, 10, 0, 100),
    "scores": Allowed("a list of at most 8 pairs (name, points from 0 to 100) with different names",
                      _named_once(_list_of(0, 8, _tuple_of(_NAME, _whole(0, 100))))),
    "results": Allowed("a list of at most 10 results between different teams, with names of 1 to 12 characters and 0 "
                       "to 20 goals",
                       _list_of(0, 10, lambda value: _tuple_of(_NAME, _NAME, _whole(0, 20), _whole(0, 20))(value)
                                and value[0] != value[1])),
    "price steps": Allowed("a list of 1 to 6 pairs of whole numbers from 0 to 999, the first of them rising",
                           _in_order(_list_of(1, 6, _tuple_of(_whole(0, 999), _whole(0, 999))), 0)),
    "quantities": _numbers(0, 8, 0, 999),
    "order lines": Allowed("a list of at most 8 pairs of whole numbers from 0 to 99",
                           _list_of(0, 8, _tuple_of(_whole(0, 99), _whole(0, 99)))),
    "lots": Allowed("a list of at most 8 pairs of whole numbers from 0 to 99",
                    _list_of(0, 8, _tuple_of(_whole(0, 99), _whole(0, 99)))),
    "times": Allowed("a list of at most 15 whole numbers from 0 to 999 that never decrease",
                     _in_order(_list_of(0, 15, _whole(0, 999)))),
    "requests": Allowed("a list of at most 15 pairs (client, second from 0 to 999), with names of 1 to 12 characters, "
                        "in the order of the seconds",
                        _in_order(_list_of(0, 15, _tuple_of(_NAME, _whole(0, 999))), 1)),
    "visits": Allowed("a list of at most 15 pairs (user, minute from 0 to 999), with names of 1 to 12 characters, in "
                      "the order of the minutes",
                      _in_order(_list_of(0, 15, _tuple_of(_NAME, _whole(0, 999))), 1)),
    "log lines": Allowed("a list of at most 12 lines of at most 60 printable ASCII characters", _list_of(0, 12,
             _text(60))),
    "log level": Allowed('"DEBUG", "INFO", "WARNING" or "ERROR"', _one_of(*_LOG_LEVELS)),
    "names": Allowed("a list of at most 12 texts of 1 to 12 characters", _list_of(0, 12, _NAME)),
    "readings": _numbers(0, 15, -99, 99),
    "tickets": Allowed("a list of at most 8 tickets with different names of 1 to 12 characters, an urgency from 1 to "
                       "9 and an hour from 0 to 20",
                       _named_once(_list_of(0, 8, _tuple_of(_NAME, _whole(1, 9), _whole(0, 20))))),
}  # fmt: skip
"""By kind; `values.VALUES` draws arguments within them."""
