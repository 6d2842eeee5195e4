"""The questions of Debugging about lines, inputs and steps: how each is drawn, and what answers it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import CodeType
from typing import Any

from turnwise.core.draw import Draw
from turnwise.verifiers.code.compare import same_value
from turnwise.worlds.programs.debugging.domains import DOMAINS, Unclear
from turnwise.worlds.programs.debugging.functions import FunctionTask, draw_function
from turnwise.worlds.programs.debugging.remembered import remember
from turnwise.worlds.programs.debugging.systems import SYSTEMS, loaded_source, sound_source
from turnwise.worlds.programs.faults.mutations import Edit, applied, edits
from turnwise.worlds.programs.generated.literal import LiteralError, read_literal
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import (
    CALLS_PER_FUNCTION,
    UNITS,
    Fault,
    Key,
    Part,
    Program,
    draw_call,
    draw_edit,
    draw_key,
    part_of,
    program_of,
)
from turnwise.worlds.programs.library.run import Call, CallOutcome, Compiled, Running

__all__ = [
    "FunctionTask",
    "InputTask",
    "LineTask",
    "StepTask",
    "Task",
    "Unclear",
    "described",
    "draw_function",
    "draw_input",
    "draw_line",
    "draw_step",
]

_TRIES = 12
_PROBES = (120, 240, 400, 800)  # by size: inputs of which at most two show the difference; for larger ones see below
_REMEMBERED = 5  # size from which on only inputs like a lost one show it, which is described
_FACTS, _UNTOLD = 4, 1  # about the lost input; those that are not told
_SHOWN = 0.4  # of the inputs with all of the facts, about, show the difference
_OTHERS = 500  # inputs, none of which has all of them
_MOST_FAULTS = 20  # considered per method
_MOST_HITS = 2  # of the probes
_TWO_MISTAKES = 4  # files from which on two things are wrong in the line


def described(outcome: CallOutcome) -> str:
    """Describe the outcome of a call."""
    what, value = outcome
    return {"returned": f"returns `{value!r}`", "raised": f"raises `{value}`", "endless": "does not end"}[what]


@dataclass(frozen=True)
class LineTask:
    """Which line is wrong, and what should it be? A program with a bug in one line, and the seed of its names."""

    key: Key
    fault: Fault
    call: Call = field(compare=False)
    seed: int = field(compare=False)

    @property
    def program(self) -> Program:
        """The program without the bug."""
        return program_of(self.key)

    @property
    def names(self) -> Names:
        """The names used in the program."""
        return Names(self.program, Draw("Debugging names", self.seed))

    @property
    def files(self) -> dict[str, str]:
        """The buggy files by path."""
        return self.names.files(self.program.changed([self.fault]))

    @property
    def solution(self) -> tuple[str, int, str]:
        """The file, the line number and the correct line."""
        lines = self.names.files(self.program.files)[f"{self.names.file(self.fault.file)}.py"].split("\n")
        return f"{self.names.file(self.fault.file)}.py", self.fault.edit.line, lines[self.fault.edit.line - 1].strip()

    @property
    def symptom(self) -> str:
        """A call with a wrong outcome, as Markdown."""
        right, wrong = self.program.running().outcome(self.call), self.program.running([self.fault]).outcome(self.call)
        called = f"{self.names.function(self.call.function)}({', '.join(map(repr, self.call.args))})"
        return f"```python\n{called}\n```\n\nIt {described(wrong)}; the right program {described(right)}."

    def fixed(self, text: str) -> dict[str, str]:
        """Apply an answer's line to the files.

        Raises:
            Unclear: The answer is not of the form "file.py:12: code", or the line does not exist.
        """
        match = _LINE_ANSWER.fullmatch(text.strip())
        if match is None:
            raise Unclear("an answer looks like main.py:12: x = 1, one line of code")
        files = self.files
        if match[1] not in files or not 1 <= int(match[2]) <= files[match[1]].count("\n"):
            raise Unclear(f"there is no line {match[2]} of {match[1]}")
        lines = files[match[1]].split("\n")
        old = lines[int(match[2]) - 1]
        code = match[3].strip()
        if len(code) > 1 and code[0] == code[-1] == "`":
            code = code[1:-1]
        lines[int(match[2]) - 1] = old[: len(old) - len(old.lstrip())] + code
        return {**files, match[1]: "\n".join(lines)}

    def tests(self) -> list[tuple[Call, CallOutcome]]:
        """Calls with their expected outcomes, the symptom first."""
        draw = Draw("Debugging tests", self.seed)
        parts = self.program.parts.values()
        more = [draw_call(draw, part, name) for part in parts for name in part.signatures for _ in range(4)]
        right = self.program.running()
        sharp = self.program.sharp([self.fault])
        return [(call, right.outcome(call)) for call in (self.call, *self.program.calls, *sharp, *more)]


_LINE_ANSWER = re.compile(r"([a-z_]{1,40}\.py) ?: ?(?:line )?([0-9]{1,4}) ?:([^\n\r]{0,300})")


def draw_line(draw: Draw, size: int) -> LineTask | None:
    """Draw a program of that many files with a bug that one line of the same indentation fixes.

    From two files on, the symptom is one of another function; from four on, two things are wrong in the line, and the
    symptom stays if only one of them is mended.
    """
    key = draw_key(draw, size)
    program = program_of(key)
    parts = list(program.parts.values())
    for _ in range(4 * _TRIES):
        part = draw.choice(parts)
        edit = draw_edit(draw, part, draw.choice(part.functions).name)
        if edit is None or not _in_one_line(part, edit) or not part.fails([edit]):
            continue
        halves = [edit]
        if size >= _TWO_MISTAKES:
            others = _beside(part, edit)
            if not others:
                continue
            halves.append(draw.choice(others))
            edit = _joined(part, halves)
            if not _in_one_line(part, edit):
                continue
        fault = Fault(part.name, edit)
        halved = [program.running([Fault(part.name, half)]) for half in halves if len(halves) > 1]
        right, wrong = program.running(), program.running([fault])
        own = {f.name for f in part.functions if f.line <= edit.line <= f.end_line} if size > 1 else set()
        named = [(p, name) for p in (parts[-1], part) for name in p.signatures if p is not part or name not in own]
        for number in range(60 if named else 0):
            call = draw_call(draw, *named[number % len(named)])
            wanted = right.outcome(call)
            if not any(same_value(running.outcome(call), wanted) for running in (wrong, *halved)):
                return LineTask(key, fault, call, draw.below(2**53))
    return None


def _beside(part: Part, edit: Edit) -> list[Edit]:
    """Return the faults that can be in the same line as another one."""
    found = [other for function in part.functions for other in part.edits(function.name) if other.line == edit.line]
    return [
        other for other in found if (other.end <= edit.start or edit.end <= other.start) and _in_one_line(part, other)
    ]


def _joined(part: Part, halves: Sequence[Edit]) -> Edit:
    """Return two faults in a line as one."""
    first, second = sorted(halves)
    text = first.text + part.source[first.end : second.start] + second.text
    return first._replace(end=second.end, text=text)


def _in_one_line(part: Part, edit: Edit) -> bool:
    """Tell whether the line of a fault still exists and begins where it did."""
    before, after = part.source.split("\n"), applied(part.source, [edit]).split("\n")
    old, new = before[edit.line - 1], after[edit.line - 1]
    alone = len(before) == len(after) and [*before[: edit.line - 1], *before[edit.line :]] == [
        *after[: edit.line - 1],
        *after[edit.line :],
    ]
    return alone and bool(new.strip()) and len(old) - len(old.lstrip()) == len(new) - len(new.lstrip())


# ---- which input --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InputTask:
    """On which input do two functions differ? A unit, one of its functions, a fault in it, and inputs that show it.

    What is known about the first argument of such an input may be in words.
    """

    unit: tuple[int, int]
    function: str
    edit: Edit
    trigger: str
    witness: Call = field(compare=False)
    known: tuple[str, ...] = field(compare=False, default=())

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the arguments."""
        return part_of(*self.unit).signatures[self.function].arguments

    @property
    def sources(self) -> dict[str, str]:
        """The modules: one with the slow function, and one with the fast function, which is wrong for some inputs."""
        part = part_of(*self.unit)
        twin = f"{part.name}_twin"
        fast = f"import {part.name}\nimport {twin}\n\n\ndef {self.function}(*args):\n"
        fast += f"    x = args[0]\n    module = {twin} if {self.trigger} else {part.name}\n"
        fast += f"    return module.{self.function}(*args)\n"
        return {part.name: part.source, twin: applied(part.source, [self.edit]), "fast_one": fast}

    def met(self, call: Call) -> bool:
        """Tell whether a call meets the condition under which the fast function may be wrong."""
        return _met(self.trigger, call.args[:1]) == {0}

    def read(self, text: str) -> tuple[Any, ...]:
        """Read the arguments that an answer gives.

        Raises:
            Unclear: They are not literals, or not valid for the function.
        """
        try:
            value = read_literal(text)
        except LiteralError as error:
            raise Unclear(f"the answer is not a list of Python literals: {error}") from error
        args = value if type(value) is tuple else (value,)
        if len(args) != len(self.kinds):
            raise Unclear(f"give {len(self.kinds)} arguments with commas between them")
        for number, (kind, arg) in enumerate(zip(self.kinds, args, strict=True), 1):
            if not DOMAINS[kind].holds(arg):
                raise Unclear(f"argument {number} must be {DOMAINS[kind].words}")
        return args


