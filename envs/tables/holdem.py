"""Holdem: end a match of hold'em poker well ahead of scripted players.

Source: Robert's Rules of Poker, version 11; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._seat import Seat
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.holdem import Holdem as Game
from turnwise.worlds.games.players.cards import CardSeer
from turnwise.worlds.games.players.company import Company
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player


@register("Holdem-v0")
class Holdem(Seat):
    """Win so many chips at hold'em against players who see only their own cards; reward 1 if they are won.

    Cards are drawn, so that the best play does not win every task: a player that sees all cards does. The goal is a
    share of what such a player wins with these cards; random bets reach it by chance now and then.
    """

    seats: Annotated[int, Range(2, 6)] = 2
    """Players, the agent among them."""
    hands: Annotated[int, Range(1, 60)] = 8
    """Hands of a match."""
    fixed: bool = True
    """Whether raises have a fixed size; otherwise any up to all chips."""
    ranks: Annotated[int, Range(3, 13)] = 13
    """Ranks in the deck, from the ace down; 13 for all."""
    stack: Annotated[int, Range(10, 500)] = 60
    """Chips of each player at the start."""
    share: Annotated[float, Range(0.05, 1.0)] = 0.5
    """The goal, as a share of the chips that a player wins who sees all cards."""
    least: Annotated[int, Range(1, 500)] = 10
    """The least goal, in chips."""
    others = "heuristic:2"
    max_turns = 100

    tries, easy = 2, 5

    levels = tuple(
        {"seats": s, "hands": h, "fixed": f, "ranks": r, "stack": c, "share": q, "least": m, "others": f"heuristic:{k}",
         "max_turns": 14 * h}
        for s, h, f, r, c, q, m, k in [
            (2, 6, True, 5, 60, 0.4, 20, 1), (2, 6, True, 9, 60, 0.4, 20, 1), (2, 8, True, 13, 60, 0.45, 20, 1),
            (2, 8, True, 13, 60, 0.5, 12, 2), (2, 10, True, 13, 80, 0.5, 14, 2), (3, 10, True, 13, 80, 0.5, 16, 2),
            (2, 10, True, 13, 80, 0.6, 16, 3), (3, 12, True, 13, 100, 0.6, 20, 3), (3, 12, False, 13, 100, 0.7, 30, 3),
            (4, 12, False, 13, 100, 0.8, 40, 3),
        ]
    )  # fmt: skip

    chance = (0.05, 0.06, 0.047, 0.053, 0.057, 0.033, 0.013, 0.0, 0.02, 0.01)
    chance_default = 0.073

    def rules(self) -> Game:
        return Game(self.seats, self.hands, self.stack, self.fixed, self.ranks)

    def goal(self, game: Rules[Any, Any], state: Any, seat: int, draw: Draw) -> float:
        company = Company(seat, tuple(make_player(self.others, game, number) for number in range(game.seats)))
        [seer, *_] = self.scouts(game)
        while game.turn(state) != OVER:
            state = company.after(state, seer.act(state, seat))
        return float(max(self.least, int(self.share * game.returns(state)[seat])))

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (CardSeer(game), CardSeer(game, shy=True))

    def aim(self) -> str:
        return (
            f"Win at least {self.task.goal:g} chips at this game of hold'em: after {self.hands} hands you must have "
            f"{self.stack + self.task.goal:g} or more."
        )
