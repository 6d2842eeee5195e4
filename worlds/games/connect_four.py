"""Connect Four: drop stones into columns; four in a row win.

Source: the game of Howard Wexler, 1974; the board as bits after Tromp, "John's Connect Four Playground".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["ConnectFour", "Position"]


class Position(NamedTuple):
    """The stones of each seat as bits (each column from below), the seat to move, and the winner (2: draw) or -1."""

    x: int
    o: int
    seat: int
    winner: int


@dataclass(frozen=True)
class ConnectFour(Game[Position, int]):
    """A board of ``rows`` by ``columns`` on which ``k`` stones in a row win. A move is a column, from 0."""

    rows: Annotated[int, Range(3, 20)] = 6
    columns: Annotated[int, Range(3, 20)] = 7
    k: Annotated[int, Range(3, 10)] = 4

    def rules(self) -> str:
        return (
            f"Connect {'Four' if self.k == 4 else self.k} on {self.columns} columns of {self.rows} cells. The players "
            "(the first X, the second O) take turns to drop a stone into a column that is not full; it falls to the "
            f"lowest empty cell. Whoever first has {self.k} stones in a row (across, upright or diagonal) wins. A full "
            "board without such a row is a draw."
        )

    def notation(self) -> str:
        return "A move is the letter of a column"

    @cached_property
    def _tops(self) -> tuple[int, ...]:
        return tuple(1 << c * (self.rows + 1) + self.rows - 1 for c in range(self.columns))

    @cached_property
    def _full(self) -> int:
        return sum(self._tops)

    @cached_property
    def _from_the_middle(self) -> tuple[tuple[int, int], ...]:
        """The columns and their highest cells, from the middle outwards: the order in which search cuts most."""
        tops = enumerate(self._tops)
        return tuple(sorted(tops, key=lambda column: abs(2 * column[0] - self.columns + 1)))

    @cached_property
    def _columns(self) -> tuple[tuple[int, int], ...]:
        """The lowest bit and the mask of each column."""
        high = self.rows + 1
        return tuple((1 << c * high, ((1 << self.rows) - 1) << c * high) for c in range(self.columns))

    def initial(self) -> Position:
        return Position(0, 0, 0, -1)

    def turn(self, state: Position) -> int:
        return state.seat if state.winner < 0 else OVER

    def legal(self, state: Position) -> list[int]:
        taken = state.x | state.o
        return [column for column, top in self._from_the_middle if not taken & top]

    def apply(self, state: Position, move: int) -> Position:
        x, o, seat, _ = state
        bottom, mask = self._columns[move]
        taken = x | o
        stone = ((taken & mask) + bottom) & mask
        if seat:
            o |= stone
        else:
            x |= stone
        winner = seat if self.connected(o if seat else x) else -1
        if winner < 0 and (taken | stone) & self._full == self._full:
            winner = 2
        return Position(x, o, 1 - seat, winner)

    def connected(self, stones: int) -> bool:
        """Return whether stones contain a row of ``k``."""
        for shifts in self._shifts:
            left = stones
            for shift in shifts:
                left &= left >> shift
            if left:
                return True
        return False

    @cached_property
    def _shifts(self) -> tuple[tuple[int, ...], ...]:
        """For each direction how far to shift: the rows that are left double in length until they are ``k`` long."""
        longer, length = [], 1
        while length < self.k:
            longer.append(min(length, self.k - length))
            length += longer[-1]
        return tuple(tuple(step * more for more in longer) for step in (1, self.rows, self.rows + 1, self.rows + 2))

    def returns(self, state: Position) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[state.winner]

    def board(self, state: Position) -> str:
        x, o, (text, length) = state.x, state.o, self._drawn
        width, place, pair = 2 * (self.rows + 1), 0, self._pair
        mask = (1 << width) - 1
        while x or o:
            text += pair[x & mask, o & mask] << place
            x, o, place = x >> width, o >> width, place + 8 * len(". . ")
        return text.to_bytes(length, "little").decode("ascii")

    @cached_property
    def _drawn(self) -> tuple[int, int]:
        """The empty board as it is drawn, its bytes as a number, and their count."""
        empty = cells.drawn([["."] * self.columns for _ in range(self.rows)], upward=True).encode("ascii")
        return int.from_bytes(empty, "little"), len(empty)

    @cached_property
    def _pair(self) -> "_Pair":
        text, length = self._drawn
        cells = [i for i, letter in enumerate(text.to_bytes(length, "little")) if letter == ord(".")]
        upward = [cells[row * self.columns] for row in reversed(range(self.rows))]  # of the first column
        return _Pair(upward)

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {cells.name(0, column)[0]: column for column in range(self.columns)}

    def named(self, state: Position, text: str) -> int | None:
        column = self._letters.get(text)
        return None if column is None or state.winner >= 0 or (state.x | state.o) & self._tops[column] else column

    def write(self, state: Position, move: int) -> str:
        return cells.name(0, move)[0]


class _Pair(dict[tuple[int, int], int]):
    """What stones in the first two columns add to the drawing of the empty board, by the bits of X and of O.

    In the two columns to the right of them the same stones add the same, four characters later.

    Args:
        upward: Where in the drawing the cells of the first column are, from below.
    """

    MOST = 2**14  # that are kept

    def __init__(self, upward: list[int]) -> None:
        super().__init__()
        self._places = [*upward, 0, *(place + len(". ") for place in upward), 0]

    def __missing__(self, stones: tuple[int, int]) -> int:
        if len(self) >= self.MOST:
            self.clear()
        found = 0
        for bits, mark in zip(stones, "XO", strict=True):
            for i, place in enumerate(self._places):
                if bits >> i & 1:
                    found += (ord(mark) - ord(".")) << 8 * place
        self[stones] = found
        return found
