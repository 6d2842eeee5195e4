"""Kuhn: win chips in a match of Kuhn poker against an opponent whose style is to be found out.

Sources: Kuhn, "A simplified two-person poker", Contributions to the Theory of Games I, 1950; matches against opponents
with a style, Hoehn, Southey, Holte and Bulitko, AAAI 2005; for language agents, TextArena (arXiv 2504.11442).
"""

from turnwise.core.registration import register
from turnwise.envs.tables._poker import Poker
from turnwise.worlds.games.hidden.kuhn import Kuhn as Game


@register("Kuhn-v0")
class Kuhn(Poker):
    """Win so many chips at Kuhn poker; reward 1 if they are won.

    The goal is a share of what is won with these cards by a player who knows the opponent's style and sees its own card
    only. Always passing and always betting do not reach it, and random moves do with 2 % at most. With a
    ``share`` so low that these reach it, no task is found.
    """

    max_turns = 60
    inner = Game()
    same = ("pass", "bet")

    levels = tuple(
        {"hands": n, "meetings": m, "share": s, "least": low, "max_turns": 3 * n}
        for n, m, s, low in [
            (20, 1, 0.55, 5), (24, 1, 0.55, 5), (24, 1, 0.6, 6), (24, 1, 0.7, 6), (24, 2, 0.6, 6), (24, 2, 0.7, 7),
            (24, 2, 0.8, 7), (24, 3, 0.8, 8), (30, 3, 0.9, 8), (40, 4, 1.0, 10),
        ]
    )  # fmt: skip

    chance = (0.0, 0.0, 0.005, 0.015, 0.015, 0.005, 0.005, 0.005, 0.0, 0.0)
    chance_default = 0.005
