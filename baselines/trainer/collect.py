"""Collecting rollouts: environments and the sampler together, every token kept as it was sampled.

A task is an environment, its settings and a seed; the rollouts of a task read the same prompt. What a rollout samples
depends on its key (seed, phase, step, task, sample, turn) and the weights, not on the rollouts beside it, nor on the
order in which turns happen to finish; only the last bits of its log-probabilities depend on what was computed beside
it. (turnwise.core.player plays any agent and records texts; here the record is the tokens.)
"""

import copy
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import turnwise
from turnwise.baselines.methods.curricula.base import Outcome, TaskSpec
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import CONTEXTS, Context, Next
from turnwise.baselines.trainer.warmstart import teacher_play
from turnwise.core.env import seed_of
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.wrappers import Retry
from turnwise.engine.sampling import Engine, Sampled
from turnwise.engine.tokens import Renderer, Stream

__all__ = [
    "EVAL",
    "TRAIN",
    "Collector",
    "Group",
    "Play",
    "Trajectory",
    "anchor_of",
    "make_env",
    "outcome",
    "shuffle_rewards",
    "vocabulary_texts",
]

TRAIN, EVAL = 0, 1
"""Phases, a part of every sampling key: evaluation never uses the random numbers of training."""

Status = Literal["running", "done", "truncated", "no_room", "error"]


@dataclass(frozen=True)
class Play:
    """One rollout to be played: a task, and the key of its random numbers."""

    task: TaskSpec
    key: tuple[int, ...]
    hint: str = ""
    """Said after the first observation; see guidance.py."""


@dataclass
class Trajectory:
    """One episode as it was played.

    ``truncated`` is the environment's turn limit, ``no_room`` the model's context length; both keep their
    reward. ``error`` is a failure of the environment: such a rollout is no part of loss, baseline or mean.

    Attributes:
        play: What was asked for.
        streams: Its rows: one, unless the context policy began new ones.
        rewards: Of each turn, from the environment.
        shaping: Of each turn: what the environment adds for learning, should the run's shaping ask for it.
        signal: Of each turn: the reward that is learned from; like ``rewards`` unless shaped or replaced.
        anchors: Of each turn: a hash of the observation it answered.
        invalid: Of each turn: the action was no move.
        texts: Of each turn: what the environment read.
        observations: What was said before each turn, and after the last; without the hint.
        reference: The action that solves the task, where the run asks for it and the environment knows it.
        external: Not the policy's own answer to what it reads in ``streams``: trained with the loss of the guidance.
        version: Steps that the weights had been trained for when it began.
        advantages: Of the sampled tokens of each row, once the credit has been assigned.
    """

    play: Play
    streams: list[Stream] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    shaping: list[float] = field(default_factory=list)
    signal: list[float] = field(default_factory=list)
    anchors: list[int] = field(default_factory=list)
    invalid: list[bool] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    reference: str | None = None
    external: bool = False
    status: Status = "running"
    solved: bool = False
    tool_calls: int = -1  # -1: the environment counts none
    cut_turns: int = 0  # turns that ran out of tokens
    version: int = 0
    advantages: list[npt.NDArray[np.float64]] = field(default_factory=list)
    kept: bool = True  # the sampling keeps it: it is trained, not only part of the statistics
    error: str = ""

    @property
    def valid(self) -> bool:
        return self.status != "error"

    @property
    def total(self) -> float:
        return sum(self.rewards)

    @property
    def num_turns(self) -> int:
        return len(self.rewards)

    @property
    def advantage(self) -> float:
        """Mean absolute advantage of its tokens."""
        return float(np.abs(np.concatenate(self.advantages)).mean()) if self.advantages else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Trajectory":
        """What ``to_dict`` gave, sharing nothing with it."""
        values = copy.deepcopy(dict(values))
        play = values["play"]
        task = TaskSpec(**play["task"])
        streams = [Stream(**stream) for stream in values["streams"]]
        return cls(**{**values, "play": Play(task, tuple(play["key"]), play["hint"]), "streams": streams})

    def took_turn(self, reward: float, anchor: int, invalid: bool, text: str, shaping: float = 0.0) -> None:
        """Write down one turn."""
        self.rewards.append(reward)
        self.shaping.append(shaping)
        self.signal.append(reward)
        self.anchors.append(anchor)
        self.invalid.append(invalid)
        self.texts.append(text)

    @property
    def num_tokens(self) -> int:
        """Sampled tokens, all rows together."""
        return sum(sum(stream.mask) for stream in self.streams)


