"""Special cases of arguments, in which alone a wrong version may be wrong: what hurried tests leave out."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["LONG_LIST", "LONG_TEXT", "SPECIAL"]

LONG_LIST, LONG_TEXT = 7, 24
"""Items of a list, and characters of a text, from which on it is long."""


def _series(args: tuple[Any, ...]) -> Iterator[list[Any]]:
    """Yield the lists among the arguments, and the words of the texts."""
    for value in args:
        if isinstance(value, list):
            yield value
        elif isinstance(value, str):
            yield value.split()


def _long(args: tuple[Any, ...]) -> bool:
    return any(
        len(value) >= (LONG_LIST if isinstance(value, list) else LONG_TEXT)
        for value in args
        if isinstance(value, (list, str))
    )


def _repeated(args: tuple[Any, ...]) -> bool:
    return any(item in items[:place] for items in _series(args) for place, item in enumerate(items))


def _adjacent(args: tuple[Any, ...]) -> bool:
    return any(one == other for items in _series(args) for one, other in zip(items, items[1:], strict=False))


def _around(args: tuple[Any, ...]) -> bool:
    return any(len(items) > 2 and items[0] == items[-1] for items in _series(args))


def _ordered(args: tuple[Any, ...]) -> bool:
    return any(len(items) > 2 and items == sorted(items) for items in _series(args))


def _falling(args: tuple[Any, ...]) -> bool:
    return any(len(items) > 1 and items[0] == max(items) for items in _series(args))


def _alone(args: tuple[Any, ...]) -> bool:
    return any(len(items) == 1 for items in _series(args))


def _coinciding(args: tuple[Any, ...]) -> bool:
    """Whether two arguments are equal, or one is the length of another or occurs in it."""
    for place, one in enumerate(args):
        for other in args[:place]:
            if one == other or (isinstance(other, list) and (one in other or one == len(other))):
                return True
            if isinstance(one, str) and isinstance(other, str) and one and one in other:
                return True
            if isinstance(other, (list, str)) and isinstance(one, int) and one == len(other):
                return True
    return False


SPECIAL: Mapping[str, Callable[[tuple[Any, ...]], bool]] = {
    "long": _long, "repeated": _repeated, "adjacent": _adjacent, "around": _around, "ordered": _ordered,
    "falling": _falling, "alone": _alone, "coinciding": _coinciding,
}  # fmt: skip
"""By name: whether arguments are such a case. Items are of one kind, so that they can be compared."""
