"""The base of matches of small poker games against opponents with styles of their own."""

from math import ceil, inf
from typing import Annotated, Any, ClassVar

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.envs.tables._duel import Duel, one_after_another
from turnwise.envs.tables._points import Task, company_of
from turnwise.envs.tables._share import PLACES
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.players.make import each_of
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.styles import STYLES, BestAnswer, EachHand, Replays, Unvaried

_LUCK = 0.02  # the probability with which random moves may at most reach a goal


class Poker(Duel):
    """A match of several hands; a subclass says of which game. Random moves reach a goal with 2 % at most."""

    hands: Annotated[int, Range(4, 200)] = 20
    """Hands of the match."""
    meetings: Annotated[int, Range(1, 10)] = 1
    """Opponents, one after another, each for as many hands."""
    share = 0.7
    least = 6

    inner: ClassVar[Game[Any, Any]]
    """The game of one hand."""
    opponents = (*(f"style:{name}" for name in STYLES), "equilibrium", "random")
    drawn = len(STYLES)
    draws, tries = 1000, 1

    def check(self) -> None:
        super().check()
        if self.hands % self.meetings:
            raise SettingsError(f"hands is {self.hands}; it must be a multiple of meetings, which is {self.meetings}")

    def company(self, draw: Draw) -> str:
        return self.opponent if self.opponent != "any" else f"style:{one_after_another(draw, STYLES, self.meetings)}"

    def rules(self) -> Hands:
        return Hands(self.inner, self.hands)

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (self._guide(task),)

    def _guide(self, task: Task) -> EachHand:
        return EachHand(task.game, inner=tuple(BestAnswer(self.inner, against=n) for n in each_of(task.others)))

    def target(self, task: Task, draw: Draw) -> float:
        """Return what the guide is to get a share of; the goal is that share where nothing thoughtless reaches it."""
        opponent = company_of(task).players[1 - task.seat]
        assert isinstance(opponent, EachHand)
        match = Replays(task.state, task.seat, opponent)
        goal = float(ceil(self.share * match.won(self._guide(task))))
        if goal < self.least:
            return inf
        simple = [Unvaried(self.inner, word=word) for word in self.same]
        simple += [Unvaried(self.inner, share=place) for place in PLACES]
        if any(match.won(EachHand(task.game, inner=(player,))) >= goal for player in simple):
            return inf
        lucky = sum(p for chips, p in match.odds().items() if chips >= goal)
        return goal if lucky <= _LUCK else inf

    def aim(self) -> str:
        several, each = self.meetings > 1, self.hands // self.meetings
        who = f"You meet {self.meetings} of them, one after another, for {each} hands each. Each" if several else "It"
        return (
            f"Win at least {self.task.goal:g} chips from your opponent{'s' * several} in {self.hands} hands of poker. "
            f"{who} decides in the same way in every hand, as far as it sees the same; how, you will have to find out."
        )

    def _now(self) -> str:
        return f"It is your turn.\n{self.seen()}" if self.task.game.turn(self.state) != OVER else self.seen()
