"""The base of games for points between two: one agent against a named opponent, whom it has to find out about."""

from collections.abc import Callable
from functools import partial
from math import ceil, inf
from typing import Annotated, Any, ClassVar, Literal

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Points, Task, any_move, company_of
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import check_name, make_player
from turnwise.worlds.games.players.player import Player

_SEATS = {"first": (0,), "second": (1,), "either": (0, 1)}


class Duel(Points):
    """A game for points against one opponent, who is named by a setting and not to the agent.

    A guide, the first of the `guides`, knows how the opponent plays, but not what is hidden. The goal is a share of
    what it gets, and more than what the same move over and over, the ``shortcuts`` and most games of random moves get.
    Where that leaves the guide too little to spare, another task is drawn.
    """

    opponent: str = "any"
    """Who plays the other side; "any" draws one for each task."""
    seat: Literal["first", "second", "either"] = "either"
    """The side that the agent plays; "either" draws it."""
    share: Annotated[float, Range(0.05, 1.0)] = 0.6
    """The goal, as a share of what a player gets who knows how the opponent plays; it may be more, so that plain ways
    to play do not reach it."""
    least: Annotated[int, Range(1, 1000)] = 1
    """The least goal."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """The reward for points just short of the goal; fewer points are paid in proportion, none or less with nothing."""

    opponents: ClassVar[tuple[str, ...]] = ()
    """The names of the opponents; those that "any" stands for come first."""
    drawn: ClassVar[int] = 0
    """How many of the opponents "any" stands for."""
    shortcuts: ClassVar[tuple[str, ...]] = ()
    """Players whose games must not reach the goal."""

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

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        players = [make_player(name, task.game, 5) for name in self.shortcuts]
        return [*super().plain(task), *(partial(act, player, task.seat) for player in players)]

    def target(self, task: Task, draw: Draw) -> float:
        best, plain = self.measured(task, draw)
        goal = float(max(self.least, ceil(self.share * best), plain + 1))
        return goal if goal <= ceil((1 + self.share) / 2 * best) else inf

    def ways(self, task: Task) -> list[Callable[[Any], Any]]:
        """Return how the guide plays, and the plain ways to play."""
        return [partial(act, self.guides(task)[0], task.seat), *self.plain(task)]

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        """Return what the guide gets, and the most that plain ways to play and most random games get."""
        company = company_of(task)
        ways = self.ways(task)
        best, *got = [played_out(task.state, company, way) for way in ways]
        return best, max(*got, *(played_out(task.state, company, any_move(task, draw)) for _ in range(self.easy)))

    def too_easy(self, task: Task, company: Company, draw: Draw) -> bool:
        return False  # the goal is set accordingly

    def short(self, got: float) -> float:
        return self.partial * max(0.0, got / self.task.goal)


def act(player: Player, seat: int, state: Any) -> Any:
    """Return a player's move."""
    return player.act(state, seat)
