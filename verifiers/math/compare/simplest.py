"""Whether an answer is in simplest form.

A number is an integer, a decimal, a reduced fraction or a mixed number read as one; arithmetic that gives a number of
at most 15 digits is carried out (2³, 1 + 1, 5!, |-3|, floor, sums), larger powers and factorials may stay. A root has a
radicand without factors that can be taken out and without fractions; roots of one degree are multiplied. Functions
with well-known values (sin 30°, arctan 1, log₂ 8, ln e) are evaluated. Like terms are added, like factors multiplied,
common factors of a fraction's parts that are numbers or powers of variables and of a ratio cancelled. A
denominator may hold a root, a product or a power may be expanded or not, and order does not matter.
"""

import math
from fractions import Fraction

from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import integer_root, rational
from turnwise.verifiers.math.values.numeric import Evaluator
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import children, closed, same

__all__ = ["simplest"]

LARGE = 10**15
_ONE = Fraction(1)
_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_ARCS = frozenset({"arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc"})
_EVALUATED = frozenset({"exp", "ln", "log", "sinh", "cosh", "tanh", "coth", "arsinh", "arcosh", "artanh"})


def simplest(node: tree.Node) -> bool:
    """Whether nothing is left to be worked out in an answer, as described above.

    >>> two, four = tree.Num(Fraction(2)), tree.Num(Fraction(4))
    >>> simplest(tree.Div(tree.Num(_ONE), two)), simplest(tree.Div(two, four)), simplest(tree.Add((two, four)))
    (True, False, False)
    """
    try:
        return _Check().tidy(node)
    except Undefined:
        return False


class _Check:
    def __init__(self) -> None:
        self.meter = Meter()

    def tidy(self, node: tree.Node) -> bool:
        self.meter.spend(2)
        if isinstance(node, tree.Relation) and set(node.ops) <= {"=", "≈"} and len(node.operands) > 2:
            return self.tidy(node.operands[-1])  # the steps on the way need not be simple
        if isinstance(node, tree.Ratio) and all(isinstance(part, tree.Num) for part in node.parts):
            values = [part.value for part in node.parts if isinstance(part, tree.Num)]
            return any(value.denominator != 1 for value in values) or math.gcd(*map(int, values)) == 1
        if not isinstance(node, tree.Add | tree.Mul | tree.Div | tree.Pow | tree.Neg | tree.Call) or _literal(node):
            return all(self.tidy(part) for part in children(node))
        value = rational(node, self.meter) if closed(node) else None
        if value is not None and max(abs(value.numerator), value.denominator) < LARGE:
            return False
        match node:
            case tree.Neg(x):
                return not isinstance(x, tree.Neg) and self.tidy(x)
            case tree.Add(terms):
                return self._sum(terms)
            case tree.Mul(factors):
                return self._product(factors)
            case tree.Div(top, bottom):
                return self._quotient(top, bottom)
            case tree.Pow(base, exponent):
                return self._power(base, exponent)
            case tree.Call("root", (x, degree)):
                return self._root(x, degree)
            case tree.Call(name, args):
                return all(self.tidy(arg) for arg in args) and not self._known(name, node)
        return True

    def _sum(self, terms: tuple[tree.Node, ...]) -> bool:
        if not all(self.tidy(term) for term in terms):
            return False
        parts = [self._split(term) for term in terms]
        if any(coefficient == 0 for coefficient, _ in parts):
            return False
        return not any(len(a) == len(b) and _alike(a, b) for i, (_, a) in enumerate(parts) for _, b in parts[i + 1 :])

    def _product(self, factors: tuple[tree.Node, ...]) -> bool:
        if not all(self.tidy(factor) for factor in factors):
            return False
        parts = [self._split(factor) for factor in factors]
        numbers = [
            c for (c, _), factor in zip(parts, factors, strict=True) if c != 1 and not isinstance(factor, tree.Add)
        ]
        if len(numbers) > 1 or any(isinstance(f, tree.Num) and abs(f.value) in (0, 1) for f in factors):
            return False
        bases = [_base(factor) for _, rest in parts for factor in rest]
        roots = [base.args[1] for base in bases if _numeric_root(base) and isinstance(base, tree.Call)]
        return not any(_pairs_alike(bases)) and not any(_pairs_alike(roots))

    def _quotient(self, top: tree.Node, bottom: tree.Node) -> bool:
        if not self.tidy(top) or not self.tidy(bottom):
            return False
        above, below = self._content(top), self._content(bottom)
        if above.denominator != 1 or below.denominator != 1 or rational(bottom, self.meter) in (1, -1):
            return False
        if below < 0 or math.gcd(above.numerator, below.numerator) > 1:
            return False
        own, other = ([_base(f) for f in self._split(part)[1]] for part in (top, bottom))
        return not any(same(a, b) for a in own for b in other)

    def _power(self, base: tree.Node, exponent: tree.Node) -> bool:
        power = rational(exponent, self.meter)
        if power in (0, 1) or isinstance(base, tree.Pow) or not self.tidy(base):
            return False
        if isinstance(base, tree.Const) and base.name == "i":
            return power is None
        if power is not None and power.denominator > 1 and rational(base, self.meter) is not None:
            return abs(power) < 1 and self._root(base, tree.Num(Fraction(power.denominator)))
        return self.tidy(exponent)

    def _root(self, x: tree.Node, degree: tree.Node) -> bool:
        n = rational(degree, self.meter)
        if n is None or n.denominator != 1 or not 2 <= n <= 64:
            return self.tidy(x)
        content = self._content(x)
        if content.denominator != 1 or (content < 0 and (n % 2 == 0 or closed(x))):
            return False
        if not _power_free(abs(content.numerator), int(n)):
            return False
        for factor in self._split(x)[1]:
            power = rational(factor.exponent, self.meter) if isinstance(factor, tree.Pow) else None
            if power is not None and power >= n:
                return False
        return rational(x, self.meter) is not None or self.tidy(x)

    def _known(self, name: str, node: tree.Call) -> bool:
        """Whether a function of a closed argument has a well-known value."""
        if not closed(node) or name in ("apply", "prime", "vector"):
            return False
        if name in ("factorial", "binomial", "double_factorial", "permutations"):
            return False  # small ones have been refused as numbers
        if name not in _TRIGONOMETRIC | _ARCS | _EVALUATED:
            return True
        scalars = Scalars(self.meter)
        try:
            if name in _TRIGONOMETRIC and node.args and self._part_of_pi(scalars.real(node.args[0])):
                return True
            value = scalars.real(node)
        except Unresolved:
            return False
        return (name in _ARCS and self._part_of_pi(value)) or (value is not None and _simple(value))

    def _part_of_pi(self, value: Fraction | None) -> bool:
        """Whether it is a multiple of π/12."""
        if value is None:
            return False
        context = Evaluator(200, self.meter).context
        twelfths = context.mpf(value.numerator) / value.denominator * 12 / context.pi
        return bool(abs(twelfths - context.nint(twelfths)) < context.mpf(10) ** -40)

    def _split(self, node: tree.Node) -> tuple[Fraction, list[tree.Node]]:
        """The number and the other factors of a term."""
        if isinstance(node, tree.Neg):
            coefficient, rest = self._split(node.x)
            return -coefficient, rest
        value = rational(node, self.meter)
        if value is not None:
            return value, []
        if isinstance(node, tree.Mul):
            coefficient, rest = _ONE, []
            for factor in node.factors:
                number, others = self._split(factor)
                coefficient *= number
                rest += others
            return coefficient, rest
        if isinstance(node, tree.Div):
            number, above = self._split(node.top)
            divisor, below = self._split(node.bottom)
            return number / (divisor or _ONE), above + [tree.Pow(factor, tree.Num(Fraction(-1))) for factor in below]
        return _ONE, [node]

    def _content(self, node: tree.Node) -> Fraction:
        """The number that can be taken out of an expression: the greatest common divisor of a sum's coefficients."""
        if isinstance(node, tree.Add):
            numbers = [self._split(term)[0] for term in node.terms]
            if any(number.denominator != 1 for number in numbers):
                return _ONE if all(_decimal_like(term) for term in node.terms) else Fraction(1, 2)
            return Fraction(math.gcd(*(number.numerator for number in numbers)))
        return self._split(node)[0]


