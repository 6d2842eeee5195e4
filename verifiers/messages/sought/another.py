"""Whether the clause that gives a value says that it is another quantity than the one that is asked for.

"So the minimum is 5" answers no question for the maximum, "12 chickens" none for a number of cows, "you save $34" none
for a price, "so Anna is 13" none for Ben's age. Only what excludes what is asked counts: words of one group, of which
the question names one and the clause another, or things and people of the question of which it asks for another.
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.sought.changes import in_other_direction
from turnwise.verifiers.messages.sought.quantities import QUANTITIES, WHOLE
from turnwise.verifiers.messages.sought.subject import stem
from turnwise.verifiers.messages.wording import place_of, sentence_of

__all__ = ["names_another", "of_another", "quantities_asked"]

_MAX_CHARS = 4000
_CONDITION = re.compile(
    r"\b(?:with|whose|having|if|when|given|after|before|while|until|such that)\b[^,?.]*", re.IGNORECASE
)
_CUT = re.compile(  # between clauses
    r"[,;:](?=\s|$)|[，；：。]|\s[—–-]\s(?=[A-Za-z]{2})|—|\n|\s\(|(?<=[a-z0-9$*])\)(?!\s*=)|\s(?:and|but|so|which"
    r"|while|whereas|since"
    r"|because|leaving|leaves|making|to (?:get|obtain|find|give)"
    r"|(?<!is )(?<!are )(?<!was )(?<!has )(?:therefore|thus|hence)|where|when"
    r"|if|after|before|with)\s"
)
_LABEL = re.compile(r"(?:[-*•] )?\**[A-Za-z][A-Za-z -]{2,40}\**:\**[\s$*\\(]*")
_OF_TWO = re.compile(  # the divisor of 12 and 18 is, the difference between John and George is
    r"\b(?:(?:of|from) [$0-9.,\\(]+\)? and(?= [$0-9\\])|between (?:[\w$'’.,\\()-]+ ){1,5}and\b)"
)
_WORKED_BEFORE = re.compile(  # half the diameter is
    r"\b(?:half|twice|double|thrice|triple"
    r"|third|quarter|root|square|part|share|by|times|over|plus|minus)(?: of)?(?: the| its| this)?\s$"
    r"|[-−]\s?P?r?\(?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:with|after|including|before|without)(?: the| its| this| an?| [0-9.]+\s?\\?%)*\s$", re.IGNORECASE
)
_WORKED_BEHIND = re.compile(
    r"\s(?:divided|times|multiplied|minus|plus|over)\b|\s?[-+*/×÷]\s"
    r"|[:\s$\\(]*[0-9][0-9,.]*\s?[-+−×·*/÷]\s?[0-9]",  # Difference: 1300 - 432 = 868
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|without|neither|nor|non|un\w+)\b|n['’]t\b", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:not|never|no|without|nor|than|from)|n['’]t)\s(?:the |its |a |any |be |been |by )?$", re.I
)
_HOW_MANY = re.compile(
    r"\bhow many ((?:(?!(?:are|is|did|does|do|can|will|were|was|have|has|had|must|should|would|could|may"
    r"|there|in|on|at|of"
    r"|to|be|he|she|they|it|we|you)\b)[a-z-]+ ?){1,4})",
    re.IGNORECASE,
)
_COUNTED_AS = r"(?<![\w.,/]){}[\s$*}}\\)]{{0,6}}((?:[a-z-]{{2,}}\s?){{1,6}})"  # a number, and the words behind it
_NOUN_OF = re.compile(r"^([a-z-]+) of (?:the |these |those )?")  # pairs of tennis shoes
_NUMBER_OF = re.compile(r"\bthe (?:total )?number of ([a-z]+s)\s(?:is|are|must be|equals)[\s$*\\(]*$", re.IGNORECASE)
_WHICH_ARE = re.compile(
    r"\bhow many (?:of (?:the|them) )?[a-z ]{0,30}?(?:are|were) (?:not )?([a-z]+)", re.IGNORECASE
)  # are cows
_STOP = re.compile(
    r"\b(?:an?|per|in|of|on|at|for|each|every|and|or|to|with|that|which|who|are|is|were|more|less|fewer)\b"
)
_PLURAL = re.compile(r"(?<!s)s$|people$|men$|children$")
_GENERIC = frozenset(
    map(
        stem,
        ["ways", "times", "things", "possibilities", "outcomes", "arrangements", "combinations", "units", "digits"],
    )
)
_UNITS = re.compile(
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|grams?|kilograms?"
    r"|lit(?:er|re)s?|dollars?|cents?|percent|degrees?|feet|inches|pounds?)"
)
_NO_NOUN = frozenset([
    "is", "as", "was", "has", "this", "less", "its", "plus", "times", "minus", "always", "thus",
    "pieces", "items", "pairs", "units", "numbers", "integers", "values",  # of whatever is counted
])  # fmt: skip
_COMPARED = re.compile(  # 2 hours less than the slower pipe; 4 days sooner
    r"[\s$*})]{0,4}(?:[a-zA-Z/²³]+ )?(?:(?:more|less|fewer|sooner|earlier|later|longer|shorter|older"
    r"|younger|taller|higher"
    r"|lower|cheaper|faster|slower|smaller|larger|greater|farther|further|heavier|lighter) than\b"
    r"|(?:more|less|fewer)(?: [a-z]+){1,2} than\b"
    r"|(?:less|fewer|sooner|earlier|late|early|longer|shorter|older|younger|taller)(?=\W*$|[.,;]))",
    re.IGNORECASE,
)
_ASKS_DIFFERENCE = re.compile(
    r"\b(?:more|less|fewer|differ\w*|change[sd]?|compar\w+|exceed\w*|than|extra|additional|save[sd]?|by how"
    r"|by what|how much"
    r" \w+er|how many \w+ \w+er|sooner|earlier|later?|early|longer|\w+er (?:is|are|was|were|than))\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"[\s$*})]*(?:[a-z]+ )?(?:per|each|every|an?) (?:day|week|month|year|hour|minute|second|person)\b(?! (?:ago|in))"
)
_ASKS_RATE = re.compile(
    r"\b(?:per|each|every|an? (?:day|week|month|year|hour|minute|second|person)|one|single|rate|speed|fast"
    r"|average|dail|hour"
    r"|month|week|year|annual)\w*\b|velocity|pace|slow|unit price",
    re.IGNORECASE,
)
_TIMES = r"(?P<of>second|minute|hour|day|week|month|year)"
_PER_TIME = re.compile(
    rf"[\s$*}})]*(?:(?!in\b|after\b|for\b|over\b|within\b|of\b)[a-z]+ )?"
    rf"(?:per|each|every|an?) {_TIMES}\b(?! (?:ago|in))"
)
_ASKS_PER_TIME = re.compile(rf"\b(?:per|each|every|an?) {_TIMES}\b")
_CHANGED = re.compile(  # the squared distance is, the square of the distance is
    r"\b(?P<how>square|cube|reciprocal|negative|opposite|inverse)(?:d| of)(?: the| its| this)? (?P<of>[a-z]+)"
    r"\b[^.;:]* (?:is|equals|=)[\s$*]*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<![\w.,/$])([0-9]+(?:\.[0-9]+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|each|every"
    r"|an?|single) ([a-z]{2,})"
)
_OF_NUMBER = re.compile(rf"(?<![0-9] ){_NUMBERED.pattern} (?:costs?|weighs?|come to|comes to)[\s$*]*$")
_PER_NUMBER = re.compile(rf"[\s$*)}}]*(?:[a-z]+ )?(?:per|for every|every) {_NUMBERED.pattern}")
_ONES = dict.fromkeys(("each", "every", "a", "an", "single", "one"), "1") | {
    word: str(n)
    for n, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2)
}
_PRICE_OF = re.compile(
    r"\b(?:how much (?:does|do|did|will|would|is) (?:one|an?|each|every|the|a single) ([a-z]+)"
    r"|(?:price|cost|weight) of (?:one|an?|each|every|the|a single) ([a-z]+))",
    re.IGNORECASE,
)
_PRICE = re.compile(r"\b(?:one|an?|each|every|the) ([a-z]+)s? (?:costs?|weighs?|is)[\s$*]*$", re.IGNORECASE)
_INDEXED = re.compile(r"\$?[a-zA-Z]_\{?([0-9]+)\}?\s*=")
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) [0-9]{1,2}\b"
)
_ORDINAL = re.compile(r"\b[0-9]+(?:st|nd|rd|th)\b(?! of (?:the )?[a-z]*(?:month|January|March))")
_ASKS_CHANGE = re.compile(
    r"\bpercent(?:age)? (?:increase|decrease|change|growth|loss|profit|gain|reduction|discount)|\bby what percent"
    r"|\bpercent(?:age)?\b.*\b(?:ris|rose|increas|decreas|f[ae]ll|drop|chang|declin|gr[eo]w|gain|los|reduc)",
    re.IGNORECASE,
)
_SHARE = re.compile(r"[\s*$]*\\?(?:%|percent)?[\s*$]*of (?:the|its|their|his|her|what|last|those|[A-Z])")
_IS = re.compile(
    r"\b(?!which|that|this|it|answer|result)[A-Za-z]+ (?:is|are|was|were|stands? at)(?: now| only| just)?[\s*$]*$", re.I
)
_CHANGED_TO = re.compile(  # it grew to 15% of its former size
    r"\b(?:grew|grown|rose|risen|fell|fallen|dropped|increased|decreased|reduced|went|changed|shrank)(?: up"
    r"| down)? to[\s*$]*$"
)
_CHANGES = re.compile(
    r"increas|decreas|ris|rose|f[ae]ll|drop|declin|gr[eo]w|gain|loss|lost|reduc|discount|change|profit|more|less|up|down|off",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(
    r"\b(?:what time|when)\b(?!.*\b(?:by|latest|earliest|must|need|should|have to|has to)\b)", re.IGNORECASE
)
_UP_TO = re.compile(r"\b(?:by|until|before|after|no later than) [$*]*$", re.IGNORECASE)
_CHANCE = re.compile(r"\b(?:probability|chance)\b|\bPr?\s?\(|概率", re.IGNORECASE)
_OF_EVENT = re.compile(r"\bPr?\s?\((?:\\(?:text|mathrm)\{)?([^(){}]{2,40})\}?\)\s*=[^,;]*$")
_STARTS = re.compile(r"[.?!]\s+[A-Z][a-z]+")
_PROPER = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{1,15}(?![A-Za-z])")
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")
_SUBJECT = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|then|now|finally|this means|that means|means|gives|we get|that)\b,? ?)*"
    r"([A-Z][a-z]{1,15})(?:['’]s [a-z]+)? (?:is|has|had|was|will|gets?|got|pays?|paid|needs?|earns?|earned"
    r"|now|makes?|made"
    r"|spends?|spent|owns?|receives?|received|weighs?|takes?|scored|ate|sold|bought|ran|walks?|walked|must|should)\b",
    re.IGNORECASE,
)
_SUBJECT_IN_CHINESE = re.compile("(?:所以|因此|故|那么|则)?\\s?([A-Z][a-z]{1,15})\\s?[有是为的今现得付花]")
_VALUE_OF = re.compile(
    r"\b(?:max\w*|min\w*|largest|smallest|greatest|least|highest|lowest)\b(?: [a-z]+)? values?\b(?! of \$?x\b)", re.I
)
_PRONOUN = re.compile(r"\b(?:does|did|will|do|would|has|had|is|must|should|can) s?he\b", re.IGNORECASE)
_FIRST = re.compile(r"(?:^|[.!?]\s)([A-Z][a-z]{1,15}) [a-z]")
_NO_NAMES = frozenset(
    ["The", "An", "In", "If", "He", "She", "It", "They", "How", "What", "When", "After", "Before", "Then", "At", "On"]
)
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_RATIO = re.compile(r"\bratio of (?:the )?(?:number of )?([a-z]+) to (?:the )?(?:number of )?([a-z]+)", re.IGNORECASE)
_OTHERS = re.compile(r"[\s*$]*(?:[a-z]+ )?others?\b")
_ASKS_OTHERS = re.compile(
    r"\b(?:(?<!each )others?|rest|remain\w*|left|not|neither|no|un\w+|without)\b|n['’]t\b", re.IGNORECASE
)
_COUNTED_IN_CHINESE = re.compile("[\\s$*]*[个只本张条颗件枚箱袋盒][\u4e00-\u9fff]")
_ASKS_MONEY = re.compile(r"\bhow much\b", re.IGNORECASE)
_CALL = re.compile(r"\$?(?P<call>[a-zA-Z]\([^()=]{1,20}\))\s*=")
_ARGUMENT = re.compile(r"(?<![A-Za-z])[a-zA-Z]\(([a-z])\)")
_WHERE = re.compile(r"\bwhere\b|\bfor (?:what|which)\b|\b(?:and|at) (?:what|which)\b", re.IGNORECASE)


def of_another(message: str, value: str, asking: str, question: str, within: str = "") -> bool:
    """Whether the clause that gives a value says that it is something else than what is asked for.

    Args:
        message: What was read.
        value: The answer, as it was read.
        asking: The sentence of the question that asks; empty if nothing is known of it.
        question: All of it.
        within: The clause that was chosen, if one was.

    >>> of_another("So the minimum is 5.", "5", "What is the maximum of f?", "What is the maximum of f?")
    True
    >>> question = "A farmer has hens and 9 cows. How many cows are there in two years?"
    >>> of_another("He has 12 hens.", "12", "How many cows are there in two years?", question)
    True
    """
    text = within if within and within in message else _sentence_with(message[-_MAX_CHARS:], value)
    start, end = place_of(text, value)
    if start >= end or not asking or (_IDEOGRAPH.search(asking) and not _IDEOGRAPH.search(text)):
        return False  # nothing is compared across languages
    begin, stop = _clause(text, start, end)
    head, says, _ = value.rpartition(" is ")  # what was read may be the whole clause
    before, behind = text[begin:start] + head + says, text[end:stop]
    asked = _WORD.findall(asking)
    return (
        _excluded(before, behind, asking)
        or _other_things(value, text, before, asking, question)
        or _other_name(text[begin:stop], asking, question)
        or _other_order(text[begin:stop], asking)
        or _is_place(before, value, asking, question)
        or (_OTHERS.match(behind) is not None and _ASKS_OTHERS.search(asking) is None)
        or _inner(value, before, asking)
        or (
            _COUNTED_IN_CHINESE.match(behind) is not None and _ASKS_MONEY.search(asking) is not None and "$" in question
        )
        or _compared(value, text, asking)
        or (_RATE.match(behind) is not None and _ASKS_RATE.search(asking) is None)
        or _other_rate(behind, asking)
        or (_DATE.match(value) is None and _other_date(text[begin:stop], asking))
        or _other_number(before, behind, asking)
        or _other_price(before, asking, question)
        or _other_member(value, asking)
        or _changed(before, asking, frozenset(map(stem, asked)))
        or (_SHARE.match(text, end) is not None and _whole_share(before, value, behind, asking))
        or (_ASKS_TIME.search(asking) is not None and _UP_TO.search(text[:start]) is not None)
        or in_other_direction(f"%{behind}" if "%" in value or "percent" in value else behind, asking)
        or _denied_event(before, asking, frozenset(map(stem, asked)))
    )


def names_another(text: str, value: str, asking: str) -> bool:
    """Whether the clause of a value names another quantity of a group than the question: "the range would be 7".

    >>> names_another("It is 8. The range would be 7.", "7", "Find the domain.")
    True
    """
    sentence = sentence_of(text[-_MAX_CHARS:], value) if asking else ""
    start, end = place_of(sentence, value)
    if start >= end:
        return False
    begin, stop = _clause(sentence, start, end)
    return _excluded(sentence[begin:start], sentence[end:stop], asking)


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause of a sentence begins and ends that has a value between two places."""
    joined = _OF_TWO.sub(lambda match: match[0].upper(), text)
    cuts = [match for match in _CUT.finditer(joined) if match.end() <= start or match.start() >= end]
    begin = max((match.end() for match in cuts if match.end() <= start), default=0)
    if begin and (label := _LABEL.match(text)) is not None and label.end() >= begin:  # - Local minimum: (1, 6)
        begin = 0
    return begin, min((match.start() for match in cuts if match.start() >= end), default=len(text))


