"""What stands behind the statement that answers the question, and answers it no more: a reader stops at that statement.

"The current flows at 2 km/h, and the boat itself does 10 km/h." "You need **12 litres**. At $2 each that is $24." The
value that a message emphasises, concludes with or states in the question's own words is its answer, whatever other
values stand behind it, if those do not conclude, work on with it, correct it, offer another, or say as much of what is
asked. Nothing here knows which answer is right.
"""

import itertools
import re
from typing import NamedTuple

from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.around.remarks import is_remark
from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.clause import DOUBTED, LEAD, NOT_STATED
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.last_line import read_last_line
from turnwise.verifiers.messages.prose import is_value, plain
from turnwise.verifiers.messages.skeleton import NO_RESULT, NUMBER_WORDS, OTHER_SCRIPT
from turnwise.verifiers.messages.sought.another import HOW_MANY, UNITS, names_another, of_another
from turnwise.verifiers.messages.sought.asking import NEGATION
from turnwise.verifiers.messages.sought.subject import ASKS_REST, Sought, stem
from turnwise.verifiers.messages.sought.weighed import Judge, Value, weighed
from turnwise.verifiers.messages.values import COMPOUND, equated
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, announced, says_again

__all__ = ["without_afterword"]

_MAX_CHARS = 2500
_MAX_SENTENCE = 400
_MAX_BACK = 6
_MAX_JOINTS = 6
_JOINT = re.compile(
    r"(?:,\s)?\s?(?P<word>\b(?:and|while|whereas|with|but|compared (?:with|to)))\s|[,;]\s"
    r"|(?:\s[—–-]\s|—)(?=[A-Za-z]{2})"
    r"|\s(?=\()|(?<=[.!]\*\*)\s|(?<=[a-z)][.!])\s(?=[$0-9])|\s(?=(?:after|from|by)\s[a-z]+ing\b)"
)
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")
_NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_HEADING = re.compile(r"#{1,6}\s+(?P<said>[^\n]*[0-9][^\n]*)")
_AMOUNT = re.compile(  # a number or an amount, no expression: 12 apples, $1,200.50, 7/15, 40%, 18 km/h, 25π cm²
    r"(?:[A-Za-z](?:\([^()]{1,6}\))?\s*=\s*)?[-−]?\\?[$€£]?(?:[0-9][0-9,]*(?:\.[0-9]+)?(?:[/:][0-9]+)?|\\[dt]?frac\{[0-9]+\}\{[0-9]+\}"
    r"|[a-z-]{3,})?\s?(?:π|\\pi)?\s?(?:\\?%|°)?(?:\s?[A-Za-z][\w²³/°]*){0,4}"
)
_CLAUSE = re.compile(r"[A-Za-z]{2,}[^A-Za-z]+[A-Za-z]{2,}")
_GROUND = re.compile(
    r"\W*(?:because|since|given|if|when|as|with|for|from|after|once|let|suppose|to|note|using)\b[^,]*$", re.IGNORECASE
)
_RANGE = re.compile(r"\b(?:between|from|ranges?)\b[^,]*$", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\b(?:so|thus|hence|therefore|which (?:leaves|makes|gives|means|brings)|leaving|leaves|making|makes|giving|gives"
    r"|totals|totalling)\b|^\W*(?:and )?(?:that|this|it|which)(?:['’]s| (?:is|equals|comes|gives|makes|means|leaves"
    r"|works))\b",
    re.IGNORECASE,
)
_WORKS_ON = re.compile(  # with the value that was stated
    r"^\W*(?:and |but |while )?(?:then|next|now|finally|but|however|yet|adding|add|multiply\w*|dividing|divide"
    r"|subtract\w*|rounding|since|because|as|given|for all|for both|half|twice|double|doubling|triple|tripling"
    r"|[a-z]+ times)\b|\b(?:half|twice|double|triple|third of|quarter of|times|plus|minus|divided by"
    r"|multiplied by) (?:of )?"
    r"(?:that|this|it|them|these|those|which|[0-9])\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|otherwise|unless|guess\w*|claims?|whether|answers?"
    r"|correct(?:ed|ion)?|wrong|mistake\w*|depends?|interpret\w*|actual|real|though|although|but|more like|that is,|yes"
    r"|no|sure|certain|might|may|could)\b"
    r"|\bi\.e\.|[≠?？]|!=|\\neq?(?![a-z])",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:would(?! (?:need|take|cost|require|have to|pay (?!off))\b)|if|had|without|instead|otherwise)\b"
    r"|['’]d\b(?! (?:need|take(?! home)|pay|have to)\b)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"^\W*(?:together|combined|altogether|in total|all in all|in all)\b", re.IGNORECASE)
_ASKS_TOTAL = re.compile(r"\b(?:together|total|altogether|combined|all|sum|whole)\b", re.IGNORECASE)
_ASKS_SEVERAL = re.compile(
    r"\b(?:each|both|the (?:two|three)|values|solutions|roots|zeros|numbers|integers|dimensions|coordinates|lengths"
    r"|angles|ages|sides|all (?:the|real|possible|integer)|respectively|factors|divisors|base|mod|modulo)\b"
    r"|\b[a-z]+ and (?:how|what|the|its|his|her|an?)?\s?[a-z]",
    re.IGNORECASE,
)
_PERCENT = frozenset(map(stem, ["percent", "percentage"]))
_CHECKS = re.compile(
    r"\W*(?:(?:quick |sanity )?check(?:ing)?\b|verif\w+|proof\b|to (?:check|verify|confirm)\b|(?:you|we) can (?:also )?"
    r"(?:check|verify|confirm)\b|plugging\b|substituting (?:it|this|that|back|[a-z] = )"
    r")(?!.*\b(?:not|fails|wrong|but|instead|answer)\b)",
    re.IGNORECASE | re.DOTALL,
)
_RATE = re.compile(r"(?:\s[a-z]+){0,2}\s(?:per|(?:for )?(?:each|every)|an?)\s[a-z]")
_ASKS_RATE = re.compile(
    r"\b(?:per|each|every|rate|speed|average|an? (?:hour|day|minute|week|month|year|second))\b", re.I
)
_COMPARED = re.compile(r"(?:\s[a-z]+)?\s(?:more|less|fewer|extra|[a-z]{2,}er)\b")
_ASKS_COMPARED = re.compile(
    r"\bhow (?:many|much|far|long)\b[^?]*\b(?:more|less|fewer|extra|[a-z]{2,}er than)\b|\b(?:difference|exceeds?)\b",
    re.IGNORECASE,
)
_NOUN_BEHIND = re.compile(
    r"[*$]*\s(?!(?:in|on|at|of|for|to|is|are|was|were|left|more|less|fewer|and|per|each|that|who|which)\b)"
    r"(?:(?:full|whole|other|extra|red|new)\s)?(?P<noun>[a-z]{3,})"
)
_ALSO = re.compile(  # or 4,320 in an eight-hour shift; or 5/12 of the box
    r",\s?or (?:about |roughly )?\$?[0-9][0-9.,/]*%?(?: [a-z]+)? (?:in|over|per|of|for|during|with)\b"
    r"(?:(?!\bor\b)[^?])*"
)
_WEAK = re.compile(r"\b(?:or|not|either|maybe|cannot|would)\b|n['’]t\b", re.IGNORECASE)
_BOUNDED = re.compile(r"\b(?:less|greater|more|fewer|larger|smaller) than\b|\bat (?:least|most)\b", re.IGNORECASE)
_REST = re.compile(r"\b(?:left|remain\w*|rest|others?|still|over|keeps?|kept|leav\w+|un[a-z]+ed|not)\b", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:others?|remaining|rest)\b", re.IGNORECASE)
_LABEL = re.compile(r"\W*[A-Za-z][^=:\n]{0,40}[=:]")
_ASSIGNED = re.compile(r"(?:^|[\s$:])([A-Za-z])\s*=[^=]*$")
_PROPER = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,15}(?![A-Za-z])")
_NEARLY = re.compile(r"\b(?:about|roughly|approximately|around|almost|nearly)\s[$*]*$", re.IGNORECASE)
_ANSWERS = re.compile(r"\W*(?:A|Ans)\s?[:.]|\s*=|\W*\[?final\b", re.IGNORECASE)
_ITEM = re.compile(r"\W*[0-9]{1,2}[.)]\W*")
_MORE = re.compile(r"\b(?:more|less|fewer|difference|exceeds?|extra|gap|by|[a-z]{2,}er)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:with|if|when|between|whose|given|after|before)\b", re.IGNORECASE)
_ASKS_SHARE = re.compile(r"\b(?:percent\w*|chance|probability|fraction|share|proportion)\b|%", re.IGNORECASE)
_ASKS_BOUND = re.compile(r"\b(?:greatest|most|largest|max\w*|least|fewest|smallest|min\w*)\b", re.IGNORECASE)
_AT = re.compile(r"\b(?:at|when|where|for|if)\s[$*]*$", re.IGNORECASE)
_CORRECT = re.compile(r"\b(?:answer|correct|right|true|actual)\b", re.IGNORECASE)
_STRUCTURE = re.compile(r"\[\[|\\begin|\(\s?[-−]?[0-9./]+\s?,\s?[-−]?[0-9./]+\s?\)")  # a matrix, a point
_OPERAND = re.compile(r"[-+*/×÷·^=−]\s*[$(]*$")


