"""The rule "asked": of several values that the last sentence states, the one that the question asks for.

What a question asks for is a thing that is counted ("how many girls"), a unit ("in dollars", "how long"), or a quantity
with a name ("the area", "how old is Max"). Of "there are 15 boys and 20 girls" the value beside that thing, unit or
name is the answer. It is chosen where all others are something else, and never where the sentence doubts, denies or
offers an alternative; so one message gives one answer to one question, whatever the gold.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.messages.agreement import SPOILT
from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.base import NO_COMMITMENT, Found, none
from turnwise.verifiers.messages.clause import DOUBTED, FIRST, LAST, LEAD_WORD, NOT_STATED, conclusion
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import is_value
from turnwise.verifiers.messages.skeleton import (
    ASIDE,
    DEFINITE,
    LEADS,
    MAX_CHARS,
    NO_RESULT,
    OTHER_SCRIPT,
    POSED,
    UNFINISHED,
    UNIT,
    P,
)
from turnwise.verifiers.messages.values import Masked, mask_values, result_of
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["Asked", "asked", "asked_value", "other_unit", "read_asked", "trimmed"]

_MAX_QUESTION = 4000
_MAX_CANDIDATES = 8
_MARGIN = 2  # by how much a part must speak more of what is asked for than the others
_ASKS = re.compile(
    r"\b(?:how|what|which|when|find|determine|compute|calculate|give|express|who)\b(?!.*\b(?:how|what|which|when)\b)",
    re.IGNORECASE | re.DOTALL,
)
_FORM = re.compile(
    r"boxed|<answer|####|\b(?:final answer|your answer|step by step|format)\b|\banswer\b.*\btags?\b", re.IGNORECASE
)
_COUNTED = re.compile(
    r"how many\b(?P<what>.*?)(?=\s(?:is|are|was|were|do|does|did|will|would|can|could|has|have|had|must|should|remain"
    r"|left|in|on|at|of the|for|to|from|per|between|that|who|which|with|if|fit|make|not|so|until)\b|[,.?;]|$)",
    re.IGNORECASE | re.DOTALL,
)
_KINDS = {  # what a unit or sign behind a value, or in front of it, says of it
    "money": re.compile(r"dollar|cent|euro|pound|buck|usd"),
    "time": re.compile(r"(?:second|minute|hour|day|week|month|year|decade|hr|min)s?$"),
    "length": re.compile(
        r"(?:[mckd]?m|(?:kilo|centi|milli)?met(?:er|re)s?|feet|foot|ft|in(?:ch(?:es)?)?|yards?|miles?|mi|cm|mm|km"
        r"|units?)$"
    ),
    "percent": re.compile(r"percent(?:age)?$|per$"),
    "rate": re.compile(r"(?:mph|kmh|kph|km/h|m/s|miles per hour)$"),
}
_ASKED_KINDS = (
    ("clock", re.compile(r"\b(?:what time|at what time|when (?:does|do|did|will|is|should)|which hour)\b")),
    ("percent", re.compile(r"\b(?:what|which|by (?:what|how many)|as a|the|a) percent(?:age)?\b|\bin percent\b")),
    ("rate", re.compile(r"\bhow fast\b|\b(?:average |top )?speed\b")),
    ("years", re.compile(r"\bhow old\b|\b(?:['’]s|his|her|their|the) ages?\b")),
    (
        "time",
        re.compile(r"\bhow long (?:does|do|did|will|would|is the (?:flight|trip|journey|movie|film)|until|before)\b"),
    ),
    ("length", re.compile(r"\bhow (?:far|tall|high|wide|deep|long (?:is|are))\b")),
    (
        "money",
        re.compile(
            r"\bin (?:us )?(?:dollars|cents|euros)\b|\bhow (?:much|many dollars)\b(?=.*\b(?:costs?|pay|paid|earn\w*|spen[dt]\w*"  # noqa: E501
            r"|sav\w+|owe\w*|charge\w*|raise[ds]?|worth|money|change|profit|tip|bill|interest|dollars|make|revenue)\b)"
            r"|\b(?:sale|selling|new|original|total|final|regular) (?:price|cost)\b|\bwhat (?:is|was|are|were) (?:the|his|her"  # noqa: E501
            r"|their|its) (?:[a-z]+ )?(?:price|cost|profit|revenue|earnings|pay|salary|wage|fare|bill)\b"
        ),
    ),
)
_UNIT_ASKED = re.compile(  # in cm; in square metres; in minutes
    r"\bin ((?:square |cubic )?(?:[mck]?m|(?:kilo|centi|milli)?met(?:er|re)s?|feet|inches|miles|yards|seconds|minutes"
    r"|hours|days|weeks|months|years|grams|kilograms|kg|pounds|lit(?:er|re)s|ml|degrees|cents))\b(?!/)(?! (?:per\b|an? \w+\b|will|does|do))"  # noqa: E501
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
_NAMED = re.compile(r"[A-Za-z]\w?\s*[=<>≤≥]")
_AMOUNT = re.compile(r"[-−$€£]{0,2}[0-9][0-9.,:/]*\s?(?:%|°?[A-Za-z]{0,3}[²³]?)")
_NUMBER = re.compile(r"(\$?)([0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?)")
_EMPTY = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "will",
        "would",
        "can",
        "could",
        "has",
        "have",
        "had",
        "how",
        "many",
        "much",
        "what",
        "which",
        "when",
        "who",
        "whose",
        "find",
        "determine",
        "compute",
        "calculate",
        "give",
        "express",
        "and",
        "or",
        "if",
        "that",
        "this",
        "these",
        "those",
        "it",
        "its",
        "he",
        "she",
        "they",
        "his",
        "her",
        "their",
        "them",
        "him",
        "you",
        "your",
        "i",
        "we",
        "our",
        "us",
        "there",
        "then",
        "than",
        "so",
        "not",
        "no",
        "all",
        "each",
        "every",
        "doe",
        "per",
        "total",
        "value",
        "number",
        "altogether",
        "together",
        "now",
        "after",
        "before",
        "during",
        "answer",
        "question",
        "many",
        "more",
        "must",
        "should",
        "need",
        "needs",
        "needed",
        "if",
        "when",
        "while",
        "get",
        "gets",
        "got",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "different",
    ]
)
_SAME = {  # words for one quantity
    "length": "long", "width": "wide", "breadth": "wide", "height": "high", "tall": "high",
    "taller": "high", "depth": "deep", "age": "old", "older": "old", "aged": "old", "cost": "price", "pay": "price",
    "paid": "price", "charge": "price", "leftover": "left", "remain": "left", "remaining": "left", "remainder": "left",
    "rest": "left", "biggest": "largest", "bigger": "larger", "greatest": "largest", "greater": "larger",
    "littlest": "smallest", "lesser": "smaller", "spent": "spend", "earned": "earn", "saved": "save", "sold": "sell",
    "bought": "buy", "1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth",
    "average": "mean", "wins": "win", "won": "win", "lost": "lose",
}  # fmt: skip
_RANKED = frozenset(
    [
        "larger",
        "largest",
        "smaller",
        "smallest",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "last",
        "left",
        "longest",
        "shortest",
        "oldest",
        "youngest",
        "highest",
        "lowest",
        "maximum",
        "minimum",
    ]
)
_OPPOSED = (  # of two such words a clause has the asked one or the other
    ("larger", "smaller"), ("largest", "smallest"), ("high", "wide"), ("long", "wide"), ("maximum", "minimum"),
    ("highest", "lowest"), ("win", "lose"), ("earn", "spend"), ("save", "price"), ("left", "price"), ("save", "spend"), ("left", "lose"), ("left", "spend"), ("left", "sell"), ("left", "leak"),  # noqa: E501
    ("profit", "price"), ("perimeter", "area"), ("shorter", "longer"), ("shortest", "longest"), ("younger", "old"), ("faster", "slower"),  # noqa: E501
    ("price", "save"), ("lower", "higher"),
)  # fmt: skip
_PARTS = re.compile(r"(?:[,;]|\s[—–-]|—)\s+(?:(?:and|while|whereas|with|but|so)\s+)?|\s(?:and|while|whereas)\s+")
_CHOICE = re.compile(
    r"\b(?:or(?! equivalently)|either|else|otherwise|alternatively|unless|neither|nor|depend\w*|respectively|instead"
    r"|rather|versus|vs|wrong|incorrect|mistaken|false|cannot|if|whether|candidates?|options?|cases?|guess\w*"
    r"|estimate\w*|could|would|might|may|should|suppose|assum\w+|at (?:least|most)|not|never|between|than|except"
    r"|almost|nearly|(?<!adds )(?<!add )(?<!back )(?<!gets )up to|minus|wants?|wanted|but|though|although|however|try|one of)\b|n['’]t\b|[?？]",  # noqa: E501
    re.IGNORECASE,
)
_COUNT = re.compile(r"([0-9][0-9,.]*) ([A-Za-z]{3,})")
_LABELLED = re.compile(rf"\W*[^:{FIRST}-{LAST}]{{2,40}}[:=]\s*{P}(?:\s[a-z]+){{0,2}}\W*$")
_GIVEN = re.compile(r"(?<=[a-z])\s(?:with|if|when|given|who|that|whose)\s.*", re.IGNORECASE | re.DOTALL)
_LETTERED = re.compile(
    r"\b(?:angle|point|side|train|car|machine|box|bag|team|group|class|plan|store|shop) \$?([A-Z])\b"
)
_FORMULA = re.compile(r"\$(?![0-9][0-9,.]*\s+[a-z]{2,})[^$]*[A-Za-z\\][^$]*\$|\\[a-z]+")
_THEN = re.compile(
    r"(?:[,;]|\s)\s?(?:and )?(?:so|(?<!is )(?<!are )(?:therefore|thus|hence))\s(?!that\b|much\b|many\b|far\b)(?!.*\b(?:so|therefore|thus|hence)\b)"  # noqa: E501
)
_BESIDES = re.compile(  # how a sentence begins that adds something
    r"(?:It|Its|In|At|For|The|Out of|By|That['’]s|This is|Here|There)\b(?!.*(?:\b(?:makes?|means?|gives?|leaves?|final|complete"  # noqa: E501
    r"|total|altogether|answer|solution|result)\b|\*\*))"
)
_CONCLUDES = re.compile(r"\b(?:so|therefore|thus|hence|all in all|in total|altogether|then)\b", re.IGNORECASE)
_UNIT_NAMES = {
    name: names.split("|")[0]
    for names in (
        "mile|miles|mi", "kilometer|kilometers|kilometre|kilometres|km", "meter|meters|metre|metres|m",
        "centimeter|centimeters|centimetre|centimetres|cm", "millimeter|millimeters|mm", "foot|feet|ft",
        "inch|inches", "yard|yards|yd", "second|seconds|sec|s", "minute|minutes|min|mins", "hour|hours|hr|hrs|h",
        "day|days", "week|weeks", "month|months", "year|years", "gram|grams|g", "kilogram|kilograms|kg",
        "pound|pounds|lb|lbs", "liter|liters|litre|litres|l|L", "milliliter|milliliters|ml|mL", "gallon|gallons",
        "cent|cents", "dollar|dollars", "m/s", "km/h|kmh|kph", "mph", "degree|degrees|°", "square inch|square inches",
        "square foot|square feet", "square meter|square meters|square metres|m²", "square centimeter"
        "|square centimeters|cm²",
    )
    for name in names.split("|")
}  # fmt: skip
_RATE_ASKED = re.compile(r"\bin (m/s|km/h|mph|square (?:inches|feet|meters|metres|centimeters))\b")
_UNIT_BEHIND = re.compile(
    r"[\s*$]{0,3}(?:\\text\{\s*)?((?:square )?[A-Za-z°]+(?:/[a-z]+)?²?)(?![A-Za-z])((?:\*\*)?\s(?:per|an?|each|every)\b)?"  # noqa: E501
)
_OPEN_NUMBER = re.compile(r"\bwhat number\b|\b(?:what|which) percent", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:ends?|over|finish\w*|arriv\w*|done|ready|home|back|lands?)\b")
_SAME_SUBJECT = re.compile(r"(?!(?:the|his|her|their|its|he|she|they|it|there|each|every|an?|[A-Z][a-z]*)\b)[a-z]+\b")
_NAME = re.compile(r"(?<=[a-z,;] )([A-Z][a-z]{2,})\b")
_SUBJECT = re.compile(
    r"([A-Z][a-z]{2,})\s(?:has|had|is|was|will|would|[a-z]+s|[a-z]+ed|got|bought|sold|spent|paid|ate|made)\b"
)
_PRONOUN = re.compile(r"\b(?:he|she|they|it|so|we|you|which|giving|leaving)\b", re.IGNORECASE)
_NOT_VALUE = re.compile(
    r"\s*(?:times\b(?! (?:per|a|an|each|every))|squared|cubed|plus|minus|divided|multiplied|x\b|mod|out of"
    r"|[-+*/×÷^=<>!]|in\s" + P + r")"
)


class Asked(NamedTuple):
    """What a question asks for.

    Attributes:
        counted: The stems of the words for what is counted: of "how many red balls" red and ball.
        kind: The kind of quantity, where the question says it: money, time, length, percent, rate, years, clock.
        unit: The unit that the answer must be in, where it names one.
        names: Names of people and things, as the asking clause has them.
        words: The other stems of the asking clause.
        known: The numbers that the question gives.
        text: The question.
        given: The numbers of the asking clause.
    """

    counted: tuple[str, ...]
    kind: str
    unit: str
    names: frozenset[str]
    words: frozenset[str]
    known: frozenset[str]
    text: str
    given: frozenset[str]


class _Candidate(NamedTuple):
    place: str
    value: str
    unit: str
    part: int  # the part of the sentence that it stands in
    fits: int  # 1: what is asked for stands beside it; -1: something else does; 0: nothing does
    known: bool


def read_asked(text: str, question: str, found: Found) -> Found | None:
    """The value of the last sentence of a text that a question asks for; None where that is not plain.

    Args:
        text: The end of a message.
        question: The question.
        found: What was read without the question.
    """
    whole, text = text, flattened(without_remarks(text)[-4000:])
    sentences = _sentences(text)
    if not sentences:
        return None
    if of_another(sentences[-1], question):
        return none(NO_COMMITMENT)
    read = [one for one in found.candidates if is_value(one)]
    if len(read) > 1 or (read and len(read) < len(found.candidates)) or (read and _AMOUNT.match(read[0]) is None):
        return None
    said = read[0] if read else ""
    if (
        (counted := _COUNT.fullmatch(said)) is not None
        and not UNIT.match(f" {counted[2]}")
        and _stem(counted[2]) in asked(question).counted[-1:]
    ):
        return Found((counted[1],))  # 34 quarters: of "how many quarters", no fourths
    if said and re.search(rf"\*\*{re.escape(said)}\W{{0,3}}\*\*", sentences[-1]):
        return None  # the message itself says which one
    if said and _opposite(sentences[-1], said, question):
        return none(NO_COMMITMENT)
    value = asked_value(sentences[-1], question, said)
    shown = whole.rfind(sentences[-1])
    return Found((value,), end=shown + len(sentences[-1]) if shown >= 0 else -1) if value is not None else None


def trimmed(text: str, question: str) -> str:
    """A text without the sentence at its end that speaks of something else, where the one before it answers.

    >>> trimmed("So the speed is 24 m/s. In that time it has covered 96 m.", "What is the speed?")
    'So the speed is 24 m/s.'
    """
    text = without_remarks(text)
    parts = _sentences(text[-2000:])
    if len(parts) < 2 or "\n" in text[text.rfind(parts[-2]) : text.rfind(parts[-1])] or not _BESIDES.match(parts[-1]):
        return text
    wanted = asked(question)
    before, last = (_relevance(part, wanted) for part in parts[-2:])
    answers = _CONCLUDES.search(parts[-2]) is not None and before > 0 and any(c.isdigit() for c in parts[-2])
    if not answers or last > 0 or before - last < 1 or _CONCLUDES.search(parts[-1]) or _CHOICE.search(parts[-1]):
        return text
    return text[: text.rfind(parts[-1])].rstrip()


def _relevance(sentence: str, wanted: Asked) -> int:
    """How much a sentence speaks of what is asked for."""
    masked = mask_values(re.sub(r"\*\*|__|`", "", sentence))
    if masked is None:
        return 0
    fits = any(one.fits > 0 for one in _candidates(masked.words, masked, wanted))
    return _score(masked.words, wanted) + 3 * _names(masked.words, wanted) + 2 * fits


def _opposite(sentence: str, said: str, question: str) -> bool:
    """Whether the value of a sentence is that of the opposite of what is asked for: saves for price."""
    wanted = asked(question)
    masked = mask_values(re.sub(r"\*\*|__|`", "", sentence))
    if masked is None:
        return False
    parts = _parts(masked.words)
    holds = [part for part in parts if any(_same(masked.at(place), said) for place in re.findall(P, part))]
    return len(holds) == 1 and len(parts) < 3 and _score(holds[0], wanted) <= -_MARGIN


def other_unit(text: str, answer: str, question: str) -> bool:
    """Whether an answer has another unit than the question asks for.

    >>> other_unit("So it goes 288 kilometers.", "288", "How many miles does it go?")
    True
    >>> other_unit("So it goes 288 miles.", "288", "How many miles does it go?")
    False
    """
    wanted = asked(question)
    unit = _UNIT_NAMES.get(wanted.unit) or _UNIT_NAMES.get((wanted.counted or ("",))[-1]) or ""
    if not unit and (match := _RATE_ASKED.search(wanted.text)) is not None:
        unit = _UNIT_NAMES.get(match[1], "")
    if not unit:
        return False
    number = re.match(r"[-−$]*[0-9][0-9.,/]*", answer)
    place = text.rfind(number[0]) if number is not None else -1
    if number is None or place < 0:
        return False
    tail = _UNIT_BEHIND.match(text, place + len(number[0]))
    shown = "dollar" if number[0].startswith("$") else _UNIT_NAMES.get(tail[1], "") if tail is not None else ""
    return bool(shown) and shown != unit and "per" not in (tail[2] or "" if tail is not None else "")


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip(" *")]


@lru_cache(maxsize=512)
def asked(question: str) -> Asked:
    """What a question asks for.

    >>> asked("There are 35 children. How many girls are there?").counted
    ('girl',)
    >>> asked("Tom is 4 times as old as Al. How old is Tom?")[1:4]
    ('years', '', frozenset({'tom'}))
    """
    text = question[-_MAX_QUESTION:].strip()
    sentences = [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip()]
    asking = [part for part in sentences if _ASKS.search(part) and not _FORM.search(part)]
    clause = asking[-1] if asking else (sentences[-1] if sentences else "")
    start = _ASKS.search(clause)
    clause = clause[start.start() :] if start is not None else clause
    clause = _FORMULA.sub(" ", re.sub(r"\$([A-Z])\$", r"\1", clause))
    lower = clause.lower()
    counted = _COUNTED.search(clause)
    what = tuple(_stem(word) for word in _WORD.findall(counted["what"])) if counted is not None else ()
    unit = _UNIT_ASKED.search(lower)
    names = {
        word.strip("'’").removesuffix("'s").removesuffix("’s")
        for word in _WORD.findall(clause[1:])
        if word[0].isupper()
    }
    names |= set(_LETTERED.findall(clause))
    names = {
        name.lower()
        for name in names
        if (len(name) > 1 or name in _LETTERED.findall(clause)) and name.lower() not in _EMPTY
    }
    words = {_stem(word) for word in _WORD.findall(_GIVEN.sub("", clause))} - _EMPTY
    first = _SUBJECT.match(text)
    if not names and first is not None and re.search(r"\b(?:he|she|his|her)\b", lower):
        names = {first[1].lower()}
    return Asked(
        tuple(word for word in what if word not in _EMPTY),
        next((kind for kind, pattern in _ASKED_KINDS if pattern.search(lower)), ""),
        unit[1] if unit is not None else "",
        frozenset(names),
        frozenset(word for word in words if word not in names and len(word) > 1),
        frozenset(match[1] + _plain(match[2]) for match in _NUMBER.finditer(text)),
        text,
        frozenset(match[1] + _plain(match[2]) for match in _NUMBER.finditer(clause)),
    )


def of_another(sentence: str, question: str) -> bool:
    """Whether a sentence speaks only of somebody whom the question names, but does not ask for.

    >>> of_another("So Ben has 12.", "Ann has 5 more than Ben. How many has Ann?")
    True
    """
    wanted = asked(question)
    subject = _SUBJECT.match(LEADS.sub("", sentence.strip(" *"), count=1)) if wanted.names else None
    if subject is None or _PRONOUN.search(sentence, subject.end()):
        return False
    others = {name.lower() for name in _NAME.findall(wanted.text)} - wanted.names
    return subject[1].lower() in others and wanted.names.isdisjoint(word.lower() for word in _WORD.findall(sentence))


def asked_value(sentence: str, question: str, said: str = "") -> str | None:
    """The value of a sentence with several that the question asks for; None where that is not plain.

    Args:
        sentence: The last sentence of a message.
        question: The question.
        said: What the sentence was read as without the question, "" where it was not.

    >>> asked_value("So there are 15 boys and 20 girls.", "How many girls are there?")
    '20'
    >>> asked_value("Max is 8 years old, and Lea is 4.", "How old is Lea?")
    '4'
    >>> asked_value("There are 15 or 20 girls and 5 boys.", "How many girls are there?") is None
    True
    """
    text = re.sub(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w|\s*\d)", "", sentence.strip().rstrip(" .!"))
    if len(text) > MAX_CHARS or OTHER_SCRIPT.search(text) or not question:
        return None
    wanted = asked(question)
    masked = mask_values(text)
    if masked is None or len(masked.values) < 2 or "\\" in masked.words or any(map(_NAMED.match, masked.values)):
        return None
    words = (
        ASIDE.sub("", masked.words)
        if not re.search(r"\([^()]*(?:\bor\b|\bnot\b|\?)[^()]*\)", masked.words)
        else masked.words
    )
    concluding = conclusion(words)
    if concluding == words and (then := _THEN.search(words)) is not None and re.search(P, words[then.end() :]):
        concluding = LEAD_WORD + words[then.end() :]
    last = re.findall(P, concluding) if concluding != words else []
    if len(last) == 1 and said and _same(result_of(masked.at(last[0])), said) and not _known(said, wanted):
        return None  # what follows is the answer
    words = concluding.removeprefix(LEAD_WORD) if len(last) > 1 else words
    if _CHOICE.search(words) or DOUBTED.search(words) or NOT_STATED.search(words) or NO_RESULT.search(words):
        return None
    found = _candidates(words, masked, wanted)
    chosen = _chosen(found, _parts(words), wanted, said) if found and len(found) <= _MAX_CANDIDATES else None
    if chosen is None:
        return None
    return f"{chosen.value} {chosen.unit}" if chosen.unit and "$" not in chosen.value else chosen.value


def _parts(words: str) -> list[str]:
    return _PARTS.split(words)


def _candidates(words: str, masked: Masked, wanted: Asked) -> list[_Candidate]:
    """The values of a sentence, with what stands beside each of them."""
    found: list[_Candidate] = []
    for number, part in enumerate(_parts(words)):
        free = DEFINITE.sub(lambda m: re.sub(P, "#", m[0]), part)
        for match in re.finditer(P, free):
            head, tail = part[: match.start()], part[match.end() :]
            value = result_of(masked.at(match[0]))
            if _NOT_VALUE.match(tail) or SPOILT.search(head) or UNFINISHED.search(tail) or POSED.fullmatch(value):
                continue
            if _AMOUNT.fullmatch(value) is None:
                continue
            unit = UNIT.match(tail)
            fits = _fits(value, tail, unit[1] if unit is not None else "", wanted)
            plain = re.fullmatch(r"(?:[a-z] = )?[-−]?[0-9][0-9.,:/]*", value) is not None
            found.append(
                _Candidate(
                    match[0],
                    value,
                    unit[1] if unit is not None and plain else "",
                    number,
                    fits,
                    _known(value, wanted),
                )
            )
    return found


def _fits(value: str, tail: str, unit: str, wanted: Asked) -> int:
    """Whether what is asked for stands beside a value (1), something else (-1), or nothing (0)."""
    beside = [_stem(word) for word in re.match(r"(?:\s[A-Za-z][\w'’-]*){0,4}", tail)[0].split()]  # type: ignore[index]
    money = value.startswith(("$", "€", "£"))
    if wanted.unit:
        same = _stem(unit or (beside[0] if beside else "")) == _stem(wanted.unit) or unit == wanted.unit
        if same:
            return 1
        if wanted.unit != "cents" or money:
            return -1 if unit or money or "%" in value else 0
    if wanted.kind == "clock":
        return 1 if ":" in value or re.match(r"\s[ap]\.?m\b", tail) else -1
    if wanted.kind == "percent":
        return 1 if "%" in value or beside[:1] == ["percent"] else -1 if money or unit else 0
    if wanted.kind == "money":
        return 1 if money or (beside and _KINDS["money"].match(beside[0])) else -1 if unit or "%" in value else 0
    if wanted.kind == "years":
        return 1 if beside[:1] == ["year"] else -1 if money or unit or "%" in value else 0
    if wanted.counted:
        if money or "%" in value:
            return -1
        near = beside[: 1 + len(wanted.counted)]
        if wanted.counted[-1] in near:
            return 1 + sum(word in near for word in wanted.counted[:-1])
        return (
            -1
            if unit
            or (
                beside
                and beside[0] not in _EMPTY
                and len(beside[0]) > 2
                and near == beside[: len(near)]
                and beside[0] not in wanted.words
            )
            else 0
        )
    if wanted.kind in ("time", "length", "rate"):
        first = " ".join(tail.split()[:1]).strip(".,;").lower()
        if wanted.kind == "rate":
            return (
                1
                if _KINDS["rate"].match(first) or re.match(r"\s\S+ (?:per|an?) \w", tail) or "/" in first
                else -1
                if unit
                else 0
            )
        shown = re.search(r"[a-z]+$", value)
        name = first or (shown[0] if shown else "")
        return 1 if _KINDS[wanted.kind].match(name) else -1 if money or unit or "%" in value else 0
    return 0


def _chosen(found: list[_Candidate], parts: list[str], wanted: Asked, said: str) -> _Candidate | None:
    """The candidate that is asked for, where all others are not.

    Args:
        found: The values of a sentence.
        parts: The parts of the sentence.
        wanted: What the question asks for.
        said: What the sentence was read as without the question; it is overruled only by a value that fits better.
    """
    if all(map(_LABELLED.match, parts)):
        said = ""  # Cows: 7; chickens: 23
    plain = bool(wanted.kind or wanted.unit or (wanted.counted and UNIT.match(f" {wanted.counted[-1]}s")))
    scores = _scores({one.part: parts[one.part] for one in found}, wanted, not said)
    for one in found:
        beside = sum(other.part == one.part for other in found)
        if beside > 1 and one.known and _key(one.value) in wanted.given:
            scores[one.part] += _MARGIN
    first, *others = sorted(set(scores.values()), reverse=True)
    leading = [part for part, score in scores.items() if score == first]
    chosen = None
    if wanted.kind == "clock" and not said and found[-1].fits > 0 and _ENDS.search(parts[found[-1].part]):
        return found[-1]
    new = [one for one in found if not one.known and one.fits >= 0]
    if len(found) == 1:
        chosen = found[0] if found[0].fits > 0 else None
    elif len(new) == 1 and len(parts) == 1 and new[0].fits >= 0 and _OPEN_NUMBER.search(wanted.text):
        chosen = new[0]  # 12 is 30% of 40
    elif first > 0 and len(leading) == 1 and others and first - others[0] >= _MARGIN:
        chosen = _only([one for one in found if one.part == leading[0] and one.fits >= 0])
        fitting = [one for one in found if one.fits > 0 and not one.known]
        named = bool(wanted.names) and not wanted.counted
        if plain and not named and chosen is not None and chosen.fits <= 0 and fitting:
            chosen = fitting[0] if len(fitting) == 1 else None
    else:
        most = max(one.fits for one in found)
        fitting = [one for one in found if one.fits == most > 0]
        fitting = [one for one in fitting if not one.known] or fitting
        if len(fitting) == 1 and all(scores[one.part] - scores[fitting[0].part] < _MARGIN for one in found):
            chosen = fitting[0]
    if chosen is None and len(new) == 1 and scores[new[0].part] == first > 0 and len(found) > 1:
        chosen = new[0]
    if chosen is None or (
        chosen.known and any(one.fits >= 0 and not one.known for one in found if one.part == chosen.part)
    ):
        return None
    if not said:
        return chosen if not chosen.known or chosen.fits > 0 or first >= _MARGIN else None
    if _same(chosen.value, said):
        return chosen
    read = next((one for one in found if _same(one.value, said)), None)
    if read is not None and read.known and read.fits < 0 < chosen.fits:
        return chosen
    if read is None or chosen.known:
        return chosen if chosen.fits > 0 and _known(said, wanted) and not chosen.known else None
    lead = scores[chosen.part] - scores[read.part]
    fits = chosen.fits > max(read.fits, 0) and (read.known or read.fits < 0 or plain)
    if read.known and chosen in new and len(new) == 1 and lead >= 0:
        return chosen
    return (
        chosen
        if fits or lead > _MARGIN or (lead == _MARGIN and scores[read.part] <= 0 and chosen.part > read.part)
        else None
    )


def _only(found: list[_Candidate]) -> _Candidate | None:
    """The only candidate, or the only one that fits or is new."""
    for keep in (lambda one: True, lambda one: one.fits > 0, lambda one: not one.known):
        kept = [one for one in found if keep(one)]
        if len(kept) == 1:
            return kept[0]
    return None


def _scores(parts: dict[int, str], wanted: Asked, unread: bool) -> dict[int, int]:
    """How much each part of a sentence speaks of what is asked for; what one part alone says counts double."""
    said = {number: set(map(_stem, _WORD.findall(part))) & wanted.words for number, part in parts.items()}
    alone = {
        number: [w for w in words if sum(w in other for other in said.values()) == 1] for number, words in said.items()
    }
    several = len(parts) > 1 and unread and not wanted.names
    found: dict[int, int] = {}
    named = False
    for number, part in parts.items():
        named = _names(part, wanted) or (named and _SAME_SUBJECT.match(part) is not None)
        found[number] = _score(part, wanted) + bool(alone[number] and several) + 3 * named
    return found


def _names(part: str, wanted: Asked) -> bool:
    """Whether a part of a sentence names whom the question asks for."""
    return not wanted.names.isdisjoint(
        word.lower().removesuffix("'s").removesuffix("’s") for word in _WORD.findall(part)
    )


def _score(part: str, wanted: Asked) -> int:
    """How much a part of a sentence speaks of what is asked for."""
    said = {_stem(word.removesuffix("'s").removesuffix("’s")) for word in _WORD.findall(part)}
    score = sum(3 if word in _RANKED else 1 for word in said & wanted.words)
    for one, two in (*_OPPOSED, *[(two, one) for one, two in _OPPOSED]):
        if one in wanted.words and two in said and one not in said:
            score -= 3
    return score


def _stem(word: str) -> str:
    word = word.lower().strip("'’")
    word = _SAME.get(word, word)
    for ending, put in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("sses", "ss"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) > 1 and not word.endswith(("ss", "us", "is")):
            word = word.removesuffix(ending) + put
            break
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word.removesuffix(ending)
            break
    return _SAME.get(word, word)


def _same(one: str, two: str) -> bool:
    return _plain(one) == _plain(two) and ("π" in one) == ("π" in two)


def _key(value: str) -> str:
    return "$" * value.startswith("$") + _plain(value)


def _known(value: str, wanted: Asked) -> bool:
    """Whether the question gives a value."""
    return _key(value) in wanted.known or (len(value) > 4 and value in wanted.text)


def _plain(value: str) -> str:
    return re.sub(r"[^0-9./]", "", value).rstrip(".")
