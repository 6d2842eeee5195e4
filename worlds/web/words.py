"""Sets of words, written as one text."""

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, as a set."""
    return frozenset(text.split())