def _sentence_with(text: str, value: str) -> str:
    """The last sentence with a value, but for the remarks at the end ("Its square root would be √11.5.")."""
    stated = without_remarks(text)
    return sentence_of(stated if value in stated else text, value)


def _other_rate(behind: str, asking: str) -> bool:
    """Whether a value is one per another time than the only one that a question names: a week for a month."""
    given = _PER_TIME.match(behind)
    asked = {match["of"] for match in _ASKS_PER_TIME.finditer(asking)} if given is not None else set()
    return given is not None and len(asked) == 1 and re.search(rf"\b{given['of']}", asking) is None


def _excluded(before: str, behind: str, asking: str) -> bool:
    """Whether a clause names another quantity of a group than the question, and not that one."""
    clause = f"{before} {behind}"
    for group, wanted in quantities_asked(asking):
        if group[wanted].search(clause):
            continue
        for n, names in enumerate(group):
            named = n == wanted or names.search(asking)  # the price after the discount
            for match in names.finditer(clause) if not named else ():
                worked = _WORKED_BEFORE.search(clause, 0, match.start()) or _WORKED_BEHIND.match(clause, match.end())
                circumstance = _WITHIN.search(clause, 0, match.start())  # the cost with the discount
                if _DENIED.search(clause, 0, match.start()) is None and worked is None and circumstance is None:
                    return True
    return False


