"""A player that sees what is hidden, to find out whether a game against an opponent can be won."""

from dataclasses import dataclass
from typing import Any

from turnwise.worlds.games.hidden.battleship import Battleship
from turnwise.worlds.games.hidden.liars_dice import LIAR, LiarsDice, matching
from turnwise.worlds.games.players.player import Player

__all__ = ["Seer"]


@dataclass(frozen=True)
class Seer(Player):
    """Doubts only bids that are false and bids what is just true; shoots only at ships."""

    def choose(self, state: Any) -> Any:
        game, legal = self.game, self.game.legal(state)
        if isinstance(game, LiarsDice):
            held = [sum(matching(dice, face, game.wild) for dice in state.dice) for face in range(game.sides + 1)]
            if state.bids and held[state.bids[-1][2]] < state.bids[-1][1]:
                return LIAR
            true = [move for move in legal if move != LIAR and held[move[1]] >= move[0]]
            return true[-1] if true else legal[0]
        assert isinstance(game, Battleship)
        left = sum(state.fleets[1 - state.seat]) & ~state.shots[state.seat]
        return self.draw(state).choice([cell for cell in legal if left >> cell & 1])
