"""Counting words into an inverted index, in memory or on disk."""

import shutil
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from turnwise.core.errors import SettingsError
from turnwise.retrieval.index.folders import load_array
from turnwise.retrieval.index.text import tokens

__all__ = ["UNIT", "Postings", "build_postings"]

UNIT = 1 << 20
"""Scores are whole numbers of 2⁻²⁰."""

DENSE = 8
"""A word in at least one of so many documents is stored as a row with an entry per document instead of a list."""

_CHUNK_CHARACTERS = 1 << 22
_PART_POSTINGS = 1 << 20
Array = NDArray[Any]


@dataclass(frozen=True)
class Postings:
    """An inverted index: for each word the documents that contain it and what it adds to their scores.

    Attributes:
        num_documents: Number of documents in the corpus.
        starts: (words + 1,) int64; the list of word ``w`` is ``starts[w]:starts[w + 1]``, empty for words with a row.
        documents: Documents of all lists, int32, increasing within a list.
        impacts: What the word adds to the score of each, int32, in `UNIT`s, at least 1.
        bounds: (words,) int32; the largest impact of each word.
        rows: (words with a row, documents) int32; impacts, 0 for documents without the word.
        row_words: The words with a row, increasing, int32.
        words: All words in order of their first appearance; empty if they are on disk.
    """

    num_documents: int
    starts: Array
    documents: Array
    impacts: Array
    bounds: Array
    rows: Array
    row_words: Array
    words: list[str]


