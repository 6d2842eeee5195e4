r"""Small programs with a known behaviour, of one or more files, recombined and renamed at random.

A program is one or more units, each with one of its behaviours, and, if there are several files, one that combines
their functions. Docstrings describe all of it.

>>> import random
>>> program = draw_program(Draw.of(random.Random(3).random), 2)
>>> sorted(program.files) == sorted({call.function.partition(".")[0] for call in program.calls})
True
"""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from types import CodeType
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.verifiers.code.compare import same_value
from turnwise.worlds.programs.faults.mutations import HUMAN, Edit, Function, applied, edits, functions
from turnwise.worlds.programs.library import numbers as _library_numbers
from turnwise.worlds.programs.library import order as _library_order
from turnwise.worlds.programs.library import state as _library_state
from turnwise.worlds.programs.library import text as _library_text
from turnwise.worlds.programs.library.run import Call, CallOutcome, Compiled, Running
from turnwise.worlds.programs.library.units import Signature, Unit, filled
from turnwise.worlds.programs.library.values import VALUES

__all__ = [
    "UNITS",
    "Fault",
    "Part",
    "Program",
    "draw_call",
    "draw_edit",
    "draw_fault",
    "draw_program",
    "part_of",
    "program_of",
]

UNITS: tuple[Unit, ...] = (
    *_library_numbers.UNITS,
    *_library_text.UNITS,
    *_library_state.UNITS,
    *_library_order.UNITS,
)
"""All units."""
CALLS_PER_FUNCTION = 10
"""Number of calls of each function that are the same in every task with a behaviour."""
_FITS = {  # kinds that an argument also accepts, besides its own
    "ints": ("naturals", "rising"), "int": ("natural", "count", "small"), "natural": ("count", "small"),
    "amount": ("count", "small", "natural"), "text": ("path", "word", "letters"), "words": (), "spans": (),
}  # fmt: skip
_CONSTANTS = ("amount", "base", "count", "int", "narrow", "natural", "node", "percent", "small", "width", "word")
_NAMES = ("report", "summary", "overview", "outline", "analysis", "review", "survey", "account")
_FILES = ("main", "combine", "pipeline", "together")
_GROWING = re.compile(r"\.(append|extend|insert|add|update|setdefault)\(")
_DOUBLED = re.compile(r"\b(\w+)(?:\[\w+\])? \+=? (?:\w+\()?\1\b")
Form = tuple[tuple[str, ...], tuple[tuple[object, ...], ...], bool]
"""A composed function: "file.function" from inside out, further arguments of each, whether it maps a list."""


class Fault(NamedTuple):
    """One change of one file."""

    file: str
    edit: Edit


