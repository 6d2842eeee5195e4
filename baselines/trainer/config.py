"""The settings of a training run: a frozen value of parts, checked when it is created and saved with the run."""

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from turnwise.baselines.methods.credit import CREDIT, REWARDS
from turnwise.baselines.methods.credit.group import Grpo
from turnwise.baselines.methods.credit.intrinsic import EnvironmentReward
from turnwise.baselines.methods.curricula import WITHOUT_ARMS, make_curriculum, make_targets
from turnwise.baselines.methods.curricula.base import Arm, ArmCurriculum, CurriculumSettings
from turnwise.baselines.methods.curricula.fixed import Uniform
from turnwise.baselines.methods.kinds import Credit, Guidance, Sampling
from turnwise.baselines.methods.registry import Settings
from turnwise.baselines.methods.sampling import make_sampler
from turnwise.baselines.methods.sampling.replay import Replay
from turnwise.baselines.methods.sampling.select import All
from turnwise.baselines.trainer.earlier import converted
from turnwise.baselines.trainer.flat import assembled, changed, flattened
from turnwise.baselines.trainer.games.settings import TABLE, Opponents, table_arms
from turnwise.baselines.trainer.parts import (
    EnvConfig,
    Evaluation,
    External,
    Hints,
    Kv,
    LossConfig,
    ModelConfig,
    NoGuidance,
    Optim,
    Reprefill,
    RewardConfig,
    Rollout,
    RunConfig,
    Summarise,
    WarmStart,
)
from turnwise.core.errors import SettingsError
from turnwise.games.seats import table_of

__all__ = ["TrainConfig"]


