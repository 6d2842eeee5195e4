"""Pig: win a game of Pig, where a die that shows a 1 takes what a turn has earned, against an opponent.

Sources: Scarne, Scarne on Dice, 1945; Neller and Presser, "Optimal play of the dice game Pig", UMAP Journal 25, 2004;
for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Task
from turnwise.worlds.games.pig import ROLL
from turnwise.worlds.games.pig import Pig as Game
from turnwise.worlds.games.players.guides.racing import Racer
from turnwise.worlds.games.players.player import Player


@register("Pig-v0")
class Pig(Duel):
    """Win Pig against an opponent who holds at so many points; reward 1 for a win.

    The die decides much: a player who keeps pace and races to the end is known to win the task, but good play does not
    win every task. Random moves, holding after each roll, and holding at 10 points do not win it.
    """

    goal_points: Annotated[int, Range(60, 300)] = 80
    """The points that win."""
    sides: Annotated[int, Range(4, 20)] = 6
    """Sides of the die."""
    opponent = "heuristic:2"
    max_turns = 120

    opponents = ("heuristic:1", "heuristic:2", "heuristic:3", "random")
    drawn = 3
    draws, tries, easy, same, shortcuts = 100, 1, 12, ("roll", "hold"), ("heuristic:1",)

    levels = tuple(
        {"goal_points": g, "opponent": f"heuristic:{k}", "max_turns": 2 * g}
        for g, k in [
            (60, 1), (80, 1), (100, 1), (60, 2), (80, 2), (100, 2), (80, 3), (100, 3), (120, 3), (150, 3),
        ]
    )  # fmt: skip

    chance = (0.01, 0.01, 0.01, 0.015, 0.01, 0.005, 0.01, 0.0, 0.0, 0.0)
    chance_default = 0.005

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
