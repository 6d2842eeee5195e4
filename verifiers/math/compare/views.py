"""The same content in different dress: collections, assignments, branches, signs, constants of integration."""

import re
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from turnwise.verifiers.math.compare import relations, sets
from turnwise.verifiers.math.values.bounds import Meter, Undefined, Unresolved
from turnwise.verifiers.math.values.exact import rational
from turnwise.verifiers.math.values.tree import (
    Add,
    Base,
    Call,
    Cases,
    Const,
    Div,
    Junction,
    List,
    Matrix,
    Mul,
    Neg,
    Node,
    Num,
    Percent,
    PlusMinus,
    Pow,
    Quantity,
    Ratio,
    Relation,
    Seq,
    Set,
    SetBuilder,
    SetOp,
    Sym,
)
from turnwise.verifiers.math.values.values import Scalars
from turnwise.verifiers.math.values.walk import contains, infinity, rebuilt, substituted, subtrees, symbols

__all__ = [
    "VALUES", "Collection", "assignments", "bare", "brackets_agree", "branches", "collection", "constant_renamed",
    "has_dots", "heading", "in_order", "indexed", "opaque", "regrouped", "renamed", "same_antiderivative",
    "signs_written_out", "unqualified", "vanishing", "without_equal_numbers",
]  # fmt: skip

VALUES = (Num, Sym, Const, Neg, Add, Mul, Div, Pow, Call, Percent, Quantity)
_CONSTANTS = frozenset({"C", "c", "K", "const", "constant", "C_1", "c_1", "C_0"})
_ARGUMENTS = frozenset({"x", "y", "z", "t", "u", "v", "w", "r", "s", "theta"})
_INDICES = frozenset("ijklmnpqNK")
_DOMAINS = {"R": "reals", "Z": "integers", "N": "naturals", "Q": "rationals"}
_INDEXED = re.compile(r"([A-Za-z]+)_?[0-9]")
_WITHOUT_VALUE = frozenset({"dots", "empty", "naturals", "integers", "rationals", "reals", "complexes"})


class Collection(NamedTuple):
    """Several values.

    Attributes:
        kind: "tuple" (in brackets, ordered), "list" (bare), "set" (repetitions do not count; "or" and ± too), "matrix".
        items: The values; of a matrix, row by row.
        name: The unknown that they are values of, where one was written.
        brackets: Of a tuple.
        shape: Of a matrix: rows, columns.
    """

    kind: str
    items: tuple[Node, ...]
    name: str | None = None
    brackets: str = ""
    shape: tuple[int, int] = (0, 0)


def bare(node: Node) -> Node:
    """The node without brackets around one item, ``x ∈ {1, 2}`` as x = {1, 2}, vectors and matrices multiplied out."""
    while isinstance(node, Seq) and len(node.items) == 1:
        node = node.items[0]
    if isinstance(node, Relation) and node.ops == ("∈",) and isinstance(node.operands[1], Set):
        return Relation(node.operands, ("=",))
    match node:
        case SetBuilder(Relation((Sym(name), *_)) as bound, Relation((Sym(other), Const()), ("∈",), None) as domain):
            if name == other and bound.ops != ("∈",):  # n ≥ 3, n ∈ ℤ
                return SetBuilder(domain, bound)
    if isinstance(node, List | Junction):
        return _congruences(node.items if isinstance(node, List) else node.parts) or node
    if isinstance(node, Neg | Mul | Div | Add | Call) and contains(node, Seq, Matrix):
        return _multiplied_out(node)
    return node


def _congruences(items: tuple[Node, ...]) -> Junction | None:
    """``x ≡ 1, 4 (mod 5)`` as x ≡ 1 (mod 5) or x ≡ 4 (mod 5)."""
    first, last = (items[0], items[-1]) if items else (None, None)
    if not isinstance(first, Relation) or first.ops != ("≡",) or first.modulus is not None:
        return None
    if not isinstance(last, Relation) or last.ops or last.modulus is None or contains(List(items[1:-1]), Relation):
        return None
    values = (first.operands[1], *items[1:-1], last.operands[0])
    return Junction("or", tuple(Relation((first.operands[0], v), ("≡",), last.modulus) for v in values))


