"""What a player is, and the two simplest ones."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Greedy", "Player", "Random"]


@dataclass(frozen=True)
class Player(ABC):
    """Plays a seat of a game; the same seed and position give the same move.

    Attributes:
        game: The rules.
        seed: Decides between moves that the player thinks equally good.
    """

    game: Game[Any, Any]
    seed: int = 0

    @abstractmethod
    def choose(self, state: Hashable) -> Any:
        """Return a legal move for the seat to move."""

    def act(self, state: Hashable, seat: int) -> Any:
        """Return a move of a seat that is to move, alone or with all others."""
        return self.choose(state)

    def draw(self, state: Hashable) -> Draw:
        """The draws of this player in a position."""
        return Draw("player", self.seed, state)


@dataclass(frozen=True)
class Random(Player):
    """Plays any legal move."""

    def choose(self, state: Hashable) -> Any:
        return self.act(state, max(0, self.game.turn(state)))

    def act(self, state: Hashable, seat: int) -> Any:
        return self.draw(state if self.game.turn(state) >= 0 else (seat, state)).choice(self.game.moves(state, seat))


@dataclass(frozen=True)
class Greedy(Player):
    """Wins at once if it can, prevents an immediate loss if it can, and plays any such move otherwise."""

    def choose(self, state: Hashable) -> Any:
        game = self.game
        seat = game.turn(state)
        safe: list[Any] = []
        rest: list[Any] = []
        for move in self.draw(state).shuffled(game.legal(state)):
            after = game.apply(state, move)
            if game.turn(after) == OVER:
                if game.returns(after)[seat] > 0:
                    return move
                (safe if game.returns(after)[seat] == 0 else rest).append(move)
            else:
                (rest if self._loses(after, seat) else safe).append(move)
        return (safe or rest)[0]

    def _loses(self, state: Any, seat: int) -> bool:
        """Return whether another seat can win at once."""
        game = self.game
        if game.turn(state) in (seat, OVER):
            return False
        for reply in game.legal(state):
            after = game.apply(state, reply)
            if game.turn(after) == OVER and game.returns(after)[seat] < 0:
                return True
        return False