@dataclass(frozen=True)
class Group:
    """The rollouts of one task, and ``lessons``: what else is trained with them, but is no part of any statistics."""

    task: TaskSpec
    trajectories: list[Trajectory]
    lessons: list[Trajectory] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The same for the same task in another step."""
        return f"{self.task.env} {self.task.arm} {self.task.seed}"

    @property
    def valid(self) -> list[Trajectory]:
        """The rollouts whose environment did not fail."""
        return [t for t in self.trajectories if t.valid]

    @property
    def returns(self) -> list[float]:
        """Of the valid rollouts."""
        return [t.total for t in self.valid]


def outcome(group: Group) -> Outcome:
    """What a curriculum hears of a task."""
    valid = [t for t in group.valid if not t.external]
    return Outcome(
        group.task,
        returns=tuple(t.total for t in valid),
        solved=tuple(t.solved for t in valid),
        advantages=tuple(t.advantage for t in valid),
        tokens=sum(t.num_tokens for t in valid),
        turns=sum(t.num_turns for t in valid),
    )


def make_env(cfg: TrainConfig, split: str, task: TaskSpec | None = None, horizon: int | None = None) -> Any:
    """An environment of the run, restricted to a split.

    Args:
        cfg: The run.
        split: "train" or "test".
        task: Names another environment and settings than those of the run.
        horizon: Turn limit, where that is below the run's.
    """
    settings = dict(cfg.env_settings if task is None else task.settings)
    if cfg.max_turns:
        settings["max_turns"] = cfg.max_turns
    env: Any = turnwise.make(cfg.env if task is None else task.env, **settings, split=split)
    if cfg.tries > 1:
        env = Retry(env, cfg.tries, "try again")
    if horizon is not None and 1 < horizon < env.unwrapped.max_turns:
        env.unwrapped.max_turns = horizon
    return env


def target_envs(cfg: TrainConfig, split: str) -> list[Any]:
    """The environments of ``cfg.targets``, restricted to a split."""
    return [make_env(cfg, split, TaskSpec(arm.env, arm.settings, 0)) for arm in cfg.targets]


def check_environments(cfg: TrainConfig) -> None:
    """Make and reset every environment that the run will play, so that none fails after the warm start.

    Raises:
        SettingsError: One cannot be made with its settings; the message names it.
    """
    for split, arms in (("train", [*cfg.make_curriculum().arms, *cfg.targets]), ("test", cfg.targets)):
        for arm in {arm.label: arm for arm in arms}.values():
            try:
                env = make_env(cfg, split, TaskSpec(arm.env, arm.settings, 0))
                try:
                    env.reset(seed=0)
                finally:
                    env.close()
            except SettingsError as error:
                raise SettingsError(f"{arm.label}, {split} split: {error}") from error


def vocabulary_texts(cfg: TrainConfig, episodes: int = 128) -> list[str]:
    """What is said in some training episodes: the texts that the tiny tokenizer is made from."""
    texts = []
    for env in target_envs(cfg, "train"):
        plays = [teacher_play(env, seed_of(cfg.seed, "vocabulary", i), cfg.warm_skill) for i in range(episodes)]
        env.close()
        texts += [text for play in plays for turn in play for text in turn]
    return [*([cfg.system] if cfg.system else ()), *texts]


def shuffle_rewards(groups: list[Group], key: tuple[int, ...]) -> None:
    """Let every rollout learn from the return of a random one of the step, as reward of its last turn."""
    runs = [t for g in groups for t in g.trajectories if t.valid and t.rewards]
    totals = [sum(t.signal) for t in runs]
    order = np.random.default_rng(np.random.SeedSequence([*key, 1])).permutation(len(runs))
    for trajectory, other in zip(runs, order.tolist(), strict=True):
        trajectory.signal = [0.0] * (trajectory.num_turns - 1) + [totals[other]]


class Collector:
    """Plays episodes with the current weights."""

    def __init__(self, cfg: TrainConfig, engine: Engine, renderer: Renderer, *, max_rows: int) -> None:
        self.cfg, self.engine, self.renderer, self.max_rows = cfg, engine, renderer, max_rows
        self._envs: dict[str, list[Any]] = {}  # idle ones, by what they are
        self._pool = ThreadPoolExecutor(cfg.env_threads, "environments") if cfg.env_threads else None
        context = CONTEXTS[cfg.context]
        self._context: Callable[[], Context] = lambda: context(renderer, cfg.system, **cfg.context_settings)

    def load(self, version: int, weights: Iterable[Any] = ()) -> None:
        """The weights are new: drop what was computed with the old ones. The engine's model has them already."""
        self.engine.load(version)

    def play(
        self,
        plays: Sequence[Play],
        *,
        split: Literal["train", "test"] = "train",
        horizon: int | None = None,
        greedy: bool = False,
        version: int = 0,
    ) -> list[Trajectory]:
        """Play some rollouts, as many at once as the engine has rows.

        Rows whose turn has finished leave the sampler, hear what their environment answers (in threads, where the run
        has ``env_threads``, while the others go on), and come back; episodes that end make room for new ones.
        """
        runs = [Trajectory(play, version=version) for play in plays]
        waiting = deque(_Episode(run, self._context(), split, horizon, self.cfg.needs_reference) for run in runs)
        in_step = self.cfg.wait_share == 1
        sampling: dict[int, _Episode] = {}  # by row
        hearing: dict[Future[None], _Episode] = {}  # in a thread
        while waiting or sampling or hearing:
            begin = [waiting.popleft() for _ in range(min(len(waiting), self.max_rows - len(sampling) - len(hearing)))]
            ready = self._hear([(e, e.reset, self._env(e)) for e in begin], hearing)
            if hearing and (in_step or not (sampling or ready)):
                wait(hearing, return_when=ALL_COMPLETED if in_step else FIRST_COMPLETED)
            for future in [f for f in hearing if f.done()]:
                future.result()  # an error in a thread is an error here
                ready.append(hearing.pop(future))
            for episode in self._submit(ready, greedy):
                sampling[episode.row] = episode
            if sampling:
                least = max(1, int(len(sampling) * self.cfg.wait_share))
                finished = [(sampling.pop(row), action) for row, action in self.engine.collect(least)]
                again = self._hear([(e, e.step, self._acted(e, action)) for e, action in finished], hearing)
                for episode in self._submit(again, greedy):
                    sampling[episode.row] = episode
        return runs

    def close(self) -> None:
        """Close the environments."""
        if self._pool is not None:
            self._pool.shutdown()
        for env in (e for pool in self._envs.values() for e in pool):
            env.close()
        self._envs.clear()

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _submit(self, ready: Sequence["_Episode"], greedy: bool) -> list["_Episode"]:
        """Ask the engine for the next turn of some episodes; those that are over or no longer fit drop out."""
        live = []
        for episode in ready:
            if self._make_room(episode):
                live.append(episode)
            else:
                self._leave(episode)
        if live:
            engine = self.engine
            engine.extend([e.row for e in live], [e.next.ids for e in live])
            engine.submit(
                [e.row for e in live],
                max_new=[min(self.cfg.max_new_tokens, engine.max_len - len(e.stream)) for e in live],
                stop_ids=self.renderer.stop_ids,
                temperature=self.cfg.temperature,
                keys=[(*e.run.play.key, e.stream.num_turns) for e in live],
                greedy=greedy,
            )
        return live

    def _make_room(self, episode: "_Episode") -> bool:
        """Write down what an episode reads next; False if it is over, or its row would be too long."""
        run, following = episode.run, episode.next
        if run.status != "running":
            return False
        before = 0 if following.fresh else len(episode.stream)
        if before + len(following.ids) >= self.engine.max_len:
            run.status = "no_room"
            return False
        if following.fresh:
            if episode.row >= 0:
                self.engine.close([episode.row])
            (episode.row,) = self.engine.open(1)
            run.streams.append(Stream(num_turns=run.num_turns))
        episode.stream.context(following.ids)
        return True

    def _acted(self, episode: "_Episode", action: Sampled) -> str | None:
        """Write down a sampled turn; what the environment is to read of it, None if it is not for it."""
        run = episode.run
        episode.stream.action(action.ids, action.logps)
        run.cut_turns += not action.stopped
        episode.action = action
        if not episode.next.internal:
            return self.renderer.decode(action.ids)
        state = anchor_of(f"summary of {episode.anchor}")  # not the state that the environment's next turn starts from
        run.took_turn(0.0, state, False, self.renderer.decode(action.ids))
        run.observations.append(run.observations[-1])  # it is read again, after the summary
        episode.next = episode.context.summarised(action.ids)
        return None

    def _hear(
        self, calls: Sequence[tuple["_Episode", Callable[[Any], None], Any]], hearing: dict[Future[None], "_Episode"]
    ) -> list["_Episode"]:
        """Let environments answer: those that have, at once; the others go to ``hearing``."""
        ready = []
        for episode, call, argument in calls:
            if self._pool is None or argument is None:
                if argument is not None:
                    call(argument)
                ready.append(episode)
            else:
                hearing[self._pool.submit(call, argument)] = episode
        return ready

    def _env(self, episode: "_Episode") -> Any:
        """An idle environment of the kind that the episode plays."""
        task = episode.run.play.task
        episode.kind = json.dumps([task.env, dict(task.settings), episode.split, episode.horizon], sort_keys=True)
        idle = self._envs.setdefault(episode.kind, [])
        return idle.pop() if idle else make_env(self.cfg, episode.split, task, episode.horizon)

    def _leave(self, episode: "_Episode") -> None:
        """An episode is over: its row and environment are free."""
        if episode.row >= 0:
            self.engine.close([episode.row])
        if episode.env is None:
            return
        if episode.run.status == "error":  # what failed may be broken
            episode.env.close()
        else:
            self._envs[episode.kind].append(episode.env)


