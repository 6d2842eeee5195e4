"""What a text says that is known to be the answer: an option's label, the only number, or a number with its words."""

import re

from turnwise.verifiers.messages.clause import CODE, DOUBTED, MISSING, NOT_STATED, SPAN, tidy, weakened
from turnwise.verifiers.messages.predicate import JOINS, UNIT
from turnwise.verifiers.messages.sentence import NUMBER, in_sentence

__all__ = ["UNDONE", "counted", "labels", "only_number", "without_noun", "worked_out"]

_MAX_CHARS = 400
_LABEL = re.compile(  # B; (B); B选项; (B), octopuses; (B) No
    r"(?:still |definitely |therefore |choice |option |选项)?\**\(?([A-J])\)?\**(?:选?项|\s*[:.])?\s*$"
    r"|(?:still |definitely |therefore |choice |option )?\**\(([A-J])\)\**[,:.]?\s+"
    r"(?!.*(?:\([A-J]\)|\bor\b|\bmaybe\b|\bperhaps\b|\bnot [A-J]\b))(?P<text>\S.*)",
    re.DOTALL,
)
UNDONE = re.compile(  # Dave did not wash 5 shirts: what is not done is counted, and no value denied
    r"\b((?!(?:It|That|This|Answer|Result|There|Value|Sum|Total)\b)(?:[A-Z][a-z]+|[Ss]he|[Hh]e|[Tt]hey|[Ww]e|[Yy]ou)\s)"
    r"(?:(?:did|does|do|will|would|could|can|was|were|is|are)(?:\snot|n't)|cannot|won't)\s(?:be\sable\sto\s)?"
    r"(?!(?:be|equal|give|make|get|yield|add|work|fit|hold|exceed)\b)(?=[a-z]+\s(?:a\stotal\sof\s)?[0-9][0-9.,]*\s[a-z])"
)
_NOT_END = re.compile(r"\bnot$|n't$|^ (?:not|all)\b")
_YES_NO = re.compile(r"(?:yes|no|true|false|none|not|[A-J]$)\b", re.IGNORECASE)
_NAMED = re.compile(  # Number of snakes not hiding = 31
    r"(?:(?:the )?[A-Z][A-Za-z'’-]*(?: (?!is\b|or\b|are\b)[A-Za-z'’-]+){0,12}?)(?<! not)(?<! or)\s?=\s?(?=[-$]?[0-9])"
)
_EQUAL = re.compile(
    r"((?:[A-Za-z(][A-Za-z'’()-]*(?: (?!is\b|or\b|are\b)[A-Za-z(][A-Za-z'’()-]*){0,12}?) ?=)(.*[0-9].*)"
)
_WORDS_AFTER = re.compile(r"(?<=[0-9])\s+[a-z][a-z ]*(?=\s*(?:[-+=*×/)]|$))|\$|(?<=[0-9])/[a-z]+")
_UNIT_OF = re.compile(r"[-0-9.,]+\s+([a-z]{3,})\s*$")
_SUM = re.compile(r"[-+*/().,0-9\s]+")
_WORKING = re.compile(r"\s*\([^()]*=\s*\$?([-0-9.,]+)[^()=0-9]{0,20}\)")  # 9 towels (35 - 26 = 9)
_IN_WORD = re.compile(r"\b[a-z]{2,}[0-9]\b")  # mp3
_UNREADABLE = re.compile(r"[=<>+*^\\|_{}~±×÷√π≈≠≤≥?？°]|[0-9]\s*[-–/:]\s*[0-9]|\s[-–/]\s")
_SCALED = re.compile(
    r"(?:[0-9]\s*|\b)(?:hundred|thousand|million|billion|dozen|squared|cubed|factorial|minus|percent of|half"
    r"|to the|choose|mod|over(?=\s[0-9])|x)\b|[0-9]\s*!"
    r"|(?<!de )\bplus\b|\btimes\s+(?!(?:per|an?|each|every|in|on|during|for)\b)\w",
    re.IGNORECASE,
)
_OTHER_TONGUES = re.compile(  # or, not, perhaps, at least
    r"\b(?:o|ou|oder|nicht|kein\w*|vielleicht|pas|aucun|peut-être|tal vez|quizás?|mindestens|al menos|au moins"
    r"|moins|menos|weniger|au(?=\s(?:[0-9k]))|labda|si vyo|или|не|возможно|если|может)\b"
    r"|หรือ|ไม่|อาจ|অথবা|বা\b|না\b|లేదా|కాదు|または|ではない|かも|もし|或|不|可能|约(?!翰|克)|也许|如果|至少|至多|错",
    re.IGNORECASE,
)
_WITH_WORDS = re.compile(
    r"-?(?:\\?\$)?-?[0-9][0-9.,/]*[%$]?(?:(?:\s[A-Za-z][A-Za-z-]*)\s[A-Za-z0-9]|/[a-z]{3,}|% more$)"
)
_ONE_NOUN = re.compile(r"(-?[0-9][0-9.,]*)\s+([^\W\d_]{2,}|[^\W\d_a-zA-Z]{1,3})[²³]?")
_SCALES = re.compile(
    r"(?:[^\W\d_]{1,3}|dutzend|docenas?|douzaines?|mil|mille|millones|millionen?|tausend|hundert|cientos?|cent|halves|thirds"
    r"|quarters|fourths|fifths|[a-z]+ths|half|third|quarter|pi|or|and|if|not|[a-z]*(?:meter|gram|liter|litre)s?|[ap]m)",
    re.IGNORECASE,
)
_UNIT_ALONE = re.compile(rf"(?:{UNIT.pattern})?")
_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]{1,6}),([0-9]{2})(?![0-9.,])")
_SPACED = re.compile(
    r"(?<![0-9.,]\s)(?<![0-9.,])([0-9]{1,3})[ \u00a0\u202f]([0-9]{3})(?=\s?[$€£]|\s[a-zé]{4})"
)  # 70 000 $
_BEFORE_CJK = re.compile(r"(?<=[0-9])(?=[\u3040-\u30ff\u4e00-\u9fff])")
_ADJECTIVE = re.compile(r"\s[0-9]+-[a-z]+(?=\s[a-z])")  # 3 30-minute episodes
_OUT_OF = re.compile(r"(?<=[a-z]) out of [0-9]+ [a-z]+\.?$")
_DESCRIBED = re.compile(  # the number of bars of more than 7 points is 3
    r"(?:[A-Z][a-z]+(?: [a-z]+)?, )?[Tt]he (?:total |average |mean |overall |final )?"
    r"(?:number|fraction|percentage|amount|sum|difference|price|cost|length|area|value|mode|median|mean|range|age) of"
    r"(?P<what>(?:(?!\b(?:is|are|was|equals|maybe|perhaps|if|answer|would|could|may|might)\b)[^.;:?=]){3,200}?)"
    r" (?:is|are|was|equals) \**(?P<value>[-$]{0,2}[0-9][0-9.,]*(?: [a-z]+)?)\**\.?"
)


