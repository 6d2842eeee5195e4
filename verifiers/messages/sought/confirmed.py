"""The last reader, which knows the gold: whether a message states it where no rule could read what is stated.

"So she needs 504 - 410 = 94 on the sixth test. Another way to see it: ..." The rules look for the one value that a
message gives, and give up where its form is new to them. Here the last sentence that states the gold is looked for
instead. It counts if it concludes or is about what is asked, and if no other value competes with the gold: those of the
question, of another kind or unit, bounds, the gold once more (rounded, in another unit), and values of clauses that say
less of what is asked do not; a later conclusion, an offer, a doubt or a correction does. So of the values of a message
the last one that is stated can be paid, and no other.
"""

import itertools
import re

from turnwise.verifiers.messages.around.comments import is_comment
from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.around.offers import offered
from turnwise.verifiers.messages.around.remarks import is_remark
from turnwise.verifiers.messages.base import STRONG, Found
from turnwise.verifiers.messages.clause import DOUBTED, LEAD, NOT_STATED
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.picked.gates import BREAKS_OFF
from turnwise.verifiers.messages.skeleton import NO_RESULT, NUMBER_WORDS, OTHER_SCRIPT, P
from turnwise.verifiers.messages.sought.subject import Sought
from turnwise.verifiers.messages.sought.weighed import NAMED, NUMBER, PLAIN, Judge, Value, weighed
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, announced, says_again

__all__ = ["MAX_CHARS", "confirmed"]

MAX_CHARS = 2500
_MAX_SENTENCE = 500
_MAX_BACK = 8
_BOLD = re.compile(r"\*\*([^*\n]*[0-9][^*\n]*)\*\*")
_FOLLOWS = re.compile(
    r"\b(?:so|thus|hence|therefore|in total|a total of|altogether|which (?:leaves|makes|gives|means)|leaving|making"
    r"|giving)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:might|(?-i:may)|could|would|if|says?|said|verify|suppose|tempting|mistake\w*|instead|otherwise|had|without"
    r"|another way)\b|['’]d\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|otherwise|unless|guess\w*|claims?|whether|try)\b"
    r"|[≠?？]|!=|\\neq?(?![a-z])",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"^\W*(?:but|however|yet|on the other hand|one of (?:these|those|the two))\b"
    r"|\b(?:answers|both of them|correct(?:ed|ion)?|wrong|cannot|can['’]t"
    r"|n['’]t know|not (?:right|true|possible)|(?:are|is) (?:both |equally )?(?:possible|unclear|ambiguous)"
    r"|(?:is|are)(?: not|n['’]t) clear|pick|more like|convention|depends?|interpret\w*)\b|\bnot\W*$",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:answer|result|solution|therefore|thus|hence)\b", re.IGNORECASE)
_ANSWER = re.compile(r"\banswer\b", re.IGNORECASE)
_SUPPOSED = re.compile(r"\W*(?:if|assuming|under|depending|suppose|unless|without|another way)\b", re.IGNORECASE)
_GIVES = re.compile(
    r"\b(?:gives?|makes?|yields?|leaves?|gets?|totals?|comes to)\s(?:us |you |her |him |them |me )?"
    r"[^\s]*[0-9][^\s]*(?:\s[a-z]+)?\W*$"
)
_IN_WORDS = re.compile(
    r"\b(?:(?:no|none) (?:real |integer |such |other )?(?:solutions?|roots?|zeros|number|way)"
    r"|exist|undefined|infinit\w+|diverges|converges)\b",
    re.I,
)
_OR = re.compile(rf"\bor\s[^,;]*{P}|\bor {NUMBER_WORDS.pattern}")
_UNDECIDED = re.compile(r"\b(?:either|whether)\b", re.IGNORECASE)
_WORKING = re.compile(r"\W*[A-Z][a-z]+ing\b[^,]{0,40},")
_ITEM = re.compile(r"[-*•]\s")


