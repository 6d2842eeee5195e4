"""Ask an agent questions outside of any environment, with samples, retries, a cache and cost accounting."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, fields
from typing import Annotated, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import Range, check_arguments
from turnwise.verifiers.judge.cache import Cache
from turnwise.verifiers.judge.prompt import Request, mark_of, read_reply, render

__all__ = ["Asker", "Costs", "Opinion"]


@dataclass(frozen=True)
class Costs:
    """The requests made, and their costs.

    Attributes:
        requests: Number of verdicts requested, counting every sample.
        hits: Requests that needed no call: from the cache, or duplicates in a batch.
        calls: Messages sent to the agent, including retries.
        unreadable: Replies without a verdict.
        prompt_tokens: Tokens read, if the agent reports them.
        completion_tokens: Tokens written, if the agent reports them.
        seconds: Wall time of the calls; calls that run together share a batched agent's time, and each have their own
            with other agents.
    """

    requests: int = 0
    hits: int = 0
    calls: int = 0
    unreadable: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Costs") -> "Costs":
        return Costs(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


class Opinion(NamedTuple):
    """An agent's answer to one request.

    Attributes:
        choice: The choice of more than half of the samples; None if there is none.
        votes: The choice of each sample; None if no reply could be read.
        costs: Costs of this request.
    """

    choice: str | None
    votes: tuple[str | None, ...]
    costs: Costs


class _Nowhere(Env[None]):
    """Takes the place of an environment: a judge gets a single question, and there is nothing to act on."""

    def oracle(self) -> str:
        raise UsageError("the oracle cannot judge: there is no environment")

    def sample_action(self, rng: np.random.Generator) -> str:
        raise UsageError("the random agent cannot judge: there is no environment")


_NOWHERE = _Nowhere()
_LOCKS: "WeakKeyDictionary[Agent, threading.Lock]" = WeakKeyDictionary()
_LOCKS_LOCK = threading.Lock()


def _lock_of(agent: Agent) -> threading.Lock:
    """Return the lock shared by all users of an agent."""
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(agent, threading.Lock())


class Asker:
    """Puts requests to an agent and reads its verdicts; may be used from several threads.

    Args:
        agent: The agent to ask. A batched agent gets ``agent.concurrency`` requests at once, one batch at a time;
            another is called from that many threads. It must not be in the middle of a rollout of its own.
        samples: Verdicts per request, an odd number.
        retries: How often a request is repeated, under another mark, if the reply has no verdict.
        seed: Seed of marks and of the agent's sampling.
        cache: Where verdicts are kept, under a hash of ``name``, ``seed`` and everything that is asked; None is a new
            one in memory. Replies without a verdict are not cached.
        name: Distinguishes this judge from others in the cache: model, version, sampling settings. Needed with a cache
            given, as agents of one name can be many models.

    Raises:
        SettingsError: A setting is out of range, or a cache is given without a name.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        samples: int = 1,
        retries: Annotated[int, Range(0, 10)] = 2,
        seed: int = 0,
        cache: Cache | None = None,
        name: str | None = None,
    ) -> None:
        if samples < 1 or samples % 2 == 0:
            raise SettingsError(f"samples is {samples}; it must be an odd number")
        check_arguments(Asker.__init__, retries=retries)
        if name is None and cache is not None:
            raise SettingsError(f"a cache needs a name for the judge, such as name='qwen3-8b, greedy'; it is {name}")
        self.agent, self.samples, self.retries, self.seed = agent, samples, retries, seed
        self.cache = Cache() if cache is None else cache
        self.name = agent.name if name is None else name
        self._costs, self._lock = Costs(), threading.Lock()

    def __deepcopy__(self, memo: object) -> Self:
        """Return itself: the forks of an environment share the agent, the cache and the costs."""
        return self

    @property
    def costs(self) -> Costs:
        """The costs of all requests so far."""
        return self._costs

    def ask(self, requests: Sequence[Request]) -> list[Opinion]:
        """Return the agent's verdict on every request.

        Raises:
            InfrastructureError: The agent failed; the verdicts it gave before are in the cache.
        """
        keys = [[r.key(self.name, self.seed, sample) for sample in range(self.samples)] for r in requests]
        known = self.cache.get(key for row in keys for key in row)
        pending = {
            key: request
            for request, row in zip(requests, keys, strict=True)
            for key in row
            if known.get(key) not in request.choices
        }
        bills: dict[str, Costs] = {}
        said: dict[str, str] = {}
        try:
            for attempt in range(self.retries + 1):
                self._round({key: r for key, r in pending.items() if key not in said}, attempt, said, bills)
        finally:
            self._add(sum(bills.values(), Costs()))
        opinions = []
        for row in keys:
            votes = tuple(said.get(key) or (None if key in pending else known[key]) for key in row)
            paid = [bills.pop(key, None) for key in row]  # repeated requests are free
            costs = sum((bill for bill in paid if bill is not None), Costs(requests=len(row), hits=paid.count(None)))
            opinions.append(Opinion(_majority(votes), votes, costs))
            self._add(Costs(requests=len(row), hits=paid.count(None)))
        return opinions

    def _round(self, pending: dict[str, Request], attempt: int, said: dict[str, str], bills: dict[str, Costs]) -> None:
        """Ask each of ``pending`` once; note verdicts and bills."""
        keys = list(pending)
        marks = [mark_of(pending[key], key, attempt) for key in keys]
        plays = [
            Play(
                [{"role": "user", "content": render(pending[key], mark)}],
                _NOWHERE,
                (seed_of("judge", key), attempt, 0),
            )
            for key, mark in zip(keys, marks, strict=True)
        ]
        fresh: dict[str, str] = {}
        try:
            for index, action, seconds in _actions(self.agent, plays):
                key = keys[index]
                cut = action.finish == "length"
                choice = None if cut else read_reply(action.text, marks[index], pending[key].choices)
                if choice is not None:
                    fresh[key] = choice
                bill = Costs(0, 0, 1, choice is None, action.prompt_tokens, action.completion_tokens, seconds)
                bills[key] = bills.get(key, Costs()) + bill
        finally:
            said |= fresh
            self.cache.put(fresh)

    def _add(self, costs: Costs) -> None:
        with self._lock:
            self._costs += costs


