"""Sentences that give several values and then one of them: "They are 13 and 15, and the larger one is 15"."""

import re

__all__ = ["selected"]

_NUMBER = r"[-−]?\$?[0-9](?:[0-9.,/]*[0-9])?"
_SELECTED = re.compile(
    r"(?:,|;|,? and|,? while) (?:so |hence |thus )?the (?!other\b|same\b|number\b)(?:[a-z]+er|[a-z]+est|first|second"
    r"|third|last|odd|even|positive|negative)(?: (?:one|number|integer|value|root|solution|side|angle|part|piece"
    r"|factor)\b)?(?: (?:one )?of (?:them|these|those|the (?:two|three|four)))?(?: is| equals|:) (?P<dress>[$*]*)"
    rf"(?P<value>{_NUMBER}(?P<unit>\s?[A-Za-z%°²³/]{{1,12}})?)(?P=dress)[$*.! ]*$",
    re.IGNORECASE,
)
_NUMBERS = re.compile(_NUMBER)
_OPEN = re.compile(r"\b(?:or|either|not|maybe|perhaps|possibly|if|might|could|would)\b|n['’]t\b|[?]", re.IGNORECASE)
_MAX_CHARS = 300


def selected(sentence: str) -> str:
    """The value of several that a sentence selects at its end; empty where it selects none of those before it.

    >>> selected("They are 17 m and 23 m long, and the shorter one is 17 m."), selected("The larger one is 23.")
    ('17 m', '')
    """
    if len(sentence) > _MAX_CHARS or " the " not in sentence:
        return ""
    chosen = _SELECTED.search(sentence)
    if chosen is None or _OPEN.search(sentence) is not None:
        return ""
    before = _NUMBERS.findall(sentence[: chosen.start()])
    number = _NUMBERS.match(chosen["value"])
    return chosen["value"].strip() if len(set(before)) > 1 and number is not None and number[0] in before else ""
