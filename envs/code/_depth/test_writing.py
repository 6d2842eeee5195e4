"""Agents that write tests; they see only what a model sees.

The shortcuts guess results. The skills understand every docstring: they implement the module rightly, and compute right
results for typical arguments of each kind. What they differ in is the choice of arguments. "Systematic" mutates its own
implementation by the classical operators, and picks the arguments that catch most of these mutants, the smallest and
the largest among them; where the request names special cases, it imagines each mutant in each of these cases, too. It
knows nothing of the faults and misreadings that the environment draws.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.envs.code._depth.operators import classical_mutants
from turnwise.envs.code._writing_text import fenced
from turnwise.verifiers.code.compare import same_value
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.faults.special import SPECIAL
from turnwise.worlds.programs.library.interface import docstrings, interface, used_by
from turnwise.worlds.programs.library.programs import UNITS, Part, draw_call, part_of
from turnwise.worlds.programs.library.run import Call, Compiled, Running
from turnwise.worlds.programs.library.trials import Pool

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_SHOWN = re.compile(r"```python\n(.*?)\n```", re.DOTALL)
_MOST = re.compile(r"(\d+) tests")
_EXAMPLE = re.compile(r"^assert (\w+)\.\w+\(", re.MULTILINE)
_POOL = 120  # calls of all functions; not less than a dozen of each


class Read(NamedTuple):
    """A request as it is understood: the module, its functions by the names that it has there, and the most tests."""

    unit: int
    variant: int
    module: str
    functions: dict[str, str]
    most: int
    prompt: str


def _definitions(shown: str) -> list[Any]:
    tree = parse(shown)
    return [tree, *(node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))]


@cache
def _known() -> dict[tuple[str, ...], tuple[int, int]]:
    """Return all modules by their docstrings."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for unit, kind in enumerate(UNITS):
        for variant in range(kind.num_variants):
            found.setdefault(docstrings(interface(part_of(unit, variant).source)), (unit, variant))
    return found


@cache
def _read(prompt: str) -> Read | None:
    """Read a request; None if its module is not known."""
    shown, example = _SHOWN.search(prompt), _EXAMPLE.search(prompt)
    place = _known().get(docstrings(shown[1])) if shown else None
    if shown is None or example is None or place is None:
        return None
    part = part_of(*place)
    own = [node.name for node in _definitions(interface(part.source))[1:]]
    names = dict(zip(own, (node.name for node in _definitions(shown[1])[1:]), strict=True))
    asked = prompt[: shown.start()]
    functions = {name: names[name] for name in part.signatures if f"`{names[name]}`" in asked}
    functions = functions or {name: names[name] for name in part.signatures}
    most = [int(found) for found in _MOST.findall(prompt[shown.end() :])]
    return Read(*place, example[1], functions, most[-1] if most else 8, prompt)


def _written(read: Read, cases: Sequence[tuple[Call, Any]]) -> str:
    lines = [
        f"assert {read.module}.{read.functions[call.function.partition('.')[2]]}"
        f"({', '.join(map(repr, call.args))}) == {result!r}"
        for call, result in cases
    ]
    return fenced("\n".join(lines[: read.most]))


def _guessing(guess: Callable[[Any], Any], heard: Sequence[str], turn: int) -> str:
    """Test typical arguments with results that are not computed."""
    read = _read(heard[0])
    if read is None:
        return fenced("pass")
    draw, part = Draw("guessing", heard[0], turn), part_of(read.unit, read.variant)
    calls = [draw_call(draw, part, draw.choice(list(read.functions))) for _ in range(read.most)]
    return _written(read, [(call, guess(call.args[0])) for call in calls])


# ---- choices of arguments -------------------------------------------------------------------------------------------


def _smallest(draw: Draw, part: Part, name: str) -> Call:
    """Return the call with the shortest arguments of several: empty lists and texts, zeros."""
    return min((draw_call(draw, part, name) for _ in range(12)), key=lambda call: len(repr(call.args)))


def _largest(draw: Draw, part: Part, name: str) -> Call:
    """Return the call with the longest arguments of several."""
    return max((draw_call(draw, part, name) for _ in range(6)), key=lambda call: len(repr(call.args)))


