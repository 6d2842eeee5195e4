"""CircleTheCat: block cells of a hexagonal board, one a move, before the cat reaches the edge.

Source: Chat Noir (GameDesign.jp, about 2007); for language models, KORGym (arXiv 2505.14552). The angel problem of
Conway, "The angel problem", Games of No Chance, 1996, is the same game on an infinite board.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["SIDES", "CircleTheCat", "Position", "plan"]

SIDES = ("left", "right", "upper left", "upper right", "lower left", "lower right")
_TRIES = 200


class Position(NamedTuple):
    """The blocked cells, as bits row by row; the cat's cell; the sides by which the cat decides between ways."""

    blocked: int
    cat: int
    order: tuple[str, ...]


@lru_cache(maxsize=64)
def _sides(size: int) -> tuple[dict[str, int], ...]:
    """Return the neighbours of each cell by their side; every second row is half a cell further right."""
    found = []
    for cell in range(size * size):
        r, c = divmod(cell, size)
        shift = r % 2
        near = {
            "left": (r, c - 1), "right": (r, c + 1), "upper left": (r - 1, c - 1 + shift),
            "upper right": (r - 1, c + shift), "lower left": (r + 1, c - 1 + shift), "lower right": (r + 1, c + shift),
        }  # fmt: skip
        found.append({side: a * size + b for side, (a, b) in near.items() if 0 <= a < size and 0 <= b < size})
    return tuple(found)


@lru_cache(maxsize=64)
def _masks(size: int) -> tuple[int, int, int, int, int]:
    """Return all cells, those of the edge, the first and last column, and the rows that are further right, as bits."""
    grid = [divmod(cell, size) for cell in range(size * size)]
    edge = sum(1 << r * size + c for r, c in grid if r in (0, size - 1) or c in (0, size - 1))
    first, last = (sum(1 << r * size + column for r in range(size)) for column in (0, size - 1))
    odd = sum(1 << r * size + c for r, c in grid if r % 2)
    return (1 << size * size) - 1, edge, first, last, odd


def _grown(size: int, some: int) -> int:
    """Return some cells and all their neighbours, as bits."""
    everything, _, first, last, odd = _masks(size)
    side = some | (some & ~first) >> 1 | (some & ~last) << 1
    even_rows, odd_rows = some & ~odd, some & odd
    reach = even_rows | (even_rows & ~first) >> 1 | odd_rows | (odd_rows & ~last) << 1
    return (side | reach >> size | reach << size) & everything


