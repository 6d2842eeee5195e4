"""Shared by all engines: draw a token for each turn from the logits, store it, and detect finished turns.

Everything is tensors of fixed shape on the model's device, without synchronising with the host: a decode step is the
same sequence of kernels whatever the rows are, and a finished turn goes through it unchanged.

Shapes: B rows of a batch, V vocabulary, S stop tokens, W longest turn.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

__all__ = ["Graphs", "Lanes", "Turn", "draw", "state_of", "uniforms"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TOKEN, LENGTH, COUNT, LANE, DONE = range(5)
"""Columns of a batch's state [B, 5]: last token, its position, tokens of the turn, line in `Lanes`, 1 if finished."""

LARGEST = 2**26
"""Most logits to draw from at once; larger batches are split, since the float64 sums take three times their memory."""

LIKELIEST = -1.0  # in place of a number in [0, 1)


@dataclass(slots=True)
class Turn:
    """One turn of a row, from ``submit`` to ``collect``; ``ids`` and ``logps`` are what the host has received."""

    limit: int
    stops: tuple[int, ...]
    temperature: float
    chances: Floats | None  # [limit]; None: take the likeliest token
    ids: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)


def uniforms(keys: Sequence[tuple[int, ...]], counts: Ints) -> Floats:
    """Return numbers in [0, 1) for each key from its own stream: [B, max count], zero beyond the key's count."""
    out = np.zeros((len(keys), int(counts.max())))
    for line, key, count in zip(out, keys, counts.tolist(), strict=True):
        digest = hashlib.blake2b(",".join(map(str, map(int, key))).encode(), digest_size=16).digest()
        bits = np.random.Philox(key=np.frombuffer(digest, dtype="<u8"))
        np.random.Generator(bits).random(out=line[:count])
    return out


def draw(logits: Tensor, u: Tensor, temperature: Tensor | float = 1.0, *, greedy: bool = True) -> tuple[Tensor, Tensor]:
    """Draw a token for each line, and return it with its log softmax(logits / temperature).

    Args:
        logits: [B, V].
        u: [B]; the token is the inverse of the distribution function here, or the likeliest where ``u`` is negative.
        temperature: a number, or [B, 1].
        greedy: False promises that no ``u`` is negative.
    """
    if len(logits) > 1 and logits.numel() > LARGEST:
        if not isinstance(temperature, Tensor):
            temperature = logits.new_full((len(logits), 1), temperature, dtype=torch.float32)
        halves = zip(logits.chunk(2), u.chunk(2), temperature.chunk(2), strict=True)
        tokens, logps = zip(*(draw(*half, greedy=greedy) for half in halves), strict=True)
        return torch.cat(tokens), torch.cat(logps)
    scaled = logits.float() if isinstance(temperature, float) and temperature == 1 else logits.float() / temperature
    top = scaled.amax(-1, keepdim=True)
    cdf = (scaled - top).exp_().cumsum(-1, dtype=torch.float64)
    total = cdf[:, -1:]
    found = torch.searchsorted(cdf, u[:, None] * total, right=True).clamp_(max=cdf.shape[-1] - 1)
    if greedy:
        found = torch.where(u[:, None] < 0, scaled.argmax(-1, keepdim=True), found)
    return found[:, 0], (scaled.gather(-1, found) - top - total.log())[:, 0].float()


def state_of(lengths: Sequence[int], counts: Sequence[int], lanes: Sequence[int]) -> Tensor:
    """Return the state [B, 5] of rows whose ``lengths`` tokens are computed and that wait for the next one."""
    state = torch.zeros(len(lanes), 5, dtype=torch.int64)
    state[:, LENGTH], state[:, COUNT], state[:, LANE] = map(torch.tensor, (lengths, counts, lanes))
    return state


