"""A player of Pig that keeps pace with the others and races to the goal near the end.

Source: Neller and Presser, "Practical play of the dice game Pig", UMAP Journal 31, 2010: with a goal of 100 hold at 21
and an eighth of the points one is behind; roll to the end once anybody has 71.
"""

from dataclasses import dataclass
from typing import Any

from turnwise.worlds.games.pig import HOLD, ROLL, Pig, Position
from turnwise.worlds.games.players.player import Player

__all__ = ["Racer"]

_END = 29  # points before the goal from which on it is rolled until it is won


@dataclass(frozen=True)
class Racer(Player):
    """Holds at 21 and an eighth of what it is behind, and no longer holds once anybody is near the goal."""

    def choose(self, state: Any) -> Any:
        game = self.game
        assert isinstance(game, Pig)
        assert isinstance(state, Position)
        own = state.scores[state.seat]
        ahead = max(score for seat, score in enumerate(state.scores) if seat != state.seat)
        if own + state.total >= game.goal:
            return HOLD
        if max(own, ahead) >= game.goal - _END:
            return ROLL
        return HOLD if state.total >= 21 + round((ahead - own) / 8) else ROLL
