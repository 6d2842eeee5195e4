"""How tasks across sites are worded: in groups of sentences, of which a task takes one each, in their order."""

from typing import TypeAlias

from turnwise.worlds.web.site import Draw
from turnwise.worlds.web.sites.shop.parts import long_day

__all__ = ["NOTES", "Wording", "dated", "worded"]

Wording: TypeAlias = tuple[tuple[str, ...], ...]

NOTES = (
    "Could you call me about it?",
    "Please have a look at this before Friday.",
    "I need your opinion on this one.",
    "Please look at this one soon.",
    "Can we talk about this tomorrow?",
    "Do you know what happened here?",
    "Please let me know what you think.",
    "Could you take care of this?",
    "What should we do about this?",
    "Please get back to me on this today.",
    "Can you help me with this?",
    "I would like to close this by the end of the week.",
)
"""Texts of mails about something that is named in the subject."""


def dated(draw: Draw, day: str) -> str:
    """Return a date (YYYY-MM-DD) as it is, or as people write it: ``3 May 2027``."""
    return draw.either(day, long_day(day))


def worded(draw: Draw, wording: Wording, **facts: object) -> str:
    """Return a task in words: one sentence of each group, with the facts in place of their names."""
    return " ".join(draw.choice(group) for group in wording).format(**facts)
