"""Clerks at a desk: what they earn, for the tests of every domain."""

from turnwise.envs.desks._desk import DeskEnv
from turnwise.envs.desks._oracle import Habit, next_action


def earned(env: DeskEnv, seed: int, habit: Habit = "follow") -> float:
    """Play an episode as a clerk, and return what it earned."""
    env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        _, reward, ended, cut, _ = env.step(next_action(env.case, env.desk, env.person, habit))
        total, over = total + reward, ended or cut
    return total
