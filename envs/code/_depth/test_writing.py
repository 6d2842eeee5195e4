"""Agents that write tests; they see only what a model sees.

The shortcuts guess results. The skills read the specification, whose wordings they know, and compute right results:
what they differ in is the choice of inputs. "Systematic" imagines wrong programs of its own, misreadings and changed
operators, and picks the inputs that catch most of them.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.worlds.programs.specifications.program import fenced
from turnwise.worlds.programs.specifications.steps import BLOCKS, FORMS, Atom, Block, Spec, Step, phrase, run, stages
from turnwise.worlds.programs.specifications.tests import Pool, faulty_programs
from turnwise.worlds.programs.specifications.types import TAKES

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_HOLE = re.compile(r"\{(\w+)(?:([*+-])(\w+)|\.(s))?\}")
_NUMBER = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_STEP = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_NAME = re.compile(r"for the Python function `(\w+)`")
_MOST = re.compile(r"at most (\d+) tests")
_TYPE = re.compile(r"`\w+\(\w+\)` takes `(\w+)`: (.*?)\. It returns", re.DOTALL)
_POOL, _IMAGINED = 60, 150


# ---- reading ---------------------------------------------------------------------------------------------------------


@cache
def _pattern(say: str, many: bool, hole: str) -> tuple[re.Pattern[str], tuple[tuple[str, str, str], ...]]:
    """Return a pattern for a wording, and for each of its groups the hole, the sign and the amount."""
    text = _NUMBER.sub(lambda match: match[1 if many else 2], say)
    parts, holes, at = [], [], 0
    for match in _HOLE.finditer(text):
        parts += [re.escape(text[at : match.start()]), hole]
        holes.append((match[1], match[2] or match[4] or "", match[3] or ""))
        at = match.end()
    return re.compile("".join([*parts, re.escape(text[at:])]), re.DOTALL), tuple(holes)


def _read(say: str, many: bool, shown: str) -> Iterator[dict[str, str]]:
    """Yield the texts in the holes of a wording; each hole as short and as long as possible."""
    for hole in ("(.+?)", "(.+)"):
        pattern, holes = _pattern(say, many, hole)
        match = pattern.fullmatch(shown)
        if match is not None:
            yield {" ".join(key): text for key, text in zip(holes, match.groups(), strict=True)}


def _values(names: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[int | str, ...] | None:
    """Return the parameters that are written, plainly or in sums with a number or with another one."""
    found: dict[str, int | str] = {}
    sums = []
    for key, text in texts.items():
        name, sign, amount = key.split(" ")
        if name not in names:
            continue
        if re.fullmatch(r"-?\d+", text) is None:
            if len(text) > 1:  # parameters are numbers and letters
                return None
            found.setdefault(name, text)
        elif amount and not amount.isdigit():
            sums.append((name, sign, amount, int(text)))
        else:
            number, by = int(text), int(amount or 0)
            found.setdefault(name, number - by if sign == "+" else number + by if sign == "-" else number // (by or 1))
    for name, sign, amount, total in sums:
        first = found.get(name)
        if isinstance(first, int) and sign in "+-":
            found.setdefault(amount, total - first if sign == "+" else first - total)
    return tuple(found[name] for name in names) if all(name in found for name in names) else None


@cache
def _atoms(sort: str, shown: str) -> tuple[Atom, ...]:
    """Return what a predicate or function may be that is worded like this."""
    found = []
    for form in FORMS.values():
        for many in (True, False) if form.sort == sort and form.say else ():
            for texts in _read(form.say, many, shown):
                values = _values(form.params, texts)
                if values is not None:
                    found.append(Atom(form.name, values))
    return tuple(dict.fromkeys(found))


@cache
def _wordings() -> tuple[tuple[Block, int, tuple[str, ...], str], ...]:
    """Return every wording of every block with its choices made."""
    found = []
    for block in BLOCKS.values():
        for labels in itertools.product(*block.choices.values()) if block.drawn else ():
            for number, say in enumerate(block.say):
                text = say
                for (name, options), label in zip(block.choices.items(), labels, strict=True):
                    text = text.replace(f"{{{name}}}", options[label][1])
                found.append((block, number, labels, text))
    return tuple(found)


def _steps(line: str) -> Iterator[Step]:
    """Yield the steps that are worded like this."""
    for block, number, labels, say in _wordings():
        for texts in _read(say, True, line):
            slots = {key.split(" ")[0]: text for key, text in texts.items()}
            values = _values(block.params, texts)
            if values is None or not all(slot in slots for slot in block.slots):
                continue
            for atoms in itertools.product(*(_atoms(sort, slots[slot]) for slot, sort in block.slots.items())):
                step = Step(block.name, values, atoms, labels)
                if phrase(step, number) == line:
                    yield step


def _specification(prompt: str) -> Spec | None:
    """Read the specification; None if a sentence is not understood."""
    takes = _takes(prompt)
    steps: list[Step] = []
    for line in _STEP.findall(prompt):
        found = next((step for step in _steps(line) if BLOCKS[step.block].takes == takes), None)
        if found is None:
            return None
        steps.append(found)
        takes = BLOCKS[found.block].gives
    return Spec(tuple(steps)) if steps else None


def _takes(prompt: str) -> str:
    found = _TYPE.search(prompt)
    return next((name for name, kind in TAKES.items() if found and kind.say == found[2]), "ints")


# ---- writing ---------------------------------------------------------------------------------------------------------


def _written(prompt: str, cases: Sequence[tuple[Any, Any]]) -> str:
    name, most = _NAME.search(prompt), _MOST.search(prompt)
    lines = [f"assert {name[1] if name else 'f'}({value!r}) == {result!r}" for value, result in cases]
    return fenced("\n".join(lines[: int(most[1]) if most else 8]))


def _guessing(guess: Callable[[Any], Any]) -> Callable[[Sequence[str], int], str]:
    """Let an agent test typical inputs with results that it does not compute."""

    def read(heard: Sequence[str], turn: int) -> str:
        kind = TAKES[_takes(heard[0])]
        draw = Draw("guessing", heard[0], turn)
        return _written(heard[0], [(value, guess(value)) for value in (kind.draw(draw, ()) for _ in range(8))])

    return read


def _edges(spec: Spec, draw: Draw, most: int) -> list[Any]:
    return list(TAKES[spec.takes].edges)[:most]


def _random(spec: Spec, draw: Draw, most: int) -> list[Any]:
    pool = Pool(spec, draw)
    pool.traces.clear()
    pool.grow(most)
    return [trace[0] for trace in pool.traces]


def _telling(spec: Spec, draw: Draw, most: int) -> list[Any]:
    """Choose the inputs that catch most of the wrong programs that come to mind."""
    pool = Pool(spec, draw)
    pool.grow(_POOL)
    everything = range(len(pool.traces))
    left = [set(pool.telling_of(faulty, everything)) for faulty in faulty_programs(spec, draw, _IMAGINED)]
    left = [told for told in left if told]
    chosen: list[int] = []
    while left and len(chosen) < most:
        chosen.append(max(everything, key=lambda number: sum(number in told for told in left)))
        left = [told for told in left if chosen[-1] not in told]
    values = [pool.traces[number][0] for number in chosen]
    return values + [value for value in _random(spec, draw, most) if value not in values]


def _reading(choose: Callable[[Spec, Draw, int], list[Any]], heard: Sequence[str], turn: int) -> str:
    prompt = heard[0]
    spec = _specification(prompt)
    if spec is None:
        return _guessing(lambda value: value)(heard, turn)
    most = _MOST.search(prompt)
    values = choose(spec, Draw("inputs", prompt, turn), int(most[1]) if most else 8)
    return _written(prompt, [(value, run(stages(spec), value)) for value in values])


def _skill(name: str, choose: Callable[[Spec, Draw, int], list[Any]]) -> Callable[[], Agent]:
    return lambda: Shortcut(partial(_reading, choose), name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "the argument comes back": lambda: Shortcut(_guessing(lambda value: value), "the argument comes back"),
    "nothing comes back": lambda: Shortcut(_guessing(lambda value: type(value)()), "nothing comes back"),
    "sorted": lambda: Shortcut(
        _guessing(lambda value: sorted(value, key=repr) if isinstance(value, list) else value), "sorted"
    ),
    "the length": lambda: Shortcut(
        _guessing(lambda value: len(value) if isinstance(value, (list, str, dict)) else 0), "the length"
    ),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "right results for edge cases": _skill("edge cases", _edges),
    "right results for typical inputs": _skill("typical inputs", _random),
    "systematic": _skill("systematic", _telling),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: tests that catch all faulty programs. Facts: steps of the specification, and the faults to think of."""
    return len(env.task.telling), len(env.task.spec.steps) + len(env.task.faulty)
