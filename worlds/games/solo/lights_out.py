"""Lights Out: press buttons until every light is off; a button switches its own light and those beside it.

Source: the game by Tiger Electronics, 1995; Anderson and Feil, "Turning Lights Out with linear algebra", Mathematics
Magazine 71(4), 1998.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["LightsOut", "Position", "shortest"]


class Position(NamedTuple):
    """The lights that are on, as bits row by row, and the presses that are left."""

    lit: int
    left: int


@lru_cache(maxsize=64)
def _crosses(rows: int, columns: int) -> tuple[int, ...]:
    """Return for each button the lights that it switches."""
    found = []
    for r in range(rows):
        for c in range(columns):
            beside = ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
            found.append(sum(1 << a * columns + b for a, b in beside if 0 <= a < rows and 0 <= b < columns))
    return tuple(found)


@dataclass(frozen=True)
class LightsOut(Game[Position, int]):
    """A board of ``rows`` by ``columns`` that ``presses`` random presses have lit; ``most`` presses may put it out."""

    rows: Annotated[int, Range(2, 12)] = 5
    columns: Annotated[int, Range(2, 12)] = 5
    presses: Annotated[int, Range(1, 144)] = 6
    most: Annotated[int, Range(1, 100000)] = 100

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        return (
            f"Lights Out on {self.rows} rows and {self.columns} columns. # is a light that is on, . one that is off. "
            "Pressing a cell switches its own light and the lights directly above, below, left and right of it: those "
            "that are on go off, and the other way round. You win when all lights are off, and lose when no press is "
            "left before that."
        )

    def notation(self) -> str:
        return "A move is the cell to press, its column's letter and its row's number"

    def start(self, draw: Draw) -> Position:
        lit = 0
        while not lit:
            for button in draw.sample(range(self.rows * self.columns), self.presses):
                lit ^= _crosses(self.rows, self.columns)[button]
        return Position(lit, self.most)

    def initial(self) -> Position:
        return Position(_crosses(self.rows, self.columns)[0], self.most)

    def turn(self, state: Position) -> int:
        return OVER if not state.lit or not state.left else 0

    def legal(self, state: Position) -> range:
        return range(self.rows * self.columns)

    def apply(self, state: Position, move: int) -> Position:
        return Position(state.lit ^ _crosses(self.rows, self.columns)[move], state.left - 1)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(not state.lit),)

    def board(self, state: Position) -> str:
        signs = ["#" if state.lit >> i & 1 else "." for i in range(self.rows * self.columns)]
        drawn = cells.drawn([signs[i : i + self.columns] for i in range(0, len(signs), self.columns)])
        return f"{drawn}\nPresses left: {state.left}"

    def write(self, state: Position, move: int) -> str:
        return cells.name(*divmod(move, self.columns))


@lru_cache(maxsize=64)
def _reduced(rows: int, columns: int) -> tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]:
    """Solve the equations of a board once: rows of (pivot light, lights, buttons), and the presses that do nothing."""
    reduced: list[tuple[int, int, int]] = []
    quiet: list[int] = []
    for button, lights in enumerate(_crosses(rows, columns)):
        presses = 1 << button
        for pivot, other, pressed in reduced:
            if lights & pivot:
                lights, presses = lights ^ other, presses ^ pressed
        if lights:
            reduced.append((lights & -lights, lights, presses))
        else:
            quiet.append(presses)
    return tuple(reduced), tuple(quiet)


def shortest(game: LightsOut, state: Position) -> list[int] | None:
    """Return the fewest presses that put all lights out, or None if none do: linear equations modulo 2."""
    reduced, quiet = _reduced(game.rows, game.columns)
    lit, presses = state.lit, 0
    for pivot, lights, pressed in reduced:
        if lit & pivot:
            lit, presses = lit ^ lights, presses ^ pressed
    if lit:
        return None
    options = [presses]
    for nothing in quiet:
        options += [option ^ nothing for option in options]
    best = min(options, key=lambda option: (option.bit_count(), option))
    return [button for button in range(game.rows * game.columns) if best >> button & 1]