class _Statement(NamedTuple):
    """A statement that can be the answer.

    Attributes:
        end: Where it ends in its sentence.
        value: What it states.
        about: How many words of the question it has.
        strength: 2 where it is emphasised or concludes, 1 where it repeats a result or names what is asked, else 0.
    """

    end: int
    value: str
    about: int
    strength: int


def without_afterword(text: str, sought: Sought) -> tuple[str, str]:
    """The text up to the statement that answers the question and its value, where nothing behind answers; else empty.

    Args:
        text: What was read of a message.
        sought: What is asked for.
    """
    subject = sought.subject
    if subject.names or subject.weekday or subject.unknowns or subject.member or not subject.asking:
        return "", ""
    body = flattened(text[-_MAX_CHARS:]).rstrip()
    if STRONG.search(body) is not None or OTHER_SCRIPT.search(body) or "|" in body or "```" in body:
        return "", ""
    ends = [0, *(match.end() for match in END_OF_SENTENCE.finditer(body)), len(body)]
    spans = [(a, b) for a, b in itertools.pairwise(ends) if body[a:b].strip(" *\n")]
    tail: list[str] = []
    for n in range(len(spans) - 1, max(-1, len(spans) - 1 - _MAX_BACK), -1):
        start, stop = spans[n]
        sentence, before = body[start:stop], body[:start]
        if len(sentence) > _MAX_SENTENCE:
            return "", ""
        for said in _statements(sentence, before, sought, bool(tail)):
            rest = sentence[said.end :].strip(" .!\n")
            whole = f"{before}{sentence}"
            if (not rest or _is_afterword(rest, whole, said, sought, True)) and all(
                _is_afterword(part, whole, said, sought, False) for part in tail
            ):
                shown = sentence[: said.end].rstrip(" ,;:.!")
                return f"{before}{shown}{'**' * (shown.count('**') % 2)}.", said.value
        aside = _TOGETHER.match(sentence) is not None and _ASKS_TOTAL.search(subject.asking) is None
        concludes = LEAD.match(sentence.strip("* \n")) is not None and _is_new(sentence, sought)
        if _is_hard(sentence) or (concludes and not aside):
            return "", ""
        tail.insert(0, sentence.strip())
    return "", ""


