"""Nodes from parts: what the rules of the grammar make of what they have read."""

from fractions import Fraction
from itertools import pairwise

from turnwise.verifiers.math.read.cursor import NotMath
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
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


def number_of(text: str) -> tree.Num:
    """Digits, with a point among them or not."""
    whole, point, decimals = text.partition(".")
    if not point:
        return tree.Num(Fraction(int(whole)))
    return tree.Num(Fraction(int(whole + decimals), 10 ** len(decimals)), len(decimals))


def scaled(value: tree.Num, exponent: int) -> tree.Num | None:
    """A number times a power of ten, or None where that is too large to write out."""
    if abs(exponent) > MAX_EXPONENT:
        return None
    places = None if value.places is None else value.places - exponent
    return tree.Num(value.value * Fraction(10) ** exponent, places)


def continued(text: str) -> tree.Num:
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
            return tree.Num(repeating(whole, decimals[:start], decimals[start : start + length]))
    return number_of(text)


def repeating(whole: str, once: str, period: str) -> Fraction:
    """``whole.once(period)(period)...``."""
    shift = 10 ** len(once)
    head = Fraction(int(whole + once or "0"), shift)
    return head + Fraction(int(period), shift * (10 ** len(period) - 1))


def added(a: tree.Node, b: tree.Node) -> tree.Node:
    """The sum; ``ℝ - {2}`` is a difference of sets."""
    if (
        isinstance(b, tree.Neg)
        and isinstance(b.x, tree.Set)
        and isinstance(a, (tree.Const, tree.Set, tree.SetOp, tree.Seq))
    ):  # R - {2}
        return tree.SetOp("minus", (a, b.x))
    return tree.Add((*a.terms, b)) if isinstance(a, tree.Add) else tree.Add((a, b))


def with_unit_of_all(a: tree.Node) -> tree.Node:
    """A sum of functions with one unit after it, ``3 cos t + 4 sin t cm``, as that quantity."""
    if not isinstance(a, tree.Add) or not isinstance(a.terms[-1], tree.Quantity) or closed(a):
        return a
    *others, last = a.terms
    if not isinstance(last, tree.Quantity) or any(contains(term, tree.Quantity) for term in (*others, last.value)):
        return a
    return tree.Quantity(tree.Add((*others, last.value)), last.unit)


def negated(a: tree.Node) -> tree.Node:
    """The value with the other sign."""
    if isinstance(a, tree.Num):
        return tree.Num(-a.value, a.places)
    return (
        tree.PlusMinus(None, a.right, "∓" if a.sign == "±" else "±")
        if isinstance(a, tree.PlusMinus) and a.left is None
        else tree.Neg(a)
    )


def signed(sign: str, a: tree.Node) -> tree.Node:
    """The value after ``+ - ±`` or ``∓``."""
    if sign == "+":
        return a
    return negated(a) if sign == "-" else tree.PlusMinus(None, a, sign)


def multiplied(a: tree.Node, b: tree.Node) -> tree.Node:
    """The product; a decimal times a power of ten is one number."""
    if (
        isinstance(a, tree.Num)
        and a.places is not None
        and isinstance(b, tree.Pow)
        and b.base == tree.Num(Fraction(10))
    ):  # 1.5 * 10^3
        power = b.exponent
        if isinstance(power, tree.Num) and power.places is None and power.value.denominator == 1:
            number = scaled(a, int(power.value)) if abs(power.value) <= MAX_EXPONENT else None
            if number is not None:
                return number
    return tree.Mul((*a.factors, b)) if isinstance(a, tree.Mul) else tree.Mul((a, b))


def family(value: tree.Node, condition: tree.Node) -> tree.Node:
    """``value, condition`` as a set where the condition binds a whole number, else as the value with its condition."""
    if isinstance(condition, tree.Relation) and "∈" in condition.ops:
        return tree.SetBuilder(value, condition)
    return tree.Cases(((value, condition),))


def joined_by(parts: list[tree.Node], joined: set[str]) -> tree.Node:
    """Items with the separators that stand between them."""
    if len(parts) == 1:
        return parts[0]
    last, first = parts[-1], parts[0]
    if (
        "or" not in joined
        and _of_whole_numbers(last)
        and not any(isinstance(p, tree.Relation) and "∈" in p.ops for p in parts[:-1])
    ):
        return tree.SetBuilder(first if len(parts) == 2 else tree.List(tuple(parts[:-1])), last)
    named = isinstance(first, tree.Relation) and first.ops == ("=",) and isinstance(first.operands[0], tree.Sym)
    if named and not any(
        isinstance(p, (tree.Relation, tree.SetBuilder, tree.Text, tree.Const)) for p in parts[1:]
    ):  # x = 1, 2
        assert isinstance(first, tree.Relation)
        parts = [first, *(tree.Relation((first.operands[0], p), ("=",)) for p in parts[1:])]
    if "or" in joined:
        return tree.Junction("or", tuple(parts))
    if joined == {"and"}:
        if any(isinstance(p, tree.Relation) for p in parts):
            return tree.Junction("and", tuple(parts))
        if _descending(parts):  # 2 hours and 30 minutes
            return tree.Add(tuple(parts))
    return tree.List(tuple(parts))


def _of_whole_numbers(node: tree.Node) -> bool:
    """``k ∈ ℤ``."""
    if not isinstance(node, tree.Relation) or node.ops != ("∈",):
        return False
    return node.operands[1] in (tree.Const("integers"), tree.Const("naturals"))


def _descending(parts: list[tree.Node]) -> bool:
    """Quantities of one dimension in ever smaller units."""
    units = [p.unit for p in parts if isinstance(p, tree.Quantity)]
    if len(units) < len(parts) or len({u.dimensions for u in units}) > 1 or not units[0].dimensions:
        return False
    return all(a.scale > b.scale for a, b in pairwise(units))


def system(table: list[list[tuple[tree.Node, tuple[bool, tree.Node | None]]]]) -> tree.Node:
    """The rows of ``cases``: values with conditions, or statements that all hold."""
    if all(len(row) == 1 and not row[0][1][0] for row in table):  # no conditions
        parts = tuple(row[0][0] for row in table)
        return parts[0] if len(parts) == 1 else tree.Junction("and", parts)
    cases: list[tuple[tree.Node, tree.Node | None]] = []
    for row in table:
        if len(row) == 1 and row[0][1][0]:
            cases.append((row[0][0], row[0][1][1]))
        elif len(row) == 2 and not row[0][1][0]:
            cases.append((row[0][0], row[1][0]))
        else:
            raise NotMath("a table of cases")
    return tree.Cases(tuple(cases))


def illustrates(shown: tree.Node, value: tree.Node) -> bool:
    """Whether a number may stand for a value beside it, as in √2 ≈ 1.41: within a hundredth, where both are numbers."""
    try:
        one, two = Scalars(Meter()).real(shown), Scalars(Meter()).real(value)
    except (Undefined, Unresolved):
        return True
    return one is None or two is None or abs(one - two) <= abs(two) / 100


def as_symbol(node: tree.Node) -> tree.Node:
    """The tree with the letter i as a variable: the index of a sum."""
    return rebuilt(node, lambda part: tree.Sym("i") if part == tree.Const("i") else None)
