"""Settings of the models trained beside the policy, for credit methods that need more than rewards."""

from typing import Annotated, Literal

from turnwise.baselines.methods.registry import Settings
from turnwise.core.settings import Range

__all__ = ["CriticSettings", "EstimatorSettings"]


class CriticSettings(Settings):
    """The critic, which learns to predict returns."""

    lr: Annotated[float, Range(above=0)] = 1e-5
    """Learning rate of the critic."""
    value_clip: Annotated[float, Range(above=0)] | None = 0.2
    """Most that a value may move towards its return in a step, in units of the return; by default it is not bounded."""
    warmup: Annotated[int, Range(0)] = 0
    """Number of steps at the start in which only the critic learns."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """Optimiser: AdamW for all weights, or Muon for the hidden matrices and AdamW for the rest."""
    max_grad_norm: Annotated[float, Range(above=0)] = 1.0
    """Largest global norm of the gradient; larger gradients are scaled down to it."""


class EstimatorSettings(Settings):
    """The progress estimator, which attributes the return to the turns."""

    hidden: Annotated[int, Range(1)] = 64
    """Width of the estimator's hidden layer."""
    lr: Annotated[float, Range(above=0)] = 1e-3
    """Learning rate of the estimator, which Adam trains."""
    updates: Annotated[int, Range(1)] = 16
    """Number of updates of the estimator on the rollouts of each step."""