def regrouped(node: Node, gold: Node) -> Node:
    """The tree with braces, brackets and letters read as they must be meant.

    ``{4}^n`` has no set, U between intervals is a union, R is the set of the reals where the gold is that, C(2n, n) is
    a binomial coefficient where the gold has one, P(2, -1) is a point where the gold is one.
    """
    if isinstance(node, Sym) and isinstance(gold, Const) and _DOMAINS.get(node.name) == gold.name:
        return gold
    if isinstance(gold, Seq):
        match node:
            case Call("permutations" | "binomial", items):
                return Seq(items)
            case Call("apply", (Sym(name), *coordinates)) if len(name) == 1 and name.isupper():
                return Seq(tuple(coordinates))
            case Mul((Sym(name), Seq() as point)) if len(name) == 1 and name.isupper():
                return point
    if isinstance(node, Relation) and node.ops == ("→",) and isinstance(gold, Relation) and gold.ops == ("=",):
        head = node.operands[0]  # f: x ↦ 1/x
        if isinstance(head, Ratio) and len(head.parts) == 2 and isinstance(head.parts[0], Sym):
            return Relation((Call("apply", head.parts), node.operands[1]), ("=",))
    if not contains(node, Set, Seq):
        return node
    chooses = any(isinstance(part, Call) and part.name == "binomial" for part in subtrees(gold))
    return rebuilt(node, lambda part: _regrouped(part, chooses))


def _regrouped(node: Node, chooses: bool) -> Node | None:
    match node:
        case Pow(Set((base,)), exponent):
            return Pow(base, exponent)
        case Mul((Seq() as first, Sym("U"), *rest)) if len(rest) % 2:
            if all(isinstance(p, Seq) for p in rest[::2]) and all(p == Sym("U") for p in rest[1::2]):
                return SetOp("union", (first, *rest[::2]))
        case Mul((*rest, Sym("C"), Seq((n, k), "(", ")"))) if chooses:
            choice = Call("binomial", (n, k))
            return Mul((*rest, choice)) if rest else choice
        case Mul(factors) if any(isinstance(factor, Set) for factor in factors):
            bare_ = (f.items[0] if isinstance(f, Set) and len(f.items) == 1 else f for f in factors)
            return Mul(tuple(bare_))
    return None


def unqualified(node: Node, gold: Node, scalars: Scalars) -> Node:
    """An answer without what only says what its variable is: ``2n + 1, n ∈ ℕ``, ``a_n = 2n + 1 for n ≥ 1``.

    Only for a gold that has this variable and says nothing of it.
    """
    free = symbols(gold)
    if not free or any(isinstance(part, SetBuilder | Cases | List | Junction) for part in subtrees(gold)):
        return node
    if isinstance(gold, Relation) and gold.ops != ("=",):
        return node
    split = _qualified(node)
    if split is None or not all(_harmless(condition, gold, scalars) for condition in split[1]):
        return node
    return split[0]


def _qualified(node: Node) -> tuple[Node, tuple[Node, ...]] | None:
    """A formula and the conditions after it; None where there are none."""
    match node:
        case SetBuilder(element, condition):
            domain = isinstance(element, Relation) and element.ops == ("∈",)
            return None if domain else (element, (condition,))
        case Cases(((value, condition),)) if condition is not None:
            return value, (condition,)
        case List((first, *rest)) if rest and not isinstance(rest[0], Num):
            if isinstance(rest[0], Relation) and rest[0].ops == ("=",):  # n = 1, 2, 3, ...
                return first, (List(tuple(rest)),)
            return first, tuple(rest)
        case Relation((head, right), ("=",), None) if (inner := _qualified(right)) is not None:
            return Relation((head, inner[0]), ("=",)), inner[1]
        case Mul((*factors, Relation() as condition)) if factors:
            return (Mul(tuple(factors)) if len(factors) > 1 else factors[0]), (condition,)
        case Add((*terms, last)) if (inner := _qualified(last)) is not None:
            return Add((*terms, inner[0])), inner[1]
    return None


