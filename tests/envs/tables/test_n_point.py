"""NPoint with several opponents: goals above every fixed way to play, and opponents that are not named."""

from functools import partial

import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.tables._points import company_of
from turnwise.envs.tables._share import act
from turnwise.envs.tables.n_point import NPoint, stopping
from turnwise.worlds.games.players.company import played_out
from turnwise.worlds.games.players.habits import KnowingHabits


def test_opponents_are_not_named_and_who_knows_them_reaches_the_goal() -> None:
    env = NPoint()
    observation, _ = env.reset(seed=0)
    task = env.task
    assert f"Win at least {task.goal:g} points in 12 rounds" in observation
    assert "You meet 3 opponents, one after another, for 4 rounds each." in observation
    assert not any(name in observation for name in task.others.removeprefix("habit:").split("+"))
    guide = KnowingHabits(task.game, against=task.others)
    assert played_out(task.state, company_of(task), partial(act, guide, task.seat)) > task.goal


@pytest.mark.parametrize("level", [1, 5, 10])
def test_no_fixed_distance_from_the_limit_reaches_the_goal(level: int) -> None:
    env = NPoint(difficulty=level)
    for seed in range(3):
        env.reset(seed=seed)
        for short in range(-1, 30):  # from always hitting to always standing
            env_ = env.fork()
            while not (reply := env_.step(stopping(env_.task.seat, short, env_.state)))[2]:
                pass
            assert reply[1] == 0.0, short


def test_rounds_are_divided_among_the_opponents() -> None:
    with pytest.raises(SettingsError, match="multiple of meetings"):
        NPoint(rounds=10, meetings=3)
