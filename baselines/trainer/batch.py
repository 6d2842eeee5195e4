"""Make micro-batches from rows of tokens; their order depends on nothing but the rows and the key.

A micro-batch is padded, [B, T], or packed: one row of all tokens, [1, L], without padding, and with the prompt that
the rollouts of a task begin with held once where it is long. The numbers are the same, the work is less.

Legend: B rows of a micro-batch, T the longest of them, L tokens of a packed one, S the longest of its shared prefixes,
N sampled tokens over all rows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from turnwise.baselines.trainer.model.packed import Packing, Part
from turnwise.core.errors import SettingsError

__all__ = [
    "MicroBatch", "Row", "TaskRows", "count", "make_micro_batch", "make_row", "minibatches", "padded", "plan",
    "split_by_tokens",
    "with_values",
]  # fmt: skip

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


WORTH_PACKING = 0.95
"""Rows are packed where that leaves at most this part of the tokens that padding would make the model read."""
WORTH_SHARING = 0.5
"""A row shares its prefix if that is at least this part as long as the rest of it: sharing makes attention slower."""
SIMILAR = 0.75
"""Attention takes rows together whose lengths are within this factor of the longest (and SLACK tokens)."""
SLACK = 16


class TokenRow(Protocol):
    """The fields of a ``turnwise.engine.tokens.Stream`` that are read here."""

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

    ids: Ints
    actions: Ints  # (n,) positions of the sampled tokens, ascending, never 0
    old_logps: Floats  # (n,) the sampler's
    advantages: Floats  # (n,)
    turns: Ints  # (n,) the turn that each was sampled in, ascending
    proximal_logps: Floats | None = None  # (n,) of the policy before the step's first update
    reference_logps: Floats | None = None  # (n,) of the reference
    weights: Floats | None = None  # (n,) factors of the loss
    values: Floats | None = None  # (n,) the critic's, before it learned from them
    returns: Floats | None = None  # (n,) what the values should have been

    @property
    def length(self) -> int:
        """Number of tokens that the model reads: all but the last, which is only predicted."""
        return len(self.ids) - 1

    @property
    def shared(self) -> int:
        """Number of tokens shareable with other rows of the task: those before the one that predicts an action."""
        before = int(self.actions[0]) - 1
        return before if before >= WORTH_SHARING * (self.length - before) else 0

    @property
    def prefix(self) -> bytes:
        """The shared tokens, as a key."""
        return self.ids[: self.shared].tobytes()


OPTIONAL = ("proximal_logps", "reference_logps", "weights", "values", "returns")
"""The fields that rows have only if the run needs them."""


@dataclass(frozen=True)
class TaskRows:
    """The training rows of a task: the policy's own, and external ones, which it did not sample."""

    own: list[Row] = field(default_factory=list)
    external: list[Row] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class MicroBatch:
    """Tensors of one forward pass. Padding is on the right and needs no mask: a causal model never looks ahead."""

    ids: Tensor  # (B, T) int64; packed: (1, L)
    source: Tensor  # (N,) int64, where in the flattened outputs it is predicted: one before it
    targets: Tensor  # (N,) int64, the sampled tokens
    old_logps: Tensor  # (N,) float32
    advantages: Tensor  # (N,) float32
    rows: Tensor  # (N,) int64, the row of each sampled token, ascending from 0
    turns: Tensor  # (N,) int64
    proximal_logps: Tensor | None = None  # (N,) float32, as the others below
    reference_logps: Tensor | None = None
    weights: Tensor | None = None
    values: Tensor | None = None
    returns: Tensor | None = None
    packing: Packing | None = None


def make_row(
    stream: TokenRow,
    advantages: Sequence[float] | npt.NDArray[np.floating],
    *,
    per: Literal["turn", "token"] = "turn",
    **values: npt.NDArray[np.floating],
) -> Row | None:
    """Make the row of a stream; None if nothing in it was sampled.

    Args:
        stream: the tokens.
        advantages: one per turn of the rollout, or one per sampled token of this stream.
        per: which of the two they are.
        values: further values per sampled token, such as ``weights``.
    """
    actions = np.flatnonzero(np.asarray(stream.mask, dtype=np.int64))
    if len(actions) == 0:
        return None
    if actions[0] == 0:
        raise SettingsError("the first token of a row was sampled: nothing before it predicts it")
    turns = np.asarray(stream.turns, dtype=np.int64)[actions]
    given = np.asarray(advantages, dtype=np.float32)
    row = Row(
        ids=np.asarray(stream.ids[: actions[-1] + 1], dtype=np.int64),
        actions=actions,
        old_logps=np.asarray(stream.logps, dtype=np.float32)[actions],
        advantages=given,
        turns=turns,
    )
    (found,) = with_values([row], advantages=given if per == "token" else given[turns], **values)
    return found