@dataclass(frozen=True)
class CircleTheCat(Game[Position, int]):
    """A board of ``size`` rows of ``size`` hexagons, ``walls`` of which are blocked at the start."""

    size: Annotated[int, Range(5, 15)] = 7
    walls: Annotated[int, Range(0, 60)] = 8

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        return (
            f"Circle the cat on {self.size} rows of {self.size} hexagons. C is the cat, # a blocked cell, . a free "
            "one. A cell touches up to six others: left, right, upper left, upper right, lower left and lower right; "
            "rows with even numbers lie half a cell further right, as drawn. You block a free cell; then the cat moves "
            "to a free cell that it touches, always along a shortest free way to any cell of the edge. If several "
            "first steps begin a shortest way, it takes the side that comes first in the order shown. You win when no "
            "free way leads the cat to the edge, and lose when the cat stands on the edge."
        )

    def notation(self) -> str:
        return "A move is the cell to block, its letter and its row's number; letters count the cells of each row"

    def start(self, draw: Draw) -> Position:
        cat = self.size // 2 * (self.size + 1)
        for _ in range(_TRIES):
            free = [cell for cell in range(self.size**2) if cell != cat]
            blocked = sum(1 << cell for cell in draw.sample(free, self.walls))
            state = Position(blocked, cat, tuple(draw.shuffled(SIDES)))
            if self.turn(state) != OVER:
                return state
        raise SettingsError(f"walls is {self.walls}; no board of size={self.size} on which the cat is free was found")

    def initial(self) -> Position:
        return self.start(Draw("cat", "initial"))

    def turn(self, state: Position) -> int:
        edge = _masks(self.size)[1]
        return OVER if edge >> state.cat & 1 or self.distance(state) < 0 else 0

    def distance(self, state: Position) -> int:
        """Return the cat's steps to the edge, or -1 if it is caught."""
        free, edge, *_ = _masks(self.size)
        free &= ~state.blocked
        seen, steps = 1 << state.cat, 0
        while not seen & edge:
            more = _grown(self.size, seen) & free
            if more == seen:
                return -1
            seen, steps = more, steps + 1
        return steps

    def legal(self, state: Position) -> list[int]:
        taken = state.blocked | 1 << state.cat
        return [cell for cell in range(self.size**2) if not taken >> cell & 1]

    def apply(self, state: Position, move: int) -> Position:
        state = state._replace(blocked=state.blocked | 1 << move)
        return state._replace(cat=self.stepped(state))

    def stepped(self, state: Position) -> int:
        """Return the cell that the cat steps to, or its own if it is caught."""
        free, edge, *_ = _masks(self.size)
        free &= ~state.blocked
        layer = seen = edge & free
        while layer and not _grown(self.size, layer) >> state.cat & 1:
            layer = _grown(self.size, layer) & free & ~seen
            seen |= layer
        near = _sides(self.size)[state.cat]
        return next((near[side] for side in state.order if side in near and layer >> near[side] & 1), state.cat)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(self.distance(state) < 0),)

    def board(self, state: Position) -> str:
        size, width = self.size, len(str(self.size))
        signs = ["#" if state.blocked >> cell & 1 else "." for cell in range(size * size)]
        signs[state.cat] = "C"
        lines = cells.drawn([signs[i : i + size] for i in range(0, size * size, size)]).split("\n")
        shifted = [line[: width + 1] + " " * (r % 2) + line[width + 1 :] for r, line in enumerate(lines[1:])]
        name = cells.name(*divmod(state.cat, size))
        return "\n".join([lines[0], *shifted, f"The cat is on {name}. Its order of sides: {', '.join(state.order)}"])

    def write(self, state: Position, move: int) -> str:
        return cells.name(*divmod(move, self.size))


def plan(game: CircleTheCat, state: Position, width: int) -> tuple[int, ...] | None:
    """Return moves that catch the cat, found by a beam search over ``width`` positions a move, or None.

    Cells to block are those that a way to the edge of up to one step more than the shortest passes. Positions are
    better the further the cat is from the edge, and the fewer such cells there are.
    """
    beam: list[tuple[Position, tuple[int, ...]]] = [(state, ())]
    while beam:
        following: dict[tuple[int, int], tuple[tuple[int, int], Position, tuple[int, ...]]] = {}
        for now, made in beam:
            for cell in _passed(game, now, 1):
                after = game.apply(now, cell)
                if (after.blocked, after.cat) in following:
                    continue
                steps = game.distance(after)
                if steps < 0:
                    return (*made, cell)
                if steps:
                    rank = -steps, len(_passed(game, after, 0))
                    following[after.blocked, after.cat] = rank, after, (*made, cell)
        best = sorted(following.values(), key=lambda entry: (entry[0], entry[2]))[:width]
        beam = [(after, made) for _, after, made in best]
    return None


def _passed(game: CircleTheCat, state: Position, more: int) -> list[int]:
    """Return the cells of all ways to the edge that take at most ``more`` steps more than a shortest one."""
    free, edge, *_ = _masks(game.size)
    free &= ~state.blocked
    steps = game.distance(state) + more
    out, back = [1 << state.cat], [edge & free]
    for _ in range(steps):
        out.append(_grown(game.size, out[-1]) & free)
        back.append(_grown(game.size, back[-1]) & free)
    passed = 0
    for step in range(1, steps + 1):
        passed |= out[step] & back[steps - step]
    passed &= ~(1 << state.cat)
    return [cell for cell in range(game.size**2) if passed >> cell & 1]
