"""BM25 by tantivy: for corpora of millions of documents, almost nothing of which is kept in memory."""

import importlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.retrieval.index.folders import open_folder, seal, unseal
from turnwise.retrieval.index.text import query_tokens, tokens

__all__ = ["TantivyIndex"]

KIND, VERSION = "turnwise tantivy index", 1
_HEAP_BYTES = 200_000_000
_MORE = 8  # documents requested beyond k, to see where equal scores end

Array = NDArray[Any]


class TantivyIndex:
    """Ranks documents by tantivy's BM25, with our words and our order of equal scores.

    Texts are tokenised by `turnwise.retrieval.index.text` and a query is a disjunction of its words, each as
    often as it occurs: there is no query syntax, and no text is refused. The formula is that of `Bm25Index` times
    k1 + 1, with k1 = 1.2 and b = 0.75, but tantivy stores a document's length in 8 bits: lengths above 40 are rounded
    down (by up to an eighth), so ranks differ from the exact ones if scores are close. One thread writes, so that two
    builds rank alike.

    May be used by any number of threads and, opened from a folder, processes at once. Made by `build` or `open`.

    Raises:
        MissingDependencyError: The package tantivy is not installed.
    """

    def __init__(self, index: Any, num_documents: int, folder: Path | None = None):
        self.folder = folder
        self._len = num_documents
        self._tantivy = _imported()
        self._index = index
        self._searcher = index.searcher()

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        *,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Self:
        """Build the index of texts, numbered from 0.

        Args:
            texts: One for each document, read once.
            folder: Where it is written; without it the index is in memory and cannot be pickled.
            progress: Called with the number of documents, every thousand.

        Raises:
            SettingsError: The folder cannot be written.
            MissingDependencyError: The package tantivy is not installed.
        """
        tantivy = _imported()
        path = None if folder is None else unseal(folder)
        if path:
            _cleared(path)
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
        schema.add_unsigned_field("number", fast=True)
        index = tantivy.Index(schema.build(), None if path is None else str(path))
        writer = index.writer(_HEAP_BYTES, 1)
        number = -1
        for number, text in enumerate(texts):
            document = tantivy.Document()
            document.add_text("words", " ".join(tokens(text)))
            document.add_unsigned("number", number)
            writer.add_document(document)
            if progress and not (number + 1) % 1000:
                progress(number + 1)
        writer.commit()
        writer.wait_merging_threads()
        if path is None:
            index.reload()
            return cls(index, number + 1)
        files = sorted(file.name for file in path.iterdir() if not file.name.endswith(".lock"))
        seal(path, KIND, VERSION, files, documents=number + 1)
        return cls.open(path)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], verify: bool = False) -> Self:
        """Open the index in a folder, memory-mapped: processes share it, and it is pickled as the folder's name.

        Args:
            folder: A folder that `build` wrote.
            verify: Compare the files' checksums, not only their sizes.

        Raises:
            SettingsError: The folder does not contain a complete index of this format.
            MissingDependencyError: The package tantivy is not installed.
        """
        tantivy = _imported()
        facts = open_folder(folder, KIND, VERSION, verify)
        try:
            return cls(tantivy.Index.open(str(folder)), facts["documents"], Path(folder))
        except ValueError as error:
            raise SettingsError(f"{str(folder)!r} cannot be opened by tantivy: {error}; build it again") from error

    def __len__(self) -> int:
        return self._len

    def search(self, queries: Sequence[str], k: int) -> list[tuple[Array, Array]]:
        """Return the result of `top` for each query."""
        return [self.top(query, k) for query in queries]

    def top(self, query: str, k: int) -> tuple[Array, Array]:
        """Return the best ``k`` documents for a query: their numbers (int64) and scores (float64, above 0), best first.

        Raises:
            SettingsError: ``k`` is less than 1.
            InfrastructureError: tantivy failed.
        """
        if k < 1:
            raise SettingsError(f"k is {k!r}; it must be at least 1")
        try:
            return self._top(query, min(k, self._len))
        except (ValueError, OSError) as error:
            raise InfrastructureError(f"tantivy failed on the query {query[:80]!r}: {error}") from error

    def _top(self, query: str, k: int) -> tuple[Array, Array]:
        asked = self._query(query)
        if asked is None or not k:
            return np.zeros(0, np.int64), np.zeros(0)
        limit = k + _MORE
        while True:
            hits = self._searcher.search(asked, limit, count=False).hits
            if len(hits) < limit or hits[k - 1][0] > hits[-1][0]:
                break
            limit *= 4
        scores = np.array([score for score, _ in hits])
        numbers = np.array(self._searcher.fast_field_values("number", [place for _, place in hits]), np.int64)
        order = np.lexsort((numbers, -scores))[:k]
        return numbers[order], scores[order]

    def _query(self, query: str) -> Any:
        queries = self._tantivy.Query
        schema = self._index.schema
        parts = []
        for word, times in Counter(query_tokens(query)).items():
            part = queries.term_query(schema, "words", word, "freq")
            parts.append((self._tantivy.Occur.Should, part if times == 1 else queries.boost_query(part, times)))
        return queries.boolean_query(parts) if parts else None

    def close(self) -> None:
        """Do nothing: files stay mapped until the index is deleted."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is None:
            raise TypeError("an index in memory cannot be pickled: build it with folder=")
        return type(self).open, (self.folder,)


def _cleared(folder: Path) -> None:
    """Remove what a killed build left behind."""
    try:
        names = json.loads((folder / ".managed.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    for name in [*names, "meta.json", ".managed.json"]:
        (folder / Path(name).name).unlink(missing_ok=True)


def _imported() -> Any:
    try:
        return importlib.import_module("tantivy")
    except ImportError as error:
        raise MissingDependencyError.of("tantivy", "search") from error