def confirmed(text: str, sought: Sought, judge: Judge, read: str = "") -> tuple[str, str]:
    """The value that is the gold and the clause that states it; empty where none does.

    Args:
        text: What was read of a message.
        sought: What is asked for.
        judge: What is right.
        read: Another value, as which the rules have read the message: it must stand behind the sentence that states the
            gold, in one that is passed over.
    """
    taken = set(NUMBER.findall(read))
    if read and not taken:
        return "", ""
    body = flattened(text[-MAX_CHARS:]).rstrip()
    if STRONG.search(body) is not None or OTHER_SCRIPT.search(body) or BREAKS_OFF.search(body.rstrip("* ")[-40:]):
        return "", ""
    ends = [0, *(match.end() for match in END_OF_SENTENCE.finditer(body)), len(body)]
    spans = [(a, b) for a, b in itertools.pairwise(ends) if body[a:b].strip(" *\n")]
    least, passed_over = -1, set[str]()
    for n, (start, stop) in reversed(list(enumerate(spans))[-_MAX_BACK:]):
        sentence, before = body[start:stop].strip(), body[:start]
        if len(sentence) > _MAX_SENTENCE:
            return "", ""
        values = weighed(sentence, before, sought, judge)
        remark = bool(before) and (is_remark(sentence, before) or is_comment(sentence, before))
        stated = _stated(sentence, values) if not remark else None
        if stated is not None:
            if (announced(before) and not announced(sentence)) or says_again(sentence, before):
                return "", ""
            if stated.about < least or _outdone(stated, sentence, spans[:n], body, sought, judge):
                return "", ""
            shown = next(one for one in stated.shown if judge.is_right(one))
            if read and not taken <= (passed_over | _behind(values, stated)) - _open(values, stated):
                return "", ""
            place = text.rfind(sentence[-20:])
            end = place + len(sentence[-20:]) if place >= 0 else len(text)
            offers = offered(text, Found((shown,), end=end))
            offers = tuple(one for one in offers if not set(NUMBER.findall(one)) <= sought.subject.given)
            offers = tuple(one for one in offers if sought.suits(text, one))
            return (shown, stated.said) if all(judge.is_again(one) for one in offers) else ("", "")
        passed = -1 if remark else _passes(sentence, values)
        if passed is None:
            return "", ""
        least = max(least, passed)
        beside = [value for value in values if not value.rival or _UNREAL.search(value.clause)]
        passed_over |= {number for value in beside for number in NUMBER.findall(value.shown[0])}
    return "", ""


def _behind(values: list[Value], stated: Value) -> set[str]:
    """The numbers of the gold and of the values behind it that cannot be the answer."""
    place = next((n for n, value in enumerate(values) if value.shown == stated.shown), 0)
    kept = [value for n, value in enumerate(values) if n > place and not value.other]
    return {number for value in [*kept, stated] for number in NUMBER.findall(value.shown[0])}


def _open(values: list[Value], stated: Value) -> set[str]:
    """The numbers of the other values of its sentence."""
    numbers = {number for value in values if value.other for number in NUMBER.findall(value.shown[0])}
    return numbers - set(NUMBER.findall(stated.shown[0]))


def _outdone(
    stated: Value, sentence: str, spans: list[tuple[int, int]], body: str, sought: Sought, judge: Judge
) -> bool:
    """Whether a sentence before the one that states the gold states another value and says more of what is asked."""
    if LEAD.match(sentence) or _FOLLOWS.search(stated.clause) or _WORKING.match(sentence):
        return False
    for start, stop in dict.fromkeys([*spans[:1], *spans[-3:]]):
        for value in weighed(body[start:stop].strip(), body[:start], sought, judge):
            bare = value.clause.strip(" .!*")
            if value.rival and start == 0 and len(bare) == 1 and "=" not in value.shown[0]:
                return True  # Thirty-five. From every vertex 7 diagonals start ...
            if value.rival and _ITEM.match(body[start:stop].strip()) and _ITEM.match(sentence):
                one, two = NAMED.match(value.shown[0]), NAMED.match(stated.shown[0])
                if one is not None and two is not None and one[0][0] == two[0][0]:
                    return True  # - x = 3, then - x = -1
            plain = value.worked or PLAIN.fullmatch(value.shown[0]) is not None
            more = value.about > stated.about + bool(stated.about)
            if value.rival and plain and more and not _UNREAL.search(value.clause):
                return True
    return False


