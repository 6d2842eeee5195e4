"""What every retriever is: texts of queries in, ranked documents out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

__all__ = ["Document", "Hit", "Retriever"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus.

    Attributes:
        id: Unique in its corpus; what ``Retriever.document`` finds it by.
        title: May be "".
        text: Without the title.
    """

    id: str
    title: str
    text: str

    @property
    def contents(self) -> str:
        """Title and text in one, as Search-R1 stores documents: the quoted title, a line break, the text."""
        return f'"{self.title}"\n{self.text}'


class Hit(NamedTuple):
    """A document found, and how well it fits: higher is better, comparable within one answer only."""

    document: Document
    score: float


class Retriever(ABC):
    """Finds documents. For any number of threads at once."""

    @abstractmethod
    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The best ``k`` documents for each query, best first, equal scores in the corpus's order.

        There are fewer where fewer fit. Any text is a query; one without a word of the corpus finds nothing.

        Raises:
            InfrastructureError: A server or an index failed; never an empty answer instead.
        """

    def document(self, id: str) -> Document | None:
        """The document of that id; None where there is none, or where this retriever cannot look documents up.

        Raises:
            InfrastructureError: A server or an index failed.
        """
        return None

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Let go of what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