def _is_new(sentence: str, sought: Sought) -> bool:
    """Whether a sentence has a number that the question does not give."""
    return not {number.strip(".,") for number in _NUMBER.findall(sentence)} <= sought.subject.given


def _about(text: str, sought: Sought) -> int:
    """How many words of the question a text has, the unit that it names among them."""
    words = set(map(stem, _WORD.findall(text)))
    unit = sought.subject.unit.partition(" ")[0]
    asked = sought.subject.words | ({stem(unit)} if unit.isalpha() else set())
    if not asked and sought.subject.given:  # 15% of 240
        return min(2, len(sought.subject.given & set(_NUMBER.findall(text))))
    return len(asked & words) + ("%" in text and not asked.isdisjoint(_PERCENT))


def _statements(sentence: str, before: str, sought: Sought, whole: bool) -> list[_Statement]:
    """The statements that a sentence begins with, the shortest first; the whole sentence among them or not."""
    if not whole and _JOINT.search(sentence) is None:
        return []
    if _TOGETHER.match(sentence) and _ASKS_TOTAL.search(sought.subject.asking) is None:
        return []
    heading = _HEADING.match(sentence.strip())
    bold = list(_BOLD.finditer(sentence))
    if len(bold) > 1:
        return []
    found: list[_Statement] = []
    last, about = 0, -1
    cuts = _cuts(sentence, bold[0].end() if bold else 0, heading is not None, sought)
    cuts = cuts if whole else cuts[:-1]
    if not cuts or (before and is_remark(sentence.strip(), before)):
        return []
    for cut in cuts:
        head = sentence[:cut].strip()
        clause, last = sentence[last:cut], cut
        if _ITEM.fullmatch(head):
            continue
        if cut < len(sentence) and (_GROUND.match(head) or _RANGE.search(head) or "i.e." in head):
            continue
        if about >= 0 and (any(map(str.isdigit, clause)) or NUMBER_WORDS.search(clause)):
            break
        if (
            cut < len(sentence)
            and last > len(clause)
            and _GROUND.match(clause.removeprefix(",").lstrip().removeprefix("and "))
        ):
            continue  # ..., and since each dozen costs $3, you pay $15
        if about < 0 and not any(map(str.isdigit, clause)) and NUMBER_WORDS.search(clause) is None:
            continue
        if DOUBTED.search(head) or NO_RESULT.search(head) or NOT_STATED.search(head) or doubts(head):
            break
        value = _value(head, before, heading, sought)
        if not value:
            continue
        about = _about(head, sought) if about < 0 else about  # that of the clause with the value
        strength = 2 if bold or heading is not None or LEAD.match(head.lstrip("* ")) is not None else 0
        strength = strength or int(_repeats(value, before[-200:]) or (about > 0 and _is_named(head, sought)))
        if about > 1 or strength:
            found.append(_Statement(cut, value, about, strength))
    return found


