"""Sampling from a local causal language model, row by row, with exact log-probabilities.

A row is one growing token sequence. `kv.KVEngine` keeps what the model computed for it across turns;
`ReprefillEngine` computes it anew for every turn and is what `KVEngine` is tested against. In both, a row's
tokens depend on its content and its keys alone: not on the rows it is sampled with, nor on when it joins them.

Shapes: B rows of a batch, Q new tokens, L attended positions, V vocabulary, H heads, D width of a head.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from turnwise.core.errors import SettingsError, UsageError
from turnwise.engine.decode import DONE, TOKEN, Ints, Lanes, Turn, draw, state_of, uniforms

__all__ = ["Engine", "ReprefillEngine", "Rows", "Sampled", "draw", "uniforms"]


@dataclass(frozen=True)
class Sampled:
    """One sampled turn: its tokens (stop token included), and log softmax(logits / temperature) of each.

    ``stopped`` is False where the turn ran into ``max_new`` instead.
    """

    ids: list[int]
    logps: list[float]
    stopped: bool


class Engine(Protocol):
    """What samples turns; rows are handles that `open` gives out."""

    max_len: int

    def open(self, n: int) -> list[int]:
        """``n`` fresh, empty rows."""

    def extend(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> None:
        """Append context tokens to rows."""

    def submit(
        self,
        rows: Sequence[int],
        *,
        max_new: int | Sequence[int],
        stop_ids: Sequence[int],
        temperature: float,
        keys: Sequence[tuple[int, ...]],
        greedy: bool = False,
    ) -> None:
        """Ask for one turn of each row; `collect` hands it out, and until then the row takes nothing else."""

    def collect(self, min_finished: int = 1) -> list[tuple[int, Sampled]]:
        """Sample until ``min_finished`` of the submitted turns are over (or all, if they are fewer).

        All turns that are over come back with their rows, sorted by row; their tokens are part of the rows.
        A row may be extended and submitted again at once: it joins those still being sampled. Rows that come
        back together are prefilled together, so a larger ``min_finished`` costs less per turn.
        """

    def sample(
        self,
        rows: Sequence[int],
        *,
        max_new: int | Sequence[int],
        stop_ids: Sequence[int],
        temperature: float,
        keys: Sequence[tuple[int, ...]],
        greedy: bool = False,
    ) -> list[Sampled]:
        """``submit`` and wait: one turn for each row, in the order of ``rows``."""

    def close(self, rows: Sequence[int]) -> None:
        """Give rows back; a turn that is being sampled is dropped."""

    def load(self, version: int) -> None:
        """The weights changed: nothing computed with the old ones may be used again.

        Turns that are being sampled keep their tokens and go on with the new weights.
        """

    def length(self, row: int) -> int:
        """The number of tokens in a row, without those of a turn that is not collected."""


class Row:
    """A row's tokens, and for `KVEngine` how many of them are cached in which slot, and who begins with the same."""

    __slots__ = ("cached", "family", "handle", "ids", "shared", "slot", "tick", "turn")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.ids: list[int] = []
        self.turn: Turn | None = None  # submitted and not collected
        self.family, self.shared = handle, 0  # rows of a family begin with the same tokens, so many
        self.cached = 0
        self.slot = -1  # none
        self.tick = 0  # of the last `Slots.lead` that included the row


