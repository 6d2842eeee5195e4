"""The player of episodes: where agents and environments meet, one or many episodes at once.

Everything that plays goes through here: evaluations, the trainer's rollouts, oracles and teachers, the audit. An
episode whose environment or agent fails is started again, and recorded as an error when it keeps failing; it is never
scored. What is kept of an episode is up to a recorder: `episode_of` keeps the texts, the trainer's keeps the tokens,
too.
"""

import copy
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import partial
from typing import Any, Generic, TypeVar

import gymnasium

from turnwise.core.agent import Action, Agent, Play, StreamingAgent
from turnwise.core.episode import Episode, Job, Turn
from turnwise.core.errors import FatalError, InfrastructureError

__all__ = ["Environments", "Live", "Player", "episode_of", "make_env", "play_in", "replay", "rollout"]

MakeEnv = Callable[[Job], gymnasium.Env[str, str]]
R = TypeVar("R")


def make_env(job: Job) -> gymnasium.Env[str, str]:
    """The job's environment, plain: no wrappers."""
    return gymnasium.make(job.env, **job.settings)


def rollout(
    agent: Agent, jobs: Iterable[Job], *, make: MakeEnv = make_env, **options: Any
) -> Generator[Episode, None, None]:
    """Play every job and yield its episode as soon as it ends.

    Args:
        agent: Who plays.
        jobs: What to play; taken lazily.
        make: Builds a job's environment; environments are reused among jobs of the same id and settings.
        options: Those of `Player`; what `Player.play` raises is raised here, too.
    """
    envs = Environments(make)
    try:
        for _, episode in Player(agent, envs, **options).play(jobs, lambda live: episode_of(live, agent.name)):
            yield episode
    finally:
        envs.close()


def play_in(
    env: Any, act: Callable[[Play], Action | None], job: Job, *, agent: str = "", strict: bool = True
) -> Episode:
    """Play one episode in a given environment, which stays open.

    Args:
        env: Any environment.
        act: Answers; None ends the episode where it is.
        job: Its seed and key count.
        agent: Name in the record.
        strict: Raise what is raised, unless it is an `InfrastructureError`, instead of recording it.
    """
    live = Live(job)
    try:
        live.begin(env)
        while not live.over and (action := act(live.play)) is not None:
            live.step(action)
    except Exception as error:
        if isinstance(error, FatalError) or (strict and not isinstance(error, InfrastructureError)):
            raise
        live.error = error
    return episode_of(live, agent)


def replay(old: Episode, env: Any, before: Callable[[], None] = lambda: None) -> Episode:
    """The episode that the stored actions make today; it may end before the last of them, or not at all.

    Args:
        old: The stored one; tokens and agent stay.
        env: Its environment as it is today.
        before: Called before every action, and once when none is left.
    """
    names = [f.name for f in fields(Action) if f.name != "text"]
    actions = iter([Action(turn.action, **{name: getattr(turn, name) for name in names}) for turn in old.turns])

    def act(play: Play) -> Action | None:
        before()
        return next(actions, None)

    return replace(play_in(env, act, old.job, agent=old.agent), attempts=old.attempts)


class Environments:
    """Idle environments, used again for jobs of the same id and settings.

    Args:
        make: Builds a job's environment.
    """

    def __init__(self, make: MakeEnv = make_env) -> None:
        self._make = make
        self._idle: defaultdict[str, list[gymnasium.Env[str, str]]] = defaultdict(list)

    def take(self, job: Job) -> gymnasium.Env[str, str]:
        """An environment for the job, not yet reset."""
        try:
            return self._idle[_kind(job)].pop()  # one step: other threads take environments, too
        except IndexError:
            return self._make(job)

    def give_back(self, job: Job, env: gymnasium.Env[str, str]) -> None:
        """The job is done and the environment sound: keep it for the next."""
        self._idle[_kind(job)].append(env)

    def close(self) -> None:
        """Close all that are idle."""
        for env in (env for idle in self._idle.values() for env in idle):
            _close(env)
        self._idle.clear()


