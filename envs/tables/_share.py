"""The base of games whose goal is a share of what a good player gets in them, and more than a thoughtless one does."""

from collections.abc import Callable
from functools import partial
from math import ceil, inf
from typing import Annotated, Any, ClassVar

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Points, Task, any_move, company_of
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player

PLACES = (0.0, 0.5, 0.99)  # of the first, middle and last legal move


class Share(Points):
    """A seat whose goal is set by the play of a guide, the first of the `guides`, who may know who the others are.

    The goal is a share of what the guide gets, and more than what the same move over and over, the first, middle or
    last legal move, the ``shortcuts`` and ``easy`` games of random moves get. Where that leaves the guide too little to
    spare, another task is drawn.
    """

    share: Annotated[float, Range(0.05, 1.0)] = 0.6
    """The goal, as a share of what a good player gets; it may be more, so that plain ways to play do not reach it."""
    least: Annotated[int, Range(1, 1000)] = 1
    """The least goal."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """The reward for points just short of the goal; fewer points are paid in proportion, none or less with nothing."""

    shortcuts: ClassVar[tuple[str, ...]] = ()
    """Players whose games must not reach the goal."""

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        players = [make_player(name, task.game, 5) for name in self.shortcuts]
        places = [partial(by_place, task, place) for place in PLACES]
        return [*super().plain(task), *places, *(partial(act, player, task.seat) for player in players)]

    def target(self, task: Task, draw: Draw) -> float:
        best, plain = self.measured(task, draw)
        goal = float(max(self.least, ceil(self.share * best), plain + 1))
        return goal if goal <= self.most_of(best) else inf

    def most_of(self, best: float) -> float:
        """Return the highest goal for what the guide gets."""
        return ceil((1 + self.share) / 2 * best)

    def ways(self, task: Task) -> list[Callable[[Any], Any]]:
        """Return how the guide plays, and the plain ways to play."""
        return [partial(act, self.guides(task)[0], task.seat), *self.plain(task)]

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        """Return what the guide gets, and the most that plain ways to play and most random games get.

        Once there can be no goal, no further game is played.
        """
        company = company_of(task)
        guide, *ways = self.ways(task)
        best, most = played_out(task.state, company, guide), float(self.least)
        for way in [*ways, *[any_move(task, draw)] * self.easy]:
            if most > self.most_of(best):
                break
            most = max(most, played_out(task.state, company, way) + 1)
        return best, most - 1

    def too_easy(self, task: Task, company: Company, draw: Draw) -> bool:
        return False  # the goal is set accordingly

    def short(self, got: float) -> float:
        return self.partial * max(0.0, got / self.task.goal)


def by_place(task: Task, place: float, state: Any) -> Any:
    """Return the legal move that stands at a share of the way through their list."""
    moves = task.game.moves(state, task.seat)
    return moves[int(place * len(moves))]


def act(player: Player, seat: int, state: Any) -> Any:
    """Return a player's move."""
    return player.act(state, seat)