class Lanes:
    """The turns being decoded, one line each; the last line is unused and belongs to padding."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.free: list[int] = []
        self.changes = 0  # how often the tensors moved
        self.plain = True  # no turn is greedy, every temperature is 1: steps may leave both out
        self._size = self._width = self._stops = 0
        self._turns: dict[int, Turn] = {}
        self._tensors: list[Tensor] = []

    def put(self, turns: Sequence[Turn]) -> list[int]:
        """Assign a line to every turn."""
        self._reserve(len(turns), max(t.limit for t in turns), max(len(t.stops) for t in turns))
        lines = [self.free.pop() for _ in turns]
        chances = np.full((len(turns), self._width + 1), LIKELIEST)
        stops = np.full((len(turns), self._stops), -1)
        for i, turn in enumerate(turns):
            if turn.chances is not None:
                chances[i, : turn.limit] = turn.chances
                chances[i, turn.limit :] = 0.0
            stops[i, : len(turn.stops)] = turn.stops
        self._turns.update(zip(lines, turns, strict=True))
        self.plain = self.plain and all(t.chances is not None and t.temperature == 1.0 for t in turns)
        at = torch.tensor(lines, device=self.device)
        self.chances[at] = torch.from_numpy(chances).to(self.device)
        self.stops[at] = torch.from_numpy(stops).to(self.device)
        self.limits[at, 0] = torch.tensor([t.limit for t in turns], device=self.device)
        self.temperatures[at, 0] = torch.tensor([t.temperature for t in turns], device=self.device)
        return lines

    def absorb(self, state: Tensor, logits: Tensor, plain: bool) -> None:
        """Draw the next token of every row from ``logits`` [B, V]; ``state`` [B, 5] changes in place."""
        token, _, count, lane, done = state.unbind(1)
        temperature = 1.0 if plain else self.temperatures[lane]
        at = torch.add(count, lane, alpha=self.ids.shape[1])
        drawn, logps = draw(logits, self.chances.view(-1)[at], temperature, greedy=not plain)
        self.ids.view(-1).index_copy_(0, at, drawn)
        self.logps.view(-1).index_copy_(0, at, logps)
        token.copy_(torch.where(done > 0, token, drawn))
        count += done == 0
        over = (drawn[:, None] == self.stops[lane]).any(1) | (count >= self.limits[lane, 0])
        done.copy_(torch.maximum(done, over))

    def pull(self, state: Ints) -> list[tuple[Turn, list[int]]]:
        """Store the tokens sampled for some lines of the state in their turns; return each turn and its new tokens."""
        lines = torch.from_numpy(state[:, LANE].copy()).to(self.device)
        ids, logps = self.ids[lines].cpu().numpy(), self.logps[lines].cpu().numpy()
        out = []
        for i, (lane, count) in enumerate(state[:, [LANE, COUNT]].tolist()):
            turn = self._turns[lane]
            new = ids[i, len(turn.ids) : count].tolist()
            turn.logps.extend(logps[i, len(turn.ids) : count].tolist())
            turn.ids.extend(new)
            out.append((turn, new))
        return out

    def give_back(self, lines: Sequence[int]) -> None:
        for line in lines:
            del self._turns[line]
        self.free.extend(lines)
        if not self._turns:
            self.plain = True

    @property
    def trash(self) -> int:
        return self._size

    def _reserve(self, more: int, width: int, stops: int) -> None:
        """Make room for ``more`` turns of ``width`` tokens and ``stops`` stop tokens; turns keep their lines."""
        size = len(self._turns) + more
        if size <= self._size and width <= self._width and stops <= self._stops:
            return
        grown = max(size, 2 * self._size) if size > self._size else self._size
        self.free.extend(range(self._size, grown))
        self.free.sort(reverse=True)
        self._size, self._width, self._stops = grown, max(width, self._width), max(stops, self._stops)
        old, self._tensors = self._tensors, self._blank()
        self.changes += 1
        for new, before in zip(self._tensors, old, strict=False):
            new[: before.shape[0], : before.shape[1]] = before
        self.chances, self.ids, self.logps, self.stops, self.limits, self.temperatures = self._tensors

    def _blank(self) -> list[Tensor]:
        lines, columns, device = self._size + 1, self._width + 1, self.device
        return [
            torch.zeros(lines, columns, dtype=torch.float64, device=device),
            torch.zeros(lines, columns, dtype=torch.int64, device=device),
            torch.zeros(lines, columns, device=device),
            torch.full((lines, self._stops), -1, device=device),
            torch.zeros(lines, 1, dtype=torch.int64, device=device),
            torch.ones(lines, 1, device=device),
        ]


class Graphs:
    """Runs a decode step as a CUDA graph: eagerly the first time (warm-up), then recorded, then replayed."""

    def __init__(self) -> None:
        self._graphs: dict[Any, Any] = {}  # None: warmed up, not recorded
        self._memory: Any = None
        self._pool: Any = None  # memory shared by all graphs: no step leaves anything in it for another

    def __call__(self, key: Any, memory: Any, step: Callable[[], None]) -> None:
        """Run ``step``, whose kernels depend on ``key`` alone, and their addresses on ``memory`` alone."""
        if memory != self._memory:
            self._graphs.clear()
            self._memory = memory
        if key not in self._graphs:
            self._graphs[key] = None
            step()
            return
        if self._graphs[key] is None:
            self._graphs[key] = self._record(step)
        self._graphs[key].replay()

    def _record(self, step: Callable[[], None]) -> Any:
        graph = torch.cuda.CUDAGraph()
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            step()
        return graph