def _kind(job: Job) -> str:
    return f"{job.env}{sorted(job.settings.items())!r}"


def _close(env: gymnasium.Env[str, str]) -> None:
    with suppress(Exception):  # it may be broken; no finished episode depends on it
        env.close()


class Live:
    """An episode being played: what the agent sees of it, and what has happened so far.

    Attributes:
        job: What is played.
        number: Of the job among those given.
        attempts: How often it was started, this time included.
        play: What the agent sees.
        turns: The exchanges so far.
        observation: What the environment said last.
        pending: The action that the environment has read and not answered: it failed.
        over: The episode has ended.
        info: Of its last step, once the environment has ended it.
        error: Why it failed.
        noted: What the player's ``note`` read at the start.
    """

    def __init__(self, job: Job, number: int = 0, attempts: int = 1) -> None:
        self.job, self.number, self.attempts = job, number, attempts
        none: Any = None  # until it begins
        self.env, self.play = none, Play([], none, (*job.rng_key, 0))
        self.turns: list[Turn] = []
        self.task_id = self.observation = ""
        self.total = 0.0
        self.pending: Action | None = None
        self.over = self.terminated = self.truncated = False
        self.info: dict[str, Any] = {}
        self.error: Exception | None = None
        self.noted: Any = None

    def begin(self, env: gymnasium.Env[str, str], system: str | None = None) -> None:
        """Reset the environment and open the conversation."""
        self.env = self.play.env = env
        self.observation, info = env.reset(seed=self.job.seed)
        self.task_id = str(info.get("task_id", ""))
        if system:
            self.play.messages.append({"role": "system", "content": system})
        self.play.messages.append({"role": "user", "content": self.observation + self.job.hint})

    def fork(self, env: Any) -> "Live":
        """Copy the episode so far, to go on in a copy of its environment."""
        twin = copy.copy(self)
        twin.env, twin.turns = env, list(self.turns)
        twin.play = replace(self.play, env=env, messages=list(self.play.messages), state=None)
        return twin

    def step(self, action: Action) -> None:
        """Play the action."""
        play, before, reward = self.play, self.observation, 0.0
        info: dict[str, Any] = {}
        if not action.internal:
            self.pending = action
            self.observation, reward, self.terminated, self.truncated, info = self.env.step(action.text)
            self.pending = None
            play.messages.append({"role": "assistant", "content": action.text})
            play.messages.append({"role": "user", "content": self.observation})
        self.total += float(reward)
        invalid, shaping = bool(info.get("invalid_action", False)), float(info.get("shaping", 0.0))
        said = dict(vars(action), observation=before, reward=float(reward), invalid=invalid, shaping=shaping)
        said["action"] = said.pop("text")  # the only thing that a turn calls otherwise than its action does
        self.turns.append(Turn.of_all(said))
        play.turn += 1
        play.rng_key = (*self.job.rng_key, play.turn)
        if self.terminated or self.truncated:
            self.over, self.info = True, info
            if not info.get("reward_valid", True):
                raise InfrastructureError(str(info.get("error", "the environment failed")))


def episode_of(live: Live, agent: str) -> Episode:
    """The record of an episode that has ended or failed, as texts."""
    error, info = live.error, live.info if live.error is None else {}
    text = str(error) if isinstance(error, InfrastructureError) else f"{type(error).__name__}: {error}"
    return Episode(
        env=live.job.env,
        settings=dict(live.job.settings),
        agent=agent,
        seed=live.job.seed,
        sample=live.job.sample,
        task_id=live.task_id,
        turns=tuple(live.turns),
        final_observation=live.observation,
        episode_return=live.total,
        solved=bool(info.get("solved", False)),
        terminated=bool(live.terminated) and error is None,
        truncated=bool(live.truncated) and error is None,
        metrics={name: float(value) for name, value in info.get("metrics", {}).items()},
        status="done" if error is None else "error",
        error=None if error is None else text or type(error).__name__,
        attempts=live.attempts,
    )


