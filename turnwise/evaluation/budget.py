"""A run within a budget: which jobs it can still pay for."""

from collections.abc import Callable, Iterator

from turnwise.core.episode import Episode, Job
from turnwise.core.errors import FatalError

__all__ = ["Affordable"]

FIRST = 4
"""So many episodes play at once until the first has ended and shows what one costs."""


class Affordable(Iterator[Job]):
    """Jobs, as long as the budget reaches; it may go on after it has stopped, when episodes cost less than expected.

    An episode begins if what was spent, and the mean cost of an episode for each one under way and the new one, are
    within the budget. None is broken off, so that a run can end above its budget by as much as the last episodes cost
    more than the mean.

    Args:
        jobs: All jobs, in order.
        budget: The money.
        price: The cost of an episode; None if it is not known.
        played: Episodes of earlier runs, whose cost counts.
    """

    def __init__(
        self,
        jobs: Iterator[Job],
        budget: float,
        price: Callable[[Episode], float | None],
        played: Iterator[Episode],
    ) -> None:
        self._jobs, self.budget, self._price = jobs, budget, price
        self.spent = 0.0
        self._ended = self._running = 0
        self._next = next(self._jobs, None)
        for episode in played:
            self._count(episode)

    @property
    def left(self) -> bool:
        """Whether jobs are left that were not paid for."""
        return self._next is not None

    def __next__(self) -> Job:
        job = self._next
        if job is None or not self._affords():
            raise StopIteration
        self._next = next(self._jobs, None)
        self._running += 1
        return job

    def ended(self, episode: Episode) -> None:
        """Count an episode that has ended.

        Raises:
            FatalError: Nobody knows what it cost.
        """
        self._running -= 1
        self._count(episode)

    def _affords(self) -> bool:
        if not self._ended:
            return self._running < FIRST
        mean = self.spent / self._ended
        return self.spent + mean * (self._running + 1) <= self.budget and self.spent < self.budget

    def _count(self, episode: Episode) -> None:
        cost = self._price(episode)
        if cost is None and episode.status == "done":
            served = sorted({str((turn.served or {}).get("model") or "") for turn in episode.turns} - {""})
            names = " or ".join(repr(name) for name in (episode.agent, *served))
            raise FatalError(
                f"budget is {self.budget:g}, but the cost of an episode is not known: the file of prices must have a "
                f"table for {names}, and the agent must report its tokens"
            )
        self.spent += cost or 0.0
        self._ended += episode.status == "done"
