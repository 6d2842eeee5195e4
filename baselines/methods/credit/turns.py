"""Credit per turn: the rewards of the turns become one advantage for each turn, ``(N, T)``.

Legend: r_{i,t} is the reward of rollout i's turn t (``rewards (N, T)``), which exists where ``turns (N, T)``;
G_{i,t} = sum_{u >= t} gamma^{u-t} r_{i,u} is its return to go; R_i = sum_t r_{i,t}. ``groups (N,)`` are task ids in
any order. What the arrays hold where a turn does not exist is ignored, and the advantage there is 0.
"""

from dataclasses import field
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Bools,
    Floats,
    as_floats,
    as_mask,
    centred,
    group_index,
    group_sum,
    leave_one_out,
    masked,
    returns_to_go,
    row_sum,
    standardised,
    whitened,
)
from turnwise.baselines.methods.credit.learners import EstimatorSettings
from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.settings import Range

__all__ = [
    "gigpo",
    "igpo",
    "rebn_turn",
    "reinforce_pp_turn",
    "spa",
    "spa_advantage",
    "spa_estimator_loss",
    "turn_rtg_alive_only",
    "turn_rtg_loo",
]


class TurnRtgLoo(Credit, name="turn_rtg_loo"):
    """Each turn's return to go against the mean of the others' at that turn."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""


@credit(TurnRtgLoo, needs=("rewards", "turns", "groups"), gives="turn")
def turn_rtg_loo(rewards: npt.ArrayLike, turns: npt.ArrayLike, groups: npt.ArrayLike, settings: TurnRtgLoo) -> Floats:
    """A_{i,t} = G_{i,t} - mean_{j != i}(G_{j,t}), where G of a turn after the rollout's end is 0.

    A rollout that ended before turn t stays in the baseline, as if it went on in an absorbing state without
    reward. Averaging over only the rollouts still alive at t would be biased, ``turn_rtg_alive_only``. Exact
    zeros for a group of one, and at a turn where the group's G do not differ by more than 1e-8.

    Source: return to go, Williams 1992 (REINFORCE), Machine Learning 8; leave-one-out baseline,
    arXiv:2402.14740, section 3.2; the absorbing state is our choice.
    """
    values, exists = _turns(rewards, turns)
    to_go = returns_to_go(values, exists, gamma=settings.gamma)
    return np.where(exists, leave_one_out(to_go, _index(groups, exists)), 0.0)


class TurnRtgAliveOnly(Credit):
    """A biased control: the baseline holds only the rollouts still alive at the turn."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""
    include_self: bool = False
    """Count the rollout itself in its baseline."""


@credit(TurnRtgAliveOnly, needs=("rewards", "turns", "groups"), gives="turn")
def turn_rtg_alive_only(
    rewards: npt.ArrayLike, turns: npt.ArrayLike, groups: npt.ArrayLike, settings: TurnRtgAliveOnly
) -> Floats:
    """A_{i,t} = G_{i,t} - mean of G_{j,t} over the other rollouts that have a turn t; 0 if none has.

    ``include_self`` counts rollout i in the mean.

    A negative control, no method: a turn that only one rollout reaches is never judged, so late turns weigh
    less than early ones by how many of the others happen to live, and the sum is not a gradient of the return.

    Source: the obvious reading of "normalise over the group, turn by turn"; compare ``turn_rtg_loo``.
    """
    values, exists = _turns(rewards, turns)
    index = _index(groups, exists)
    to_go = returns_to_go(values, exists, gamma=settings.gamma)
    alive = group_sum(exists.astype(np.float64), index)
    own = np.zeros_like(exists) if settings.include_self else exists
    baseline = (group_sum(to_go, index) - own * to_go) / np.maximum(alive - own, 1)
    return np.where(exists & (alive > 1), to_go - baseline, 0.0)


class ReinforcePPTurn(Credit, name="reinforce_pp_turn"):
    """Each turn's return to go, scaled over all turns of the batch."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""
    whiten: bool = True
    """Centre and scale the advantages over the batch."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""


@credit(ReinforcePPTurn, needs=("rewards", "turns"), gives="turn")
def reinforce_pp_turn(rewards: npt.ArrayLike, turns: npt.ArrayLike, settings: ReinforcePPTurn) -> Floats:
    """A_{i,t} = (G_{i,t} - m) / sqrt(v + eps) with the mean m and variance v of G over all turns of the batch.

    ``reinforce_pp`` with a turn for a token. ``whiten=False`` gives G itself.

    Source: Hu 2025, REINFORCE++, arXiv:2501.03262; per turn is ours.
    """
    values, exists = _turns(rewards, turns)
    to_go = returns_to_go(values, exists, gamma=settings.gamma)
    return whitened(to_go, exists, ddof=settings.ddof, eps=settings.eps) if settings.whiten else to_go