@lru_cache(maxsize=256)
def quantities_asked(asking: str) -> list[tuple[tuple[re.Pattern[str], ...], int]]:
    """The groups of quantities of which a question asks for one, each with the place of that one."""
    head, asked = _CONDITION.sub("", asking), []
    for group in QUANTITIES:
        text = asking if group in WHOLE else head
        found = [(n, match.start()) for n, names in enumerate(group) for match in names.finditer(text)]
        if len({n for n, _ in found}) == 1 and not any(_DENIED.search(text, 0, start) for _, start in found):
            asked.append((group, found[0][0]))
    return asked


def _whole_share(before: str, value: str, behind: str, asking: str) -> bool:
    """Whether a percentage is what is left of the whole, where by how much it changes is asked: it was 25% of what."""
    if _ASKS_CHANGE.search(asking) is None or not ("%" in value + behind[:3] or "percent" in value + behind):
        return False
    if _CHANGED_TO.search(before) is not None:
        return True
    return _IS.search(before) is not None and _CHANGES.search(f"{before}{value}{behind}") is None


def _compared(value: str, text: str, asking: str) -> bool:
    """Whether a value is a difference wherever it stands, and none is asked for: 2 hours less than the slower pipe."""
    if _COMPARED.search(text) is None or _ASKS_DIFFERENCE.search(asking) is not None:
        return False
    ends = [match.end() for match in re.finditer(rf"(?<![\w.,/]){re.escape(value)}(?![\w])", text)]
    return bool(ends) and all(_COMPARED.match(text, end) for end in ends)


