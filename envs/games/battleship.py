"""Battleship: find and sink a hidden fleet before an opponent sinks yours.

Source: the pencil game of the 1930s, published by Milton Bradley in 1967; for language agents, TextArena
(arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.battleship import Battleship as Game
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.seer import Seer

_LENGTHS = (3, 2, 3, 4, 5, 2)


@register("Battleship-v0")
class Battleship(Match):
    """Win Battleship against an opponent who sees only its own board and its shots; reward 1 for a win.

    The fleets are hidden, so that the best play does not win every task: a player that sees both does.
    """

    size: Annotated[int, Range(4, 12)] = 7
    """Rows and columns of each board."""
    ships: Annotated[int, Range(1, 6)] = 4
    """Number of ships of each player."""
    opponent = "heuristic:2"
    opening = 4
    max_turns = 50

    levels = tuple(
        {"size": n, "ships": s, "opponent": f"heuristic:{k}", "max_turns": n * n}
        for n, s, k in [
            (6, 4, 1), (7, 4, 1), (8, 4, 1), (6, 4, 2), (7, 4, 2), (8, 4, 2), (7, 4, 3),
            (8, 4, 3), (9, 4, 3), (10, 5, 3),
        ]
    )  # fmt: skip

    chance = (0.05, 0.04, 0.025, 0.01, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.005

    def check(self) -> None:
        super().check()
        if 2 * sum(_LENGTHS[: self.ships]) > self.size**2:
            raise SettingsError(f"ships is {self.ships} on {self.size} x {self.size}; they must cover less than half")

    def rules(self) -> Game:
        return Game(self.size, tuple(sorted(_LENGTHS[: self.ships], reverse=True)))

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (Seer(game),)
