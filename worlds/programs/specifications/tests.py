"""Inputs that distinguish a specification from its wrong readings, and from its program with one change."""

import ast
import copy
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.specifications import folds as _spec_folds  # noqa: F401 (known)
from turnwise.worlds.programs.specifications import lists as _spec_lists  # noqa: F401 (known)
from turnwise.worlds.programs.specifications import shapes as _spec_shapes  # noqa: F401 (known)
from turnwise.worlds.programs.specifications import words as _spec_words  # noqa: F401 (known)
from turnwise.worlds.programs.specifications import worlds as _spec_worlds  # noqa: F401 (known)
from turnwise.worlds.programs.specifications.steps import (
    Spec,
    Stage,
    Step,
    bound,
    constants,
    draw_step,
    neighbours,
    stages,
)
from turnwise.worlds.programs.specifications.types import TAKES

__all__ = [
    "Faulty",
    "Pool",
    "draw_spec",
    "example_inputs",
    "hidden_inputs",
]

BATCH, MOST_INPUTS = 20, 60
_FEW_OUTPUTS, _MOST_HARD, _MOST_TRIES, _FEW_MORE, _TRIED, _OFTEN, _QUIET, _VARIED = 5, 1, 6, 5, 16, 6, 4, 8

_EMPTY: tuple[Any, ...] = ([], "", {}, (), 0, None)


class Faulty(NamedTuple):
    """A program that differs from the right one.

    Attributes:
        place: The first stage that differs.
        program: All stages.
        last: The last stage that differs, if there are as many stages as in the right one.
        required: Whether it must differ in meaning, not only in writing.
    """

    place: int
    program: tuple[Stage, ...]
    last: int
    required: bool = True


class Pool:
    """Inputs of a specification, and the right program's values after each stage.

    Args:
        spec: The specification.
        draw: The source of randomness.
        without: Inputs to avoid.
    """

    def __init__(self, spec: Spec, draw: Draw, without: Iterable[object] = ()) -> None:
        self._draw = draw
        self._seen = set(map(repr, without))
        self.traces: list[list[Any]] = []
        self.telling: dict[int, None] = {}
        self._set(spec)
        for value in self.kind.edges:
            self.add(value)

    def _set(self, spec: Spec) -> None:
        self.spec = spec
        self.kind = TAKES[spec.takes]
        self._hints = constants(spec)
        self._right = stages(spec)
        self._functions = [bound(stage) for stage in self._right]

    def with_step(self, step: Step) -> "Pool":
        """Return the pool for a specification with one more step."""
        other = copy.copy(self)
        other._set(Spec((*self.spec.steps, step)))
        other.traces = [[*trace, other._functions[-1](trace[-1])] for trace in self.traces]
        other._seen = set(self._seen)
        return other

    def add(self, value: object) -> None:
        """Add an input, unless it is already there or must be avoided."""
        shown = repr(value)
        if shown in self._seen:
            return
        self._seen.add(shown)
        trace = [value]
        for function in self._functions:
            trace.append(function(trace[-1]))
        self.traces.append(trace)

    def grow(self, count: int = BATCH) -> None:
        """Draw more inputs without repetition."""
        for _ in range(count):
            self.add(self.kind.draw(self._draw, self._hints))

    def tell(self, most_inputs: int, most_hard: int) -> bool:
        """Find inputs that distinguish all wrong readings from the right one, and store them in ``telling``.

        Args:
            most_inputs: Maximum number of inputs drawn.
            most_hard: Give up if more wrong readings than this pass the existing inputs.
        """
        if len({repr(trace[-1]) for trace in self.traces}) < _FEW_OUTPUTS:
            return False
        known, hard = (*self.telling, *range(len(self.traces))), list[Faulty]()
        self.telling = {}
        for faulty in _readings(self.spec):
            number = self._first(faulty, (*self.telling, *known))
            if number is not None:
                self.telling[number] = None
            elif faulty.required:
                hard.append(faulty)
                if len(hard) > most_hard:
                    return False
        while hard:
            start = len(self.traces)
            if start < most_inputs:
                self.grow()
            if len(self.traces) == start:
                return False  # enough, or there are no others
            found = [self._first(faulty, range(start, len(self.traces))) for faulty in hard]
            hard = [faulty for faulty, number in zip(hard, found, strict=True) if number is None]
            self.telling |= dict.fromkeys(number for number in found if number is not None)
        return True

    def telling_of(self, faulty: Faulty, numbers: Iterable[int]) -> Iterator[int]:
        """Return the inputs for which a faulty program gives another result or fails."""
        functions = [bound(stage) for stage in faulty.program[faulty.place :]]
        joins = faulty.last - faulty.place if len(faulty.program) == len(self._right) else len(functions)
        for number in numbers:
            trace = self.traces[number]
            value = trace[faulty.place]
            try:
                for passed, function in enumerate(functions):
                    value = function(value)
                    if passed >= joins and value == trace[faulty.place + passed + 1]:
                        break  # from here on, both are equal
                else:
                    if value != trace[-1]:
                        yield number
            except Exception:  # our faulty programs may raise anything
                yield number

    def _first(self, faulty: Faulty, numbers: Iterable[int]) -> int | None:
        """Return the first of these inputs that distinguishes a faulty program from the right one."""
        return next(self.telling_of(faulty, numbers), None)


