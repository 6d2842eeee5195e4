"""Rewards without a verifier, per rollout ``(N,)``: what the policy itself thinks of its tokens or of an answer.

They stand in the place of the outcome or are added to it, and go through a credit function like any other return.
All are numbers, not functions of the weights: no gradient flows through them but that of the policy.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

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
from turnwise.baselines.methods.kinds import Reward, reward
from turnwise.baselines.methods.registry import Settings
from turnwise.core.settings import Range

__all__ = ["StdFilter", "StdFilterState", "em_rl_sequence", "em_rl_token", "rlpr", "rlpr_std_filter", "self_judge"]


class EnvironmentReward(Reward, name="environment"):
    """The rewards of the environment."""


class EmRlSequence(Reward, name="em_rl_sequence"):
    """The log-probability of what the policy sampled."""

    reduce: Literal["sum", "mean"] = "sum"
    """How token values are combined: sum or mean over the sampled tokens."""


@reward(EmRlSequence, needs=("logps", "mask"))
def em_rl_sequence(logps: npt.ArrayLike, mask: npt.ArrayLike, settings: EmRlSequence) -> Floats:
    """R_i = sum_t log pi(y_t) over the sampled tokens: its expectation is minus the entropy of whole rollouts.

    ``logps (N, L)``, ``mask (N, L)``. ``reduce="mean"`` divides by the number of tokens, 0 without any.

    Source: Agarwal et al. 2025, The Unreasonable Effectiveness of Entropy Minimization, arXiv:2505.15134
    (EM-RL-sequence); the mean is ours.
    """
    return _over_tokens("logps", logps, mask, settings.reduce)


class EmRlToken(Reward, name="em_rl_token"):
    """Minus the entropy of the distributions that the tokens were drawn from."""

    reduce: Literal["sum", "mean"] = "sum"
    """How token values are combined: sum or mean over the sampled tokens."""


@reward(EmRlToken, needs=("entropies", "mask"))
def em_rl_token(entropies: npt.ArrayLike, mask: npt.ArrayLike, settings: EmRlToken) -> Floats:
    """R_i = - sum_t H(pi(. | y_{<t})) over the sampled tokens, H in nats.

    ``entropies (N, L)``, ``mask (N, L)``. ``reduce="mean"`` divides by the number of tokens, 0 without any.

    Source: Agarwal et al. 2025, arXiv:2505.15134 (EM-RL-token); the mean is ours.
    """
    return -_over_tokens("entropies", entropies, mask, settings.reduce)


class Rlpr(Reward, name="rlpr"):
    """The probability of the reference answer after the rollout's reasoning."""

    debias: bool = True
    """Subtract the probability of the reference answer without the reasoning."""


@reward(Rlpr, needs=("answer_probs", "baseline_probs", "answer_mask"))
def rlpr(
    answer_probs: npt.ArrayLike, baseline_probs: npt.ArrayLike, answer_mask: npt.ArrayLike, settings: Rlpr
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
    direct = _over_tokens("baseline_probs", baseline_probs, exists, "mean") if settings.debias else 0.0
    return np.clip(reasoned - direct, 0.0, 1.0)


class SelfJudge(Reward, name="self_judge"):
    """The probability with which a model says that the task was solved."""

    by: Literal["policy", "reference"] = "policy"
    """Model that is asked: the current policy, or the policy as it was before the first step."""
    question: str = "Was the task solved? Answer yes or no."
    """Question put to the model after the rollout."""
    yes: str = "yes"
    """Word that the model answers for a solved task."""
    no: str = "no"
    """Word that the model answers for a failed task."""


@reward(SelfJudge, needs=("yes_logps", "no_logps"))
def self_judge(yes_logps: npt.ArrayLike, no_logps: npt.ArrayLike, settings: SelfJudge) -> Floats:
    """R_i = p(yes) / (p(yes) + p(no)), what a model answers when it is asked whether rollout i solved its task.

    ``yes_logps (N,)``, ``no_logps (N,)``: log-probabilities of the two words.

    Source: Simonds et al. 2025, RLSR, arXiv:2505.08827 (the policy's own verdict as reward); the probability in the
    place of a sampled verdict as P(True) of Kadavath et al. 2022, arXiv:2207.05221.
    """
    yes = as_floats("yes_logps", yes_logps)
    return 1.0 / (1.0 + np.exp(np.clip(as_floats("no_logps", no_logps, yes.shape) - yes, -700.0, 700.0)))


class StdFilter(Settings):
    """RLPR's filter: tasks whose rollouts differ too little in their reward are left out."""

    beta: Annotated[float, Range(0)] = 0.5
    """Fraction of the average standard deviation below which a task is left out."""
    decay: Annotated[float, Range(0, 1)] = 0.99
    """Decay of the running average of the standard deviation, per step."""
    warmup: Annotated[int, Range(1)] = 5
    """Number of steps at the start in which no task is left out."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""


@dataclass(frozen=True)
class StdFilterState:
    """The state of ``rlpr_std_filter``: the batches seen and the moving average of their standard deviations."""

    batches: int = 0
    average: float = 0.0


def rlpr_std_filter(
    returns: npt.ArrayLike,
    groups: npt.ArrayLike,
    state: StdFilterState,
    settings: StdFilter,
) -> tuple[Bools, StdFilterState]:
    """Keep, ``(N,)``, the rollouts of groups with std >= beta average, and the state for the next batch.

    The average is that of the batches before this one: a plain mean of the first ``warmup`` batches, which are
    kept whole, then average <- decay average + (1 - decay) x. A batch's x is the mean over its rollouts of their
    group's std, before filtering.

    Source: Yu et al. 2025, RLPR, arXiv:2506.18254 (standard deviation filtering); constants and order
    as in its code.
    """
    values = as_floats("returns", returns)
    std = group_std(values, group_index(groups), ddof=settings.ddof)
    keep = (
        np.ones(values.shape, dtype=np.bool_)
        if state.batches < settings.warmup
        else std >= settings.beta * state.average
    )
    if not values.size:
        return keep, state
    weight = 1.0 / (state.batches + 1) if state.batches < settings.warmup else 1.0 - settings.decay
    average = state.average + weight * (float(std.mean()) - state.average)
    return keep, StdFilterState(state.batches + 1, average)


def _over_tokens(name: str, values: npt.ArrayLike, mask: npt.ArrayLike, reduce: str) -> Floats:
    check_setting(reduce in ("sum", "mean"), "reduce", reduce, "'sum' or 'mean'")
    counted = np.asarray(mask).astype(np.bool_)
    total = row_sum(masked(name, values, counted))
    return total if reduce == "sum" else total / np.maximum(counted.sum(axis=1), 1)
