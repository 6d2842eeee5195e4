"""Samplers that give hard tasks more rollouts: Reinforce-Ada in rounds, DARS by a schedule over the accuracy."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from turnwise.baselines.methods.sampling.select import All, Choice, Groups, has_spread
from turnwise.core.errors import SettingsError

__all__ = ["Dars", "ReinforceAda", "balanced", "dars_extra", "reinforce_ada_done"]

ROUNDING = 1e-9
"""What a number of rollouts may be above a whole one by rounding alone."""

Rule = Literal["balance", "positive"]
Schedule = Literal["equal", "hard"]


def _check(name: str, value: str, accepted: tuple[str, str]) -> None:
    if value not in accepted:
        raise SettingsError(f"{name} must be {accepted[0]!r} or {accepted[1]!r}, not {value!r}")


def reinforce_ada_done(positive: int, negative: int, *, n: int, rule: Rule = "balance") -> bool:
    """Whether a task needs no more rollouts.

    "balance": at least n // 2 positive and n - n // 2 negative ones; "positive": at least one positive.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1, and its reference code.
    """
    _check("rule", rule, ("balance", "positive"))
    return positive >= 1 if rule == "positive" else positive >= n // 2 and negative >= n - n // 2


def balanced(positive: Sequence[bool], *, n: int) -> list[int]:
    """Indices of n rollouts, ascending: n // 2 positive ones and the rest negative, or nearest to that.

    Of each kind the first are taken; where one kind is short the other fills up; all, if there are no n.

    Args:
        positive: of each rollout.
        n: how many to keep.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1, and its reference code.
    """
    good = [i for i, ok in enumerate(positive) if ok]
    bad = [i for i, ok in enumerate(positive) if not ok]
    num_bad = min(n - min(n // 2, len(good)), len(bad))
    return sorted(good[: n - num_bad] + bad[:num_bad])


@dataclass(frozen=True)
class ReinforceAda(All):
    """Rounds of ``samples`` rollouts until a task has enough positive and negative ones; n of them are kept.

    Advantages are centred and scaled with the statistics of all rollouts of the task, not of the n kept: the kept
    ones are balanced on purpose, and their mean says nothing about the policy.

    Source: Xiong et al. 2025, Reinforce-Ada, arXiv:2510.04996, algorithm 1; defaults of its reference code.
    """

    _: KW_ONLY
    rule: Rule = "balance"
    """When a task is done, see ``reinforce_ada_done``."""
    samples: int = 8
    """Rollouts per round."""
    max_rounds: int = 4
    """Rounds at most, the first included."""
    threshold: float = 0.7
    """A return above this is positive."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check("rule", self.rule, ("balance", "positive"))
        if self.samples < 1 or self.max_rounds < 1:
            raise SettingsError(f"samples and max_rounds must be 1 or more, not {self.samples}, {self.max_rounds}")
        if self.n > self.most:
            raise SettingsError(f"n = {self.n} rollouts cannot be kept of samples * max_rounds = {self.most}")

    @property
    def first(self) -> int:
        return self.samples

    @property
    def most(self) -> int:
        return self.samples * self.max_rounds

    def more(self, groups: Groups, *, round: int) -> list[int]:
        if round >= self.max_rounds:
            return [0] * len(groups)
        return [0 if self._done(returns) else self.samples for returns in groups]

    def choose(self, returns: Sequence[float]) -> Choice | None:
        """The statistics are those of all returns; a group without spread is kept, its advantages are zero."""
        if not returns:
            return None
        return self._keep(balanced([r > self.threshold for r in returns], n=self.n), returns)

    def _done(self, returns: Sequence[float]) -> bool:
        positive = sum(r > self.threshold for r in returns)
        return reinforce_ada_done(positive, len(returns) - positive, n=self.n, rule=self.rule)


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


@dataclass(frozen=True)
class Dars(All):
    """n rollouts, then once more ``dars_extra`` for the hard tasks; groups without spread are dropped.

    Source: Yang et al. 2025, DARS, arXiv:2508.13755.
    """

    _: KW_ONLY
    n_max: int = 32
    """Rollouts of a task at most; the paper's scripts have 32 for "equal" and 64 for "hard", with n = 8."""
    schedule: Schedule = "equal"
    """See ``dars_extra``."""
    normalised: bool = False
    """Whether the credit divides by the standard deviation."""
    threshold: float = 0.5
    """A return above this is a success."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check("schedule", self.schedule, ("equal", "hard"))
        if self.n_max < self.n:
            raise SettingsError(f"n_max must be at least n = {self.n}, not {self.n_max!r}")

    @property
    def most(self) -> int:
        return self.n_max

    def more(self, groups: Groups, *, round: int) -> list[int]:
        return [self._extra(returns) if round == 1 else 0 for returns in groups]

    def choose(self, returns: Sequence[float]) -> Choice | None:
        return super().choose(returns) if has_spread(returns) else None

    def _extra(self, returns: Sequence[float]) -> int:
        if not returns:
            return 0
        accuracy = sum(r > self.threshold for r in returns) / len(returns)
        return dars_extra(accuracy, n=self.n, n_max=self.n_max, schedule=self.schedule, normalised=self.normalised)
