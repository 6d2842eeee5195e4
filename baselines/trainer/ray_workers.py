"""Rollouts on Ray workers over several machines: no rollout is lost when a worker dies, and none counts twice.

The rollouts of a call are cut into units, such as whole groups; a unit is played by one worker, with the weights of the
call's version. Its sampling keys come with it, so a unit that must be played again, elsewhere, gives the same rollouts
to the bit (on equal hardware, without ``env_threads``): who played it, and how often, leaves no trace in the result.

`Assignments` keeps the books and does not depend on Ray; `RayCollector` is the controller; `EnginePlayer` is what a
worker plays with: a model of its own, the sampler and the environments.
"""

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor

from turnwise.baselines.trainer.collect import Collector, vocabulary_texts
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.engines import make_engine
from turnwise.baselines.trainer.model.policy import device_of, load_policy
from turnwise.baselines.trainer.parts import RowPerTurn
from turnwise.baselines.trainer.rollouts import Rollout
from turnwise.core.episode import Job
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.engine.tokens import make_renderer

__all__ = ["Assignments", "EnginePlayer", "Player", "RayCollector"]

Unit = TypeVar("Unit", bound=Hashable)

BUNDLE = 2**30
"""Bytes of weights that travel as one object: large enough for the network, small beside a worker's memory."""


class Assignments(Generic[Unit]):
    """Keeps track of which worker plays which unit, and counts each finished unit once.

    Args:
        units: to be played, in this order; all different, also from those of other calls, so that an answer that
            comes late is known as such.
    """

    def __init__(self, units: Iterable[Unit]) -> None:
        self._waiting = deque(units)
        self._open = set(self._waiting)
        self._held: dict[str, Unit] = {}  # by worker
        if len(self._open) != len(self._waiting):
            raise SettingsError("units must differ from each other")

    @property
    def finished(self) -> bool:
        """Whether every unit has been counted."""
        return not self._open

    def next(self, worker: str) -> Unit | None:
        """Return a unit for an idle worker; None if no unit is left to assign."""
        if worker in self._held:
            raise SettingsError(f"worker {worker!r} still holds {self._held[worker]!r}")
        while self._waiting:
            unit = self._waiting.popleft()
            if unit in self._open:  # not counted meanwhile, by the late answer of a worker given up
                self._held[worker] = unit
                return unit
        return None

    def done(self, worker: str, unit: Unit) -> bool:
        """Record a finished unit: True if it counts, False if it was counted before or belongs to another call."""
        if self._held.get(worker) == unit:
            del self._held[worker]
        if unit not in self._open:
            return False
        self._open.remove(unit)
        return True

    def lost(self, worker: str) -> None:
        """Give up a worker: its unit is the next to be assigned to others."""
        unit = self._held.pop(worker, None)
        if unit in self._open and unit not in self._held.values():
            self._waiting.appendleft(unit)


