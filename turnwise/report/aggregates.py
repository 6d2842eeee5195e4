"""Aggregates of scores over tasks and seeds, with stratified bootstrap intervals.

The scores of a method are a table: for each task one score per run, a run being a seed. An aggregate is one number of
the table, and its interval comes from drawing the runs of each task again. Tasks are fixed: the interval says what
other seeds would have given, not other tasks.

With the three to ten seeds that people have, plain percentiles of the bootstrap are too narrow: its variance is that of
n runs with divisor n, and no replicate leaves the range of the runs. The percentiles are therefore stretched about the
estimate, by sqrt(n / (n - 1)) and by the ratio of the t distribution's quantile to the normal one's, with
Satterthwaite's degrees of freedom over the tasks.

Source: Agarwal et al. 2021, Deep Reinforcement Learning at the Edge of the Statistical Precipice, arXiv:2108.13264
(aggregates, performance profiles, probability of improvement, stratified bootstrap); the stretching after Hesterberg
2015, The American Statistician 69:371.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.evaluation.bootstrap import LEVEL, t_quantile

__all__ = [
    "estimate",
    "improvement",
    "improvement_interval",
    "interval",
    "iqm",
    "mean",
    "median",
    "profile",
    "scores_of",
]

REPLICATES = 2000
TRIMMED = 0.25  # of the runs, at each end
Array = NDArray[np.float64]
Scores = Sequence[Array]
"""For each task an array (..., runs); tasks may have different numbers of runs, leading axes are replicates."""
Statistic = Callable[..., Array]
"""Maps the scores of one or two methods to an array (..., values) or (...)."""


def iqm(scores: Scores) -> Array:
    """Return the interquartile mean: of all runs of all tasks together, without the lowest and the highest quarter.

    As in rliable, a quarter of N runs is N / 4 rounded down: with fewer than four runs it is the mean.
    """
    pooled = np.sort(np.concatenate(list(scores), axis=-1), axis=-1)
    cut = int(TRIMMED * pooled.shape[-1])
    return np.asarray(pooled[..., cut : pooled.shape[-1] - cut].mean(axis=-1))


def mean(scores: Scores) -> Array:
    """Return the mean over tasks of the mean over runs."""
    return np.asarray(_task_means(scores).mean(axis=-1))


def median(scores: Scores) -> Array:
    """Return the median over tasks of the mean over runs."""
    return np.asarray(np.median(_task_means(scores), axis=-1))


def profile(scores: Scores, levels: Array) -> Array:
    """Return the performance profile: the share of runs with a score above each level, tasks weighing the same."""
    above = [(task[..., None] > levels).mean(axis=-2) for task in scores]
    return np.asarray(np.mean(above, axis=0))


def improvement(ours: Scores, theirs: Scores) -> Array:
    """Return the mean over tasks of the probability that a run of ours scores higher than one of theirs.

    Ties count one half: P = (#{x > y} + #{x = y} / 2) / (n m), the Mann-Whitney statistic.
    """
    _same_tasks(ours, theirs)
    found = []
    for x, y in zip(ours, theirs, strict=True):
        difference = x[..., :, None] - y[..., None, :]
        found.append((0.5 * (1 + np.sign(difference))).mean(axis=(-2, -1)))
    return np.asarray(np.mean(found, axis=0))


def interval(key: str, statistic: Statistic, *methods: Scores, low: float = 0.0, high: float = 1.0) -> Array:
    """Return the ends of the 95 % interval of a statistic, (2,) or (2, values).

    Args:
        key: What the random numbers depend on.
        statistic: Of the scores of one method, or of two.
        methods: The scores of each.
        low: The least value that the statistic may have.
        high: The greatest.
    """
    value = statistic(*methods)
    sizes = [len(task) for scores in methods for task in scores]
    if not sizes or max(sizes) < 2:
        raise SettingsError(f"tasks have {sizes} runs: an interval over seeds takes a task with at least 2")
    drawn = statistic(*(_drawn(f"{key} {i}", scores) for i, scores in enumerate(methods)))
    tail = (1 - LEVEL) / 2
    ends = np.quantile(drawn, [tail, 1 - tail], axis=0)
    stretched = value + _stretch([task for scores in methods for task in scores]) * (ends - value)
    return np.asarray(np.clip([np.minimum(stretched[0], value), np.maximum(stretched[1], value)], low, high))


def estimate(key: str, scores: Scores, statistic: Statistic = iqm) -> tuple[float, tuple[float, float] | None]:
    """Return an aggregate of scores between 0 and 1 and its interval; None where no task has two runs."""
    value = float(statistic(scores))
    if max(len(task) for task in scores) < 2:
        return value, None
    low, high = interval(key, statistic, scores)
    return value, (float(low), float(high))


def improvement_interval(key: str, ours: Scores, theirs: Scores) -> tuple[float, float]:
    """Return the 95 % interval of `improvement`.

    Where the runs of the two do not overlap on any task, drawing them again shows no variance. The rate at which
    further pairs would turn out differently then has Jeffreys' posterior, Beta(1/2, N + 1/2), over N pairs of runs.
    """
    value = float(improvement(ours, theirs))
    if value in (0.0, 1.0):
        pairs = sum(min(len(x), len(y)) for x, y in zip(ours, theirs, strict=True))
        rng = np.random.default_rng(seed_of("aggregates", "improvement", key))
        far = float(np.quantile(rng.beta(0.5, pairs + 0.5, 20 * REPLICATES), (1 + LEVEL) / 2))
        return (0.0, far) if value == 0 else (1 - far, 1.0)
    low, high = interval(key, improvement, ours, theirs)
    return float(low), float(high)


def _drawn(key: str, scores: Scores) -> list[Array]:
    """Draw the runs of each task again, with replacement: arrays (replicates, runs)."""
    rng = np.random.default_rng(seed_of("aggregates", key))
    return [task[rng.integers(len(task), size=(REPLICATES, len(task)))] for task in scores]


def _stretch(tasks: Sequence[Array]) -> float:
    """How much wider than the bootstrap's percentiles the interval is."""
    several = [task for task in tasks if len(task) > 1]
    of_means = [float(task.var(ddof=1)) / len(task) for task in several]  # variances
    total = math.fsum(of_means)
    if total == 0:
        return 1.0
    narrow = math.fsum(v * (len(task) - 1) / len(task) for v, task in zip(of_means, several, strict=True))
    apart = math.fsum(v * v / (len(task) - 1) for v, task in zip(of_means, several, strict=True))
    normal = NormalDist().inv_cdf((1 + LEVEL) / 2)
    return math.sqrt(total / narrow) * t_quantile(total * total / apart) / normal


def _task_means(scores: Scores) -> Array:
    return np.stack([task.mean(axis=-1) for task in scores], axis=-1)


def _same_tasks(ours: Scores, theirs: Scores) -> None:
    if len(ours) != len(theirs):
        raise SettingsError(f"methods with {len(ours)} and {len(theirs)} tasks: they must have played the same tasks")


def scores_of(values: Sequence[Sequence[Any]]) -> list[Array]:
    """Make scores of plain lists."""
    return [np.asarray(task, dtype=np.float64) for task in values]
