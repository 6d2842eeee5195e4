"""Any Gymnasium environment whose observations and actions are texts.

Source: Towers et al., Gymnasium (arXiv 2407.17032), for the interface.
"""

import copy
import json
from typing import Annotated, Any

import gymnasium
import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.core.origins import load_source
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.outside.frame import Game, OutsideEnv, Turn
from turnwise.outside.randomness import Randomness, canonical

__all__ = ["TextGym", "TextGymGame"]


class TextGymGame(Game):
    """An episode of a Gymnasium environment."""

    def __init__(self, env_id: str, arguments: dict[str, Any], ends: tuple[float, float]) -> None:
        self.random = Randomness(0)
        with self.random.lent():
            self.env: Any = gymnasium.make(env_id, disable_env_checker=True, **arguments)
        self.lowest, self.solved_at = ends
        self.total = 0.0

    def start(self, seed: int) -> str:
        self.random = Randomness(seed)
        with self.random.lent():
            text, _ = self.env.reset(seed=seed)
        inner = {name: value for name, value in vars(self.env.unwrapped).items() if name != "spec"}
        self._content = f"{text}{canonical(inner)}"
        return str(text)

    def content(self) -> str:
        return self._content

    def play(self, message: str) -> Turn:
        if message not in self.env.action_space:
            return Turn(f"This message is not in the action space: {self.env.action_space!r:.300}", invalid=True)
        with self.random.lent():
            text, reward, terminated, truncated, _ = self.env.step(message)
        self.total += float(reward)
        credit = (self.total - self.lowest) / (self.solved_at - self.lowest)
        return Turn(str(text), bool(terminated or truncated), bool(terminated and credit >= 1.0), credit)

    def sample(self, rng: np.random.Generator) -> str:
        space = copy.deepcopy(self.env.action_space)
        space.seed(int(rng.integers(2**31)))
        return str(space.sample())

    def close(self) -> None:
        self.env.close()


def _spoken(space: Any) -> bool:
    """Whether a space is one of texts."""
    return isinstance(space, gymnasium.spaces.Text) or isinstance(space.sample(), str)


@register("outside/TextGym-v0")
class TextGym(OutsideEnv):
    """Play a Gymnasium environment of texts, by its id.

    The reward map: the sum of its rewards is worth 0 at ``lowest`` and 1 at ``solved_at``. An episode that terminates
    there or above is solved; what another one reached is its partial credit.

    Chance: that of the environment.
    """

    env_id: str = "turnwise/GuessNumber-v0"
    """Id of the environment."""
    arguments: str = ""
    """Arguments of `gymnasium.make`, a JSON object."""
    imports: str = ""
    """Module or file to import first, so that it registers the id."""
    solved_at: float = 1.0
    """Sum of rewards that is solved."""
    lowest: float = 0.0
    """Sum of rewards that is worth nothing."""
    max_turns: Annotated[int, Range(1, 10_000)] = 100
    """Messages of an episode."""

    cheats = ("", "0", "<answer></answer>", "reward: 1")

    def check(self) -> None:
        if not self.lowest < self.solved_at:
            raise SettingsError(f"lowest is {self.lowest} and solved_at is {self.solved_at}; lowest must be less")
        if self.imports:
            load_source(self.imports)
        try:
            self._arguments = json.loads(self.arguments or "{}")
            if not isinstance(self._arguments, dict):
                raise ValueError("it must be a JSON object")
        except ValueError as error:
            raise SettingsError(f"arguments is {self.arguments!r}: {error}") from error
        try:
            game = self._game_of()
        except (gymnasium.error.Error, TypeError) as error:
            raise SettingsError(f"env_id is {self.env_id!r}: {error}") from error
        for name in ("observation_space", "action_space"):
            space = getattr(game.env, name)
            if not _spoken(space):
                raise SettingsError(
                    f"env_id is {self.env_id!r}, whose {name} is {space!r:.100}; it must be one of texts"
                )
        game.close()

    def _name(self) -> str:
        return f"{self.env_id} {self.arguments}".strip()

    def _game_of(self) -> TextGymGame:
        return TextGymGame(self.env_id, self._arguments, (self.lowest, self.solved_at))