def labels(said: tuple[str, ...]) -> tuple[str, ...]:
    """The options' labels among what is said; where there are any, they alone say which option is chosen.

    A value beside a label is that of the option: only the label can be paid then, so that this offers one answer.

    >>> labels(("-i", "C选项")), labels(("(B), octopuses",)), labels(("140 - 106 = 34", "5"))
    (('C',), ('(B) octopuses',), ('140 - 106 = 34', '5'))
    """
    found = []
    for one in said:
        if (match := _LABEL.match(one)) is not None:
            alone = match[1] or (match[2] if _YES_NO.match(match["text"]) else None)
            found.append(alone or f"({match[2]}) {match['text']}")
    bare = {one for one in found if len(one) == 1}
    return tuple(dict.fromkeys(one for one in found if len(one) == 1 or one[1] not in bare)) or said


def counted(said: str) -> str | None:
    """The number that begins what is said, with its unit, where the other words only describe it.

    >>> counted("448 mL of medicine in 8 doses"), counted("8 more trees than hers"), counted("8 apples or 9 pears")
    ('448', '8', None)
    """
    if len(said) > _MAX_CHARS or _WITH_WORDS.match(said) is None or _SCALED.search(said):
        return None
    said = _OUT_OF.sub("", _ADJECTIVE.sub("", said))
    value = only_number(said) or in_sentence(f"Thus, it is {said}") or ""
    number = NUMBER.match(value)
    return value if number is not None and _UNIT_ALONE.fullmatch(value, number.end()) else None


