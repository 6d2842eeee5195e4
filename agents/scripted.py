"""Agents without a model: the oracle, its paraphrases, the random agent, a constant, a cheat, a person."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.errors import UsageError

__all__ = ["ConstantAgent", "FunctionAgent", "HumanAgent", "OracleAgent", "RandomAgent"]


def _env(play: Play) -> Env[Any]:
    env = play.env.unwrapped
    if not isinstance(env, Env):
        raise UsageError(f"{type(env).__name__} is no turnwise environment: it has no oracle and no random action")
    return env


class FunctionAgent(Agent):
    """Plays what a function of the live environment returns."""

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
    """Plays random well-formed actions: what knowing the format alone is worth."""

    name = "random"
    batched = True
    concurrency = 64

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [
            Action(_env(play).sample_action(np.random.default_rng(seed_of("random agent", *play.rng_key))))
            for play in plays
        ]


class ConstantAgent(FunctionAgent):
    """Says the same thing always."""

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
