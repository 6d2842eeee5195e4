"""What of a sentence may state something: doubts, labels, reasons and circumstances do not; formulas are masked."""

import re

__all__ = [
    "CODE",
    "DOUBTED",
    "FIRST",
    "LABEL",
    "LAST",
    "LEAD",
    "LEAD_WORD",
    "MISSING",
    "NOT_STATED",
    "NUMBER_WORD",
    "PLACE",
    "SPAN",
    "conclusion",
    "core_of",
    "spans_masked",
    "tidy",
    "unmasked",
    "weakened",
    "without_asides",
]

FIRST, LAST = "\ue000", "\uf8ff"  # stand for formulas and numbers, one character each
PLACE = f"[{FIRST}-{LAST}]"
SPAN = re.compile(
    r"\*\*([^*$\n]{1,60})\*\*|\$\$(.+?)\$\$|\$(?![0-9][0-9,.]*\s+[a-z]{2,})([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]",
    re.DOTALL,
)
_VALUE = f"(?:[-0-9$\\\\]|{PLACE}|[a-z]\\b)"
_DOUBTS = (  # anywhere in a sentence
    r"\b(?:maybe|perhaps|possibly|probably|might|may be|unsure|alternatively|nobody|doubt|at best|or so|not sure"
    r"|impossible|wrong|incorrect|false|(?:i|we|you|my|our|a|best|wild|educated|would|only|one) (?:can |would |will )?"
    r"guess|guessing)\b|\bguess [0-9]"
)
_HEDGES = re.compile(  # in the clause that concludes
    _DOUBTS + r"|\b(?:either|could|suppose|assume|whether|case"
    r"|too (?:big|small|large|high|low|much|many|few|long|short))\b",
    re.IGNORECASE,
)
DOUBTED = re.compile(_DOUBTS, re.IGNORECASE)
WEAKENED = re.compile(  # words after which a formula is not what is stated
    r"\b(?:not|never|neither|nor|cannot|unequal|except|but|different|impossible"
    r"|other than|at (?:least|most)|or (?:less|more|fewer|greater|higher|lower|above|below)|exceeds?|bounded"
    r"|reciprocal|inverse of|opposite|one (?:less|more)"
    r"|if|fails?|out of)\b|n't\b"
    r"|\b(?:(?:more|less|fewer|greater|bigger|smaller|larger|higher|lower) than|above|below|under|over"
    r"|(?<!add )(?<!adds )(?<!added )(?<!total )up to|between"
    r"|negative|minus|twice|double|half of|thrice|(?:square|cube) of)\s+(?:the\s+)?\$?"
    + _VALUE
    + "|"
    + _HEDGES.pattern,
    re.IGNORECASE,
)
CODE = re.compile(
    r"__|\b(?:lambda|import|eval|exec|def)\b\s*[\w(]|\bos\.|\b(?:open|print|system)\(|\\(?:write|input"
    r"|csname|def)(?![a-z])"
)
NUMBER_WORD = (
    r"(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|half|none|nothing)\b"
)
NOT_STATED = re.compile(  # a question, an example, an order, a plan, what somebody else says; 4:$30$
    rf"[?？][*\s]*$|^\W*(?:had|were|should)\s[^,]*,\s"
    rf"|^\W*(?:for example|for instance|e\.g\.|(?:as|for|by|in) (?:a |way of )?comparison\b|write|put|enter|ignore|dear"
    rf"|plan|format|i will|to do|why"
    rf"|is it)\b"
    r"|\b(?:good chance|(?<!equally )(?<!most )likely|or (?:else|something|some other)"
    r"|otherwise|would be\b.*\bif|was\b.*\buntil"
    r"|(?:gold|reference) (?:answer|value|solution)|expected (?:answer|solution)|reference is|expects|grad(?:er"
    r"|ing) [a-z]+"
    r"|rubric|answer key|would (?:only |just )?(?:be|give|have been)\b[^.]*\binstead"
    r"|if\b[^,;]*,\s(?:then\s)?(?:it|that|this|there|the (?:answer|result|total)) would)\b"
    rf"|[0-9]:{PLACE}|\bor {NUMBER_WORD}"
    r"|\b(?:is|occurs|attained|reached) at\b[^.]*,\s(?:where|with)\s(?:the|its|their)\s[a-z ]+\b(?:is|equals)\b",
    re.IGNORECASE,
)
_SO = re.compile(  # ..., so n = 12; ..., and since each costs 3, you pay 15: what follows is the conclusion
    r"(?:[,;]\s+and\s+(?:since|because|as|given that)\b(?:(?!\b(?:or|if|but|not)\b|n't)[^,;]){1,100},\s+)|"
    rf"(?:(?:[,;]|{PLACE})\s+(?:and\s+)?(?:so(?! that\b)|thus|hence|therefore|giving|meaning|yielding|making"
    rf"|leaving|from which|for a total of|which (?:means|gives|implies|leaves"
    r"|yields))|\s(?:we|you) (?:get|find|have|see|obtain|conclude|know)|\sit follows|\sthis (?:means|gives|leaves"
    r"|implies))\b"
    r"(?:,?\s(?:us|that|with|then|have|see|get|find))*[,:]?\s+",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"(?:\(?[0-9]{1,2}[.)]\s+|[-*•]\s+)?(?:\[[A-Z][A-Za-z ]{2,30}\]:?\s*)|[0-9]{1,2}[.)]\s+(?=[A-Z])"
    r"|(?:\*\*)?Step [0-9]{1,2}[.:]?(?:\*\*)?[.:]?\s+"
)
_AMOUNT = re.compile(r"\*\*(\\?\$[0-9.,]+%?)\*\*")
_TITLE = re.compile(r"\*\*([^*\n]{1,40}):\s*\*\*")  # **Solution set:** a label, not a value
_EMPHASIS = re.compile(r"(?<![\w*`])(`|__|[*_])([^*`_\s](?:[^*`_\n]{0,40}[^*`_\s])?)\1(?![\w*`])")
_MEASURE = re.compile(r"\bas ((?!many|much|few|little|well|soon)[a-z]+) as\b")  # as high as 32 feet
_RATE = re.compile(r"(?<=[0-9])/(?=[a-z]{3,})|(?<=[a-z]{3})/(?=[a-z]{3})")
_REQUIRED = re.compile(  # She must score at least 9 points: 9 is what is asked for
    r"(\b(?:must|needs?|requires?|has to|have to|should)\b(?:(?!\b(?:not|or)\b|n't)[^.,;0-9]){0,60}?)\s"
    r"at (?:least|most)(?=\s\$?[0-9][0-9.,]*\s[a-z]{3,})"
)
_EXCLUDING = re.compile(  # says which things are counted, and denies nothing: students who do not swim
    r"\s(?:(?:who|which|that) (?:do|does|did|is|are|was|were|has|have|can|will)(?: not|n't)|(?:who|which|that) cannot"
    r"|without [a-z]+ing)\b(?=[^,;]{0,200}\b(?:is|are|equals|will be)\s\S)"
    r"|\snot(?=\s[a-z]+ing\b(?!(?:\s[a-z]+){0,3}\s[$-]*[0-9]))"
    r"|\sif\s(?:(?!\b(?:or|and|but|otherwise|is|are)\b)[^,;0-9]){0,120}(?=\s(?:is|are|equals"
    r"|will be)\s\$?[0-9][0-9.,]*(?:\s[a-z]+)?\.?$)"
)
MISSING = re.compile(  # 40 girls are not in it: which ones are counted, and no denial
    r"^((?:(?:so|thus|hence|therefore|then),? )?(?:there (?:is|are|were) )?[0-9][0-9.,]*(?: of)?(?: [a-z]+){1,6}?)"
    r"(?: (?:who|that|which))?"
    r" (?:(?:are|were|was|is|will|would|did|do|does|have|has|had)(?: not|n't)|won't|cannot|can't|could not|couldn't)"
    r"(?! (?:the|right|correct|enough|it|an?|true|possible|my|our|what|be (?:the|right|correct)|answer|add|work)\b)"
    r"(?=(?: [A-Za-z]+)+\.?$)",
    re.IGNORECASE,
)
_ABLE = re.compile(  # They could make 7 pies
    r"\b([Tt]hey|[Ss]?[Hh]e|[Ww]e|[Yy]ou|(?!It\b|That\b|This\b|There\b|Answer\b|Result\b)[A-Z][a-z]+) could (?:have )?"
    r"(?=(?!be\b|been\b|also\b|equal|go\b|say\b|mean|guess|get\b|just\b|well\b|or\b|possibly\b|perhaps\b|still\b)"
    r"[a-z]{3,} (?:a total of )?[$0-9])"
)
_IF_DONE = re.compile(  # 18 miles if she runs for one third of the time
    r"(?<=[a-z0-9]),? if (?:s?he|they|we|you|[A-Z][a-z]+)(?: and [A-Z][a-z]+)? "
    r"(?!is\b|are\b|was\b|were\b|am\b|guess|think|want|like|prefer|trust|believe|must\b|can\b|had\b|has\b|have\b"
    r"|count|include|use)[a-z]{3,}\b"
    r"(?:(?!\b(?:or|else|otherwise|but|not|and (?:[0-9]|it|the))\b|[0-9]{2})[^.;,?=])*$"
)
_UNREAL = re.compile(r"\b(?:it|that|this|answer|result) (?:would|could|might|may)\b", re.IGNORECASE)
_INSIDE = r"(?:[^,\n]|,(?=[0-9]{3}))"  # of a clause between commas
_LEADING = re.compile(
    rf"(?:when|since|because|as|with|after|for|given|by|at|on|in|over|during|once|while|[A-Za-z]+ing)\b{_INSIDE}*,\s+"
    rf"(?={_INSIDE}*(?:[0-9]|{PLACE}))"
    rf"|if\b[^0-9,;{FIRST}-{LAST}]*,\s+(?:then\s+)?(?={_INSIDE}*(?:[0-9]|{PLACE}))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf",\s+(?:when|where|which(?!\s+(?:is|are|equals))|who|since|because|given|with|after|including|for|as|at)"
    rf"(?:(?!\bor\b){_INSIDE})+,\s+(?=[a-z])"
)
_PROVIDED = re.compile(rf",?\s+if\s+(?:(?!\b(?:or|else|otherwise|but|and)\b)[^0-9,;{FIRST}-{LAST}])*$", re.IGNORECASE)
_REASON = re.compile(r"[,;]?\s+\(?(?:because|since|as|so that|due to|given that)\b(?!\s+[a-z]+\s+as\b)")
_RESTATES = re.compile(  # 8, which is 5
    r"[\s,(]*(?:(?:it|that|this|x|the (?:answer|result|value|total|sum))\s+)?(?:is|are|was|equals?|equal to|gives|makes"
    r"|(?:simplifies|reduces|rounds|comes|amounts) to|becomes)\s+(?:\w+\s+)?[$-]*(?:[0-9]|\\[a-z])",
    re.IGNORECASE,
)
_EQUATION = rf"(?:\$?[A-Za-z](?:_\w)?\$?\s*=\s*\$?-?[0-9]|{PLACE})"
_WHERE = re.compile(
    r",\s+(?:which|where|when|whenever"
    r"|(?:and (?:it )?is |which is )?(?:attained|achieved|reached|obtained|taken|found))\b"
    rf"|,?\s+\(?(?:(?:attained|achieved|reached|obtained|taken)\s+)?(?:at|when|where|for)\s+(?={_EQUATION})"
    rf"|,?\s+\(?(?:attained|achieved|reached|obtained)\s+(?:at|when|where|for|by)\b"
)
_TWO = re.compile(
    r"\bor\b|\band\s+(?:also\s+)?[$-]*(?:[0-9]|\\[a-z])|,\s*[$-]*(?:[0-9]|\\[a-z])|\banother\b|\balso\b", re.IGNORECASE
)
_NEGATES = re.compile(r"\b(?:not|never|neither|nor|cannot|fails?|but|instead|rather)\b|n't\b", re.IGNORECASE)
LEAD = re.compile(
    r"(?:and |but )?(?:so|thus|hence|therefore|then|in total|in all|in the end|altogether|overall|finally|consequently"
    r"|as a result|in conclusion|this means|that means|it follows|we conclude|donc|ainsi|por (?:lo )?tanto|así que"
    r"|entonces|somit|also|daher|quindi|dunque|logo|portanto|итак|значит)\b|因此|所以|于是|从而|综上|故",
    re.IGNORECASE,
)
LEAD_WORD = "Thus "
_GIVES = re.compile(rf"[0-9]|{PLACE}")


