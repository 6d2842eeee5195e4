r"""The value that a worked solution closes with: the last one of its last sentence, where the rest leads up to it.

For sentences whose verbs nobody has listed ("230 tickets times $11 rings up $2,530 at the box office"). What shows that
the last value is the result is arithmetic, not grammar: it is worked out of other values of the message (2,530 = 230
times 11), or it is the only one of its sentence that was not known before.
"""

import re

from turnwise.verifiers.messages.clause import DOUBTED, NOT_STATED, PLACE, weakened
from turnwise.verifiers.messages.prose import two_stated
from turnwise.verifiers.messages.skeleton import (
    ASIDE,
    CONTRASTED,
    DEFINITE,
    GOES_ON,
    MAX_CHARS,
    NO_LABEL,
    NO_RESULT,
    NOUN,
    OFFERS,
    OTHER_SCRIPT,
    POSED,
    REASON,
    UNFINISHED,
    UNIT,
    P,
)
from turnwise.verifiers.messages.values import mask_values, result_of

__all__ = ["BOUND", "closing_value", "derived", "worked_later"]

_NUMBER = re.compile(r"-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?")
_PLAIN = re.compile(r"[-+$€£]{0,2}\s?(-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)(?:/([0-9]+))?\s?(?:%|°|[a-z]{0,3}²?)")
_OPEN = re.compile(
    r"\b(?:or|either|else|otherwise|alternatively|though|although|unless|whereas|except|neither|nor|versus|vs"
    r"|depend\w*|instead"
    r"|rather|wrong|incorrect|mistaken|false|but|not|cannot|if|whether|candidates?|guess\w*|estimates?|could|would"
    r"|might|suppose"
    r"|assum\w+|wants?|wanted|given|so far|upper|lower|claims?|goal|target|hint)\b|n't\b|[?？]",
    re.IGNORECASE,
)
BOUND = re.compile(  # right before a value
    r"(?:\b(?:than|not|without|except|below|above|under|beyond|exceeds?|at (?:least|most)|up to|between|from|almost"
    r"|nearly|minus"
    r"|negative|twice|half(?: of)?|double|thrice|step|page|line|mod|modulo|divided by|multiplied by|times|plus"
    r"|against|towards?)"
    r"|[-+*/×÷^<>])[\s$*]*$",
    re.IGNORECASE,
)
_NOT_A_RESULT = re.compile(  # what makes the value behind it no result of its own
    r"(?:\b(?:than|page|step|line|problem|question|by step|mod|base|like|not|without|except|minus|negative|times|plus"
    r"|divided by"
    r"|multiplied by|by|twice|half|double|thrice|about|around|nearly|almost|say|until|since|year|in|grade|room|number"
    r"|no\.)|[-+*/×÷=^<>])"
    r"[\s$*]*$",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<![\\\w])[A-Za-z]{2,}")
_TO = re.compile(r"\b(?:to|and|or)\b")
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b(?!.*=)"
)
_COUNTS = re.compile(rf"\s{NOUN}")
_STATED = re.compile(rf"\b(?:is|are|was|were|equals?)\s{PLACE}")
_LISTED = re.compile(rf"{P}(?:\s[A-Za-z]+)?\s*(?:,|;|(?:,\s*)?\b(?:and|or|&)\b)\s*(?:[A-Za-z]\s*=\s*)?$")
_LABEL = re.compile(r"(?:[-*•]\s+)?\*{1,2}([A-Za-z][^*:\n0-9]{2,40}):?\*{1,2}:?\s+")
_LATER = re.compile(
    r"\b(?:so|thus|hence|therefore|which|leaving|making|meaning|and|but|while|whereas)\b.*[a-z]{3}", re.IGNORECASE
)
_NAMES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
_WORDED: dict[str, float] = {word: float(number) for number, word in enumerate(_NAMES.split(" "))}
_WORDED |= {
    "half": 0.5,
    "quarter": 0.25,
    "third": 1 / 3,
    "dozen": 12,
    "hundred": 100,
    "double": 2,
    "twice": 2,
    "triple": 3,
}
_WORD = re.compile(r"[a-z]+")
_MAX_OTHERS = 24


