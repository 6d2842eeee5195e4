"""Keys and values of many rows, one slot each, and which row is in which slot.

Shapes: B rows of a batch, Q new tokens, L attended positions, H heads, D width of a head.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers.cache_utils import Cache

from turnwise.engine.decode import Ints
from turnwise.engine.sampling import Row

__all__ = ["Siblings", "SlotCache", "Slots", "arrange"]

KEEP = 2**26
"""Bytes: larger storage on a CPU is freed when no row is open; training may need the memory."""

OVERHEAD = 250
"""Fixed cost of attention for each line and head, in products of a query with a key."""
WORTH_GROUPING = 0.8
"""Decoding is grouped if attention then costs at most this share of attention row by row."""
ROOM = 1.25
"""Most lines per row in groups, counting the lines that fill gaps."""


class SlotCache(Cache):  # type: ignore[misc]  # transformers is untyped here
    """Keys and values of all rows: [slots, H, length + 1, D] a layer, where position p is at index p.

    The last index is unused space: padding writes there and nothing attends to it.
    """

    def __init__(self, slots: int = 0, length: int = 0) -> None:
        super().__init__(layers=[])
        self.changes = 0  # how often the tensors moved
        self.view: tuple[slice | Tensor, slice, slice]
        self.slots, self.length = slots, length  # capacity; a layer's tensors come with its first update
        self.store: list[list[Tensor]] = []  # a layer: [keys, values]

    def aim(self, slots: int | Tensor, where: Tensor, span: int) -> None:
        """Direct the following updates to the slots from ``slots`` on, or to these slots [B].

        New tokens go to the indices ``where`` [B, Q]; attention sees the first ``span`` positions: in place if the
        slots are consecutive, otherwise as a copy.
        """
        self.where = where
        if isinstance(slots, int):
            self._slots = torch.arange(slots, slots + len(where), device=where.device)
            self.view = (slice(slots, slots + len(where)), slice(None), slice(span))
        else:
            self._slots = slots
            self.view = (slots, slice(None), slice(span))
        self._targets: Tensor | None = None

    def reshape(self, slots: int, length: int) -> None:
        """Change the capacities; whatever still fits is kept."""
        kept, until = min(slots, self.slots), min(length, self.length)
        self.slots, self.length = slots, length
        self.changes += 1
        for layer in self.store:
            for i, tensor in enumerate(layer):
                layer[i] = self._zeros(tensor)
                layer[i][:kept, :, :until] = tensor[:kept, :, :until]

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
        if self._targets is None:  # lines [B * Q * H] of the storage, the same for all layers
            heads = torch.arange(keys.shape[1], device=self.where.device)
            first = self._slots[:, None] * keys.shape[1] + heads
            self._targets = (first[:, None] * keys.shape[2] + self.where[:, :, None]).flatten()
        for store, new in ((keys, key_states), (values, value_states)):
            store.view(-1, store.shape[-1]).index_copy_(
                0, self._targets, new.transpose(1, 2).reshape(-1, new.shape[-1])
            )
        return keys[self.view], values[self.view]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return 0  # positions and masks are always given

    def _zeros(self, like: Tensor) -> Tensor:
        return like.new_zeros(self.slots, like.shape[1], self.length + 1, like.shape[3])


class Siblings:
    """Rows in flight in groups with equal beginnings, for decoding: what a group shares is read once for all rows.

    The n rows of a group are n queries of one line. Its keys are the tokens that they share, padded to S, then their
    own, those of the same number side by side: own token o of row j is at S + o * n + j, and the mask hides it from
    the other rows. ``leave`` copies what was computed to the rows' slots.

    Args:
        cache: holds the rows, from slot 0 on.
        lines: [G, n] slots of the rows of each group; gaps of smaller groups repeat one of them.
        shared: [G] how many tokens the rows of a group share.
        lengths: [B] tokens of the rows that are computed.
        most: most own tokens that a row may reach.
    """

    def __init__(self, cache: SlotCache, lines: Ints, shared: Ints, lengths: Ints, most: int) -> None:
        (groups, size), like = lines.shape, cache.store[0][0]
        self._cache, self._size, self._least, self._begin = cache, size, int(shared.min()), int(shared.max())
        own = lengths[lines] - shared[:, None]  # [G, n]
        numbers = np.arange(own.max())[:, None]  # [O, 1]
        columns = self._begin + most * size

        first = np.zeros(len(lengths), dtype=np.int64)  # [B] where a row is among the G * n
        first[lines.ravel()[::-1]] = np.arange(lines.size)[::-1]
        seen = np.zeros((groups, size, columns), dtype=bool)
        seen[:, :, : self._begin] = np.arange(self._begin) < shared[:, None, None]
        own_seen = seen[:, :, self._begin :].reshape(groups, size, most, size)
        for j in range(size):
            own_seen[:, j, : len(numbers), j] = numbers[:, 0] < own[:, j, None]
        seen[:, :, self._begin :] = own_seen.reshape(groups, size, -1)
        where = np.minimum(shared[:, None, None] + numbers, lengths[lines][:, None] - 1)  # [G, O, n]

        def tensor(values: npt.NDArray[Any]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(values)).to(like.device)

        self.lines, self.rows, self._shared = tensor(lines), tensor(first), tensor(shared[:, None])
        self._heads = torch.arange(like.shape[1], device=like.device)
        self._group = torch.arange(groups, device=like.device)[:, None]
        self._member = torch.arange(size, device=like.device)
        self._mask = like.new_zeros(groups, 1, size, columns).masked_fill_(~tensor(seen)[:, None], -torch.inf)
        self._span = self._reach = self._begin  # current and largest number of attended positions
        self._store: list[list[Tensor]] = []
        of, at = self.lines[:, None].expand(where.shape), tensor(where)
        for layer in cache.store:
            self._store.append([like.new_zeros(groups, like.shape[1], columns, like.shape[3]) for _ in layer])
            for new, old in zip(self._store[-1], layer, strict=True):
                new[:, :, : self._begin] = old[:, :, : self._begin].index_select(0, self.lines[:, 0])
                mine = old[of, :, at].permute(0, 3, 1, 2, 4)  # [G, H, O, n, D]
                new[:, :, self._begin : self._begin + len(numbers) * size] = mine.flatten(2, 3)

    def aim(self, positions: Tensor, longest: int) -> Tensor:
        """Prepare for the tokens at ``positions`` [G, n], all below ``longest``; return their mask [G, 1, n, L]."""
        columns = self._mask.shape[-1]
        at = self._begin + (positions - self._shared) * self._size + self._member  # [G, n]
        self._mask.view(-1).index_fill_(0, ((self._group * self._size + self._member) * columns + at).flatten(), 0.0)
        lines = self._group * len(self._heads) + self._heads  # [G, H]
        self._targets = (lines[:, None] * columns + at[:, :, None]).flatten()  # as in `SlotCache`
        self._span = min(self._begin + (longest - self._least) * self._size, columns)
        self._reach = max(self._reach, self._span)
        return self._mask[..., : self._span]

    def update(self, keys: Tensor, values: Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Write new keys and values [G, H, n, D]; return those of the attended positions [G, H, L, D]."""
        found = self._store[layer]
        for store, new in zip(found, (keys, values), strict=True):
            store.view(-1, store.shape[-1]).index_copy_(
                0, self._targets, new.transpose(1, 2).reshape(-1, new.shape[-1])
            )
        return found[0][:, :, : self._span], found[1][:, :, : self._span]

    def leave(self) -> None:
        """Write the rows' own tokens to their slots, including rows that ended and were longer than the others."""
        group, member = self.rows // self._size, self.rows % self._size
        most = (self._reach - self._begin) // self._size
        numbers = torch.arange(most, device=group.device)
        where = (self._shared[group] + numbers).clamp_(max=self._cache.length)  # [B, O]
        slots = torch.arange(len(self.rows), device=group.device)[:, None]
        for mine, theirs in zip(self._store, self._cache.store, strict=True):
            for new, old in zip(mine, theirs, strict=True):
                own = new[:, :, self._begin : self._reach]
                own = own.view(*own.shape[:2], most, self._size, own.shape[-1])  # [G, H, O, n, D]
                old[slots, :, where] = own[group[:, None], :, numbers, member[:, None]]


