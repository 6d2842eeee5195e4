"""Where agents and environments meet: play many episodes, one or many at once.

An episode whose environment or agent fails is started again, and recorded as an error when it keeps failing; it is
never scored.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

import gymnasium

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.episode import Episode, Job, Turn
from turnwise.core.errors import FatalError, InfrastructureError

__all__ = ["make_env", "rollout"]

MakeEnv = Callable[[Job], gymnasium.Env[str, str]]


def make_env(job: Job) -> gymnasium.Env[str, str]:
    """The job's environment, plain: no wrappers."""
    return gymnasium.make(job.env, **job.settings)


def rollout(
    agent: Agent,
    jobs: Iterable[Job],
    *,
    make: MakeEnv = make_env,
    system: str | None = None,
    retries: int = 2,
    env_workers: int = 0,
    strict: bool = False,
) -> Generator[Episode, None, None]:
    """Play every job and yield its episode as soon as it ends.

    Args:
        agent: Batched agents get all live episodes at once and finished ones are replaced at once; others play
            ``agent.concurrency`` episodes in threads.
        jobs: What to play; taken lazily.
        make: Builds a job's environment; environments are reused among jobs of the same id and settings.
        system: A system message before each conversation.
        retries: How often an episode that failed is started again.
        env_workers: Threads that step slow environments under a batched agent; 0 steps them in turn.
        strict: Raise what an environment or agent raises, unless it is an `InfrastructureError`, instead of
            recording it.

    Raises:
        FatalError: What the agent or an environment met would fail every other episode too.
    """
    driver = _Driver(agent, make, system, retries, strict)
    if agent.batched:
        yield from _lockstep(driver, iter(jobs), env_workers)
    else:
        yield from _threaded(driver, iter(jobs))


class _Live:
    """An episode being played."""

    def __init__(self, job: Job, env: gymnasium.Env[str, str], system: str | None, attempts: int) -> None:
        self.job, self.env, self.attempts = job, env, attempts
        self.turns: list[Turn] = []
        self.task_id = ""
        self.observation, info = env.reset(seed=job.seed)
        self.task_id = str(info.get("task_id", ""))
        self.play = Play([], env, (*job.rng_key, 0))
        if system:
            self.play.messages.append({"role": "system", "content": system})
        self.play.messages.append({"role": "user", "content": self.observation})
        self.total = 0.0

    def step(self, action: Action) -> dict[str, Any] | None:
        """Play the action; returns the last step's facts when the episode is over."""
        observation, reward, terminated, truncated, info = self.env.step(action.text)
        self.total += float(reward)
        self.turns.append(
            Turn(
                self.observation,
                action.text,
                float(reward),
                bool(info.get("invalid_action", False)),
                action.finish,
                action.prompt_tokens,
                action.completion_tokens,
                action.reasoning,
                action.served,
            )
        )
        self.observation = observation
        play = self.play
        play.messages.append({"role": "assistant", "content": action.text})
        play.messages.append({"role": "user", "content": observation})
        play.turn += 1
        play.rng_key = (*self.job.rng_key, play.turn)
        if not (terminated or truncated):
            return None
        if not info.get("reward_valid", True):
            raise InfrastructureError(str(info.get("error", "the environment failed")))
        return {"terminated": terminated, "truncated": truncated, "info": info}


class _Driver:
    """Starts, steps and records episodes; keeps idle environments for reuse."""

    def __init__(self, agent: Agent, make: MakeEnv, system: str | None, retries: int, strict: bool) -> None:
        self.agent, self.make, self.system, self.retries, self.strict = agent, make, system, retries, strict
        self.idle: dict[str, list[gymnasium.Env[str, str]]] = {}
        self.lock = threading.Lock()

    def start(self, job: Job, attempts: int) -> _Live | Episode:
        """A live episode, or the record of its failure."""
        while True:
            env = None
            try:
                env = self._env(job)
                return _Live(job, env, self.system, attempts)
            except Exception as error:
                if env is not None:
                    _close(env)
                if not self.again(error, attempts):
                    return self.failed(job, None, attempts, error)
                attempts += 1

    def again(self, error: Exception, attempts: int) -> bool:
        """Whether a failed episode is to be started again."""
        if isinstance(error, FatalError):
            raise error
        if isinstance(error, InfrastructureError):
            return attempts <= self.retries
        if self.strict:
            raise error
        return False  # a fault of a program, not of the weather: it would fail again

    def done(self, live: _Live, end: dict[str, Any]) -> Episode:
        with self.lock:
            self.idle.setdefault(_env_key(live.job), []).append(live.env)
        return self._episode(
            live.job,
            live,
            live.attempts,
            solved=bool(end["info"].get("solved", False)),
            terminated=bool(end["terminated"]),
            truncated=bool(end["truncated"]),
            metrics={name: float(value) for name, value in end["info"].get("metrics", {}).items()},
        )

    def failed(self, job: Job, live: _Live | None, attempts: int, error: Exception) -> Episode:
        text = str(error) if isinstance(error, InfrastructureError) else f"{type(error).__name__}: {error}"
        return self._episode(job, live, attempts, status="error", error=text or type(error).__name__)

    def drop(self, live: _Live) -> None:
        """Give up an episode; its environment may be broken and is not used again."""
        self.agent.end(live.play)
        _close(live.env)

    def close(self) -> None:
        for envs in self.idle.values():
            for env in envs:
                _close(env)

    def _env(self, job: Job) -> gymnasium.Env[str, str]:
        with self.lock:
            idle = self.idle.get(_env_key(job))
            if idle:
                return idle.pop()
        return self.make(job)

    def _episode(self, job: Job, live: _Live | None, attempts: int, **facts: Any) -> Episode:
        defaults = {"solved": False, "terminated": False, "truncated": False, "metrics": {}}
        return Episode(
            env=job.env,
            settings=dict(job.settings),
            agent=self.agent.name,
            seed=job.seed,
            sample=job.sample,
            task_id=live.task_id if live else "",
            turns=tuple(live.turns) if live else (),
            final_observation=live.observation if live else "",
            episode_return=live.total if live else 0.0,
            attempts=attempts,
            **{**defaults, **facts},
        )


