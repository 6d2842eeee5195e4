"""Wordle: the duplicate-letter rule, the word list and one's own, hard mode."""

import inspect
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.envs.games import wordle
from turnwise.envs.games.wordle import Task, Wordle, feedback


def episode(word: str, **more: object) -> Wordle:
    env = Wordle(word_length=len(word), **more)
    env.reset(seed=0, options={"task": Task(word)})
    return env


@pytest.mark.parametrize(
    ("guess", "secret", "marks"),
    [
        ("speed", "abide", "bbyby"), ("speed", "erase", "ybyyb"), ("speed", "steal", "gbgbb"),
        ("speed", "crepe", "bygyb"), ("allee", "apple", "gybbg"), ("geese", "eerie", "bgybg"),
        ("llama", "hello", "yybbb"), ("hello", "hello", "ggggg"),
    ],
)  # fmt: skip
def test_duplicate_letters(guess: str, secret: str, marks: str) -> None:
    assert feedback(guess, secret) == marks


@settings(max_examples=300)
@given(st.text("abc", min_size=5, max_size=5), st.text("abc", min_size=5, max_size=5))
def test_marks_count_each_letter_as_often_as_both_have_it(guess: str, secret: str) -> None:
    marks = feedback(guess, secret)
    assert [m == "g" for m in marks] == [a == b for a, b in zip(guess, secret, strict=True)]
    for letter in "abc":
        of_letter = [m for a, m in zip(guess, marks, strict=True) if a == letter]
        assert len(of_letter) - of_letter.count("b") == min(guess.count(letter), secret.count(letter))
        yellow_and_black = "".join(of_letter).replace("g", "")
        assert re.fullmatch("y*b*", yellow_and_black)  # yellows from the left


def test_list_is_clean_and_large_enough() -> None:
    lines = wordle._WORDS_PATH.read_text().splitlines()
    assert lines == sorted(set(lines))
    assert all(re.fullmatch("[a-z]{4,8}", line) for line in lines)
    assert all(sum(len(line) == n for line in lines) > 1500 for n in range(4, 9))
    notice = wordle._WORDS_PATH.with_name("words.LICENSE").read_text()
    assert f"{len(lines):,}" in notice and f"{len(lines):,}" in inspect.getsource(Wordle)
    assert "Copyright 2000-2018 by Kevin Atkinson" in notice and "Princeton University" in notice


@pytest.mark.parametrize(
    "text", ["crane", "CRANE", "Crane.", "c r a n e", "[crane]", "<answer>crane</answer>", '"crane"']
)
def test_spellings(text: str) -> None:
    assert episode("crane").step(text)[1] == 1.0


@pytest.mark.parametrize(
    "text", ["xyzzy", "cran", "cranes", "crane slate", "crane, slate", "cr4ne", "ﬁnds", "ſlate", ""]
)
def test_only_words_of_the_list_are_guesses(text: str) -> None:
    env = episode("crane")
    observation, reward, _, _, info = env.step(text)
    assert observation.startswith("Not a guess") and reward == 0.0 and info["invalid_action"]
    assert env.history == []


def test_hard_mode_refuses_what_contradicts_the_feedback() -> None:
    env = episode("crane", hard=True)
    assert env.step("trace")[0] == "bggyg"
    assert "not consistent" in env.step("slate")[0]
    assert env.step("crane")[1] == 1.0
    assert episode("crane").step("slate")[0] == "bbgbg"


def test_oracle_explains_all_feedback_and_ends_in_time() -> None:
    env = Wordle(word_length=4, max_turns=3)
    for seed in range(20):
        env.reset(seed=seed)
        total = 0.0
        while total == 0.0:
            guess = env.oracle()
            assert all(feedback(past, guess) == marks for past, marks in env.history)
            _, total, _, truncated, _ = env.step(guess)
            assert not truncated


def test_own_word_list(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("Zebra\n  quilt \r\nQUILT\ntoolong\nabc\nnaïve\nca't5\nmoose\n".encode() + b"\xff\xfe\n")
    env = Wordle(words_path=str(path))
    assert {env.reset(seed=seed)[0] and env.task.word for seed in range(60)} == {"zebra", "quilt", "moose"}
    assert env.step("crane")[4]["invalid_action"]
    with pytest.raises(SettingsError, match="words_path"):
        Wordle(words_path=str(path), word_length=4)
    with pytest.raises(SettingsError, match=r"nowhere.*cannot be read"):
        Wordle(words_path=str(tmp_path / "nowhere"))
    with pytest.raises(SettingsError, match="cannot be read"):
        Wordle(words_path="\x00")
