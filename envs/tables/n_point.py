"""NPoint: win points in rounds of a card game against opponents whose habits are to be found out.

Source: the N-point game of KORGym (arXiv 2505.14552).
"""

from collections.abc import Callable
from functools import partial
from math import ceil, inf
from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel, one_after_another
from turnwise.envs.tables._points import Task
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.n_point import HIT, STAND, Position
from turnwise.worlds.games.hidden.n_point import NPoint as Game
from turnwise.worlds.games.players.habits import HABITS, KnowingHabits, rounds_of
from turnwise.worlds.games.players.player import Player

_SHORT = range(2, 14)  # points short of the limit at which to stand in every round does not reach the goal


@register("NPoint-v0")
class NPoint(Duel):
    """Win so many points at N-point, a relative of blackjack, from several opponents; reward 1 if they are won.

    The goal is a share of what is won with these cards by a player who knows every opponent's habit and sees no hidden
    card, and less than all of it. Always hitting, always standing, standing at any fixed distance from the limit, and
    random moves do not reach it. With opponents that leave nothing to find out, such as "habit:stubborn" alone, no task
    is found.
    """

    rounds: Annotated[int, Range(4, 100)] = 12
    """Rounds of the match."""
    meetings: Annotated[int, Range(1, 10)] = 3
    """Opponents, one after another, each for as many rounds."""
    low: Annotated[int, Range(26, 100)] = 26
    """The lowest limit."""
    high: Annotated[int, Range(26, 100)] = 50
    """The highest limit."""
    share = 0.7
    least = 5
    max_turns = 144

    opponents = (*(f"habit:{name}" for name in HABITS), "random")
    drawn = len(HABITS)
    draws, tries, easy, same = 400, 1, 30, (HIT, STAND)

    levels = tuple(
        {"rounds": n, "meetings": m, "share": s, "least": n // 2, "max_turns": 12 * n}
        for n, m, s in [
            (8, 2, 0.5), (8, 2, 0.65), (10, 2, 0.65), (12, 2, 0.7), (12, 3, 0.7), (15, 3, 0.75), (16, 4, 0.8),
            (20, 4, 0.85), (20, 5, 0.9), (24, 6, 0.95),
        ]
    )  # fmt: skip

    chance = (0.01, 0.005, 0.0, 0.0, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def check(self) -> None:
        super().check()
        if self.rounds % self.meetings:
            raise SettingsError(f"rounds is {self.rounds}; it must be a multiple of meetings, which is {self.meetings}")

    def company(self, draw: Draw) -> str:
        if self.opponent != "any":
            return self.opponent
        return f"habit:{one_after_another(draw, HABITS, self.meetings)}"

    def rules(self) -> Game:
        return Game(self.rounds, self.low, self.high)

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (KnowingHabits(task.game, against=task.others),)

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        return [*super().plain(task), *(partial(stopping, task.seat, short) for short in _SHORT)]

    def most_of(self, best: float) -> float:
        return best

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        """Return what `Share` does, by rounds; where there can be no goal, the most that the guide may get."""
        kind, _, habits = task.others.partition(":")
        if kind != "habit":
            return super().measured(task, draw)
        rounds = list(rounds_of(task.game, task.state.luck, task.seat, habits))  # type: ignore[arg-type]
        ways = (-1, *_SHORT, task.game.high)  # type: ignore[attr-defined]
        most = max(self.least, *(sum(each.standing(each.limit - short) for each in rounds) + 1 for short in ways))
        best = sum(max(each.scores) for each in rounds)
        for each in rounds:
            if best < most:
                return best, most - 1
            best += each.advised() - max(each.scores)
        for _ in range(self.easy):
            if best < most:
                break
            most = max(most, sum(each.drawn(draw) for each in rounds) + 1)
        return best, most - 1

    def target(self, task: Task, draw: Draw) -> float:
        best, plain = self.measured(task, draw)
        goal = max(self.least, ceil(2 * self.share * best) / 2, plain + 0.5)
        return goal if goal < best else inf

    def aim(self) -> str:
        each = self.rounds // self.meetings
        who = (
            "The opponent decides in every round by the same rule; which, you will have to find out."
            if self.meetings == 1
            else f"You meet {self.meetings} opponents, one after another, for {each} round{'s' if each > 1 else ''} "
            "each. Every opponent decides by a rule of its own, which you will have to find out."
        )
        return f"Win at least {self.task.goal:g} points in {self.rounds} rounds of N-point. {who}"

    def _now(self) -> str:
        return f"It is your turn.\n{self.seen()}" if self.task.game.turn(self.state) != OVER else self.seen()


def stopping(seat: int, short: int, state: Position) -> str:
    """Return the move of whoever stands at so many points short of every limit."""
    return HIT if state.hand.total(seat) < state.hand.limit - short else STAND
