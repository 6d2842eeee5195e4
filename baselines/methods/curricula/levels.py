"""Curricula over levels of difficulty, judged by how often tasks are solved. Arms are ordered, easiest first."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from turnwise.baselines.methods.curricula.base import (
    Arm,
    ArmCurriculum,
    CurriculumSettings,
    Floats,
    TaskResult,
    by_arm,
    mean,
)
from turnwise.baselines.methods.kinds import curriculum
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["Adcl", "Saturn", "SuccessWindow", "adcl_resort", "saturn_advances", "saturn_difficulty"]


def solve_rate(outcome: TaskResult) -> float:
    """Share of the rollouts of a task that solved it: an unbiased estimate of pass@1."""
    return sum(outcome.solved) / len(outcome.solved)


def saturn_difficulty(n: int, k: int, length: int) -> float:
    """D = log2(k) + 2 log2(l) - n + k/n of a satisfiability task with k variables and l clauses of n literals.

    Source: Liu et al. 2025, SATURN, arXiv:2505.16368 (difficulty estimation).
    """
    return math.log2(k) + 2 * math.log2(length) - n + k / n


def saturn_advances(pass_at_1: float, *, threshold: float = 0.75) -> bool:
    """Return whether the next level begins: pass@1 > threshold.

    Source: Liu et al. 2025, SATURN, arXiv:2505.16368, appendix A, algorithm 1.
    """
    return pass_at_1 > threshold


def adcl_resort(order: Sequence[int], difficulty: Sequence[float], *, start: int, size: int) -> list[int]:
    """``order`` with its batch ``[start, start + size)`` sorted by today's difficulty; all else stays where it is.

    Args:
        order: items in curriculum order.
        difficulty: of each item, by its number; equal ones keep their order.
        start: where the upcoming batch begins.
        size: of the batch.

    Source: Zhang et al. 2025, Learning Like Humans, arXiv:2505.08364 (adaptive difficulty curriculum).
    """
    batch = sorted(order[start : start + size], key=lambda item: difficulty[item])
    return [*order[:start], *batch, *order[start + size :]]


class Saturn(CurriculumSettings, name="saturn"):
    """One level at a time; the next begins once enough of the latest tasks are solved."""

    threshold: Annotated[float, Range(0, below=1)] = 0.75
    """Solve rate above which training moves to the next level."""
    window: Annotated[int, Range(1)] = 64
    """Number of recent tasks over which the solve rate of a level is measured; it is not left before."""
    rehearsal: Annotated[float, Range(0, below=1)] = 0.0
    """Fraction of the tasks that are drawn from the levels already passed."""


@curriculum.implements(Saturn)
class SaturnCurriculum(ArmCurriculum[Saturn]):
    """All tasks are of one level; the next one begins when pass@1 on the latest tasks is above a threshold.

    The paper measures pass@1 on a validation set of the level between stages; here the training tasks of the
    level are the measure, so it costs nothing.

    Source: Liu et al. 2025, SATURN, arXiv:2505.16368, appendix A, algorithm 1.
    """

    def __init__(self, arms: Sequence[Arm], settings: Saturn) -> None:
        super().__init__(arms, settings)
        self.level = 0
        self.recent: list[float] = []

    def probabilities(self) -> Floats:
        p = np.zeros(len(self.arms))
        p[: self.level] = self.settings.rehearsal / max(self.level, 1)
        p[self.level] = 1 - p.sum()
        return p

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        new = [solve_rate(o) for o in by_arm(outcomes).get(self.level, [])]
        self.recent = (self.recent + new)[-self.settings.window :]
        known = len(self.recent) == self.settings.window
        passed = known and saturn_advances(mean(self.recent), threshold=self.settings.threshold)
        if passed and self.level < len(self.arms) - 1:
            self.level, self.recent = self.level + 1, []

    def metrics(self) -> dict[str, float]:
        return {"level": float(self.level), "pass_at_1": mean(self.recent) if self.recent else 0.0}

    def _state(self) -> dict[str, Any]:
        return {"level": self.level, "recent": list(self.recent)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.level, self.recent = int(state["level"]), [float(x) for x in state["recent"]]


class SuccessWindow(CurriculumSettings, name="success_window"):
    """Draw the arms whose solve rate is neither too low nor too high."""

    low: Annotated[float, Range(0, 1)] = 0.1
    """Lowest solve rate at which an arm is drawn."""
    high: Annotated[float, Range(0, 1)] = 0.9
    """Highest solve rate at which an arm is drawn."""
    window: Annotated[int, Range(1)] = 32
    """Number of recent tasks over which the solve rate of an arm is measured."""
    min_tasks: Annotated[int, Range(1)] = 8
    """Number of tasks of an arm before its solve rate is used; until then the arm is drawn."""
    explore: Annotated[float, Range(0, 1)] = 0.1
    """Fraction of the tasks that are drawn uniformly from all arms."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low <= self.high:
            raise SettingsError(f"low is {self.low!r}; it must be at most high, which is {self.high!r}")
        if self.min_tasks > self.window:
            raise SettingsError(f"min_tasks is {self.min_tasks}; it must be from 1 to window, which is {self.window}")


