"""Documents by number: in memory, or in one memory-mapped file for corpora of any size."""

import mmap
import os
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.retrieval.base import Document
from turnwise.retrieval.index.folders import load_array, open_folder, seal, unseal
from turnwise.retrieval.index.keys import KeyTable, hash_of, write_keys

__all__ = ["Corpus", "FileCorpus", "MemoryCorpus", "write_corpus"]

KIND, VERSION = "turnwise corpus", 1
DATA, STARTS, IDS = "documents.bin", "starts.npy", "ids"


class Corpus(ABC):
    """Documents numbered from 0, each with a unique id; may be used by any number of threads at once."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of documents."""

    @abstractmethod
    def __getitem__(self, number: int) -> Document:
        """Return the document with that number.

        Raises:
            IndexError: It is not in 0 … len - 1.
        """

    @abstractmethod
    def number_of(self, id: str) -> int | None:
        """Return the number of the document with that id; None if it does not exist."""

    def __iter__(self) -> Iterator[Document]:
        return (self[number] for number in range(len(self)))

    def close(self) -> None:  # noqa: B027 - most have none
        """Close its files."""


class MemoryCorpus(Corpus):
    """A corpus in a list.

    Raises:
        SettingsError: Two documents have the same id.
    """

    def __init__(self, documents: Iterable[Document]):
        self._documents = list(documents)
        self._numbers: dict[str, int] = {}
        for number, document in enumerate(self._documents):
            if (first := self._numbers.setdefault(document.id, number)) != number:
                raise SettingsError(_duplicate(document.id, first, number))

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, number: int) -> Document:
        if number < 0:
            raise IndexError(number)
        return self._documents[number]

    def number_of(self, id: str) -> int | None:
        return self._numbers.get(id)


class FileCorpus(Corpus):
    """A corpus in a folder that `write_corpus` wrote, memory-mapped: processes share it, and little is in memory.

    It is pickled as the name of its folder.

    Args:
        folder: The folder.
        verify: Compare the files' checksums, not only their sizes.

    Raises:
        SettingsError: The folder does not contain a complete corpus of this format.
    """

    def __init__(self, folder: str | os.PathLike[str], verify: bool = False):
        self.folder = Path(folder)
        self._len: int = open_folder(folder, KIND, VERSION, verify)["documents"]
        self._starts = load_array(self.folder, STARTS).data
        self._data = _mapped(self.folder / DATA)
        self._ids = KeyTable(self.folder, IDS, self._id)

    def __len__(self) -> int:
        return self._len

    def __getitem__(self, number: int) -> Document:
        if not 0 <= number < self._len:
            raise IndexError(number)
        start, title, text, end = self._starts[3 * number : 3 * number + 4].tolist()
        data = self._data[start:end]
        title, text = title - start, text - start
        return Document(_string(data[:title]), _string(data[title:text]), _string(data[text:]))

    def number_of(self, id: str) -> int | None:
        return self._ids.find(id)

    def _id(self, number: int) -> str:
        return _string(self._data[self._starts[3 * number] : self._starts[3 * number + 1]])

    def close(self) -> None:
        if isinstance(self._data, mmap.mmap):
            self._data.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder,)


def write_corpus(
    folder: str | os.PathLike[str],
    documents: Iterable[Document],
    progress: Callable[[int], None] | None = None,
) -> FileCorpus:
    """Write a corpus into a folder, one document at a time; memory is 32 bytes a document, whatever their texts.

    Args:
        folder: Created if missing; a corpus in it is overwritten.
        documents: Each id may occur once.
        progress: Called with the number of documents written, every thousand.

    Raises:
        SettingsError: Two documents have the same id, or the folder cannot be written; it then has no corpus.
    """
    path = unseal(folder)
    starts, hashes = array("Q", [0]), array("Q")
    end = 0
    with (path / DATA).open("wb") as file:
        for number, document in enumerate(documents, 1):
            for part in (document.id, document.title, document.text):
                end += file.write(part.encode("utf-8", "surrogatepass"))
                starts.append(end)
            hashes.append(hash_of(document.id))
            if progress and number % 1000 == 0:
                progress(number)
    np.save(path / STARTS, np.frombuffer(starts, np.uint64))
    files = [DATA, STARTS, *write_keys(path, IDS, np.frombuffer(hashes, np.uint64))]
    _refuse_duplicates(path)
    seal(path, KIND, VERSION, files, documents=len(hashes))
    return FileCorpus(path)


def _refuse_duplicates(folder: Path) -> None:
    """Compare the ids of documents with equal hashes, and raise an error for equal ones."""
    hashes, numbers = load_array(folder, f"{IDS}_hashes.npy"), load_array(folder, f"{IDS}_numbers.npy")
    starts, data = load_array(folder, STARTS), _mapped(folder / DATA)
    twins: dict[int, list[int]] = {}
    for at in np.flatnonzero(hashes[1:] == hashes[:-1]).tolist():
        twins.setdefault(int(hashes[at]), [int(numbers[at])]).append(int(numbers[at + 1]))
    for same in twins.values():
        seen: dict[bytes, int] = {}
        for number in same:
            id = bytes(data[int(starts[3 * number]) : int(starts[3 * number + 1])])
            if (first := seen.setdefault(id, number)) != number:
                raise SettingsError(_duplicate(_string(id), first, number))


def _duplicate(id: str, first: int, second: int) -> str:
    return f"documents {first} and {second} (from 0) both have the id {id!r}; each must have its own"


def _mapped(file: Path) -> mmap.mmap | bytes:
    with file.open("rb") as stream:
        if not file.stat().st_size:  # which cannot be mapped
            return b""
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def _string(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
