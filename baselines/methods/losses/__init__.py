"""Losses on the sampled tokens: ratios, objectives, divergences, corrections, weights. Pure torch on flat tensors.

Read in this order: ratio.py, objectives.py, aggregation.py, policy.py (which puts them together), then kl.py,
correction.py, weights.py, hybrid.py, controllers.py.
"""

from turnwise.baselines.methods.kinds import advantage_shaping as ADVANTAGE_SHAPING
from turnwise.baselines.methods.kinds import loss as OBJECTIVES
from turnwise.baselines.methods.kinds import token_weight as TOKEN_WEIGHTS
from turnwise.baselines.methods.losses import controllers, correction, hybrid, kl, objectives, weights
from turnwise.baselines.methods.losses.aggregation import Totals
from turnwise.baselines.methods.losses.policy import LossSpec, TokenBatch, policy_loss

__all__ = [
    "ADVANTAGE_SHAPING", "OBJECTIVES", "TOKEN_WEIGHTS", "LossSpec", "TokenBatch", "Totals", "controllers", "correction",
    "hybrid", "kl", "objectives", "policy_loss", "weights",
]  # fmt: skip
