"""Agents without a model: the oracle, the random agent, one of a given skill, a constant, a cheat, a person."""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import Range, check_arguments

__all__ = ["ConstantAgent", "FunctionAgent", "GradedAgent", "HumanAgent", "OracleAgent", "RandomAgent"]


def _env(play: Play) -> Env[Any]:
    env = play.env.unwrapped
    if not isinstance(env, Env):
        raise UsageError(f"{type(env).__name__} is not a turnwise environment: it has no oracle and no random action")
    return env


class FunctionAgent(Agent):
    """Plays the action that a function of the live environment returns."""

    batched = True
    concurrency = 64

    def __init__(self, function: Callable[[Env[Any]], str], name: str = "function") -> None:
        self.function = function
        self.name = name

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self.function(_env(play))) for play in plays]


class OracleAgent(FunctionAgent):
    """Plays each environment's oracle: it solves every task."""

    def __init__(self) -> None:
        super().__init__(lambda env: env.oracle(), "oracle")


class RandomAgent(Agent):
    """Plays random well-formed actions: measures what knowing the format alone achieves."""

    name = "random"
    batched = True
    concurrency = 64

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [
            Action(_env(play).sample_action(np.random.default_rng(seed_of("random agent", *play.rng_key))))
            for play in plays
        ]


class GradedAgent(Agent):
    """Solves a task with a probability that falls with its level, and otherwise plays like the random agent.

    The probability is 1 / (1 + exp(level - skill)) with ``slope`` 1: a half at its skill, 73 % a level below. A task
    that an agent solves is solved by every agent of more skill with the same seed. The random moves may solve some of
    the others; correct the solve rates for chance.

    Args:
        skill: The level that it solves half of.
        slope: How fast the probability falls from level to level.
        seed: Other seeds solve other tasks.
        default_level: Level of an environment that is not played at a difficulty level.
    """

    batched = True
    concurrency = 64

    def __init__(
        self,
        skill: float,
        *,
        slope: Annotated[float, Range(above=0)] = 1.0,
        seed: int = 0,
        default_level: Annotated[int, Range(1, 10)] = 5,
    ) -> None:
        if not math.isfinite(skill):
            raise SettingsError(f"skill is {skill}; it must be a finite number")
        check_arguments(GradedAgent.__init__, slope=slope, seed=seed, default_level=default_level)
        self.skill, self.slope, self.seed, self.default_level = skill, slope, seed, default_level
        self.name = f"graded:{skill:g}"
        self._random, self._oracle = RandomAgent(), OracleAgent()

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [(self._oracle if self._solves(play) else self._random).act([play])[0] for play in plays]

    def _solves(self, play: Play) -> bool:
        if play.state is None:
            env = _env(play)
            level = env.difficulty or self.default_level
            chance = 1 / (1 + math.exp(min(500.0, self.slope * (level - self.skill))))
            task = seed_of("graded agent", self.seed, type(env).__name__, level, *play.rng_key[:-1])
            play.state = float(np.random.default_rng(task).random()) < chance
        return bool(play.state)


class ConstantAgent(FunctionAgent):
    """Always says the same thing."""

    def __init__(self, text: str) -> None:
        super().__init__(lambda env: text, f"constant:{text}")


class HumanAgent(Agent):
    """A person at the terminal.

    Args:
        ask: Shows a text and returns what the person types.
    """

    name = "human"

    def __init__(self, ask: Callable[[str], str]) -> None:
        self.ask = ask

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self.ask(play.messages[-1]["content"])) for play in plays]
