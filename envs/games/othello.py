"""Othello: outflank an opponent's discs and have more of them at the end.

Source: the World Othello Federation's rules; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.othello import Othello as Game


@register("Othello-v0")
class Othello(Match):
    """Win Othello against an opponent; reward 1 for a win.

    The agent takes over a position in which it is not ahead, counted by moves and corners. Chance is up to 6 % all the
    same: the lead changes with every move, and players who look two moves ahead lose some games to random moves.
    """

    size: Literal[4, 6, 8, 10] = 6
    """Rows and columns of the board."""
    behind: Annotated[int, Range(0, 30)] = 6
    """How many points the agent is behind by at least: 3 for each move that a side has more, 20 for each corner."""
    opponent = "alphabeta:2"
    opening = 8
    beyond = "alphabeta:1"
    max_turns = 24
    scout_depth = 2
    games = 4
    easy = 6

    levels = tuple(
        {"size": n, "opponent": f"alphabeta:{d}", "opening": k, "max_turns": t, "behind": p, "beyond": b}
        for n, d, k, t, p, b in [
            (6, 1, 12, 18, 0, "random"), (6, 1, 8, 20, 0, "random"), (6, 2, 12, 18, 0, "random"),
            (6, 2, 8, 20, 6, "alphabeta:1"), (6, 2, 8, 20, 9, "alphabeta:1"), (8, 2, 16, 36, 6, "alphabeta:1"),
            (8, 2, 16, 36, 12, "alphabeta:1"), (6, 3, 8, 20, 12, "alphabeta:1"), (6, 3, 8, 20, 15, "alphabeta:2"),
            (6, 3, 8, 20, 18, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.02, 0.035, 0.02, 0.055, 0.04, 0.015, 0.015, 0.01, 0.01, 0.01)
    chance_default = 0.055

    def rules(self) -> Game:
        return Game(self.size)

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position after the opening in which the seat is so much behind, or one that is over."""
        return self.valued(game, seat, draw, most=-self.behind)
