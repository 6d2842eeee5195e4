"""Sampling from a local causal language model, row by row, with exact log-probabilities.

A row is one growing token sequence. `KVEngine` keeps what the model computed for it across turns;
`ReprefillEngine` computes it anew in every call and is what `KVEngine` is tested against. In both, a row's
tokens depend on its content and its keys alone, not on the rows it is sampled with.

Shapes: B rows of a batch, Q new tokens, L attended positions, V vocabulary, H heads, D width of a head.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers.cache_utils import Cache

from turnwise.errors import SettingsError, UsageError

__all__ = ["Engine", "KVEngine", "ReprefillEngine", "Sampled"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


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
        """Sample one turn for each row; the sampled tokens are part of the row afterwards."""

    def close(self, rows: Sequence[int]) -> None:
        """Give rows back."""

    def load(self, version: int) -> None:
        """The weights changed: nothing computed with the old ones may be used again."""

    def length(self, row: int) -> int:
        """The number of tokens in a row."""


class _Row:
    """A row's tokens, and for `KVEngine` how many of them are cached in which slot."""

    __slots__ = ("cached", "ids", "index", "slot", "tick")

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.cached = 0
        self.slot = -1  # none
        self.index = 0  # of the row in the batch that is being sampled
        self.tick = 0  # of the last `_lead` that included the row


def uniforms(keys: Sequence[tuple[int, ...]], counts: Ints) -> npt.NDArray[np.float64]:
    """For each key its own stream of numbers in [0, 1), as many as its count; zero beyond. [B, max count]."""
    out = np.zeros((len(keys), int(counts.max())))
    for line, key, count in zip(out, keys, counts.tolist(), strict=True):
        digest = hashlib.blake2b(",".join(map(str, map(int, key))).encode(), digest_size=16).digest()
        bits = np.random.Philox(key=np.frombuffer(digest, dtype="<u8"))
        np.random.Generator(bits).random(out=line[:count])
    return out


def draw(logits: Tensor, u: Tensor | None, temperature: float) -> tuple[Tensor, Tensor]:
    """Tokens by inverse CDF at ``u`` [B], the likeliest where ``u`` is None, and their logps. Logits: [B, V]."""
    logps = (logits.float() / temperature).log_softmax(-1)
    if u is None:
        tokens = logps.argmax(-1, keepdim=True)
    else:
        cdf = logps.exp().cumsum(-1, dtype=torch.float64)
        tokens = torch.searchsorted(cdf, u[:, None] * cdf[:, -1:], right=True).clamp_(max=cdf.shape[-1] - 1)
    return tokens[:, 0], logps.gather(-1, tokens)[:, 0]


class _Rows(ABC):
    """The rows, the checks and the sampling loop that both engines share."""

    def __init__(self, model: Any, max_rows: int, max_len: int) -> None:
        if max_rows < 1 or max_len < 2:
            raise SettingsError(f"max_rows must be >= 1 and max_len >= 2, not {max_rows} and {max_len}")
        self.model = model
        self.max_rows = max_rows
        self.max_len = max_len
        self.version = 0
        self._rows: dict[int, _Row] = {}
        self._next = 0

    @abstractmethod
    def _start(self, rows: list[_Row]) -> tuple[Ints, Tensor]:
        """Logits [B, V] after each row, and the index into ``rows`` of each line."""

    @abstractmethod
    def _advance(self, at: Ints, tokens: Ints, keep: Bools) -> tuple[Ints, Tensor]:
        """The same after one more token, for the lines to ``keep``."""

    def open(self, n: int) -> list[int]:
        if len(self._rows) + n > self.max_rows:
            raise SettingsError(
                f"{len(self._rows)} rows are open and {n} more were asked for, max_rows is {self.max_rows}: "
                "raise it or run fewer episodes at once"
            )
        handles = list(range(self._next, self._next + n))
        self._next += n
        self._rows.update((handle, _Row()) for handle in handles)
        return handles

    def length(self, row: int) -> int:
        return len(self._get([row])[0].ids)

    def extend(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> None:
        found = self._get(rows)
        if len(ids) != len(found):
            raise UsageError(f"{len(found)} rows and {len(ids)} lists of ids")
        for row, new in zip(found, ids, strict=True):
            self._fits(len(row.ids), len(new), "context")
        for row, new in zip(found, ids, strict=True):
            row.ids.extend(new)

    def close(self, rows: Sequence[int]) -> None:
        self._get(rows)
        for handle in rows:
            del self._rows[handle]

    def load(self, version: int) -> None:
        """Forget everything computed with the old weights; open rows keep their tokens."""
        self.version = version
        for row in self._rows.values():
            row.cached = 0

    @torch.no_grad()
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
        found = self._get(rows)
        limits = np.array([max_new] * len(found) if isinstance(max_new, int) else max_new, dtype=np.int64)
        self._check(found, limits, temperature, keys)
        if not found:
            return []
        training = self.model.training
        self.model.eval() if training else None
        try:
            return self._loop(found, limits, stop_ids, temperature, None if greedy else uniforms(keys, limits))
        finally:
            self.model.train() if training else None

    def _loop(
        self,
        rows: list[_Row],
        limits: Ints,
        stop_ids: Sequence[int],
        temperature: float,
        chances: npt.NDArray[np.float64] | None,
    ) -> list[Sampled]:
        device, stops = self.model.device, np.array(stop_ids, dtype=np.int64)
        out = np.zeros((len(rows), int(limits.max())), dtype=np.int64)
        counts, stopped = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=bool)
        lines: list[Ints] = []
        logps: list[Tensor] = []
        at, logits = self._start(rows)
        for step in range(out.shape[1]):
            u = None if chances is None else torch.from_numpy(chances[at, step]).to(device)
            drawn, logp = draw(logits, u, temperature)
            tokens = drawn.cpu().numpy()
            lines.append(at)
            logps.append(logp)
            out[at, step] = tokens
            counts[at] = step + 1
            stopped[at] = (tokens[:, None] == stops).any(1)
            keep = ~stopped[at] & (limits[at] > step + 1)
            if not keep.any():
                break
            at, logits = self._advance(at, tokens, keep)
        by_row = np.argsort(np.concatenate(lines), kind="stable")  # each row's steps, in order
        flat = torch.cat(logps).cpu().numpy()[by_row].tolist()
        sampled, end = [], 0
        for i, (row, count) in enumerate(zip(rows, counts.tolist(), strict=True)):
            ids, end = out[i, :count].tolist(), end + count
            row.ids.extend(ids)
            sampled.append(Sampled(ids, flat[end - count : end], bool(stopped[i])))
        return sampled

    def _get(self, handles: Sequence[int]) -> list[_Row]:
        try:
            rows = [self._rows[handle] for handle in handles]
        except KeyError as error:
            raise UsageError(f"row {error.args[0]} is not open") from None
        if len(set(handles)) != len(rows):
            raise UsageError("a row was given twice in one call")
        return rows

    def _check(self, rows: list[_Row], limits: Ints, temperature: float, keys: Sequence[tuple[int, ...]]) -> None:
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


