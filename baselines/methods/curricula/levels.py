"""Curricula over levels of difficulty, judged by how often tasks are solved. Arms are ordered, easiest first."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnwise.baselines.methods.curricula.base import ArmCurriculum, Floats, Outcome, by_arm, mean
from turnwise.core.errors import SettingsError

__all__ = ["Adcl", "Saturn", "SuccessWindow", "adcl_resort", "saturn_advances", "saturn_difficulty"]


def solve_rate(outcome: Outcome) -> float:
    """Share of the rollouts of a task that solved it: an unbiased estimate of pass@1."""
    return sum(outcome.solved) / len(outcome.solved)


def saturn_difficulty(n: int, k: int, length: int) -> float:
    """D = log2(k) + 2 log2(l) - n + k/n of a satisfiability task with k variables and l clauses of n literals.

    Source: Liu et al. 2025, SATURN, arXiv:2505.16368 (difficulty estimation).
    """
    return math.log2(k) + 2 * math.log2(length) - n + k / n


def saturn_advances(pass_at_1: float, *, threshold: float = 0.75) -> bool:
    """Whether the next level begins: pass@1 > threshold.

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


@dataclass(eq=False, kw_only=True)
class Saturn(ArmCurriculum):
    """All tasks are of one level; the next one begins when pass@1 on the latest tasks is above a threshold.

    The paper measures pass@1 on a validation set of the level between stages; here the training tasks of the
    level are the measure, so it costs nothing.

    Source: Liu et al. 2025, SATURN, arXiv:2505.16368, appendix A, algorithm 1.
    """

    threshold: float = 0.75
    """pass@1 above which the next level begins."""
    window: int = 64
    """Latest tasks of the level that pass@1 is the mean of; fewer never decide."""
    rehearsal: float = 0.0
    """Share of tasks from the levels already passed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("threshold", 0 <= self.threshold < 1, "at least 0 and below 1")
        self._check("window", self.window >= 1, "1 or more")
        self._check("rehearsal", 0 <= self.rehearsal < 1, "at least 0 and below 1")
        self.level = 0
        self.recent: list[float] = []

    def probabilities(self) -> Floats:
        p = np.zeros(len(self.arms))
        p[: self.level] = self.rehearsal / max(self.level, 1)
        p[self.level] = 1 - p.sum()
        return p

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        new = [solve_rate(o) for o in by_arm(outcomes).get(self.level, [])]
        self.recent = (self.recent + new)[-self.window :]
        passed = len(self.recent) == self.window and saturn_advances(mean(self.recent), threshold=self.threshold)
        if passed and self.level < len(self.arms) - 1:
            self.level, self.recent = self.level + 1, []

    def metrics(self) -> dict[str, float]:
        return {"level": float(self.level), "pass_at_1": mean(self.recent) if self.recent else 0.0}

    def _state(self) -> dict[str, Any]:
        return {"level": self.level, "recent": list(self.recent)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.level, self.recent = int(state["level"]), [float(x) for x in state["recent"]]


@dataclass(eq=False, kw_only=True)
class SuccessWindow(ArmCurriculum):
    """Uniform over the arms whose solve rate is in [low, high], and those not yet known.

    Arms outside are still drawn with the share ``explore``, or nothing would tell when they come back. When no arm
    is inside, those nearest to the window stand in.

    Source: after Bae et al. 2025, Online Difficulty Filtering, arXiv:2504.03380 (there per task); the rest is ours.
    """

    low: float = 0.1
    """Smallest solve rate kept."""
    high: float = 0.9
    """Largest solve rate kept."""
    window: int = 32
    """Latest tasks of an arm that its solve rate is the mean of."""
    min_tasks: int = 8
    """An arm with fewer tasks than this is not yet known."""
    explore: float = 0.1
    """Share of tasks drawn uniformly from all arms."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.low <= self.high <= 1:
            raise SettingsError(f"low and high must be 0 <= low <= high <= 1, not {self.low!r} and {self.high!r}")
        self._check("window", self.window >= 1, "1 or more")
        self._check("min_tasks", 1 <= self.min_tasks <= self.window, f"from 1 to window = {self.window}")
        self._check("explore", 0 <= self.explore <= 1, "from 0 to 1")
        self.recent: list[list[float]] = [[] for _ in self.arms]

    def probabilities(self) -> Floats:
        known = [len(values) >= self.min_tasks for values in self.recent]
        rates = [mean(values) if ok else 0.0 for values, ok in zip(self.recent, known, strict=True)]
        away = np.array(
            [max(self.low - r, r - self.high, 0.0) if ok else 0.0 for r, ok in zip(rates, known, strict=True)]
        )
        kept = away == away.min()
        return np.asarray(self.explore / len(kept) + (1 - self.explore) * kept / kept.sum())

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        for arm, played in by_arm(outcomes).items():
            self.recent[arm] = (self.recent[arm] + [solve_rate(o) for o in played])[-self.window :]

    def _state(self) -> dict[str, Any]:
        return {"recent": [list(values) for values in self.recent]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.recent = [[float(x) for x in values] for values in state["recent"]]


@dataclass(eq=False, kw_only=True)
class Adcl(ArmCurriculum):
    """Easy to hard over ``steps`` steps; before each block of ``block`` steps, that block alone is sorted anew.

    Slot s of the plan is the arm of step s, at first floor(s A / steps). The paper estimates the difficulty of the
    upcoming batch with rollouts made for it; here a share ``probe`` of each step's tasks is drawn from the arms of
    the next block, in turn, and the estimate of an arm is 1 - its running solve rate (step size ``alpha``). An arm
    never played counts as hard as the one before it. After the plan all arms are drawn uniformly.

    Source: Zhang et al. 2025, Learning Like Humans, arXiv:2505.08364 (adaptive difficulty curriculum).
    """

    steps: int = 100
    """Length of the plan."""
    block: int = 25
    """Steps per block: the batch that is sorted anew when it comes up."""
    probe: float = 0.25
    """Share of the tasks that estimate the next block."""
    alpha: float = 0.5
    """Step size of the running solve rates."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("steps", self.steps >= len(self.arms), f"at least the number of arms, {len(self.arms)}")
        self._check("block", 1 <= self.block <= self.steps, f"from 1 to steps = {self.steps}")
        self._check("probe", 0 <= self.probe < 1, "at least 0 and below 1")
        self._check("alpha", 0 < self.alpha <= 1, "above 0 and at most 1")
        self.plan = [s * len(self.arms) // self.steps for s in range(self.steps)]
        self.solve_rates: list[float | None] = [None] * len(self.arms)
        self.done = 0  # steps observed

    @property
    def difficulty(self) -> list[float]:
        """Of each arm, from 0 to 1."""
        found: list[float] = []
        for rate in self.solve_rates:
            found.append(1 - rate if rate is not None else found[-1] if found else 0.0)
        return found

    def probabilities(self) -> Floats:
        p = np.full(len(self.arms), 1 / len(self.arms))
        if self.done < self.steps:
            probes = self._upcoming(self.done)
            p = np.zeros(len(self.arms))
            p[probes] = self.probe / max(len(probes), 1)
            p[self.plan[self.done]] += 1 - p.sum()
        return p

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        for arm, played in by_arm(outcomes).items():
            new, old = mean([solve_rate(o) for o in played]), self.solve_rates[arm]
            self.solve_rates[arm] = new if old is None else self.alpha * new + (1 - self.alpha) * old
        self.done += 1
        if self.done < self.steps and self.done % self.block == 0:
            self.plan = adcl_resort(self.plan, self.difficulty, start=self.done, size=self.block)

    def _arms_of(self, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        if step >= self.steps:
            return self._pick(super().probabilities(), numbers, step, key)
        probes = self._upcoming(step)
        found = []
        for i in numbers:
            before, after = math.floor(i * self.probe), math.floor((i + 1) * self.probe)
            # the count goes on over steps, so that every arm has its turn
            found.append(probes[(step + before) % len(probes)] if probes and after > before else self.plan[step])
        return found

    def _upcoming(self, step: int) -> list[int]:
        """Arms of the block after the one that ``step`` is in."""
        start = (step // self.block + 1) * self.block
        return sorted(set(self.plan[start : start + self.block]))

    def metrics(self) -> dict[str, float]:
        found = zip(self.arms, self.difficulty, strict=True)
        return super().metrics() | {f"difficulty/{arm.label}": value for arm, value in found}

    def _state(self) -> dict[str, Any]:
        return {"plan": list(self.plan), "solve_rates": list(self.solve_rates), "done": self.done}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.plan, self.done = [int(a) for a in state["plan"]], int(state["done"])
        self.solve_rates = [None if rate is None else float(rate) for rate in state["solve_rates"]]
