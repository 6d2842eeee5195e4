"""Rewards without a verifier, per rollout ``(N,)``: what the policy itself thinks of its tokens or of an answer.

They stand in the place of the outcome or are added to it, and go through a credit function like any other return.
All are numbers, not functions of the weights: no gradient flows through them but that of the policy.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import (
    Bools,
    Floats,
    as_floats,
    as_mask,
    check_setting,
    group_index,
    group_std,
    masked,
    row_sum,
)

__all__ = ["REWARDS", "StdFilterState", "em_rl_sequence", "em_rl_token", "rlpr", "rlpr_std_filter", "self_judge"]


def em_rl_sequence(logps: npt.ArrayLike, mask: npt.ArrayLike, *, reduce: str = "sum") -> Floats:
    """R_i = sum_t log pi(y_t) over the sampled tokens: its expectation is minus the entropy of whole rollouts.

    ``logps (N, L)``, ``mask (N, L)``. ``reduce="mean"`` divides by the number of tokens, 0 without any.

    Source: Agarwal et al. 2025, The Unreasonable Effectiveness of Entropy Minimization, arXiv:2505.15134
    (EM-RL-sequence); the mean is ours.
    """
    return _over_tokens("logps", logps, mask, reduce)


def em_rl_token(entropies: npt.ArrayLike, mask: npt.ArrayLike, *, reduce: str = "sum") -> Floats:
    """R_i = - sum_t H(pi(. | y_{<t})) over the sampled tokens, H in nats.

    ``entropies (N, L)``, ``mask (N, L)``. ``reduce="mean"`` divides by the number of tokens, 0 without any.

    Source: Agarwal et al. 2025, arXiv:2505.15134 (EM-RL-token); the mean is ours.
    """
    return -_over_tokens("entropies", entropies, mask, reduce)


def rlpr(
    answer_probs: npt.ArrayLike, baseline_probs: npt.ArrayLike, answer_mask: npt.ArrayLike, *, debias: bool = True
) -> Floats:
    """R_i = clip(mean_j p_j - mean_j q_j, 0, 1), means over the tokens of the reference answer.

    ``answer_probs (N, A)`` holds p_j, the probability of token j of the reference answer in the place of rollout
    i's own answer, after its reasoning; ``baseline_probs (N, A)`` holds q_j, the same directly after the prompt;
    ``answer_mask (N, A)`` says which tokens there are. ``debias=False`` leaves q out. The mean of probabilities,
    unlike their product, is not ruled by one unlikely token.

    Source: Yu et al. 2025, RLPR, arXiv:2506.18254 (probability reward and debiasing).
    """
    exists = as_mask("answer_mask", answer_mask, np.shape(answer_probs))
    reasoned = _over_tokens("answer_probs", answer_probs, exists, "mean")
    direct = _over_tokens("baseline_probs", baseline_probs, exists, "mean") if debias else 0.0
    return np.clip(reasoned - direct, 0.0, 1.0)


def self_judge(yes_logps: npt.ArrayLike, no_logps: npt.ArrayLike) -> Floats:
    """R_i = p(yes) / (p(yes) + p(no)), what a model answers when it is asked whether rollout i solved its task.

    ``yes_logps (N,)``, ``no_logps (N,)``: log-probabilities of the two words.

    Source: Simonds et al. 2025, RLSR, arXiv:2505.08827 (the policy's own verdict as reward); the probability in the
    place of a sampled verdict as P(True) of Kadavath et al. 2022, arXiv:2207.05221.
    """
    yes = as_floats("yes_logps", yes_logps)
    return 1.0 / (1.0 + np.exp(np.clip(as_floats("no_logps", no_logps, yes.shape) - yes, -700.0, 700.0)))


@dataclass(frozen=True)
class StdFilterState:
    """What ``rlpr_std_filter`` remembers: the batches seen and the moving average of their standard deviations."""

    batches: int = 0
    average: float = 0.0


def rlpr_std_filter(
    returns: npt.ArrayLike,
    groups: npt.ArrayLike,
    state: StdFilterState,
    *,
    beta: float = 0.5,
    decay: float = 0.99,
    warmup: int = 5,
    ddof: int = 1,
) -> tuple[Bools, StdFilterState]:
    """Keep, ``(N,)``, the rollouts of groups with std >= beta average, and the state for the next batch.

    The average is that of the batches before this one: a plain mean of the first ``warmup`` batches, which are
    kept whole, then average <- decay average + (1 - decay) x. A batch's x is the mean over its rollouts of their
    group's std, before filtering.

    Source: Yu et al. 2025, RLPR, arXiv:2506.18254 (standard deviation filtering); constants and order
    as in its code.
    """
    check_setting(0 <= decay <= 1, "decay", decay, "between 0 and 1")
    check_setting(beta >= 0, "beta", beta, "at least 0")
    check_setting(warmup >= 1, "warmup", warmup, "at least 1")
    values = as_floats("returns", returns)
    std = group_std(values, group_index(groups), ddof=ddof)
    keep = np.ones(values.shape, dtype=np.bool_) if state.batches < warmup else std >= beta * state.average
    if not values.size:
        return keep, state
    weight = 1.0 / (state.batches + 1) if state.batches < warmup else 1.0 - decay
    average = state.average + weight * (float(std.mean()) - state.average)
    return keep, StdFilterState(state.batches + 1, average)


def _over_tokens(name: str, values: npt.ArrayLike, mask: npt.ArrayLike, reduce: str) -> Floats:
    check_setting(reduce in ("sum", "mean"), "reduce", reduce, "'sum' or 'mean'")
    counted = np.asarray(mask).astype(np.bool_)
    total = row_sum(masked(name, values, counted))
    return total if reduce == "sum" else total / np.maximum(counted.sum(axis=1), 1)


REWARDS: dict[str, Callable[..., Floats]] = {
    "em_rl_sequence": em_rl_sequence,
    "em_rl_token": em_rl_token,
    "rlpr": rlpr,
    "self_judge": self_judge,
}
