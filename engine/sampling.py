"""Sampling from a local causal language model, row by row, with exact log-probabilities.

A row is one growing token sequence. `kv.KVEngine` keeps what the model computed for it across turns;
`ReprefillEngine` computes it again for every turn and is the reference in tests of `KVEngine`. In both, a row's
tokens depend on its content and its keys alone: not on the rows it is sampled with, nor on when it joins them.

Shapes: B rows of a batch, Q new tokens, L attended positions, V vocabulary, H heads, D width of a head.
"""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from turnwise.core.errors import UsageError
from turnwise.engine.decode import DONE, TOKEN, Ints, Lanes, Turn, draw, state_of, uniforms
from turnwise.engine.protocol import Engine, Sampled
from turnwise.engine.rows import OpenRows

__all__ = ["Engine", "ReprefillEngine", "Rows", "Sampled", "cache_argument", "draw", "uniforms"]


class Row:
    """The tokens of a row; for `KVEngine` also its slot, its cached tokens, and the rows with the same beginning."""

    __slots__ = ("cached", "family", "handle", "ids", "shared", "slot", "tick", "turn")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.ids: list[int] = []
        self.turn: Turn | None = None  # submitted and not collected
        self.family, self.shared = handle, 0  # rows of a family begin with this many equal tokens
        self.cached = 0
        self.slot = -1  # none
        self.tick = 0  # the last `Slots.lead` that included the row


class Rows(OpenRows[Row]):
    """The rows, the checks and the bookkeeping of turns that both engines share."""

    LONGER = "raise the engine's max_len, or lower max_new or the number of turns"

    def __init__(self, model: Any, max_rows: int, max_len: int) -> None:
        super().__init__(max_rows, max_len)
        self.model = model
        self._cache_argument = cache_argument(model)
        self._queue: list[Row] = []  # submitted, not yet begun
        self._over: dict[int, Sampled] = {}  # by handle: finished, not yet collected
        self._lanes = Lanes(model.device)
        self._grad_mode: Callable[[], Any] = torch.no_grad

    @abstractmethod
    def _run(self) -> None:
        """Advance the turns in the queue or in flight; `_finish` those that are done."""

    def _made(self, handle: int) -> Row:
        return Row(handle)

    def _busy(self, row: Row) -> bool:
        return row.turn is not None

    def length(self, row: int) -> int:
        found = self._get([row])[0]
        return len(found.ids) - (0 if found.turn is None else len(found.turn.ids))

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
        found, limits = self._submitted(rows, max_new, temperature, keys)
        if not found:
            return
        chances = None if greedy else uniforms(keys, np.array(limits, dtype=np.int64))
        stops = tuple(stop_ids)
        for i, (row, limit) in enumerate(zip(found, limits, strict=True)):
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
        """``submit`` and wait: one turn for each row, in the order of ``rows``."""
        self.submit(rows, **settings)
        with self._sampling():
            while not all(row in self._over for row in rows):
                self._run()
        return [self._hand_out(row) for row in rows]

    def _hand_out(self, handle: int) -> Sampled:
        self._rows[handle].turn = None
        return self._over.pop(handle)

    def _pull(self, rows: Sequence[Row], state: Ints) -> None:
        """Append to rows the tokens that their turns have sampled since the last call, given lines of the state."""
        for row, (_, new) in zip(rows, self._lanes.pull(state), strict=True):
            row.ids.extend(new)

    def _finish(self, rows: Sequence[Row], state: Ints) -> None:
        self._pull(rows, state)
        for row in rows:
            if (turn := row.turn) is not None:
                self._over[row.handle] = Sampled(turn.ids, turn.logps, turn.ids[-1] in turn.stops)

    @contextmanager
    def _sampling(self) -> Iterator[None]:
        """Disable gradients and switch the model to evaluation mode; restore its mode afterwards."""
        training = self.model.training
        self.model.eval() if training else None
        try:
            with self._grad_mode():
                yield
        finally:
            self.model.train() if training else None


def cache_argument(model: Any) -> str:
    """Return the name by which a model of transformers takes and returns its keys and values.

    It is ``cache`` from transformers 5.24 on, ``past_key_values`` before and in models with code of their own.
    """
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


class ReprefillEngine(Rows):
    """The reference engine: every turn runs its whole row again, left-padded, through the model's own cache.

    Works with any causal model of transformers, also those without keys and values for every token.
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
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: cache},
        )
        return out.logits[:, -1], getattr(out, self._cache_argument)
