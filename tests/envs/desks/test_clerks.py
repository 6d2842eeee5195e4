"""All desks: the clerk who follows the policy earns all, and every other habit next to nothing."""

from collections.abc import Callable
from itertools import islice

import pytest

from tests.envs.desks._clerks import earned
from turnwise.envs.desks._desk import DeskEnv
from turnwise.envs.desks._oracle import HABITS, Habit
from turnwise.envs.desks.airline import AirlineDesk
from turnwise.envs.desks.clinic import ClinicDesk
from turnwise.envs.desks.library import LibraryDesk
from turnwise.envs.desks.retail import RetailDesk
from turnwise.envs.desks.telecom import TelecomDesk

Made = Callable[..., DeskEnv]
DESKS: dict[str, Made] = {
    "library": LibraryDesk, "retail": RetailDesk, "airline": AirlineDesk, "clinic": ClinicDesk, "telecom": TelecomDesk,
}  # fmt: skip
desks = pytest.mark.parametrize("desk", DESKS.values(), ids=DESKS)


@desks
def test_a_clerk_who_follows_the_policy_earns_all_at_every_level(desk: Made) -> None:
    for level in range(1, 11):
        assert earned(desk(difficulty=level), level) == 1.0


@desks
@pytest.mark.parametrize("habit", HABITS[1:])
def test_other_habits_earn_next_to_nothing(desk: Made, habit: Habit) -> None:
    env = desk(impostors=0.0, beyond=0.0)
    assert sum(earned(env, seed, habit) for seed in range(10)) <= 2.0


@desks
def test_an_impostor_is_refused_whatever_they_want(desk: Made) -> None:
    env = desk(impostors=1.0)
    assert all(earned(env, seed) == 1.0 and earned(env, seed, "trust") == 0.0 for seed in range(5))


@pytest.mark.parametrize("asked", [True, False])
def test_what_is_in_an_account_is_told_to_nobody_unverified(asked: bool) -> None:
    env = LibraryDesk(goals=1, refused=0, impostors=0.0, beyond=0.0)
    seeds = (seed for seed in range(100) if env.reset(seed=seed) and env.case.settled[0].goal.kind == "ask")
    for seed in islice(seeds, 3):
        env.reset(seed=seed)
        while asked and env.case.account not in env.desk.verified:
            env.step(env.oracle())
        over, total = False, 0.0
        for text in (" ".join(said.text for said in env.case.settled[0].say), "Is there anything else?", "Goodbye."):
            _, reward, over, _, _ = env.step(text) if not over else ("", 0.0, True, False, {})
            total += reward
        assert over and total == float(asked)


@desks
def test_what_only_a_colleague_can_do_is_handed_over_last(desk: Made) -> None:
    env = desk(impostors=0.0, beyond=1.0)
    for seed in range(5):
        assert earned(env, seed) == 1.0 and env.desk.handed_over


@desks
def test_a_copy_goes_on_by_itself(desk: Made) -> None:
    env = desk(difficulty=5)
    env.reset(seed=3)
    for _ in range(4):
        env.step(env.oracle())
    twin = env.fork()
    before = env.desk.store.changes(), env.person.disclosed, env.said
    while not twin.desk.store.changes() or twin.desk.store.changes() == before[0]:
        twin.step(twin.oracle())
    assert (env.desk.store.changes(), env.person.disclosed, env.said) == before


@pytest.mark.slow
@desks
@pytest.mark.parametrize("level", range(1, 11))
def test_the_clerk_earns_all_on_every_seed(desk: Made, level: int) -> None:
    env = desk(difficulty=level)
    assert all(earned(env, seed) == 1.0 for seed in range(1000, 1100))


@pytest.mark.slow
@desks
@pytest.mark.parametrize("habit", HABITS[1:])
def test_other_habits_earn_a_tenth_at_most(desk: Made, habit: Habit) -> None:
    env = desk()
    assert sum(earned(env, seed, habit) for seed in range(200)) <= 20.0