class Player(Protocol):
    """The interface of what plays rollouts in a worker."""

    def load(self, version: int, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Load new weights; nothing computed with the old ones may be used again."""

    def play(self, jobs: Sequence[Job], **settings: Any) -> list[Rollout]:
        """Play one rollout for each job, as a function of the weights, the jobs and the settings alone."""


class EnginePlayer:
    """A player with its own model, sampler and environments."""

    def __init__(self, cfg: TrainConfig) -> None:
        torch.set_num_threads(cfg.run.num_threads)
        policy = load_policy(cfg, vocabulary_texts(cfg) if cfg.model.name == "tiny" else (), device_of(cfg))
        renderer = make_renderer(
            policy.tokenizer, fallback="rows" if isinstance(cfg.rollout.context, RowPerTurn) else "error"
        )
        rows = cfg.rollout.max_rows or cfg.rollout.groups_per_step * cfg.rollout.group_size
        self.model = policy.model
        self.collector = Collector(cfg, make_engine(cfg, policy.model), renderer, max_rows=rows)

    @torch.no_grad()
    def load(self, version: int, weights: Iterable[tuple[str, Tensor]]) -> None:
        own = self.model.state_dict()
        missing = set(own)
        for name, value in weights:
            own[name].copy_(value)
            missing.discard(name)
        if missing:
            raise SettingsError(f"weights of version {version} lack {sorted(missing)}")
        self.collector.engine.load(version)

    def play(self, jobs: Sequence[Job], **settings: Any) -> list[Rollout]:
        """Play rollouts as `Collector.play` does."""
        return self.collector.play(jobs, **settings)


class _Worker:
    """The Ray actor: a player, created where it runs, and the version of its weights."""

    def __init__(self, make_player: Callable[[], Player]) -> None:
        self.player = make_player()
        self.version: int | None = None

    def ready(self) -> None:
        """Return once the player exists."""

    def play(self, version: int, bundles: list[Any], jobs: Sequence[Job], settings: dict[str, Any]) -> list[Any]:
        if version != self.version:
            import ray

            pairs = (pair for bundle in bundles for pair in ray.get(bundle))
            self.version = None  # neither the old weights nor the new, should loading fail
            self.player.load(version, pairs)
            self.version = version
        return self.player.play(jobs, **settings)


@dataclass
class _Call:
    """A call of a worker, to get ready (``unit`` None) or to play a unit, and its deadline."""

    worker: str
    unit: tuple[int, int, int] | None  # version, number of the call of `play`, index
    deadline: float


class RayCollector:
    """Plays rollouts on Ray workers; the result equals that of one `Player` playing the same units.

    A worker that dies, or does not answer in ``timeout_s``, is replaced; its unit is given to the next free worker. A
    worker that returns later, or is new, gets the weights of the call with its first unit.

    Args:
        make_player: makes a worker's player; called in the worker, so it travels by pickle:
            ``functools.partial(EnginePlayer, cfg)``.
        workers: how many to run; Ray spreads them over the machines.
        unit: consecutive rollouts that are played together: whole groups share their prompt. More make larger batches
            for the sampler, fewer lose less with a worker.
        timeout_s: how long a worker may take over a unit, loading of weights included.
        start_timeout_s: how long there may be no worker at all before the run ends.
        max_replacements: workers that may be replaced in all before the run ends.
        options: of the actors, such as ``{"num_gpus": 1}`` or ``{"resources": {...}}``.
        address: of the Ray cluster; None starts one on this machine. Ignored where Ray is initialised.

    Raises:
        MissingDependencyError: Ray is not installed.
    """

    def __init__(
        self,
        make_player: Callable[[], Player],
        *,
        workers: int,
        unit: int,
        timeout_s: float = 1800.0,
        start_timeout_s: float = 600.0,
        max_replacements: int = 100,
        options: Mapping[str, Any] | None = None,
        address: str | None = None,
    ) -> None:
        if workers < 1 or unit < 1:
            raise SettingsError(f"workers and unit must be at least 1, not {workers} and {unit}")
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError.of("ray", "ray") from error
        self._ray: Any = ray  # its types do not know the methods of an actor
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        self._actor: Any = self._ray.remote(**{"num_cpus": 1, "scheduling_strategy": "SPREAD", **(options or {})})(
            _Worker
        )
        self._make_player = make_player
        self._unit, self._timeout_s, self._start_timeout_s = unit, timeout_s, start_timeout_s
        self._left = max_replacements
        self._bundles: list[Any] = []
        self._version: int | None = None
        self._calls = self._made = 0
        self._actors: dict[str, Any] = {}
        self._free: list[str] = []
        self._asked: dict[Any, _Call] = {}  # by the reference of the answer
        for _ in range(workers):
            self._add_worker()

    @property
    def replaced(self) -> int:
        """Workers that were given up and replaced so far."""
        return self._made - len(self._actors)

    def load(self, version: int, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Publish new weights, once for all workers; each fetches them before it plays with them.

        Args:
            version: their number; another one for other weights.
            weights: names and whole tensors, such as those of `Parallel.weights`.
        """
        bundles: list[Any] = []
        bundle: list[tuple[str, Tensor]] = []
        size = 0
        for name, tensor in weights:
            bundle.append((name, tensor.detach().cpu()))
            size += tensor.nbytes
            if size >= BUNDLE:
                bundles.append(self._ray.put(bundle))
                bundle, size = [], 0
        bundles.append(self._ray.put(bundle))
        self._version, self._bundles = version, bundles

    def play(self, jobs: Sequence[Job], **settings: Any) -> list[Rollout]:
        """Play one rollout for each job and return them in the same order.

        Args:
            jobs: they hold the keys of their random numbers.
            settings: passed on to `Player.play`.

        Raises:
            InfrastructureError: Too many workers were lost, or there was none for too long. An exception that the
                player raised is raised as it is.
        """
        if self._version is None:
            raise SettingsError("load weights before playing")
        self._calls += 1
        parts = [jobs[i : i + self._unit] for i in range(0, len(jobs), self._unit)]
        books = Assignments((self._version, self._calls, i) for i in range(len(parts)))
        found: dict[int, list[Rollout]] = {}
        alone_since = time.monotonic()
        while not books.finished:
            self._hand_out(books, parts, settings)
            answered = self._wait()
            for call, runs in answered:
                if call.unit is not None and books.done(call.worker, call.unit):
                    found[call.unit[2]] = runs
            for worker in self._give_up():
                books.lost(worker)
            if any(call.unit is not None for call in self._asked.values()) or self._free:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > self._start_timeout_s:
                raise InfrastructureError(f"no Ray worker started within {self._start_timeout_s:g} s")
        return [run for i in range(len(parts)) for run in found[i]]

    def close(self) -> None:
        """End the workers; Ray itself keeps running."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors, self._free, self._asked = {}, [], {}

    def _add_worker(self) -> None:
        name = f"worker {self._made}"
        self._made += 1
        actor = self._actors[name] = self._actor.remote(self._make_player)
        self._asked[actor.ready.remote()] = _Call(name, None, float("inf"))

    def _hand_out(self, books: Assignments[tuple[int, int, int]], parts: list[Any], settings: dict[str, Any]) -> None:
        """Assign units to idle workers, as long as there are both."""
        for worker in list(self._free):
            if (unit := books.next(worker)) is None:
                return
            self._free.remove(worker)
            answer = self._actors[worker].play.remote(self._version, self._bundles, parts[unit[2]], settings)
            self._asked[answer] = _Call(worker, unit, time.monotonic() + self._timeout_s)

    def _wait(self) -> list[tuple[_Call, Any]]:
        """Wait for the first answer, the next deadline or a second, and return the answers that have arrived."""
        now = time.monotonic()
        patience = min([1.0, *(max(0.0, call.deadline - now) for call in self._asked.values())])
        ready, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=patience)
        answers = []
        for reference in ready:
            call = self._asked[reference]
            try:
                runs = self._ray.get(reference)
            except self._ray.exceptions.RayTaskError as error:  # raised by the player; the worker itself is fine
                del self._asked[reference]
                self._free.append(call.worker)
                raise (error.cause or error) from error
            except self._ray.exceptions.RayError as error:  # the worker or its machine is gone
                if getattr(error, "actor_init_failed", False):  # the next would fail as well
                    raise
                call.deadline = -float("inf")
                continue
            del self._asked[reference]
            self._free.append(call.worker)
            answers.append((call, runs))
        return answers

    def _give_up(self) -> list[str]:
        """End and replace the workers that are past their deadline; return their names."""
        late = {ref: call for ref, call in self._asked.items() if call.deadline <= time.monotonic()}
        for reference, call in late.items():
            del self._asked[reference]
            self._ray.kill(self._actors.pop(call.worker))
            if self._left == 0:
                raise InfrastructureError(f"{self._made} Ray workers were made and {call.worker} was lost, too")
            self._left -= 1
            self._add_worker()
        return [call.worker for call in late.values()]