def _cuts(sentence: str, least: int, whole: bool, sought: Sought) -> list[int]:
    """Where a statement may end in a sentence: before a further clause, and at its end."""
    if whole or _ASKS_SEVERAL.search(_CONDITION.split(sought.subject.asking)[0]) is not None:
        return [len(sentence)]
    kept = [match.span() for match in COMPOUND.finditer(sentence)]
    kept += [match.span() for match in re.finditer(r"\([^()]*\)|\$[^$]*[=\\][^$]*\$", sentence)]
    cuts = []
    for match in _JOINT.finditer(sentence, least):
        if any(a < match.start() < b for a, b in kept) or _CLAUSE.search(sentence, match.start()) is None:
            continue
        behind = sentence[match.end() :]
        if NUMBER_WORDS.match(behind) or re.match(
            r"[$€£*]*[0-9][0-9.,/]*(?:\s[a-z]+)?[*]*(?:[,.;]|$|\s(?:and|or|is|are|was|equals?|be)\b)", behind
        ):
            continue  # a list goes on
        cuts.append(match.start())
    return [*cuts[:_MAX_JOINTS], len(sentence)]


def _value(head: str, before: str, heading: re.Match[str] | None, sought: Sought) -> str:
    """The value that a statement gives; empty where it gives none that can be what is asked for."""
    head = heading["said"] if heading is not None else head
    asking = sought.subject.asking
    denies = NEGATION.search(asking) is not None
    if not sought.subject.words.isdisjoint(ASKS_REST) and not _REST.search(head):
        return ""
    if _ASKS_COMPARED.search(asking) is not None and not _MORE.search(head):
        return ""
    if denies != (NEGATION.search(head) is not None) or (_BOUNDED.search(head) and not _ASKS_BOUND.search(asking)):
        return ""
    if not denies and (_WEAK.search(head) if "**" in head else not plain(head)):
        return ""
    found = read_last_line(head.rstrip(" ,;:.!"))
    value = found.candidates[0] if found.candidates and all(map(is_value, found.candidates)) else ""
    if not _is_amount(value):
        values = weighed(head, before, sought, Judge(lambda text: False, lambda text: False, lambda name: False))
        values = [one for one in values if one.rival]
        value = values[0].shown[-1] if len(values) == 1 else ""
    if not _is_amount(value):
        return ""
    bare = value.rpartition("=")[2].strip()
    numbers = {number.strip(".,") for number in _NUMBER.findall(value)}
    worked = any(equated(bare, head)) or _repeats(value, before)
    if (numbers and numbers <= sought.subject.given and not worked) or not sought.suits(head, value):
        return ""
    if not sought.suits(head, bare) or (_ASKS_RATE.search(asking) is None and _is_rate(bare, head)):
        return ""
    if "=" in value and _AT.search(head, 0, max(0, head.rfind(value))) is not None:
        return ""  # the maximum is at x = 10
    if NUMBER_WORDS.match(bare) is not None and f"{bare} times" in head:
        return ""
    noun = _NOUN_BEHIND.match(head, head.rfind(bare) + len(bare)) if bare in head else None
    if noun is not None and sought.subject.unit:
        other = UNITS.fullmatch(noun["noun"]) and stem(noun["noun"]) not in map(stem, sought.subject.unit.split())
        if other or _is_counted(noun["noun"], sought):
            return ""
    return "" if of_another(head, value, asking, "") else value


