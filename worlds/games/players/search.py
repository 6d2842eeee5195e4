"""Players that look ahead: alpha-beta to a depth, and perfect play where the whole game can be searched.

Source: Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975; for Nim Bouton 1901.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from turnwise.worlds.games.chess import Chess
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.players.endgames import ranked
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.values import value_of

__all__ = ["AlphaBeta", "Perfect"]

_WIN = 1_000_000.0


@dataclass(frozen=True)
class AlphaBeta(Player):
    """Searches ``depth`` moves ahead in a two-seat game without chance, and evaluates what it reaches.

    It plays the first of the best moves in an order drawn for the position, whatever order they are looked at in.
    """

    depth: int = 2

    def choose(self, state: Any) -> Any:
        game, search = self.game, _Search(self.game)
        sign = 1 if game.turn(state) == 0 else -1
        after = [(game.apply(state, move), move) for move in self.draw(state).shuffled(game.legal(state))]
        order = list(range(len(after)))
        if self.depth > 1:
            order.sort(key=lambda i: -sign * search.value(after[i][0], 0, -2 * _WIN, 2 * _WIN))
        best, found = -1, -2 * _WIN
        for i in order:
            least = found if i > best else math.nextafter(found, -math.inf)  # of two that are equal the earlier one
            bounds = (least, 2 * _WIN) if sign > 0 else (-2 * _WIN, -least)
            value = sign * search.value(after[i][0], self.depth - 1, *bounds)
            if best < 0 or value > least:
                best, found = i, value
        return after[best][1]

    def value(self, state: Any) -> float:
        """Return what the first seat can expect; at least a million if it wins within the depth."""
        return _Search(self.game).value(state, self.depth, -2 * _WIN, 2 * _WIN)


class _Search:
    """One search: what positions at its end look like is kept, and moves that ended it early are tried first.

    Source: the history heuristic of Schaeffer, "The history heuristic and alpha-beta search enhancements in practice",
    IEEE Transactions on Pattern Analysis and Machine Intelligence 11, 1989; here for each seat and depth apart.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game, self._look = game, value_of(game)
        self._seen: dict[Any, float] = {}
        self._cuts: dict[tuple[int, int], dict[Any, int]] = {}
        kind = type(game)
        self._sorted = kind.ordered is Game.ordered and kind.hasty is Game.hasty  # other games order their own moves

    def value(self, state: Any, depth: int, alpha: float, beta: float) -> float:
        """Return what a position is worth to the first seat; beyond the bounds, a bound of that."""
        game = self._game
        turn = game.turn(state)
        if turn == OVER:
            return game.returns(state)[0] * (_WIN + depth)
        if depth <= 0:
            seen = self._seen.get(state)
            if seen is None:
                seen = self._seen[state] = self._look(state)
            return seen
        cuts = self._cuts.setdefault((turn, depth), {})
        moves = game.ordered(state) if depth > 1 else game.hasty(state)
        if cuts and self._sorted:
            moves = sorted(moves, key=lambda move: -cuts.get(move, 0))
        if turn == 0:
            best = -2 * _WIN
            for move in moves:
                best = max(best, self.value(game.apply(state, move), depth - 1, max(alpha, best), beta))
                if best >= beta:
                    cuts[move] = cuts.get(move, 0) + 1
                    break
            return best
        best = 2 * _WIN
        for move in moves:
            best = min(best, self.value(game.apply(state, move), depth - 1, alpha, min(beta, best)))
            if best <= alpha:
                cuts[move] = cuts.get(move, 0) + 1
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
