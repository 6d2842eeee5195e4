"""Pig: what is told about rolls, wins and losses, and a player that keeps pace."""

import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.tables.pig import Pig, holding
from turnwise.worlds.games.pig import HOLD, ROLL, Position
from turnwise.worlds.games.pig import Pig as Game
from turnwise.worlds.games.players.guides.racing import Racer


def test_rolls_are_told_and_add_up() -> None:
    env, seen = Pig(opponent="heuristic:1", seat="first"), set()
    for seed in range(3):
        env.reset(seed=seed)
        total = 0
        while not env._over and env.turn < 30:
            observation = env.step("roll" if total < 12 else "hold")[0]
            first = observation.partition("You are")[0]
            if total >= 12 or "earned nothing" in first:
                total = 0
            else:
                total += (rolled := int(first.rpartition("You rolled ")[2].rstrip(". ")))
                assert 2 <= rolled <= 6
            seen.add("earned nothing" in first)
            assert env._over or f"with {total} points so far" in observation
    assert seen == {True, False}


def test_the_opponent_may_be_ahead() -> None:
    for seat, scores in (("first", (0, 30)), ("second", (30, 0))):
        env = Pig(behind=30, opponent="random", seat=seat)
        env.reset(seed=1)
        assert env.task.state.scores[env.task.seat] == 0
        assert env.task.state.scores[1 - env.task.seat] >= 30
        assert env.task.state.scores == scores or seat == "second"  # who moves first may have held by then
    with pytest.raises(SettingsError, match="behind is 90; it must be below goal_points, which is 80"):
        Pig(behind=90)


def test_no_bar_up_to_the_one_named_wins() -> None:
    env = Pig(behind=20, bar=20, goal_points=100)
    for seed in range(2):
        env.reset(seed=seed)
        for bar in range(10, 21):
            env_ = env.fork()
            while not (reply := env_.step(holding(env_.task, bar, env_.state)))[2]:
                pass
            assert reply[1] == 0.0, bar


def test_a_win_is_told() -> None:
    env = Pig()
    env.reset(seed=1)
    while not env._over:
        observation, reward, *_ = env.step(env.oracle())
    assert (observation.endswith("You win."), reward) == (True, 1.0)
    env.reset(seed=1)
    while not env._over:
        observation, reward, *_ = env.step("roll")
    assert reward == 0.0


@pytest.mark.parametrize(
    ("own", "other", "total", "move"),
    [
        (0, 0, 20, ROLL), (0, 0, 21, HOLD), (0, 40, 25, ROLL), (0, 40, 26, HOLD), (40, 0, 16, HOLD), (40, 0, 15, ROLL),
        (71, 0, 28, ROLL), (71, 0, 29, HOLD), (10, 71, 60, ROLL), (10, 71, 90, HOLD),
    ],
)  # fmt: skip
def test_keeping_pace(own: int, other: int, total: int, move: str) -> None:
    assert Racer(Game()).choose(Position((own, other), total)) == move