def arrange(families: Sequence[int], shared: Ints, lengths: Ints, most: int) -> tuple[Ints, Ints] | None:
    """Choose groups for `Siblings` as (lines, shared); return None if decoding with them is not worth it.

    Args:
        families: [B] equal numbers for rows with equal beginnings.
        shared: [B] how many tokens are equal.
        lengths: [B] tokens of the rows that are computed.
        most: most own tokens that a row may reach.
    """
    members: dict[int, list[int]] = {}
    for slot, family in enumerate(families):
        members.setdefault(family, []).append(slot)
    own, span = (int((lengths - shared).max()) + most) // 2, int(lengths.max()) + most // 2
    best, least = None, WORTH_GROUPING * len(lengths) * (OVERHEAD + span)
    for size in (2, 4, 8, 16):
        parts = [group[i : i + size] for group in members.values() for i in range(0, len(group), size)]
        widest = max(map(len, parts))
        cost = len(parts) * (OVERHEAD + widest * (int(shared.max()) + widest * own))
        if cost < least and len(parts) * widest <= ROOM * len(lengths):
            best, least = parts, cost
    if best is None:
        return None
    widest = max(map(len, best))
    lines = np.array([part + part[:1] * (widest - len(part)) for part in best])
    return lines, shared[lines[:, 0]]


