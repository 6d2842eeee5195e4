"""Blackjack out of a shoe that runs down: one player bets on each round, and the cards that are gone do not come back.

Sources: Thorp, Beat the Dealer, 1962; Griffin, The Theory of Blackjack, 1979.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.blackjack import points

__all__ = ["Position", "Shoe"]

_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_MOST, _DRAWS_TO = 21, 17
_ROUND = 17  # cards that a round seldom uses up; with fewer left none begins


class Position(NamedTuple):
    """What decides the order of the cards, how many are dealt, the chips, and the round: the bet and both hands.

    The bet is 0 between rounds. ``said`` describes the end of the round before.
    """

    luck: int
    dealt: int
    chips: int
    number: int = 1
    bet: int = 0
    hand: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    said: str = ""


@lru_cache(maxsize=256)
def _order(luck: int, decks: int) -> tuple[int, ...]:
    return tuple(Draw("shoe", luck).shuffled([rank for rank in range(13) for _ in range(4 * decks)]))


@dataclass(frozen=True)
class Shoe(Game[Position, str]):
    """``decks`` decks of cards, dealt until few are left. A move is a bet of up to ``most`` chips, or how to go on."""

    decks: Annotated[int, Range(1, 8)] = 2
    most: Annotated[int, Range(2, 100)] = 10
    stack: Annotated[int, Range(10, 10000)] = 100

    seats = 1
    names = ("The player",)
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        return (
            f"Blackjack with {self.decks * 52} cards ({self.decks} deck{'s' if self.decks > 1 else ''}), shuffled once;"
            f" cards that were dealt do not come back. Before each round you bet 1 to {self.most} of your chips. You "
            "and the dealer get two cards, one of the dealer's face down. Cards count their number, pictures 10, an "
            "ace 11 or 1. Hit draws a card, stand ends your turn, double (only first) doubles the bet and draws one "
            "last card. Over 21 you lose. The dealer draws to 17 or more. Whoever is closer to 21 wins the bet; equal "
            "points give it back. 21 with two cards wins at once 3 chips for 2, rounded down, or draws with the "
            f"dealer's. No round begins with less than {_ROUND} cards or without chips."
        )

    def notation(self) -> str:
        return "A move is bet with a number of chips (bet 2), then hit, stand or double"

    def start(self, draw: Draw) -> Position:
        return Position(draw.below(2**60), 0, self.stack)

    def initial(self) -> Position:
        return self.start(Draw("shoe"))

    def order(self, state: Position) -> tuple[int, ...]:
        """Return all cards in the order in which they are dealt, as ranks from 0, the ace."""
        return _order(state.luck, self.decks)

    def unseen(self, state: Position) -> list[int]:
        """Return how many cards of each rank the player has not seen: those of the shoe and the one face down."""
        seen = self.order(state)[: state.dealt]
        counts = [4 * self.decks] * 13
        for card in seen:
            counts[card] -= 1
        if state.bet:
            counts[state.dealer[1]] += 1
        return counts

    def turn(self, state: Position) -> int:
        if state.bet:
            return 0
        return OVER if state.chips < 1 or 52 * self.decks - state.dealt < _ROUND else 0

    def legal(self, state: Position) -> list[str]:
        if not state.bet:
            return [f"bet {chips}" for chips in range(1, min(self.most, state.chips) + 1)]
        return ["stand", "hit", "double"] if self._may_double(state) else ["stand", "hit"]

    def _may_double(self, state: Position) -> bool:
        return len(state.hand) == 2 and state.chips >= state.bet

    def apply(self, state: Position, move: str) -> Position:
        order, at = self.order(state), state.dealt
        if not state.bet:
            bet = int(move[4:])
            hand, dealer = order[at : at + 4 : 2], order[at + 1 : at + 4 : 2]
            state = state._replace(dealt=at + 4, chips=state.chips - bet, bet=bet, hand=hand, dealer=dealer)
            return self._settled(state) if _MOST in (points(hand), points(dealer)) else state
        if move == "stand":
            return self._settled(state)
        more = state.bet if move == "double" else 0
        hand = (*state.hand, order[at])
        state = state._replace(dealt=at + 1, chips=state.chips - more, bet=state.bet + more, hand=hand)
        return self._settled(state) if move == "double" or points(state.hand) > _MOST else state

    def _settled(self, state: Position) -> Position:
        """Return the position after the dealer has drawn and the bet is paid."""
        order, at, dealer, hand = self.order(state), state.dealt, state.dealer, state.hand
        own = points(hand)
        natural = len(hand) == 2 and own == _MOST
        at_once = natural or own > _MOST or points(dealer) == _MOST
        while not at_once and points(dealer) < _DRAWS_TO and at < len(order):
            dealer, at = (*dealer, order[at]), at + 1
        theirs = points(dealer)
        if own > _MOST or (own < theirs <= _MOST):
            won = -state.bet
        elif own == theirs:
            won = 0
        else:
            won = state.bet * 3 // 2 if natural else state.bet
        said = (
            f"Round {state.number}: you had {_written(hand)} ({own} points), the dealer {_written(dealer)} "
            f"({points(dealer)} points); {_outcome(won)}."
        )
        return Position(state.luck, at, state.chips + state.bet + won, state.number + 1, said=said)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.chips + state.bet - self.stack),)

    def board(self, state: Position) -> str:
        return self._text(state, _written(state.dealer))

    def view(self, state: Position, seat: int) -> str:
        return self._text(state, f"{_written(state.dealer[:1])} and a card face down")

    def _text(self, state: Position, dealer: str) -> str:
        left = 52 * self.decks - state.dealt
        if state.bet:
            return (
                f"Round {state.number}. Chips: {state.chips} and {state.bet} bet. Cards left: {left}.\n"
                f"You have {_written(state.hand)}: {points(state.hand)} points. The dealer has {dealer}."
            )
        rows = [state.said] if state.said else []
        now = "No further round is played" if self.turn(state) == OVER else f"Round {state.number}: place your bet"
        return "\n".join([*rows, f"{now}. Chips: {state.chips}. Cards left: {left}."])

    def write(self, state: Position, move: str) -> str:
        return move


@lru_cache(maxsize=2**13)
def _written(hand: tuple[int, ...]) -> str:
    return " ".join(_RANKS[rank] for rank in hand)


def _outcome(won: int) -> str:
    return f"you won {won}" if won > 0 else f"you lost {-won}" if won else "the bet comes back"
