"""Algorithmic problems: solutions against programs by definition, readable words, steps of slow programs."""

import doctest
from collections import Counter
from typing import Any

import pytest

from tests._work import one_in
from turnwise.core.draw import Draw
from turnwise.sandbox import Limits, Program, shared_sandbox
from turnwise.worlds.programs.contests import kernel as _kernel
from turnwise.worlds.programs.contests import layout as _layout
from turnwise.worlds.programs.contests.catalogue import HARDEST, KERNELS, TOPICS, Puzzle, draw_puzzle, puzzles
from turnwise.worlds.programs.contests.kernel import variations
from turnwise.worlds.programs.contests.problem import Case, Form, Problem

ALLOWED = 40_000_000  # lines that Python runs in the two seconds of a test, on a fast machine
SCANS = 3000  # programs by definition try every number up to the largest


def test_doctests() -> None:
    for module in (_kernel, _layout):
        assert doctest.testmod(module).failed == 0


def every_puzzle(name: str, constant: int = 0) -> list[Puzzle]:
    kernel = KERNELS[name]
    found = []
    for _, picked in variations(kernel):
        constants = [(key, values[constant % len(values)]) for key, values in kernel.params.items()]
        turnings = (False, True) if kernel.inverse and kernel.inverse.fits(picked) else (False,)
        found += [Puzzle(name, (*picked.items(), *constants), turned) for turned in turnings]
    return found


def posed(puzzle: Puzzle, form: Form | None = None, *, large: bool = False, seed: int = 1) -> Problem:
    return Problem(puzzle, seed, form or ("class" if KERNELS[puzzle.kernel].ops else "function"), large)


def largest(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return max(map(largest, value), default=0)
    return abs(value) if isinstance(value, int) else 0


@pytest.mark.parametrize("name", KERNELS)
def test_solutions_agree_with_programs_by_definition(name: str) -> None:
    for puzzle in every_puzzle(name):
        if puzzle.turned:
            continue
        problem, draw = posed(puzzle), Draw("definition", name)
        for number in range(8):
            case = problem.case(draw, 1 + number % 5)
            if largest(case.args) <= SCANS:
                assert problem.checked(case.args) == case.result, (puzzle, case)


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if kernel.inverse])
def test_questions_can_be_turned_around_where_the_result_is_monotone(name: str) -> None:
    kernel = KERNELS[name]
    inverse = kernel.inverse
    assert inverse is not None
    at = [arg.name for arg in kernel.args].index(inverse.arg)
    for puzzle in every_puzzle(name):
        if not puzzle.turned:
            continue
        plain, draw = posed(Puzzle(name, puzzle.picked)), Draw("monotone", name)
        for _ in range(6):
            args = list(plain.kernel.make(draw, 5, plain.picked))
            values = dict(zip((arg.name for arg in kernel.args), args, strict=True))
            low, high = (eval(end, {}, values) for end in (inverse.low, inverse.high))
            results = [plain.run([*args[:at], k, *args[at + 1 :]]) for k in range(low, min(high, low + 12) + 1)]
            assert results == sorted(results, reverse=not inverse.up), (puzzle, args)
        turned = posed(puzzle)
        for _ in range(6):
            case = turned.case(draw, 5)
            assert case.result >= -1


@pytest.mark.parametrize("name", one_in(8, KERNELS))
def test_words_are_filled_and_programs_run(name: str) -> None:
    for number, puzzle in enumerate(every_puzzle(name, 1)):
        for story in range(len(KERNELS[name].stories)):
            problem = posed(puzzle, "program" if number % 2 else None, seed=story + number)
            samples = problem.samples(2)
            words = "\n".join([*problem.statement(), *problem.shown(samples)])
            assert not set("{}@") & set(words.replace("[{", "")), words
            assert (
                "  " not in words
                and " ." not in words.replace("`.`", "").replace(" ...", "")
                and words.count("```") % 2 == 0
            ), words
        source = problem.reference()
        compile(source, "reference", "exec")
        if number == 0:
            program = posed(puzzle, "program")
            cases = program.small(1, 12)
            result = shared_sandbox("auto").run(Program(program.reference(), stdin=program.stdin(cases)))
            assert result.ok, result.stderr
            assert result.stdout == program.stdout(cases)


def test_there_are_many_puzzles_of_each_difficulty() -> None:
    assert len(KERNELS) >= 35
    assert len({kernel.topic for kernel in KERNELS.values()}) == len(TOPICS) >= 12
    drawn = [draw_puzzle(Draw("many", number), number % (HARDEST + 1)) for number in range(1400)]
    assert all(puzzle is not None for puzzle in drawn)
    by_hardness = [len(puzzles(hardness)) for hardness in range(HARDEST + 1)]
    assert min(by_hardness) >= 4
    assert sum(by_hardness[2:6]) > 100
    kernels = Counter(puzzle.kernel for puzzle in drawn if puzzle)
    assert len(kernels) == len(KERNELS)
    assert draw_puzzle(Draw(1), 1, "geometry") is None


def test_the_same_seed_gives_the_same_tests() -> None:
    puzzle = draw_puzzle(Draw("same"), 3)
    assert puzzle is not None
    first, second = posed(puzzle), posed(puzzle)
    assert first.small(4, 20) == second.small(4, 20) != first.small(5, 20)
    assert first.statement() == second.statement()


@pytest.mark.parametrize(
    "name",
    [
        "segments",
        "balance",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("rising", "stands", "tree", "intervals")),
    ],
)
def test_large_inputs_stop_slow_programs_and_not_the_solution(name: str) -> None:
    """A fifth of the steps that the time limit allows is enough for the solution; five times as many are not, else."""
    kernel = KERNELS[name]
    _, picked = next(iter(variations(kernel)))
    puzzle = Puzzle(name, (*picked.items(), *((key, values[0]) for key, values in kernel.params.items())))
    problem = posed(puzzle, "function", large=True)
    draw = Draw("steps", name)
    quick = _steps(problem.reference(), problem.name, problem.case(draw, 400, 1))
    assert quick * problem.largest / 400 * 1.6 <= ALLOWED / 5, "nearly linear: a logarithm grows by less than 1.6"
    slow = _steps(problem.slow(), problem.name, problem.case(draw, 200, 1))
    assert slow * (problem.largest / 200) ** 2 >= 5 * ALLOWED, "at least quadratic"


def _steps(source: str, name: str, case: Case, most: int = 3_000_000) -> int:
    """Count the lines and rounds of loops that a function runs, up to a number."""
    counter = (
        f"{source}\nimport sys\ncount = 0\n"
        "def tick(frame, event, arg):\n    global count\n    frame.f_trace_opcodes = True\n"
        "    count += event == 'opcode'\n"
        f"    if count > {8 * most}:\n        raise KeyboardInterrupt\n    return tick\n"
        f"sys.settrace(tick)\ntry:\n    {name}(*{case.args!r})\nexcept KeyboardInterrupt:\n    pass\n"
        "sys.settrace(None)\nprint(count // 8)\n"
    )
    result = shared_sandbox("auto").run(Program(counter), Limits(wall_s=120))
    assert result.ok, result.stderr
    return int(result.stdout)
