"""Lists with an ellipsis, and sets given by a rule that can be written out."""

from fractions import Fraction
from itertools import pairwise

from turnwise.verifiers.math.compare import sets, views
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import substituted, symbols

__all__ = ["heads_agree", "split_at_dots", "without_dots", "written_out"]

MAX_ITEMS = 1_000


def split_at_dots(items: tuple[tree.Node, ...]) -> tuple[tuple[tree.Node, ...], tuple[tree.Node, ...]] | None:
    """What stands before and after the one ellipsis; None if there is none, or more than one."""
    places = [i for i, item in enumerate(items) if isinstance(item, tree.Const) and item.name == "dots"]
    return (items[: places[0]], items[places[0] + 1 :]) if len(places) == 1 else None


def heads_agree(answer: tuple[tree.Node, ...], gold: tuple[tree.Node, ...], scalars: Scalars) -> bool:
    """Whether two beginnings go on alike: 1, 2, ... and 1, 2, 3, ....

    The longer one must be an arithmetic progression that the other shows at least two terms of, or a geometric one
    that it shows three terms of.
    """
    short, long = sorted((answer, gold), key=len)
    if not all(scalars.equal(a, b) for a, b in zip(short, long, strict=False)):
        return False
    if len(short) == len(long):
        return True
    if len(short) < 2:
        return False
    pairs = list(pairwise(long))
    steps = [tree.Add((b, tree.Neg(a))) for a, b in pairs]
    if all(scalars.equal(steps[0], step) for step in steps[1:]):
        return True
    if len(short) < 3:
        return False
    quotients = [tree.Div(b, a) for a, b in pairs]
    return all(scalars.equal(quotients[0], quotient) for quotient in quotients[1:])


def without_dots(items: tuple[tree.Node, ...], scalars: Scalars) -> tuple[tree.Node, ...] | None:
    """The numbers of ``1, 3, …, 9``, at most 1000; None for anything but an arithmetic progression."""
    split = split_at_dots(items)
    if split is None or len(split[0]) < 2 or len(split[1]) != 1:
        return None
    values = [rational(item, scalars.meter) for item in (*split[0], *split[1])]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    *head, last = numbers
    step = head[1] - head[0]
    count = (last - head[0]) / step if step else Fraction(-1)
    regular = all(b - a == step for a, b in pairwise(head))
    if not regular or count.denominator != 1 or not len(head) <= count < MAX_ITEMS:
        return None
    return tuple(tree.Num(head[0] + step * n) for n in range(int(count) + 1))


def written_out(node: tree.Node, scalars: Scalars) -> tree.Set | None:
    """The members of {n ∈ ℤ | 1 ≤ n < 5}, {2n | n = 1, 2, 3}, {n² : n ∈ ℤ, |n| < 3}; None for any other set."""
    if not isinstance(node, tree.SetBuilder):
        return None
    term: tree.Node = node.element
    parts = node.condition.items if isinstance(node.condition, tree.List) else (node.condition,)
    if isinstance(node.condition, tree.Junction) and node.condition.op == "and":
        parts = node.condition.parts
    if isinstance(term, tree.Relation) and term.ops == ("∈",):
        parts = (term, *parts)
        term = term.operands[0]
    listed = views.collection(node.condition if len(parts) > 1 else views.bare(parts[0]))
    if listed is not None and listed.name is not None and set(symbols(term)) == {listed.name}:
        return tree.Set(tuple(substituted(term, {listed.name: value}) for value in listed.items[:MAX_ITEMS]))
    domains = [part for part in parts if _over_whole_numbers(part)]
    rest = tuple(part for part in parts if not _over_whole_numbers(part))
    if len(domains) != 1 or not rest:
        return None
    name, domain = domains[0].operands  # type: ignore[union-attr]
    assert isinstance(name, tree.Sym)
    found = sets.region(rest[0] if len(rest) == 1 else tree.Junction("and", rest), scalars)
    if found is None or found.symbolic or found.name != name.name or set(symbols(term)) != {name.name}:
        return None
    numbers = sets.whole_members(found, isinstance(domain, tree.Const) and domain.name == "naturals")
    return None if numbers is None else tree.Set(tuple(substituted(term, {name.name: tree.Num(n)}) for n in numbers))


def _over_whole_numbers(node: tree.Node) -> bool:
    if not isinstance(node, tree.Relation) or node.ops != ("∈",) or not isinstance(node.operands[0], tree.Sym):
        return False
    domain = node.operands[1]
    return isinstance(domain, tree.Const) and domain.name in ("integers", "naturals")