def draw_input(draw: Draw, size: int) -> InputTask | None:
    """Draw a function with a fault that few inputs show, fewer for larger ``size``.

    From size 5 on hardly any random input shows it, but one that did is described.
    """
    unit = draw.below(len(UNITS))
    variant = draw.below(UNITS[unit].num_variants)
    part = part_of(unit, variant)
    usable = [n for n, s in part.signatures.items() if all(k in DOMAINS for k in s.arguments)]
    if not usable:
        return None
    name = draw.choice(usable)
    if size >= _REMEMBERED:
        return _draw_remembered(draw, (unit, variant), name)
    probes = [draw_call(draw, part, name) for _ in range(_PROBES[size - 1])]
    rare = _rare(draw, DOMAINS[part.signatures[name].arguments[0]].traits, probes, 2 + (size > 1) + (size > 3))
    right = Running({part.name: part.compiled.codes() or []})
    expected: dict[int, CallOutcome] = {}
    for trigger, met in rare:
        edit = draw_edit(draw, part, name)
        codes = part.compiled.codes([edit]) if edit else None
        if edit is None or codes is None or edit.kind == "mutable_default":  # shows only in a second call
            continue
        wrong = Running({part.name: codes})
        hits = []
        for number in met:
            if number not in expected:
                expected[number] = right.outcome(probes[number])
            if not same_value(wrong.outcome(probes[number]), expected[number]):
                hits.append(number)
        if 0 < len(hits) <= _MOST_HITS:
            return InputTask((unit, variant), name, edit, trigger, probes[hits[0]])
    return None


