"""ConnectFour: drop stones into columns against an opponent; four in a row win.

Source: the game of Howard Wexler, 1974; for language agents, TextArena (arXiv 2504.11442) and
SPIRAL (arXiv 2506.24119).
"""

from typing import Annotated

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.connect_four import ConnectFour as Game


@register("ConnectFour-v0")
class ConnectFour(Match):
    """Win Connect Four against an opponent; reward 1 for a win.

    Chance is 8 % at level 1: on a small board rows are often made by accident.
    """

    rows: Annotated[int, Range(4, 12)] = 6
    """Rows of the board."""
    columns: Annotated[int, Range(4, 12)] = 7
    """Columns of the board."""
    k: Annotated[int, Range(3, 6)] = 4
    """Stones in a row that win."""
    opponent = "greedy"
    opening = 4
    max_turns = 24
    easy = 12

    levels = tuple(
        {"rows": r, "columns": c, "opponent": o, "max_turns": t, "beyond": b}
        for r, c, o, t, b in [
            (5, 6, "greedy", 18, "random"), (6, 7, "greedy", 24, "random"), (5, 6, "alphabeta:2", 18, "random"),
            (6, 7, "alphabeta:2", 24, "random"), (7, 8, "alphabeta:2", 32, "greedy"),
            (6, 7, "alphabeta:3", 24, "greedy"), (7, 8, "alphabeta:3", 32, "greedy"),
            (5, 6, "alphabeta:4", 18, "greedy"), (6, 7, "alphabeta:4", 24, "greedy"),
            (6, 7, "alphabeta:4", 24, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.08, 0.02, 0.01, 0.02, 0.035, 0.005, 0.01, 0.01, 0.005, 0.01)
    chance_default = 0.05

    def check(self) -> None:
        super().check()
        if self.k > max(self.rows, self.columns):
            raise SettingsError(f"k is {self.k} on {self.rows} x {self.columns}; it must fit a row or a column")

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.k)
