"""The agents that measure how deep CodeSynthesis is."""

import pytest

from turnwise.core.agent import Agent, Play
from turnwise.core.errors import InfrastructureError
from turnwise.envs.code._depth.code_synthesis import SHORTCUTS, SKILLS, extent
from turnwise.envs.code.code_synthesis import CodeSynthesis
from turnwise.sandbox import shared_sandbox


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


def first_reward(agent: Agent, level: int, seed: int) -> float:
    env = CodeSynthesis(difficulty=level)
    observation, _ = env.reset(seed=seed)
    play = Play(messages=[{"role": "user", "content": observation}], env=env, rng_key=(1,))
    return env.step(agent.act([play])[0].text)[1]


@pytest.mark.slow
def test_a_table_of_solutions_is_enough_for_the_first_levels_only() -> None:
    for seed in range(3):
        assert first_reward(SKILLS["systematic"](), 1, seed) == 1.0
        assert first_reward(SKILLS["systematic"](), 2, seed) == 1.0
    assert sum(first_reward(SKILLS["systematic"](), 9, seed) for seed in range(3)) == 0.0


@pytest.mark.parametrize("name", SHORTCUTS)
def test_shortcuts_earn_nothing(name: str) -> None:
    assert sum(first_reward(SHORTCUTS[name](), level, 5) for level in (1, 4, 8)) == 0.0


def test_extent_grows() -> None:
    found = []
    for level in (1, 10):
        env = CodeSynthesis(difficulty=level)
        env.reset(seed=3)
        found.append(extent(env))
    assert found[0] < found[1]