def spans_masked(text: str) -> tuple[str, list[str]]:
    """The text with one character for each formula or emphasised part, and these parts."""
    found: list[str] = []

    def masked(match: re.Match[str]) -> str:
        found.append(next(group for group in match.groups() if group is not None).rstrip(" .,;"))
        return chr(ord(FIRST) + len(found) - 1)

    text = re.sub(PLACE, "?", text[:4000])
    return SPAN.sub(masked, text), found


def weakened(words: str) -> bool:
    """Whether words negate, compare or doubt: "not", "more than", "maybe"."""
    return WEAKENED.search(words) is not None


def unmasked(words: str, found: list[str], dollars: bool = False) -> str:
    """The words with the formulas in their places again, between dollars or not."""
    mark = "$" if dollars else ""
    return re.sub(PLACE, lambda m: f"{mark}{found[ord(m[0]) - ord(FIRST)]}{mark}", words)


def core_of(words: str, found: list[str]) -> str | None:
    """Words without asides; None where an aside offers something else or takes back what is stated."""
    if _HEDGES.search(words):
        return None
    words = _BETWEEN.sub(" ", words)
    for pattern, keeps_negation in ((_REASON, True), (_WHERE, False)):
        if (match := pattern.search(words)) is None or match.start() == 0:
            continue
        aside = unmasked(words[match.end() :], found)
        if _HEDGES.search(aside) or (not keeps_negation and _NEGATES.search(aside)):
            return None
        if (
            not _TWO.search(aside)
            and not _RESTATES.match(aside)
            and re.search(rf"[0-9A-Za-z]|{PLACE}", words[: match.start()])
        ):
            words = words[: match.start()]
    if (match := _PROVIDED.search(words)) is not None and match.start():
        words = words[: match.start()]
    lead = LEAD.match(words)
    start = lead.end() if lead is not None else 0
    rest = words[start:].lstrip(" ,")
    if (match := _LEADING.match(rest)) is not None:
        words = words[:start] + " " * bool(start) + rest[match.end() :]
    return words.strip(" ,;(")


