"""Types of the values that specifications take: descriptions, membership checks, and draws."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.specifications import draws
from turnwise.worlds.programs.specifications.forms import LETTERS

__all__ = ["GIVES", "TAKES", "Kind", "belongs"]

MAX_ITEMS, MAX_SIDE, MAX_DEPTH, MAX_LETTERS = 30, 8, 6, 12
_TEXT = frozenset(LETTERS + LETTERS.upper() + "0123456789" + draws.MARKS)


@dataclass(frozen=True)
class Kind:
    """A type of arguments of specifications.

    Attributes:
        argument: The name of an argument of the type.
        say: Description of its values.
        belongs: Membership test, bounded for plain data of any size.
        draw: Draws a value; the numbers and letters of the specification hint at interesting values.
        edges: Often forgotten edge cases.
        bits: Returns the bits of the largest number in a value.
    """

    argument: str
    say: str
    belongs: Callable[[Any], bool]
    draw: Callable[[Draw, Sequence[int | str]], Any]
    edges: tuple[Any, ...]
    bits: int = 10


# ---- tests ----------------------------------------------------------------------------------------------------------


def _is_int(value: object, most: int = draws.MAX_INT) -> bool:
    return type(value) is int and -most <= value <= most


def _all(value: object, test: Callable[[Any], bool], most: int = MAX_ITEMS) -> bool:
    return type(value) is list and len(value) <= most and all(map(test, value))


def _is_word(value: object) -> bool:
    return type(value) is str and 1 <= len(value) <= MAX_LETTERS and all(c in LETTERS for c in value)


def _is_text(value: object, allowed: frozenset[str] = _TEXT) -> bool:
    return type(value) is str and len(value) <= draws.MAX_CHARS and allowed.issuperset(value)


def _is_pair(value: object) -> bool:
    return _all(value, lambda v: _is_int(v, draws.MAX_END), 2) and len(value) == 2 and value[0] <= value[1]  # type: ignore[arg-type,index]


def _is_grid(value: Any) -> bool:
    return (
        _all(value, lambda row: _all(row, _is_int, MAX_SIDE), MAX_SIDE)
        and len(value) > 0
        and len(value[0]) > 0
        and all(len(row) == len(value[0]) for row in value)
    )


def _is_nested(value: Any, depth: int = 1) -> bool:
    if type(value) is not list or depth > MAX_DEPTH or len(value) > 10:
        return False
    return all(_is_int(v) or _is_nested(v, depth + 1) for v in value) and (
        depth > 1 or draws.size_of(value) <= draws.MAX_NESTED
    )


def _is_record(value: Any) -> bool:
    return (
        type(value) is dict
        and set(value) == {"name", "team", "points"}
        and _is_word(value["name"])
        and _is_word(value["team"])
        and _is_int(value["points"])
    )


def _is_date(value: Any) -> bool:
    if not (_all(value, _is_int_date, 3) and len(value) == 3 and 1900 <= value[0] <= 2100):
        return False
    try:
        datetime.date(*value)
    except ValueError:
        return False
    return True


def _is_int_date(value: object) -> bool:
    return _is_int(value, 2100)


def _is_event(value: Any) -> bool:
    return (
        type(value) is list
        and len(value) == 2
        and value[0] in ("in", "out")
        and type(value[0]) is str
        and _is_int(value[1])
        and value[1] > 0
    )


# ---- the types ------------------------------------------------------------------------------------------------------

_INTEGER = f"from -{draws.MAX_INT} to {draws.MAX_INT}"
_SOME = f"at most {MAX_ITEMS}, possibly none"
_A_WORD = f"1 to {MAX_LETTERS} lower-case letters a to z"
_MOVES = frozenset("NESW")
_ANN = {"name": "ann", "team": "red", "points": 7}

TAKES = {
    "ints": Kind(
        "numbers",
        f"a list of integers {_INTEGER} ({_SOME})",
        lambda value: _all(value, _is_int),
        draws.some_ints,
        ([], [0], [5], [-3], [2, 2], [3, -3], [1, 2, 3, 4], [4, 3, 2, 1]),
    ),
    "words": Kind(
        "words",
        f"a list of words ({_SOME}); a word is a text of {_A_WORD}",
        lambda value: _all(value, _is_word),
        draws.some_words,
        ([], ["a"], ["b"], ["to", "to"], ["a", "b", "c"]),
    ),
    "text": Kind(
        "text",
        f"a text of at most {draws.MAX_CHARS} characters, possibly none: letters a to z and A to Z, digits, spaces and "
        f"the characters {draws.MARKS.strip()}",
        _is_text,
        draws.some_text,
        ("", " ", "a", "A", "7", "()", "aa", "Ab-12 #(c)"),
    ),
    "pairs": Kind(
        "intervals",
        f"a list of intervals ({_SOME}); an interval is a list [start, end] of two integers from -{draws.MAX_END} to "
        f"{draws.MAX_END} with start <= end",
        lambda value: _all(value, _is_pair),
        draws.some_pairs,
        ([], [[0, 0]], [[1, 4]], [[1, 2], [2, 3]], [[1, 2], [3, 4]], [[1, 5], [1, 5]]),
        8,
    ),
    "grid": Kind(
        "grid",
        f"a list of 1 to {MAX_SIDE} rows, each a list of 1 to {MAX_SIDE} integers {_INTEGER}; all rows are of equal "
        "length",
        _is_grid,
        draws.a_grid,
        ([[0]], [[1]], [[1, 2, 3]], [[1], [2], [3]], [[1, 2], [3, 4]]),
    ),
    "nested": Kind(
        "nested",
        f"a list, possibly empty, of integers {_INTEGER} and lists, which are again such lists; there are at most "
        f"{draws.MAX_NESTED} integers and lists in it, at most 10 in each list, and lists are at most {MAX_DEPTH} deep",
        _is_nested,
        draws.a_nested,
        ([], [[]], [1], [[1]], [1, [2, [3, [4]]]], [[], [1, []]]),
    ),
    "records": Kind(
        "records",
        f'a list of dictionaries ({_SOME}), each with the keys "name" and "team" (texts of {_A_WORD}) and "points" (an '
        f"integer {_INTEGER}); several may have the same name",
        lambda value: _all(value, _is_record),
        draws.some_records,
        ([], [_ANN], [_ANN, {"name": "bo", "team": "red", "points": 7}]),
    ),
    "dates": Kind(
        "dates",
        f"a list of dates ({_SOME}) of the Gregorian calendar, each a list [year, month, day] with year from 1900 "
        "to 2100",
        lambda value: _all(value, _is_date),
        draws.some_dates,
        ([], [[2000, 2, 29]], [[1999, 12, 31], [2000, 1, 1]], [[2023, 5, 7], [2023, 5, 7]]),
    ),
    "moves": Kind(
        "moves",
        f"a text of at most {draws.MAX_CHARS} of the letters N, E, S and W, possibly none",
        lambda value: _is_text(value, _MOVES),
        draws.some_moves,
        ("", "N", "W", "NS", "NESW", "EEEE", "SSNN"),
    ),
    "events": Kind(
        "entries",
        f'a list of entries ({_SOME}), each a list ["in", n] or ["out", n] with an integer n from 1 to {draws.MAX_INT}',
        lambda value: _all(value, _is_event),
        draws.some_events,
        ([], [["in", 5]], [["out", 5]], [["in", 5], ["out", 5]], [["out", 3], ["in", 3]]),
    ),
    "int": Kind("number", f"an integer {_INTEGER}", _is_int, draws.an_int, (0, 1, -1, 2, 10, -10, 100, 999)),
}
"""The types of arguments, by name."""

GIVES = {
    "ints": "a list of integers",
    "words": "a list of texts",
    "text": "a text",
    "pairs": "a list of lists of two integers",
    "grid": "a list of lists of integers",
    "nested": "a list",
    "records": "a list of dictionaries",
    "dates": "a list of lists of three integers",
    "moves": "a text",
    "events": "a list of lists",
    "int": "an integer",
    "letters": "a text",
    "tally": "a dictionary from texts to integers",
    "names": "a list of texts",
    "lists": "a list of lists of integers",
    "groups": "a dictionary from integers to lists of texts",
}
"""Description of a result, by the name of its type."""


def belongs(takes: str, value: object) -> bool:
    """Tell whether a value is a valid argument for specifications of that type.

    >>> belongs("pairs", [[1, 2]]), belongs("pairs", [[2, 1]]), belongs("ints", [True])
    (True, False, False)
    """
    return TAKES[takes].belongs(value)
