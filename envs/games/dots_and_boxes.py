"""DotsAndBoxes: close more boxes than an opponent.

Source: Berlekamp, The Dots and Boxes Game, 2000; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes as Game


@register("DotsAndBoxes-v0")
class DotsAndBoxes(Match):
    """Win Dots and Boxes against an opponent; reward 1 for a win."""

    rows: Annotated[int, Range(2, 6)] = 3
    """Rows of boxes."""
    columns: Annotated[int, Range(2, 6)] = 3
    """Columns of boxes."""
    opponent = "alphabeta:1"
    opening = 6
    max_turns = 30
    scout_depth = 2

    levels = tuple(
        {"rows": r, "columns": c, "opponent": f"alphabeta:{d}", "opening": k}
        for r, c, d, k in [
            (2, 3, 1, 6), (3, 3, 1, 8), (3, 3, 1, 5), (3, 4, 1, 8), (3, 3, 2, 8), (3, 3, 2, 5), (3, 4, 2, 8),
            (3, 3, 3, 6), (4, 4, 2, 14), (3, 4, 3, 10),
        ]
    )  # fmt: skip

    chance = (0.02, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.rows, self.columns)
