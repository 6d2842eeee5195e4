"""Blackjack: leave the table with enough chips, out of a shoe that runs down, by counting the cards that are gone.

Sources: Thorp, Beat the Dealer, 1962; for language agents, TextArena (arXiv 2504.11442) has single rounds.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Task
from turnwise.envs.tables._share import Share, act
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.shoe import Shoe
from turnwise.worlds.games.players.guides.counting import Counter
from turnwise.worlds.games.players.player import Player


@register("Blackjack-v0")
class Blackjack(Share):
    """Win so many chips at blackjack out of one shoe; reward 1 if they are won.

    The goal is a share of what a player wins who counts the cards, and more than what is won by playing well with the
    same bet in every round, the lowest or the highest. Cards are drawn, so that good play does not win every task.
    """

    decks: Annotated[int, Range(1, 8)] = 2
    """Decks of 52 cards in the shoe."""
    most: Annotated[int, Range(2, 100)] = 10
    """The highest bet."""
    stack: Annotated[int, Range(10, 10000)] = 100
    """Chips at the start."""
    least = 10
    max_turns = 100

    draws, tries, easy, same = 1000, 1, 30, ("stand", "hit")

    levels = tuple(
        {"decks": d, "most": m, "stack": 10 * m, "share": s, "least": m, "max_turns": 50 * d}
        for d, m, s in [
            (2, 10, 0.3), (2, 10, 0.4), (2, 12, 0.5), (3, 10, 0.4), (3, 12, 0.5),
            (3, 16, 0.6), (4, 12, 0.6), (4, 16, 0.7), (5, 16, 0.75), (6, 20, 0.8),
        ]
    )  # fmt: skip

    chance = (0.015, 0.025, 0.015, 0.005, 0.01, 0.02, 0.01, 0.005, 0.01, 0.005)
    chance_default = 0.02

    def rules(self) -> Shoe:
        return Shoe(self.decks, self.most, self.stack)

    def seated(self, game: Rules[Any, Any], draw: Draw) -> int:
        return 0

    def company(self, draw: Draw) -> str:
        return "random"  # nobody: the dealer is part of the rules

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (Counter(task.game),)

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        flat = [partial(act, Counter(task.game, flat=bet), 0) for bet in (1, self.most)]
        return [*super().plain(task), *flat]

    def aim(self) -> str:
        return (
            f"Win at least {self.task.goal:g} chips at blackjack: you begin with {self.stack} and need "
            f"{self.stack + self.task.goal:g} or more after the last round."
        )
