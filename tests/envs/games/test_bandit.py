"""Bandit: the gap, pulls that are fixed by the task, honest agents that find the best arms, the grammar of moves."""

import re

import numpy as np
import pytest

from turnwise.core.errors import SettingsError
from turnwise.envs.games.bandit import Bandit, Task

TASK = Task(("jade", "opal", "ruby"), (200, 800, 500), (200, 800, 500), 7)


def episode(**more: object) -> Bandit:
    env = Bandit(**({"num_arms": 3, "top": 1, "num_pulls": 1000, "max_turns": 50} | more))
    env.reset(seed=0, options={"task": TASK})
    return env


def average(observation: str, name: str) -> float:
    match = re.search(rf"{name} paid (-?[0-9.]+)", observation)
    assert match
    return float(match[1].rstrip("."))


@pytest.mark.parametrize("difficulty", range(1, 11))
def test_tasks_keep_the_gap(difficulty: int) -> None:
    env, rng = Bandit(difficulty=difficulty), np.random.default_rng(1)
    places = np.zeros(env.num_arms)
    for _ in range(300):
        task = env.generate(rng)
        assert len(set(task.names)) == len(task.means) == env.num_arms
        means = sorted(task.means, reverse=True)
        assert means[env.top - 1] - means[env.top] >= round(1000 * env.gap)
        assert min(means) >= 49 and max(means) <= 952
        places[task.means.index(means[0])] += 1
    assert places.min() > 0, "the best arm is at any place"


@pytest.mark.parametrize("payouts", ["bernoulli", "gaussian", "risky"])
def test_averages_approach_the_true_means(payouts: str) -> None:
    env = Bandit(payouts=payouts, num_pulls=5000, num_arms=2, top=1, max_turns=3)
    for seed in range(10):
        env.reset(seed=seed)
        observation = env.step("pull all 2500")[0]
        for name, mean in zip(env.task.names, env.task.means, strict=True):
            assert abs(average(observation, name) - mean / 1000) < 5 * 2 / 2500**0.5  # sd is at most about 2


def test_an_arms_pulls_do_not_depend_on_the_others() -> None:
    one, two = episode(), episode()
    one.step("pull jade 30, ruby")
    two.step("pull opal 5")
    two.step("pull ruby 1, jade 10")
    first = one.step("pull opal 5, ruby 20")[0]
    two.step("pull jade 20")
    assert first.split("; ")[1].split(". ")[0] == two.step("pull ruby 20")[0].split(". ")[0]
    assert one.left == 1000 - 56 and two.left == 1000 - 56


@pytest.mark.parametrize("difficulty", [1, 3, 5, 6, 8])
def test_an_honest_agent_succeeds(difficulty: int) -> None:
    """Half of the pulls on all arms alike, the other half on those near the cut."""
    env, solved = Bandit(difficulty=difficulty), 0
    for seed in range(40):
        env.reset(seed=seed)
        each = max(1, env.num_pulls // (2 * env.num_arms))
        seen = env.step(f"pull all {each}")[0]
        means = {name: average(seen, name) for name in env.task.names}
        near = sorted(means, key=means.__getitem__, reverse=True)[: 2 * env.top]
        more = env.left // len(near)
        seen = env.step("<answer>pull " + ", ".join(f"{name} {more}" for name in near) + "</answer>")[0]
        final = {name: (means[name] * each + average(seen, name) * more) / (each + more) for name in near}
        best = sorted(final, key=final.__getitem__, reverse=True)[: env.top]
        solved += env.step(f"best {', '.join(best)}")[4]["solved"]
    assert solved >= 34  # a blind commitment: one in 36 or fewer


@pytest.mark.parametrize(
    "text",
    [
        "jade", "pull", "best", "pull jade 0", "pull jade -1", "pull jade 1.5", "pull jade 1001", "pull all 334",
        "pull jade 500, jade 501", "pull jade 9999999999", "pull jade ٣", "pull jade 1 2", "pull gold",
        "pull jade,,opal", "pull all, jade", "best all", "best gold", "best jade, opal", "best jade, jade",
        "best jade 1", "best jade opal", "guess jade", "",
    ],
)  # fmt: skip
def test_what_is_no_move_changes_nothing(text: str) -> None:
    env = episode()
    observation, reward, terminated, _, info = env.step(text)
    assert observation.startswith("Not a move") and reward == 0.0 and not terminated and info["invalid_action"]
    assert env.left == 1000 and env.pulled == [0, 0, 0]


def test_commitment_ends_the_episode() -> None:
    observation, reward, terminated, truncated, info = episode().step("Best ruby.")
    assert (observation, reward, terminated, truncated) == ("Wrong: 0 of 1 right.", 0.0, True, False)
    assert not info["solved"]
    assert episode().step("<answer>BEST Opal</answer>")[1] == 1.0


def test_forks_go_on_alike() -> None:
    env = episode()
    env.step("pull all 10")
    twin = env.fork()
    assert env.step("pull jade 7")[0] == twin.step("pull jade 7")[0]
    env.step("pull jade 7")
    assert (env.left, twin.left) == (956, 963)


def test_ragens_two_arms() -> None:
    env = Bandit(num_arms=2, top=1, payouts="risky")
    odds = {env.reset(seed=seed) and env.task.odds for seed in range(200)}
    assert {o for pair in odds for o in pair} == {250, 500, 1000}
    assert env.step(env.oracle())[1] == 1.0
    with pytest.raises(SettingsError, match="top"):
        Bandit(num_arms=3, top=3)
