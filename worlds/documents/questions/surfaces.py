"""Accepted forms of answers, and a check whether a text shows one."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date

from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions.base import Question
from turnwise.worlds.documents.schema import VOCABULARY, relation_named

__all__ = ["entity_forms", "mentions", "shows", "split_date", "value_forms", "written_date"]

_MONTHS = ["January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December"]  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


def entity_forms(world: World, entity: int) -> tuple[str, ...]:
    """Return all accepted ways to write an entity: its name, its title and its stated aliases.

    A name shared by namesakes is also accepted: the question, not the answer, says which of them is meant.
    """
    return tuple(dict.fromkeys((world.name(entity), world.title(entity), *world.aliases(entity))))


def value_forms(relation: str, value: int) -> tuple[str, ...]:
    """Return the accepted ways to write a value of a literal relation; forms of equal value are accepted anyway.

    >>> value_forms("born_on", 18930704)
    ('4 July 1893', 'July 4, 1893', '1893-07-04')
    >>> value_forms("area", 12345)
    ('12,345', '12,345 square kilometres', '12345')
    """
    described = relation_named(relation)
    if described.object == "date":
        year, month, day = split_date(value)
        return written_date(value), f"{_MONTHS[month - 1]} {day}, {year}", f"{year:04d}-{month:02d}-{day:02d}"
    if described.object == "term":
        return (VOCABULARY[relation][value],)
    if described.object == "number":
        return tuple(dict.fromkeys((f"{value:,}", f"{value:,} {described.unit}", str(value))))
    return (str(value),)


def split_date(value: int) -> tuple[int, int, int]:
    """Split a date written as yyyymmdd into year, month and day."""
    return value // 10000, value // 100 % 100, value % 100


def written_date(value: int) -> str:
    """Write a date in words, such as "4 July 1893".

    Raises:
        ValueError: The day does not exist.
    """
    year, month, day = split_date(value)
    date(max(year, 1), month, day)
    return f"{day} {_MONTHS[month - 1]} {year}"


def mentions(question: Question, text: str) -> bool:
    """Tell whether a text shows the answer: every item in an accepted form, as whole words, ignoring case.

    An agent that gets such a text needs no further search, so a question whose own words find one is not multi-hop.
    False for answers that no text shows (yes or no, a count, abstention), and for a contested answer, which appears
    next to its rivals: for those ``known.suffices`` tells whether documents are enough.
    """
    if question.form == "yes_no" or question.contested or not question.answers:
        return False
    return all(shows(text, forms) for forms in question.answers)


def shows(text: str, forms: Sequence[str]) -> bool:
    """Tell whether one of the forms occurs in the text, as whole words."""
    spoken = _spoken(text)
    return any(_spoken(form) in spoken for form in forms)


def _spoken(text: str) -> str:
    """Normalise a text to its words, without case, accents and punctuation."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    return f" {' '.join(_WORD.findall(_THOUSANDS.sub('', text).casefold()))} "
