"""Families of values with a whole parameter: {π/4 + kπ : k ∈ ℤ}, x = π/3 + 2πn, n ∈ ℤ."""

import math
from fractions import Fraction
from typing import NamedTuple

from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import Undefined, Unresolved
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import substituted, symbols

__all__ = ["same_family"]

MAX_CLASSES = 240
_INDICES = ("k", "n", "m", "l", "j", "p", "q", "t", "z", "N", "K")
_DOMAINS = ("integers", "naturals")


class Family(NamedTuple):
    """Terms in one parameter that runs through a domain; ``name``: of the unknown, where one was written."""

    terms: tuple[tree.Node, ...]
    parameter: str
    domain: str
    name: str | None


def same_family(answer: tree.Node, gold: tree.Node, scalars: Scalars) -> bool | None:
    """Whether two families have the same members; None if the gold is not a family.

    Raises:
        Unresolved: It cannot be decided within the bounds.
    """
    theirs = _family(gold, None)
    if theirs is None:
        ours = _family(answer, None)
        return False if ours is not None and not _undeclared(gold, ours) else None
    ours = _family(answer, theirs)
    if ours is None or ours.domain != theirs.domain:
        return False
    if None not in (ours.name, theirs.name) and ours.name != theirs.name:
        return False
    if theirs.domain == "integers":
        classes, classes_gold = _classes(ours, theirs, scalars)
        if classes is not None and classes_gold is not None:
            return _same_classes(classes, classes_gold)
    if len(ours.terms) != len(theirs.terms):
        return False
    left = list(ours.terms)
    for term in theirs.terms:
        for candidate in left:
            if _same_term(candidate, ours.parameter, term, theirs, scalars):
                left.remove(candidate)
                break
        else:
            return False
    return True


def _undeclared(gold: tree.Node, ours: Family) -> bool:
    """Whether the gold has a parameter too, without saying so."""
    return ours.parameter in symbols(gold)


def _same_term(answer: tree.Node, index: str, gold: tree.Node, family: Family, scalars: Scalars) -> bool:
    k = tree.Sym(family.parameter)
    one = tree.Num(Fraction(1))
    shifts: list[tree.Node] = [k]
    if family.domain == "integers":
        shifts += [tree.Neg(k), tree.Add((k, one)), tree.Add((k, tree.Neg(one)))]
    return any(scalars.equal(substituted(answer, {index: shift}), gold) for shift in shifts)


def _domain(node: tree.Node) -> tuple[str, str] | None:
    """The parameter and its domain of ``k ∈ ℤ``."""
    if isinstance(node, tree.Relation) and node.ops == ("∈",):
        left, right = node.operands
        if isinstance(left, tree.Sym) and isinstance(right, tree.Const) and right.name in _DOMAINS:
            return left.name, right.name
    return None


def _family(node: tree.Node, model: Family | None) -> Family | None:
    """The family that a tree is; with a ``model``, a parameter may be left undeclared."""
    if isinstance(node, tree.Relation) and node.ops in (("=",), ("∈",)) and isinstance(node.operands[0], tree.Sym):
        inner = _family(node.operands[1], None)
        if inner is not None:
            return inner._replace(name=node.operands[0].name)
    if isinstance(node, tree.SetBuilder):
        found = _domain(node.condition)
        if found is None and isinstance(node.condition, tree.List | tree.Junction):
            return None
        if found is not None and found[0] in symbols(node.element):
            return _of_terms((node.element,), found)
        return None
    if isinstance(node, tree.SetOp) and node.op == "union":
        return _joined([_family(arg, model) for arg in node.args])
    parts: tuple[tree.Node, ...] = (
        node.items if isinstance(node, tree.List) else node.parts if isinstance(node, tree.Junction) else ()
    )
    declared = [found for part in parts if (found := _domain(part)) is not None]
    if declared:
        if len(set(declared)) > 1:
            return None
        rest = tuple(part for part in parts if _domain(part) is None)
        return _of_terms(rest, declared[0]) if rest else None
    if parts and model is None:
        inner_families = [_family(part, None) for part in parts]
        return _joined(inner_families) if all(inner_families) else None
    if model is None:
        return None
    terms = parts or (node,)
    free = [name for term in terms for name in symbols(_value(term)[1]) if name in (model.parameter, *_INDICES)]
    return _of_terms(terms, (free[0], model.domain)) if free and len(set(free)) == 1 else None


