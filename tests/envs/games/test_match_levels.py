"""Levels of games against an opponent: what they are beyond, and how players of graded skill fall with them."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.games._match import Match, Task
from turnwise.envs.games.breakthrough import Breakthrough
from turnwise.envs.games.checkers import Checkers
from turnwise.envs.games.hex import Hex
from turnwise.envs.games.othello import Othello
from turnwise.envs.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.values import value_of

FALLS: dict[type[Match], tuple[str, ...]] = {
    Breakthrough: ("greedy", "alphabeta:1", "alphabeta:2"), TicTacToe: ("greedy", "alphabeta:2"),
    Othello: ("alphabeta:2",), Hex: ("alphabeta:1",), Checkers: ("alphabeta:2",),
}  # fmt: skip
"""Of each game players that win often at level 1; `turnwise depth` has more of them, and more tasks."""
LEVELS, TASKS = (1, 5, 8), 8


def tasks_of(cls: type[Match], number: int, **settings: Any) -> list[tuple[Match, Task]]:
    found = []
    for seed in range(number):
        env = cls(**settings)
        env.reset(seed=seed_of("levels", seed))
        found.append((env, env.task))
    return found


def won(env: Match, task: Task, choose: Callable[[Any], Any]) -> bool:
    """Play a task move by move through the environment."""
    env.reset(options={"task": task})
    while True:
        _, _, terminated, truncated, info = env.step(task.game.write(env.state, choose(env.state)))
        if terminated or truncated:
            return bool(info["solved"])


def first_move(task: Task, state: Any) -> Any:
    return task.game.legal(state)[0]


@pytest.mark.parametrize("beyond", ["greedy", "alphabeta:1"])
def test_a_task_is_beyond_a_player(beyond: str) -> None:
    """It loses from there, with either of two seeds, and so does the first move each time."""
    settings = {"rows": 5, "columns": 4, "opponent": "alphabeta:2", "opening": 6}
    for env, task in tasks_of(Breakthrough, 8, beyond=beyond, **settings):
        assert not won(env, task, partial(first_move, task))
        for seed in range(2):
            assert not won(env, task, make_player(beyond, task.game, seed).choose)
    others = tasks_of(Breakthrough, 30, **settings)
    assert any(won(env, task, make_player(beyond, task.game, 0).choose) for env, task in others)


def test_who_is_to_be_outdone_is_a_player() -> None:
    with pytest.raises(SettingsError, match="beyond is 'nobody'"):
        Breakthrough(beyond="nobody")


@pytest.mark.parametrize("behind", [0, 9])
def test_the_agent_is_behind_in_othello(behind: int) -> None:
    for env, task in tasks_of(Othello, 6, behind=behind):
        ahead = value_of(task.game)(task.state) * (1 - 2 * task.seat)
        assert ahead <= -behind and task.game.turn(env.state) != OVER


@pytest.mark.parametrize(
    "cls", [pytest.param(cls, marks=[pytest.mark.slow] if i > 1 else []) for i, cls in enumerate(FALLS)]
)
def test_each_skill_falls_with_the_level(cls: type[Match]) -> None:
    rates = {}
    for level in LEVELS:
        tasks = tasks_of(cls, TASKS, difficulty=level)
        rates[level] = [sum(won(e, t, make_player(name, t.game, 11).choose) for e, t in tasks) for name in FALLS[cls]]
    for name, *falling in zip(FALLS[cls], *rates.values(), strict=True):
        assert all(after <= before + 3 for before, after in pairwise(falling)), (name, falling)
        assert falling[0] > falling[-1] or falling[0] == 0, (name, falling)
