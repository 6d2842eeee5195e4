"""UltimateTicTacToe: nine boards in one, where every move decides in which board the reply is made.

Source: the rules as collected by Ben Orlin, "Ultimate Tic-Tac-Toe", 2013; for language agents, TextArena
(arXiv 2504.11442).
"""

from turnwise.core.registration import register
from turnwise.envs.games._match import Match
from turnwise.worlds.games.ultimate import Ultimate as Game


@register("UltimateTicTacToe-v0")
class UltimateTicTacToe(Match):
    """Win Ultimate Tic-Tac-Toe against an opponent; reward 1 for a win."""

    opponent = "alphabeta:2"
    opening = 32
    max_turns = 40
    scout_depth = 2

    levels = tuple(
        {"opponent": o, "opening": k}
        for o, k in [
            ("alphabeta:2", 34), ("alphabeta:2", 30), ("alphabeta:2", 26), ("alphabeta:2", 22), ("alphabeta:2", 18),
            ("alphabeta:2", 14), ("alphabeta:2", 8), ("alphabeta:3", 32), ("alphabeta:3", 28), ("alphabeta:3", 24),
        ]
    )  # fmt: skip

    chance = (0.025, 0.025, 0.025, 0.025, 0.025, 0.025, 0.0, 0.0, 0.025, 0.025)
    chance_default = 0.05

    def rules(self) -> Game:
        return Game()
