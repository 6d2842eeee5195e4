"""The loss of a micro-batch: objective, divergence and entropy, aggregated over the whole optimiser update.

    loss = sum_t w_t (weights_t * objective_t + kl_coef * KL_t - entropy_coef * H_t)

w is the aggregation's weight, ``weights`` are the step's further factors on the objective.

Source: divergence as a term of the loss, Shao et al. 2024, GRPO, arXiv:2402.03300, equation 3; entropy bonus, Williams
and Peng 1991, Function Optimization Using Connectionist Reinforcement Learning Algorithms.
"""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from turnwise.baselines.methods.kinds import Objective, loss
from turnwise.baselines.methods.loss_settings import Aggregation, Divergence, Luspo, PpoClip
from turnwise.baselines.methods.losses.aggregation import AGGREGATIONS, Totals, denominator, inverse_lengths
from turnwise.baselines.methods.losses.kl import kl_estimate, kl_reward
from turnwise.baselines.methods.registry import Method, choice
from turnwise.core.errors import SettingsError, UsageError

__all__ = ["LossSpec", "LossStats", "TokenBatch", "policy_loss"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenBatch:
    """The n sampled tokens of whole rows, all rows one after the other; only ``logps`` and ``entropy`` have gradients.

    What the loss at hand does not need may be left out.
    """

    logps: Tensor  # (n,) of the policy
    old_logps: Tensor  # (n,) of the policy at the start of the step
    advantages: Tensor  # (n,)
    rows: Tensor  # (n,) int64, from 0, ascending
    turns: Tensor  # (n,) int64
    entropy: Tensor | None = None  # (n,) nats, of the distributions that the tokens were drawn from
    sampler_logps: Tensor | None = None  # (n,) of the sampler, as it was when it drew the token
    ref_logps: Tensor | None = None  # (n,) of the reference
    weights: Tensor | None = None  # (n,) further factors on the objective, computed once per step; None: 1

    @property
    def prox_logps(self) -> Tensor:
        """Log-probabilities of the proximal policy, around which updates are clipped: the old policy."""
        return self.old_logps


@dataclass(frozen=True, kw_only=True)
class LossSpec:
    """The settings of a loss, without those that belong to the loop."""

    objective: Objective = field(default_factory=PpoClip)
    """Objective that is minimised, per sampled token."""
    aggregation: Aggregation = "token_mean"
    """How token losses are combined to one number; see aggregation.py."""
    kl: Divergence = field(default_factory=Divergence)
    """The divergence from the reference."""
    entropy_coef: float = 0.0
    """Weight of the entropy bonus; it needs an entropy with a gradient."""

    def __post_init__(self) -> None:
        choice("aggregation", self.aggregation, AGGREGATIONS)
        if isinstance(self.objective, Luspo) and self.aggregation != "sequence_sum":
            raise SettingsError(f"aggregation is {self.aggregation!r}; it must be 'sequence_sum' for loss 'luspo'")

    @property
    def method(self) -> Method[Tensor]:
        """The function of the objective, and what it needs."""
        return loss.of(self.objective)


@dataclass(frozen=True)
class LossStats:
    """Sums over the tokens of a micro-batch: they add up, whatever the split. Tensors are still on the device."""

    tokens: int
    clipped: Tensor | float  # tokens whose gradient the clip removed, or whose weight it cut
    kl_old: Tensor  # k3 estimate of the divergence from the old policy
    kl_ref: Tensor | float  # the chosen estimate of the divergence from the reference
    entropy: Tensor | float


def policy_loss(data: TokenBatch, spec: LossSpec, totals: Totals) -> tuple[Tensor, LossStats]:
    """Loss of a micro-batch, a scalar, and its statistics; over an optimiser update both just add up.

    Args:
        data: tokens of whole rows.
        spec: which loss.
        totals: counts of the whole update, not of this micro-batch.

    Raises:
        UsageError: if the batch lacks something that the spec needs.
    """
    kl: Tensor | None = None
    if spec.kl.coef:
        data, kl = _with_divergence(data, spec)
    stats: dict[str, Tensor] = {}
    terms = _objective(data, spec, stats)
    if data.weights is not None:
        terms = data.weights * terms
    shares = inverse_lengths(data.rows, terms.dtype) if spec.aggregation == "sequence_mean" else None
    total = _sum(terms, shares)
    if kl is not None and spec.kl.where == "loss":
        total = total + spec.kl.coef * _sum(kl, shares)
    if spec.entropy_coef:
        if data.entropy is None or (data.logps.requires_grad and not data.entropy.requires_grad):
            raise UsageError("entropy_coef needs an entropy with a gradient, which this batch does not hold")
        total = total - spec.entropy_coef * _sum(data.entropy, shares)
    with torch.no_grad():
        delta = data.logps.detach() - data.old_logps
        kl_old = (delta.expm1() - delta).sum()
        kl_ref = 0.0 if kl is None else kl.detach().sum()
        entropy = 0.0 if data.entropy is None else data.entropy.detach().sum()
    value = total / denominator(spec.aggregation, totals)
    return value, LossStats(data.logps.numel(), stats.get("clipped", 0.0), kl_old, kl_ref, entropy)


def _objective(data: TokenBatch, spec: LossSpec, stats: dict[str, Tensor]) -> Tensor:
    """Return the terms of the objective: (n,)."""
    method = spec.method
    inputs = method.fields_of(data)
    return method.run(inputs, spec.objective, **({"stats": stats} if method.stats else {}))


def _with_divergence(data: TokenBatch, spec: LossSpec) -> tuple[TokenBatch, Tensor]:
    """The estimate per token, (n,), and the batch with it in its advantages if that is where it belongs."""
    if data.ref_logps is None:
        raise UsageError("kl_coef needs ref_logps, which this batch does not hold")
    sampled = data.old_logps if spec.kl.importance else None
    kl = kl_estimate(data.logps, data.ref_logps, spec.kl.estimator, sampled)
    if spec.kl.where == "reward":
        penalty = kl_reward(data.old_logps, data.ref_logps, coef=spec.kl.coef, kind=spec.kl.estimator)
        data = replace(data, advantages=data.advantages + penalty)
    return data, kl


def _sum(values: Tensor, weights: Tensor | None) -> Tensor:
    """Sum of values, weighted if there are weights."""
    return values.sum() if weights is None else (weights * values).sum()
