"""Whether stated confidences mean what they say: expected calibration error and Brier score, with intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turnwise.core.metrics import Measure
from turnwise.evaluation.measures.intervals import bootstrapped

__all__ = ["BINS", "Stated", "brier", "calibration", "expected_calibration_error", "reliability"]

BINS = 10
"""Bins of equal width: [0, 0.1), [0.1, 0.2), ..., [0.9, 1]."""
Stated = tuple[float, bool]
"""A stated probability of being right, and whether it was."""
Array = NDArray[np.float64]


def brier(stated: Sequence[Stated]) -> float:
    """Return the mean of (p - y)^2: 0 is perfect, 0.25 what a constant 50 % gets.

    Source: Brier 1950, Monthly Weather Review 78:1, for two outcomes with the sum over one of them.

    >>> brier([(0.5, True), (1.0, True)])
    0.125
    """
    return float(_brier(_sums(stated)[None])[0])


def expected_calibration_error(stated: Sequence[Stated]) -> float:
    """Return the sum over bins of n_b / n * |accuracy_b - confidence_b|; `BINS` bins of equal width.

    With few answers it is biased upwards: within a bin the accuracy differs from the confidence by chance, too.

    Source: Naeini, Cooper and Hauskrecht 2015, AAAI; bins as in Guo et al. 2017, arXiv 1706.04599, eq. 5.

    >>> expected_calibration_error([(0.9, True), (0.9, False), (0.2, False)])
    0.3333333333333333
    """
    return float(_ece(_sums(stated)[None])[0])


def reliability(stated: Sequence[Stated]) -> list[Mapping[str, Any]]:
    """The bins that have answers: their bounds, number of answers, mean confidence and accuracy."""
    counts, confident, right = _sums(stated)[: 3 * BINS].reshape(3, BINS)
    return [
        {
            "from": b / BINS,
            "to": (b + 1) / BINS,
            "answers": int(counts[b]),
            "confidence": float(confident[b] / counts[b]),
            "accuracy": float(right[b] / counts[b]),
        }
        for b in range(BINS)
        if counts[b]
    ]


def calibration(key: str, tasks: Sequence[Sequence[Stated]], episodes: int) -> dict[str, Measure]:
    """The measures of an environment.

    Args:
        key: What the random numbers of the intervals depend on.
        tasks: The stated confidences of each task's episodes, and whether they were solved.
        episodes: Scored episodes, those without a stated confidence among them.
    """
    given = [stated for task in tasks for stated in task]
    share = Measure(len(given) / episodes if episodes else None)
    if not given:
        return {"stated": share, "ECE": Measure(None), "Brier": Measure(None, unit="number")}
    sums = np.array([_sums(task) for task in tasks if task])
    return {
        "stated": share,
        "ECE": Measure(
            expected_calibration_error(given),
            bootstrapped(f"{key} ECE", sums, _ece),
            detail={"bins": reliability(given), "width": 1 / BINS},
        ),
        "Brier": Measure(brier(given), bootstrapped(f"{key} Brier", sums, _brier), "number"),
    }


def _sums(stated: Sequence[Stated]) -> Array:
    """Answers, confidences and right answers by bin, then the number of answers and the sum of squared errors."""
    found = np.zeros(3 * BINS + 2)
    for p, right in stated:
        b = min(BINS - 1, int(p * BINS))
        found[b] += 1
        found[BINS + b] += p
        found[2 * BINS + b] += right
        found[-2] += 1
        found[-1] += (p - right) ** 2
    return found


def _ece(totals: Array) -> Array:
    apart = np.abs(totals[:, BINS : 2 * BINS] - totals[:, 2 * BINS : 3 * BINS]).sum(axis=1)
    return np.asarray(apart / totals[:, -2])


def _brier(totals: Array) -> Array:
    return np.asarray(totals[:, -1] / totals[:, -2])