def _is_counted(noun: str, sought: Sought) -> bool:
    """Whether the question counts such things, and asks for others."""
    noun = stem(noun)
    asked = sought.subject.words | {stem(word) for word in sought.subject.unit.split()}
    return noun not in asked and any(one.endswith(f" {noun}") for one in sought.subject.given)


def _repeats(value: str, before: str) -> bool:
    """Whether a value is the result of a calculation before it."""
    number = _NUMBER.search(value.rpartition("=")[2])
    return any(equated(value.rpartition("=")[2].strip(), before)) or (
        number is not None and "/" not in value and any(equated(number[0], before))
    )


def _is_named(head: str, sought: Sought) -> bool:
    """Whether a label, the left side of an equation or a name says that a statement is about what is asked for."""
    if (label := _LABEL.match(head)) is not None and _about(label[0], sought):
        return True
    if (letter := _ASSIGNED.search(head)) is not None and letter[1] in sought.subject.words:
        return True
    names = set(_PROPER.findall(sought.subject.asking[1:]))
    return bool(names) and not names.isdisjoint(_PROPER.findall(re.split("[0-9]", head)[0]))


def _is_amount(value: str) -> bool:
    return _AMOUNT.fullmatch(value) is not None and (
        any(c.isdigit() for c in value) or NUMBER_WORDS.match(value) is not None
    )


def _is_rate(value: str, text: str) -> bool:
    """Whether a value is one per something where it last stands in a text."""
    number = _NUMBER.search(value)
    place = text.rfind(number[0]) if number is not None else -1
    return number is not None and place >= 0 and _RATE.match(text, place + len(number[0])) is not None


def _is_hard(sentence: str) -> bool:
    """Whether a sentence may be meant as the answer, though no statement was read of it."""
    if _ANSWERS.match(sentence):
        return True
    bold = _BOLD.search(sentence) is not None or _HEADING.match(sentence.strip()) is not None
    return bold or bool(announced(sentence)) or DOUBTED.search(sentence) is not None or doubts(sentence)


def _is_afterword(part: str, before: str, said: _Statement, sought: Sought, inside: bool) -> bool:
    """Whether what stands behind a statement answers nothing: it neither concludes nor says as much of the subject."""
    if is_remark(part, before):  # not: one hour before the correct answer
        return not inside or _CORRECT.search(part) is None
    also = _ALSO.fullmatch(part) is not None and (said.strength or said.about > 1)
    if (not inside and _is_amount(part.strip(" ,.*"))) or (_STRUCTURE.search(part) and said.strength < 2):
        return False
    if _is_hard(part) or (_OFFERS.search(part) and not also) or says_again(part, before):
        return False
    if _CHECKS.match(part):
        return True
    stated, asking = _numbers(said.value), sought.subject.asking
    numbers = list(_NUMBER.finditer(part))
    again = [match for match in numbers if _numbers(match[0]) == stated and not _OPERAND.search(part[: match.start()])]
    if again and (
        said.strength < 2
        or (of_another(part, again[-1][0], asking, "") and not names_another(part, again[-1][0], asking))
    ):
        return False
    values = weighed(part, before, sought, _judge(said.value))
    if again and any(value.form and not sought.suits(value.said, value.shown[-1]) for value in values):
        return False
    if any("=" in value.written and value.other for value in values):
        return False
    follows = _FOLLOWS.search(part) or LEAD.match(part.lstrip("* "))
    rivals = _rivals(values, part, said, sought, follows.start() if follows else -1)
    if not rivals or (also and _ALSO.fullmatch(part) is not None):
        return True
    if also:
        return False
    about = _about(part, sought)
    if (
        _OTHERS.search(part)
        and (inside or said.strength != 1)
        and about < said.about + inside
        and not _REST.search(asking)
    ):
        return True  # and the other 20 are hens
    if NEGATION.search(asking) is not None and NEGATION.search(part) is None and about:
        return True  # of 12, 7 are not red, and 5 are red
    aside = _TOGETHER.match(part) is not None and _ASKS_TOTAL.search(asking) is None
    if said.strength == 2 and aside and about <= said.about:
        return True
    new = [
        value for value in rivals if "=" in value.written or not set(_numbers(value.shown[-1])) <= sought.subject.given
    ]
    if new and _WORKS_ON.search(part):
        return False
    if follows and any(value.shown[0] in part[follows.start() :] for value in new):
        return False
    margin = 3 - said.strength - (inside and said.strength < 2)
    return about + margin <= said.about and not any("=" in value.written for value in rivals)


