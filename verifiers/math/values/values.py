"""Equality of scalar expressions: numbers, complex numbers, functions of variables.

Exact arithmetic decides first, then residues modulo large primes (rational functions), then balls of growing precision
(closed expressions) or at random points (expressions with variables). The points follow from the expressions, so that
a verdict is reproducible and no answer can be made to agree at points known in advance.
"""

import random
from collections.abc import Callable, Collection
from fractions import Fraction
from hashlib import blake2b
from itertools import count
from typing import Any

from turnwise.verifiers.math.values import unending
from turnwise.verifiers.math.values.balls import EXACT, Ball, is_real, magnitude
from turnwise.verifiers.math.values.bounds import Meter, TooLarge, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import PRIMES, Decimal, decimal, rational, residue, stands_for
from turnwise.verifiers.math.values.numeric import Evaluator, loose, with_play
from turnwise.verifiers.math.values.tree import Add, Call, Const, Neg, Node, Num, Pow, Sym
from turnwise.verifiers.math.values.walk import infinity, rebuilt, same, substituted, subtrees, symbols

__all__ = ["Scalars"]

PRECISIONS = (200, 400, 1600)  # bits; the first is for 50 digits
POINT_PRECISIONS = (240, 800, 120)  # of the first, the second and the other points that agree
MAX_PLAY = 2e-5  # how far, relatively, the last digits of decimals may move a value
POINTS = 8  # random points at which two functions must agree
TRIES = 40
_COMPLEX = frozenset({"re", "im", "conj", "arg"})
_JUMPS = frozenset({"floor", "ceil", "sgn"})
# Whose values may have one formula here and another one there.
_PIECEWISE = (
    _JUMPS | _COMPLEX | {"abs", "min", "max", "root", "arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc"}
)
FAR = (10**4, 10**7)  # the magnitudes of points at which functions of several pieces are compared too
_WHOLE_ARGUMENTS = frozenset({"factorial", "double_factorial", "binomial", "permutations", "gcd", "lcm"})


