"""Chess: mate an opponent's king, from a position in which you are ahead.

Source: FIDE Laws of Chess, 2023; for language agents, TextArena (arXiv 2504.11442) and Chess of LMRL-Gym
(arXiv 2311.18232).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match, Task
from turnwise.worlds.games.chess import Chess as Game
from turnwise.worlds.games.game import Game as Rules


@register("Chess-v0")
class Chess(Match):
    """Win a game of chess against an opponent; reward 1 for a mate.

    The agent is ahead by some pawns' worth of pieces, or not behind, after random moves of both sides. Stronger
    opponents than those of the levels, such as "alphabeta:3", take seconds to find a task against.

    Chance is about 6 % on levels 1 and 2, where both sides move at random and the agent begins far ahead.
    """

    lead: Annotated[int, Range(0, 12)] = 5
    """How many pawns' worth of pieces the agent is ahead by at least (knight and bishop 3, rook 5, queen 9)."""
    opponent = "alphabeta:1"
    opening = 30
    max_turns = 60
    scout_depth = 2
    games = 2
    easy = 2
    foreseen = True

    levels = tuple(
        {"opponent": o, "lead": p, "opening": k, "max_turns": t}
        for o, p, k, t in [
            ("random", 9, 40, 60), ("random", 5, 30, 60), ("random", 0, 16, 60), ("alphabeta:1", 9, 40, 60),
            ("alphabeta:1", 5, 30, 60), ("alphabeta:1", 2, 20, 60), ("alphabeta:1", 0, 10, 60),
            ("alphabeta:2", 9, 40, 80), ("alphabeta:2", 7, 30, 80), ("alphabeta:2", 5, 24, 80),
        ]
    )  # fmt: skip

    chance = (0.065, 0.055, 0.03, 0.0, 0.0, 0.01, 0.0, 0.005, 0.0, 0.0)
    chance_default = 0.0

    def rules(self) -> Game:
        return Game()

    def example(self, game: Rules[Any, Any]) -> str:
        return "Nf3"

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        state = self.valued(game, seat, draw, 10 * self.lead)
        return state._replace(past=())  # a task is what a FEN says

    def identity(self, task: Task) -> object:
        assert isinstance(task.game, Game)
        return task.game.fen_of(task.state), task.opponent
