"""Snake: eat apples whose places are known in advance, without crashing.

Source: Blockade (Gremlin, 1976); for language models, KORGym (arXiv 2505.14552).
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
from turnwise.worlds.games.solo.snake import Position, laid, plan
from turnwise.worlds.games.solo.snake import Snake as Game

_TRIES = 1000


@register("Snake-v0")
class Snake(Solo):
    """Eat all apples; reward 1 for the last one. Crashing, or running out of moves, loses."""

    rows: Annotated[int, Range(4, 16)] = 6
    """Rows of the field."""
    columns: Annotated[int, Range(4, 16)] = 6
    """Columns of the field."""
    walls: Annotated[int, Range(0, 40)] = 0
    """Wall cells, at most a sixth of all."""
    apples: Annotated[int, Range(1, 60)] = 6
    """Apples to eat; the snake grows by a cell with each."""
    spare: Annotated[float, Range(0, 10)] = 0.5
    """Moves that are allowed beyond those of the known solution, as a share of them."""
    moves_per_turn = 40
    max_turns = 30

    form = re.compile(r"up|down|left|right", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {"rows": n, "columns": n, "walls": w, "apples": a, "spare": s, "max_turns": t}
        for n, w, a, s, t in [
            (5, 0, 4, 1.0, 16), (5, 0, 6, 1.0, 20), (6, 0, 8, 0.5, 24), (6, 2, 10, 0.5, 30), (6, 3, 12, 0.5, 30),
            (7, 4, 15, 0.3, 40), (7, 5, 18, 0.3, 40), (8, 6, 22, 0.2, 50), (8, 8, 25, 0.2, 60), (9, 10, 30, 0.1, 80),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.walls, self.apples)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[str, ...]]:
        for _ in range(_TRIES):
            state = laid(game, draw)._replace(left=self.max_turns * self.moves_per_turn)
            line = plan(game, state)
            if line is not None:
                return state._replace(left=ceil(len(line) * (1 + self.spare))), line
        raise SettingsError(f"no field on which {self.apples} apples can be eaten was found; lower apples or walls")

    def solution(self, game: Game, state: Position) -> Sequence[str]:
        return plan(game, state) or ()

    def figures(self) -> dict[str, float]:
        return {"apples": float(len(self.task.state.apples) - len(self.state.apples))}