class TrainConfig(Settings):
    """All settings of a run: on one CPU, equal settings produce equal weights, bit for bit."""

    env: EnvConfig
    """The environment that the run trains on."""
    model: ModelConfig = field(default_factory=ModelConfig)
    """The model that is trained."""
    warm_start: WarmStart = field(default_factory=WarmStart)
    """Behaviour cloning before reinforcement learning."""
    rollout: Rollout = field(default_factory=Rollout)
    """How the rollouts of a step are played."""
    curriculum: CurriculumSettings = field(default_factory=Uniform)
    """Which tasks are played next."""
    sampling: Sampling = field(default_factory=All)
    """How many rollouts each task gets, and which of them are kept."""
    replay: Replay | None = None
    """Remember successful rollouts, and reuse them for tasks whose rollouts all fail."""
    reward: RewardConfig = field(default_factory=RewardConfig)
    """What the policy learns from; the score of a rollout is always the environment's."""
    opponents: Opponents | None = None
    """Train on games with several seats, at tables (`seats/Table-v0`): who has the other seats."""
    guidance: Guidance = field(default_factory=NoGuidance)
    """Help with tasks that the policy does not solve on its own."""
    credit: Credit = field(default_factory=Grpo)
    """How rewards are turned into advantages."""
    loss: LossConfig = field(default_factory=LossConfig)
    """What an optimiser update minimises."""
    optim: Optim = field(default_factory=Optim)
    """How the weights are updated."""
    eval: Evaluation = field(default_factory=Evaluation)
    """How the policy is evaluated on the test split."""
    run: RunConfig = field(default_factory=RunConfig)
    """Length of the run, and what it stores where."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_sizes()
        self._check_methods()
        self._check_tables()

    def _check_sizes(self) -> None:
        if self.optim.minibatches > self.rollout.groups_per_step:
            raise SettingsError(
                f"minibatches is {self.optim.minibatches}; it must be at most groups_per_step, which is "
                f"{self.rollout.groups_per_step}: a minibatch is made of whole groups"
            )
        try:
            self.to_json()
        except TypeError as error:
            raise SettingsError(f"settings must be JSON values: {error}") from error

    def _check_methods(self) -> None:
        own = self.reward.source.METHOD
        if own != "environment" and isinstance(self.guidance, External):
            raise SettingsError(f"guidance {self.guidance.METHOD!r} compares returns of the environment, not {own!r}")
        if own != "environment" and type(self.sampling) is not All:
            raise SettingsError(f"sampling {self.sampling.METHOD!r} compares returns of the environment, not {own!r}")
        if not isinstance(self.curriculum, WITHOUT_ARMS) and not (self.curriculum.arms or self.curriculum.levels):
            raise SettingsError(
                f"curriculum {self.curriculum.METHOD!r} chooses among arms and has none: set curriculum.arms, such as "
                '[{"env": "Maze", "settings": {"size": 5}, "weight": 1}, ...], or curriculum.levels, such as [1, 2, 3]'
            )
        if isinstance(self.guidance, External) and isinstance(self.rollout.context, Summarise):
            raise SettingsError(
                f"guidance {self.guidance.METHOD!r} trains rows that the policy did not sample, without summaries: "
                "context must not be 'summarise'"
            )
        if isinstance(self.guidance, Hints) and self.guidance.keep >= self.rollout.group_size:
            most = self.rollout.group_size - 1
            raise SettingsError(f"guidance.keep is {self.guidance.keep}; it must be from 0 to group_size - 1 = {most}")
        make_sampler(self.sampling, self.rollout.group_size)
        self.make_curriculum()

    def _check_tables(self) -> None:
        """Raise `SettingsError` for tables without opponents, or opponents without tables."""
        at_tables = {arm.env == TABLE for arm in self.make_curriculum().arms}
        if self.opponents is None:
            if True in at_tables:
                raise SettingsError(f"opponents is off; {TABLE} needs to know who has the other seats: set opponents")
            return
        others = {
            "guidance": not isinstance(self.guidance, NoGuidance), "ray": self.rollout.ray is not None,
            "staleness": self.rollout.staleness > 0, "shard": self.model.shard, "tries": self.env.tries > 1,
            "engine": self.opponents.uses_past and not isinstance(self.rollout.engine, (Kv, Reprefill)),
        }  # fmt: skip
        if at_tables != {True}:
            raise SettingsError(f"opponents are for tables of games; every environment must be {TABLE}")
        for name in (name for name, set_otherwise in others.items() if set_otherwise):
            raise SettingsError(f"opponents do not go with {name} other than its default; set it back")

    @property
    def seats(self) -> int:
        """The most seats that the policy plays in an episode."""
        if self.opponents is None:
            return 1
        return max(table_of(str(arm.settings.get("game", "TicTacToe"))).seats for arm in self.targets)

    def make_curriculum(self) -> ArmCurriculum[Any]:
        """Create the run's curriculum in its initial state."""
        return make_curriculum(self.curriculum, self.env.id, self.env.settings)

    @property
    def targets(self) -> list[Arm]:
        """The environments that the run is evaluated on; the warm start plays them as well."""
        arms = self.make_curriculum().arms
        if self.opponents is not None:
            return table_arms(arms, self.opponents)
        return make_targets(arms, self.env.id, self.env.settings)

    @property
    def measured(self) -> frozenset[str]:
        """The names of the data that the run's credit and reward need."""
        reward = () if isinstance(self.reward.source, EnvironmentReward) else REWARDS.of(self.reward.source).needs
        return frozenset((*CREDIT.of(self.credit).needs, *reward))

    @property
    def needs_reference(self) -> bool:
        """Whether rollouts must keep the reference answer of their task."""
        return bool(self.measured & {"info", "answer_probs"}) or bool(getattr(self.guidance, "answer", False))

    # ---- by the names of the flags ------------------------------------------------------------------------------

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "TrainConfig":
        """Make the settings of a run from flat names: ``{"env": "GuessNumber", "credit": "gigpo", "lr": 1e-3}``."""
        return assembled(cls, settings)

    def changed(self, settings: Mapping[str, Any]) -> "TrainConfig":
        """Return a copy with some settings changed, by their flat names: ``{"lr": 1e-3, "credit.gamma": 0.9}``."""
        return changed(self, settings)

    def flat(self) -> dict[str, Any]:
        """Return all settings as plain values, by their flat names."""
        return flattened(self)

    def to_json(self) -> str:
        """Return the settings as indented JSON, by their flat names."""
        return json.dumps(self.flat(), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "TrainConfig":
        """Read the settings that ``to_json`` wrote; the settings of a run of version 0.1 are converted."""
        return assembled(cls, converted(json.loads(text)))

    def save(self, folder: Path) -> None:
        """Write config.json into ``folder``."""
        (folder / "config.json").write_text(self.to_json(), encoding="utf-8")
