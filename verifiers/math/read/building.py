"""Nodes from parts: what the rules of the grammar make of what they have read."""

from fractions import Fraction
from itertools import pairwise

from turnwise.verifiers.math.read.cursor import NotMath
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.tree import (
    Add,
    Cases,
    Const,
    Junction,
    List,
    Mul,
    Neg,
    Node,
    Num,
    PlusMinus,
    Pow,
    Quantity,
    Relation,
    Seq,
    Set,
    SetBuilder,
    SetOp,
    Sym,
    Text,
)
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import closed, contains, rebuilt

__all__ = [
    "added",
    "as_symbol",
    "continued",
    "family",
    "illustrates",
    "joined_by",
    "multiplied",
    "negated",
    "number_of",
    "repeating",
    "scaled",
    "signed",
    "system",
    "with_unit_of_all",
]

MAX_EXPONENT = 400  # of a power of ten folded into a number


def number_of(text: str) -> Num:
    """Digits, with a point among them or not."""
    whole, point, decimals = text.partition(".")
    if not point:
        return Num(Fraction(int(whole)))
    return Num(Fraction(int(whole + decimals), 10 ** len(decimals)), len(decimals))


def scaled(value: Num, exponent: int) -> Num | None:
    """A number times a power of ten, or None where that is too large to write out."""
    if abs(exponent) > MAX_EXPONENT:
        return None
    places = None if value.places is None else value.places - exponent
    return Num(value.value * Fraction(10) ** exponent, places)


