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

_X, _O = b"XO"


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
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            left, i = stones & stones >> step, 2
            while left and i < self.k:
                left &= stones >> step * i
                i += 1
            if left:
                return True
        return False

    def returns(self, state: Position) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[state.winner]

    def board(self, state: Position) -> str:
        empty, places = self._drawing
        text = bytearray(empty)
        for stones, mark in ((state.x, _X), (state.o, _O)):
            while stones:
                text[places[stones.bit_length()]] = mark
                stones &= ~(1 << stones.bit_length() - 1)
        return text.decode("ascii")

    @cached_property
    def _drawing(self) -> tuple[bytes, dict[int, int]]:
        """The empty board as it is drawn, and where in it each cell stands, by its bit from 1."""
        marks = [["."] * self.columns for _ in range(self.rows)]
        empty = cells.drawn(marks, upward=True)
        dots = [i for i, mark in enumerate(empty) if mark == "."]  # the highest row first
        places = {}
        for number, place in enumerate(dots):
            row, column = self.rows - 1 - number // self.columns, number % self.columns
            places[column * (self.rows + 1) + row + 1] = place
        return empty.encode("ascii"), places

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {cells.name(0, column)[0]: column for column in range(self.columns)}

    def named(self, state: Position, text: str) -> int | None:
        column = self._letters.get(text)
        return None if column is None or state.winner >= 0 or (state.x | state.o) & self._tops[column] else column

    def write(self, state: Position, move: int) -> str:
        return cells.name(0, move)[0]
