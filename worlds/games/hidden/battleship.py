"""Battleship: sink a hidden fleet before yours is sunk.

Source: the pencil game of the 1930s, published by Milton Bradley in 1967; for language agents, TextArena
(arXiv 2504.11442).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Battleship", "Position", "places"]

_ATTEMPTS = 1000


class Position(NamedTuple):
    """The ships of each fleet and the cells at which its owner has shot, as bits; and the seat to move."""

    fleets: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    shots: tuple[int, int] = (0, 0)
    seat: int = 0
    last: int = -1  # the cell of the last shot


@lru_cache(maxsize=256)
def places(size: int, length: int) -> tuple[int, ...]:
    """Return all places of a ship as bits: those across first, row by row, then the upright ones."""
    flat = (1 << length) - 1
    upright = sum(1 << size * i for i in range(length))
    across = [flat << size * r + c for r in range(size) for c in range(size - length + 1)]
    return (*across, *(upright << size * r + c for r in range(size - length + 1) for c in range(size)))


@dataclass(frozen=True)
class Battleship(Game[Position, int]):
    """A board of ``size`` by ``size`` for each seat. A move is a cell to shoot at.

    Before the shooting each seat places its ships, one move each (a place of `places`), unless ``placed``: then both
    fleets are drawn at the start. Ships do not overlap but may touch.
    """

    size: Annotated[int, Range(2, 20)] = 8
    ships: tuple[int, ...] = (4, 3, 3, 2)
    placed: bool = True

    names = ("Player 1", "Player 2")
    draws = False
    hidden = True

    def rules(self) -> str:
        lengths = ", ".join(map(str, self.ships))
        start = "The ships are placed already" if self.placed else "First player 1 and then player 2 places the ships"
        return (
            f"Battleship on {self.size} rows and {self.size} columns. Each player has a board with ships of lengths "
            f"{lengths}, straight across or down, which the other does not see; ships may touch. {start}. The players "
            "take turns to shoot at a cell of the other's board, hit or miss. A ship is sunk when all of its cells are "
            "hit. Whoever first sinks all ships of the other wins."
        )

    def notation(self) -> str:
        cell = "A move is a cell, its column's letter and its row's number"
        return cell if self.placed else f"{cell}; a ship is placed with its first cell and across or down (a1 across)"

    def start(self, draw: Draw) -> Position:
        if not self.placed:
            return self.initial()
        return Position((self._fleet(draw), self._fleet(draw)))

    def _fleet(self, draw: Draw) -> tuple[int, ...]:
        for _ in range(_ATTEMPTS):
            taken, fleet = 0, []
            for length in self.ships:
                free = [place for place in places(self.size, length) if not place & taken]
                if not free:
                    break
                fleet.append(draw.choice(free))
                taken |= fleet[-1]
            else:
                return tuple(fleet)
        raise SettingsError(f"ships is {self.ships}; they must fit a board of {self.size} by {self.size}")

    def initial(self) -> Position:
        return Position() if not self.placed else self.start(Draw("battleship"))

    def turn(self, state: Position) -> int:
        placing = self._placing(state)
        if placing >= 0:
            return placing
        return OVER if any(self._sunk(state, seat) for seat in (0, 1)) else state.seat

    def _placing(self, state: Position) -> int:
        return next((seat for seat in (0, 1) if len(state.fleets[seat]) < len(self.ships)), -1)

    def _sunk(self, state: Position, seat: int) -> bool:
        """Return whether a seat has sunk everything."""
        return not sum(state.fleets[1 - seat]) & ~state.shots[seat]

    def legal(self, state: Position) -> list[int]:
        seat = self._placing(state)
        if seat < 0:
            return [cell for cell in range(self.size**2) if not state.shots[state.seat] >> cell & 1]
        fleet = state.fleets[seat]
        free = [p for p in places(self.size, self.ships[len(fleet)]) if not p & sum(fleet)]
        return [p for p in free if self._fits(sum(fleet) | p, self.ships[len(fleet) + 1 :])]

    def _fits(self, taken: int, lengths: tuple[int, ...]) -> bool:
        """Return whether ships still have a place."""
        if not lengths:
            return True
        free = [place for place in places(self.size, lengths[0]) if not place & taken]
        return any(self._fits(taken | place, lengths[1:]) for place in free)

    def apply(self, state: Position, move: int) -> Position:
        seat = self._placing(state)
        if seat >= 0:
            fleet = (*state.fleets[seat], move)
            return state._replace(fleets=(fleet, state.fleets[1]) if seat == 0 else (state.fleets[0], fleet))
        first, second = state.shots
        shots = (first | 1 << move, second) if state.seat == 0 else (first, second | 1 << move)
        return Position(state.fleets, shots, 1 - state.seat, move)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (1.0, -1.0) if self._sunk(state, 0) else (-1.0, 1.0)

    def shot_at(self, state: Position, seat: int) -> tuple[int, int, tuple[int, ...]]:
        """Return what a seat knows of the other's board: misses and hits as bits, and the ships that are sunk."""
        fleet, shots = state.fleets[1 - seat], state.shots[seat]
        return shots & ~sum(fleet), shots & sum(fleet), tuple(ship for ship in fleet if not ship & ~shots)

    def board(self, state: Position) -> str:
        return "\n".join(f"Board of {self.names[seat]}:\n{self._own(state, seat)}" for seat in (0, 1))

    def view(self, state: Position, seat: int) -> str:
        misses, hits, sunk = self.shot_at(state, seat)
        under = sum(sunk)
        lengths = ", ".join(str(ship.bit_count()) for ship in sunk) or "none"
        theirs = self._grid({"o": misses, "x": hits & ~under, "#": under})
        return (
            f"The other's board (x hit, # sunk, o miss):\n{theirs}\nSunk ships: {lengths}\n"
            f"Your board (S ship, x hit, o miss):\n{self._own(state, seat)}"
        )

    def _own(self, state: Position, seat: int) -> str:
        fleet, shots = sum(state.fleets[seat]), state.shots[1 - seat]
        return self._grid({"S": fleet & ~shots, "x": fleet & shots, "o": shots & ~fleet})

    def _grid(self, marks: dict[str, int]) -> str:
        found = ["."] * self.size**2
        for mark, bits in marks.items():
            while bits:
                found[(bits & -bits).bit_length() - 1] = mark
                bits &= bits - 1
        return cells.drawn([found[r * self.size : (r + 1) * self.size] for r in range(self.size)])

    def write(self, state: Position, move: int) -> str:
        if self._placing(state) < 0:
            return cells.name(*divmod(move, self.size))
        first = (move & -move).bit_length() - 1
        down = move.bit_count() > 1 and not move >> first + 1 & 1
        return f"{cells.name(*divmod(first, self.size))} {'down' if down else 'across'}"