@curriculum.implements(SuccessWindow)
class SuccessWindowCurriculum(ArmCurriculum[SuccessWindow]):
    """Uniform over the arms whose solve rate is in [low, high], and those not yet known.

    Arms outside are still drawn with the share ``explore``, or nothing would tell when they come back. When no arm
    is inside, those nearest to the window stand in.

    Source: after Bae et al. 2025, Online Difficulty Filtering, arXiv:2504.03380 (there per task); the rest is ours.
    """

    def __init__(self, arms: Sequence[Arm], settings: SuccessWindow) -> None:
        super().__init__(arms, settings)
        self.recent: list[list[float]] = [[] for _ in self.arms]

    def probabilities(self) -> Floats:
        low, high, explore = self.settings.low, self.settings.high, self.settings.explore
        known = [len(values) >= self.settings.min_tasks for values in self.recent]
        rates = [mean(values) if ok else 0.0 for values, ok in zip(self.recent, known, strict=True)]
        away = np.array([max(low - r, r - high, 0.0) if ok else 0.0 for r, ok in zip(rates, known, strict=True)])
        kept = away == away.min()
        return np.asarray(explore / len(kept) + (1 - explore) * kept / kept.sum())

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        for arm, played in by_arm(outcomes).items():
            self.recent[arm] = (self.recent[arm] + [solve_rate(o) for o in played])[-self.settings.window :]

    def _state(self) -> dict[str, Any]:
        return {"recent": [list(values) for values in self.recent]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.recent = [[float(x) for x in values] for values in state["recent"]]


class Adcl(CurriculumSettings, name="adcl"):
    """A plan from easy to hard; each block is sorted again before it begins."""

    steps: Annotated[int, Range(1)] = 100
    """Length of the plan, in steps."""
    block: Annotated[int, Range(1)] = 25
    """Length of a block, the part of the plan that is sorted again before it begins, in steps."""
    probe: Annotated[float, Range(0, below=1)] = 0.25
    """Fraction of the tasks that are used to estimate the difficulty of the next block."""
    alpha: Annotated[float, Range(above=0, high=1)] = 0.5
    """Step size of the running solve rate of each arm."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block > self.steps:
            raise SettingsError(f"block is {self.block}; it must be from 1 to steps, which is {self.steps}")


@curriculum.implements(Adcl)
class AdclCurriculum(ArmCurriculum[Adcl]):
    """Easy to hard over ``steps`` steps; before each block of ``block`` steps, that block alone is sorted again.

    Slot s of the plan is the arm of step s, at first floor(s A / steps). The paper estimates the difficulty of the
    upcoming batch with rollouts made for it; here a share ``probe`` of each step's tasks is drawn from the arms of
    the next block, in turn, and the estimate of an arm is 1 - its running solve rate (step size ``alpha``). An arm
    never played counts as hard as the one before it. After the plan all arms are drawn uniformly.

    Source: Zhang et al. 2025, Learning Like Humans, arXiv:2505.08364 (adaptive difficulty curriculum).
    """

    def __init__(self, arms: Sequence[Arm], settings: Adcl) -> None:
        super().__init__(arms, settings)
        if settings.steps < len(arms):
            raise SettingsError(f"steps is {settings.steps}; it must be at least the number of arms, {len(arms)}")
        self.plan = [s * len(self.arms) // self.settings.steps for s in range(self.settings.steps)]
        self.solve_rates: list[float | None] = [None] * len(self.arms)
        self.done = 0  # steps observed

    @property
    def difficulty(self) -> list[float]:
        """The difficulty of each arm, from 0 to 1."""
        found: list[float] = []
        for rate in self.solve_rates:
            found.append(1 - rate if rate is not None else found[-1] if found else 0.0)
        return found

    def probabilities(self) -> Floats:
        p = np.full(len(self.arms), 1 / len(self.arms))
        if self.done < self.settings.steps:
            probes = self._upcoming(self.done)
            p = np.zeros(len(self.arms))
            p[probes] = self.settings.probe / max(len(probes), 1)
            p[self.plan[self.done]] += 1 - p.sum()
        return p

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        for arm, played in by_arm(outcomes).items():
            new, old = mean([solve_rate(o) for o in played]), self.solve_rates[arm]
            self.solve_rates[arm] = new if old is None else self.settings.alpha * new + (1 - self.settings.alpha) * old
        self.done += 1
        if self.done < self.settings.steps and self.done % self.settings.block == 0:
            self.plan = adcl_resort(self.plan, self.difficulty, start=self.done, size=self.settings.block)

    def _arms_of(self, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        if step >= self.settings.steps:
            return self._pick(super().probabilities(), numbers, step, key)
        probes = self._upcoming(step)
        found = []
        for i in numbers:
            before, after = math.floor(i * self.settings.probe), math.floor((i + 1) * self.settings.probe)
            # the count goes on over steps, so that every arm has its turn
            found.append(probes[(step + before) % len(probes)] if probes and after > before else self.plan[step])
        return found

    def _upcoming(self, step: int) -> list[int]:
        """Arms of the block after the one that ``step`` is in."""
        start = (step // self.settings.block + 1) * self.settings.block
        return sorted(set(self.plan[start : start + self.settings.block]))

    def metrics(self) -> dict[str, float]:
        found = zip(self.arms, self.difficulty, strict=True)
        return super().metrics() | {f"difficulty/{arm.label}": value for arm, value in found}

    def _state(self) -> dict[str, Any]:
        return {"plan": list(self.plan), "solve_rates": list(self.solve_rates), "done": self.done}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.plan, self.done = [int(a) for a in state["plan"]], int(state["done"])
        self.solve_rates = [None if rate is None else float(rate) for rate in state["solve_rates"]]
