"""Leduc: win chips in a match of Leduc poker against an opponent whose style is to be found out.

Sources: Southey, Bowling, Larson, Piccione, Burch, Billings and Rayner, "Bayes' bluff: opponent modelling in poker",
UAI 2005; for language agents, RAGEN (arXiv 2504.20073) and SPIRAL (arXiv 2506.24119) use its smaller relatives.
"""

from turnwise.core.registration import register
from turnwise.envs.tables._poker import Poker
from turnwise.worlds.games.hidden.leduc import Leduc as Game


@register("Leduc-v0")
class Leduc(Poker):
    """Win so many chips at Leduc poker; reward 1 if they are won.

    The goal is a share of what is won with these cards by a player who knows the opponent's style and sees only its own
    card and the public one. Always calling and always raising do not reach it, and random moves do with 2 % at most.
    """

    hands = 16
    least = 12
    max_turns = 100
    inner = Game()
    same = ("call", "raise", "fold")

    levels = tuple(
        {"hands": n, "opponent": o, "share": s, "least": m, "max_turns": 6 * n}
        for n, o, s, m in [
            (10, "style:station", 0.4, 8), (10, "style:maniac", 0.4, 12), (12, "style:trapper", 0.5, 8),
            (12, "style:bluffer", 0.5, 10), (16, "any", 0.6, 12), (20, "any", 0.65, 14), (24, "any", 0.7, 16),
            (28, "any", 0.75, 18), (32, "any", 0.8, 20), (32, "style:sound", 0.9, 18),
        ]
    )  # fmt: skip

    chance = (0.025, 0.02, 0.01, 0.02, 0.02, 0.0, 0.015, 0.01, 0.005, 0.0)
    chance_default = 0.01
