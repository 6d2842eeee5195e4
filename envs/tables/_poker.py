"""The base of matches of small poker games against an opponent with a style of its own."""

from typing import Annotated, Any, ClassVar

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Task, company_of
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.styles import STYLES, BestAnswer, EachHand, outcomes

_LUCK = 0.02  # the probability with which random moves may at most reach a goal


class Poker(Duel):
    """A match of several hands; a subclass says of which game. Random moves reach a goal with 2 % at most."""

    hands: Annotated[int, Range(4, 200)] = 20
    """Hands of the match."""
    least = 6

    inner: ClassVar[Game[Any, Any]]
    """The game of one hand."""
    opponents = (*(f"style:{name}" for name in STYLES), "equilibrium", "random")
    drawn = len(STYLES)
    draws, tries = 200, 1

    def rules(self) -> Hands:
        return Hands(self.inner, self.hands)

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (EachHand(task.game, inner=BestAnswer(self.inner, against=task.others)),)

    def measured(self, task: Task, draw: Draw) -> tuple[float, float]:
        opponent = company_of(task).players[1 - task.seat]
        odds, (best, *plain) = outcomes(task.state, task.seat, opponent, self.ways(task))
        above = 0.0
        for chips in sorted(odds, reverse=True):
            above += odds[chips]
            if above > _LUCK:
                break
        return best, max(*plain, chips)

    def aim(self) -> str:
        return (
            f"Win at least {self.task.goal:g} chips from your opponent in {self.hands} hands of poker. The opponent "
            "decides in the same way in every hand, as far as it sees the same; how, you will have to find out."
        )

    def _now(self) -> str:
        return f"It is your turn.\n{self.seen()}" if self.task.game.turn(self.state) != OVER else self.seen()
