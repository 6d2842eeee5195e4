"""Run one of our own programs in this process, count its statements and watch a variable."""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from turnwise.verifiers.code.syntax import parse

__all__ = ["MAX_STEPS", "Point", "TooLong", "Watched", "points_of"]

MAX_STEPS = 5_000
"""Statements after which a program is stopped."""
_CHANGING = frozenset(
    (
        "append",
        "pop",
        "add",
        "insert",
        "extend",
        "remove",
        "discard",
        "update",
        "setdefault",
        "clear",
        "reverse",
        "sort",
    )
)


class TooLong(Exception):
    """A program did not end within `MAX_STEPS`."""


class Point(NamedTuple):
    """A place where a variable can be asked for: after each run of a loop's body.

    Attributes:
        loop: Line of the loop.
        name: The variable.
    """

    loop: int
    name: str


class Watched:
    """A program that counts its statements.

    Attributes:
        log: What the watched variable was each time, as source.
        steps: Statements that the last call executed.
    """

    def __init__(self, source: str, name: str, point: Point | None = None) -> None:
        self.log: list[str] = []
        self.steps = 0
        tree = parse(source)
        for node in list(ast.walk(tree)):
            if not isinstance(node, (ast.Module, ast.ClassDef)):
                _count_in(node)
            if point and isinstance(node, (ast.For, ast.While)) and node.lineno == point.loop:
                node.body += parse(f"_log(repr({point.name}))").body
        space: dict[str, Any] = {"__name__": "program", "_step": self._step, "_log": self.log.append}
        exec(compile(ast.fix_missing_locations(tree), "<program>", "exec", dont_inherit=True), space)
        self._call: Callable[..., object] = space[name]

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooLong

    def call(self, *args: object) -> object:
        """Call the program's function."""
        self.log.clear()
        self.steps = 0
        return self._call(*args)


def _count_in(node: ast.AST) -> None:
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
            counted = [part for one in statements for part in (_counting(), one)]
            setattr(node, field, counted)


def _counting() -> ast.stmt:
    return ast.Expr(ast.Call(ast.Name("_step", ast.Load()), [], []))


# ---- where a variable can be asked for -----------------------------------------------------------------------------


def points_of(source: str, name: str) -> list[Point]:
    """Return what changes in the loops of a function, each in a loop of its own that no other loop contains."""
    function = next(n for n in parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name)
    found = []
    known: set[str] = set()
    for statement in function.body:
        if isinstance(statement, (ast.For, ast.While)) and not _leaves_early(statement):
            found += [Point(statement.lineno, changed) for changed in sorted(_changed(statement) & known)]
        known |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found


def _leaves_early(loop: ast.For | ast.While) -> bool:
    return any(isinstance(node, ast.Continue) for node in ast.walk(loop))


def _changed(loop: ast.For | ast.While) -> set[str]:
    found = set()
    for node in (node for statement in loop.body for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            found.add(node.value.id)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _CHANGING
            and isinstance(node.func.value, ast.Name)
        ):
            found.add(node.func.value.id)
    return found
