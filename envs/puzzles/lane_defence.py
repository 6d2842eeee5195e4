"""LaneDefence: build defenders on a text grid, one a round, and stop every attacker of an announced schedule.

Source: Plants vs. Zombies (PopCap, 2009), as text; for language models, PVZ of KORGym (arXiv 2505.14552).
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.puzzles._solo import Solo
from turnwise.worlds.games.game import OVER, playout
from turnwise.worlds.games.solo.lane_defence import LaneDefence as Game
from turnwise.worlds.games.solo.lane_defence import Move, Position
from turnwise.worlds.games.solo.lane_plans import BUILDERS, Builder, by_price, in_turn, plan

_TRIES = 300
_RANDOM = 8  # random games that a task must not be won by


@register("LaneDefence-v0")
class LaneDefence(Solo):
    """Destroy all attackers; reward 1 when the last one is gone. One that leaves a lane at the left loses.

    The known solution is that of a builder that knows all arrivals; those further ahead than ``announced`` are not
    shown, so that the best play without them need not win every task. Tasks that are won by random moves, by always
    building the dearest defender that can be paid, or by archers in all lanes in turn, are not posed. Levels 9 and 10
    are lost by all who count on the announced arrivals alone with two mints.
    """

    lanes: Annotated[int, Range(1, 7)] = 3
    """Lanes."""
    columns: Annotated[int, Range(4, 12)] = 6
    """Cells of a lane."""
    attackers: Annotated[int, Range(1, 60)] = 14
    """Attackers in all."""
    kinds: Annotated[int, Range(1, 4)] = 2
    """Kinds of attackers: walkers, then also runners, brutes and jumpers."""
    rounds: Annotated[int, Range(1, 60)] = 20
    """The last round in which an attacker may come."""
    announced: Annotated[int, Range(0, 60)] = 8
    """Rounds ahead whose arrivals are shown; of later ones the number is known."""
    coins: Annotated[int, Range(0, 500)] = 100
    """Coins at the start."""
    income: Annotated[int, Range(0, 50)] = 10
    """Coins that come in each round."""
    planning: bool = False
    """Pose only tasks that are lost by whoever builds an archer only when an attacker in its lane asks for one."""
    saving: bool = False
    """Pose only tasks that are lost by whoever builds two mints, and archers or cannons for the announced arrivals."""
    moves_per_turn = 40
    max_turns = 50

    form = re.compile(r"wait|(?:mint|archer|cannon|wall|trap)\s+[a-z]\d{1,2}", re.IGNORECASE | re.ASCII)
    levels = tuple(
        {
            "lanes": n, "columns": c, "attackers": a, "kinds": k, "rounds": r, "announced": s, "coins": m,
            "income": i, "planning": p, "saving": q, "max_turns": r + 30,
        }
        for n, c, a, k, r, s, m, i, p, q in [
            (3, 6, 12, 1, 18, 20, 80, 10, False, False), (3, 6, 12, 2, 18, 12, 100, 10, False, False),
            (3, 6, 14, 2, 20, 8, 100, 10, False, False), (3, 7, 16, 3, 22, 8, 100, 10, False, False),
            (4, 7, 16, 3, 24, 8, 100, 10, True, False), (4, 7, 20, 4, 26, 8, 100, 10, True, False),
            (5, 7, 22, 4, 28, 8, 100, 10, True, False), (5, 8, 26, 4, 30, 6, 100, 9, True, False),
            (5, 8, 28, 4, 32, 5, 100, 10, True, True), (6, 8, 32, 4, 34, 4, 100, 10, True, True),
        ]
    )  # fmt: skip
    chance = (0.03, 0.01, 0.025, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.005

    def rules(self) -> Game:
        return Game(
            self.lanes, self.columns, self.attackers, self.kinds, self.rounds, self.announced, self.coins, self.income
        )

    def posed(self, game: Game, draw: Draw) -> tuple[Position, tuple[Move, ...]]:
        for _ in range(_TRIES):
            state = game.start(draw)
            if _wins(game, state, by_price):
                continue
            if any(_wins(game, state, partial(in_turn, first=lane)) for lane in range(self.lanes)):
                continue
            if self.planning and _wins(game, state, Builder().choose):
                continue
            if self.saving and _saved(game, state):
                continue
            line = plan(game, state)
            if line is not None and not any(game.returns(playout(game, state, draw)[0])[0] for _ in range(_RANDOM)):
                return state, line
        raise SettingsError(
            f"no schedule of attackers={self.attackers} was found that a plan stops and careless play does not; change "
            "attackers, coins or income"
        )

    def solution(self, game: Game, state: Position) -> Sequence[Move]:
        return plan(game, state, len(BUILDERS)) or ()

    def figures(self) -> dict[str, float]:
        """Return the score of KORGym, the rounds survived, and the share of the attackers that are destroyed."""
        survived = self.state.round - 1 - self.state.overrun
        return {"rounds": float(survived), "share": self.state.destroyed / self.attackers}


def _saved(game: Game, state: Position) -> bool:
    """Return whether two mints, and then archers or cannons for the arrivals that are announced, win."""

    def choose(game: Game, state: Position, cannons: int) -> Move:
        return Builder(2, game.announced, cannons).choose(game, game.foreseen(state))

    return any(_wins(game, state, partial(choose, cannons=cannons)) for cannons in (0, 2))


def _wins(game: Game, state: Position, choose: Callable[[Game, Position], Move]) -> bool:
    """Return whether a way to choose moves wins."""
    while game.turn(state) != OVER:
        state = game.apply(state, choose(game, state))
    return game.returns(state)[0] > 0
