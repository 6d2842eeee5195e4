"""Platformer: run and jump through a level of gaps, spikes, walls and moving platforms to a flag.

Source: Super Mario Bros. (Nintendo, 1985), as text; for language models, lmgame-Bench (arXiv 2505.15146), whose score
is the distance covered.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["MOVES", "Level", "Platform", "Platformer", "Position", "drawn_level", "shortest"]

MOVES = ("left", "right", "wait", "jump left", "jump right", "jump")
_SIDE = {"left": -1, "right": 1, "wait": 0, "jump left": -1, "jump right": 1, "jump": 0}
_RISE = 2  # cells that a jump goes up
_WIDE = 3  # cells of the widest gap that a jump at the same height crosses
_PLATFORM = 2  # cells of a moving platform
_TRACK = 4  # steps of a platform from one end of its track to the other
_TRIES = 200


class Platform(NamedTuple):
    """A moving platform: its row, its first column at the left end of its track, the track's steps, where it begins."""

    row: int
    first: int
    steps: int
    phase: int

    def at(self, time: int) -> int:
        """Return its left column at a time: it goes to and fro, a cell a move."""
        place = (self.phase + time) % (2 * self.steps)
        return self.first + min(place, 2 * self.steps - place)


class Level(NamedTuple):
    """The rows from the top, # for ground, ^ for spikes, F for the flag, blank for air; and the moving platforms."""

    rows: tuple[str, ...]
    platforms: tuple[Platform, ...]

    def period(self) -> int:
        """Return the moves after which all platforms are where they were."""
        return lcm(1, *(2 * platform.steps for platform in self.platforms))


class Position(NamedTuple):
    """The level; where the player is; cells still to rise in a jump; moves made and left; the furthest column."""

    level: Level
    row: int
    column: int
    rise: int
    time: int
    left: int
    furthest: int = 0
    lost: bool = False


