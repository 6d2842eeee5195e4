"""The loss of a micro-batch: objective, divergence and entropy, aggregated over the whole optimiser update.

    loss = sum_t w_t (weights_t * objective_t + kl_coef * KL_t - entropy_coef * H_t)

w is the aggregation's weight, ``weights`` are the step's further factors on the objective.

Source: divergence as a term of the loss, Shao et al. 2024, GRPO, arXiv:2402.03300, equation 3; entropy bonus, Williams
and Peng 1991, Function Optimization Using Connectionist Reinforcement Learning Algorithms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import torch
from torch import Tensor

from turnwise.baselines.methods.losses.aggregation import AGGREGATIONS, Totals, denominator, inverse_lengths
from turnwise.baselines.methods.losses.kl import KL_ESTIMATORS, kl_estimate, kl_reward
from turnwise.baselines.methods.losses.objectives import OBJECTIVES
from turnwise.baselines.methods.registry import bind, choice, fields_of
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
        """Of the proximal policy, around which updates are clipped: the old policy."""
        return self.old_logps


@dataclass(frozen=True, kw_only=True)
class LossSpec:
    """Which loss: checked when it is made."""

    objective: str = "ppo_clip"
    """A name of ``OBJECTIVES``."""
    objective_settings: Mapping[str, Any] = field(default_factory=dict)
    """Its keyword arguments."""
    aggregation: str = "token_mean"
    """A name of ``AGGREGATIONS``."""
    kl_coef: float = 0.0
    """Weight of the divergence from the reference."""
    kl_estimator: str = "k3"
    """A name of ``KL_ESTIMATORS``."""
    kl_in: str = "loss"
    """"loss": a term with a gradient of its own; "reward": taken off the advantage of each token."""
    kl_importance: bool = False
    """Multiply the term in the loss by pi / pi_old, which makes its gradient unbiased."""
    entropy_coef: float = 0.0
    """Weight of the entropy bonus; it needs an entropy with a gradient."""

    function: Callable[..., Tensor] = field(init=False, repr=False, compare=False)
    inputs: tuple[str, ...] = field(init=False, repr=False, compare=False)
    clips: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        choice("objective", self.objective, tuple(OBJECTIVES))
        choice("aggregation", self.aggregation, AGGREGATIONS)
        choice("kl_estimator", self.kl_estimator, tuple(KL_ESTIMATORS))
        choice("kl_in", self.kl_in, ("loss", "reward"))
        if not self.kl_coef >= 0:
            raise SettingsError(f"kl_coef must be 0 or more, not {self.kl_coef!r}")
        if self.kl_coef and self.kl_in == "loss" and self.kl_estimator == "k1" and not self.kl_importance:
            raise SettingsError("k1 in the loss has a mean gradient of zero: set kl_in='reward' or kl_importance=True")
        if self.kl_importance and self.kl_in == "reward":
            raise SettingsError("kl_importance corrects a term of the loss: it needs kl_in='loss'")
        if self.objective == "luspo" and self.aggregation != "sequence_sum":
            raise SettingsError(f"luspo is gspo with aggregation 'sequence_sum', not {self.aggregation!r}")
        function = OBJECTIVES[self.objective]
        inputs = bind(function, self.objective_settings, self.objective)
        one = {"rows": torch.zeros(1, dtype=torch.int64), "turns": torch.zeros(1, dtype=torch.int64)}
        try:  # on one token, to find values that the objective refuses
            function(*(one.get(name, torch.zeros(1)) for name in inputs), **self.objective_settings)
        except TypeError as error:
            raise SettingsError(f"{self.objective} cannot use {dict(self.objective_settings)}: {error}") from error
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "clips", "stats" in signature(function).parameters)


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
    if spec.kl_coef:
        data, kl = _with_divergence(data, spec)
    stats: dict[str, Tensor] = {}
    terms = _objective(data, spec, stats)
    if data.weights is not None:
        terms = data.weights * terms
    shares = inverse_lengths(data.rows, terms.dtype) if spec.aggregation == "sequence_mean" else None
    total = _sum(terms, shares)
    if kl is not None and spec.kl_in == "loss":
        total = total + spec.kl_coef * _sum(kl, shares)
    if spec.entropy_coef:
        if data.entropy is None or (data.logps.requires_grad and not data.entropy.requires_grad):
            raise UsageError("entropy_coef needs an entropy with a gradient, which this batch does not hold")
        total = total - spec.entropy_coef * _sum(data.entropy, shares)
    with torch.no_grad():
        delta = data.logps.detach() - data.old_logps
        kl_old = (delta.expm1() - delta).sum()
        kl_ref = 0.0 if kl is None else kl.detach().sum()
        entropy = 0.0 if data.entropy is None else data.entropy.detach().sum()
    loss = total / denominator(spec.aggregation, totals)
    return loss, LossStats(data.logps.numel(), stats.get("clipped", 0.0), kl_old, kl_ref, entropy)


def _objective(data: TokenBatch, spec: LossSpec, stats: dict[str, Tensor]) -> Tensor:
    """The terms of the objective; (n,)."""
    inputs = fields_of(data, spec.inputs, spec.objective)
    if spec.clips:
        return spec.function(*inputs, **spec.objective_settings, stats=stats)
    return spec.function(*inputs, **spec.objective_settings)


def _with_divergence(data: TokenBatch, spec: LossSpec) -> tuple[TokenBatch, Tensor]:
    """The estimate per token, (n,), and the batch with it in its advantages if that is where it belongs."""
    if data.ref_logps is None:
        raise UsageError("kl_coef needs ref_logps, which this batch does not hold")
    sampled = data.old_logps if spec.kl_importance else None
    kl = kl_estimate(data.logps, data.ref_logps, spec.kl_estimator, sampled)
    if spec.kl_in == "reward":
        penalty = kl_reward(data.old_logps, data.ref_logps, coef=spec.kl_coef, kind=spec.kl_estimator)
        data = replace(data, advantages=data.advantages + penalty)
    return data, kl


def _sum(values: Tensor, weights: Tensor | None) -> Tensor:
    """Sum of values, weighted if there are weights."""
    return values.sum() if weights is None else (weights * values).sum()
