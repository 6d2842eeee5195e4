"""Invented names: pronounceable, never English words, and never shared with worlds of the other split."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.guard import ENGLISH

__all__ = ["Inventory", "belongs", "invented_pairs", "invented_words", "listed_words", "pairs", "spread"]

_FIRST = "b d f g k l m n p r t v z br dr gr kr tr vr zv kv gl kl zh kh dz"
_MIDDLE = (  # clusters only, most of them rare in English
    "lv rv zd vr zh kh ln lk lm lz rz nz nv kt rk rg rl lg gv dv zv kv mz zm zl vl zr tv kr dr gz gd vn zn kn gn lt rt"
)
_VOWELS = "a e i o u", "ae ei ia io ou"
_LAST = "n r l k x z v m rn lk sk rk"
_SYLLABLES = (
    "bak bom cal dav dol fes fik gor gul hab hos jun kel kor lir lom mef mul nad nor "
    "pel pim rav ruk sav sil tam tov vek vul wes wim yan yol zas zek bir duf hix kuz"
)
_SHORT_FIRST, _SHORT_MIDDLE = "b d f g k l m n p r t v z", "k v z g x d"


def belongs(word: str, split: Literal["train", "test"]) -> bool:
    """Tell whether an invented word belongs to a split: test if ``crc32(word) % 5 == 0``, else train.

    Every name contains an invented word, so worlds of different splits share no names, whatever their seeds.
    """
    return (zlib.crc32(word.lower().encode()) % 5 == 0) == (split == "test")


@dataclass(frozen=True)
class Inventory:
    """The letters of one world's words.

    A word is a start, then alternating vowels and consonants, then an end. As groups of vowels and of consonants
    alternate, different choices give different words.

    Attributes:
        first: Consonants that a word starts with.
        middle: Consonants between vowels.
        vowels: Vowels and diphthongs.
        last: Endings of a word; "" for none.
    """

    first: tuple[str, ...]
    middle: tuple[str, ...]
    vowels: tuple[str, ...]
    last: tuple[str, ...]

    @classmethod
    def drawn(cls, draw: Streams, style: Literal["full", "short"]) -> "Inventory":
        """Draw about half of all letters; short words have only single letters and no endings."""

        def some(name: str, letters: str, count: int) -> tuple[str, ...]:
            different = letters.split()
            return tuple(different[i] for i in draw.order(f"inventory/{name}", len(different))[:count].tolist())

        plain, double = _VOWELS
        if style == "short":  # there are few single letters: use all of them
            return cls(tuple(_SHORT_FIRST.split()), tuple(_SHORT_MIDDLE.split()), tuple(plain.split()), ("",))
        vowels = (*plain.split(), *some("vowels", double, 2))
        return cls(some("first", _FIRST, 14), some("middle", _MIDDLE, 22), vowels, some("last", _LAST, 7))

    def size(self, syllables: int) -> int:
        """Return the number of different words with that many vowels."""
        vowels = len(self.vowels)
        more: int = (len(self.middle) * vowels) ** (syllables - 1)
        return len(self.first) * vowels * more * len(self.last)

    def words(self, syllables: int, start: int, count: int, multiplier: int) -> list[str]:
        """``count`` different words: numbers ``start``, ``start + 1``, ... times ``multiplier``, in mixed radix."""
        size = self.size(syllables)
        left = (np.arange(start, start + count, dtype=np.int64) % size) * (multiplier % size) % size
        parts: list[list[str]] = []
        groups = [self.first, self.vowels, *(self.middle, self.vowels) * (syllables - 1), self.last]
        for group in groups:
            left, digit = np.divmod(left, len(group))
            parts.append([group[i] for i in digit.tolist()])
        return ["".join(letters) for letters in zip(*parts, strict=True)]


def _multiplier(draw: Streams, size: int, name: str) -> int:
    """Draw a number coprime to ``size`` and small enough that products stay below 2^63."""
    number = int(draw.below(name, min(size, 2**31 - 2), 1)[0]) | 1
    while np.gcd(number, size) != 1:
        number += 2
    return number


def invented_words(draw: Streams, split: Literal["train", "test"], style: Literal["full", "short"]) -> Iterator[str]:
    """Yield different words, short ones first, all allowed in the split and not English; practically endless.

    Full style: 30 % of the words of two syllables, then three, then four. Short style: all of two, then three, ...
    """
    inventory = Inventory.drawn(draw, style)
    for syllables in range(2, 6):
        size = inventory.size(syllables)
        usable = size if style == "short" else int(size * 0.3)
        multiplier = _multiplier(draw, size, f"words/{syllables}")
        done, step = 0, 1024
        while done < usable:
            count = min(step, usable - done)
            for word in inventory.words(syllables, done, count, multiplier):
                if word not in ENGLISH and belongs(word, split):
                    yield word.capitalize()
            done += count
            step = min(step * 2, 1 << 17)


def invented_pairs(draw: Streams, split: Literal["train", "test"]) -> Iterator[str]:
    """Yield different names of two words, then of three, from a list of 40 words; whole names belong to one split."""
    words = [word.capitalize() for word in _SYLLABLES.split()]
    for length in (2, 3, 4):
        for number in draw.order(f"pairs/{length}", len(words) ** length).tolist():
            digits = [number // len(words) ** place % len(words) for place in range(length)]
            name = " ".join(words[digit] for digit in digits)
            if len(set(digits)) == length and belongs(name, split):
                yield name


def listed_words(draw: Streams) -> Iterator[str]:
    """Yield names of one word from a list that all worlds share, then of two; each word becomes one token."""
    letters = [f"{a}{b}{c}".capitalize() for a in "bdfgklmnprtz" for b in "aeiou" for c in "vz"]
    words = [word for word in letters if word not in ("Fez", "Gov", "Lav", "Lev", "Nav", "Rev", "Tiz")]
    yield from (words[n] for n in draw.order("words/1", len(words)).tolist())
    for number in draw.order("words/2", len(words) ** 2).tolist():
        yield f"{words[number // len(words)]} {words[number % len(words)]}"


def spread(draw: Streams, words: Iterator[str], count: int, stream: str) -> list[str]:
    """Take the next ``count`` words in random order, because successive words look alike."""
    found = list(islice(words, count))
    return [found[i] for i in draw.order(f"spread/{stream}", len(found)).tolist()]


def pairs(draw: Streams, stream: str, count: int, firsts: int, seconds: int) -> tuple[Ints, Ints]:
    """Return ``count`` different pairs of numbers below ``firsts`` and ``seconds``, each number about equally often.

    Raises:
        ValueError: There are not enough pairs.
    """
    size = firsts * seconds
    if count > size:
        raise ValueError(f"{count} pairs of {firsts} and {seconds}")
    multiplier = _multiplier(draw, size, stream)
    number = np.arange(count, dtype=np.int64) * (multiplier % size) % size
    first, second = np.divmod(number, seconds)
    return first, second
