"""Sampling from a local causal language model, row by row, with exact log-probabilities.

A row is one growing token sequence. `kv.KVEngine` keeps what the model computed for it across turns;
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

from turnwise.errors import SettingsError, UsageError

__all__ = ["Engine", "ReprefillEngine", "Rows", "Sampled"]

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


class Row:
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


class Rows(ABC):
    """The rows, the checks and the sampling loop that both engines share."""

    def __init__(self, model: Any, max_rows: int, max_len: int) -> None:
        if max_rows < 1 or max_len < 2:
            raise SettingsError(f"max_rows must be >= 1 and max_len >= 2, not {max_rows} and {max_len}")
        self.model = model
        self.max_rows = max_rows
        self.max_len = max_len
        self.version = 0
        self._rows: dict[int, Row] = {}
        self._next = 0

    @abstractmethod
    def _start(self, rows: list[Row]) -> tuple[Ints, Tensor]:
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
        self._rows.update((handle, Row()) for handle in handles)
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
        rows: list[Row],
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

    def _get(self, handles: Sequence[int]) -> list[Row]:
        try:
            rows = [self._rows[handle] for handle in handles]
        except KeyError as error:
            raise UsageError(f"row {error.args[0]} is not open") from None
        if len(set(handles)) != len(rows):
            raise UsageError("a row was given twice in one call")
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
    """The reference: every call runs the whole rows again, left-padded, through the model's own cache.

    Works with any causal model of transformers, those without keys and values for every token included.
    """

    def __init__(self, model: Any, max_len: int, max_rows: int = 1 << 20) -> None:
        super().__init__(model, max_rows, max_len)
        self._cache: Any = None  # the model's own, for the length of one call

    def _loop(self, rows: list[Row], *args: Any) -> list[Sampled]:
        try:
            return super()._loop(rows, *args)
        finally:
            self._cache = None

    def _start(self, rows: list[Row]) -> tuple[Ints, Tensor]:
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
