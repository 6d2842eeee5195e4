"""Pig: win a game of Pig, where a die that shows a 1 takes what a turn has earned, against an opponent.

Sources: Scarne, Scarne on Dice, 1945; Neller and Presser, "Optimal play of the dice game Pig", UMAP Journal 25, 2004;
for language agents, TextArena (arXiv 2504.11442).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Task
from turnwise.worlds.games.pig import HOLD, ROLL
from turnwise.worlds.games.pig import Pig as Game
from turnwise.worlds.games.players.guides.racing import Racer
from turnwise.worlds.games.players.player import Player


@register("Pig-v0")
class Pig(Duel):
    """Win Pig against an opponent who holds at so many points; reward 1 for a win.

    The die decides much: a player who keeps pace and races to the end is known to win the task, but good play does not
    win every task. Random moves, holding after each roll, and holding at 10 points do not win it, nor does holding at
    any fixed number of points up to ``bar``.
    """

    goal_points: Annotated[int, Range(60, 300)] = 80
    """The points that win."""
    sides: Annotated[int, Range(4, 20)] = 6
    """Sides of the die."""
    behind: Annotated[int, Range(0, 200)] = 0
    """The points that the opponent has at the start; the agent has none."""
    bar: Annotated[int, Range(10, 60)] = 10
    """Holding at 10 points or at any number from there up to this one does not win."""
    opponent = "heuristic:2"
    max_turns = 120

    opponents = ("heuristic:1", "heuristic:2", "heuristic:3", "random")
    drawn = 3
    draws, tries, easy, same = 400, 1, 12, ("roll", "hold")

    levels = tuple(
        {"goal_points": g, "opponent": f"heuristic:{k}", "behind": n, "bar": most, "max_turns": 2 * g}
        for g, k, n, most in [
            (60, 1, 0, 10), (80, 1, 10, 10), (80, 2, 10, 10), (80, 2, 20, 12), (100, 2, 20, 15), (100, 2, 30, 15),
            (100, 3, 30, 18), (100, 3, 40, 20), (100, 3, 50, 22), (120, 3, 60, 25),
        ]
    )  # fmt: skip

    chance = (0.01, 0.01, 0.01, 0.015, 0.0, 0.005, 0.01, 0.0, 0.0, 0.0)
    chance_default = 0.02

    def check(self) -> None:
        super().check()
        if self.behind >= self.goal_points:
            raise SettingsError(f"behind is {self.behind}; it must be below goal_points, which is {self.goal_points}")

    def placed(self, task: Task, draw: Draw) -> Task:
        state: Any = task.state
        scores = (self.behind, 0) if task.seat else (0, self.behind)
        return super().placed(replace(task, state=state._replace(scores=scores)), draw)

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        return [*(partial(holding, task, points) for points in range(self.bar, 9, -1)), *super().plain(task)]

    def rules(self) -> Game:
        return Game(2, self.goal_points, self.sides)

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (Racer(task.game),)

    def aim(self) -> str:
        return "Win this game of Pig against an opponent."

    def result(self, got: float) -> str:
        return "You win." if got > 0 else "You lose." if got < 0 else "The game is a draw."

    def told(self, before: Any, move: Any) -> str:
        if move != ROLL:
            return ""
        if self.state.total > before.total and self.state.seat == before.seat:
            return f" You rolled {self.state.total - before.total}."
        return " You rolled 1, and your turn earned nothing."


def holding(task: Task, points: int, state: Any) -> str:
    """Return the move of whoever holds at so many points, or once they are enough."""
    own: int = state.scores[task.seat]
    return HOLD if state.total >= min(points, task.game.goal - own) else ROLL  # type: ignore[attr-defined]
