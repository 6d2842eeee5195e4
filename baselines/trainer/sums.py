"""Statistics over an update's tokens, and the check that sampler and trainer agree."""

from dataclasses import dataclass

import torch
from torch import Tensor

from turnwise.baselines.methods.losses.policy import LossStats
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.core.errors import TurnwiseError

__all__ = ["Sums", "check_gap"]

MAX_GAP = 1e-5
"""Largest difference of log-probability between sampler and trainer in fp32 on a CPU, apart from rounding."""
MAX_ROUNDING = 1e-4
"""Largest difference by rounding alone, for one token in a hundred (an ill-conditioned layer; siblings share it)."""


@dataclass
class Sums:
    """Statistics over an update's tokens, summed on the device, since reading a number would wait for it."""

    tokens: float = 0
    loss: Tensor | float = 0.0
    clipped: Tensor | float = 0.0
    kl_old: Tensor | float = 0.0
    kl_ref: Tensor | float = 0.0
    entropy: Tensor | float = 0.0
    over: Tensor | float = 0.0  # tokens that sampler and trainer differ in by more than MAX_GAP
    gap: Tensor | float = 0.0  # the largest such difference

    @torch.no_grad()
    def add(self, loss: Tensor, stats: LossStats, difference: Tensor) -> None:
        """Add the tokens of a micro-batch."""
        gaps = difference.abs()
        self.tokens += stats.tokens
        self.loss = self.loss + loss.detach()
        self.clipped = self.clipped + stats.clipped
        self.kl_old = self.kl_old + stats.kl_old
        self.kl_ref = self.kl_ref + stats.kl_ref
        self.entropy = self.entropy + stats.entropy
        self.over = self.over + (gaps > MAX_GAP).sum()
        self.gap = torch.maximum(gaps.max(), torch.as_tensor(self.gap, device=gaps.device))

    def over_ranks(self, parallel: Parallel) -> None:
        """Replace the sums by those over all ranks, as numbers."""
        named = {name: float(value) for name, value in vars(self).items()}
        self.gap = max(parallel.gather_objects([named.pop("gap")]))
        for name, value in parallel.sum(named).items():
            setattr(self, name, value)


def check_gap(first: Sums, step: int, group_size: int) -> None:
    """Stop when sampler and trainer disagree: a wrong token, mask, position, temperature or weight shows here."""
    if first.over > max(group_size, first.tokens // 100) or not first.gap < MAX_ROUNDING:
        raise TurnwiseError(
            f"step {step}: sampler and trainer differ by {first.gap:.2e} in a token's log-probability,"
            f" more than {MAX_GAP:.0e}"
        )
