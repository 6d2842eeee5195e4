"""The boards of generated games: rows, rings, grids and rhombi of hexagons, with blocked cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from turnwise.worlds.games import cells

__all__ = ["Board", "Kind", "bits"]

Kind = Literal["line", "ring", "grid", "hex"]
_SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))
_CORNERS = ((1, 1), (-1, -1), (1, -1), (-1, 1))
_HEX = (*_SIDES, (1, -1), (-1, 1))


def bits(mask: int) -> Iterable[int]:
    """Yield the numbers of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True)
class Board:
    """Cells in rows and columns, and the directions in which pieces touch, move and stand in line.

    Attributes:
        kind: What it looks like; lines and rings have one row.
        rows: Number of rows.
        columns: Number of columns.
        corners: Whether the cells of a grid also touch at corners.
        holes: Cells, row by row, that nothing may enter.
    """

    kind: Kind
    rows: int
    columns: int
    corners: bool = False
    holes: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The number of cells, blocked ones included."""
        return self.rows * self.columns

    @cached_property
    def full(self) -> int:
        """All cells that are not blocked."""
        return (1 << self.size) - 1 & ~sum(1 << hole for hole in self.holes)

    @property
    def directions(self) -> tuple[tuple[int, int], ...]:
        """Steps in rows and columns; each is followed or preceded by the opposite one."""
        if self.kind == "hex":
            return _HEX
        if self.kind == "grid":
            return _SIDES + _CORNERS if self.corners else _SIDES
        return _SIDES[:2]

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each cell and direction the cells that lie there, nearest first, up to the edge or a blocked cell."""
        return tuple(tuple(self._ray(cell, *step) for step in self.directions) for cell in range(self.size))

    def _ray(self, cell: int, down: int, right: int) -> tuple[int, ...]:
        found: list[int] = []
        row, column = divmod(cell, self.columns)
        while True:
            row, column = row + down, column + right
            if self.kind == "ring":
                column %= self.columns
            at = row * self.columns + column
            if not (0 <= row < self.rows and 0 <= column < self.columns) or at in self.holes or at == cell:
                return tuple(found)
            found.append(at)

    @cached_property
    def around(self) -> tuple[int, ...]:
        """For each cell the cells that touch it."""
        return tuple(sum(1 << ray[0] for ray in rays if ray) for rays in self.rays)

    def ahead(self, seat: int) -> tuple[int, ...]:
        """Return the directions, by number, that lead a seat to the far side: up the row numbers, or down."""
        sign = -1 if seat else 1
        lengthwise = self.rows > 1
        return tuple(i for i, step in enumerate(self.directions) if sign * step[0 if lengthwise else 1] > 0)

    def far(self, seat: int) -> int:
        """Return the cells of the far side of a seat: the last row or cell for the first seat, else the first."""
        if self.rows == 1:
            return 1 << (0 if seat else self.columns - 1)
        row = (1 << self.columns) - 1
        return row & self.full if seat else row << (self.rows - 1) * self.columns & self.full

    def sides(self, seat: int) -> tuple[int, int]:
        """Return the two sides that a seat connects: the first and last row, or the first and last column."""
        if seat == 0:
            return self.far(1), self.far(0)
        column = sum(1 << row * self.columns for row in range(self.rows))
        return column & self.full, column << self.columns - 1 & self.full

    def lines(self, length: int) -> tuple[tuple[int, ...], ...]:
        """Return for each cell the masks of all lines of a length through it."""
        masks = {
            sum(1 << c for c in (cell, *ray[: length - 1]))
            for cell in bits(self.full)
            for ray in self.rays[cell][::2]
            if len(ray) >= length - 1
        }
        return tuple(tuple(sorted(m for m in masks if m >> cell & 1)) for cell in range(self.size))

    def flood(self, start: int, within: int) -> int:
        """Return the cells that are connected to some through others."""
        found, edge = start, start
        while edge:
            near = 0
            for cell in bits(edge):
                near |= self.around[cell]
            edge = near & within & ~found
            found |= edge
        return found

    def groups(self, pieces: int) -> list[int]:
        """Return the groups of touching pieces."""
        found = []
        while pieces:
            group = self.flood(pieces & -pieces, pieces)
            found.append(group)
            pieces &= ~group
        return found

    def name(self, cell: int) -> str:
        """Return how a cell is called: a letter and a number, or a number alone if there is one row."""
        return str(cell + 1) if self.rows == 1 else cells.name(*divmod(cell, self.columns))

    def drawn(self, marks: Sequence[str]) -> str:
        """Draw the board with a mark in each cell."""
        n = self.columns
        rows = [marks[row * n : (row + 1) * n] for row in range(self.rows)]
        if self.kind == "grid":
            return cells.drawn(rows)
        if self.kind == "hex":
            letters = "   " + " ".join(cells.name(0, column)[0] for column in range(n))
            return "\n".join([letters, *(f"{' ' * r}{r + 1:>2} {' '.join(row)}" for r, row in enumerate(rows))])
        wide = len(str(n))
        numbers = " ".join(f"{number:>{wide}}" for number in range(1, n + 1))
        return numbers + "\n" + " ".join(f"{mark:>{wide}}" for mark in marks)
