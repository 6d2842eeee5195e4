"""The answer of a message by the model of `turnwise.verifiers.messages.picked`, where no rule reads the gold in it."""

import itertools
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.math.answer import Gold, Rules, copied, equivalent, left_undone
from turnwise.verifiers.math.asked import Asked
from turnwise.verifiers.math.directed import bounded, directed, has_direction
from turnwise.verifiers.math.form_asked import in_another_form
from turnwise.verifiers.math.forms import as_compound
from turnwise.verifiers.math.in_question import right_by_question
from turnwise.verifiers.math.measured import in_another_unit
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.units import read_unit
from turnwise.verifiers.messages import Sought, is_end_of_range, of_another, read_end
from turnwise.verifiers.messages.picked.gates import left_open
from turnwise.verifiers.messages.picked.mentions import Mention, Read, mentions
from turnwise.verifiers.messages.picked.model import chances
from turnwise.verifiers.messages.picked.ways import key_of, ways_of
from turnwise.verifiers.messages.skeleton import POSED
from turnwise.verifiers.messages.sought.choices import (
    OPTION,
    PACK,
    SIZE,
    Choices,
    choices_of,
    lettered_of,
    loosely_chosen,
)
from turnwise.verifiers.messages.wording import announced

__all__ = ["LIKELY", "LIKELY_SEVERAL", "RARE", "SURE", "Case", "Picked", "case_of", "picked"]

LIKELY = 0.6  # the chance from which on the model decides
SURE = 0.8  # the same against what the rules read
RARE = 0.05  # below this chance, what the rules read does not compete with the gold
LIKELY_SEVERAL = 0.7  # the same for several values
_NAMES = (re.compile(r"^[A-Za-z][A-Za-z '’-]*$"), re.compile(rf"^{PACK.pattern}$"), SIZE)
_OTHER_KINDS = ("answer", "none")  # yes and no, no solution: sentences say these in other words
_TAKEN_BACK = frozenset(["corrected", "taken back"])
_JOINED = frozenset(
    f"joined {side} {word}" for side in ("before", "behind") for word in ("and", "or", "nor", "&", "to", "through", "–")
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_SIGNED = re.compile(r"(?:(?<![\w)])-)?[0-9]+(?:\.[0-9]+)?")
_MAX_PART = 20
_INTERVAL = re.compile(r"[\[(][^,()\[\]]+,[^,()\[\]]+[\])]")
_TAIL = re.compile(
    r"(?<=[\w})])\s*(?:\\[ ,;:!]|~|\s)*\\(?:text|mathrm|textrm)\s?\{(?P<words>[^{}]*[A-Za-z][^{}]*)\}[.\s]*$"
)
_ASKS_SEVERAL = re.compile(
    r"\b(?:both|all|ages|numbers|integers|each|they|values|lengths|sides|coordinates|prices|roots|solutions|and)\b",
    re.I,
)
_LEAST_WORDS, _SHORT_WORDS, _SHORT_LINES = 8, 16, 4  # of less the rules read all that can be read
_ANSWER_LINE = re.compile(r"^[ \t*]*(?:A|Ans)\s?[:.]\s(?![\s\S]*^[ \t*]*B\s?[:.])", re.MULTILINE)  # A: 90, no option
_MAX_SHORT, _MAX_ANNOUNCED = 400, 400
_WHAT_IS, _PROPER = re.compile(r"\b[Ww]hat is ([A-Z][a-z]+)\?"), re.compile(r"\b[A-Z][a-z]{2,}\b")
_CONDITIONED = re.compile(r".\W*(?:in|if|when|for|under|on|with)\s[^.;]*[,;]\W*(?:(?:and|but|while)\s)?", re.DOTALL)
_ALTERNATIVES = re.compile(r",\s+(?![^()\[\]]*[)\]])|\s+or\s+")
_VARIABLE, _COMMAND = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])"), re.compile(r"\\[A-Za-z]+")
_OR = re.compile(r"\b(?:or|either|whichever|alternatively)\b|\bif\b[^.]*\band\b")
_OR_BETWEEN = re.compile(r".\W*(?:\([^()]*\)\W*)?\bor (?:only|even|maybe|perhaps|possibly|rather|else)?\W*", re.DOTALL)
_OFFERED = 0.05  # the chance above which a value that stands beside the gold with an "or" is offered
_MOST, _LEAST = 8, 0.03  # values that are compared with the gold, and the chance below which the rest is not