@dataclass(frozen=True)
class Player:
    """Plays jobs: schedules episodes, asks the agent, steps environments, starts again what failed.

    Args:
        agent: Who plays. Batched agents get all live episodes together, and an episode that ends is replaced
            immediately; others play ``agent.concurrency`` episodes in threads.
        envs: Where environments come from and go back to; they are not closed here.
        system: A system message before each conversation.
        retries: How often an episode that failed is started again.
        env_workers: Threads that step environments under a batched agent; 0 steps them in turn.
        strict: Raise what an environment or agent raises, unless it is an `InfrastructureError`, instead of
            recording it.
        trusted: What a batched agent raises is raised, whatever it is: it is not the fault of an episode.
        wait_share: Part of the episodes that are with a streaming agent which must have an answer before any goes on;
            at 1 all take their turns together.
        note: Reads something from an environment that has just been reset, for the record (``Live.noted``).
    """

    agent: Agent
    envs: Environments
    _: KW_ONLY
    system: str | None = None
    retries: int = 2
    env_workers: int = 0
    strict: bool = False
    trusted: bool = False
    wait_share: float = 1.0
    note: Callable[[Any], Any] = lambda env: None

    def play(self, jobs: Iterable[Job], record: Callable[[Live], R]) -> Generator[tuple[int, R], None, None]:
        """Play every job; yield its number and its record as soon as it ends.

        Args:
            jobs: Taken lazily.
            record: Makes the record of an episode that is over or has failed for good, before the agent forgets it.

        Raises:
            FatalError: What the agent or an environment met would fail every other episode too.
        """
        run, finished = _Run(self, jobs, record), False
        try:
            yield from run.together() if self.agent.batched else run.threaded()
            finished = True
        finally:
            run.close(finished=finished)


