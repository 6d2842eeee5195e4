"""Special cases of arguments, in which alone a wrong version may be wrong: what hurried tests leave out."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["SPECIAL", "Special"]

_LONG_LIST, _LONG_TEXT = 7, 24
Arguments = tuple[Any, ...]


class Special(NamedTuple):
    """A special case.

    Attributes:
        words: What such arguments are, after "with" and "for".
        holds: Whether arguments are so.
    """

    words: str
    holds: Callable[[Arguments], bool]


def _in_lists(holds: Callable[[Sequence[Any]], bool]) -> Callable[[Arguments], bool]:
    return lambda args: any(holds(value) for value in args if isinstance(value, list))


def _of_numbers(holds: Callable[[Sequence[int]], bool]) -> Callable[[Arguments], bool]:
    return _in_lists(lambda items: all(type(item) is int for item in items) and holds(items))


def _in_texts(holds: Callable[[str], bool]) -> Callable[[Arguments], bool]:
    """Whether a text is so; names, which are single words, are no texts."""
    return lambda args: any(holds(value) for value in args if isinstance(value, str) and not value.isalpha())


def _pairs(args: Arguments) -> Iterator[tuple[Any, Any]]:
    return ((args[early], args[late]) for late in range(len(args)) for early in range(late))


def _repeats(items: Sequence[Any]) -> bool:
    return any(item in items[:place] for place, item in enumerate(items))


def _neighbours(items: Sequence[Any]) -> bool:
    return any(one == other for one, other in itertools.pairwise(items))


def _around(items: Sequence[Any]) -> bool:
    return len(items) > 2 and items[0] == items[-1]


def _within(one: Any, other: Any) -> bool:
    """Whether the later of two arguments occurs in the earlier one."""
    if isinstance(one, str):
        return isinstance(other, str) and other != "" and other in one
    return isinstance(one, list) and other in one


SPECIAL: Mapping[str, Special] = {
    "long list": Special(f"lists of {_LONG_LIST} items or more", _in_lists(lambda items: len(items) >= _LONG_LIST)),
    "long text": Special(
        f"texts of {_LONG_TEXT} characters or more", _in_texts(lambda text: len(text) >= _LONG_TEXT)
    ),
    "repeated": Special("lists in which an item occurs twice", _in_lists(_repeats)),
    "neighbours": Special("equal items next to each other", _in_lists(_neighbours)),
    "doubled": Special("a doubled character", _in_texts(_neighbours)),
    "around": Special("lists that begin and end with the same item", _in_lists(_around)),
    "same ends": Special("texts that begin and end with the same character", _in_texts(_around)),
    "ordered": Special(
        "lists of three or more numbers that are in order already",
        _of_numbers(lambda items: len(items) > 2 and items == sorted(items)),
    ),
    "falling": Special(
        "lists with the largest number in front", _of_numbers(lambda items: len(items) > 1 and items[0] == max(items))
    ),
    "alone": Special("lists of one item", _in_lists(lambda items: len(items) == 1)),
    "equal": Special("two equal arguments", lambda args: any(one == other for one, other in _pairs(args))),
    "smaller": Special(
        "a number that is larger than a later one",
        lambda args: any(type(one) is type(other) is int and one > other for one, other in _pairs(args)),
    ),
    "multiple": Special(
        "a number that is a multiple of a later one",
        lambda args: any(type(one) is type(other) is int and other and one % other == 0 for one, other in _pairs(args)),
    ),
    "within": Special(
        "an argument that occurs in an earlier one", lambda args: any(_within(*pair) for pair in _pairs(args))
    ),
    "length": Special(
        "a number that is the length of another argument",
        lambda args: any(isinstance(one, (list, str)) and other == len(one) for one, other in _pairs(args)),
    ),
}  # fmt: skip
"""By name."""
