"""Slips: bugs of one word or sign that a visible test shows, as cases; the first rung of RepoIssue.

``python -m turnwise.worlds.programs.repositories.slips`` finds them again and writes ``data/slips.json``. A slip is
kept if its tests leave no choice: no other small change of the lines that the failing tests run makes all tests pass.
"""

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.faults.mutations import applied, edits, mutants
from turnwise.worlds.programs.repositories.check_parts import files_of
from turnwise.worlds.programs.repositories.parts import Case, Part, Patch, load_parts

__all__ = ["slip_cases"]

_FILE = Path(__file__).with_name("data") / "slips.json"
_KINDS = ("boundary", "comparison", "operator", "logic")
_OTHERS = (*_KINDS, "constant", "function", "dropped", "negated", "off_by_one")
_MOST, _SECONDS = 14, 0.5
_COMMITS = (
    "Simplify a condition", "Tidy up after review", "Make the code easier to read", "Use fewer lines",
    "Small clean-up", "Rework a condition that nobody understood", "Follow the linter's advice",
)  # fmt: skip
_TITLES = (
    "Tests fail on main", "`{test}` fails", "CI is red", "Red build since the last merge", "{failed} on main",
    "The test suite does not pass", "`{test}` has been failing since yesterday", "Broken main branch",
    "Cannot release: {failed}", "{test} broken?", "pytest: {failed}, {passed}", "Nightly build: {failed}",
    "main is broken ({test})", "Regression caught by {test}",
)  # fmt: skip
_STORIES = (
    "A fresh checkout, nothing changed, and this is what the tests say:",
    "The build has been red since the last merge. Tests that passed for months don't any more, and nobody has touched "
    "them.",
    "I wanted to start on something else, but the tests don't pass before I've done anything.",
    "Nightly run on main. The tests are right, I have looked at them; it must be something in the package.",
    "I bisected down to a commit that was supposed to change nothing. Whoever has time, please have a look.",
    "Our packaging runs the test suite and stops here:",
    "We can't release like this. The test is a year old and describes what the documentation says.",
    "Same on three machines with three versions of Python, so it isn't me.",
    "After updating my clone I get the following. It was green on Friday.",
    "Found while preparing {version}. As far as I can see, the test is fine and the code isn't.",
)
_WISHES = (
    "The test should pass again, without being changed.",
    "Please fix the code, not the test.",
    "Everything was green in {before}.",
    "Looks like a small thing.",
    "I haven't looked any further.",
    "All tests pass, and the package does what its docstrings say.",
)


class _Slip(NamedTuple):
    part: str
    right: str
    wrong: str
    failing: tuple[str, ...]


@cache
def slip_cases() -> tuple[Case, ...]:
    """Return all slips as cases."""
    found = [_Slip(row[0], row[1], row[2], tuple(row[3])) for row in json.loads(_FILE.read_text(encoding="utf-8"))]
    numbers: dict[str, int] = {}
    cases = []
    for slip in found:
        numbers[slip.part] = numbers.get(slip.part, 0) + 1
        number = numbers[slip.part]
        cases.append(Case(
            f"{slip.part}.slip-{number}", slip.part, "slip", 0, (Patch(slip.part, slip.right, slip.wrong),),
            _COMMITS[(number + len(slip.right)) % len(_COMMITS)], _TITLES, _STORIES, _WISHES, (), failing=slip.failing,
        ))  # fmt: skip
    return tuple(cases)


# ---- finding them -------------------------------------------------------------------------------------------------


class _Late(BaseException):
    pass