@dataclass(frozen=True)
class Platformer(Game[Position, str]):
    """A level of ``length`` columns; every ``parts`` of the ground is followed by an obstacle.

    ``height`` is how much the ground goes up and down, ``moving`` how many gaps are too wide but for a moving platform.
    """

    length: Annotated[int, Range(10, 60)] = 20
    height: Annotated[int, Range(0, 4)] = 2
    spikes: Annotated[int, Range(0, 12)] = 2
    gaps: Annotated[int, Range(0, 12)] = 2
    moving: Annotated[int, Range(0, 5)] = 0
    most: Annotated[int, Range(1, 1000)] = 100

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        return (
            "Reach the flag F. @ is you, # ground, . air, ^ spikes, = a moving platform. Each move is one tick. First "
            "platforms move a cell and carry you if you stand on one. Then, if you jump from ground or a platform, you "
            "rise a cell in this tick and one in the next, whatever your next move; ground above ends the rise. "
            "Otherwise you fall one cell if you stand on nothing. Then you go a cell left or right, in the air too, "
            "unless ground is there. Platforms hold you from above only and block nothing. In the air a jump does not "
            "rise. You win on entering the flag's cell. You lose on entering spikes, below the bottom row, or when no "
            "move is left. You cannot leave the level at the sides or the top."
        )

    def notation(self) -> str:
        return "A move is left, right, wait, jump, jump left or jump right"

    def start(self, draw: Draw) -> Position:
        return drawn_level(self, draw)

    def initial(self) -> Position:
        return drawn_level(self, Draw("platformer", "initial"))

    def turn(self, state: Position) -> int:
        return 0 if not state.lost and state.left and not self.returns(state)[0] else OVER

    def legal(self, state: Position) -> list[str]:
        return list(MOVES)

    def apply(self, state: Position, move: str) -> Position:
        level = state.level
        row, column, rise, end = _ticked(level, state.row, state.column, state.rise, state.time, move)
        return Position(
            level, row, column, rise, state.time + 1, state.left - 1, max(state.furthest, column), end == "lost"
        )

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(not state.lost and _sign(state.level.rows, state.row, state.column) == "F"),)

    def board(self, state: Position) -> str:
        rows = [list(row.replace(" ", ".")) for row in state.level.rows]
        facts = []
        for number, platform in enumerate(state.level.platforms, 1):
            at, later = platform.at(state.time), platform.at(state.time + 1)
            for column in range(at, at + _PLATFORM):
                rows[platform.row][column] = "="
            facts.append(
                f"Platform {number}: row {platform.row + 1}, columns {at + 1} and {at + _PLATFORM}, about to move "
                f"{'right' if later > at else 'left'}; it goes to and fro between columns {platform.first + 1} and "
                f"{platform.first + platform.steps + _PLATFORM}"
            )
        if state.row < len(rows):
            rows[state.row][state.column] = "@"
        width = len(rows[0])
        tens = "".join(str(c // 10 % 10) if c % 10 == 0 else " " for c in range(1, width + 1))
        units = "".join(str(c % 10) for c in range(1, width + 1))
        field = [f"   {tens}".rstrip(), f"   {units}", *(f"{r:2} {''.join(row)}" for r, row in enumerate(rows, 1))]
        rising = " You are rising." if state.rise else ""
        place = f"You are in row {state.row + 1}, column {state.column + 1}.{rising} Moves left: {state.left}"
        return "\n".join([*(line for line in field if line), *facts, place])

    def write(self, state: Position, move: str) -> str:
        return move


def _sign(rows: tuple[str, ...], row: int, column: int) -> str:
    """Return what is in a cell: ground beyond the sides and the top, air below the bottom."""
    if not 0 <= column < len(rows[0]) or row < 0:
        return "#"
    return rows[row][column] if row < len(rows) else " "


def _ticked(level: Level, row: int, column: int, rise: int, time: int, move: str) -> tuple[int, int, int, str]:
    """Return the player's row, column and rise after a tick, and "won", "lost" or ""."""
    rows = level.rows
    for platform in level.platforms:
        at = platform.at(time)
        if row + 1 == platform.row and at <= column < at + _PLATFORM:
            to = column + platform.at(time + 1) - at
            column = to if _sign(rows, row, to) != "#" else column
            break
    stands = _sign(rows, row + 1, column) == "#" or any(
        row + 1 == platform.row and platform.at(time + 1) <= column < platform.at(time + 1) + _PLATFORM
        for platform in level.platforms
    )
    if rise == 0 and stands and move.startswith("jump"):
        rise = _RISE
    for down, right in ((-1 if rise else 0 if stands else 1, 0), (0, _SIDE[move])):
        if _sign(rows, row + down, column + right) != "#":
            row, column = row + down, column + right
        elif down:
            rise = 1  # the head is against the ground: the jump ends
        sign = _sign(rows, row, column)
        if sign == "F":
            return row, column, 0, "won"
        if sign == "^" or row >= len(rows):
            return row, column, 0, "lost"
    return row, column, max(0, rise - 1), ""


def shortest(state: Position) -> tuple[str, ...] | None:
    """Return the fewest moves to the flag, by a search through all places, rises and times of the period, or None."""
    level, period = state.level, state.level.period()
    Key = tuple[int, int, int, int]
    first: Key = (state.row, state.column, state.rise, state.time % period)
    came: dict[Key, tuple[Key, str]] = {first: (first, "")}
    queue = [first]
    for key in queue:
        row, column, rise, time = key
        for move in MOVES[:3] if rise else MOVES:
            *place, end = _ticked(level, row, column, rise, time, move)
            if end == "won":
                moves = [move]
                while key != first:
                    key, move = came[key]
                    moves.append(move)
                return tuple(moves[::-1])
            after: Key = (place[0], place[1], place[2], (time + 1) % period)
            if not end and after not in came:
                came[after] = key, move
                queue.append(after)
    return None


def _obstacles(game: Platformer, draw: Draw) -> Iterator[str]:
    """Return kinds of obstacles in a random order."""
    kinds = ["spikes"] * game.spikes + ["gap"] * game.gaps + ["moving"] * game.moving
    return iter(draw.shuffled(kinds))


def drawn_level(game: Platformer, draw: Draw) -> Position:
    """Draw a level whose flag can be reached.

    Raises:
        SettingsError: The obstacles do not fit, or no such level was found.
    """
    for _ in range(_TRIES):
        level = _tried(game, draw)
        if level is not None:
            row = next(r for r, line in enumerate(level.rows) if line[0] == "#") - 1
            state = Position(level, row, 0, 0, 0, game.most)
            if shortest(state) is not None:
                return state
    raise SettingsError(f"no level of length={game.length} with so many obstacles was found; raise length")


def _tried(game: Platformer, draw: Draw) -> Level | None:
    """Draw ground from left to right with obstacles between its parts; None if they do not fit."""
    tall = game.height + 5  # rows: room above the highest ground to jump
    heights, spikes, platforms = [1 + draw.below(game.height + 1)] * 2, [], []
    for kind in _obstacles(game, draw):
        step = draw.integer(-game.height, min(_RISE, game.height))
        height = min(1 + game.height, max(1, heights[-1] + step))
        if kind == "gap":
            wide = draw.integer(2, _WIDE if height <= heights[-1] else 2)
            heights += [0] * wide + [height] * draw.integer(1, 2)
        elif kind == "moving":
            row, track = tall - min(height, heights[-1]), _TRACK
            platforms.append(Platform(row, len(heights), track, draw.below(2 * track)))
            heights += [0] * (track + _PLATFORM) + [height] * 2
        else:
            wide = draw.integer(1, 2)
            spikes += [(tall - heights[-1] - 1, len(heights) + i) for i in range(wide)]
            heights += [heights[-1]] * wide + [height] * draw.integer(1, 2)
    if len(heights) + 1 > game.length:
        return None
    heights += [heights[-1]] * (game.length - len(heights))
    rows = [["#" if tall - r <= height else " " for height in heights] for r in range(tall)]
    for r, c in spikes:
        rows[r][c] = "^"
    rows[tall - heights[-1] - 1][-1] = "F"
    return Level(tuple(map("".join, rows)), tuple(platforms))
