"""GeneratedGame: read the rules of a game nobody has played, and win it against an opponent.

Source: gg-bench, Verma et al., "Measuring general intelligence with generated games" (arXiv 2505.07215), whose games
are written by a language model; here a grammar makes them, and their rules follow from it.
"""

import hashlib
from functools import lru_cache
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.env import Split, split_of
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match, Task
from turnwise.worlds.games.generated.game import Generated
from turnwise.worlds.games.generated.library import shipped


@register("GeneratedGame-v0")
class GeneratedGame(Match):
    """Win a game that a grammar made, against an opponent; reward 1 for a win.

    The games were kept because they end, are not decided by the first move, and reward looking ahead. A game belongs to
    one split: those of "test" are games that nobody meets in "train".

    Chance is up to 5 %: many of these games leave few moves, and a position late in one is sometimes won by accident.
    """

    size: Annotated[int, Range(1, 3)] = 2
    """How large boards are: about 12, 20 or 35 cells."""
    game_rules: str = ""
    """One game, as `turnwise.worlds.games.generated.rules.Rules` writes it; empty for any that fits the size."""
    opponent = "alphabeta:1"
    opening = 4
    beyond = "random"
    max_turns = 40
    scout_depth = 2
    tries = 500
    easy = 12

    levels = tuple(
        {"size": n, "opponent": o, "opening": k, "beyond": b}
        for n, o, k, b in [
            (1, "alphabeta:1", 3, "random"), (1, "alphabeta:1", 2, "random"), (1, "greedy", 2, "random"),
            (2, "alphabeta:1", 6, "random"), (2, "alphabeta:1", 4, "greedy"), (2, "alphabeta:2", 8, "greedy"),
            (3, "alphabeta:1", 8, "greedy"), (2, "alphabeta:2", 6, "alphabeta:1"),
            (3, "alphabeta:2", 10, "alphabeta:1"), (3, "alphabeta:2", 8, "alphabeta:1"),
        ]
    )  # fmt: skip

    chance = (0.035, 0.045, 0.03, 0.025, 0.02, 0.015, 0.04, 0.015, 0.005, 0.035)
    chance_default = 0.04

    def rules(self) -> Generated:
        return self.game(Draw(0))

    def game(self, draw: Draw) -> Generated:
        return Generated(self.game_rules) if self.game_rules else draw.choice(_games(self.size, self.split))

    def _digest(self, task: Task) -> str:
        """Return a digest that begins with the game's, which therefore decides the split."""
        assert isinstance(task.game, Generated)
        return digest_of(task.game.rules_text)[:8] + super()._digest(task)[8:]


def digest_of(rules_text: str) -> str:
    """Return the digest of a game."""
    return hashlib.blake2b(f"generated game {rules_text}".encode(), digest_size=8).hexdigest()


@lru_cache(maxsize=9)
def _games(size: int, split: Split | None) -> tuple[Generated, ...]:
    """Return the games of a size, of one split or of both."""
    games = [each.game for each in shipped() if each.size == size]
    return tuple(game for game in games if split in (None, split_of(digest_of(game.rules_text))))
