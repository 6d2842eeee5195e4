"""Combines several retrievers by fusing their rankings."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Annotated, Literal, TypeVar

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.retrieval.base import Document, Hit, Retriever

__all__ = ["Fusion", "HybridRetriever", "reciprocal_ranks", "weighted_scores"]

Fusion = Literal["rrf", "weighted"]
Key = TypeVar("Key", bound=Hashable)


class HybridRetriever(Retriever):
    """Asks several retrievers and ranks their results together. Documents with equal ids are the same.

    Args:
        retrievers: Two or more, over the same documents or others.
        method: "rrf": reciprocal ranks, which need no comparable scores; "weighted": a sum of scores.
        weights: One for each retriever, at least 0; None: all 1.
        rrf_k: The constant of reciprocal ranks: the higher, the less the first places stand out.
        depth: Least number of hits requested of each retriever; deeper hits do not count.
        order: Returns the position of the document with an id in the corpus, which decides between equal scores;
            without it, or if it returns None, the ranks decide, those of the first retriever first.

    Source: see `reciprocal_ranks` and `weighted_scores`.

    Raises:
        SettingsError: A setting is out of its range.
    """

    def __init__(
        self, retrievers: Sequence[Retriever], *, method: Fusion = "rrf", weights: Sequence[float] | None = None,
        rrf_k: Annotated[float, Range(0, below=math.inf)] = 60.0, depth: Annotated[int, Range(1)] = 100,
        order: Callable[[str], int | None] | None = None,
    ):  # fmt: skip
        if len(retrievers) < 2:
            raise SettingsError(f"there are {len(retrievers)} retrievers; a hybrid needs at least two")
        check_arguments(HybridRetriever.__init__, method=method, rrf_k=rrf_k, depth=depth)
        given = tuple(weights) if weights is not None else (1.0,) * len(retrievers)
        if len(given) != len(retrievers) or not all(w >= 0 and math.isfinite(w) for w in given) or not any(given):
            raise SettingsError(f"weights is {weights!r}; it must be {len(retrievers)} numbers >= 0, not all of them 0")
        self.retrievers, self.method, self.weights = tuple(retrievers), method, given
        self.rrf_k, self.depth, self.order = rrf_k, depth, order

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        found = [retriever.search(queries, max(k, self.depth)) for retriever in self.retrievers]
        return [self._fused(rankings, k) for rankings in zip(*found, strict=True)]

    def _fused(self, rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
        documents: dict[str, Document] = {}
        for hit in (hit for ranking in rankings for hit in ranking):
            documents.setdefault(hit.document.id, hit.document)
        pairs = [[(hit.document.id, hit.score) for hit in ranking] for ranking in rankings]
        if self.method == "rrf":
            scores = reciprocal_ranks([[id for id, _ in ranking] for ranking in pairs], self.rrf_k, self.weights)
        else:
            scores = weighted_scores(pairs, self.weights)
        ranks = [{id: rank for rank, (id, _) in enumerate(ranking)} for ranking in pairs]

        def place(id: str) -> tuple[float, ...]:
            number = self.order(id) if self.order else None
            return (-scores[id], math.inf if number is None else number, *(known.get(id, math.inf) for known in ranks))

        return [Hit(documents[id], scores[id]) for id in sorted(scores, key=place)[:k]]

    def document(self, id: str) -> Document | None:
        return next((found for retriever in self.retrievers if (found := retriever.document(id))), None)

    def close(self) -> None:
        for retriever in self.retrievers:
            retriever.close()


def reciprocal_ranks(
    rankings: Sequence[Sequence[Key]], k: float = 60.0, weights: Sequence[float] | None = None
) -> dict[Key, float]:
    """Fuse rankings: the score of a key is the sum of ``weight / (k + rank)`` over the rankings with it, ranks from 1.

    The sum is rounded once, so it does not depend on the order of the rankings.

    Source: Cormack, Clarke & Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
    Methods, SIGIR 2009 (k = 60, no weights).

    >>> reciprocal_ranks([["a", "b"], ["b", "c"]], 0)
    {'a': 1.0, 'b': 1.5, 'c': 0.5}
    """
    parts: dict[Key, list[float]] = {}
    for ranking, weight in zip(rankings, weights or (1.0,) * len(rankings), strict=True):
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            parts.setdefault(key, []).append(weight / (k + rank))
    return {key: math.fsum(terms) for key, terms in parts.items()}


def weighted_scores(
    rankings: Sequence[Sequence[tuple[Key, float]]], weights: Sequence[float] | None = None
) -> dict[Key, float]:
    """Fuse scores: the score of a key is the weighted mean of its scores, 0 in rankings without it.

    A ranking's scores become ``(score - lowest) / (highest - lowest)`` first, or 1 where all are equal.

    Source: Bruch, Gai & Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, arXiv 2210.11934, section 4 (the
    convex combination with min-max scaling).

    >>> weighted_scores([[("a", 7.0), ("b", 5.0), ("c", 3.0)], [("b", 0.9), ("a", 0.1)]], [1, 3])
    {'a': 0.25, 'b': 0.875, 'c': 0.0}
    """
    given = tuple(weights or (1.0,) * len(rankings))
    total = math.fsum(given)
    parts: dict[Key, list[float]] = {}
    for ranking, weight in zip(rankings, given, strict=True):
        scores = [score for _, score in ranking]
        low, span = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
        for key, score in ranking:
            parts.setdefault(key, []).append(weight * ((score - low) / span if span else 1.0))
    return {key: math.fsum(terms) / total for key, terms in parts.items()}
