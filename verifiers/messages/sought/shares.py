"""A total with what it comes to for each: "That's 4590 cm for 30 pupils, or 153 cm per pupil on average"."""

import re

from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.clause import DOUBTED, NOT_STATED, weakened

__all__ = ["share_of_each"]

_N = r"[0-9][0-9,]*(?:\.[0-9]+)?"
_UNIT = r"(?:\s(?!for\b|or\b|and\b|in\b|per\b|each\b|an?\b|over\b|among\b)[A-Za-z°²³/]+)?"
_SHARED = re.compile(
    rf"(?P<total>[$€£]?{_N}){_UNIT} (?:for|among|between|over|across|in|shared by) (?:the |these |all )?(?P<n>{_N})"
    rf" (?P<of>[a-z]+)(?: in all| altogether| together)?,? (?:or|that is,?|i\.e\.,?|which is|which makes|so|making) "
    rf"(?:about |exactly )?(?P<one>[$€£]?{_N})(?P<unit>{_UNIT}) (?:per|for each|for every|each|apiece|an?|every)\b"
    r"(?P<rest>[^0-9]*)$",
    re.IGNORECASE,
)
_ASKS_EACH = re.compile(r"\b(?:average|mean|per|each|every|apiece|one|an?)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:or|not|if|but|unless|maybe|perhaps)\b|[?]", re.IGNORECASE)
_NEAR = 0.005


def share_of_each(sentence: str, asking: str) -> str:
    """What a total comes to for each, where a sentence gives both and the question asks for each; empty elsewhere.

    >>> share_of_each("That's 4590 cm for 30 pupils, or 153 cm per pupil.", "What is their average height?")
    '153 cm'
    >>> share_of_each("That's 4590 cm for 30 pupils, or 150 cm per pupil.", "What is their average height?")
    ''
    """
    shared = _SHARED.search(sentence) if len(sentence) < 300 else None
    if shared is None or _ASKS_EACH.search(asking) is None or _OPEN.search(shared["rest"]) is not None:
        return ""
    head = sentence[: shared.start()]
    if DOUBTED.search(sentence) or NOT_STATED.search(sentence) or weakened(head) or doubts(sentence):
        return ""
    total, count, one = (float(shared[name].strip("$€£").replace(",", "")) for name in ("total", "n", "one"))
    if not count or abs(total / count - one) > _NEAR * abs(one):
        return ""
    return f"{shared['one']}{shared['unit']}"
