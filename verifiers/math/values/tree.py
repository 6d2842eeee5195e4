"""What a mathematical answer is read into: a closed set of plain nodes.

`turnwise.verifiers.math.read.reader` makes them from text, `turnwise.verifiers.math.compare.compare` compares them.
Nothing in a tree is ever looked up or called by name: a `Call` has one of the names in `FUNCTIONS`.
"""

from fractions import Fraction
from typing import NamedTuple, TypeAlias

__all__ = [
    "CONSTANTS", "FUNCTIONS", "Add", "Base", "Call", "Cases", "Const", "Div", "Junction", "List", "Matrix", "Mul",
    "Neg", "Node", "Num", "Percent", "PlusMinus", "Pow", "Quantity", "Ratio", "ReadError", "Relation", "Seq", "Set",
    "SetBuilder", "SetOp", "Sym", "Text", "Unit",
]  # fmt: skip

CONSTANTS = frozenset({"pi", "e", "i", "inf", "dots", "empty", "naturals", "integers", "rationals", "reals",
                       "complexes"})  # fmt: skip
FUNCTIONS = frozenset({
    "root",  # root(x, n): the n-th root
    "abs", "floor", "ceil", "exp", "ln", "log",  # log(x, base)
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc",
    "sinh", "cosh", "tanh", "coth", "arsinh", "arcosh", "artanh",
    "factorial", "double_factorial", "binomial", "permutations",  # binomial(n, k), permutations(n, k)
    "gcd", "lcm", "min", "max", "re", "im", "conj", "arg", "sgn",
    "sum", "product",  # sum(index Sym, from, to, term)
    "apply",  # apply(Sym f, argument, ...): an unknown function, as in f(x)
    "prime",  # prime(x): x' or f'; prime(x, t): dx/dt
    "det", "transpose", "vector",  # vector(x): an arrow or a hat over x
    "limit",  # limit(variable Sym, its limit, term)
    "integral",  # integral(variable Sym, from, to, integrand); without bounds both are Const("dots")
})  # fmt: skip


class ReadError(ValueError):
    """The text goes past the bounds of the grammar: too long, too deep, too large a number; the message says which."""


class Unit(NamedTuple):
    """A unit of measurement.

    Attributes:
        dimensions: Base dimensions with their powers, sorted by name, no power 0: ``(("length", 2),)``. Currencies
            are dimensions of their own (``"USD"``); counted things too (``"count:apple"``).
        scale: How many coherent base units one of it is.
        offset: For temperatures: base value = scale * value + offset.
        pi: Power of π that the scale has besides (a degree is π/180 radians: scale 1/180, pi 1).
        name: As it was written.
    """

    dimensions: tuple[tuple[str, Fraction], ...]
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    pi: int = 0
    name: str = ""


class Num(NamedTuple):
    """A number. ``places``: digits after the point as written, None where none was written (0.75 has 2, 3 None).

    A repeating decimal is exact: None. ``1.5e3`` has value 1500 and the places of 1.5 less 3 (-2).
    """

    value: Fraction
    places: int | None = None


class Sym(NamedTuple):
    r"""A variable: ``x``, ``x_1``, ``alpha`` (from α or ``\alpha``), ``AB`` where a name has several letters."""

    name: str


class Const(NamedTuple):
    """One of `CONSTANTS`; ``dots`` is an ellipsis in a list or sum, ``inf`` is ∞."""

    name: str


class Neg(NamedTuple):
    """-x."""

    x: "Node"


class Add(NamedTuple):
    """A sum of two or more terms; a difference has a `Neg` term."""

    terms: tuple["Node", ...]


class Mul(NamedTuple):
    """A product of two or more factors."""

    factors: tuple["Node", ...]


class Div(NamedTuple):
    """A quotient."""

    top: "Node"
    bottom: "Node"


class Pow(NamedTuple):
    """A power."""

    base: "Node"
    exponent: "Node"


