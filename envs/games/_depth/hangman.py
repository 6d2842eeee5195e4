"""Agents of graded skill for Hangman: letters by their frequency, in the language or among the words still possible."""

import re
from collections.abc import Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.envs.games.wordle import words_of
from turnwise.worlds.games.solo.hangman import candidates, commonest

_SHOWN = re.compile(r"^(?:[a-z_] )+[a-z_]$", re.MULTILINE)
_MISSED = re.compile(r"\(((?:[a-z], )*[a-z])\)")
_ORDER = "etaoinshrdlcumwfgypbvkjxqz"


def _read(heard: Sequence[str]) -> tuple[str, str]:
    """Return the word as it is shown, and the letters that were guessed."""
    shown = _SHOWN.findall(heard[-1])[-1].replace(" ", "")
    missed = _MISSED.search(heard[-1].rpartition("Misses")[2])
    return shown, shown.replace("_", "") + (missed[1].replace(", ", "") if missed else "")


def _alphabet(heard: Sequence[str], turn: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[turn % 26]


def _language(heard: Sequence[str], turn: int) -> str:
    _, guessed = _read(heard)
    return next(letter for letter in _ORDER if letter not in guessed)


def _length(heard: Sequence[str], turn: int) -> str:
    shown, guessed = _read(heard)
    return commonest(list(words_of(None, len(shown))[0]), guessed)


def _counting(heard: Sequence[str], turn: int) -> str:
    shown, guessed = _read(heard)
    words = words_of(None, len(shown))[0]
    return commonest(candidates(words, shown, guessed), guessed)


SHORTCUTS = {"the alphabet": lambda: Shortcut(_alphabet, "the alphabet")}
SKILLS = {
    "letters of the language": lambda: Shortcut(_language, "letters of the language"),
    "letters of words as long": lambda: Shortcut(_length, "letters of words as long"),
    "letters of words that fit": lambda: Shortcut(_counting, "letters of words that fit"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the letters to find, and the misses that lose."""
    return len(set(env.task.word)), env.task.misses