class Part:
    """One file: its text, its public functions, and calls of them.

    Attributes:
        name: Name of the file, without ``.py``.
        source: Its text.
        signatures: The functions that are called from outside.
        names: Names in it that may be replaced, with their replacements.
    """

    def __init__(
        self,
        name: str,
        source: str,
        signatures: Mapping[str, Signature],
        names: Mapping[str, tuple[str, ...]],
        seed: int,
        beside: Sequence["Part"] = (),
    ) -> None:
        self.name, self.source, self.signatures, self.names = name, source, signatures, names
        self._seed, self._beside = seed, beside
        self._fails: dict[frozenset[Edit], bool] = {}
        self._edits: dict[str, tuple[Edit, ...]] = {}

    @cached_property
    def compiled(self) -> Compiled:
        """The compiled statements."""
        return Compiled(self.source)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All functions in it, including internal ones."""
        return tuple(functions(self.source))

    def edits(self, function: str) -> tuple[Edit, ...]:
        """Return all faults that people might make in one of its functions."""
        if function not in self._edits:
            self._edits[function] = tuple(edits(self.source, HUMAN, function))
        return self._edits[function]

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Calls of all functions, always the same."""
        draw = Draw.of(random.Random(self._seed).random)
        return tuple(draw_call(draw, self, name) for name in self.signatures for _ in range(CALLS_PER_FUNCTION))

    @cached_property
    def expected(self) -> tuple[CallOutcome, ...]:
        """The outcomes of the calls."""
        return tuple(map(self._running(self.compiled.codes() or []).outcome, self.calls))

    def _running(self, codes: Sequence[CodeType]) -> Running:
        return Running({**{part.name: part.compiled.codes() or [] for part in self._beside}, self.name: codes})

    def fails(self, changes: Sequence[Edit]) -> bool:
        """Tell whether the program still compiles with these changes and one of the calls reveals them."""
        key = frozenset(changes)
        if key not in self._fails:
            self._fails[key] = self._found_out(changes)
        return self._fails[key]

    def revealed(self, edit: Edit) -> float:
        """Return the largest share of the calls of a function that reveal a fault."""
        return max(self._counts(edit).values(), default=0) / CALLS_PER_FUNCTION

    def revealing(self, edit: Edit) -> dict[str, int]:
        """Return the functions some calls of which reveal a fault, and how many."""
        return dict(self._counts(edit))

    def crashes(self, edit: Edit) -> bool:
        """Tell whether some call that returns a value raises or does not end with a fault."""
        running = self._running(self.compiled.codes([edit]) or [])
        return any(
            wanted[0] == "returned" and running.outcome(call)[0] != "returned"
            for call, wanted in zip(self.calls, self.expected, strict=True)
        )

    def _counts(self, edit: Edit) -> Counter[str]:
        running = self._running(self.compiled.codes([edit]) or [])
        return Counter(
            call.function.partition(".")[2]
            for call, wanted in zip(self.calls, self.expected, strict=True)
            if not same_value(running.outcome(call), wanted)
        )

    def _found_out(self, changes: Sequence[Edit]) -> bool:
        codes = self.compiled.codes(changes)
        if codes is None:
            return False
        running = self._running(codes)
        return any(
            not same_value(running.outcome(call), wanted)
            for call, wanted in zip(self.calls, self.expected, strict=True)
        )


_CHAINED = (
    "Chains for the nightly smoke run: one function's result goes into the next, whether that makes sense or not."
)


def _glue(name: str, parts: Sequence[Part], forms: Sequence[tuple[str, Form]], seed: int) -> Part:
    """Write the file that combines functions of other files."""
    of = {f"{part.name}.{function}": s for part in parts for function, s in part.signatures.items()}
    used = sorted({step.partition(".")[0] for _, form in forms for step in form[0]})
    imports = "".join(f"import {name}\n" for name in used)
    bodies = "".join(f"\n\n{_written(own, form, of)}" for own, form in forms)
    source = f'"""{_CHAINED}"""\n\n{imports}{bodies}'
    return Part(name, source, {own: _signature(form, of) for own, form in forms}, {}, seed, parts)


def _signature(form: Form, of: dict[str, Signature]) -> Signature:
    steps, _, mapped = form
    kind = of[steps[0]].arguments[0]
    return Signature((f"several {kind}" if mapped else kind,))


def _written(own: str, form: Form, of: dict[str, Signature]) -> str:
    """Write the text of a composed function."""
    steps, constants, mapped = form
    item = "each" if mapped else "given"
    lines, meaning, last = [], [], item
    for number, (step, more) in enumerate(zip(steps, constants, strict=True)):
        counts = number and of[steps[number - 1]].result == "counts"
        last = f"list({last}.items())" if counts else last
        arguments = ", ".join([last, *map(repr, more)])
        extra = f" with {' and '.join(map(repr, more))}" if more else ""
        meaning.append(f"`{step}`{extra}{' on the items of that' if counts else ''}")
        last = ("first", "second", "third")[number]
        lines.append(f"{last} = {step}({arguments})")
    if mapped:
        body = ["found = []", "for each in given:", *(f"    {line}" for line in lines), f"    found.append({last})"]
        returned, to = "found", " on each of the given values"
    else:
        body, returned, to = lines, last, ""
    doc = _folded(f'"""Run {", then ".join(meaning)}{to}."""')
    return "\n".join([f"def {own}(given):", *doc, *(f"    {line}" for line in body), f"    return {returned}", ""])