def build_postings(
    texts: Iterable[str],
    k1: float,
    b: float,
    folder: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Postings:
    """Count the words of all texts: chunks of texts first, then lists of words across all chunks.

    Args:
        texts: One for each document.
        k1: BM25's k1.
        b: BM25's b.
        folder: Where the arrays, and temporarily chunks, are written; without it everything is in memory.
        progress: Called with the number of documents counted so far.
    """
    spill = None if folder is None else folder / "chunks"
    try:
        if spill:
            shutil.rmtree(spill, ignore_errors=True)  # left by a build that was killed
            spill.mkdir()
        words = _Words()
        chunks: list[_Chunk] = []
        lengths = array("q")
        for batch in _batches(texts):
            chunk = _counted(batch, words, lengths)
            chunks.append(chunk.spilled(spill, len(chunks)) if spill else chunk)
            if progress:
                progress(len(lengths))
        return _merged(chunks, list(words), np.array(lengths, np.int64), k1, b, folder)
    finally:
        if spill:
            shutil.rmtree(spill, ignore_errors=True)


class _Words(dict[str, int]):
    """Words numbered in order of appearance."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


@dataclass(frozen=True)
class _Chunk:
    """Word counts of some consecutive texts.

    Attributes:
        words: Words that occur, increasing, int32.
        starts: (words + 1,) int64; where each word's postings start.
        postings: (postings, 2) int32; document and occurrences of the word in it, documents increasing for each word.
            Or the file that contains them: read, not mapped, as mapped pages would count as memory.
    """

    words: Array
    starts: Array
    postings: Array | Path

    def spilled(self, folder: Path, number: int) -> "_Chunk":
        """Return the same chunk with its arrays in a folder."""
        words, starts, postings = (f"{number}_{name}" for name in ("words.npy", "starts.npy", "postings"))
        np.save(folder / words, self.words)
        np.save(folder / starts, self.starts)
        np.asarray(self.postings).tofile(folder / postings)
        return _Chunk(load_array(folder, words), load_array(folder, starts), folder / postings)

    def read(self, begin: int, end: int) -> Array:
        """Read the postings ``begin:end``."""
        if isinstance(self.postings, Path):
            return np.fromfile(self.postings, np.int32, 2 * (end - begin), offset=8 * begin).reshape(-1, 2)
        return self.postings[begin:end]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _CHUNK_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _counted(texts: list[str], words: _Words, lengths: "array[int]") -> _Chunk:
    """Count the words of texts into a chunk; number new words and append the texts' lengths."""
    number = words.__getitem__
    first = len(lengths)
    flat = array("i")
    for text in texts:
        found = tokens(text)
        lengths.append(len(found))
        flat.extend(map(number, found))
    where = np.repeat(np.arange(len(texts)), np.array(lengths[first:], np.int64))
    keys = np.array(flat, np.int64) * len(texts) + where
    keys.sort()
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    which, where = np.divmod(keys[firsts], len(texts))
    postings = np.stack((where + first, np.diff(firsts, append=len(keys))), axis=1).astype(np.int32)
    starts = np.flatnonzero(np.diff(which, prepend=-1, append=len(words)))
    return _Chunk(which[starts[:-1]].astype(np.int32), starts, postings)


def _merged(
    chunks: list[_Chunk], words: list[str], lengths: Array, k1: float, b: float, folder: Path | None
) -> Postings:
    num_documents = len(lengths)
    if num_documents >= 1 << 31:
        raise SettingsError(f"an index holds at most {(1 << 31) - 1} documents; this corpus has {num_documents}")
    sizes = np.zeros(len(words), np.int64)
    for chunk in chunks:
        sizes[chunk.words] += np.diff(chunk.starts)
    mean = int(lengths.sum()) / max(num_documents, 1)
    saturation = k1 * (1 - b + b * (lengths / max(mean, 1e-9)))
    weights = _ln(1 + (num_documents - sizes + 0.5) / (sizes + 0.5))
    dense = sizes * DENSE >= num_documents
    starts = np.concatenate(([0], np.cumsum(np.where(dense, 0, sizes))))
    row_words = np.flatnonzero(dense).astype(np.int32)
    bounds = np.zeros(len(words), np.int32)
    documents = _Column(folder, "documents.npy", (int(starts[-1]),))
    impacts = _Column(folder, "impacts.npy", (int(starts[-1]),))
    rows = _Column(folder, "rows.npy", (len(row_words), num_documents))
    for first, last in _parts(sizes):
        where, times = _gathered(chunks, sizes[first:last], first, last)
        which = np.repeat(np.arange(first, last), sizes[first:last])
        values = np.rint(weights[which] * (times / (times + saturation[where])) * UNIT)
        added = np.maximum(values, 1).astype(np.int32)
        bounds[first:last] = np.maximum.reduceat(added, np.cumsum(sizes[first:last]) - sizes[first:last])
        for word in (np.flatnonzero(dense[first:last]) + first).tolist():
            row = np.zeros(num_documents, np.int32)
            mine = slice(*np.searchsorted(which, [word, word + 1]))
            row[where[mine]] = added[mine]
            rows.append(row)
        listed = ~dense[which]
        documents.append(where[listed])
        impacts.append(added[listed])
    return Postings(num_documents, starts, documents.done(), impacts.done(), bounds, rows.done(), row_words, words)


def _parts(sizes: Array) -> Iterator[tuple[int, int]]:
    """Split words into runs with similar numbers of postings, at least one word in each."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + _PART_POSTINGS, "right")), first + 1)
        yield first, last
        first = last


def _gathered(chunks: list[_Chunk], sizes: Array, first: int, last: int) -> tuple[Array, Array]:
    """Gather documents and occurrences of the words ``first:last`` from all chunks, word by word."""
    free = np.cumsum(sizes) - sizes
    postings = np.empty((int(sizes.sum()), 2), np.int32)
    for chunk in chunks:
        start, end = np.searchsorted(chunk.words, [first, last])
        starts = chunk.starts[start : end + 1]
        mine, counts = chunk.words[start:end] - first, np.diff(starts)
        places = np.arange(starts[-1] - starts[0]) + np.repeat(free[mine] - starts[:-1] + starts[0], counts)
        postings[places] = chunk.read(int(starts[0]), int(starts[-1]))
        free[mine] += counts
    return postings[:, 0], postings[:, 1]


class _Column:
    """An int32 array filled from its start, in memory or in a file."""

    def __init__(self, folder: Path | None, name: str, shape: tuple[int, ...]):
        self._folder, self._name = folder, name
        self._array = np.empty(0 if folder else shape, np.int32)
        self._flat = self._array.reshape(-1)
        self._file: BinaryIO | None = None
        self._end = 0
        if folder:
            self._file = (folder / name).open("wb")
            header = {"descr": "<i4", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(self._file, header)

    def append(self, values: Array) -> None:
        if self._file:
            self._file.write(np.ascontiguousarray(values, "<i4").data)
        else:
            self._flat[self._end : self._end + len(values)] = values
            self._end += len(values)

    def done(self) -> Array:
        if self._file is None or self._folder is None:
            return self._array
        self._file.close()
        return load_array(self._folder, self._name)


def _ln(x: Array) -> Array:
    """Compute the natural logarithm by elementary operations: the same bits on every machine."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < 0.7071067811865476
    mantissa, exponent = np.where(low, mantissa * 2, mantissa), exponent - low
    ratio = (mantissa - 1) / (mantissa + 1)
    square, series = ratio * ratio, np.zeros_like(ratio)
    for odd in range(25, 0, -2):  # 2 artanh(ratio); ratio² < 0.03
        series = series * square + 1 / odd
    return np.asarray(2 * ratio * series + exponent * 0.6931471805599453)
