"""What an answer leaves to be worked out where the gold is worked out."""

from turnwise.verifiers.math.read.lexer import SCALES
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.walk import subtrees, symbols

__all__ = ["last_member", "literal", "names_value", "posed", "undone", "without_steps"]


def last_member(node: tree.Node) -> tree.Node:
    """Return the last member of a chain of equations, which is the answer; any other node as it is."""
    while isinstance(node, tree.Relation) and node.modulus is None and all(op == "=" for op in node.ops):
        node = node.operands[-1]
    return node


def names_value(node: tree.Node, gold: tree.Node) -> bool:
    r"""Return whether a chain begins with a function of other letters than a gold has: ``\sin 2x = 2t``, for 2t."""
    letters = set(symbols(gold))
    if (
        isinstance(gold, tree.Relation)
        or not isinstance(node, tree.Relation)
        or set(node.ops) != {"="}
        or node.modulus is not None
        or not letters
    ):
        return False
    return any(isinstance(part, tree.Call) for part in subtrees(node.operands[0])) and all(
        letters.isdisjoint(symbols(member)) for member in node.operands[:-1]
    )


def without_steps(node: tree.Relation, gold: tree.Node) -> tree.Relation:
    """Return a chain without the members between its ends that cannot be a gold: ab in A = ab = P^2/8."""
    letters = set(symbols(gold))
    if not letters or isinstance(gold, tree.List | tree.Set | tree.Seq):
        return node
    kept = [member for member in node.operands[1:-1] if not symbols(member) or letters & set(symbols(member))]
    return node._replace(operands=(node.operands[0], *kept, node.operands[-1]), ops=("=",) * (len(kept) + 1))


_POSED = {"sum": "sum", "product": "product", "det": "determinant", "gcd": "divisor", "lcm": "multiple",
          "min": "minimum", "max": "maximum"}  # fmt: skip
_OF_VALUES = frozenset({"gcd", "lcm", "min", "max"})  # of letters they may be the shortest form


def posed(node: tree.Node, gold: tree.Node) -> str | None:
    r"""Return what an answer poses and the gold works out, if anything: ``\sum_{k=1}^{10} k``, ``\gcd(12, 18)``."""
    called = {part.name for part in subtrees(last_member(node)) if isinstance(part, tree.Call) and part.name in _POSED}
    if not called:
        return None
    called -= {part.name for part in subtrees(gold) if isinstance(part, tree.Call)}
    if symbols(gold):
        called -= _OF_VALUES
    return _POSED[min(called)] if called else None


def undone(node: tree.Node, gold: tree.Node) -> bool:
    """Say whether an answer leaves arithmetic to be done that the gold has done."""
    node = last_member(node)
    return literal(gold) and not literal(node) and not isinstance(node, tree.Text | tree.List)


def literal(node: tree.Node) -> bool:
    """Whether a tree is a number as written down: digits, a fraction, a mixed number, a percentage, a quantity."""
    match node:
        case tree.Num() | tree.Base():
            return True
        case tree.Neg(x) | tree.Percent(x) | tree.Quantity(x, _):
            return literal(x)
        case tree.Div(tree.Num(), tree.Num()):
            return True
        case tree.Mul((tree.Num(), tree.Pow(tree.Num(base), tree.Num() | tree.Neg(tree.Num())))):
            return base == 10
        case tree.Mul((tree.Num(), tree.Num(scale))):  # 5 million
            return scale in SCALES.values()
        case tree.Add((tree.Num(), tree.Div(tree.Num(), tree.Num()))):
            return True
        case tree.Add(terms):
            return all(isinstance(term, tree.Quantity) and literal(term) for term in terms)
        case tree.Relation((tree.Sym(), value), ("=",), None):
            return literal(value)
    return False