def with_values(rows: Sequence[Row], **values: npt.NDArray[np.floating]) -> list[Row]:
    """Return the rows with new values per sampled token; each array covers the tokens of all rows, in order."""
    ends = np.cumsum([len(row.actions) for row in rows])
    for name, flat in values.items():
        if np.shape(flat) != (ends[-1],):
            raise SettingsError(f"{name} of shape {np.shape(flat)} for {ends[-1]} sampled tokens")
    parts = {name: np.split(np.asarray(flat, dtype=np.float32), ends[:-1]) for name, flat in values.items()}
    own: list[dict[str, Any]] = [{name: part[i] for name, part in parts.items()} for i in range(len(rows))]
    return [replace(row, **new) for row, new in zip(rows, own, strict=True)]


def split_by_tokens(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Split the indices of rows, longest first, into runs of a padded size (rows x longest) within ``budget``.

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
    """Partition ``range(num_groups)`` at random into ``parts`` of equal size, give or take one; none is empty."""
    order = np.random.default_rng(np.random.SeedSequence(list(key))).permutation(num_groups)
    return [[int(i) for i in part] for part in np.array_split(order, parts) if len(part)]


def plan(rows: Sequence[Row], budget: int, *, share: bool) -> list[tuple[list[int], bool]]:
    """Plan micro-batches as (indices of rows, whether to pack them), packed or padded, whichever is cheaper.

    Args:
        rows: of one optimiser update.
        budget: most tokens of a micro-batch, padding included; a row longer than that is one of its own.
        share: whether rows may be packed at all.
    """
    lengths = [row.length for row in rows]
    plain = split_by_tokens(lengths, budget)
    if share:
        runs, tokens = _split_packed(rows, budget)
        if tokens <= WORTH_PACKING * sum(len(run) * lengths[run[0]] for run in plain):
            return [(run, True) for run in runs]
    return [(run, False) for run in plain]


def _split_packed(rows: Sequence[Row], budget: int) -> tuple[list[list[int]], int]:
    """Split rows into runs that keep rows of one prefix together, and count the tokens that the model reads."""
    families: dict[tuple[bytes, int], list[int]] = {}
    for i in sorted(range(len(rows)), key=lambda i: (-rows[i].length, i)):
        alone = -1 if rows[i].shared else i
        families.setdefault((rows[i].prefix, alone), []).append(i)
    runs: list[list[int]] = []
    room = total = 0
    for family in families.values():
        prefix = rows[family[0]].shared  # 0 once this run holds it
        for i in family:
            own = rows[i].length - rows[i].shared
            if not runs or prefix + own > room:
                runs.append([])
                room, prefix = budget, rows[i].shared
            runs[-1].append(i)
            total += prefix + own
            room, prefix = room - prefix - own, 0
    return runs, total


def make_micro_batch(rows: Sequence[Row], device: torch.device | str = "cpu", *, share: bool = False) -> MicroBatch:
    """Make the tensors of ``rows``, including what the loss needs to know of their sampled tokens.

    Args:
        rows: the rows.
        device: of the tensors.
        share: pack the rows and hold each prefix once, instead of padding.
    """

    def tensor(values: npt.NDArray[Any]) -> Tensor:
        found = torch.from_numpy(values)
        return found.pin_memory().to(device, non_blocking=True) if "cuda" in str(device) else found.to(device)

    def joined(arrays: Iterable[npt.NDArray[Any]]) -> Tensor:
        return tensor(np.concatenate(list(arrays)))

    if share:
        ids, packing, starts = _pack(rows, tensor)
    else:
        whole = padded([row.ids[:-1] for row in rows])
        ids, packing = tensor(whole), None
        starts = np.arange(len(rows)) * whole.shape[1]
    return MicroBatch(
        ids=ids,
        source=joined(start + row.actions - 1 for start, row in zip(starts, rows, strict=True)),
        targets=joined(row.ids[row.actions] for row in rows),
        old_logps=joined(row.old_logps for row in rows),
        advantages=joined(row.advantages for row in rows),
        rows=tensor(np.repeat(np.arange(len(rows)), [len(row.actions) for row in rows])),
        turns=joined(row.turns for row in rows),
        packing=packing,
        **{n: joined(getattr(row, n) for row in rows) for n in OPTIONAL if getattr(rows[0], n) is not None},
    )


def _pack(rows: Sequence[Row], tensor: Callable[[npt.NDArray[Any]], Tensor]) -> tuple[Tensor, Packing, Ints]:
    """Pack rows: tokens [1, L], their places, and per row where it would start if its prefix were its own."""
    counts = Counter(row.prefix for row in rows)
    cuts = [row.shared if counts[row.prefix] > 1 else 0 for row in rows]  # what one row has alone is not shared
    heads = dict.fromkeys(row.prefix for row, cut in zip(rows, cuts, strict=True) if cut)
    pieces = [np.frombuffer(head, dtype=np.int64) for head in heads]
    pieces += [row.ids[cut:-1] for row, cut in zip(rows, cuts, strict=True)]
    ends = np.cumsum([len(piece) for piece in pieces])
    where = [np.arange(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)]
    of_head = dict(zip(heads, where, strict=False))
    before = [where[0][:0]] * len(heads)  # (L,) of a piece: the tokens of its prefix
    before += [of_head[row.prefix] if cut else where[0][:0] for row, cut in zip(rows, cuts, strict=True)]

    parts, back, done = [], np.zeros(ends[-1], dtype=np.int64), 0
    for members in _alike([len(piece) for piece in pieces], [len(head) > 0 for head in before]):
        queries = padded([where[i] for i in members])
        prefixes = padded([before[i] for i in members])
        lengths = tensor(np.array([len(before[i]) for i in members]))
        mask = _look(lengths, prefixes.shape[1], queries.shape[1]) if prefixes.size else None
        parts.append(Part(tensor(queries), tensor(np.concatenate([prefixes, queries], axis=1)), mask))
        for line, i in enumerate(members):
            back[where[i]] = done + line * queries.shape[1] + np.arange(len(where[i]))
        done += queries.size
    positions = np.concatenate([len(head) + np.arange(len(at)) for head, at in zip(before, where, strict=True)])
    starts = np.array([at[0] for at in where[len(heads) :]]) - np.array(cuts)
    ids = tensor(np.concatenate(pieces)[None])
    return ids, Packing(tensor(positions[None]), parts, tensor(back)), starts


def _alike(lengths: Sequence[int], kinds: Sequence[bool]) -> list[list[int]]:
    """Group the indices of pieces of one kind and similar lengths."""
    found: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lambda i: (kinds[i], -lengths[i], i)):
        first = found[-1][0] if found else i
        if not found or kinds[i] != kinds[first] or lengths[i] + SLACK < SIMILAR * lengths[first]:
            found.append([])
        found[-1].append(i)
    return found


def _look(lengths: Tensor, longest: int, width: int) -> Tensor:
    """Make the attention mask of rows, [B, 1, width, longest + width]: their prefix, themselves and before."""
    own = torch.arange(width, device=lengths.device)
    prefix = torch.arange(longest, device=lengths.device) < lengths[:, None]  # (B, S)
    rows = len(lengths)
    seen = prefix[:, None].expand(rows, width, longest)
    return torch.cat([seen, (own[:, None] >= own).expand(rows, width, width)], dim=-1)[:, None]


def padded(rows: Sequence[Any], dtype: Any = np.int64, padding: Any = 0) -> npt.NDArray[Any]:
    """Return rows of values as one array, with ``padding`` on the right."""
    out = np.full((len(rows), max((len(row) for row in rows), default=0)), padding, dtype=dtype)
    for b, row in enumerate(rows):
        out[b, : len(row)] = row
    return out


def count(rows: Sequence[Row]) -> int:
    """Count the sampled tokens of some rows."""
    return sum(len(r.actions) for r in rows)
