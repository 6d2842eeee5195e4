"""Checkers (English draughts): jump over the opponent's men; jumps must be made.

Source: the rules of the World Checkers/Draughts Federation, with a draw after forty moves without a capture.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Checkers", "Position"]


class Position(NamedTuple):
    """The board row by row (. x o, kings X O), the seat to move, and the moves since the last capture."""

    cells: str
    seat: int = 0
    quiet: int = 0


@lru_cache(maxsize=16)
def _steps(size: int) -> tuple[tuple[tuple[tuple[int, int], ...], ...], ...]:
    """Return for each cell, up and down, the pairs of a diagonal neighbour and the cell behind it (-1: outside)."""

    def at(row: int, column: int) -> int:
        return row * size + column if 0 <= row < size and 0 <= column < size else -1

    found = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        found.append(
            tuple(
                tuple(
                    (at(row + up, column + i), at(row + 2 * up, column + 2 * i))
                    for i in (-1, 1)
                    if at(row + up, column + i) >= 0
                )
                for up in (1, -1)
            )
        )
    return tuple(found)


@lru_cache(maxsize=16)
def _routes(size: int, seat: int) -> tuple[tuple[int, dict[str, tuple[tuple[int, int], ...]]], ...]:
    """Return the dark cells, each with the `_steps` of a seat's man and king there."""
    man, king = ("xX", "oO")[seat]
    return tuple(
        (cell, {man: ways[seat], king: ways[0] + ways[1]})
        for cell, ways in enumerate(_steps(size))
        if sum(divmod(cell, size)) % 2 == 0
    )


@dataclass(frozen=True)
class Checkers(Game[Position, tuple[int, ...]]):
    """A board of ``size`` by ``size`` with ``ranks`` rows of men each. A move is the cells that a piece visits.

    Attributes:
        most_quiet: A draw after so many moves of both sides without a capture.
    """

    size: Annotated[int, Range(4, 16)] = 8
    ranks: Annotated[int, Range(1, 7)] = 3
    most_quiet: Annotated[int, Range(1, 1000)] = 40

    def rules(self) -> str:
        return (
            f"Checkers on {self.size} rows and {self.size} columns. X (men x, kings X) starts at the bottom and moves "
            "up, O (men o, kings O) starts at the top and moves down. Men move one cell diagonally forward, kings also "
            "backward. A piece captures by jumping over an opposing piece next to it to the empty cell behind, and "
            "goes on jumping as long as it can. Whoever can capture must. A man that reaches the last row becomes a "
            "king, which ends its move. Whoever cannot move loses. After "
            f"{self.most_quiet} moves without a capture the game is a draw."
        )

    def notation(self) -> str:
        return "A move is the piece's cell and every cell it goes to, such as a3b4 or a3c5e7"

    def initial(self) -> Position:
        rows = []
        for row in range(self.size):
            mark = "x" if row < self.ranks else "o" if row >= self.size - self.ranks else "."
            rows.append("".join(mark if (row + column) % 2 == 0 else "." for column in range(self.size)))
        return Position("".join(rows))

    def turn(self, state: Position) -> int:
        can_move = state.quiet < self.most_quiet and _can_move(state.cells, state.seat, self.size)
        return state.seat if can_move else OVER

    def legal(self, state: Position) -> tuple[tuple[int, ...], ...]:
        return self._moves(state)

    def _moves(self, state: Position) -> tuple[tuple[int, ...], ...]:
        return _moves_of(state.cells, state.seat, self.size)

    def apply(self, state: Position, move: tuple[int, ...]) -> Position:
        board, first, end, size = state.cells, move[0], move[-1], self.size
        piece = board[first]
        if end // size == (size - 1, 0)[state.seat]:
            piece = piece.upper()
        if abs(move[1] - first) <= size + 1:  # a step, by far the commonest, and quicker without a list
            if first < end:
                after = f"{board[:first]}.{board[first + 1 : end]}{piece}{board[end + 1 :]}"
            else:
                after = f"{board[:end]}{piece}{board[end + 1 : first]}.{board[first + 1 :]}"
            return Position(after, 1 - state.seat, state.quiet + 1)
        marks = list(board)
        marks[first] = "."
        for i in range(len(move) - 1):
            marks[(move[i] + move[i + 1]) // 2] = "."
        marks[end] = piece
        return Position("".join(marks), 1 - state.seat)

    def returns(self, state: Position) -> tuple[float, ...]:
        if _can_move(state.cells, state.seat, self.size):
            return (0.0, 0.0)
        return (-1.0, 1.0) if state.seat == 0 else (1.0, -1.0)

    def board(self, state: Position) -> str:
        n = self.size
        return cells.drawn([state.cells[r * n : (r + 1) * n] for r in range(n)], upward=True)

    def write(self, state: Position, move: tuple[int, ...]) -> str:
        return "".join(cells.name(*divmod(cell, self.size)) for cell in move)


@lru_cache(maxsize=2**14)
def _moves_of(board: str, seat: int, size: int) -> tuple[tuple[int, ...], ...]:
    """Return all moves of a seat: the jumps if there are any."""
    theirs = ("oO", "xX")[seat]
    plain: list[tuple[int, ...]] = []
    jumps: list[tuple[int, ...]] = []
    for cell, routes in _routes(size, seat):
        if (steps := routes.get(board[cell])) is None:
            continue
        jumping = False
        for to, behind in steps:
            if board[to] == ".":
                plain.append((cell, to))
            elif behind >= 0 and board[behind] == "." and board[to] in theirs:
                jumping = True
        if jumping:
            jumps += _jumps(board, cell, seat, size)
    return tuple(sorted(jumps) if jumps else plain)


@lru_cache(maxsize=2**14)
def _can_move(board: str, seat: int, size: int) -> bool:
    """Return whether a seat has a move."""
    theirs = ("oO", "xX")[seat]
    for cell, routes in _routes(size, seat):
        for to, behind in routes.get(board[cell], ()):
            if board[to] == "." or (behind >= 0 and board[behind] == "." and board[to] in theirs):
                return True
    return False


def _jumps(board: str, cell: int, seat: int, size: int) -> list[tuple[int, ...]]:
    """Return the moves of a piece that jumps, each to its end."""
    steps, theirs, last = _steps(size), "oOxX"[2 * seat : 2 * seat + 2], (size - 1, 0)[seat]
    king, found = board[cell].isupper(), []
    stack: list[tuple[tuple[int, ...], str]] = [((cell,), f"{board[:cell]}.{board[cell + 1 :]}")]
    while stack:
        path, at = stack.pop()
        onward = [
            (over, to)
            for way in ((0, 1) if king else (seat,))
            for over, to in steps[path[-1]][way]
            if to >= 0 and at[to] == "." and at[over] in theirs
        ]
        if len(path) > 1 and (not onward or (not king and path[-1] // size == last)):
            found.append(path)
            continue
        for over, to in onward:
            stack.append(((*path, to), f"{at[:over]}.{at[over + 1 :]}"))
    return found