class Case(NamedTuple):
    """What a message is judged by.

    Attributes:
        message: The message.
        gold: The right answer.
        rules: How strict.
        question: The question.
        asked: What kind of value it asks for.
        sought: What a reader is told of that.
        choices: The words that the gold is one of; None where it is a value.
    """

    message: str
    gold: Gold
    rules: Rules
    question: str
    asked: Asked
    sought: Sought
    choices: Choices | None


class Picked(NamedTuple):
    """What the model says of a message.

    Attributes:
        value: The most likely mention of the gold, or "" if the message does not mention it.
        gold: The chance that the gold is the answer; 0 where another value is offered beside it.
        other: The chance that it is another value.
        read: The chance that it is what the rules read.
    """

    value: str
    gold: float
    other: float
    read: float = 0.0


def case_of(message: str, gold: Gold, rules: Rules, question: str, asked: Asked, sought: Sought) -> Case | None:
    """What the model needs to know of a message; None where it knows nothing of such golds."""
    if (gold.moment is not None and gold.moment.kind == "date") or as_compound(gold.text):
        return None
    choices = choices_of(gold.text, question, asked.subject.names)
    offered = choices is not None and choices.kind == "none"  # the question may offer "no solution" among others
    if offered or lettered_of(gold.text, question):
        choices = loosely_chosen(gold.text, question) or choices
    if choices is None and any(one.search(gold.text) for one in _NAMES):
        choices = loosely_chosen(gold.text, question)
        if choices is None and len(gold.text) > 2:
            return None
    if choices is not None and choices.kind in _OTHER_KINDS:
        return None
    if choices is None and OPTION.fullmatch(gold.text):
        return None
    return Case(message, gold, rules, question, asked, sought, choices)


def read_of(case: Case) -> Read:
    """The mentions of a message."""
    return mentions(read_end(case.message), case.sought, case.asked.kind, case.choices, is_several(case.gold))


def is_several(gold: Gold) -> bool:
    """Whether a gold is made up of several values, or an equation."""
    return isinstance(gold.node, tree.Seq | tree.List | tree.Set | tree.Relation) or " and " in gold.text


def right_value(case: Case, mention: Mention, is_right: Callable[[str], bool]) -> str:
    """The way to read a mention that makes it the gold; "" where none does."""
    if case.choices is not None:
        return mention.shown[0] if mention.key == case.choices.gold else ""
    ways = mention.shown
    if isinstance(case.gold.node, tree.Seq | tree.Set | tree.SetOp):  # (-1, 5) or [-1, 5)
        split = (_ALTERNATIVES.split(way) for way in ways)
        if any(len(parts) > 1 and any(map(is_right, parts)) for parts in split):
            return ""
    if isinstance(case.gold.node, tree.Relation):  # x = 5 is not 5, where y = 5 is the gold
        ways = tuple(way for way in ways if "=" in way) or ways
    bare = (_TAIL.sub("", shown) for shown in ways if _has_words(shown))
    if value := next(filter(is_right, itertools.chain(ways, bare)), ""):
        return value
    if has_direction(case.gold.text):
        return next((one for one in mention.shown if directed(one, mention.clause, case.gold.text)), "")
    bound = bounded(mention.shown[0], mention.head, case.gold.node)
    return bound if bound and is_right(bound) else ""


def takes(case: Case) -> Callable[[str], bool]:
    """Whether a value is the gold, if need be in another unit, base or form."""

    @lru_cache(maxsize=256)
    def is_right(text: str) -> bool:
        gold = case.gold
        if equivalent(text, gold, case.rules).correct:
            return True
        return right_by_question(text, case.message, gold, case.rules, case.asked, case.question)

    return is_right


def _has_words(shown: str) -> bool:
    r"""Whether a formula ends in words that are not a unit: 42 \text{ pages more than Omar}."""
    tail = _TAIL.search(shown)
    return tail is not None and read_unit(tail["words"].strip()) is None