class ReprefillEngine(_Rows):
    """The reference: every call runs the whole rows again, left-padded, through the model's own cache.

    Works with any causal model of transformers, those without keys and values for every token included.
    """

    def __init__(self, model: Any, max_len: int, max_rows: int = 1 << 20) -> None:
        super().__init__(model, max_rows, max_len)
        self._cache: Any = None  # the model's own, for the length of one call

    def _loop(self, rows: list[_Row], *args: Any) -> list[Sampled]:
        try:
            return super()._loop(rows, *args)
        finally:
            self._cache = None

    def _start(self, rows: list[_Row]) -> tuple[Ints, Tensor]:
        width = max(len(row.ids) for row in rows)
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, width - len(row.ids) :] = row.ids
            mask[i, width - len(row.ids) :] = 1
        self._mask = torch.from_numpy(mask).to(self.model.device)
        self._at = np.arange(len(rows))
        positions = (self._mask.cumsum(-1) - 1).clamp_(min=0)
        return self._at, self._forward(torch.from_numpy(ids).to(self.model.device), positions)

    def _advance(self, at: Ints, tokens: Ints, keep: Bools) -> tuple[Ints, Tensor]:
        ids = np.zeros((len(self._at), 1), dtype=np.int64)  # finished rows go on with token 0, unread
        ids[at, 0] = tokens
        positions = self._mask.sum(-1, keepdim=True)
        self._mask = torch.cat([self._mask, torch.ones_like(self._mask[:, :1])], dim=1)
        logits = self._forward(torch.from_numpy(ids).to(self.model.device), positions)
        return at[keep], logits[torch.from_numpy(at[keep]).to(logits.device)]

    def _forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        out = self.model(
            input_ids=ids,
            attention_mask=self._mask,
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self._cache = out.past_key_values
        logits: Tensor = out.logits[:, -1]
        return logits


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


class KVEngine(_Rows):
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
        _require_full_attention(model, max_len)
        if prefill_tokens < 1:
            raise SettingsError(f"prefill_tokens must be at least 1, not {prefill_tokens}")
        self.prefill_tokens = prefill_tokens
        self._additive = model.config.get_text_config()._attn_implementation == "eager"
        self._cache = _SlotCache()
        self._order: list[_Row | None] = []  # by slot
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

    def _loop(self, rows: list[_Row], *args: Any) -> list[Sampled]:
        sampled = super()._loop(rows, *args)
        for row in rows:
            row.cached = len(row.ids) - 1  # the last token drawn has not been through the model
        return sampled

    def _start(self, rows: list[_Row]) -> tuple[Ints, Tensor]:
        first: dict[tuple[int, ...], _Row] = {}
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

    def _front(self, n: int) -> list[_Row]:
        return [row for row in self._order[:n] if row is not None]

    def _lead(self, rows: list[_Row]) -> None:
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

    def _ragged(self, low: int, rows: list[_Row], new: list[list[int]], width: int) -> Tensor:
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


def _require_full_attention(model: Any, max_len: int) -> None:
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
            f"KVEngine needs attention over all earlier tokens in every layer, this model has "
            f"{', '.join(sorted(kinds))} (window {window}, max_len {max_len}): use ReprefillEngine"
        )
    if config._attn_implementation not in ("sdpa", "eager"):
        raise SettingsError(
            f"KVEngine needs attn_implementation 'sdpa' or 'eager', not {config._attn_implementation!r}"
        )
