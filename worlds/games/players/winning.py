"""Find a game that is won against a player: players are deterministic, so such a game can be played again."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import CHANCE, OVER
from turnwise.worlds.games.players.player import Player

__all__ = ["advance", "winning_line"]


@lru_cache(maxsize=2**14)
def advance(state: Any, seat: int, opponent: Player) -> tuple[Any, tuple[Any, ...]]:
    """Let the opponent and chance move until it is a seat's turn or the end; return the position and the moves.

    What chance does is decided by the opponent's seed and the position.
    """
    game, moves = opponent.game, []
    while (turn := game.turn(state)) not in (seat, OVER):
        if turn == CHANCE:
            draw = Draw("chance", opponent.seed, state)
            moves.append(draw.weighted(game.legal(state), game.odds(state)))
        else:
            moves.append(opponent.choose(state))
        state = game.apply(state, moves[-1])
    return state, tuple(moves)


def winning_line(
    state: Any, seat: int, opponent: Player, scouts: Sequence[Player], draw: Draw, tries: int, most: int
) -> tuple[Any, ...] | None:
    """Return moves of a seat that win against an opponent, or None if none are found.

    The first try is a scout's game; each later one follows the line played before for a while and goes on from there
    with a scout whose play is more or less often interrupted by random moves.

    Args:
        state: Where the seat is to move.
        seat: Who is to win.
        opponent: Plays the other seat.
        scouts: Play the seat in turn.
        draw: Decides what is tried.
        tries: The number of games tried.
        most: The most moves of the seat.
    """
    game = opponent.game
    path: list[tuple[Any, Any]] = []  # positions and moves of the latest game
    for number in range(tries):
        at = state
        if path:
            path, at = path[: (kept := draw.below(len(path)))], path[kept][0]
        wild = 0.15 * (number % 4)
        scout = scouts[number % len(scouts)]
        while game.turn(at) != OVER and len(path) < most:
            move = draw.choice(game.legal(at)) if draw.chance(wild) else scout.choose(at)
            path.append((at, move))
            at, _ = advance(game.apply(at, move), seat, opponent)
        if game.turn(at) == OVER and game.returns(at)[seat] > 0:
            return tuple(move for _, move in path)
    return None