def _harmless(condition: Node, gold: Node, scalars: Scalars) -> bool:
    """Whether a condition restricts nothing: n is a whole number from 0, 1 or 2 on, x is where the gold has a value."""
    free = symbols(gold)
    match condition:
        case Sym(name):  # for all x
            return name in free
        case Relation((Sym(name), Const(domain)), ("∈",), None):
            return name in free and (domain == "reals" or (domain in ("naturals", "integers") and name in _INDICES))
        case Relation((Sym(name), Seq((Num(low), end), "(" | "[")), ("∈",), None) if infinity(end) > 0:  # ℕ₊
            return name in free and name in _INDICES and low in (0, 1)
        case Relation((Sym(name), Num(low)), ("≥" | ">",), None):
            return name in free and name in _INDICES and low in (0, 1, 2)
        case Relation((Sym(name), Num(value)), ("≠",), None) if name in free:
            body = gold.operands[-1] if isinstance(gold, Relation) else gold
            try:
                scalars.real(substituted(body, {name: Num(value)}))
            except Undefined:
                return True
            except Unresolved:
                return False
        case List((Relation((Sym(name), Num(first)), ("=",), None), Num(second), *_, Const("dots"))):
            return name in free and first in (0, 1) and second == first + 1
    return False


def indexed(values: dict[str, Node]) -> Collection | None:
    """The solutions ``x_1 = 2, x_2 = -2`` of one unknown; None where the names are of several."""
    found = [_INDEXED.fullmatch(name) for name in values]
    names = {match[1] for match in found if match is not None}
    if None in found or len(names) != 1:
        return None
    return Collection("list", tuple(values.values()), names.pop())


def _multiplied_out(node: Node) -> Node:
    match node:
        case Neg(x):
            return _entrywise(_multiplied_out(x), lambda entry: Neg(entry)) or node
        case Div(top, bottom) if not contains(bottom, Seq, Matrix):
            return _entrywise(_multiplied_out(top), lambda entry: Div(entry, bottom)) or node
        case Call("transpose", (Matrix(rows),)):
            return Matrix(tuple(zip(*rows, strict=True)))
        case Mul(factors):
            blocks = [factor for factor in factors if contains(factor, Seq, Matrix)]
            if len(blocks) == 1:
                others = tuple(factor for factor in factors if factor is not blocks[0])
                return _entrywise(_multiplied_out(blocks[0]), lambda entry: Mul((*others, entry))) or node
        case Add(terms):
            blocks = [_multiplied_out(term) for term in terms]
            if all(isinstance(block, Matrix) for block in blocks) and len({_shape(b) for b in blocks}) == 1:
                grids = [block.rows for block in blocks if isinstance(block, Matrix)]
                return Matrix(
                    tuple(tuple(Add(cell) for cell in zip(*row, strict=True)) for row in zip(*grids, strict=True))
                )
            if all(isinstance(block, Seq) for block in blocks):
                columns = [block.items for block in blocks if isinstance(block, Seq)]
                if len({len(column) for column in columns}) == 1:
                    return Seq(tuple(Add(entries) for entries in zip(*columns, strict=True)))
    return node


def _shape(node: Node) -> tuple[int, int]:
    return (len(node.rows), len(node.rows[0]) if node.rows else 0) if isinstance(node, Matrix) else (0, 0)


def _entrywise(node: Node, change: object) -> Node | None:
    assert callable(change)
    if isinstance(node, Seq):
        return node._replace(items=tuple(change(item) for item in node.items))
    if isinstance(node, Matrix):
        return Matrix(tuple(tuple(change(entry) for entry in row) for row in node.rows))
    return None


def signs_written_out(node: Node) -> Node:
    """The tree without ±: both signs as alternatives; items of a list each on their own."""
    if not contains(node, PlusMinus):
        return node
    if isinstance(node, Set | List):
        return type(node)(tuple(item for part in node.items for item in _signed(part)))
    if isinstance(node, Junction):
        return Junction(node.op, tuple(item for part in node.parts for item in _signed(part)))
    return Junction("or", _signed(node))


def _signed(node: Node) -> tuple[Node, ...]:
    if not contains(node, PlusMinus):
        return (node,)
    return tuple(rebuilt(node, lambda part, plus=plus: _one_sign(part, plus)) for plus in (True, False))  # type: ignore[misc]


def _one_sign(part: Node, plus: bool) -> Node | None:
    if not isinstance(part, PlusMinus):
        return None
    right = rebuilt(part.right, lambda inner: _one_sign(inner, plus))
    signed = right if (part.sign == "±") == plus else Neg(right)
    return signed if part.left is None else Add((rebuilt(part.left, lambda inner: _one_sign(inner, plus)), signed))


