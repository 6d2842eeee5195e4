"""The loss of a run, and all sampled tokens of a step at once, for methods that look at the whole of it first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from turnwise.baselines.methods.losses import ADVANTAGE_SHAPING, TOKEN_WEIGHTS, LossSpec, TokenBatch
from turnwise.baselines.methods.registry import bind, find
from turnwise.baselines.trainer.batch import Row
from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["StepTokens", "make_loss", "step_tokens", "with_advantages"]


def make_loss(cfg: TrainConfig) -> LossSpec:
    """The loss that the settings describe, once they are known to be settings of the methods they name."""
    for name, settings in cfg.token_weights.items():
        bind(find("token_weights", name, TOKEN_WEIGHTS), settings, name)
    for name, settings in cfg.advantage_shaping.items():
        bind(find("advantage_shaping", name, ADVANTAGE_SHAPING), settings, name)
    return LossSpec(
        objective=cfg.loss,
        objective_settings=cfg.loss_settings,
        aggregation=cfg.aggregation,
        kl_coef=cfg.kl_coef,
        kl_estimator=cfg.kl_estimator,
        kl_in=cfg.kl_in,
        kl_importance=cfg.kl_importance,
        entropy_coef=cfg.entropy_coef,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class StepTokens(TokenBatch):
    """A ``TokenBatch`` of all rows, and what advantage shaping reads besides."""

    groups: Tensor  # (B,) the group of each row

    @property
    def certainty(self) -> Tensor:
        """Rises with how sure the policy was, (n,): the negative entropy stands in for logits, which are not kept."""
        assert self.entropy is not None
        return -self.entropy

    @property
    def token_logits(self) -> Tensor:
        """Rises with how likely the token was, (n,): its log-probability stands in for its logit."""
        return self.logps


def step_tokens(
    rows: Sequence[Row], groups: Sequence[int], logps: Tensor, entropy: Tensor, *, recomputed: bool
) -> StepTokens:
    """The tokens of all rows, one after the other.

    Args:
        rows: of the step.
        groups: the group of each row.
        logps: (n,) of the policy before its first update.
        entropy: (n,) of its distributions.
        recomputed: ``logps`` are the old policy's; otherwise the sampler's are.
    """
    sampled = torch.from_numpy(np.concatenate([row.old_logps for row in rows]))
    return StepTokens(
        logps=logps,
        entropy=entropy,
        old_logps=logps if recomputed else sampled,
        sampler_logps=sampled,
        advantages=torch.from_numpy(np.concatenate([row.advantages for row in rows])),
        rows=torch.from_numpy(np.repeat(np.arange(len(rows)), [len(row.actions) for row in rows])),
        turns=torch.from_numpy(np.concatenate([row.turns for row in rows])),
        groups=torch.tensor(groups),
    )


def with_advantages(rows: Sequence[Row], advantages: Tensor) -> list[Row]:
    """The rows with other advantages, (n,) over the tokens of all rows."""
    parts = torch.split(advantages, [len(row.actions) for row in rows])
    return [replace(row, advantages=part.numpy()) for row, part in zip(rows, parts, strict=True)]
