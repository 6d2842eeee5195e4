"""BM25 in NumPy: an exact inverted index that skips documents that cannot be among the best."""

import math
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import Range, check_arguments
from turnwise.retrieval.index.counting import UNIT, Postings, build_postings
from turnwise.retrieval.index.folders import load_array, open_folder, seal, unseal
from turnwise.retrieval.index.keys import KeyTable, hash_of, write_keys
from turnwise.retrieval.index.text import query_tokens

__all__ = ["Bm25Index"]

KIND, VERSION = "turnwise bm25 index", 1
_ARRAYS = ("starts", "documents", "impacts", "bounds", "rows", "row_words")
_REMEMBERED_WORDS = 1 << 16

# These affect speed, never results:
_RATIO = 16  # looking up one document in a list costs as much as adding so many of the list
_FEW = 256  # so few documents are not worth pruning
_GROUPS = 64

Array = NDArray[Any]
_NONE: Array = np.zeros(0, np.int64)


class Bm25Index:
    """Ranks documents by BM25.

    The score of document ``d`` for a query is the sum over the query's words ``w`` (each as often as it occurs)::

        ln(1 + (N - n_w + 0.5) / (n_w + 0.5)) * f / (f + k1 * (1 - b + b * |d| / mean |d|))

    with ``f`` the occurrences of ``w`` in ``d``, ``n_w`` the number of documents with ``w``, ``N`` that of all
    documents and ``|d|`` that of words in ``d``. Each summand is rounded to a multiple of 2⁻²⁰ (at least to 2⁻²⁰) when
    the index is built, from operations whose results IEEE 754 fixes, and sums of whole numbers are exact in any order:
    scores and ranks are the same on every machine, whatever was skipped. Documents with none of the words are never
    found; equal scores come in the documents' order.

    The words of a query are ordered by the most that each can add. Once the ``k``-th best document is better than a new
    one could become by the remaining words, only documents already found are looked up in the lists of those words.

    May be used by any number of threads and, opened from a folder, processes at once. Made by `build` or `open`.

    Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; in the variant of Lucene
    (Kamphuis et al., Which BM25 Do You Mean?, ECIR 2020) without its constant factor k1 + 1. Turtle & Flood, Query
    Evaluation: Strategies and Optimizations, 1995 (MaxScore).
    """

    def __init__(self, postings: Postings, k1: float, b: float, folder: Path | None = None):
        self.k1, self.b, self.folder = k1, b, folder
        self._postings = postings
        self._len = postings.num_documents
        self._width = -(-self._len // _GROUPS) * _GROUPS
        self._starts, self._bounds = postings.starts.data, postings.bounds.data
        self._documents, self._impacts = postings.documents, postings.impacts
        self._rows = dict(zip(postings.row_words.tolist(), postings.rows, strict=True))
        self._scratch: deque[Array] = deque()  # (width,) zeros: a search takes one and gives it back as zeros
        self._find: Callable[[str], int | None]
        if folder is not None:
            self._find = _Words(folder).find
        else:
            self._find = {word: number for number, word in enumerate(postings.words)}.get

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        *,
        k1: Annotated[float, Range(0, below=math.inf)] = 1.2,
        b: Annotated[float, Range(0, 1)] = 0.75,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Self:
        """Build the index of texts, numbered from 0.

        Args:
            texts: One for each document, read once.
            k1: How slowly the effect of repeated words saturates; at least 0.
            b: How much a document's length counts, from 0 to 1.
            folder: Build it there and open it from there; an index in it is replaced. Building then takes about
                0.3 GB for a million documents of 85 words, more with more different words. Without it the index is in
                memory.
            progress: Called repeatedly with the number of documents counted.

        Raises:
            SettingsError: A setting is out of its range, or the folder cannot be written.
        """
        check_arguments(cls.build, k1=k1, b=b)
        path = None if folder is None else unseal(folder)
        postings = build_postings(texts, k1, b, path, progress)
        if path is None:
            return cls(postings, k1, b)
        _write(path, postings, k1, b, there=("documents", "impacts", "rows"))
        return cls.open(path)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], verify: bool = False) -> Self:
        """Open the index in a folder, memory-mapped: processes share it, and it is pickled as the folder's name.

        Args:
            folder: What `save` or `build` wrote.
            verify: Compare the files' checksums, not only their sizes.

        Raises:
            SettingsError: The folder does not contain a complete index of this format.
        """
        facts = open_folder(folder, KIND, VERSION, verify)
        path = Path(folder)
        arrays = {name: load_array(path, f"{name}.npy") for name in _ARRAYS}
        return cls(Postings(facts["documents"], words=[], **arrays), facts["k1"], facts["b"], path)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write an index from memory to a folder.

        Raises:
            SettingsError: The folder cannot be written.
            UsageError: The index was opened from a folder.
        """
        if self.folder is not None:
            raise UsageError(f"this index is already saved in {str(self.folder)!r}")
        _write(unseal(folder), self._postings, self.k1, self.b)

    def __len__(self) -> int:
        return self._len

    def search(self, queries: Sequence[str], k: int) -> list[tuple[Array, Array]]:
        """Return the result of `top` for each query."""
        return [self.top(query, k) for query in queries]

    def top(self, query: str, k: int) -> tuple[Array, Array]:
        """Return the best ``k`` documents for a query: their numbers (int64) and scores (float64, above 0), best first.

        Raises:
            SettingsError: ``k`` is less than 1.
        """
        if k < 1:
            raise SettingsError(f"k is {k!r}; it must be at least 1")
        words = self._words_of(query)
        rest = [0]
        for bound, _, _ in reversed(words):
            rest.append(rest[-1] + bound)
        rest.reverse()
        fits = rest[0] < 1 << 31  # true unless a query has hundreds of words
        try:
            sums = self._scratch.pop() if fits else np.zeros(self._width, np.int64)
        except IndexError:
            sums = np.zeros(self._width, np.int32)
        numbers, units = self._best(words, rest, k, sums)
        if fits:
            self._scratch.append(sums)
        return numbers.astype(np.int64), units / UNIT

    def _words_of(self, query: str) -> list[tuple[int, int, int]]:
        """Return (most it can add, word, occurrences in the query) for each word of the query, largest first."""
        times = Counter(word for token in query_tokens(query) if (word := self._find(token)) is not None)
        bounds = self._bounds
        return sorted(((bounds[word] * count, word, count) for word, count in times.items()), reverse=True)

    def _best(self, words: list[tuple[int, int, int]], rest: list[int], k: int, sums: Array) -> tuple[Array, Array]:
        """Find the best documents and their scores in `UNIT`s.

        Args:
            words: Result of `_words_of`.
            rest: For each word the most that it and all after it can add; 0 after the last.
            k: Number of documents.
            sums: (width,) zeros, and zeros again afterwards.
        """
        lists: list[Array] = []  # documents whose sums are not 0, unless rows were added
        fresh: list[Array] = []  # the same, each document once
        size, everywhere = 0, False
        least, at = 0, 0  # lower bound of the k-th best
        while at < len(words) and least <= rest[at]:
            _, word, times = words[at]
            at += 1
            if (row := self._rows.get(word)) is not None:
                sums[: self._len] += _scaled(row, times, sums)
                everywhere = True
            else:
                documents, impacts = self._list(word)
                before = sums[documents]
                sums[documents] = before + _scaled(impacts, times, sums)
                fresh.append(documents[before == 0] if size else documents)
                lists.append(documents)
                size += len(documents)
            if rest[0] - rest[at] > rest[at]:  # before, it cannot be enough
                few = not everywhere and size * _RATIO < self._len
                least = _kth(sums[np.concatenate(fresh)], k) if few else _kth_of_all(sums, k)
        if everywhere:
            found = np.flatnonzero(sums[: self._len] >= max(least - rest[at], 1))
        else:
            found = np.concatenate(fresh) if fresh else _NONE
        best = sums[found]
        for place in range(at, len(words)):
            found, best = _pruned(found, best, least - rest[place])
            best = self._looked_up(words[place], found, best, sums, lists)
            if len(found) > _FEW:
                least = max(least, _kth(best, k))
        if len(found) > _FEW:
            found, best = _pruned(found, best, max(least, _kth(best, k)))
        if everywhere:
            sums.fill(0)
        else:
            for documents in lists:
                sums[documents] = 0
        order = np.lexsort((found, -best))[:k]
        return found[order], best[order]

    def _looked_up(
        self, word: tuple[int, int, int], found: Array, best: Array, sums: Array, lists: list[Array]
    ) -> Array:
        """Add one word to the sums ``best`` of the documents ``found``."""
        _, number, times = word
        if (row := self._rows.get(number)) is not None:
            return np.asarray(best + _scaled(row[found], times, sums))
        documents, impacts = self._list(number)
        if len(found) * _RATIO < len(documents):
            places = np.searchsorted(documents, found)
            places[places == len(documents)] = 0
            return np.asarray(best + _scaled(np.where(documents[places] == found, impacts[places], 0), times, sums))
        sums[found] = best
        sums[documents] += _scaled(impacts, times, sums)
        lists.append(documents)
        return np.asarray(sums[found])

    def _list(self, word: int) -> tuple[Array, Array]:
        mine = slice(self._starts[word], self._starts[word + 1])
        return self._documents[mine], self._impacts[mine]

    def close(self) -> None:
        """Do nothing: files stay mapped until the index is deleted."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is not None:
            return type(self).open, (self.folder,)
        return type(self), (self._postings, self.k1, self.b)


