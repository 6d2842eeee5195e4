"""Rows of tokens become padded micro-batches. No order here depends on anything but the rows and the key.

Legend: B rows of a micro-batch, T the longest of them, N its sampled tokens over all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from turnwise.errors import SettingsError

__all__ = ["MicroBatch", "Row", "count", "make_micro_batch", "make_row", "minibatches", "split_by_tokens"]


class TokenRow(Protocol):
    """What is read of a ``turnwise.agents.tokens.Stream``."""

    ids: list[int]
    mask: list[int]
    logps: list[float]
    turns: list[int]


@dataclass(frozen=True, eq=False)
class Row:
    """One training row, cut after the last sampled token; arrays over its n sampled tokens.

    Example: ids ``[5, 6, 7, 8, 9]`` with mask ``[0, 0, 1, 1, 0]`` is the row ids ``[5, 6, 7, 8]``, actions
    ``[2, 3]``: the model reads ``[5, 6, 7]``, and its outputs at positions 1 and 2 predict tokens 7 and 8.
    """

    ids: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]  # (n,) positions of the sampled tokens, ascending, never 0
    old_logps: npt.NDArray[np.float32]  # (n,)
    advantages: npt.NDArray[np.float32]  # (n,)

    @property
    def length(self) -> int:
        """Tokens the model reads: all but the last, which is only predicted."""
        return len(self.ids) - 1


@dataclass(frozen=True, eq=False)
class MicroBatch:
    """Tensors of one forward pass. Right padding and no attention mask: a causal model never looks ahead."""

    ids: Tensor  # (B, T) int64
    source: Tensor  # (N,) int64, where in the flattened (B*T) outputs it is predicted: one before it
    targets: Tensor  # (N,) int64, the sampled tokens
    old_logps: Tensor  # (N,) float32
    advantages: Tensor  # (N,) float32


def make_row(stream: TokenRow, turn_advantages: Sequence[float] | npt.NDArray[np.floating]) -> Row | None:
    """The row of a stream, each sampled token with the advantage of its turn; None if nothing was sampled."""
    actions = np.flatnonzero(np.asarray(stream.mask, dtype=np.int64))
    if len(actions) == 0:
        return None
    if actions[0] == 0:
        raise SettingsError("the first token of a row was sampled: nothing before it predicts it")
    turns = np.asarray(stream.turns, dtype=np.int64)[actions]
    return Row(
        ids=np.asarray(stream.ids[: actions[-1] + 1], dtype=np.int64),
        actions=actions,
        old_logps=np.asarray(stream.logps, dtype=np.float32)[actions],
        advantages=np.asarray(turn_advantages, dtype=np.float32)[turns],
    )


def split_by_tokens(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices of rows, longest first, cut into runs of a padded size (rows x longest) within ``budget``.

    A row longer than the budget is a run of its own. Rows of equal length keep their order.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    runs: list[list[int]] = []
    for i in order:
        if runs and lengths[runs[-1][0]] * (len(runs[-1]) + 1) <= budget:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def minibatches(num_rows: int, parts: int, key: Sequence[int]) -> list[list[int]]:
    """A random partition of ``range(num_rows)`` into ``parts`` of equal size, give or take one; none empty."""
    order = np.random.default_rng(np.random.SeedSequence(list(key))).permutation(num_rows)
    return [[int(i) for i in part] for part in np.array_split(order, parts) if len(part)]


def make_micro_batch(rows: Sequence[Row], device: torch.device | str = "cpu") -> MicroBatch:
    """Pad ``rows`` to one tensor and gather what the loss needs of their sampled tokens."""
    width = max(row.length for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    for b, row in enumerate(rows):
        ids[b, : row.length] = row.ids[:-1]
    source = np.concatenate([b * width + row.actions - 1 for b, row in enumerate(rows)])
    targets = np.concatenate([row.ids[row.actions] for row in rows])

    def tensor(values: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(values).to(device)

    return MicroBatch(
        ids=tensor(ids),
        source=tensor(source),
        targets=tensor(targets),
        old_logps=tensor(np.concatenate([row.old_logps for row in rows])),
        advantages=tensor(np.concatenate([row.advantages for row in rows])),
    )


def count(rows: Sequence[Row]) -> int:
    """Sampled tokens of some rows."""
    return sum(len(r.actions) for r in rows)
