"""Rows whose turns another program samples: the bookkeeping, the checks of its answers, new weights.

The rows' tokens are kept here; every turn sends the whole row. `vllm` has the two programs.
"""

import hashlib
import math
import shutil
import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.settings import Range, check_arguments
from turnwise.engine.protocol import Sampled
from turnwise.engine.rows import OpenRows

__all__ = ["OTHER_END", "Answer", "FolderSync", "RemoteRows", "Request", "WeightSync", "checked", "seed_of_key"]


OTHER_END = "eos"
"""Why a turn ended, if its last token is one that ends the server's turns and none of the request's ``stop_ids``."""


@dataclass(frozen=True)
class Request:
    """One turn to sample: the whole row, the longest turn, the seed, and the other arguments of `Engine.submit`."""

    prompt: list[int]
    max_new: int
    seed: int
    stop_ids: tuple[int, ...] = ()
    temperature: float = 1.0
    greedy: bool = False


@dataclass(frozen=True)
class Answer:
    """The answer to a request, not checked yet.

    ``top`` has the log-probabilities of the likeliest first tokens, where they were asked for, and ``served`` what the
    server calls the answer and its weights.
    """

    ids: Sequence[Any]
    logps: Sequence[Any]
    finish: str | None
    top: Mapping[str, Any] = field(default_factory=dict)
    served: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Row:
    """The tokens of a row, and the turn that is being sampled for it."""

    ids: list[int] = field(default_factory=list)
    request: Request | None = None
    future: Future[Answer] | None = None


class WeightSync(Protocol):
    """Brings the trainer's weights into vLLM; any function with this signature will do."""

    def __call__(self, engine: "RemoteRows", version: int) -> None:
        """Return when all workers of ``engine`` have the weights of ``version``; raise if they have not."""


class FolderSync:
    """Passes weights through a folder that this process and all workers of vLLM can read.

    Each version is written to a folder of its own, since vLLM may cache what it read from an old one.

    Args:
        folder: shared; ``/dev/shm/...`` is fast on one machine.
        save: writes a model folder with safetensors, such as ``model.save_pretrained``.
    """

    def __init__(self, folder: str | Path, save: Callable[[Path], object]) -> None:
        self.folder, self.save = Path(folder), save

    def __call__(self, engine: "RemoteRows", version: int) -> None:
        path = self.folder / f"version-{version}"
        shutil.rmtree(path, ignore_errors=True)  # left by an earlier attempt
        path.mkdir(parents=True)
        try:
            self.save(path)
            engine.rpc("reload_weights", weights_path=str(path.resolve()))
        finally:
            shutil.rmtree(path)


class RemoteRows(OpenRows[Row]):
    """The rows and the checks that both forms share.

    Args:
        vocab_size: ids from here on are refused.
        max_len: the longest row; vLLM's ``max_model_len`` must be at least as large.
        max_rows: how many rows may be open.
        sync: brings new weights; without it, `load` raises.
    """

    LONGER = "raise it here and vLLM's max_model_len, or lower max_new or the number of turns"

    def __init__(
        self,
        vocab_size: Annotated[int, Range(1)],
        max_len: int,
        max_rows: int,
        sync: WeightSync | None,
    ) -> None:
        super().__init__(max_rows, max_len)
        check_arguments(RemoteRows.__init__, vocab_size=vocab_size)
        self.vocab_size, self.sync = vocab_size, sync
        self._name = uuid.uuid4().hex  # unique to this engine, part of the salt

    @abstractmethod
    def begin(self, requests: Sequence[Request]) -> list[Future[Answer]]:
        """Start sampling all requests."""

    @abstractmethod
    def rpc(self, method: str, **kwargs: Any) -> Any:
        """Call a method of every worker of vLLM."""

    @abstractmethod
    def reset_prefix_cache(self) -> None:
        """Drop all cached keys and values, or raise."""

    @property
    def salt(self) -> str:
        """Return a part of the prefix cache's keys that keeps out entries of other weights, even if a reset failed."""
        return f"{self._name}-{self.version}"

    def _made(self, handle: int) -> Row:
        return Row()

    def _busy(self, row: Row) -> bool:
        return row.future is not None

    def length(self, row: int) -> int:
        return len(self._get([row])[0].ids)

    def close(self, rows: Sequence[int]) -> None:
        self._drop(self._get(rows))
        for handle in rows:
            del self._rows[handle]

    def load(self, version: int) -> None:
        """Push the weights of ``version``, then drop the prefix cache: a failure of either is an error.

        Turns that are being sampled keep their tokens and continue with the new weights.
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
        """See `Engine.submit`; sampling starts immediately. Greedy logps are the program's own, at temperature 1."""
        found, limits = self._submitted(rows, max_new, temperature, keys)
        stops = tuple(map(int, stop_ids))
        requests = [
            Request(list(row.ids), limit, seed_of_key(key), stops, temperature, greedy)
            for row, limit, key in zip(found, limits, keys, strict=True)
        ]
        for row, request, future in zip(found, requests, self.begin(requests), strict=True):
            row.request, row.future = request, future

    def collect(self, min_finished: int = 1) -> list[tuple[int, Sampled]]:
        """See `Engine.collect`; which turns finish first depends on timing.

        A failed turn raises its error and is withdrawn; the next call can collect the others.
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
        for handle, turn in turns:  # after all have arrived, so that none is lost if one raises
            self._keep(self._rows[handle], turn)
        return turns

    def _turn(self, row: Row) -> Sampled:
        """Wait for a row's turn; withdraw it if it failed."""
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


def seed_of_key(key: tuple[int, ...]) -> int:
    """Derive a seed in [0, 2^63) from a sampling key."""
    digest = hashlib.blake2b(",".join(map(str, map(int, key))).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def checked(answer: Answer, request: Request, vocab_size: int, source: str) -> Sampled:
    """Check an answer and return the turn in it.

    Raises:
        InfrastructureError: The turn was aborted.
        FatalError: Ids outside the vocabulary, a number of log-probabilities other than that of ids, values that are
            not log-probabilities, more than ``max_new`` tokens, tokens after a stop token, or an end that the ids do
            not show.
    """
    ids, logps, limit = list(answer.ids), list(answer.logps), request.max_new
    stops = set(request.stop_ids)
    if answer.finish == "abort":
        raise InfrastructureError(f"{source} aborted a turn after {len(ids)} tokens")
    wrong = ""
    if not 1 <= len(ids) <= limit:
        wrong = f"{len(ids)} tokens; 1 to {limit} were requested"
    elif bad := [i for i in ids if type(i) is not int or not 0 <= i < vocab_size]:
        wrong = f"the token id {bad[0]!r}, the vocabulary has {vocab_size}"
    elif len(logps) != len(ids):
        wrong = f"{len(logps)} log-probabilities for {len(ids)} tokens"
    elif odd := [x for x in logps if not isinstance(x, int | float) or not (math.isfinite(x) and x <= 1e-3)]:
        wrong = f"the log-probability {odd[0]!r}"
    elif stops.intersection(ids[:-1]):
        wrong = "tokens after a stop token"
    elif ids[-1] not in stops and answer.finish != OTHER_END and (answer.finish != "length" or len(ids) < limit):
        wrong = f"{len(ids)} tokens (of at most {limit}) that end by {answer.finish!r} without a stop token"
    if wrong:
        raise FatalError(f"{source} returned {wrong}")
    return Sampled(ids, [min(float(x), 0.0) for x in logps], ids[-1] in stops)
