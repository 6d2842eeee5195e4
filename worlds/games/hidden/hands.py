"""A match of several hands of a card game for two, where the players take turns in being player 1.

Source: matches of alternating seats are how poker programs are compared, Hoehn, Southey, Holte and Bulitko, "Effective
short-term opponent exploitation in simplified poker", AAAI 2005.
"""

from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Annotated, Any, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc

__all__ = ["Hands", "Position", "folded"]


class Position(NamedTuple):
    """What decides all cards to come, the hand's number from 0, the hand, the first seat's chips, and the hand before.

    ``last`` is the end of the hand before, or None in the first one; ``moves`` counts those made in this hand.
    """

    luck: int
    hand: int
    inner: Any
    chips: int = 0
    last: Any = None
    moves: int = 0


def folded(game: Game[Any, Any], state: Any) -> bool:
    """Return whether a hand has ended without the cards being compared."""
    if isinstance(game, Kuhn):
        return bool(state.actions.endswith("bp"))
    assert isinstance(game, Leduc)
    return bool(state.rounds[-1].endswith("f"))


@lru_cache(maxsize=2**12)
def _unit(luck: int, hand: int, dealt: bool) -> float:
    """Return the number, from 0 up to but not 1, that decides the deal of a hand, or its public card."""
    return Draw("hands", luck, hand, dealt).unit()


@lru_cache(maxsize=2**10)
def _chance_after(game: Game[Any, Any], inner: Any) -> Any:
    """Return where chance moves next in a hand in which nobody bets, or None."""
    while (turn := game.turn(inner)) != CHANCE:
        if turn == OVER:
            return None
        inner = game.apply(inner, game.legal(inner)[0])
    return inner


@dataclass(frozen=True)
class Hands(Game[Position, Any]):
    """``count`` hands of Kuhn or Leduc poker; the cards are drawn at the start and do not depend on what is played."""

    inner: Game[Any, Any] = field(default_factory=Kuhn)
    count: Annotated[int, Range(1, 1000)] = 20

    names = ("Player 1", "Player 2")
    hidden = True

    def rules(self) -> str:
        return (
            f"{self.inner.rules()} A match has {self.count} hands; you and your opponent take turns in being player 1, "
            "and the chips won and lost in all hands are added up. After a hand both see the cards, unless it ended "
            "with one player giving up."
        )

    def notation(self) -> str:
        return self.inner.notation()

    def start(self, draw: Draw) -> Position:
        return self._dealt(Position(draw.below(2**60), 0, self.inner.initial()))

    def initial(self) -> Position:
        return self.start(Draw("hands"))

    def place(self, state: Position, seat: int) -> int:
        """Return a seat's place in this hand: 0 if it is player 1."""
        return seat ^ state.hand & 1

    def _dealt(self, state: Position) -> Position:
        """Return the position after all that chance does until somebody is to move."""
        game, inner = self.inner, state.inner
        while game.turn(inner) == CHANCE:
            draw = Draw.of(partial(_unit, state.luck, state.hand, bool(inner.cards)))  # the deal, or the public card
            inner = game.apply(inner, draw.weighted(game.legal(inner), game.odds(inner)))
        return state._replace(inner=inner)

    def chance(self, luck: int, hand: int) -> list[Any]:
        """Return all that chance does in a hand that goes on to the end: the deal, then the public card if any."""
        game, made = self.inner, []
        inner: Any = game.initial()
        while inner is not None:
            draw = Draw.of(partial(_unit, luck, hand, bool(inner.cards)))
            made.append(draw.weighted(game.legal(inner), game.odds(inner)))
            inner = _chance_after(game, game.apply(inner, made[-1]))
        return made

    def turn(self, state: Position) -> int:
        if state.hand >= self.count:
            return OVER
        return self.place(state, self.inner.turn(state.inner))

    def legal(self, state: Position) -> list[Any]:
        return list(self.inner.legal(state.inner))

    def apply(self, state: Position, move: Any) -> Position:
        state = self._dealt(state._replace(inner=self.inner.apply(state.inner, move), moves=state.moves + 1))
        if self.inner.turn(state.inner) != OVER:
            return state
        won = int(self.inner.returns(state.inner)[self.place(state, 0)])
        after = Position(state.luck, state.hand + 1, self.inner.initial(), state.chips + won, state.inner)
        return self._dealt(after) if after.hand < self.count else after

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.chips), float(-state.chips))

    def board(self, state: Position) -> str:
        rows = [] if state.last is None else [f"Hand {state.hand}: {_line(self.inner.board(state.last))}"]
        if self.turn(state) != OVER:
            rows += [self._number(state), self.inner.board(state.inner)]
        return "\n".join([*rows, f"Chips won and lost: {state.chips:+d} and {-state.chips:+d}"])

    def view(self, state: Position, seat: int) -> str:
        rows = [] if state.last is None or state.moves > 1 else [self._before(state, seat)]
        chips = f"Your chips: {state.chips * (1 - 2 * seat):+d}"
        if self.turn(state) == OVER:
            return "\n".join([*rows, chips])
        place = self.place(state, seat)
        rows += [f"{self._number(state)}: you are {self.names[place].lower()}. {chips}"]
        return "\n".join([*rows, self.inner.view(state.inner, place)])

    def _number(self, state: Position) -> str:
        return f"Hand {state.hand + 1} of {self.count}"

    def _before(self, state: Position, seat: int) -> str:
        """Describe the hand before as a seat saw it end."""
        place = seat ^ (state.hand - 1) & 1
        hidden = folded(self.inner, state.last)
        seen = self.inner.view(state.last, place) if hidden else self.inner.board(state.last)
        won = int(self.inner.returns(state.last)[place])
        outcome = f"won {won}" if won > 0 else f"lost {-won}" if won else "neither won nor lost"
        return f"Hand {state.hand} (you were {self.names[place].lower()}): {_line(seen)} You {outcome}."

    def write(self, state: Position, move: Any) -> str:
        return self.inner.write(state.inner, move)


def _line(text: str) -> str:
    """Return a text of several lines as one, in sentences."""
    return " ".join(line if line.endswith(".") else f"{line}." for line in text.split("\n"))