def is_part(value: str, gold: Gold, asking: str) -> bool:
    """Whether a value is one of those that a gold is made up of, where a question asks for several."""
    if not isinstance(gold.node, tree.Seq | tree.List | tree.Set) or len(value) > _MAX_PART:
        return False
    if _ASKS_SEVERAL.search(asking) is None:
        return False
    parts, numbers = (set(_SIGNED.findall(text.replace("−", "-"))) for text in (gold.text, value))
    return len(parts) > 1 and bool(numbers) and numbers <= parts


def is_again(case: Case, mention: Mention, is_right: Callable[[str], bool]) -> bool:
    """Whether a value beside the gold is the gold once more, rounded: 18π, or about 56.5."""
    if case.choices is not None or isinstance(case.gold.node, tree.Num):
        return False
    if is_part(mention.shown[0], case.gold, case.asked.subject.asking):
        return True
    return any(is_right(f"{case.gold.text} (about {shown})") for shown in mention.shown[:2])


def is_barred(case: Case, mention: Mention, value: str) -> bool:
    """Whether a mention of the gold says that it is something else: another unit, form or quantity, work not done."""
    message, asked, gold = case.message, case.asked, case.gold
    asking = asked.subject.asking
    if case.choices is not None:
        if not _JOINED.isdisjoint(mention.features):
            return True
        if (asked_of := _WHAT_IS.search(case.question)) is not None and asked_of[1] not in mention.clause:
            names = set(_PROPER.findall(case.question))
            return not names.isdisjoint(_PROPER.findall(mention.clause))  # of two, the other one is a knave
        return case.choices.kind == "day" and of_another(message, value, asking, case.question, mention.clause)
    if "given" in mention.features and not set(_NUMBERS.findall(value)) <= set(_NUMBERS.findall(gold.text)):
        return True  # the 45 degrees of the question, for π/4
    if (POSED.fullmatch(value) and value != gold.text) or not (
        is_several(gold) or case.sought.suits(f"{mention.head[-80:]}{value}", _TAIL.sub("", value))
    ):
        return True
    return (
        in_another_unit(message, value, asked, gold.text)
        or in_another_form([value], asked, gold.text, message)
        or copied(value, gold.text, case.question)
        or left_undone(value.rpartition("=")[2], gold.text)
        or is_end_of_range(message, value)
        or (
            not directed(value, mention.clause, gold.text)
            and any(of_another(message, value, asking, case.question, within) for within in (mention.clause, ""))
        )
    )


def _is_left_to_rules(end: str) -> bool:
    """Whether a message is short, or announces its answer: then the rules know what it says."""
    words, lines = len(_WORD.findall(end)), len([line for line in end.split("\n") if line.strip()])
    short = len(end) < _MAX_SHORT and (words < _LEAST_WORDS or (words < _SHORT_WORDS and lines < _SHORT_LINES))
    return short or bool(announced(end[-_MAX_ANNOUNCED:])) or _ANSWER_LINE.search(end[-_MAX_ANNOUNCED:]) is not None


