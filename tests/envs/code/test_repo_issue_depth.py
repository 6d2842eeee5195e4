"""The agents that measure how deep RepoIssue is."""

import pytest

from turnwise.core.agent import Agent, Play
from turnwise.core.errors import InfrastructureError
from turnwise.envs.code._depth.repo_issue import SHORTCUTS, SKILLS, extent
from turnwise.envs.code._repo_work import Task
from turnwise.envs.code.repo_issue import RepoIssue
from turnwise.sandbox import shared_sandbox
from turnwise.worlds.programs.repositories.compose import Plan

EASY = Plan(("ledger", "money"), ("ledger.closing-day",), "plain", 5)


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


def played(agent: Agent, plan: Plan) -> float:
    env = RepoIssue()
    observation, _ = env.reset(seed=0, options={"task": Task("", "", plan=plan)})
    play = Play(messages=[{"role": "user", "content": observation}], env=env, rng_key=(1,))
    total, over = 0.0, False
    while not over:
        text = agent.act([play])[0].text
        observation, reward, terminated, truncated, _ = env.step(text)
        total, over = total + reward, terminated or truncated
        play.messages += [{"role": "assistant", "content": text}, {"role": "user", "content": observation}]
    assert terminated, "agents end their episodes themselves"
    return total


@pytest.mark.parametrize("name", SHORTCUTS)
def test_shortcuts_play_and_earn_nothing(name: str) -> None:
    assert played(SHORTCUTS[name](), EASY._replace(cases=("ledger.late-entry",))) == 0.0


def test_trying_small_edits_finds_an_off_by_one_and_not_what_needs_a_story() -> None:
    *_, strongest = SKILLS.values()
    assert played(strongest(), EASY) == 1.0
    assert played(strongest(), EASY._replace(style="misleading")) == 0.0


def test_extent_grows() -> None:
    found = []
    for difficulty in (1, 10):
        env = RepoIssue(difficulty=difficulty)
        env.reset(seed=2)
        found.append(extent(env))
    assert found[0] < found[1]
    assert found[0][0] >= 4