def collection(node: Node) -> Collection | None:
    """The collection that a tree is; None for a single value, a relation, a region."""
    match node:
        case Seq(items, left, right):
            return Collection("tuple", items, brackets=left + right)
        case Set(items):
            return _named("set", items)
        case List(items):
            return _named("list", items)
        case Junction(op, parts):
            return _named("set" if op == "or" else "list", parts)
        case Matrix(rows):
            return Collection("matrix", tuple(entry for row in rows for entry in row), shape=_shape(node))
        case Relation((Sym(name), value), ("=",), None):
            inner = collection(value)
            return None if inner is None else inner._replace(name=name)
        case Relation((Seq(names), value), ("=",), None) if all(isinstance(item, Sym) for item in names):
            return collection(value)
    return None


def _named(kind: str, items: tuple[Node, ...]) -> Collection:
    """With the common name of ``x = 1, x = 2`` or ``x = 1, 2`` taken off."""
    found = [relations.solved(item) for item in items]
    names = {entry[0] for entry in found if entry is not None}
    pairs = list(zip(items, found, strict=True))
    if len(names) != 1 or found[0] is None or any(e is None and isinstance(i, Relation) for i, e in pairs):
        return Collection(kind, items)
    return Collection(kind, tuple(item if entry is None else entry[1] for item, entry in pairs), names.pop())


def assignments(node: Node) -> dict[str, Node] | None:
    """``x = 1, y = 2`` as a dict in the order written; None for anything else."""
    if isinstance(node, Relation) and node.ops == ("=",) and len(node.operands) == 2:
        left, right = node.operands
        if isinstance(left, Seq) and isinstance(right, Seq) and len(left.items) == len(right.items):
            names = [item.name for item in left.items if isinstance(item, Sym)]
            if len(set(names)) == len(left.items):
                return dict(zip(names, right.items, strict=True))
        return None
    if isinstance(node, List | Set):
        parts = node.items
    elif isinstance(node, Junction) and node.op == "and":
        parts = node.parts
    else:
        return None
    found = [relations.solved(part) for part in parts]
    values = {entry[0]: entry[1] for entry in found if entry is not None}
    return values if len(values) == len(parts) >= 2 else None


def in_order(node: Node) -> tuple[Node, ...] | None:
    """The items of a tuple, a list, a row or a column; None for anything else."""
    found = collection(node)
    if found is None or found.kind == "set" or (found.kind == "matrix" and 1 not in found.shape):
        return None
    return found.items


def renamed(item: Node, name: str | None) -> Node:
    """``name = item``, where there is a name."""
    return item if name is None or isinstance(item, Relation) else Relation((Sym(name), item), ("=",))


def has_dots(items: tuple[Node, ...]) -> bool:
    """Whether an ellipsis is among the items."""
    return any(isinstance(item, Const) and item.name == "dots" for item in items)


def brackets_agree(answer: Collection, gold: Collection, scalars: Scalars) -> bool:
    """Whether the brackets can mean the same: (1, 2) and [1, 2] may be different intervals."""
    if len(gold.items) != 2 or answer.kind != "tuple" or answer.brackets == gold.brackets:
        return True
    if "⟨" in answer.brackets + gold.brackets:
        return "[" not in answer.brackets + gold.brackets or "(" not in answer.brackets + gold.brackets
    if any(infinity(item) for item in gold.items):
        return False
    values = [rational(item, scalars.meter) for item in gold.items]
    return None not in values and values[0] >= values[1]  # type: ignore[operator]


def branches(node: Node, scalars: Scalars) -> list[tuple[Node, Node | sets.Region | None]] | None:
    """The values and conditions of a piecewise definition; "otherwise" as the numbers left over, if known."""
    if isinstance(node, Relation) and node.ops == ("=",):
        node = node.operands[-1]
    if not isinstance(node, Cases):
        return None
    found: list[tuple[Node, Node | sets.Region | None]] = []
    for value, condition in node.cases:
        known = None if condition is None else sets.region(condition, scalars)
        found.append((value, condition if known is None or known.symbolic else known))
    conditions = [condition for _, condition in found]
    regions = [condition for condition in conditions if isinstance(condition, sets.Region)]
    if conditions.count(None) == 1 and len(regions) == len(conditions) - 1:
        rest = sets.others(regions)
        if rest is not None:
            found = [(value, rest if condition is None else condition) for value, condition in found]
    return found


