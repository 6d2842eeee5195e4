"""Rows of tokens become padded micro-batches. No order here depends on anything but the rows and the key.

The rollouts of a task begin with the same prompt. Where that saves work, a micro-batch holds each prompt once and
every row only from the last token of its prompt on: the numbers are the same, the forward and backward passes shorter.

Legend: B rows of a micro-batch, T the longest of them, P shared prefixes, S the longest of these, N sampled tokens
over all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from turnwise.errors import SettingsError

__all__ = [
    "MicroBatch", "Prefixes", "Row", "count", "make_micro_batch", "make_row", "minibatches", "plan", "split_by_tokens",
]  # fmt: skip

WORTH_SHARING = 0.9
"""Prefixes are shared where that leaves at most this part of the tokens to be read."""


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

    @property
    def shared(self) -> int:
        """Tokens before the one that predicts the first sampled token: what other rows of the task may share."""
        return int(self.actions[0]) - 1


@dataclass(frozen=True, eq=False)
class Prefixes:
    """What the rows of a micro-batch begin with, each once, padded on the right."""

    ids: Tensor  # (P, S) int64
    lengths: Tensor  # (P,) int64
    of_row: Tensor  # (B,) int64, which of them a row goes on from


@dataclass(frozen=True, eq=False)
class MicroBatch:
    """Tensors of one forward pass. Right padding and no attention mask: a causal model never looks ahead."""

    ids: Tensor  # (B, T) int64; without the shared prefixes, where there are any
    source: Tensor  # (N,) int64, where in the flattened (B*T) outputs it is predicted: one before it
    targets: Tensor  # (N,) int64, the sampled tokens
    old_logps: Tensor  # (N,) float32
    advantages: Tensor  # (N,) float32
    prefixes: Prefixes | None = None


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


def minibatches(num_groups: int, parts: int, key: Sequence[int]) -> list[list[int]]:
    """A random partition of ``range(num_groups)`` into ``parts`` of equal size, give or take one; none empty."""
    order = np.random.default_rng(np.random.SeedSequence(list(key))).permutation(num_groups)
    return [[int(i) for i in part] for part in np.array_split(order, parts) if len(part)]


def plan(rows: Sequence[Row], budget: int, *, share: bool) -> list[tuple[list[int], bool]]:
    """Micro-batches as (indices of rows, whether their prefixes are shared): the cheaper of the two ways.

    Args:
        rows: of one optimiser update.
        budget: most tokens of a micro-batch, padding included.
        share: whether prefixes may be shared at all.
    """
    lengths = [row.length for row in rows]
    plain = split_by_tokens(lengths, budget)
    if not share or any(row.shared < 1 for row in rows):
        return [(run, False) for run in plain]
    runs, cost = _split_shared(rows, budget)
    if cost > WORTH_SHARING * sum(len(run) * lengths[run[0]] for run in plain):
        return [(run, False) for run in plain]
    return [(run, True) for run in runs]


def _split_shared(rows: Sequence[Row], budget: int) -> tuple[list[list[int]], int]:
    """Runs of rows in which those of one prefix stand together, and the tokens they make the model read."""
    families: dict[bytes, list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault(row.ids[: row.shared].tobytes(), []).append(i)

    def rest(i: int) -> int:
        return rows[i].length - rows[i].shared

    order = sorted(families.values(), key=lambda family: -max(rest(i) for i in family))
    runs: list[list[int]] = []
    total = cost = count = longest_prefix = longest_rest = 0
    for family in order:
        fresh = True  # the family's prefix is not in this run yet
        for i in sorted(family, key=lambda i: -rest(i)):
            prefix, own = max(longest_prefix, rows[i].shared), max(longest_rest, rest(i))
            grown = (count + fresh) * prefix + (len(runs[-1]) + 1 if runs else 1) * own
            if not runs or grown > budget:
                total += cost
                runs.append([])
                count, prefix, own, fresh = 0, rows[i].shared, rest(i), True
                grown = prefix + own
            runs[-1].append(i)
            count += fresh
            longest_prefix, longest_rest, cost, fresh = prefix, own, grown, False
    return runs, total + cost


def make_micro_batch(rows: Sequence[Row], device: torch.device | str = "cpu", *, share: bool = False) -> MicroBatch:
    """Pad ``rows`` to one tensor and gather what the loss needs of their sampled tokens.

    Args:
        rows: the rows.
        device: of the tensors.
        share: put every prefix in ``prefixes``, once.
    """
    cuts = [row.shared if share else 0 for row in rows]
    ids = _padded([row.ids[cut:-1] for row, cut in zip(rows, cuts, strict=True)])
    width = ids.shape[1]
    source = np.concatenate(
        [b * width + row.actions - cut - 1 for b, (row, cut) in enumerate(zip(rows, cuts, strict=True))]
    )
    targets = np.concatenate([row.ids[row.actions] for row in rows])

    def tensor(values: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(values).to(device)

    prefixes = None
    if share:
        found: dict[bytes, int] = {}
        of_row = [found.setdefault(row.ids[: row.shared].tobytes(), len(found)) for row in rows]
        heads = [np.frombuffer(key, dtype=np.int64) for key in found]
        lengths = np.array([len(head) for head in heads], dtype=np.int64)
        prefixes = Prefixes(tensor(_padded(heads)), tensor(lengths), tensor(np.array(of_row, dtype=np.int64)))
    return MicroBatch(
        ids=tensor(ids),
        source=tensor(source),
        targets=tensor(targets),
        old_logps=tensor(np.concatenate([row.old_logps for row in rows])),
        advantages=tensor(np.concatenate([row.advantages for row in rows])),
        prefixes=prefixes,
    )


def _padded(rows: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Rows as one array, zeros on the right."""
    out = np.zeros((len(rows), max(len(row) for row in rows)), dtype=np.int64)
    for b, row in enumerate(rows):
        out[b, : len(row)] = row
    return out


def count(rows: Sequence[Row]) -> int:
    """Sampled tokens of some rows."""
    return sum(len(r.actions) for r in rows)
