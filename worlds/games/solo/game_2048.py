"""2048: slide numbered tiles together until one reaches a goal.

Source: Gabriele Cirulli, 2014, after Threes (Vollmer and Wohlwend); for language agents, lmgame-Bench (arXiv
2505.15146).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["FOUR", "MOVES", "Game2048", "Position", "slid"]

MOVES = ("up", "down", "left", "right")
FOUR = 0.1
"""The probability that a new tile is a 4."""
Move = str | tuple[int, int]


class Position(NamedTuple):
    """The tiles row by row (0 is empty, n stands for 2 to the n), the tiles still to appear, and the points."""

    tiles: tuple[int, ...]
    due: int
    score: int = 0


@lru_cache(maxsize=2**16)
def _slid(line: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return a line after its tiles have moved to the front, and the points: the sum of the tiles made."""
    out: list[int] = []
    points, merged = 0, False
    for tile in line:
        if not tile:
            continue
        if out and out[-1] == tile and not merged:
            out[-1] += 1
            points += 2 ** out[-1]
            merged = True
        else:
            out.append(tile)
            merged = False
    return (*out, *[0] * (len(line) - len(out))), points


@lru_cache(maxsize=32)
def _lines(size: int, move: str) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each line, beginning at the edge that tiles slide to."""
    rows = [tuple(range(r * size, (r + 1) * size)) for r in range(size)]
    lines = rows if move in ("left", "right") else list(zip(*rows, strict=True))
    return tuple(line if move in ("left", "up") else line[::-1] for line in lines)


def slid(tiles: tuple[int, ...], size: int, move: str) -> tuple[tuple[int, ...], int]:
    """Return a board after all tiles have slid in a direction, and the points."""
    after, points = list(tiles), 0
    for line in _lines(size, move):
        moved, made = _slid(tuple([tiles[cell] for cell in line]))
        points += made
        for cell, tile in zip(line, moved, strict=True):
            after[cell] = tile
    return tuple(after), points


@dataclass(frozen=True)
class Game2048(Game[Position, Move]):
    """A board of ``size`` by ``size``; it is won when a tile of ``goal``, a power of 2, is there."""

    size: Annotated[int, Range(2, 6)] = 4
    goal: Annotated[int, Range(4, 131072)] = 2048

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.goal & (self.goal - 1):
            raise SettingsError(f"goal is {self.goal}; it must be a power of 2")

    def rules(self) -> str:
        return (
            f"2048 on {self.size} rows and {self.size} columns. A move slides all tiles as far as they go; two equal "
            "tiles that meet become one tile of twice the value, which does not merge again in the same move. After "
            "each move a 2 (nine times in ten) or a 4 appears on a random empty cell. A move that would change nothing "
            f"is not legal. You win when a tile reaches {self.goal}, and lose when there is no legal move."
        )

    def notation(self) -> str:
        return "A move is up, down, left or right, the direction in which the tiles slide"

    def initial(self) -> Position:
        return Position((0,) * self.size**2, 2)

    def turn(self, state: Position) -> int:
        if state.due:
            return CHANCE
        return OVER if self._won(state) or not self.legal(state) else 0

    def _won(self, state: Position) -> bool:
        return bool(2 ** max(state.tiles) >= self.goal)

    def legal(self, state: Position) -> list[Move]:
        if state.due:
            return [(cell, value) for cell, tile in enumerate(state.tiles) if not tile for value in (1, 2)]
        return [move for move in MOVES if slid(state.tiles, self.size, move)[0] != state.tiles]

    def odds(self, state: Position) -> list[float]:
        free = state.tiles.count(0)
        return [(1 - FOUR) / free, FOUR / free] * free

    def apply(self, state: Position, move: Move) -> Position:
        if isinstance(move, str):
            tiles, points = slid(state.tiles, self.size, move)
            won = 2 ** max(tiles) >= self.goal
            return Position(tiles, 0 if won else 1, state.score + points)
        cell, value = move
        return state._replace(tiles=(*state.tiles[:cell], value, *state.tiles[cell + 1 :]), due=state.due - 1)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(self._won(state)),)

    def board(self, state: Position) -> str:
        shown = [str(2**tile) if tile else "." for tile in state.tiles]
        width = max(map(len, shown))
        rows = [shown[i : i + self.size] for i in range(0, self.size**2, self.size)]
        return "\n".join([*(" ".join(cell.rjust(width) for cell in row) for row in rows), f"Points: {state.score}"])

    def write(self, state: Position, move: Move) -> str:
        return move if isinstance(move, str) else f"{2 ** move[1]} on cell {move[0] + 1}"
