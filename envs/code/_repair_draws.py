"""The faults and the visible tests of a program to repair, drawn so that calls reveal each fault."""

from collections.abc import Sequence

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.programs import Fault, Part, Program, draw_call, draw_fault
from turnwise.worlds.programs.library.run import Call, same_outcome

__all__ = ["draw_faults", "draw_tests"]

_NUM_TESTS = 6
_CRASHES = 0.1  # share of the faults whose traceback leads to them that are kept
_LOOPS = 0.7  # share of the returns moved into a loop that are left out: most functions end with one


def draw_faults(draw: Draw, program: Program, number: int, subtle: float, misread: float) -> tuple[Fault, ...]:
    """Draw bugs, each revealed by calls whatever other bugs there are; empty if they were not found."""
    parts = list(program.parts.values())
    found: list[Fault] = []
    for _ in range(4 * number):
        part = _heavy(draw, parts)
        others = [fault.edit for fault in found if fault.file == part.name]
        misreading = misread > 0 and draw.chance(misread)
        edit = draw_fault(draw, part, others, share=subtle, misreading=misreading)
        if edit is not None and edit.kind == "early_return" and draw.chance(_LOOPS):
            continue
        if edit is not None and (not _crashes(program, Fault(part.name, edit)) or draw.chance(_CRASHES)):
            found.append(Fault(part.name, edit))
        if len(found) == number:
            return tuple(found)
    return ()


def _crashes(program: Program, fault: Fault) -> bool:
    """Tell whether most calls that reveal a fault end with an exception: its traceback leads to the line."""
    part, faulty = program.parts[fault.file], program.running([fault])
    revealed = raised = 0
    for call, wanted in zip(part.calls, part.expected, strict=True):
        outcome = faulty.outcome(call)
        if not same_outcome(outcome, wanted):
            revealed += 1
            raised += outcome[0] != "returned" and wanted[0] == "returned"
    return 2 * raised > revealed


def _heavy(draw: Draw, parts: Sequence[Part]) -> Part:
    """Return a file drawn with probability in proportion to its number of functions."""
    weights = [len(part.signatures) for part in parts]
    place = draw.unit() * sum(weights)
    for part, weight in zip(parts, weights, strict=True):
        place -= weight
        if place < 0:
            return part
    return parts[-1]


def draw_tests(draw: Draw, program: Program, faults: Sequence[Fault], far: bool) -> tuple[Call, ...]:
    """Draw calls for the visible tests, at least one of which fails; empty if no such call was found."""
    right, faulty = program.running(), program.running(faults)
    named = [(part, name) for part in program.parts.values() for name in part.signatures]
    broken = {fault.file for fault in faults} | (program.users if far else set())
    own = {name for fault in faults for name in _around(program, fault)}
    likely = [(p, name) for p, name in named if p.name in broken and not (far and f"{p.name}.{name}" in own)] or named
    failing: list[Call] = []
    passing: list[Call] = []
    for number in range(60 if far else 120):
        choice = likely if len(passing) >= _NUM_TESTS - 1 or number % 2 else named
        call = draw_call(draw, *draw.choice(choice))
        if (far and call.function in own) or call in failing or call in passing:
            continue
        wanted = right.outcome(call)
        if wanted[0] == "returned":
            (passing if same_outcome(faulty.outcome(call), wanted) else failing).append(call)
        if failing and len(failing) + len(passing) >= _NUM_TESTS:
            break
    tests = tuple(sorted([*failing[: _NUM_TESTS // 2], *passing][:_NUM_TESTS], key=lambda call: call.function))
    again = program.running(faults)  # a bug may show only after other calls
    return tests if any(not same_outcome(again.outcome(call), right.outcome(call)) for call in tests) else ()


def _around(program: Program, fault: Fault) -> list[str]:
    """Return the functions that contain a fault, as they are called."""
    part = program.parts[fault.file]
    return [f"{fault.file}.{f.name}" for f in part.functions if f.line <= fault.edit.line <= f.end_line]
