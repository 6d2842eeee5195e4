"""GuessNumber: feedback, bisection within the turns, what is a guess."""

import re

import numpy as np
import pytest

from turnwise.envs.games.guess_number import GuessNumber, Task


def episode(secret: int, **settings: int) -> GuessNumber:
    env = GuessNumber(**settings)
    env.reset(seed=0, options={"task": Task(secret, 1, env.max_number)})
    return env


@pytest.mark.parametrize("high", [8, 31, 32, 100])
def test_bisection_solves_every_secret_without_looking(high: int) -> None:
    turns = (high + 1).bit_length() if (high + 1) & high else high.bit_length()  # ceil(log2(high + 1))
    for secret in range(1, high + 1):
        env = episode(secret, max_number=high, max_turns=turns)
        low, top, solved = 1, high, False
        for _ in range(turns):
            guess = (low + top) // 2
            observation, reward, _, _, info = env.step(str(guess))
            if info.get("solved"):
                solved = True
                assert reward == 1.0
                break
            low, top = (guess + 1, top) if observation == "Higher." else (low, guess - 1)
        assert solved


def test_levels_leave_bisection_enough_turns() -> None:
    for row in GuessNumber.levels:
        assert 2 ** row["max_turns"] > row["max_number"]


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("16", "Higher."), ("18", "Lower."), ("17", "Correct."), ("<answer>17</answer>", "Correct."),
        ("\\boxed{17}", "Correct."), ("17.", "Correct."), ("+17", "Correct."), ("017", "Correct."),
        ("17.0", "Correct."),
        ("33", "Out of range"), ("0", "Out of range"), ("-5", "Out of range"), ("9" * 60, "Out of range"),
        ("16.5", "Not a guess"), ("16 17", "Not a guess"), ("16-18", "Not a guess"), ("seventeen", "Not a guess"),
        ("١٧", "Not a guess"), ("²", "Not a guess"), ("9" * 5000, "Not a guess"), ("", "Not a guess"),
    ],
)  # fmt: skip
def test_answers(action: str, expected: str) -> None:
    observation, _, _, _, info = episode(17).step(action)
    assert observation.startswith(expected)
    assert ("invalid_action" in info) == (expected in ("Out of range", "Not a guess"))


def test_misleading_guesses_do_not_confuse_the_oracle() -> None:
    env = episode(20)
    for guess in ("2", "30", "1", "31", "nonsense"):
        env.step(guess)
    assert env.low == 3 and env.top == 29
    assert env.step(env.oracle())[1] == 1.0


def test_secrets_are_uniform() -> None:
    env, rng = GuessNumber(max_number=8, vary=0.0), np.random.default_rng(0)
    counts = np.bincount([env.generate(rng).secret for _ in range(8000)], minlength=9)
    assert counts[0] == 0 and len(counts) == 9
    assert ((counts[1:] - 1000) ** 2 / 1000).sum() < 30  # chi-square, 7 degrees: p < 0.0001


def test_ranges_vary_within_bounds_and_hold_the_secret() -> None:
    env, rng = GuessNumber(max_number=32, vary=0.25), np.random.default_rng(0)
    tasks = [env.generate(rng) for _ in range(3000)]
    assert {t.low for t in tasks} == set(range(1, 10))
    assert {t.high for t in tasks} == set(range(24, 33))
    assert all(t.low <= t.secret <= t.high for t in tasks)
    assert {t.secret for t in tasks} == set(range(1, 33))


def test_splits_hold_out_pairs_of_secret_and_range_not_secrets() -> None:
    secrets = {}
    for split in ("train", "test"):
        env = GuessNumber(split=split)  # type: ignore[arg-type]
        secrets[split] = {env.task.secret for seed in range(600) if env.reset(seed=seed)}
    assert len(secrets["train"] & secrets["test"]) > 25


def test_guesses_outside_the_range_are_refused() -> None:
    env = GuessNumber()
    env.reset(seed=0, options={"task": Task(10, 5, 28)})
    assert env.step("4")[0] == "Out of range: from 5 to 28."
    assert env.step("29")[0] == "Out of range: from 5 to 28."
    assert env.step("5")[0] == "Higher."


def test_without_rules_the_range_alone_is_said() -> None:
    plain, bare = episode(9), episode(9, rules=False)
    assert re.fullmatch(r"\d+ to \d+", bare.reset(seed=3)[0])
    assert bare.reset(seed=3)[0] in plain.reset(seed=3)[0]
    assert bare.reset(seed=3)[1]["task_id"] == plain.reset(seed=3)[1]["task_id"], "the same task, said otherwise"