def _changed(before: str, asking: str, asked: frozenset[str]) -> bool:
    """Whether the subject of a clause is the square, the inverse or the like of what is asked for."""
    match = _CHANGED.search(before)
    return match is not None and stem(match["of"]) in asked and re.search(rf"\b{match['how']}", asking, re.I) is None


def _other_number(before: str, behind: str, asking: str) -> bool:
    """Whether a value is that of another number of things than is asked about: four notebooks cost, per 100 km."""
    given = _OF_NUMBER.search(before) or _PER_NUMBER.match(behind)
    if given is None:
        return False
    pairs = _NUMBERED.findall(_HOW_MANY.sub("", asking))
    asked = {_ONES.get(number.lower(), number) for number, noun in pairs if stem(noun) == stem(given[2])}
    return len(asked) == 1 and _ONES.get(given[1].lower(), given[1]) not in asked


def _other_price(before: str, asking: str, question: str) -> bool:
    """Whether a clause gives the price of something else that is counted in the question: a pen for a notebook."""
    asked, given = _PRICE_OF.search(asking), _PRICE.search(before)
    if asked is None or given is None:
        return False
    counted = {stem(noun) for _, noun in _NUMBERED.findall(question)}
    one, two = stem(asked[1] or asked[2]), stem(given[1])
    return one != two and {one, two} <= counted and one not in set(map(stem, _WORD.findall(before)))


