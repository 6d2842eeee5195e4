"""Worlds and retrievers, shared by all environments of a process.

An environment holds the name of a place (`Place`), never its content: it forks and pickles cheaply, and 64 episodes
share one index.
"""

import math
import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from turnwise.core.env import Split, seed_in_split
from turnwise.core.errors import SettingsError
from turnwise.envs.search import _parts
from turnwise.envs.search._disk import retriever_of
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.corpora.documents import Corpus
from turnwise.retrieval.index.text import tokens
from turnwise.worlds.documents import World, open_world
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["NO_WORLD", "Library", "Place", "digest_of", "library", "style_of", "world_seed"]

NO_WORLD = -1
MAX_LIBRARIES = 1024
MAX_DOCUMENTS = 2_000_000
"""Bounds of what a process keeps; the library used last is always kept."""
_SAMPLE = 1000  # documents for estimating word frequencies
_CACHED = 4096  # cached answers of a local retriever, and cached document vectors


class Place(NamedTuple):
    """The subject of questions: a world, or a user's retriever.

    Attributes:
        seed: Seed of the world; `NO_WORLD` if there is none.
        documents: Size of the world.
        style: Further settings of the world, sorted by name.
        retriever: A name for `make_retriever`; "" for BM25 over the world's documents.
    """

    seed: int
    documents: int
    style: tuple[tuple[str, Any], ...] = ()
    retriever: str = ""


class Library:
    """The content of a place. Thread-safe.

    Attributes:
        world: The world; None if there is none.
        retriever: Searches its documents.
        corpus: The documents by number, if they are in this process; else None.
    """

    def __init__(self, world: World | None, retriever: Retriever, corpus: Corpus | None) -> None:
        self.world, self.retriever, self.corpus = world, retriever, corpus
        self.local = corpus is not None
        self._idf: Callable[[str], float] | None = None
        self._cached = lru_cache(_CACHED)(self._search)
        self.vector = lru_cache(_CACHED)(self._vector)

    def __len__(self) -> int:
        """Return the number of documents; 0 if unknown."""
        return len(self.corpus) if self.corpus is not None else 0

    def search(self, query: str, k: int) -> Sequence[Hit]:
        """Return the best ``k`` documents; a local retriever's answers are cached.

        Raises:
            InfrastructureError: The retriever failed.
        """
        return self._cached(query, k) if self.local and len(query) < 1000 else self._search(query, k)

    def document(self, number: int) -> Document:
        """Return a document of the world."""
        if self.world is None:
            raise SettingsError("there is no world here, and no documents by number")
        if self.corpus is not None:
            return self.corpus[number]
        found = self.world.document(number)
        return Document(found.id, found.title, found.text)

    def ids(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the ids of documents of the world."""
        return tuple(self.document(number).id for number in numbers)

    def number(self, id: str) -> int | None:
        """Return the number of a document of the world; None if unknown."""
        return self.corpus.number_of(id) if self.corpus is not None else None

    def _search(self, query: str, k: int) -> Sequence[Hit]:
        return tuple(self.retriever.search([query], k)[0])

    def _vector(self, document: Document) -> dict[str, float]:
        """Return `_parts.tfidf` of a document, with the idf over up to 1,000 documents of the corpus."""
        if self._idf is None and self.corpus is not None:
            self._idf = _idf(self.corpus)
        return _parts.tfidf(document.contents, self._idf)

    def close(self) -> None:
        self.retriever.close()


def _idf(corpus: Corpus) -> Callable[[str], float]:
    """Return ln((1 + n) / (1 + df)) + 1 by word, over n evenly spaced documents of the corpus."""
    every = max(1, len(corpus) // _SAMPLE)
    chosen = range(0, len(corpus), every)
    frequencies: Counter[str] = Counter()
    for number in chosen:
        frequencies.update(set(tokens(corpus[number].contents)))
    table = {word: math.log((1 + len(chosen)) / (1 + df)) + 1 for word, df in frequencies.items()}
    rare = math.log(1 + len(chosen)) + 1
    return lambda word: table.get(word, rare)


# ---- what a process has open -----------------------------------------------------------------------------------------

_open: OrderedDict[Place, Library] = OrderedDict()
_lock = threading.Lock()
_building: dict[Place, threading.Lock] = {}


def library(place: Place) -> Library:
    """Return the content of a place, building it if this process does not have it.

    Raises:
        SettingsError: The world's settings or the retriever's name cannot be used.
    """
    found = _open.get(place)  # without the lock: at worst, dropped entries are rebuilt
    if found is not None:
        return found
    with _lock:
        building = _building.setdefault(place, threading.Lock())
    with building:
        found = _open.get(place)
        if found is None:
            found = _built(place)
            with _lock:
                _open[place] = found
                _drop()
                _building.pop(place, None)
    return found


def _drop() -> None:
    """Drop the oldest entries without closing them, as an episode in another thread may be using them."""
    while len(_open) > 1 and (len(_open) > MAX_LIBRARIES or sum(map(len, _open.values())) > MAX_DOCUMENTS):
        _open.popitem(last=False)


def _after_fork() -> None:
    """Reset locks, which a thread of the parent may have held, and drop the parent's connections."""
    global _lock
    _lock = threading.Lock()
    _building.clear()
    for place in [place for place in _open if place.retriever]:
        del _open[place]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _built(place: Place) -> Library:
    world = None
    if place.seed != NO_WORLD:
        world = open_world(place.seed, place.documents, **dict(place.style))
    if place.retriever:
        from turnwise.retrieval.make import make_retriever

        retriever = make_retriever(place.retriever)
        found = getattr(retriever, "corpus", None)
        if world is not None and found is not None and len(found) != world.num_documents:
            raise SettingsError(
                f"retriever is {place.retriever!r}, whose {len(found):,} documents are not the world's "
                f"{world.num_documents:,}; with documents of your own give questions, too"
            )
        return Library(world, retriever, getattr(retriever, "corpus", None))
    if world is None:
        raise SettingsError("questions of your own need a retriever: give one, such as retriever='bm25:FOLDER'")
    found = retriever_of(world)
    return Library(world, found, found.corpus)


# ---- which worlds ----------------------------------------------------------------------------------------------------


@lru_cache(4096)
def world_seed(base: int, split: Split, number: int, documents: int, style: tuple[tuple[str, Any], ...]) -> int:
    """Return the seed of world ``number`` of a split: the first hash of these whose world belongs to the split.

    Args:
        base: The user's number for the worlds.
        split: Split of its questions.
        number: From 0.
        documents: As in `Place`.
        style: As in `Place`.
    """
    return seed_in_split(split, lambda seed: digest_of(seed, documents, style), "search world", base, split, number)


@lru_cache(4096)
def digest_of(seed: int, documents: int, style: tuple[tuple[str, Any], ...]) -> str:
    """Return the world's digest, without building it."""
    return WorldSettings(seed, documents, **dict(style)).digest


def style_of(style: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return a style in the form of `Place`."""
    return tuple(sorted(style.items()))
