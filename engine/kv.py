"""The default engine: a row's keys and values stay in memory across turns.

Shapes: B rows of a batch, Q new tokens, L attended positions.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.engine.decode import DONE, LANE, LENGTH, TOKEN, Graphs, Ints, state_of
from turnwise.engine.lean import Forward, LeanForward, causal_mask, lean_forward
from turnwise.engine.sampling import Row, Rows
from turnwise.engine.slots import Siblings, SlotCache, Slots, arrange

__all__ = ["KVEngine", "require_full_attention"]

WORTH_SPLITTING = 256
"""Tokens of padding that a longer row may cost the shorter ones on a CPU: about the cost of one more call."""
OVER = 2
"""Value in the state's column DONE: the turn is finished and the host has its tokens."""


class KVEngine(Rows):
    """Keeps each row's keys and values across turns, on an unmodified causal model of transformers.

    Rows are ragged: every row has its own length and is extended by any number of tokens. The rows in
    flight always occupy the first slots of the cache, so attention reads it in place; a row that finishes
    swaps its slot with one that goes on, a row that is submitted takes the slot behind the last. Fresh rows with
    equal tokens (a group of one task) are computed once and copied. Context is computed when the row joins,
    together with the last turn's stop token.

    On a CPU rows that began alike are decoded as siblings where that is less work: what they share is read once.

    On a GPU a decode step has one of a few shapes (rows and span rounded up), each recorded once as a CUDA graph,
    and the host checks only every ``sync_every`` steps which turns are finished.

    Args:
        model: with attention over all earlier tokens in every layer (``sdpa`` or ``eager``).
        max_rows: how many rows may be open; storage grows as they come.
        max_len: the longest row.
        prefill_tokens: how many tokens, padding included, go through the model at once; bounds memory.
        cache_bytes: bound on the memory of keys and values: rows beyond it wait, and idle ones are computed
            again. By default 40% of the GPU's free memory, and no bound on a CPU.
        sync_every: decode steps between two synchronisations with the host; by default 4 on a GPU, 1 on a CPU.
        static: round shapes up as on a GPU; by default only there.
        lean: run the layers of known architectures directly (`lean.lean_forward`).
    """

    def __init__(
        self,
        model: Any,
        max_rows: int,
        max_len: int,
        prefill_tokens: Annotated[int, Range(1)] = 8192,
        *,
        cache_bytes: int | None = None,
        sync_every: Annotated[int, Range(1)] | None = None,
        static: bool | None = None,
        lean: bool = True,
    ) -> None:
        super().__init__(model, max_rows, max_len)
        require_full_attention(model, max_len)
        cuda = model.device.type == "cuda"
        self.sync_every = (4 if cuda else 1) if sync_every is None else sync_every
        self.static = cuda if static is None else static
        check_arguments(KVEngine.__init__, prefill_tokens=prefill_tokens, sync_every=sync_every)
        self.prefill_tokens = prefill_tokens
        if cache_bytes is None and cuda:
            cache_bytes = int(0.4 * torch.cuda.mem_get_info(model.device)[0])
        self._slots = Slots(max_rows, max_len, _position_bytes(model), cache_bytes)
        with self._sampling():
            direct = lean_forward(model, self._slots.max_len) if lean else None
        if direct:  # no code but ours: nothing made here can end up in a training step
            self._grad_mode = torch.inference_mode
        self.static = self.static and direct is not None
        self._compute: Forward = direct or self._through_model
        self._replay = Graphs() if cuda and self.static else _at_once
        self._state = torch.zeros(0, 5, dtype=torch.int64, device=model.device)  # by slot
        self._host: Ints = np.zeros((0, 5), dtype=np.int64)  # what the host last saw of the rows in flight
        self._weights = _addresses(model)
        self._longest = 0  # `_most` of those in flight
        self._siblings: Siblings | None = None  # those in flight, where they are decoded in groups

    @property
    def _flight(self) -> int:
        """Return how many slots are in flight; the turns of some may be finished."""
        return len(self._host)

    def close(self, rows: Sequence[int]) -> None:
        for row in self._get(rows):
            if 0 <= row.slot < self._flight and self._host[row.slot, DONE] != OVER:
                with torch.inference_mode():
                    self._state[row.slot, DONE] = self._host[row.slot, DONE] = OVER
            self._slots.free(row)
        super().close(rows)
        if not self._rows:
            self._siblings = None
            with torch.inference_mode():
                self._compact()
            self._slots.clear(storage=self._replay is _at_once)  # graphs write to where it is
            self._refresh()

    @torch.inference_mode()
    def load(self, version: int) -> None:
        live = np.flatnonzero(self._host[:, DONE] == 0)
        if len(live):
            rows = [row for i in live.tolist() if (row := self._slots.order[i]) is not None]
            self._pull(rows, self._host[live])
            self._queue = rows + self._queue
        self._host[:, DONE] = OVER
        self._siblings = None
        self._compact()
        super().load(version)
        self._slots.clear(storage=False)
        self._weights = _addresses(self.model)
        self._refresh()

    def _refresh(self) -> None:
        if isinstance(self._compute, LeanForward):
            self._compute.refresh()

    def _run(self) -> None:
        room = self._room()
        if room:
            self._compact()
            self._join(room)
        else:
            self._decode()
        self._settle()

    def _room(self) -> int:
        """Return how many queued rows fit into memory beside those in flight; at least one if none is in flight."""
        flying = int((self._host[:, DONE] == 0).sum())
        longest = max(self._longest, self._slots.cache.length)
        for i, row in enumerate(self._queue):
            longest = max(longest, _most(row))
            if flying + i and self._slots.capacity(longest) < self._bucket(flying + i + 1):
                return i
        return len(self._queue)

    def _join(self, count: int) -> None:
        """Prefill rows of the queue in the slots behind the flight and draw their first tokens."""
        self._ungroup()
        rows, self._queue = self._queue[:count], self._queue[count:]
        slots, base, end = self._slots, self._flight, self._flight + len(rows)
        self._longest = max(self._longest, *(_most(row) for row in rows))
        slots.reserve(self._bucket(end), self._longest)
        most = slots.capacity(slots.cache.length)
        first: dict[tuple[int, ...], Row] = {}
        todo, copies = [], []
        for row in rows:
            row.cached = min(row.cached, len(row.ids) - 1)
            same = row if row.cached else first.setdefault(tuple(row.ids), row)
            if same is row:
                todo.append(row)
            else:
                copies.append((same, row))
        todo.sort(key=lambda row: len(row.ids) - row.cached)  # less padding
        slots.lead(todo, base, most)
        logits = self._prefill(base, base + len(todo))
        if copies:
            slots.lead(rows, base, most)
            src, dst = [s.slot for s, _ in copies], [r.slot for _, r in copies]
            slots.cache.move(src, dst, max(s.cached for s, _ in copies))
            lines = list(range(len(rows)))
            for s, row in copies:
                row.cached = s.cached
                lines[row.slot - base] = s.slot - base
            logits = logits[torch.as_tensor(lines, device=logits.device)]
        for row in rows:
            if not row.shared:
                row.family, row.shared = first.get(tuple(row.ids), row).handle, len(row.ids)
        here = [(row, row.turn) for row in slots.order[base:end] if row is not None and row.turn is not None]
        lines = self._lanes.put([turn for _, turn in here])
        if slots.cache.slots > len(self._state):
            self._state = torch.cat([self._state, self._state.new_zeros(slots.cache.slots - len(self._state), 5)])
        new = state_of([len(row.ids) for row, _ in here], [len(turn.ids) for _, turn in here], lines)
        self._state[base:end] = new.to(self._state.device)
        self._host = np.concatenate([self._host, new.numpy()])
        self._lanes.absorb(self._state[base:end], logits, self._lanes.plain)
        self._siblings = self._group()

    def _decode(self) -> None:
        """Run ``sync_every`` decode steps of all rows in flight."""
        rows = self._bucket(self._flight)
        live = self._host[self._host[:, DONE] == 0]
        span = int(live[:, LENGTH].max()) + self.sync_every
        span = min(_round_up(max(span, 64)) if self.static else -(-span // 8) * 8, self._slots.cache.length)
        if rows > self._flight:  # unused lines read and write where it does no harm
            nobody = (0, self._slots.cache.length, 0, self._lanes.trash, OVER)
            self._state[self._flight : rows] = torch.tensor(nobody).to(self._state.device)
        plain, state, lanes = self._lanes.plain, self._state[:rows], self._lanes

        def step() -> None:
            at = state[:, LENGTH, None]
            logits = self._forward(0, state[:, TOKEN, None], at, at, span)
            state[:, LENGTH] += state[:, DONE] == 0
            lanes.absorb(state, logits, plain)

        memory = (self._weights, lanes.changes, self._slots.cache.changes)
        for _ in range(self.sync_every):
            self._replay((rows, span, plain), memory, step)

    def _settle(self) -> None:
        """Hand out the finished turns, and close the gaps when they are an eighth of the slots in flight."""
        self._host = host = self._state[: self._flight].cpu().numpy().copy()
        over = np.flatnonzero(host[:, DONE] == 1)
        if len(over):
            rows = [row for i in over.tolist() if (row := self._slots.order[i]) is not None]
            self._finish(rows, host[over])
            for row in rows:
                row.cached = len(row.ids) - 1  # the last token drawn has not been through the model
            host[over, DONE] = OVER
            self._state[: self._flight, DONE] = torch.from_numpy(host[:, DONE]).to(self._state.device)
            if len(host) > int((host[:, DONE] > 0).sum()) >= len(host) / 8:  # all: they may be about to be closed
                self._compact()

    def _compact(self) -> None:
        """Move the rows whose turns continue to the first slots, and take the others out of flight."""
        host, keep = self._host, self._host[:, DONE] == 0
        n = int(keep.sum())
        if n == len(host):
            return
        self._ungroup()
        self._lanes.give_back(host[~keep, LANE].tolist())
        holes, movers = np.flatnonzero(~keep[:n]), np.flatnonzero(keep[n:]) + n
        if len(holes):
            self._slots.swap(holes, movers, int(host[np.concatenate([holes, movers]), LENGTH].max()))
            host[holes] = host[movers]
            self._state[torch.from_numpy(holes).to(self._state.device)] = torch.from_numpy(host[holes]).to(
                self._state.device
            )
        self._host = host[:n]
        self._longest = self._longest if n else 0
        self._siblings = self._group()

    def _ungroup(self) -> None:
        if self._siblings is not None:
            self._siblings.leave()
            self._siblings = None

    def _group(self) -> Siblings | None:
        """Return the rows in flight as siblings, or None if that is not possible or not worth it."""
        rows = [row for row in self._slots.order[: self._flight] if row is not None]
        if self.static or not isinstance(self._compute, LeanForward) or not 0 < len(rows) == self._flight:
            return None
        shared, lengths = np.array([row.shared for row in rows]), self._host[:, LENGTH]
        most = max(_most(row) - row.shared for row in rows)
        found = arrange([row.family for row in rows], shared, lengths, most)
        return None if found is None else Siblings(self._slots.cache, *found, lengths, most)

    def _bucket(self, rows: int) -> int:
        return _round_up(rows) if self.static else rows

    def _prefill(self, base: int, end: int) -> Tensor:
        """Compute what is missing for the rows in these slots; return the logits [B, V] after their last tokens."""
        rows = [row for row in self._slots.order[base:end] if row is not None]
        widths = [len(row.ids) - row.cached for row in rows]
        parts = self._split(widths)
        logits = []
        for part in parts:
            first: int | Tensor = base + part[0]
            if part[-1] - part[0] != len(part) - 1:
                first = torch.tensor(part, device=self.model.device) + base
            here, widest = [rows[i] for i in part], max(widths[i] for i in part)
            for done in range(0, widest, self.prefill_tokens):  # more than one round only for one long row
                new = [row.ids[row.cached :][: self.prefill_tokens] for row in here]
                found = self._ragged(first, here, new, min(widest - done, self.prefill_tokens))
            logits.append(found)
        if len(parts) == 1:
            return logits[0]
        back = np.argsort(np.concatenate([np.array(part) for part in parts]))
        return torch.cat(logits)[torch.from_numpy(back).to(self.model.device)]

    def _split(self, widths: Sequence[int]) -> list[list[int]]:
        """Split rows with so many new tokens into parts that are prefilled together, ascending in each part.

        No part is larger than ``prefill_tokens``, unless it is one row. On a CPU rows of similar length come together:
        one long observation among many short ones would make padding of most of what is computed.
        """
        cpu = self.model.device.type == "cpu"
        parts: list[list[int]] = []
        widest = 0
        for i in sorted(range(len(widths)), key=widths.__getitem__) if cpu else range(len(widths)):
            wider = max(widest, widths[i])
            size = len(parts[-1]) if parts else 0
            fits = wider * (size + 1) <= self.prefill_tokens and not (cpu and (wider - widest) * size > WORTH_SPLITTING)
            if size and fits:
                parts[-1].append(i)
                widest = wider
            else:
                parts.append([i])
                widest = widths[i]
        return [sorted(part) for part in parts]

    def _ragged(self, first: int | Tensor, rows: list[Row], new: list[list[int]], width: int) -> Tensor:
        """Prefill rows left-padded, so that the last column holds every row's last token."""
        ids = np.zeros((len(rows), width), dtype=np.int64)
        for line, tokens in zip(ids, new, strict=True):
            line[width - len(tokens) :] = tokens
        pads = width - np.array([len(tokens) for tokens in new])[:, None]
        begin = np.array([row.cached for row in rows], dtype=np.int64)[:, None]
        where = begin + np.arange(width) - pads
        write = np.where(where < begin, self._slots.cache.length, where)
        span = -(-(int(where.max()) + 1) // 8) * 8
        on = self.model.device
        new_ids, at, to = (torch.from_numpy(x).to(on) for x in (ids, np.maximum(where, begin), write))
        logits = self._forward(first, new_ids, at, to, span)
        for row, run in zip(rows, new, strict=True):
            row.cached += len(run)
        return logits

    def _forward(self, first: int | Tensor, ids: Tensor, positions: Tensor, write: Tensor, span: int) -> Tensor:
        """Return logits [B, V] after the last column of ``ids`` [B, Q], for slots from ``first`` on or those listed."""
        if (siblings := self._siblings) is not None:  # all rows in flight, a token each
            where, at = siblings.lines, positions[siblings.lines, 0]
            logits = self._compute(ids[where, 0], at, siblings.aim(at, span), siblings)
            return logits.index_select(0, siblings.rows)
        cache = self._slots.cache
        cache.aim(first, write, span)
        return self._compute(ids, positions, causal_mask(positions, span, self.model.dtype), cache)

    def _through_model(self, ids: Tensor, positions: Tensor, mask: Tensor, cache: SlotCache) -> Tensor:
        """A `Forward` for any architecture."""
        out = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: cache},
        )
        logits: Tensor = out.logits[:, -1]
        return logits


def _at_once(_key: object, _memory: object, step: Callable[[], None]) -> None:
    """Run a step directly: what `Graphs` does, for machines without a GPU."""
    step()


def _addresses(model: Any) -> int:
    """Return a number that changes when a weight moves in memory."""
    return hash(tuple(weight.data_ptr() for weight in model.parameters()))


def _most(row: Row) -> int:
    """Return how many tokens a submitted row may reach, as a multiple of eight."""
    left = 0 if row.turn is None else row.turn.limit - len(row.turn.ids)
    return -(-(len(row.ids) + left) // 8) * 8


def _round_up(n: int) -> int:
    """Round up to one of 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: at most a third more."""
    power = 1 << (n - 1).bit_length()
    return power * 3 // 4 if n <= power * 3 // 4 and power >= 4 else power


def _position_bytes(model: Any) -> int:
    """Return the bytes of one token's keys and values in all layers."""
    config = model.config.get_text_config()
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    kept = getattr(config, "num_key_value_heads", None) or heads
    return int(2 * config.num_hidden_layers * kept * width * model.dtype.itemsize)


def require_full_attention(model: Any, max_len: int) -> None:
    """Raise an error for models whose layers do not all attend to all earlier tokens through the caller's mask.

    Raises:
        SettingsError: A layer has a sliding window shorter than ``max_len`` or another kind of attention, or the
            attention implementation is neither sdpa nor eager.
    """
    config = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    window = getattr(config, "sliding_window", None)
    if "sliding_attention" in kinds or not hasattr(config, "layer_types"):
        if window is not None and window < max_len:
            kinds.add("sliding_attention")
        else:
            kinds.discard("sliding_attention")
    if kinds - {"full_attention"}:
        raise SettingsError(
            f"this needs attention over all earlier tokens in every layer; the model has "
            f"{', '.join(sorted(kinds))} (window {window}, max_len {max_len}): use ReprefillEngine"
        )
    if config._attn_implementation not in ("sdpa", "eager"):
        raise SettingsError(f"this needs attn_implementation 'sdpa' or 'eager', not {config._attn_implementation!r}")
