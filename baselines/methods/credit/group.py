"""Credit per rollout: the returns of a batch become one advantage ``(N,)`` for all sampled tokens of a rollout.

Legend: R_i is rollout i's return, g(i) its group, n the group's size; mean and std are the group's.
``returns (N,)`` floats, ``groups (N,)`` task ids in any order, ``lengths (N,)`` sampled tokens.
A group whose returns do not differ by more than 1e-8, such as a group of one, has exact zeros wherever the
method subtracts a group mean, unless its docstring says otherwise.
"""

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Floats,
    as_floats,
    as_mask,
    centred,
    differs,
    group_index,
    group_mean,
    leave_one_out,
    standardised,
    whitened,
)
from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.settings import Range

__all__ = [
    "dr_grpo",
    "grpo",
    "loop",
    "maxrl",
    "nsr",
    "opo",
    "psr",
    "rebn",
    "reinforce_pp_baseline",
    "rloo",
    "san",
    "stratified_grpo",
    "supo",
    "w_reinforce",
]


class Grpo(Credit, name="grpo"):
    """The return against the group's mean, over its standard deviation."""

    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(Grpo, needs=("returns", "groups"))
def grpo(returns: npt.ArrayLike, groups: npt.ArrayLike, settings: Grpo) -> Floats:
    """A_i = (R_i - mean) / (std + eps).

    Published code differs in ``ddof`` (0 or 1) and ``eps`` (1e-8 to 1e-4), so both are explicit.

    Source: Shao et al. 2024, DeepSeekMath, arXiv:2402.03300, section 4.1.2 (outcome supervision).
    """
    values, index = _grouped(returns, groups)
    return standardised(values, index, ddof=settings.ddof, eps=settings.eps)


class DrGrpo(Credit, name="dr_grpo"):
    """The return against the group's mean, not divided."""


@credit(DrGrpo, needs=("returns", "groups"))
def dr_grpo(returns: npt.ArrayLike, groups: npt.ArrayLike) -> Floats:
    """A_i = R_i - mean.

    Without the division, which gives more weight to tasks that are nearly always solved or nearly always failed.

    Source: Liu et al. 2025, Understanding R1-Zero-Like Training, arXiv:2503.20783, section 3.2.
    """
    values, index = _grouped(returns, groups)
    return centred(values, index)


class Rloo(Credit, name="rloo"):
    """The return against the mean of the group's other rollouts."""


@credit(Rloo, needs=("returns", "groups"))
def rloo(returns: npt.ArrayLike, groups: npt.ArrayLike) -> Floats:
    """A_i = R_i - mean_{j != i}(R_j) = n / (n - 1) (R_i - mean): the baseline leaves out the rollout itself.

    Source: Ahmadian et al. 2024, Back to Basics, arXiv:2402.14740, section 3.2 (after Kool et al. 2019).
    """
    values, index = _grouped(returns, groups)
    return leave_one_out(values, index)


class Loop(Credit, name="loop"):
    """RLOO's advantage, for the loss of LOOP."""


@credit(Loop, needs=("returns", "groups"))
def loop(returns: npt.ArrayLike, groups: npt.ArrayLike) -> Floats:
    """A_i = R_i - mean_{j != i}(R_j): the advantage of RLOO.

    LOOP is this advantage under PPO's clip, with the ratio per token, turn or rollout: a choice of the loss.

    Source: Chen et al. 2025, LOOP, arXiv:2502.01600 (the method LOOP).
    """
    return rloo(returns, groups)


