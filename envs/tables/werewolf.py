"""Werewolf: be on the winning side of every game of a series, as a villager, the seer or a wolf.

Sources: Davidoff's Mafia of 1986 in Plotkin's form of 1997; for language agents, Xu et al., "Exploring large language
models for communication games" (arXiv 2309.04658).
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Task, any_move
from turnwise.envs.tables._seat import Seat
from turnwise.envs.tables._share import act, by_place
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.hidden.series import Position, Series
from turnwise.worlds.games.hidden.werewolf import Werewolf as Rules
from turnwise.worlds.games.players.company import Company, played_out
from turnwise.worlds.games.players.make import make_player

_ROLES = {"villager": "v", "seer": "s", "wolf": "w"}
_MOST = 400  # deals that are tried for each game
_GAMES = 5  # random ones that are tried with each deal


@register("Werewolf-v0")
class Werewolf(Seat):
    """Win all games of a series of Werewolf with scripted players; reward 1 if the agent's side wins every game.

    Who wins a game depends much on the others. Therefore only deals are played that are won, twice with different
    luck, by a scripted player in the agent's seat who sees no more than the agent does, and lost by several games of
    random moves. The series as a whole is not won by saying nothing, by always voting for player 1 or 2, or by always
    making the first, middle or last legal move.
    """

    seats: Annotated[int, Range(5, 10)] = 6
    """Players, the agent among them."""
    wolves: Annotated[int, Range(1, 3)] = 1
    """Wolves among them."""
    role: Literal["villager", "seer", "wolf", "any"] = "any"
    """The agent's role; "any" draws one for each game."""
    games: Annotated[int, Range(2, 10)] = 3
    """Games that are played, and have to be won."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """The reward for some games won, in proportion to their number."""
    max_turns = 60

    draws, tries, easy = 40, 1, 4
    same = ("quiet", "vote 1", "vote 2")

    levels = tuple(
        {"seats": n, "wolves": w, "role": r, "games": g, "others": f"heuristic:{k}",
         "max_turns": 3 * g * (n - 2 * w) + 10}
        for n, w, r, g, k in [
            (6, 1, "seer", 3, 2), (6, 1, "any", 3, 2), (6, 1, "any", 3, 3), (6, 1, "any", 4, 3),
            (8, 2, "seer", 3, 2), (8, 2, "any", 3, 2), (8, 2, "any", 3, 3), (8, 2, "any", 4, 2),
            (8, 2, "any", 5, 2), (8, 2, "any", 6, 2),
        ]
    )  # fmt: skip

    chance = (0.0,) * 10
    chance_default = 0.0

    def rules(self) -> Series:
        return Series(Rules(self.seats, self.wolves), self.games)

    def goal(self, game: Game[Any, Any], state: Any, seat: int, draw: Draw) -> float:
        return float(self.games)

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        return [*super().plain(task), *(partial(by_place, task, place) for place in (0.0, 0.5, 0.99))]

    def position(self, start: Any, company: Company) -> Any:
        """Return the first turn in a series of deals that are not won by chance; one that is over if none are found."""
        game, draw = company.game, Draw("deals", start)
        assert isinstance(game, Series)
        found = [self._deal(game, company, number, draw) for number in range(self.games)]
        if None in found:
            return start._replace(inner=None)
        return company.until_turn(game.of(found))

    def _deal(self, game: Series, company: Company, number: int, draw: Draw) -> Any:
        """Return the start of a game, or None if none is found."""
        seat, wanted = company.seat, _ROLES[draw.choice(list(_ROLES)) if self.role == "any" else self.role]
        for _ in range(_MOST):
            deal = game.inner.start(draw)
            if deal.roles[seat] == wanted and self._fair(game, company, number, deal, draw):
                return deal
        return None

    def _fair(self, game: Series, company: Company, number: int, deal: Any, draw: Draw) -> bool:
        start = company.until_turn(Position(deal, (), (0,) * self.seats, number))
        if start.inner is None:
            return False
        for seed in (7, 8):  # the first is the guide of `scouts`
            player = make_player(self.scripts[0], game, seed)
            if not played_out(start, company, partial(act, player, company.seat)):
                return False
        task = Task(game, start, company.seat, self.others, 0, 1.0, ())
        return not any(played_out(start, company, any_move(task, draw)) for _ in range(_GAMES))

    def short(self, got: float) -> float:
        return self.partial * got / self.task.goal

    def aim(self) -> str:
        return (
            f"Win all {self.games} games of a series of Werewolf: in each, your side has to win, whether you are still "
            "alive or not."
        )