def _close(env: gymnasium.Env[str, str]) -> None:
    with suppress(Exception):  # it may be broken; no finished episode depends on it
        env.close()


def _env_key(job: Job) -> str:
    return f"{job.env}{sorted(job.settings.items())!r}"


def _lockstep(driver: _Driver, jobs: Iterator[Job], env_workers: int) -> Iterator[Episode]:
    """All live episodes take their turn together; a finished one is replaced before the next turn."""
    agent = driver.agent
    waiting: deque[tuple[Job, int]] = deque()
    live: list[_Live] = []
    pool = ThreadPoolExecutor(env_workers) if env_workers else None

    def refill() -> Iterator[Episode]:
        while len(live) < agent.concurrency:
            job = waiting.popleft() if waiting else None
            if job is None:
                following = next(jobs, None)
                if following is None:
                    return
                job = (following, 1)
            started = driver.start(*job)
            if isinstance(started, Episode):
                yield started
            else:
                live.append(started)

    def step(pair: tuple[_Live, Action]) -> dict[str, Any] | Exception | None:
        try:
            return pair[0].step(pair[1])
        except Exception as error:
            return error

    try:
        yield from refill()
        while live:
            outcomes: Sequence[dict[str, Any] | Exception | None]
            try:
                actions = agent.act([episode.play for episode in live])
                pairs = list(zip(live, actions, strict=True))
                outcomes = list(pool.map(step, pairs)) if pool else [step(pair) for pair in pairs]
            except Exception as error:
                outcomes = [error] * len(live)
            for episode, outcome in zip(tuple(live), outcomes, strict=True):
                if outcome is None:
                    continue
                live.remove(episode)  # whatever is left in it when this loop is abandoned is dropped below
                if isinstance(outcome, Exception):
                    driver.drop(episode)
                    if driver.again(outcome, episode.attempts):
                        waiting.append((episode.job, episode.attempts + 1))
                    else:
                        yield driver.failed(episode.job, episode, episode.attempts, outcome)
                else:
                    agent.end(episode.play)
                    yield driver.done(episode, outcome)
            yield from refill()
    finally:
        for episode in live:
            driver.drop(episode)
        if pool:
            pool.shutdown()
        driver.close()


def _threaded(driver: _Driver, jobs: Iterator[Job]) -> Iterator[Episode]:
    """Each thread plays whole episodes."""
    stop = threading.Event()

    def play(job: Job) -> Episode | None:
        try:
            return whole(job)
        except BaseException:
            stop.set()  # before this thread takes the next job
            raise

    def whole(job: Job) -> Episode | None:
        attempts = 1
        while not stop.is_set():
            live = driver.start(job, attempts)
            if isinstance(live, Episode):
                return live
            try:
                end = None
                while end is None:
                    if stop.is_set():
                        driver.drop(live)
                        return None
                    end = live.step(driver.agent.act([live.play])[0])
            except Exception as error:
                driver.drop(live)
                if not driver.again(error, live.attempts):
                    return driver.failed(job, live, live.attempts, error)
                attempts = live.attempts + 1
                continue
            driver.agent.end(live.play)
            return driver.done(live, end)
        return None

    running: set[Future[Episode | None]] = set()
    finished_all = False
    try:
        with ThreadPoolExecutor(driver.agent.concurrency) as pool:
            try:
                for job in jobs:
                    running.add(pool.submit(play, job))
                    if len(running) >= 2 * driver.agent.concurrency:
                        finished, running = wait(running, return_when=FIRST_COMPLETED)
                        yield from _results(finished)
                while running:
                    finished, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from _results(finished)
                finished_all = True
            finally:
                stop.set()
                for future in running:
                    future.cancel()
                if not finished_all:
                    _interrupt(driver.agent, running)
    finally:
        driver.close()


def _interrupt(agent: Agent, running: Iterable[Future[Episode | None]]) -> None:
    """Interrupt the agent until all threads have left it: one may just be on its way into `act`."""
    agent.interrupt()
    pending = set(running)
    while pending := wait(pending, timeout=0.05).not_done:
        agent.interrupt()


def _results(finished: Iterable[Future[Episode | None]]) -> Iterator[Episode]:
    for future in sorted(finished, key=lambda f: f.exception() is not None):  # what was played before what stops us
        episode = future.result()
        if episode is not None:
            yield episode