def draw_spec(draw: Draw, takes: str, num_steps: int) -> tuple[Spec, tuple[Any, ...]] | None:
    """Draw a specification of that many steps, with inputs that rule out all wrong readings; None if none was found."""
    pool: Pool | None = None
    bits, steps = TAKES[takes].bits, tuple[Step, ...]()
    while len(steps) < num_steps:
        for _ in range(_MOST_TRIES):
            drawn = draw_step(draw, steps, takes, bits, last=len(steps) == num_steps - 1)
            if drawn is None:
                continue
            longer = Pool(Spec((drawn[0],)), draw) if pool is None else pool.with_step(drawn[0])
            longer.grow(_FEW_MORE if pool else BATCH)
            if longer.tell(MOST_INPUTS, _MOST_HARD):
                break
        else:
            return None
        pool, bits = longer, drawn[1]
        steps, takes = pool.spec.steps, pool.spec.gives
    return None if pool is None else (pool.spec, tuple(pool.traces[number][0] for number in pool.telling))


def example_inputs(spec: Spec, seed: int, count: int, without: Iterable[object]) -> list[Any]:
    """Choose inputs that illustrate a specification: results differ from each other and from the inputs."""
    pool = Pool(spec, Draw.of(random.Random(seed).random), (*without, *TAKES[spec.takes].edges))
    pool.grow(6 * count)
    filled = [trace for trace in pool.traces if trace[-1] not in _EMPTY]
    traces = filled if len(filled) >= 2 * count else pool.traces
    chosen = [traces[number] for number in _telling_most(traces)[: 3 * count]]
    chosen.sort(key=lambda trace: len(repr((trace[0], trace[-1]))))
    return [trace[0] for trace in chosen[count : 2 * count]]  # neither trivial nor long


def hidden_inputs(
    spec: Spec, telling: Sequence[object], seed: int, count: int, without: Sequence[object] = ()
) -> tuple[Any, ...]:
    """Choose inputs that distinguish a specification from every wrong reading, simple ones first.

    They also distinguish its program from most programs with one operator, number, name or condition changed.

    Args:
        spec: The specification.
        telling: Inputs that rule out all wrong readings; used if the drawn ones do not.
        seed: Selects the inputs.
        count: Number of inputs; more are returned if needed.
        without: Inputs to avoid.
    """
    return _hidden_inputs(spec, repr(list(telling)), seed, count, repr(list(without)))