def _folded(text: str) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > 105:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else '    '}{word}"
    return lines


class Program:
    """Files that belong together.

    Attributes:
        parts: The files; the last one may combine functions of the others.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = {part.name: part for part in parts}

    @cached_property
    def files(self) -> dict[str, str]:
        """Texts by name, without ``.py``."""
        return {name: part.source for name, part in self.parts.items()}

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Calls of all functions of all files."""
        return tuple(call for part in self.parts.values() for call in part.calls)

    def running(self, faults: Sequence[Fault] = ()) -> Running:
        """Load the program with these faults."""
        return Running({
            name: part.compiled.codes([f.edit for f in faults if f.file == name]) or []
            for name, part in self.parts.items()
        })  # fmt: skip

    def changed(self, faults: Sequence[Fault]) -> dict[str, str]:
        """Return the texts with these faults."""
        return {
            name: applied(part.source, [f.edit for f in faults if f.file == name]) for name, part in self.parts.items()
        }


Key = tuple[tuple[tuple[int, int], ...], str, tuple[tuple[str, Form], ...]]
"""The composition of a program: units with their behaviours, and name and functions of the file that combines them."""


@lru_cache(1024)
def part_of(unit: int, variant: int) -> Part:
    """Return a behaviour of a unit, by the unit's index in `UNITS`."""
    kind = UNITS[unit]
    return Part(kind.name, filled(kind, variant), kind.functions, kind.names, seed_of("unit", unit, variant))


@lru_cache(256)
def program_of(key: Key) -> Program:
    """Build the program with a composition."""
    units, name, forms = key
    parts = [part_of(*unit) for unit in units]
    return Program([*parts, _glue(name, parts, forms, seed_of("glue", key))] if forms else parts)


def draw_program(draw: Draw, num_files: int) -> "Program":
    """Draw a program of that many files, from 1."""
    return program_of(draw_key(draw, num_files))


def draw_key(draw: Draw, num_files: int) -> Key:
    """Draw the composition of a program with that many files, from 1 to 6."""
    left = list(range(len(UNITS)))
    units: list[tuple[int, int]] = []
    for _ in range(max(num_files - 1, 1)):
        close = [other for other in left if any(_linked(unit, other) for unit, _ in units)]
        choice = close if close and draw.unit() < 0.8 else left
        unit = draw.choice(choice)
        left.remove(unit)
        units.append((unit, draw.below(UNITS[unit].num_variants)))
    if num_files == 1:
        return (units[0],), "", ()
    forms = _draw_forms(draw, [part_of(*unit) for unit in units])
    start, file = draw.below(len(_NAMES)), draw.choice(_FILES)
    names = [_NAMES[(start + number) % len(_NAMES)] for number in range(len(forms))]
    return tuple(units), file, tuple(zip(names, forms, strict=True))


def _draw_forms(draw: Draw, parts: Sequence[Part]) -> list[Form]:
    """Draw functions composed from different parts if they fit, using each part at least once."""
    of = {f"{part.name}.{function}": s for part in parts for function, s in part.signatures.items()}
    chains = [[name] for name in of]
    for _ in range(2):
        chains += [
            [*chain, name]
            for chain in chains
            for name in of
            if name not in chain and len(chain) < 3 and _takes(of[name].arguments[0], of[chain[-1]].result)
            and all(kind in _CONSTANTS for kind in of[name].arguments[1:])
        ]  # fmt: skip
    usable = [chain for chain in chains if all(kind in _CONSTANTS for kind in of[chain[0]].arguments[1:])]
    found: list[Form] = []
    seen: set[str] = set()
    for part in parts:
        own = [chain for chain in usable if any(step.startswith(f"{part.name}.") for step in chain)]
        most = max(len({step.partition(".")[0] for step in chain}) for chain in own)
        best = [c for c in own if len({s.partition(".")[0] for s in c}) == most and (len(c) > 1 or most == 1)]
        chain = draw.choice(best)
        if part.name in seen and len(parts) > 1 and len(found) > 1:
            continue
        seen |= {step.partition(".")[0] for step in chain}
        constants = tuple(tuple(VALUES[kind](draw) for kind in of[step].arguments[1:]) for step in chain)
        found.append((tuple(chain), constants, draw.unit() < (0.6 if len(chain) == 1 else 0.3)))
    return found


