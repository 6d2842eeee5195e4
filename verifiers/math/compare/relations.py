"""Equations, inequalities and congruences."""

import re
from fractions import Fraction

from turnwise.verifiers.math.values.bounds import Undefined, Unresolved
from turnwise.verifiers.math.values.exact import polynomial, rational
from turnwise.verifiers.math.values.tree import Add, Call, Div, Mul, Neg, Node, Num, Pow, Relation, Seq, Sym
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import closed, same, substituted, subtrees, symbols

__all__ = ["equivalent", "named_value", "same_function", "solved", "solves", "stated"]

_FLIPPED = {">": "<", "≥": "≤"}
_SAMPLES = (Fraction(17, 5), Fraction(-23, 7), Fraction(41, 11), Fraction(3, 13))
_VALUES = frozenset({"apply", "det", "prime", "vector", "re", "im", "arg", "gcd", "lcm", "limit"})
_FUNCTIONS = frozenset({"abs", "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "binomial", "root"})
_UNKNOWNS = frozenset("tuvwxyz")
_MOMENTS = frozenset({"sigma", "s", "S", "R", "chi", "eta"})
_OPERATORS = frozenset("PEVD")
_POINTS = re.compile(r"[A-Z][A-Z0-9_]+")


def solved(node: Node) -> tuple[str, Node] | None:
    """The variable and the value of ``x = v`` or ``v = x``, v without x; None for anything else."""
    if not isinstance(node, Relation) or len(node.ops) != 1 or node.ops[0] not in "=≈" or node.modulus is not None:
        return None
    left, right = (_length(operand) for operand in node.operands)
    if isinstance(left, Sym) and left.name not in symbols(right):
        return left.name, right
    if isinstance(right, Sym) and closed(left):
        return right.name, left
    return None


def _length(node: Node) -> Node:
    r"""``|AB|`` and ``\overline{AB}``, the length of a segment, as AB."""
    inner = node.args[0] if isinstance(node, Call) and node.name == "abs" and len(node.args) == 1 else node
    if not isinstance(inner, Sym):
        return node
    name = inner.name.removeprefix("overline ")
    return Sym(name) if _POINTS.fullmatch(name) else node


def stated(node: Node, gold: Node) -> tuple[Node, ...] | None:
    """What an answer of the form ``name = work = value`` states, in order; None where it is an equation.

    The name of the value is a variable, f(x), f'(x), det A and the like, or, for a gold without variables, an
    expression of other variables than x, y, z: several (``a + b = 5`` where a + b is asked for; ``x + y = 5`` may be a
    line), or one in a function (``sin A = 1/2``; ``sin x = 1/2`` is an equation).
    Steps with variables on the way to a closed value are left out.
    """
    if not isinstance(node, Relation) or not node.ops or node.modulus is not None or set(node.ops) - {"=", "≈"}:
        return None
    operands, free = node.operands, symbols(gold)
    last = operands[-1]
    if not free:
        if closed(last):
            first = operands[0]
            named = closed(first) or isinstance(first, Sym) or _is_value(first) or _is_asked_for(first)
            steps = operands[1:] if _is_value(first) and len(operands) > 1 and not _is_number(first) else operands
            return tuple(part for part in steps if closed(part)) if named else None
        return operands[:1] if len(operands) == 2 and isinstance(last, Sym) and closed(operands[0]) else None
    first = operands[0]
    if isinstance(first, Sym) and first.name not in free:
        return operands[1:]
    return operands[1:] if _is_function(first) else None


def named_value(node: Relation) -> Node | None:
    """What ``x = v``, ``f(x) = v``, ``|z| = v`` give as the value; None for an equation of expressions."""
    first = node.operands[0]
    plain = len(node.ops) == 1 and node.ops[0] in "=≈" and node.modulus is None
    if plain and (isinstance(first, Sym | Call) or _is_moment(first)):
        return node.operands[1]
    return None


def _is_moment(node: Node) -> bool:
    """Whether it names a value as statistics does: σ², s², R², E(X), P(A)."""
    match node:
        case Pow(Sym(name), _):
            return name.partition("_")[0] in _MOMENTS
        case Mul((Sym(operator), Sym(of))):
            return operator in _OPERATORS and len(of.partition("_")[0]) == 1 and of[0].isupper()
    return False


def _is_asked_for(node: Node) -> bool:
    """Whether an expression looks like one whose value is asked for: a + b, A², AB · CD; not x + y, 2x, x²."""
    names = list(symbols(node))
    if isinstance(node, Call) and node.name in _FUNCTIONS:
        return not _UNKNOWNS & set(names) or (node.name == "abs" and names in (["z"], ["w"], ["v"], ["u"]))
    if isinstance(node, Seq):  # [ABC], an area
        item = node.items[0]
        return len(node.items) == 1 and isinstance(item, Sym) and _POINTS.fullmatch(item.name) is not None
    if isinstance(node, Pow):
        return isinstance(node.base, Sym) and node.base.name[0].isupper()
    return len(names) > 1 and not {name[0] for name in names} & set("xyz")


def _is_number(node: Node) -> bool:
    return not any(isinstance(part, Call) and part.name in ("apply", "prime", "vector") for part in subtrees(node))


def _is_value(node: Node) -> bool:
    """Whether it is f(x), f'(x), dy/dx, det A, max f, which name a value whatever their variables."""
    if isinstance(node, Call) and node.name in ("max", "min"):
        return len(node.args) == 1 and isinstance(node.args[0], Sym)
    return (isinstance(node, Call) and node.name in _VALUES) or _is_function(node)


def _is_function(node: Node) -> bool:
    """Whether it is f(x), f'(x), dy/dx."""
    if isinstance(node, Call):
        return node.name in ("apply", "prime")
    match node:
        case Div(Mul((Sym("d"), Sym())), Mul((Sym("d"), Sym()))) | Div(Sym("d"), Mul((Sym("d"), Sym()))):
            return True
    return False


def equivalent(answer: Relation, gold: Relation, scalars: Scalars) -> bool | None:
    """Whether two relations say the same; None for kinds that are only compared part by part."""
    if gold.modulus is not None or "≡" in gold.ops:
        return _congruent(answer, gold, scalars)
    if answer.modulus is not None:
        return False
    left, right = _ascending(answer), _ascending(gold)
    if left.ops != right.ops:
        return False if set(left.ops + right.ops) <= set("=≠<≤≈") else None
    if not right.ops or set(right.ops) - set("=≠<≤"):
        return None
    if set(right.ops) == {"="} and len(right.ops) > 1:
        return _chain(left.operands, right.operands, scalars) or _chain(left.operands[::-1], right.operands, scalars)
    return all(
        _proportional(left.operands[i : i + 2], right.operands[i : i + 2], op, scalars)
        for i, op in enumerate(right.ops)
    )


def same_function(answer: Relation, gold: Relation) -> bool:
    """Whether both define a function of the same variable, one as ``y = ...``, the other as ``f(x) = ...``."""
    if answer.ops != ("=",) or gold.ops != ("=",):
        return False
    heads = [answer.operands[0], gold.operands[0]]
    calls = [head for head in heads if isinstance(head, Call) and head.name == "apply"]
    return len(calls) == 1 and any(isinstance(head, Sym) and head.name == "y" for head in heads)


def solves(name: str | None, values: tuple[Node, ...], gold: Relation, scalars: Scalars) -> bool:
    """Whether values are all the roots of a gold that is a polynomial equation with as many roots as its degree."""
    if gold.ops != ("=",) or gold.modulus is not None or name is None or list(symbols(gold)) != [name]:
        return False
    difference = Add((gold.operands[0], Neg(gold.operands[1])))
    coefficients = polynomial(difference, name, scalars.meter)
    if coefficients is None or len(coefficients) - 1 != len(values) or not coefficients[-1]:
        return False
    zero = Num(Fraction(0))
    if not all(closed(value) and scalars.equal(substituted(difference, {name: value}), zero) for value in values):
        return False
    return not any(scalars.equal(value, other) for i, value in enumerate(values) for other in values[:i])


def _chain(answer: tuple[Node, ...], gold: tuple[Node, ...], scalars: Scalars) -> bool:
    return all(scalars.equal(ours, theirs) for ours, theirs in zip(answer, gold, strict=True))


def _ascending(node: Relation) -> Relation:
    ops = tuple("=" if op == "≈" else op for op in node.ops)
    if ops and all(op in ">≥" for op in ops):
        return Relation(node.operands[::-1], tuple(_FLIPPED[op] for op in reversed(ops)))
    return Relation(node.operands, ops)


def _proportional(answer: tuple[Node, ...], gold: tuple[Node, ...], op: str, scalars: Scalars) -> bool:
    """Whether left - right of one is a constant multiple of the other's, a positive one for inequalities."""
    ours, theirs = scalars.named_apart(Add((answer[0], Neg(answer[1]))), Add((gold[0], Neg(gold[1]))))
    names = list(symbols(theirs))
    if not names or set(names) != set(symbols(ours)):
        return all(scalars.equal(a, g) for a, g in zip(answer, gold, strict=True))
    problem: Exception = Unresolved("the sides cannot be evaluated")
    for sample in _SAMPLES:
        point: dict[str, Node] = {name: Num(sample + Fraction(i, 4)) for i, name in enumerate(names)}
        at, at_gold = substituted(ours, point), substituted(theirs, point)
        try:
            value, value_gold = scalars.real(at), scalars.real(at_gold)
        except (Undefined, Unresolved) as error:
            problem = error
            continue
        if not value_gold or value is None:
            continue
        if not value:
            return False
        if op in "<≤" and (value > 0) != (value_gold > 0):
            return False
        return scalars.equal(Mul((ours, at_gold)), Mul((theirs, at)))
    raise problem if isinstance(problem, Unresolved) else Unresolved("the sides have no value at the points tried")


def _congruent(answer: Relation, gold: Relation, scalars: Scalars) -> bool:
    """The same residue class: ``x ≡ 3 (mod 7)``, ``3 (mod 7)``, ``x ≡ 10 (mod 7)``."""
    if (
        set(answer.ops) - {"≡", "="}
        or answer.modulus is None
        or gold.modulus is None
        or not scalars.equal(answer.modulus, gold.modulus)
    ):
        return False
    names = [part.operands[0] for part in (answer, gold) if len(part.operands) > 1]
    if len(names) == 2 and not same(names[0], names[1]):
        return False
    ours, theirs = answer.operands[-1], gold.operands[-1]
    values = [rational(part, scalars.meter) for part in (ours, theirs, gold.modulus)]
    if None in values or not values[2]:
        return scalars.equal(ours, theirs)
    return (values[0] - values[1]) % values[2] == 0  # type: ignore[operator]
