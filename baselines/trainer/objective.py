"""The loss of a run, and the sampled tokens of a whole step, for methods that need all of them before an update."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from turnwise.baselines.methods.losses import LossSpec, TokenBatch
from turnwise.baselines.trainer.batch import Row
from turnwise.baselines.trainer.config import TrainConfig

__all__ = ["StepTokens", "make_loss", "step_tokens"]


def make_loss(cfg: TrainConfig) -> LossSpec:
    """Make the loss that the settings describe."""
    return LossSpec(
        objective=cfg.loss.objective,
        aggregation=cfg.loss.aggregation,
        kl=cfg.loss.kl,
        entropy_coef=cfg.loss.entropy_coef,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class StepTokens(TokenBatch):
    """A ``TokenBatch`` of all rows of a step, with further data for advantage shaping."""

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
    """Concatenate the tokens of all rows of a step.

    Args:
        rows: the rows of the step.
        groups: the group of each row.
        logps: (n,) log-probabilities of the policy before its first update.
        entropy: (n,) entropies of its distributions.
        recomputed: whether ``logps`` are the old policy's log-probabilities; otherwise the sampler's are.
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
