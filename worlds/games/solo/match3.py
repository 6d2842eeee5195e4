"""Match3: swap neighbouring tiles so that three or more of a kind line up; what falls in from above is known.

Source: Shariki (Eugene Alemzhin, 1994); for language models, Candy Crush of lmgame-Bench (arXiv 2505.15146), whose
score is the tiles removed. Gualà, Leucci and Natale, "Bejeweled, Candy Crush and other match-three games are
(NP-)hard", CIG 2014.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Match3", "Position", "plan"]

_KINDS = "ABCDEFGH"
_TRIES = 200
Swap = tuple[int, int]


class Position(NamedTuple):
    """The tiles of each column from the bottom up, those that wait above the board among them; swaps left; points."""

    columns: tuple[str, ...]
    left: int
    points: int = 0
    goal: int = 1


@lru_cache(maxsize=32)
def _swaps(rows: int, columns: int) -> tuple[Swap, ...]:
    """Return all pairs of neighbouring cells, as column * rows + height from the bottom."""
    across = [(c * rows + h, (c + 1) * rows + h) for c in range(columns - 1) for h in range(rows)]
    return (*across, *((c * rows + h + 1, c * rows + h) for c in range(columns) for h in range(rows - 1)))


@dataclass(frozen=True)
class Match3(Game[Position, Swap]):
    """A board of ``rows`` by ``columns`` with ``kinds`` kinds of tiles; ``waiting`` tiles are above each column.

    ``goal`` tiles are to be removed with ``swaps`` swaps.
    """

    rows: Annotated[int, Range(3, 10)] = 5
    columns: Annotated[int, Range(3, 10)] = 5
    kinds: Annotated[int, Range(3, 8)] = 4
    waiting: Annotated[int, Range(0, 20)] = 4
    swaps: Annotated[int, Range(1, 60)] = 4
    goal: Annotated[int, Range(3, 1000)] = 14

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False

    def rules(self) -> str:
        return (
            f"Match three on {self.rows} rows and {self.columns} columns. Letters are tiles of {self.kinds} kinds, . "
            "is an empty cell. A swap exchanges two tiles that are neighbours across or down; it is legal only if "
            "three or more equal tiles then stand in a line in a row or column. All tiles in such lines are removed at "
            "once, the tiles above fall down, and those that wait above the board move in, each staying in its column. "
            "If this makes new lines, they are removed in the same way, and so on. Each tile removed is a point. Tiles "
            "that still wait can neither be swapped nor matched. You win when you have the points of the goal, and "
            "lose when no swap is left or none is legal."
        )

    def notation(self) -> str:
        return "A move is the two cells to exchange, such as a1-b1 or a1-a2; row 1 is at the top of the board"

    def start(self, draw: Draw) -> Position:
        for _ in range(_TRIES):
            names = _KINDS[: self.kinds]
            deep = self.rows + self.waiting
            columns: list[str] = []
            for c in range(self.columns):
                tiles = ""
                for h in range(deep):
                    barred = {tiles[-1]} if len(tiles) > 1 and tiles[-1] == tiles[-2] else set()
                    if c > 1 and columns[c - 1][h] == columns[c - 2][h]:
                        barred.add(columns[c - 1][h])
                    tiles += draw.choice([name for name in names if name not in barred])
                columns.append(tiles)
            state = Position(tuple(columns), self.swaps, 0, self.goal)
            if self.legal(state):
                return state
        raise SettingsError(f"no board of {self.rows} x {self.columns} with kinds={self.kinds} was found; lower kinds")

    def initial(self) -> Position:
        return self.start(Draw("match3", "initial"))

    def turn(self, state: Position) -> int:
        return 0 if state.points < state.goal and state.left and self.legal(state) else OVER

    def legal(self, state: Position) -> list[Swap]:
        columns, rows = state.columns, self.rows
        found = []
        for a, b in _swaps(rows, self.columns):
            (c, h), (d, g) = divmod(a, rows), divmod(b, rows)
            if max(h - len(columns[c]), g - len(columns[d])) >= 0 or columns[c][h] == columns[d][g]:
                continue
            after = _swapped(columns, c, h, d, g)
            if self._lined(after, c, h) or self._lined(after, d, g):
                found.append((a, b))
        return found

    def _lined(self, columns: tuple[str, ...], c: int, h: int) -> bool:
        """Return whether the tile of a cell is in a line of three or more."""
        kind, column = columns[c][h], columns[c][: self.rows]
        low = high = h
        while low and column[low - 1] == kind:
            low -= 1
        while high + 1 < len(column) and column[high + 1] == kind:
            high += 1
        first = last = c
        while first and columns[first - 1][h : h + 1] == kind:
            first -= 1
        while last + 1 < self.columns and columns[last + 1][h : h + 1] == kind:
            last += 1
        return high - low > 1 or last - first > 1

    def apply(self, state: Position, move: Swap) -> Position:
        (c, h), (d, g) = divmod(move[0], self.rows), divmod(move[1], self.rows)
        columns, points = _swapped(state.columns, c, h, d, g), state.points
        while gone := self._matched(columns):
            points += len(gone)
            columns = tuple(
                "".join([tile for h, tile in enumerate(column) if (c, h) not in gone])
                for c, column in enumerate(columns)
            )
        return state._replace(columns=columns, left=state.left - 1, points=points)

    def _matched(self, columns: tuple[str, ...]) -> set[tuple[int, int]]:
        """Return the cells, as column and height, of all lines of three or more."""
        gone: set[tuple[int, int]] = set()
        for c, whole in enumerate(columns):
            column = whole[: self.rows]
            for h in range(len(column)):
                kind = column[h]
                if column[h : h + 3] == kind * 3:
                    gone |= {(c, h), (c, h + 1), (c, h + 2)}
                if c + 2 < self.columns and columns[c + 1][h : h + 1] == kind == columns[c + 2][h : h + 1]:
                    gone |= {(c, h), (c + 1, h), (c + 2, h)}
        return gone

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.points >= state.goal),)

    def board(self, state: Position) -> str:
        height = max(self.rows, *map(len, state.columns))
        above = [
            " " * (len(str(self.rows)) + 1) + " ".join(column[h : h + 1] or " " for column in state.columns)
            for h in range(height - 1, self.rows - 1, -1)
        ]
        field = [[column[h : h + 1] or "." for column in state.columns] for h in range(self.rows - 1, -1, -1)]
        waiting = ["Waiting above the board:", *(line.rstrip() for line in above)] if above else ["No tile waits."]
        facts = f"Points: {state.points} of {state.goal}. Swaps left: {state.left}"
        return "\n".join([*waiting, "Board:", cells.drawn(field), facts])

    def write(self, state: Position, move: Swap) -> str:
        return "-".join(cells.name(self.rows - 1 - cell % self.rows, cell // self.rows) for cell in move)

    def parse(self, state: Position, text: str, seat: int | None = None) -> Swap | None:
        """Return the legal swap that a text names, in either order of its cells."""
        one, _, other = text[:20].strip().rstrip(".").partition("-")
        return super().parse(state, text, seat) or super().parse(state, f"{other}-{one}", seat)


def _swapped(columns: tuple[str, ...], c: int, h: int, d: int, g: int) -> tuple[str, ...]:
    """Return the columns with two tiles exchanged."""
    after = list(columns)
    one, other = columns[c][h], columns[d][g]
    after[c] = after[c][:h] + other + after[c][h + 1 :]
    after[d] = after[d][:g] + one + after[d][g + 1 :]
    return tuple(after)


def plan(game: Match3, state: Position, width: int) -> tuple[tuple[Swap, ...], int]:
    """Return the swaps with the most points that a beam search finds, and the points; ``width`` 1 is the greedy player.

    Swaps after the last point of the best line are left out, and the search does not stop at the goal.
    """
    beam: list[tuple[Position, tuple[Swap, ...]]] = [(state, ())]
    best: tuple[Swap, ...] = ()
    most = state.points
    for _ in range(state.left):
        following: dict[tuple[str, ...], tuple[int, Position, tuple[Swap, ...]]] = {}
        for now, made in beam:
            for move in game.legal(now):
                after = game.apply(now, move)
                if after.columns not in following or following[after.columns][1].points < after.points:
                    following[after.columns] = -after.points, after, (*made, move)
        ranked = sorted(following.values(), key=lambda entry: (entry[0], entry[2]))[:width]
        beam = [(after, made) for _, after, made in ranked]
        if ranked and -ranked[0][0] > most:
            most, best = -ranked[0][0], ranked[0][2]
    return best, most
