"""Real and complex numbers with a bound of their error, at a chosen precision.

A `Ball` is a number and an exponent: the true value is at most ``2 ** error`` away. The bounds are first-order ones
with room to spare (a few bits an operation), enough to tell cancellation from equality; they are no proof. mpmath does
the elementary functions, in a context of each thread's own.
"""

import threading
from fractions import Fraction
from typing import Any, NamedTuple

from turnwise.verifiers.math.values.bounds import Meter, TooLarge, Undefined, Unresolved

__all__ = ["EXACT", "Arithmetic", "Ball", "is_real", "magnitude"]

EXACT = -(1 << 40)  # the error exponent of an exact value, and the magnitude of zero
MAX_PRECISION = 1_700  # bits; the constants are computed once to more than that
MAX_EXPONENT = 60  # bits of the argument of exp, of a power's logarithm
MAX_ANGLE = 200  # bits of the argument of a trigonometric function
_local = threading.local()
_lock = threading.Lock()
_warm = False


class Ball(NamedTuple):
    """``value`` (an mpmath real where it is known to be real, else complex), at most ``2 ** error`` off."""

    value: Any
    error: int


def _context() -> Any:
    """This thread's own mpmath context: precision is a state of contexts."""
    global _warm
    try:
        return _local.context
    except AttributeError:
        pass
    import mpmath

    context = mpmath.ctx_mp.MPContext()
    with _lock:
        if not _warm:  # mpmath's caches of constants are shared and not safe to extend from two threads
            context.prec = MAX_PRECISION + 2 * MAX_ANGLE + 200
            for constant in (context.pi, context.e, context.ln2, context.ln10):
                context.mpf(constant)
            for argument in (context.mpf(7) / 5, context.mpc(1, 2)):
                for function in (context.sin, context.exp, context.ln, context.atan):
                    function(argument)
            _warm = True
    _local.context = context
    return context


def is_real(value: Any) -> bool:
    """Whether an mpmath number is of the real kind."""
    return hasattr(value, "_mpf_")


def magnitude(value: Any) -> int:
    """An exponent m with |value| < 2**m; `EXACT` for zero."""
    parts = (value._mpf_,) if is_real(value) else value._mpc_
    found = EXACT
    for _, man, exp, bits in parts:
        if man:
            found = max(found, exp + bits)
        elif exp:
            raise Unresolved("a value is infinite")
    return found + (len(parts) - 1 if found > EXACT else 0)


