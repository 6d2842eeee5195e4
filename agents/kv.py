"""The default engine: a row's keys and values stay in memory across turns, on the unmodified model.

Shapes: B rows of a batch, Q new tokens, L attended positions, H heads, D width of a head.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import Cache

from turnwise.agents.engine import Bools, Ints, Row, Rows, Sampled
from turnwise.errors import SettingsError

__all__ = ["KVEngine", "require_full_attention"]


class _SlotCache(Cache):  # type: ignore[misc]  # transformers is untyped here
    """Keys and values of all rows: [slots, H, length + 1, D] a layer, where position p is at index p.

    The last index is trash: padding writes there and nothing attends to it.
    """

    def __init__(self, slots: int = 0, length: int = 0) -> None:
        super().__init__(layers=[])
        self.slots, self.length = slots, length  # capacity; a layer's tensors come with its first update
        self.store: list[list[Tensor]] = []  # a layer: [keys, values]
        self.lines = torch.empty(0)  # [B, 1] slots of the batch, which are consecutive
        self.where = torch.empty(0)  # [B, Q] index that each new token is written to
        self.view: tuple[slice, slice, slice] = (slice(0), slice(None), slice(0))

    def reserve(self, slots: int, length: int) -> None:
        """Grow to at least these capacities."""
        if slots <= self.slots and length <= self.length:
            return
        old = (self.slots, self.length)
        self.slots, self.length = max(slots, self.slots), max(length, self.length)
        for layer in self.store:
            for i, tensor in enumerate(layer):
                layer[i] = self._zeros(tensor)
                layer[i][: old[0], :, : old[1]] = tensor[:, :, : old[1]]

    def _zeros(self, like: Tensor) -> Tensor:
        return like.new_zeros(self.slots, like.shape[1], self.length + 1, like.shape[3])

    def move(self, src: Sequence[int] | Ints, dst: Sequence[int] | Ints, length: int) -> None:
        """Copy the first ``length`` positions of slots, all at once: a swap is two moves."""
        for layer in self.store:
            for tensor in layer:
                to = torch.as_tensor(dst, device=tensor.device)
                used = tensor[:, :, :length]
                used[to] = used[torch.as_tensor(src, device=tensor.device)]

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the new keys and values [B, H, Q, D]; return those of the attended positions [B, H, L, D]."""
        if layer_idx == len(self.store):
            self.store.append([self._zeros(key_states), self._zeros(value_states)])
        keys, values = self.store[layer_idx]
        keys[self.lines, :, self.where] = key_states.transpose(1, 2)
        values[self.lines, :, self.where] = value_states.transpose(1, 2)
        return keys[self.view], values[self.view]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return 0  # positions and masks are always given