class Rows(ABC):
    """The rows, the checks and the bookkeeping of turns that both engines share."""

    def __init__(self, model: Any, max_rows: int, max_len: int) -> None:
        if max_rows < 1 or max_len < 2:
            raise SettingsError(f"max_rows must be >= 1 and max_len >= 2, not {max_rows} and {max_len}")
        self.model = model
        self.max_rows = max_rows
        self.max_len = max_len
        self.version = 0
        self._rows: dict[int, Row] = {}
        self._next = 0
        self._queue: list[Row] = []  # submitted, not yet begun
        self._over: dict[int, Sampled] = {}  # by handle: finished, not yet collected
        self._lanes = Lanes(model.device)
        self._grad_mode: Callable[[], Any] = torch.no_grad

    @abstractmethod
    def _run(self) -> None:
        """Bring the turns in the queue or in flight forward; `_finish` those that are over."""

    def open(self, n: int) -> list[int]:
        if len(self._rows) + n > self.max_rows:
            raise SettingsError(
                f"{len(self._rows)} rows are open and {n} more were asked for, max_rows is {self.max_rows}: "
                "raise it or run fewer episodes at once"
            )
        handles = list(range(self._next, self._next + n))
        self._next += n
        self._rows.update((handle, Row(handle)) for handle in handles)
        return handles

    def length(self, row: int) -> int:
        found = self._get([row])[0]
        return len(found.ids) - (0 if found.turn is None else len(found.turn.ids))

    def extend(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> None:
        found = self._get(rows, idle=True)
        if len(ids) != len(found):
            raise UsageError(f"{len(found)} rows and {len(ids)} lists of ids")
        for row, new in zip(found, ids, strict=True):
            self._fits(len(row.ids), len(new), "context")
        for row, new in zip(found, ids, strict=True):
            row.ids.extend(new)

    def close(self, rows: Sequence[int]) -> None:
        gone = self._get(rows)
        if any(row.turn is not None for row in gone):
            self._queue = [row for row in self._queue if row not in gone]
        for row in gone:
            self._over.pop(row.handle, None)
            del self._rows[row.handle]

    def load(self, version: int) -> None:
        self.version = version
        for row in self._rows.values():
            row.cached = 0

    def submit(
        self,
        rows: Sequence[int],
        *,
        max_new: int | Sequence[int],
        stop_ids: Sequence[int],
        temperature: float,
        keys: Sequence[tuple[int, ...]],
        greedy: bool = False,
    ) -> None:
        found = self._get(rows, idle=True)
        limits = np.array([max_new] * len(found) if isinstance(max_new, int) else max_new, dtype=np.int64)
        self._check(found, limits, temperature, keys)
        if not found:
            return
        chances = None if greedy else uniforms(keys, limits)
        stops = tuple(stop_ids)
        for i, (row, limit) in enumerate(zip(found, limits.tolist(), strict=True)):
            row.turn = Turn(limit, stops, float(temperature), None if chances is None else chances[i, :limit])
        self._queue.extend(found)

    def collect(self, min_finished: int = 1) -> list[tuple[int, Sampled]]:
        if min_finished < 1:
            raise UsageError(f"min_finished must be at least 1, not {min_finished}")
        pending = sum(row.turn is not None for row in self._rows.values())
        with self._sampling():
            while len(self._over) < min(min_finished, pending):
                self._run()
        return [(handle, self._hand_out(handle)) for handle in sorted(self._over)]

    def sample(self, rows: Sequence[int], **settings: Any) -> list[Sampled]:
        self.submit(rows, **settings)
        with self._sampling():
            while not all(row in self._over for row in rows):
                self._run()
        return [self._hand_out(row) for row in rows]

    def _hand_out(self, handle: int) -> Sampled:
        self._rows[handle].turn = None
        return self._over.pop(handle)

    def _pull(self, rows: Sequence[Row], state: Ints) -> None:
        """Append to rows what their turns have sampled since this was last done, given their lines of the state."""
        for row, (_, new) in zip(rows, self._lanes.pull(state), strict=True):
            row.ids.extend(new)

    def _finish(self, rows: Sequence[Row], state: Ints) -> None:
        self._pull(rows, state)
        for row in rows:
            if (turn := row.turn) is not None:
                self._over[row.handle] = Sampled(turn.ids, turn.logps, turn.ids[-1] in turn.stops)

    @contextmanager
    def _sampling(self) -> Iterator[None]:
        """Without gradients, in evaluation mode; the model's mode comes back afterwards."""
        training = self.model.training
        self.model.eval() if training else None
        try:
            with self._grad_mode():
                yield
        finally:
            self.model.train() if training else None

    def _get(self, handles: Sequence[int], *, idle: bool = False) -> list[Row]:
        try:
            rows = [self._rows[handle] for handle in handles]
        except KeyError as error:
            raise UsageError(f"row {error.args[0]} is not open") from None
        if len(set(handles)) != len(rows):
            raise UsageError("a row was given twice in one call")
        if idle and any(row.turn is not None for row in rows):
            raise UsageError("a row's turn was submitted and not collected yet")
        return rows

    def _check(self, rows: list[Row], limits: Ints, temperature: float, keys: Sequence[tuple[int, ...]]) -> None:
        if len(limits) != len(rows) or len(keys) != len(rows):
            raise UsageError(f"{len(rows)} rows, {len(limits)} values of max_new, {len(keys)} keys")
        if not temperature > 0:
            raise SettingsError(f"temperature must be positive, not {temperature} (greedy=True takes the mode)")
        if len(limits) and limits.min() < 1:
            raise SettingsError(f"max_new must be at least 1, not {limits.min()}")
        for row, limit in zip(rows, limits.tolist(), strict=True):
            if not row.ids:
                raise UsageError("a row needs context before it can be sampled")
            self._fits(len(row.ids), limit, "sampled")

    def _fits(self, length: int, new: int, kind: str) -> None:
        if length + new > self.max_len:
            raise SettingsError(
                f"a row of {length} tokens and {new} {kind} tokens would be {length + new} long, max_len is "
                f"{self.max_len}: raise the engine's max_len, or lower max_new or the number of turns"
            )


class ReprefillEngine(Rows):
    """The reference: every turn runs its whole row again, left-padded, through the model's own cache.

    Works with any causal model of transformers, those without keys and values for every token included.
    All turns that are submitted when `collect` is called are sampled to the end, as one batch.
    """

    def __init__(self, model: Any, max_len: int, max_rows: int = 1 << 20) -> None:
        super().__init__(model, max_rows, max_len)

    def _run(self) -> None:
        rows, self._queue = self._queue, []
        turns = [row.turn for row in rows if row.turn is not None]
        device, lengths = self.model.device, [len(row.ids) for row in rows]
        ids = torch.zeros(len(rows), max(lengths), dtype=torch.int64)
        mask = torch.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, -lengths[i] :] = torch.tensor(row.ids)
            mask[i, -lengths[i] :] = 1
        lines = self._lanes.put(turns)
        state = state_of(lengths, [0] * len(rows), lines).to(device)
        ids, mask, cache = ids.to(device), mask.to(device), None
        while True:
            positions = (mask.cumsum(-1) - 1).clamp_(min=0)[:, -ids.shape[1] :]
            logits, cache = self._forward(ids, mask, positions, cache)
            self._lanes.absorb(state, logits, self._lanes.plain)
            if state[:, DONE].all():
                break
            ids = state[:, TOKEN, None]
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
        self._finish(rows, state.cpu().numpy())
        self._lanes.give_back(lines)

    def _forward(self, ids: Tensor, mask: Tensor, positions: Tensor, cache: Any) -> tuple[Tensor, Any]:
        out = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return out.logits[:, -1], out.past_key_values