@dataclass(eq=False)
class _Episode:
    """A trajectory being played: its environment, its row in the engine, and what it is to read next."""

    run: Trajectory
    context: Context
    split: str
    horizon: int | None
    reference: bool
    env: Any = None
    kind: str = ""
    row: int = -1
    next: Next = field(default_factory=lambda: Next([]))
    action: Sampled | None = None
    anchor: int = 0

    @property
    def stream(self) -> Stream:
        return self.run.streams[-1]

    def reset(self, env: Any) -> None:
        """Hear the first observation."""
        self.env, play = env, self.run.play
        try:
            observation: str = env.reset(seed=play.task.seed)[0]
        except FatalError:
            raise
        except Exception as error:  # a failing environment loses its episode, not the run
            self._fail(error)
            return
        self.anchor = anchor_of(observation)
        self.run.observations.append(observation)
        if self.reference:
            self.run.reference = env.unwrapped.reference()
        self.next = self.context.opening(observation + play.hint)

    def step(self, text: str) -> None:
        """Play an action, and hear the next observation."""
        run = self.run
        try:
            observation, reward, terminated, truncated, info = self.env.step(text)
        except FatalError:
            raise
        except Exception as error:
            self._fail(error, text)
            return
        shaping = float(info.get("shaping", 0.0))
        run.took_turn(float(reward), self.anchor, bool(info.get("invalid_action")), text, shaping)
        run.observations.append(str(observation))
        if not (terminated or truncated):
            assert self.action is not None
            self.anchor = anchor_of(observation)
            self.next = self.context.after(
                self.action.ids, str(observation), closed=self.action.stopped, length=len(self.stream)
            )
            return
        run.status = "done" if terminated else "truncated"
        run.solved = bool(info.get("solved", False))
        run.tool_calls = int(info.get("metrics", {}).get("tool_calls", -1))
        if not info.get("reward_valid", True):
            run.status, run.error = "error", str(info.get("error", "reward_valid is False"))

    def _fail(self, error: Exception, text: str | None = None) -> None:
        self.run.status, self.run.error = "error", f"{type(error).__name__}: {error}"
        if text is not None:
            self.run.took_turn(0.0, self.anchor, False, text)  # one reward per sampled turn, always


def anchor_of(observation: str) -> int:
    """A number for an observation: equal for equal ones."""
    return int.from_bytes(blake2b(observation.encode("utf-8", "replace"), digest_size=7).digest(), "big")
