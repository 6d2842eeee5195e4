"""Domains of arguments that answers may use, in words and as a check."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from turnwise.worlds.programs.library.domains import ALLOWED

__all__ = ["DOMAINS", "Domain", "Unclear"]


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


_SIZES = ("len(x) % 3 == 2", "len(x) % 4 == 3", "len(x) == 5", "len(x) > 5")
_ENDS = ("x[:1] == x[-1:]", "len(set(x)) < len(x)", "len(set(x)) == len(x)")
_VALUES = ("sum(x) % 3 == 1", "sum(x) % 4 == 2", "max(x, default=0) % 3 == 0", "min(x, default=0) % 2 == 1")
_NUMBERS = ("x % 3 == 1", "x % 4 == 2", "x % 5 == 3")
_STRINGS = ("x.count('e') == 1", "sum(map(ord, x)) % 3 == 1", "x.lower() != x")
_TRAITS: Mapping[str, tuple[str, ...]] = {
    "ints": _SIZES + _ENDS + _VALUES,
    "naturals": _SIZES + _ENDS + _VALUES,
    "words": _SIZES + _ENDS + ("sum(map(len, x)) % 3 == 1", "sum(map(len, x)) % 4 == 2"),
    "text": _SIZES + _STRINGS,
    "letters": (*_SIZES, "x.count('a') % 3 == 1", "x.count('b') % 4 == 2", "x[:1] == x[-1:]"),
    "spans": (*_SIZES, "x == sorted(x)", "sum(b - a for a, b in x) % 3 == 1", "any(a == b for a, b in x)"),
    "pairs": (*_SIZES, "sum(n for _, n in x) % 3 == 1", "any(n == 0 for _, n in x)", "x == sorted(x)"),
    "moves": (*_SIZES, "sum(n for _, n in x) % 3 == 1", "any(n == 0 for _, n in x)"),
    "edges": (*_SIZES, "any(a == b for a, b in x)", "sum(a + b for a, b in x) % 3 == 1"),
    "grid": ("len(x) == len(x[0])", "len(x) > len(x[0])", "sum(map(sum, x)) % 3 == 1", "x[0][0] == x[-1][-1]"),
    **dict.fromkeys(
        (
            "small", "count", "width", "narrow", "cell", "natural", "int", "base", "percent", "amount", "node",
        ),
        _NUMBERS,
    ),
}  # fmt: skip
DOMAINS: Mapping[str, Domain] = {kind: Domain(*ALLOWED[kind], traits) for kind, traits in _TRAITS.items()}
"""The kinds of arguments that questions may ask for; the library draws arguments within them."""
