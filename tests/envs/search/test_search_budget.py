"""SearchBudget: what is told is true and enough, searches are counted, refused or priced."""

from typing import Any

import gymnasium
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.env import seed_of
from turnwise.envs.search.search_budget import SearchBudget


def made(seed: int = 0, **settings: Any) -> SearchBudget:
    chosen = {"documents": 200, "worlds": 1, "top_k": 5, **settings}
    env = gymnasium.make("turnwise/SearchBudget-v0", **chosen).unwrapped
    assert isinstance(env, SearchBudget)
    env.reset(seed=seed_of("budget", seed))
    return env


def test_notes_tell_the_first_steps_and_nothing_false() -> None:
    told = set()
    for seed in range(40):
        env = made(seed, kinds="chain", hops=3, known=0.7)
        steps, notes = env.task.question.steps, set(env.task.notes)
        told.add(len(env.task.told))
        for number, step in enumerate(steps):
            note = f"{step.query}: {step.answer[0]}"
            assert (note in notes) == (number in env.task.told)
        assert len(notes) <= 3 + len(env.task.told)
        assert all(note.partition(": ")[2] for note in notes)
        first = env.begin()
        assert all(f"- {note}" in first for note in notes)
    assert told >= {0, 1, 2, 3}, "nothing, a part and all of it"


def test_the_share_of_told_facts_is_as_set() -> None:
    assert all(not made(seed, known=0.0).task.told for seed in range(10))
    whole = [made(seed, known=1.0, kinds="chain") for seed in range(10)]
    assert all(len(env.task.told) == len(env.task.question.steps) for env in whole)
    for env in whole:
        assert env.needed() == 0
        assert env.oracle() == env.reference(), "where all is told the oracle does not search"


def test_searches_beyond_the_budget_are_refused() -> None:
    env = made(1, kinds="chain", known=0.0, slack=1)
    needed = len(env.task.question.steps)
    assert f"You may search {needed + 1} times" in env.begin()
    for word in range(needed + 1):
        assert env.step(f"<search>{word}</search>")[0].startswith("<tool_response>")
    observation, _, _, _, info = env.step("<search>four</search>")
    assert observation.startswith("<tool_error>no searches are left")
    assert info["invalid_action"]
    _, reward, _, _, info = env.step(env.reference())
    assert reward == 1.0
    assert info["metrics"]["tool_calls"] == needed + 1.0
    assert info["metrics"]["calls_needed"] == float(needed)
    assert info["metrics"]["calls_wasted"] == 1.0


def test_a_message_of_searches_does_not_pass_the_budget() -> None:
    env = made(2, kinds="chain", known=0.0, slack=0)
    observation = env.step("<search>a</search>" * 5)[0]
    assert env.budget == len(env.task.question.steps) < 5
    assert observation.count("<tool_response>") == env.budget
    rest = ", ".join(["search"] * (4 - env.budget))
    assert observation.count("<tool_error>") == 2 and f"the call before failed: {rest}</tool_error>" in observation


def test_priced_searches_cost_in_shaping_alone() -> None:
    env = made(3, kinds="chain", calls="priced", price=0.25, slack=0, known=0.0, shaping={"em": 1.0})
    assert "costs 0.25" in env.begin()
    for _ in range(4):
        info = env.step("<search>one more</search>")[4]
        assert info["shaping"] == pytest.approx(-0.25)
    _, reward, _, _, info = env.step(env.reference())
    assert reward == 1.0
    assert info["shaping"] == pytest.approx(1.0)
    assert info["metrics"]["shaping"] == pytest.approx(1.0 - 4 * 0.25)


def test_rewards_for_not_searching() -> None:
    """A needless search takes the reward back; IKEA gives more the fewer there are."""
    for searches, needless, ikea in ((0, 0.0, 0.6), (1, -1.0, 0.4)):
        env = made(4, kinds="chain", known=1.0, slack=3)
        for _ in range(searches):
            env.step("<search>one more</search>")
        metrics = env.step(f"<think>I know.</think>{env.reference()}")[4]["metrics"]
        assert metrics["needless_search"] == needless
        assert metrics["ikea"] == pytest.approx(ikea)


def test_what_the_notes_tell_is_no_gain_to_read() -> None:
    for seed in range(12):
        env = made(seed, kinds="mixed", known=0.6, slack=20)
        facts, over = env._facts, False
        while not over:
            _, _, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        assert info["metrics"]["support_recall"] == (1.0 if facts else 0.0)
    env = made(4, kinds="chain", known=1.0, slack=3)
    for step in env.task.question.steps:
        env.step(f"<search>{step.query}</search>")
    assert env.metrics()["retrieval_gain"] == 0.0


def test_the_oracle_needs_no_more_than_the_budget() -> None:
    for seed in range(30):
        env = made(seed, slack=0, hops=3)
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(env.oracle())
            over = terminated or truncated
        assert reward == 1.0
        assert info["metrics"]["tool_errors"] == 0.0
        assert info["metrics"]["calls_wasted"] == 0.0