def only_number(said: str) -> str | None:
    """The only number in a sentence, with its unit; None beside a doubt, a denial, another value or a formula.

    >>> only_number("Zoe has 57 songs on her mp3 player"), only_number("Freda usó 12 tomates."), only_number("not 5")
    ('57', '12', None)
    """
    if len(said) > _MAX_CHARS or SPAN.search(said) or CODE.search(said) or "\n" in said.strip():
        return None
    if (described := _DESCRIBED.fullmatch(said)) is not None and not _NOT_END.search(described["what"]):
        return described["value"]
    text = re.sub(r"  +", " ", tidy(_BEFORE_CJK.sub(" ", UNDONE.sub(r"\1", said))))
    text = _NAMED.sub("", text, count=1)
    text = _IN_WORD.sub("", _DECIMAL_COMMA.sub(r"\1.\2", _SPACED.sub(r"\1\2", MISSING.sub(r"\1", text))))
    working = _WORKING.search(text)
    if working is not None:
        text = text[: working.start()] + text[working.end() :]
    numbers = list(NUMBER.finditer(text))
    if len(numbers) != 1 or (working is not None and numbers[0][0].strip("$") != working[1]):
        return None
    number, words = numbers[0], NUMBER.sub(" ", text)
    if any(c.isdigit() for c in words) or _UNREADABLE.search(words) or _UNREADABLE.search(text[number.end() :]):
        return None
    if DOUBTED.search(text) or NOT_STATED.search(text) or weakened(text) or JOINS.search(text) or _SCALED.search(text):
        return None
    if re.search(r"(?<!')\b(?:or|either|and also)\b", text, re.I) or _OTHER_TONGUES.search(text):
        return None
    unit = UNIT.match(text, number.end())
    value = number[0]
    return f"{value} {unit[1]}" if unit is not None and "$" not in value else value


def without_noun(said: str) -> str:
    """The number of things whose name nobody knows; with a unit or a number's name it stays as it is.

    >>> without_noun("104 sacs"), without_noun("50 km"), without_noun("3 dozen")
    ('104', '50 km', '3 dozen')
    """
    match = _ONE_NOUN.fullmatch(said)
    if match is None or UNIT.match(f" {match[2]}") or _SCALED.search(said) or _SCALES.fullmatch(match[2]):
        return said
    return match[1]


def worked_out(said: str) -> str | None:
    """The arithmetic behind the name of a quantity, without its units; all its members must be equal.

    >>> worked_out("Total cost = $75 + $54 - $6 = $123"), worked_out("x = 5")
    ('75 + 54 - 6 = 123', None)
    """
    match = _EQUAL.fullmatch(said) if len(said) <= _MAX_CHARS and said.count("=") >= 2 else None
    if match is None or not re.search(r"[a-z]{3}", match[1]):
        return None
    units = [_UNIT_OF.search(one) for one in match[2].rstrip(" .").split("=")[-2:]]
    names = {unit[1].rstrip("s") for unit in units if unit is not None and UNIT.match(f" {unit[1]}")}
    if len(names) == 2 and units[-1] is not None:
        return units[-1][0].strip()  # ... = 48 quarts = 12 gallons
    members = [
        _WORDS_AFTER.sub("", one).replace("×", "*").replace(" x ", " * ").strip(" .") for one in match[2].split("=")
    ]
    return " = ".join(members) if all(_SUM.fullmatch(one) for one in members) else None
