"""Random but natural-looking Python programs: a function of one or two arguments, with its helpers.

Programs are bounded by construction: loops iterate over the arguments or count down, sizes and numbers are tracked
through every statement, and every computed value is used. They use only built-in functions and types.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.generated.blocks import PLAIN, blocks_for, derived
from turnwise.worlds.programs.generated.domain import Domain
from turnwise.worlds.programs.generated.expressions import (
    condition,
    constant,
    expression,
    minus,
    mod,
    plus,
)
from turnwise.worlds.programs.generated.shapes import CLASSES, METHODS
from turnwise.worlds.programs.generated.writer import NAMES, Point, Spec, TooMuch, Var, Writer

__all__ = ["Point", "Program", "Spec", "TooMuch", "Watched", "draw_program", "structure", "watched"]


class Program(NamedTuple):
    """A program.

    Attributes:
        source: Its source.
        name: The function that is called.
        parameters: Name and domain of each parameter.
        points: Places where a variable can be asked for; lines count from 0.
    """

    source: str
    name: str
    parameters: tuple[tuple[str, Domain], ...]
    points: tuple[Point, ...]


def draw_program(draw: Draw, spec: Spec) -> Program:
    """Draw a program of the requested difficulty; raise `TooMuch` if it grows beyond its bounds."""
    w = Writer(draw, spec)
    short = spec.num_statements < 3
    parameters = _parameters(w, short)
    if spec.num_statements == 1:
        _one_statement(w)
    else:
        for left in range(spec.num_statements - 1, 0, -1):
            _statement(w, left)
        _finish(w)
    name = "f" if short else w.name("main")
    lines: list[str] = []
    for aside in w.asides:
        lines += [*aside, "", ""]
    lines.append(f"def {name}({', '.join(name for name, _ in parameters)}):")
    offset = len(lines)
    points = tuple(Point(p.line + offset, p.indent, p.loop + offset, p.name) for p in w.points)
    return Program("\n".join([*lines, *w.lines]) + "\n", name, tuple(parameters), points)


class Watched(NamedTuple):
    """A program compiled to run in this process, which records the blocks that it executes.

    Attributes:
        call: The function.
        blocks: Number of blocks.
        visited: Numbers of those that have been executed so far.
        log: Values of the watched variable, each time.
    """

    call: Callable[..., object]
    blocks: int
    visited: set[int]
    log: list[object]


def watched(program: Program, point: Point | None = None) -> Watched:
    """Compile a program; with a point, its variable is logged there."""
    visited: set[int] = set()
    log: list[object] = []
    lines: list[str] = []
    blocks = 0
    for number, line in enumerate(program.source.split("\n")):
        lines.append(line)
        if line.endswith(":") and not line.startswith("class "):
            indent = len(line) - len(line.lstrip()) + 4
            lines.append(f"{' ' * indent}_visit({blocks})")
            blocks += 1
        if point is not None and number == point.line:
            lines.append(f"{'    ' * point.indent}_log(repr({point.name}))")
    space: dict[str, object] = {"_visit": visited.add, "_log": log.append}
    exec(compile("\n".join(lines), "<program>", "exec", dont_inherit=True), space)
    call = space[program.name]
    assert callable(call)
    return Watched(call, blocks, visited, log)


_NAMES = frozenset(name for names in NAMES.values() for name in names).union(CLASSES)
_NAME = re.compile(r"(?<![.\w'])[A-Za-z_]+(?![\w'])")
_METHOD = re.compile(rf"\b(?:{'|'.join(METHODS)})\b")


def structure(source: str) -> str:
    """Replace the names of a source in order: equal results for programs that differ only in names."""
    places: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        return places.setdefault(match[0], f"v{len(places)}") if match[0] in _NAMES else match[0]

    return _METHOD.sub("method", _NAME.sub(renamed, source))


# ---- parameters ----------------------------------------------------------------------------------------------------


def _parameters(w: Writer, short: bool) -> list[tuple[str, Domain]]:
    spec, draw = w.spec, w.draw
    first = ("int", "ints", "str", "words")[min(int(draw.unit() ** 0.6 * (spec.types + 1)), spec.types)]
    if spec.types == 3 and first == "int":
        first = draw.choice(("ints", "str"))
    domains = [_domain(w, first)]
    if w.chance(0.45 if spec.types else 0.35 if spec.num_statements > 1 else 0.0) or (first == "int" and not short):
        domains.append(_domain(w, "int"))
    found = []
    for number, domain in enumerate(domains):
        var = w.param(domain, ("x", "y")[number] if short and domain.kind == "int" else "")
        found.append((var.name, domain))
    return found


def _domain(w: Writer, kind: str) -> Domain:
    spec, draw = w.spec, w.draw
    length, top = spec.length, spec.max_number
    if kind == "int":
        low = -draw.integer(1, max(top // 2, 1)) if spec.negative and w.chance(0.3) else 0
        return Domain("int", low, top)
    if kind == "ints":
        top = min(top, 99)
        low = -draw.integer(1, max(top // 2, 1)) if spec.negative and w.chance(0.45) else draw.integer(0, 1)
        return Domain("ints", low, top, max(2, length - 3), length)
    if kind == "words":
        return Domain("words", 3, 8, max(2, length // 2 - 1), max(3, length // 2 + 1))
    alphabet = draw.choice(("lower", "lower", "mixed", "spaced"))
    longest = length * 2 if alphabet == "spaced" else length + 3
    return Domain("str", 0, 0, max(4, longest - 4), longest, alphabet)


# ---- statements ----------------------------------------------------------------------------------------------------


def _statement(w: Writer, left: int) -> None:
    """Write one statement, preferably about something still unused."""
    fresh = [var for var in w.scope if var.fresh]
    if w.spec.types and not all(var.type == "int" for var in fresh):
        fresh = [var for var in fresh if var.type != "int" or w.chance(0.3)] or fresh
    var = w.draw.choice(fresh if fresh and not w.chance(0.1) else w.scope)
    blocks = blocks_for(w, var)
    shapes = blocks[-w.spec.structure :] if w.spec.structure and var.type in ("int", "ints", "str") else []
    if shapes and not w.asides and left <= max(w.spec.num_statements // 2, 1):
        blocks = [shapes[-1]]  # it must have one
    w.draw.choice(blocks)(w, var)


def _one_statement(w: Writer) -> None:
    first = w.scope[0]
    if first.type == "int":
        other = w.other_int([first])
        w.emit(f"return {expression(w.draw, first.expr(), other, easy=True).text}")
        return
    w.draw.choice([block for block in blocks_for(w, first) if block in PLAIN])(w, first)
    _finish(w)


def _finish(w: Writer) -> None:
    """Write the return of what is still unused."""
    draw = w.draw
    fresh = [var for var in w.scope if var.fresh] or w.scope[-1:]
    numbers = [var for var in fresh if var.type == "int"]
    others = [var for var in fresh if var.type != "int"]
    while len(numbers) > 1 and (others or len(numbers) > 3 or w.chance(0.6)):
        a, b = numbers.pop(), numbers.pop()
        new = w.new("int")
        expr = expression(draw, b.expr(), a.expr())
        w.emit(f"{new.name} = {expr.text}")
        new.low, new.high = expr.low, expr.high
        numbers.append(new)
    while len(others) > 2:
        var = others.pop(0)
        expr = derived(w, var)
        if numbers:
            expr = plus(numbers.pop().expr(), expr)
        new = w.new("int", expr.low, expr.high)
        w.emit(f"{new.name} = {expr.text}")
        numbers = [new]
    if not others and len(numbers) == 1:
        _return_number(w, numbers[0])
        return
    if len(others) == 1 and not numbers:
        _return_other(w, others[0])
        return
    if w.spec.num_statements > 4 and w.chance(0.2) and others and w.spec.structure:
        var = others[0]
        if var.type in ("ints", "str", "words"):
            with w.block(f"if len({var.name}) {draw.choice(('<', '>'))} {max(2, min(var.size, w.spec.length) // 2)}:"):
                w.emit(f"return {derived(w, var).text}")
    w.emit(f"return {', '.join(var.use() for var in (*others, *numbers))}")


def _return_number(w: Writer, var: Var) -> None:
    draw, expr = w.draw, var.expr()
    if w.spec.num_statements > 3 and w.spec.structure and w.chance(0.35):
        with w.block(f"if {condition(draw, expr)}:"):
            early = (mod(expr, draw.integer(15, 40)), minus(constant(draw.integer(1, 50)), expr))
            w.emit(f"return {draw.choice(early).text}")
    w.emit(f"return {expr.text if w.chance(0.5) else expression(draw, expr, easy=w.spec.num_statements < 3).text}")


def _return_other(w: Writer, var: Var) -> None:
    name = var.use()
    shapes = {
        "dict": ("{}", "sorted({}.items())", "list({}.items())"),
        "words": ("{}", "{}", "' '.join({})"),
        "ints": ("{}", "{}", "{}[::-1]"),
        "str": ("{}", "{}", "{}[::-1]"),
    }[var.type]  # fmt: skip
    w.emit(f"return {w.draw.choice(shapes).format(name)}")
