"""Where the parser stands: the tokens, the bounds, the readings, and the rules of the grammar by name."""

import re
from typing import NamedTuple

from turnwise.verifiers.math.read.lexer import MAX_DEPTH, Token
from turnwise.verifiers.math.read.spelling import GREEK
from turnwise.verifiers.math.values.tree import Node, ReadError

__all__ = [
    "BASE_WORDS",
    "FRACTIONS",
    "LETTERS",
    "MARKS",
    "NUMBER_SETS",
    "RELATIONS",
    "SET_OPS",
    "STARTERS",
    "USUAL",
    "VARIABLES",
    "WRAPPERS",
    "Cursor",
    "NotMath",
    "Reading",
]

RELATIONS = {
    "=": "=", "==": "=", ":=": "=", "<": "<", ">": ">", "<=": "≤", ">=": "≥", "!=": "≠", "<>": "≠", "le": "≤",
    "leq": "≤", "leqslant": "≤",
    "leqq": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "geqq": "≥", "lt": "<", "gt": ">", "ne": "≠", "neq": "≠",
    "approx": "≈",
    "simeq": "≈", "doteq": "≈", "equiv": "≡", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "to": "→",
    "rightarrow": "→",
    "->": "→", "mapsto": "→", "mid": "∣", "parallel": "∥", "perp": "⊥", "sim": "∼", "cong": "≅", "equals": "=",
    "in_word": "∈",
    "is": "=",
    "longrightarrow": "→", "propto": "∼",
}  # fmt: skip
SET_OPS = {
    "cup": "union",
    "cap": "intersection",
    "setminus": "minus",
    "backslash": "minus",
    "union": "union",
    "intersection": "intersection",
}
VARIABLES = frozenset(GREEK) - {"pi", "varsigma"}  # Greek letters; with var- or a capital too
NUMBER_SETS = {"R": "reals", "Z": "integers", "N": "naturals", "Q": "rationals", "C": "complexes"}
BASE_WORDS = dict(
    zip(
        "two three four five six seven eight nine ten eleven twelve sixteen hex".split(),  # noqa: SIM905
        [*range(2, 13), 16, 16],
        strict=True,
    )
)
FRACTIONS = frozenset(["frac", "dfrac", "tfrac", "cfrac"])
MARKS = frozenset(["dot", "ddot", "dddot", "tilde", "widetilde", "check", "breve", "mathring", "acute", "grave"])
"""Accents that make another variable: the derivative of x is not x."""
LETTERS = {"hbar": "hbar", "hslash": "hbar", "ell": "l", "imath": "i", "jmath": "j", "nabla": "nabla", "Box": "Box",
           "square": "square", "Pi": "Pi", "partial": "partial", "aleph": "aleph", "wp": "wp"}  # fmt: skip
STARTERS = frozenset(
    [
        "frac", "dfrac", "tfrac", "cfrac", "begin", "{", "lbrace", "lfloor", "lceil", "lvert", "lVert", "langle", "sum",
        "prod",
        "overline", "mathbb", "emptyset", "varnothing", "dots", "ldots", "cdots", "angle", "triangle", "$", "boxed",
        "varphi",
        "vartheta", "varepsilon", "lim", "int", "iint", "iiint", "oint",
        *MARKS, *LETTERS,
    ]
)  # fmt: skip
WRAPPERS = re.compile(
    r"\\(?:text|mathrm|rm|textrm|mbox|operatorname|mathit|mathsf|textbf|textit|mathbf|textnormal"
    r"|textup)\*?\s*\{([^{}]*)\}"
)


class NotMath(Exception):
    """The text is not a formula of the grammar."""


class Reading(NamedTuple):
    """How to read what is ambiguous, and (in a result) what was.

    Attributes:
        commas: ``1,234`` is a number ("thousands"), two numbers ("list"), or 1.234 ("decimal").
        letters: ``5m`` and ``5 m`` are a product ("symbols") or a quantity ("units"); None: the first, the second.
        log: Base of a bare log.
        calls: ``g(x)`` is a function of x ("apply") or a product.
    """

    commas: str = "thousands"
    letters: str | None = None
    log: str = "10"
    calls: str = "apply"


