"""Pig: roll as often as you dare; a 1 loses what the turn has earned.

Source: Scarne, Scarne on Dice, 1945; Neller and Presser, "Optimal play of the dice game Pig", UMAP Journal 25, 2004.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["HOLD", "ROLL", "Pig", "Position"]

ROLL, HOLD = "roll", "hold"


class Position(NamedTuple):
    """The points of each seat, those of this turn, the seat to move, whether the die is rolling, and the moves made."""

    scores: tuple[int, ...]
    total: int = 0
    seat: int = 0
    rolling: bool = False
    moves: int = 0


@dataclass(frozen=True)
class Pig(Game[Position, str | int]):
    """Who first holds ``goal`` points wins; after ``most`` moves, rolls of the die included, nobody does."""

    seats: Annotated[int, Range(2, 10)] = 2
    goal: Annotated[int, Range(1, 10000)] = 100
    sides: Annotated[int, Range(2, 100)] = 6
    most: Annotated[int, Range(1, 100000)] = 1000

    names = tuple(f"Player {number}" for number in range(1, 11))
    hidden = True

    def rules(self) -> str:
        return (
            f"Pig for {self.seats} players with a die of {self.sides} sides. On your turn you roll or hold. What you "
            "roll is added to the points of your turn, but a 1 takes them all and ends the turn. If you hold, they are "
            f"added to your score and the turn ends. Whoever first holds {self.goal} points or more wins; with so "
            f"many you must hold. After {self.most} moves and rolls the game is a draw."
        )

    def notation(self) -> str:
        return "A move is roll or hold"

    def initial(self) -> Position:
        return Position((0,) * self.seats)

    def turn(self, state: Position) -> int:
        if state.moves >= self.most or max(state.scores) >= self.goal:
            return OVER
        return CHANCE if state.rolling else state.seat

    def legal(self, state: Position) -> list[str | int]:
        if state.rolling:
            return list(range(1, self.sides + 1))
        return [HOLD] if state.scores[state.seat] + state.total >= self.goal else [ROLL, HOLD]

    def apply(self, state: Position, move: str | int) -> Position:
        scores, total, seat, _, moves = state
        moves += 1
        if move == ROLL:
            return Position(scores, total, seat, True, moves)
        after = (seat + 1) % self.seats
        if move == HOLD:
            return Position((*scores[:seat], scores[seat] + total, *scores[seat + 1 :]), 0, after, False, moves)
        assert isinstance(move, int)
        if move == 1:
            return Position(scores, 0, after, False, moves)
        return Position(scores, total + move, seat, False, moves)

    def returns(self, state: Position) -> tuple[float, ...]:
        if max(state.scores) < self.goal:
            return (0.0,) * self.seats
        return tuple(1.0 if score >= self.goal else -1 / (self.seats - 1) for score in state.scores)

    def board(self, state: Position) -> str:
        rows = [f"{self.names[seat]} has {score} points." for seat, score in enumerate(state.scores)]
        return "\n".join([*rows, f"It is the turn of {self.names[state.seat]}, with {state.total} points so far."])

    def write(self, state: Position, move: str | int) -> str:
        return str(move)
