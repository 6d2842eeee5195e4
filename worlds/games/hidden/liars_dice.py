"""Liar's Dice: bid on what lies under all cups, or doubt the last bid.

Source: the family of Dudo and Perudo; as a game for programs OpenSpiel (arXiv 1908.09453), whose form is one round with
the highest face wild; for language agents, TextArena (arXiv 2504.11442).
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["LIAR", "LiarsDice", "Position", "matching"]

LIAR = (0, 0)
"""The move that doubts the last bid."""
Bid = tuple[int, int]


class Showdown(NamedTuple):
    """The end of a round: all dice, the bid, who doubted it, how many dice matched it, and who lost."""

    dice: tuple[tuple[int, ...], ...]
    bid: Bid
    doubter: int
    found: int
    loser: int


class Position(NamedTuple):
    """The dice left to each seat, those rolled in this round, its bids (seat, number, face), and the seat to move."""

    left: tuple[int, ...]
    dice: tuple[tuple[int, ...], ...]
    bids: tuple[tuple[int, int, int], ...]
    seat: int
    number: int = 0  # rounds that are over
    shown: Showdown | None = None


def matching(dice: tuple[int, ...], face: int, wild: int = 0) -> int:
    """Return how many of some dice show a face or the wild one."""
    return sum([die in (face, wild) for die in dice])


@dataclass(frozen=True)
class LiarsDice(Game[Position, Bid | int]):
    """Each seat has ``dice`` dice of ``sides`` sides. A move is a bid (number, face) or `LIAR`; chance rolls a die.

    Attributes:
        wild: A face that counts as every face; 0 for none.
        rounds: Whether the loser of a round loses a die and the game goes on until one seat has dice left.
    """

    seats: Annotated[int, Range(2, 8)] = 2
    dice: Annotated[int, Range(1, 10)] = 5
    sides: Annotated[int, Range(2, 20)] = 6
    wild: Annotated[int, Range(0, 20)] = 0
    rounds: bool = True

    names = tuple(f"Player {number}" for number in range(1, 9))
    draws = False
    hidden = True

    def rules(self) -> str:
        wild = f" A {self.wild} counts as every face." if self.wild else ""
        end = (
            "The loser of a round loses a die and begins the next one (or, without dice left, the next player does). "
            "Whoever is the last with dice wins."
            if self.rounds
            else "The loser of the round loses the game."
        )
        return (
            f"Liar's Dice for {self.seats} players with {self.dice} dice each, of {self.sides} sides. All roll their "
            "dice and see only their own. In turn a player bids how many of all dice show a face at least; a bid must "
            "name a larger number than the last one, or the same number and a higher face. Instead a player may call "
            f"liar: then all dice are shown; if they hold the bid, the caller loses the round, otherwise the bidder."
            f"{wild} {end}"
        )

    def notation(self) -> str:
        return "A move is a number, x and a face, such as 3x5 for at least three fives, or liar"

    def initial(self) -> Position:
        return Position((self.dice,) * self.seats, ((),) * self.seats, (), 0)

    def turn(self, state: Position) -> int:
        if (state.number and not self.rounds) or sum([left > 0 for left in state.left]) < 2:
            return OVER
        return CHANCE if self._rolling(state) >= 0 else state.seat

    def _rolling(self, state: Position) -> int:
        """Return the first seat with dice to roll, or -1."""
        return next((s for s, left in enumerate(state.left) if len(state.dice[s]) < left), -1)

    def legal(self, state: Position) -> list[Bid | int]:
        if self._rolling(state) >= 0:
            return list(range(1, self.sides + 1))
        last = state.bids[-1][1:] if state.bids else LIAR
        total = sum(state.left)
        higher: list[Bid | int] = [
            (number, face)
            for number in range(max(1, last[0]), total + 1)
            for face in range(1, self.sides + 1)
            if (number, face) > last
        ]
        return [*higher, LIAR] if state.bids else higher

    def apply(self, state: Position, move: Bid | int) -> Position:
        if isinstance(move, int):
            seat = self._rolling(state)
            dice = (*state.dice[:seat], (*state.dice[seat], move), *state.dice[seat + 1 :])
            return state._replace(dice=dice)
        if move != LIAR:
            return state._replace(bids=(*state.bids, (state.seat, *move)), seat=self._next(state.left, state.seat))
        bidder, number, face = state.bids[-1]
        found = sum([matching(dice, face, self.wild) for dice in state.dice])
        loser = state.seat if found >= number else bidder
        left = tuple(count - (seat == loser) for seat, count in enumerate(state.left)) if self.rounds else state.left
        begins = loser if left[loser] else self._next(left, loser)
        shown = Showdown(state.dice, (number, face), state.seat, found, loser)
        dice = ((),) * self.seats if self.rounds else state.dice
        return Position(left, dice, (), begins, state.number + 1, shown)

    def _next(self, left: tuple[int, ...], seat: int) -> int:
        seat = (seat + 1) % self.seats
        while not left[seat]:
            seat = (seat + 1) % self.seats
        return seat

    def returns(self, state: Position) -> tuple[float, ...]:
        share = 1 / (self.seats - 1)
        if self.rounds:
            return tuple(1.0 if left else -share for left in state.left)
        assert state.shown is not None
        return tuple(-1.0 if seat == state.shown.loser else share for seat in range(self.seats))

    def board(self, state: Position) -> str:
        return self._drawn(state, range(self.seats))

    def view(self, state: Position, seat: int) -> str:
        return self._drawn(state, (seat,))

    def _drawn(self, state: Position, seats: range | tuple[int, ...]) -> str:
        rows = []
        if state.shown:
            dice, (number, face), doubter, found, loser = state.shown
            all_dice = "; ".join(f"{self.names[s]} had {_spaced(d)}" for s, d in enumerate(dice) if d)
            rows.append(
                f"Last round: {all_dice}. {self.names[doubter]} doubted {number}x{face}; {found} matched, so "
                f"{self.names[loser]} lost."
            )
        for seat, left in enumerate(state.left):
            shown = f": {_spaced(state.dice[seat])}" if seat in seats and state.dice[seat] else ""
            rows.append(f"{self.names[seat]} has {left} {'die' if left == 1 else 'dice'}{shown}.")
        bids = ", ".join(f"{self.names[s]} {number}x{face}" for s, number, face in state.bids)
        return "\n".join([*rows, f"Bids: {bids or 'none'}"])

    def write(self, state: Position, move: Bid | int) -> str:
        if isinstance(move, int):
            return str(move)
        return "liar" if move == LIAR else f"{move[0]}x{move[1]}"


def _spaced(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, sorted(dice)))
