"""FreeCell: sort an open deal of cards by suit; every deal can be solved.

Source: Paul Alfille, 1978.
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
from turnwise.worlds.games.solo.freecell import FreeCell as Game
from turnwise.worlds.games.solo.freecell import Move, Position, solve

_EFFORT = 1500  # positions that the solver looks at
_TRIES = 100


@register("FreeCell-v0")
class FreeCell(Solo):
    """Bring all cards home; reward 1 when they are there. Having no legal move, or no move left, loses."""

    suits: Annotated[int, Range(2, 4)] = 2
    """Suits of the deck; two of them are black, two red."""
    ranks: Annotated[int, Range(3, 13)] = 6
    """Ranks of the deck."""
    columns: Annotated[int, Range(3, 9)] = 4
    """Columns that the cards are dealt to."""
    cells: Annotated[int, Range(1, 6)] = 2
    """Cells for single cards."""
    spare: Annotated[float, Range(0, 10)] = 0.5
    """Moves that are allowed beyond those of the known solution, as a share of them."""
    moves_per_turn = 25
    max_turns = 30

    form = re.compile(r"(?:10|[A2-9JQK])[SHCD]\s*(?:cell|home|\d)", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {"suits": s, "ranks": r, "columns": c, "cells": f, "spare": x, "max_turns": t}
        for s, r, c, f, x, t in [
            (2, 4, 3, 2, 1.0, 15), (2, 6, 4, 2, 0.5, 20), (2, 8, 4, 2, 0.5, 25), (3, 6, 5, 2, 0.5, 30),
            (4, 5, 5, 2, 0.5, 30), (4, 6, 5, 3, 0.5, 35), (4, 7, 6, 3, 0.4, 40), (4, 9, 7, 3, 0.4, 45),
            (4, 11, 7, 4, 0.3, 50), (4, 13, 8, 4, 0.3, 60),
        ]
    )  # fmt: skip
    chance = (0.015, *(0.0,) * 9)
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.suits, self.ranks, self.columns, self.cells)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[Move, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)._replace(left=self.max_turns * self.moves_per_turn)
            line = solve(game, state, _EFFORT)
            if line:
                return state._replace(left=ceil(len(line) * (1 + self.spare))), line
        raise SettingsError("no deal was found that the solver solves; raise cells or columns, or lower ranks")

    def solution(self, game: Game, state: Position) -> Sequence[Move]:
        return solve(game, state, _EFFORT) or ()

    def figures(self) -> dict[str, float]:
        return {"cards_home": float(sum(self.state.home))}
