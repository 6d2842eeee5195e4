"""Values in the words of an agent: whether one is named, and whether a wrong one is."""

import re
from collections.abc import Iterable
from typing import Final

from turnwise.worlds.people.part import Fact

__all__ = ["choice_in", "listed_in", "mentions", "mismatch", "month_marked", "named"]

_EMAIL: Final = re.compile(r"[a-z0-9.+_-]{1,64}@[a-z0-9.-]{1,64}[a-z0-9]")
_MAY: Final = re.compile(r"\bmay(?=,? \d)|(?<=\d )may\b|(?<=\d(?:st|nd|rd|th) )may\b|(?<=th of )may\b")


def month_marked(text: str) -> str:
    """A lower-case text in which the month of May is not spelled like the verb."""
    return _MAY.sub("m\u0101y", text) if "may" in text else text


def mentions(text: str, value: str) -> bool:
    """Whether a text as `understanding.plain` returns it names a value as a word of its own."""
    value = month_marked(value.lower().strip().strip("*_`~|#"))
    value = value.replace("*", "").replace("_", "").replace("`", "").replace("~", "").replace("|", "")
    if not value:
        return False
    start = text.find(value)
    while start >= 0:
        stop = start + len(value)
        if not (start and text[start - 1].isalnum()) and not (stop < len(text) and text[stop].isalnum()):
            return True
        start = text.find(value, start + 1)
    return False


def named(text: str, fact: Fact) -> bool:
    """Whether a lower-case text names a fact's value in any spelling."""
    return mentions(text, fact.value) or any(mentions(text, spelling) for spelling in fact.also)


def mismatch(text: str, facts: Iterable[Fact], slip: Fact | None = None) -> tuple[Fact, str] | None:
    """The first fact that a proposal names wrongly and not rightly, with the wrong value."""
    facts = tuple(facts)
    for fact in facts:
        wrong = (*fact.others, slip.value) if slip is not None and slip.slot == fact.slot else fact.others
        if not fact.value:
            continue
        if wrong and not named(text, fact):
            for other in wrong:
                if mentions(text, other):
                    return fact, other
        if "@" in fact.value and "@" in text:
            found = _EMAIL.search(text)
            if found and not any(mentions(text, known.value) for known in facts if "@" in known.value):
                return fact, found.group()
    return None


def choice_in(text: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that a question offers with another value: "to the card or to a voucher?"."""
    facts = tuple(facts)
    lines = [line for line in text.split("\n") if " or " in line and "?" in line]
    return next((fact for line in lines if (fact := listed_in(line, facts)) is not None), None)


def listed_in(text: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that a text names beside another value of it."""
    for fact in facts:
        if fact.others and named(text, fact) and any(mentions(text, other) for other in fact.others):
            return fact
    return None