class ReinforcePPBaseline(Credit, name="reinforce_pp_baseline"):
    """The return against the group's mean, scaled over the whole batch."""

    weigh: Literal["tokens", "rollouts"] = "tokens"
    """Unit that counts once in the batch's mean and variance: each sampled token, or each rollout."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""


@credit(ReinforcePPBaseline, needs=("returns", "groups", "lengths"))
def reinforce_pp_baseline(
    returns: npt.ArrayLike, groups: npt.ArrayLike, lengths: npt.ArrayLike, settings: ReinforcePPBaseline
) -> Floats:
    """A_i = (C_i - m) / sqrt(v + eps) with C_i = R_i - mean, m and v the mean and variance of C over the batch.

    ``weigh="tokens"``, the published code, takes m and v over all sampled tokens, where a rollout of
    ``lengths[i]`` tokens counts as often; ``"rollouts"`` counts each rollout once. m is the whole batch's:
    weighed by tokens it is rarely 0, and then a group without spread (C = 0) gets -m / sqrt(v + eps).

    Source: Hu 2025, REINFORCE++, arXiv:2501.03262 (REINFORCE++-baseline); token weights, ``ddof`` and
    ``eps`` inside the root as in verl's ``compute_reinforce_plus_plus_baseline_outcome_advantage``.
    """
    values, index = _grouped(returns, groups)
    weights = as_floats("lengths", lengths, values.shape) if settings.weigh == "tokens" else np.ones(values.shape)
    return whitened(centred(values, index), weights, ddof=settings.ddof, eps=settings.eps)


class Opo(Credit, name="opo"):
    """The return against the group's mean weighted by length."""