def picked(case: Case, taken: str = "", reading: Sequence[str] = ()) -> Picked | None:
    """What the model says of a message; None where it has nothing to say, or picks what the rules have taken.

    Args:
        case: The message and what it is judged by.
        taken: The right value that the rules have read in it, if they have.
        reading: What they have read in it, right or wrong.
    """
    end = read_end(case.message)
    if _is_left_to_rules(end) or left_open(end):
        return None
    read = read_of(case)
    if not read.mentions:
        return None
    is_right = takes(case)
    best, gold, rest, against = "", 0.0, 1.0, 0.0
    several = is_several(case.gold) or _INTERVAL.fullmatch(case.gold.text) is not None
    stated, others, lost = dict[int, Mention](), list[tuple[float, Mention]](), list[tuple[float, Mention]]()
    ranked = sorted(zip(chances(read), read.mentions, strict=True), key=lambda one: -one[0])
    if taken:
        shares: dict[str, float] = {}
        for chance, mention in ranked:
            shares[mention.key] = shares.get(mention.key, 0.0) + chance
        key = max(shares, key=lambda one: shares[one])
        if shares[key] < LIKELY - _LEAST or key == key_of(taken):
            return None
    for chance, mention in ranked[:_MOST]:
        if rest < _LEAST:
            break
        rest -= chance
        value = right_value(case, mention, is_right)
        if not value:
            if taken and _has_own_letters(mention.shown[-1], case):
                continue  # a step: of the letters of a message alone no answer is made
            others.append((chance, mention))
            against += chance
            if against > 1 - LIKELY and not (taken or several or best or lost):
                return Picked("", 0.0, 1.0)  # what is left cannot make the gold likely
        elif not _TAKEN_BACK.isdisjoint(mention.features):
            continue
        elif is_barred(case, mention, value):
            lost.append((chance, mention))
        else:
            gold += chance
            best = best or value
            stated.setdefault(mention.place, mention)
    if any(_is_open(case, stated, one, is_right) for one in read.mentions if stated and one.place >= min(stated)):
        return Picked(best, 0.0, 0.0)
    if several and stated and _is_outdone(read, best, max(stated), is_right, case.gold.text):
        return Picked(best, 0.0, 0.0)
    if has_direction(case.gold.text):  # 4 - 5 = -1, so you lose 1
        gold += sum(chance for chance, mention in lost if mention.place in stated)
    again = 0.0
    for chance, mention in others:
        if stated and (mention.place in stated or is_several(case.gold)) and is_again(case, mention, is_right):
            again += chance
        elif (
            mention.place in stated
            and chance > _OFFERED
            and "list" not in mention.features
            and _offers(stated[mention.place], mention)
        ):
            return Picked(best, 0.0, 0.0)
    gold += again
    keys = {key_of(way) for text in reading for way in (text, *ways_of(text))}
    read_by_rules = sum(chance for chance, one in ranked if not keys.isdisjoint((one.key, *map(key_of, one.shown))))
    return Picked(best, gold, sum(chance for chance, _ in others) - again, read_by_rules)


def _has_own_letters(value: str, case: Case) -> bool:
    """Whether a value has letters of which neither the question nor the gold has any: π(R² - r²) for 100π."""
    letters = set(_VARIABLE.findall(_COMMAND.sub(" ", value.rpartition("=")[2]))) - {"e", "i", "d"}
    return bool(letters) and letters.isdisjoint(_VARIABLE.findall(f"{case.question} {case.gold.text}"))


def _is_outdone(read: Read, best: str, place: int, is_right: Callable[[str], bool], gold: str) -> bool:
    """Whether a sentence behind the last one that states several values, or an interval, gives other ones."""
    later = [one for one in read.mentions if one.place > place]
    values = [
        one.shown[0] for one in later if "g sentence" in one.features and one.shown[0].count(",") == best.count(",")
    ]
    if _INTERVAL.fullmatch(gold):
        values += [one.shown[0] for one in later if _INTERVAL.fullmatch(one.shown[0])]
    return any("=" not in value and not is_right(value) for value in values)


def _is_open(case: Case, stated: dict[int, Mention], other: Mention, is_right: Callable[[str], bool]) -> bool:
    """Whether another value stands right beside the gold (24 or 26), or a bound on its other side (m < 200)."""
    bound = bounded(other.shown[0], other.head, case.gold.node)
    if bound and _NUMBERS.findall(bound) == _NUMBERS.findall(case.gold.text) and not is_right(bound):
        return True
    between = _between(stated[other.place], other) if other.place in stated else ""
    if case.choices is not None and other.key != case.choices.gold and _CONDITIONED.fullmatch(between):
        return True  # Thursday in a common year, Friday in a leap year
    if _OR_BETWEEN.fullmatch(between) is None or right_value(case, other, is_right):
        return False
    return " only " in between or not is_again(case, other, is_right)


def _between(one: Mention, two: Mention) -> str:
    """What stands between two values of a sentence, the first of them with it."""
    first, second = sorted((one.head, two.head), key=len)
    return second[len(first) :]


def _offers(one: Mention, two: Mention) -> bool:
    """Whether a sentence gives two values for choice: 24, or 26 when all six are counted."""
    names = [{way.partition("=")[0].strip() for way in mention.shown if "=" in way} for mention in (one, two)]
    return bool(names[0] & names[1]) or _OR.search(_between(one, two)) is not None  # x = 4 and x = -5/6
