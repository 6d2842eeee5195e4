"""2048 in which the next tiles are known, so that it is planning and not luck that decides.

Source: Gabriele Cirulli, 2014; for language agents, lmgame-Bench (arXiv 2505.15146), whose score is the sum of the
tiles made. That the tiles are known makes it the offline problem of Abdelkader, Acharya and Dasler, "2048 without new
tiles is still hard", FUN 2016.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.solo.game_2048 import FOUR, MOVES, slid

__all__ = ["Planned2048", "Position", "plan"]

_ROOM = 0.3  # points that a free cell is worth to the planner, in tiles of 1
Tile = tuple[int, int]


class Position(NamedTuple):
    """The tiles row by row (0 is empty, n stands for 2 to the n); (cell, n) of each tile to come; moves left."""

    tiles: tuple[int, ...]
    coming: tuple[Tile, ...]
    left: int
    score: int = 0


@dataclass(frozen=True)
class Planned2048(Game[Position, str]):
    """A board of ``size`` by ``size``, won by a tile of ``goal`` in ``most`` moves; ``shown`` coming tiles are seen."""

    size: Annotated[int, Range(2, 6)] = 3
    goal: Annotated[int, Range(8, 4096)] = 64
    most: Annotated[int, Range(1, 5000)] = 60
    shown: Annotated[int, Range(0, 1000)] = 8

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def __post_init__(self) -> None:
        if self.goal & (self.goal - 1):
            raise SettingsError(f"goal is {self.goal}; it must be a power of 2")

    def rules(self) -> str:
        return (
            f"2048 on {self.size} rows and {self.size} columns, with known tiles. A move slides all tiles as far as "
            "they go; two equal tiles that meet become one tile of twice the value, which does not merge again in the "
            "same move; of three in a line the two that lead merge. After each move the next tile of the list appears "
            "on its cell or, if that is taken, on the next free cell in reading order, with the first cell after the "
            "last. A move that would change nothing is not legal. You see the next "
            f"{self.shown} of the tiles to come. You win when a tile reaches {self.goal}, and lose when no move is "
            "legal or left."
        )

    def notation(self) -> str:
        return "A move is up, down, left or right, the direction in which the tiles slide; row 1 is at the top"

    def start(self, draw: Draw) -> Position:
        count = self.size**2
        coming = [(draw.below(count), 2 if draw.chance(FOUR) else 1) for _ in range(self.most + 2)]
        tiles = (0,) * count
        for tile in coming[:2]:
            tiles = _placed(tiles, tile)
        return Position(tiles, tuple(coming[2:]), self.most)

    def initial(self) -> Position:
        return self.start(Draw("2048", "initial"))

    def turn(self, state: Position) -> int:
        return 0 if 2 ** max(state.tiles) < self.goal and state.left and self.legal(state) else OVER

    def legal(self, state: Position) -> list[str]:
        return [move for move in MOVES if slid(state.tiles, self.size, move)[0] != state.tiles]

    def apply(self, state: Position, move: str) -> Position:
        tiles, points = slid(state.tiles, self.size, move)
        if 2 ** max(tiles) < self.goal:
            tiles = _placed(tiles, state.coming[0])
        return Position(tiles, state.coming[1:], state.left - 1, state.score + points)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(2 ** max(state.tiles) >= self.goal),)

    def board(self, state: Position) -> str:
        return self._drawn(state, len(state.coming))

    def view(self, state: Position, seat: int) -> str:
        return self._drawn(state, self.shown)

    def _drawn(self, state: Position, shown: int) -> str:
        signs = [str(2**tile) if tile else "." for tile in state.tiles]
        width = max(map(len, signs))
        rows = [[sign.rjust(width) for sign in signs[i : i + self.size]] for i in range(0, len(signs), self.size)]
        letters = "  " + " ".join("abcdef"[c].rjust(width) for c in range(self.size))
        field = [letters, *(f"{r} {' '.join(row)}" for r, row in enumerate(rows, 1))]
        facts = [f"Moves left: {state.left}. Points: {state.score}"]
        if coming := state.coming[:shown]:
            names = [f"{2**tile} on {cells.name(*divmod(cell, self.size))}" for cell, tile in coming]
            facts.insert(0, f"Next tiles: {', '.join(names)}")
        return "\n".join([*field, *facts])

    def write(self, state: Position, move: str) -> str:
        return move


def _placed(tiles: tuple[int, ...], tile: Tile) -> tuple[int, ...]:
    """Return the board with a tile on its cell, or on the next one that is free; one always is after a move."""
    cell, value = tile
    while tiles[cell]:
        cell = (cell + 1) % len(tiles)
    return (*tiles[:cell], value, *tiles[cell + 1 :])


def plan(game: Planned2048, state: Position, width: int) -> tuple[str, ...] | None:
    """Return moves that win, found by a beam search that knows all tiles to come, or None.

    It keeps the ``width`` boards with the most points, free cells counted a little. The line is a linked list while
    the search goes on: (move, what was made before it).
    """
    beam: list[tuple[Position, tuple[object, ...]]] = [(state, ())]
    for _ in range(state.left):
        following: dict[tuple[int, ...], tuple[float, Position, tuple[object, ...]]] = {}
        for now, made in beam:
            for move in game.legal(now):
                after = game.apply(now, move)
                if 2 ** max(after.tiles) >= game.goal:
                    return _line((move, made))
                if after.tiles not in following:
                    worth = sum([tile << tile for tile in after.tiles])
                    following[after.tiles] = worth * (1 + _ROOM * after.tiles.count(0)), after, (move, made)
        best = sorted(following.values(), key=lambda entry: (-entry[0], entry[1].tiles))[:width]
        beam = [(after, made) for _, after, made in best]
    return None


def _line(made: tuple[object, ...]) -> tuple[str, ...]:
    """Return the moves of a linked list in their order."""
    moves: list[str] = []
    while made:
        move, made = made  # type: ignore[assignment]
        moves.append(str(move))
    return tuple(moves[::-1])
