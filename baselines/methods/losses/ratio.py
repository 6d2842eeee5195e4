"""Probability ratios of tokens, turns and sequences on flat token tensors.

Legend: n sampled tokens of whole rows, one row after the other. ``rows`` and ``turns`` number the row and the turn
of each token; the tokens of a unit (a turn, a row) stand next to each other. Nothing here waits for the device:
sums per unit have n entries; those past the last unit stay unused. On CUDA the sums are only
reproducible under ``torch.use_deterministic_algorithms(True)``.
"""

import torch
from torch import Tensor

from turnwise.baselines.methods.registry import choice

__all__ = [
    "LEVELS",
    "MAX_LOG_RATIO",
    "log_ratio",
    "probability_ratio",
    "same_shape",
    "unit_ids",
    "unit_mean",
    "unit_sum",
]

LEVELS = ("token", "turn", "sequence")
MAX_LOG_RATIO = 20.0
"""Log ratios of turns and sequences are cut to this before they meet ``exp`` (a product may overflow)."""


def same_shape(**tensors: Tensor) -> None:
    """Raise for tensors of different shapes: (n,) and (n, 1) would otherwise broadcast to (n, n).

    Raises:
        ValueError: their shapes differ.
    """
    if len({tensor.shape for tensor in tensors.values()}) > 1:
        shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in tensors.items())
        raise ValueError(f"one number per token is needed, in one shape: {shapes}")


def unit_ids(rows: Tensor, turns: Tensor | None = None) -> Tensor:
    """Number of the unit of each token, from 0: of its row, or with ``turns`` of its turn; (n,) int64."""
    starts = torch.zeros_like(rows)
    if turns is None:
        starts[1:] = rows[1:] != rows[:-1]
    else:
        starts[1:] = (rows[1:] != rows[:-1]) | (turns[1:] != turns[:-1])
    return starts.cumsum(0)


def unit_sum(values: Tensor, ids: Tensor) -> Tensor:
    """Sum of ``values`` over each unit; (n,), one entry per unit, then zeros."""
    return torch.zeros_like(values).index_add(0, ids, values)


def unit_mean(values: Tensor, ids: Tensor) -> Tensor:
    """Mean of ``values`` over each unit; (n,), one entry per unit, then zeros."""
    return unit_sum(values, ids) / unit_sum(torch.ones_like(values), ids).clamp(min=1)


def log_ratio(
    logps: Tensor,
    old_logps: Tensor,
    rows: Tensor,
    turns: Tensor,
    *,
    level: str = "token",
    reduce: str = "mean",
) -> Tensor:
    """log(pi / pi_old) of the unit that each token belongs to; (n,), with gradients to every token of the unit.

    With l_t = logp_t - old_t: ``token``: l_t; ``turn`` and ``sequence``: the mean or the sum of l over the tokens
    of the turn or the row. The sum is the ratio of the probabilities of the whole unit (LOOP's trajectory
    ratio); the mean is the log of its geometric mean per token (GSPO).

    Source: sums, Chen et al. 2025, LOOP, arXiv:2502.01600; mean over the sequence, Zheng et al. 2025,
    GSPO, arXiv:2507.18071, equation 7.

    Raises:
        SettingsError: for another ``level`` or ``reduce``.
    """
    choice("level", level, LEVELS)
    choice("reduce", reduce, ("mean", "sum"))
    same_shape(logps=logps, old_logps=old_logps, rows=rows, turns=turns)
    delta = logps - old_logps
    if level == "token":
        return delta
    ids = unit_ids(rows, turns if level == "turn" else None)
    return (unit_mean if reduce == "mean" else unit_sum)(delta, ids).index_select(0, ids)


def probability_ratio(
    logps: Tensor, old_logps: Tensor, rows: Tensor, turns: Tensor, *, level: str, reduce: str
) -> Tensor:
    """exp(log_ratio); above the level of tokens the log is first cut to -20..20, where the gradient then ends."""
    log = log_ratio(logps, old_logps, rows, turns, level=level, reduce=reduce)
    return log.exp() if level == "token" else log.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
