"""Hex: connect your two sides of the board before an opponent connects the others.

Source: Piet Hein, 1942, and John Nash, 1948; Browne, Hex Strategy, 2000.
"""

from typing import Annotated, Any

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hex import Hex as Game
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.search import AlphaBeta


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
    games = 4

    levels = tuple(
        {"size": n, "opponent": f"alphabeta:{d}", "opening": k, "beyond": b}
        for n, d, k, b in [
            (5, 1, 6, ""), (5, 1, 6, "greedy"), (6, 1, 6, "greedy"), (5, 1, 4, "alphabeta:1"), (6, 1, 8, "alphabeta:1"),
            (7, 1, 10, "alphabeta:1"), (5, 2, 6, "alphabeta:1"), (5, 2, 4, "alphabeta:1"), (5, 2, 4, "alphabeta:2"),
            (6, 2, 8, "alphabeta:2"),
        ]
    )  # fmt: skip

    chance = (0.005, 0.005, 0.0, 0.0, 0.0, 0.0, 0.015, 0.0, 0.025, 0.025)
    chance_default = 0.005

    def rules(self) -> Game:
        return Game(self.size, self.swap)

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (AlphaBeta(game, depth=1), AlphaBeta(game, seed=2, depth=2))  # deeper ones would take seconds
