"""Match3: remove enough tiles with a few swaps; what falls in from above is known.

Source: Shariki (Eugene Alemzhin, 1994); for language models, Candy Crush of lmgame-Bench (arXiv 2505.15146).
"""

from collections.abc import Sequence
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.solo.match3 import Match3 as Game
from turnwise.worlds.games.solo.match3 import Position, Swap, plan

_TRIES = 100


@register("Match3-v0")
class Match3(Solo):
    """Reach a number of points within the swaps; reward 1 when they are reached.

    The goal is what a beam search that knows the waiting tiles reaches, and more than the greedy player does.
    """

    rows: Annotated[int, Range(3, 10)] = 5
    """Rows of the board."""
    columns: Annotated[int, Range(3, 10)] = 5
    """Columns of the board."""
    kinds: Annotated[int, Range(3, 8)] = 4
    """Kinds of tiles."""
    waiting: Annotated[int, Range(0, 20)] = 4
    """Tiles that wait above each column; when they have moved in, no more come."""
    swaps: Annotated[int, Range(1, 40)] = 3
    """Swaps that may be made."""
    width: Annotated[int, Range(2, 100)] = 4
    """Boards that the search keeps which sets the goal."""
    slack: Annotated[int, Range(0, 100)] = 0
    """Points by which the goal is below what the search reaches; it is above what the greedy player reaches anyway."""
    moves_per_turn = 4
    max_turns = 12

    levels = tuple(
        {"rows": r, "columns": c, "kinds": k, "waiting": w, "swaps": s, "width": b, "slack": x, "max_turns": 2 * s + 4}
        for r, c, k, w, s, b, x in [
            (4, 5, 4, 3, 4, 12, 0), (5, 5, 4, 4, 3, 6, 1), (5, 5, 4, 4, 3, 6, 0), (5, 5, 4, 5, 4, 6, 0),
            (5, 6, 4, 5, 5, 5, 0), (6, 6, 4, 6, 5, 6, 0), (6, 6, 4, 6, 6, 6, 0), (6, 6, 4, 6, 7, 8, 0),
            (7, 7, 5, 6, 8, 8, 0), (7, 7, 5, 8, 10, 10, 0),
        ]
    )  # fmt: skip
    chance = (0.032, 0.023, 0.019, 0.015, 0.012, 0.004, 0.004, 0.002, 0.0, 0.0)
    chance_default = 0.028

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.kinds, self.waiting, self.swaps)

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[Swap, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            base = plan(game, state, 1)[1]
            line, most = plan(game, state, self.width)
            if most > base:
                state = state._replace(goal=max(base + 1, most - self.slack))
                return state, _until_won(game, state, line)
        raise SettingsError("no board was found on which planning gains a point; raise swaps or waiting")

    def solution(self, game: Game, state: Position) -> Sequence[Swap]:
        return plan(game, state, self.width)[0]

    def figures(self) -> dict[str, float]:
        """Return the score of lmgame-Bench, the tiles removed, and its share of the goal."""
        return {"points": float(self.state.points), "share": min(1.0, self.state.points / self.state.goal)}


def _until_won(game: Game, state: Position, line: Sequence[Swap]) -> tuple[Swap, ...]:
    """Return the first of the swaps, up to the one that reaches the goal."""
    for made, move in enumerate(line, 1):
        state = game.apply(state, move)
        if state.points >= state.goal:
            return tuple(line[:made])
    return tuple(line)