USUAL = Reading()


class Cursor:
    """A position in the tokens of a text."""

    def __init__(self, text: str, found: list[Token], reading: Reading) -> None:
        self.text = text
        self.tokens = found
        self.at = 0
        self.token = found[0]
        self.reading = reading
        self.ambiguous: set[str] = set()
        self.depth = 0
        self.bars = 0  # open |
        self.table = 0  # open tables
        self.builder = 0  # sets whose | or : is a separator
        self.braces_are_sets = "\\" not in text
        if "," in text and re.search(r"\d,\d{3}(?!\d)", text):
            self.ambiguous.add("commas")

    def next(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.at += 1
            self.token = self.tokens[self.at]
        return token

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def is_op(self, *values: str) -> bool:
        return self.token.kind == "op" and self.token.value in values

    def is_cmd(self, *values: str) -> bool:
        return self.token.kind == "cmd" and self.token.value in values

    def is_word(self, *values: str) -> bool:
        return self.token.kind == "word" and self.token.value in values

    def take(self, *values: str) -> bool:
        if self.token.kind in ("op", "cmd") and self.token.value in values:
            self.next()
            return True
        return False

    def expect(self, *values: str) -> str:
        if self.token.kind in ("op", "cmd") and self.token.value in values:
            return self.next().value
        raise NotMath(f"{values[0]} is missing")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ReadError(f"the answer is nested more than {MAX_DEPTH} deep")

    # The rules of the grammar that others build on, each defined at its level.

    def listing(self) -> Node:
        """Clauses with separators between them, up to a closer or the end."""
        raise NotImplementedError

    def clause(self) -> Node:
        """A value or a chain of relations."""
        raise NotImplementedError

    def operand(self) -> Node:
        """One side of a relation."""
        raise NotImplementedError

    def relation_here(self) -> str | None:
        """The relation that stands here."""
        raise NotImplementedError

    def sum(self) -> Node:
        """Terms with signs between them."""
        raise NotImplementedError

    def term(self, start: int) -> Node:
        """A product; ``start``: where the item begins, to know whether variables stand before a unit."""
        raise NotImplementedError

    def power(self) -> Node:
        """A factor with its exponent and marks."""
        raise NotImplementedError

    def exponent(self) -> Node:
        """What stands after ``^``."""
        raise NotImplementedError

    def atom(self) -> Node:
        """A number, a name, a function, something in brackets."""
        raise NotImplementedError

    def postfix(self, value: Node) -> Node:
        """The value with the marks after it: ``! % ° '``."""
        raise NotImplementedError

    def sign(self) -> str:
        """The signs before a term: "+", "-", "±" or "∓"."""
        raise NotImplementedError

    def mixed_number(self, value: Node) -> Node | None:
        """The mixed number that begins with the whole number just read, or None."""
        raise NotImplementedError

    def circle_group(self) -> bool:
        r"""Whether ``{\circ}`` stands here; it is taken then."""
        raise NotImplementedError

    def argument(self) -> Node:
        """One argument of a command: a braced group, or a single digit or symbol."""
        raise NotImplementedError

    def arguments(self) -> tuple[Node, ...] | None:
        """The arguments in brackets or braces; None where there are none."""
        raise NotImplementedError

    def subscript(self) -> str:
        """The subscript that stands here, as text."""
        raise NotImplementedError

    def absolute(self, mark: str) -> Node:
        """An absolute value; its first mark stands here."""
        raise NotImplementedError

    def set_content(self, closers: tuple[str, ...], group: bool = False) -> Node:
        """A set or a group after its opening brace."""
        raise NotImplementedError

    def environment(self, cases: bool = False) -> Node:
        r"""A table after its ``\begin``."""
        raise NotImplementedError

    def amount(self, sign_of_currency: str) -> Node:
        """What stands after a currency sign, as a quantity."""
        raise NotImplementedError

    def condition(self) -> tuple[bool, Node | None]:
        """Whether a condition stands here, and it; None is "otherwise"."""
        raise NotImplementedError
