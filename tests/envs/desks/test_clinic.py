"""ClinicDesk: the clerk who follows the policy earns all, and every other habit next to nothing."""

import pytest

from tests.envs.desks._clerks import earned
from turnwise.envs.desks._oracle import HABITS, Habit
from turnwise.envs.desks.clinic import ClinicDesk


@pytest.mark.parametrize("level", range(1, 11))
def test_a_clerk_who_follows_the_policy_earns_all(level: int) -> None:
    assert earned(ClinicDesk(difficulty=level), level) == 1.0


@pytest.mark.parametrize("habit", HABITS[1:])
def test_other_habits_earn_nothing_where_something_is_granted_and_something_refused(habit: Habit) -> None:
    env = ClinicDesk(impostors=0.0, beyond=0.0)
    assert sum(earned(env, seed, habit) for seed in range(6)) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("level", range(1, 11))
def test_the_clerk_earns_all_on_a_thousand_seeds(level: int) -> None:
    env = ClinicDesk(difficulty=level)
    assert all(earned(env, seed) == 1.0 for seed in range(1000, 1100))


@pytest.mark.slow
@pytest.mark.parametrize("habit", HABITS[1:])
def test_other_habits_earn_a_tenth_at_most(habit: Habit) -> None:
    env = ClinicDesk()
    assert sum(earned(env, seed, habit) for seed in range(200)) <= 20.0
