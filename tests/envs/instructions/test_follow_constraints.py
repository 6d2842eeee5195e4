"""FollowConstraints: what is asked, what is paid, what is told."""

from typing import Any

import numpy as np
import pytest

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.instructions._topics import careless_texts, plain_text
from turnwise.envs.instructions.follow_constraints import MIN_CHARS, FollowConstraints, Task
from turnwise.verifiers.constraints.base import KINDS, Constraint
from turnwise.verifiers.constraints.drawing import LEVELS
from turnwise.verifiers.constraints.sets import verify_constraints

BODY = "the river runs slowly through the old town and nobody there remembers who built the bridge of stone over it "
LONG = 2 * BODY


def made(kind: str, **parameters: Any) -> Constraint:
    return KINDS[kind](**parameters)


def started(*constraints: Constraint, **settings: Any) -> FollowConstraints:
    env = FollowConstraints(**settings)
    env.reset(seed=0, options={"task": Task("an essay", "rivers", constraints, (0,) * len(constraints))})
    return env


def tasks(number: int, **settings: Any) -> list[Task]:
    env = FollowConstraints(**settings)
    found = []
    for i in range(number):
        env.reset(seed=seed_of("follow", i))
        found.append(env.task)
    return found


LOWER, ENDS = made("all_lower"), made("ends_with_mark", mark="?")
TWICE = made("word_count", word="river", low=2, high=2)


def test_the_request_names_every_constraint_and_how_units_are_counted() -> None:
    env = FollowConstraints(level=4)
    for i in range(30):
        prompt, _ = env.reset(seed=i)
        assert prompt.startswith(env.task.request)
        for number, (constraint, wording) in enumerate(zip(env.task.constraints, env.task.wordings, strict=True), 1):
            assert f"\n{number}. {constraint.describe(wording)}\n" in prompt
        assert "A sentence ends with" in prompt
        assert f"at least {env.task.least.low} characters" in prompt


@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_numbers_of_dimensions_and_constraints(level: int) -> None:
    low, high = LEVELS[level]
    sizes = set()
    for task in tasks(60, level=level):
        assert len({c.dimension for c in task.constraints}) == level
        sizes.add(len(task.constraints))
    assert min(sizes) == low
    assert low < max(sizes) <= high


def test_knobs() -> None:
    for task in tasks(20, level=2, num_constraints=3, dimensions="length,language", max_effort=2):
        assert len(task.constraints) == 3
        assert {c.dimension for c in task.constraints} == {"length", "language"}
        assert all(c.effort <= 2 for c in task.constraints)
    for settings in ({"dimensions": "length", "level": 2}, {"dimensions": "length,colour"}, {"dimensions": ""},
                     {"dimensions": "length,length"}, {"level": 3, "num_constraints": 2}):  # fmt: skip
        with pytest.raises(SettingsError, match=r"dimensions|level|num_constraints"):
            FollowConstraints(**settings)


@pytest.mark.parametrize("difficulty", range(1, 11))
def test_the_writer_satisfies_every_set_and_careless_texts_none(difficulty: int) -> None:
    env = FollowConstraints(difficulty=difficulty)
    for i in range(40):
        env.reset(seed=seed_of("w", i))
        assert verify_constraints(env.oracle(), env.task.whole).correct
        texts = [reading.text for reading in careless_texts()] + [env.prompt, env.repeated()]
        assert not any(verify_constraints(text, env.task.whole).correct for text in texts)


def test_kinds_are_drawn_widely() -> None:
    seen = {c.name for d in (2, 5, 6) for task in tasks(150, difficulty=d) for c in task.constraints}
    assert len(seen) >= 45


def test_near_misses_break_one_constraint() -> None:
    broken = []
    env = FollowConstraints(level=3)
    for i in range(60):
        env.reset(seed=i)
        text = env.near_miss(i)
        if text:
            verdict = verify_constraints(text, env.task.whole)
            assert not verdict.correct
            broken.append(len(env.task.whole) - int(str(verdict.value)))
    assert len(broken) >= 45
    assert broken.count(1) >= 0.9 * len(broken)