@lru_cache(maxsize=512)  # several agents play the same task
def _hidden_inputs(spec: Spec, telling: str, seed: int, count: int, without: str) -> tuple[Any, ...]:
    pool = Pool(spec, Draw.of(random.Random(seed).random), ast.literal_eval(without))
    plain = range(len(pool.traces) + count // 2)  # all edge cases, and typical inputs
    pool.grow(_OFTEN * count)
    for value in ast.literal_eval(telling):
        pool.add(value)
    pool.tell(0, len(pool.traces))
    chosen = {**pool.telling, **dict.fromkeys(plain[: len(pool.traces)]), **dict.fromkeys(_quiet(pool.traces))}
    everything = range(len(pool.traces))
    for faulty in _changed_programs(spec, _changes_of(spec)):
        number = next(pool.telling_of(faulty, (*chosen, *everything)), None)
        if number is not None:
            chosen[number] = None
    for place, number in enumerate(_telling_most(pool.traces)):
        if place >= _VARIED and len(chosen) >= count:
            break
        chosen[number] = None
    return tuple(
        sorted((pool.traces[number][0] for number in chosen), key=lambda value: (len(repr(value)), repr(value)))
    )


def _readings(spec: Spec) -> Iterator[Faulty]:
    for place, program, required in neighbours(spec):
        yield Faulty(place, program, place if required else place + 1, required)


def _telling_most(traces: Sequence[list[Any]]) -> list[int]:
    """Order all traces: first those with a new result that is not the input, then the others."""
    seen: set[str] = set()
    first, later = list[int](), list[int]()
    for number, trace in enumerate(traces):
        shown = repr(trace[-1])
        if shown in seen or trace[-1] == trace[0]:
            later.append(number)
        else:
            seen.add(shown)
            first.append(number)
    return first + later


def _quiet(traces: Sequence[list[Any]]) -> list[int]:
    """Return some traces that are easily overlooked: empty results, results equal to the input, small inputs."""
    kinds = (
        lambda trace: trace[-1] == trace[0],
        lambda trace: trace[-1] in _EMPTY,
        lambda trace: hasattr(trace[0], "__len__") and len(trace[0]) == 1,
        lambda trace: hasattr(trace[0], "__len__") and len(trace[0]) == 2,
    )
    return [number for kind in kinds for number in [n for n, trace in enumerate(traces) if kind(trace)][:_QUIET]]


# ---- faulty programs ------------------------------------------------------------------------------------------------

_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv,
}  # fmt: skip
_NAMES = {"max": "min", "min": "max", "sum": "max", "all": "any", "any": "all", "sorted": "list"}


def _changes(node: Any) -> Iterator[ast.AST]:
    """Yield replacements for a node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator in _COMPARE.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [operator()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        yield ast.BinOp(node.left, _BINARY[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
        if node.value > 0:
            yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield ast.Name(_NAMES[node.id], node.ctx)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse


@lru_cache(maxsize=4096)
def _edits(code: str) -> tuple[tuple[int, int, ast.AST], ...]:
    """Return all ways to change one operator, number, name or condition: the place and the replacement.

    None if there is a loop that a change could make endless; all other loops iterate over existing values.
    """
    if "while" in code:
        return ()
    starts: list[int] = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = list[tuple[int, int, ast.AST]]()
    for node in ast.walk(parse(code)):
        for other in _changes(node):
            at: Any = node
            start, end = starts[at.lineno - 1] + at.col_offset, starts[at.end_lineno - 1] + at.end_col_offset
            found.append((start, end, other))
    return tuple(found)


def _edited(code: str, number: int) -> str:
    """Return the code with the change of that number."""
    start, end, other = _edits(code)[number]
    text = ast.unparse(other)
    return f"{code[:start]}{text if isinstance(other, ast.Name | ast.Constant) else f'({text})'}{code[end:]}"


def _changes_of(spec: Spec) -> list[tuple[int, int]]:
    """Return all changes of the program: the stage and the number of the edit."""
    return [
        (place, number) for place, stage in enumerate(stages(spec)) for number in range(len(_edits(stage.code)))
    ]  # fmt: skip


def _changed_programs(spec: Spec, changes: Iterable[tuple[int, int]]) -> Iterator[Faulty]:
    right = stages(spec)
    for place, number in changes:
        stage = right[place]._replace(code=_edited(right[place].code, number))
        yield Faulty(place, (*right[:place], stage, *right[place + 1 :]), place, False)
