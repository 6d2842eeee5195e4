"""The measured strength of players, kept in a file and written as tables.

    python benchmarks/games_table.py    # prints the tables of docs/games.md

`games_elo.py`, `games_points.py` and `games_seats.py` put their rows into the file with ``--save``.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from turnwise.worlds.games.game import Game

FILE = Path(__file__).resolve().parents[1] / "baselines" / "results" / "games" / "strength.csv"


class Row(NamedTuple):
    """What a player reached on a board, and how much more than the player before it on that board.

    Attributes:
        game: The class of the rules.
        board: The settings, in words.
        rules: The rules as Python writes them.
        measure: What was counted.
        player: Who played.
        value: What it reached on average.
        low: The lower end of the 95 % interval.
        high: The upper end.
        step: By how much it is better than the player before it; not a number if it has no place in the order.
        step_low: The lower end of the 95 % interval of that.
        step_high: The upper end.
        games: The number of openings or deals; 0 if the value was computed.
    """

    game: str
    board: str
    rules: str
    measure: str
    player: str
    value: float
    low: float
    high: float
    step: float
    step_low: float
    step_high: float
    games: int

    @property
    def placed(self) -> bool:
        """Whether the player has a place in the order."""
        return not math.isnan(self.step)


def load(path: Path = FILE) -> list[Row]:
    """Return all rows of the file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        lines = list(csv.reader(file))[1:]
    return [Row(*line[:5], *map(float, line[5:11]), int(line[11])) for line in lines]


def save(rows: Iterable[Row], path: Path = FILE) -> None:
    """Put rows into the file, in place of those of the same board and measure."""
    new = list(rows)
    boards = {row[:4] for row in new}
    kept = [row for row in load(path) if row[:4] not in boards]
    order = sorted(kept + new, key=lambda row: (row.measure, row.game))  # stable: players stay in their order
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *order])


def rows_of(
    game: Game,
    board: str,
    measure: str,
    names: Sequence[str],
    got: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64] | None = None,
    others: Sequence[str] = (),
) -> list[Row]:
    """Return the rows of players who were given the same deals.

    Args:
        game: The rules.
        board: The settings, in words.
        measure: What was counted.
        names: The players from the weakest to the strongest; the others come last.
        got: What each got in each deal. Shape: [players, deals].
        steps: By how much each is better than the one before it; the difference of what they got if None. Shape:
            [players, deals].
        others: Players that have no place in the order.
    """
    if steps is None:
        steps = np.diff(got, axis=0, prepend=got[:1])
    rows = []
    for name, points, rise in zip(names, got, steps, strict=True):
        numbers = [*_interval(points), *([math.nan] * 3 if name in others else _interval(rise))]
        rounded, deals = [round(number, 4) for number in numbers], len(points) if len(points) > 1 else 0
        rows.append(Row(type(game).__name__, board, repr(game), measure, name, *rounded, deals))
    return rows


def _interval(values: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % interval."""
    mean = float(values.mean())
    wide = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return mean, mean - wide, mean + wide


def written(row: Row, value: float) -> str:
    """Return a number of a row in the digits of its measure."""
    digits = 3 if "computed" in row.measure else {"Elo": 0}.get(row.measure, 2)
    return f"{round(value, digits) + 0.0:.{digits}f}"  # + 0.0: no minus before a nought


def cell(row: Row) -> str:
    """Return what a player reached, with its interval."""
    if row.low == row.high:
        return written(row, row.value)
    return f"{written(row, row.value)} ({written(row, row.low)} to {written(row, row.high)})"


def line_of(rows: Sequence[Row]) -> str:
    """Return the players of a board as a line, from the weakest to the strongest.

    Between two neighbours stands < if the interval of the step is above 0, and ≈ if they are not told apart.
    """
    placed = [row for row in rows if row.placed]
    text = ""
    for row in placed:
        sign = "" if row is placed[0] else " < " if row.step_low > 0 else " ≈ "
        text += f"{sign}`{row.player}` {cell(row)}"
    rest = sorted((row for row in rows if not row.placed), key=lambda row: row.value)
    others = ", ".join(f"`{row.player}` {cell(row)}" for row in rest)
    return text + (f"; without a place: {others}" if text and others else others)


def text_of(rows: Sequence[Row]) -> str:
    """Return the rows of a board as a line of a table."""
    first = rows[0]
    return f"| {first.game} | {first.board} | {first.games} | {line_of(rows)} |"


def boards(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each board and measure."""
    return [list(group) for _, group in groupby(rows, key=lambda row: row[:4])]


def lines(measure: str, counted: str) -> list[str]:
    """Return a table with a line for each board of a measure."""
    found = [group for group in boards(load()) if group[0].measure == measure]
    head = f"| game | board | {counted} | from the weakest to the strongest |"
    return [head, "|---|---|---:|---|", *map(text_of, found)]


def columns(game: str, titles: dict[tuple[str, str], str], first: str) -> list[str]:
    """Return a table with a line for each player of a game, and a column for each board and measure."""
    rows = {(row.board, row.measure, row.player): row for row in load() if row.game == game}
    lead = next(iter(titles))
    players = [player for board, measure, player in rows if (board, measure) == lead]
    if not any(rows[*lead, player].placed for player in players):
        players.sort(key=lambda player: -rows[*lead, player].value)
    body = [[cell(rows[*title, player]) for title in titles] for player in players]
    return [
        f"| {first} | {' | '.join(titles.values())} |",
        f"|---|{'---:|' * len(titles)}",
        *(f"| `{player}` | {' | '.join(cells)} |" for player, cells in zip(players, body, strict=True)),
    ]


def tables() -> list[list[str]]:
    """Return the tables of docs/games.md."""
    poker = {
        ("", "chips against equilibrium, computed"): "against `equilibrium`, computed",
        ("", "chips against equilibrium"): "the same, played",
        ("", "chips against all, computed"): "against all, computed",
        ("", "chips against all"): "the same, played",
        ("", "chips against a best answer, computed"): "against a best answer",
    }
    matrix = ("prisoners_dilemma", "trust", "chicken", "stag_hunt")
    return [
        lines("Elo", "openings"),
        *(columns(game, poker, game) for game in ("Kuhn", "Leduc")),
        lines("chips a hand", "deals"),
        lines("worth left by a player who knows", "deals"),
        lines("worth from all", "deals"),
        columns("Matrix", {(table, "points a round"): f"`{table}`" for table in matrix}, "strategy"),
        lines("points a game", "games"),
    ]


if __name__ == "__main__":
    print("\n\n".join("\n".join(table) for table in tables()))
