"""Integer expressions and conditions for generated programs, each with the interval of its value."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from turnwise.core.draw import Draw

__all__ = [
    "MAX_VALUE", "Expr", "atom", "between", "condition", "constant", "expression", "floor_div", "minus", "mod",
    "plus", "span", "times",
]  # fmt: skip

ItemT = TypeVar("ItemT")
MAX_VALUE = 100_000
"""Larger expressions are reduced modulo a small number."""
_SUM, _PRODUCT, _ATOM = 1, 2, 3  # precedence of the text


class Expr(NamedTuple):
    """Source text of a whole number, its smallest and largest possible value, and its precedence."""

    text: str
    low: int
    high: int
    level: int = _ATOM


def atom(text: str, low: int, high: int) -> Expr:
    """Make an expression from a name, call or subscript."""
    return Expr(text, low, high)


def constant(value: int) -> Expr:
    """Make a non-negative constant."""
    return Expr(str(value), value, value)


def span(one: Expr, *others: Expr) -> tuple[int, int]:
    """Return the interval that covers all expressions."""
    return min(one.low, *(e.low for e in others)), max(one.high, *(e.high for e in others))


def _at(expr: Expr, level: int) -> str:
    return expr.text if expr.level >= level else f"({expr.text})"


def plus(a: Expr, b: Expr) -> Expr:
    """Return the sum."""
    return Expr(f"{a.text} + {b.text}", a.low + b.low, a.high + b.high, _SUM)


def minus(a: Expr, b: Expr) -> Expr:
    """Return the difference."""
    return Expr(f"{a.text} - {_at(b, _PRODUCT)}", a.low - b.high, a.high - b.low, _SUM)


def times(a: Expr, b: Expr) -> Expr:
    """Return the product."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Expr(f"{_at(a, _PRODUCT)} * {_at(b, _ATOM)}", min(corners), max(corners), _PRODUCT)


def floor_div(a: Expr, divisor: int) -> Expr:
    """Return the quotient, rounded down; the divisor is positive."""
    return Expr(f"{_at(a, _PRODUCT)} // {divisor}", a.low // divisor, a.high // divisor, _PRODUCT)


def mod(a: Expr, divisor: int) -> Expr:
    """Return the remainder; the divisor is positive."""
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
    """Draw a number in the middle of the expression's range, so that a comparison can go either way."""
    low, high = max(a.low, -200), min(a.high, 200)
    width = max(high - low, 1)
    value = low + width // 4 + draw.below(width // 2 + 1)
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
    """Draw an expression of one or two values, at most ``most`` from zero; without division if it should be easy."""
    c, d, e = draw.integer(2, 5), draw.integer(3, 11), draw.integer(1, 12)
    if b is None:
        found = draw.choice(_ONE[:_EASY] if easy else _ONE)(a, c, d, e)
    else:
        found = draw.choice(_TWO[:_EASY] if easy else _TWO)(a, b, c, d, e)
    if max(-found.low, found.high) > most:
        found = mod(plus(a, constant(e)) if b is None else plus(a, b), d + 20)
    return found


def condition(draw: Draw, a: Expr, b: Expr | None = None) -> str:
    """Draw a condition that is true for some values and false for others."""
    if b is not None and draw.unit() < 0.5:
        return f"{a.text} {draw.choice('<>')} {b.text}"
    if a.high - a.low >= 4 and draw.unit() < 0.6:
        divisor = draw.integer(2, 4)
        rest = draw.integer(0, divisor - 1)
        text = f"{mod(a, divisor).text} {draw.choice(('==', '==', '!='))} {rest}"
        if draw.unit() < 0.15:
            text += f" {draw.choice(('and', 'or'))} {a.text} {draw.choice('<>')} {between(draw, a).text}"
        return text
    return f"{a.text} {draw.choice(('<', '>', '>=', '<='))} {between(draw, a).text}"