def _literal(node: tree.Node) -> bool:
    """3, -3, 1/2, -1/2, 0.5, the mixed number 3 + 1/2; not 2/(-3)."""
    if isinstance(node, tree.Neg):
        node = node.x
        if isinstance(node, tree.Num) and node.value < 0:
            return False
    if isinstance(node, tree.Add) and len(node.terms) == 2:
        whole, part = node.terms
        match whole, part:
            case tree.Num(number, None), tree.Div(tree.Num(above), tree.Num(below)):
                return number.denominator == 1 and number > 0 and 0 < above < below and _literal(part)
        return False
    if isinstance(node, tree.Num):
        return True
    if (
        not isinstance(node, tree.Div)
        or not isinstance(node.top, tree.Num | tree.Neg)
        or not isinstance(node.bottom, tree.Num)
    ):
        return False
    top = node.top.x if isinstance(node.top, tree.Neg) else node.top
    if not isinstance(top, tree.Num):
        return False
    a, b = top.value, node.bottom.value
    return a.denominator == b.denominator == 1 and b > 1 and math.gcd(a.numerator, b.numerator) == 1


def _decimal_like(node: tree.Node) -> bool:
    return not isinstance(node, tree.Div)


def _simple(value: Fraction) -> bool:
    near = value.limit_denominator(1000)
    return abs(near - value) < Fraction(1, 10**40) and abs(near.numerator) < 10**6


def _base(factor: tree.Node) -> tree.Node:
    return factor.base if isinstance(factor, tree.Pow) else factor


def _numeric_root(node: tree.Node) -> bool:
    return (
        isinstance(node, tree.Call) and node.name == "root" and bool(node.args) and isinstance(node.args[0], tree.Num)
    )


def _alike(left: list[tree.Node], right: list[tree.Node]) -> bool:
    rest = list(right)
    for factor in left:
        for other in rest:
            if same(factor, other):
                rest.remove(other)
                break
        else:
            return False
    return True


def _pairs_alike(nodes: list[tree.Node]) -> list[bool]:
    return [same(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]


def _power_free(value: int, degree: int) -> bool:
    """Whether no n-th power of a prime up to 2000 divides a number, nor is it an n-th power itself."""
    if value <= 1:
        return value == 1
    for p in range(2, 2_000):
        if p**degree > value:
            return True
        if value % p**degree == 0:
            return False
    return bool(integer_root(value, degree) ** degree != value)
