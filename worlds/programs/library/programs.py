r"""Small programs with a known behaviour, of one or more files, recombined and renamed at random.

A program is one or more units, each with one of its behaviours; if there are several files, some are applications that
use the others. Docstrings describe all of it.

>>> import random
>>> program = draw_program(Draw.of(random.Random(3).random), 2)
>>> sorted(program.files) == sorted({call.function.partition(".")[0] for call in program.calls})
True
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import CodeType
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.worlds.programs.faults.mutations import HUMAN, Edit, Function, applied, edits, functions, misread
from turnwise.worlds.programs.library import formats as _library_formats
from turnwise.worlds.programs.library import numbers as _library_numbers
from turnwise.worlds.programs.library import office as _library_office
from turnwise.worlds.programs.library import order as _library_order
from turnwise.worlds.programs.library import services as _library_services
from turnwise.worlds.programs.library import state as _library_state
from turnwise.worlds.programs.library import text as _library_text
from turnwise.worlds.programs.library.applications import APPLICATIONS
from turnwise.worlds.programs.library.run import Call, CallOutcome, Compiled, Running, same_outcome
from turnwise.worlds.programs.library.units import Signature, Unit, filled, readings
from turnwise.worlds.programs.library.values import VALUES, related

__all__ = [
    "UNITS",
    "Fault",
    "Part",
    "Program",
    "draw_call",
    "draw_edit",
    "draw_edits",
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
    *_library_formats.UNITS,
    *_library_office.UNITS,
    *_library_services.UNITS,
)
"""All units that use no others."""
ALL = (*UNITS, *APPLICATIONS)
"""All units."""
_INDEX = {unit.name: number for number, unit in enumerate(ALL)}
CALLS_PER_FUNCTION = 10
"""Number of calls of each function that are the same in every task with a behaviour."""
HOUSES = tuple(
    map(
        frozenset,
        [
            ("purchasing", "stocktaking", "catalogue", "gallery", "delivery", "workshop", "newsletter"),
            ("matchday", "committee", "subscriptions", "imports", "newsletter", "website", "bookings"),
            ("payroll", "staff", "bookings", "workshop", "statements", "subscriptions", "greenhouse"),
            ("gateway", "oncall", "releases", "website", "catalogue", "gallery"),
            ("reports", "greenhouse", "committee", "bookings", "imports", "website"),
        ],
    )
)
"""Applications that a shop, a club, a company, a team of developers and a school have."""
_SEARCHED = 400  # calls of each function among which one that reveals a small edit is looked for
_RELATED = 0.25  # share of the arguments that have something to do with those before: boundaries are there
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
_GROWING = re.compile(r"\.(append|extend|insert|add|update|setdefault)\(")
_DOUBLED = re.compile(r"\b(\w+)(?:\[\w+\])? \+=? (?:\w+\()?\1\b")


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
        beside: The files that it imports.
        otherwise: Makes the texts of like files that do something else.
    """

    def __init__(
        self,
        name: str,
        source: str,
        signatures: Mapping[str, Signature],
        names: Mapping[str, tuple[str, ...]],
        seed: int,
        beside: Sequence["Part"] = (),
        otherwise: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.name, self.source, self.signatures, self.names = name, source, signatures, names
        self._seed, self.beside, self.otherwise = seed, beside, otherwise
        self._fails: dict[frozenset[Edit], bool] = {}
        self._revealed: dict[Edit, float] = {}
        self._edits: dict[str, tuple[Edit, ...]] = {}
        self._sharp: dict[str, tuple[Call, ...]] = {}

    @cached_property
    def compiled(self) -> Compiled:
        """The compiled statements."""
        return Compiled(self.source)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All functions in it, including internal ones."""
        return tuple(functions(self.source))

    def doc(self, function: str) -> str:
        """Return the first sentence of a function's docstring."""
        text = " ".join(next(f.doc for f in self.functions if f.name == function).split())
        return _SENTENCE.split(text, maxsplit=1)[0]

    def edits(self, function: str) -> tuple[Edit, ...]:
        """Return all faults that people might make in one of its functions."""
        if function not in self._edits:
            self._edits[function] = tuple(edits(self.source, HUMAN, function))
        return self._edits[function]

    @cached_property
    def misreadings(self) -> tuple[Edit, ...]:
        """Faults of functions that do something else than their docstrings say, by more than a small edit."""
        return tuple(dict.fromkeys(edit for other in self.otherwise() for edit in misread(self.source, other)))

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
        return Running({**{part.name: part.compiled.codes() or [] for part in self.beside}, self.name: codes})

    def fails(self, changes: Sequence[Edit]) -> bool:
        """Tell whether the program still compiles with these changes and one of the calls reveals them."""
        key = frozenset(changes)
        if key not in self._fails:
            self._fails[key] = self._found_out(changes)
        return self._fails[key]

    def revealed(self, edit: Edit) -> float:
        """Return the largest share of the calls of a function that reveal a fault."""
        if edit not in self._revealed:
            self._revealed[edit] = max(self._counts(edit).values(), default=0) / CALLS_PER_FUNCTION
        return self._revealed[edit]

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

    def sharp(self, function: str) -> tuple[Call, ...]:
        """Return calls that reveal those small edits of a function that `calls` do not, one at least for each.

        Edits that none of 400 further calls of each function reveals may change nothing, and are left out.
        """
        if function not in self._sharp:
            self._sharp[function] = tuple(self._sharpened(function))
        return self._sharp[function]

    def _sharpened(self, function: str) -> Iterator[Call]:
        draw, right = Draw("sharp calls", self._seed, function), self._running(self.compiled.codes() or [])
        called = [function] if function in self.signatures else list(self.signatures)
        found: list[tuple[Call, CallOutcome]] = []
        for edit in self.edits(function):
            codes = None if _grows(self.source, edit) else self.compiled.codes([edit])
            if codes is None or self.fails([edit]):
                continue
            wrong = self._running(codes)
            if any(not same_outcome(wrong.outcome(call), wanted) for call, wanted in found):
                continue
            for number in range(_SEARCHED * len(called)):
                call = draw_call(draw, self, called[number % len(called)])
                wanted = right.outcome(call)
                if not same_outcome(wrong.outcome(call), wanted):
                    found.append((call, wanted))
                    yield call
                    break

    def _counts(self, edit: Edit) -> Counter[str]:
        running = self._running(self.compiled.codes([edit]) or [])
        return Counter(
            call.function.partition(".")[2]
            for call, wanted in zip(self.calls, self.expected, strict=True)
            if not same_outcome(running.outcome(call), wanted)
        )

    def _found_out(self, changes: Sequence[Edit]) -> bool:
        codes = self.compiled.codes(changes)
        if codes is None:
            return False
        running = self._running(codes)
        return any(
            not same_outcome(running.outcome(call), wanted)
            for call, wanted in zip(self.calls, self.expected, strict=True)
        )


class Program:
    """Files that belong together.

    Attributes:
        parts: The files; those that use others come after them.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = {part.name: part for part in parts}

    @property
    def users(self) -> set[str]:
        """Names of the files that use others."""
        return {name for name, part in self.parts.items() if part.beside}

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

    def sharp(self, faults: Sequence[Fault]) -> list[Call]:
        """Return the `Part.sharp` calls of the functions that have these faults: they reveal fixes that nearly do."""
        found: dict[Call, None] = {}
        for fault in faults:
            part = self.parts[fault.file]
            for function in part.functions:
                if _holds(function, fault.edit):
                    found.update(dict.fromkeys(part.sharp(function.name)))
        return list(found)

    def changed(self, faults: Sequence[Fault]) -> dict[str, str]:
        """Return the texts with these faults."""
        return {
            name: applied(part.source, [f.edit for f in faults if f.file == name]) for name, part in self.parts.items()
        }


Key = tuple[tuple[int, int], ...]
"""The composition of a program: units, by their index in `ALL`, with their behaviours; a unit follows those it uses."""


@lru_cache(1024)
def part_of(unit: int, variant: int, beside: Key = ()) -> Part:
    """Return a behaviour of a unit, by the unit's index in `ALL`, with those units that it uses."""
    kind = ALL[unit]
    used = [part_of(*other) for other in beside]
    seed = seed_of("unit", unit, variant, *beside)
    others = readings(kind, variant)
    return Part(
        kind.name, filled(kind, variant), kind.functions, kind.names, seed, used,
        lambda: [filled(kind, other) for other in others],
    )  # fmt: skip


@lru_cache(256)
def program_of(key: Key) -> Program:
    """Build the program with a composition."""
    parts = []
    for unit, variant in key:
        beside = tuple(other for other in key if ALL[other[0]].name in ALL[unit].uses)
        parts.append(part_of(unit, variant, beside))
    return Program(parts)


def draw_program(draw: Draw, num_files: int) -> "Program":
    """Draw a program of that many files, from 1."""
    return program_of(draw_key(draw, num_files))


def draw_key(draw: Draw, num_files: int) -> Key:
    """Draw the composition of a program with that many files, from 1 to 6: of several, some use the others.

    What is for the same kind of house comes together more often than not.
    """
    chosen: dict[str, None] = {}
    theme: frozenset[str] = frozenset()
    while num_files > 1 and len(chosen) < num_files:
        possible = [kind for kind in APPLICATIONS if kind.name not in chosen]
        possible = [kind for kind in possible if len({kind.name, *kind.uses} - {*chosen}) <= num_files - len(chosen)]
        if not possible:
            break
        close = [kind for kind in possible if kind.name in theme or any(name in chosen for name in kind.uses)]
        kind = draw.choice(close if close and draw.chance(0.9) else possible)
        theme = theme or draw.choice([house for house in HOUSES if kind.name in house])
        chosen.update(dict.fromkeys((*kind.uses, kind.name)))
    fitting = {name for kind in APPLICATIONS if kind.name in theme for name in kind.uses}
    while len(chosen) < num_files:
        left = [unit.name for unit in UNITS if unit.name not in chosen]
        chosen.setdefault(draw.choice([name for name in left if name in fitting] or left))
    return tuple((_INDEX[name], draw.below(ALL[_INDEX[name]].num_variants)) for name in chosen)


def draw_call(draw: Draw, part: Part, function: str) -> Call:
    """Draw a call of a function of a part."""
    args: list[object] = []
    for kind in part.signatures[function].arguments:
        args.append(related(draw, kind, args) if args and draw.chance(_RELATED) else VALUES[kind](draw))
    return Call.of(f"{part.name}.{function}", args)


def draw_fault(
    draw: Draw, part: Part, others: Sequence[Edit] = (), most: int = 24, share: float = 1.0, misreading: bool = False
) -> Edit | None:
    """Draw a fault that calls reveal, alone and with any of the others, in a function without one.

    Args:
        draw: Source of randomness.
        part: The file.
        others: Faults that it already has.
        most: Maximum number of tries.
        share: Largest share of the calls of any one function that reveal it.
        misreading: It is one of ``part.misreadings``, rather than a small edit.
    """
    taken = {function.name for function in part.functions for other in others if _holds(function, other)}
    free = [function.name for function in part.functions if function.name not in taken]
    tries = range(most if free else 0)
    small = (draw_edit(draw, part, draw.choice(free)) for _ in tries)
    for edit in draw.shuffled(_whole(part, free)) if misreading else small:
        if edit is None or not part.fails([edit]) or (share < 1 and part.revealed(edit) > share):
            continue
        if all(part.fails([*some, edit]) for some in _subsets(others)):
            return edit
    return None


def _whole(part: Part, free: Collection[str]) -> list[Edit]:
    inside = [function for function in part.functions if function.name in free]
    return [edit for edit in part.misreadings if any(_holds(function, edit) for function in inside)]


def draw_edit(draw: Draw, part: Part, function: str) -> Edit | None:
    """Draw a fault in a function, by kind first; it may not change the behaviour."""
    return next(draw_edits(draw, part, [function]), None)


def draw_edits(draw: Draw, part: Part, functions: Sequence[str]) -> Iterator[Edit]:
    """Draw all faults in some functions, by kind first, so that rare kinds come early; some change no behaviour."""
    by_kind: dict[str, list[Edit]] = {}
    for function in functions:
        for edit in part.edits(function):
            if not _grows(part.source, edit) and not _unlikely(part.source, edit):
                by_kind.setdefault(edit.kind, []).append(edit)
    while by_kind:
        kind = list(by_kind)[draw.below(len(by_kind))]
        yield draw.take(by_kind[kind])
        if not by_kind[kind]:
            del by_kind[kind]


def _grows(source: str, edit: Edit) -> bool:
    """Tell whether a fault may cause endless growth: a list that a loop iterates over, a value added to itself."""
    if edit.kind == "variable" and _GROWING.match(source, edit.end):
        return True
    end = source.find("\n", edit.end)
    line = source[source.rfind("\n", 0, edit.start) + 1 : edit.start] + edit.text + source[edit.end : end]
    return _DOUBLED.search(line) is not None


def _unlikely(source: str, edit: Edit) -> bool:
    """Tell whether nobody would write this by mistake: the last item for the first, `and` for a default."""
    old = source[edit.start : edit.end]
    last = edit.kind == "off_by_one" and (old, edit.text) in (("0", "-1"), ("-1", "0"))
    return last or (edit.kind == "logic" and source[edit.end :].lstrip()[:1] in ('"', "0", "["))


def _holds(function: Function, edit: Edit) -> bool:
    return function.line <= edit.line <= function.end_line


def _subsets(edits: Sequence[Edit]) -> list[list[Edit]]:
    found: list[list[Edit]] = [[]]
    for edit in edits:
        found += [[*some, edit] for some in found]
    return found
