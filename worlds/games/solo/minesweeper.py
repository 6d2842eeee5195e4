"""Minesweeper: open every cell without a mine, by the numbers of mines around the open ones.

Source: Robert Donner and Curt Johnson, 1990; Kaye, "Minesweeper is NP-complete", Mathematical Intelligencer 22(2),
2000.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Minesweeper", "Position", "certain", "deduced", "laid"]

_TRIES = 3000
_ROUNDS = 3  # of comparing sets of cells with each other
_FEW = 12  # closed cells from which on the number of all mines is used


class Position(NamedTuple):
    """The mines, which are hidden, and the open cells, as bits row by row; a mine among these has gone off."""

    mines: int
    opened: int = 0


@lru_cache(maxsize=64)
def _around(rows: int, columns: int) -> tuple[int, ...]:
    """Return for each cell its up to eight neighbours, as bits."""
    found = []
    for r in range(rows):
        for c in range(columns):
            near = [(a, b) for a in (r - 1, r, r + 1) for b in (c - 1, c, c + 1) if (a, b) != (r, c)]
            found.append(sum(1 << a * columns + b for a, b in near if 0 <= a < rows and 0 <= b < columns))
    return tuple(found)


@dataclass(frozen=True)
class Minesweeper(Game[Position, int]):
    """A field of ``rows`` by ``columns`` with ``mines`` mines, which begins with the cells around one empty cell open.

    With ``guessing`` off, every field can be cleared by deduction alone (`deduced`).
    """

    rows: Annotated[int, Range(3, 20)] = 6
    columns: Annotated[int, Range(3, 20)] = 6
    mines: Annotated[int, Range(1, 100)] = 6
    guessing: bool = False

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.mines > self.rows * self.columns // 3:
            raise SettingsError(
                f"mines is {self.mines}; a field of {self.rows} x {self.columns} takes {self.rows * self.columns // 3}"
            )

    def rules(self) -> str:
        fair = "" if self.guessing else " The field can be cleared by reasoning alone; no guess is needed."
        return (
            f"Minesweeper on {self.rows} rows and {self.columns} columns with {self.mines} "
            f"mine{'s' if self.mines > 1 else ''}. ? is a closed cell; an open cell shows how many of the up to eight "
            "cells around it have a mine, or . for none. Opening a cell with no mine around it opens all of its "
            "neighbours, too. Opening a mine loses the game. You win when every cell without a mine is open."
            f"{fair}"
        )

    def notation(self) -> str:
        return "A move is the cell to open, its column's letter and its row's number"

    def start(self, draw: Draw) -> Position:
        return laid(self, draw)

    def initial(self) -> Position:
        return laid(self, Draw("minesweeper", "initial"))

    def turn(self, state: Position) -> int:
        closed = ~state.opened & (1 << self.rows * self.columns) - 1
        return OVER if state.opened & state.mines or closed == state.mines else 0

    def legal(self, state: Position) -> list[int]:
        return [cell for cell in range(self.rows * self.columns) if not state.opened >> cell & 1]

    def apply(self, state: Position, move: int) -> Position:
        if state.mines >> move & 1:
            return state._replace(opened=state.opened | 1 << move)
        around = _around(self.rows, self.columns)
        opened, edge = state.opened, 1 << move
        while edge:
            cell = (edge & -edge).bit_length() - 1
            edge &= edge - 1
            opened |= 1 << cell
            if not around[cell] & state.mines:
                edge |= around[cell] & ~opened
        return state._replace(opened=opened)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(not state.opened & state.mines),)

    def board(self, state: Position) -> str:
        return self._drawn(state, closed="*")

    def view(self, state: Position, seat: int) -> str:
        return self._drawn(state, closed="?")

    def _drawn(self, state: Position, closed: str) -> str:
        around, signs = _around(self.rows, self.columns), []
        for cell in range(self.rows * self.columns):
            mine = state.mines >> cell & 1
            if not state.opened >> cell & 1:
                signs.append(closed if mine else "?")
            else:
                signs.append("*" if mine else str((around[cell] & state.mines).bit_count() or "."))
        return cells.drawn([signs[i : i + self.columns] for i in range(0, len(signs), self.columns)])

    def write(self, state: Position, move: int) -> str:
        return cells.name(*divmod(move, self.columns))


def certain(game: Minesweeper, state: Position) -> int:
    """Return the closed cells, as bits, that what is shown proves to have no mine, by some simple rules.

    Each number says how many mines a set of closed cells has, and near the end the number of all mines says it of all
    of them. A set without mines is safe and one with as many mines as cells is mined; a set within another leaves the
    difference. That is what people do, and less than all that could be proved.
    """
    around, everything = _around(game.rows, game.columns), (1 << game.rows * game.columns) - 1
    closed = everything & ~state.opened
    known: dict[int, int] = {closed: game.mines} if closed.bit_count() <= _FEW else {}
    for cell in _bits(state.opened):
        if near := around[cell] & closed:
            known[near] = (around[cell] & state.mines).bit_count()
    for _ in range(_ROUNDS):
        safe = mined = 0
        for group, count in known.items():
            if not count:
                safe |= group
            elif count == group.bit_count():
                mined |= group
        if safe:
            return safe
        known = {
            rest: count - (group & mined).bit_count() for group, count in known.items() if (rest := group & ~mined)
        }
        items = sorted(known.items())
        for small, few in items:
            for large, many in items:
                if small != large and small & large == small:
                    known[large & ~small] = many - few
    return 0


def deduced(game: Minesweeper, state: Position) -> tuple[int, ...] | None:
    """Return cells to open, one after the other, until the field is cleared by deduction, or None if that fails."""
    line: list[int] = []
    while game.turn(state) != OVER:
        safe = certain(game, state)
        if not safe:
            return None
        for cell in _bits(safe):
            if not state.opened >> cell & 1:
                line.append(cell)
                state = game.apply(state, cell)
    return tuple(line)


def laid(game: Minesweeper, draw: Draw) -> Position:
    """Draw a field whose beginning is open.

    Raises:
        SettingsError: None was found that can be cleared without a guess.
    """
    count = game.rows * game.columns
    around = _around(game.rows, game.columns)
    for _ in range(_TRIES):
        first = draw.below(count)
        free = [cell for cell in range(count) if cell != first and not around[first] >> cell & 1]
        if len(free) < game.mines:
            continue
        mines = sum(1 << cell for cell in draw.sample(free, game.mines))
        state = game.apply(Position(mines), first)
        if game.turn(state) != OVER and (game.guessing or deduced(game, state) is not None):
            return state
    raise SettingsError(
        f"no field of {game.rows} x {game.columns} with mines={game.mines} was found that needs no guess; lower mines "
        "or set guessing=True"
    )


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
