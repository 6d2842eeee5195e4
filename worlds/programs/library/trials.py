"""Wrong versions of a module that tests should tell from the right one: faults that people make, and misreadings.

A misreading is another behaviour of the unit: the other tie rule, the other end that counts, another rounding. Some
versions are wrong in a special case alone, as code with a branch of its own for it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple, Protocol

from turnwise.core.draw import Draw
from turnwise.worlds.programs.faults.mutations import Edit
from turnwise.worlds.programs.faults.special import SPECIAL
from turnwise.worlds.programs.library.interface import used_by
from turnwise.worlds.programs.library.programs import UNITS, Part, draw_call, draw_edits, part_of
from turnwise.worlds.programs.library.run import Call, CallOutcome, Running, same_outcome
from turnwise.worlds.programs.library.units import readings

__all__ = ["Asked", "Pool", "Trial", "Version", "Wrong", "draw_trial", "running", "wrong_versions"]

CALLS = 20  # of each function, but not more than MAX_CALLS of all
MAX_CALLS = 60
_READINGS = 0.3  # share of misreadings
_CASES = 5  # special cases of one trial
_ORDINARY = 0.6  # a case is special if fewer calls than this share are so
_LONGER = 0.4  # share of calls with long arguments, where special cases are wanted
_UNSEEN = ("mutable_default",)  # shows only in a second call


Told = tuple[int, ...]
"""Numbers of the calls that tell a version."""


class Wrong(NamedTuple):
    """A wrong version: a behaviour of the unit, changes of its text, and the special case in which it has them."""

    variant: int
    edits: tuple[Edit, ...] = ()
    special: str = ""
    right: int = 0
    """The behaviour in all other cases, if there is a special one."""


class Version(Protocol):
    """A version that can be called."""

    def outcome(self, call: Call) -> CallOutcome:
        """Return the outcome of a call."""


class _Branching(NamedTuple):
    """A version that is wrong in a special case and right otherwise."""

    holds: Callable[[tuple[Any, ...]], bool]
    wrong: Version
    right: Version

    def outcome(self, call: Call) -> CallOutcome:
        return (self.wrong if self.holds(call.args) else self.right).outcome(call)


@dataclass(frozen=True)
class Trial:
    """Wrong versions, and calls that tell all of them from the right one."""

    wrong: tuple[Wrong, ...]
    telling: tuple[Call, ...]


@lru_cache(64)  # each version is loaded afresh for each call in the end
def _codes(unit: int, variant: int, edits: tuple[Edit, ...]) -> list[CodeType] | None:
    return part_of(unit, variant).compiled.codes(edits)


def running(unit: int, wrong: Wrong) -> Version | None:
    """Load a version of a unit; None if it does not compile."""
    codes = _codes(unit, wrong.variant, wrong.edits)
    version = None if codes is None else Running({part_of(unit, wrong.variant).name: codes})
    if version is None or not wrong.special:
        return version
    right = running(unit, Wrong(wrong.right))
    return right and _Branching(SPECIAL[wrong.special].holds, version, right)


class Pool:
    """Calls of some functions of a module that return a value, with the right outcomes.

    Args:
        part: The module.
        functions: Names of the functions.
        draw: Draws the calls.
        size: Calls of each function, at most, unless there are MAX_CALLS then.
        make: Makes a call of a function; at random if it is left out.
    """

    def __init__(
        self,
        part: Part,
        functions: Sequence[str],
        draw: Draw,
        size: int = CALLS,
        make: Callable[[Draw, Part, str], Call] = draw_call,
    ) -> None:
        right = Running({part.name: part.compiled.codes() or []})
        drawn = {
            make(draw, part, name): None for name in functions for _ in range(min(size, MAX_CALLS // len(functions)))
        }
        outcomes = [(call, right.outcome(call)) for call in drawn]
        self.cases: list[tuple[Call, CallOutcome]] = [
            (call, outcome) for call, outcome in outcomes if outcome[0] == "returned" and _plain(outcome[1])
        ]

    def telling(self, version: Version) -> list[int] | None:
        """Return the numbers of the calls with another outcome; None if one does not end."""
        found = []
        for number, (call, wanted) in enumerate(self.cases):
            outcome = version.outcome(call)
            if outcome[0] == "endless":
                return None
            if not same_outcome(outcome, wanted):
                found.append(number)
        return found

    def share(self, told: Sequence[int]) -> float:
        """Return the largest share of the calls of one function that such a list has."""
        counts: dict[str, list[int]] = {}
        for number, (call, _) in enumerate(self.cases):
            counts.setdefault(call.function, []).append(number in told)
        return max(sum(each) / len(each) for each in counts.values())


def _plain(value: Any) -> bool:
    return not isinstance(value, (set, frozenset)) and value is not NotImplemented


def wrong_versions(draw: Draw, unit: int, variant: int, functions: Sequence[str]) -> Iterator[Wrong]:
    """Draw versions that are wrong in what some functions use; some may behave like the right one."""
    part = part_of(unit, variant)
    used = used_by(part.source, list(functions))
    inside = [function.name for function in part.functions if function.name.partition(".")[0] in used]
    faults = draw_edits(draw, part, inside)
    left = readings(UNITS[unit], variant)
    while True:
        if left and draw.chance(_READINGS):
            yield Wrong(draw.take(left))
            continue
        edit = next(faults, None)
        if edit is None:
            yield from map(Wrong, left)
            return
        if edit.kind not in _UNSEEN:
            yield Wrong(variant, (edit,))


@dataclass(frozen=True)
class Asked:
    """What is asked of a trial.

    Attributes:
        num_wrong: Number of wrong versions.
        most: Maximum number of calls that tell all of them.
        times: They are those that the fewest calls tell, of this many times as many.
        rare: Largest share of the calls of any one function that may tell one.
        common: Smallest share of the calls of some function that must tell one.
        special: Share of those that are wrong in a special case alone.
    """

    num_wrong: int
    most: int
    times: int = 1
    rare: float = 1.0
    common: float = 0.0
    special: float = 0.0


def draw_trial(draw: Draw, unit: int, variant: int, functions: Sequence[str], asked: Asked) -> Trial | None:
    """Draw wrong versions that few calls tell from the right one; None if there are not enough.

    Args:
        draw: Source of randomness.
        unit: The unit's index.
        variant: Its right behaviour.
        functions: Those that tests may call.
        asked: What is asked of them.
    """
    pool = Pool(part_of(unit, variant), functions, draw, make=_mixed if asked.special else draw_call)
    cases = _special(draw, pool) if asked.special else {}
    some = round(asked.num_wrong * asked.special)
    left = {True: some * asked.times, False: (asked.num_wrong - some) * asked.times}
    found: dict[Told, Wrong] = {}
    for wrong in wrong_versions(draw, unit, variant, functions):
        version = running(unit, wrong)
        told = tuple((version and pool.telling(version)) or ())
        for narrowed, calls in _narrowed(draw, wrong, told, cases if left[True] else {}, variant):
            kind = narrowed.special != ""
            if left[kind] and calls not in found and asked.common <= pool.share(calls) <= asked.rare:
                found[calls] = narrowed
                left[kind] -= 1
                break
        if not any(left.values()):
            break
    chosen = _hardest(found, True, some) + _hardest(found, False, asked.num_wrong - some)
    numbers = _cover(chosen, asked.most)
    if len(chosen) < asked.num_wrong or numbers is None:
        return None
    wanted = {pool.cases[number][0]: pool.cases[number][1] for number in numbers}
    kept = tuple(found[told] for told in chosen if _caught(unit, found[told], wanted))
    return Trial(kept, tuple(wanted)) if len(kept) == asked.num_wrong else None


def _narrowed(
    draw: Draw, wrong: Wrong, told: Told, cases: Mapping[str, set[int]], right: int
) -> Iterator[tuple[Wrong, Told]]:
    """Yield a version that is wrong in a special case alone, for each case, then the version itself; with the calls."""
    for name in draw.shuffled(list(cases)):
        calls = tuple(number for number in told if number in cases[name])
        if 0 < len(calls) < len(told):
            yield wrong._replace(special=name, right=right), calls
    if told:
        yield wrong, told


def _hardest(found: Mapping[Told, Wrong], special: bool, number: int) -> list[Told]:
    """Return what tells those that the fewest calls tell."""
    return sorted((told for told, wrong in found.items() if (wrong.special != "") == special), key=len)[:number]


def _special(draw: Draw, pool: Pool) -> dict[str, set[int]]:
    """Draw a few special cases, with the numbers of the calls that are so: some, but not most of them."""
    found = {
        name: {number for number, (call, _) in enumerate(pool.cases) if SPECIAL[name].holds(call.args)}
        for name in SPECIAL
    }
    fitting = [name for name, calls in found.items() if 1 < len(calls) < _ORDINARY * len(pool.cases)]
    return {name: found[name] for name in draw.sample(fitting, min(len(fitting), _CASES))}


def _mixed(draw: Draw, part: Part, name: str) -> Call:
    """Draw a call, or the longest of several."""
    more = 3 if draw.chance(_LONGER) else 0
    return max((draw_call(draw, part, name) for _ in range(1 + more)), key=lambda call: len(call.data))


def _cover(told: Sequence[tuple[int, ...]], most: int) -> list[int] | None:
    """Choose numbers so that each list has one of them, greedily."""
    left = [set(numbers) for numbers in told]
    chosen: list[int] = []
    while left:
        if len(chosen) == most:
            return None
        counts: dict[int, int] = {}
        for numbers in left:
            for number in numbers:
                counts[number] = counts.get(number, 0) + 1
        best = min(counts, key=lambda number: (-counts[number], number))
        chosen.append(best)
        left = [numbers for numbers in left if best not in numbers]
    return chosen


def _caught(unit: int, wrong: Wrong, wanted: dict[Call, CallOutcome]) -> bool:
    """Tell whether one of the calls, each in a fresh version, has another outcome."""
    return any(
        not same_outcome(fresh.outcome(call), outcome)
        for call, outcome in wanted.items()
        if (fresh := running(unit, wrong))
    )
