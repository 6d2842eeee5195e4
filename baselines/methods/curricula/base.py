"""What all curricula share: tasks, outcomes, arms, and the draw that depends on nothing but state, step and key.

An arm is an environment with settings: a level of difficulty, or one environment of several. A curriculum says how
often each arm is drawn, and learns from the outcomes of a step. Its whole state is a dictionary of JSON values.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError

__all__ = ["Arm", "ArmCurriculum", "Curriculum", "Outcome", "TaskSpec", "by_arm", "mean", "scaling_inter"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TaskSpec:
    """A task to be played by a group of rollouts."""

    env: str
    """Environment id."""
    settings: Mapping[str, Any]
    """Keyword arguments of the environment, JSON values."""
    seed: int
    """Of the task: equal environment, settings and seed give the same task."""
    arm: int = 0
    """The arm of the curriculum that it came from."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task: one entry per valid rollout. A task whose rollouts all failed has none."""

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
        """Tasks number ``first`` to ``first + n - 1`` of a step: a pure function of the state and the arguments."""

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Learn from the tasks played in a step; called once per step, after it."""

    def weights(self, outcomes: Sequence[Outcome]) -> list[float]:
        """What the advantages of each task are multiplied by; 1 but for ``disco``."""

    def horizon(self, step: int) -> int | None:
        """Turn limit of the episodes of a step; None leaves the environment's own."""

    def state_dict(self) -> dict[str, Any]:
        """The state as JSON values; loading it continues bit for bit."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state_dict`` gave."""

    def metrics(self) -> dict[str, float]:
        """What to log of the present state."""


@dataclass(frozen=True)
class Arm:
    """An environment with settings, and its weight where a curriculum uses fixed ones."""

    env: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise SettingsError(f"the weight of an arm must be 0 or more, not {self.weight!r}")
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


@dataclass(eq=False)
class ArmCurriculum:
    """Draws each task's arm with the probabilities of ``probabilities``; the base of all curricula here.

    Task i of a step draws its arm and seed from the key, the step and i alone, so ``draw(8)`` is ``draw(5)``
    followed by ``draw(3, first=5)``. New tasks have the seeds ``seed_of(*key, "train", step, i)``.
    """

    arms: Sequence[Arm]
    """In the order of difficulty, easiest first, where the curriculum has one."""
    _: KW_ONLY
    horizons: Sequence[int] = ()
    """Turn limits of the stages of ScalingInter (``scaling_inter``); empty leaves the environments' own."""
    horizon_every: int = 100
    """Steps per stage of ``horizons``."""
    num_tasks: int = 0
    """Distinct tasks per arm, drawn in a new order in every step; 0 never repeats one. Replay needs repeats."""

    def __post_init__(self) -> None:
        if not self.arms:
            raise SettingsError("a curriculum needs at least one arm")
        if any(h < 1 for h in self.horizons):
            raise SettingsError(f"horizons must be turn limits of 1 or more, not {list(self.horizons)!r}")
        self._check("horizon_every", self.horizon_every >= 1, "1 or more")
        self._check("num_tasks", self.num_tasks >= 0, "0 or more")

    def probabilities(self) -> Floats:
        """Of each arm in the next draw; uniform here."""
        return np.full(len(self.arms), 1 / len(self.arms))

    def draw(self, n: int, *, step: int, key: tuple[int, ...], first: int = 0) -> list[TaskSpec]:
        numbers = range(first, first + n)
        return self._tasks(self._arms_of(numbers, step, key), numbers, step, key)

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Nothing is learnt here."""

    def weights(self, outcomes: Sequence[Outcome]) -> list[float]:
        return [1.0] * len(outcomes)

    def horizon(self, step: int) -> int | None:
        return scaling_inter(step, rounds=self.horizons, every=self.horizon_every) if self.horizons else None

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
        """Take over the values of ``_state``."""

    def _arms_of(self, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        return self._pick(self.probabilities(), numbers, step, key)

    def _pick(self, probabilities: Floats, numbers: range, step: int, key: tuple[int, ...]) -> list[int]:
        edges = np.cumsum(probabilities)
        draws = [_unit(*key, "arm", step, i) * edges[-1] for i in numbers]
        return [int(a) for a in np.searchsorted(edges, draws, side="right")]

    def _tasks(self, arms: Sequence[int], numbers: Sequence[int], step: int, key: tuple[int, ...]) -> list[TaskSpec]:
        if self.num_tasks:
            order = np.random.default_rng(seed_of(*key, "order", step)).permutation(self.num_tasks).tolist()
            seeds = [seed_of(*key, "pool", a, order[i % len(order)]) for a, i in zip(arms, numbers, strict=True)]
        else:
            seeds = [seed_of(*key, "train", step, i) for i in numbers]
        chosen = [self.arms[a] for a in arms]
        return [TaskSpec(arm.env, arm.settings, s, a) for arm, s, a in zip(chosen, seeds, arms, strict=True)]

    def _check(self, name: str, ok: bool, accepted: str) -> None:
        if not ok:
            raise SettingsError(f"{name} must be {accepted}, not {getattr(self, name)!r}")


def by_arm(outcomes: Sequence[Outcome]) -> dict[int, list[Outcome]]:
    """Outcomes of tasks with a valid rollout, per arm in ascending order."""
    found: dict[int, list[Outcome]] = {}
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
