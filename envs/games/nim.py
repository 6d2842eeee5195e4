"""Nim: take objects from heaps against an opponent, by default one that plays perfectly.

Source: Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3, 1901; for language agents,
TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.nim import Nim as Game
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.search import Perfect


@register("Nim-v0")
class Nim(Match):
    """Win Nim, from heaps with which a win can be forced, against an opponent; reward 1 for a win."""

    heaps: Annotated[int, Range(1, 12)] = 4
    """Number of heaps."""
    size: Annotated[int, Range(2, 60)] = 7
    """The most objects in a heap."""
    most: Annotated[int, Range(0, 20)] = 0
    """The most objects that may be taken at a time; 0 for any number."""
    misere: bool = False
    """Whether whoever takes the last object loses."""
    opponent = "perfect"
    opening = 0
    max_turns = 30

    levels = tuple(
        {"heaps": h, "size": s, "most": m, "misere": x, "max_turns": t}
        for h, s, m, x, t in [
            (3, 7, 0, False, 20), (3, 9, 3, False, 20), (4, 7, 0, False, 24), (4, 9, 0, True, 24),
            (5, 9, 0, False, 30), (5, 12, 5, False, 40), (6, 12, 0, True, 40), (7, 15, 0, False, 60),
            (8, 20, 6, True, 100), (10, 31, 0, False, 160),
        ]
    )  # fmt: skip

    chance = (0.025, 0.005, 0.025, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.025

    def rules(self) -> Game:
        return Game(count=self.heaps, size=self.size, most=self.most, misere=self.misere)

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (Perfect(game),)

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return heaps with which the seat to move can force a win."""
        state = super().position(game, seat, draw)
        assert isinstance(game, Game)
        while game.lost(state):
            state = super().position(game, seat, draw)
        return state