def continued(text: str) -> Num:
    """``0.333...``: the repeating decimal where a period shows, else the digits as they are."""
    whole, _, decimals = text.partition(".")
    for length in range(1, len(decimals) // 2 + 1):
        block = decimals[-length:]
        times = 3 if length == 1 else 2
        if len(decimals) >= times * length and decimals.endswith(block * times):
            start = len(decimals) - times * length
            while start >= length and decimals[start - length : start] == block:
                start -= length
            while start > 0 and decimals[start - 1] == decimals[start - 1 + length]:
                start -= 1
            return Num(repeating(whole, decimals[:start], decimals[start : start + length]))
    return number_of(text)


def repeating(whole: str, once: str, period: str) -> Fraction:
    """``whole.once(period)(period)...``."""
    shift = 10 ** len(once)
    head = Fraction(int(whole + once or "0"), shift)
    return head + Fraction(int(period), shift * (10 ** len(period) - 1))


def added(a: Node, b: Node) -> Node:
    """The sum; ``ℝ - {2}`` is a difference of sets."""
    if isinstance(b, Neg) and isinstance(b.x, Set) and isinstance(a, (Const, Set, SetOp, Seq)):  # R - {2}
        return SetOp("minus", (a, b.x))
    return Add((*a.terms, b)) if isinstance(a, Add) else Add((a, b))


def with_unit_of_all(a: Node) -> Node:
    """A sum of functions with one unit after it, ``3 cos t + 4 sin t cm``, as that quantity."""
    if not isinstance(a, Add) or not isinstance(a.terms[-1], Quantity) or closed(a):
        return a
    *others, last = a.terms
    if not isinstance(last, Quantity) or any(contains(term, Quantity) for term in (*others, last.value)):
        return a
    return Quantity(Add((*others, last.value)), last.unit)


def negated(a: Node) -> Node:
    """The value with the other sign."""
    if isinstance(a, Num):
        return Num(-a.value, a.places)
    return (
        PlusMinus(None, a.right, "∓" if a.sign == "±" else "±")
        if isinstance(a, PlusMinus) and a.left is None
        else Neg(a)
    )


def signed(sign: str, a: Node) -> Node:
    """The value after ``+ - ±`` or ``∓``."""
    if sign == "+":
        return a
    return negated(a) if sign == "-" else PlusMinus(None, a, sign)


def multiplied(a: Node, b: Node) -> Node:
    """The product; a decimal times a power of ten is one number."""
    if isinstance(a, Num) and a.places is not None and isinstance(b, Pow) and b.base == Num(Fraction(10)):  # 1.5 * 10^3
        power = b.exponent
        if isinstance(power, Num) and power.places is None and power.value.denominator == 1:
            number = scaled(a, int(power.value)) if abs(power.value) <= MAX_EXPONENT else None
            if number is not None:
                return number
    return Mul((*a.factors, b)) if isinstance(a, Mul) else Mul((a, b))


def family(value: Node, condition: Node) -> Node:
    """``value, condition`` as a set where the condition binds a whole number, else as the value with its condition."""
    if isinstance(condition, Relation) and "∈" in condition.ops:
        return SetBuilder(value, condition)
    return Cases(((value, condition),))


def joined_by(parts: list[Node], joined: set[str]) -> Node:
    """Items with the separators that stand between them."""
    if len(parts) == 1:
        return parts[0]
    last, first = parts[-1], parts[0]
    if (
        "or" not in joined
        and _of_whole_numbers(last)
        and not any(isinstance(p, Relation) and "∈" in p.ops for p in parts[:-1])
    ):
        return SetBuilder(first if len(parts) == 2 else List(tuple(parts[:-1])), last)
    named = isinstance(first, Relation) and first.ops == ("=",) and isinstance(first.operands[0], Sym)
    if named and not any(isinstance(p, (Relation, SetBuilder, Text, Const)) for p in parts[1:]):  # x = 1, 2
        assert isinstance(first, Relation)
        parts = [first, *(Relation((first.operands[0], p), ("=",)) for p in parts[1:])]
    if "or" in joined:
        return Junction("or", tuple(parts))
    if joined == {"and"}:
        if any(isinstance(p, Relation) for p in parts):
            return Junction("and", tuple(parts))
        if _descending(parts):  # 2 hours and 30 minutes
            return Add(tuple(parts))
    return List(tuple(parts))


def _of_whole_numbers(node: Node) -> bool:
    """``k ∈ ℤ``."""
    if not isinstance(node, Relation) or node.ops != ("∈",):
        return False
    return node.operands[1] in (Const("integers"), Const("naturals"))


def _descending(parts: list[Node]) -> bool:
    """Quantities of one dimension in ever smaller units."""
    units = [p.unit for p in parts if isinstance(p, Quantity)]
    if len(units) < len(parts) or len({u.dimensions for u in units}) > 1 or not units[0].dimensions:
        return False
    return all(a.scale > b.scale for a, b in pairwise(units))


def system(table: list[list[tuple[Node, tuple[bool, Node | None]]]]) -> Node:
    """The rows of ``cases``: values with conditions, or statements that all hold."""
    if all(len(row) == 1 and not row[0][1][0] for row in table):  # no conditions
        parts = tuple(row[0][0] for row in table)
        return parts[0] if len(parts) == 1 else Junction("and", parts)
    cases: list[tuple[Node, Node | None]] = []
    for row in table:
        if len(row) == 1 and row[0][1][0]:
            cases.append((row[0][0], row[0][1][1]))
        elif len(row) == 2 and not row[0][1][0]:
            cases.append((row[0][0], row[1][0]))
        else:
            raise NotMath("a table of cases")
    return Cases(tuple(cases))


def illustrates(shown: Node, value: Node) -> bool:
    """Whether a number may stand for a value beside it, as in √2 ≈ 1.41: within a hundredth, where both are numbers."""
    try:
        one, two = Scalars(Meter()).real(shown), Scalars(Meter()).real(value)
    except (Undefined, Unresolved):
        return True
    return one is None or two is None or abs(one - two) <= abs(two) / 100


def as_symbol(node: Node) -> Node:
    """The tree with the letter i as a variable: the index of a sum."""
    return rebuilt(node, lambda part: Sym("i") if part == Const("i") else None)
