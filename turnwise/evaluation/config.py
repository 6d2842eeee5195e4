"""What to evaluate, and how: the settings of an evaluation, and the episodes that they stand for."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from turnwise.core.env import Split, seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, parse_spec, written
from turnwise.core.settings import Range, check_all
from turnwise.core.wordings import ALL, PLAIN, wordings_of
from turnwise.core.wrappers import Feedback

__all__ = ["EvalConfig"]


@dataclass(frozen=True, kw_only=True)
class EvalConfig:
    """What to evaluate, and how."""

    envs: tuple[str, ...]
    """Environments: ids or short names, each optionally with its own settings
    (``"Countdown:num_numbers=5,max_turns=3"``; values are JSON or else text)."""
    agent: str = "oracle"
    """`make_agent`'s spec."""
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the agent. An endpoint's answers are cut after ``max_tokens=16384``, a local model's after
    ``max_new_tokens=512``; the others are in docs/evaluation.md."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of all environments."""
    num_tasks: Annotated[int, Range(1)] = 100
    """Tasks per environment."""
    tasks_of: Mapping[str, int] = field(default_factory=dict)
    """Tasks of single environments, by their name in ``envs``; the others have ``num_tasks``."""
    num_samples: Annotated[int, Range(1)] = 1
    """Episodes per task."""
    seed: int = 0
    """Other seeds, other tasks."""
    fresh: bool = False
    """Draw a new seed for the whole run, which no model can have been trained on; the results state it."""
    split: Split | None = "test"
    """Instances that are played; None plays both splits."""
    difficulty: int | None = None
    """1 to 10; None leaves the environments' defaults."""
    tries: Annotated[int, Range(1)] = 1
    """Answers allowed in environments with a single one; 1 leaves them as they are."""
    feedback: Feedback = "detail"
    """What the agent hears of a wrong answer, with more tries."""
    system: str | None = None
    """A system message before each conversation. None: that of the training run whose folder ``agent`` names
    (``hf:RUN``), else no message; "" is no message."""
    ks: tuple[int, ...] = ()
    """k of pass@k, pass^k, maj@k and the best of k; empty: 1, 2, 4, ... up to ``num_samples``."""
    wordings: tuple[str, ...] = ()
    """Play every task in several wordings of its prompt, for the spread of scores: ``plain`` (as it is), the names in
    docs/judging.md, or ``all``; empty: as it is."""
    confidence: bool = False
    """Ask the agent how sure it is, for its calibration; environments do not see what it says."""
    rerank: str | None = None
    """An agent (`make_agent`'s spec) that grades the answers of every task, for the best of k samples."""
    rerank_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the agent that grades."""
    chance_episodes: Annotated[int, Range(0)] = 200
    """Episodes that the random agent plays, in addition to ``num_tasks``, in each environment whose class records no
    chance rate for these settings (it does for levels and for the defaults); measured once and then cached in
    ``~/.cache/turnwise`` or ``$TURNWISE_CACHE``. 0 disables the measurement."""
    retries: Annotated[int, Range(0)] = 2
    """How often an episode whose infrastructure failed is started again."""
    concurrency: Annotated[int, Range(1)] | None = None
    """Episodes at once; None leaves the agent's default."""
    env_workers: Annotated[int, Range(0)] = 0
    """Threads that step the environments of a local model."""
    prices: str | None = None
    """A TOML file with the price of a million tokens by model, for the cost of the run (docs/suites.md)."""
    budget: Annotated[float, Range(above=0)] | None = None
    """Most money that the run may cost, by ``prices``; no episode begins that would exceed it, those that have begun
    are finished, and the same command with more money goes on."""
    request_log: str | None = None
    """A file that gets a JSON line for every request to an endpoint and its answer, without the key."""
    suite: Mapping[str, Any] | None = None
    """The suite that the environments come from, as `turnwise.evaluation.suite.Suite.plan` describes it."""
    out: str | None = None
    """Folder for the results; None writes nothing."""

    def __post_init__(self) -> None:
        for name in ("envs", "ks", "wordings"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        check_all(self)
        if not self.envs:
            raise SettingsError("envs is (); it must have at least one environment")
        if bad := [k for k in self.ks if not 1 <= k <= self.num_samples]:
            raise SettingsError(f"ks has {bad[0]}; k must be from 1 to num_samples, which is {self.num_samples}")
        if self.budget is not None and self.prices is None:
            raise SettingsError(
                f"budget is {self.budget:g}, but nothing has a price; give a file of prices, --prices FILE"
            )
        envs = tuple(written(*parse_spec(env)) for env in self.envs)
        if twice := {env for env in envs if envs.count(env) > 1}:
            raise SettingsError(f"envs has {', '.join(sorted(twice))} twice")
        if twice := {name for name in self.wordings if self.wordings.count(name) > 1}:
            raise SettingsError(f"wordings has {', '.join(sorted(twice))} twice")
        if unknown := self.tasks_of.keys() - set(envs):
            raise SettingsError(f"tasks_of has {', '.join(sorted(unknown))}, which is not among the environments")
        if few := [env for env, tasks in self.tasks_of.items() if tasks < 1]:
            raise SettingsError(f"tasks_of is {self.tasks_of[few[0]]} for {few[0]}; it must be at least 1")
        object.__setattr__(self, "envs", envs)
        object.__setattr__(self, "ks", self.ks or _powers(self.num_samples))
        try:
            self.to_dict()
        except (TypeError, ValueError) as error:
            raise SettingsError(f"settings and agent_options must be plain JSON values: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; ``EvalConfig.from_dict`` restores an equal config."""
        found: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "EvalConfig":
        """Restore the config from the entry ``config`` of a ``config.json``."""
        fields: dict[str, Any] = {k: tuple(v) if k in ("envs", "ks", "wordings") else v for k, v in data.items()}
        return cls(**fields)

    def settings_of(self, env: str) -> dict[str, Any]:
        """Return all settings of one of ``envs``; its own take precedence over those for all."""
        common: dict[str, Any] = {"split": self.split}
        if self.difficulty is not None:
            common["difficulty"] = self.difficulty
        return {**common, **self.settings, **parse_spec(env)[1]}

    def jobs_of(self, env: str) -> list[Job]:
        """Return the episodes to play in one of ``envs``."""
        env_id, settings = parse_spec(env)[0], self.settings_of(env)
        kinds = [settings if name == PLAIN else {**settings, "wording": name} for name in self._wordings_of(env_id)]
        return [
            Job(env_id, seed_of(self.seed, env_id, index), sample, kind)
            for index in range(self.tasks_of.get(env, self.num_tasks))
            for kind in kinds
            for sample in range(self.num_samples)
        ]

    def _wordings_of(self, env_id: str) -> Sequence[str]:
        if ALL not in self.wordings:
            return self.wordings or (PLAIN,)
        return (PLAIN, *wordings_of(env_class(env_id)))


def _powers(top: int) -> tuple[int, ...]:
    return tuple(2**i for i in range(top.bit_length()))
