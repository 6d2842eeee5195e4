"""Auction: gain enough from sealed bids against scripted bidders.

Sources: Vickrey, Journal of Finance 16, 1961; Wilson, Management Science 15, 1969.
"""

from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._seat import Seat
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.auction import Auction as Game
from turnwise.worlds.games.players.bidders import LotSeer
from turnwise.worlds.games.players.company import Company
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player


@register("Auction-v0")
class Auction(Seat):
    """Gain so much in an auction of several lots with sealed bids; reward 1 if it is gained.

    What others know is hidden, so that the best play does not solve every task: a player that sees all bids does. The
    goal is a share of what that player gains; where little is at stake random bids reach it by chance now and then.
    """

    seats: Annotated[int, Range(2, 8)] = 3
    """Bidders, the agent among them."""
    lots: Annotated[int, Range(1, 50)] = 6
    """Lots, sold one after another."""
    form: Literal["first", "second", "common"] = "first"
    """Whether the winner pays the bid, the highest other bid, or the bid for something of the same worth to all."""
    high: Annotated[int, Range(50, 1000)] = 50
    """The highest worth of a lot."""
    share: Annotated[float, Range(0.05, 1.0)] = 0.4
    """The goal, as a share of what is gained by a player who sees all bids."""
    least: Annotated[int, Range(1, 1000)] = 10
    """The least goal."""
    others = "heuristic:3"
    max_turns = 60

    tries, easy, same = 1, 5, tuple(map(str, range(1, 51)))

    levels = tuple(
        {"seats": s, "lots": n, "form": f, "share": q, "others": f"heuristic:{k}"}
        for s, n, f, q, k in [
            (3, 8, "second", 0.8, 2), (3, 10, "second", 0.95, 2), (3, 8, "first", 0.35, 3), (3, 10, "first", 0.45, 3),
            (3, 10, "common", 0.3, 3), (4, 12, "first", 0.5, 3), (4, 12, "common", 0.4, 3), (4, 16, "first", 0.6, 3),
            (5, 16, "common", 0.5, 3), (6, 20, "common", 0.6, 3),
        ]
    )  # fmt: skip

    chance = (0.035, 0.02, 0.01, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.seats, self.lots, self.form, self.high, max(2, self.high // 5))

    def goal(self, game: Rules[Any, Any], state: Any, seat: int, draw: Draw) -> float:
        company = Company(seat, tuple(make_player(self.others, game, number) for number in range(game.seats)))
        seer = LotSeer(game, company=company)
        while game.turn(state) != OVER:
            state = company.after(state, seer.act(state, seat))
        return float(max(self.least, int(self.share * game.returns(state)[seat])))

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        company = Company(0, tuple(make_player(self.others, game, number) for number in range(game.seats)))
        return (LotSeer(game, company=company),)

    def aim(self) -> str:
        return f"Gain at least {self.task.goal:g} in all in this auction."