def _stated(sentence: str, values: list[Value]) -> Value | None:
    """The value of a sentence that is the gold and stated by it, where no other one of it competes."""
    right = [value for value in values if value.right]
    if not right or sentence.endswith(("..", "…")) or NOT_STATED.search(sentence) or NO_RESULT.search(sentence):
        return None
    if DOUBTED.search(sentence) or doubts(sentence) or _TAKES_BACK.search(sentence) or _UNDECIDED.search(sentence):
        return None
    one = max(right, key=lambda value: (value.about, value.worked))
    if _ANSWER.search(sentence) and not _ANSWER.search(one.clause):
        return None
    if _SUPPOSED.match(sentence) or _UNREAL.search(one.clause) or _OFFERS.search(one.clause):
        return None
    place = values.index(one)
    one = one._replace(about=max((value.about for value in values if value.form), default=one.about))
    behind = "".join(dict.fromkeys(value.clause for value in values[place:]))
    if _OR.search(behind):
        return None
    bold = _BOLD.findall(sentence)
    emphasised = any(part.startswith(shown) or shown in part for part in bold for shown in one.shown)
    if bold and not emphasised:
        return None
    follows = _FOLLOWS.search(one.clause) is not None or LEAD.match(sentence) is not None
    alone = one.states and not any(value.other for value in values)
    if not (one.about or one.worked or emphasised or follows or one.again or alone):
        return None
    if one.again:
        one = one._replace(about=max(value.about for value in values[: place + 1]))
    for n, other in enumerate(values):
        if one.again and n < place and not (other.rival and "=" not in other.shown[0]):
            continue
        if not other.rival or _UNREAL.search(other.clause) or (other.clause == one.clause and n < place and one.worked):
            continue
        if n < place and one.worked and _is_operand(other, one):
            continue
        if n > place and other.worked and not one.worked:
            return None
        if n > place and _FOLLOWS.search(other.clause) and not _UNREAL.search(other.clause):
            return None
        stated_first = n < place and other.clause != one.clause and other.about >= one.about
        if stated_first and not follows and _FOLLOWS.search(other.clause):
            return None
        if other.about > one.about or (n > place and other.about >= one.about):
            return None
        if n < place and other.about == one.about and not (follows or one.worked or emphasised):
            return None
    return one


def _is_operand(value: Value, result: Value) -> bool:
    """Whether a value is used in the calculation of another one, or counts in words what stands before it."""
    if NUMBER_WORDS.fullmatch(value.shown[0]) is not None:
        return True
    numbers = NUMBER.findall(value.shown[0])
    return not value.worked and len(numbers) == 1 and numbers[0] in NUMBER.findall(result.written.rpartition("=")[0])


def _passes(sentence: str, values: list[Value]) -> int | None:
    """How much a sentence behind the gold says of what is asked; None where it may state another answer."""
    if DOUBTED.search(sentence) or doubts(sentence) or _TAKES_BACK.search(sentence) or _OFFERS.search(sentence):
        return None
    if _BOLD.search(sentence) or announced(sentence) or (not values and _IN_WORDS.search(sentence)):
        return None
    read = {number for value in values for number in NUMBER.findall(value.shown[0])}
    if _ANSWER.search(sentence) or ("=" not in sentence and not read >= set(NUMBER.findall(sentence))):
        return None  # it has other values than those that were read
    if LEAD.match(sentence) or _CONCLUDES.search(sentence) or _GIVES.search(sentence):
        return None if any(value.other for value in values) else -1
    rivals = [value for value in values if value.rival and not _UNREAL.search(value.clause)]
    if not rivals:
        return -1
    if any(value.worked or value.asked or _FOLLOWS.search(value.clause) for value in rivals):
        return None
    return max(value.about + 1 for value in rivals)
