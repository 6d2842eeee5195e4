"""Several games one after another at the same table, each of which a seat wins or not.

Source: series of games are how players of Werewolf are compared, Xu et al., "Exploring large language models for
communication games" (arXiv 2309.04658).
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.werewolf import Werewolf

__all__ = ["Position", "Series"]


class Position(NamedTuple):
    """The game that is played and its number from 0, how later ones start, the games each seat has won, the one before.

    ``last`` is the end of the game before, or None in the first one; ``moves`` counts those made in this game.
    """

    inner: Any
    later: tuple[Any, ...]
    won: tuple[int, ...]
    number: int = 0
    last: Any = None
    moves: int = 0


@dataclass(frozen=True)
class Series(Game[Position, Any]):
    """``count`` games without chance moves; everything that is drawn, such as roles, is drawn at the start."""

    inner: Game[Any, Any] = field(default_factory=Werewolf)
    count: Annotated[int, Range(1, 20)] = 3

    zero_sum = False
    hidden = True

    @property
    def seats(self) -> int:  # type: ignore[override]
        """The number of seats."""
        return self.inner.seats

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the seats are called."""
        return self.inner.names

    def rules(self) -> str:
        return f"{self.inner.rules()} {self.count} games are played, each with new roles."

    def notation(self) -> str:
        return self.inner.notation()

    def start(self, draw: Draw) -> Position:
        return self.of([self.inner.start(draw) for _ in range(self.count)])

    def of(self, starts: list[Any]) -> Position:
        """Return the beginning of a series in which the games start so."""
        return Position(starts[0], tuple(starts[1:]), (0,) * self.seats)

    def initial(self) -> Position:
        return self.start(Draw("series"))

    def turn(self, state: Position) -> int:
        return OVER if state.inner is None else self.inner.turn(state.inner)

    def legal(self, state: Position) -> list[Any]:
        return list(self.inner.legal(state.inner))

    def apply(self, state: Position, move: Any) -> Position:
        inner = self.inner.apply(state.inner, move)
        if self.inner.turn(inner) != OVER:
            return state._replace(inner=inner, moves=state.moves + 1)
        won = tuple(w + (got > 0) for w, got in zip(state.won, self.inner.returns(inner), strict=True))
        following = state.later[0] if state.later else None
        return Position(following, state.later[1:], won, state.number + 1, inner)

    def returns(self, state: Position) -> tuple[float, ...]:
        return tuple(float(won) for won in state.won)

    def board(self, state: Position) -> str:
        rows = [] if state.last is None or state.moves else [self._before(state)]
        if state.inner is not None:
            rows += [f"Game {state.number + 1} of {self.count}.", self.inner.board(state.inner)]
        won = ", ".join(f"{self.names[seat]} {won}" for seat, won in enumerate(state.won))
        return "\n".join([*rows, f"Games won: {won}."])

    def view(self, state: Position, seat: int) -> str:
        rows = [] if state.last is None or state.moves >= self.seats else [self._before(state, seat)]
        won = f"you have won {state.won[seat]} of {state.number}"
        if state.inner is None:
            return "\n".join([*rows, f"The series is over; {won}."])
        now = f"Game {state.number + 1} of {self.count}; {won}." if state.number else f"Game 1 of {self.count}."
        return "\n".join([*rows, now, self.inner.view(state.inner, seat)])

    def _before(self, state: Position, seat: int = -1) -> str:
        """Describe the end of the game before, in which nothing is hidden any more, to a seat if one is given."""
        outcome = "" if seat < 0 else ": you won" if self.inner.returns(state.last)[seat] > 0 else ": you lost"
        return f"Game {state.number} is over{outcome}. {self.inner.board(state.last)}"

    def write(self, state: Position, move: Any) -> str:
        return self.inner.write(state.inner, move)
