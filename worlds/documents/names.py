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

_TONGUES = (  # initial consonants, vowels, inner consonants, endings; each tongue sounds unlike the others
    (
        "b c d f g l m n p r s t v",
        "a e i o",
        "l r n m s v nt nd rt st ll nn tt sc lv",
        "ano ana ero era ello ina onte ara iso",
    ),
    (
        "b br d f g h k l m n r s sk st sv t tr v",
        "a e o u i",
        "l r n m g s v nd rn",
        "vik dal sund berg heim stad nes vold holt mark",
    ),
    (
        "h j k l m n p r s t v",
        "a e i o u aa ii uu",
        "k l m n r s t kk ll nn ss lm nt rk st hk",
        "ala io inen eri isto uka omi",
    ),
    (
        "b d g k l m n s t w z",
        "a e i o u",
        "mb nd ng b d k l m n r t z",
        "ende ulu awe izi ombo eru azo",
    ),
    (
        "b br c cr d dr f gl gw l m p r t tr",
        "a e o u",
        "dd ll rr nn rth lch th n r s",
        "och en wyn eth ach ic und ador",
    ),
    (
        "b d f g j k kh m n p s sh t z",
        "a i u",
        "r l n m sh rd rz nd st hr z",
        "abad iran and ush ezar irjan ashk",
    ),
    (
        "b br d dr g gr k kr l m n p pr r s sl st v vl z zl",
        "a e i o u",
        "d l m n r s t v z dn ln sk st vn",
        "ovo inka ets ava itsa nik omir esh",
    ),
)
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
    """The letters of one tongue's words.

    A word is a start, then several times a vowel and inner consonants, then an ending.

    Attributes:
        first: Consonants that a word starts with.
        vowels: Vowels and diphthongs.
        middle: Consonants after a vowel.
        last: Endings of a word.
    """

    first: tuple[str, ...]
    vowels: tuple[str, ...]
    middle: tuple[str, ...]
    last: tuple[str, ...]

    @classmethod
    def short(cls) -> "Inventory":
        """Return the letters of short words, which are shared by all worlds."""
        vowels = ("a", "e", "i", "o", "u")
        return cls(tuple(_SHORT_FIRST.split()), vowels, tuple(_SHORT_MIDDLE.split()), vowels)

    @classmethod
    def tongues(cls) -> "list[Inventory]":
        """Return the tongues of all worlds."""
        return [cls(*(tuple(letters.split()) for letters in tongue)) for tongue in _TONGUES]

    def size(self, syllables: int) -> int:
        """Return the number of different choices for a word of that many syllables, from two."""
        more: int = (len(self.middle) * len(self.vowels)) ** (syllables - 1)
        return len(self.first) * more * len(self.last)

    def words(self, syllables: int, start: int, count: int, multiplier: int) -> list[str]:
        """``count`` words: numbers ``start``, ``start + 1``, ... times ``multiplier``, in mixed radix."""
        size = self.size(syllables)
        left = (np.arange(start, start + count, dtype=np.int64) % size) * (multiplier % size) % size
        parts: list[list[str]] = []
        for group in (self.first, *(self.vowels, self.middle) * (syllables - 1), self.last):
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

    Full style: words of seven tongues in turn, of each half of those of two syllables, then of three. Short style: all
    words of one tongue, of two syllables, then of three.
    """
    tongues = [Inventory.short()] if style == "short" else Inventory.tongues()
    share = 1.0 if style == "short" else 0.5
    streams = [_spoken(draw, split, inventory, share, f"{number}") for number, inventory in enumerate(tongues)]
    done: set[str] = set()
    for words in zip(*streams, strict=False):
        for word in words:
            if word not in done:
                done.add(word)
                yield word


def _spoken(
    draw: Streams, split: Literal["train", "test"], inventory: Inventory, share: float, stream: str
) -> Iterator[str]:
    """Yield the words of one tongue."""
    for syllables in range(2, 6):
        size = inventory.size(syllables)
        usable = int(size * share)
        multiplier = _multiplier(draw, size, f"words/{stream}/{syllables}")
        offset = int(draw.below(f"words/{stream}/{syllables}/offset", size, 1)[0])
        done, step = 0, 64
        while done < usable:
            count = min(step, usable - done)
            for word in inventory.words(syllables, offset + done, count, multiplier):
                if word not in ENGLISH and belongs(word, split):
                    yield word.capitalize()
            done += count
            step = min(step * 2, 1 << 15)


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
