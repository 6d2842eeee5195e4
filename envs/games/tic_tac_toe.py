"""TicTacToe: tic-tac-toe and its family (larger boards, longer rows, misère, wild) against an opponent.

Source: the m,n,k-games of van den Herik, Uiterwijk and van Rijswijck, "Games solved: now and in the future", Artificial
Intelligence 134, 2002; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.tic_tac_toe import TicTacToe as Game


@register("TicTacToe-v0")
class TicTacToe(Match):
    """Win tic-tac-toe, on boards of any size, against an opponent; reward 1 for a win.

    Chance is 8 % at level 1: on nine cells a fork is often met by accident. The default board has 5 by 5 cells, as
    3 by 3 has only a few dozen positions to begin with.
    """

    rows: Annotated[int, Range(3, 12)] = 5
    """Rows of the board."""
    columns: Annotated[int, Range(3, 12)] = 5
    """Columns of the board."""
    k: Annotated[int, Range(3, 6)] = 4
    """Marks in a row that win."""
    misere: bool = False
    """Whether the row loses instead."""
    wild: bool = False
    """Whether a player may place either mark."""
    opponent = "greedy"
    opening = 2
    max_turns = 20
    scout_depth = 2
    games = 4

    levels = tuple(
        {"rows": n, "columns": n, "k": k, "opponent": o, "max_turns": t, "beyond": b}
        for n, k, o, t, b in [
            (3, 3, "greedy", 12, ""), (5, 4, "greedy", 20, "random"), (5, 4, "alphabeta:1", 20, "greedy"),
            (5, 4, "alphabeta:2", 20, "greedy"), (6, 4, "alphabeta:2", 24, "greedy"),
            (6, 4, "alphabeta:2", 24, "alphabeta:1"), (5, 4, "alphabeta:3", 20, "alphabeta:1"),
            (5, 4, "alphabeta:3", 20, "alphabeta:2"), (6, 5, "alphabeta:2", 24, "alphabeta:1"),
            (6, 5, "alphabeta:2", 24, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.08, 0.03, 0.01, 0.015, 0.02, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.02

    def check(self) -> None:
        super().check()
        if self.k > max(self.rows, self.columns):
            raise SettingsError(f"k is {self.k} on {self.rows} x {self.columns}; it must fit a row or a column")

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.k, self.misere, self.wild)
