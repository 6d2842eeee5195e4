"""The elementary functions of balls, by name."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from turnwise.verifiers.math.values.balls import EXACT, Arithmetic, Ball, is_real, magnitude
from turnwise.verifiers.math.values.bounds import MAX_TERMS, TooLarge, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.tree import Call, Num

__all__ = ["FUNCTIONS_OF_BALLS"]

MAX_ANGLE = 200  # bits of the argument of a trigonometric function


def _smooth(
    function: Callable[[Any, Any], Any], slope: Callable[[Any, Any, Any], int]
) -> Callable[[Arithmetic, Ball], Ball]:
    """A function of one variable whose derivative is below ``2 ** slope(context, argument, value)``."""

    def apply(self: Arithmetic, a: Ball) -> Ball:
        if magnitude(a.value) > MAX_ANGLE or a.error > -4:
            raise TooLarge("an argument is too large")
        if not is_real(a.value) and magnitude(a.value.imag) > 12:
            raise TooLarge("an argument is too large")
        self.note_loss(a)
        try:
            value = function(self.context, a.value)
        except (ZeroDivisionError, ValueError):
            raise Undefined("a function has no value there") from None
        return self.rounded(value, a.error + slope(self.context, a.value, value))

    return apply


def _growth(_context: Any, argument: Any, _value: Any) -> int:
    """Bound the growth of sin and cos: e ** |imaginary part|."""
    return 2 if is_real(argument) else 2 + int(1.5 * abs(float(argument.imag)))


def _hyperbolic(_context: Any, argument: Any, value: Any) -> int:
    return max(magnitude(value), 0) + 2


def _quotient(top: str, bottom: str) -> Callable[[Arithmetic, Ball], Ball]:
    def apply(self: Arithmetic, a: Ball) -> Ball:
        above = FUNCTIONS_OF_BALLS[top][0](self, a) if top else self.ball(1)
        below = FUNCTIONS_OF_BALLS[bottom][0](self, a)
        return self.div(above, below)

    return apply


def _arc(name: str, reciprocal: bool = False) -> Callable[[Arithmetic, Ball], Ball]:
    """Arcsin and arccos, or arccsc and arcsec; their slope is infinite at ±1."""

    def apply(self: Arithmetic, a: Ball) -> Ball:
        if reciprocal:
            a = self.div(self.ball(1), a)
        if not is_real(a.value):
            if magnitude(a.value.imag) <= a.error + 1:
                raise Unresolved("a value on a branch cut")
            room = magnitude(1 - a.value * a.value)
        else:
            gap = 1 - abs(a.value)
            room = magnitude(gap)
            if room <= a.error + 2 and a.error > EXACT:  # so near to 1 that the error decides
                value = self.context.asin if name == "arcsin" else self.context.acos
                return Ball(value(self.context.mpf(1 if a.value > 0 else -1)), max(a.error, room) // 2 + 3)
            if gap < 0:
                raise Undefined(f"{name} of a number beyond 1")
        value = (self.context.asin if name == "arcsin" else self.context.acos)(a.value)
        return self.rounded(value, a.error if a.error == EXACT else a.error - min(room, 0) // 2 + 3)

    return apply


def _arctan(self: Arithmetic, a: Ball) -> Ball:
    if is_real(a.value):
        return self.rounded(self.context.atan(a.value), a.error)
    room = magnitude(1 + a.value * a.value)
    if room < -20 or (magnitude(a.value.real) <= a.error + 1 and abs(a.value.imag) >= 1):
        raise Unresolved("a value on a branch cut")
    return self.rounded(self.context.atan(a.value), a.error - room + 3)


def _arccot(self: Arithmetic, a: Ball) -> Ball:
    half = self.div(self.constant("pi"), self.ball(2))
    inner = _arctan(self, a)
    return self.add([half, Ball(-inner.value, inner.error)])


def _by_logarithm(kind: str) -> Callable[[Arithmetic, Ball], Ball]:
    """Inverse hyperbolic functions by their definition with logarithms."""

    def apply(self: Arithmetic, a: Ball) -> Ball:
        one, minus = self.ball(1), Ball(-a.value, a.error)
        if kind == "artanh":
            ratio = self.div(self.add([one, a]), self.add([one, minus]))
            return self.div(self.ln(ratio), self.ball(2))
        if kind == "arsinh":
            return self.ln(self.add([a, self.root(self.add([self.mul(a, a), one]), 2)]))
        if self.real and a.value < 1:
            raise Undefined("arcosh of a number below 1")
        left, right = self.root(self.add([a, one]), 2), self.root(self.add([a, self.ball(-1)]), 2)
        return self.ln(self.add([a, self.mul(left, right)]))

    return apply


def _need_real(ball: Ball) -> Any:
    if not is_real(ball.value):
        raise Unresolved("a real number is expected")
    return ball.value


def _floor(upward: bool) -> Callable[[Arithmetic, Ball], Ball]:
    def apply(self: Arithmetic, a: Ball) -> Ball:
        value = _need_real(a)
        if magnitude(value) > self.precision - 8:
            raise TooLarge("the whole part of a number that is too large")
        low = self.context.floor(value)
        if a.error == EXACT:
            return Ball(self.context.ceil(value) if upward else low, EXACT)
        if min(magnitude(value - low), magnitude(low + 1 - value)) <= a.error + 1:
            raise Unresolved("the whole part of a number at a jump")
        return Ball(low + 1 if upward else low, EXACT)

    return apply


def _abs(self: Arithmetic, a: Ball) -> Ball:
    return self.rounded(abs(a.value), a.error)


def _sign(self: Arithmetic, a: Ball) -> Ball:
    value = _need_real(a)
    if a.error == EXACT and value == 0:
        return a
    if magnitude(value) <= a.error + 1:
        raise Unresolved("the sign of what may be zero")
    return self.ball(1 if value > 0 else -1)


def _arg(self: Arithmetic, a: Ball) -> Ball:
    mag = magnitude(a.value)
    if a.error > mag - 3:
        self.refuse_zero(a)
    if not is_real(a.value):
        self.refuse_cut(a)
    elif a.value > 0:
        return self.ball(0)
    return self.rounded(self.context.arg(a.value), a.error - mag + 3)


def _extreme(largest: bool) -> Callable[..., Ball]:
    def apply(self: Arithmetic, *balls: Ball) -> Ball:
        values = [_need_real(ball) for ball in balls]
        if not values:
            raise Undefined("the extreme of nothing")
        return Ball(max(values) if largest else min(values), max(ball.error for ball in balls) + 1)

    return apply


def _factorial(self: Arithmetic, a: Ball) -> Ball:
    if not is_real(a.value) or magnitude(a.value) > 14:
        raise TooLarge("the factorial of a large or complex number")
    self.meter.spend(10 * self.dear)
    if a.value < 0 and a.value == int(a.value):
        raise Undefined("the factorial of a negative number")
    value = self.context.factorial(a.value)
    return self.rounded(value, max(a.error, -self.precision) + max(magnitude(value), 0) + 8)


def _binomial(self: Arithmetic, n: Ball, k: Ball) -> Ball:
    few = self.whole(k)
    if not 0 <= few <= 400:
        if few < 0:
            return self.ball(0)
        raise TooLarge("a binomial coefficient that is too large")
    return self.div(_falling(self, n, few), _factorial(self, k))


def _falling(self: Arithmetic, n: Ball, count: int) -> Ball:
    product = self.ball(1)
    for i in range(count):
        product = self.mul(product, self.add([n, self.ball(-i)]))
    return product


def _permutations(self: Arithmetic, n: Ball, k: Ball) -> Ball:
    count = self.whole(k)
    if not 0 <= count <= 400:
        raise TooLarge("a number of permutations that is too large")
    return _falling(self, n, count)


def _by_whole_numbers(name: str) -> Callable[..., Ball]:
    def apply(self: Arithmetic, *balls: Ball) -> Ball:
        args = tuple(Num(Fraction(self.whole(ball))) for ball in balls)
        if (value := rational(Call(name, args), self.meter)) is None:
            raise TooLarge(f"{name} of numbers that are too large")
        return self.ball(value)

    return apply


def _part(take: Callable[[Any], Any]) -> Callable[[Arithmetic, Ball], Ball]:
    return lambda self, a: Ball(take(a.value), a.error)


FUNCTIONS_OF_BALLS: dict[str, tuple[Callable[..., Ball], int]] = {  # with the number of arguments, 0: any
    "root": (lambda self, a, n: _nth_root(self, a, n), 2),
    "abs": (_abs, 1),
    "floor": (_floor(False), 1),
    "ceil": (_floor(True), 1),
    "exp": (Arithmetic.exp, 1),
    "ln": (Arithmetic.ln, 1),
    "log": (lambda self, a, base: self.div(self.ln(a), self.ln(base)), 2),
    "sin": (_smooth(lambda c, x: c.sin(x), _growth), 1),
    "cos": (_smooth(lambda c, x: c.cos(x), _growth), 1),
    "tan": (_quotient("sin", "cos"), 1),
    "cot": (_quotient("cos", "sin"), 1),
    "sec": (_quotient("", "cos"), 1),
    "csc": (_quotient("", "sin"), 1),
    "arcsin": (_arc("arcsin"), 1),
    "arccos": (_arc("arccos"), 1),
    "arctan": (_arctan, 1),
    "arccot": (_arccot, 1),
    "arcsec": (_arc("arccos", True), 1),
    "arccsc": (_arc("arcsin", True), 1),
    "sinh": (lambda self, a: _exponentials(self, a, -1), 1),
    "cosh": (lambda self, a: _exponentials(self, a, 1), 1),
    "tanh": (_quotient("sinh", "cosh"), 1),
    "coth": (_quotient("cosh", "sinh"), 1),
    "arsinh": (_by_logarithm("arsinh"), 1),
    "arcosh": (_by_logarithm("arcosh"), 1),
    "artanh": (_by_logarithm("artanh"), 1),
    "factorial": (_factorial, 1),
    "double_factorial": (_by_whole_numbers("double_factorial"), 1),
    "binomial": (_binomial, 2),
    "permutations": (_permutations, 2),
    "gcd": (_by_whole_numbers("gcd"), 0),
    "lcm": (_by_whole_numbers("lcm"), 0),
    "min": (_extreme(False), 0),
    "max": (_extreme(True), 0),
    "re": (_part(lambda v: v.real), 1),
    "im": (_part(lambda v: v.imag), 1),
    "conj": (_part(lambda v: v.conjugate()), 1),
    "arg": (_arg, 1),
    "sgn": (_sign, 1),
}


def _nth_root(self: Arithmetic, a: Ball, n: Ball) -> Ball:
    degree = self.whole(n) if n.error == EXACT else 0
    if not 1 <= degree <= MAX_TERMS:
        return self.exp(self.div(self.ln(a), n))
    return self.root(a, degree)


def _exponentials(self: Arithmetic, a: Ball, sign: int) -> Ball:
    """(e^a + sign e^-a) / 2."""
    up, down = self.exp(a), self.exp(Ball(-a.value, a.error))
    return self.div(self.add([up, Ball(sign * down.value, down.error)]), self.ball(2))