@credit(Opo, needs=("returns", "groups", "lengths"))
def opo(returns: npt.ArrayLike, groups: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
    """A_i = R_i - sum_j(l_j R_j) / sum_j(l_j): the baseline weighs a rollout by its length l_j in sampled tokens.

    The optimal baseline if the squared gradient norm of a rollout grows with its length.

    Source: Hao et al. 2025, On-Policy RL with Optimal Reward Baseline, arXiv:2505.23585 (the
    length-weighted form of the optimal baseline).
    """
    values, index = _grouped(returns, groups)
    baseline = group_mean(values, index, as_floats("lengths", lengths, values.shape))
    return np.where(differs(values, index), values - baseline, 0.0)


class MaxRL(Credit, name="maxrl"):
    """The return against the group's mean, over that mean: rarely solved tasks count more."""

    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the group's mean, which avoids division by 0."""


@credit(MaxRL, needs=("returns", "groups"))
def maxrl(returns: npt.ArrayLike, groups: npt.ArrayLike, settings: MaxRL) -> Floats:
    """A_i = (R_i - mean) / (mean + eps); zeros where the mean is not positive.

    For returns of 0 or 1 an estimate of the gradient of log p(solved), which weighs a task by 1 / p. A group
    without a success has no such estimate.

    Source: Tajwar et al. 2026, Maximum Likelihood Reinforcement Learning, arXiv:2602.02710; eps as in its code.
    """
    values, index = _grouped(returns, groups)
    mean = group_mean(values, index)
    return np.where(mean > 0, centred(values, index) / (np.where(mean > 0, mean, 1.0) + settings.eps), 0.0)


class Rebn(Credit, name="rebn"):
    """The return against the batch's mean, over its standard deviation, whatever the task."""

    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-9
    """Number added to the standard deviation, which avoids division by 0."""


@credit(Rebn, needs=("returns",))
def rebn(returns: npt.ArrayLike, settings: Rebn) -> Floats:
    """A_i = (R_i - m) / (s + eps) with m and s the mean and standard deviation over the whole batch, whatever the task.

    ``rebn_turn`` does the same to returns to go. Published code has ``ddof`` 0 (oat) and 1 (tinker).

    Source: Liu et al. 2025, GEM, arXiv:2510.01051 (return batch normalisation).
    """
    values = as_floats("returns", returns)
    return standardised(values, np.zeros(values.shape, dtype=np.int64), ddof=settings.ddof, eps=settings.eps)


class Psr(Credit, name="psr"):
    """The return itself: only solved rollouts are reinforced."""


@credit(Psr, needs=("returns",))
def psr(returns: npt.ArrayLike) -> Floats:
    """A_i = R_i: for returns of 0 or 1, only the solved rollouts are reinforced.

    Source: Zhu et al. 2025, The Surprising Effectiveness of Negative Reinforcement, arXiv:2506.01347 (PSR).
    """
    return as_floats("returns", returns).copy()


class Nsr(Credit, name="nsr"):
    """The return minus 1: only failed rollouts are pushed down."""


@credit(Nsr, needs=("returns",))
def nsr(returns: npt.ArrayLike) -> Floats:
    """A_i = R_i - 1: for returns of 0 or 1, only the failed rollouts are pushed down.

    Source: Zhu et al. 2025, arXiv:2506.01347 (NSR).
    """
    return as_floats("returns", returns) - 1.0


class WReinforce(Credit, name="w_reinforce"):
    """Failed rollouts count fully, solved ones a little."""

    lam: Annotated[float, Range(0)] = 0.1
    """Weight of the solved rollouts."""


@credit(WReinforce, needs=("returns",))
def w_reinforce(returns: npt.ArrayLike, settings: WReinforce) -> Floats:
    """A_i = lam R_i + (R_i - 1), which for returns of 0 or 1 is lam where solved and -1 where failed.

    Source: Zhu et al. 2025, arXiv:2506.01347 (Weighted-REINFORCE); linear between 0 and 1 is ours.
    """
    return settings.lam * psr(returns) + nsr(returns)


class San(Credit, name="san"):
    """The return against those of the group's rollouts with as many tool calls."""

    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(San, needs=("returns", "groups", "strata"))
def san(returns: npt.ArrayLike, groups: npt.ArrayLike, strata: npt.ArrayLike, settings: San) -> Floats:
    """A_i = (R_i - mean_s) / (std_s + eps) over stratum s: the group's rollouts with the same ``strata`` id.

    The paper's strata are numbers of tool calls. A stratum of one rollout or without spread has exact zeros.

    Source: Zhu et al. 2025, Stratified GRPO, arXiv:2510.06214 (stratified advantage normalisation).
    """
    values, index = _grouped(returns, groups)
    if np.shape(strata) != values.shape:
        raise ValueError(f"strata has shape {np.shape(strata)}, the returns have {values.shape}")
    return standardised(values, group_index(index, strata), ddof=settings.ddof, eps=settings.eps)


class StratifiedGrpo(Credit, name="stratified_grpo"):
    """A blend of `san` and `grpo`."""

    alpha: Annotated[float, Range(0, 1)] = 0.5
    """Weight of the `san` advantage; `grpo` has the rest."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(StratifiedGrpo, needs=("returns", "groups", "strata"))
def stratified_grpo(
    returns: npt.ArrayLike, groups: npt.ArrayLike, strata: npt.ArrayLike, settings: StratifiedGrpo
) -> Floats:
    """A_i = alpha SAN_i + (1 - alpha) GRPO_i, the blend of ``san`` with ``grpo``.

    Small strata make SAN noisy and a stratum of one makes it mute; the blend keeps a signal there.

    Source: Zhu et al. 2025, Stratified GRPO, arXiv:2510.06214 (blended advantage). The defaults of
    alpha, ddof and eps are ours.
    """
    within = san(returns, groups, strata, ddof=settings.ddof, eps=settings.eps)
    return settings.alpha * within + (1.0 - settings.alpha) * grpo(
        returns, groups, ddof=settings.ddof, eps=settings.eps
    )


class Supo(Credit, name="supo"):
    """GRPO's advantage, 0 for rollouts that did not finish."""

    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(Supo, needs=("returns", "groups", "finished"))
def supo(returns: npt.ArrayLike, groups: npt.ArrayLike, finished: npt.ArrayLike, settings: Supo) -> Floats:
    """A_i = (R_i - mean) / (std + eps) if rollout i finished, else 0; mean and std over all rollouts of the group.

    One advantage per rollout, shared by all the rows that summarising its context cut it into, the summaries'
    tokens included. A rollout that ran out of turns or tokens is not an example, but counts in the baseline.

    Source: Lu et al. 2025, SUPO, arXiv:2510.06727 (the group-relative advantage and the masking of overlong rollouts).
    """
    values, index = _grouped(returns, groups)
    done = as_mask("finished", finished, values.shape)
    return np.where(done, standardised(values, index, ddof=settings.ddof, eps=settings.eps), 0.0)


def _grouped(returns: npt.ArrayLike, groups: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The returns as floats and the groups as indices."""
    values = as_floats("returns", returns)
    if np.shape(groups) != values.shape:
        raise ValueError(f"groups has shape {np.shape(groups)}, the returns have {values.shape}")
    return values, group_index(groups)
