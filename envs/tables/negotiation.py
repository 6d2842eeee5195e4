"""Negotiation: agree on a division that is worth enough, with a counterpart whose values are hidden.

Sources: DeVault, Mell and Gratch, AAAI Spring Symposium 2015; Lewis et al., "Deal or no deal?", EMNLP 2017; the
counterpart's tactics are those of Faratin, Sierra and Jennings, Robotics and Autonomous Systems 24, 1998.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Task, again, company_of
from turnwise.envs.tables._share import act
from turnwise.worlds.games.hidden.negotiation import ACCEPT
from turnwise.worlds.games.hidden.negotiation import Negotiation as Game
from turnwise.worlds.games.players.bargaining import TACTICS, Bargainer, Knowing, blindly, holding_out
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import make_player

_CONCEDES = "heuristic:3"  # which must not reach the goal
_BLIND = 12  # games of random offers that are worth the goal


@register("Negotiation-v0")
class Negotiation(Duel):
    """Get a division of a pool of items that is worth so much to the agent; reward 1 if it gets it.

    The counterpart knows its own values only. It concedes by a tactic and has a reserve. The goal is a share of the
    most that it can be brought to accept, which a player who knows its values and its tactic gets. Taking its first
    offer, insisting on everything, and conceding half in even steps do not reach the goal, nor do random moves.
    """

    kinds: Annotated[int, Range(2, 5)] = 3
    """Kinds of items."""
    most: Annotated[int, Range(1, 4)] = 3
    """The most items of a kind."""
    rounds: Annotated[int, Range(4, 30)] = 10
    """Offers until the negotiation fails."""
    reading: bool = False
    """Whether the goal is out of reach for offers that are worth it and chosen without regard to the counterpart."""
    share = 0.8
    least = 8
    hint = "form"
    max_turns = 20

    opponents = tuple(f"tactic:{name}" for name in TACTICS)
    drawn = len(TACTICS)
    draws, tries, easy, same = 400, 1, 120, ("accept",)

    levels = tuple(
        {"kinds": k, "most": m, "rounds": r, "share": s, "reading": b, "max_turns": r + 10}
        for k, m, r, s, b in [
            (3, 2, 14, 0.7, False), (3, 3, 12, 0.75, False), (3, 3, 10, 0.8, False), (3, 3, 10, 0.85, True),
            (4, 3, 10, 0.85, True), (4, 3, 8, 0.9, True), (4, 3, 6, 0.9, True), (5, 3, 5, 0.95, True),
            (4, 3, 5, 1.0, True), (5, 2, 5, 1.0, True),
        ]
    )  # fmt: skip

    chance = (0.015, 0.015, 0.015, 0.015, 0.02, 0.025, 0.015, 0.005, 0.005, 0.005)
    chance_default = 0.015

    def rules(self) -> Game:
        return Game(self.kinds, self.most, self.rounds, 20)

    def guides(self, task: Task) -> tuple[Knowing, ...]:
        return (Knowing(task.game, other=_counterpart(task)),)

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        return [*super().plain(task), partial(again, task, self.example()), partial(_insist, task)]

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        """Return what `Share` does; the counterpart is not asked for offers at which nobody looks."""
        pool, blind = task.state.pool, partial(blindly, task.state, task.seat, _counterpart(task))
        seen = [task.state._replace(offers=(pool,) * made) for made in range(self.rounds)]
        moves = [task.game.moves(state, task.seat) for state in seen]
        concedes = partial(act, make_player(_CONCEDES, task.game, 5), task.seat)
        games: list[Callable[[], float]] = [
            *(partial(blind, lambda made, way=way: way(seen[made])) for way in self.plain(task)),
            partial(played_out, task.state, company_of(task), concedes),
            *[partial(blind, lambda made: draw.choice(moves[made]))] * self.easy,
        ]
        best, most = max(0.0, self.guides(task)[0].best(task.state)[0]), float(self.least)
        for game in games:
            if most > self.most_of(best):
                break
            most = max(most, game() + 1)
        return best, most - 1

    def too_easy(self, task: Task, company: Company, draw: Draw) -> bool:
        if not self.reading:
            return False
        ways = [partial(holding_out, seat=task.seat, goal=task.goal, draw=each) for each in (None, *[draw] * _BLIND)]
        return any(played_out(task.state, company, way) >= task.goal for way in ways)

    def aim(self) -> str:
        return (
            f"Reach an agreement that is worth at least {self.task.goal:g} points to you. The last of the "
            f"{self.rounds} offers ends the negotiation at once, as nobody can accept it any more."
        )

    def example(self) -> str:
        return f"keep {' '.join('102103'[i % 6] for i in range(self.kinds))}"


def _counterpart(task: Task) -> Bargainer:
    player = company_of(task).players[1 - task.seat]
    assert isinstance(player, Bargainer)
    return player


def _insist(task: Task, state: Any) -> Any:
    """Ask for everything until the last chance to accept."""
    last = len(state.offers) == task.game.rounds - 1  # type: ignore[attr-defined]
    return ACCEPT if last else state.pool
