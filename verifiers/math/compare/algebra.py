"""A second opinion by sympy, in a worker process that can be killed.

The expressions travel as nested lists and are built from sympy's constructors one by one; sympy never sees a text.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from turnwise.core.errors import InfrastructureError
from turnwise.verifiers.math.values.tree import (
    Add,
    Call,
    Const,
    Div,
    Mul,
    Neg,
    Node,
    Num,
    Percent,
    Pow,
    Quantity,
    Sym,
)
from turnwise.verifiers.math.values.walk import children, infinity, subtrees
from turnwise.verifiers.pool import shared

__all__ = ["ask", "equal", "packed", "prepare"]

MAX_NODES = 250
MAX_BITS = 2_000
MAX_POWER = 10_000
_KINDS: dict[type, str] = {Neg: "neg", Add: "add", Mul: "mul", Div: "div", Pow: "pow", Percent: "percent"}
_INFINITE: dict[int, list[Any]] = {1: ["const", "inf"], -1: ["neg", ["const", "inf"]]}
_NAMED = {
    "abs": "Abs", "floor": "floor", "ceil": "ceiling", "exp": "exp", "ln": "log", "log": "log", "sin": "sin",
    "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "coth": "coth", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh",
    "factorial": "factorial", "double_factorial": "factorial2", "binomial": "binomial", "permutations": "ff",
    "gcd": "gcd", "lcm": "lcm", "min": "Min", "max": "Max", "re": "re", "im": "im", "conj": "conjugate",
    "arg": "arg", "sgn": "sign",
}  # fmt: skip


def ask(answer: Node, gold: Node) -> bool | None:
    """Whether two expressions are equal, as far as sympy finds out in `turnwise.verifiers.pool.STEPS` steps.

    The result depends on the expressions alone. The first call of a process waits a second for the workers to start.

    Returns:
        None where sympy does not say.

    Raises:
        InfrastructureError: The worker was killed, cannot be started, or has not replied for minutes.
    """
    ours, theirs = packed(answer), packed(gold)
    if ours is None or theirs is None:
        return None
    result = shared().run("math.equal", ours, theirs)
    if result.failed:
        raise InfrastructureError(f"no verdict from the process that runs sympy: {result.problem}")
    return result.value if isinstance(result.value, bool) else None


def packed(node: Node) -> list[Any] | None:
    """An expression as nested lists of strings and numbers; None where sympy is not to be asked about it.

    >>> packed(Add((Sym("x"), Num(Fraction(1, 2)))))
    ['add', ['sym', 'x'], ['num', 1, 2]]
    """
    if sum(1 for _ in zip(subtrees(node), range(MAX_NODES + 1), strict=False)) > MAX_NODES:
        return None
    return _packed(node)


def _packed(node: Node) -> list[Any] | None:
    match node:
        case Num(value, _):
            small = max(abs(value.numerator), value.denominator).bit_length() <= MAX_BITS
            return ["num", value.numerator, value.denominator] if small else None
        case Sym(name):
            return ["sym", name]
        case Const(("pi" | "e" | "i") as name):
            return ["const", name]
        case Quantity(value, unit) if not unit.dimensions and not unit.offset:
            angle = Pow(Const("pi"), Num(Fraction(unit.pi)))
            return _packed(Mul((value, Num(unit.scale), angle)))
        case Call(name, _) if name in _NAMED or name in ("root", "sum", "product"):
            head = [f"call {name}"]
        case _ if type(node) in _KINDS:
            head = [_KINDS[type(node)]]
        case _:
            return None
    bounds = isinstance(node, Call) and node.name in ("sum", "product")  # ∞ has a meaning only there
    parts = [_INFINITE.get(infinity(part)) if bounds and infinity(part) else _packed(part) for part in children(node)]
    return None if any(part is None for part in parts) else [*head, *parts]


def prepare() -> None:
    """Import sympy and do something with it, so that the workers need not; each begins from the same state."""
    import sympy

    sympy.core.random.seed(0)
    x = sympy.Symbol("x")
    sympy.simplify(sympy.sin(x) ** 2 + sympy.cos(x) ** 2 + sympy.sqrt(x**2) - x)
    sympy.Sum(x, (x, 1, 5)).doit()


def equal(answer: list[Any], gold: list[Any]) -> bool | None:
    """In a worker: whether two packed expressions are equal; None where sympy does not say.

    >>> equal(["call sum", ["sym", "k"], ["num", 1, 1], ["const", "inf"],
    ...        ["pow", ["num", 1, 2], ["sym", "k"]]], ["num", 1, 1])
    True
    """
    import sympy

    ours, theirs = _built(answer), _built(gold)
    for step in (lambda value: value, lambda value: value.doit(), sympy.simplify):
        difference = step(ours) - step(theirs)
        if difference == 0:
            return True
        if difference.has(sympy.nan, sympy.zoo):
            return None
        if difference.is_number and difference.is_zero is False:
            return False
    return True if sympy.simplify(ours - theirs) == 0 else None


def _built(packed_: list[Any]) -> Any:
    import sympy

    head, *rest = packed_
    if head == "num":
        return sympy.Rational(*rest)
    if head == "sym":
        return sympy.Symbol(rest[0])
    if head == "const":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}[rest[0]]
    parts = [_built(part) for part in rest]
    makers: dict[str, Callable[..., Any]] = {
        "neg": lambda x: -x,
        "add": lambda *terms: sympy.Add(*terms),
        "mul": lambda *factors: sympy.Mul(*factors),
        "div": lambda a, b: a / b,
        "pow": _power,
        "percent": lambda x: x / 100,
        "call root": lambda x, n: sympy.real_root(x, n) if x.is_real and n.is_odd else sympy.root(x, n),
        "call sum": lambda k, low, high, term: sympy.Sum(term, (k, low, high)),
        "call product": lambda k, low, high, term: sympy.Product(term, (k, low, high)),
    }
    if head in makers:
        return makers[head](*parts)
    name = head.removeprefix("call ")
    if name in ("factorial", "double_factorial", "binomial", "permutations") and any(_large(part) for part in parts):
        raise OverflowError("a factorial of a large number")
    return getattr(sympy, _NAMED[name])(*parts)


def _power(base: Any, exponent: Any) -> Any:
    if exponent.is_Rational and base.is_Rational:
        size = max(abs(base.p), base.q).bit_length()
        if abs(exponent) * math.log2(max(2, 2 ** min(size, 64))) > MAX_POWER * 10:
            raise OverflowError("a power is too large")
    return base**exponent


def _large(value: Any) -> bool:
    return bool(value.is_Rational and abs(value) > MAX_POWER)
