"""Clues: find all target words with a partner, as the one who gives clues or the one who guesses.

Source: the form of Codenames (Chvátil, 2015) for one team; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._seat import Seat
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.clues import Clues as Game


@register("Clues-v0")
class Clues(Seat):
    """Find all targets with so few clues, with a scripted partner; reward 1 if all are found.

    The partner goes by common associations of English words, from an open list. A seat that knows the list is known to
    succeed; at the lowest level random guesses do so by chance now and then.
    """

    targets: Annotated[int, Range(2, 15)] = 5
    """Words to be found."""
    neutrals: Annotated[int, Range(1, 20)] = 6
    """Words that end a round of guesses."""
    traps: Annotated[int, Range(0, 5)] = 1
    """Words that lose the game."""
    rounds: Annotated[int, Range(1, 20)] = 4
    """Clues that may be given."""
    others = "heuristic:3"
    max_turns = 40

    tries, draws = 4, 200

    levels = tuple(
        {"targets": t, "neutrals": n, "traps": x, "rounds": r, "others": f"heuristic:{k}"}
        for t, n, x, r, k in [
            (4, 4, 0, 4, 3), (4, 5, 1, 4, 3), (5, 6, 1, 4, 3), (6, 7, 1, 4, 3), (6, 9, 1, 3, 3),
            (7, 9, 2, 4, 3), (8, 10, 2, 4, 3), (8, 12, 3, 4, 3), (10, 12, 3, 5, 3), (12, 14, 4, 6, 3),
        ]
    )  # fmt: skip

    chance = (0.06, 0.02, 0.012, 0.003, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.012

    def rules(self) -> Game:
        return Game(self.targets, self.neutrals, self.traps, self.rounds)

    def goal(self, game: Rules[Any, Any], state: Any, seat: int, draw: Draw) -> float:
        return float(self.targets)

    def aim(self) -> str:
        return f"Find all {self.targets} targets with a partner, with at most {self.rounds} clues."
