"""Players that look ahead: alpha-beta to a depth, and perfect play where the whole game can be searched.

Source: Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975; for Nim Bouton 1901.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from turnwise.worlds.games.chess import Chess
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.players.endgames import ranked
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.values import value_of

__all__ = ["AlphaBeta", "Perfect"]

_WIN = 1_000_000.0


@dataclass(frozen=True)
class AlphaBeta(Player):
    """Searches ``depth`` moves ahead in a two-seat game without chance, and evaluates what it reaches."""

    depth: int = 2

    def choose(self, state: Any) -> Any:
        game, look, best, found = self.game, value_of(self.game), None, -2 * _WIN
        sign = 1 if game.turn(state) == 0 else -1
        for move in self.draw(state).shuffled(game.legal(state)):
            value = sign * self._bounded(game.apply(state, move), sign, found, look)
            if best is None or value > found:
                best, found = move, value
        return best

    def value(self, state: Any) -> float:
        """Return what the first seat can expect; at least a million if it wins within the depth."""
        return self._search(state, self.depth, -2 * _WIN, 2 * _WIN, value_of(self.game))

    def _bounded(self, state: Any, sign: int, found: float, look: Callable[[Any], float]) -> float:
        if sign > 0:
            return self._search(state, self.depth - 1, found, 2 * _WIN, look)
        return self._search(state, self.depth - 1, -2 * _WIN, -found, look)

    def _search(self, state: Any, depth: int, alpha: float, beta: float, look: Callable[[Any], float]) -> float:
        game = self.game
        turn = game.turn(state)
        if turn == OVER:
            return game.returns(state)[0] * (_WIN + depth)
        if depth <= 0:
            return look(state)
        moves = game.ordered(state) if depth > 1 else game.hasty(state)
        if turn == 0:
            best = -2 * _WIN
            for move in moves:
                best = max(best, self._search(game.apply(state, move), depth - 1, max(alpha, best), beta, look))
                if best >= beta:
                    break
            return best
        best = 2 * _WIN
        for move in moves:
            best = min(best, self._search(game.apply(state, move), depth - 1, alpha, min(beta, best), look))
            if best <= alpha:
                break
        return best


@dataclass(frozen=True)
class Perfect(Player):
    """Plays perfectly: Nim by its theory, chess endgames by tables, other small games by a search of everything below.

    In a lost position it plays any legal move. The values found are kept with the player.
    """

    _known: dict[Any, float] = field(default_factory=dict, repr=False, compare=False)

    def choose(self, state: Any) -> Any:
        game = self.game
        legal = self.draw(state).shuffled(game.legal(state))
        if isinstance(game, Nim):
            return next((move for move in legal if game.lost(game.apply(state, move))), legal[0])
        if isinstance(game, Chess):
            worth = {move: value for value, move in ranked(game, state)}
            return max(legal, key=lambda move: worth[move])
        sign = 1 if game.turn(state) == 0 else -1
        return max(legal, key=lambda move: sign * self.value(game.apply(state, move)))

    def value(self, state: Any) -> float:
        """Return what the first seat wins if both play perfectly from a position."""
        game = self.game
        turn = game.turn(state)
        if turn == OVER:
            return game.returns(state)[0]
        if isinstance(game, Nim):
            return -1.0 if game.lost(state) == (turn == 0) else 1.0
        found = self._known.get(state)
        if found is None:
            sign = 1 if turn == 0 else -1
            found = -2.0
            for move in game.legal(state):
                found = max(found, sign * self.value(game.apply(state, move)))
                if found >= 1.0:
                    break
            found = self._known[state] = sign * found
        return found
