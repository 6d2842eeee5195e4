"""Credit per token: one advantage for each sampled token, ``(N, L)``.

``mask (N, L)`` says which tokens the policy sampled. What it leaves out (prompts, observations, padding) is skipped,
as if the sampled tokens were adjacent: it carries values on unchanged, takes no discount and has advantage 0.
Rewards outside the mask are ignored; an environment's reward belongs on the last token of the turn that earned it.
"""

from dataclasses import field
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Bools,
    Floats,
    Ints,
    as_floats,
    as_mask,
    check_matrix,
    differs,
    group_index,
    group_mean,
    group_std,
    masked,
    returns_to_go,
    whitened,
)
from turnwise.baselines.methods.credit.learners import CriticSettings
from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.settings import Range

__all__ = ["bi_level_gae", "gae", "reinforce_pp", "tempo"]


class ReinforcePP(Credit, name="reinforce_pp"):
    """Each token's return to go, scaled over all tokens of the batch."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards in the return to go, per sampled token."""
    whiten: bool = True
    """Centre and scale the advantages over the batch."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""


@credit(ReinforcePP, needs=("token_rewards", "mask"), gives="token")
def reinforce_pp(token_rewards: npt.ArrayLike, mask: npt.ArrayLike, settings: ReinforcePP) -> Floats:
    """A_t = (G_t - m) / sqrt(v + eps), G_t = r_t + gamma G_{t+1} over the sampled tokens of the row.

    m and v are the mean and variance of G over all sampled tokens of the batch; ``whiten=False`` gives G
    itself. G passes over observations: code that resets it there gives every turn but the last a return of 0.

    Source: Hu 2025, REINFORCE++, arXiv:2501.03262; ``ddof`` and ``eps`` inside the root as in verl's
    ``masked_whiten``.
    """
    sampled = as_mask("mask", mask, np.shape(token_rewards))
    rewards = masked("token_rewards", token_rewards, sampled)
    to_go = returns_to_go(rewards, sampled, gamma=settings.gamma)
    return whitened(to_go, sampled, ddof=settings.ddof, eps=settings.eps) if settings.whiten else to_go


class Gae(Credit, name="gae"):
    """Generalised advantage estimation over sampled tokens, with a critic."""

    gamma: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards, per sampled token."""
    lam: Annotated[float, Range(0, 1)] = 0.95
    """Decay of the sum of errors: 0 trusts the critic, 1 the returns."""
    whiten: bool = False
    """Centre and scale the advantages over the batch."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""
    critic: CriticSettings = field(default_factory=CriticSettings)
    """The critic, which learns to predict returns."""


@credit(Gae, needs=("token_rewards", "values", "mask"), gives="token")
def gae(token_rewards: npt.ArrayLike, values: npt.ArrayLike, mask: npt.ArrayLike, settings: Gae) -> Floats:
    """A_t = delta_t + gamma lam A_{t+1}, delta_t = r_t + gamma V_{t+1} - V_t; t + 1 is the next sampled token.

    After the last one V and A are 0. The critic's target is A + V of ``whiten=False``; ``True`` gives
    (A - mean) / sqrt(var + eps) over the sampled tokens of the batch, as verl hands it to the loss.

    Source: Schulman et al. 2016, arXiv:1506.02438, equation 16; skipping observations as in verl's
    ``compute_gae_advantage_return``.
    """
    rewards, value, sampled = _critic(token_rewards, values, mask)
    advantages = np.zeros(rewards.shape)
    following = np.zeros(len(rewards))
    running = np.zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        here = sampled[:, t]
        delta = rewards[:, t] + settings.gamma * following - value[:, t]
        running = np.where(here, delta + settings.gamma * settings.lam * running, running)
        following = np.where(here, value[:, t], following)
        advantages[:, t] = np.where(here, running, 0.0)
    return whitened(advantages, sampled, ddof=settings.ddof, eps=settings.eps) if settings.whiten else advantages


class BiLevelGae(Credit, name="bi_level_gae"):
    """GAE over turns, then over the tokens inside each turn, with a critic."""

    gamma_turn: Annotated[float, Range(0, 1)] = 0.95
    """Discount of later rewards, per turn."""
    lam_turn: Annotated[float, Range(0, 1)] = 1.0
    """Decay of the sum of errors over turns."""
    gamma_token: Annotated[float, Range(0, 1)] = 1.0
    """Discount of later rewards, per token inside a turn."""
    lam_token: Annotated[float, Range(0, 1)] = 1.0
    """Decay of the sum of errors over the tokens of a turn."""
    whiten: bool = False
    """Centre and scale the advantages over the batch."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-8
    """Number added to the variance under the square root, which avoids division by 0."""
    critic: CriticSettings = field(default_factory=CriticSettings)
    """The critic, which learns to predict returns."""


