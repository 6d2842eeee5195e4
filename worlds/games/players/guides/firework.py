"""A player of Hanabi that sees its own cards, to find out which score is within reach."""

from dataclasses import dataclass
from typing import Any

from turnwise.worlds.games.hidden.hanabi import Hanabi, Position
from turnwise.worlds.games.players.heuristics import Heuristic
from turnwise.worlds.games.players.player import Player

__all__ = ["OpenHanded"]


@dataclass(frozen=True)
class OpenHanded(Player):
    """Plays as the best scripted player would that had every hint about its own cards."""

    def choose(self, state: Any) -> Any:
        assert isinstance(self.game, Hanabi)
        assert isinstance(state, Position)
        seat = state.seat
        open_ = tuple(card._replace(colours=1 << card.colour, ranks=1 << card.rank) for card in state.hands[seat])
        hands = (*state.hands[:seat], open_, *state.hands[seat + 1 :])
        return Heuristic(self.game, self.seed, skill=3).act(state._replace(hands=hands), seat)