class Slots:
    """Assigns slots to rows, within a budget of bytes.

    Args:
        max_rows: how many slots there will be at most.
        max_len: the longest row.
        position_bytes: size of one token's keys and values in all layers.
        budget: bytes for all of them, or None.
    """

    def __init__(self, max_rows: int, max_len: int, position_bytes: int, budget: int | None) -> None:
        self.max_rows, self.max_len = max_rows, -(-max_len // 8) * 8
        self.position_bytes, self.budget = position_bytes, budget
        self.cache = SlotCache()
        self.order: list[Row | None] = []  # by slot
        self._tick = 0

    def capacity(self, length: int) -> int:
        """Return how many slots of ``length`` positions the budget allows; at least one."""
        if self.budget is None:
            return 1 << 30
        return max(1, self.budget // (self.position_bytes * (length + 1)))

    def reserve(self, slots: int, length: int) -> bool:
        """Grow to at least these capacities, which must be within the budget; return whether anything moved."""
        cache, wide, long = self.cache, self.cache.slots, self.cache.length
        if slots <= wide and length <= long:
            return False
        if length > long:
            long = min(max(length, 2 * long, 64), self.max_len)
            if self.capacity(long) < slots:  # grow to what is needed, no further
                long = length
        if slots > wide:
            wide = min(max(slots, 2 * wide), max(slots, self.max_rows))
        wide = min(wide, self.capacity(long))
        self.evict(wide)
        cache.reshape(wide, long)
        return True

    def evict(self, slots: int) -> None:
        """Empty the slots from number ``slots`` on; their rows will be computed again."""
        for row in self.order[slots:]:
            if row is not None:
                row.slot, row.cached = -1, 0
        del self.order[slots:]

    def free(self, row: Row) -> None:
        if row.slot >= 0:
            self.order[row.slot] = None

    def clear(self, *, storage: bool) -> None:
        """Forget all rows; with ``storage``, also free the memory if it is large."""
        self.evict(0)
        if storage and self.cache.slots * self.cache.length * self.position_bytes > KEEP:
            self.cache = SlotCache(self.cache.slots, self.cache.length)

    def swap(self, left: Ints, right: Ints, length: int) -> None:
        """Exchange the rows of slots, pair by pair."""
        self.cache.move(np.concatenate([right, left]), np.concatenate([left, right]), length)
        for i, j in zip(left.tolist(), right.tolist(), strict=True):
            self.order[i], self.order[j] = self.order[j], self.order[i]
            for slot in (i, j):
                if (row := self.order[slot]) is not None:
                    row.slot = slot

    def lead(self, rows: list[Row], base: int, most: int) -> None:
        """Move rows into the slots from ``base`` on, in any order; other rows there move away.

        None of the rows is below ``base``. If moving away would take more than ``most`` slots, a row is evicted.
        """
        order, end = self.order, base + len(rows)
        self._tick += 1
        for row in rows:
            row.tick = self._tick
        order.extend([None] * (end - len(order)))
        coming = [row for row in rows if not base <= row.slot < end]
        holes = [s for s in range(base, end) if (here := order[s]) is None or here.tick != self._tick]
        spare = [s for s in range(len(order) - 1, end - 1, -1) if order[s] is None] if coming else []
        moves: list[tuple[int, int]] = []
        longest = 0
        for slot, row in zip(holes, coming, strict=True):
            here, free = order[slot], row.slot
            if free >= 0:
                order[free] = None
                moves.append((free, slot))
                longest = max(longest, row.cached)
            if here is not None and free < 0:
                if spare:
                    free = spare.pop()
                elif len(order) < most:
                    free = len(order)
                    order.append(None)
                else:
                    here.slot, here.cached = -1, 0
            if here is not None and free >= 0:
                order[free], here.slot = here, free
                moves.append((slot, free))
                longest = max(longest, here.cached)
            order[slot], row.slot = row, slot
        while order and order[-1] is None:
            order.pop()
        self.reserve(len(order), 0)
        if moves:
            self.cache.move([m[0] for m in moves], [m[1] for m in moves], longest)
