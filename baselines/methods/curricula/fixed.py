"""Curricula whose mixture never changes, and DISCO's weights for mixtures that are not balanced."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

import numpy as np

from turnwise.baselines.methods.curricula.base import Arm, ArmCurriculum, CurriculumSettings, Floats, TaskResult, mean
from turnwise.baselines.methods.kinds import curriculum
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["Disco", "Mixture", "ScalingInter", "Uniform", "difficulty_weight", "domain_weight"]

Form = Literal["none", "log", "log_squared", "inverse"]


class Uniform(CurriculumSettings, name="uniform"):
    """Draw every arm equally often; with one arm, plain training on one environment."""


@curriculum.implements(Uniform)
class UniformCurriculum(ArmCurriculum[Uniform]):
    """p_a = 1 / A for each of the A arms; with one arm, the plain training of one environment."""


class Mixture(CurriculumSettings, name="mixture"):
    """Draw the arms in the fixed proportions of their weights."""


M = TypeVar("M", bound=Mixture)


@curriculum.implements(Mixture)
class MixtureCurriculum(ArmCurriculum[M]):
    """p_a = weight_a / sum of the weights: environments in fixed proportions.

    Source: the usual data mixture, for example Raffel et al. 2020, T5, arXiv:1910.10683, section 3.5.2.
    """

    def __init__(self, arms: Sequence[Arm], settings: M) -> None:
        super().__init__(arms, settings)
        if not any(arm.weight for arm in self.arms):
            raise SettingsError("the weights of the arms are all 0: at least one must be positive")

    def probabilities(self) -> Floats:
        weights = np.array([arm.weight for arm in self.arms], dtype=np.float64)
        return np.asarray(weights / weights.sum())


class ScalingInter(CurriculumSettings, name="scaling_inter"):
    """Draw every arm equally often, with turn limits that rise in stages."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.horizons:
            raise SettingsError("scaling_inter needs horizons, the turn limits of its stages, such as [2, 4, 8]")


@curriculum.implements(ScalingInter)
class ScalingInterCurriculum(ArmCurriculum[ScalingInter]):
    """Uniform over arms, with turn limits that rise in stages; ``horizons`` is a setting of all curricula.

    Source: Xi et al. 2025, AgentGym-RL, arXiv:2509.08755 (ScalingInter-RL).
    """


def domain_weight(share: float, *, form: Form = "log") -> float:
    """Weight log(1 + 1/p) of a domain that is the share p of the training tasks: rare domains count more.

    ``log_squared`` is its square, ``inverse`` 1/p, ``none`` 1; the published scripts hold the values of all three
    for p = 3/4 and 1/12: 0.847 and 2.565, 0.72 and 6.58, 1.33 and 12; the first pair is in use.

    Args:
        share: p, in (0, 1].
        form: which of them.

    Source: Zhou et al. 2025, DISCO, arXiv:2505.15074 (domain-aware reward scaling), and its reference code.
    """
    if not 0 < share <= 1:
        raise SettingsError(f"the share of a domain must be above 0 and at most 1, not {share!r}")
    return _scaled(share, form)


def difficulty_weight(consistency: float, *, form: Form = "inverse", eps: float = 1e-5) -> float:
    """Weight 1 / (c + eps) of a task whose rollouts succeed with the rate c: uncertain tasks count more.

    ``log_squared`` is log(1 + 1/(c + eps))^2, ``log`` its root, ``none`` 1.

    Args:
        consistency: c, the mean return of the group, in [0, 1].
        form: which of them.
        eps: added to c; a group without success has advantages of 0, whatever its weight.

    Source: Zhou et al. 2025, DISCO, arXiv:2505.15074 (difficulty-aware reward scaling), and its reference code.
    """
    if not 0 <= consistency <= 1:
        raise SettingsError(f"the self-consistency of a task must be from 0 to 1, not {consistency!r}")
    return _scaled(consistency + eps, form)


def _scaled(x: float, form: Form) -> float:
    if form == "none":
        return 1.0
    if form == "inverse":
        return 1 / x
    log = math.log1p(1 / x)
    return log if form == "log" else log * log


class Disco(Mixture, name="disco"):
    """A fixed mixture in which rare domains and uncertain tasks count more."""

    domain_form: Form = "log"
    """How the weight falls with an environment's share of the tasks; none weighs all environments alike."""
    difficulty_form: Form = "inverse"
    """How the weight falls with the mean return of a task; none weighs all tasks alike."""
    eps: Annotated[float, Range(above=0)] = 1e-5
    """Number added to the mean return, which avoids division by 0."""


@curriculum.implements(Disco)
class DiscoCurriculum(MixtureCurriculum[Disco]):
    """Fixed mixture; the advantages of a task are multiplied by w_domain * w_difficulty.

    The paper multiplies the rewards before the group mean is subtracted. As the weights are the same for a whole
    group this is the same thing, unless the credit divides by the standard deviation, which would undo it: so the
    weights are for the advantages. The domain of a task is its environment, its share that of the mixture.

    Source: Zhou et al. 2025, DISCO, arXiv:2505.15074.
    """

    def weights(self, outcomes: Sequence[TaskResult]) -> list[float]:
        """Return a weight per task, from its mean return clipped to [0, 1]; 0 without valid rollouts."""
        own = self.settings
        shares: dict[str, float] = {}
        for arm, p in zip(self.arms, self.probabilities(), strict=True):
            shares[arm.env] = shares.get(arm.env, 0.0) + float(p)
        return [
            domain_weight(min(shares[o.task.env], 1.0), form=own.domain_form)
            * difficulty_weight(min(max(mean(o.returns), 0.0), 1.0), form=own.difficulty_form, eps=own.eps)
            if o.returns
            else 0.0
            for o in outcomes
        ]