class Call(NamedTuple):
    """One of `FUNCTIONS` of its arguments. sin²x is ``Pow(Call("sin", (x,)), 2)``, sin⁻¹x is arcsin."""

    name: str
    args: tuple["Node", ...]


class PlusMinus(NamedTuple):
    """``left ± right`` (left None: ``± right``); ``sign`` is "±" or "∓". All signs of a tree go together."""

    left: "Node | None"
    right: "Node"
    sign: str = "±"


class Percent(NamedTuple):
    """x %: x / 100."""

    x: "Node"


class Quantity(NamedTuple):
    """A value with a unit: 5 cm, $5, 36°, 12 apples."""

    value: "Node"
    unit: Unit


class Base(NamedTuple):
    """Digits in a base, as in 204_5 or 0.011_2: the value, the base."""

    value: Fraction
    base: int


class Ratio(NamedTuple):
    """1:2:3."""

    parts: tuple["Node", ...]


class Seq(NamedTuple):
    """Items between brackets: a tuple, a vector, an interval (what it is, the other side tells).

    ``left`` is one of ``( [ ⟨``, ``right`` one of ``) ] ⟩``; mixed pairs such as ``[1, 2)`` are intervals. French
    ``]1, 2[`` is read into ``(1, 2)``. One item alone between brackets is that item, except in ``[ ]`` and ``⟨ ⟩``.
    """

    items: tuple["Node", ...]
    left: str = "("
    right: str = ")"


class List(NamedTuple):
    """Two or more items side by side without brackets: ``1, 2, 3``, ``1; 2``, ``1, 2 and 3``."""

    items: tuple["Node", ...]


class Set(NamedTuple):
    """``{1, 2}``."""

    items: tuple["Node", ...]


class SetBuilder(NamedTuple):
    """``{element | condition}``: {x | x > 0}, {2n : n ∈ ℤ}, {x ∈ ℝ | x > 0} (element: the Relation x ∈ ℝ)."""

    element: "Node"
    condition: "Node"


class SetOp(NamedTuple):
    """``op`` is ``union``, ``intersection``, ``minus`` or ``times`` (a Cartesian product, ℝ² too)."""

    op: str
    args: tuple["Node", ...]


class Matrix(NamedTuple):
    """Rows of equal length."""

    rows: tuple[tuple["Node", ...], ...]


class Relation(NamedTuple):
    """A chain of comparisons: ``operands`` is one longer than ``ops``.

    Ops: ``= ≠ < > ≤ ≥ ≈ ≡ ∈ ∉ ⊂ ⊆ → ∣ ∥ ⊥ ∼ ≅``. ``modulus`` is that of ``≡``; ``x ≡ 3 (mod 7)`` has it, a bare
    ``3 (mod 7)`` is a Relation with one operand and no op.
    """

    operands: tuple["Node", ...]
    ops: tuple[str, ...]
    modulus: "Node | None" = None


class Junction(NamedTuple):
    """Statements or values joined by words: ``op`` is "or" or "and" (``x < 1 or x > 3``, ``x = 1 and y = 2``).

    ``1 and 2`` (plain values) is a `List`; ``1 or 2`` is a Junction.
    """

    op: str
    parts: tuple["Node", ...]


class Cases(NamedTuple):
    """A piecewise definition: (value, condition); condition None is "otherwise"."""

    cases: tuple[tuple["Node", "Node | None"], ...]


class Text(NamedTuple):
    """Text that is not mathematics: words, a choice's letter, an unreadable formula. Spaces collapse, case stays."""

    text: str


Node: TypeAlias = (
    Num | Sym | Const | Neg | Add | Mul | Div | Pow | Call | PlusMinus | Percent | Quantity | Base | Ratio | Seq | List
    | Set | SetBuilder | SetOp | Matrix | Relation | Junction | Cases | Text
)  # fmt: skip
