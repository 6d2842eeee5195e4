"""What a closing sentence repeats: the result of the last calculation before it, where the sentence is not read itself.

"48 / 4 = 12. So with 4 workers it's 12 days for the 96 metres": whatever its grammar, a sentence that ends a message
and has the last result in it, beside no value but such as were known before, states that result.
"""

import re

from turnwise.verifiers.messages.clause import DOUBTED, LEAD, LEAD_WORD, NOT_STATED, conclusion, weakened
from turnwise.verifiers.messages.closing import BOUND
from turnwise.verifiers.messages.prose import two_stated
from turnwise.verifiers.messages.skeleton import (
    ASIDE,
    DEFINITE,
    GOES_ON,
    MAX_CHARS,
    NO_LABEL,
    NO_RESULT,
    NUMBER_WORDS,
    OFFERS,
    OTHER_SCRIPT,
    PHRASE,
    POSED,
    UNFINISHED,
    UNIT,
    P,
)
from turnwise.verifiers.messages.values import mask_values, result_of

__all__ = ["SPOILT", "agreed", "led"]

SPOILT = re.compile(  # what in front of a value makes it no value of its own
    r"(?:\b(?:step|page|line|problem|question|case|than|not|except|minus|negative|twice|half(?: of)?|double|thrice"
    r"|about|around|nearly|almost|at least|at most|(?<!adds )(?<!add )(?<!back )(?<!gets )up to|between|of the|out of"
    r"|divided by|multiplied by|times|plus|by)"
    rf"|{P}\sin|[-+*/×÷^<>≠≤≥≈~=])[\s$*]*$",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"\b(?:is|are|was|were|equals|the|of|to|and|with|for|get|gives|makes|leaves)$")
_AMOUNT = re.compile(r"[-−$€£]{0,2}[0-9][0-9.,:/]*\s?(?:%|°?[A-Za-z]{0,3}[²³]?)")

_RESULT = re.compile(
    r"=\s*[$€£]?(-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?)(?![\w^!]|[.,/]?[0-9]|\s*[-+*/×÷·^=(])"
)
_SO = re.compile(r"[,;]\s+(?:and\s+)?(?:so|thus|hence|therefore|which means|meaning)\b,?\s+(?=[^=]*$)")
_COMPUTED = re.compile(r"[0-9)]\s*(?:[-+*/×÷·^−]|x)\s*[-$(0-9][^=\n]*$")
_NUMBER = re.compile(r"(?<![\w.,])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?")


def agreed(sentence: str, before: str) -> str | None:
    """The last result of what stands before a sentence, where that repeats it; None where it may state something else.

    >>> agreed("With 4 workers you'd wait 12 days", "6 * 8 = 48 and 48 / 4 = 12.")
    '12 days'
    >>> agreed("With 4 workers you'd wait 13 days", "6 * 8 = 48 and 48 / 4 = 12.") is None
    True
    """
    split = list(_SO.finditer(sentence))
    if split and len(sentence) <= MAX_CHARS:  # 500 / 25 = 20, so you can cut it into 20 pieces
        before, sentence = f"{before}\n{sentence[: split[-1].start()]}", sentence[split[-1].end() :]
    results = list(_RESULT.finditer(before[-2000:]))
    if not results or _COMPUTED.search(before[-2000:][: results[-1].start()].rpartition("\n")[2][-120:]) is None:
        return None
    text = re.sub(r"\*\*|__|`", "", sentence.strip().rstrip(" .!"))
    if len(text) > MAX_CHARS or OTHER_SCRIPT.search(text) or len(text.split()) < 3:
        return None
    masked = mask_values(text)
    if masked is None or not masked.values or "\\" in masked.words:
        return None
    words = ASIDE.sub("", masked.words)
    if any(pattern.search(words) for pattern in (OFFERS, DOUBTED, NOT_STATED, NO_RESULT)) or NO_LABEL.search(
        words.partition(":")[0]
    ):
        return None
    result = _bare(results[-1][1])
    found = [match for match in re.finditer(P, words) if _bare(result_of(masked.at(match[0]))) == result]
    others = {_bare(number) for value in masked.values for number in _NUMBER.findall(value)} - {result}
    if len(found) != 1 or not others <= set(map(_bare, _NUMBER.findall(before))):
        return None
    head, tail = words[: found[0].start()], words[found[0].end() :]
    if GOES_ON.match(tail) or UNFINISHED.search(tail) or BOUND.search(head):
        return None
    value, unit = result_of(masked.at(found[0][0])), UNIT.match(tail)
    return f"{value} {unit[1]}" if unit is not None and value[:1].isdigit() else value


def led(sentence: str) -> str | None:
    """The only value of a clause that says what follows: "which leaves 121 seats that stayed empty".

    >>> led("308 seats in total, 187 sold, which leaves 121 seats that stayed empty all evening"), led("It has 3 legs")
    ('121', None)
    """
    text = re.sub(r"\*\*|__|`", "", sentence.strip().rstrip(" .!"))
    if len(text) > MAX_CHARS or OTHER_SCRIPT.search(text) or two_stated(text):
        return None
    masked = mask_values(text)
    if masked is None or not masked.values or "\\" in masked.words:
        return None
    words = ASIDE.sub("", masked.words)
    stated = not any(pattern.search(words) for pattern in (OFFERS, DOUBTED, NOT_STATED, NO_RESULT))
    last = words[-1:]
    if last in masked.results and words.count(last) == 1 and stated and not weakened(words):
        value = result_of(masked.at(last))  # 10% of 240 is 24, 5% is 12, 24 + 12 = 36
        return value if _AMOUNT.fullmatch(value) and "=" in masked.at(last) else None
    words = conclusion(words)
    if not (words.startswith(LEAD_WORD) or LEAD.match(words)) or weakened(words):
        return None
    if any(pattern.search(words) for pattern in (OFFERS, DOUBTED, NOT_STATED, NO_RESULT)):
        return None
    free = PHRASE.sub(" ", DEFINITE.sub(lambda m: re.sub(P, "#", m[0]), words))
    found = re.findall(P, free)
    if len(found) != 1 or NUMBER_WORDS.search(words):
        return None
    head, _, tail = words.partition(found[0])
    value = result_of(masked.at(found[0]))
    if (
        _CUT_OFF.search(tail)
        or GOES_ON.match(tail)
        or UNFINISHED.search(tail)
        or SPOILT.search(head)
        or POSED.fullmatch(value)
    ):
        return None
    if not re.match(r"\s[a-z]|$|[,;]", tail) or not _AMOUNT.fullmatch(value):
        return None
    unit = UNIT.match(tail)
    return f"{value} {unit[1]}" if unit is not None and value[:1].isdigit() else value


def _bare(value: str) -> str:
    return value.replace(",", "").strip("$€£ ")