def _edges(read: Read, draw: Draw) -> list[tuple[Call, Any]]:
    pool = Pool(part_of(read.unit, read.variant), list(read.functions), draw, 4, _smallest)
    return [(call, outcome[1]) for call, outcome in draw.sample(pool.cases, read.most)]


def _typical(read: Read, draw: Draw) -> list[tuple[Call, Any]]:
    pool = Pool(part_of(read.unit, read.variant), list(read.functions), draw, 8)
    return [(call, outcome[1]) for call, outcome in draw.sample(pool.cases, read.most)]


class _Imagined(NamedTuple):
    """Calls with their right results, and for each wrong version that comes to mind the numbers of those that tell."""

    cases: list[tuple[Call, Any]]
    told: list[set[int]]


@lru_cache(64)
def _imagined(prompt: str) -> _Imagined:
    """Mutate an own implementation by the classical operators; try typical calls, small ones and large ones.

    A mutant may also be wrong in one of the special cases alone that the request names.
    """
    read = _read(prompt)
    assert read is not None
    part, draw, names = part_of(read.unit, read.variant), Draw("inputs", prompt), list(read.functions)
    some = max(12, _POOL // len(names))
    pools = [
        Pool(part, [name], draw, size, make)
        for name in names
        for size, make in ((some, draw_call), (some // 3, _smallest), (some // 3, _largest))
    ]
    right = list({call: (call, outcome) for pool in pools for call, outcome in pool.cases}.values())
    told: list[set[int]] = []
    codes = part.compiled.codes() or []
    for number, text in classical_mutants(part.source, used_by(part.source, names)):
        changed = Compiled(text).codes() or []
        version = Running({part.name: [*codes[:number], *changed, *codes[number + 1 :]]})
        found = {i for i, (call, wanted) in enumerate(right) if not same_value(version.outcome(call), wanted)}
        told += [found] if found and found not in told else []
    plain = len(told)
    for special in SPECIAL.values():
        named = special.words in prompt
        case = {i for i, (call, _) in enumerate(right) if named and special.holds(call.args)}
        told += [each & case for each in told[:plain] if each & case]
    return _Imagined([(call, wanted[1]) for call, wanted in right], told)


def _telling(read: Read, draw: Draw) -> list[tuple[Call, Any]]:
    """Choose the calls that catch most of the wrong versions that come to mind."""
    cases, told = _imagined(read.prompt)
    left, chosen = list(told), list[int]()
    order = draw.shuffled(list(range(len(cases))))
    while len(chosen) < min(read.most, len(cases)):
        left = left or list(told)
        chosen.append(max(order, key=lambda number: (number not in chosen, sum(number in each for each in left))))
        left = [each for each in left if chosen[-1] not in each]
    return [cases[number] for number in chosen]


Choice = Callable[[Read, Draw], list[tuple[Call, Any]]]


def _reading(choose: Choice, heard: Sequence[str], turn: int) -> str:
    read = _read(heard[0])
    if read is None:
        return fenced("pass")
    return _written(read, choose(read, Draw("inputs", heard[0], turn)))


def _skill(name: str, choose: Choice) -> Callable[[], Agent]:
    return lambda: Shortcut(partial(_reading, choose), name)


def _shortcut(name: str, guess: Callable[[Any], Any]) -> Callable[[], Agent]:
    return lambda: Shortcut(partial(_guessing, guess), name)


def _ordered(value: Any) -> Any:
    return sorted(value, key=repr) if isinstance(value, list) else value


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (list, str, dict)) else 0


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "the argument comes back": _shortcut("the argument comes back", lambda value: value),
    "nothing comes back": _shortcut("nothing comes back", lambda value: type(value)()),
    "sorted": _shortcut("sorted", _ordered),
    "the length": _shortcut("the length", _length),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "right results for edge cases": _skill("edge cases", _edges),
    "right results for typical inputs": _skill("typical inputs", _typical),
    "systematic": _skill("systematic", _telling),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: tests that catch all faulty versions. Facts: functions to understand, and the faults to think of."""
    return len(env.task.telling), len(env.task.functions) + len(env.task.faulty)
