"""Breakthrough: march a pawn to the far side, past an opponent's pawns.

Source: the game of Dan Troyka, 2000; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.breakthrough import Breakthrough as Game


@register("Breakthrough-v0")
class Breakthrough(Match):
    """Win Breakthrough against an opponent; reward 1 for a win."""

    rows: Annotated[int, Range(4, 10)] = 5
    """Rows of the board."""
    columns: Annotated[int, Range(3, 10)] = 5
    """Columns of the board."""
    opponent = "alphabeta:2"
    opening = 4
    max_turns = 30
    scout_depth = 2
    games = 4

    levels = tuple(
        {"rows": r, "columns": c, "opponent": f"alphabeta:{d}", "opening": k, "max_turns": t, "beyond": b}
        for r, c, d, k, t, b in [
            (5, 4, 1, 4, 24, "random"), (5, 5, 1, 4, 30, "random"), (6, 5, 2, 6, 36, "greedy"),
            (6, 6, 2, 8, 40, "greedy"), (5, 5, 2, 6, 30, "alphabeta:1"), (6, 6, 2, 8, 40, "alphabeta:1"),
            (8, 8, 2, 24, 60, "alphabeta:1"), (5, 5, 3, 6, 30, "alphabeta:1"), (5, 5, 3, 6, 30, "alphabeta:2"),
            (6, 6, 3, 11, 38, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.02, 0.005, 0.0, 0.0, 0.005, 0.0, 0.0, 0.005, 0.0, 0.0)
    chance_default = 0.03

    def rules(self) -> Game:
        return Game(self.rows, self.columns)
