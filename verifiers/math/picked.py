"""The answer of a message by the model of `turnwise.verifiers.messages.picked`, where no rule reads the gold in it."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.math.answer import Gold, Rules, copied, equivalent, left_undone
from turnwise.verifiers.math.asked import Asked
from turnwise.verifiers.math.constants import same_up_to_constants
from turnwise.verifiers.math.directed import bounded, directed, has_direction
from turnwise.verifiers.math.form_asked import in_another_form
from turnwise.verifiers.math.forms import in_base
from turnwise.verifiers.math.measured import as_counted, in_another_unit, in_one_unit, with_unit
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.messages import Sought, is_end_of_range, of_another, read_end
from turnwise.verifiers.messages.picked.gates import left_open
from turnwise.verifiers.messages.picked.mentions import Mention, Read, mentions
from turnwise.verifiers.messages.picked.model import chances
from turnwise.verifiers.messages.sought.choices import Choices, choices_of, loosely_chosen
from turnwise.verifiers.messages.wording import announced

__all__ = ["Case", "Picked", "case_of", "picked"]

LIKELY = 0.7  # the chance from which on the model decides
SURE = 0.95  # the same against what the rules read, or against words of doubt
_WORDS = re.compile(r"[A-Za-z][A-Za-z '’-]*")
_OPTION = re.compile(r"(?:\\text\{)?\(?[A-J]\)?\}?", re.ASCII)
_OTHER_KINDS = ("answer", "none")  # yes and no, no solution: sentences say these in other words
_TAKEN_BACK = frozenset(["corrected", "later corrected", "later taken back", "not stated", "taken back"])
_IN_DOUBT = frozenset(["doubted", "no result", "supposed", "weakened"])
_WORD = re.compile(r"[A-Za-z]{2,}")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_MAX_PART = 20
_LEAST_WORDS = 12  # of less the rules read all that can be read
_MAX_ANNOUNCED = 400
_OR = re.compile(r"\b(?:or|either|whichever|alternatively)\b|\bif\b[^.]*\band\b")
_OFFERED = 0.003  # the chance above which a value that stands beside the gold with an "or" is offered
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
        value: The mention of the gold that is likeliest; "" where there is none.
        gold: The chance that the gold is the answer; 0 where words beside it doubt it, and the model is not sure.
        other: The chance that it is another value.
    """

    value: str
    gold: float
    other: float


def case_of(message: str, gold: Gold, rules: Rules, question: str, asked: Asked, sought: Sought) -> Case | None:
    """What the model needs to know of a message; None where it knows nothing of such golds."""
    choices = choices_of(gold.text, question, asked.subject.names)
    if choices is None and _WORDS.fullmatch(gold.text):
        choices = loosely_chosen(gold.text, question)
        if choices is None and len(gold.text) > 2:
            return None
    if choices is not None and choices.kind in _OTHER_KINDS:
        return None
    if choices is None and _OPTION.fullmatch(gold.text):
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
    if value := next(filter(is_right, mention.shown), ""):
        return value
    if has_direction(case.gold.text):
        return next((one for one in mention.shown if directed(one, mention.clause, case.gold.text)), "")
    bound = bounded(mention.shown[0], mention.head, case.gold.node)
    return bound if bound and is_right(bound) else ""


def takes(case: Case) -> Callable[[str], bool]:
    """Whether a value is the gold, if need be in another unit, base or form."""

    @lru_cache(maxsize=256)
    def is_right(text: str) -> bool:
        gold, asked = case.gold, case.asked
        if equivalent(text, gold, case.rules).correct:
            return True
        ways = (
            in_one_unit(text, asked), with_unit(case.message, text, asked, gold.text),
            as_counted(text, asked, case.question),
        )  # fmt: skip
        if any(way and equivalent(way, gold, case.rules).correct for way in ways):
            return True
        if asked.base and gold.text.isalnum() and in_base(text, f"{gold.text}_{asked.base}"):
            return True
        return same_up_to_constants(text, gold.text, case.question, case.rules)

    return is_right