class Scalars:
    """Compares scalar expressions within one meter.

    Args:
        meter: Bounds the work.
        tolerance: A relative difference of real values that is allowed; 0 for none.
    """

    def __init__(self, meter: Meter, tolerance: float = 0.0) -> None:
        self.meter = meter
        self.tolerance = Fraction(tolerance)

    def equal(self, answer: Node, gold: Node) -> bool:
        """Whether two scalar expressions have the same value, as functions of their variables.

        Raises:
            Unresolved: It cannot be decided within the bounds.
        """
        try:
            return self._equal(answer, gold)
        except Undefined:
            return same(answer, gold)

    def _equal(self, answer: Node, gold: Node) -> bool:
        if (sign := infinity(gold)) or infinity(answer):
            return sign == infinity(answer)
        ours, theirs = rational(answer, self.meter), rational(gold, self.meter)
        shown, shown_gold = decimal(answer), decimal(gold)
        if ours is not None and theirs is not None:
            return ours == theirs or self._rounded(shown, ours, shown_gold, theirs) or self._near(ours, theirs)
        if unending.inside(gold) and unending.inside(answer):
            answer, gold = unending.named(answer, gold, self.equal)
        names, names_gold = symbols(answer), symbols(gold)
        if not names and not names_gold:
            return self._closed(answer, ours, shown, gold, theirs, shown_gold)
        return self._open(answer, gold, tuple(dict.fromkeys([*names_gold, *names])))

    @staticmethod
    def _rounded(shown: Decimal | None, value: Fraction, shown_gold: Decimal | None, gold: Fraction) -> bool:
        """Whether the coarser decimal of the two stands for the other value (policy: at least 6 right digits)."""
        if shown is not None and shown_gold is not None:
            if shown.unit == shown_gold.unit:
                return False
            return stands_for(shown, gold) if shown.unit > shown_gold.unit else stands_for(shown_gold, value)
        if shown is not None:
            return stands_for(shown, gold)
        return shown_gold is not None and stands_for(shown_gold, value)

    def _near(self, value: Fraction, gold: Fraction) -> bool:
        return bool(self.tolerance) and abs(value - gold) <= self.tolerance * abs(gold)

    def _closed(
        self,
        answer: Node,
        ours: Fraction | None,
        shown: Decimal | None,
        gold: Node,
        theirs: Fraction | None,
        shown_gold: Decimal | None,
    ) -> bool:
        verdict = self._residues(answer, gold, ())
        if verdict is None or (verdict and ours is None):
            verdict = self._balls(answer, gold)
        if verdict:
            return True
        if shown is not None or shown_gold is not None or self.tolerance:
            value = ours if ours is not None else self.real(answer)
            value_gold = theirs if theirs is not None else self.real(gold)
            if value is None or value_gold is None:
                return self._complex_near(answer, gold)
            return self._rounded(shown, value, shown_gold, value_gold) or self._near(value, value_gold)
        return self._slack(answer, gold, lambda evaluator: {})

    def _residues(self, answer: Node, gold: Node, names: tuple[str, ...]) -> bool | None:
        """Equality by residues; None where an expression has none."""
        decided = False
        draw = _generator(answer, gold)
        for field in PRIMES:
            env = {name: draw.randrange(2, field[0]) for name in names}
            try:
                ours = residue(answer, field, env, self.meter)
                theirs = residue(gold, field, env, self.meter) if ours is not None else None
            except Undefined:
                continue
            if ours is None or theirs is None:
                return None
            if ours != theirs:
                return False
            decided = True
        return True if decided else None

    def _balls(self, answer: Node, gold: Node) -> bool:
        """Equality of closed expressions: they are one in all digits of the highest precision (480)."""
        why = Unresolved("they agree in all digits computed")
        precisions = list(PRECISIONS)
        while precisions:
            evaluator = Evaluator(precisions[0], self.meter)
            try:
                verdict = _verdict(evaluator.evaluate(answer, {}), evaluator.evaluate(gold, {}), precisions[0])
            except Unresolved as error:
                why = error
                del precisions[0]
                continue
            if verdict is False or (verdict and len(precisions) == 1 and not evaluator.lossy):
                return verdict
            precisions = precisions[-1:] if verdict and len(precisions) > 1 else precisions[1:]
        raise why

    def real(self, node: Node) -> Fraction | None:
        """The value of a closed real expression to some 50 digits; None where it is not real.

        Raises:
            Undefined: It has no value.
            Unresolved: It cannot be computed.
        """
        value = rational(node, self.meter)
        if value is not None:
            return value
        for precision in PRECISIONS[:2]:
            ball = Evaluator(precision, self.meter).evaluate(node, {})
            if not is_real(ball.value):
                if magnitude(ball.value.imag) > ball.error + 1:
                    return None
                ball = Ball(ball.value.real, ball.error)
            if ball.error <= magnitude(ball.value) - 150 or precision == PRECISIONS[1]:
                break
        return _fraction(ball.value)

    def _complex_near(self, answer: Node, gold: Node) -> bool:
        if not self.tolerance:
            return False
        evaluator = Evaluator(PRECISIONS[0], self.meter)
        ours, theirs = evaluator.evaluate(answer, {}).value, evaluator.evaluate(gold, {}).value
        return bool(abs(ours - theirs) <= abs(theirs) * float(self.tolerance))

    def _open(self, answer: Node, gold: Node, names: tuple[str, ...]) -> bool:
        """Equality of expressions with variables."""
        verdict = self._residues(answer, gold, names)
        if verdict and self._exactly(answer, gold, {n: Fraction(2 * i + 3, 5) for i, n in enumerate(names)}) is False:
            return False  # equal modulo the primes alone
        if verdict is None:
            answer, gold = self.named_apart(answer, gold)
            names = tuple(dict.fromkeys([*symbols(gold), *symbols(answer)]))
            verdict = self._points(answer, gold, names) and self._agree_far_away(answer, gold, names)
        if verdict:
            return True
        draw = _generator(answer, gold)
        attempts, pieces = count(), any(_in_pieces(part) for tree in (answer, gold) for part in subtrees(tree))

        def point(evaluator: Evaluator) -> dict[str, Ball]:
            attempt = next(attempts)
            scale = FAR[attempt // 2 % 2] if pieces and attempt % 2 else 1
            near = _point(draw, names, (), attempt)
            return _balls({name: value * scale for name, value in near.items()}, evaluator)

        return self._slack(answer, gold, point)

    def _agree_far_away(self, answer: Node, gold: Node, names: tuple[str, ...]) -> bool:
        """No difference at points of large magnitude, where one of two functions has several pieces: |x - 2000|."""
        parts = [*subtrees(gold), *subtrees(answer)]
        if not any(_in_pieces(part) for part in parts):
            return True
        whole = _whole_variables(answer) | _whole_variables(gold)
        draw = _generator(answer, gold)
        constants = [rational(part, self.meter) for part in parts if isinstance(part, Num | Pow)]
        largest = max((abs(value) for value in constants if value is not None), default=Fraction(0))
        scales = [*map(Fraction, FAR)] + ([largest] if FAR[0] < largest < 2**200 else [])
        evaluator = Evaluator(POINT_PRECISIONS[-1], self.meter, real=True)
        for scale in scales:
            for far in (names,) if len(names) == 1 else (names, *((name,) for name in names[:3])):
                near = _point(draw, names, ())
                for sign in (1, -1):
                    point = {n: sign * scale * (1 + abs(near[n])) if n in far else near[n] for n in names}
                    for n in whole & point.keys():  # multiples of the scale, for gcd(n, 1000)
                        point[n] = Fraction(int(scale) * (sign + int(4 * near[n])) if n in far else int(8 * near[n]))
                    if whole and self._exactly(answer, gold, point) is False:
                        return False
                    env = _balls(point, evaluator)
                    try:
                        theirs = evaluator.evaluate(gold, env)
                        if _apart(evaluator.evaluate(answer, env), theirs) is False:
                            return False
                    except (Undefined, Unresolved) as problem:
                        if isinstance(problem, TooLarge) and self.meter.left < 0:
                            raise
        return True

    def _points(self, answer: Node, gold: Node, names: tuple[str, ...]) -> bool:
        """Agreement at random points.

        Among the reals the answer must have the gold's value wherever the gold has one: ln(x²) may stand for 2 ln x,
        not the other way round. Expressions that are nowhere real are compared at complex points too.
        """
        whole = _whole_variables(answer) | _whole_variables(gold)
        draw = _generator(answer, gold)
        imaginary = any(
            (isinstance(part, Const) and part.name == "i") or (isinstance(part, Call) and part.name in _COMPLEX)
            for tree in (answer, gold)
            for part in subtrees(tree)
        )
        if not imaginary:
            verdict = self._sampled(answer, gold, names, whole, draw, real=True)
            if verdict is not None:
                return verdict
        verdict = self._sampled(answer, gold, names, whole, draw, real=False)
        if verdict is None:
            raise Unresolved("the expressions cannot be evaluated at enough points")
        return verdict

    def _sampled(
        self,
        answer: Node,
        gold: Node,
        names: tuple[str, ...],
        whole: frozenset[str],
        draw: random.Random,
        real: bool,
    ) -> bool | None:
        """Agreement at `POINTS` points where the gold has a value; None where there are not enough of them."""
        agreed, undefined, nowhere, unresolved = 0, 0, True, None
        jumps = any(isinstance(part, Call) and part.name in _JUMPS for part in (*subtrees(gold), *subtrees(answer)))
        for attempt in range(TRIES):
            integral = jumps and attempt % 2 == 0
            point = _point(draw, names, names if integral else whole, attempt, signed=integral)
            if whole or integral:
                verdict = self._exactly(answer, gold, point)
                if verdict is not None:
                    if not verdict:
                        return False
                    agreed += 1
                    if agreed == POINTS:
                        return True
                    continue
            evaluator = Evaluator(POINT_PRECISIONS[min(agreed, 2)], self.meter, real)
            env = _balls(point, evaluator, draw if not real and attempt % 3 else None)
            try:
                theirs = evaluator.evaluate(gold, env)
            except Undefined:
                continue
            except Unresolved as error:
                unresolved = error
                continue
            nowhere = False
            try:
                verdict = _verdict_at_point(evaluator.evaluate(answer, env), theirs, evaluator.precision)
            except Undefined:
                undefined += not whole
                if undefined > 1:  # one may be a removable gap that the draw hit
                    return False
                continue
            except Unresolved as error:
                unresolved = error
                continue
            if verdict is False:
                return False
            agreed += verdict is True
            if agreed == POINTS:
                return True
        if unresolved is not None and not agreed:
            raise unresolved
        if nowhere and not real and not agreed:
            raise Undefined("the gold has no value anywhere")
        return None

    def _exactly(self, answer: Node, gold: Node, point: dict[str, Fraction]) -> bool | None:
        """Agreement at one point by exact arithmetic; None where that gives no value."""
        try:
            ours, theirs = rational(answer, self.meter, point), rational(gold, self.meter, point)
        except Undefined:
            return None
        return None if ours is None or theirs is None else ours == theirs

    def _slack(self, answer: Node, gold: Node, point: Callable[[Evaluator], dict[str, Ball]]) -> bool:
        """Whether two unequal expressions agree within the last digits of their decimals of 6 and more digits."""
        if not any(loose(part) for tree in (answer, gold) for part in subtrees(tree)):
            return False
        agreed = 0
        for _ in range(TRIES):
            evaluator = Evaluator(120, self.meter)
            env = point(evaluator)
            try:
                ours, low, high = with_play(evaluator, answer, env)
                theirs, low_gold, high_gold = with_play(evaluator, gold, env)
            except (Undefined, Unresolved):
                if not env or self.meter.left < 0:
                    return False
                continue
            apart, play = theirs - ours, high - low + high_gold - low_gold
            if not is_real(apart) or play > MAX_PLAY * abs(theirs):  # decimals that cancel stand for anything
                return False
            if not low - high_gold <= apart <= high - low_gold:
                return False
            agreed += 1
            if agreed == POINTS or not env:
                return True
        return False

    def named_apart(self, answer: Node, gold: Node) -> tuple[Node, Node]:
        """The expressions with a variable for each unknown function's value: f(x+1) and f(1+x) become the same one."""
        known: list[tuple[Call, str]] = []

        def name(part: Node) -> Node | None:
            if not isinstance(part, Call) or part.name not in ("apply", "prime", "vector", "det", "transpose"):
                return None
            if part.name == "det" and part.args and not isinstance(part.args[0], Sym):
                return None
            for call, symbol in known:
                if call.name == part.name and len(call.args) == len(part.args) and self._same_call(call, part):
                    return Sym(symbol)
            known.append((part, f"{part.name} {len(known)}"))
            return Sym(known[-1][1])

        return rebuilt(answer, name), rebuilt(gold, name)

    def _same_call(self, left: Call, right: Call) -> bool:
        first = 1 if left.name == "apply" else 0
        if first and left.args and not same(left.args[0], right.args[0]):
            return False
        pairs = zip(left.args[first:], right.args[first:], strict=True)
        return all(same(a, b) or self.equal(a, b) for a, b in pairs)

    def differ_by_a_constant(self, answer: Node, gold: Node) -> bool:
        """Whether two functions of the same variables differ by a constant.

        Raises:
            Unresolved: It cannot be decided within the bounds.
        """
        names = tuple(dict.fromkeys([*symbols(gold), *symbols(answer)]))
        for base in (Fraction(7, 5), Fraction(11, 31), Fraction(-9, 7)):
            at: dict[str, Node] = {name: Num(base + Fraction(i, 3)) for i, name in enumerate(names)}
            shifted = Add((answer, Neg(substituted(answer, at))))
            shifted_gold = Add((gold, Neg(substituted(gold, at))))
            try:
                if self._equal(shifted, shifted_gold):
                    return True
            except Undefined:
                continue
            return False
        raise Unresolved("the expressions have no value at the points tried")


def _verdict(ours: Ball, theirs: Ball, precision: int) -> bool | None:
    """Whether two values are apart (False), one value to 50 digits (True), or neither is shown.

    Large values must agree after the point too, as far as the last precision goes: e⁵¹² is not e⁵¹² + 1.
    """
    apart = _apart(ours, theirs)
    if apart is not None:
        return apart
    error, size = max(ours.error, theirs.error) + 1, max(magnitude(ours.value), magnitude(theirs.value))
    last = precision == PRECISIONS[-1]
    if error <= (size if last else min(size, 0)) - 165:
        return True
    return True if last and error <= -1000 else None  # both are zero


def _verdict_at_point(ours: Ball, theirs: Ball, precision: int) -> bool | None:
    """`_verdict` at a random point, where agreement to 18 digits or in being zero is not an accident.

    Values that are not too large for the precision must agree after the point too: x + e¹⁶⁶ is not x + e¹⁶⁶ + 1.
    """
    apart = _apart(ours, theirs)
    if apart is not None:
        return apart
    error, size = max(ours.error, theirs.error) + 1, max(magnitude(ours.value), magnitude(theirs.value))
    fine = min(size, 0) if size < precision - 120 else size
    return True if error <= max(fine - 60, -precision // 2) else None


def _apart(ours: Ball, theirs: Ball) -> bool | None:
    """False for two balls that do not meet, True for two exact values that are one, else None."""
    error = max(ours.error, theirs.error) + 1
    if magnitude(ours.value - theirs.value) > error + 2:
        return False
    return True if error <= EXACT // 2 else None


def _fraction(value: Any) -> Fraction:
    sign, man, exp, _ = value._mpf_
    if abs(exp) > 100_000:
        raise TooLarge("a number is too large")
    number = int(man) * 2**exp if exp >= 0 else Fraction(int(man), 2**-exp)
    return Fraction(-number if sign else number)


def _generator(answer: Node, gold: Node) -> random.Random:
    """Random numbers that follow from the two expressions, the same in every process."""
    digest = blake2b(digest_size=8)
    for part in (*subtrees(gold), *subtrees(answer)):
        label = hash(part.value) if isinstance(part, Num) else getattr(part, "name", "")
        digest.update(f"{type(part).__name__} {label};".encode("utf-8", "replace"))
    return random.Random(digest.digest())


def _point(
    draw: random.Random, names: tuple[str, ...], whole: Collection[str], attempt: int = 0, signed: bool = False
) -> dict[str, Fraction]:
    """Values for the variables: exact binary fractions of either sign and several magnitudes, or whole numbers."""
    point = {}
    for name in names:
        if name in whole:
            low = -12 if signed else 1
            point[name] = Fraction(draw.randint(low, 6 if attempt % 4 < 2 else 25))
            continue
        reach = (1, 1500, 2, 64, 4, 1500, 1, 300)[attempt % 8]
        value = Fraction(draw.randint(1 << 22, 1 << 26) * reach, 1 << 26)
        # of the two points with large values one has positive ones, one negative ones
        negative = attempt % 8 == 5 or (attempt % 4 != 1 and draw.random() < 0.5)
        point[name] = -value if negative else value
    return point


def _balls(point: dict[str, Fraction], evaluator: Evaluator, draw: random.Random | None = None) -> dict[str, Ball]:
    """The point for an evaluator, away from the real axis where ``draw`` is given."""
    env = {name: evaluator.ball(value) for name, value in point.items()}
    if draw is None:
        return env
    complex_ = evaluator.context.mpc
    sides = {name: evaluator.ball(Fraction(draw.randint(-(1 << 26), 1 << 26), 1 << 26)) for name in env}
    return {name: Ball(complex_(ball.value, sides[name].value), EXACT) for name, ball in env.items()}


def _whole_variables(tree: Node) -> frozenset[str]:
    """The variables that are whole numbers: in factorials, as bounds of sums, as exponents of negative numbers."""
    found: set[str] = set()
    for part in subtrees(tree):
        if isinstance(part, Call) and part.name in _WHOLE_ARGUMENTS:
            found.update(name for arg in part.args for name in symbols(arg))
        elif isinstance(part, Call) and part.name in ("sum", "product") and len(part.args) == 4:
            found.update(name for arg in part.args[1:3] for name in symbols(arg))
        elif (isinstance(part, Pow) and isinstance(part.base, Neg) and not symbols(part.base)) or (
            isinstance(part, Pow) and isinstance(part.base, Num) and part.base.value < 0
        ):
            found.update(symbols(part.exponent))
    return frozenset(found)


def _in_pieces(node: Node) -> bool:
    if isinstance(node, Pow):
        return not isinstance(node.exponent, Num) or node.exponent.value.denominator != 1
    return isinstance(node, Call) and node.name in _PIECEWISE
