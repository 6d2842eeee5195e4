"""The base of all curricula: tasks, outcomes, arms, and draws that depend only on state, step and key.

An arm is an environment with settings: a level of difficulty, or one environment of several. A curriculum says how
often each arm is drawn, and learns from the outcomes of a step. Its whole state is a dictionary of JSON values.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.kinds import curriculum
from turnwise.baselines.methods.registry import MethodSettings, Settings
from turnwise.core.env import seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = [
    "Arm",
    "ArmCurriculum",
    "Curriculum",
    "CurriculumSettings",
    "TaskResult",
    "TaskSpec",
    "by_arm",
    "mean",
    "scaling_inter",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TaskSpec:
    """A task to be played by a group of rollouts."""

    env: str
    """Environment id."""
    settings: Mapping[str, Any]
    """Keyword arguments of the environment, JSON values."""
    seed: int
    """Seed of the task: equal environment, settings and seed produce the same task."""
    arm: int = 0
    """The arm of the curriculum that it came from."""

    def job(self, key: tuple[int, ...] = (), hint: str = "") -> Job:
        """Return a job that plays one rollout of the task; ``key`` distinguishes its random numbers."""
        return Job(self.env, self.seed, settings=self.settings, key=key, hint=hint)


@dataclass(frozen=True)
class TaskResult:
    """The results of a task, one entry per valid rollout. A task whose rollouts all failed has none."""

    task: TaskSpec
    returns: tuple[float, ...]
    solved: tuple[bool, ...]
    advantages: tuple[float, ...]
    """Mean absolute advantage over the sampled tokens of each rollout, 0 or more."""
    tokens: int = 0
    """Sampled in all rollouts."""
    turns: int = 0
    """Played in all rollouts."""


class Curriculum(Protocol):
    """Decides which tasks are played next, and for how many turns."""

    def draw(self, n: int, *, step: int, key: tuple[int, ...], first: int = 0) -> list[TaskSpec]:
        """Draw tasks ``first`` to ``first + n - 1`` of a step: a pure function of the state and the arguments."""

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        """Learn from the tasks played in a step; called once per step, after it."""

    def weights(self, outcomes: Sequence[TaskResult]) -> list[float]:
        """Return the factors of each task's advantages; 1 except for ``disco``."""

    def horizon(self, step: int) -> int | None:
        """Return the turn limit of the episodes of a step; None leaves the environment's own."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state as JSON values; a curriculum that loads it continues bit for bit."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""

    def metrics(self) -> dict[str, float]:
        """Return what to log of the present state."""


class Arm(Settings):
    """An environment with settings, and its weight where a curriculum uses fixed ones."""

    env: str = ""
    """Id of the environment; empty for the run's own."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the environment; an arm of the run's own environment adds them to the run's."""
    weight: Annotated[float, Range(0)] = 1.0
    """Relative frequency of the arm, for a curriculum with fixed proportions."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if "split" in self.settings:
            raise SettingsError("the settings of an arm must not hold 'split': the trainer sets it")
        try:
            json.dumps(dict(self.settings))
        except TypeError as error:
            raise SettingsError(f"the settings of an arm must be JSON values, not {self.settings!r}") from error

    @property
    def label(self) -> str:
        """Short name for logs, such as ``GuessNumber-v0(difficulty=3)``."""
        settings = ",".join(f"{name}={value}" for name, value in self.settings.items())
        return self.env.rpartition("/")[2] + (f"({settings})" if settings else "")


def scaling_inter(step: int, *, rounds: Sequence[int], every: int) -> int:
    """Turn limit rounds[min(step // every, last)]: short interactions first, longer ones in stages.

    Args:
        step: of the training, from 0.
        rounds: turn limits of the stages.
        every: steps per stage.

    Source: Xi et al. 2025, AgentGym-RL, arXiv:2509.08755 (ScalingInter-RL).
    """
    if not rounds or every < 1:
        raise SettingsError(f"rounds must not be empty and every at least 1, not {list(rounds)!r} and {every!r}")
    return rounds[min(step // every, len(rounds) - 1)]


class CurriculumSettings(MethodSettings):
    """Which tasks are played next."""

    KIND = curriculum
    arms: tuple[Arm, ...] = ()
    """Environments with settings and weights to draw tasks from, easiest first; by default the run's environment."""
    levels: tuple[int, ...] = ()
    """Difficulty levels of the run's environment to draw tasks from, in this order; an alternative to arms."""
    horizons: tuple[int, ...] = ()
    """Turn limits of successive stages of training; by default the environments' own limits."""
    horizon_every: Annotated[int, Range(1)] = 100
    """Number of steps for which each turn limit of `horizons` is used."""
    num_tasks: Annotated[int, Range(0)] = 0
    """Number of distinct tasks per arm, in a new order in every step; 0 never repeats a task (replay needs repeats)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arms and self.levels:
            raise SettingsError("arms and levels exclude each other: give one of them")
        if any(limit < 1 for limit in self.horizons):
            raise SettingsError(f"horizons is {self.horizons!r}; they must be turn limits of 1 or more")


S = TypeVar("S", bound=CurriculumSettings)


class ArmCurriculum(Generic[S]):
    """Draws each task's arm with the probabilities of ``probabilities``; the base of all curricula here.

    Task i of a step draws its arm and seed from the key, the step and i alone, so ``draw(8)`` is ``draw(5)``
    followed by ``draw(3, first=5)``. New tasks have the seeds ``seed_of(*key, "train", step, i)``.

    Args:
        arms: in the order of difficulty, easiest first, where the curriculum has one.
        settings: of the curriculum.
    """

    def __init__(self, arms: Sequence[Arm], settings: S) -> None:
        if not arms:
            raise SettingsError("a curriculum needs at least one arm")
        self.arms, self.settings = arms, settings

    def probabilities(self) -> Floats:
        """Return each arm's probability in the next draw; uniform here."""
        return np.full(len(self.arms), 1 / len(self.arms))

    def draw(self, n: int, *, step: int, key: tuple[int, ...], first: int = 0) -> list[TaskSpec]:
        numbers = range(first, first + n)
        return self._tasks(self._arms_of(numbers, step, key), numbers, step, key)

    def observe(self, outcomes: Sequence[TaskResult]) -> None:
        """Do nothing: this curriculum does not learn."""

    def weights(self, outcomes: Sequence[TaskResult]) -> list[float]:
        return [1.0] * len(outcomes)

    def horizon(self, step: int) -> int | None:
        rounds, every = self.settings.horizons, self.settings.horizon_every
        return scaling_inter(step, rounds=rounds, every=every) if rounds else None

    def state_dict(self) -> dict[str, Any]:
        return {"arms": [arm.label for arm in self.arms], **self._state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        ours = [arm.label for arm in self.arms]
        if state["arms"] != ours:
            raise SettingsError(f"the saved curriculum has the arms {state['arms']}, this one {ours}")
        self._restore(state)

    def metrics(self) -> dict[str, float]:
        return {f"p/{arm.label}": float(p) for arm, p in zip(self.arms, self.probabilities(), strict=True)}

    def _state(self) -> dict[str, Any]:
        return {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Restore the values of ``_state``."""

    def _arms_of(self, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        return self._pick(self.probabilities(), numbers, step, key)

    def _pick(self, probabilities: Floats, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        edges = np.cumsum(probabilities)
        draws = [_unit(*key, "arm", step, i) * edges[-1] for i in numbers]
        return [int(a) for a in np.searchsorted(edges, draws, side="right")]

    def _tasks(self, arms: Sequence[int], numbers: Sequence[int], step: int, key: tuple[int, ...]) -> list[TaskSpec]:
        if self.settings.num_tasks:
            order = np.random.default_rng(seed_of(*key, "order", step)).permutation(self.settings.num_tasks).tolist()
            seeds = [seed_of(*key, "pool", a, order[i % len(order)]) for a, i in zip(arms, numbers, strict=True)]
        else:
            seeds = [seed_of(*key, "train", step, i) for i in numbers]
        chosen = [self.arms[a] for a in arms]
        return [TaskSpec(arm.env, arm.settings, s, a) for arm, s, a in zip(chosen, seeds, arms, strict=True)]


def by_arm(outcomes: Sequence[TaskResult]) -> dict[int, list[TaskResult]]:
    """Outcomes of tasks with a valid rollout, per arm in ascending order."""
    found: dict[int, list[TaskResult]] = {}
    for outcome in outcomes:
        if outcome.returns:
            found.setdefault(outcome.task.arm, []).append(outcome)
    return dict(sorted(found.items()))


def mean(values: Sequence[float]) -> float:
    """The mean, the same bits whatever the order."""
    return math.fsum(values) / len(values)


def _unit(*parts: object) -> float:
    """A number in [0, 1) that depends on all of ``parts``: the upper 53 of the 63 bits of their seed."""
    return float(seed_of(*parts) >> 10) / 2**53
