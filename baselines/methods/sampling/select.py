"""Which rollouts are made and which are kept. A sampler is settings and pure functions of the returns: no state.

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
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from turnwise.core.errors import SettingsError

__all__ = ["NO_SPREAD", "All", "Choice", "Dynamic", "Sampler", "has_spread", "statistics"]

NO_SPREAD = 1e-8
"""Returns closer than this are equal: sums of floats differ in the last bits."""

Groups = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Choice:
    """What is kept of a group."""

    kept: tuple[int, ...]
    """Rollouts to train on, ascending indices into the returns."""
    mean: float
    """Of the returns that the advantages are to be centred with: those of all rollouts, kept or not."""
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
        """Extra rollouts for each group in this round, 1 for the first after ``first``; all 0: none needed."""

    def refill(self, groups: Groups, *, wanted: int, round: int) -> int:
        """How many new tasks to play in place of groups that will be dropped, so that ``wanted`` remain."""

    def choose(self, returns: Sequence[float]) -> Choice | None:
        """What to keep of a group; None drops it."""


def has_spread(returns: Sequence[float]) -> bool:
    """Whether max - min > 1e-8: a group of equal returns has advantages of zero and teaches nothing.

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


@dataclass(frozen=True)
class All:
    """n rollouts per task, all of them kept: plain group sampling.

    Source: Shao et al. 2024, DeepSeekMath, arXiv:2402.03300, section 4.1.
    """

    n: int
    """Rollouts per task."""
    _: KW_ONLY
    ddof: int = 1
    """Degrees of freedom taken off in ``Choice.std``."""

    def __post_init__(self) -> None:
        if self.n < 1:
            raise SettingsError(f"n must be 1 or more rollouts, not {self.n!r}")
        if self.ddof < 0:
            raise SettingsError(f"ddof must be 0 or more, not {self.ddof!r}")

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
        return Choice(tuple(kept), *statistics(returns, ddof=self.ddof))


@dataclass(frozen=True)
class Dynamic(All):
    """Drop groups whose returns are all equal and play other tasks in their place, until ``wanted`` remain.

    Source: Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.2.
    """

    _: KW_ONLY
    max_refills: int = 3
    """Rounds of new tasks at most; after them the step goes on with the groups it has."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_refills < 0:
            raise SettingsError(f"max_refills must be 0 or more, not {self.max_refills!r}")

    def refill(self, groups: Groups, *, wanted: int, round: int) -> int:
        if round > self.max_refills:
            return 0
        return max(wanted - sum(has_spread(returns) for returns in groups), 0)

    def choose(self, returns: Sequence[float]) -> Choice | None:
        return super().choose(returns) if has_spread(returns) else None