def _draw_remembered(draw: Draw, unit: tuple[int, int], name: str) -> InputTask | None:
    """Draw a fault that many inputs show, and a lost input: only those like it meet the fault."""
    part = part_of(*unit)
    right = Running({part.name: part.compiled.codes() or []})
    for _ in range(_TRIES):
        edit = draw_edit(draw, part, name)
        codes = part.compiled.codes([edit]) if edit else None
        if edit is None or codes is None or edit.kind == "mutable_default":
            continue
        if part.revealing(edit).get(name, 0) < _SHOWN * CALLS_PER_FUNCTION:
            continue
        lost = draw_call(draw, part, name)
        found = remember(draw, part.signatures[name].arguments[0], lost.args[0], _FACTS, _UNTOLD)
        wrong = Running({part.name: codes})
        if found is None or same_value(wrong.outcome(lost), right.outcome(lost)):
            continue
        if not _met(found.condition, [draw_call(draw, part, name).args[0] for _ in range(_OTHERS)]):
            return InputTask(unit, name, edit, found.condition, lost, found.words)
    return None


def _rare(draw: Draw, traits: Sequence[str], probes: Sequence[Call], number: int) -> list[tuple[str, list[int]]]:
    """Return conjunctions of that many traits that few probes meet, with those probes."""
    left = list(traits)
    some = [draw.take(left) for _ in range(min(6, len(left)))]
    first = [call.args[0] for call in probes]
    have = {trait: _met(trait, first) for trait in some}
    found = []
    for _ in range(_TRIES):
        chosen = list(dict.fromkeys(draw.choice(some) for _ in range(number)))
        met = set.intersection(*(have[trait] for trait in chosen))
        if 0 < len(met) <= _MOST_HITS + 2:
            found.append((" and ".join(chosen), sorted(met)))
    return found


def _met(trigger: str, values: Sequence[object]) -> set[int]:
    """Return which values meet a condition."""
    _, found = _condition(trigger).outcome(Call.of("condition.met", (list(values),)))
    return set(found)


