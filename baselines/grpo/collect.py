"""Collecting rollouts: environments and the sampler in lock step, every token kept as it was sampled.

A task is a seed; the G rollouts of a task reset G environments with the same seed, so they read the same prompt.
What a rollout samples depends on its key (seed, phase, step, task, sample, turn) and the weights, not on the
rollouts beside it. (turnwise.rollout plays any agent and records texts; here the record is the tokens.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

import turnwise
from turnwise.agents.engine import Engine
from turnwise.agents.tokens import Renderer, Stream
from turnwise.baselines.grpo.config import TrainConfig
from turnwise.baselines.grpo.warmstart import teacher_play
from turnwise.core import seed_of
from turnwise.errors import FatalError, InfrastructureError

__all__ = ["EVAL", "TRAIN", "Collector", "Group", "Trajectory", "make_env", "shuffle_rewards", "vocabulary_texts"]

TRAIN, EVAL = 0, 1
"""Phases, a part of every sampling key: evaluation never uses the random numbers of training."""

Status = Literal["running", "done", "truncated", "no_room", "error"]


@dataclass
class Trajectory:
    """One episode as it was played.

    ``truncated`` is the environment's turn limit, ``no_room`` the model's context length; both keep their
    reward. ``error`` is a failure of the environment: such a rollout is no part of loss, baseline or mean.
    """

    seed: int
    sample: int
    key: tuple[int, ...]
    stream: Stream = field(default_factory=Stream)
    rewards: list[float] = field(default_factory=list)
    status: Status = "running"
    solved: bool = False
    cut_turns: int = 0  # turns that ran out of tokens
    error: str = ""

    @property
    def valid(self) -> bool:
        return self.status != "error"

    @property
    def total(self) -> float:
        return sum(self.rewards)


@dataclass(frozen=True)
class Group:
    """The rollouts of one task."""

    seed: int
    trajectories: list[Trajectory]

    @property
    def rewards(self) -> list[list[float]]:
        return [t.rewards for t in self.trajectories]

    @property
    def valid(self) -> list[bool]:
        return [t.valid for t in self.trajectories]


def make_env(cfg: TrainConfig, split: str) -> Any:
    """An environment of the run, restricted to a split."""
    settings = dict(cfg.env_settings)
    if cfg.max_turns:
        settings["max_turns"] = cfg.max_turns
    return turnwise.make(cfg.env, **settings, split=split)


def vocabulary_texts(cfg: TrainConfig, episodes: int = 128) -> list[str]:
    """What is said in some training episodes: the texts that the tiny tokenizer is made from."""
    env = make_env(cfg, "train")
    plays = [teacher_play(env, seed_of(cfg.seed, "vocabulary", i), cfg.warm_skill) for i in range(episodes)]
    env.close()
    return [text for play in plays for turn in play for text in turn]


def shuffle_rewards(groups: list[Group], key: tuple[int, ...]) -> None:
    """Give every rollout the return of a random one of the step, as reward of its last turn."""
    runs = [t for g in groups for t in g.trajectories if t.valid and t.rewards]
    totals = [t.total for t in runs]
    order = np.random.default_rng(np.random.SeedSequence([*key, 1])).permutation(len(runs))
    for trajectory, other in zip(runs, order.tolist(), strict=True):
        trajectory.rewards = [0.0] * (len(trajectory.rewards) - 1) + [totals[other]]


class Collector:
    """Plays groups of episodes with the current weights."""

    def __init__(self, cfg: TrainConfig, engine: Engine, renderer: Renderer) -> None:
        self.cfg, self.engine, self.renderer = cfg, engine, renderer
        self._envs: dict[str, list[Any]] = {"train": [], "test": []}

    def play(
        self,
        seeds: Sequence[int],
        samples: int,
        *,
        split: Literal["train", "test"],
        key: tuple[int, ...],
        first_task: int = 0,
        greedy: bool = False,
    ) -> list[Group]:
        """Play every task ``samples`` times, all episodes together, one turn after the other.

        Args:
            seeds: of the tasks.
            samples: rollouts of each.
            split: of the environments.
            key: what the sampling keys begin with.
            first_task: number of the first task in the sampling keys.
            greedy: take the likeliest token.
        """
        runs = [
            Trajectory(seed, sample, (*key, first_task + task, sample))
            for task, seed in enumerate(seeds)
            for sample in range(samples)
        ]
        pool = self._envs[split]
        while len(pool) < len(runs):
            pool.append(make_env(self.cfg, split))
        episodes = [_Episode(run, env) for run, env in zip(runs, pool, strict=False)]
        self._play_all(episodes, greedy)
        if runs and not any(run.valid for run in runs):
            raise InfrastructureError(f"all of {len(runs)} episodes failed, the first with: {runs[0].error}")
        for i, run in enumerate(runs):
            if run.status == "error":  # what failed may be broken
                pool[i].close()
                pool[i] = make_env(self.cfg, split)
        return [Group(seed, runs[i * samples : (i + 1) * samples]) for i, seed in enumerate(seeds)]

    def close(self) -> None:
        """Close the environments."""
        for env in (e for pool in self._envs.values() for e in pool):
            env.close()

    def _play_all(self, episodes: list["_Episode"], greedy: bool) -> None:
        rows = self.engine.open(len(episodes))
        for episode, row in zip(episodes, rows, strict=True):
            episode.row = row
            observation = episode.reset()
            if observation is not None:
                episode.context = self.renderer.start([{"role": "user", "content": observation}])
        live = self._make_room(episodes)
        while live:
            self.engine.extend([e.row for e in live], [e.context for e in live])
            self._take_turn(live, greedy)
            live = self._make_room(live)

    def _take_turn(self, live: list["_Episode"], greedy: bool) -> None:
        """Sample one action for every live episode and play it."""
        cfg, engine, renderer = self.cfg, self.engine, self.renderer
        room = [engine.max_len - len(e.run.stream) for e in live]
        sampled = engine.sample(
            [e.row for e in live],
            max_new=[min(cfg.max_new_tokens, r) for r in room],
            stop_ids=renderer.stop_ids,
            temperature=cfg.temperature,
            keys=[(*e.run.key, e.run.stream.num_turns) for e in live],
            greedy=greedy,
        )
        for episode, action in zip(live, sampled, strict=True):
            episode.run.stream.action(action.ids, action.logps)
            episode.run.cut_turns += not action.stopped
            observation = episode.step(renderer.decode(action.ids))
            if observation is not None:
                message = [{"role": "user", "content": observation}]
                episode.context = renderer.bridge(message, closed=action.stopped)

    def _make_room(self, episodes: list["_Episode"]) -> list["_Episode"]:
        """Write down the new context of the episodes that go on; end those that no longer fit, free their rows."""
        live, over = [], []
        for episode in episodes:
            run = episode.run
            if run.status == "running" and len(run.stream) + len(episode.context) >= self.engine.max_len:
                run.status = "no_room"
            if run.status == "running":
                run.stream.context(episode.context)
                live.append(episode)
            else:
                over.append(episode.row)
        if over:
            self.engine.close(over)
        return live


@dataclass(eq=False)
class _Episode:
    """A trajectory being played: its environment, its row in the engine, the context it is to read next."""

    run: Trajectory
    env: Any
    row: int = -1
    context: list[int] = field(default_factory=list)

    def reset(self) -> str | None:
        """The first observation, or None if the environment failed."""
        try:
            observation: str = self.env.reset(seed=self.run.seed)[0]
        except FatalError:
            raise
        except Exception as error:  # a failing environment loses its episode, not the run
            self._fail(error)
            return None
        return observation

    def step(self, action: str) -> str | None:
        """Play ``action``; the next observation, or None if the episode is over."""
        run = self.run
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except FatalError:
            raise
        except Exception as error:
            self._fail(error)
            return None
        run.rewards.append(float(reward))
        if not (terminated or truncated):
            return str(observation)
        run.status = "done" if terminated else "truncated"
        run.solved = bool(info.get("solved", False))
        if not info.get("reward_valid", True):
            run.status, run.error = "error", str(info.get("error", "reward_valid is False"))
        return None

    def _fail(self, error: Exception) -> None:
        self.run.status, self.run.error = "error", f"{type(error).__name__}: {error}"
        if len(self.run.rewards) < self.run.stream.num_turns:
            self.run.rewards.append(0.0)  # one reward per sampled turn, always
