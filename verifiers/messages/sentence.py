r"""What a sentence states: the number, the formula or the words that it gives as a result.

In order: a sentence that doubts, asks, orders or quotes states nothing. Of several clauses the one after "so" or "which
gives" counts. Asides are left out: labels, reasons ("because ..."), circumstances ("at x = 2"), clauses between
commas (`clause`). What is left must not negate or compare. Then the formula or the words after the last "is" or "="
count; else the only number, or the object of the main verb (`predicate`), where the sentence concludes.
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.chinese import in_chinese, is_chinese
from turnwise.verifiers.messages.clause import (
    CODE,
    DOUBTED,
    FIRST,
    LABEL,
    LAST,
    LEAD,
    NOT_STATED,
    PLACE,
    conclusion,
    core_of,
    spans_masked,
    tidy,
    unmasked,
    weakened,
)
from turnwise.verifiers.messages.predicate import EXPLAINED, JOINS, UNIT, VERB, concluding
from turnwise.verifiers.messages.prose import two_stated

__all__ = ["NUMBER", "alike", "in_sentence", "stated"]

_COPULA = re.compile(
    r"(?:.*(?:\bis\b|\bare\b|\bequals\b|\bgives?\b|\bget\b|\bgot\b|\bhave\b|\bobtain\b|\b(?:simplifies"
    r"|reduces|comes|evaluates|amounts|works out) to\b|\bbecomes\b|\bmeasures\b|\byields\b|\bleaves\b|\btotals\b"
    r"|(?<![0-9]):|=)\s*)(\S.*)",
    re.DOTALL,
)
_CORE = re.compile(
    rf"(?:(?:just|simply|exactly|therefore|thus|then|hence|so|equal to|given by|equals|indeed|clearly|that|the"
    rf"|(?:the )?(?:value|number|fraction|expression|set|interval|point|ordered pair|pair|sum|total|result"
    rf"|option|choice)(?: of)?"
    rf"|approximately|about|[a-zA-Z](?:_\w+)?\s*=)[\s,:]*)*"
    rf"({PLACE}(?:\s*(?:,|;|and|or|, and|, or)\s*{PLACE})*)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;(]|(?:which|as|because|so|since|for|when|where|if|by|with|using|from|after|who|that|and (?:we|the|it))\b", re.I
)
_CONNECTIVES = re.compile(
    r"^(?:(?:so|thus|hence|therefore|then|now|finally|we|get|have|obtain|find|conclude|that|see|this"
    r"|gives|it|follows|and|the"
    r"|answer|solution|result|in conclusion|consequently|accordingly|which|implies|means|as a result|know"
    r"|[\u4e00-\u9fff：，∴→]+)[\s,:]*)+",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s+[a-z][^0-9$\\]*")
_FORMULA = re.compile(r"[\\_^{}\[\]<>≠≤≥≈|;]")
_NAMED = re.compile(r"(?:the|our|a|my|an|what|correct)\b", re.IGNORECASE)
_UNIT_TAIL = re.compile(
    r"(?:(?!is\b|are\b|as\b|which\b|where\b|for\b|so\b|in\b|satisf|holds?\b|has\b|have\b|was\b)[A-Za-z^0-9/]++ ?)*+"
)
NUMBER = re.compile(
    r"(?<![\w.,:/])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AaPp]\.?[Mm]\b)?(?![\w:])|"
    r"(?<!\w)\(-?[0-9./]+(?:, ?-?[0-9./]+)+\)|"
    r"(?<![\w.,:/$])(?<![\w.,:/$]-)-?(?:\\?\$)?-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?(?:\\?%)?"
    r"(?:\s[0-9]+/[0-9]+(?![0-9/])|\sand (?:a|one|three) (?:half|thirds?|quarters?)\b)?"
    r"(?![0-9.,:/]*[0-9])(?!-[A-Za-z])(?:(?=(?:[kcm]?m|kgs?|g|lbs?|m?l|hrs?|mins?)\b)|(?![\w^!°]))"
)
_NO_SOLUTION = re.compile(
    r"[^0-9]{0,60}\b(?:has|have|there (?:is|are)) (no (?:real |integer )?solutions?)[.!]?", re.IGNORECASE
)
_UNIT_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_SPELLED = re.compile(
    rf"\b(?:{_UNIT_WORD}|(?:{_UNIT_WORD}|one|a) (?:hundred|thousand|million)(?:(?: and)? {_UNIT_WORD}"
    rf"| (?:and )?one\b)?)"
    r"(?: and (?:a|one) half| (?:thirds|quarters|fifths))?\b(?!-)",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"(?!.*\bor\b)[^0-9,;:]{0,80}?\b(does not exist|doesn't exist|is undefined|is not defined|diverges)[.!]*",
    re.IGNORECASE,
)
_SOLVES = re.compile(  # x = 5 is the only solution
    r"(?:(?:so|thus|hence|therefore)[, ]+)?([A-Za-z]\s*=\s*-?[0-9][0-9.,/]*)\s+is\s+(?:the|our)\s+"
    r"(?:(?:only|unique|final|correct|desired|required)\s+)*(?:solution|answer|root|result|value)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(  # $5$ is the answer
    rf"(?:[a-z]+,?\s){{0,3}}?({PLACE})\s(?:is|must be)\s(?:[a-z]+\s)?(?:the|our|my)\s(?:[a-z]+\s){{0,2}}"
    rf"(?:answer|solution|result|value)\b(?!.*{PLACE})",
    re.IGNORECASE | re.DOTALL,
)
_COMPUTED = re.compile(r"[^=]*[A-Za-z][^=]*[-+*/^][^=]*=|[A-Za-z]{2,}\s*=")  # a = 2 and b = 3 and a + b = 5
_TWO_FORMS = re.compile(  # $1/20$, that is, $0.05$
    rf"({PLACE})(?: [a-z]+){{0,3}},?\s(?:that is|i\.e\.|(?:or )?equivalently|or (about|approximately|roughly)"
    rf"|(about|roughly))"
    rf",?\s({PLACE})(?:\s[a-z]+){{0,2}}[\s.]*"
)
_HOLDS = re.compile(  # This happens precisely for $a = 4$
    rf"(?:this|that|it|which) (?:happens|holds|occurs|is (?:true|possible|the case)) (?:precisely|exactly|only) "
    rf"(?:for|when|if|at) ({PLACE})[\s.]*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(  # So -3 <= x < 1; Divide by 2: x >= 4
    r"(?:(?:so|thus|hence|therefore|then)\b,?\s+(?:we (?:get|have|find|obtain)\s+)?|[A-Z][a-z]*(?: [a-z0-9]+){0,3}: )"
    r"(?P<said>(?:-?[0-9][0-9./]*\s*(?:<=?|≤|\\leq?)\s*)?[a-z]\s*(?:[<>]=?|≤|≥)\s*-?[0-9][0-9./]*)[\s.]*",
    re.IGNORECASE,
)
_ROOTS = re.compile(  # two solutions: x = -3 and x = 3
    r"((?<![\w=])(?:[A-Za-z]\w?\s*=\s*[^=,;:]{1,30}?(?:(?:,|;|\band\b|\bor\b)\s*){1,2}){1,4}[A-Za-z]\w?\s*=\s*[^=:]{1,30}?)[\s.]*$"
)
_GOES_ON = re.compile(
    r"\s*\(?or\b(?!,? equivalently)|\s+to the\b|[xyinkab]\b|\s*(?:[-+*/=^]|\\cdot)\s*$"
)  # $8$ or six; $8$x
_ALSO_IS = re.compile(
    rf"\b(?:is|are|equals) -?[0-9][^{FIRST}-{LAST}]*\b(?:is|are|equals) {PLACE}"
)  # the sum is 8 and the product is $9$
_AS_MUCH = re.compile(r"\b(?:twice|thrice|half|double|triple|times) as [a-z]+ as\b", re.IGNORECASE)
_MULTIPLE = re.compile(  # twice as much as $8$
    rf"\b(?:twice|thrice|half|double|triple|times)\b(?: (?:as [a-z]+ as|of|the))* {PLACE}", re.IGNORECASE
)
_STATES = re.compile(
    rf"\b(?:is|are|was|were|equals|has|have)\s+(?:[a-z]+ )?{PLACE}(?!.*\b(?:so|thus|hence|therefore)\b)", re.S
)
_SYMBOL = re.compile(
    r"(?<![\w)+*/^\\.-])(?<![0-9)+*/^=-]\s)([A-Za-z])\s*=\s*$|\b(?:line|plane|curve|axis)\s+([A-Za-z])\s*=\s*$"
)
_HYPHENATED = re.compile(r"\b[0-9]+-[A-Za-z]+")
_SUMS = re.compile(r"[0-9+*/=^<>≠≤≥≈_{}|×÷±√:]|\s-\s")  # no plain sentence
_THAN = re.compile(  # 3 hours more than James; $3 more than the mixture of 1/5 pound
    rf"({PLACE}(?:\s(?!is\b|are\b|was\b)[a-z]+){{0,3}}\s(?:more|fewer|less|[a-z]+er)(?:\s[a-z]+){{0,4}}?)"
    rf"\s(?:than|compared to)\s(?!{PLACE}|\$?[0-9])(?!.*\b(?:or|is|are)\b).*",
    re.DOTALL,
)
_SHOWN = re.compile(r"\$[^$\n]{1,60}\$|\*\*[^*\n]{1,60}\*\*|\$?-?[0-9][0-9.,/]*[0-9]|\$?-?[0-9]")
_SENTENCE_IN_BOLD = re.compile(r"\*\*(?:[^*\n ]* ){2,}[^*\n]*\*\*[.!]?")  # **They need 3.75 hours.**
_WITH_UNIT = re.compile(r"#\s?[a-z]{1,3}\b")


def in_sentence(text: str) -> str | None:
    """What a sentence states: the formula, or the words, after its last "is" or "="; None where it takes that back.

    >>> in_sentence("So there are 12 ways"), in_sentence("It is 4 or 5"), in_sentence("It is not 5")
    ('12', '4 or 5', None)
    >>> in_sentence("Thus the area is $12$ square units"), in_sentence("The maximum is 8, attained at x = 2")
    ('12 square units', '8')
    """
    return _in_sentence(text) if len(text) <= 4000 else None


@lru_cache(maxsize=512)
def _in_sentence(text: str) -> str | None:
    text = text.replace("\\$", "$") if text.count("$") == 1 else text  # an amount
    text = tidy(text)
    if CODE.search(text):
        return None
    if not text.isascii() and is_chinese(text):
        return in_chinese(text)
    if (label := LABEL.match(text)) is not None:
        text = text[label.end() :]
    words, formulas = spans_masked(text)
    if DOUBTED.search(words) or NOT_STATED.search(words) or _AS_MUCH.search(words) or two_stated(text):
        return None
    if (worded := _WORDED.fullmatch(text)) is not None:
        return worded[1].removeprefix("is ")
    if (between := _BETWEEN.fullmatch(text)) is not None:
        return between["said"]
    whole = words
    words = conclusion(words)
    if formulas and not re.search(PLACE, words):
        text, formulas = words, []
    core = core_of(words, formulas)
    if core is None:
        return None
    core = _THAN.sub(r"\1", core) if formulas else core
    if formulas and re.search(PLACE, core):
        return None if weakened(core) else _formula_in(core, formulas)
    return _number_in(core if core != words.strip(" ,;(") or words is not whole else text)


def _formula_in(words: str, formulas: list[str]) -> str | None:
    """What is stated by words with formulas among them."""
    if _ALSO_IS.search(words) or _MULTIPLE.search(words):
        return None
    if _TWO_FORMS.fullmatch(words) is not None:
        return stated(words, formulas)
    if (held := _HOLDS.fullmatch(words)) is not None:
        return value_of(unmasked(held[1], formulas))
    if (turned := _TURNED.match(words)) is not None:
        return value_of(unmasked(turned[1], formulas))
    copula = _COPULA.fullmatch(words)
    if copula is not None and re.search(PLACE, copula[1]):
        rest = copula[1]
    elif copula is not None and not _NAMED.match(copula[1]):  # ... of $f(x)$ is 19
        return copula[1]
    else:
        rest = _CONNECTIVES.sub("", words)
        cut = copula is not None and copula.start(1) < len(words)
        rest = rest[: copula.start(1) - len(words)].strip() if copula is not None and cut else rest
        rest = re.sub(r"\s*(?:is|are|be)\s*$", "", rest)
    said = stated(rest, formulas)
    return said if said is not None else concluding(words, formulas)  # She has **72** clips


def stated(rest: str, formulas: list[str]) -> str | None:
    """The formulas that stand at the beginning of what is said, joined as they are, with a unit after a single one."""
    match = _CORE.match(rest)
    if match is None:
        return None
    if (forms := _TWO_FORMS.fullmatch(rest, match.start(1))) is not None:
        mark = "about " if forms[2] or forms[3] else "or "
        return f"{_joined(forms[1], formulas)} ({mark}{unmasked(forms[4], formulas)})"
    if _GOES_ON.match(rest, match.end()):
        return None
    count, tail = len(re.findall(PLACE, match[1])), rest[match.end() :].strip(" .")
    if re.search(PLACE, tail) and not _CLAUSE.match(tail):
        return None
    formula = _joined(match[1], formulas)
    tail = "" if tail.startswith("such ") else tail
    short = len(tail) <= 40 and len(tail.split()) <= 3 and " to " not in tail
    if (
        count == 1
        and tail
        and short
        and "=" not in formula
        and _UNIT_TAIL.fullmatch(tail)
        and not formula.rstrip().endswith("}")
    ):
        return f"{formula} {tail}"
    return formula


def _in_words(text: str) -> str | None:
    """What a sentence without numbers states: no solution, does not exist, infinitely many."""
    if (match := _NO_SOLUTION.fullmatch(text)) is not None:
        return match[1]
    copula = _COPULA.fullmatch(text)
    return copula[1] if copula is not None and not weakened(text) and not _FORMULA.search(text) else None


def _joined(words: str, formulas: list[str]) -> str:
    """Formulas side by side, as they are joined; where the last one computes with the others, it alone."""
    places = re.findall(PLACE, words)
    last = formulas[ord(places[-1]) - ord(FIRST)]
    if len(places) == 1 or (_COMPUTED.match(last) and all("=" in formulas[ord(x) - ord(FIRST)] for x in places)):
        return value_of(last)
    return unmasked(words, formulas)


def _number_in(text: str) -> str | None:
    """What is stated by words without formulas."""
    numbers: list[str] = []

    def masked(match: re.Match[str]) -> str:
        numbers.append(match[0])
        return chr(ord(FIRST) + len(numbers) - 1)

    words = NUMBER.sub(masked, _HYPHENATED.sub("so-called", text))
    if not numbers:  # So there are twenty-four ways
        spelled = _SPELLED.sub(masked, text) if LEAD.match(text) or VERB.match(text) else text
        return None if weakened(spelled) else concluding(spelled, numbers) or _in_words(text)
    plain = bool(numbers) and not _SUMS.search(words)
    if plain:
        words = _THAN.sub(r"\1", words)
    if weakened(words) or (not plain and _FORMULA.search(text)):
        return None
    if plain and (found := concluding(words, numbers)) is not None:
        return found
    if (match := _NO_SOLUTION.fullmatch(text)) is not None:
        return match[1]
    if (match := _SOLVES.match(text)) is not None:
        return match[1]
    if (listed := _ROOTS.search(text)) is not None:
        return listed[1]
    copula = _COPULA.fullmatch(words)
    if copula is None or EXPLAINED.search(words[: copula.start(1)]):
        return None
    if plain and _STATES.search(words[: copula.start(1)]):
        return None
    said = unmasked(copula[1], numbers)
    if (name := _SYMBOL.search(words[: copula.start(1)])) is not None:
        return f"{name[1] or name[2]} = {said}"
    counted = _COUNTED.fullmatch(said)
    if counted is None or JOINS.search(said):
        return said
    unit = UNIT.match(said, counted.end(1))
    return f"{counted[1]} {unit[1]}" if unit is not None else counted[1]


def alike(one: str, two: str) -> bool:
    """Whether two sentences say the same of different values.

    >>> alike("So it is 8.", "Thus, it is 5"), alike("So she has 8.", "Thus, he pays 5")
    (True, False)
    """
    texts = (text.strip("* ") if _SENTENCE_IN_BOLD.fullmatch(text.strip()) else text for text in (one, two))
    said = [LEAD.sub("", text.strip(), count=1).strip(" ,.").lower() for text in texts]
    return said[0] != said[1] and len({_masked(text) for text in said}) == 1 and "#" in _masked(said[0])


def _masked(text: str) -> str:
    """The text with one sign for each value, with a unit or without."""
    return _WITH_UNIT.sub("#", _SHOWN.sub("#", text))
