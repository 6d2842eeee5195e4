"""The hierarchical bootstrap: intervals of weighted means over environments, tasks and samples.

Environments, levels and their weights are fixed; tasks are drawn again within each environment and level, and samples
within each task. The values are solve rates for one run, and their differences for two runs with the same tasks.

Three corrections keep the coverage near its nominal value with the few tasks that a level has:

- n - 1 of n tasks are drawn, which makes the bootstrap variance of each mean unbiased (Rao and Wu 1988, Journal of the
  American Statistical Association 83:231). With several samples a task, the rates of the tasks are first shrunk towards
  their mean, since drawing the samples again adds their variance a second time (Davison and Hinkley 1997, Bootstrap
  Methods and their Application, section 3.8).
- The percentiles are those of the t distribution with Satterthwaite's degrees of freedom (the expanded percentile
  interval of Hesterberg 2015, The American Statistician 69:371).
- Where all tasks of a level came out the same, drawing them again shows no variance. The rate at which such tasks would
  come out differently has Jeffreys' posterior, Beta(1/2, N + 1/2), over all N tasks of such levels together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from turnwise.core.env import seed_of

__all__ = ["Estimate", "Stratum", "estimate", "stratum", "t_quantile"]

REPLICATES = 4000
LEVEL = 0.95
Counts = Sequence[tuple[int, int]]
"""(solved, samples) of each task."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: The number.
        ci95: Its 95 % interval.
    """

    value: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Stratum:
    """The tasks of an environment at a level, drawn again.

    Attributes:
        value: The mean over its tasks.
        size: Number of tasks.
        drawn: The mean in each replicate.
        room: How far the value could be from what it is, downwards and upwards, where all tasks came out the same.
    """

    value: float
    size: int
    drawn: Array
    room: tuple[float, float] = (0.0, 0.0)

    @property
    def variance(self) -> float:
        """Variance of the mean, by the replicates."""
        return float(self.drawn.var())


def stratum(key: str, tasks: Counts, before: Counts | None = None) -> Stratum:
    """Draw the tasks of an environment at a level again.

    Args:
        key: What the random numbers depend on: the name of the level.
        tasks: (solved, samples) of each task.
        before: The same tasks in another run, to be subtracted; None takes the rates themselves.
    """
    rng = np.random.default_rng(seed_of("bootstrap", key))
    sides = [(1.0, tasks), *([] if before is None else [(-1.0, before)])]
    rates = [np.array([solved / samples for solved, samples in side]) for _, side in sides]
    value = math.fsum(sign * math.fsum(rate) for (sign, _), rate in zip(sides, rates, strict=True)) / len(tasks)
    n, low = len(tasks), 0.0 if before is None else -1.0
    keep = _shrink(sides, rates)
    if n == 1:
        counts = np.ones((REPLICATES, 1), dtype=np.int64)
    else:
        counts = rng.multinomial(n - 1, [1 / n] * n, size=REPLICATES)
    drawn = np.zeros(REPLICATES)
    for (sign, side), rate in zip(sides, rates, strict=True):
        samples = np.array([m for _, m in side])
        shrunk = np.clip(rate.mean() + keep * (rate - rate.mean()), 0.0, 1.0)
        solved = counts * shrunk if (samples == 1).all() else rng.binomial(counts * samples, shrunk) / samples
        drawn += sign * solved.sum(axis=1) / counts.sum(axis=1)
    room = (value - low, 1.0 - value) if np.ptp(drawn) < 1e-12 else (0.0, 0.0)
    return Stratum(value, n, drawn, room)


def _shrink(sides: Sequence[tuple[float, Counts]], rates: Sequence[Array]) -> float:
    """How much of the differences between tasks is kept, so that drawing samples again adds up to the variance."""
    if len(rates[0]) < 2:
        return 1.0
    within = 0.0
    for (_, side), rate in zip(sides, rates, strict=True):
        if any(m < 2 for _, m in side):
            return 1.0  # nothing to draw again, or no estimate of its variance
        within += float(np.mean([p * (1 - p) / (m - 1) for p, (_, m) in zip(rate, side, strict=True)]))
    total = float(np.var(sum(sign * rate for (sign, _), rate in zip(sides, rates, strict=True)), ddof=1))
    return math.sqrt(max(0.0, 1 - within / total)) if total > 0 else 0.0


def estimate(key: str, strata: Sequence[Stratum], weights: Sequence[float], low: float, high: float) -> Estimate:
    """Estimate a weighted sum of strata.

    Args:
        key: What the random numbers depend on: a name of the sum.
        strata: Its parts.
        weights: Of each; they need not add up to 1.
        low: The least value that the sum may have.
        high: The greatest one.
    """
    rng = np.random.default_rng(seed_of("bootstrap", "sum", key))
    value = math.fsum(w * part.value for w, part in zip(weights, strata, strict=True))
    total = np.zeros(REPLICATES)
    for weight, part in zip(weights, strata, strict=True):
        total = total + weight * part.drawn
    for side, sign in ((0, -1.0), (1, 1.0)):
        for kind in sorted({part.value for part in strata if part.room[side] > 0}):
            pool = [(w, part) for w, part in zip(weights, strata, strict=True) if part.value == kind and any(part.room)]
            spread = math.fsum(w for w, _ in pool)
            size = spread**2 / math.fsum(w * w / part.size for w, part in pool)
            total = total + sign * spread * rng.beta(0.5, size + 0.5, REPLICATES)
    tail = _tail(strata, weights)
    ends = np.quantile(total, [tail, 1 - tail])
    return Estimate(value, (max(low, min(value, float(ends[0]))), min(high, max(value, float(ends[1])))))


def _tail(strata: Sequence[Stratum], weights: Sequence[float]) -> float:
    """The share of the replicates that lies outside the interval on either side."""
    variances = [w * w * part.variance for w, part in zip(weights, strata, strict=True)]
    apart = math.fsum(v * v / (part.size - 1) for v, part in zip(variances, strata, strict=True) if part.size > 1)
    total = math.fsum(variances)
    freedom = total * total / apart if apart > 0 else math.inf
    return NormalDist().cdf(-t_quantile(max(freedom, 1.5)))


def t_quantile(freedom: float) -> float:
    """The quantile of the t distribution that leaves 2.5 % above it, to three digits from 3 degrees of freedom on.

    Source: Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 26.7.5.
    """
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / freedom ** (i + 1) for i, term in enumerate(terms))
