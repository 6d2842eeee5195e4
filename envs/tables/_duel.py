"""The base of games for points between two: one agent against a named opponent, whom it has to find out about."""

from collections.abc import Collection
from typing import Any, ClassVar, Literal

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.envs.tables._share import Share
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.players.make import check_name

_SEATS = {"first": (0,), "second": (1,), "either": (0, 1)}


class Duel(Share):
    """A game for points against one opponent, who is named by a setting and not to the agent.

    The guide, whose play sets the goal, knows how the opponent plays.
    """

    opponent: str = "any"
    """Who plays the other side; "any" draws one for each task."""
    seat: Literal["first", "second", "either"] = "either"
    """The side that the agent plays; "either" draws it."""

    opponents: ClassVar[tuple[str, ...]] = ()
    """The names of the opponents; those that "any" stands for come first."""
    drawn: ClassVar[int] = 0
    """How many of the opponents "any" stands for."""

    def check(self) -> None:
        if self.opponent == "any":
            return
        check_name("opponent", self.opponent)
        if self.opponent not in self.opponents:
            raise SettingsError(f"opponent is {self.opponent!r}; here it must be any, {', '.join(self.opponents)}")

    def seated(self, game: Game[Any, Any], draw: Draw) -> int:
        return draw.choice(_SEATS[self.seat])

    def company(self, draw: Draw) -> str:
        return draw.choice(self.opponents[: self.drawn]) if self.opponent == "any" else self.opponent


def one_after_another(draw: Draw, names: Collection[str], count: int) -> str:
    """Return so many of some names, joined by "+"; the same one twice only if there are not enough."""
    met = draw.sample(list(names), min(count, len(names)))
    return "+".join([*met, *(draw.choice(list(names)) for _ in range(count - len(met)))])