def opaque(answer: Node, gold: Node) -> bool:
    """Whether something without a numerical value is inside, so that only the structure can be compared."""
    return any(
        not isinstance(part, (*VALUES, Base)) or (isinstance(part, Const) and part.name in _WITHOUT_VALUE)
        for tree in (answer, gold)
        for part in subtrees(tree)
        if not (isinstance(part, Matrix))
    )


def vanishing(node: Node) -> bool:
    """Whether it is a zero with a letter: 0 K, read as a product."""
    if not isinstance(node, Mul):
        return False
    zero = any(isinstance(factor, Num) and not factor.value for factor in node.factors)
    return zero and any(isinstance(factor, Sym) for factor in node.factors)


def heading(node: Node) -> object:
    """What a node says besides its parts: the name of a function, the operators of a relation."""
    match node:
        case Call(name, args):
            return name, len(args)
        case Seq(_, left, right):
            return left, right
        case SetOp(op, _) | Junction(op, _):
            return op
        case Relation(_, ops, modulus):
            return ops, modulus is None
        case Matrix():
            return _shape(node)
        case Quantity(_, unit):
            return unit._replace(name="")
    return None


def without_equal_numbers(
    answers: tuple[Node, ...], golds: tuple[Node, ...], meter: Meter
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The items that are left when equal plain numbers of both sides are struck out."""
    values = [item.value if isinstance(item, Num) else None for item in golds]
    counts = Counter(value for value in values if value is not None)
    ours = []
    for item in answers:
        value = item.value if isinstance(item, Num) else None
        if value is not None and counts[value]:
            counts[value] -= 1
        else:
            ours.append(item)
    theirs = []
    for item, value in zip(golds, values, strict=True):
        if value is None or counts[value]:
            theirs.append(item)
            if value is not None:
                counts[value] -= 1
    meter.spend(len(answers) // 2)
    return tuple(ours), tuple(theirs)


def _split_constant(node: Node) -> tuple[Node, str] | None:
    """F and C of ``F + C``, C a constant of integration that is nowhere else."""
    terms = node.terms if isinstance(node, Add) else (node,)
    for i, term in enumerate(terms):
        inner = term.x if isinstance(term, Neg) else term
        if isinstance(inner, Sym) and inner.name in _CONSTANTS:
            rest = terms[:i] + terms[i + 1 :]
            if any(inner.name in symbols(other) for other in rest):
                continue
            if not rest:
                return Num(Fraction(0)), inner.name
            return (rest[0] if len(rest) == 1 else Add(rest)), inner.name
    return None


def same_antiderivative(answer: Node, gold: Node, scalars: Scalars) -> bool | None:
    """Whether both are one function up to a constant, for a gold ``F + C``; None for any other gold."""
    split = _split_constant(gold)
    if split is None or not symbols(split[0]) or not _arbitrary(split[1], gold):
        return None
    ours = _split_constant(answer)
    if ours is None:
        return False if set(symbols(answer)) != set(symbols(gold)) else None
    if set(symbols(ours[0])) != set(symbols(split[0])):
        return None
    return scalars.equal(ours[0], split[0]) or scalars.differ_by_a_constant(ours[0], split[0])


def _arbitrary(name: str, gold: Node) -> bool:
    """Whether a name in a gold is that of an arbitrary constant, and not of a thing, as in a + b + c or A + B + C."""
    others = set(symbols(gold)) - {name}
    if name == "c":
        return len(others) == 1 and others <= _ARGUMENTS
    return name in _CONSTANTS and not others & {"A", "B"}


def constant_renamed(answer: Node, gold: Node) -> Node:
    """The answer with the gold's name for its arbitrary constant, where each has one that the other lacks."""
    if not isinstance(gold, Sym | Num):
        names, names_gold = symbols(answer), symbols(gold)
        extra = [name for name in names if name not in names_gold]
        missing = [name for name in names_gold if name not in names]
        if len(extra) != 1 or len(missing) != 1 or len(names_gold) < 2:
            return answer
        if extra[0] in _CONSTANTS and _arbitrary(missing[0], gold):
            return substituted(answer, {extra[0]: Sym(missing[0])})
    return answer
