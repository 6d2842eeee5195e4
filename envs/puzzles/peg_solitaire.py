"""Peg solitaire: jump pegs over each other until one is left.

Source: a French game of the 1690s; Beasley, The Ins and Outs of Peg Solitaire, 1985.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.peg_solitaire import PegSolitaire as Game
from turnwise.worlds.games.solo.peg_solitaire import Position, unplayed

Jump = tuple[int, int, int]


@register("PegSolitaire-v0")
class PegSolitaire(Solo):
    """Leave a single peg on the board; reward 1 for it. Jumps are not taken back.

    The random agent's jumps solve some of the smallest positions by chance.
    """

    board: Literal["english", "square"] = "square"
    """The cross of 33 holes, or a square."""
    size: Annotated[int, Range(4, 8)] = 5
    """Rows and columns of the square."""
    pegs: Annotated[int, Range(3, 40)] = 10
    """Pegs at the start."""
    max_turns = 32

    levels = tuple(
        {"board": b, "size": n, "pegs": p}
        for b, n, p in [
            ("square", 5, 9), ("square", 5, 10), ("square", 5, 11), ("square", 5, 12), ("square", 6, 13),
            ("english", 7, 14), ("square", 6, 17), ("english", 7, 18), ("english", 7, 22), ("english", 7, 27),
        ]
    )  # fmt: skip
    chance = (0.05, 0.025, 0.02, 0.014, 0.002, 0.003, 0.0, 0.001, 0.0, 0.0)
    chance_default = 0.025

    def rules(self) -> Game:
        return Game(self.board, self.size, self.pegs)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[Jump, ...]]:
        return unplayed(game, draw)

    def solution(self, game: Game, state: Position) -> Sequence[Jump]:
        return ()

    def figures(self) -> dict[str, float]:
        return {"pegs_left": float(self.state.pegs.bit_count())}
