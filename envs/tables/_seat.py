"""The base of games at a table: one agent plays one seat, scripted players the others, and a goal is within reach."""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Points
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.players.make import check_name


class Seat(Points):
    """A seat at a table of scripted players."""

    others: str = "heuristic:3"
    """Who plays the other seats: "random" or "heuristic:SKILL" (1 to 3); each sees its own seat only."""
    place: Annotated[int, Range(0, 10)] = 0
    """The agent's seat, counted from 1; 0 draws it."""

    def check(self) -> None:
        check_name("others", self.others)
        if self.others.partition(":")[0] not in ("random", "heuristic"):
            raise SettingsError(f"others is {self.others!r}; here it must be random or heuristic:SKILL (1 to 3)")
        if self.place > (seats := self.rules().seats):
            raise SettingsError(f"place is {self.place}; it must be from 1 to {seats}, or 0")

    def seated(self, game: Game[Any, Any], draw: Draw) -> int:
        return self.place - 1 if self.place else draw.below(game.seats)

    def company(self, draw: Draw) -> str:
        return self.others
