r"""What a sentence states: the number, the formula or the words that it gives as a result.

The rules, in order. A sentence that doubts or offers alternatives states nothing. Asides are left out: labels, reasons
("because ..."), circumstances ("attained at x = 2"), clauses between commas. What is left must not negate or compare.
Then the formula or the words after the last "is" or "=" count; else the only number, where the sentence concludes.
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.chinese import in_chinese, is_chinese

__all__ = ["DOUBTED", "LEAD", "SPAN", "alike", "in_sentence", "spans_masked", "stated", "weakened", "without_asides"]

_FIRST, _LAST = "\ue000", "\uf8ff"  # stand for formulas and numbers, one character each
_PLACE = f"[{_FIRST}-{_LAST}]"
SPAN = re.compile(
    r"\*\*([^*$\n]{1,60})\*\*|\$\$(.+?)\$\$|\$(?![0-9][0-9,.]*\s+[a-z]{2,})([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]",
    re.DOTALL,
)
_VALUE = f"(?:[-0-9$\\\\]|{_PLACE}|[a-z]\\b)"
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
    r"|\b(?:(?:more|less|fewer|greater|bigger|smaller|larger|higher|lower) than|above|below|under|over|(?<!add )(?<!adds )(?<!added )up to|between"
    r"|negative|minus|twice|double|half of|thrice|(?:square|cube) of)\s+(?:the\s+)?\$?"
    + _VALUE
    + "|"
    + _HEDGES.pattern,
    re.IGNORECASE,
)
_CODE = re.compile(
    r"__|\b(?:lambda|import|eval|exec|def)\b\s*[\w(]|\bos\.|\b(?:open|print|system)\(|\\(?:write|input"
    r"|csname|def)(?![a-z])"
)
_NUMBER_WORD = (
    r"(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|half|none|nothing)\b"
)
_NOT_STATED = re.compile(  # a question, an example, an order, a plan, what somebody else says; 4:$30$
    rf"[?？][*\s]*$|^\W*(?:for example|for instance|e\.g\.|write|put|enter|ignore|dear|plan|format|i will|to do|why|is it)\b"
    r"|\b(?:good chance|likely|or (?:else|something|some other)|otherwise|would be\b.*\bif|was\b.*\buntil"
    r"|(?:gold|reference|expected) (?:answer|value|solution)|reference is)\b"
    rf"|[0-9]:{_PLACE}|\bor {_NUMBER_WORD}",
    re.IGNORECASE,
)
_SO = re.compile(  # ..., so n = 12: what follows is the conclusion
    rf"(?:(?:[,;]|{_PLACE})\s+(?:and\s+)?(?:so(?! that\b)|thus|hence|therefore|giving|meaning|yielding|making|leaving|from which|for a total of|which (?:means|gives|implies|leaves"
    r"|yields))|\s(?:we|you) (?:get|find|have|see|obtain|conclude|know)|\sit follows|\sthis (?:means|gives|leaves|implies))\b"
    r"(?:,?\s(?:us|that|with|then|have|see|get|find))*[,:]?\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:\(?[0-9]{1,2}[.)]\s+|[-*•]\s+)?(?:\[[A-Z][A-Za-z ]{2,30}\]:?\s*)|[0-9]{1,2}[.)]\s+(?=[A-Z])")
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
    r"|\sif\s(?:(?!\b(?:or|and|but|otherwise|is|are)\b)[^,;0-9]){0,120}(?=\s(?:is|are|equals|will be)\s\$?[0-9][0-9.,]*(?:\s[a-z]+)?\.?$)"
)
_INSIDE = r"(?:[^,\n]|,(?=[0-9]{3}))"  # of a clause between commas
_LEADING = re.compile(
    rf"(?:when|since|because|as|with|after|for|given|by|at|on|in|over|during|once|while|[A-Za-z]+ing)\b{_INSIDE}*,\s+"
    rf"(?={_INSIDE}*(?:[0-9]|{_PLACE}))"
    rf"|if\b[^0-9,;{_FIRST}-{_LAST}]*,\s+(?:then\s+)?(?={_INSIDE}*(?:[0-9]|{_PLACE}))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf",\s+(?:when|where|which(?!\s+(?:is|are|equals))|who|since|because|given|with|after|including|for|as|at)"
    rf"(?:(?!\bor\b){_INSIDE})+,\s+(?=[a-z])"
)
_PROVIDED = re.compile(rf",?\s+if\s+(?:(?!\b(?:or|else|otherwise|but|and)\b)[^0-9,;{_FIRST}-{_LAST}])*$", re.IGNORECASE)
_REASON = re.compile(r"[,;]?\s+\(?(?:because|since|as|so that|due to|given that)\b(?!\s+[a-z]+\s+as\b)")
_RESTATES = re.compile(  # 8, which is 5
    r"[\s,(]*(?:(?:it|that|this|x|the (?:answer|result|value|total|sum))\s+)?(?:is|are|was|equals?|equal to|gives|makes"
    r"|(?:simplifies|reduces|rounds|comes|amounts) to|becomes)\s+(?:\w+\s+)?[$-]*(?:[0-9]|\\[a-z])",
    re.IGNORECASE,
)
_JOINS = re.compile(rf"\bor\b|(?:\band|,)\s+(?:(?:then|also|maybe)\s+)?{_NUMBER_WORD}", re.IGNORECASE)
_EQUATION = rf"(?:\$?[A-Za-z](?:_\w)?\$?\s*=\s*\$?-?[0-9]|{_PLACE})"
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
_COPULA = re.compile(
    r"(?:.*(?:\bis\b|\bare\b|\bequals\b|\bgives?\b|\bget\b|\bgot\b|\bhave\b|\bobtain\b|\b(?:simplifies"
    r"|reduces|comes|evaluates|amounts|works out) to\b|\bbecomes\b|\bmeasures\b|\byields\b|\bleaves\b|\btotals\b|(?<![0-9]):|=)\s*)(\S.*)",
    re.DOTALL,
)
_CORE = re.compile(
    rf"(?:(?:just|simply|exactly|therefore|thus|then|hence|so|equal to|given by|equals|indeed|clearly|that|the"
    rf"|(?:the )?(?:value|number|fraction|expression|set|interval|point|ordered pair|pair|sum|total|result"
    rf"|option|choice)(?: of)?"
    rf"|approximately|about|[a-zA-Z](?:_\w+)?\s*=)[\s,:]*)*"
    rf"({_PLACE}(?:\s*(?:,|;|and|or|, and|, or)\s*{_PLACE})*)",
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
_FORMULA = re.compile(r"[\\_^{}\[\]<>|;]")
_NAMED = re.compile(r"(?:the|our|a|my|an|what|correct)\b", re.IGNORECASE)
_UNIT_TAIL = re.compile(
    r"(?:(?!is\b|are\b|as\b|which\b|where\b|for\b|so\b|in\b|satisf|holds?\b|has\b|have\b|was\b)[A-Za-z^0-9/]++ ?)*+"
)
_NUMBER = re.compile(
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
    rf"\b(?:{_UNIT_WORD}|(?:{_UNIT_WORD}|one|a) (?:hundred|thousand|million)(?:(?: and)? {_UNIT_WORD}| (?:and )?one\b)?)"
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
    rf"(?:[a-z]+,?\s){{0,3}}?({_PLACE})\s(?:is|must be)\s(?:[a-z]+\s)?(?:the|our|my)\s(?:[a-z]+\s){{0,2}}"
    rf"(?:answer|solution|result|value)\b(?!.*{_PLACE})",
    re.IGNORECASE | re.DOTALL,
)
_COMPUTED = re.compile(r"[^=]*[A-Za-z][^=]*[-+*/^][^=]*=|[A-Za-z]{2,}\s*=")  # a = 2 and b = 3 and a + b = 5
_TWO_FORMS = re.compile(  # $1/20$, that is, $0.05$
    rf"({_PLACE})(?: [a-z]+){{0,3}},?\s(?:that is|i\.e\.|(?:or )?equivalently|or (about|approximately|roughly)|(about|roughly))"
    rf",?\s({_PLACE})(?:\s[a-z]+){{0,2}}[\s.]*"
)
_ROOTS = re.compile(  # two solutions: x = -3 and x = 3
    r"((?<![\w=])[A-Za-z]\w?\s*=\s*[^=,;:]{1,30}?(?:(?:,|;|\band\b|\bor\b)\s*){1,2}[A-Za-z]\w?\s*=\s*[^=:]{1,30}?)[\s.]*$"
)
_GOES_ON = re.compile(
    r"\s*\(?or\b(?!,? equivalently)|\s+to the\b|[xyinkab]\b|\s*(?:[-+*/=^]|\\cdot)\s*$"
)  # $8$ or six; $8$x
_ALSO_IS = re.compile(
    rf"\b(?:is|are|equals) -?[0-9][^{_FIRST}-{_LAST}]*\b(?:is|are|equals) {_PLACE}"
)  # the sum is 8 and the product is $9$
_STATES = re.compile(
    rf"\b(?:is|are|was|were|equals|has|have)\s+(?:[a-z]+ )?{_PLACE}(?!.*\b(?:so|thus|hence|therefore)\b)", re.S
)
_EXPLAINED = re.compile(rf"{_PLACE}(?:[\s,;]*(?:which|because|since|as|where)|[^.]*,\s+which)\b")
_SYMBOL = re.compile(
    r"(?<![\w.)\s])(?<![\w)+*/^-]\s)\s?([A-Za-z])\s*=\s*$|\b(?:line|plane|curve|axis)\s+([A-Za-z])\s*=\s*$"
)
_HYPHENATED = re.compile(r"\b[0-9]+-[A-Za-z]+")
_SUMS = re.compile(r"[0-9+*/=^<>_{}|×÷±√:]|\s-\s")  # no plain sentence
_THAN = re.compile(  # 3 hours more than James; $3 more than the mixture of 1/5 pound
    rf"({_PLACE}(?:\s(?!is\b|are\b|was\b)[a-z]+){{0,3}}\s(?:more|fewer|less|[a-z]+er)(?:\s[a-z]+){{0,4}}?)"
    rf"\s(?:than|compared to)\s(?!{_PLACE}|\$?[0-9])(?!.*\b(?:or|is|are)\b).*",
    re.DOTALL,
)
_DEFINITE = re.compile(
    rf"\b(?:the|these|those|all|his|her|their|its|our|my)\s+(?:first |last |next )?{_PLACE}(?=\s+[a-z])", re.I
)
_MEASURED = re.compile(rf"\ban?\s+{_PLACE}(?=\s+[a-z]+\s+[a-z])", re.IGNORECASE)  # a 42 kg bag
LEAD = re.compile(
    r"(?:and |but )?(?:so|thus|hence|therefore|then|in total|in all|in the end|altogether|overall|finally|consequently"
    r"|as a result|in conclusion|this means|that means|it follows|we conclude|donc|ainsi|por (?:lo )?tanto|así que"
    r"|entonces|somit|also|daher|quindi|dunque|logo|portanto|итак|значит)\b|因此|所以|于是|从而|综上|故",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:[Ss]?[Hh]e|[Tt]hey|[Ww]e|[Yy]ou|[Ii]t|I|[Tt]here|[Tt]h(?:at|is)|(?:[Tt]he|[Ee]ach|[Ee]very"
    r"|[Aa]ll)(?: of the)? [a-z]{1,20}"
    r"|[A-Z][a-z]+(?: and [A-Z][a-z]+)?) (?:still |now |only )?"
    r"(?:is|are|was|were|has|have|had|makes?|made|earns?|earned|sold|sells?|paid|pays?|needs?|spends?|spent|gets?|got"
    r"|bought|costs?|takes?|took|gives?|leaves?|ends? up with|reads?|walks?|ran|runs?|saves?|saved|collects?"
    r"|collected|receives?|received|eats?|ate|reach(?:es|ed)|contains?|holds?|weighs?|grew|cut|won|lost|found|drove|kept"
    r"|gave|caught|built|wrote|travel(?:s|led)|scored?|lasts?|lasted|arrives? at|starts? at|ends? at"
    r"|(?:will|would|must|should|can|does) (?:have |need to |have to )?[a-z]+)\b"
)
_IDLE = re.compile(
    rf"(?:\b(?:steps?|cases?|parts?|questions?|problems?|equations?|lines?|pages?|chapters?|figures?|theorem"
    rf"|lemma|mod|base|modulo)"
    rf"|\b(?:divid|multipl)[a-z]*(?: [a-z]+){{0,3}})\s+{_PLACE}"
    rf"|{_PLACE}\s+(?:times (?:as|more|the|[a-z]+er|{_PLACE})|(?:in|out of|of|to)\s+{_PLACE})",
    re.IGNORECASE,
)
_LEAD_WORD = "Thus "
_ONE_PLACE = re.compile(_PLACE)
_MAIN_VERB = re.compile(r"\b(?:will|would|is|are|can|must|costs?|makes?|needs?|has|have|earns?|takes?)\b")
_PURPOSE = re.compile(  # 54 more students are needed to form 12 groups
    rf"({_PLACE}[^,;]{{0,150}}?)(?<! need)(?<! needs)(?<! has)(?<! have)(?<! had)(?<! able)(?<! going)(?<! wants)(?<! want)"
    rf"(?<! got)(?<! plans) (?:in order )?to (?!be\b)[a-z]+(?: (?!and\b|or\b|but\b)[A-Za-z]+){{0,6}} {_PLACE}"
    r"(?:(?!\b(?:and|or|but)\b)[^,;])*$"
)
_AIM = re.compile(  # it costs $13 to buy three bottles of soda and two of water
    rf"({_PLACE}(?: [a-z]+){{0,3}}) (?:in order )?to (?!be\b|{_NUMBER_WORD})[a-z]{{2,}} (?:(?!\b(?:or|but)\b)[A-Za-z' ]){{1,150}}\.?$"
)
_CIRCUMSTANCE = r"(?:after|before|until|in|over|for|during|per|on|within|with|from|by|each|every|of|at|into|through|to)"
_GIVES = re.compile(rf"[0-9]|{_PLACE}")
_INDIRECT = re.compile(  # it would take 5 people 48 hours
    rf"\b(takes?|took|costs?) {_PLACE} (?!{_CIRCUMSTANCE}\b)[a-z]+(?= {_PLACE})"
)
_VERB_AND_OBJECT = re.compile(  # a verb, its object; no preposition between them
    r"\b(?:is|are|was|were|be|equals|costs?|makes?|made|has|have|had|needs?|earns?|earned|pays?|paid|spends?|spent"
    r"|saves?|saved|takes?|took|gets?|got|weighs?|sells?|sold|(?:adds? up|amounts?|comes?|rises?|falls?|increases?) to"
    r"|(?:will|would|can|must|should|did|does) (?:(?:still|only|also|have|need|be able) )?(?:to )?[a-z]+"
    r"|(?:needs?|needed|has|have|had|(?:is|are|was|were) able) to [a-z]+)"
    rf"(?: (?!(?:{_CIRCUMSTANCE}|than|between|and|or|but|not|if|when|so|that|which|the|is|are)\b)[A-Za-z]+){{0,2}}"
    rf"(?: a total of| an average of| as [a-z]+ as)? {_PLACE}"
)
_DESCRIBES = re.compile(  # possessive: each number is taken in one way alone
    rf"(?: {_CIRCUMSTANCE}(?: (?!and\b|or\b|but\b)[A-Za-z]+){{0,4}} {_PLACE}"
    rf"| and (?:the|his|her|their) (?:other )?{_PLACE}|(?!{_PLACE})[^,;:()])*+"
)
_SHOWN = re.compile(r"\$[^$\n]{1,60}\$|\*\*[^*\n]{1,60}\*\*|\$?-?[0-9][0-9.,/]*[0-9]|\$?-?[0-9]")
_WITH_UNIT = re.compile(r"#\s?[a-z]{1,3}\b")
_UNIT = re.compile(
    r"\s*((?:square |cubic )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|[mck]m|millimeters?|centimeters?"
    r"|(?:kilo)?met(?:er|re)s?|[mk]?g|kgs|lbs?|m?l|(?:kilo)?grams?|pounds?|ounces?|feet|foot|inch(?:es)?"
    r"|miles?|yards?|m|dollars?"
    r"|cents?|percent|degrees?|lit(?:er|re)s?|gallons?|quarts?|pints?|tons?))\b(?!\s+per\b|/)"
)


def spans_masked(text: str) -> tuple[str, list[str]]:
    """The text with one character for each formula or emphasised part, and these parts."""
    found: list[str] = []

    def masked(match: re.Match[str]) -> str:
        found.append(next(group for group in match.groups() if group is not None).rstrip(" .,;"))
        return chr(ord(_FIRST) + len(found) - 1)

    text = re.sub(_PLACE, "?", text[:4000])
    return SPAN.sub(masked, text), found


def weakened(words: str) -> bool:
    """Whether words negate, compare or doubt: "not", "more than", "maybe"."""
    return WEAKENED.search(words) is not None


def _unmasked(words: str, found: list[str], dollars: bool = False) -> str:
    mark = "$" if dollars else ""
    return re.sub(_PLACE, lambda m: f"{mark}{found[ord(m[0]) - ord(_FIRST)]}{mark}", words)


def _core(words: str, found: list[str]) -> str | None:
    """Words without asides; None where an aside offers something else or takes back what is stated."""
    if _HEDGES.search(words):
        return None
    words = _BETWEEN.sub(" ", words)
    for pattern, keeps_negation in ((_REASON, True), (_WHERE, False)):
        if (match := pattern.search(words)) is None or match.start() == 0:
            continue
        aside = _unmasked(words[match.end() :], found)
        if _HEDGES.search(aside) or (not keeps_negation and _NEGATES.search(aside)):
            return None
        if (
            not _TWO.search(aside)
            and not _RESTATES.match(aside)
            and re.search(rf"[0-9A-Za-z]|{_PLACE}", words[: match.start()])
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
    core = _core(words, found)
    if core is None:
        return None
    return text if core == words.strip(" ,;(") else _unmasked(core, found, dollars=True)


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
    text = _tidy(text)
    if _CODE.search(text):
        return None
    if not text.isascii() and is_chinese(text):
        return in_chinese(text)
    if (label := _LABEL.match(text)) is not None:
        text = text[label.end() :]
    words, formulas = spans_masked(text)
    if DOUBTED.search(words) or _NOT_STATED.search(words):
        return None
    if (worded := _WORDED.fullmatch(text)) is not None:
        return worded[1].removeprefix("is ")
    whole = words
    words = _conclusion(words)
    if formulas and not re.search(_PLACE, words):
        text, formulas = words, []
    core = _core(words, formulas)
    if core is None:
        return None
    core = _THAN.sub(r"\1", core) if formulas else core
    if formulas and re.search(_PLACE, core):
        return None if weakened(core) else _formula_in(core, formulas)
    return _number_in(core if core != words.strip(" ,;(") or words is not whole else text)


def _conclusion(words: str) -> str:
    """The last clause that begins with "so" or "which gives" and states something; else all words."""
    last = None
    for match in _SO.finditer(words):
        if match.start() and _GIVES.search(words, match.end()):
            last = match
    return _LEAD_WORD + words[last.end() :] if last is not None else words


def _tidy(text: str) -> str:
    """The text with one way of emphasis, without what only looks like a denial or a bound."""
    text = _TITLE.sub(r"\1:", _AMOUNT.sub(r"\1", text.strip()))
    text = _MEASURE.sub(r"\1", _EMPHASIS.sub(r"**\2**", text))
    text = _RATE.sub(" per ", _REQUIRED.sub(r"\1 ", text))
    return _EXCLUDING.sub(" ", text)


def _formula_in(words: str, formulas: list[str]) -> str | None:
    """What is stated by words with formulas among them."""
    if _ALSO_IS.search(words):
        return None
    if (turned := _TURNED.match(words)) is not None:
        return value_of(_unmasked(turned[1], formulas))
    copula = _COPULA.fullmatch(words)
    if copula is not None and re.search(_PLACE, copula[1]):
        rest = copula[1]
    elif copula is not None and not _NAMED.match(copula[1]):  # ... of $f(x)$ is 19
        return copula[1]
    else:
        rest = _CONNECTIVES.sub("", words)
        cut = copula is not None and copula.start(1) < len(words)
        rest = rest[: copula.start(1) - len(words)].strip() if copula is not None and cut else rest
        rest = re.sub(r"\s*(?:is|are|be)\s*$", "", rest)
    said = stated(rest, formulas)
    return said if said is not None else _concluded(words, formulas)  # She has **72** clips


def stated(rest: str, formulas: list[str]) -> str | None:
    """The formulas that stand at the beginning of what is said, joined as they are, with a unit after a single one."""
    match = _CORE.match(rest)
    if match is None:
        return None
    if (forms := _TWO_FORMS.fullmatch(rest, match.start(1))) is not None:
        mark = "about " if forms[2] or forms[3] else "or "
        return f"{_joined(forms[1], formulas)} ({mark}{_unmasked(forms[4], formulas)})"
    if _GOES_ON.match(rest, match.end()):
        return None
    count, tail = len(re.findall(_PLACE, match[1])), rest[match.end() :].strip(" .")
    if re.search(_PLACE, tail) and not _CLAUSE.match(tail):
        return None
    formula = _joined(match[1], formulas)
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
    places = re.findall(_PLACE, words)
    last = formulas[ord(places[-1]) - ord(_FIRST)]
    if len(places) == 1 or (_COMPUTED.match(last) and all("=" in formulas[ord(x) - ord(_FIRST)] for x in places)):
        return value_of(last)
    return _unmasked(words, formulas)


def _number_in(text: str) -> str | None:
    """What is stated by words without formulas."""
    numbers: list[str] = []

    def masked(match: re.Match[str]) -> str:
        numbers.append(match[0])
        return chr(ord(_FIRST) + len(numbers) - 1)

    words = _NUMBER.sub(masked, _HYPHENATED.sub("so-called", text))
    if not numbers:  # So there are twenty-four ways
        spelled = _SPELLED.sub(masked, text) if LEAD.match(text) or _VERB.match(text) else text
        return None if weakened(spelled) else _concluded(spelled, numbers) or _in_words(text)
    plain = bool(numbers) and not _SUMS.search(words)
    if plain:
        words = _THAN.sub(r"\1", words)
    if weakened(words) or (not plain and _FORMULA.search(text)):
        return None
    if plain and (found := _concluded(words, numbers)) is not None:
        return found
    if (match := _NO_SOLUTION.fullmatch(text)) is not None:
        return match[1]
    if (match := _SOLVES.match(text)) is not None:
        return match[1]
    if (listed := _ROOTS.search(text)) is not None:
        return listed[1]
    copula = _COPULA.fullmatch(words)
    if copula is None or _EXPLAINED.search(words[: copula.start(1)]):
        return None
    if plain and _STATES.search(words[: copula.start(1)]):
        return None
    said = _unmasked(copula[1], numbers)
    if (name := _SYMBOL.search(words[: copula.start(1)])) is not None:
        return f"{name[1] or name[2]} = {said}"
    counted = _COUNTED.fullmatch(said)
    if counted is None or _JOINS.search(said):
        return said
    unit = _UNIT.match(said, counted.end(1))
    return f"{counted[1]} {unit[1]}" if unit is not None else counted[1]


def alike(one: str, two: str) -> bool:
    """Whether two sentences say the same of different values.

    >>> alike("So it is 8.", "Thus, it is 5"), alike("So she has 8.", "Thus, he pays 5")
    (True, False)
    """
    said = [LEAD.sub("", text.strip(), count=1).strip(" ,.").lower() for text in (one, two)]
    return said[0] != said[1] and len({_masked(text) for text in said}) == 1 and "#" in _masked(said[0])


def _masked(text: str) -> str:
    """The text with one sign for each value, with a unit or without."""
    return _WITH_UNIT.sub("#", _SHOWN.sub("#", text))


def _concluded(words: str, numbers: list[str]) -> str | None:
    """The one number or formula of a sentence that concludes; restated ones ("the 3 friends") do not count."""
    words = _AIM.sub(r"\1", words)
    if _IDLE.search(words) or _JOINS.search(words):
        return None
    lead = LEAD.match(words)
    if len(re.findall(_PLACE, words)) > 1:
        if _EXPLAINED.search(words):
            return None
        words = _simpler(words)
    places = list(re.finditer(_PLACE, words))
    place: re.Match[str] | None = places[0] if len(places) == 1 else None
    if place is None and lead is not None:
        place = _object(words)
    if place is None or not (lead or _VERB.match(words)):
        return None
    number = value_of(numbers[ord(place[0]) - ord(_FIRST)])
    unit = _UNIT.match(place.string, place.end())
    return (
        f"{number} {'kg' if unit[1] == 'kgs' else unit[1]}"
        if unit is not None and not number.startswith(("$", "\\$"))
        else number
    )


def _simpler(words: str) -> str:
    """The words with one number alone, where the others repeat the question or say what it is needed for."""
    shorter = _MEASURED.sub("", _DEFINITE.sub("", words))
    if len(re.findall(_PLACE, shorter)) > 1:
        shorter = _PURPOSE.sub(r"\1", shorter)
    verb = _MAIN_VERB.search(shorter)
    if len(re.findall(_PLACE, shorter)) > 1 and verb is not None and LEAD.match(words):
        shorter = _LEAD_WORD + shorter[verb.start() :]
    return shorter if len(re.findall(_PLACE, shorter)) == 1 else words


def _object(words: str) -> re.Match[str] | None:
    """The place of the number that the main verb has as its object, where all others only describe."""
    words = _INDIRECT.sub(r"\1", words)
    match = _VERB_AND_OBJECT.search(words)
    if match is None or not _DESCRIBES.fullmatch(words, match.end()):
        return None
    return _ONE_PLACE.search(words, match.end() - 1)
