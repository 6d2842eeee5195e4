"""The interface of every retriever: query texts in, ranked documents out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

__all__ = ["Document", "Hit", "Retriever"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus.

    Attributes:
        id: Unique in its corpus; ``Retriever.document`` looks it up.
        title: May be "".
        text: Without the title.
    """

    id: str
    title: str
    text: str

    @property
    def contents(self) -> str:
        """Return title and text as Search-R1 stores them: the quoted title, a line break, the text."""
        return f'"{self.title}"\n{self.text}'


class Hit(NamedTuple):
    """A document that was found and its score: higher is better, comparable only within one answer."""

    document: Document
    score: float


class Retriever(ABC):
    """Finds documents; may be used by any number of threads at once."""

    @abstractmethod
    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return the best ``k`` documents for each query, best first, equal scores in the corpus's order.

        There are fewer if fewer match. Any text is a query; one without a word of the corpus finds nothing.

        Raises:
            InfrastructureError: A server or an index failed, which is never shown as an empty answer.
        """

    def document(self, id: str) -> Document | None:
        """Return the document with that id; None if it does not exist or this retriever cannot look documents up.

        Raises:
            InfrastructureError: A server or an index failed.
        """
        return None

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Close files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
