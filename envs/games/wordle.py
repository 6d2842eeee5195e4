"""Wordle: find a secret word by guesses that are answered letter by letter.

Source: the game by Wardle (2021), after Jotto and Lingo; for language agents, LMRL-Gym (arXiv 2311.18232) and TextArena
(arXiv 2504.11442). The word list is SCOWL's; its notice is data/words.LICENSE.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer

_WORDS_PATH = Path(__file__).parent / "data" / "words.txt"
_SEPARATORS = str.maketrans("", "", " -.,!\"'[]()")
_MAX_CHARS = 100


@dataclass(frozen=True)
class Task:
    """The secret word."""

    word: str


@register("Wordle-v0")
class Wordle(Env[Task]):
    """Find a secret word from marks on each letter of a guess; reward 1 for naming it within the turns.

    Each letter of a guess is answered with g (green: right letter, right place), y (yellow: in the word, elsewhere)
    or b (black: not in the word). A letter that a guess has more often than the word is marked only as often as the
    word has it, greens first, then from the left.
    """

    word_length: Annotated[int, Range(4, 8)] = 5
    """Letters of the secret and of every guess."""
    hard: bool = False
    """A guess must agree with all feedback so far; one that does not is an invalid move."""
    words_path: str | None = None
    """A file of your own with one word per line, instead of the 23,771 common English words that come with turnwise.
    Only words of the list are secrets and legal guesses."""
    max_turns: Annotated[int, Range(1, 100)] = 6
    """Guesses."""

    levels = tuple(
        {"word_length": n, "max_turns": t, "hard": h}
        for n, t, h in [
            (5, 12, False), (5, 10, False), (6, 9, False), (5, 8, False), (5, 7, False),
            (5, 6, False), (7, 6, False), (8, 6, True), (5, 6, True), (4, 6, True),
        ]
    )  # fmt: skip
    chance = (0.0036, 0.003, 0.0017, 0.0026, 0.0022, 0.0017, 0.001, 0.001, 0.0017, 0.0034)
    chance_default = 0.002
    cheats = (
        lambda env: f"<answer>{env.task.word}</answer><answer>{env.decoy()}</answer>",
        lambda env: f"{env.task.word} or {env.decoy()}",
        lambda env: f"{env.decoy()}{env.task.word}",
        lambda env: f"<answer>{'*' * env.word_length}</answer>",
        lambda env: "g" * env.word_length if env.task.word != "g" * env.word_length else "",
        "<answer>the secret word</answer>",
    )

    def check(self) -> None:
        if self.words_path is not None and len(self._words()[0]) < 2:
            raise SettingsError(
                f"words_path {self.words_path!r} has fewer than 2 words of word_length={self.word_length} letters "
                "a to z; one word per line is read"
            )

    def _words(self) -> tuple[tuple[str, ...], frozenset[str]]:
        return words_of(self.words_path, self.word_length)

    def generate(self, rng: np.random.Generator) -> Task:
        words = self._words()[0]
        return Task(words[int(rng.random() * len(words))])

    def begin(self) -> str:
        self.history: list[tuple[str, str]] = []  # (guess, feedback)
        rule = " Every guess must be consistent with all marks so far." if self.hard else ""
        return (
            f"Find my secret English word of {len(self.task.word)} letters. Each guess must be an English word of "
            f"{len(self.task.word)} letters. I reply to a wrong guess with one mark per letter: g if the letter is in "
            "the right place, y if it occurs elsewhere in the word, b if it does not occur (or not that often)."
            f"{rule} You have {self.max_turns} guesses. Answer with one word, alone or in the form "
            "<answer>...</answer>."
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"Not a guess: {problem}.", invalid=True)
        secret = self.task.word
        if len(text) != len(secret):
            text = text.translate(_SEPARATORS) if len(text) <= _MAX_CHARS else ""
        guess = text.lower()
        if guess == secret:
            return Reply("Correct.", solved=True)
        if guess not in self._words()[1]:
            if len(guess) != len(secret):
                return Reply(f"Not a guess: give one word of {len(secret)} letters.", invalid=True)
            return Reply("Not a guess: that word is not in my list.", invalid=True)
        if self.hard and not _agrees(guess, self.history):
            return Reply("Not a guess: it is not consistent with the marks so far.", invalid=True)
        marks = feedback(guess, secret)
        self.history.append((guess, marks))
        return Reply(marks)

    def oracle(self) -> str:
        """Return the consistent word with the commonest letters; on the last turn, the secret."""
        if self.turn == self.max_turns - 1:
            return self.task.word
        if not self.history:
            return _opening(self.words_path, self.word_length)
        return _commonest([w for w in self._words()[0] if _agrees(w, self.history)]) or self.task.word

    def reference(self) -> str:
        return self.task.word

    def paraphrases(self) -> Sequence[str]:
        word = self.oracle()
        return (
            f"<answer>{word}</answer>",
            f"I say \\boxed{{{word.upper()}}}",
            " ".join(word.upper()),
            f"<think>hello?</think>[{word}]",
            f"{word.capitalize()}.",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        return self.generate(rng).word

    def decoy(self) -> str:
        """Return a word from the list other than the secret."""
        words = self._words()[0]
        return words[0] if words[0] != self.task.word else words[1]


def feedback(guess: str, secret: str) -> str:
    """Return the marks of a guess.

    >>> feedback("speed", "abide"), feedback("geese", "eerie")
    ('bbyby', 'bgybg')
    """
    if guess == secret:
        return "g" * len(secret)
    rest = [b for a, b in zip(guess, secret, strict=True) if a != b]
    marks = []
    for a, b in zip(guess, secret, strict=True):
        if a == b:
            marks.append("g")
        elif a in rest:
            marks.append("y")
            rest.remove(a)
        else:
            marks.append("b")
    return "".join(marks)


def _agrees(word: str, history: Sequence[tuple[str, str]]) -> bool:
    """Return whether ``word`` as the secret explains all feedback."""
    return all(feedback(guess, word) == marks for guess, marks in history)


@functools.lru_cache(maxsize=32)
def words_of(path: str | None, length: int) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words of a length, as a sorted list and as a set."""
    try:
        text = (_WORDS_PATH if path is None else Path(path)).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise SettingsError(f"words_path is {path!r} and cannot be read ({error}); name a text file") from None
    words = (line.strip().lower() for line in text.splitlines())
    legal = frozenset(w for w in words if len(w) == length and w.isascii() and w.isalpha())
    return tuple(sorted(legal)), legal


@functools.lru_cache(maxsize=32)
def _opening(path: str | None, length: int) -> str:
    return _commonest(words_of(path, length)[0])


def _commonest(words: Sequence[str]) -> str:
    """Return the word whose distinct letters occur in the most words; the first one in case of a tie."""
    counts = Counter(letter for word in words for letter in set(word))
    return max(words, key=lambda word: sum([counts[letter] for letter in set(word)]), default="")