def _is_doubted(case: Case, mention: Mention, value: str) -> bool:
    """Whether the words beside a value doubt it, or make it a bound that is not asked for."""
    if "weakened" in mention.features and isinstance(case.gold.node, tree.Relation) and value not in mention.shown:
        return False  # more than 200, for m > 200
    return not _IN_DOUBT.isdisjoint(mention.features)


def is_part(value: str, gold: Gold) -> bool:
    """Whether a value is one of those that a gold is made up of."""
    if not isinstance(gold.node, tree.Seq | tree.List | tree.Set) or len(value) > _MAX_PART:
        return False
    parts, numbers = set(_NUMBERS.findall(gold.text)), set(_NUMBERS.findall(value))
    return len(parts) > 1 and bool(numbers) and numbers <= parts


def is_again(case: Case, mention: Mention, is_right: Callable[[str], bool]) -> bool:
    """Whether a value beside the gold is the gold once more, rounded: 18π, or about 56.5."""
    if case.choices is not None or isinstance(case.gold.node, tree.Num):
        return False
    if is_part(mention.shown[0], case.gold):
        return True
    return any(is_right(f"{case.gold.text} (about {shown})") for shown in mention.shown[:2])


def is_barred(case: Case, mention: Mention, value: str) -> bool:
    """Whether a mention of the gold says that it is something else: another unit, form or quantity, work not done."""
    message, asked, gold = case.message, case.asked, case.gold
    asking = asked.subject.asking
    if case.choices is not None:
        return case.choices.kind == "day" and of_another(message, value, asking, case.question, mention.clause)
    return (
        in_another_unit(message, value, asked, gold.text)
        or in_another_form([value], asked, gold.text, message)
        or copied(value, gold.text, case.question)
        or left_undone(value.rpartition("=")[2], gold.text)
        or is_end_of_range(message, value)
        or any(of_another(message, value, asking, case.question, within) for within in (mention.clause, ""))
    )


def _is_left_to_rules(sentences: list[str]) -> bool:
    """Whether a message is short, or announces its answer: then the rules know what it says."""
    words = sum(len(_WORD.findall(sentence)) for sentence in sentences)
    return words < _LEAST_WORDS or bool(announced("\n".join(sentences)[-_MAX_ANNOUNCED:]))


def picked(case: Case) -> Picked | None:
    """What the model says of a message; None where it has nothing to say."""
    read = read_of(case)
    if not read.mentions or left_open(read.sentences) or _is_left_to_rules(read.sentences):
        return None
    is_right = takes(case)
    best, gold, rest, plain = "", 0.0, 1.0, False
    stated, others = dict[int, Mention](), list[tuple[float, Mention]]()
    ranked = sorted(zip(chances(read), read.mentions, strict=True), key=lambda one: -one[0])
    for chance, mention in ranked[:_MOST]:
        if rest < _LEAST:
            break
        rest -= chance
        value = right_value(case, mention, is_right)
        if not value:
            others.append((chance, mention))
        elif _TAKEN_BACK.isdisjoint(mention.features) and not is_barred(case, mention, value):
            gold += chance
            plain = plain or not _is_doubted(case, mention, value)
            best = best or value
            stated.setdefault(mention.place, mention)
    again = 0.0
    for chance, mention in others:
        if stated and (mention.place in stated or is_several(case.gold)) and is_again(case, mention, is_right):
            again += chance
        elif mention.place in stated and chance > _OFFERED and _offers(stated[mention.place], mention):
            return Picked(best, 0.0, 0.0)
    gold += again
    return Picked(best, gold if plain or gold >= SURE else 0.0, sum(chance for chance, _ in others) - again)


def _offers(one: Mention, two: Mention) -> bool:
    """Whether a sentence gives two values for choice: 24, or 26 when all six are counted."""
    first, second = sorted((one.head, two.head), key=len)
    return _OR.search(second[len(first) :]) is not None