def _majority(votes: tuple[str | None, ...]) -> str | None:
    choice, count = Counter(votes).most_common(1)[0]
    return choice if 2 * count > len(votes) else None


def _actions(agent: Agent, plays: list[Play]) -> Iterator[tuple[int, Action, float]]:
    """Index, answer and seconds of each play, as they come; the error of one is raised after the answers of others."""
    if agent.batched:
        for start in range(0, len(plays), agent.concurrency):
            batch = plays[start : start + agent.concurrency]
            with _lock_of(agent):
                actions, seconds = _act(agent, batch)
            for offset, action in enumerate(actions):
                yield start + offset, action, seconds / len(batch)
        return
    if len(plays) == 1:
        [action], seconds = _act(agent, plays)
        yield 0, action, seconds
        return
    with ThreadPoolExecutor(agent.concurrency) as pool:
        error: BaseException | None = None
        try:
            left = {pool.submit(_act, agent, [play]): index for index, play in enumerate(plays)}
            for future in as_completed(tuple(left)):
                error = future.exception()
                if error is not None:
                    break
                [action], seconds = future.result()
                yield left.pop(future), action, seconds
            for future in [future for future in left if not future.cancel()]:  # one failed: let the others finish
                if future.exception() is None:
                    [action], seconds = future.result()
                    yield left[future], action, seconds
        except BaseException:  # aborted, for example by Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            agent.interrupt()
            raise
    if error is not None:
        raise error


def _act(agent: Agent, plays: list[Play]) -> tuple[list[Action], float]:
    start = time.perf_counter()
    try:
        actions = agent.act(plays)
    finally:
        for play in plays:
            agent.end(play)
    return actions, time.perf_counter() - start
