"""Go on small boards: positional superko, area scoring, no suicide.

Source: the Tromp-Taylor rules (John Tromp and Bill Taylor, 1995) with suicide forbidden; the komi is a setting.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["PASS", "Go", "Position"]

PASS = -1


class Position(NamedTuple):
    """The board row by row (. X O), all boards before it, the seat to move, and the passes in a row."""

    cells: str
    past: tuple[str, ...] = ()
    seat: int = 0
    passes: int = 0


@lru_cache(maxsize=16)
def _around(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours of each point."""
    found = []
    for point in range(size * size):
        row, column = divmod(point, size)
        near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        found.append(tuple(r * size + c for r, c in near if 0 <= r < size and 0 <= c < size))
    return tuple(found)


def _chain_without_liberty(board: str, point: int, around: tuple[tuple[int, ...], ...]) -> set[int] | None:
    """Return the chain of a stone if it touches no empty point."""
    mark, chain, stack = board[point], {point}, [point]
    while stack:
        for other in around[stack.pop()]:
            there = board[other]
            if there == ".":
                return None
            if there == mark and other not in chain:
                chain.add(other)
                stack.append(other)
    return chain


@lru_cache(maxsize=2**15)
def _played(board: str, point: int, seat: int, size: int) -> str | None:
    """Return the board after a stone is put on an empty point, or None if it would have no liberty."""
    around, own, other = _around(size), "XO"[seat], "OX"[seat]
    after, free = f"{board[:point]}{own}{board[point + 1 :]}", False
    for near in around[point]:
        mark = after[near]
        free = free or mark == "."
        if mark == other and (chain := _chain_without_liberty(after, near, around)) is not None:
            after, free = "".join("." if i in chain else mark for i, mark in enumerate(after)), True
    return after if free or _chain_without_liberty(after, point, around) is None else None


_ONES = tuple(str.maketrans(".XO", digits) for digits in ("100", "010", "001"))


@lru_cache(maxsize=16)
def _sides(size: int) -> tuple[int, int]:
    """Return the bits of all points but those at the right side, and but those at the left."""
    row = (1 << size) - 1
    return sum((row - 1) << size * i for i in range(size)), sum((row >> 1) << size * i for i in range(size))


def _reached(stones: int, empty: int, size: int) -> int:
    """Return the bits of the empty points from which stones can be reached through empty points."""
    right, left = _sides(size)
    found, fresh = 0, stones
    while fresh:
        fresh = (fresh << size | fresh >> size | fresh << 1 & right | fresh >> 1 & left) & empty & ~found
        found |= fresh
    return found


@dataclass(frozen=True)
class Go(Game[Position, int]):
    """A board of ``size`` by ``size``; X is Black and begins. A move is a point, row by row, or `PASS`."""

    size: Annotated[int, Range(1, 19)] = 5
    komi: Annotated[float, Range(-400, 400)] = 0.5

    def rules(self) -> str:
        return (
            f"Go on {self.size} by {self.size} points. X (Black) begins, O (White) gets {self.komi:g} points for that. "
            "On your turn you put a stone on an empty point or pass. Stones of the opponent without an empty point "
            "next to their chain are captured; a stone that would then have none itself must not be played, and no "
            "move may bring back a board that was there before. After two passes the game ends: a point counts for the "
            "player whose stone stands on it, or whose stones alone border the empty area it lies in. The larger sum "
            "wins."
        )

    def notation(self) -> str:
        return "A move is a point, its column's letter and its row's number, or pass"

    def initial(self) -> Position:
        return Position("." * self.size**2)

    def turn(self, state: Position) -> int:
        return state.seat if state.passes < 2 else OVER

    def legal(self, state: Position) -> list[int]:
        board, size, past = state.cells, self.size, set(state.past)
        found = []
        for point, mark in enumerate(board):
            if mark == ".":
                after = _played(board, point, state.seat, size)
                if after is not None and after not in past:
                    found.append(point)
        return [*found, PASS]

    def apply(self, state: Position, move: int) -> Position:
        if move == PASS:
            return Position(state.cells, state.past, 1 - state.seat, state.passes + 1)
        after = _played(state.cells, move, state.seat, self.size)
        assert after is not None
        return Position(after, (*state.past, state.cells), 1 - state.seat)

    def area(self, state: Position) -> tuple[int, int]:
        """Return the points of X and O, without the komi."""
        empty, first, second = (int(state.cells.translate(ones), 2) for ones in _ONES)
        near, far = (_reached(stones, empty, self.size) for stones in (first, second))
        return (first | near & ~far).bit_count(), (second | far & ~near).bit_count()

    def returns(self, state: Position) -> tuple[float, ...]:
        first, second = self.area(state)
        lead = first - second - self.komi
        return (1.0, -1.0) if lead > 0 else (-1.0, 1.0) if lead < 0 else (0.0, 0.0)

    def board(self, state: Position) -> str:
        n = self.size
        passed = "\nThe last move was a pass." if state.passes else ""
        return cells.drawn([state.cells[r * n : (r + 1) * n] for r in range(n)], upward=True) + passed

    def write(self, state: Position, move: int) -> str:
        return "pass" if move == PASS else cells.name(*divmod(move, self.size))
