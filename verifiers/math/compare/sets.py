"""Sets of real numbers in one canonical form: disjoint intervals in ascending order.

Intervals, unions, set builders, solved inequalities and "all numbers but these" are read into it. Sets of whole
numbers that follow from bounds are written out.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.bounds import TooLarge, Undefined
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import closed, infinity, symbols

__all__ = ["Region", "is_region", "others", "region", "root_of_shift", "same_region", "whole_members"]

MAX_PIECES = 64
_FLIPPED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"}
_ORDER = frozenset("<>≤≥")
_CLOSE = Fraction(1, 10**45)


class End(NamedTuple):
    """An end of an interval: as written, its value (±∞ as None with ``infinite``), whether it belongs to it."""

    node: tree.Node
    value: Fraction | None
    infinite: int
    closed: bool


class Piece(NamedTuple):
    """An interval."""

    low: End
    high: End


class Region(NamedTuple):
    """Disjoint intervals in ascending order; ``name``: the variable that they are about, where one was written.

    ``symbolic``: one interval whose ends have variables.
    """

    pieces: tuple[Piece, ...]
    name: str | None = None
    symbolic: bool = False


_MINUS = End(tree.Neg(tree.Const("inf")), None, -1, False)
_PLUS = End(tree.Const("inf"), None, 1, False)
_LINE = (Piece(_MINUS, _PLUS),)


def is_region(node: tree.Node) -> bool:
    """Whether a tree can only mean a set of numbers or an inequality, no point, list or value."""
    match node:
        case tree.Const("reals" | "empty") | tree.SetOp() | tree.SetBuilder():
            return True
        case tree.Seq(items, left, right) if len(items) == 2:
            return (left, right) in (("(", "]"), ("[", ")")) or any(infinity(item) for item in items)
        case tree.Relation(_, ops, _):
            return bool(ops) and (all(op in _ORDER or op == "≠" for op in ops) or ops in (("∈",), ("∉",)))
        case tree.Junction(_, parts) | tree.List(parts):
            return any(is_region(part) and isinstance(part, tree.Relation | tree.Seq | tree.SetOp) for part in parts)
    return False


def region(node: tree.Node, scalars: Scalars) -> Region | None:
    """The canonical form of a set of real numbers; None for what is none.

    Raises:
        Unresolved: An end has no value that can be computed.
    """
    try:
        return _region(node, scalars)
    except Undefined:
        return None


def _region(node: tree.Node, scalars: Scalars) -> Region | None:
    scalars.meter.spend(2)
    match node:
        case tree.Const("reals"):
            return Region(_LINE)
        case tree.Const("empty"):
            return Region(())
        case tree.Set(items) if len(items) <= MAX_PIECES:
            points = [_end(item, True, scalars) for item in items]
            if any(point is None or point.value is None for point in points):
                return None
            return Region(_union([Piece(point, point) for point in points if point]))
        case tree.Seq(items, left, right) if len(items) == 2 and left in "([" and right in ")]":
            found = _interval(items[0], items[1], left == "[", right == "]", None, scalars)
            return found if found is None or found.pieces else None  # (5, 2) is a point
        case tree.SetOp(op, args):
            return _combined(op, [_region(arg, scalars) for arg in args])
        case tree.SetBuilder(element, condition):
            return _built(element, condition, scalars)
        case tree.Relation():
            return _relation(node, scalars)
        case tree.Junction("and", parts) if all(
            isinstance(part, tree.Relation) and part.ops == ("=",) for part in parts
        ):
            return None  # solutions, no contradiction
        case tree.Junction(op, parts):
            return _combined("union" if op == "or" else "intersection", [_region(part, scalars) for part in parts])
        case tree.List(parts):
            regions = [_region(part, scalars) for part in parts]
            both = _combined("intersection", regions)
            # "x > 0, x ≠ 1" is and, "x < 1, x > 3" is or; intervals side by side are a union
            if both is not None and both.pieces and all(isinstance(part, tree.Relation) for part in parts):
                return both
            return _combined("union", regions)
    return None


def _built(element: tree.Node, condition: tree.Node, scalars: Scalars) -> Region | None:
    domain: tree.Node | None = None
    if isinstance(element, tree.Relation) and element.ops == ("∈",):
        element, domain = element.operands
    if not isinstance(element, tree.Sym):
        return None
    parts = [condition] if domain is None else [tree.Relation((element, domain), ("∈",)), condition]
    regions = [_region(part, scalars) for part in parts]
    if any(found is not None and found.name not in (None, element.name) for found in regions):
        return None
    found = _combined("intersection", regions)
    return None if found is None else found._replace(name=None)  # the variable is a bound one


def _end(node: tree.Node, closed_: bool, scalars: Scalars) -> End | None:
    """None where the value is not real; an end with variables has no value."""
    if sign := infinity(node):
        return _PLUS if sign > 0 else _MINUS
    if symbols(node):
        return End(node, None, 0, closed_)
    value = scalars.real(node)
    return None if value is None else End(node, value, 0, closed_)


def _interval(
    low: tree.Node, high: tree.Node, low_closed: bool, high_closed: bool, name: str | None, scalars: Scalars
) -> Region | None:
    left, right = _end(low, low_closed, scalars), _end(high, high_closed, scalars)
    if left is None or right is None or left.infinite > 0 or right.infinite < 0:
        return None
    piece = Piece(left, right)
    if any(end.value is None and not end.infinite for end in piece):
        return Region((piece,), name, True)
    return Region((piece,) if _nonempty(piece) else (), name)


def _relation(node: tree.Relation, scalars: Scalars) -> Region | None:
    operands, ops = node.operands, node.ops
    if node.modulus is not None or not ops:
        return None
    if len(ops) == 1 and ops[0] in ("∈", "∉") and isinstance(operands[0], tree.Sym):
        inside = _region(operands[1], scalars)
        if inside is None or inside.name is not None:
            return None
        found = inside if ops[0] == "∈" else _combined("minus", [Region(_LINE), inside])
        return None if found is None else found._replace(name=operands[0].name)
    if len(ops) == 2 and all(op in _ORDER for op in ops) and isinstance(operands[1], tree.Sym):
        ends, directions = (operands[0], operands[2]), ops
        if directions[0] in ">≥":
            ends, directions = ends[::-1], (_FLIPPED[ops[1]], _FLIPPED[ops[0]])
        if any(op in ">≥" for op in directions):
            return None
        return _interval(ends[0], ends[1], directions[0] == "≤", directions[1] == "≤", operands[1].name, scalars)
    if len(ops) != 1 or ops[0] not in _FLIPPED:
        return None
    left, right, op = operands[0], operands[1], ops[0]
    if closed(left):
        left, right, op = right, left, _FLIPPED[op]
    if not closed(right):
        return None
    return _compared(left, op, right, scalars)


def _compared(left: tree.Node, op: str, right: tree.Node, scalars: Scalars) -> Region | None:
    """``x < 3`` and the like; ``|x - 1| < 3`` too."""
    if isinstance(left, tree.Sym):
        name = left.name
        if infinity(right):
            return Region(_LINE, name) if (op, infinity(right)) in ((">", -1), ("<", 1)) else None
        if op in "<≤":
            return _interval(tree.Neg(tree.Const("inf")), right, False, op == "≤", name, scalars)
        if op in ">≥":
            return _interval(right, tree.Const("inf"), op == "≥", False, name, scalars)
        point = _interval(right, right, True, True, name, scalars)
        return point if op == "=" or point is None else _combined("minus", [Region(_LINE, name), point])
    moved = _shifted(left)
    if moved is not None and (isinstance(left, tree.Neg) or rational(right, scalars.meter) == 0):  # -x < 3, x - 3 > 0
        name, shift, sign = moved
        bound = tree.Add((shift, right)) if sign > 0 else tree.Add((shift, tree.Neg(right)))
        return _compared(tree.Sym(name), op if sign > 0 else _FLIPPED[op], bound, scalars)
    if isinstance(left, tree.Call) and left.name == "abs" and len(left.args) == 1:
        shifted = _shifted(left.args[0])
        if shifted is None:
            return None
        name, shift, _ = shifted
        low, high = tree.Add((shift, tree.Neg(right))), tree.Add((shift, right))
        radius = scalars.real(right)
        if radius is None or radius < 0:
            return None
        if op in "<≤":
            return _interval(low, high, op == "≤", op == "≤", name, scalars)
        sides = [_compared(tree.Sym(name), _FLIPPED[op] if op in _ORDER else op, low, scalars)]
        sides.append(_compared(tree.Sym(name), op, high, scalars))
        return _combined("intersection" if op == "≠" else "union", sides)
    return None


def _shifted(node: tree.Node) -> tuple[str, tree.Node, int] | None:
    """The variable, a and the sign of x in ``x - a`` or ``a - x``."""
    if isinstance(node, tree.Sym):
        return node.name, tree.Num(Fraction(0)), 1
    if isinstance(node, tree.Neg) and isinstance(node.x, tree.Sym):
        return node.x.name, tree.Num(Fraction(0)), -1
    if isinstance(node, tree.Add) and len(node.terms) == 2:
        for own, other in (node.terms, node.terms[::-1]):
            inner = _shifted(own) if not isinstance(own, tree.Add) else None
            if closed(other) and inner is not None:
                return inner[0], tree.Neg(other) if inner[2] > 0 else other, inner[2]
    return None


def root_of_shift(left: tree.Node, right: tree.Node, scalars: Scalars) -> tuple[str, tree.Node] | None:
    """The variable and its value in ``x - 5 = 0``, ``-x = 3``; None for equations that are less solved than that."""
    moved = _shifted(left)
    if moved is None or not (isinstance(left, tree.Neg) or rational(right, scalars.meter) == 0):
        return None
    name, shift, sign = moved
    return name, tree.Add((shift, right)) if sign > 0 else tree.Add((shift, tree.Neg(right)))


def _combined(op: str, regions: list[Region | None]) -> Region | None:
    names = {found.name for found in regions if found is not None} - {None}
    if any(found is None or found.symbolic for found in regions) or len(names) > 1:
        return None
    name = next(iter(names), None)
    parts = [found.pieces for found in regions if found is not None]
    if op == "union":
        return Region(_union([piece for pieces in parts for piece in pieces]), name)
    result = parts[0]
    for pieces in parts[1:]:
        if op == "minus":
            pieces = _complement(pieces)
        elif op != "intersection":
            return None
        result = _intersection(result, pieces)
    return Region(result, name)


def _difference(left: End, right: End) -> int:
    """The sign of left - right."""
    if left.infinite or right.infinite:
        return (left.infinite > right.infinite) - (left.infinite < right.infinite)
    assert left.value is not None
    assert right.value is not None
    gap = left.value - right.value
    if abs(gap) <= _CLOSE * max(abs(left.value), abs(right.value)):
        return 0
    return 1 if gap > 0 else -1


def _nonempty(piece: Piece) -> bool:
    sign = _difference(piece.low, piece.high)
    return sign < 0 or (sign == 0 and piece.low.closed and piece.high.closed)


def _lower(left: End, right: End) -> int:
    """The sign of left - right as lower ends: the closed one of two equal ones is lower."""
    return _difference(left, right) or int(right.closed) - int(left.closed)


def _upper(left: End, right: End) -> int:
    return _difference(left, right) or int(left.closed) - int(right.closed)


def _best(ends: tuple[End, End], order: Callable[[End, End], int], largest: bool) -> End:
    return ends[0] if (order(*ends) > 0) == largest else ends[1]


def _union(pieces: list[Piece]) -> tuple[Piece, ...]:
    if len(pieces) > MAX_PIECES:
        raise TooLarge("a set has too many intervals")
    rest = [piece for piece in pieces if _nonempty(piece)]
    found: list[Piece] = []
    while rest:
        first = rest[0]
        for piece in rest[1:]:
            if _lower(piece.low, first.low) < 0:
                first = piece
        rest.remove(first)
        if found:
            last = found[-1]
            sign = _difference(first.low, last.high)
            if sign < 0 or (sign == 0 and (first.low.closed or last.high.closed)):
                found[-1] = Piece(last.low, _best((last.high, first.high), _upper, True))
                continue
        found.append(first)
    return tuple(found)


def _intersection(left: tuple[Piece, ...], right: tuple[Piece, ...]) -> tuple[Piece, ...]:
    both = []
    for a in left:
        for b in right:
            piece = Piece(_best((a.low, b.low), _lower, True), _best((a.high, b.high), _upper, False))
            if _nonempty(piece):
                both.append(piece)
    if len(both) > MAX_PIECES:
        raise TooLarge("a set has too many intervals")
    return tuple(both)


def _complement(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    found, low = [], _MINUS
    for piece in pieces:
        if not piece.low.infinite:
            found.append(Piece(low, piece.low._replace(closed=not piece.low.closed)))
        low = piece.high._replace(closed=not piece.high.closed)
    if not low.infinite or not pieces:
        found.append(Piece(low, _PLUS))
    return tuple(piece for piece in found if _nonempty(piece))


def others(regions: list[Region]) -> Region | None:
    """The real numbers in none of the sets; None where the sets are about different variables."""
    found = _combined("union", list(regions))
    return None if found is None else Region(_complement(found.pieces), found.name)


def same_region(answer: Region, gold: Region, scalars: Scalars) -> bool:
    """Whether two sets are one: the same ends, open or closed alike, and no other variable."""
    if None not in (answer.name, gold.name) and answer.name != gold.name:
        return False
    if len(answer.pieces) != len(gold.pieces):
        return False
    return all(
        ours.infinite == theirs.infinite
        and ours.closed == theirs.closed
        and (bool(ours.infinite) or scalars.equal(ours.node, theirs.node))
        for piece, other in zip(answer.pieces, gold.pieces, strict=True)
        for ours, theirs in zip(piece, other, strict=True)
    )


def whole_members(found: Region, natural: bool) -> list[Fraction] | None:
    """The whole numbers in a set, only those from 1 where ``natural``; None for more than 1000."""
    members: list[Fraction] = []
    for low, high in found.pieces:
        start = Fraction(1) if low.infinite and natural else low.value
        if start is None or high.value is None or high.value - start > 1000:
            return None
        first = -(-start // 1) + (0 if low.closed or start % 1 or low.infinite else 1)
        last = high.value // 1 - (0 if high.closed or high.value % 1 else 1)
        members.extend(Fraction(n) for n in range(max(first, 1) if natural else first, last + 1))
    return members
