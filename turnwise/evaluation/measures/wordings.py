"""How much a score depends on how the prompt is worded: rates by wording, their spread, and whether it is chance."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from turnwise.core.env import seed_of
from turnwise.core.metrics import Measure
from turnwise.evaluation.measures.intervals import bootstrapped, share_interval

__all__ = ["by_wording", "permutation_test"]

PERMUTATIONS = 2000
Array = NDArray[np.float64]


def by_wording(key: str, tasks: Sequence[Mapping[str, Sequence[bool]]]) -> dict[str, Measure]:
    """The measures of an environment that was played in several wordings.

    ``spread`` is the best wording's solve rate minus the worst's, ``worst wording`` the rate of the worst. Chance alone
    makes a spread: ``detail`` has the spread to expect if wordings did not matter, and the p-value of that hypothesis.
    ``same in all`` is the share of tasks that are solved in all wordings and samples, or in none.

    Args:
        key: What the random numbers depend on.
        tasks: Whether each sample was solved, by wording, for every task; those without all wordings are left out.
    """
    names = list(dict.fromkeys(name for task in tasks for name in task))
    whole = [task for task in tasks if len(task) == len(names)]
    if len(names) < 2 or not whole:
        return {name: Measure(None) for name in ("spread", "worst wording", "same in all")}
    shares = np.array([[sum(task[name]) / len(task[name]) for name in names] for task in whole])
    rates = shares.mean(axis=0)
    most = min(len(task[names[0]]) for task in whole) * len(whole)
    intervals = [share_interval(list(column), most) for column in shares.T]
    worst = int(rates.argmin())
    p_value, expected = permutation_test(key, [[list(task[name]) for name in names] for task in whole])
    detail = {
        "wordings": {
            name: {"solve_rate": float(rate), "ci95": list(ends)}
            for name, rate, ends in zip(names, rates, intervals, strict=True)
        },
        "expected_by_chance": expected,
        "p_value": p_value,
        "tasks": len(whole),
    }
    same = [float(len({solved for name in names for solved in task[name]}) == 1) for task in whole]
    sums = np.column_stack([shares, np.ones(len(whole))])
    return {
        "spread": Measure(float(np.ptp(rates)), bootstrapped(f"{key} spread", sums, _spread), detail=detail),
        "worst wording": Measure(float(rates[worst]), intervals[worst], detail={"wording": names[worst]}),
        "same in all": Measure(sum(same) / len(same), share_interval(same, len(same))),
    }


def _spread(totals: Array) -> Array:
    return np.asarray(np.ptp(totals[:, :-1] / totals[:, -1:], axis=1))


def permutation_test(key: str, tasks: Sequence[Sequence[Sequence[bool]]]) -> tuple[float, float]:
    """Return the p-value of "wordings do not matter", and the spread to expect then.

    Within each task the outcomes of all samples are shuffled over the wordings. The statistic is the sum of squares of
    the wordings' rates, which for one sample in each is Cochran's Q up to constants.

    Args:
        key: What the random numbers depend on.
        tasks: For every task, for every wording, whether each sample was solved.

    Source: Cochran 1950, Biometrika 37:256; the permutation distribution is exact up to the number of shuffles, with
    one added as in Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9:39.
    """
    rng = np.random.default_rng(seed_of("wordings", key))
    observed = np.mean([[np.mean(cell) for cell in task] for task in tasks], axis=0)
    drawn = np.zeros((PERMUTATIONS, len(observed)))
    for task in tasks:
        pool = np.array([solved for cell in task for solved in cell], dtype=np.float64)
        if np.ptp(pool) == 0:
            drawn += pool[0]
            continue
        shuffled = rng.permuted(np.tile(pool, (PERMUTATIONS, 1)), axis=1)
        ends = np.cumsum([0, *(len(cell) for cell in task)])
        for column, (start, end) in enumerate(itertools.pairwise(ends)):
            drawn[:, column] += shuffled[:, start:end].mean(axis=1)
    drawn /= len(tasks)
    above = int(((drawn**2).sum(axis=1) >= (observed**2).sum() - 1e-12).sum())
    return (above + 1) / (PERMUTATIONS + 1), float(np.ptp(drawn, axis=1).mean())
