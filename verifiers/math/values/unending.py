"""Limits, integrals and endless sums: what has no value that could be computed here, but can be the same as another."""

from collections.abc import Callable

from turnwise.verifiers.math.values.tree import Call, Const, Node, Sym
from turnwise.verifiers.math.values.walk import BINDERS, infinity, rebuilt, same, substituted, subtrees

__all__ = ["inside", "named"]

_BOUND = Sym("bound variable")


def inside(tree: Node) -> bool:
    """Whether one is in the tree."""
    return any(isinstance(part, Call) and _unending(part) for part in subtrees(tree))


def named(answer: Node, gold: Node, equal: Callable[[Node, Node], bool]) -> tuple[Node, Node]:
    """The expressions with a variable for each, where the answer has none that the gold lacks; else as they were."""
    known: list[tuple[Call, str]] = []

    def name(part: Node) -> Node | None:
        if not isinstance(part, Call) or not _unending(part):
            return None
        for call, symbol in known:
            if call.name == part.name and _same(call, part, equal):
                return Sym(symbol)
        known.append((part, f"{part.name} {len(known)}"))
        return Sym(known[-1][1])

    theirs = rebuilt(gold, name)
    before = len(known)
    ours = rebuilt(answer, name)
    return (ours, theirs) if len(known) == before else (answer, gold)


def _unending(node: Call) -> bool:
    if node.name in ("limit", "integral"):
        return True
    return node.name in BINDERS and len(node.args) == 4 and bool(infinity(node.args[1]) or infinity(node.args[2]))


def _same(left: Call, right: Call, equal: Callable[[Node, Node], bool]) -> bool:
    """Whether two differ in nothing but how the bound variable is called."""
    if len(left.args) != len(right.args):
        return False
    (variable, *ends, body), (other, *other_ends, other_body) = left.args, right.args
    if not isinstance(variable, Sym) or not isinstance(other, Sym):
        return False
    pairs = list(zip(ends, other_ends, strict=True))
    pairs.append((substituted(body, {variable.name: _BOUND}), substituted(other_body, {other.name: _BOUND})))
    return all(same(a, b) or (not _without_value(a, b) and equal(a, b)) for a, b in pairs)


def _without_value(*ends: Node) -> bool:
    return any(isinstance(end, Const) and end.name == "dots" for end in ends)
