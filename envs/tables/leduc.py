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
    With a ``share`` so low that these reach it, no task is found.
    """

    hands = 16
    least = 12
    max_turns = 100
    inner = Game()
    same = ("call", "raise", "fold")

    levels = tuple(
        {"hands": n, "meetings": m, "share": s, "least": low, "max_turns": 6 * n}
        for n, m, s, low in [
            (20, 1, 0.4, 8), (24, 1, 0.55, 8), (20, 1, 0.65, 8), (20, 1, 0.75, 10), (24, 2, 0.6, 10), (24, 2, 0.7, 10),
            (24, 2, 0.8, 12), (24, 3, 0.8, 12), (30, 3, 0.9, 14), (32, 4, 1.0, 16),
        ]
    )  # fmt: skip

    chance = (0.02, 0.0, 0.005, 0.02, 0.015, 0.0, 0.01, 0.01, 0.0, 0.0)
    chance_default = 0.005
