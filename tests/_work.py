"""What keeps tests quick, and their bounds true on any machine. Clocks are read here alone: tests/test_clocks.py."""

import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
_STEPS = 40_000  # of the reference loop in one measurement: some two milliseconds
_STALE_S = 0.2  # of this process's work after which the reference is measured again
_known = (0.0, -1.0)  # seconds a step, and when that was measured


def _step_s() -> float:
    """What one step of a fixed loop costs here and now, which is what makes two machines comparable."""
    global _known
    start, total = time.process_time(), 0
    if 0 <= start - _known[1] < _STALE_S:
        return _known[0]
    for step in range(_STEPS):
        total = (total * 31 + step) & 0xFFFFFFFF
    end = time.process_time()
    _known = (end - start) / _STEPS, end
    return _known[0]


@dataclass
class Work:
    """What a block cost this process: CPU time in millions of steps of a reference loop, run before and after it."""

    millions: float = 0.0


@contextmanager
def measured() -> Iterator[Work]:
    """Measure a block. A machine that is slow, throttled or shared slows the reference as much as the block."""
    work, before, start = Work(), _step_s(), time.process_time()
    try:
        yield work
    finally:
        spent = time.process_time() - start
        work.millions = spent / max(before, _step_s()) / 1e6


@contextmanager
def at_most(millions: float, what: str = "this") -> Iterator[None]:
    """Fail a block that costs more than so many million steps of the reference loop.

    Bounds are several times of what the blocks cost: they are there for work that grows faster than its input.
    """
    with measured() as work:
        yield
    assert work.millions <= millions, f"{what} cost {work.millions:.3g} million steps; at most {millions:g} are allowed"


def growth(task: Callable[[int], object], small: int, large: int) -> float:
    """How many times the CPU time of the small size the large one takes; of both the best of several, in turns."""
    best = {small: float("inf"), large: float("inf")}
    task(small)
    for _ in range(5):
        for size in best:
            start = time.process_time()
            task(size)
            best[size] = min(best[size], time.process_time() - start)
    return best[large] / best[small]


def quickest(*tasks: Callable[[], object], rounds: int = 5) -> list[float]:
    """The shortest time on the wall that each task took, tried in turns: to compare them with each other."""
    best = [float("inf")] * len(tasks)
    for _ in range(rounds):
        for number, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def cheapest(*commands: Sequence[str | Path], rounds: int = 4) -> list[float]:
    """The least CPU time that each command's process took, tried in turns: to compare them with each other."""
    best = [float("inf")] * len(commands)
    for _ in range(rounds):
        for number, command in enumerate(commands):
            before = _children_s()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[number] = min(best[number], _children_s() - before)
    return best


def _children_s() -> float:
    """CPU time of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def eventually(condition: Callable[[], T], pause_s: float = 0.01) -> T:
    """Wait until a condition is true and return what it returned; what never comes meets the suite's time-out."""
    while not (found := condition()):
        time.sleep(pause_s)
    return found


class Clock:
    """The clock of a server, which a test sets ahead: until then nothing is idle for long, however slow the machine."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


def one_in(number: int, values: Iterable[object]) -> list[object]:
    """Values of one parameter, or `pytest.param` of several: one in so many in `make test`, the rest is slow."""
    cases = [value if hasattr(value, "marks") else pytest.param(value) for value in values]
    return [case if i % number == 0 else pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.slow])
            for i, case in enumerate(cases)]  # fmt: skip
