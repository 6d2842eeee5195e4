"""NPoint with several opponents: goals above every fixed way to play, and opponents that are not named."""

from functools import partial

import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.tables._points import company_of
from turnwise.envs.tables._share import act
from turnwise.envs.tables.n_point import NPoint
from turnwise.worlds.games.players.company import played_out
from turnwise.worlds.games.players.habits import KnowingHabits
from turnwise.worlds.games.players.make import make_player


def test_who_plays_alike_against_all_does_not_reach_the_goal_and_who_knows_them_does() -> None:
    env = NPoint()
    observation, _ = env.reset(seed=0)
    task = env.task
    assert f"Win at least {task.goal:g} points in 12 rounds" in observation
    assert "You meet 3 opponents, one after another, for 4 rounds each." in observation
    assert not any(name in observation for name in task.others.removeprefix("habit:").split("+"))
    for name in ("stubborn", "careful", "normal", "bold", "safe"):
        player = make_player(f"habit:{name}", task.game)
        assert played_out(task.state, company_of(task), partial(act, player, task.seat)) < task.goal
    guide = KnowingHabits(task.game, against=task.others)
    assert played_out(task.state, company_of(task), partial(act, guide, task.seat)) > task.goal


def test_rounds_are_divided_among_the_opponents() -> None:
    with pytest.raises(SettingsError, match="multiple of meetings"):
        NPoint(rounds=10, meetings=3)
