"""Checkers: take or shut in all of an opponent's men, and jump whenever you can.

Source: the rules of the World Checkers/Draughts Federation (English draughts); for language agents, TextArena
(arXiv 2504.11442).
"""

from typing import Annotated, Literal

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.checkers import Checkers as Game


@register("Checkers-v0")
class Checkers(Match):
    """Win checkers (English draughts) against an opponent; reward 1 for a win."""

    size: Literal[6, 8, 10] = 6
    """Rows and columns of the board."""
    ranks: Annotated[int, Range(1, 4)] = 2
    """Rows of men that each side begins with; at least two rows stay empty between them."""
    opponent = "alphabeta:2"
    opening = 4
    max_turns = 40
    scout_depth = 4

    levels = tuple(
        {"size": n, "ranks": r, "opponent": o, "opening": k, "max_turns": t}
        for n, r, o, k, t in [
            (6, 2, "greedy", 4, 40), (6, 2, "alphabeta:2", 8, 40), (6, 2, "alphabeta:2", 4, 40),
            (8, 3, "greedy", 12, 60), (8, 3, "greedy", 6, 60), (6, 2, "alphabeta:3", 4, 40),
            (6, 2, "alphabeta:4", 4, 40), (8, 3, "alphabeta:2", 16, 60), (8, 3, "alphabeta:2", 8, 60),
            (8, 3, "alphabeta:3", 12, 60),
        ]
    )  # fmt: skip

    chance = (0.0,) * 10
    chance_default = 0.0

    def check(self) -> None:
        super().check()
        if 2 * self.ranks > self.size - 2:
            raise SettingsError(f"ranks is {self.ranks}; with size={self.size} it must be at most {self.size // 2 - 1}")

    def rules(self) -> Game:
        return Game(self.size, self.ranks)
