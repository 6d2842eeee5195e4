"""Vectors by components and by the unit vectors i, j, k."""

from fractions import Fraction

from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.tree import Add, Call, Const, Matrix, Mul, Node, Num, Seq, Sym
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import rebuilt, substituted, subtrees, symbols

__all__ = ["components", "has_unit_vectors", "i_as_symbol"]

_UNIT_VECTORS = ("i", "j", "k")


def has_unit_vectors(node: Node) -> bool:
    """Whether i in a tree is a unit vector: an arrow or a hat is over something, or j stands beside it."""
    names = symbols(node)
    if "i" in names or any(isinstance(part, Call) and part.name == "vector" for part in subtrees(node)):
        return True
    return "j" in names and any(isinstance(part, Const) and part.name == "i" for part in subtrees(node))


def i_as_symbol(tree: Node) -> Node:
    """The tree with the variable i in the place of the imaginary unit, arrows over i, j, k taken off."""

    def change(part: Node) -> Node | None:
        if isinstance(part, Const) and part.name == "i":
            return Sym("i")
        if isinstance(part, Call) and part.name == "vector" and len(part.args) == 1:
            inner = part.args[0]
            return Sym(inner.name) if isinstance(inner, Sym | Const) and inner.name in _UNIT_VECTORS else None
        return None

    return rebuilt(tree, change)


def components(node: Node, like: Node, scalars: Scalars) -> Seq | None:
    """The components of ``2i - j``, as many as the vector ``like`` has (2 or 3); None for any other text."""
    size = len(like.items) if isinstance(like, Seq) else len(like.rows) if isinstance(like, Matrix) else 0
    if not 2 <= size <= 3 or not isinstance(node, Add | Mul | Sym | Call):
        return None
    vector = i_as_symbol(node)
    names = _UNIT_VECTORS[:size]
    if not {"j", "k"} & set(symbols(vector)) or "j" in symbols(like):
        return None
    found = []
    for chosen in names:
        at: dict[str, Node] = {name: Num(Fraction(name == chosen)) for name in _UNIT_VECTORS}
        found.append(substituted(vector, at))
    whole = Add(tuple(Mul((part, Sym(name))) for part, name in zip(found, names, strict=True)))
    origin = substituted(vector, {name: Num(Fraction(0)) for name in _UNIT_VECTORS})
    if rational(origin, scalars.meter) != 0 or not scalars.equal(vector, whole):
        return None
    return Seq(tuple(found), "⟨", "⟩")
