"""Tic-tac-toe and its family: m by n boards with k in a row, misère (the row loses) and wild (place either mark).

Source: the m,n,k-games of van den Herik, Uiterwijk and van Rijswijck, "Games solved: now and in the future", Artificial
Intelligence 134, 2002.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Position", "TicTacToe"]

_DRAWN = 2


class Position(NamedTuple):
    """The cells with an X and with an O as bits, the seat to move, and the winner: a seat, 2 for a draw, or -1."""

    x: int
    o: int
    seat: int
    winner: int


@dataclass(frozen=True)
class TicTacToe(Game[Position, int]):
    """A board of ``rows`` by ``columns``; the first row of ``k`` equal marks wins, or loses in the misère form.

    A move is a cell, row by row; in the wild form twice the cell, plus one for an O.
    """

    rows: Annotated[int, Range(3, 20)] = 3
    columns: Annotated[int, Range(3, 20)] = 3
    k: Annotated[int, Range(2, 10)] = 3
    misere: bool = False
    wild: bool = False

    def rules(self) -> str:
        marks = "X or O, as they choose" if self.wild else "their own mark (the first player X, the second O)"
        row = f"{self.k} equal marks" if self.wild else f"{self.k} of their own marks"
        return (
            f"Tic-tac-toe on {self.rows} rows and {self.columns} columns. The players take turns to put {marks} into "
            f"an empty cell. Whoever first completes {row} in a row (across, down or diagonal) "
            f"{'loses' if self.misere else 'wins'}. A full board without such a row is a draw."
        )

    def notation(self) -> str:
        if self.wild:
            return "A move is the mark and the cell, its column's letter and its row's number"
        return "A move is a cell, its column's letter and its row's number"

    def initial(self) -> Position:
        return Position(0, 0, 0, -1)

    def turn(self, state: Position) -> int:
        return state.seat if state.winner < 0 else OVER

    def legal(self, state: Position) -> list[int]:
        taken = state.x | state.o
        free = [cell for cell in range(self.rows * self.columns) if not taken >> cell & 1]
        return [2 * cell + mark for cell in free for mark in (0, 1)] if self.wild else free

    def apply(self, state: Position, move: int) -> Position:
        cell, mark = divmod(move, 2) if self.wild else (move, state.seat)
        x, o = (state.x | 1 << cell, state.o) if mark == 0 else (state.x, state.o | 1 << cell)
        own = o if mark else x
        winner = -1
        for line in cells.lines(self.rows, self.columns, self.k)[cell]:
            if line & own == line:
                winner = 1 - state.seat if self.misere else state.seat
                break
        else:
            if x | o == (1 << self.rows * self.columns) - 1:
                winner = _DRAWN
        return Position(x, o, 1 - state.seat, winner)

    def returns(self, state: Position) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[state.winner]

    def board(self, state: Position) -> str:
        return cells.drawn_bits(state.x, state.o, self.rows, self.columns)

    def named(self, state: Position, text: str) -> int | None:
        cell = None if self.wild else cells.named(self.rows, self.columns).get(text)
        return None if cell is None or state.winner >= 0 or (state.x | state.o) >> cell & 1 else cell

    def write(self, state: Position, move: int) -> str:
        if self.wild:
            return "XO"[move % 2] + cells.name(*divmod(move // 2, self.columns))
        return cells.name(*divmod(move, self.columns))
