"""What was made of texts before: agents repeat their sentences, and messages are the same in several episodes."""

from typing import ClassVar, Generic, TypeVar

__all__ = ["Memory"]

T = TypeVar("T")


class Memory(Generic[T]):
    """Values by text, of the texts seen last.

    Attributes:
        most: How many are kept; beyond that the memory starts over. 0 keeps none.
        longest: Characters of a text that is kept.
    """

    most: ClassVar[int] = 2048
    longest: ClassVar[int] = 400

    def __init__(self) -> None:
        self._known: dict[str, T] = {}
        self.get = self._known.get

    def keep(self, text: str, value: T) -> T:
        """Remember a value, and return it."""
        if len(text) <= self.longest:
            if len(self._known) >= self.most:
                self._known.clear()
            if self.most:
                self._known[text] = value
        return value
