"""Curricula that treat arms as those of a bandit whose reward is the absolute advantage: what is still learnable."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnwise.baselines.methods.curricula.base import ArmCurriculum, Floats, Outcome, by_arm, mean
from turnwise.core.errors import SettingsError

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


@dataclass(eq=False, kw_only=True)
class Sec(ArmCurriculum):
    """Boltzmann policy over Q, the running mean absolute advantage of each arm (``sec_update``).

    Source: Chen et al. 2025, Self-Evolving Curriculum, arXiv:2505.14970.
    """

    alpha: float = 0.5
    """Step size of Q."""
    tau: float = 0.4
    """Temperature; the paper uses 1, 0.4 and 0.2 on different tasks."""
    decay_unsampled: bool = False
    """Let Q of the arms that a step did not sample decay towards 0, as the reference code does."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("alpha", 0 < self.alpha <= 1, "above 0 and at most 1")
        self._check("tau", self.tau > 0, "greater than 0")
        self.q = [0.0] * len(self.arms)

    def probabilities(self) -> Floats:
        return boltzmann(self.q, tau=self.tau)

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        rewards = {arm: mean([a for o in played for a in o.advantages]) for arm, played in by_arm(outcomes).items()}
        self.q = sec_update(self.q, rewards, alpha=self.alpha, decay_unsampled=self.decay_unsampled)

    def metrics(self) -> dict[str, float]:
        return super().metrics() | {f"q/{arm.label}": q for arm, q in zip(self.arms, self.q, strict=True)}

    def _state(self) -> dict[str, Any]:
        return {"q": list(self.q)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.q = [float(q) for q in state["q"]]


@dataclass(eq=False, kw_only=True)
class Dump(ArmCurriculum):
    """Softmax over an upper confidence bound of the absolute advantage (``dump_scores``).

    Source: Wang et al. 2025, DUMP, arXiv:2504.09710; window and temperature are those of the reference code.
    """

    tau: float = 0.1
    """Temperature."""
    window: int = 300
    """Latest rollouts of an arm that its learnability is the mean of."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("tau", self.tau > 0, "greater than 0")
        self._check("window", self.window >= 1, "1 or more")
        self.recent: list[list[float]] = [[] for _ in self.arms]
        self.counts = [0] * len(self.arms)

    @property
    def learnability(self) -> list[float]:
        """Mean absolute advantage of each arm over its window."""
        return [math.fsum(values) / max(len(values), 1) for values in self.recent]

    def probabilities(self) -> Floats:
        return boltzmann(dump_scores(self.learnability, self.counts), tau=self.tau)

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        for arm, played in by_arm(outcomes).items():
            new = [float(a) for o in played for a in o.advantages]
            self.recent[arm] = (self.recent[arm] + new)[-self.window :]
            self.counts[arm] += len(new)

    def metrics(self) -> dict[str, float]:
        found = zip(self.arms, self.learnability, strict=True)
        return super().metrics() | {f"learnability/{arm.label}": value for arm, value in found}

    def _state(self) -> dict[str, Any]:
        return {"recent": [list(values) for values in self.recent], "counts": list(self.counts)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.recent = [[float(a) for a in values] for values in state["recent"]]
        self.counts = [int(n) for n in state["counts"]]
