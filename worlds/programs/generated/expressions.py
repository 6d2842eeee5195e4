"""Integer expressions and conditions of generated programs, each with the interval that its value stays in."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

__all__ = [
    "MAX_VALUE", "Draw", "Expr", "atom", "between", "condition", "constant", "expression", "floor_div", "minus", "mod",
    "pick", "plus", "span", "times", "whole",
]  # fmt: skip

Draw = Callable[[], float]
ItemT = TypeVar("ItemT")
MAX_VALUE = 100_000
"""Expressions beyond it are taken modulo a small number."""
_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly the text holds together


class Expr(NamedTuple):
    """Source text of a whole number, the least and the largest that it can be, and how tightly it holds together."""

    text: str
    low: int
    high: int
    level: int = _ATOM


def pick(draw: Draw, items: Sequence[ItemT]) -> ItemT:
    """One of them."""
    return items[int(draw() * len(items))]


def whole(draw: Draw, low: int, high: int) -> int:
    """A number from low to high, both included."""
    return low + int(draw() * (high - low + 1))


def atom(text: str, low: int, high: int) -> Expr:
    """A name, call or subscript."""
    return Expr(text, low, high)


def constant(value: int) -> Expr:
    """A number that is not negative."""
    return Expr(str(value), value, value)


def span(one: Expr, *others: Expr) -> tuple[int, int]:
    """The interval that holds all."""
    return min(one.low, *(e.low for e in others)), max(one.high, *(e.high for e in others))


def _at(expr: Expr, level: int) -> str:
    return expr.text if expr.level >= level else f"({expr.text})"


def plus(a: Expr, b: Expr) -> Expr:
    """The sum."""
    return Expr(f"{a.text} + {b.text}", a.low + b.low, a.high + b.high, _SUM)


def minus(a: Expr, b: Expr) -> Expr:
    """The difference."""
    return Expr(f"{a.text} - {_at(b, _PRODUCT)}", a.low - b.high, a.high - b.low, _SUM)


def times(a: Expr, b: Expr) -> Expr:
    """The product."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Expr(f"{_at(a, _PRODUCT)} * {_at(b, _ATOM)}", min(corners), max(corners), _PRODUCT)


def floor_div(a: Expr, divisor: int) -> Expr:
    """The quotient, rounded down; the divisor is positive."""
    return Expr(f"{_at(a, _PRODUCT)} // {divisor}", a.low // divisor, a.high // divisor, _PRODUCT)


def mod(a: Expr, divisor: int) -> Expr:
    """The rest of that division; the divisor is positive."""
    low, high = (a.low, a.high) if a.low >= 0 and a.high < divisor else (0, divisor - 1)
    return Expr(f"{_at(a, _PRODUCT)} % {divisor}", low, high, _PRODUCT)


def _absolute(a: Expr) -> Expr:
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Expr(f"abs({a.text})", low, max(abs(a.low), abs(a.high)))


def _largest(a: Expr, b: Expr) -> Expr:
    return Expr(f"max({a.text}, {b.text})", max(a.low, b.low), max(a.high, b.high))


def _smallest(a: Expr, b: Expr) -> Expr:
    return Expr(f"min({a.text}, {b.text})", min(a.low, b.low), min(a.high, b.high))


def between(draw: Draw, a: Expr) -> Expr:
    """A number in the middle of where the expression lies, so that comparing with it can go both ways."""
    low, high = max(a.low, -200), min(a.high, 200)
    width = max(high - low, 1)
    value = low + width // 4 + int(draw() * (width // 2 + 1))
    return Expr(str(value), value, value)


_ONE: tuple[Callable[[Expr, int, int, int], Expr], ...] = (
    lambda a, c, d, e: plus(a, constant(e)),
    lambda a, c, d, e: minus(a, constant(e)),
    lambda a, c, d, e: minus(constant(e), a),
    lambda a, c, d, e: times(a, constant(c)),
    lambda a, c, d, e: plus(times(constant(c), a), constant(e)),
    lambda a, c, d, e: minus(times(a, constant(c)), constant(e)),
    lambda a, c, d, e: plus(floor_div(a, c), constant(e)),
    lambda a, c, d, e: mod(a, d),
    lambda a, c, d, e: mod(plus(a, constant(e)), d),
    lambda a, c, d, e: mod(plus(times(a, constant(c)), constant(e)), d + 4),
    lambda a, c, d, e: plus(a, mod(a, d)),
    lambda a, c, d, e: floor_div(minus(a, constant(e)), c),
    lambda a, c, d, e: _absolute(minus(a, constant(e))),
    lambda a, c, d, e: minus(times(a, a), constant(e)),
)
_EASY = 6  # the first of them have no division
_TWO: tuple[Callable[[Expr, Expr, int, int, int], Expr], ...] = (
    lambda a, b, c, d, e: plus(a, b),
    lambda a, b, c, d, e: minus(a, b),
    lambda a, b, c, d, e: plus(times(a, constant(c)), b),
    lambda a, b, c, d, e: minus(times(constant(c), a), b),
    lambda a, b, c, d, e: plus(a, times(b, constant(c))),
    lambda a, b, c, d, e: mod(plus(a, b), d + 2),
    lambda a, b, c, d, e: plus(a, mod(b, d)),
    lambda a, b, c, d, e: mod(plus(times(a, b), constant(e)), d + 6),
    lambda a, b, c, d, e: minus(times(a, b), constant(e)),
    lambda a, b, c, d, e: _largest(a, minus(b, constant(c))),
    lambda a, b, c, d, e: _smallest(plus(a, constant(c)), b),
    lambda a, b, c, d, e: _absolute(minus(a, b)),
    lambda a, b, c, d, e: plus(floor_div(a, c), b),
    lambda a, b, c, d, e: minus(a, floor_div(b, c)),
)


def expression(draw: Draw, a: Expr, b: Expr | None = None, *, most: int = MAX_VALUE, easy: bool = False) -> Expr:
    """An expression of one value or two, at most ``most`` from zero; without division where it is to be easy."""
    c, d, e = whole(draw, 2, 5), whole(draw, 3, 11), whole(draw, 1, 12)
    if b is None:
        found = pick(draw, _ONE[:_EASY] if easy else _ONE)(a, c, d, e)
    else:
        found = pick(draw, _TWO[:_EASY] if easy else _TWO)(a, b, c, d, e)
    if max(-found.low, found.high) > most:
        found = mod(plus(a, constant(e)) if b is None else plus(a, b), d + 20)
    return found


def condition(draw: Draw, a: Expr, b: Expr | None = None) -> str:
    """A condition that is true for some values and false for others."""
    if b is not None and draw() < 0.5:
        return f"{a.text} {pick(draw, '<>')} {b.text}"
    if a.high - a.low >= 4 and draw() < 0.6:
        divisor = whole(draw, 2, 4)
        rest = whole(draw, 0, divisor - 1)
        text = f"{mod(a, divisor).text} {pick(draw, ('==', '==', '!='))} {rest}"
        if draw() < 0.15:
            text += f" {pick(draw, ('and', 'or'))} {a.text} {pick(draw, '<>')} {between(draw, a).text}"
        return text
    return f"{a.text} {pick(draw, ('<', '>', '>=', '<='))} {between(draw, a).text}"
