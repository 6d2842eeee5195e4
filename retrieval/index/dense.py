"""Search by vectors of any sentence-transformers model: exact, over a memory-mapped array."""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.retrieval.index.folders import open_folder, seal, unseal

__all__ = ["DenseIndex", "Encoder", "SentenceEncoder"]

Array = NDArray[Any]
Dtype = Literal["float16", "float32"]
KIND, VERSION = "turnwise dense index", 1
VECTORS = "vectors.bin"
_BLOCK_BYTES = 1 << 25  # of float32 vectors at a time
_E5 = re.compile(r"(?:^|[-_/\\])e5[-_](?!.*instruct)", re.IGNORECASE)


class Encoder(Protocol):
    """Encodes texts as vectors; may be used by any number of threads at once."""

    def encode(self, texts: Sequence[str], query: bool) -> Array:
        """Return the vectors of queries or documents, shape ``(len(texts), dimensions)``."""


class SentenceEncoder:
    """A model of sentence-transformers, loaded at its first use, once per process.

    Args:
        model: Name or folder.
        device: "cpu", "cuda", "cuda:1", "mps"; empty: a GPU if there is one.
        batch_size: Texts at a time.
        query_prefix: Prepended to each query. None: the model's own: "query: " for E5 (documented only on its card),
            otherwise the prompt in its configuration.
        passage_prefix: Prepended to each document; likewise ("passage: ").

    Source: Reimers & Gurevych, Sentence-BERT, arXiv 1908.10084; Wang et al., E5, arXiv 2212.03533 (the prefixes).

    Raises:
        MissingDependencyError: sentence-transformers is not installed.
        SettingsError: The model cannot be loaded.
    """

    def __init__(
        self, model: str, device: str = "", batch_size: int = 64, query_prefix: str | None = None,
        passage_prefix: str | None = None,
    ):  # fmt: skip
        e5 = _E5.search(model) is not None
        self.model, self.device, self.batch_size = model, device, batch_size
        self.query_prefix = "query: " if query_prefix is None and e5 else query_prefix
        self.passage_prefix = "passage: " if passage_prefix is None and e5 else passage_prefix

    def encode(self, texts: Sequence[str], query: bool) -> Array:
        model, lock = _loaded(self.model, self.device)
        prefix = self.query_prefix if query else self.passage_prefix
        encode = model.encode if prefix is not None else model.encode_query if query else model.encode_document
        settings = {} if prefix is None else {"prompt": prefix}
        with lock:  # tokenizers are not thread-safe
            found = encode(list(texts), batch_size=self.batch_size, show_progress_bar=False, **settings)
        return np.asarray(found, np.float32)


_LOADING = threading.Lock()


def _loaded(model: str, device: str) -> tuple[Any, threading.Lock]:
    with _LOADING:
        return _load(model, device)


@lru_cache(maxsize=4)
def _load(model: str, device: str) -> tuple[Any, threading.Lock]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingDependencyError.of("sentence-transformers", "dense") from error
    try:
        return SentenceTransformer(model, device=device or None), threading.Lock()
    except (OSError, ValueError) as error:
        raise SettingsError(f"model is {model!r}, which cannot be loaded: {error}") from error


