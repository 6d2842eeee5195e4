"""Peg solitaire: jump pegs over each other until one is left.

Source: a French game of the 1690s; Beasley, The Ins and Outs of Peg Solitaire, 1985.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["PegSolitaire", "Position", "unplayed"]

_ENGLISH = ("  ###  ", "  ###  ", "#######", "#######", "#######", "  ###  ", "  ###  ")
_TRIES = 200


class Position(NamedTuple):
    """The pegs, as bits row by row."""

    pegs: int


@lru_cache(maxsize=32)
def _shape(board: str, size: int) -> tuple[int, tuple[int, ...]]:
    """Return the number of columns and the cells of a board that have holes."""
    rows = _ENGLISH if board == "english" else ("#" * size,) * size
    width = len(rows[0])
    return width, tuple(r * width + c for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#")


@lru_cache(maxsize=32)
def _jumps(board: str, size: int) -> tuple[tuple[int, int, int], ...]:
    """Return all jumps: the cells left, jumped over and reached."""
    width, holes = _shape(board, size)
    found = []
    for cell in holes:
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
            row, column = divmod(cell, width)
            over, to = (row + down) * width + column + right, (row + 2 * down) * width + column + 2 * right
            if 0 <= column + 2 * right < width and over in holes and to in holes:
                found.append((cell, over, to))
    return tuple(found)


@dataclass(frozen=True)
class PegSolitaire(Game[Position, tuple[int, int, int]]):
    """The English board of 33 holes, or a square of ``size`` by ``size``; ``pegs`` are there at the start."""

    shape: Literal["english", "square"] = "square"
    size: Annotated[int, Range(3, 8)] = 5
    pegs: Annotated[int, Range(2, 63)] = 6

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def __post_init__(self) -> None:
        holes = len(_shape(self.shape, self.size)[1])
        if self.pegs >= holes:
            raise SettingsError(f"pegs is {self.pegs}; a board of {holes} holes takes {holes - 1} at most")

    def rules(self) -> str:
        return (
            "Peg solitaire. o is a peg, . an empty hole. A peg jumps over a neighbouring peg, across or down, into the "
            "empty hole right behind it, and the peg that it jumped over is removed. You win when one peg is left, and "
            "lose when there are more and none can jump."
        )

    def notation(self) -> str:
        return "A move is the cell of the peg and the hole it jumps to, such as a1-c1 (column a to column c in row 1)"

    def start(self, draw: Draw) -> Position:
        return unplayed(self, draw)[0]

    def initial(self) -> Position:
        _, holes = _shape(self.shape, self.size)
        order = sorted(holes, key=lambda cell: (cell != holes[len(holes) // 2], cell))
        return Position(sum(1 << cell for cell in order[-self.pegs :]))

    def turn(self, state: Position) -> int:
        return 0 if state.pegs.bit_count() > 1 and self.legal(state) else OVER

    def legal(self, state: Position) -> list[tuple[int, int, int]]:
        pegs = state.pegs
        return [
            jump
            for jump in _jumps(self.shape, self.size)
            if pegs >> jump[0] & 1 and pegs >> jump[1] & 1 and not pegs >> jump[2] & 1
        ]

    def apply(self, state: Position, move: tuple[int, int, int]) -> Position:
        return Position(state.pegs ^ sum(1 << cell for cell in move))

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.pegs.bit_count() == 1),)

    def board(self, state: Position) -> str:
        width, holes = _shape(self.shape, self.size)
        rows = [[" "] * width for _ in range(max(holes) // width + 1)]
        for cell in holes:
            rows[cell // width][cell % width] = "o" if state.pegs >> cell & 1 else "."
        return "\n".join(line.rstrip() for line in cells.drawn(rows).split("\n"))

    def write(self, state: Position, move: tuple[int, int, int]) -> str:
        width = _shape(self.shape, self.size)[0]
        return f"{cells.name(*divmod(move[0], width))}-{cells.name(*divmod(move[2], width))}"


def unplayed(game: PegSolitaire, draw: Draw) -> tuple[Position, tuple[tuple[int, int, int], ...]]:
    """Play backwards from one peg; return a position with the game's number of pegs, and the moves that solve it.

    Raises:
        SettingsError: No such position was found.
    """
    _, holes = _shape(game.shape, game.size)
    jumps = _jumps(game.shape, game.size)
    for _ in range(_TRIES):
        pegs = 1 << draw.choice(holes)
        line: list[tuple[int, int, int]] = []
        while pegs.bit_count() < game.pegs:
            back = [j for j in jumps if pegs >> j[2] & 1 and not pegs >> j[0] & 1 and not pegs >> j[1] & 1]
            if not back:
                break
            jump = draw.choice(back)
            pegs ^= sum(1 << cell for cell in jump)
            line.append(jump)
        else:
            return Position(pegs), tuple(line[::-1])
    raise SettingsError(f"pegs is {game.pegs}; no such position was found on this board: lower pegs or raise size")