def closing_value(sentence: str, before: str) -> str | None:
    """The last value of the sentence that ends a worked solution, where it is the result; None where that is unsure.

    >>> closing_value("230 tickets times $11 a ticket rings up $2,530 at the box office", "")
    '$2,530'
    >>> closing_value("The train has 230 seats and 11 coaches", "") is None
    True
    """
    text = sentence.strip().rstrip(" .!")
    if two_stated(text):
        return None
    label = _LABEL.match(text)
    if label is not None:
        if NO_LABEL.search(label[1]):
            return None
        text = text[label.end() :]
    if len(text) > MAX_CHARS or OTHER_SCRIPT.search(text) or _DATE.search(text) or not _WORDS.search(text):
        return None
    wordy = label is not None or len(_WORDS.findall(text)) > 2
    if not wordy and _TO.search(text):
        return None
    masked = mask_values(re.sub(r"\*\*|__|`", "", text))
    if masked is None or not masked.values or "\\" in masked.words:
        return None
    if any(OFFERS.search(aside) or re.search(P, aside) for aside in ASIDE.findall(masked.words)):
        return None
    words = CONTRASTED.sub(r"\1", ASIDE.sub("", masked.words))
    if (reason := REASON.search(words)) is not None and re.search(P, words[: reason.start()]):
        words = words[: reason.start()]
    if _OPEN.search(words) or DOUBTED.search(words) or NOT_STATED.search(masked.words):
        return None
    places = list(re.finditer(PLACE, DEFINITE.sub(lambda m: re.sub(PLACE, "#", m[0]), words)))
    places = places or list(re.finditer(PLACE, words))  # The remaining 21 are consonants
    if not places:
        return None
    last = places[-1]
    tail = words[last.end() :]
    if _LISTED.search(words[: last.start()]) or POSED.fullmatch(masked.at(last[0])):
        return None
    if re.search(PLACE, tail) or GOES_ON.match(tail) or UNFINISHED.search(tail) or _LATER.search(tail):
        return None
    if NO_LABEL.search(words.partition(":")[0]) and ":" in words:
        return None
    value = result_of(masked.at(last[0]))
    others = [masked.at(place) for place in re.findall(PLACE, words[: last.start()])]
    guarded = OFFERS.search(words) or NO_RESULT.search(words) or weakened(words)
    front, earlier = words[: last.start()], f"{before} {sentence[: sentence.rfind(value)]}"
    stated = [masked.at(match[0][-1]) for match in _STATED.finditer(front)]
    if not _is_result(value, front, others, tail, earlier, wordy and not guarded and all(map(POSED.fullmatch, stated))):
        return None
    unit = UNIT.match(tail)
    return f"{value} {unit[1]}" if unit is not None and _NUMBER.fullmatch(value) else value


def _is_result(value: str, front: str, others: list[str], tail: str, before: str, plain: bool) -> bool:
    """Whether a value is worked out of those before it, or the only one of its sentence that is new."""
    if BOUND.search(front):
        return False
    if derived(value, before):
        return True
    if not plain or _NOT_A_RESULT.search(front):
        return False
    known = set(_NUMBER.findall(before.rpartition(". ")[0] or before))
    return (
        bool(known)
        and value not in before
        and all(known.issuperset(_NUMBER.findall(other)) for other in others)
        and bool(re.search(r"[0-9]", before))
    )


def worked_later(said: str, sentence: str, before: str) -> str | None:
    """The value that a sentence closes with, where what it seems to state was known and the value is worked out of it.

    >>> worked_later("$400", "Saving $25 a week you'll hit $400 in 16 weeks", "The bike costs $400.")
    '16 weeks'
    >>> worked_later("16", "It takes 16 weeks at $25 to save $400", "") is None
    True
    """
    stated, numbers = _NUMBER.findall(said), _NUMBER.findall(sentence)
    if len(stated) != 1 or not numbers or numbers[-1] == stated[0] or stated[0] not in _NUMBER.findall(before):
        return None
    if re.search(rf"=\s*[$*]*{re.escape(stated[0])}(?![\w.,/]*[0-9])", f"{before} {sentence}"):
        return None  # 2.5 * 10 = 25. So she needs 25 minutes for 10 laps: the result of a calculation
    closing = closing_value(sentence, before)
    if closing is None or closing == said:
        return None
    front = sentence[: sentence.rfind(closing.split(" ")[0])]
    return closing if derived(closing.split(" ")[0], f"{before} {front}", with_one=stated[0]) else None


def derived(value: str, before: str, with_one: str = "") -> bool:
    """Whether a number is the sum, difference, product, quotient or share of two that stand before it.

    Args:
        value: The number.
        before: A text with others.
        with_one: One of these that must be used.

    >>> derived("$2,530", "230 tickets times $11"), derived("7", "230 tickets times $11")
    (True, False)
    """
    found = _number(value)
    if found is None or found in (0, 1):
        return False
    others = [n for n in map(_number, _NUMBER.findall(before)) if n is not None]
    others += [float(_WORDED[word]) for word in _WORD.findall(before.lower()) if word in _WORDED]
    others = list(dict.fromkeys(others))[-_MAX_OTHERS:]
    needed = _number(with_one) if with_one else None
    for i, a in enumerate(others):
        for b in others[i:]:
            if found in (a, b) or (needed is not None and needed not in (a, b)):
                continue
            results = [a + b, a - b, b - a, a * b, a * b / 100, a * (1 - b / 100), b * (1 - a / 100)]
            results += [a / b] if b else []
            results += [b / a] if a else []
            if any(abs(result - found) <= 1e-6 * max(1.0, abs(found)) for result in results):
                return True
    return False


def _number(text: str) -> float | None:
    match = _PLAIN.fullmatch(text.strip())
    if match is None or len(match[1]) > 15:
        return None
    below = int(match[2]) if match[2] and len(match[2]) < 15 else 1
    return float(match[1].replace(",", "")) / below if below else None
