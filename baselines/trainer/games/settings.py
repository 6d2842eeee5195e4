"""The settings of training at tables of games."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from turnwise.baselines.methods.curricula.base import Arm
from turnwise.baselines.methods.registry import Settings
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["POLICY", "TABLE", "Opponents", "Stage", "lag_of", "table_arms"]

TABLE = "seats/Table-v0"
POLICY = "policy"
"""What seatings call the policy that is trained."""


class Stage(Settings):
    """An opponent, and the step from which on it is played."""

    step: Annotated[int, Range(0)] = 0
    """First step of the stage; it lasts until the next one begins."""
    opponent: str = "self"
    """Who has the other seats: self, past:K, pool, a player of games such as mcts:50, or any agent."""


class Opponents(Settings):
    """Who plays the other seats at tables of games."""

    schedule: tuple[Stage, ...] = (Stage(),)
    """Opponents by step, such as [{"opponent": "random"}, {"step": 20, "opponent": "self"}].

    "self" is the present policy, whose rollouts at every seat are trained; "past:K" the newest past self that is at
    least K steps old; "pool" one of the past selves, drawn for each task. Any other name is a player of games
    ("mcts:50") or an agent as `turnwise eval --agent` has it ("openai:MODEL@URL").
    """
    every: Annotated[int, Range(1)] = 10
    """Steps between two copies of the policy that are kept as past selves, for past:K and pool."""
    keep: Annotated[int, Range(1)] = 5
    """Number of past selves that are kept; beyond it the oldest is dropped."""
    power: Annotated[float, Range(0)] = 2.0
    """Preference of the pool for past selves that beat the policy: their weight is (1 - the policy's points)^power."""
    test: tuple[str, ...] = ("random",)
    """Opponents of the evaluations, in each of which the policy takes all seats in turn."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the opponents that are agents, such as max_tokens=512."""

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = [stage.step for stage in self.schedule]
        if not steps or steps[0] != 0 or steps != sorted(set(steps)):
            raise SettingsError(f"schedule has stages from the steps {steps}; they must rise, from 0 on")
        if not self.test:
            raise SettingsError("test is empty; name at least one opponent for the evaluations, such as random")
        for name in self.test:
            if name in ("self", "pool") or lag_of(name):
                raise SettingsError(f"test has {name!r}; evaluations need opponents that stay the same, such as random")
        for lag in filter(None, map(lag_of, self.names)):
            if lag > self.every * self.keep:
                raise SettingsError(
                    f"schedule has past:{lag}, but past selves are at most {self.every * self.keep} steps old: raise "
                    "every or keep"
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The opponents of all stages."""
        return tuple(stage.opponent for stage in self.schedule)

    @property
    def uses_past(self) -> bool:
        """Whether past selves are needed."""
        return any(name == "pool" or lag_of(name) for name in self.names)

    def at(self, step: int) -> str:
        """Return the opponent of a step."""
        return [stage.opponent for stage in self.schedule if stage.step <= step][-1]


def lag_of(name: str) -> int:
    """Return K of an opponent ``past:K``, or 0 for any other.

    Raises:
        SettingsError: K is not a number from 1 on.
    """
    kind, _, number = name.partition(":")
    if kind != "past":
        return 0
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise SettingsError(f"the opponent is {name!r}; it must be past:K with a number of steps K from 1 on")
    return int(number)


def table_arms(arms: Sequence[Arm], opponents: Opponents) -> list[Arm]:
    """Return the targets of evaluations: every game against every opponent of the evaluations."""
    games = {arm.label: arm for arm in arms}.values()
    return [
        Arm(env=arm.env, settings={**arm.settings, "seating": f"{POLICY}|{name}"})
        for arm in games
        for name in opponents.test
    ]
