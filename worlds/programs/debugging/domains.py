"""Domains of arguments that answers may use, in words and as a check."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["DOMAINS", "Domain", "Unclear"]

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class Unclear(ValueError):
    """The text is not an answer to the question, right or wrong; the message describes the format."""


class Domain(NamedTuple):
    """The values of a kind.

    Attributes:
        words: Description of the values.
        holds: Tells whether a plain value belongs to the domain.
        traits: Conditions that only some of them meet, as Python expressions in ``x``.
    """

    words: str
    holds: Callable[[Any], bool]
    traits: tuple[str, ...]


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _list_of(least: int, most: int, holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and least <= len(value) <= most and all(map(holds, value))


def _pair_of(first: Callable[[Any], bool], second: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is tuple and len(value) == 2 and first(value[0]) and second(value[1])


def _is_word(value: Any) -> bool:
    return type(value) is str and 1 <= len(value) <= 10 and _LETTERS.issuperset(value)


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= 80 and value.isascii() and value.isprintable()


def _is_span(value: Any) -> bool:
    return _pair_of(_whole(0, 99), _whole(0, 99))(value) and value[0] <= value[1]


def _is_grid(value: Any) -> bool:
    return _list_of(1, 6, _list_of(1, 6, _whole(0, 99)))(value) and len({len(row) for row in value}) == 1


_SIZES = ("len(x) % 3 == 2", "len(x) % 4 == 3", "len(x) == 5", "len(x) > 5")
_ENDS = ("x[:1] == x[-1:]", "len(set(x)) < len(x)", "len(set(x)) == len(x)")
_VALUES = ("sum(x) % 3 == 1", "sum(x) % 4 == 2", "max(x, default=0) % 3 == 0", "min(x, default=0) % 2 == 1")
_NUMBERS = ("x % 3 == 1", "x % 4 == 2", "x % 5 == 3")
_STRINGS = ("x.count('e') == 1", "sum(map(ord, x)) % 3 == 1", "x.lower() != x")
DOMAINS: Mapping[str, Domain] = {
    "ints": Domain("a list of at most 12 whole numbers from -99 to 99", _list_of(0, 12, _whole(-99, 99)),
                   _SIZES + _ENDS + _VALUES),
    "naturals": Domain("a list of 1 to 12 whole numbers from 1 to 99", _list_of(1, 12, _whole(1, 99)),
                       _SIZES + _ENDS + _VALUES),
    "words": Domain("a list of at most 12 words of 1 to 10 letters a to z or A to Z", _list_of(0, 12, _is_word),
                    _SIZES + _ENDS + ("sum(map(len, x)) % 3 == 1", "sum(map(len, x)) % 4 == 2")),
    "text": Domain("a text of at most 80 printable ASCII characters", _is_text, _SIZES + _STRINGS),
    "letters": Domain("a text of at most 30 letters a, b and c",
                      lambda value: type(value) is str and len(value) <= 30 and set(value) <= set("abc"),
                      (*_SIZES, "x.count('a') % 3 == 1", "x.count('b') % 4 == 2", "x[:1] == x[-1:]")),
    "spans": Domain("a list of at most 8 pairs (a, b) with 0 <= a <= b <= 99", _list_of(0, 8, _is_span),
                    (*_SIZES, "x == sorted(x)", "sum(b - a for a, b in x) % 3 == 1", "any(a == b for a, b in x)")),
    "pairs": Domain("a list of at most 8 pairs (word of 1 to 10 letters, whole number from 0 to 99)",
                    _list_of(0, 8, _pair_of(_is_word, _whole(0, 99))),
                    (*_SIZES, "sum(n for _, n in x) % 3 == 1", "any(n == 0 for _, n in x)", "x == sorted(x)")),
    "moves": Domain("a list of at most 12 pairs (word of 1 to 10 letters, whole number from -99 to 99)",
                    _list_of(0, 12, _pair_of(_is_word, _whole(-99, 99))),
                    (*_SIZES, "sum(n for _, n in x) % 3 == 1", "any(n == 0 for _, n in x)")),
    "edges": Domain("a list of at most 12 pairs of whole numbers from 0 to 9",
                    _list_of(0, 12, _pair_of(_whole(0, 9), _whole(0, 9))),
                    (*_SIZES, "any(a == b for a, b in x)", "sum(a + b for a, b in x) % 3 == 1")),
    "grid": Domain("a list of 1 to 6 equally long lists of 1 to 6 whole numbers from 0 to 99", _is_grid,
                   ("len(x) == len(x[0])", "len(x) > len(x[0])", "sum(map(sum, x)) % 3 == 1", "x[0][0] == x[-1][-1]")),
    "small": Domain("a whole number from 1 to 9", _whole(1, 9), _NUMBERS),
    "count": Domain("a whole number from 0 to 9", _whole(0, 9), _NUMBERS),
    "width": Domain("a whole number from 6 to 20", _whole(6, 20), _NUMBERS),
    "narrow": Domain("a whole number from 4 to 20", _whole(4, 20), _NUMBERS),
    "cell": Domain("a whole number from 0 to 9", _whole(0, 9), _NUMBERS),
    "natural": Domain("a whole number from 0 to 999", _whole(0, 999), _NUMBERS),
    "int": Domain("a whole number from -99 to 999", _whole(-99, 999), _NUMBERS),
    "base": Domain("a whole number from 2 to 16", _whole(2, 16), _NUMBERS),
    "percent": Domain("a whole number from 0 to 100", _whole(0, 100), _NUMBERS),
    "amount": Domain("a whole number from 0 to 9999", _whole(0, 9999), _NUMBERS),
    "node": Domain("a whole number from 0 to 9", _whole(0, 9), _NUMBERS),
}  # fmt: skip
"""The kinds of arguments that questions may ask for; the library draws arguments within them."""