class RebnTurn(Credit, name="rebn_turn"):
    """Each turn's return to go against the mean of all turns of the batch, over their standard deviation."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-9
    """Number added to the standard deviation, which avoids division by 0."""


@credit(RebnTurn, needs=("rewards", "turns"), gives="turn")
def rebn_turn(rewards: npt.ArrayLike, turns: npt.ArrayLike, settings: RebnTurn) -> Floats:
    """A_{i,t} = (G_{i,t} - m) / (s + eps) with the mean m and standard deviation s of G over all turns of the batch.

    Every turn is one sample, whatever its task and rollout.

    Source: Liu et al. 2025, GEM, arXiv:2510.01051 (return batch normalisation).
    """
    values, exists = _turns(rewards, turns)
    to_go = returns_to_go(values, exists, gamma=settings.gamma)
    batch = np.zeros(int(exists.sum()), dtype=np.int64)
    return _filled(exists, standardised(to_go[exists], batch, ddof=settings.ddof, eps=settings.eps))


class GiGPO(Credit, name="gigpo"):
    """The return against the group's mean, and turns against turns that began from the same observation."""

    gamma: Annotated[float, Range(0, 1)] = 0.95
    """Discount of later rewards in the return to go, per turn."""
    step_weight: float = 1.0
    """Weight of the advantage among turns with the same observation."""
    normalize: Literal["mean", "std"] = "mean"
    """Subtract the mean only (mean), or divide by the standard deviation as well (std)."""
    episode_stats: Literal["rollouts", "turns"] = "rollouts"
    """Unit that counts once in the group's mean: each rollout, or each of its turns."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(GiGPO, needs=("rewards", "turns", "groups", "anchors"), gives="turn")
def gigpo(
    rewards: npt.ArrayLike, turns: npt.ArrayLike, groups: npt.ArrayLike, anchors: npt.ArrayLike, settings: GiGPO
) -> Floats:
    """A_{i,t} = AE_i + step_weight AS_{i,t}.

    AE_i = R_i - mean over the group. AS_{i,t} = G_{i,t} - mean over the turns, of any rollout of the group and at
    any time, that began from the same observation (equal ids in ``anchors (N, T)``); a turn alone with its
    observation has AS = 0. ``normalize="std"`` also divides each by its (std + eps).
    ``episode_stats="turns"`` takes the group's mean and std with R_i counted once per turn, as the published code
    does, so that long rollouts weigh more; ``"rollouts"`` counts each once.

    Source: Feng et al. 2025, GiGPO, arXiv:2505.10978; the two norms as in verl-agent.
    """
    values, exists = _turns(rewards, turns)
    if np.shape(anchors) != exists.shape:
        raise ValueError(f"anchors has shape {np.shape(anchors)}, the turns have {exists.shape}")
    index = _index(groups, exists)
    rows, columns = np.nonzero(exists)

    def relative(sample: Floats, of: npt.NDArray[np.int64]) -> Floats:
        if settings.normalize == "mean":
            return centred(sample, of)
        return standardised(sample, of, ddof=settings.ddof, eps=settings.eps)

    returns = row_sum(values)
    per_turn = settings.episode_stats == "turns"
    episode = relative(returns[rows], index[rows]) if per_turn else relative(returns, index)[rows]
    same_state = group_index(index[rows], np.asarray(anchors)[rows, columns])
    step = relative(returns_to_go(values, exists, gamma=settings.gamma)[rows, columns], same_state)
    return _filled(exists, episode + settings.step_weight * step)


class Igpo(Credit, name="igpo"):
    """Each turn's gain in the probability of the reference answer, and the outcome."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""
    normalize: Literal["joint", "separate"] = "joint"
    """Normalise gains and outcomes together (joint), or each among themselves (separate)."""
    ddof: Literal[0, 1] = 0
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    var_eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(Igpo, needs=("rewards", "turns", "groups", "info"), gives="turn")
def igpo(
    rewards: npt.ArrayLike, turns: npt.ArrayLike, groups: npt.ArrayLike, info: npt.ArrayLike, settings: Igpo
) -> Floats:
    """A_t = z_t + gamma A_{t+1}, z the normalised information gains and outcome.

    ``info (N, T + 1)`` holds p_t, the probability of the reference answer before the first turn (column 0) and
    after each turn (column t + 1), the geometric mean over its tokens: exp(mean log p). A turn's reward is its gain
    p_t - p_{t-1}; the last turn's is the outcome R_i instead. z = (x - mean) / (sqrt(var + var_eps) + eps) over the
    group: over gains and outcomes together (``"joint"``), or gains among gains and outcomes among outcomes
    (``"separate"``). Whatever does not differ by more than 1e-8 has z = 0.

    Source: Wang et al. 2025, IGPO, arXiv:2510.14967 (information gain reward); the epsilons as in its code.
    """
    values, exists = _turns(rewards, turns)
    after = np.asarray(info, dtype=np.float64)
    if after.shape != (values.shape[0], values.shape[1] + 1):
        raise ValueError(f"info has shape {after.shape}; it must have one column more than the turns {exists.shape}")
    index = _index(groups, exists)
    last = _last(exists)
    signal = np.where(last, row_sum(values)[:, None], np.where(exists, np.diff(after, axis=1), 0.0))
    rows, _ = np.nonzero(exists)
    sample = as_floats("info", signal[exists])
    of = index[rows] if settings.normalize == "joint" else group_index(index[rows], last[exists])
    left = group_sum(np.ones(sample.shape), of) - settings.ddof
    var = group_sum(centred(sample, of) ** 2, of) / np.maximum(left, 1)
    scaled = np.where(left > 0, centred(sample, of) / (np.sqrt(var + settings.var_eps) + settings.eps), 0.0)
    return returns_to_go(_filled(exists, scaled), exists, gamma=settings.gamma)


