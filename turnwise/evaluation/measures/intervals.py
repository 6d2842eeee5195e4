"""Intervals of the further figures: tasks are the units, since samples of one task are not independent."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from turnwise.core.env import seed_of
from turnwise.core.metrics import Interval, wilson

__all__ = ["bootstrapped", "share_interval"]

REPLICATES, CHUNK = 2000, 100
Array = NDArray[np.float64]


def share_interval(values: Sequence[float], most: int) -> Interval:
    """Return the 95 % interval of the mean of tasks' values in [0, 1].

    Wilson's interval at the effective sample size: the number of independent yes-or-no trials whose mean would vary as
    much as the mean of these values. Where they do not vary at all, every task counts as one trial.

    Args:
        values: One for each task.
        most: The effective size is at most this: the number of samples behind the values.

    Source: Korn and Graubard 1998, Survey Methodology 24:193, as in `turnwise.core.metrics.cluster_interval`.

    >>> share_interval([1, 0, 1, 1], 4) == wilson(3, 4)
    True
    """
    n = len(values)
    if not n:
        return 0.0, 1.0
    mean = min(1.0, max(0.0, math.fsum(values) / n))
    size = float(n)
    if n > 1 and 0 < mean < 1:
        variance = math.fsum((value - mean) ** 2 for value in values) / (n * (n - 1))
        effect = variance * (n - 1) / (mean * (1 - mean))
        size = min(float(most), n / effect) if effect * most > n else float(most)
    return wilson(min(size, mean * size), size)


def bootstrapped(key: str, sums: Array, figure: Callable[[Array], Array]) -> Interval:
    """Return the 95 % percentile interval of a function of sums over tasks, by drawing the tasks again.

    Args:
        key: What the random numbers depend on.
        sums: A row of sums for each task.
        figure: Gives the figure for each row of total sums.

    Source: Efron 1979, Annals of Statistics 7:1; clusters drawn whole, Field and Welsh 2007, JRSS B 69:369.
    """
    n = len(sums)
    rng = np.random.default_rng(seed_of("measures", key))
    drawn = [  # a few at a time, for runs of many tasks
        figure(rng.multinomial(n, [1 / n] * n, size=CHUNK).astype(np.float64) @ sums)
        for _ in range(REPLICATES // CHUNK)
    ]
    low, high = np.nanquantile(np.concatenate(drawn), [0.025, 0.975])
    return float(low), float(high)