def _other_member(value: str, asking: str) -> bool:
    """Whether a value is that of another member of a sequence: a_11 for the 10th term."""
    asked, given = _ORDINAL.findall(asking), _INDEXED.match(value)
    return len(asked) == 1 and "term" in asking and given is not None and given[1] != asked[0][:-2]


def _other_date(clause: str, asking: str) -> bool:
    """Whether a clause is about another date or member than the one that is asked for: November 12, the 9th term."""
    for pattern in (_DATE, _ORDINAL):
        asked = {match[0].lower() for match in pattern.finditer(asking)}
        found = {match[0].lower() for match in pattern.finditer(clause)}
        if len(asked) == 1 and found and not asked & found:
            return True
    return False


def _other_things(value: str, text: str, before: str, asking: str, question: str) -> bool:
    """Whether things of the question are counted that it does not ask for: 12 chickens, where it asks for cows."""
    asked = _HOW_MANY.search(asking)
    wanted = {stem(word) for word in _WORD.findall(asked[1]) if _PLURAL.search(word)} if asked is not None else set()
    if not wanted or wanted & _GENERIC:
        return False
    if (which := _WHICH_ARE.search(asking)) is not None:
        wanted.add(stem(which[1]))
    known = {word.lower() for word in _WORD.findall(question)}
    if (numbered := _NUMBER_OF.search(before)) is not None and numbered[1] in known and stem(numbered[1]) not in wanted:
        return True  # the number of letters is 26, where it asks for passwords
    number = re.match(r"[-$*]*[0-9][0-9.,]*", value)
    behind = re.findall(_COUNTED_AS.format(re.escape(number[0] if number else value)), text)
    counted = [_STOP.split(_NOUN_OF.sub(r"\1 ", words))[0].split() for words in behind]
    counted = [words for words in counted if words]
    if any(wanted & set(map(stem, words)) for words in counted):
        return False
    if not counted:
        return False
    noun = next((word for word in counted[-1] if word not in _NO_NOUN), "")
    return noun in known and _PLURAL.search(noun) is not None and _UNITS.fullmatch(noun) is None


