"""Game2048: slide tiles together until one reaches a goal; the next tiles are known, and the moves are limited.

Source: Gabriele Cirulli, 2014; for language agents, lmgame-Bench (arXiv 2505.15146).
"""

import re
from collections.abc import Sequence
from math import ceil
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.planned_2048 import Planned2048, Position, plan

_LEAST = 2.2  # what a tile that appears is worth on average
_TRIES = 50


@register("Game2048-v0")
class Game2048(Solo):
    """Make a tile of a given value within the moves; reward 1 for it.

    Of all tiles to come, the next few are shown. The known solution knows all of them, so that the best play without
    that need not solve every task.
    """

    size: Annotated[int, Range(2, 5)] = 3
    """Rows and columns."""
    goal: Annotated[int, Range(8, 1024)] = 64
    """The tile to make, a power of 2."""
    shown: Annotated[int, Range(0, 100)] = 8
    """Tiles to come that are shown."""
    spare: Annotated[float, Range(0, 2)] = 0.05
    """Moves that are allowed beyond those of the known solution, as a share of them."""
    width: Annotated[int, Range(1, 100)] = 4
    """Boards that the planner keeps."""
    moves_per_turn = 40
    max_turns = 60

    form = re.compile(r"up|down|left|right", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {"size": n, "goal": g, "shown": 8, "spare": s, "width": w, "max_turns": t}
        for n, g, s, w, t in [
            (3, 64, 0.08, 10, 30), (3, 64, 0.04, 10, 30), (3, 64, 0.0, 10, 30), (3, 64, 0.0, 20, 30),
            (4, 64, 0.0, 20, 30), (4, 128, 0.05, 20, 50), (4, 128, 0.0, 20, 50), (4, 256, 0.05, 10, 80),
            (4, 256, 0.0, 20, 80), (4, 512, 0.0, 10, 150),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.032

    def rules(self) -> Planned2048:
        most = self.max_turns * self.moves_per_turn
        return Planned2048(self.size, self.goal, min(most, ceil(self.goal / _LEAST * 2) + 10), self.shown)

    def posed(self, game: Planned2048, draw: Draw) -> tuple[Position, tuple[str, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            line = plan(game, state, self.width)
            if line is not None:
                most = min(len(state.coming), ceil(len(line) * (1 + self.spare)))
                return state._replace(coming=state.coming[:most], left=most), line
        raise SettingsError(f"no tiles were found with which the planner reaches goal={self.goal}; lower goal")

    def solution(self, game: Planned2048, state: Position) -> Sequence[str]:
        return plan(game, state, self.width) or ()

    def figures(self) -> dict[str, float]:
        """Return the largest tile, and the score of lmgame-Bench: the sum of the tiles made."""
        return {"largest": float(2 ** max(self.state.tiles)), "score": float(self.state.score)}