class _Words:
    """Numbers of words stored on disk; those that were looked up are cached."""

    def __init__(self, folder: Path):
        self._starts = load_array(folder, "word_starts.npy").data
        self._text = load_array(folder, "words.npy").data
        self._table = KeyTable(folder, "words", self._word)
        self._known: dict[str, int] = {}

    def _word(self, number: int) -> str:
        return bytes(self._text[self._starts[number] : self._starts[number + 1]]).decode()

    def find(self, word: str) -> int | None:
        number = self._known.get(word)
        if number is None:
            number = self._table.find(word)
            if number is not None:
                if len(self._known) >= _REMEMBERED_WORDS:
                    self._known = {}
                self._known[word] = number
        return number


def _scaled(impacts: Array, times: int, sums: Array) -> Array:
    return impacts if times == 1 else np.multiply(impacts, times, dtype=sums.dtype)


def _pruned(found: Array, best: Array, least: int) -> tuple[Array, Array]:
    keep = best >= least
    return found[keep], best[keep]


def _kth(values: Array, k: int) -> int:
    """Return the ``k``-th largest value, 0 if there are fewer."""
    return int(np.partition(values, len(values) - k)[len(values) - k]) if len(values) >= k else 0


def _kth_of_all(sums: Array, k: int) -> int:
    """Return a lower bound close to the ``k``-th largest value: the ``k``-th largest of the maxima of groups."""
    if len(sums) >= 4 * k * _GROUPS:
        sums = sums.reshape(_GROUPS, -1).max(axis=0)
    return _kth(sums, k)


def _write(folder: Path, postings: Postings, k1: float, b: float, there: Sequence[str] = ()) -> None:
    """Write the missing arrays, the words, and the manifest."""
    for name in _ARRAYS:
        if name not in there:
            np.save(folder / f"{name}.npy", getattr(postings, name))
    texts = [word.encode() for word in postings.words]
    np.save(folder / "words.npy", np.frombuffer(b"".join(texts), np.uint8))
    np.save(folder / "word_starts.npy", np.cumsum([0, *map(len, texts)], dtype=np.int64))
    files = [f"{name}.npy" for name in (*_ARRAYS, "words", "word_starts")]
    files += write_keys(folder, "words", np.fromiter(map(hash_of, postings.words), np.uint64, len(texts)))
    seal(folder, KIND, VERSION, files, documents=postings.num_documents, words=len(texts), k1=k1, b=b)
