"""What is asked for, as the reader of a message knows it: the words, numbers and names of a question."""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["ASKS_REST", "Sought", "Subject", "stem"]


def stem(word: str) -> str:
    """A word as it is compared: in lower case, without a plural's s, of a long one its beginning; capital letters stay.

    >>> stem("reduced") == stem("reduction"), stem("A"), stem("Trees")
    (True, 'A', 'tree')
    """
    word = word if len(word) == 1 and word.isupper() else word.lower().removesuffix("s")
    return word[:5] if len(word) > 5 else word


ASKS_REST = frozenset(
    map(stem, ["other", "remaining", "rest", "left", "over", "leave", "still"])
)  # words of a question about it


class Subject(NamedTuple):
    """What a question is about.

    Attributes:
        words: The words that say of what it asks, as `stem` gives them.
        entity: The last of these words before a condition: of "the speed of the current if ..." the current.
        unknowns: The letters whose values are asked for, where these are several.
        member: The member of a sequence that is asked for: "a_6", or "".
        given: The numbers of the question, alone and with the word behind them: "12", "12 litre".
        weekday: Whether it asks for a day of the week.
        unit: The unit that it names, or "".
        numeric: Whether it asks for a number or an amount.
        names: The names of the question, where it asks who or which of them.
        asking: The sentence that asks; empty where it is in a language of which nothing is known.
        rounded: Whether it asks for a rounded value: then "about" before one makes it no other.
        counted: What is counted, where it asks how many: "red marbles", as `stem` gives the words.
        context: The words of the rest of the question that are none of `words`.
        people: The names and letters of the question that the asking sentence has not: Anna, machine B.
    """

    words: frozenset[str] = frozenset()
    entity: str = ""
    unknowns: tuple[str, ...] = ()
    member: str = ""
    given: frozenset[str] = frozenset()
    weekday: bool = False
    unit: str = ""
    numeric: bool = False
    names: tuple[str, ...] = ()
    asking: str = ""
    rounded: bool = False
    counted: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()


class Sought(NamedTuple):
    """What is asked for.

    Attributes:
        suits: Whether a value that was read from a text can be it.
        subject: What the question is about.
    """

    suits: Callable[[str, str], bool]
    subject: Subject
