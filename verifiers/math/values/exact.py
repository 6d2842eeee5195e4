"""Exact values: rational numbers, and residues of rational functions modulo large primes.

`rational` gives the value of an expression that is a rational number by exact rules. `residue` maps an expression made
of +, -, *, /, whole powers and the imaginary unit into a prime field: equal expressions have equal residues, and two
that differ agree by chance with a probability of about degree / 2**126 (Schwartz-Zippel lemma).

Source: J. T. Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", J. ACM 27 (1980).
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import MAX_BITS, MAX_TERMS, Meter, Undefined

__all__ = ["PRIMES", "Decimal", "decimal", "integer_root", "polynomial", "rational", "residue", "stands_for"]

MAX_DEGREE = 40  # of a polynomial that is integrated
Environment = Mapping[str, Fraction]
NOTHING: Environment = {}
# Random primes that are 1 modulo 4, each with a square root of -1; no Mersenne primes, in which powers of 2 collapse.
PRIMES = (
    (88003058121243726965890421366365710757, 40832565485804317586705524362744859379),
    (149539524000624566891900602175705020397, 24482742232343003632886953780481912029),
)


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def rational(node: tree.Node, meter: Meter, env: Environment = NOTHING) -> Fraction | None:
    """The value where it is a rational number that exact rules give; None where they do not or it is too large.

    Raises:
        Undefined: A division by zero.
        Unresolved: Too much work.
    """
    meter.spend()
    match node:
        case tree.Num(value, _):
            return value
        case tree.Sym(name):
            return env.get(name)
        case tree.Neg(x):
            inner = rational(x, meter, env)
            return None if inner is None else -inner
        case tree.Add(terms):
            total = Fraction(0)
            for term in terms:
                if (inner := rational(term, meter, env)) is None:
                    return None
                total += inner
                if (size := _bits(total)) > 256:
                    if size > MAX_BITS:
                        return None
                    meter.spend(_cost(size))
            return total
        case tree.Mul(factors):
            total = Fraction(1)
            for factor in factors:
                if (inner := rational(factor, meter, env)) is None:
                    return None
                total *= inner
                if (size := _bits(total)) > 256:
                    if size > MAX_BITS:
                        return None
                    meter.spend(_cost(size))
            return total
        case tree.Div(top, bottom):
            divisor = rational(bottom, meter, env)
            if divisor == 0:
                raise Undefined("a division by zero")
            inner = rational(top, meter, env)
            return None if inner is None or divisor is None else _bounded(inner / divisor, meter)
        case tree.Pow(base, exponent):
            inner, power = rational(base, meter, env), rational(exponent, meter, env)
            return None if inner is None or power is None else _power(inner, power, meter)
        case tree.Percent(x):
            inner = rational(x, meter, env)
            return None if inner is None else inner / 100
        case tree.Quantity(x, unit) if not unit.dimensions and not unit.pi and not unit.offset:
            inner = rational(x, meter, env)
            return None if inner is None else inner * unit.scale
        case tree.Base(value, _):
            return Fraction(value)
        case tree.Call(("sum" | "product") as name, (tree.Sym(index), first, last, term)):
            return _series(name, index, first, last, term, meter, env)
        case tree.Call("integral", (tree.Sym(index), first, last, term)):
            return _integral(index, first, last, term, meter, env)
        case tree.Call(name, args) if name in _CALLS:
            values = []
            for arg in args:
                if (inner := rational(arg, meter, env)) is None:
                    return None
                values.append(inner)
            meter.spend(2)
            result = _CALLS[name](*values) if _ARITY.get(name, len(values)) == len(values) else None
            return None if result is None else _bounded(result, meter)
    return None


def _cost(bits: int) -> int:
    return (bits >> 8) * (bits >> 8) >> 4


def _bounded(value: Fraction, meter: Meter) -> Fraction | None:
    size = _bits(value)
    if size > MAX_BITS:
        return None
    if size > 256:
        meter.spend(_cost(size))
    return value


def _power(base: Fraction, exponent: Fraction, meter: Meter) -> Fraction | None:
    if exponent.denominator != 1:
        if exponent.denominator > 64:
            return None
        root = _root(base, Fraction(exponent.denominator))
        return None if root is None else _power(root, Fraction(exponent.numerator), meter)
    power = exponent.numerator
    if base == 0:
        if power <= 0:
            raise Undefined("zero to a power that is not positive")
        return base
    if abs(base) == 1:
        return base if power % 2 else Fraction(1)
    if abs(power) * max(abs(base.numerator).bit_length() - 1, base.denominator.bit_length() - 1, 1) > MAX_BITS:
        return None
    result = base**power
    return _bounded(result, meter) if isinstance(result, Fraction) else None


def integer_root(value: int, degree: int) -> int:
    """The floor of the ``degree``-th root of a number >= 0.

    >>> integer_root(26, 3), integer_root(27, 3)
    (2, 3)
    """
    if degree == 2:
        return math.isqrt(value)
    if value < 2 or degree == 1:
        return value
    guess = 1 << -(-value.bit_length() // degree)  # not below the root: Newton's method descends to it
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def _root(value: Fraction, degree: Fraction) -> Fraction | None:
    """The real root where it is rational; that of a negative number only for an odd degree."""
    if degree.denominator != 1 or not 0 < degree <= 64 or (value < 0 and degree % 2 == 0):
        return None
    n = degree.numerator
    top, bottom = integer_root(abs(value.numerator), n), integer_root(value.denominator, n)
    if top**n != abs(value.numerator) or bottom**n != value.denominator:
        return None
    return Fraction(top if value >= 0 else -top, bottom)


def _log(value: Fraction, base: Fraction) -> Fraction | None:
    if value <= 0 or base <= 0 or base == 1:
        if base == 1 or value == 0 or base == 0:
            raise Undefined("a logarithm that is not defined")
        return None
    if value == 1:
        return Fraction(0)
    big = max(_bits(value), _bits(base))
    if big > 2_000:
        return None
    estimate = Fraction(_ln(value) / _ln(base)).limit_denominator(12)
    p, q = estimate.numerator, estimate.denominator
    if abs(p) * _bits(base) > MAX_BITS or q * _bits(value) > MAX_BITS:
        return None
    return estimate if value**q == base**p else None


def _ln(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _factorial(value: Fraction) -> Fraction | None:
    if value.denominator != 1:
        return None
    if value < 0:
        raise Undefined("the factorial of a negative number")
    return Fraction(math.factorial(value.numerator)) if value <= 2_000 else None


def _double_factorial(value: Fraction) -> Fraction | None:
    if value.denominator != 1 or value < -1:
        return None
    return Fraction(math.prod(range(value.numerator, 1, -2))) if value <= 2_000 else None


def _binomial(n: Fraction, k: Fraction) -> Fraction | None:
    if k.denominator != 1 or k > 20_000 or _bits(n) > 64:
        return None
    if k < 0:
        return Fraction(0)
    if n.denominator == 1 and n >= 0:
        few = min(k, n - k)
        if few > 1_500 or few * max(1, n.numerator.bit_length() - few.numerator.bit_length() + 2) > MAX_BITS:
            return None
        return Fraction(math.comb(n.numerator, k.numerator))
    return math.prod((n - i for i in range(int(k))), start=Fraction(1)) / math.factorial(int(k)) if k <= 100 else None


def _permutations(n: Fraction, k: Fraction) -> Fraction | None:
    if (
        n.denominator != 1
        or k.denominator != 1
        or n < 0
        or k < 0
        or k > 1_500
        or k * n.numerator.bit_length() > MAX_BITS
    ):
        return None
    return Fraction(math.perm(n.numerator, k.numerator))


def _whole(function: Callable[..., int]) -> Callable[..., Fraction | None]:
    def of(*values: Fraction) -> Fraction | None:
        return Fraction(function(*map(int, values))) if all(v.denominator == 1 for v in values) else None

    return of


_CALLS: dict[str, Callable[..., Fraction | None]] = {
    "root": _root,
    "abs": abs,
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "log": _log,
    "factorial": _factorial,
    "double_factorial": _double_factorial,
    "binomial": _binomial,
    "permutations": _permutations,
    "gcd": _whole(math.gcd),
    "lcm": _whole(math.lcm),
    "min": lambda *values: min(values) if values else None,
    "max": lambda *values: max(values) if values else None,
    "re": lambda x: x,
    "im": lambda x: Fraction(0),
    "conj": lambda x: x,
    "sgn": lambda x: Fraction((x > 0) - (x < 0)),
    "transpose": lambda x: x,
    "det": lambda x: x,
}
_ARITY = {
    "root": 2, "log": 2, "binomial": 2, "permutations": 2, "abs": 1, "floor": 1, "ceil": 1, "factorial": 1,
    "double_factorial": 1, "re": 1, "im": 1, "conj": 1, "sgn": 1, "transpose": 1, "det": 1,
}  # fmt: skip


def _series(
    name: str, index: str, first: tree.Node, last: tree.Node, term: tree.Node, meter: Meter, env: Environment
) -> Fraction | None:
    low, high = rational(first, meter, env), rational(last, meter, env)
    if low is None or high is None or low.denominator != 1 or high.denominator != 1 or high - low >= MAX_TERMS:
        return None
    total = Fraction(0 if name == "sum" else 1)
    for k in range(int(low), int(high) + 1):
        if (value := rational(term, meter, {**env, index: Fraction(k)})) is None:
            return None
        total = total + value if name == "sum" else total * value
        if _bounded(total, meter) is None:
            return None
    return total


def _integral(
    index: str, first: tree.Node, last: tree.Node, term: tree.Node, meter: Meter, env: Environment
) -> Fraction | None:
    """The integral of a polynomial between rational bounds; None for any other."""
    low, high = rational(first, meter, env), rational(last, meter, env)
    if low is None or high is None:
        return None
    coefficients = polynomial(term, index, meter, env)
    if coefficients is None:
        return None
    total = Fraction(0)
    for power, coefficient in enumerate(coefficients, 1):
        meter.spend(power)
        total += coefficient * (high**power - low**power) / power
    return _bounded(total, meter)


def polynomial(node: tree.Node, index: str, meter: Meter, env: Environment = NOTHING) -> list[Fraction] | None:
    """The coefficients of a polynomial in one variable, that of the power 0 first; None for what is none."""
    meter.spend()
    parts: list[list[Fraction] | None]
    match node:
        case tree.Sym(name) if name == index:
            return [Fraction(0), Fraction(1)]
        case tree.Neg(x):
            return _product([polynomial(x, index, meter, env), [Fraction(-1)]], meter)
        case tree.Add(terms):
            parts = [polynomial(part, index, meter, env) for part in terms]
            found = [part for part in parts if part is not None]
            if len(found) < len(parts):
                return None
            return [sum(column, Fraction(0)) for column in zip_longest(*found, fillvalue=Fraction(0))]
        case tree.Mul(factors):
            return _product([polynomial(part, index, meter, env) for part in factors], meter)
        case tree.Pow(base, tree.Num(power, _)) if power.denominator == 1 and 0 <= power <= MAX_DEGREE:
            return _product([[Fraction(1)], *[polynomial(base, index, meter, env)] * int(power)], meter)
        case tree.Div(top, bottom):
            below = rational(bottom, meter, env)
            return _product([polynomial(top, index, meter, env), [1 / below]], meter) if below else None
    value = rational(node, meter, {name: at for name, at in env.items() if name != index})
    return None if value is None else [value]


def _product(polynomials: list[list[Fraction] | None], meter: Meter) -> list[Fraction] | None:
    result = [Fraction(1)]
    for polynomial in polynomials:
        if polynomial is None or len(result) + len(polynomial) > MAX_DEGREE + 2:
            return None
        meter.spend(len(result) * len(polynomial))
        product = [Fraction(0)] * (len(result) + len(polynomial) - 1)
        for i, left in enumerate(result):
            for j, right in enumerate(polynomial):
                product[i + j] += left * right
        if any(_bounded(coefficient, meter) is None for coefficient in product):
            return None
        result = product
    return result


def residue(node: tree.Node, field: tuple[int, int], env: Mapping[str, int], meter: Meter) -> int | None:
    """The image of a rational expression in a prime field, or None where it is none.

    Args:
        node: The expression.
        field: The prime and a square root of -1 modulo it.
        env: The images of the variables.
        meter: Bounds the work.

    Raises:
        Undefined: A division by something that is 0 modulo the prime.
        Unresolved: Too much work.
    """
    meter.spend()
    prime = field[0]
    match node:
        case tree.Num(value, _):
            return value.numerator * _inverse(value.denominator, prime) % prime
        case tree.Sym(name):
            return env.get(name)
        case tree.Const("i"):
            return field[1]
        case tree.Neg(x):
            inner = residue(x, field, env, meter)
            return None if inner is None else -inner % prime
        case tree.Add(terms):
            total = 0
            for term in terms:
                if (inner := residue(term, field, env, meter)) is None:
                    return None
                total += inner
            return total % prime
        case tree.Mul(factors):
            total = 1
            for factor in factors:
                if (inner := residue(factor, field, env, meter)) is None:
                    return None
                total = total * inner % prime
            return total
        case tree.Div(top, bottom):
            above, below = residue(top, field, env, meter), residue(bottom, field, env, meter)
            return None if above is None or below is None else above * _inverse(below, prime) % prime
        case tree.Pow(base, exponent):
            power = rational(exponent, meter)
            if power is None or power.denominator != 1:
                return None
            inner = residue(base, field, env, meter)
            if inner is None:
                return None
            if power <= 0 and inner == 0:
                raise Undefined("zero to a power that is not positive")
            meter.spend(1 + power.numerator.bit_length() // 8)
            return pow(inner, power.numerator, prime)
        case tree.Percent(x):
            inner = residue(x, field, env, meter)
            return None if inner is None else inner * _inverse(100, prime) % prime
    exact = rational(node, meter)
    return None if exact is None else exact.numerator * _inverse(exact.denominator, prime) % prime


def _inverse(value: int, prime: int) -> int:
    if value == 1:
        return 1
    if value % prime == 0:
        raise Undefined("a division by zero")
    return pow(value, -1, prime)


class Decimal(NamedTuple):
    """A decimal as written: its value and the worth of its last digit (> 0)."""

    value: Fraction
    unit: Fraction

    @property
    def precise(self) -> bool:
        """Whether it has at least 6 significant digits."""
        return abs(self.value) >= 100_000 * self.unit


def decimal(node: tree.Node) -> Decimal | None:
    """The decimal that a node is, through signs and percent; None for what is none.

    >>> decimal(tree.Neg(tree.Num(Fraction(5, 4), 2)))
    Decimal(value=Fraction(-5, 4), unit=Fraction(1, 100))
    """
    factor = Fraction(1)
    while isinstance(node, tree.Neg | tree.Percent):
        factor *= Fraction(1, 100) if isinstance(node, tree.Percent) else -1
        node = node.x
    if not isinstance(node, tree.Num) or node.places is None or abs(node.places) > 6_000:
        return None
    return Decimal(node.value * factor, abs(factor) * Fraction(10) ** -node.places)


def stands_for(shown: Decimal, value: Fraction) -> bool:
    """Whether a decimal of at least 6 significant digits is the correct rounding or truncation of a value.

    >>> stands_for(Decimal(Fraction(333333, 10**6), Fraction(1, 10**6)), Fraction(1, 3))
    True
    >>> stands_for(Decimal(Fraction(33, 100), Fraction(1, 100)), Fraction(1, 3))
    False
    """
    if shown.value == value:
        return True
    if not shown.precise or (shown.value > 0) != (value > 0):
        return False
    beyond = abs(value) - abs(shown.value)
    if 0 <= beyond < shown.unit or abs(beyond) * 2 <= shown.unit:
        return True
    # 3.3333333333333335: what a binary64 number nearest to 10/3 is printed as
    printed = 10**15 <= abs(value) / shown.unit <= 10**18 and (value / shown.unit).denominator != 1
    return printed and abs(beyond) * 2**52 <= abs(value)
