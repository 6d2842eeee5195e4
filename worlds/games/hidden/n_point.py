"""N-point: both sides draw cards up to a limit that changes every round, and do not see what the other draws.

Source: the N-point game of KORGym (arXiv 2505.14552); here no limit is so low that the first two cards can exceed it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import ALL, OVER, Game

__all__ = ["HIT", "STAND", "Hand", "NPoint", "Position", "card_of", "score"]

HIT, STAND = "hit", "stand"
_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
Hands = tuple[tuple[int, ...], tuple[int, ...]]
Moves = tuple[tuple[str, ...], tuple[str, ...]]


class Hand(NamedTuple):
    """The limit of a round, the points of each seat's cards, and what each has done, turn by turn.

    A seat that has stood or is over the limit stands in all later turns.
    """

    limit: int
    cards: Hands
    made: Moves = ((), ())

    def total(self, seat: int) -> int:
        """Return the points of a seat's cards."""
        return sum(self.cards[seat])

    def active(self, seat: int) -> bool:
        """Return whether a seat still decides."""
        return STAND not in self.made[seat] and self.total(seat) <= self.limit

    def score(self, seat: int) -> float:
        """Return what a seat gets for its points as they are: 1, 0.5 or 0."""
        return score(self.limit, self.total(seat), self.total(1 - seat))


class Position(NamedTuple):
    """What decides all cards to come, the round's number from 0, the round, the points won, and the round before."""

    luck: int
    number: int
    hand: Hand
    points: tuple[float, float] = (0.0, 0.0)
    last: Hand | None = None


def score(limit: int, own: int, other: int) -> float:
    """Return what a seat gets for its points in a round in which the other has so many."""
    own, other = own if own <= limit else -1, other if other <= limit else -1
    return 0.5 + 0.5 * ((own > other) - (own < other))


@lru_cache(maxsize=2**14)
def card_of(luck: int, number: int, seat: int, place: int) -> int:
    """Return the points of a card of a seat in a round, from place 0."""
    return Draw("n-point", luck, number, seat, place).integer(1, 13)


@dataclass(frozen=True)
class NPoint(Game[Position, tuple[str, str] | str]):
    """``rounds`` rounds with limits from ``low`` to ``high``. The cards do not depend on what is played."""

    rounds: Annotated[int, Range(1, 100)] = 10
    low: Annotated[int, Range(26, 100)] = 26
    high: Annotated[int, Range(26, 100)] = 50

    names = ("Player 1", "Player 2")
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise SettingsError(f"low is {self.low}; it must be at most high, which is {self.high}")

    def rules(self) -> str:
        return (
            f"N-point, {self.rounds} rounds. Each round has a limit N from {self.low} to {self.high}, which both "
            "players know. Both get two cards; an ace counts 1, a jack 11, a queen 12, a king 13, other cards their "
            "number, and every card is equally likely each time. A player's first card is open; the others are seen "
            "by that player only. In each turn both choose at the same time to hit (draw a card) or to stand (draw no "
            "more in this round). Whoever is over N has to stand from then on. Once both stand, all cards are shown. "
            "The higher points that are not over N win 1 point; equal points, or both over N, give 0.5 points each."
        )

    def notation(self) -> str:
        return "A move is hit or stand"

    def start(self, draw: Draw) -> Position:
        luck = draw.below(2**60)
        return Position(luck, 0, self._dealt(luck, 0))

    def initial(self) -> Position:
        return self.start(Draw("n-point"))

    def _dealt(self, luck: int, number: int) -> Hand:
        first, second = ((card_of(luck, number, seat, 0), card_of(luck, number, seat, 1)) for seat in (0, 1))
        return Hand(self.limit(luck, number), (first, second))

    def limit(self, luck: int, number: int) -> int:
        """Return the limit of a round."""
        return Draw("limit", luck, number).integer(self.low, self.high)

    def turn(self, state: Position) -> int:
        if state.number >= self.rounds:
            return OVER
        if state.hand.active(0):
            return ALL if state.hand.active(1) else 0
        return 1

    def legal(self, state: Position) -> list[tuple[str, str] | str]:
        if self.turn(state) == ALL:
            return [(first, second) for first, second in product((HIT, STAND), repeat=2)]
        return [HIT, STAND]

    def apply(self, state: Position, move: tuple[str, str] | str) -> Position:
        hand, turn = state.hand, self.turn(state)
        both = move if isinstance(move, tuple) else (move, STAND) if turn == 0 else (STAND, move)
        cards = tuple(
            (*own, card_of(state.luck, state.number, seat, len(own))) if both[seat] == HIT else own
            for seat, own in enumerate(hand.cards)
        )
        made = tuple((*before, now) for before, now in zip(hand.made, both, strict=True))
        hand = Hand(hand.limit, cards, made)  # type: ignore[arg-type]
        if hand.active(0) or hand.active(1):
            return state._replace(hand=hand)
        points = (state.points[0] + hand.score(0), state.points[1] + hand.score(1))
        return Position(state.luck, state.number + 1, self._dealt(state.luck, state.number + 1), points, hand)

    def returns(self, state: Position) -> tuple[float, ...]:
        return state.points

    def board(self, state: Position) -> str:
        first, second = state.points
        rows = (
            []
            if state.last is None
            else [f"Round {state.number}, N was {state.last.limit}. {self._all(state.last, self.names)}"]
        )
        if self.turn(state) != OVER:
            rows.append(f"{self._number(state)} {self._all(state.hand, self.names, 'has')}")
        return "\n".join([*rows, f"Points: {first:g} and {second:g}."])

    def view(self, state: Position, seat: int) -> str:
        own, other = state.points[seat], state.points[1 - seat]
        names = ("You", "The opponent") if seat == 0 else ("The opponent", "You")
        rows = []
        if state.last is not None and not state.hand.made[0]:
            ends = {1.0: "you won", 0.5: "a draw", 0.0: "you lost"}
            rows.append(
                f"Round {state.number}, N was {state.last.limit}, {ends[state.last.score(seat)]}. "
                f"{self._all(state.last, names)}"
            )
        points = f"Points: you {own:g}, the opponent {other:g}."
        if self.turn(state) == OVER:
            return "\n".join([*rows, points])
        hand, hidden = state.hand, len(state.hand.cards[1 - seat]) - 1
        made = "; ".join(f"{name.lower()} {', '.join(each)}" for name, each in zip(names, hand.made, strict=True))
        return "\n".join(
            [
                *rows,
                f"{self._number(state)} {points}",
                f"You have {_written(hand.cards[seat])}: {hand.total(seat)} points.",
                f"The opponent has {_written(hand.cards[1 - seat][:1])} and {hidden} hidden "
                f"card{'s' if hidden > 1 else ''}.",
                f"Moves: {made if hand.made[0] else 'none yet'}.",
            ]
        )

    def _number(self, state: Position) -> str:
        return f"Round {state.number + 1} of {self.rounds}, N is {state.hand.limit}."

    def _all(self, hand: Hand, names: tuple[str, ...], verb: str = "had") -> str:
        over = [", over N" * (hand.total(seat) > hand.limit) for seat in (0, 1)]
        each = (
            f"{name} {verb} {_written(hand.cards[seat])} ({hand.total(seat)} points{over[seat]})."
            for seat, name in enumerate(names)
        )
        return " ".join(each)

    def write(self, state: Position, move: tuple[str, str] | str) -> str:
        return move if isinstance(move, str) else " ".join(move)


def _written(cards: tuple[int, ...]) -> str:
    return " ".join(_RANKS[points - 1] for points in cards)
