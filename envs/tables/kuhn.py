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
    only. Always passing and always betting do not reach it, and random moves do with 2 % at most.
    """

    max_turns = 60
    inner = Game()
    same = ("pass", "bet")

    levels = tuple(
        {"hands": n, "opponent": o, "share": s, "least": m, "max_turns": 3 * n}
        for n, o, s, m in [
            (16, "style:station", 0.4, 5), (16, "style:maniac", 0.4, 6), (16, "style:timid", 0.5, 5),
            (20, "style:bluffer", 0.5, 6), (20, "any", 0.6, 7), (24, "any", 0.65, 8), (28, "any", 0.7, 9),
            (32, "any", 0.75, 10), (40, "any", 0.8, 12), (40, "style:sound", 0.9, 10),
        ]
    )  # fmt: skip

    chance = (0.01, 0.005, 0.015, 0.02, 0.005, 0.01, 0.01, 0.0, 0.0, 0.0)
    chance_default = 0.015
