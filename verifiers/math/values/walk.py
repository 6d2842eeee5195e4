"""Walking over trees: children, symbols, substitution, structural identity.

Nodes are tuples, so ``==`` does not see their type (``Add((a, b)) == Mul((a, b))``): `same` does.
"""

from collections.abc import Callable, Iterator, Mapping

from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import MAX_DEPTH, MAX_NODES, TooLarge

__all__ = ["BINDERS", "children", "closed", "contains", "infinity", "measure", "rebuilt", "same", "subtrees", "symbols"]

BINDERS = frozenset({"sum", "product", "limit", "integral"})
"""Functions whose first argument is a variable that is bound in the last one."""
_CHILDREN: dict[type, Callable[..., tuple[tree.Node, ...]]] = {
    tree.Num: lambda n: (),
    tree.Sym: lambda n: (),
    tree.Const: lambda n: (),
    tree.Base: lambda n: (),
    tree.Text: lambda n: (),
    tree.Neg: lambda n: (n.x,),
    tree.Percent: lambda n: (n.x,),
    tree.Quantity: lambda n: (n.value,),
    tree.Add: lambda n: n.terms,
    tree.Mul: lambda n: n.factors,
    tree.Div: lambda n: (n.top, n.bottom),
    tree.Pow: lambda n: (n.base, n.exponent),
    tree.Call: lambda n: n.args,
    tree.PlusMinus: lambda n: (n.right,) if n.left is None else (n.left, n.right),
    tree.Ratio: lambda n: n.parts,
    tree.Seq: lambda n: n.items,
    tree.List: lambda n: n.items,
    tree.Set: lambda n: n.items,
    tree.SetBuilder: lambda n: (n.element, n.condition),
    tree.SetOp: lambda n: n.args,
    tree.Matrix: lambda n: tuple(entry for row in n.rows for entry in row),
    tree.Relation: lambda n: n.operands if n.modulus is None else (*n.operands, n.modulus),
    tree.Junction: lambda n: n.parts,
    tree.Cases: lambda n: tuple(part for case in n.cases for part in case if part is not None),
}
_NODE_TYPES = frozenset(_CHILDREN)


def children(node: tree.Node) -> tuple[tree.Node, ...]:
    """The nodes directly below a node, in order."""
    return _CHILDREN[type(node)](node)


def measure(*roots: tree.Node) -> int:
    """The number of nodes of the trees together.

    Raises:
        Unresolved: A tree is deeper than `MAX_DEPTH`, or there are more than `MAX_NODES` nodes.
    """
    count, level = 0, list(roots)
    for _ in range(MAX_DEPTH):
        count += len(level)
        if count > MAX_NODES:
            raise TooLarge(f"the expressions have more than {MAX_NODES} parts")
        level = [child for node in level for child in _CHILDREN[type(node)](node)]
        if not level:
            return count
    raise TooLarge(f"an expression is nested deeper than {MAX_DEPTH}")


def subtrees(node: tree.Node) -> Iterator[tree.Node]:
    """The node and everything below it, from the left."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(_CHILDREN[type(node)](node)))


def contains(node: tree.Node, *types: type) -> bool:
    """Whether a node of one of the types is in the tree."""
    return any(type(part) in types for part in subtrees(node))


def symbols(node: tree.Node) -> dict[str, None]:
    """The names of the free variables, in order of appearance (a dict, for its order)."""
    found: dict[str, None] = {}
    _collect(node, frozenset(), found)
    return found


def _collect(node: tree.Node, bound: frozenset[str], found: dict[str, None]) -> None:
    kind = type(node)
    if kind is tree.Sym:
        if node.name not in bound:  # type: ignore[union-attr]
            found.setdefault(node.name)  # type: ignore[union-attr]
        return
    parts = _CHILDREN[kind](node)
    if isinstance(node, tree.Call):
        if node.name == "apply":
            parts = parts[1:]  # the name of the function is not a variable
        elif node.name in BINDERS and parts and isinstance(parts[0], tree.Sym):
            for part in parts[1:-1]:
                _collect(part, bound, found)
            _collect(parts[-1], bound | {parts[0].name}, found)
            return
    for part in parts:
        _collect(part, bound, found)


def infinity(node: tree.Node) -> int:
    """1 for ∞, -1 for -∞, 0 for anything else."""
    sign = 1
    while isinstance(node, tree.Neg):
        node, sign = node.x, -sign
    return sign if isinstance(node, tree.Const) and node.name == "inf" else 0


def closed(node: tree.Node) -> bool:
    """Whether no variable is free in it."""
    return not symbols(node)


def same(left: tree.Node, right: tree.Node) -> bool:
    """Whether two trees are written alike, node for node, whatever the names of their units and the decimals' zeros."""
    stack: list[tuple[tree.Node, tree.Node]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        kind = type(a)
        if kind is not type(b):
            return False
        below_a, below_b = _CHILDREN[kind](a), _CHILDREN[kind](b)
        if len(below_a) != len(below_b):
            return False
        if not below_a:
            if a != b:
                return False
        elif _label(a) != _label(b):
            return False
        stack.extend(zip(below_a, below_b, strict=True))
    return True


def _label(node: tree.Node) -> object:
    match node:
        case tree.Call(name, _):
            return name
        case tree.PlusMinus(left, _, sign):
            return (left is None, sign)
        case tree.Quantity(_, unit):
            return unit._replace(name="")
        case tree.Seq(_, left, right):
            return (left, right)
        case tree.SetOp(op, _) | tree.Junction(op, _):
            return op
        case tree.Matrix(rows):
            return len(rows)
        case tree.Relation(_, ops, modulus):
            return (ops, modulus is None)
        case tree.Cases(cases):
            return tuple(condition is None for _, condition in cases)
    return None


def rebuilt(node: tree.Node, change: Callable[[tree.Node], tree.Node | None]) -> tree.Node:
    """The tree with ``change(part)`` in the place of each part for which that is not None, from the top.

    Bound indices of sums are left alone only by a ``change`` that leaves them alone.
    """
    replacement = change(node)
    if replacement is not None:
        return replacement
    if not _CHILDREN[type(node)](node):
        return node
    return type(node)(*(_rebuilt_field(field, change) for field in node))  # type: ignore[arg-type]


def _rebuilt_field(field: object, change: Callable[[tree.Node], tree.Node | None]) -> object:
    if type(field) in _NODE_TYPES:
        return rebuilt(field, change)  # type: ignore[arg-type]
    if type(field) is tuple and field:
        return tuple(_rebuilt_field(item, change) for item in field)
    return field


def substituted(node: tree.Node, values: Mapping[str, tree.Node]) -> tree.Node:
    """The tree with nodes in the place of variables."""
    return rebuilt(node, lambda part: values.get(part.name) if type(part) is tree.Sym else None)
