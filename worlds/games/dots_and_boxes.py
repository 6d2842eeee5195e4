"""Dots and Boxes: join dots; who draws the fourth side of a box owns it and moves again.

Source: Édouard Lucas, L'Arithmétique amusante, 1895; Berlekamp, The Dots and Boxes Game, 2000.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["DotsAndBoxes", "Position"]


class Position(NamedTuple):
    """The drawn lines as bits, the owner of each box (-1: nobody), and the seat to move."""

    lines: int
    owners: tuple[int, ...]
    seat: int


@dataclass(frozen=True)
class DotsAndBoxes(Game[Position, int]):
    """``rows`` by ``columns`` boxes. A move is a line: those across first, row by row, then the upright ones."""

    rows: Annotated[int, Range(1, 20)] = 3
    columns: Annotated[int, Range(1, 20)] = 3

    def rules(self) -> str:
        return (
            f"Dots and Boxes with {self.rows} rows and {self.columns} columns of boxes. The players (the first X, the "
            "second O) take turns to draw a line between two neighbouring dots. Whoever draws the fourth side of a box "
            "owns it and must move again. When all lines are drawn, whoever owns more boxes wins; equal numbers are a "
            "draw."
        )

    def notation(self) -> str:
        return "A move is the two dots that it joins, each its column's letter and its row's number"

    @cached_property
    def _ends(self) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
        """The two dots of every line, the one to the left or above first."""
        across = [((r, c), (r, c + 1)) for r in range(self.rows + 1) for c in range(self.columns)]
        return (*across, *(((r, c), (r + 1, c)) for r in range(self.rows) for c in range(self.columns + 1)))

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """The lines around every box, as bits."""
        upright = (self.rows + 1) * self.columns
        return tuple(
            1 << r * self.columns + c
            | 1 << (r + 1) * self.columns + c
            | 3 << upright + r * (self.columns + 1) + c
            for r in range(self.rows)
            for c in range(self.columns)
        )  # fmt: skip

    def initial(self) -> Position:
        return Position(0, (-1,) * (self.rows * self.columns), 0)

    def turn(self, state: Position) -> int:
        return state.seat if -1 in state.owners else OVER

    def legal(self, state: Position) -> list[int]:
        return [line for line in range(len(self._ends)) if not state.lines >> line & 1]

    def apply(self, state: Position, move: int) -> Position:
        lines, owners = state.lines | 1 << move, state.owners
        closed = [box for box, sides in enumerate(self.sides) if sides >> move & 1 and sides & lines == sides]
        if not closed:
            return Position(lines, owners, 1 - state.seat)
        owners = tuple(state.seat if box in closed else owner for box, owner in enumerate(owners))
        return Position(lines, owners, state.seat)

    def returns(self, state: Position) -> tuple[float, ...]:
        lead = state.owners.count(0) - state.owners.count(1)
        return (1.0, -1.0) if lead > 0 else (-1.0, 1.0) if lead < 0 else (0.0, 0.0)

    def board(self, state: Position) -> str:
        width = 4 * self.columns + 1
        grid = [[" "] * width for _ in range(2 * self.rows + 1)]
        for row in range(self.rows + 1):
            for column in range(self.columns + 1):
                grid[2 * row][4 * column] = "+"
        for line, ((row, column), (below, _)) in enumerate(self._ends):
            if state.lines >> line & 1:
                if below > row:
                    grid[2 * row + 1][4 * column] = "|"
                else:
                    grid[2 * row][4 * column + 1 : 4 * column + 4] = "---"
        for box, owner in enumerate(state.owners):
            if owner >= 0:
                grid[2 * (box // self.columns) + 1][4 * (box % self.columns) + 2] = "XO"[owner]
        letters = "  " + "   ".join(cells.name(0, c)[0] for c in range(self.columns + 1))
        body = [f"{' ' if i % 2 else i // 2 + 1} {''.join(row)}".rstrip() for i, row in enumerate(grid)]
        return "\n".join([letters, *body, f"X owns {state.owners.count(0)}, O owns {state.owners.count(1)} boxes."])

    def write(self, state: Position, move: int) -> str:
        return "".join(cells.name(*dot) for dot in self._ends[move])