class DenseIndex:
    """Ranks documents by the cosine of their vector and the query's: exact, over all documents.

    Vectors have length 1 before they are rounded to ``dtype``. The candidates are found by single-precision products of
    whole blocks; those that rounding might have misplaced are computed again in double precision and in a fixed order,
    so that ranks do not depend on other queries, and equal vectors are ranked in the documents' order. (A
    query's vector itself may differ in its last bits with its batch and device.)

    May be used by any number of threads and, opened from a folder, processes at once. Made by `build` or `open`.

    Args:
        vectors: Shape ``(documents, dimensions)``.
        encoder: Encodes queries.
        folder: Folder that it was opened from.
    """

    def __init__(self, vectors: Array, encoder: Encoder, folder: Path | None = None):
        self.encoder, self.folder = encoder, folder
        self._vectors = vectors
        self._rows = max(1, _BLOCK_BYTES // (4 * max(1, vectors.shape[1])))

    @classmethod
    def build(
        cls, texts: Iterable[str], *, model: str = "", dtype: Dtype = "float16", device: str = "",
        batch_size: Annotated[int, Range(1)] = 64,
        query_prefix: str | None = None, passage_prefix: str | None = None, encoder: Encoder | None = None,
        folder: str | os.PathLike[str] | None = None, progress: Callable[[int], None] | None = None,
    ) -> Self:  # fmt: skip
        """Build the index of texts, numbered from 0, in memory for the model, and without a folder for the vectors.

        Args:
            texts: One for each document, read once.
            model: Name or folder of a sentence-transformers model. See `SentenceEncoder` for the next four.
            dtype: Type of the stored vectors: 2 or 4 bytes a dimension.
            device: Where the model runs.
            batch_size: Texts at a time.
            query_prefix: Prepended to queries.
            passage_prefix: Prepended to documents.
            folder: Build it there and open it from there.
            progress: Called with the number of documents encoded.
            encoder: Used instead of ``model``; `open` then needs it as well.

        Raises:
            SettingsError: The model cannot be loaded, it gives an unusable vector, or the folder cannot be written.
            MissingDependencyError: sentence-transformers is not installed.
        """
        check_arguments(cls.build, dtype=dtype, batch_size=batch_size)
        if not model and encoder is None:
            raise SettingsError("model is ''; it must be the name or folder of a sentence-transformers model")
        model = os.path.abspath(model) if os.path.isdir(model) else model
        ours = encoder or SentenceEncoder(model, device, batch_size, query_prefix, passage_prefix)
        parts = (
            _unit(ours.encode(batch, False), number * 16 * batch_size).astype(dtype)
            for number, batch in enumerate(_batches(texts, 16 * batch_size))
        )
        if folder is None:
            kept = list(_counted(parts, progress))
            return cls(np.concatenate(kept) if kept else np.zeros((0, 1), dtype), ours)
        path, shape = unseal(folder), [0, 1]
        with (path / VECTORS).open("wb") as file:
            for part in _counted(parts, progress):
                file.write(np.ascontiguousarray(part).tobytes())
                shape = [shape[0] + len(part), part.shape[1]]
        seal(
            path, KIND, VERSION, [VECTORS], documents=shape[0], dimensions=shape[1], dtype=dtype, model=model,
            query_prefix=query_prefix, passage_prefix=passage_prefix,
        )  # fmt: skip
        return cls.open(path, device=device, batch_size=batch_size, encoder=encoder)

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str], verify: bool = False, *, device: str = "", batch_size: int = 64,
        encoder: Encoder | None = None,
    ) -> Self:  # fmt: skip
        """Open the index in a folder, memory-mapped; the model is loaded at the first search.

        Args:
            folder: A folder that `build` wrote.
            verify: Compare the files' checksums, not only their sizes.
            device: Where the model runs.
            batch_size: Queries at a time.
            encoder: Used instead of the model that the index was built with.

        Raises:
            SettingsError: The folder does not contain a complete index of this format.
        """
        facts = open_folder(folder, KIND, VERSION, verify)
        path, shape = Path(folder), (facts["documents"], facts["dimensions"])
        vectors: Array = np.zeros(shape, facts["dtype"])
        if shape[0]:
            vectors = np.memmap(path / VECTORS, facts["dtype"], "r", shape=shape)
        prefixes = facts["query_prefix"], facts["passage_prefix"]
        return cls(vectors, encoder or SentenceEncoder(facts["model"], device, batch_size, *prefixes), path)

    def __len__(self) -> int:
        return len(self._vectors)

    def search(self, queries: Sequence[str], k: int) -> list[tuple[Array, Array]]:
        """Return for each query the numbers and cosines of the best ``k`` documents, best first, equal ones by number.

        Raises:
            SettingsError: The model is not that of the index, or gives an unusable vector.
        """
        k = min(k, len(self))
        if not queries or k < 1:
            return [(np.zeros(0, np.int64), np.zeros(0)) for _ in queries]
        asked = _unit(self.encoder.encode(list(queries), True), 0)
        if asked.shape[1] != self._vectors.shape[1]:
            raise SettingsError(
                f"the model makes vectors of {asked.shape[1]} numbers, and the index {self.folder or ''} has those of "
                f"{self._vectors.shape[1]}: open it with the model it was built with"
            )
        return [
            self._ranked(candidates, query, k) for candidates, query in zip(self._near(asked, k), asked, strict=True)
        ]

    def _near(self, queries: Array, k: int) -> list[Array]:
        """Return for each query the numbers of all documents that may be among the best ``k``."""
        margin = 2.0 * queries.shape[1] * 2.0**-23  # twice the largest error of a product
        wanted = queries.astype(np.float32)
        kept = [(np.zeros(0, np.int64), np.zeros(0, np.float32)) for _ in queries]
        for start in range(0, len(self), self._rows):
            scores = wanted @ self._vectors[start : start + self._rows].astype(np.float32).T
            for at, (numbers, known) in enumerate(kept):
                both = np.concatenate([known, scores[at]])
                floor = np.partition(both, len(both) - k)[len(both) - k] - margin if len(both) >= k else -np.inf
                new = np.flatnonzero(scores[at] >= floor)
                old = known >= floor
                kept[at] = (
                    np.concatenate([numbers[old], new + start]), np.concatenate([known[old], scores[at][new]]),
                )  # fmt: skip
        return [numbers for numbers, _ in kept]

    def _ranked(self, numbers: Array, query: Array, k: int) -> tuple[Array, Array]:
        scores = (self._vectors[numbers].astype(np.float64) * query).sum(axis=1)
        order = np.lexsort((numbers, -scores))[:k]
        return numbers[order], scores[order]

    def close(self) -> None:
        """Do nothing: the array is freed with the index."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is None or not isinstance(self.encoder, SentenceEncoder):
            raise TypeError("only an index that was opened from a folder, with its own model, can be pickled")
        return _reopen, (self.folder, self.encoder.device, self.encoder.batch_size)


def _reopen(folder: Path, device: str, batch_size: int) -> DenseIndex:
    return DenseIndex.open(folder, device=device, batch_size=batch_size)


def _unit(vectors: Array, first: int) -> Array:
    """Normalise vectors to length 1, in double precision."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise SettingsError(f"the model gives an unusable vector for text {first + int(bad[0])} (zeros or no numbers)")
    return np.asarray(exact / lengths)


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(texts)
    while batch := list(islice(remaining, size)):
        yield batch


def _counted(parts: Iterable[Array], progress: Callable[[int], None] | None) -> Iterator[Array]:
    done = 0
    for part in parts:
        done += len(part)
        yield part
        if progress:
            progress(done)
