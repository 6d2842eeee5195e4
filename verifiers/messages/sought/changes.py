"""Percentages with the words that say in which direction they change something: "10% below the original price"."""

import re
from functools import lru_cache

__all__ = ["change_alone", "direction_of", "in_other_direction"]

_DOWN = (
    r"below|lower|less|fewer|smaller|shorter|cheaper|slower|lighter|down|off|reduc\w+|decreas\w*|drop\w*|declin\w*"
    r"|discount\w*|f[ae]ll\w*|loss|los[et]s?|shr[aiu]nk\w*|cut|depreciat\w+"
)
_UP = (
    r"above|higher|more|greater|larger|bigger|longer|taller|faster|heavier|dearer|pricier|up|increas\w*|ris\w+|rose"
    r"|gr[eo]w\w*|gain\w*|profit\w*|markup|appreciat\w+"
)
_PERCENT = r"\s?(?:\\?%|percent|per cent)"
_CHANGED = re.compile(
    rf"(?P<value>[0-9]+(?:[.,][0-9]+)?{_PERCENT})\s(?:price )?(?:(?P<down>{_DOWN})|(?P<up>{_UP}))"
    r"(?P<rest>(?:\s[A-Za-z'’-]+)*)",
    re.IGNORECASE,
)
_BEHIND = re.compile(rf"[\s*$]*{_PERCENT}[\s*$]*\s(?:(?P<down>{_DOWN})|(?P<up>{_UP}))\b", re.IGNORECASE)
_SIDES = tuple(re.compile(rf"\b(?:{names})\b", re.IGNORECASE) for names in (_DOWN, _UP))
_OPEN = re.compile(r"\b(?:or|not|but|and|maybe|perhaps|if)\b|n['’]t\b", re.IGNORECASE)
_ASKS_PERCENT = re.compile(r"\b(?:percent\w*|per cent)\b|%", re.IGNORECASE)


def change_alone(text: str, asking: str) -> str:
    """The percentage of a change in the only direction that a question names; any other text as it is.

    >>> question = "By what percentage is the new price below the old one?"
    >>> change_alone("10% lower", question), change_alone("10% above the old price", question)
    ('10%', '10% above the old price')
    """
    change = _CHANGED.fullmatch(text) if len(text) < 100 and ("%" in text or "per" in text) else None
    if change is None or _ASKS_PERCENT.search(asking) is None or _OPEN.search(change["rest"]) is not None:
        return text
    sides = change["down"] is not None, change["up"] is not None
    return change["value"] if _directions(asking) == sides else text


def in_other_direction(behind: str, asking: str) -> bool:
    """Whether the words behind a percentage say that it changes the other way than the only one that is asked for.

    >>> in_other_direction("% higher", "By what percent is the new price below the old one?")
    True
    """
    change = _BEHIND.match(behind)
    if change is None or _ASKS_PERCENT.search(asking) is None:
        return False
    return _directions(asking) == (change["up"] is not None, change["down"] is not None)


def direction_of(words: str) -> str:
    """The only direction that some words name: "down", "up", or "" for none or both.

    >>> direction_of("an overall decrease of 10%"), direction_of("it fell, then rose"), direction_of("it is 10%")
    ('down', '', '')
    """
    down, up = _directions(words)
    return "" if down == up else "down" if down else "up"


@lru_cache(maxsize=256)
def _directions(asking: str) -> tuple[bool, bool]:
    """Whether a question names a fall, and whether a rise."""
    down, up = (side.search(asking) is not None for side in _SIDES)
    return down, up