class _Run(Generic[R]):
    """One call of `Player.play`: the episodes that are alive, and where each of them is."""

    def __init__(self, player: Player, jobs: Iterable[Job], record: Callable[[Live], R]) -> None:
        self.player, self.agent, self.record = player, player.agent, record
        self.jobs = enumerate(jobs)
        self.waiting: deque[Live] = deque()  # to be started again
        self.acting: dict[Play, Live] = {}  # with the agent
        self.stepping: dict[Future[None], Live] = {}  # in a thread
        self.ready: list[Live] = []  # to be asked for an action, or over
        workers = player.env_workers if self.agent.batched else self.agent.concurrency
        self.pool = ThreadPoolExecutor(workers, "episodes") if workers else None
        self.stop = threading.Event()

    def together(self) -> Iterator[tuple[int, R]]:
        """One agent answers all live episodes; those whose environment has answered are asked again."""
        agent, share = self.agent, self.player.wait_share
        while self._start(self._begin):
            if self.stepping and (share == 1 or not (self.acting or self.ready)):
                wait(self.stepping, return_when=ALL_COMPLETED if share == 1 else FIRST_COMPLETED)
            self._return()
            yield from self._ask()
            if not self.acting:
                continue
            plays = list(self.acting)
            try:
                if isinstance(agent, StreamingAgent):
                    answers = agent.collect(max(1, int(len(plays) * share)))
                else:
                    answers = list(zip(plays, agent.act(plays), strict=True))
            except Exception as error:
                yield from self._agent_failed(error)
                continue
            for play, action in answers:
                live = self.acting.pop(play)
                self._call(partial(live.step, action), live, here=action.internal)
            yield from self._ask()

    def threaded(self) -> Iterator[tuple[int, R]]:
        """Each thread plays whole episodes."""
        while self._start(self._whole):
            wait(self.stepping, return_when=FIRST_COMPLETED)
            self._return()
            yield from self._over()

    def close(self, *, finished: bool) -> None:
        """Give up what is left; the environments of these episodes are not used again."""
        self.stop.set()
        for future in self.stepping:
            future.cancel()
        while not (finished or self.agent.batched):
            self.agent.interrupt()  # again and again: a thread may just be on its way into `act`
            finished = not wait(self.stepping, timeout=0.05).not_done
        if self.pool:
            self.pool.shutdown()
        for live in (*self.acting.values(), *self.stepping.values(), *self.ready):
            self._leave(live, sound=False)

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _start(self, call: Callable[[Live], None]) -> bool:
        """Fill the free places; whether any episode is alive."""
        for _ in range(self.agent.concurrency - len(self.acting) - len(self.stepping) - len(self.ready)):
            if self.waiting:
                live = self.waiting.popleft()
            elif (following := next(self.jobs, None)) is not None:
                live = Live(following[1], following[0])
            else:
                break
            self._call(partial(call, live), live)
        return bool(self.acting or self.stepping or self.ready)

    def _call(self, call: Callable[[], None], live: Live, *, here: bool = False) -> None:
        """Let an episode go on: in a thread, if there are any."""
        if self.pool is not None and not here:
            self.stepping[self.pool.submit(self._guarded, call, live)] = live
        else:
            self.ready.append(live)
            self._guarded(call, live)

    def _guarded(self, call: Callable[[], None], live: Live) -> None:
        try:
            call()
        except Exception as error:
            live.error = error
            if isinstance(error, FatalError):
                self.stop.set()  # before another thread takes its next turn

    def _return(self) -> None:
        """Take back what the threads are done with."""
        for future in [future for future in self.stepping if future.done()]:
            self.ready.append(self.stepping.pop(future))
            future.result()

    def _begin(self, live: Live) -> None:
        live.begin(self.player.envs.take(live.job), self.player.system)
        live.noted = self.player.note(live.env)

    def _whole(self, live: Live) -> None:
        """An episode from beginning to end, or until all are given up."""
        self._begin(live)
        while not (live.over or self.stop.is_set()):
            live.step(self.agent.act([live.play])[0])

    def _ask(self) -> Iterator[tuple[int, R]]:
        """Ask for the next action of the episodes that are ready; those that are over leave."""
        yield from self._over()
        plays = [live.play for live in self.ready]
        self.acting |= zip(plays, self.ready, strict=True)
        self.ready.clear()
        if not isinstance(self.agent, StreamingAgent):
            return
        try:
            for play in self.agent.submit(plays):
                live = self.acting.pop(play)
                live.over = True
                self.ready.append(live)
        except Exception as error:
            yield from self._agent_failed(error)
        yield from self._over()

    def _over(self) -> Iterator[tuple[int, R]]:
        """The records of the episodes that are over, what stops everything last; some that failed start again."""
        over = [live for live in self.ready if live.over or live.error]
        for live in sorted(over, key=lambda live: isinstance(live.error, FatalError)):
            self.ready.remove(live)
            try:
                again = live.error is not None and self._again(live.error, live.attempts)
                found = None if again else self.record(live)
            finally:
                self._leave(live, sound=live.error is None)
            if again:
                self.waiting.append(Live(live.job, live.number, live.attempts + 1))
            else:
                yield live.number, found  # type: ignore[misc]

    def _again(self, error: Exception, attempts: int) -> bool:
        """Whether an episode that failed is to be started again."""
        if isinstance(error, FatalError):
            raise error
        if isinstance(error, InfrastructureError):
            return attempts <= self.player.retries
        if self.player.strict:
            raise error
        return False  # a fault of a program, not of the weather: it would fail again

    def _agent_failed(self, error: Exception) -> Iterator[tuple[int, R]]:
        """Nobody who is with the agent has an answer."""
        if self.player.trusted:
            raise error
        for live in self.acting.values():
            live.error = error
        self.ready += self.acting.values()
        self.acting.clear()
        yield from self._over()

    def _leave(self, live: Live, *, sound: bool) -> None:
        """The agent forgets the episode; a sound environment may be used again."""
        self.agent.end(live.play)
        if sound:
            self.player.envs.give_back(live.job, live.env)
        elif live.env is not None:
            _close(live.env)
