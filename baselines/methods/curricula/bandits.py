"""Curricula that treat arms as those of a bandit whose reward is the absolute advantage: what is still learnable."""

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

__all__ = ["Dump", "Sec", "boltzmann", "dump_scores", "sec_update"]


def boltzmann(values: Sequence[float] | Floats, *, tau: float) -> Floats:
    """p_a = exp(Q_a / tau) / sum_b exp(Q_b / tau), shape (A,).

    Source: Sutton and Barto 2018, Reinforcement Learning, equation (2.11); the policy of both bandits below.
    """
    if not tau > 0:
        raise SettingsError(f"tau must be greater than 0, not {tau!r}")
    scaled = np.asarray(values, dtype=np.float64) / tau
    powers = np.exp(scaled - scaled.max())
    return np.asarray(powers / powers.sum())


def sec_update(
    q: Sequence[float], rewards: Mapping[int, float], *, alpha: float = 0.5, decay_unsampled: bool = False
) -> list[float]:
    """Q_a <- alpha * r_a + (1 - alpha) * Q_a for the arms that were sampled.

    Args:
        q: Q of each arm.
        rewards: r of the sampled arms: the mean absolute advantage of their rollouts.
        alpha: step size, in (0, 1].
        decay_unsampled: treat the other arms as if their reward was 0, as the reference code does; the paper
            leaves them alone.

    Source: Chen et al. 2025, Self-Evolving Curriculum, arXiv:2505.14970 (the TD(0) update), and its reference code.
    """
    if not 0 < alpha <= 1:
        raise SettingsError(f"alpha must be above 0 and at most 1, not {alpha!r}")
    return [
        alpha * rewards.get(a, 0.0) + (1 - alpha) * value if a in rewards or decay_unsampled else value
        for a, value in enumerate(q)
    ]


def dump_scores(learnability: Sequence[float], counts: Sequence[int]) -> Floats:
    """UCB_a = L_a + sqrt(2 ln(N + 1) / (n_a + 1)), shape (A,).

    Args:
        learnability: L_a, the mean absolute advantage over the window of the arm; 0 before its first rollout.
        counts: n_a, the rollouts of the arm so far; N is their sum.

    Source: Wang et al. 2025, DUMP, arXiv:2504.09710, and its reference code.
    """
    n = np.asarray(counts, dtype=np.float64)
    if n.shape != np.shape(learnability):
        raise ValueError(f"counts has shape {n.shape}, learnability has {np.shape(learnability)}")
    bonus: Floats = np.sqrt(2 * np.log(n.sum() + 1) / (n + 1))
    return np.asarray(learnability, dtype=np.float64) + bonus


class Sec(CurriculumSettings, name="sec"):
    """A bandit over the arms: those with large advantages come more often."""

    alpha: Annotated[float, Range(above=0, high=1)] = 0.5
    """Step size of the running mean of absolute advantages."""
    tau: Annotated[float, Range(above=0)] = 0.4
    """Temperature of the softmax over the arms; the paper uses 1, 0.4 and 0.2 on different tasks."""
    decay_unsampled: bool = False
    """Let Q of the arms that a step did not sample decay towards 0, as the reference code does."""


@curriculum.implements(Sec)
class SecCurriculum(ArmCurriculum[Sec]):
    """Boltzmann policy over Q, the running mean absolute advantage of each arm (``sec_update``).

    Source: Chen et al. 2025, Self-Evolving Curriculum, arXiv:2505.14970.
    """

    def __init__(self, arms: Sequence[Arm], settings: Sec) -> None:
        super().__init__(arms, settings)
        self.q = [0.0] * len(self.arms)

    def probabilities(self) -> Floats:
        return boltzmann(self.q, tau=self.settings.tau)

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        rewards = {arm: mean([a for o in played for a in o.advantages]) for arm, played in by_arm(outcomes).items()}
        own = self.settings
        self.q = sec_update(self.q, rewards, alpha=own.alpha, decay_unsampled=own.decay_unsampled)

    def metrics(self) -> dict[str, float]:
        return super().metrics() | {f"q/{arm.label}": q for arm, q in zip(self.arms, self.q, strict=True)}

    def _state(self) -> dict[str, Any]:
        return {"q": list(self.q)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.q = [float(q) for q in state["q"]]


class Dump(CurriculumSettings, name="dump"):
    """A bandit over the arms with an upper confidence bound of the advantage."""

    tau: Annotated[float, Range(above=0)] = 0.1
    """Temperature of the softmax over the arms."""
    window: Annotated[int, Range(1)] = 300
    """Number of recent rollouts over which the mean absolute advantage of an arm is measured."""


@curriculum.implements(Dump)
class DumpCurriculum(ArmCurriculum[Dump]):
    """Softmax over an upper confidence bound of the absolute advantage (``dump_scores``).

    Source: Wang et al. 2025, DUMP, arXiv:2504.09710; window and temperature are those of the reference code.
    """

    def __init__(self, arms: Sequence[Arm], settings: Dump) -> None:
        super().__init__(arms, settings)
        self.recent: list[list[float]] = [[] for _ in self.arms]
        self.counts = [0] * len(self.arms)

    @property
    def learnability(self) -> list[float]:
        """Mean absolute advantage of each arm over its window."""
        return [math.fsum(values) / max(len(values), 1) for values in self.recent]

    def probabilities(self) -> Floats:
        return boltzmann(dump_scores(self.learnability, self.counts), tau=self.settings.tau)

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        for arm, played in by_arm(outcomes).items():
            new = [float(a) for o in played for a in o.advantages]
            self.recent[arm] = (self.recent[arm] + new)[-self.settings.window :]
            self.counts[arm] += len(new)

    def metrics(self) -> dict[str, float]:
        found = zip(self.arms, self.learnability, strict=True)
        return super().metrics() | {f"learnability/{arm.label}": value for arm, value in found}

    def _state(self) -> dict[str, Any]:
        return {"recent": [list(values) for values in self.recent], "counts": list(self.counts)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.recent = [[float(a) for a in values] for values in state["recent"]]
        self.counts = [int(n) for n in state["counts"]]
