"""Hex: connect your two sides of a rhombus of hexagons.

Source: Piet Hein, 1942, and John Nash, 1948; the swap rule is the usual one.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["SWAP", "Hex", "Position", "neighbours"]

SWAP = -1
_AROUND = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


def neighbours(row: int, column: int) -> list[tuple[int, int]]:
    """Return the six cells that touch one, also those outside the board."""
    return [(row + down, column + right) for down, right in _AROUND]


class Position(NamedTuple):
    """The board row by row (. X O), the number of moves made, and the winner or -1."""

    cells: str
    moves: int
    winner: int = -1


@dataclass(frozen=True)
class Hex(Game[Position, int]):
    """A board of ``size`` by ``size``. A move is a cell, row by row, or `SWAP` as the second player's first move.

    After a swap the first stone becomes an O, mirrored in the long diagonal.
    """

    size: Annotated[int, Range(2, 20)] = 5
    swap: bool = False

    draws = False

    def rules(self) -> str:
        swap = (
            " Instead of a first move the second player may swap: the X is replaced by an O in the mirrored cell, with "
            "row and column exchanged."
            if self.swap
            else ""
        )
        return (
            f"Hex on {self.size} rows and {self.size} columns of hexagons. The players take turns to put a stone into "
            "an empty cell, the first X, the second O. A cell touches those to its left and right, the ones directly "
            "above and below, and those above to the right and below to the left. X wins with a chain of touching "
            "stones from the top row to the bottom row, O with one from the leftmost to the rightmost column. There "
            f"are no draws.{swap}"
        )

    def notation(self) -> str:
        return "A move is a cell, its column's letter and its row's number" + (", or swap" if self.swap else "")

    def initial(self) -> Position:
        return Position("." * self.size**2, 0)

    def turn(self, state: Position) -> int:
        return state.moves % 2 if state.winner < 0 else OVER

    def legal(self, state: Position) -> list[int]:
        free = [cell for cell, mark in enumerate(state.cells) if mark == "."]
        return [*free, SWAP] if self.swap and state.moves == 1 else free

    def apply(self, state: Position, move: int) -> Position:
        seat = state.moves % 2
        if move == SWAP:
            row, column = divmod(state.cells.index("X"), self.size)
            mirrored = column * self.size + row
            blank = "." * self.size**2
            return Position(f"{blank[:mirrored]}O{blank[mirrored + 1 :]}", 2)
        board = f"{state.cells[:move]}{'XO'[seat]}{state.cells[move + 1 :]}"
        return Position(board, state.moves + 1, seat if self._joined(board, move) else -1)

    def _joined(self, board: str, move: int) -> bool:
        """Return whether the chain of a stone reaches both sides of its colour."""
        size, mark = self.size, board[move]
        seen, stack, low, high = {move}, [move], False, False
        while stack:
            row, column = divmod(stack.pop(), size)
            along = row if mark == "X" else column
            low, high = low or along == 0, high or along == size - 1
            for r, c in neighbours(row, column):
                cell = r * size + c
                if 0 <= r < size and 0 <= c < size and board[cell] == mark and cell not in seen:
                    seen.add(cell)
                    stack.append(cell)
        return low and high

    def returns(self, state: Position) -> tuple[float, ...]:
        return (1.0, -1.0) if state.winner == 0 else (-1.0, 1.0)

    def board(self, state: Position) -> str:
        letters = "   " + " ".join(cells.name(0, c)[0] for c in range(self.size))
        rows = [state.cells[r * self.size : (r + 1) * self.size] for r in range(self.size)]
        return "\n".join([letters, *(f"{' ' * r}{r + 1:>2} {' '.join(row)}" for r, row in enumerate(rows))])

    def write(self, state: Position, move: int) -> str:
        return "swap" if move == SWAP else cells.name(*divmod(move, self.size))
