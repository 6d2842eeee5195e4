"""Plans for a repeated game of two choices against strategies: the published ones, also with a betrayal at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.strategies import CHANCY, STRATEGIES

__all__ = ["PLANS", "Answer", "lucky", "worth"]

Plan = Callable[[list[int], list[int], int], int]
"""A choice by one's own choices, the other's, and the rounds that are left."""

_CALM = Draw("plans")  # none of these strategies draws from it


def _plan(name: str, betray: int) -> Plan:
    strategy = STRATEGIES[name]
    return lambda own, other, left: 1 if left <= betray else strategy(own, other, _CALM)


PLANS: dict[str, Plan] = {
    f"{name}{f' and betray {betray}' if betray else ''}": _plan(name, betray)
    for betray in (0, 1, 2)
    for name in STRATEGIES
    if name not in CHANCY
}
"""By name, first those without a betrayal."""


def worth(game: Encounters, seat: int, opponent: Player) -> list[dict[str, float]]:
    """Return for each meeting what every plan earns a seat in it."""
    found: list[dict[str, float]] = []
    for number in range(game.meetings):
        before = ((0, 0),) * (number * game.rounds)
        found.append({name: _played(game, seat, opponent, before, plan) for name, plan in PLANS.items()})
    return found


def lucky(game: Encounters, seat: int, opponent: Player, draw: Draw) -> float:
    """Return what random choices earn a seat in all meetings."""

    def plan(own: list[int], other: list[int], left: int) -> int:
        return draw.below(2)

    starts = (((0, 0),) * (number * game.rounds) for number in range(game.meetings))
    return sum(_played(game, seat, opponent, before, plan) for before in starts)


def _played(game: Encounters, seat: int, opponent: Player, before: Any, plan: Plan) -> float:
    own: list[int] = []
    other: list[int] = []
    state = before
    for left in range(game.rounds, 0, -1):
        mine, theirs = plan(own, other, left), opponent.act(state, 1 - seat)
        own.append(mine)
        other.append(theirs)
        state = (*state, (mine, theirs) if seat == 0 else (theirs, mine))
    return game.returns(state[len(before) :])[seat]


@dataclass(frozen=True)
class Answer(Player):
    """Plays in each meeting the plan that it is given for it."""

    names: tuple[str, ...] = ("tit_for_tat",)

    def choose(self, state: Any) -> Any:
        return self.act(state, 0)

    def act(self, state: Any, seat: int) -> Any:
        assert isinstance(self.game, Encounters)
        number, rounds = self.game.meeting(state)
        own, other = [pair[seat] for pair in rounds], [pair[1 - seat] for pair in rounds]
        return PLANS[self.names[number]](own, other, self.game.rounds - len(rounds))
