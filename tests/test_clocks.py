"""No test knows how fast a machine is: clocks are read in tests/_work.py alone, and no measured time has a bound.

The scripts of `make interop`, which print what they took, may read clocks, too.

What a test may do instead: count (calls, requests, pauses), `at_most` and `growth` of `tests._work`, which compare with
other work of the same test, and wait with `eventually` for what must come, up to the time-out of the whole suite.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests._work import at_most, eventually, growth, one_in

TESTS = Path(__file__).parent
CLOCKS = {
    "clock_gettime", "clock_gettime_ns", "default_timer", "getrusage", "monotonic", "monotonic_ns", "perf_counter",
    "perf_counter_ns", "process_time", "process_time_ns", "thread_time", "thread_time_ns", "times",
}  # fmt: skip
AMBIGUOUS = {
    "time": ("time", "time_ns"),
    "datetime": ("now", "utcnow"),
    "loop": ("time",),
}  # words of other things, too
MEASURED = {"cpu_s", "duration", "duration_s", "elapsed", "elapsed_s", "seconds", "took", "took_s", "wall_s"}


def clocks(tree: ast.AST) -> list[str]:
    """Where code reads a clock: by attribute, or by a name that was imported."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            if (node.attr in CLOCKS and of in ("time", "os", "resource", "timeit")) or node.attr in AMBIGUOUS.get(
                of, ()
            ):
                found.append(f"line {node.lineno} reads the clock {of}.{node.attr}")
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "timeit", "resource"):
            taken = {alias.name for alias in node.names} & {*CLOCKS, *AMBIGUOUS["time"]}
            found += [f"line {node.lineno} imports the clock {name}" for name in sorted(taken)]
    return found


def upper_bounds(tree: ast.AST) -> list[str]:
    """Where an assertion says that a measured time is below a number; that it is above one holds on any machine."""
    found = []
    tests = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    for node in (node for test in tests for node in ast.walk(test) if isinstance(node, ast.Compare)):
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(operator, ast.Gt | ast.GtE):
                left, right = right, left
            elif not isinstance(operator, ast.Lt | ast.LtE):
                continue
            name = left.attr if isinstance(left, ast.Attribute) else left.id if isinstance(left, ast.Name) else ""
            if name in MEASURED and isinstance(right, ast.Constant):
                found.append(f"line {node.lineno} compares {name} with {ast.unparse(right)}")
    return found


def faults(source: str, prints: bool = False) -> list[str]:
    tree = ast.parse(source)
    return clocks(tree) * (not prints) + upper_bounds(tree)


def is_script(file: Path) -> bool:
    """Whether ``make interop`` runs it."""
    return file.parent.name == "interop" and file.name.startswith(("check_", "run."))


def test_no_test_compares_a_clock_with_a_constant() -> None:
    files = [file for file in sorted(TESTS.rglob("*.py")) if file.name != "_work.py"]
    assert len(files) > 200
    found = [
        f"{file.relative_to(TESTS)}: {fault}"
        for file in files
        for fault in faults(file.read_text("utf-8"), prints=is_script(file))
    ]
    assert not found, "use tests/_work.py:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "import time\nstart = time.process_time()\nf()\nassert time.process_time() - start < 0.2",
        "import time\ndef test_a():\n    end = time.monotonic() + 20\n    while time.monotonic() < end: f()",
        "import time\nbegun = time.time()\nf()\nif time.time() - begun > 3: raise AssertionError",
        "from time import perf_counter as now\nstart = now()\nf()\nassert now() - start < LIMIT_S",
        "import timeit\nassert timeit.default_timer() < 5",
        "import resource\nused = resource.getrusage(resource.RUSAGE_SELF)",
        "import os\nassert os.times().user < 5",
        "assert run().wall_s < 5",
        "def test_a(result):\n    assert result.killed_by == 'wall' and 0.4 <= result.wall_s < 5",
        "assert all(3 > result.cpu_s for result in results)",
        "assert seconds <= 0.4, seconds",
    ],
)
def test_a_test_that_knows_the_machine_is_found(source: str) -> None:
    assert faults(source)


@pytest.mark.parametrize(
    "source",
    [
        "with at_most(millions=4):\n    f()",
        "assert growth(f, 1000, 8000) < 24",
        "assert result.wall_s >= 0.4",
        "assert 0.5 * limits.cpu_s < result.cpu_s < 3 * limits.cpu_s",
        "import time\ntime.sleep(0.1)\nassert settings.timeout_s == 5",
        "assert calls < 40",
    ],
)
def test_bounds_on_work_are_no_faults(source: str) -> None:
    assert not faults(source)


@pytest.mark.parametrize("processes", one_in(2, ["1", "0"]))
def test_what_a_quick_run_leaves_is_counted(processes: str) -> None:
    command = [sys.executable, "-m", "pytest", "tests/audit/test_reverify.py", "-k", "nothing_flips", "-m", "not slow"]
    command += ["-n", processes, "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert "\n1 slow tests left to make test-all\n" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_too_much_work_is_found_on_any_machine() -> None:
    with at_most(millions=1):
        sum(range(100_000))
    with pytest.raises(AssertionError, match=r"the sum cost .* at most 1 are allowed"), at_most(1, "the sum"):
        sum(range(30_000_000))


def test_growth_tells_linear_from_quadratic() -> None:
    assert growth(lambda size: sum(range(size)), 20_000, 160_000) < 24
    assert growth(lambda size: [sum(range(size)) for _ in range(size // 100)], 2_000, 16_000) > 24


def test_waiting_returns_what_came() -> None:
    looks = iter([0, "", "here"])
    assert eventually(lambda: next(looks), pause_s=0.001) == "here"
