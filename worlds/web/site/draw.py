"""Seeded draws for what is generated: quick for single values, and the same on every machine."""

import datetime
import random
from collections.abc import Sequence
from typing import TypeVar

from turnwise.core.env import seed_of

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """A stream of draws that depends on all of ``key``.

    Only `random.Random.random` is used, whose values Python promises to keep for a seed.
    """

    def __init__(self, *key: object) -> None:
        self.unit = random.Random(seed_of(*key)).random

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.unit() * (high - low + 1))

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self.unit() < p

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[int(self.unit() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One of ``items``, with odds ``weights``."""
        left = self.unit() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of ``items`` in a random order."""
        found = list(items)
        for last in range(len(found) - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            found[last], found[other] = found[other], found[last]
        return found

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """``count`` of ``items``, or all if they are fewer, in a random order."""
        found = list(items)
        count = min(count, len(found))
        for place in range(count):
            other = place + int(self.unit() * (len(found) - place))
            found[place], found[other] = found[other], found[place]
        return found[:count]

    def day(self, first: datetime.date, last: datetime.date) -> datetime.date:
        """A day from ``first`` to ``last``, both included."""
        return first + datetime.timedelta(self.integer(0, (last - first).days))