def _other_name(clause: str, asking: str, question: str) -> bool:
    """Whether a clause is about somebody else of the question than the one it asks for."""
    subject = _SUBJECT.match(clause) or _SUBJECT_IN_CHINESE.match(clause)
    if subject is None or not subject[1][0].isupper() or not any(map(str.isdigit, clause)):
        return False
    wanted = set(_PROPER.findall(_STARTS.sub(" ", asking[1:])))  # Round to the nearest cent: no name
    if not wanted and _PRONOUN.search(asking) is not None:  # Tom had 45. How many does he have left?
        wanted = {match[1] for match in _FIRST.finditer(question) if match[1] not in _NO_NAMES}
        wanted = (
            wanted
            if len(wanted) == 1 and re.search(rf"\b(?:to|from|with|than|for) {subject[1]}\b", question)
            else set()
        )
    names = set(_PROPER.findall(clause))
    return bool(wanted) and subject[1] not in wanted and subject[1] in _PROPER.findall(question) and not wanted & names


def _other_order(clause: str, asking: str) -> bool:
    """Whether a ratio is that of the two things the other way round."""
    asked, given = _RATIO.search(asking), _RATIO.search(clause)
    if asked is None or given is None:
        return False
    one, two = ([stem(word) for word in match.groups()] for match in (asked, given))
    return one == two[::-1] and one[0] != one[1]


def _is_place(before: str, value: str, asking: str, question: str) -> bool:
    """Whether the place of an extreme value stands in place of it: the maximum is at x = 5."""
    if _VALUE_OF.search(asking) is None or _WHERE.search(asking) is not None:
        return False
    named = re.match(r"\$?([a-z])\s*=", value)
    return (
        named is not None
        and named[1] in _ARGUMENT.findall(question)
        and re.search(r"\bat\s*[$*\\(]*$", before) is not None
    )


def _inner(value: str, before: str, asking: str) -> bool:
    """Whether a value is that of a step: f(3), where f(f(3)) is asked for."""
    call = _CALL.match(value) or re.search(rf"(?<![A-Za-z(]){_CALL.pattern}[\s$*]*$", before)
    shown = call["call"].replace(" ", "") if call is not None else ""
    asked = asking.replace(" ", "")
    return shown != "" and f"({shown})" in asked and asked.count(shown) == asked.count(f"({shown})")


def _denied_event(before: str, asking: str, asked: frozenset[str]) -> bool:
    """Whether a probability is that of the opposite event: that it is not red, where red is asked for, or P(red)."""
    if _CHANCE.search(before) is None or _CHANCE.search(asking) is None:
        return False
    denied = re.search(r"\bnot\*? (?:an? |the )?([a-z]+)|n['’]t (?:an? |the )?([a-z]+)", before, re.IGNORECASE)
    if denied is not None:
        return _NOT.search(asking) is None and stem(denied[1] or denied[2]) in asked
    event = _OF_EVENT.search(before)
    wanted = re.search(r"\bnot (?:a |an )?([a-z]+)", asking, re.IGNORECASE)
    return event is not None and wanted is not None and event[1].strip().lower() == wanted[1].lower()