class Arithmetic:
    """Arithmetic with balls at one precision.

    Args:
        precision: In bits, at most `MAX_PRECISION`.
        meter: Bounds the work.
        real: Whether everything stays among the reals: what is not real is undefined.
    """

    def __init__(self, precision: int, meter: Meter, real: bool = False) -> None:
        self.precision = precision
        self.meter = meter
        self.real = real
        self.context = _context()
        self.context.prec = precision
        self.lossy = False  # whether something was too small to show at this precision
        self.dear = 6 + (precision >> 6)  # what an elementary function costs

    def ball(self, value: Fraction | int) -> Ball:
        """The ball of a rational number."""
        top, bottom = (value, 1) if isinstance(value, int) else (value.numerator, value.denominator)
        result = self._whole(top)
        if bottom != 1:
            result = result / self._whole(bottom)
        exact = bottom & (bottom - 1) == 0 and max(top.bit_length(), bottom.bit_length()) <= self.precision
        return Ball(result, EXACT if exact else magnitude(result) - self.precision + 2)

    def _whole(self, number: int) -> Any:
        """A whole number; of a large one only the leading bits, before mpmath handles it."""
        excess = number.bit_length() - self.precision - 32
        if excess <= 0:
            return self.context.mpf(number)
        self.meter.spend(excess >> 12)
        return self.context.ldexp(self.context.mpf(number >> excess), excess)

    def constant(self, name: str) -> Ball:
        """The value of π, e or i."""
        context = self.context
        if name == "pi":
            return Ball(+context.pi, 3 - self.precision)
        if name == "e":
            return Ball(+context.e, 3 - self.precision)
        if name == "i":
            if self.real:
                raise Undefined("it is not real")
            return Ball(context.mpc(0, 1), EXACT)
        raise Undefined(f"{name} is not a number")

    def rounded(self, value: Any, error: int) -> Ball:
        """A computed value with the error of its arguments, to which that of rounding comes."""
        error = max(error, magnitude(value) - self.precision) + 2
        return Ball(value, error if error > EXACT // 2 else EXACT)  # a zero that is exact

    def add(self, balls: list[Ball]) -> Ball:
        """The sum."""
        total, error = balls[0].value, balls[0].error
        largest = magnitude(total)
        for ball in balls[1:]:
            total = total + ball.value
            error = max(error, ball.error)
            largest = max(largest, magnitude(total))
        for ball in balls:
            self.note_loss(ball, largest)
        error = max(error, largest - self.precision) + len(balls).bit_length() + 1
        return Ball(total, error if error > EXACT // 2 else EXACT)

    def note_loss(self, ball: Ball, size: int = 1) -> None:
        """Note when something that is not zero is too small to show beside something of a size (an exponent)."""
        mag = magnitude(ball.value)
        if EXACT < mag < size - self.precision and ball.error < mag - 2:
            self.lossy = True

    def mul(self, a: Ball, b: Ball) -> Ball:
        """The product."""
        self.meter.spend()
        mag_a, mag_b = magnitude(a.value), magnitude(b.value)
        return self.rounded(a.value * b.value, max(a.error + mag_b, b.error + mag_a, a.error + b.error))

    def div(self, a: Ball, b: Ball) -> Ball:
        """The quotient."""
        self.meter.spend()
        mag_a, mag_b = magnitude(a.value), magnitude(b.value)
        if b.error > mag_b - 3:
            self.refuse_zero(b)
        value = a.value / b.value
        return self.rounded(value, max(a.error - mag_b, mag_a + b.error - 2 * mag_b) + 3)

    def refuse_zero(self, ball: Ball) -> None:
        """Raise for a divisor that is zero or may be."""
        if ball.error == EXACT or (ball.value == 0 and ball.error < EXACT // 2):
            raise Undefined("a division by zero or its like")
        raise Unresolved("something may be zero")

    def whole_power(self, a: Ball, n: int) -> Ball:
        """``a ** n`` for a whole n."""
        mag = magnitude(a.value)
        if n <= 0 and a.error > mag - 3:
            self.refuse_zero(a)
        if abs(n) * max(abs(mag), 1) >= 1 << MAX_EXPONENT:
            raise TooLarge("a power is too large")
        self.meter.spend(2 + n.bit_length() // 4)
        value = a.value**n
        if a.error > mag - 3:
            return self.rounded(value, (max(mag, a.error) + 1) * n)
        size = magnitude(value)
        return self.rounded(value, max(size + a.error - mag + 1, size - self.precision) + n.bit_length())

    def root(self, a: Ball, n: int) -> Ball:
        """The n-th root, n >= 1: the real one where there is one, else the principal one."""
        self.meter.spend(self.dear)
        context, mag = self.context, magnitude(a.value)
        if a.error == EXACT and a.value == 0:
            return a
        if a.error > mag - 3:
            if a.error > -self.precision // 4:
                raise Unresolved("a root of something that may be zero")
            return Ball(context.mpf(0), -(-max(a.error, mag) // n) + 2)
        if is_real(a.value):
            if a.value < 0:
                if n % 2:
                    inner = self.root(Ball(-a.value, a.error), n)
                    return Ball(-inner.value, inner.error)
                if self.real:
                    raise Undefined("a root of a negative number")
        else:
            self.refuse_cut(a)
        value = context.sqrt(a.value) if n == 2 else context.root(a.value, n)
        return self.rounded(value, magnitude(value) + a.error - mag + 2)

    def refuse_cut(self, a: Ball) -> None:
        """Refuse a complex value that the error may put on either side of the negative real axis."""
        if a.value.real <= 0 and (a.value.imag == 0 or magnitude(a.value.imag) <= a.error + 1):
            raise Unresolved("a value on a branch cut")

    def ln(self, a: Ball) -> Ball:
        """The principal logarithm."""
        self.meter.spend(self.dear)
        mag = magnitude(a.value)
        if a.error > mag - 3:
            self.refuse_zero(a)
        if is_real(a.value):
            if a.value < 0 and self.real:
                raise Undefined("the logarithm of a negative number")
        else:
            self.refuse_cut(a)
        return self.rounded(self.context.ln(a.value), a.error - mag + 3)

    def exp(self, a: Ball) -> Ball:
        """The exponential function."""
        self.meter.spend(self.dear)
        mag = magnitude(a.value)
        if mag > MAX_EXPONENT or a.error > 0:
            raise TooLarge("an exponent is too large")
        self.note_loss(a)
        value = self.context.exp(a.value)
        return self.rounded(value, magnitude(value) + a.error + 2)

    def whole(self, a: Ball) -> int:
        """The whole number that an exact value is."""
        if a.error == EXACT and is_real(a.value) and magnitude(a.value) < 64 and a.value == int(a.value):
            return int(a.value)
        raise Unresolved("a whole number is expected")
