"""Whether a message leaves open what it says beside a value: a question, a doubt, a condition, a breaking off."""

import re
from functools import lru_cache

from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.clause import DOUBTED, NOT_STATED
from turnwise.verifiers.messages.skeleton import NO_RESULT, OTHER_SCRIPT

__all__ = ["BREAKS_OFF", "doubts_of", "left_open"]

_SUPPOSED = re.compile(r"\W*(?:if|assuming|under|depending|suppose|unless|without)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"\b(?:answers|correct(?:ed|ion)|the correct (?:one|answer)|wrong|incorrect|n['’]t know|not (?:right|true|possible)"
    r"|(?:are|is) (?:both |equally )?(?:possible|unclear|ambiguous)|(?:is|are)(?: not|n['’]t) clear|depends?"
    r"|interpret\w*|unless|in which case|whichever|either (?:one|of|can|could|may|works|way|is)"
    r"|one of (?:the|these|those) two|(?:bit|mix|mixture|little) of both"
    r"|(?:just|equally) as (?:possible|good|valid)|both of them|neither (?:is|of|one)"
    r"|tells? us nothing|inconclusive|common (?:slip|error|mistake|trap))\b",
    re.IGNORECASE,
)
BREAKS_OFF = re.compile(
    r"(?:\b(?:and|so|then|the|this|that|which|of|to|is|are|we|with|by|for|have|get|obtain|find|becomes?|gives|whether)"
    r"|[a-z],|[-+*/×=^(])\s*$"
)
_CHINESE = re.compile("[\u4e00-\u9fff]")
_AT_END = 60


@lru_cache(maxsize=512)
def doubts_of(sentence: str) -> tuple[str, ...]:
    """What of a sentence speaks against its values.

    >>> doubts_of("It is perhaps 5."), doubts_of("Whichever you prefer."), doubts_of("It is 5.")
    (('doubted',), ('taken back',), ())
    """
    found = []
    if DOUBTED.search(sentence) or doubts(sentence):
        found.append("doubted")
    if NOT_STATED.search(sentence):
        found.append("not stated")
    if NO_RESULT.search(sentence):
        found.append("no result")
    if _SUPPOSED.match(sentence):
        found.append("supposed")
    if _TAKES_BACK.search(sentence):
        found.append("taken back")
    if STRONG.search(sentence):
        found.append("corrected")
    return tuple(found)


def left_open(end: str) -> bool:
    """Whether a message breaks off, or is in a language of which the model knows nothing.

    >>> left_open("It takes 5 hours, and"), left_open("It takes 5 hours.")
    (True, False)
    """
    last = end.rstrip("*$ \n")
    if BREAKS_OFF.search(last[-_AT_END:]) or last.endswith(("...", "…")):
        return True
    return not end.isascii() and (OTHER_SCRIPT.search(end) or _CHINESE.search(end)) is not None
