"""Hangman: find the letters of a hidden word with few wrong guesses.

Source: a pencil-and-paper game of the 19th century; for language models, KORGym (arXiv 2505.14552) and TextArena
(arXiv 2504.11442).
"""

from dataclasses import dataclass
from string import ascii_lowercase
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.hidden.associations import WORDS

__all__ = ["Hangman", "Position", "candidates", "commonest"]


class Position(NamedTuple):
    """The word, which is hidden, and the letters guessed, in their order."""

    word: str
    guessed: str = ""


@dataclass(frozen=True)
class Hangman(Game[Position, str]):
    """A word of ``length`` letters; ``misses`` wrong guesses lose."""

    length: Annotated[int, Range(3, 12)] = 5
    misses: Annotated[int, Range(1, 20)] = 6

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        return (
            f"Hangman: find a hidden English word of {self.length} letters. You guess one letter at a time, and see "
            "all places where the word has it; _ is a letter that you have not found. A letter that the word does not "
            f"have is a miss. You win when all letters are found, and lose with miss number {self.misses}."
        )

    def notation(self) -> str:
        return "A move is a letter from a to z that you have not guessed yet"

    def start(self, draw: Draw) -> Position:
        words = [word for word in WORDS if len(word) == self.length and word.isascii() and word.isalpha()]
        if not words:
            raise SettingsError(f"length is {self.length}; the list has no such word")
        return Position(draw.choice(words))

    def initial(self) -> Position:
        return self.start(Draw("hangman", "initial"))

    def turn(self, state: Position) -> int:
        return OVER if len(self.missed(state)) >= self.misses or set(state.word) <= set(state.guessed) else 0

    def missed(self, state: Position) -> str:
        """Return the letters guessed that the word does not have."""
        return "".join([letter for letter in state.guessed if letter not in state.word])

    def legal(self, state: Position) -> list[str]:
        return [letter for letter in ascii_lowercase if letter not in state.guessed]

    def apply(self, state: Position, move: str) -> Position:
        return state._replace(guessed=state.guessed + move)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(set(state.word) <= set(state.guessed)),)

    def board(self, state: Position) -> str:
        return f"{self.view(state, 0)}\nThe word is {state.word}."

    def view(self, state: Position, seat: int) -> str:
        missed = self.missed(state)
        shown = " ".join(letter if letter in state.guessed else "_" for letter in state.word)
        named = f" ({', '.join(missed)})" if missed else ""
        return f"{shown}\nMisses: {len(missed)} of {self.misses}{named}"

    def write(self, state: Position, move: str) -> str:
        return move


def candidates(words: tuple[str, ...], shown: str, guessed: str) -> list[str]:
    """Return the words that what is shown allows; ``_`` stands for a letter not found.

    >>> candidates(("apple", "ample", "apply"), "a__le", "aelx")
    ['apple', 'ample']
    """
    pairs = [(i, letter) for i, letter in enumerate(shown)]
    return [
        word
        for word in words
        if len(word) == len(shown)
        and all(word[i] == letter if letter != "_" else word[i] not in guessed for i, letter in pairs)
    ]


def commonest(words: list[str], guessed: str) -> str:
    """Return the letter not guessed that most of the words have; of several the first."""
    counts = {letter: sum([letter in word for word in words]) for letter in ascii_lowercase if letter not in guessed}
    return max(counts, key=lambda letter: (counts[letter], -ord(letter)))
