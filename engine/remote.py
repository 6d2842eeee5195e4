"""Rows whose turns another program samples: the bookkeeping, the checks of what comes back, new weights.

The rows' tokens live here; every turn sends the whole row. `vllm` has the two programs.
"""

import hashlib
import math
import shutil
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.engine.sampling import Sampled

__all__ = ["Answer", "FolderSync", "RemoteRows", "Request", "WeightSync", "checked", "seed_of_key"]


@dataclass(frozen=True)
class Request:
    """One turn to sample: the whole row, the longest turn, the seed, and what `Engine.submit` says of the rest."""

    prompt: list[int]
    max_new: int
    seed: int
    stop_ids: tuple[int, ...] = ()
    temperature: float = 1.0
    greedy: bool = False


@dataclass(frozen=True)
class Answer:
    """What came back for a request, unchecked."""

    ids: Sequence[Any]
    logps: Sequence[Any]
    finish: str | None


@dataclass
class Row:
    """A row's tokens, and the turn that is being sampled for it."""

    ids: list[int] = field(default_factory=list)
    request: Request | None = None
    future: Future[Answer] | None = None


class WeightSync(Protocol):
    """Brings the trainer's weights into vLLM; any function with this signature will do."""

    def __call__(self, engine: "RemoteRows", version: int) -> None:
        """Return when all workers of ``engine`` have the weights of ``version``; raise if they have not."""


class FolderSync:
    """Weights by way of a folder that this process and all workers of vLLM can read.

    Each version is written to a folder of its own, since vLLM may keep what it has read from an old one.

    Args:
        folder: shared; ``/dev/shm/...`` is fast on one machine.
        save: writes a model folder with safetensors, such as ``model.save_pretrained``.
    """

    def __init__(self, folder: str | Path, save: Callable[[Path], object]) -> None:
        self.folder, self.save = Path(folder), save

    def __call__(self, engine: "RemoteRows", version: int) -> None:
        path = self.folder / f"version-{version}"
        shutil.rmtree(path, ignore_errors=True)  # of an earlier try
        path.mkdir(parents=True)
        try:
            self.save(path)
            engine.rpc("reload_weights", weights_path=str(path.resolve()))
        finally:
            shutil.rmtree(path)


