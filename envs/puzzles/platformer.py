"""Platformer: run and jump to a flag past gaps, spikes, steps and moving platforms.

Source: Super Mario Bros. (Nintendo, 1985), as text; for language models, lmgame-Bench (arXiv 2505.15146).
"""

import re
from collections.abc import Sequence
from itertools import cycle
from math import ceil
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.platformer import Platformer as Game
from turnwise.worlds.games.solo.platformer import Position, shortest

_TRIES = 200
_BLIND = (("right",), ("jump right",), ("right", "jump right"), ("jump right", "right"))


@register("Platformer-v0")
class Platformer(Solo):
    """Reach the flag; reward 1 for it. Spikes, falling out of the level, and running out of moves lose.

    Levels that are won by always going right, by always jumping, or by both in turn are not posed.
    """

    length: Annotated[int, Range(10, 60)] = 20
    """Columns of the level."""
    height: Annotated[int, Range(0, 4)] = 2
    """Cells by which the ground goes up and down."""
    spikes: Annotated[int, Range(0, 12)] = 1
    """Rows of one or two spikes."""
    gaps: Annotated[int, Range(0, 12)] = 2
    """Gaps that a jump crosses."""
    moving: Annotated[int, Range(0, 5)] = 0
    """Gaps that are crossed on a moving platform."""
    spare: Annotated[float, Range(0, 10)] = 0.5
    """Moves that are allowed beyond the fewest that are enough, as a share of them."""
    moves_per_turn = 25
    max_turns = 20

    form = re.compile(r"(?:jump\s+)?(?:left|right)|jump|wait", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {"length": n, "height": h, "spikes": s, "gaps": g, "moving": m, "spare": x, "max_turns": t}
        for n, h, s, g, m, x, t in [
            (14, 0, 1, 1, 0, 0.5, 10), (16, 1, 1, 2, 0, 0.5, 12), (20, 2, 2, 2, 0, 0.5, 14), (26, 2, 2, 3, 0, 0.4, 16),
            (28, 2, 2, 2, 1, 0.3, 18), (36, 2, 3, 3, 1, 0.3, 20), (40, 3, 3, 3, 2, 0.2, 22), (46, 3, 3, 4, 2, 0.1, 24),
            (52, 3, 4, 4, 3, 0.1, 26), (60, 3, 5, 5, 3, 0.0, 30),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0

    def check(self) -> None:
        least = 5 * self.spikes + 6 * self.gaps + 9 * self.moving + 3
        if self.length < least * 2 // 3:
            raise SettingsError(f"length is {self.length}; so many obstacles take about {least} columns")

    def rules(self) -> Game:
        return Game(self.length, self.height, self.spikes, self.gaps, self.moving)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[str, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            line = shortest(state)
            assert line is not None
            state = state._replace(left=ceil(len(line) * (1 + self.spare)))
            if not any(_wins(game, state, moves) for moves in _BLIND):
                return state, line
        raise SettingsError("no level was found that is lost without looking; raise gaps or spikes")

    def solution(self, game: Game, state: Position) -> Sequence[str]:
        return shortest(state) or ()

    def figures(self) -> dict[str, float]:
        """Return the score of lmgame-Bench, the distance covered, as a share of the way."""
        return {"distance": self.state.furthest / (len(self.state.level.rows[0]) - 1)}


def _wins(game: Game, state: Position, moves: Sequence[str]) -> bool:
    """Return whether the same moves, made again and again, win."""
    for move in cycle(moves):
        if game.turn(state) == OVER:
            break
        state = game.apply(state, move)
    return game.returns(state)[0] > 0