@credit(BiLevelGae, needs=("token_rewards", "values", "mask", "token_turns"), gives="token")
def bi_level_gae(
    token_rewards: npt.ArrayLike,
    values: npt.ArrayLike,
    mask: npt.ArrayLike,
    token_turns: npt.ArrayLike,
    settings: BiLevelGae,
) -> Floats:
    """GAE over turns first, then over the tokens inside each turn.

    Turns: B_k = d_k + gamma_turn lam_turn B_{k+1}, d_k = r_k + gamma_turn V(end_{k+1}) - V(end_k), where end_k is the
    last sampled token of turn k and r_k the sum of the turn's token rewards. Tokens: A(end_k) = B_k, and before it
    A_t = delta_t + gamma_token lam_token A_{t+1}, delta_t = gamma_token V_{t+1} - V_t.
    ``token_turns (N, L)`` is the turn of each sampled token. ``whiten`` as in ``gae``.

    Source: Wang et al. 2025, RAGEN, arXiv:2504.20073 (bi-level GAE). Its code finds the turns by their
    non-zero rewards, so that a turn without reward joins the next; here ``token_turns`` says.
    """
    rewards, value, sampled = _critic(token_rewards, values, mask)
    turn = np.asarray(token_turns)
    if turn.shape != sampled.shape:
        raise ValueError(f"token_turns has shape {turn.shape}, the tokens have {sampled.shape}")
    ends, earned = _turn_ends(rewards, sampled, turn)
    advantages = np.zeros(rewards.shape)
    following, running, end_value, turn_running = np.zeros((4, len(rewards)))
    for t in reversed(range(rewards.shape[1])):
        here, end = sampled[:, t], ends[:, t]
        turn_delta = earned[:, t] + settings.gamma_turn * end_value - value[:, t]
        turn_running = np.where(end, turn_delta + settings.gamma_turn * settings.lam_turn * turn_running, turn_running)
        end_value = np.where(end, value[:, t], end_value)
        inside = settings.gamma_token * following - value[:, t] + settings.gamma_token * settings.lam_token * running
        running = np.where(end, turn_running, np.where(here, inside, running))
        following = np.where(here, value[:, t], following)
        advantages[:, t] = np.where(here, running, 0.0)
    return whitened(advantages, sampled, ddof=settings.ddof, eps=settings.eps) if settings.whiten else advantages


class Tempo(Credit, name="tempo"):
    """GRPO's advantage, corrected where rollouts with the same tokens branch."""

    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation, which avoids division by 0."""


@credit(Tempo, needs=("returns", "groups", "tokens", "mask"), gives="token")
def tempo(
    returns: npt.ArrayLike, groups: npt.ArrayLike, tokens: npt.ArrayLike, mask: npt.ArrayLike, settings: Tempo
) -> Floats:
    """A_{i,t} = (R_i - mean + V(s_{t+1}) - V(s_t)) / (std + eps).

    V(s) is the mean return of the group's rollouts that begin with s, those that end there included; s_t is the
    prefix of sampled tokens before t, s_{t+1} includes t. V(s_{t+1}) = V(s_t) wherever the rollouts that share s_t go
    on alike: the correction is 0 but where they branch, and all else is GRPO.
    Prefixes are those of the sampled tokens alone: rollouts that an environment answered differently after the
    same tokens stay together until their own tokens differ. Zeros in a group without spread.

    Source: Tran et al. 2025, TEMPO, arXiv:2509.18314 (branch-gated TD correction); ddof and eps are ours.
    """
    check_matrix("tokens", np.shape(tokens))
    sampled = as_mask("mask", mask, np.shape(tokens))
    value = as_floats("returns", returns, sampled.shape[:1])
    if np.shape(groups) != value.shape:
        raise ValueError(f"groups has shape {np.shape(groups)}, the returns have {value.shape}")
    index = group_index(groups)
    std = group_std(value, index, ddof=settings.ddof)
    teaches = differs(value, index) & (std > 0)
    outcome = value - group_mean(value, index)
    total = outcome[:, None] + _prefix_steps(value, index, np.asarray(tokens), sampled)
    scale = np.where(teaches, 1.0 / (np.where(teaches, std, 1.0) + settings.eps), 0.0)
    return np.where(sampled, total * scale[:, None], 0.0)


def _prefix_steps(returns: Floats, index: Ints, tokens: npt.NDArray[np.int64], sampled: Bools) -> Floats:
    """V(s_{t+1}) - V(s_t) of every sampled token: one walk down the prefix tree, all groups at once.

    Rows leave the walk when they share their prefix with none other: their steps are 0 from there on.
    """
    steps = np.zeros(sampled.shape)
    order = np.argsort(~sampled, axis=1, kind="stable")  # places of a row's sampled tokens first
    lengths = sampled.sum(axis=1)
    node, value = index.copy(), group_mean(returns, index)
    rows = np.flatnonzero(np.bincount(node)[node] > 1) if node.size else node
    for depth in range(int(lengths.max(initial=0))):
        rows = rows[lengths[rows] > depth]
        if not rows.size:
            break
        places = order[rows, depth]
        child = group_index(node[rows], tokens[rows, places])
        through = group_mean(returns[rows], child)
        steps[rows, places] = through - value[rows]
        node[rows], value[rows] = child, through
        rows = rows[np.bincount(child)[child] > 1]
    return steps


def _turn_ends(rewards: Floats, sampled: Bools, turn: npt.NDArray[np.int64]) -> tuple[Bools, Floats]:
    """Whether a token is the last sampled one of its turn, and there the sum of the turn's rewards."""
    ends, earned = np.zeros(sampled.shape, dtype=np.bool_), np.zeros(rewards.shape)
    rows, places = np.nonzero(sampled)
    if rows.size:
        first = np.ones(rows.size, dtype=np.bool_)
        first[1:] = (rows[1:] != rows[:-1]) | (turn[sampled][1:] != turn[sampled][:-1])
        starts = np.flatnonzero(first)
        last = np.append(starts[1:], rows.size) - 1
        ends[rows[last], places[last]] = True
        earned[rows[last], places[last]] = np.add.reduceat(rewards[sampled], starts)
    return ends, earned


def _critic(token_rewards: npt.ArrayLike, values: npt.ArrayLike, mask: npt.ArrayLike) -> tuple[Floats, Floats, Bools]:
    """Rewards and values, 0 outside the mask, and the mask."""
    sampled = as_mask("mask", mask, np.shape(token_rewards))
    rewards = masked("token_rewards", token_rewards, sampled)
    return rewards, masked("values", values, sampled), sampled
