"""CircleTheCat: block hexagons until a cat that takes the shortest way cannot reach the edge.

Source: Chat Noir (GameDesign.jp, about 2007); for language models, KORGym (arXiv 2505.14552).
"""

from collections.abc import Sequence
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.circle_the_cat import CircleTheCat as Game
from turnwise.worlds.games.solo.circle_the_cat import Position, plan

_TRIES = 300


@register("CircleTheCat-v0")
class CircleTheCat(Solo):
    """Enclose the cat; reward 1 when no way to the edge is left. The cat on the edge loses."""

    size: Annotated[int, Range(5, 13)] = 7
    """Rows, and cells in each."""
    walls: Annotated[int, Range(0, 40)] = 12
    """Cells that are blocked at the start."""
    width: Annotated[int, Range(1, 100)] = 6
    """Positions that the planner keeps."""
    planning: bool = False
    """Pose only tasks that are lost by a planner that keeps a single position."""
    moves_per_turn = 12
    max_turns = 40

    levels = tuple(
        {"size": n, "walls": w, "width": b, "planning": p, "max_turns": t}
        for n, w, b, p, t in [
            (7, 12, 8, False, 25), (7, 10, 8, False, 25), (7, 8, 8, False, 25), (7, 7, 8, True, 30),
            (9, 10, 8, True, 30), (9, 9, 10, True, 30), (9, 7, 12, True, 35), (11, 9, 12, True, 40),
            (11, 7, 16, True, 45), (11, 5, 20, True, 50),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0

    def check(self) -> None:
        if self.walls > self.size**2 // 4:
            raise SettingsError(f"walls is {self.walls}; a board of size={self.size} takes {self.size**2 // 4}")

    def rules(self) -> Game:
        return Game(self.size, self.walls)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[int, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            quick = plan(game, state, 1)
            if quick is not None and self.planning:
                continue
            line = quick or plan(game, state, self.width)
            if line is not None:
                return state, line
        raise SettingsError("no board was found on which the planner catches the cat; raise walls or width")

    def solution(self, game: Game, state: Position) -> Sequence[int]:
        return plan(game, state, self.width) or ()

    def figures(self) -> dict[str, float]:
        """Return how many blocks were placed; KORGym scores whether the cat was caught."""
        return {"blocks": float(len(self.moves))}
