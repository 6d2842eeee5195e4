r"""Put small faults into Python programs: the text changes in one place, and everything else stays the same.

>>> import random
>>> source = "def largest(a, b):\n    # ties go to b\n    return a if a > b else b\n"
>>> [edit.description for edit in edits(source, ("boundary", "branches"))]
['two branches were swapped', '`>` became `>=`']
>>> next(mutants(source, Draw.of(random.Random(1).random), ("boundary",))).source.splitlines()[2]
'    return a if a >= b else b'
>>> unimplemented(source, "largest").source.splitlines()[1]
'    raise NotImplementedError'
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.faults.habits import HABITS
from turnwise.worlds.programs.faults.kinds import FINDERS, Edit, Place, Text

__all__ = [
    "HUMAN",
    "KINDS",
    "Edit",
    "Function",
    "Mutant",
    "applied",
    "edits",
    "functions",
    "misread",
    "mutants",
    "unimplemented",
]

KINDS = tuple(FINDERS)
"""All kinds of faults that `mutants` makes if none are named."""
HUMAN = (
    "boundary", "off_by_one", "initial", "augmented", "early_return", "aliasing", "base_case", "default",
    "logic", *HABITS,
)  # fmt: skip
"""Kinds of faults that people make and overlook, rather than what a slip of the keyboard makes."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SMALL = 4  # tokens that a small edit does not reach
_ALL = {**FINDERS, **HABITS}
_Def = ast.FunctionDef | ast.AsyncFunctionDef
_UNSEEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.JoinedStr)  # f-strings: no places before 3.12


class Mutant(NamedTuple):
    """A faulty program.

    Attributes:
        source: Its complete text.
        line: The line of the fault in the original, from 1.
        kind: One of `KINDS` and `HUMAN`, or "unimplemented".
        description: The change in words.
        edit: The change: ``applied(original, [edit])`` is ``source``.
    """

    source: str
    line: int
    kind: str
    description: str
    edit: Edit


class Function(NamedTuple):
    """A function or method of a source.

    Attributes:
        name: Its qualified name: "Cache.get".
        line: Its first line, without decorators, from 1.
        end_line: Its last line.
        doc: Its docstring, or "".
        statements: Number of statements, including nested ones, without the docstring.
    """

    name: str
    line: int
    end_line: int
    doc: str
    statements: int


def mutants(
    source: str, draw: Draw, kinds: Collection[str] = KINDS, lines: Collection[int] | None = None
) -> Iterator[Mutant]:
    """Yield all mutants of a program, each with one fault, in an order drawn by kind, so that rare kinds come early.

    Faults are put into functions and methods only; docstrings, annotations and decorators stay. Each mutant can be
    parsed; the caller must find out whether it behaves differently. Some do not terminate, and some use much memory.

    Args:
        source: Any Python source.
        draw: The same numbers give the same order.
        kinds: Kinds of faults, of `KINDS` or `HUMAN`.
        lines: Only faults in these lines.

    Raises:
        SyntaxError: The source cannot be parsed.
        ValueError: It contains null bytes, or a kind is unknown.
    """
    by_kind: dict[str, list[Edit]] = {}
    for edit in edits(source, kinds):
        if lines is None or edit.line in lines:
            by_kind.setdefault(edit.kind, []).append(edit)
    while by_kind:
        kind = list(by_kind)[draw.below(len(by_kind))]
        left = by_kind[kind]
        edit = draw.take(left)
        if not left:
            del by_kind[kind]
        changed = applied(source, [edit])
        try:
            parse(changed)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        yield Mutant(changed, edit.line, edit.kind, edit.description, edit)


def edits(source: str, kinds: Collection[str] = KINDS, function: str = "") -> list[Edit]:
    """Return all faults that could be put into a program, in the order of the text; the same text gives the same list.

    Args:
        source: Any Python source.
        kinds: Kinds of faults, of `KINDS` or `HUMAN`.
        function: Only faults in functions of this name, as returned by `functions`.

    Raises:
        SyntaxError: The source cannot be parsed.
        ValueError: It contains null bytes, or a kind is unknown.
    """
    unknown = [kind for kind in kinds if kind not in _ALL]
    if unknown:
        raise ValueError(f"no kind of fault: {unknown[0]!r}; there are {', '.join(_ALL)}")
    finders: dict[type, list[tuple[str, Callable[[Place], Iterator[Edit]]]]] = {}
    for kind in kinds:
        for node_type in _ALL[kind][1]:
            finders.setdefault(node_type, []).append((kind, _ALL[kind][0]))
    definitions, keys = _parsed(source)
    text = Text(source)
    found: dict[tuple[int, int, str], Edit] = {}
    for name, definition in definitions:
        if function not in ("", name):
            continue
        names = _names(definition)
        for node, block in _nodes(definition):
            for kind, find in finders.get(type(node), ()):
                for edit in find(Place(text, node, names, keys, block)):
                    found.setdefault(edit[:3], edit._replace(kind=kind))
    return sorted(found.values())


def applied(source: str, changes: Iterable[Edit]) -> str:
    """Apply edits to the text in which they were found.

    Raises:
        ValueError: Two of them overlap.
    """
    parts, at = [], 0
    for edit in sorted(changes):
        if edit.start < at:
            raise ValueError(f"edits overlap at character {edit.start}")
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, source[at:]])


def functions(source: str) -> list[Function]:
    """Return the functions and methods of a source, in the order of the text.

    Raises:
        SyntaxError: The source cannot be parsed.
    """
    return [
        Function(name, node.lineno, node.end_lineno or node.lineno, ast.get_docstring(node) or "", _size(_body(node)))
        for name, node in _parsed(source)[0]
    ]