class RemoteRows(ABC):
    """The rows and the checks that both forms share.

    Args:
        vocab_size: ids are refused from here on.
        max_len: the longest row; vLLM's ``max_model_len`` must be at least as large.
        max_rows: how many rows may be open.
        sync: brings new weights; without it, `load` raises.
    """

    def __init__(self, vocab_size: int, max_len: int, max_rows: int, sync: WeightSync | None) -> None:
        for setting, value, least in (
            ("vocab_size", vocab_size, 1),
            ("max_len", max_len, 2),
            ("max_rows", max_rows, 1),
        ):
            if value < least:
                raise SettingsError(f"{setting} must be at least {least}, not {value}")
        self.vocab_size, self.max_len, self.max_rows, self.sync = vocab_size, max_len, max_rows, sync
        self.version = 0
        self._name = uuid.uuid4().hex  # of this engine, part of the salt
        self._rows: dict[int, Row] = {}
        self._next = 0

    @abstractmethod
    def begin(self, requests: Sequence[Request]) -> list[Future[Answer]]:
        """Start to sample all requests."""

    @abstractmethod
    def rpc(self, method: str, **kwargs: Any) -> Any:
        """Call a method of every worker of vLLM."""

    @abstractmethod
    def reset_prefix_cache(self) -> None:
        """Forget all keys and values, or raise."""

    @property
    def salt(self) -> str:
        """Part of the prefix cache's keys: entries of other weights are never met, even if a reset went wrong."""
        return f"{self._name}-{self.version}"

    def open(self, n: int) -> list[int]:
        if len(self._rows) + n > self.max_rows:
            raise SettingsError(
                f"{len(self._rows)} rows are open and {n} more were asked for, max_rows is {self.max_rows}"
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
        self._idle(found)
        for row, new in zip(found, ids, strict=True):
            self._fits(len(row.ids), len(new), "context")
        for row, new in zip(found, ids, strict=True):
            row.ids.extend(map(int, new))

    def close(self, rows: Sequence[int]) -> None:
        self._drop(self._get(rows))
        for handle in rows:
            del self._rows[handle]

    def load(self, version: int) -> None:
        """Push the weights of ``version``, then drop the prefix cache: a failure of either is an error.

        Turns that are being sampled keep their tokens and go on with the new weights.
        """
        if self.sync is None:
            raise SettingsError("this engine cannot take new weights: give it sync=FolderSync(...) or your own")
        self.sync(self, version)
        self.reset_prefix_cache()
        self.version = version

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
        """As `Engine.submit`; sampling begins at once. Greedy logps are the program's own, at temperature 1."""
        found = self._get(rows)
        limits = [max_new] * len(found) if isinstance(max_new, int) else [int(n) for n in max_new]
        if len(limits) != len(found) or len(keys) != len(found):
            raise UsageError(f"{len(found)} rows, {len(limits)} values of max_new, {len(keys)} keys")
        if not temperature > 0:
            raise SettingsError(f"temperature must be positive, not {temperature} (greedy=True takes the mode)")
        self._idle(found)
        for row, limit in zip(found, limits, strict=True):
            if not row.ids:
                raise UsageError("a row needs context before it can be sampled")
            if limit < 1:
                raise SettingsError(f"max_new must be at least 1, not {limit}")
            self._fits(len(row.ids), limit, "sampled")
        stops = tuple(map(int, stop_ids))
        requests = [
            Request(list(row.ids), limit, seed_of_key(key), stops, temperature, greedy)
            for row, limit, key in zip(found, limits, keys, strict=True)
        ]
        for row, request, future in zip(found, requests, self.begin(requests), strict=True):
            row.request, row.future = request, future

    def collect(self, min_finished: int = 1) -> list[tuple[int, Sampled]]:
        """As `Engine.collect`; which turns are over first is a matter of time.

        A turn that failed raises and is taken back; the others can be collected by the next call.
        """
        if min_finished < 1:
            raise UsageError(f"min_finished must be at least 1, not {min_finished}")
        flight = {row.future: handle for handle, row in self._rows.items() if row.future is not None}
        least, over = min(min_finished, len(flight)), {future for future in flight if future.done()}
        while len(over) < least:
            over |= wait(flight.keys() - over, return_when=FIRST_COMPLETED).done
        turns = []
        for handle in sorted(flight[future] for future in flight if future.done()):
            turns.append((handle, self._turn(self._rows[handle])))
        for handle, turn in turns:  # after all have come, so that none is lost where one raises
            self._keep(self._rows[handle], turn)
        return turns

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
        """As `Engine.sample`; if it raises, no row has changed."""
        self.submit(rows, max_new=max_new, stop_ids=stop_ids, temperature=temperature, keys=keys, greedy=greedy)
        found = self._get(rows)
        try:
            turns = [self._turn(row) for row in found]
        except BaseException:
            self._drop(found)
            raise
        for row, turn in zip(found, turns, strict=True):
            self._keep(row, turn)
        return turns

    def _turn(self, row: Row) -> Sampled:
        """Wait for a row's turn; one that failed is taken back."""
        assert row.future is not None
        assert row.request is not None
        try:
            answer = row.future.result()
            return checked(answer, row.request, self.vocab_size, str(self))
        except Exception:
            self._drop([row])
            raise

    @staticmethod
    def _keep(row: Row, turn: Sampled) -> None:
        row.ids.extend(turn.ids)
        row.request = row.future = None

    @staticmethod
    def _drop(rows: Sequence[Row]) -> None:
        for row in rows:
            if row.future is not None:
                row.future.cancel()
            row.request = row.future = None

    @staticmethod
    def _idle(rows: Sequence[Row]) -> None:
        if any(row.future is not None for row in rows):
            raise UsageError("a row's turn is being sampled: collect it first")

    def _get(self, handles: Sequence[int]) -> list[Row]:
        try:
            rows = [self._rows[handle] for handle in handles]
        except KeyError as error:
            raise UsageError(f"row {error.args[0]} is not open") from None
        if len(set(handles)) != len(rows):
            raise UsageError("a row was given twice in one call")
        return rows

    def _fits(self, length: int, new: int, kind: str) -> None:
        if length + new > self.max_len:
            raise SettingsError(
                f"a row of {length} tokens and {new} {kind} tokens would be {length + new} long, max_len is "
                f"{self.max_len}: raise it here and vLLM's max_model_len, or lower max_new or the number of turns"
            )


def seed_of_key(key: tuple[int, ...]) -> int:
    """A seed in [0, 2^63) from a sampling key."""
    digest = hashlib.blake2b(",".join(map(str, map(int, key))).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def checked(answer: Answer, request: Request, vocab_size: int, source: str) -> Sampled:
    """The turn that came back, if it is one.

    Raises:
        InfrastructureError: The turn was broken off.
        FatalError: Ids outside the vocabulary, not one log-probability an id, log-probabilities that are none, more
            than ``max_new`` tokens, tokens behind a stop token, or an end that the ids do not show.
    """
    ids, logps, limit = list(answer.ids), list(answer.logps), request.max_new
    stops = set(request.stop_ids)
    if answer.finish == "abort":
        raise InfrastructureError(f"{source} broke off a turn after {len(ids)} tokens")
    wrong = ""
    if not 1 <= len(ids) <= limit:
        wrong = f"{len(ids)} tokens where 1 to {limit} were asked for"
    elif bad := [i for i in ids if type(i) is not int or not 0 <= i < vocab_size]:
        wrong = f"the token id {bad[0]!r}, the vocabulary has {vocab_size}"
    elif len(logps) != len(ids):
        wrong = f"{len(logps)} log-probabilities for {len(ids)} tokens"
    elif odd := [x for x in logps if not isinstance(x, int | float) or not (math.isfinite(x) and x <= 1e-3)]:
        wrong = f"the log-probability {odd[0]!r}"
    elif stops.intersection(ids[:-1]):
        wrong = "tokens behind a stop token"
    elif ids[-1] not in stops and (answer.finish != "length" or len(ids) < limit):
        wrong = f"{len(ids)} tokens (of at most {limit}) that end by {answer.finish!r} without a stop token"
    if wrong:
        raise FatalError(f"{source} returned {wrong}")
    return Sampled(ids, [min(float(x), 0.0) for x in logps], ids[-1] in stops)
