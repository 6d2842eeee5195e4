"""Hex: connect your two sides of the board before an opponent connects the others.

Source: Piet Hein, 1942, and John Nash, 1948; Browne, Hex Strategy, 2000.
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.hex import Hex as Game


@register("Hex-v0")
class Hex(Match):
    """Win Hex against an opponent; reward 1 for a win."""

    size: Annotated[int, Range(3, 11)] = 5
    """Rows and columns of the board."""
    swap: bool = False
    """Whether the second player may take over the first stone; only without an opening."""
    opponent = "alphabeta:1"
    opening = 4
    max_turns = 30
    scout_depth = 1
    games = 4

    levels = tuple(
        {"size": n, "opponent": f"alphabeta:{d}", "opening": k, "beyond": b}
        for n, d, k, b in [
            (5, 1, 6, ""), (5, 1, 6, "greedy"), (6, 1, 6, "greedy"), (5, 1, 4, "alphabeta:1"), (6, 1, 8, "alphabeta:1"),
            (7, 1, 10, "alphabeta:1"), (5, 2, 6, "alphabeta:1"), (5, 2, 4, "alphabeta:1"), (6, 2, 8, "alphabeta:1"),
            (6, 2, 6, "alphabeta:1"),
        ]
    )  # fmt: skip

    chance = (0.0, 0.0, 0.015, 0.005, 0.0, 0.0, 0.015, 0.03, 0.025, 0.015)
    chance_default = 0.005

    def rules(self) -> Game:
        return Game(self.size, self.swap)
