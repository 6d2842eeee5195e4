"""Losses on the sampled tokens: ratios, objectives, divergences, corrections, weights. Pure torch on flat tensors.

Read in this order: ratio.py, objectives.py, aggregation.py, policy.py (which puts them together), then kl.py,
correction.py, weights.py, hybrid.py, controllers.py.
"""

from turnwise.baselines.methods.losses.aggregation import AGGREGATIONS, Totals, denominator, token_weights
from turnwise.baselines.methods.losses.controllers import (
    EntropyControl,
    adaptive_entropy_coef,
    amft_meta_gradient,
    amft_weight,
)
from turnwise.baselines.methods.losses.correction import (
    dppo_tv_mask,
    importance_weights,
    off_policy_sequence_mask,
    ratio_metrics,
)
from turnwise.baselines.methods.losses.hybrid import exploration_advantages, mixture_ratio, policy_shaping, rl_plus
from turnwise.baselines.methods.losses.kl import KL_ESTIMATORS, kl_estimate, kl_reward
from turnwise.baselines.methods.losses.objectives import (
    OBJECTIVES,
    aipo,
    cispo,
    decoupled_ppo,
    dual_clip,
    gspo,
    luspo,
    ppo_clip,
    reinforce,
    sft,
)
from turnwise.baselines.methods.losses.policy import LossSpec, LossStats, TokenBatch, policy_loss
from turnwise.baselines.methods.losses.ratio import LEVELS, log_ratio
from turnwise.baselines.methods.losses.weights import (
    ADVANTAGE_SHAPING,
    TOKEN_WEIGHTS,
    clip_cov_mask,
    high_entropy_mask,
    steer_weights,
    token_factors,
    ucas,
)

__all__ = [
    "ADVANTAGE_SHAPING",
    "AGGREGATIONS",
    "KL_ESTIMATORS",
    "LEVELS",
    "OBJECTIVES",
    "TOKEN_WEIGHTS",
    "EntropyControl",
    "LossSpec",
    "LossStats",
    "TokenBatch",
    "Totals",
    "adaptive_entropy_coef",
    "aipo",
    "amft_meta_gradient",
    "amft_weight",
    "cispo",
    "clip_cov_mask",
    "decoupled_ppo",
    "denominator",
    "dppo_tv_mask",
    "dual_clip",
    "exploration_advantages",
    "gspo",
    "high_entropy_mask",
    "importance_weights",
    "kl_estimate",
    "kl_reward",
    "log_ratio",
    "luspo",
    "mixture_ratio",
    "off_policy_sequence_mask",
    "policy_loss",
    "policy_shaping",
    "ppo_clip",
    "ratio_metrics",
    "reinforce",
    "rl_plus",
    "sft",
    "steer_weights",
    "token_factors",
    "token_weights",
    "ucas",
]
