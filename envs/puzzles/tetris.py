"""Tetris: clear a number of rows with a known sequence of pieces.

Source: Alexey Pajitnov, 1985; for language models, lmgame-Bench (arXiv 2505.15146) and KORGym (arXiv 2505.14552).
"""

import re
from collections.abc import Sequence
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.tetris import Move, Position, greedy, plan
from turnwise.worlds.games.solo.tetris import Tetris as Game

_WIDTH = 12  # fields that the planner keeps
_TRIES = 300


@register("Tetris-v0")
class Tetris(Solo):
    """Clear enough rows; reward 1 when they are cleared. Reaching above the top, or running out of pieces, loses."""

    rows: Annotated[int, Range(4, 24)] = 8
    """Rows of the field."""
    columns: Annotated[int, Range(4, 12)] = 5
    """Columns of the field."""
    pieces: Annotated[int, Range(1, 100)] = 8
    """Pieces that come, in an order that is shown."""
    goal: Annotated[int, Range(1, 50)] = 4
    """Rows to clear."""
    filled: Annotated[int, Range(0, 10)] = 0
    """Rows that are full but for one cell at the start."""
    planning: bool = False
    """Pose only tasks that are lost by whoever judges each placement by the field it leaves."""
    moves_per_turn = 10
    max_turns = 20

    form = re.compile(r"[0-3]\s*[a-z]", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {"rows": r, "columns": c, "pieces": p, "goal": g, "filled": f, "planning": x, "max_turns": t}
        for r, c, p, g, f, x, t in [
            (8, 4, 6, 3, 0, False, 10), (8, 5, 8, 4, 0, False, 12), (8, 5, 10, 6, 0, False, 15),
            (8, 6, 12, 6, 1, False, 15), (8, 6, 12, 7, 1, True, 15), (8, 7, 16, 8, 2, True, 20),
            (8, 8, 20, 10, 2, True, 20), (8, 8, 20, 11, 3, True, 25), (7, 8, 20, 11, 3, True, 25),
            (7, 9, 24, 12, 3, True, 30),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0

    def rules(self) -> Game:
        if 4 * self.pieces + self.filled * (self.columns - 1) < self.goal * self.columns:
            raise SettingsError(f"goal is {self.goal}; {self.pieces} pieces cannot fill so many rows of {self.columns}")
        if self.filled > self.rows - 2:
            raise SettingsError(f"filled is {self.filled}; a field of {self.rows} rows takes {self.rows - 2}")
        return Game(self.rows, self.columns, self.pieces, self.goal, self.filled)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[Move, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            quick = greedy(game, state)
            if quick is not None and self.planning:
                continue
            line = quick or plan(game, state, _WIDTH)
            if line is not None:
                return state, line
        raise SettingsError(
            f"no task with goal={self.goal} and pieces={self.pieces} was found that the planner solves; lower goal or "
            "raise pieces"
        )

    def solution(self, game: Game, state: Position) -> Sequence[Move]:
        return plan(game, state, _WIDTH) or ()

    def figures(self) -> dict[str, float]:
        """Return the rows cleared, and the score of lmgame-Bench: the pieces placed and the rows cleared."""
        return {"rows_cleared": float(self.state.cleared), "score": float(len(self.moves) + self.state.cleared)}
