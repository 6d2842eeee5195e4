"""Documents and index of a large world, stored on disk once per machine."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from turnwise.core.errors import SettingsError
from turnwise.core.files import waited_for
from turnwise.retrieval.base import Document
from turnwise.retrieval.corpora.documents import FileCorpus, MemoryCorpus, write_corpus
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.local import LocalRetriever
from turnwise.worlds.documents import World
from turnwise.worlds.documents.cache import DISK_DOCUMENTS, cache_folder

__all__ = ["documents_of", "retriever_of"]


def documents_of(world: World) -> Iterator[Document]:
    """Yield the documents of a world, in the form of retrievers."""
    return (Document(id, title, text) for id, title, text in world.documents())


def retriever_of(world: World) -> LocalRetriever:
    """Return BM25 over a world's documents: in memory, or memory-mapped from the cache from 20,000 documents.

    The folder is that of worlds: ``$TURNWISE_CACHE/worlds``, or ``~/.cache/turnwise/worlds``. If it cannot be written,
    everything is in memory.
    """
    if world.num_documents >= DISK_DOCUMENTS:
        with contextlib.suppress(OSError):
            return _from_disk(world)
    corpus = MemoryCorpus(documents_of(world))
    return LocalRetriever(corpus, Bm25Index.build(document.contents for document in corpus))


def _from_disk(world: World) -> LocalRetriever:
    folder = cache_folder() / f"{world.settings.digest}-bm25"
    folder.mkdir(parents=True, exist_ok=True)
    with waited_for(folder.with_suffix(".lock")):
        try:
            return _opened(folder)
        except SettingsError:  # missing, unfinished, or of another version
            corpus = write_corpus(folder / "corpus", documents_of(world))
            Bm25Index.build((document.contents for document in corpus), folder=folder / "index")
    return _opened(folder)


def _opened(folder: Path) -> LocalRetriever:
    return LocalRetriever(FileCorpus(folder / "corpus"), Bm25Index.open(folder / "index"))
