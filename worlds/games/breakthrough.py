"""Breakthrough: march a pawn to the far side.

Source: the game of Dan Troyka, 2000; rules as in the world championships of general game playing.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Breakthrough", "Position"]


class Position(NamedTuple):
    """The pawns of each seat as bits, row by row from the first player's side, the seat to move, the winner or -1."""

    x: int
    o: int
    seat: int
    winner: int = -1


@dataclass(frozen=True)
class Breakthrough(Game[Position, tuple[int, int]]):
    """A board of ``rows`` by ``columns``, two rows of pawns each (one if there are four rows). A move is (from, to)."""

    rows: Annotated[int, Range(4, 20)] = 8
    columns: Annotated[int, Range(2, 20)] = 8

    draws = False

    def rules(self) -> str:
        deep = "two rows" if self.rows > 4 else "row"
        return (
            f"Breakthrough on {self.rows} rows and {self.columns} columns. X starts on the {deep} at the bottom and "
            f"moves up, O starts on the {deep} at the top and moves down. A move takes one pawn one cell forward, "
            "straight or diagonally. Straight ahead the cell must be empty; diagonally it may be empty or hold an "
            "opposing pawn, which is captured. Whoever first reaches the opposite side, or captures all of the "
            "opponent's pawns, wins. There are no draws."
        )

    def notation(self) -> str:
        return "A move is the pawn's cell and the cell it goes to"

    def initial(self) -> Position:
        deep = 2 if self.rows > 4 else 1
        home = (1 << deep * self.columns) - 1
        return Position(home, home << (self.rows - deep) * self.columns, 0)

    def turn(self, state: Position) -> int:
        return state.seat if state.winner < 0 else OVER

    def legal(self, state: Position) -> list[tuple[int, int]]:
        own, other = (state.o, state.x) if state.seat else (state.x, state.o)
        n, ahead = self.columns, -self.columns if state.seat else self.columns
        moves, left = [], own
        while left:
            bit = left & -left
            left ^= bit
            cell = bit.bit_length() - 1
            to, column = cell + ahead, cell % n
            if column and not own >> to - 1 & 1:
                moves.append((cell, to - 1))
            if not (own | other) >> to & 1:
                moves.append((cell, to))
            if column < n - 1 and not own >> to + 1 & 1:
                moves.append((cell, to + 1))
        return moves

    def apply(self, state: Position, move: tuple[int, int]) -> Position:
        cell, to = move
        own, other = (state.o, state.x) if state.seat else (state.x, state.o)
        own, other = own ^ 1 << cell | 1 << to, other & ~(1 << to)
        there = to < self.columns if state.seat else to >= (self.rows - 1) * self.columns
        winner = state.seat if there or not other else -1
        return Position(other, own, 0, winner) if state.seat else Position(own, other, 1, winner)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (1.0, -1.0) if state.winner == 0 else (-1.0, 1.0)

    def board(self, state: Position) -> str:
        n = self.columns
        marks = ["X" if state.x >> c & 1 else "O" if state.o >> c & 1 else "." for c in range(self.rows * n)]
        return cells.drawn([marks[r * n : (r + 1) * n] for r in range(self.rows)], upward=True)

    def write(self, state: Position, move: tuple[int, int]) -> str:
        return "".join(cells.name(*divmod(cell, self.columns)) for cell in move)
