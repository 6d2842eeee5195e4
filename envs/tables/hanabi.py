"""Hanabi: build fireworks together with scripted partners, each seeing every hand but its own.

Sources: the game of Antoine Bauza, 2010; Bard et al., "The Hanabi challenge", Artificial Intelligence 280, 2020.
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Task
from turnwise.envs.tables._seat import Seat
from turnwise.envs.tables._share import Share
from turnwise.worlds.games.hidden.hanabi import Hanabi as Game
from turnwise.worlds.games.players.guides.firework import OpenHanded
from turnwise.worlds.games.players.player import Player


@register("Hanabi-v0")
class Hanabi(Share, Seat):
    """Score so many points at Hanabi with scripted partners; reward 1 if they are scored.

    Partners play what hints have shown to fit, hint what makes cards known to fit, and discard the oldest card. The
    goal is a share of the score that they reach with a player who sees its own cards, too. Good play that does not see
    them does not solve every task.
    """

    seats: Annotated[int, Range(2, 5)] = 2
    """Players, the agent among them."""
    colours: Annotated[int, Range(2, 5)] = 3
    """Colours of the cards."""
    ranks: Annotated[int, Range(3, 6)] = 5
    """Ranks of the cards."""
    hints: Annotated[int, Range(2, 12)] = 8
    """Hint tokens at the start, and the most there can be."""
    lives: Annotated[int, Range(1, 5)] = 3
    """Cards that may be played wrongly; the last one loses all points."""
    share = 0.6
    least = 3
    max_turns = 100

    draws, tries, easy, same = 100, 1, 20, ("play 1", "discard 1")

    levels = tuple(
        {"seats": n, "colours": c, "ranks": r, "hints": h, "lives": v, "others": f"heuristic:{k}", "share": s,
         "max_turns": 16 * c * r // n + 10}
        for n, c, r, h, v, k, s in [
            (2, 2, 4, 8, 3, 3, 0.5), (2, 2, 5, 8, 3, 3, 0.6), (2, 3, 4, 8, 3, 3, 0.65), (2, 3, 5, 8, 3, 3, 0.7),
            (2, 3, 5, 8, 3, 3, 0.75), (2, 4, 5, 8, 3, 3, 0.75), (3, 4, 5, 8, 3, 3, 0.8), (3, 5, 5, 8, 3, 3, 0.8),
            (4, 5, 5, 8, 3, 3, 0.85), (4, 5, 5, 8, 2, 3, 0.9),
        ]
    )  # fmt: skip

    chance = (0.025, 0.005, 0.005, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.seats, self.colours, self.ranks, self.hints, self.lives)

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (OpenHanded(task.game),)

    def aim(self) -> str:
        partners = "your partner" if self.seats == 2 else f"your {self.seats - 1} partners"
        return f"Score at least {self.task.goal:g} points at Hanabi, together with {partners}."
