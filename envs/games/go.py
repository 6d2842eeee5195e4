"""Go: surround more of a small board than an opponent.

Source: the Tromp-Taylor rules (John Tromp and Bill Taylor, 1995); for language agents, the board games of GameBench
(arXiv 2406.06613) and TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.go import PASS
from turnwise.worlds.games.go import Go as Game


@register("Go-v0")
class Go(Match):
    """Win Go on a small board against an opponent; reward 1 for the larger area."""

    size: Annotated[int, Range(4, 9)] = 5
    """Points in a row and in a column."""
    komi: Annotated[float, Range(-20.0, 20.0)] = 0.5
    """The points that White gets for moving second."""
    opponent = "alphabeta:1"
    opening = 4
    max_turns = 40
    scout_depth = 2
    easy = 6

    levels = tuple(
        {"size": n, "opponent": o, "opening": k, "max_turns": t}
        for n, o, k, t in [
            (4, "alphabeta:1", 4, 30), (5, "alphabeta:1", 8, 40), (5, "alphabeta:1", 4, 40),
            (6, "alphabeta:1", 8, 50), (6, "alphabeta:1", 4, 50), (5, "alphabeta:2", 8, 40), (5, "alphabeta:2", 4, 40),
            (7, "alphabeta:1", 8, 60), (6, "alphabeta:2", 8, 50), (7, "alphabeta:2", 10, 60),
        ]
    )  # fmt: skip

    chance = (0.02, 0.01, 0.025, 0.01, 0.01, 0.04, 0.015, 0.005, 0.03, 0.015)
    chance_default = 0.03

    def rules(self) -> Game:
        return Game(self.size, self.komi)

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position after an opening in which nobody has passed."""
        state = game.initial()
        for made in range(self.opening + 1):
            if made == self.opening and game.turn(state) == seat:
                break
            points = [move for move in game.legal(state) if move != PASS]
            state = game.apply(state, draw.choice(points) if points else PASS)
        return state

    def example(self, game: Rules[Any, Any]) -> str:
        return "b3"
