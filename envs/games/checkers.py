"""Checkers: take or shut in all of an opponent's men, and jump whenever you can.

Source: the rules of the World Checkers/Draughts Federation (English draughts); for language agents, TextArena
(arXiv 2504.11442).
"""

from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.checkers import Checkers as Game
from turnwise.worlds.games.game import Game as Rules


@register("Checkers-v0")
class Checkers(Match):
    """Win checkers (English draughts) against an opponent; reward 1 for a win.

    Chance is up to 5 %: whoever can jump must, so that many random moves are forced ones, and with a lead some games
    are won by them.
    """

    size: Literal[6, 8, 10] = 6
    """Rows and columns of the board."""
    ranks: Annotated[int, Range(1, 4)] = 2
    """Rows of men that each side begins with; at least two rows stay empty between them."""
    lead: Annotated[int, Range(0, 6)] = 0
    """How many men the agent is ahead by at least; a man near its goal counts a little more, a king nearly two."""
    opponent = "alphabeta:2"
    opening = 4
    max_turns = 40
    scout_depth = 4
    games = 3
    easy = 12

    levels = tuple(
        {"size": n, "ranks": n // 2 - 1, "opponent": o, "lead": p, "opening": k, "max_turns": t, "beyond": b}
        for n, o, p, k, t, b in [
            (6, "alphabeta:2", 1, 8, 40, "greedy"), (6, "alphabeta:2", 0, 8, 40, "greedy"),
            (6, "alphabeta:2", 0, 4, 40, "greedy"), (8, "alphabeta:2", 1, 28, 60, "greedy"),
            (6, "alphabeta:3", 1, 8, 40, "greedy"), (6, "alphabeta:3", 0, 8, 40, "greedy"),
            (6, "alphabeta:3", 0, 4, 40, "alphabeta:2"), (6, "alphabeta:4", 0, 8, 40, "greedy"),
            (6, "alphabeta:4", 0, 4, 40, "greedy"), (6, "alphabeta:4", 0, 4, 40, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.045, 0.03, 0.025, 0.02, 0.025, 0.02, 0.02, 0.02, 0.02, 0.02)
    chance_default = 0.025

    def check(self) -> None:
        super().check()
        if 2 * self.ranks > self.size - 2:
            raise SettingsError(f"ranks is {self.ranks}; with size={self.size} it must be at most {self.size // 2 - 1}")

    def rules(self) -> Game:
        return Game(self.size, self.ranks)

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position after the opening in which the seat has the lead, or one that is over."""
        return self.valued(game, seat, draw, 20 * self.lead - self.size if self.lead else -1000)
