"""Prompt curriculum learning: a small value model picks, from more candidates than needed, those half solved."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from turnwise.baselines.methods.curricula.base import (
    Arm,
    ArmCurriculum,
    CurriculumSettings,
    Floats,
    TaskResult,
    TaskSpec,
    by_arm,
    mean,
)
from turnwise.baselines.methods.kinds import curriculum
from turnwise.core.settings import Range

__all__ = ["Pcl", "arm_features", "pcl_select", "ridge"]


def pcl_select(values: Sequence[float] | Floats, m: int, *, target: float = 0.5) -> list[int]:
    """The m candidates with the smallest |V - target|, in ascending order; of equal ones the first.

    Source: Gao et al. 2025, Prompt Curriculum Learning, arXiv:2510.01135.
    """
    distance = np.abs(np.asarray(values, dtype=np.float64) - target)
    return sorted(int(i) for i in np.argsort(distance, kind="stable")[:m])


def ridge(gram: Floats, moment: Floats, *, penalty: float) -> Floats:
    """Coefficients w = (G + penalty I)^-1 b, the minimum of sum_i (w x_i - y_i)^2 + penalty |w|^2.

    Args:
        gram: G = sum_i x_i x_i^T, shape (F, F).
        moment: b = sum_i y_i x_i, shape (F,).
        penalty: greater than 0.

    Source: Hoerl and Kennard 1970, Technometrics 12(1).
    """
    return np.asarray(np.linalg.solve(gram + penalty * np.eye(len(moment)), moment), dtype=np.float64)


def arm_features(arms: Sequence[Arm]) -> Floats:
    """What the value model sees of each arm, shape (A, F): 1, which arm it is, and its numeric settings in [0, 1].

    A setting is scaled by its range over the arms, 0 where an arm lacks it, and left out where it is constant.
    """
    columns = [np.ones(len(arms)), *np.eye(len(arms))]
    for name in sorted({name for arm in arms for name in arm.settings}):
        numbers = [arm.settings.get(name) for arm in arms]
        known = [float(x) for x in numbers if isinstance(x, int | float)]
        if known and max(known) > min(known):
            low, width = min(known), max(known) - min(known)
            columns.append(np.array([(float(x) - low) / width if isinstance(x, int | float) else 0.0 for x in numbers]))
    return np.stack(columns, axis=1)


class Pcl(CurriculumSettings, name="pcl"):
    """Draw more candidates than needed, and play the tasks that are expected to be half solved."""

    k: Annotated[int, Range(1)] = 4
    """Number of candidate tasks for each task that is played."""
    target: float = 0.5
    """Expected mean return at which a task is preferred."""
    penalty: Annotated[float, Range(above=0)] = 1.0
    """Penalty of the ridge regression; after this many groups, data and prior weigh the same."""
    forget: Annotated[float, Range(above=0, high=1)] = 0.9
    """Factor by which the weight of earlier groups is multiplied in every step."""


@curriculum.implements(Pcl)
class PclCurriculum(ArmCurriculum[Pcl]):
    """Draw k m candidate tasks uniformly over the arms and play the m with the smallest |V - 0.5|.

    V is the expected return of a task. The paper trains a language model as V, on prompts; here V is a ridge
    regression of the groups' mean returns on ``arm_features``, with older groups forgotten exponentially. It starts
    at V = target for all, so arms never played are preferred.

    Source: Gao et al. 2025, Prompt Curriculum Learning, arXiv:2510.01135.
    """

    def __init__(self, arms: Sequence[Arm], settings: Pcl) -> None:
        super().__init__(arms, settings)
        self.features = arm_features(self.arms)
        num = self.features.shape[1]
        self.gram: Floats = np.zeros((num, num))
        self.moment: Floats = np.zeros(num)

    @property
    def values(self) -> Floats:
        """V of each arm, shape (A,)."""
        return np.asarray(
            self.settings.target + self.features @ ridge(self.gram, self.moment, penalty=self.settings.penalty)
        )

    def draw(self, n: int, *, step: int, key: tuple[int, ...], first: int = 0) -> list[TaskSpec]:
        numbers = range(self.settings.k * first, self.settings.k * (first + n))
        candidates = self._tasks(self._arms_of(numbers, step, key), numbers, step, key)
        values = self.values
        return [candidates[i] for i in pcl_select([values[c.arm] for c in candidates], n, target=self.settings.target)]

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        self.gram, self.moment = self.settings.forget * self.gram, self.settings.forget * self.moment
        for arm, played in by_arm(outcomes).items():
            x = self.features[arm]
            self.gram = self.gram + len(played) * np.outer(x, x)
            self.moment = (
                self.moment + len(played) * (mean([mean(o.returns) for o in played]) - self.settings.target) * x
            )

    def metrics(self) -> dict[str, float]:
        return {f"value/{arm.label}": float(v) for arm, v in zip(self.arms, self.values, strict=True)}

    def _state(self) -> dict[str, Any]:
        return {"gram": self.gram.tolist(), "moment": self.moment.tolist()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.gram, self.moment = np.array(state["gram"]), np.array(state["moment"])
