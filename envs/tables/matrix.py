"""Matrix: earn points in a repeated matrix game with opponents who follow strategies that have to be found out.

Sources: Axelrod, "Effective choice in the prisoner's dilemma", Journal of Conflict Resolution 24, 1980; Rapoport and
Guyer, "A taxonomy of 2 x 2 games", General Systems 11, 1966; for language agents, the trust game of KORGym
(arXiv 2505.14552) and TextArena (arXiv 2504.11442).
"""

from functools import lru_cache
from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel, one_after_another
from turnwise.envs.tables._points import Task, company_of
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.players.guides.plans import PLANS, Answer, lucky, worth
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.strategies import STRATEGIES


@register("Matrix-v0")
class Matrix(Duel):
    """Earn so many points with several opponents, one after another, in a repeated game; reward 1 if they are earned.

    The goal is a share of the points of a player who knows every opponent's strategy and plays the best of 30 plans
    against it. Always the same choice does not reach it, nor do random choices, and with ``versatile`` nor does any
    published strategy that is played against all opponents alike.
    """

    table: Literal["prisoners_dilemma", "trust", "chicken", "stag_hunt"] = "prisoners_dilemma"
    """The game that is repeated."""
    meetings: Annotated[int, Range(1, 20)] = 4
    """Opponents, one after another."""
    rounds: Annotated[int, Range(3, 40)] = 10
    """Rounds with each opponent."""
    versatile: bool = True
    """Whether the goal is more than any one of the published strategies earns against all these opponents."""
    share = 0.7
    max_turns = 60

    opponents = tuple(f"strategy:{name}" for name in STRATEGIES)
    drawn = len(STRATEGIES)
    draws, tries, easy = 200, 1, 40

    levels = tuple(
        {"table": g, "meetings": n, "rounds": r, "versatile": v, "share": s, "max_turns": n * r + 20}
        for g, n, r, v, s in [
            ("trust", 2, 6, False, 0.6), ("prisoners_dilemma", 2, 8, False, 0.7), ("stag_hunt", 3, 6, False, 0.75),
            ("prisoners_dilemma", 3, 8, True, 0.65), ("prisoners_dilemma", 4, 10, True, 0.7),
            ("chicken", 4, 8, True, 0.7), ("trust", 5, 8, True, 0.7), ("trust", 6, 10, True, 0.75),
            ("prisoners_dilemma", 6, 12, True, 0.8), ("prisoners_dilemma", 8, 12, True, 0.85),
        ]
    )  # fmt: skip

    chance = (0.025, 0.02, 0.025, 0.03, 0.0, 0.005, 0.0, 0.005, 0.005, 0.0)
    chance_default = 0.01

    def rules(self) -> Encounters:
        return Encounters(self.table, self.rounds, self.meetings)

    def company(self, draw: Draw) -> str:
        if self.opponent != "any":
            return self.opponent
        return f"strategy:{one_after_another(draw, STRATEGIES, self.meetings)}"

    def guides(self, task: Task) -> tuple[Player, ...]:
        best = tuple(max(points, key=lambda name: points[name]) for points in _worth(task))
        return (Answer(task.game, names=best),)

    def most_of(self, best: float) -> float:
        return 0.9 * best

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        points = _worth(task)
        alike = [name for name in PLANS if name in STRATEGIES] if self.versatile else ["cooperate", "defect"]
        plain = [sum(each[name] for each in points) for name in alike]
        opponent = company_of(task).players[1 - task.seat]
        assert isinstance(task.game, Encounters)
        plain += [lucky(task.game, task.seat, opponent, draw) for _ in range(self.easy)]
        return sum(max(each.values()) for each in points), max(plain)

    def aim(self) -> str:
        return (
            f"Earn at least {self.task.goal:g} points in all, with {self.meetings} "
            f"opponent{'s' if self.meetings > 1 else ''}."
        )

    def told(self, before: Any, move: Any) -> str:
        theirs = self.state[len(before)][1 - self.task.seat]
        return f" The opponent played {self.task.game.write(before, theirs)}."


@lru_cache(maxsize=64)
def _worth(task: Task) -> list[dict[str, float]]:
    """Return what every plan earns in each meeting of a task."""
    assert isinstance(task.game, Encounters)
    return worth(task.game, task.seat, company_of(task).players[1 - task.seat])
