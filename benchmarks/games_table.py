"""The measured strength of players, kept in a file and written as tables.

    python benchmarks/games_table.py    # prints the tables of docs/games.md

`games_elo.py`, `games_points.py` and `games_seats.py` put their rows into the file with ``--save``.
"""

import csv
import math
from collections.abc import Iterable, Sequence
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
        rows.append(
            Row(type(game).__name__, board, repr(game), measure, name, *(round(n, 4) for n in numbers), len(points))
        )
    return rows


def _interval(values: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % interval."""
    mean = float(values.mean())
    wide = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return mean, mean - wide, mean + wide


FORMS = {"Elo": ".0f"}
"""How the numbers of a measure are written; two digits after the point if it is not named here."""


def text_of(rows: Iterable[Row]) -> str:
    """Return rows as lines of a table: who, what it reached, and by how much it is better than the one before."""
    lines = []
    for row in rows:
        form = FORMS.get(row.measure, ".2f")
        shown = "" if row.low == row.high else f"{row.low:{form}} to {row.high:{form}}"
        step = (
            ""
            if not row.placed or row.step == row.step_high
            else f"{row.step:+{form}} ({row.step_low:+{form}} to {row.step_high:+{form}})"
        )
        lines.append(f"| {row.game} | {row.board} | `{row.player}` | {row.value:{form}} | {shown} | {step} |")
    return "\n".join(lines)
