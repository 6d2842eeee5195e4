"""Ultimate tic-tac-toe: nine small boards in a large one, where a move decides in which board the reply is made.

Source: the rules as first collected by Ben Orlin, "Ultimate Tic-Tac-Toe", 2013: a decided or full board sends the
opponent wherever they like.
"""

from dataclasses import dataclass
from typing import NamedTuple

from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Position", "Ultimate"]

_FULL = 0o777
_CELLS = tuple(tuple(cell for cell in range(9) if bits >> cell & 1) for bits in range(_FULL + 1))  # of the bits set
_ROWS = {line for masks in cells.lines(3, 3, 3) for line in masks}
_HAS_ROW = tuple(any(line & bits == line for line in _ROWS) for bits in range(_FULL + 1))


class Position(NamedTuple):
    """The nine small boards as bits of each seat, the won boards of each, and the board to play in (-1: any).

    ``winner`` is a seat, 2 for a draw, or -1.
    """

    marks: tuple[tuple[int, ...], tuple[int, ...]]
    won: tuple[int, int]
    target: int
    seat: int
    winner: int


@dataclass(frozen=True)
class Ultimate(Game[Position, int]):
    """Three small boards in a row win. A move is nine times the small board plus the cell in it, both row by row."""

    def rules(self) -> str:
        return (
            "Ultimate tic-tac-toe: nine small tic-tac-toe boards form a large one of 9 rows and 9 columns. The first "
            "player puts X, the second O. The place of your cell within its small board decides in which small board "
            "your opponent must move next (the middle cell of any board sends them to the middle board); if that board "
            "is won or full, they may move in any other board. Three in a row win a small board; three won boards in a "
            "row win the game. If nobody can move any more, it is a draw."
        )

    def notation(self) -> str:
        return "A move is a cell of the large board, its column's letter and its row's number"

    def initial(self) -> Position:
        return Position(((0,) * 9, (0,) * 9), (0, 0), -1, 0, -1)

    def turn(self, state: Position) -> int:
        return state.seat if state.winner < 0 else OVER

    def _open(self, state: Position, board: int) -> bool:
        (first, second), (x, o) = state.marks, state.won
        return not (x | o) >> board & 1 and first[board] | second[board] != _FULL

    def legal(self, state: Position) -> list[int]:
        boards = [state.target] if state.target >= 0 else [b for b in range(9) if self._open(state, b)]
        first, second = state.marks
        return [9 * b + c for b in boards for c in _CELLS[_FULL ^ (first[b] | second[b])]]

    def apply(self, state: Position, move: int) -> Position:
        (board, cell), marks, won, seat = divmod(move, 9), state.marks, state.won, state.seat
        own, other, target, winner = marks[seat], marks[1 - seat], cell, -1
        bits = own[board] | 1 << cell
        own = (*own[:board], bits, *own[board + 1 :])
        if _HAS_ROW[bits]:
            boards = won[seat] | 1 << board
            won = (boards, won[1]) if seat == 0 else (won[0], boards)
            if _HAS_ROW[boards]:
                winner = seat
        decided = won[0] | won[1]
        if decided >> cell & 1 or own[cell] | other[cell] == _FULL:
            if winner < 0 and all(own[b] | other[b] == _FULL for b in _CELLS[_FULL ^ decided]):
                winner = 2
            else:
                target = -1
        return Position((own, other) if seat == 0 else (other, own), won, target, 1 - seat, winner)

    def returns(self, state: Position) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[state.winner]

    def board(self, state: Position) -> str:
        grid = [["."] * 9 for _ in range(9)]
        for seat, boards in enumerate(state.marks):
            for board, bits in enumerate(boards):
                for cell in range(9):
                    if bits >> cell & 1:
                        grid[board // 3 * 3 + cell // 3][board % 3 * 3 + cell % 3] = "XO"[seat]
        won = [next(("XO"[s] for s in (0, 1) if state.won[s] >> b & 1), ".") for b in range(9)]
        small = "\n".join(" ".join(won[r * 3 : r * 3 + 3]) for r in range(3))
        drawn = f"{cells.drawn(grid)}\nWon boards:\n{small}"
        if state.winner >= 0:
            return drawn
        where = "any open board" if state.target < 0 else f"the board with {self._middle(state.target)} in its middle"
        return f"{drawn}\nThe next move is in {where}."

    def _middle(self, board: int) -> str:
        return cells.name(board // 3 * 3 + 1, board % 3 * 3 + 1)

    def write(self, state: Position, move: int) -> str:
        board, cell = divmod(move, 9)
        return cells.name(board // 3 * 3 + cell // 3, board % 3 * 3 + cell % 3)
