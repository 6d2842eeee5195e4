"""One seat among scripted players: what they answer, and moves with which the seat gets what it wants."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game
from turnwise.worlds.games.players.player import Player

__all__ = ["Company", "found_line", "played_out"]


@dataclass(frozen=True)
class Company:
    """A seat that is free, and the players of all seats (the one of the free seat is not asked).

    Attributes:
        seat: The free seat.
        players: By seat.
    """

    seat: int
    players: tuple[Player, ...]

    @property
    def game(self) -> Game[Any, Any]:
        """The rules."""
        return self.players[0].game

    def until_turn(self, state: Any) -> Any:
        """Let the others and chance move until the free seat is to move or the game is over."""
        game = self.game
        while (turn := game.turn(state)) not in (self.seat, ALL, OVER):
            if turn == CHANCE:
                draw = Draw("chance", self.players[0].seed, state)
                state = game.apply(state, draw.weighted(game.legal(state), game.odds(state)))
            else:
                state = game.apply(state, self.players[turn].act(state, turn))
        return state

    def after(self, state: Any, move: Any) -> Any:
        """Return the position after a move of the free seat and all that follows until its next turn."""
        return _after(self, state, move)


@lru_cache(maxsize=2**13)
def _after(company: Company, state: Any, move: Any) -> Any:
    game, seat = company.game, company.seat
    if game.turn(state) == ALL:
        players = enumerate(company.players)
        move = tuple(move if other == seat else player.act(state, other) for other, player in players)
    return company.until_turn(game.apply(state, move))


def played_out(state: Any, company: Company, choose: Callable[[Any], Any]) -> float:
    """Return what the free seat gets that chooses so from a position in which it is to move."""
    game = company.game
    while game.turn(state) != OVER:
        state = company.after(state, choose(state))
    return game.returns(state)[company.seat]


def found_line(
    state: Any, company: Company, goal: float, scouts: Sequence[Player], draw: Draw, tries: int
) -> tuple[Any, ...] | None:
    """Return moves with which the free seat gets at least ``goal``, or None if none are found.

    Each scout plays a game. Later tries follow the best game so far for a while and go on from there, now and then with
    another move than the scout's.

    Args:
        state: Where the free seat is to move.
        company: The free seat and the others.
        goal: What the seat is to get.
        scouts: Play the free seat in turn.
        draw: Decides what is tried.
        tries: The number of games tried.
    """
    game, seat = company.game, company.seat
    best: list[tuple[Any, Any]] = []
    reached = -float("inf")
    for number in range(tries):
        path: list[tuple[Any, Any]] = []
        at = state
        if number >= len(scouts) and best:
            path = best[: draw.below(len(best))]
            at = best[len(path)][0]
        scout, wild = scouts[number % len(scouts)], 0.0 if number < len(scouts) else 0.1
        first = bool(path)
        while game.turn(at) != OVER:
            other = first or draw.chance(wild)
            move = draw.choice(game.moves(at, seat)) if other else scout.act(at, seat)
            path.append((at, move))
            at, first = company.after(at, move), False
        if (got := game.returns(at)[seat]) > reached:
            best, reached = path, got
        if reached >= goal:
            return tuple(move for _, move in best)
    return None
