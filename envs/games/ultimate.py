"""Ultimate: win ultimate tic-tac-toe, where each move decides in which small board the opponent must reply.

Source: the rules as first collected by Ben Orlin, "Ultimate Tic-Tac-Toe", 2013; for language agents, TextArena
(arXiv 2504.11442).
"""

from turnwise.core.registration import register
from turnwise.envs.games._match import Match
from turnwise.worlds.games.ultimate import Ultimate as Game


@register("Ultimate-v0")
class Ultimate(Match):
    """Win ultimate tic-tac-toe against an opponent; reward 1 for a win."""

    opponent = "alphabeta:2"
    opening = 24
    max_turns = 36
    scout_depth = 3

    levels = tuple(
        {"opponent": f"alphabeta:{d}", "opening": k, "max_turns": 48 - k // 2}
        for d, k in [(2, 34), (2, 24), (2, 16), (2, 8), (3, 34), (3, 24), (3, 10), (4, 34), (4, 24), (4, 14)]
    )

    chance = (0.025, 0.015, 0.015, 0.01, 0.02, 0.01, 0.01, 0.025, 0.005, 0.0)
    chance_default = 0.035

    def rules(self) -> Game:
        return Game()