@contextlib.contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Raise `_Late` after some seconds."""

    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _own_package() -> Iterator[None]:
    """Have an empty package ``pkg`` among the modules, and afterwards those that were there before."""

    def taken() -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "pkg"}

    before = taken()
    try:
        sys.modules["pkg"] = ModuleType("pkg")
        yield
    finally:
        taken()
        sys.modules.update(before)


def _failing(part: Part, source: str, ran: set[int] | None = None) -> list[str]:
    """Return the tests of a part that fail with another source of its module.

    Everything that runs here comes with the package: parts, their tests, and mutants of them, thousands of them. So it
    runs in this process, and in its main thread, since signals stop it.

    Args:
        part: The part.
        source: The other source.
        ran: Gets the lines of the source that the failing tests run.
    """
    with _own_package():
        try:
            with _stopped_after(_SECONDS):
                return _failed(_loaded(part, source), f"<{part.name}>", ran)
        except (_Late, Exception):  # a mutant raises whatever it likes while it is loaded
            return ["everything"]


def _loaded(part: Part, source: str) -> dict[str, Callable[[], None]]:
    """Load a part with what it needs, and return its tests by name."""
    files = {**files_of(part), f"pkg/{part.name}.py": source}
    order = [*(each for each in load_parts() if f"pkg/{each}.py" in files)]
    while order:
        name = order.pop(0)
        if any(need in order for need in load_parts()[name].needs):
            order.append(name)
            continue
        module = sys.modules[f"pkg.{name}"] = ModuleType(f"pkg.{name}")
        exec(compile(files[f"pkg/{name}.py"], f"<{name}>", "exec"), module.__dict__)
    space: dict[str, Any] = {"__name__": "tests"}
    exec(compile(part.tests, "tests", "exec"), space)
    return {name: test for name, test in space.items() if name.startswith("test_")}


def _failed(tests: Mapping[str, Callable[[], None]], file: str, ran: set[int] | None) -> list[str]:
    failed, traced = [], sys.gettrace()
    for name, test in tests.items():
        lines: set[int] = set()
        try:
            if ran is not None:
                sys.settrace(_tracer(file, lines))
            test()
        except Exception:  # a mutant raises whatever it likes
            failed.append(name)
            if ran is not None:
                ran |= lines
        finally:
            sys.settrace(traced)
    return failed


def _tracer(file: str, lines: set[int]) -> Callable[..., Any]:
    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != file:
            return None
        lines.add(frame.f_lineno)
        return trace

    return trace


def _slips(part: Part) -> Iterator[_Slip]:
    source, taken = part.source, set[str]()
    for mutant in mutants(source, Draw("slips", part.name), _KINDS):
        if mutant.edit.text == "+" and source[mutant.edit.start : mutant.edit.end] == "*":
            continue  # who looks for it tries a minus
        ran: set[int] = set()
        failed = _failing(part, mutant.source, ran)
        line = source.split("\n")[mutant.line - 1]
        if not failed or failed == ["everything"] or line in taken:
            continue
        others = (applied(mutant.source, [edit]) for edit in edits(mutant.source, _OTHERS) if edit.line in ran)
        if any(other != source and not _failing(part, other) for other in others):
            continue
        patch = _patch(source, mutant.source)
        if patch is not None:
            taken.add(line)
            yield _Slip(part.name, *patch, tuple(failed))


def _patch(right: str, wrong: str) -> tuple[str, str] | None:
    """Return the lines that differ, with as many around them as it takes for the right ones to occur once."""
    before, after = right.split("\n"), wrong.split("\n")
    if len(before) != len(after):
        return None
    places = [place for place, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    low, high = places[0], places[-1] + 1
    while right.count("\n".join(before[low:high])) != 1:
        low, high = max(low - 1, 0), min(high + 1, len(before))
    return "\n".join(before[low:high]), "\n".join(after[low:high])


def main() -> None:
    """Find slips in all parts and write them."""
    rows = []
    for part in load_parts().values():
        for slip, _ in zip(_slips(part), range(_MOST), strict=False):
            rows.append(json.dumps([*slip[:3], list(slip.failing)], ensure_ascii=False))
    _FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} slips\n")


if __name__ == "__main__":
    main()
