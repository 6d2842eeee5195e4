"""Minesweeper: open every cell without a mine; no field needs a guess.

Source: Robert Donner and Curt Johnson, 1990; for language agents, Li et al., "Assessing Logical Puzzle Solving in Large
Language Models: Insights from a Minesweeper Case Study" (arXiv 2311.07387).
"""

from collections.abc import Sequence
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.minesweeper import Minesweeper as Game
from turnwise.worlds.games.solo.minesweeper import Position, deduced


@register("Minesweeper-v0")
class Minesweeper(Solo):
    """Open all cells without mines; reward 1 when they are open. Opening a mine loses.

    Opening cells blindly clears a small field now and then.
    """

    rows: Annotated[int, Range(4, 16)] = 6
    """Rows of the field."""
    columns: Annotated[int, Range(4, 16)] = 6
    """Columns of the field."""
    mines: Annotated[int, Range(2, 64)] = 6
    """Cells with a mine, at most a third of all."""

    levels = tuple(
        {"rows": n, "columns": n, "mines": m, "max_turns": t}
        for n, m, t in [
            (5, 5, 12), (6, 6, 16), (6, 8, 18), (7, 10, 22), (8, 12, 28),
            (8, 14, 30), (9, 18, 36), (10, 22, 44), (11, 28, 50), (12, 34, 60),
        ]
    )  # fmt: skip
    chance = (0.018, 0.004, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.004

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.mines)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[int, ...]]:
        state = game.start(draw)
        line = deduced(game, state)
        assert line is not None
        return state, line

    def solution(self, game: Game, state: Position) -> Sequence[int]:
        """Return the cells without mines, less those that the ones before them open."""
        cells = []
        for cell in range(game.rows * game.columns):
            if not (state.mines | state.opened) >> cell & 1:
                cells.append(cell)
                state = game.apply(state, cell)
        return cells

    def idle(self, word: str) -> bool:
        """Return whether it names a cell that is open, perhaps since the move before."""
        return self.task.game.parse(self.state._replace(opened=0), word, 0) is not None

    def figures(self) -> dict[str, float]:
        free = self.rows * self.columns - self.mines
        return {"opened": (self.state.opened & ~self.state.mines).bit_count() / free}
