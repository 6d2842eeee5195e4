"""The source of a generated program while it is written: its lines and variables, with their bounds."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.generated.domain import Domain
from turnwise.worlds.programs.generated.expressions import Expr, atom

__all__ = ["MAX_STEPS", "NAMES", "STRUCTURES", "TYPES", "Point", "Spec", "TooMuch", "Type", "Var", "Writer"]

Type = Literal["int", "str", "ints", "words", "dict"]
TYPES = ("int", "list", "str", "dict")
STRUCTURES = ("plain", "helper", "recursion", "class")
MAX_STEPS = 20_000
"""Maximum number of lines that a program executes on any input of its domain."""
MAX_SIZE = 400  # items of a list, characters of a string

NAMES: dict[str, tuple[str, ...]] = {
    "int": ("total", "score", "count", "best", "offset", "rest", "mark", "level", "balance", "weight"),
    "ints": ("result", "picked", "values", "kept", "steps", "sums", "rows", "queue"),
    "str": ("out", "code", "line", "label", "merged", "tail", "key_text", "name"),
    "words": ("parts", "tokens", "labels", "pieces", "chosen"),
    "dict": ("counts", "seen", "table", "groups", "index"),
    "number": ("x", "n", "v", "num", "item", "y"),
    "place": ("i", "j", "k", "pos"),
    "char": ("c", "ch", "letter", "sign"),
    "word": ("word", "w", "entry"),
    "arg int": ("n", "k", "start", "limit", "x", "m"),
    "arg ints": ("numbers", "data", "nums", "items", "scores"),
    "arg str": ("text", "s", "phrase", "source"),
    "arg words": ("words", "names", "tags"),
    "main": ("process", "evaluate", "compute", "solve", "run", "transform", "summarize", "analyze"),
    "helper": ("adjust", "helper", "convert", "shift", "rate", "clean"),
    "recursive": ("walk", "descend", "fold", "unwind", "reduce_by"),
}


class TooMuch(Exception):
    """The program would grow beyond a bound: start again."""


class Spec(NamedTuple):
    """The difficulty of a program.

    Attributes:
        num_statements: Statements of the main function, the last being its return; a loop counts as one.
        depth: How deep loops may be nested.
        types: Index into ``TYPES``; the program may use the types up to that one.
        structure: Index into ``STRUCTURES``; the last one allowed, used if there is room.
        length: Maximum length of lists in arguments; strings are up to twice as long.
        max_number: The largest number in arguments.
        negative: Whether numbers may be below zero.
    """

    num_statements: int
    depth: int
    types: int
    structure: int
    length: int
    max_number: int
    negative: bool


@dataclass(slots=True, eq=False)
class Var:
    """A variable.

    Attributes:
        name: Its name.
        type: Type of its value.
        low: Smallest value of a number or of a list's numbers; smallest length of a word.
        high: The largest.
        size: Maximum number of items or characters.
        fresh: Whether nothing has used it yet.
        alphabet: For a string: a key of ``ALPHABETS``, or "" for any.
        filled: Whether it is never empty.
    """

    name: str
    type: Type
    low: int = 0
    high: int = 0
    size: int = 0
    fresh: bool = True
    alphabet: str = ""
    filled: bool = False

    def expr(self) -> Expr:
        """Return the number as an operand and mark it as used."""
        self.fresh = False
        return atom(self.name, self.low, self.high)

    def use(self) -> str:
        """Return the name and mark the variable as used."""
        self.fresh = False
        return self.name


class Point(NamedTuple):
    """A place where a variable can be asked for: after each run of a loop's body.

    Attributes:
        line: Index of the last line of the body.
        indent: Indentation of the body.
        loop: Index of the loop's first line.
        name: The variable.
    """

    line: int
    indent: int
    loop: int
    name: str


class Writer:
    """Writes the body of one function."""

    def __init__(self, draw: Draw, spec: Spec) -> None:
        self.draw = draw
        self.spec = spec
        self.lines: list[str] = []
        self.indent = 1
        self.scope: list[Var] = []
        self.names: set[str] = set()
        self.points: list[Point] = []
        self.multiple = 1  # how often the current line is executed
        self.steps = 0
        self.asides: list[list[str]] = []  # functions and classes before the main one
        self.helpers: dict[str, tuple[str, int, int]] = {}  # kind of an aside -> name, bounds of its value

    def emit(self, line: str, steps: int = 1) -> int:
        """Add a line that costs ``steps`` each time; return its index."""
        self.steps += steps * self.multiple
        if self.steps > MAX_STEPS:
            raise TooMuch
        self.lines.append("    " * self.indent + line)
        return len(self.lines) - 1

    @contextmanager
    def block(self, line: str, times: int = 1) -> Iterator[int]:
        """Write a line that ends with a colon; lines written meanwhile go below it and are executed ``times`` times."""
        outer = self.multiple
        self.multiple *= max(times, 1)
        at = self.emit(line)
        self.indent += 1
        try:
            yield at
        finally:
            self.indent -= 1
            self.multiple = outer

    def point(self, loop: int, name: str) -> None:
        """Allow questions about the variable after each run of the loop's body, which has just been written."""
        self.points.append(Point(len(self.lines) - 1, self.indent + 1, loop, name))

    def name(self, kind: str) -> str:
        """Return an unused name."""
        pool = NAMES[kind]
        free = [name for name in pool if name not in self.names]
        name = self.draw.choice(free[:4]) if free else self._numbered(pool[0])
        self.names.add(name)
        return name

    def _numbered(self, stem: str) -> str:
        """Return the first unused name of stem2, stem3, ..."""
        return next(name for number in count(2) if (name := f"{stem}{number}") not in self.names)

    def free(self, *names: str) -> None:
        """Release names."""
        self.names.difference_update(names)

    def param(self, domain: Domain, name: str = "") -> Var:
        """Add a parameter of that domain."""
        name = name or self.name(f"arg {domain.kind}")
        self.names.add(name)
        var = Var(name, domain.kind, domain.low, domain.high, domain.most, True, domain.alphabet, domain.least > 0)
        if domain.kind != "str":
            var.alphabet = "lower"
        self.scope.append(var)
        return var

    def new(self, type_: Type, low: int = 0, high: int = 0, size: int = 0, **more: str | bool) -> Var:
        """Add a new variable; the caller writes its definition."""
        if size > MAX_SIZE:
            raise TooMuch
        var = Var(self.name(type_), type_, low, high, size, True, **more)  # type: ignore[arg-type]
        self.scope.append(var)
        return var

    def of(self, *types: str, fresh: bool | None = None) -> list[Var]:
        """Return the variables of these types."""
        return [var for var in self.scope if var.type in types and (fresh is None or var.fresh == fresh)]

    def other_int(self, but: Iterable[Var] = ()) -> Expr | None:
        """Return another number in scope, preferring unused ones; None if there is none."""
        found = [var for var in self.of("int") if var not in but]
        if not found:
            return None
        found = [var for var in found if var.fresh] or found
        return self.draw.choice(found).expr()

    def chance(self, share: float) -> bool:
        """Return True with probability ``share``."""
        return self.draw.unit() < share