def without_asides(text: str) -> str | None:
    """A text without its reasons and circumstances; None where they take back what it says.

    >>> without_asides("42, because 6 times 7 is 42"), without_asides("8, attained at x = 2")
    ('42', '8')
    >>> without_asides("8 at x = 2 or 9 at x = 3"), without_asides("8, which is wrong")
    ('8 at x = 2 or 9 at x = 3', None)
    """
    words, found = spans_masked(text)
    core = core_of(words, found)
    if core is None:
        return None
    return text if core == words.strip(" ,;(") else unmasked(core, found, dollars=True)


def conclusion(words: str) -> str:
    """The last clause that begins with "so" or "which gives" and states something; else all words."""
    last = None
    for match in _SO.finditer(words):
        if match.start() and _GIVES.search(words, match.end()):
            last = match
    return LEAD_WORD + words[last.end() :] if last is not None else words


def tidy(text: str) -> str:
    """The text with one way of emphasis, without what only looks like a denial or a bound."""
    text = _TITLE.sub(r"\1:", _AMOUNT.sub(r"\1", text.strip()))
    text = _MEASURE.sub(r"\1", _EMPHASIS.sub(r"**\2**", text))
    text = _RATE.sub(" per ", _REQUIRED.sub(r"\1 ", text))
    return _EXCLUDING.sub(" ", _ABLE.sub(r"\1 can ", text if _UNREAL.search(text) else _IF_DONE.sub("", text)))
