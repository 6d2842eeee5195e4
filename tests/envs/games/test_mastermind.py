"""Mastermind: the counts against Knuth's definition, the oracle's search against brute force, what is a guess."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.envs.games.mastermind import Mastermind, Task


def episode(code: str, num_symbols: int = 6, duplicates: bool = True, **more: int) -> Mastermind:
    env = Mastermind(code_length=len(code), num_symbols=num_symbols, duplicates=duplicates, **more)
    env.reset(seed=0, options={"task": Task(code, num_symbols, duplicates)})
    return env


def pegs(code: str, guess: str) -> tuple[int, int]:
    """By crossing out, as a player does: exact pairs first, then any pair left."""
    left, right = list(code), list(guess)
    exact = [i for i in range(len(code)) if code[i] == guess[i]]
    for i in reversed(exact):
        del left[i], right[i]
    near = 0
    for digit in right:
        if digit in left:
            left.remove(digit)
            near += 1
    return len(exact), near


@pytest.mark.parametrize(
    ("code", "guess", "expected"),
    [
        ("1122", "2211", "0 exact, 4 misplaced"), ("1122", "1111", "2 exact, 0 misplaced"),
        ("1234", "1243", "2 exact, 2 misplaced"), ("0012", "3300", "0 exact, 2 misplaced"),
        ("0005", "5555", "1 exact, 0 misplaced"), ("1234", "0055", "0 exact, 0 misplaced"),
    ],
)  # fmt: skip
def test_counts(code: str, guess: str, expected: str) -> None:
    assert episode(code).step(guess)[0] == expected


@settings(max_examples=300)
@given(st.integers(2, 8).flatmap(lambda n: st.tuples(*[st.text("0123456789", min_size=n, max_size=n)] * 2)))
def test_counts_agree_with_crossing_out(pair: tuple[str, str]) -> None:
    code, guess = pair
    observation, reward, *_ = episode(code, 10).step(guess)
    if code == guess:
        assert (observation, reward) == ("Correct.", 1.0)
    else:
        exact, near = pegs(code, guess)
        assert (observation, reward) == (f"{exact} exact, {near} misplaced", 0.0)


@pytest.mark.parametrize("duplicates", [True, False])
def test_search_finds_the_first_consistent_code(duplicates: bool) -> None:
    rng = np.random.default_rng(3)
    env = Mastermind(code_length=4, num_symbols=6, duplicates=duplicates)
    every = ["".join(c) for c in itertools.product("012345", repeat=4) if duplicates or len(set(c)) == 4]
    for _ in range(25):
        env.reset(seed=int(rng.integers(2**31)))
        for _ in range(4):
            consistent = [c for c in every if all(pegs(c, g) == (e, m) for g, e, m in env.history)]
            assert env.oracle() == consistent[0]
            guess = env.sample_action(rng)
            if guess == env.task.code:
                break
            env.step(guess)


def test_consistent_play_needs_no_peek_at_the_levels() -> None:
    for difficulty in range(1, 9):
        env = Mastermind(difficulty=difficulty)
        allowed, env.max_turns = env.max_turns, 100  # far away: the oracle never says the secret for being last
        for seed in range(6):
            env.reset(seed=seed)
            while not env.step(env.oracle())[2]:
                pass
            assert env.turn <= allowed


@pytest.mark.parametrize("text", ["0 1 2 3", "0, 1, 2, 3", "[0,1,2,3]", "0-1-2-3", "<answer>0123</answer>"])
def test_spellings(text: str) -> None:
    assert episode("0123").step(text)[1] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "012",
        "01234",
        "0126",
        "012x",
        "0123 0124",
        "01234567",
        "-0123-4",
        "-0123",
        "<answer>-0123</answer>",
        "٠١٢٣",
        "code 0123",
        "<answer></answer>",
    ],
)
def test_what_is_no_code_is_refused(text: str) -> None:
    env = episode("0123")
    observation, reward, _, _, info = env.step(text)
    assert observation.startswith("Not a guess") and reward == 0.0 and info["invalid_action"]
    assert env.history == []


def test_repeats_are_refused_where_the_code_has_none() -> None:
    assert "different" in episode("0123", duplicates=False).step("0012")[0]
    with pytest.raises(SettingsError, match="num_symbols"):
        Mastermind(code_length=5, num_symbols=4, duplicates=False)


def test_codes_are_uniform() -> None:
    rng = np.random.default_rng(0)
    for duplicates, codes in ((True, 16), (False, 12)):
        env = Mastermind(code_length=2, num_symbols=4, duplicates=duplicates)
        drawn = [env.generate(rng).code for _ in range(codes * 500)]
        counts = np.array([drawn.count(c) for c in sorted(set(drawn))])
        assert len(counts) == codes
        assert ((counts - 500) ** 2 / 500).sum() < 50


@pytest.mark.parametrize("text", ["0123.", "**0123**", "Answer: 0 1 2 3", "<answer>\\boxed{0123}</answer>"])
def test_dress_of_a_code(text: str) -> None:
    assert episode("0123").step(text)[1] == 1.0
