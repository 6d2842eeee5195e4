"""Checkers: take or block all of an opponent's men.

Source: the rules of the World Checkers/Draughts Federation; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.checkers import Checkers as Game


@register("Checkers-v0")
class Checkers(Match):
    """Win checkers against an opponent; reward 1 for a win."""

    size: Annotated[int, Range(4, 12)] = 6
    """Rows and columns of the board."""
    ranks: Annotated[int, Range(1, 5)] = 2
    """Rows of men of each side."""
    opponent = "alphabeta:2"
    opening = 10
    max_turns = 60
    scout_depth = 3
    easy = 1

    levels = tuple(
        {"opponent": f"alphabeta:{d}", "opening": k}
        for d, k in [
            (2, 14), (2, 10), (2, 6), (2, 2), (3, 14), (3, 10), (3, 6), (3, 2), (4, 10), (4, 6),
        ]
    )  # fmt: skip

    chance = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def check(self) -> None:
        super().check()
        if 2 * self.ranks >= self.size:
            raise SettingsError(f"ranks is {self.ranks} on {self.size} rows; a row must be left empty")

    def rules(self) -> Game:
        return Game(self.size, self.ranks)