def _value(node: tree.Node) -> tuple[str | None, tree.Node]:
    if isinstance(node, tree.Relation) and node.ops == ("=",) and isinstance(node.operands[0], tree.Sym):
        return node.operands[0].name, node.operands[1]
    return None, node


def _of_terms(parts: tuple[tree.Node, ...], declared: tuple[str, str]) -> Family | None:
    terms: list[tree.Node] = []
    names: set[str | None] = set()
    for part in parts:
        if isinstance(part, tree.Junction | tree.List):
            inner = _of_terms(part.parts if isinstance(part, tree.Junction) else part.items, declared)
            if inner is None:
                return None
            terms += inner.terms
            names.add(inner.name)
            continue
        name, value = _value(part)
        names.add(name)
        if isinstance(value, tree.List | tree.Junction):
            terms += value.items if isinstance(value, tree.List) else value.parts
        else:
            terms.append(value)
    known = names - {None}
    if len(known) > 1 or any(isinstance(term, tree.Relation) for term in terms):
        return None
    return Family(tuple(terms), *declared, next(iter(known), None))


def _joined(families: list[Family | None]) -> Family | None:
    found = [family for family in families if family is not None]
    if len(found) < len(families) or not found:
        return None
    first = found[0]
    names = {family.name for family in found} - {None}
    if len(names) > 1 or any(family.domain != first.domain for family in found):
        return None
    terms = tuple(
        substituted(t, {family.parameter: tree.Sym(first.parameter)}) for family in found for t in family.terms
    )
    return Family(terms, first.parameter, first.domain, next(iter(names), None))


_Progression = tuple[Fraction, Fraction]


def _progressions(family: Family, scalars: Scalars) -> list[_Progression] | None:
    """Start and step of each term a + bk with real a, b; None where one has another form."""
    found = []
    for term in family.terms:
        if set(symbols(term)) - {family.parameter}:
            return None
        try:
            at = [scalars.real(substituted(term, {family.parameter: tree.Num(Fraction(n))})) for n in (0, 1, 2, -3)]
        except (Undefined, Unresolved):
            return None
        if None in at:
            return None
        start, one, two, other = (value for value in at if value is not None)
        step = one - start
        near = Fraction(1, 10**40) * max(abs(start), abs(step))
        if abs(two - start - 2 * step) > near or abs(other - start + 3 * step) > near:
            return None
        found.append((start, step))
    return found


def _classes(answer: Family, gold: Family, scalars: Scalars) -> tuple[list[Fraction] | None, list[Fraction] | None]:
    """The residues of both families modulo a common period, as fractions of it in [0, 1)."""
    ours, theirs = _progressions(answer, scalars), _progressions(gold, scalars)
    if ours is None or theirs is None or any(step == 0 for _, step in ours + theirs):
        return None, None
    unit = abs(theirs[0][1])
    common = Fraction(1)
    ratios = []
    for _, step in ours + theirs:
        ratio = (abs(step) / unit).limit_denominator(1000)
        if not ratio or abs(ratio * unit - abs(step)) > unit / 10**40:
            return None, None
        ratios.append(ratio)
        common = Fraction(math.lcm(common.numerator, ratio.numerator), math.gcd(common.denominator, ratio.denominator))
    if sum(common / ratio for ratio in ratios) > MAX_CLASSES:
        raise Unresolved("the families have periods that are too different")
    residues: list[list[Fraction]] = [[], []]
    for i, ((start, _), ratio) in enumerate(zip(ours + theirs, ratios, strict=True)):
        for j in range(int(common / ratio)):
            residues[i >= len(ours)].append((start / (unit * common) + j * ratio / common) % 1)
    return residues[0], residues[1]


def _same_classes(answer: list[Fraction], gold: list[Fraction]) -> bool:
    def within(ours: list[Fraction], theirs: list[Fraction]) -> bool:
        near = Fraction(1, 10**30)
        return all(any(min(abs(a - b), 1 - abs(a - b)) <= near for b in theirs) for a in ours)

    return within(answer, gold) and within(gold, answer)
