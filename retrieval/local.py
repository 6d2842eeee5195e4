"""A retriever in this process: a corpus and an index over the numbers of its documents."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.corpora.documents import Corpus

__all__ = ["Index", "LocalRetriever"]


class Index(Protocol):
    """Ranks the documents of a corpus by number; may be used by any number of threads at once."""

    def __len__(self) -> int:
        """Return the number of documents."""

    def search(self, queries: Sequence[str], k: int) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Return for each query the numbers and scores of the best ``k`` documents, best first; ties by number."""

    def close(self) -> None:
        """Close files."""


class LocalRetriever(Retriever):
    """Searches a corpus with an index of it.

    Args:
        corpus: The documents.
        index: Built from the ``contents`` of the same documents in the same order.

    Raises:
        SettingsError: They differ in the number of documents.
    """

    def __init__(self, corpus: Corpus, index: Index):
        if len(corpus) != len(index):
            raise SettingsError(
                f"the corpus has {len(corpus)} documents and the index {len(index)}: build the index from this corpus"
            )
        self.corpus = corpus
        self.index = index

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        corpus = self.corpus
        return [
            [Hit(corpus[number], score) for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)]
            for numbers, scores in self.index.search(queries, k)
        ]

    def document(self, id: str) -> Document | None:
        number = self.corpus.number_of(id)
        return None if number is None else self.corpus[number]

    def close(self) -> None:
        self.index.close()
        self.corpus.close()