class KVEngine(Rows):
    """Keeps each row's keys and values across turns, on an unmodified causal model of transformers.

    Rows are ragged: every row has its own length and is extended by any number of tokens. The rows in
    flight always occupy the first slots of the cache, so attention reads it in place; a row that finishes
    swaps its slot with one that goes on. Fresh rows with equal tokens (a group of one task) are computed
    once and copied. Context is computed in the next `sample`, together with the last turn's stop token.

    Args:
        model: with attention over all earlier tokens in every layer (``sdpa`` or ``eager``).
        max_rows: how many rows may be open; storage grows as they come.
        max_len: the longest row.
        prefill_tokens: how many tokens, padding included, go through the model at once; bounds memory.
    """

    def __init__(self, model: Any, max_rows: int, max_len: int, prefill_tokens: int = 8192) -> None:
        super().__init__(model, max_rows, max_len)
        require_full_attention(model, max_len)
        if prefill_tokens < 1:
            raise SettingsError(f"prefill_tokens must be at least 1, not {prefill_tokens}")
        self.prefill_tokens = prefill_tokens
        self._additive = model.config.get_text_config()._attn_implementation == "eager"
        self._cache = _SlotCache()
        self._order: list[Row | None] = []  # by slot
        self._lengths = np.zeros(0, dtype=np.int64)  # of the rows in flight, by slot, while sampling
        self._tick = 0

    def close(self, rows: Sequence[int]) -> None:
        for row in self._get(rows):
            if row.slot >= 0:
                self._order[row.slot] = None
        super().close(rows)
        if not self._rows:
            self._drop()  # the memory may be wanted for training

    def load(self, version: int) -> None:
        super().load(version)
        self._drop()
        for row in self._rows.values():
            row.slot = -1

    def _drop(self) -> None:
        self._order.clear()
        self._cache = _SlotCache(self._cache.slots, self._cache.length)

    def _loop(self, rows: list[Row], *args: Any) -> list[Sampled]:
        sampled = super()._loop(rows, *args)
        for row in rows:
            row.cached = len(row.ids) - 1  # the last token drawn has not been through the model
        return sampled

    def _start(self, rows: list[Row]) -> tuple[Ints, Tensor]:
        first: dict[tuple[int, ...], Row] = {}
        todo, copies = [], []
        for i, row in enumerate(rows):
            row.index = i
            row.cached = min(row.cached, len(row.ids) - 1)
            same = row if row.cached else first.setdefault(tuple(row.ids), row)
            if same is row:
                todo.append(row)
            else:
                copies.append((same, row))
        self._lead(todo)
        logits = self._prefill(len(todo))
        if copies:
            self._lead(rows)
            src, dst = [s.slot for s, _ in copies], [r.slot for _, r in copies]
            self._cache.move(src, dst, max(s.cached for s, _ in copies))
            lines = list(range(len(rows)))
            for s, row in copies:
                row.cached = s.cached
                lines[row.slot] = s.slot
            logits = logits[torch.as_tensor(lines, device=logits.device)]
        flight = self._front(len(rows))
        self._lengths = np.array([row.cached for row in flight], dtype=np.int64)
        return np.array([row.index for row in flight], dtype=np.int64), logits

    def _advance(self, at: Ints, tokens: Ints, keep: Bools) -> tuple[Ints, Tensor]:
        n = int(keep.sum())
        if n < len(at):
            holes, movers = np.flatnonzero(~keep[:n]), np.flatnonzero(keep[n:]) + n
            if len(holes):
                self._swap(holes, movers)
                at, tokens = at.copy(), tokens.copy()
                at[holes], tokens[holes] = at[movers], tokens[movers]
            at, tokens, self._lengths = at[:n], tokens[:n], self._lengths[:n]
        logits = self._forward(slice(0, n), tokens[:, None], self._lengths[:, None])
        self._lengths = self._lengths + 1
        return at, logits

    def _swap(self, left: Ints, right: Ints) -> None:
        lengths, order = self._lengths, self._order
        a, b = np.concatenate([left, right]), np.concatenate([right, left])
        self._cache.move(b, a, int(lengths[a].max()))
        lengths[a] = lengths[b]
        for i, j in zip(left.tolist(), right.tolist(), strict=True):
            order[i], order[j] = order[j], order[i]
            for slot in (i, j):
                if (row := order[slot]) is not None:
                    row.slot = slot

    def _front(self, n: int) -> list[Row]:
        return [row for row in self._order[:n] if row is not None]

    def _lead(self, rows: list[Row]) -> None:
        """Bring rows into the first slots, whatever their order; whoever is there moves away."""
        order, n = self._order, len(rows)
        self._tick += 1
        for row in rows:
            row.tick = self._tick
        order.extend([None] * (n - len(order)))
        coming = [row for row in rows if not 0 <= row.slot < n]
        holes = [s for s in range(n) if (here := order[s]) is None or here.tick != self._tick]
        spare = [s for s in range(len(order) - 1, n - 1, -1) if order[s] is None] if coming else []
        moves: list[tuple[int, int]] = []
        longest = 0
        for slot, row in zip(holes, coming, strict=True):
            here, free = order[slot], row.slot
            if free >= 0:
                order[free] = None
                moves.append((free, slot))
                longest = max(longest, row.cached)
            if here is not None:
                if free < 0 and spare:
                    free = spare.pop()
                elif free < 0:
                    free = len(order)
                    order.append(None)
                order[free], here.slot = here, free
                moves.append((slot, free))
                longest = max(longest, here.cached)
            order[slot], row.slot = row, slot
        while order and order[-1] is None:
            order.pop()
        self._reserve(len(order), 0)
        if moves:
            self._cache.move([m[0] for m in moves], [m[1] for m in moves], longest)

    def _reserve(self, slots: int, length: int) -> None:
        cache = self._cache
        if slots > cache.slots:
            slots = min(max(slots, 2 * cache.slots), max(slots, self.max_rows))
        if length > cache.length:
            length = min(max(length, 2 * cache.length, 64), -(-self.max_len // 8) * 8)
        cache.reserve(slots, length)

    def _prefill(self, n: int) -> Tensor:
        """Run what the first ``n`` slots have not computed yet; logits [n, V] after their last tokens."""
        rows = self._front(n)
        parts, low = [], 0
        while low < n:
            high, widest = low, 0
            while high < n:
                wider = max(widest, len(rows[high].ids) - rows[high].cached)
                if high > low and wider * (high + 1 - low) > self.prefill_tokens:
                    break
                high, widest = high + 1, wider
            for done in range(0, widest, self.prefill_tokens):  # more than one round only for one long row
                new = [row.ids[row.cached :][: self.prefill_tokens] for row in rows[low:high]]
                logits = self._ragged(low, rows[low:high], new, min(widest - done, self.prefill_tokens))
            parts.append(logits)
            low = high
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _ragged(self, low: int, rows: list[Row], new: list[list[int]], width: int) -> Tensor:
        """Left-padded, so that the last column holds every row's last token."""
        ids = np.zeros((len(rows), width), dtype=np.int64)
        for line, tokens in zip(ids, new, strict=True):
            line[width - len(tokens) :] = tokens
        pads = width - np.array([len(tokens) for tokens in new])[:, None]
        begin = np.array([row.cached for row in rows], dtype=np.int64)[:, None]
        logits = self._forward(slice(low, low + len(rows)), ids, begin + np.arange(width) - pads, begin)
        for row, tokens in zip(rows, new, strict=True):
            row.cached += len(tokens)
        return logits

    def _forward(self, slots: slice, ids: Ints, where: Ints, begin: Ints | None = None) -> Tensor:
        """Logits [B, V] after the last column of ``ids`` [B, Q] at positions ``where`` [B, Q].

        Where a position lies before the row's ``begin`` [B, 1], the token is padding.
        """
        cache, device = self._cache, self.model.device
        span = -(-(int(where.max()) + 1) // 8) * 8  # GPU kernels like multiples of eight
        self._reserve(0, span)
        positions = where if begin is None else np.maximum(where, begin)
        write = where if begin is None else np.where(where < begin, cache.length, where)
        at = torch.from_numpy(positions).to(device)
        mask = torch.arange(span, device=device) <= at[:, None, :, None]  # [B, 1, Q, L], True: attend
        if self._additive:
            mask = torch.zeros(mask.shape, dtype=self.model.dtype, device=device).masked_fill_(~mask, -torch.inf)
        cache.lines = torch.arange(slots.start, slots.stop, device=device)[:, None]
        cache.where = torch.from_numpy(write).to(device)
        cache.view = (slots, slice(None), slice(span))
        out = self.model(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=mask,
            position_ids=at,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = out.logits[:, -1]
        return logits


def require_full_attention(model: Any, max_len: int) -> None:
    """Refuse models whose layers do not all look at all earlier tokens through a mask that the caller gives.

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
