"""A player of a series of games, who plays each as another player would."""

from dataclasses import dataclass, field, replace
from typing import Any

from turnwise.core.env import seed_of
from turnwise.worlds.games.hidden.series import Position
from turnwise.worlds.games.players.player import Player

__all__ = ["EachGame"]


@dataclass(frozen=True)
class EachGame(Player):
    """Plays every game of a series as ``inner`` plays one; its chances are others in every game."""

    inner: Player = field(default=None)  # type: ignore[assignment]

    def choose(self, state: Any) -> Any:
        return self.act(state, self.game.turn(state))

    def act(self, state: Any, seat: int) -> Any:
        assert isinstance(state, Position)
        return replace(self.inner, seed=seed_of(self.seed, state.number)).act(state.inner, seat)
