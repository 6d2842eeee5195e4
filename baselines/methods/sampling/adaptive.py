"""Samplers that give hard tasks more rollouts: Reinforce-Ada in rounds, DARS by a schedule over the accuracy."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from turnwise.baselines.methods.kinds import sampling
from turnwise.baselines.methods.sampling.select import All, AllSampler, Choice, Groups, has_spread
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["Dars", "ReinforceAda", "balanced", "dars_extra", "reinforce_ada_done"]

ROUNDING = 1e-9
"""Tolerance for rounding in a number of rollouts: the most that it may exceed a whole number."""

Rule = Literal["balance", "positive"]
Schedule = Literal["equal", "hard"]


def _check(name: str, value: str, accepted: tuple[str, str]) -> None:
    if value not in accepted:
        raise SettingsError(f"{name} must be {accepted[0]!r} or {accepted[1]!r}, not {value!r}")


def reinforce_ada_done(positive: int, negative: int, *, n: int, rule: Rule = "balance") -> bool:
    """Return whether a task needs no more rollouts.

    "balance": at least n // 2 positive and n - n // 2 negative ones; "positive": at least one positive.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1, and its reference code.
    """
    _check("rule", rule, ("balance", "positive"))
    return positive >= 1 if rule == "positive" else positive >= n // 2 and negative >= n - n // 2


def balanced(positive: Sequence[bool], *, n: int) -> list[int]:
    """Indices of n rollouts, ascending: n // 2 positive ones and the rest negative, or nearest to that.

    The first ones of each kind are taken; if one kind has too few, the other fills up; all, if there are fewer than n.

    Args:
        positive: of each rollout.
        n: how many to keep.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1, and its reference code.
    """
    good = [i for i, ok in enumerate(positive) if ok]
    bad = [i for i, ok in enumerate(positive) if not ok]
    num_bad = min(n - min(n // 2, len(good)), len(bad))
    return sorted(good[: n - num_bad] + bad[:num_bad])


class ReinforceAda(All, name="reinforce_ada"):
    """Rounds of rollouts until a task has enough good and bad ones; a balanced part of them is kept."""

    rule: Rule = "balance"
    """When a task has enough rollouts: balance needs as many good as bad ones, positive one good one."""
    samples: Annotated[int, Range(1)] = 8
    """Number of rollouts per round."""
    max_rounds: Annotated[int, Range(1)] = 4
    """Most rounds per task, including the first."""
    threshold: float = 0.7
    """Return above which a rollout is good."""


@sampling.implements(ReinforceAda)
class ReinforceAdaSampler(AllSampler[ReinforceAda]):
    """Rounds of ``samples`` rollouts until a task has enough positive and negative ones; n of them are kept.

    Advantages are centred and scaled with the statistics of all rollouts of the task, not of the n kept: the kept
    ones are balanced on purpose, and their mean says nothing about the policy.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1; defaults of its reference code.
    """

    def __init__(self, n: int, settings: ReinforceAda) -> None:
        super().__init__(n, settings)
        if n > self.most:
            raise SettingsError(f"{n} rollouts cannot be kept of samples * max_rounds = {self.most}")

    @property
    def first(self) -> int:
        return self.settings.samples

    @property
    def most(self) -> int:
        return self.settings.samples * self.settings.max_rounds

    def more(self, groups: Groups, *, round: int) -> list[int]:
        if round >= self.settings.max_rounds:
            return [0] * len(groups)
        return [0 if self._done(returns) else self.settings.samples for returns in groups]

    def choose(self, returns: Sequence[float]) -> Choice | None:
        """The statistics are those of all returns; a group without spread is kept, its advantages are zero."""
        if not returns:
            return None
        return self._keep(balanced([r > self.settings.threshold for r in returns], n=self.n), returns)

    def _done(self, returns: Sequence[float]) -> bool:
        positive = sum(r > self.settings.threshold for r in returns)
        return reinforce_ada_done(positive, len(returns) - positive, n=self.n, rule=self.settings.rule)


def dars_extra(accuracy: float, *, n: int, n_max: int, schedule: Schedule = "equal", normalised: bool = False) -> int:
    """Extra rollouts that bring a hard task's summed absolute advantage up to that of a task solved half the time.

    With S = 2 acc (1 - acc), the mean absolute advantage of a rollout, dN = min(ceil((T - n S) / S), n_max - n), where
    T = n / 2 ("equal" treatment) or 2 (1 - acc) n / 2 ("hard"ness weighted). Nothing for acc >= 1/2; an accuracy of 0
    counts as half a success, 1 / (2 n). Rounding never adds a rollout: 24.000000000000004 is 24 (the reference code
    makes it 25).

    Args:
        accuracy: acc, the share of the first n rollouts that were positive.
        n: rollouts of the first round.
        n_max: the most in all.
        schedule: "equal" (ET in the paper) or "hard" (HW).
        normalised: advantages are divided by the standard deviation: S = 2 sqrt(acc (1 - acc)), n in place of n / 2.

    Source: Yang et al. 2025, DARS, arXiv:2508.13755, and its reference code (schedule_ET, schedule_HW).
    """
    _check("schedule", schedule, ("equal", "hard"))
    if not 1 <= n <= n_max:
        raise SettingsError(f"n must be at least 1 and at most n_max, not {n!r} and {n_max!r}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"accuracy must be from 0 to 1, not {accuracy!r}")
    acc = 0.5 / n if accuracy <= 1e-6 else accuracy
    if acc >= 0.5:
        return 0
    spread = 2 * math.sqrt(acc * (1 - acc)) if normalised else 2 * acc * (1 - acc)
    target = float(n) if normalised else 0.5 * n
    if schedule == "hard":
        target = 2 * (1 - acc) * target
    return min(math.ceil((target - n * spread) / spread - ROUNDING), n_max - n)


class Dars(All, name="dars"):
    """More rollouts for hard tasks, by a schedule; tasks without a difference of returns are dropped."""

    n_max: Annotated[int, Range(1)] = 32
    """Most rollouts per task; the paper's scripts use 32 for "equal" and 64 for "hard"."""
    schedule: Schedule = "equal"
    """Weight that hard tasks reach: as much as others (equal), or more (hard)."""
    normalised: bool = False
    """Set this if the credit method divides by the standard deviation."""
    threshold: float = 0.5
    """Return above which a rollout is a success."""


@sampling.implements(Dars)
class DarsSampler(AllSampler[Dars]):
    """n rollouts, then once more ``dars_extra`` for the hard tasks; groups without spread are dropped.

    Source: Yang et al. 2025, DARS, arXiv:2508.13755.
    """

    def __init__(self, n: int, settings: Dars) -> None:
        super().__init__(n, settings)
        if settings.n_max < n:
            raise SettingsError(f"n_max is {settings.n_max!r}; it must be at least group_size, which is {n}")

    @property
    def most(self) -> int:
        return self.settings.n_max

    def more(self, groups: Groups, *, round: int) -> list[int]:
        return [self._extra(returns) if round == 1 else 0 for returns in groups]

    def choose(self, returns: Sequence[float]) -> Choice | None:
        return super().choose(returns) if has_spread(returns) else None

    def _extra(self, returns: Sequence[float]) -> int:
        if not returns:
            return 0
        accuracy = sum(r > self.settings.threshold for r in returns) / len(returns)
        own = self.settings
        return dars_extra(accuracy, n=self.n, n_max=own.n_max, schedule=own.schedule, normalised=own.normalised)
