"""Selection of rollouts: how many to play and which to keep. Samplers are pure functions of the returns.

How a trainer uses one, for ``wanted`` groups::

    groups = play(wanted tasks, sampler.first rollouts each)
    for round in itertools.count(1):
        extra = sampler.more(returns of all groups, round=round)
        tasks = sampler.refill(returns of all groups, wanted=wanted, round=round)
        if not any(extra) and not tasks:
            break
        play the extra rollouts of the groups there are, then the new tasks, sampler.first rollouts each
    choices = [sampler.choose(returns of a group) for each group]

Returns are those of valid rollouts only. The advantages of a group are computed over *all* its valid rollouts; those
not in ``kept`` are left out of the loss afterwards. For Reinforce-Ada that is its statistics of the whole pool, for
all others nothing is left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, Protocol, TypeVar

from turnwise.baselines.methods.kinds import Sampling, sampling
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = [
    "NO_SPREAD",
    "All",
    "AllSampler",
    "Choice",
    "Dynamic",
    "DynamicSampler",
    "Sampler",
    "has_spread",
    "statistics",
]

NO_SPREAD = 1e-8
"""Returns closer than this are equal: sums of floats differ in the last bits."""

Groups = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Choice:
    """The rollouts to keep of a group, and the statistics of all of them."""

    kept: tuple[int, ...]
    """Rollouts to train on, ascending indices into the returns."""
    mean: float
    """Mean return to centre the advantages with: over all rollouts, kept or not."""
    std: float
    """Their standard deviation; 0 where there are too few."""


class Sampler(Protocol):
    """Decides after each round of rollouts what to play next, and in the end what to keep."""

    @property
    def first(self) -> int:
        """Rollouts of each task in its first round."""

    @property
    def most(self) -> int:
        """The most rollouts that a task can get in all rounds."""

    def more(self, groups: Groups, *, round: int) -> list[int]:
        """Return the extra rollouts for each group in this round, 1 for the first after ``first``; all 0: none."""

    def refill(self, groups: Groups, *, wanted: int, round: int) -> int:
        """Return how many new tasks to play in place of groups that will be dropped, so that ``wanted`` remain."""

    def choose(self, returns: Sequence[float]) -> Choice | None:
        """Choose what to keep of a group; None drops it."""


def has_spread(returns: Sequence[float]) -> bool:
    """Return whether max - min > 1e-8: a group of equal returns has advantages of zero and teaches nothing.

    A test for inequality, or for a standard deviation above 0, takes the rounding of sums for a difference.

    Source: dynamic sampling, Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.2; the bound is ours.
    """
    return len(returns) >= 2 and max(returns) - min(returns) > NO_SPREAD


def statistics(returns: Sequence[float], *, ddof: int = 1) -> tuple[float, float]:
    """Mean and standard deviation (divided by n - ddof; 0 where n <= ddof), the same bits whatever the order."""
    n = len(returns)
    mean = math.fsum(returns) / n if n else 0.0
    squares = math.fsum((r - mean) ** 2 for r in returns)
    return mean, math.sqrt(squares / (n - ddof)) if n > ddof else 0.0


class All(Sampling, name="all"):
    """Keep every rollout of every task."""

    ddof: Annotated[int, Range(0)] = 1
    """Degrees of freedom subtracted in the variance of the returns: 0 (population) or 1 (Bessel)."""


class Dynamic(All, name="dynamic"):
    """Drop tasks whose rollouts all have the same return, and play others in their place."""

    max_refills: Annotated[int, Range(0)] = 3
    """Most rounds of new tasks per step; after them the step continues with the tasks that it has."""


S = TypeVar("S", bound=All)


@sampling.implements(All)
class AllSampler(Generic[S]):
    """n rollouts per task, all of them kept: plain group sampling.

    Source: Shao et al. 2024, DeepSeekMath, arXiv:2402.03300, section 4.1.

    Args:
        n: rollouts per task.
        settings: of the sampler.
    """

    def __init__(self, n: int, settings: S) -> None:
        if n < 1:
            raise SettingsError(f"n is {n!r}; it must be 1 or more")
        self.n, self.settings = n, settings

    @property
    def first(self) -> int:
        return self.n

    @property
    def most(self) -> int:
        return self.n

    def more(self, groups: Groups, *, round: int) -> list[int]:
        return [0] * len(groups)

    def refill(self, groups: Groups, *, wanted: int, round: int) -> int:
        return 0

    def choose(self, returns: Sequence[float]) -> Choice | None:
        return self._keep(range(len(returns)), returns) if returns else None

    def _keep(self, kept: Sequence[int], returns: Sequence[float]) -> Choice:
        return Choice(tuple(kept), *statistics(returns, ddof=self.settings.ddof))


@sampling.implements(Dynamic)
class DynamicSampler(AllSampler[Dynamic]):
    """Drop groups whose returns are all equal and play other tasks in their place, until ``wanted`` remain.

    Source: Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.2.
    """

    def refill(self, groups: Groups, *, wanted: int, round: int) -> int:
        if round > self.settings.max_refills:
            return 0
        return max(wanted - sum(has_spread(returns) for returns in groups), 0)

    def choose(self, returns: Sequence[float]) -> Choice | None:
        return super().choose(returns) if has_spread(returns) else None
