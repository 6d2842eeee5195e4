"""Aggregation of token terms to one number, independent of the split into micro-batches and ranks."""

from dataclasses import dataclass

import torch
from torch import Tensor

from turnwise.baselines.methods.losses.ratio import unit_ids, unit_sum
from turnwise.baselines.methods.registry import choice

__all__ = ["AGGREGATIONS", "Totals", "denominator", "token_weights"]

AGGREGATIONS = ("token_mean", "sequence_mean", "sequence_sum", "constant")


@dataclass(frozen=True)
class Totals:
    """Counts over a whole optimiser update, all micro-batches and ranks together.

    With several ranks the gradients of the ranks must then be *summed*; where a wrapper takes their mean,
    multiply the loss by the number of ranks.
    """

    tokens: int  # sampled tokens
    sequences: int  # rows
    max_tokens: int  # the most tokens that a row can have sampled


def denominator(kind: str, totals: Totals) -> float:
    """Return the divisor of the sum over an update's tokens; for ``sequence_mean`` after division by lengths."""
    choice("aggregation", kind, AGGREGATIONS)
    if kind == "token_mean":
        return float(max(totals.tokens, 1))
    if kind == "constant":
        return float(max(totals.sequences * totals.max_tokens, 1))
    return float(max(totals.sequences, 1))


def inverse_lengths(rows: Tensor, dtype: torch.dtype) -> Tensor:
    """1 / (tokens of the row) for each token; (n,)."""
    ids = unit_ids(rows)
    return unit_sum(torch.ones_like(rows, dtype=dtype), ids).index_select(0, ids).reciprocal()


def token_weights(
    kind: str,
    rows: Tensor,
    *,
    tokens: int,
    sequences: int,
    max_tokens: int,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Weight w_t of each token, (n,), so that the loss is sum_t w_t term_t.

    - ``token_mean``: 1 / tokens. Every token of the update counts the same.
    - ``sequence_mean``: 1 / (sequences * tokens of the row). The mean over rows of the mean over tokens.
    - ``sequence_sum``: 1 / sequences. The mean over rows of the sum over tokens.
    - ``constant``: 1 / (sequences * max_tokens). The weight does not depend on how long the rows turned out.

    Args:
        kind: one of the above.
        rows: (n,) row of each token; rows are whole, so their lengths are known here.
        tokens: sampled tokens of the whole optimiser update, over all micro-batches and ranks.
        sequences: rows of the whole update.
        max_tokens: the most tokens that a row can have sampled.
        dtype: of the weights.

    Raises:
        SettingsError: for another ``kind``.

    Source: ``token_mean``, Yu et al. 2025, DAPO, arXiv:2503.14476, section 3.3; ``sequence_mean``, Shao et al.
    2024, GRPO, arXiv:2402.03300, equation 3; ``sequence_sum``, Williams 1992 (REINFORCE) and Liu et al. 2026,
    LUSPO, arXiv:2602.05261; ``constant``, Liu et al. 2025, Dr. GRPO, arXiv:2503.20783, section 3.2.
    """
    scale = denominator(kind, Totals(tokens, sequences, max_tokens))
    if kind == "sequence_mean":
        return inverse_lengths(rows, dtype) / scale
    return torch.full(rows.shape, 1.0 / scale, dtype=dtype, device=rows.device)
