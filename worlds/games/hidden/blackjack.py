"""Blackjack: draw cards up to 21 points without going over, against a dealer who draws to 17.

Source: Thorp, Beat the Dealer, 1962, without doubling, splitting and extra pay for a natural; OpenSpiel's form
(arXiv 1908.09453).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["HIT", "STAND", "Blackjack", "Position", "points"]

HIT, STAND = "hit", "stand"
_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_MOST, _DRAWS_TO = 21, 17


class Position(NamedTuple):
    """The ranks of each seat's cards and of the dealer's (0 is an ace), the seat to move, and whether it has to draw.

    The seat after the last one is the dealer, whose second card is hidden until then.
    """

    hands: tuple[tuple[int, ...], ...]
    dealer: tuple[int, ...] = ()
    seat: int = 0
    drawing: bool = False


@lru_cache(maxsize=2**13)
def points(hand: tuple[int, ...]) -> int:
    """Return the value of a hand: an ace counts 11 if that does not go over 21.

    >>> points((0, 12)), points((0, 12, 4))
    (21, 16)
    """
    total = sum([min(rank, 9) + 1 for rank in hand])
    return total + 10 if 0 in hand and total + 10 <= _MOST else total


@dataclass(frozen=True)
class Blackjack(Game[Position, str | int]):
    """Every seat plays for itself against the dealer. Chance draws a rank from ``decks`` decks of 52 cards."""

    seats: Annotated[int, Range(1, 7)] = 1
    decks: Annotated[int, Range(1, 8)] = 1

    names = tuple(f"Player {number}" for number in range(1, 8))
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        return (
            f"Blackjack with {self.decks} deck{'s' if self.decks > 1 else ''} of 52 cards. Cards count their number, "
            "pictures 10, an ace 11 or 1. You and the dealer get two cards each; the dealer's second card is hidden. "
            "You may hit (draw a card) as often as you like, or stand. Over 21 points you lose at once. When all "
            "players are done, the dealer draws up to 17 points or more. Whoever is closer to 21 wins; a dealer over "
            "21 loses; equal points are a draw."
        )

    def notation(self) -> str:
        return "A move is hit or stand"

    def initial(self) -> Position:
        return Position(((),) * self.seats)

    def _receiver(self, state: Position) -> int:
        """Return the seat that gets the next card (the number of seats: the dealer), or -1 if none is due."""
        for seat, hand in enumerate(state.hands):
            if len(hand) < 2:
                return seat
        if len(state.dealer) < 2:
            return self.seats
        if state.seat < self.seats:
            return state.seat if state.drawing else -1
        beaten = all(points(hand) > _MOST for hand in state.hands)
        return self.seats if points(state.dealer) < _DRAWS_TO and not beaten else -1

    def turn(self, state: Position) -> int:
        if self._receiver(state) >= 0:
            return CHANCE
        return state.seat if state.seat < self.seats else OVER

    def _left(self, state: Position) -> list[int]:
        seen = [card for hand in (*state.hands, state.dealer) for card in hand]
        return [4 * self.decks - seen.count(rank) for rank in range(13)]

    def legal(self, state: Position) -> list[str | int]:
        if self._receiver(state) < 0:
            return [HIT, STAND]
        return [rank for rank, left in enumerate(self._left(state)) if left]

    def odds(self, state: Position) -> list[float]:
        left = [count for count in self._left(state) if count]
        return [count / sum(left) for count in left]

    def apply(self, state: Position, move: str | int) -> Position:
        if move == STAND:
            return state._replace(seat=state.seat + 1)
        if move == HIT:
            return state._replace(drawing=True)
        assert isinstance(move, int)
        receiver = self._receiver(state)
        if receiver == self.seats:
            return state._replace(dealer=(*state.dealer, move))
        hand = (*state.hands[receiver], move)
        hands = (*state.hands[:receiver], hand, *state.hands[receiver + 1 :])
        return Position(hands, state.dealer, state.seat + (points(hand) > _MOST), False)

    def returns(self, state: Position) -> tuple[float, ...]:
        dealer = points(state.dealer)
        dealer = 0 if dealer > _MOST else dealer
        own = [-1 if points(hand) > _MOST else points(hand) for hand in state.hands]
        return tuple(float((mine > dealer) - (mine < dealer)) for mine in own)

    def board(self, state: Position) -> str:
        return self._drawn(state, len(state.dealer))

    def view(self, state: Position, seat: int) -> str:
        return self._drawn(state, len(state.dealer) if state.seat >= self.seats else 1)

    def _drawn(self, state: Position, shown: int) -> str:
        rows = [
            f"{self.names[seat]} has {_written(hand)}: {points(hand)} points."
            for seat, hand in enumerate(state.hands)
            if hand
        ]
        covered = " and a hidden card" if len(state.dealer) > shown else ""
        if state.dealer:
            rows.append(f"The dealer has {_written(state.dealer[:shown])}{covered}.")
        return "\n".join(rows) or "No cards are dealt yet."

    def write(self, state: Position, move: str | int) -> str:
        return move if isinstance(move, str) else _RANKS[move]


def _written(hand: tuple[int, ...]) -> str:
    return " ".join(_RANKS[rank] for rank in hand)
