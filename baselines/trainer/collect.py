"""Collect rollouts from environments and the sampler; every token is kept as it was sampled.

A task is an environment, its settings and a seed; the rollouts of a task read the same prompt. What a rollout samples
depends on its key (seed, phase, step, task, sample, turn) and the weights, not on the rollouts beside it, nor on the
order in which turns happen to finish; only the last bits of its log-probabilities depend on what was computed beside
it. The player and the agent are those of evaluations (turnwise.core.player, turnwise.agents.local); the record holds
the tokens, too.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Literal

import turnwise
from turnwise.agents.local import LocalAgent
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import make_context
from turnwise.baselines.trainer.games.records import game_of
from turnwise.baselines.trainer.games.tables import Tables
from turnwise.baselines.trainer.rollouts import Rollout, rollout_of
from turnwise.baselines.trainer.warmstart import teacher_play
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import Environments, Player
from turnwise.core.wrappers import Retry
from turnwise.engine.sampling import Engine
from turnwise.engine.tokens import Renderer

__all__ = [
    "EVAL", "TRAIN", "Collector", "agent_options", "check_environments", "make_env", "target_envs", "vocabulary_texts",
]  # fmt: skip

TRAIN, EVAL = 0, 1
"""Phases, a part of every sampling key: evaluation never uses the random numbers of training."""


def make_env(cfg: TrainConfig, split: str, job: Job | None = None, horizon: int | None = None) -> Any:
    """Make an environment of the run, restricted to a split.

    Args:
        cfg: The run.
        split: "train" or "test".
        job: Its environment and settings are used instead of those of the run.
        horizon: Turn limit, if it is below the run's.
    """
    settings = dict(cfg.env.settings if job is None else job.settings)
    if cfg.env.max_turns:
        settings["max_turns"] = cfg.env.max_turns
    env: Any = turnwise.make(cfg.env.id if job is None else job.env, **settings, split=split)
    if cfg.env.tries > 1:
        env = Retry(env, cfg.env.tries, "try again")
    if horizon is not None and 1 < horizon < env.unwrapped.max_turns:
        env.unwrapped.max_turns = horizon
    return env


def target_envs(cfg: TrainConfig, split: str) -> list[Any]:
    """Make the environments of ``cfg.targets``, restricted to a split."""
    return [make_env(cfg, split, Job(arm.env, 0, settings=arm.settings)) for arm in cfg.targets]


def check_environments(cfg: TrainConfig) -> None:
    """Make and reset every environment that the run will play, so that none fails after the warm start.

    Raises:
        SettingsError: One cannot be made with its settings; the message names it.
    """
    for split, arms in (("train", [*cfg.make_curriculum().arms, *cfg.targets]), ("test", cfg.targets)):
        for arm in {arm.label: arm for arm in arms}.values():
            try:
                with closing(make_env(cfg, split, Job(arm.env, 0, settings=arm.settings))) as env:
                    env.reset(seed=0)
            except SettingsError as error:
                raise SettingsError(f"{arm.label}, {split} split: {error}") from error


def vocabulary_texts(cfg: TrainConfig, episodes: int = 128) -> list[str]:
    """Return the texts of some training episodes, from which the tiny tokenizer is made."""
    texts = []
    for env in target_envs(cfg, "train"):
        plays = [
            teacher_play(env, seed_of(cfg.run.seed, "vocabulary", i), cfg.warm_start.skill) for i in range(episodes)
        ]
        env.close()
        texts += [text for play in plays for turn in play.turns for text in (turn.observation, turn.action)]
    return [*([cfg.rollout.system] if cfg.rollout.system else ()), *texts]


def agent_options(cfg: TrainConfig) -> dict[str, Any]:
    """Return how the policy of a run samples: options of `LocalAgent`."""
    return {
        "max_new_tokens": cfg.rollout.max_new_tokens,
        "temperature": cfg.rollout.temperature,
        "seed": cfg.run.seed,
        "context": partial(make_context, cfg.rollout.context),
    }


class Collector:
    """Plays episodes with the current weights.

    Args:
        cfg: The run.
        engine: Samples from the policy.
        renderer: Converts text to tokens.
        max_rows: The most episodes at a time.
        tables: Who else plays, at tables of games.

    Attributes:
        sampling_s: Seconds spent with the model, rather than with the environments, by all calls of `play`.
    """

    def __init__(
        self, cfg: TrainConfig, engine: Engine, renderer: Renderer, *, max_rows: int, tables: Tables | None = None
    ) -> None:
        self.cfg, self.engine, self.renderer, self.max_rows = cfg, engine, renderer, max_rows
        self.tables = tables
        self.sampling_s = 0.0
        self._envs: dict[tuple[str, int | None], Environments] = {}  # by split and turn limit

    def load(self, version: int, weights: Iterable[Any] = ()) -> None:
        """Drop what was computed with earlier weights; the engine's model already has the new ones."""
        self.engine.load(version)

    def play(
        self,
        jobs: Sequence[Job],
        *,
        split: Literal["train", "test"] = "train",
        horizon: int | None = None,
        greedy: bool = False,
        version: int = 0,
    ) -> list[Rollout]:
        """Play some rollouts, as many at the same time as the engine has rows."""
        cfg = self.cfg
        agent = _TimedAgent(
            self.engine,
            self.renderer,
            concurrency=self.max_rows,
            give_up=self.tables is None,  # at a table the other seats play on
            **agent_options(cfg) | ({"temperature": 0.0} if greedy else {}),
        )
        everyone: Agent = agent if self.tables is None else self.tables.agent(agent, self.max_rows)
        record = rollout_of if self.tables is None else game_of
        make = partial(make_env, cfg, split, horizon=horizon)
        envs = self._envs.setdefault((split, horizon), Environments(make))
        player = Player(
            everyone,
            envs,
            system=cfg.rollout.system,
            retries=0,
            env_workers=cfg.rollout.env_threads,
            trusted=True,
            wait_share=cfg.rollout.wait_share,
            note=lambda env: env.unwrapped.reference() if cfg.needs_reference else None,
        )
        found = dict(player.play(jobs, lambda live: record(live, version)))
        self.sampling_s += agent.seconds
        return [found[number] for number in range(len(jobs))]

    def close(self) -> None:
        """Close the environments."""
        for envs in self._envs.values():
            envs.close()
        self._envs.clear()


class _TimedAgent(LocalAgent):
    """Counts the seconds that its answers take."""

    seconds = 0.0

    def submit(self, plays: Sequence[Play]) -> Sequence[Play]:
        with self._timed():
            return super().submit(plays)

    def collect(self, least: int) -> list[tuple[Play, Action]]:
        with self._timed():
            return super().collect(least)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - began