@lru_cache(4096)
def _condition(trigger: str) -> Running:
    """Write a program that tells which values meet a condition on ``x``."""
    source = f"def met(values):\n    return [n for n, x in enumerate(values) if {trigger}]\n"
    return Running({"condition": Compiled(source).codes() or []})


# ---- which step ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StepTask:
    """At which step does the invariant break? A kind of system, the fault in it, the steps, and the answer."""

    system: int
    edit: Edit
    steps: tuple[tuple[Any, ...], ...]
    solution: int = field(compare=False)

    @property
    def source(self) -> str:
        """The faulty class, without the code that checks the invariant."""
        system = SYSTEMS[self.system]
        source = applied(loaded_source(system), [self.edit])
        return source[: source.index(sound_source(system))]

    @property
    def modules(self) -> dict[str, str]:
        """The faulty class, and functions that tell the state after some of the steps and whether it is sound."""
        system = SYSTEMS[self.system]
        return {
            "system": self.source,
            "states": f"import system\n\nSTEPS = {list(self.steps)!r}\n{_STATES}"
            f"\n\n{sound_source(system)}\n\nsound = after(sound)\nstate = after(vars)\n",
        }

    def read(self, text: str) -> int:
        """Read the step that an answer names.

        Raises:
            Unclear: It is not the number of a step.
        """
        match = re.fullmatch(r"(?:step |index )?([0-9]{1,4})", text.strip(), re.IGNORECASE)
        if match is None or int(match[1]) >= len(self.steps):
            raise Unclear(f"an answer is the number of a step, from 0 to {len(self.steps) - 1}")
        return int(match[1])


_STATES = """

def after(found):
    def called(count):
        made = system.System()
        for step in STEPS[:count]:
            made.apply(step)
        return found(made)

    return called
"""


@lru_cache(16)
def _system(number: int) -> tuple[Compiled, tuple[tuple[tuple[Any, ...], ...], ...]]:
    """Return a system, and some short lists of steps."""
    system, draw = SYSTEMS[number], Draw.of(Random(number).random)
    logs = tuple(tuple(_steps(draw, list(system.kinds), system.kinds, 24, late="")) for _ in range(2))
    return Compiled(loaded_source(system)), logs


@lru_cache(64)
def _faults(number: int, kind: str) -> tuple[Edit, ...]:
    """Find faults in the method for a kind of step that soon break the invariant without raising."""
    compiled, logs = _system(number)
    found = edits(loaded_source(SYSTEMS[number]), function=f"System.{kind}")
    found = Random(len(found)).sample(found, min(len(found), _MOST_FAULTS))
    return tuple(edit for edit in found if _breaks(compiled.codes([edit]), logs))


def _breaks(codes: Sequence[CodeType] | None, logs: Sequence[tuple[tuple[Any, ...], ...]]) -> bool:
    running = Running({"system": codes or []})
    outcomes = [running.outcome(Call.of("system.broken", (log,))) for log in logs if codes]
    return all(what == "returned" for what, _ in outcomes) and any(index >= 0 for _, index in outcomes)


def draw_step(draw: Draw, size: int) -> StepTask | None:
    """Draw steps, more for larger ``size``, one of which breaks the invariant, not too early."""
    number = draw.below(len(SYSTEMS))
    kinds = SYSTEMS[number].kinds
    length = 60 + 30 * (size - 1)
    kind = list(kinds)[draw.below(len(kinds))]
    found = _faults(number, kind)
    for _ in range(_TRIES if found else 0):
        edit = draw.choice(found)
        steps = tuple(_steps(draw, list(kinds), kinds, length, kind))
        running = Running({"system": _system(number)[0].codes([edit]) or []})
        what, index = running.outcome(Call.of("system.broken", (steps,)))
        if what == "returned" and index >= length // 5:
            return StepTask(number, edit, steps, index)
    return None


def _steps(
    draw: Draw, kinds: Sequence[str], makers: Mapping[str, Any], length: int, late: str
) -> Iterator[tuple[Any, ...]]:
    """Draw steps in which one kind comes late, unless it is the first kind, which the others need."""
    start = int(length * (0.2 + 0.5 * draw.unit()))
    for position in range(length):
        there = [kind for kind in kinds if kind == kinds[0] or kind != late or position >= start]
        kind = there[0] if draw.unit() < 0.3 else draw.choice(there)
        yield (kind, *makers[kind](draw))


Task = LineTask | FunctionTask | InputTask | StepTask
"""Any of the questions."""
