"""Values of expressions as balls."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from turnwise.verifiers.math.values.balls import EXACT, Arithmetic, Ball, is_real, magnitude
from turnwise.verifiers.math.values.bounds import MAX_TERMS, TooLarge, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import decimal, rational
from turnwise.verifiers.math.values.functions import FUNCTIONS_OF_BALLS
from turnwise.verifiers.math.values.tree import (
    Add,
    Base,
    Call,
    Const,
    Div,
    Matrix,
    Mul,
    Neg,
    Node,
    Num,
    Percent,
    Pow,
    Quantity,
    Sym,
)
from turnwise.verifiers.math.values.walk import infinity, rebuilt, subtrees

__all__ = ["Evaluator", "loose", "with_play"]


class Evaluator(Arithmetic):
    """Evaluates trees at one precision."""

    def evaluate(self, node: Node, env: Mapping[str, Ball]) -> Ball:
        """The value of an expression.

        Args:
            node: The expression; other nodes than of scalar expressions are unresolved.
            env: The values of its variables.

        Raises:
            Undefined: It has no value there.
            Unresolved: The error hides which way to go (a branch, a division by what may be zero), something in it
                has no value that can be computed, or the bounds are reached.
        """
        self.meter.spend(2)
        match node:
            case Num(value, _):
                return self.ball(value)
            case Sym(name):
                if name in env:
                    return env[name]
                raise Unresolved(f"{name} has no value")
            case Const(name):
                return self.constant(name)
            case Neg(x):
                inner = self.evaluate(x, env)
                return Ball(-inner.value, inner.error)
            case Add(terms):
                return self.add([self.evaluate(term, env) for term in terms])
            case Mul(factors):
                product = self.evaluate(factors[0], env)
                for factor in factors[1:]:
                    product = self.mul(product, self.evaluate(factor, env))
                return product
            case Div(top, bottom):
                return self.div(self.evaluate(top, env), self.evaluate(bottom, env))
            case Pow(base, exponent):
                return self.pow(base, exponent, env)
            case Percent(x):
                return self.div(self.evaluate(x, env), self.ball(100))
            case Quantity(x, unit) if not unit.dimensions and not unit.offset:
                result = self.mul(self.evaluate(x, env), self.ball(unit.scale))
                if unit.pi:
                    result = self.mul(result, self.whole_power(self.constant("pi"), unit.pi))
                return result
            case Base(value, _):
                return self.ball(value)
            case Call(name, args):
                return self.call(name, args, env)
        raise Unresolved(f"a {type(node).__name__} is not a number")

    def pow(self, base: Node, exponent: Node, env: Mapping[str, Ball]) -> Ball:
        """A power; one of a negative real number is real where the exponent is p/q with an odd q."""
        power = rational(exponent, self.meter)
        a = self.evaluate(base, env)
        if power is not None:
            if power.denominator == 1:
                return self.whole_power(a, power.numerator)
            if power.denominator <= MAX_TERMS:
                root = self.root(a, power.denominator)
                return root if power.numerator == 1 else self.whole_power(root, power.numerator)
        b = self.ball(power) if power is not None else self.evaluate(exponent, env)
        if b.error == EXACT and is_real(b.value) and b.value == int(b.value):
            return self.whole_power(a, int(b.value))
        if a.error == EXACT and a.value == 0:
            if is_real(b.value) and b.value > 0 and b.error < magnitude(b.value) - 2:
                return a
            raise Undefined("a power of zero")
        return self.exp(self.mul(b, self.ln(a)))

    def call(self, name: str, args: tuple[Node, ...], env: Mapping[str, Ball]) -> Ball:
        """A function of its arguments."""
        if name in ("sum", "product"):
            return self.series(name, args, env)
        if name in ("det", "transpose") and len(args) == 1 and isinstance(args[0], Matrix) and name == "det":
            return self.determinant([[self.evaluate(entry, env) for entry in row] for row in args[0].rows])
        if name in ("apply", "prime", "vector", "transpose", "det", "limit", "integral"):
            raise Unresolved(f"{name} has no value")
        balls = [self.evaluate(arg, env) for arg in args]
        function, arity = FUNCTIONS_OF_BALLS[name]
        if arity and len(balls) != arity:
            raise Unresolved(f"{name} with {len(balls)} arguments")
        self.meter.spend(self.dear)
        return function(self, *balls)

    def series(self, name: str, args: tuple[Node, ...], env: Mapping[str, Ball]) -> Ball:
        """A finite sum or product, written out."""
        if len(args) != 4 or not isinstance(args[0], Sym):
            raise Unresolved(f"a {name} of an unusual form")
        if infinity(args[1]) or infinity(args[2]):
            raise Unresolved(f"an infinite {name}")
        ends = [self.evaluate(end, env) for end in args[1:3]]
        low, high = (self.whole(end) for end in ends)
        if high - low >= MAX_TERMS:
            raise TooLarge(f"a {name} of too many terms")
        index = args[0].name
        terms = [self.evaluate(args[3], {**env, index: self.ball(k)}) for k in range(low, high + 1)]
        if name == "sum":
            return self.add(terms) if terms else self.ball(0)
        product = self.ball(1)
        for term in terms:
            product = self.mul(product, term)
        return product

    def determinant(self, rows: list[list[Ball]]) -> Ball:
        """By expansion along the first row; up to 5 x 5."""
        if len(rows) > 5 or any(len(row) != len(rows) for row in rows):
            raise TooLarge("a determinant that is too large")
        if len(rows) == 1:
            return rows[0][0]
        terms = []
        for i, entry in enumerate(rows[0]):
            minor = self.mul(entry, self.determinant([row[:i] + row[i + 1 :] for row in rows[1:]]))
            terms.append(Ball(-minor.value, minor.error) if i % 2 else minor)
        return self.add(terms)


def loose(node: Node) -> bool:
    """Whether it is a decimal of 6 digits or more, which stands for what rounds or truncates to it."""
    return isinstance(node, Num) and (shown := decimal(node)) is not None and shown.precise


def with_play(evaluator: Evaluator, tree: Node, env: dict[str, Ball]) -> tuple[Any, Any, Any]:
    """The value of an expression, and how far down and up the values that its decimals may stand for move it.

    A decimal of 6 and more digits stands for what rounds or truncates to it: half a last digit less, or one more.
    """
    value = evaluator.evaluate(tree, env).value
    low = high = evaluator.context.mpf(0)
    for position, part in enumerate(subtrees(tree)):
        if loose(part):
            moved = evaluator.evaluate(_nudged(tree, position), env).value - value
            if not is_real(moved):
                raise Unresolved("a decimal in a complex expression")
            low += min(moved, -moved / 2) * 1.001
            high += max(moved, -moved / 2) * 1.001
    return value, low, high


def _nudged(tree: Node, position: int) -> Node:
    places = count()

    def change(part: Node) -> Node | None:
        if next(places) == position and isinstance(part, Num) and (shown := decimal(part)) is not None:
            return Num(part.value + (shown.unit if part.value > 0 else -shown.unit), part.places)
        return None

    return rebuilt(tree, change)