@lru_cache(1024)
def _linked(one: int, other: int) -> bool:
    """Tell whether a function of one unit accepts a result of the other."""
    pairs = ((UNITS[one], UNITS[other]), (UNITS[other], UNITS[one]))
    return any(
        _takes(second.arguments[0], first.result) and all(kind in _CONSTANTS for kind in second.arguments[1:])
        for a, b in pairs
        for first in a.functions.values()
        for second in b.functions.values()
    )


def _takes(argument: str, result: str) -> bool:
    if result == "counts" and argument == "pairs":
        return True
    return bool(result) and (argument == result or result in _FITS.get(argument, ()))


def draw_call(draw: Draw, part: Part, function: str) -> Call:
    """Draw a call of a function of a part."""
    args: list[object] = []
    for kind in part.signatures[function].arguments:
        if kind.startswith("several "):
            single = VALUES[kind.removeprefix("several ")]
            args.append([single(draw) for _ in range(draw.integer(1, 4))])
        else:
            args.append(VALUES[kind](draw))
    return Call.of(f"{part.name}.{function}", args)


def draw_fault(draw: Draw, part: Part, others: Sequence[Edit] = (), most: int = 24, share: float = 1.0) -> Edit | None:
    """Draw a fault that calls reveal, alone and with any of the others, in a function without one.

    Args:
        draw: Source of randomness.
        part: The file.
        others: Faults that it already has.
        most: Maximum number of tries.
        share: Largest share of the calls of any one function that reveal it.
    """
    taken = {function.name for function in part.functions for other in others if _holds(function, other)}
    free = [function.name for function in part.functions if function.name not in taken]
    for _ in range(most if free else 0):
        edit = draw_edit(draw, part, draw.choice(free))
        if edit is None or not part.fails([edit]) or (share < 1 and part.revealed(edit) > share):
            continue
        if all(part.fails([*some, edit]) for some in _subsets(others)):
            return edit
    return None


def draw_edit(draw: Draw, part: Part, function: str) -> Edit | None:
    """Draw a fault in a function, by kind first; it may not change the behaviour."""
    by_kind: dict[str, list[Edit]] = {}
    for edit in part.edits(function):
        if not _grows(part.source, edit):
            by_kind.setdefault(edit.kind, []).append(edit)
    if not by_kind:
        return None
    some = by_kind[list(by_kind)[draw.below(len(by_kind))]]
    return draw.choice(some)


def _grows(source: str, edit: Edit) -> bool:
    """Tell whether a fault may cause endless growth: a list that a loop iterates over, a value added to itself."""
    if edit.kind == "variable" and _GROWING.match(source, edit.end):
        return True
    end = source.find("\n", edit.end)
    line = source[source.rfind("\n", 0, edit.start) + 1 : edit.start] + edit.text + source[edit.end : end]
    return _DOUBLED.search(line) is not None


def _holds(function: Function, edit: Edit) -> bool:
    return function.line <= edit.line <= function.end_line


def _subsets(edits: Sequence[Edit]) -> list[list[Edit]]:
    found: list[list[Edit]] = [[]]
    for edit in edits:
        found += [[*some, edit] for some in found]
    return found
