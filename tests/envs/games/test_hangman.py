"""Hangman: what is shown, how it is won and lost, and the chance of letters in a random order."""

from math import comb

import pytest

from turnwise.core.draw import Draw
from turnwise.envs.games._depth import hangman as skilled
from turnwise.envs.games.hangman import Hangman, Task
from turnwise.worlds.games.game import playout
from turnwise.worlds.games.solo import hangman


def episode(word: str, misses: int) -> Hangman:
    env = Hangman(length=len(word))
    env.reset(seed=0, options={"task": Task(word, misses)})
    return env


def test_all_places_of_a_letter_are_shown_and_misses_are_counted() -> None:
    env = episode("ladle", 3)
    assert env.step("L")[0] == "l _ _ l _\nMisses: 0 of 3"
    assert env.step("<answer>x</answer>")[0] == "l _ _ l _\nMisses: 1 of 3 (x)"
    observation, _, terminated, _, info = env.step("l")
    assert observation.endswith("Guessed so far: l, x")
    assert info["invalid_action"]
    assert not terminated
    env.step("z")
    observation, reward, terminated, _, info = env.step("q")
    assert observation == "You lose.\nl _ _ l _\nMisses: 3 of 3 (x, z, q)\nThe word is ladle."
    assert (reward, terminated, info["metrics"]["share_found"]) == (0.0, True, 0.4)


def test_only_the_hidden_letters_differ_in_what_is_seen() -> None:
    game = hangman.Hangman(5, 6)
    for other in ("ladle", "lilac"):
        assert game.view(hangman.Position(other, "qlz"), 0).count("l") == 2
    assert game.view(hangman.Position("apple", "lz"), 0) == game.view(hangman.Position("uncle", "lz"), 0)


@pytest.mark.parametrize(("word", "misses"), [("ladle", 12), ("noon", 14)])
def test_random_letters_win_as_often_as_counted(word: str, misses: int) -> None:
    """All d letters come before the last miss: among the first d + misses - 1 of the 26."""
    letters = len(set(word))
    expected = comb(letters + misses - 1, letters) / comb(26, letters)
    game = hangman.Hangman(len(word), misses)
    won = sum(game.returns(playout(game, hangman.Position(word), Draw("hang", i))[0])[0] for i in range(1500))
    assert won / 1500 == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 1500) ** 0.5)


def test_the_counting_player_reads_what_is_shown() -> None:
    env = episode("ladle", 3)
    first = env.begin()
    assert skilled._read([first]) == ("_____", "")
    env.step("l")
    assert skilled._read([first, env.step("x")[0]]) == ("l__l_", "llx")
    assert hangman.candidates(("ladle", "libel", "local", "lilac"), "l__l_", "llx") == ["ladle"]
