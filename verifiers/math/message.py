"""The verdict on a whole message: what is read of it, compared with the gold."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from turnwise.verifiers.math.answer import Gold, GoldError, Rules, copied, equivalent, left_undone, read_gold, said
from turnwise.verifiers.math.asked import Asked, asked_for, fits
from turnwise.verifiers.math.directed import directed
from turnwise.verifiers.math.form_asked import in_another_form
from turnwise.verifiers.math.forms import can_hold
from turnwise.verifiers.math.in_figures import in_figures
from turnwise.verifiers.math.in_question import right_by_question
from turnwise.verifiers.math.margin import both_are_given, margin_of
from turnwise.verifiers.math.measured import (
    in_another_unit,
    in_one_unit,
    scaled,
    suits,
    unit_beside,
    unit_of,
)
from turnwise.verifiers.math.named_parts import each_is_given
from turnwise.verifiers.math.options import is_mislabelled, named_letters, option_of
from turnwise.verifiers.math.parts import given_in_parts
from turnwise.verifiers.math.picked import (
    LIKELY,
    LIKELY_SEVERAL,
    RARE,
    SURE,
    Case,
    case_of,
    is_part,
    is_several,
    picked,
)
from turnwise.verifiers.math.read.dates import date_around
from turnwise.verifiers.math.shapes import closing_formula, rounds, values_of_formula
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.messages import (
    Reading,
    Sought,
    hedged,
    is_end_of_range,
    of_another,
    offered_last,
    opening_word,
    read_end,
    read_message,
    undecided,
)
from turnwise.verifiers.messages.around.offers import kind_of
from turnwise.verifiers.messages.base import DIFFERENT, NO_COMMITMENT, TAKEN_BACK
from turnwise.verifiers.messages.clause import FIRST, LAST
from turnwise.verifiers.messages.sought.changes import change_alone
from turnwise.verifiers.messages.sought.choices import Choices, choices_of
from turnwise.verifiers.messages.sought.confirmed import MAX_CHARS, confirmed
from turnwise.verifiers.messages.sought.weighed import Judge
from turnwise.verifiers.messages.sought.worded import contradicted, stated_word
from turnwise.verifiers.messages.values import mask_values
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["verify"]

MAX_MESSAGE_CHARS = 2**20
LENIENT = Rules()
_PLAIN = re.compile(r"-?[1-9][0-9]{0,30}|0", re.ASCII)
_WORD = re.compile(r"[($\\{]*[A-Za-z][\w\\{}$() '’+-]*")
_YES_NO = frozenset({"yes", "no", "true", "false"})
_OTHER_UNIT, _OTHER_TIME = "another unit is asked for", "the date or time differs"
_OTHER_FORM, _OTHER_THING = "another form is asked for", "something else is asked for"
_OTHERWISE = (_OTHER_UNIT, _OTHER_TIME, _OTHER_FORM, _OTHER_THING)
_REFUSES = (NO_COMMITMENT, DIFFERENT, TAKEN_BACK, "the message denies something; give the answer")
_NEAR = 100  # how far before and behind a value words say of its direction
_END = re.compile(r"[.!?,;\n]")
_READ = ("tag", "box", "")  # rules that no model overrules
_ONE_VALUE = re.compile(rf"\W*[{FIRST}-{LAST}](?:\s[A-Za-z/²³]+){{0,3}}\W*")
_ASKED_LETTER = re.compile(
    r"(?i:\b(?:find|value of|solve for|what is|determine|compute)) \$?([A-Za-z])\b(?!\s*[=(^+*/-])"
)
_BLANK = re.compile(r"\\(?:left|right|[,;!])|[\s{}$]")
_MAX_ASKING = 600
_MAX_CLOSING = 600
_MAX_BARE = 60
_LONG_WORD = re.compile(r"(?<!\\)\b[A-Za-z]{2,}")
_LABEL = re.compile(r"\W*[A-Z][a-z]+:")
_DRESS = re.compile(r"[\s$*.,!]+")


class Question(NamedTuple):
    """What was asked: the question, what kind of value it asks for, and what a reader is told of that."""

    text: str
    asked: Asked
    sought: Sought


def verify(message: str, gold: str, rules: Rules = LENIENT, question: str = "") -> Verdict:
    r"""Whether the answer of a message equals the gold.

    Args:
        message: A bare answer (``\frac{1}{2}``) or all that a model wrote; which part of it is the answer,
            `turnwise.verifiers.messages.read_message` decides.
        gold: The right answer, as data sets write it: LaTeX, plain text, in ``$`` or ``\boxed{}`` or not.
        rules: How strict; the default is the policy above.
        question: What was asked, if it is known: a value of another kind, or in another unit, is no answer to it.

    Raises:
        GoldError: The gold is empty or past the bounds of the grammar.

    >>> verify(r"So we get \boxed{\frac{2}{4}}.", "0.5").correct
    True
    >>> verify("It is 4 or 5", "5").correct
    False
    >>> verify("It does 288 km.", "288", question="How many miles does it do?").correct
    False
    """
    known = read_gold(gold)
    if len(message) > MAX_MESSAGE_CHARS:
        return wrong(f"the message is longer than {MAX_MESSAGE_CHARS} characters")
    if _PLAIN.fullmatch(message) and _PLAIN.fullmatch(known.text) and not rules.tolerance:
        return right(message) if message == known.text else wrong("that is not right", message)
    if len(message) == len(gold) and message == gold:
        return right(message)
    verdict = _judged_as(message, known, rules, question)
    if not question or (option := option_of(known.text, question)) is None:
        return verdict
    if verdict.correct:
        read = (str(verdict.value), message, *read_message(message).candidates)
        return wrong(_OTHER_THING) if any(is_mislabelled(text, option) for text in read) else verdict
    if not named_letters(message, known.text, question) <= {option.letter}:
        return verdict
    again = _judged_as(message, read_gold(option.text), rules, option.question)
    return right(known.text) if again.correct else verdict


def _judged_as(message: str, known: Gold, rules: Rules, question: str) -> Verdict:
    """The verdict on a message, by what the rules read of it and by what the question and the model say of that."""
    message, known, asked = in_figures(message, known, question)
    sought = Sought(partial(suits, asked), asked.subject) if asked is not None else None
    reading = read_message(message, sought)
    whole = Question(question, asked, sought) if asked is not None and sought is not None else None
    verdict = _judged(message, reading, known, rules, whole)
    if not verdict.correct and (margin := margin_of(known.text, question)) is not None:
        told = _told(message, reading)
        return right(known.text) if told and both_are_given(told, margin, rules) else verdict
    if not question or _is_bare(message, reading):
        return verdict
    if reading.rule not in _READ and undecided(message, known.text):
        return wrong(NO_COMMITMENT)
    if reading.rule not in _READ and reading.problem not in (DIFFERENT, TAKEN_BACK):
        given = each_is_given(read_end(message), known.text, rules, question)
        if given is not None:
            return right(known.text) if given else wrong(_OTHER_THING)
    picks = _picked_look(message, reading, verdict, known, rules, question, asked or asked_for(question))
    if picks is not None or verdict.correct:
        return picks or verdict
    if whole is not None:
        if (again := _last_look(message, reading, verdict, known, rules, whole)) is not None:
            return again
        if (again := _formula_look(message, reading, verdict, known, rules, whole)) is not None:
            return again
        shown = read_end(message) if reading.rule in ("last line", "statement") else "".join(reading.candidates[:1])
        if verdict.reason not in _OTHERWISE and given_in_parts(shown, question, known, rules):
            return right("".join(reading.candidates[-1:]))
    return _word_look(message, reading, verdict, known, rules, question) or verdict


def case_for(message: str, gold: str, question: str, rules: Rules = LENIENT) -> tuple[Case | None, Reading]:
    """What the model that picks an answer is told of a message, and what the rules read of it."""
    message, known, asked = in_figures(message, read_gold(gold), question)
    sought = Sought(partial(suits, asked), asked.subject) if asked is not None else None
    reading = read_message(message, sought)
    whole = asked or asked_for(question)
    case = case_of(message, known, rules, question, whole, Sought(partial(suits, whole), whole.subject))
    return (None if reading.rule in _READ else case), reading


def _is_bare(message: str, reading: Reading) -> bool:
    """Whether a message is an answer alone, all of which was read: no look for a part of it that is right."""
    if len(message) >= _MAX_BARE or len(_LONG_WORD.findall(message)) > 3 or _LABEL.match(message) is not None:
        return False
    whole = _DRESS.sub("", message)
    return any(_DRESS.sub("", text) == whole for text in reading.candidates)


def _told(message: str, reading: Reading) -> str:
    """What a message says as a whole: what stands in its only box or tag, else its end; "" where it says nothing."""
    if reading.rule not in _READ:
        return read_end(message, whole=True)
    told = reading.candidates[0] if len(reading.candidates) == 1 and not reading.offers else ""
    return "" if told and hedged(message, reading.rule, [told], told, "") else told


def _judged(message: str, reading: Reading, known: Gold, rules: Rules, question: Question | None) -> Verdict:
    """The verdict on what was read of a message."""
    asked = question.asked if question is not None else None
    rule, found, problem, offers, within = reading
    if rule == "last line" and known.text.strip().lower() in _YES_NO and (word := opening_word(message)) is not None:
        found, offers = (word,), ()
        if question is not None and contradicted(read_end(message), question.text, question.asked.subject.asking, word):
            return wrong(DIFFERENT)
    if not found:
        return wrong(problem)
    if asked is not None and len(found) == 1:
        found = (change_alone(scaled(message, found[0], asked), asked.subject.asking),)
    if "otherwise" not in known.text.lower():
        offers = (*offers, *offered_last(message))
    if known.moment is not None and known.moment.kind == "date":  # September 23, of which 23 was read
        found = tuple(date_around(message, text) or text for text in found)
    verdicts = [equivalent(text, known, rules) for text in found[:8]]  # all that are offered must be right
    rightly = [text for text, verdict in zip(found, verdicts, strict=False) if verdict.correct]
    if len(found) == 1 and verdicts[0].correct and _is_half_right(found[0], known, rules):
        return wrong("the message gives different answers; give exactly one")
    verdict, signed = verdicts[-1], False
    if not rightly and len(found) == 1:
        named = question is not None and not isinstance(known.node, tree.Relation)
        values = values_of_formula(found[0], message) if named else []
        shaped = [text for text in values if equivalent(text, known, rules).correct]
        signed = directed(found[0], _beside(message, found[0], within), known.text)  # a loss, for a negative gain
        if (
            not shaped
            and not signed
            and not (question and right_by_question(found[0], message, known, rules, question.asked, question.text))
        ):
            return verdict
        rightly = shaped[:1]
        verdict = right((*shaped, found[0])[0])
    elif not all(
        verdict.correct or _converts(message, text, rightly) for text, verdict in zip(found, verdicts, strict=False)
    ):
        return wrong("the message gives different answers; give exactly one")
    elif not verdict.correct:
        verdict = right(rightly[-1])
    if asked is not None and any(in_another_unit(message, text, asked, known.text) for text in rightly):
        return wrong(_OTHER_UNIT, found[-1])
    if asked is not None and in_another_form(rightly, asked, known.text, message):
        return wrong(_OTHER_FORM, found[-1])
    if (
        question is not None
        and not signed
        and of_another(message, found[-1], question.asked.subject.asking, question.text, within)
    ):
        return wrong(_OTHER_THING, found[-1])
    if len(found) > 8 or not all(
        _agrees(text, known, found[-1], rules, asked) or _converts(message, text, [known.text]) for text in offers
    ):
        return wrong("the message gives different answers; give exactly one")
    ranges = rule in ("last line", "statement", "marker") and is_end_of_range(message, found[-1])
    asking = asked.subject.asking if asked is not None else ""
    open_ = ranges or hedged(within or message, rule, found, known.text, asking)
    return wrong("the message commits to no answer") if open_ else verdict


def _last_look(
    message: str, reading: Reading, verdict: Verdict, known: Gold, rules: Rules, question: Question
) -> Verdict | None:
    """The verdict on a message of which the rules have read no answer, where it states the gold; None elsewhere."""
    asked, sought = question.asked, question.sought
    if reading.rule in ("tag", "box", "") or verdict.reason in _OTHERWISE:
        return None
    if reading.rule != "last line" and reading.problem not in ("", NO_COMMITMENT):
        return None
    if sought.subject.weekday or sought.subject.names or not fits(known.text, asked):
        return None
    if sought.subject.unknowns and not isinstance(known.node, tree.Seq | tree.List | tree.Set | tree.Relation):
        return None
    read = next((text for text in reading.candidates if _commits(message, text, sought)), "")
    if any(equivalent(text, known, rules).correct for text in reading.candidates):
        read = ""
    if read and reading.rule != "last line":
        return None

    @lru_cache(maxsize=256)
    def is_right(text: str) -> bool:
        return equivalent(text, known, rules).correct and not (
            copied(text, known.text, question.text)
            or in_another_form([text], asked, known.text, message)
            or left_undone(text.rpartition("=")[2], known.text)
            or _is_half_right(text, known, rules)
        )

    @lru_cache(maxsize=256)
    def is_again(text: str) -> bool:
        rounded = not isinstance(known.node, tree.Num | tree.Relation) and is_right(f"{known.text} (about {text})")
        if rounded or is_right(text) or _converts(message, text, [known.text]):
            return True
        whole = in_one_unit(text, asked)
        return bool(whole) and is_right(whole)

    text = read_end(message)[-MAX_CHARS:]
    if not can_hold(text, known.text):
        return None
    is_equation = isinstance(known.node, tree.Relation)
    judge = Judge(is_right, is_again, partial(_names_asked, question.text[-_MAX_ASKING:]), is_equation)
    value, clause = confirmed(text, sought, judge, read)
    if not value or is_end_of_range(message, value) or in_another_unit(message, value, asked, known.text):
        return None
    other = [text for text in reading.candidates if _is_one_value(text) and not _is_same(text, value, is_again)]
    if other and _is_paid(message, reading, rules, question):
        return None
    if any(of_another(message, value, asked.subject.asking, question.text, within) for within in (clause, "")):
        return None
    return None if hedged(clause, "last line", [value], known.text, asked.subject.asking) else right(value)


def _formula_look(
    message: str, reading: Reading, verdict: Verdict, known: Gold, rules: Rules, question: Question
) -> Verdict | None:
    """The verdict on the formula that a message closes with, where the rules have read another part of it; or None."""
    if reading.rule != "last line" or verdict.reason in _OTHERWISE or reading.problem == DIFFERENT:
        return None
    end = read_end(message)
    if not can_hold(end[-_MAX_CLOSING:], known.text):
        return None
    formula, again = closing_formula(end, question.sought)
    if not formula or not all(_is_part(text, formula, message, question) for text in reading.candidates):
        return None
    if again:  # You can also factor it: what it is a form of must be right as well
        before = closing_formula(end[: end.rstrip().rfind("\n") + 1], question.sought)[0]
        shown = _readings(before, message, question) if before else []
        if not any(equivalent(text, known, rules).correct for text in shown):
            return None
    for text in _readings(formula, message, question):
        if equivalent(text, known, rules).correct and question.sought.suits(message, text):
            judged = _judged(message, Reading(reading.rule, (text,)), known, rules, question)
            if judged.correct or judged.reason in _OTHERWISE:
                return judged if judged.correct else None
    return None


def _is_part(text: str, formula: str, message: str, question: Question) -> bool:
    """Whether what was read is no other value than that of a formula: a part of it, what it rounds, or no value."""
    if text in formula or formula in text or not _is_one_value(text):
        return True
    value = _readings(formula, message, question)[-2:][0]
    return kind_of(text) != kind_of(value) or rounds(value, text.rpartition("=")[2])


def _readings(formula: str, message: str, question: Question) -> list[str]:
    """What a formula may state: the value at its end, rounded only where that is asked for, or all of it."""
    values = values_of_formula(formula, message)
    return values[-1:] if values and question.sought.subject.rounded else [*values[:1], formula]


def _word_look(
    message: str, reading: Reading, verdict: Verdict, known: Gold, rules: Rules, question: str
) -> Verdict | None:
    """The verdict on a message of which no right answer was read, where its end states the gold, a word; else None."""
    if _WORD.fullmatch(known.text) is None or reading.rule in ("tag", "box", ""):
        return None
    if reading.problem in (DIFFERENT, TAKEN_BACK) or verdict.reason in (_OTHER_FORM, _OTHER_THING):
        return None
    subject = asked_for(question).subject
    choices = choices_of(known.text, question, subject.names)
    if choices is None:
        return None
    unread = choices.kind == "day" and verdict.reason == NO_COMMITMENT
    if not unread and any(_is_another(text, choices) for text in reading.candidates):
        return None
    if not unread and any(equivalent(text, known, rules).correct for text in reading.candidates):
        return None
    said = stated_word(read_end(message), question, subject.asking, choices)
    if not said or (choices.kind == "day" and of_another(said, choices.gold, subject.asking, question)):
        return None
    return right(known.text)


def _beside(message: str, value: str, within: str) -> str:
    """What stands right before a value and behind it, in its sentence."""
    if within:
        return within
    start = message.rfind(value)
    line = re.split(r"[.!?]\s|\n\n(?=[A-Z*#])", message[max(0, start - _NEAR) : start])[-1]
    return f"{line} {value} {_END.split(message[start + len(value) :][:_NEAR])[0]}"


def _picked_look(
    message: str, reading: Reading, verdict: Verdict, known: Gold, rules: Rules, question: str, asked: Asked
) -> Verdict | None:
    """What the model makes of the verdict of the rules; None where it is not sure enough to change it."""
    if reading.rule in _READ or reading.problem in _REFUSES:
        return None
    figures = not (verdict.correct or asked.unit) and _PLAIN.fullmatch(known.text) is not None
    if figures and not can_hold(read_end(message), known.text):
        return None  # nothing to pay, and no unit in which the figures could be others
    case = case_of(message, known, rules, question, asked, Sought(partial(suits, asked), asked.subject))
    taken = "".join(reading.candidates[-1:]) if verdict.correct else ""
    found = picked(case, taken, reading.candidates[-1:]) if case is not None else None
    if found is None or case is None:
        return None
    sure = SURE if found.read >= RARE else LIKELY
    if found.other >= (sure if verdict.correct else SURE) and not (
        is_several(known) or isinstance(known.node, tree.Matrix)
    ):
        return wrong(_OTHER_THING, found.value) if verdict.correct else verdict
    if verdict.correct or found.gold < (LIKELY_SEVERAL if is_several(known) else LIKELY):
        return None
    rivals = (
        text
        for text in reading.candidates
        if _is_one_value(text) and case.sought.suits(message, text) and not is_part(text, known, asked.subject.asking)
    )
    if found.gold < sure and any(rivals) and _is_paid(message, reading, rules, Question(question, asked, case.sought)):
        return None
    return right(found.value)


def _is_another(text: str, choices: Choices) -> bool:
    """Whether what was read is another alternative than the gold."""
    if choices.pattern.fullmatch(text.strip(" .*")) is None:
        return False
    mark = choices.marked(text).strip(" .*")
    return len(mark) > 1 or choices.at(mark) != choices.gold


def _is_paid(message: str, reading: Reading, rules: Rules, question: Question) -> bool:
    """Whether what was read of a message would be paid if it were the gold."""
    try:
        return _judged(message, reading, read_gold(reading.candidates[-1]), rules, question).correct
    except GoldError:
        return False


def _names_asked(question: str, name: str) -> bool:
    """Whether the left side of an equation is what a question asks for.

    >>> _names_asked("If x = 2 and y = 3, find x + y.", "x+y"), _names_asked("If x + y = 5, find y.", "x")
    (True, False)
    """
    name = _BLANK.sub("", name)
    if len(name) == 1:
        return name in _ASKED_LETTER.findall(question)
    asking = _BLANK.sub("", question)
    return any(c.isalpha() for c in name) and name in asking and f"{name}=" not in asking


def _commits(message: str, text: str, sought: Sought) -> bool:
    """Whether what was read is one value that can be what is asked for."""
    if not _is_one_value(text):
        return False
    return sought.suits(message, text) and sought.suits(message, text.rpartition("=")[2].strip())


def _is_one_value(text: str) -> bool:
    """Whether what was read is one value, with a few words or a unit behind it at most."""
    masked = mask_values(text, worked=False)
    return masked is not None and len(masked.values) == 1 and _ONE_VALUE.fullmatch(masked.words) is not None


def _is_same(text: str, value: str, is_again: Callable[[str], bool]) -> bool:
    """Whether what was read is the gold in another form, or with a word behind it: 34 quarters for 34."""
    last = text.rpartition("=")[2].strip()
    return is_again(text) or is_again(last) or last.split(" ")[0] == value.split(" ")[0]


def _agrees(offer: str, gold: Gold, answer: str, rules: Rules, asked: Asked | None) -> bool:
    """Whether a value beside the answer is the gold too, or the answer in another unit: 2 hours, or 120 minutes."""
    if equivalent(offer, gold, rules).correct:
        return True
    if asked is not None and (whole := in_one_unit(offer, asked)) and equivalent(whole, gold, rules).correct:
        return True
    sentence = len(answer.split()) > 2 and "=" not in answer
    return _is_equal(offer, (said(answer) if sentence else "") or answer, rules)


def _is_half_right(text: str, gold: Gold, rules: Rules) -> bool:
    """Whether of alternatives one is the gold by itself and another one is not: (-1, 5) or [-1, 5)."""
    parts = [part.strip(" $*,") for part in text.split(" or ")] if " or " in text else []
    rightly = [part for part in parts if part and equivalent(part, gold, rules).correct]
    return bool(rightly) and not all(part in rightly or _is_equal(part, rightly[0], rules) for part in parts)


def _is_equal(one: str, two: str, rules: Rules) -> bool:
    try:
        return equivalent(one, two, rules).correct
    except GoldError:
        return False


def _converts(message: str, text: str, others: Sequence[str]) -> bool:
    """Whether a value of a message is one of others in another unit: 90 minutes beside 1.5 hours."""
    text = text if unit_of(text) is not None else f"{text} {unit_beside(message, text)}"
    if unit_of(text) is None:
        return False
    return any(unit_of(other) is not None and equivalent(text, other).correct for other in others)
