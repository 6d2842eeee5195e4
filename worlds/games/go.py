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


def _chains(board: str, size: int) -> tuple[list[int], list[int], list[int]]:
    """Return the number of each stone's chain, and of each chain the bits of its stones and of its liberties."""
    around, chain_of = _around(size), [-1] * len(board)
    stones: list[int] = []
    liberties: list[int] = []
    for first, mark in enumerate(board):
        if mark == "." or chain_of[first] >= 0:
            continue
        number, chain, free, stack = len(stones), 0, 0, [first]
        chain_of[first] = number
        while stack:
            point = stack.pop()
            chain |= 1 << point
            for other in around[point]:
                there = board[other]
                if there == ".":
                    free |= 1 << other
                elif there == mark and chain_of[other] < 0:
                    chain_of[other] = number
                    stack.append(other)
        stones.append(chain)
        liberties.append(free)
    return chain_of, stones, liberties


@lru_cache(maxsize=2**12)
def _plays(board: str, seat: int, size: int) -> dict[int, str]:
    """Return the points where a seat's stone would have a liberty, each with the board after it."""
    around, own = _around(size), "XO"[seat]
    chain_of, stones, liberties = _chains(board, size)
    found = {}
    for point, here in enumerate(board):
        if here != ".":
            continue
        alive, taken, bit = False, 0, 1 << point
        for near in around[point]:
            mark = board[near]
            if mark == ".":
                alive = True
            elif (liberties[chain_of[near]] == bit) != (mark == own):  # a chain of its own lives, or another is taken
                alive = True
                taken |= stones[chain_of[near]] if mark != own else 0
        if alive:
            after = f"{board[:point]}{own}{board[point + 1 :]}"
            found[point] = "".join("." if taken >> i & 1 else m for i, m in enumerate(after)) if taken else after
    return found


_ONES = tuple(str.maketrans(".XO", digits) for digits in ("010", "001"))


@lru_cache(maxsize=16)
def _sides(size: int) -> tuple[int, int]:
    """Return the bits of all points but those at the right side, and but those at the left."""
    row = (1 << size) - 1
    return sum((row - 1) << size * i for i in range(size)), sum((row >> 1) << size * i for i in range(size))


def _reached(stones: int, empty: int, size: int) -> int:
    """Return the bits of the empty points from which stones can be reached through empty points."""
    right, left = _sides(size)
    rest, fresh = empty, stones
    while fresh:
        fresh = (fresh << size | fresh >> size | fresh << 1 & right | fresh >> 1 & left) & rest
        rest ^= fresh
    return empty ^ rest


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
        past = set(state.past)
        found = [p for p, after in _plays(state.cells, state.seat, self.size).items() if after not in past]
        return [*found, PASS]

    def apply(self, state: Position, move: int) -> Position:
        if move == PASS:
            return Position(state.cells, state.past, 1 - state.seat, state.passes + 1)
        after = _plays(state.cells, state.seat, self.size)[move]
        return Position(after, (*state.past, state.cells), 1 - state.seat)

    def area(self, state: Position) -> tuple[int, int]:
        """Return the points of X and O, without the komi."""
        board, size = state.cells, self.size
        first, second = int(board.translate(_ONES[0]), 2), int(board.translate(_ONES[1]), 2)
        empty = (1 << len(board)) - 1 & ~(first | second)
        near, far = _reached(first, empty, size), _reached(second, empty, size)
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
