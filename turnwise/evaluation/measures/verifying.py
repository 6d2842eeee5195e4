"""How well an agent tells right answers from wrong ones: confusion matrix and balanced accuracy."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from turnwise.core.metrics import Measure
from turnwise.evaluation.measures.intervals import bootstrapped

__all__ = ["Judged", "confusion", "verifying"]

Judged = tuple[bool, bool | None]
"""Whether an answer is right, and whether the agent said so; None if it gave no verdict."""
_CELLS = ("right_called_right", "right_called_wrong", "right_undecided",
          "wrong_called_right", "wrong_called_wrong", "wrong_undecided")  # fmt: skip
Array = NDArray[np.float64]


def confusion(judged: Sequence[Judged]) -> dict[str, int]:
    """Count the verdicts by what is true.

    >>> confusion([(True, True), (False, True), (False, None)])["wrong_called_right"]
    1
    """
    found = dict.fromkeys(_CELLS, 0)
    for truth, said in judged:
        verdict = "undecided" if said is None else f"called_{'right' if said else 'wrong'}"
        found[f"{'right' if truth else 'wrong'}_{verdict}"] += 1
    return found


def verifying(key: str, tasks: Sequence[Sequence[Judged]]) -> dict[str, Measure]:
    """The measures of an environment whose tasks are to judge others' answers.

    Balanced accuracy is the mean of the share of right answers that are called right and of wrong ones that are called
    wrong; no verdict is a mistake. A verifier that always says the same gets 50 %, however many answers are right. None
    unless there are right answers and wrong ones.

    Args:
        key: What the random numbers of the interval depend on.
        tasks: The verdicts on each task's answers.

    Source: Brodersen et al. 2010, ICPR, "The balanced accuracy and its posterior distribution".
    """
    counts = confusion([judged for task in tasks for judged in task])
    values = [float(_balanced(np.array([list(counts.values())], dtype=np.float64))[0])]
    if values[0] != values[0]:  # no right answer, or no wrong one
        return {"balanced accuracy": Measure(None, detail=counts)}
    sums = np.array([list(confusion(task).values()) for task in tasks], dtype=np.float64)
    return {"balanced accuracy": Measure(values[0], bootstrapped(f"{key} verifying", sums, _balanced), detail=counts)}


def _balanced(totals: Array) -> Array:
    with np.errstate(invalid="ignore"):
        right, wrong = totals[:, 0] / totals[:, :3].sum(axis=1), totals[:, 4] / totals[:, 3:].sum(axis=1)
    return np.asarray((right + wrong) / 2)
