"""Othello (Reversi): outflank your opponent's discs and have more discs at the end.

Source: the World Othello Federation's rules; boards of other even sizes start in the same way.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["PASS", "Othello", "Position"]

PASS = -1


class Position(NamedTuple):
    """The discs of each seat as bits, row by row, the seat to move, and whether nobody can move any more."""

    x: int
    o: int
    seat: int
    over: bool = False


@lru_cache(maxsize=8)
def _rays(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return for each cell the cells in each direction, nearest first; directions with one cell cannot outflank."""
    found = []
    for row in range(size):
        for column in range(size):
            rays = []
            for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
                ray, r, c = [], row + down, column + right
                while 0 <= r < size and 0 <= c < size:
                    ray.append(1 << r * size + c)
                    r, c = r + down, c + right
                if len(ray) > 1:
                    rays.append(tuple(ray))
            found.append(tuple(rays))
    return tuple(found)


@lru_cache(maxsize=8)
def _shifts(size: int) -> tuple[tuple[int, int], ...]:
    """Return each direction as a shift of bits, with the cells that can lie between two ends."""
    inner = sum(1 << r * size + c for r in range(size) for c in range(1, size - 1))
    full = (1 << size * size) - 1
    return ((1, inner), (size, full), (size - 1, inner), (size + 1, inner))


@lru_cache(maxsize=2**14)  # asked for to see whether the game is over, then for the moves, then for their number
def _targets(size: int, own: int, other: int) -> int:
    found, empty = 0, ~(own | other) & (1 << size * size) - 1
    for step, mask in _shifts(size):
        between = other & mask
        up = between & own << step
        down = between & own >> step
        for _ in range(size - 3):
            up |= between & up << step
            down |= between & down >> step
        found |= empty & (up << step | down >> step)
    return found


@dataclass(frozen=True)
class Othello(Game[Position, int]):
    """A board of ``size`` by ``size``. A move is a cell, row by row, or `PASS`, which is legal if nothing else is."""

    size: Annotated[int, Range(4, 16)] = 8

    def rules(self) -> str:
        return (
            f"Othello on {self.size} rows and {self.size} columns. The first player has the discs X, the second O. A "
            "move puts a disc of your own onto an empty cell so that one or more of your opponent's discs lie in an "
            "unbroken straight line (across, down or diagonal) between it and another disc of yours; all discs "
            "outflanked in this way, in every direction, become yours. If you have no such move you must pass. When "
            "neither player can move, whoever has more discs wins; equal numbers are a draw."
        )

    def notation(self) -> str:
        return "A move is a cell, its column's letter and its row's number. Write pass if you have no other move"

    def initial(self) -> Position:
        low, n = self.size // 2 - 1, self.size
        o = 1 << low * n + low | 1 << (low + 1) * n + low + 1
        x = 1 << low * n + low + 1 | 1 << (low + 1) * n + low
        return Position(x, o, 0)

    def turn(self, state: Position) -> int:
        return OVER if state.over else state.seat

    def targets(self, own: int, other: int) -> int:
        """Return the empty cells on which a disc outflanks others."""
        return _targets(self.size, own, other)

    def legal(self, state: Position) -> list[int]:
        own, other = (state.o, state.x) if state.seat else (state.x, state.o)
        left, moves = self.targets(own, other), []
        while left:
            bit = left & -left
            moves.append(bit.bit_length() - 1)
            left ^= bit
        return moves or [PASS]

    def apply(self, state: Position, move: int) -> Position:
        own, other = (state.o, state.x) if state.seat else (state.x, state.o)
        if move != PASS:
            turned = 0
            for ray in _rays(self.size)[move]:
                line = 0
                for bit in ray:
                    if not other & bit:
                        if own & bit:
                            turned |= line
                        break
                    line |= bit
            own, other = own | turned | 1 << move, other & ~turned
        over = not self.targets(other, own) and not self.targets(own, other)
        return Position(own, other, 1, over) if state.seat == 0 else Position(other, own, 0, over)

    def returns(self, state: Position) -> tuple[float, ...]:
        lead = state.x.bit_count() - state.o.bit_count()
        return (1.0, -1.0) if lead > 0 else (-1.0, 1.0) if lead < 0 else (0.0, 0.0)

    def board(self, state: Position) -> str:
        n = self.size
        marks = ["X" if state.x >> c & 1 else "O" if state.o >> c & 1 else "." for c in range(n * n)]
        discs = f"X has {state.x.bit_count()}, O has {state.o.bit_count()} discs."
        return f"{cells.drawn([marks[r * n : (r + 1) * n] for r in range(n)])}\n{discs}"

    def write(self, state: Position, move: int) -> str:
        return "pass" if move == PASS else cells.name(*divmod(move, self.size))