def _rivals(values: list[Value], part: str, said: _Statement, sought: Sought, follows: int) -> list[Value]:
    """The values of a text that could be what is asked for, but for the one that was stated."""
    asking, kept = sought.subject.asking, []
    ratio = ":" in said.value
    for value in values:
        shown = value.shown[-1]
        if value.form or not sought.suits(value.said, shown) or not (value.other or value.worked or not said.strength):
            continue
        if (ratio and ":" not in shown) or _of_other_kind(shown, said.value, asking):
            continue
        number = _NUMBER.search(value.shown[0])
        first = number[0] if number is not None else value.shown[0].partition(" ")[0]
        place = part.rfind(first)
        if _UNREAL.search(value.clause) and not (0 <= follows <= place or "=" in value.written):
            continue
        if _NEARLY.search(part, 0, max(0, place)) is not None and not sought.subject.rounded:
            continue
        if place >= 0:
            end = place + len(first)
            if "/" in shown and "/" not in said.value and re.match(r"(?:/[0-9]+)?\sof\b", part[end:]):
                continue  # 3/8 of the bus
            if _ASKS_RATE.search(asking) is None and _RATE.match(part, end):
                continue
            if _ASKS_COMPARED.search(asking) is None and _COMPARED.match(part, end):
                continue
            noun = _NOUN_BEHIND.match(part, end)
            if noun is not None and _is_other_noun(noun["noun"], part, said, sought):
                continue
        if sought.subject.words.isdisjoint(ASKS_REST) and names_another(part, value.shown[0], asking):
            continue
        kept.append(value)
    return kept


def _is_other_noun(noun: str, part: str, said: _Statement, sought: Sought) -> bool:
    """Whether a value counts other things than those that a question counts and a statement about them has given."""
    counted = HOW_MANY.search(sought.subject.asking)
    if counted is None or not said.about or _WORKS_ON.search(part):
        return False
    given = {one.rpartition(" ")[2] for one in sought.subject.given}
    wanted = {stem(word) for word in _WORD.findall(counted[1])} | (sought.subject.words - given)
    return stem(noun) not in wanted and noun != "such"


def _of_other_kind(value: str, stated: str, asking: str) -> bool:
    """Whether a value is money, a percentage or an angle, and what was stated is not."""
    one, two = ("".join(sign for sign in "$€£%°" if sign in text) for text in (value, stated))
    return bool(one) and one != two and (bool(two) or (one == "%" and _ASKS_SHARE.search(asking) is None))


def _judge(stated: str) -> Judge:
    """A judge to whom what was stated is right."""
    signs = "π" in stated or "\\" in stated

    def is_same(text: str) -> bool:
        if ("π" in text or "\\" in text) != signs:
            return False
        one, two = _size(text), _size(stated)
        near = one is not None and two is not None and abs(one - two) <= 0.007 * abs(two)
        near = near and not set("./%").isdisjoint(text + stated)  # 58%, where 7/12 was stated
        return _numbers(text) == _numbers(stated) or near

    return Judge(is_same, is_same, lambda name: False)


def _numbers(text: str) -> list[str]:
    return [number.replace(",", "").removesuffix(".00") for number in _NUMBER.findall(text)]


def _size(text: str) -> float | None:
    """The size of a number, fraction or percentage; None for anything else."""
    match = re.fullmatch(r"[$€£]?([0-9][0-9,]*(?:\.[0-9]+)?)(?:/([1-9][0-9]*))?\s?(%)?(?: [a-z²³/]+)?", text.strip())
    if match is None:
        return None
    return float(match[1].replace(",", "")) / float(match[2] or 1) / (100 if match[3] else 1)
