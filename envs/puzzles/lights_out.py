"""Lights Out: press cells until every light is off.

Source: the game by Tiger Electronics, 1995; Anderson and Feil, "Turning Lights Out with linear algebra", Mathematics
Magazine 71(4), 1998.
"""

from collections.abc import Sequence
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.lights_out import LightsOut as Game
from turnwise.worlds.games.solo.lights_out import Position, shortest


@register("LightsOut-v0")
class LightsOut(Solo):
    """Put all lights out within a number of presses; reward 1 when they are."""

    rows: Annotated[int, Range(2, 10)] = 4
    """Rows of lights."""
    columns: Annotated[int, Range(2, 10)] = 4
    """Columns of lights."""
    presses: Annotated[int, Range(1, 100)] = 4
    """Cells that were pressed to make the first position."""
    spare: Annotated[int, Range(0, 1000)] = 4
    """Presses that are allowed beyond the fewest that are enough."""
    max_turns = 10

    levels = tuple(
        {"rows": n, "columns": n, "presses": p, "spare": s}
        for n, p, s in [
            (3, 3, 2), (3, 4, 2), (4, 4, 4), (4, 6, 4), (5, 6, 4), (5, 8, 4), (5, 12, 2), (6, 14, 2), (7, 20, 2),
            (8, 28, 0),
        ]
    )  # fmt: skip
    chance = (0.012, 0.01, 0.002, 0.002, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.002

    def rules(self) -> Game:
        if self.presses > self.rows * self.columns:
            raise SettingsError(
                f"presses is {self.presses}; a board of {self.rows} x {self.columns} has {self.rows * self.columns}"
            )
        return Game(self.rows, self.columns, self.presses)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[int, ...]]:
        state = game.start(draw)
        line = shortest(game, state)
        assert line is not None
        return Position(state.lit, len(line) + self.spare), tuple(line)

    def solution(self, game: Game, state: Position) -> Sequence[int]:
        return shortest(game, state) or ()

    def figures(self) -> dict[str, float]:
        return {"lights_on": float(self.state.lit.bit_count())}