def test_all_or_nothing_by_default() -> None:
    env = started(LOWER, TWICE, ENDS)
    _, reward, terminated, truncated, info = env.step(LONG + "river?")
    assert (reward, terminated, truncated, info["solved"]) == (0.0, True, False, False)  # three rivers
    assert info["metrics"]["constraints_satisfied"] == pytest.approx(2 / 3)
    assert started(LOWER, TWICE, ENDS).step(LONG + "?")[1] == 1.0
    assert started(LOWER, TWICE, ENDS).step(f"<think>River.</think>\n{LONG}?\n")[1] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here it is: {LONG}?", f"{LONG}?\n\nI hope this helps.", f"<answer>{LONG}?</answer>",
        f"```\n{LONG}?\n```", "river river?", f"<think>{LONG}?</think>", f"<think>{LONG}?", f"{LONG}?</think>ok",
        f"{LONG}?<think>", "", f"{LONG}?\x07", f"{LONG}\ud800?", "All constraints hold?", f"{LONG} rivers River?",
        f"{LONG.upper()}?",
    ],
)  # fmt: skip
def test_what_stands_around_the_text_belongs_to_it(text: str) -> None:
    _, reward, _, _, info = started(LOWER, TWICE, ENDS).step(text)
    assert reward == 0.0
    assert info["solved"] is False


def test_the_smallest_length_is_asked_of_every_text() -> None:
    env = started(LOWER, max_turns=3)
    observation, reward, *_ = env.step("small")
    assert reward == 0.0
    assert observation == "The minimum length is not satisfied."
    assert len(LONG.strip()) >= MIN_CHARS
    assert started(made("script", script="Han")).task.least.low < MIN_CHARS


def test_partial_credit_is_the_best_share_so_far() -> None:
    env = started(LOWER, TWICE, ENDS, partial=True, max_turns=6)
    texts = [(LONG.title() + ".", 1 / 3), ("river river?", 0.0), (LONG + ".", 1 / 3), (LONG.upper() + ".", 0.0)]
    for text, expected in texts:
        assert env.step(text)[1] == pytest.approx(expected)
    _, reward, terminated, _, info = env.step(LONG + "?")
    assert reward == pytest.approx(1 / 3)
    assert terminated
    assert info["solved"]
    assert info["metrics"]["constraints_satisfied"] == 1.0


def test_what_is_told_between_turns() -> None:
    text = LONG + "river."
    assert (
        started(LOWER, TWICE, ENDS, max_turns=2, feedback="nothing").step(text)[0]
        == "Not all constraints are satisfied."
    )
    assert started(LOWER, TWICE, ENDS, max_turns=2).step(text)[0].split("\n") == [
        "Constraint 2 is not satisfied.", "Constraint 3 is not satisfied.",
    ]  # fmt: skip
    told = started(LOWER, TWICE, ENDS, max_turns=2, feedback="reasons").step(text)[0]
    assert "exactly 2 times asked for, 3 counted" in told
    assert 'the last character is "."' in told


def test_unreadable_messages_are_format_errors() -> None:
    env = started(LOWER, max_turns=5)
    for text in ("", "<think>never closed", "\x00", "\udc80"):
        info = env.step(text)[4]
        assert info["invalid_action"] is True
    assert "invalid_action" not in env.step("Too short")[4]


def test_identity_ignores_order_and_wording() -> None:
    env = FollowConstraints()
    one = Task("an essay", "rivers", (LOWER, ENDS), (0, 0))
    assert env.identity(one) == env.identity(Task("an essay", "rivers", (ENDS, LOWER), (1, 2)))
    assert env.identity(one) != env.identity(Task("an essay", "bees", (LOWER, ENDS), (0, 0)))
    assert env.identity(one) != env.identity(Task("an essay", "rivers", (LOWER, TWICE), (0, 0)))


def test_plain_texts_are_texts() -> None:
    rng = np.random.default_rng(3)
    texts = [plain_text(rng, "bees") for _ in range(100)]
    assert len(set(texts)) == 100
    assert sum(len(text) >= MIN_CHARS for text in texts) >= 50
    assert any("," in text for text in texts)
    assert any("\n\n" in text for text in texts)