def misread(source: str, other: str) -> Iterator[Edit]:
    """Yield, for each function of both sources, the edit that makes it do what it does in the other one.

    Its docstring stays. Functions that differ in little, as after a small edit, are left out.
    """
    own, theirs = dict(_parsed(source)[0]), dict(_functions(parse(other)))
    for name, node in own.items():
        if name in theirs:
            (start, end), (first, last) = _lines_of(source, node), _lines_of(other, theirs[name])
            one, text = source[start:end], other[first:last]
            if one != text and one.strip() and text.strip() and _far(one, text):
                yield Edit(start, end, text, "misreading", source.count("\n", 0, start) + 1, "another rule is followed")


def _lines_of(source: str, function: _Def) -> tuple[int, int]:
    """Return where the lines of a function's statements begin and end."""
    body, text = _body(function), Text(source)
    if not body or body[0].lineno == function.lineno:
        return 0, 0
    return text.line_start(body[0].lineno), text.span(body[-1])[1]


def _far(one: str, other: str) -> bool:
    """Whether two texts differ in more than a small edit changes."""
    before, after = _TOKEN.findall(one), _TOKEN.findall(other)
    parts = [code for code in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if code[0] != "equal"]
    return len(parts) > 1 or sum(max(j - i, m - k) for _, i, j, k, m in parts) >= _SMALL


def unimplemented(source: str, name: str) -> Mutant:
    """Replace the body of one function with ``raise NotImplementedError``, keeping its docstring.

    Args:
        source: Any Python source.
        name: Qualified name from `functions`: "Cache.get".

    Raises:
        SyntaxError: The source cannot be parsed.
        ValueError: The function does not exist, its body is on the line of its ``def``, or it is only a docstring.
    """
    text = Text(source)
    found = [node for qualified, node in _parsed(source)[0] if qualified == name]
    if not found:
        raise ValueError(f"no function {name!r}")
    body = _body(found[-1])
    if not body or text.source[text.line_start(body[0].lineno) : text.span(body[0])[0]].strip():
        raise ValueError(f"{name!r} has no body on lines of its own")
    start, end = text.span(body[0])[0], text.span(body[-1])[1]
    if isinstance(body[0], _Def | ast.ClassDef) and body[0].decorator_list:
        start = text.line_start(body[0].decorator_list[0].lineno)
        start += len(source[start:]) - len(source[start:].lstrip(" \t"))
    start = _above_comments(source, start)
    edit = Edit(start, end, "raise NotImplementedError", "unimplemented", body[0].lineno, f"{name} is not implemented")
    return Mutant(applied(source, [edit]), edit.line, edit.kind, edit.description, edit)


def _above_comments(source: str, start: int) -> int:
    """Return where the comment lines above a statement begin, or where it begins itself."""
    line = source.rfind("\n", 0, start) + 1
    while line:
        above = source.rfind("\n", 0, line - 1) + 1
        content = source[above:line].strip()
        if content and not content.startswith("#"):
            break
        line = above
        if content:
            start = above + len(source[above:]) - len(source[above:].lstrip(" \t"))
    return start


# ---- the tree -----------------------------------------------------------------------------------------------------


@lru_cache(8)
def _parsed(source: str) -> tuple[tuple[tuple[str, _Def], ...], tuple[str, ...]]:
    """Parse a source: return its functions, whose trees must not be changed, and the strings used as keys."""
    tree = parse(source)
    return tuple(_functions(tree)), tuple(dict.fromkeys(_keys(tree)))


def _functions(tree: ast.AST, around: str = "") -> Iterator[tuple[str, _Def]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not isinstance(node, ast.ClassDef):
                yield around + node.name, node
            yield from _functions(node, f"{around}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from _functions(node, around)


def _body(function: _Def) -> list[ast.stmt]:
    """Return the statements of a function, without its docstring."""
    return function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body


def _size(block: Sequence[ast.stmt]) -> int:
    """Count statements, including nested ones."""
    size = len(block)
    for statement in block:
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(statement, field, ())
            if field in ("handlers", "cases"):
                size += sum(_size(part.body) for part in inner)
            elif inner:
                size += _size(inner)
    return size


def _nodes(function: _Def) -> Iterator[tuple[ast.AST, tuple[ast.stmt, ...]]]:
    """Yield the function and the nodes of its body, each with its block, without nested functions."""
    yield function, ()
    yield from _block(_body(function))


def _block(block: Sequence[ast.stmt]) -> Iterator[tuple[ast.AST, tuple[ast.stmt, ...]]]:
    whole = tuple(block)
    for statement in block:
        if not isinstance(statement, _UNSEEN):
            yield from _inside(statement, whole)


def _inside(node: ast.AST, block: tuple[ast.stmt, ...]) -> Iterator[tuple[ast.AST, tuple[ast.stmt, ...]]]:
    yield node, block
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "type_comment"):
            continue
        if isinstance(value, ast.AST):
            if not isinstance(value, _UNSEEN):
                yield from _inside(value, ())
        elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield from _block(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST) and not isinstance(item, _UNSEEN):
                    yield from _inside(item, ())


def _names(function: _Def) -> dict[str, int]:
    """Return the variables of a function and the line that first binds each, without those of comprehensions."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found = {argument.arg: function.lineno - 1 for argument in named}
    hidden = {
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    for node, _ in _nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in hidden:
            found[node.id] = min(found.get(node.id, node.lineno), node.lineno)
    return found


def _keys(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is str:
            yield node.slice.value
