"""Regular expressions that are tried only on texts with the words that they need.

A pattern of a hundred alternatives is slow to look for and seldom found. Each alternative holds some literal text, such
as "refund" in ``refund(?:s|ed)? of``, so a look at a text's words tells which alternatives can match at all.
"""

import functools
import operator
import re
from collections.abc import Callable
from typing import Final

from turnwise.worlds.people.pieces import Piece, alternatives, needs

__all__ = ["Gated", "Gates"]

_WORD: Final = re.compile(r"[a-z0-9]+")
_LONGEST = 64  # of a word that is looked up in parts
_MOST_WORDS, _MOST_TEXTS, _MOST_JOINED = 20_000, 1024, 256  # remembered; beyond that a memory starts over
_NEEDS = 3  # of an alternative, that are looked for
Run = Callable[[str], re.Match[str] | None]


class Gates:
    """A set of patterns, and which of their alternatives a text may match.

    Every alternative has a bit for each of its needs, in as many rows of bits. The bits of a word are those of the
    needs that it meets, and the bits of a text those of its words; an alternative is open if its bit is in every row.
    """

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}  # the open alternatives of those seen last
        self._needs: list[tuple[frozenset[Piece], ...]] = []
        self._words: dict[str, int] = {}
        self._index: _Index | None = None

    def pattern(self, source: str) -> "Gated":
        """Add a pattern; it finds what ``re.compile(source)`` finds."""
        first, parts = len(self._needs), alternatives(source)
        self._needs += (needs(part, _NEEDS) for part in parts)
        self._index = None
        return Gated(self, source, first, parts)

    def may_match(self, text: str) -> bool:
        """Whether any pattern may match a text."""
        seen = self.texts.get(text)
        return (self.open(text) if seen is None else seen) != 0

    def open(self, text: str) -> int:
        """The bits of the alternatives that may match a text."""
        index, known = self._index, self._words
        if index is None:
            index = self._index = _Index(self._needs)
            self.texts.clear()
            known.clear()
        rows = index.always
        for word in _WORD.findall(text):
            bits = known.get(word)
            if bits is None:
                bits = index.bits(word)
                if len(known) >= _MOST_WORDS:
                    known.clear()
                if len(word) <= _LONGEST:
                    known[word] = bits
            rows |= bits
        size = len(self._needs)
        found = functools.reduce(operator.and_, (rows >> size * row for row in range(_NEEDS))) & ((1 << size) - 1)
        if len(self.texts) >= _MOST_TEXTS:
            self.texts.clear()
        self.texts[text] = found
        return found


class _Index:
    """The bits of needs, by the pieces that meet them."""

    def __init__(self, wanted: list[tuple[frozenset[Piece], ...]]) -> None:
        size = len(wanted)
        self.always = self.all = (1 << size * _NEEDS) - 1
        self._exact: dict[str, int] = {}
        self._heads: dict[str, int] = {}
        self._tails: dict[str, int] = {}
        self._within: dict[str, int] = {}
        for place, sets in enumerate(wanted):
            for row, pieces in enumerate(sets):
                bit = 1 << size * row + place
                self.always ^= bit
                for piece in pieces:
                    index = self._of(piece)
                    index[piece.text] = index.get(piece.text, 0) | bit
        lengths = {len(text) for text in self._within}
        self._least, self._most = min(lengths, default=1), max(lengths, default=0)

    def _of(self, piece: Piece) -> dict[str, int]:
        if piece.head:
            return self._exact if piece.tail else self._heads
        return self._tails if piece.tail else self._within

    def bits(self, word: str) -> int:
        """The bits of the needs that a word meets; all of them for one too long to look at."""
        size = len(word)
        if size > _LONGEST:
            return self.all
        found = self._exact.get(word, 0)
        for stop in range(1, size + 1):
            found |= self._heads.get(word[:stop], 0) | self._tails.get(word[-stop:], 0)
        for start in range(size):
            for stop in range(start + self._least, min(size, start + self._most) + 1):
                found |= self._within.get(word[start:stop], 0)
        return found


class Gated:
    """A pattern with the methods of `re.Pattern` that are used here.

    Attributes:
        source: The pattern as it was written.
    """

    def __init__(self, gates: Gates, source: str, first: int, parts: tuple[str, ...]) -> None:
        self._open, self._seen = gates.open, gates.texts.get
        self._first, self._mask = first, (1 << len(parts)) - 1 << first
        self.source, self._parts = source, parts
        self._searches: list[Run | None] = [None] * (len(parts) + 1)  # of the first, second... when they are run
        self._joined: dict[int, re.Pattern[str]] = {}

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        seen = self._seen(text)
        bits = (self._open(text) if seen is None else seen) & self._mask
        if not bits:
            return None
        best: re.Match[str] | None = None
        bits >>= self._first
        while bits:  # the first in the text, and of those there the first as written
            low = bits & -bits
            bits ^= low
            found = (self._searches[low.bit_length()] or self._compile(low.bit_length()))(text)
            if found is not None and (best is None or found.start() < best.start()):
                best = found
                if not found.start():
                    break
        return best

    def holds(self, text: str) -> bool:
        """Whether there is a match."""
        seen = self._seen(text)
        bits = (self._open(text) if seen is None else seen) & self._mask
        if not bits:
            return False
        bits >>= self._first
        while bits:
            low = bits & -bits
            bits ^= low
            if (self._searches[low.bit_length()] or self._compile(low.bit_length()))(text) is not None:
                return True
        return False

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the beginning."""
        pattern = self._pattern(text)
        return pattern.match(text) if pattern is not None else None

    def split(self, text: str) -> list[str]:
        """The text between the matches."""
        pattern = self._pattern(text)
        return pattern.split(text) if pattern is not None else [text]

    def sub(self, new: str, text: str) -> str:
        """The text with its matches replaced."""
        pattern = self._pattern(text)
        return pattern.sub(new, text) if pattern is not None else text

    def _compile(self, number: int) -> Run:
        found = self._searches[number] = re.compile(self._parts[number - 1]).search
        return found

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        """The open alternatives in one pattern."""
        seen = self._seen(text)
        bits = ((self._open(text) if seen is None else seen) & self._mask) >> self._first
        if not bits:
            return None
        found = self._joined.get(bits)
        if found is None:
            parts = (part for place, part in enumerate(self._parts) if bits >> place & 1)
            if len(self._joined) >= _MOST_JOINED:
                self._joined.clear()
            found = self._joined[bits] = re.compile("|".join(parts))
        return found