class SpaRewards(Credit):
    """Rewards per turn: the share of the return that an estimator gives it, and whether its action was a move."""

    alpha: float = 1.0
    """Weight of the estimated share of the return."""
    beta: float = 0.5
    """Reward of an action that the environment could carry out."""


@credit(SpaRewards, needs=("progress", "executable", "turns"), gives="turn")
def spa(progress: npt.ArrayLike, executable: npt.ArrayLike, turns: npt.ArrayLike, settings: SpaRewards) -> Floats:
    """Turn rewards r_t = alpha c_t + beta g_t, ``(N, T)``: stepwise progress attribution.

    ``progress (N, T)`` is c_t, the share of the return that a trained estimator gives to turn t
    (``spa_estimator_loss``); ``executable (N, T)`` is g_t, 1 where the environment could carry out the action.

    Source: Wang et al. 2025, SPA-RL, arXiv:2505.20732 (stepwise progress attribution).
    """
    exists = np.asarray(turns).astype(np.bool_)
    shares = masked("progress", progress, exists)
    grounded = masked("executable", executable, exists)
    return settings.alpha * shares + settings.beta * grounded


class Spa(Credit, name="spa"):
    """`turn_rtg_loo` of the rewards that a progress estimator gives the turns."""

    alpha: float = 1.0
    """Weight of the estimated share of the return."""
    beta: float = 0.5
    """Reward of an action that the environment could carry out."""
    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per turn."""
    estimator: EstimatorSettings = field(default_factory=EstimatorSettings)
    """The progress estimator, which attributes the return to the turns."""


@credit(Spa, needs=("progress", "executable", "turns", "groups"), gives="turn")
def spa_advantage(
    progress: npt.ArrayLike, executable: npt.ArrayLike, turns: npt.ArrayLike, groups: npt.ArrayLike, settings: Spa
) -> Floats:
    """``turn_rtg_loo`` of the turn rewards that ``spa`` attributes.

    Source: the rewards, arXiv:2505.20732; the paper feeds them to PPO with a critic, for which ``gae`` is there,
    and the leave-one-out baseline in its place is ours.
    """
    earned = spa(progress, executable, turns, alpha=settings.alpha, beta=settings.beta)
    return turn_rtg_loo(earned, turns, groups, gamma=settings.gamma)


def spa_estimator_loss(progress: npt.ArrayLike, turns: npt.ArrayLike, returns: npt.ArrayLike) -> tuple[float, Floats]:
    """Loss mean_i (sum_t c_{i,t} - R_i)^2 of the progress estimator, and its gradient by ``progress``, ``(N, T)``.

    d loss / d c_{i,t} = 2 (sum_u c_{i,u} - R_i) / N where turn t exists.

    Source: Wang et al. 2025, SPA-RL, arXiv:2505.20732 (the progress estimator).
    """
    exists = np.asarray(turns).astype(np.bool_)
    shares = masked("progress", progress, exists)
    error = row_sum(shares) - as_floats("returns", returns, exists.shape[:1])
    return float((error**2).sum() / max(len(error), 1)), np.where(exists, 2.0 * error[:, None] / len(error), 0.0)


def _turns(rewards: npt.ArrayLike, turns: npt.ArrayLike) -> tuple[Floats, Bools]:
    """Rewards, 0 where there is no turn, and whether there is."""
    exists = as_mask("turns", turns, np.shape(rewards))
    return masked("rewards", rewards, exists), exists


def _index(groups: npt.ArrayLike, exists: Bools) -> npt.NDArray[np.int64]:
    if np.shape(groups) != exists.shape[:1]:
        raise ValueError(f"groups has shape {np.shape(groups)}; there are {len(exists)} rollouts")
    return group_index(groups)


def _filled(exists: Bools, values: Floats) -> Floats:
    """The values of the turns that exist, in their places."""
    filled = np.zeros(exists.shape)
    filled[exists] = values
    return filled


def _last(exists: Bools) -> Bools:
    """Whether a turn is its rollout's last."""
    later = np.cumsum(exists[:, ::-1], axis=1)[:, ::-1]
    last: Bools = exists & (later == 1)
    return last
