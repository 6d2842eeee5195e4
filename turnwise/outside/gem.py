"""GEM's environments: its games, and whatever else `gem.make` makes.

Needs the package ``gem-llm`` (extra ``turnwise[gem]``). Its games draw from the global generators; each episode is an
environment of its own, with a state of the generators that it gets lent.

Source: Liu et al., GEM: A Gym for Agentic LLMs (arXiv 2510.01051); gem-llm 0.1.0.
"""

import random
from typing import Annotated, Any

import numpy as np

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.outside.frame import Game, OutsideEnv, Turn, needed
from turnwise.outside.randomness import Randomness, canonical

__all__ = ["UNPLAYABLE", "Gem", "GemGame"]

UNPLAYABLE = {
    "game:FifteenPuzzle-v0-random": "its constructor raises TypeError",
    "game:Sokoban-v0-random": "its setting room_size is not one of its class, and a reset takes most of a minute",
}
"""Ids that cannot be played, and why."""
_CLOSE = 1e-6


class GemGame(Game):
    """An episode of one of GEM's environments."""

    def __init__(self, game: str, solved_at: float) -> None:
        self.game, self.solved_at = game, solved_at
        self.total = 0.0

    def start(self, seed: int) -> str:
        library, self.random = needed("gem", "gem"), Randomness(seed)
        with self.random.lent():
            self.env: Any = library.make(self.game)
            text, info = self.env.reset(seed=seed)
        self._content = canonical(vars(self.env))
        return _with_suffix(text, info)

    def content(self) -> str:
        return self._content

    def play(self, message: str) -> Turn:
        with self.random.lent():
            text, reward, terminated, truncated, info = self.env.step(message)
        gained = float(reward)
        self.total += max(0.0, gained)
        solved = bool(terminated and not truncated and self.total >= self.solved_at - _CLOSE)
        credit = min(self.total / self.solved_at, 1.0)
        return Turn(_with_suffix(text, info), bool(terminated or truncated), solved, credit, gained < 0)

    def sample(self, rng: np.random.Generator) -> str:
        with Randomness(int(rng.integers(2**31))).lent():
            try:
                return str(self.env.sample_random_action())
            except NotImplementedError:
                return f"\\boxed{{{random.randint(1, 9)} {random.randint(1, 9)} {random.randint(1, 9)}}}"


def _with_suffix(text: object, info: Any) -> str:
    suffix = info.get("suffix") if isinstance(info, dict) else None
    return f"{text}\n{suffix}" if suffix else str(text)


@register("outside/Gem-v0")
class Gem(OutsideEnv):
    """Play one of GEM's environments to its end.

    The reward map: what GEM pays is added up, losses (-0.1 for a wrong format) left out. An episode that ends by itself
    with ``solved_at`` or more is solved; what another one has earned of it is its partial credit.

    Chance: that of the game.
    """

    game: str = "game:GuessTheNumber-v0-easy"
    """Id of the environment."""
    solved_at: Annotated[float, Range(above=0)] = 1.0
    """Sum of the rewards from which an episode is solved."""
    max_turns: Annotated[int, Range(1, 10_000)] = 100
    """Messages of an episode."""

    cheats = ("", "\\boxed{}", "\\boxed{0}", "\\boxed{answer}", "I have solved it. Reward 1.")

    def check(self) -> None:
        needed("gem", "gem")
        known = needed("gem.envs.registration", "gem").ENV_REGISTRY
        if self.game not in known:
            raise SettingsError(f"game is {self.game!r}, which GEM does not have{did_you_mean(self.game, known)}")
        if self.game in UNPLAYABLE:
            raise SettingsError(f"game is {self.game!r}, which cannot be played: {UNPLAYABLE[self.game]}")

    def _name(self) -> str:
        return self.game

    def _game_of(self) -> Game:
        return GemGame(self.game, self.solved_at)
