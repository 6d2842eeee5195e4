r"""Read a message: which text of all that a model wrote is its answer.

What stands before the last ``</think>`` is not read. Then the first of these rules that applies decides, and what it
finds must all be right, so that offering several values never pays:

tag: what ``<answer>...</answer>`` holds.
box: what ``\boxed{...}`` holds; boxes side by side are one list.
marker: what stands after ``####``.
statement: what is said to be the answer: "The answer is ...", "Final answer: ...".
last line: a short message as it stands; of a longer one what its last sentence states.

`turnwise.verifiers.extract.final_answer` is stricter: it reads the form that an environment asks for.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from turnwise.verifiers.messages.around.doubt import hedged, is_end_of_range, undecided
from turnwise.verifiers.messages.around.offers import offered, offered_last
from turnwise.verifiers.messages.around.restated import without_restatements
from turnwise.verifiers.messages.base import MAX_CHARS, NO_COMMITMENT, Found
from turnwise.verifiers.messages.box import read_boxes, read_tags
from turnwise.verifiers.messages.last_line import concluded, opening_word, read_last_line
from turnwise.verifiers.messages.prepare import CODE, prepared
from turnwise.verifiers.messages.prose import is_value
from turnwise.verifiers.messages.sought.another import names_another, of_another
from turnwise.verifiers.messages.sought.contrasted import contrasted
from turnwise.verifiers.messages.sought.fitting import clause_about, fitting, solved_for
from turnwise.verifiers.messages.sought.named import WEEKDAY
from turnwise.verifiers.messages.sought.second_look import concluded_after, second_look
from turnwise.verifiers.messages.sought.several import values_of_all
from turnwise.verifiers.messages.sought.subject import Sought
from turnwise.verifiers.messages.statement import read_markers, read_statements
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = [
    "RULES",
    "Reading",
    "Sought",
    "concluded",
    "hedged",
    "is_end_of_range",
    "of_another",
    "offered_last",
    "opening_word",
    "read_end",
    "read_message",
    "undecided",
]


class Reading(NamedTuple):
    """The answer of a message.

    Attributes:
        rule: Which rule read it: "tag", "box", "marker", "statement", "last line"; "" where none could.
        candidates: The texts that may be the answer; all of them must be right.
        problem: Why there are none, in words an agent can use; empty where there are.
        offers: Other values that the message offers beside them; they must be right as well.
        within: The clause that was chosen because it is about what is asked for; empty where none was.
    """

    rule: str
    candidates: tuple[str, ...]
    problem: str = ""
    offers: tuple[str, ...] = ()
    within: str = ""


class Rule(NamedTuple):
    """A way to find the answer: its name, whether it reads the end of a long message alone, and what finds it."""

    name: str
    end_alone: bool
    read: Callable[[str], Found | None]


RULES = (
    Rule("tag", False, read_tags),
    Rule("box", False, read_boxes),
    Rule("marker", True, read_markers),
    Rule("statement", True, read_statements),
    Rule("last line", True, read_last_line),
)
"""The rules in their order: the first that finds anything, or says why there is no answer, decides."""

_FULL_WIDTH = str.maketrans({"，": ", ", "、": ", ", "；": "; ", "／": "/"})
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CHOOSES = re.compile(r"(?:answer|option|choice)\b[^\n]{0,40}?\b[A-J]\b|答案", re.IGNORECASE)
_LABELLED = re.compile(r"\([A-J]\)|[A-J]$")
_FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8"}
_EXACTLY = re.compile(  # about $1.83 a game (exactly 11/6 dollars)
    r"\b(?:about|approximately|roughly|around) \$?[0-9][0-9.,]*(?: (?:a|an|per) [a-z]+)?"
    r" \((?:or )?exactly ([^()=]{1,30})\)"
)
_HALF_DAY = re.compile(r"(?<=[0-9])(\s?[ap])\.m\.(\s*(?:\n|$)|\s+(?=[A-Z]))?")  # 4:10 p.m.
_MIXED = re.compile(r"(?<=[0-9])\s?([½⅓⅔¼¾⅛])")
_POINT = re.compile(r"\(\s?([-−]?[0-9][0-9.,/]*)\s?\|\s?([-−]?[0-9][0-9.,/]*)\s?\)")  # (3 | -4)
_MONEY = re.compile(r"[$€£]|\b(?:dollar|euro|pound|cent|pence|money|cost|price|pay|earn)", re.IGNORECASE)
_PICTURES = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")


def read_message(message: str, sought: Sought | None = None) -> Reading:
    r"""The answer of a message, by the first rule that applies.

    Args:
        message: All that a model wrote.
        sought: What is asked for, if that is known: of the last lines the last value that can be it is read, and of
            statements side by side the one that is about it.

    >>> read_message(r"so \boxed{2} and \boxed{3}")
    Reading(rule='box', candidates=('2, 3',), problem='', offers=(), within='')
    >>> read_message(r"\boxed{4}. Wait, no: \boxed{5}").candidates
    ('5',)
    >>> read_message("First we add. Therefore, the answer is 12 apples.")
    Reading(rule='statement', candidates=('12 apples',), problem='', offers=(), within='')
    >>> read_message("<think>It is 12").problem
    'the message ends inside <think>; close it and give the answer'
    """
    text, problem = prepared(message)
    if problem:
        return Reading("", (), problem)
    end = _end(text)
    for rule in RULES:
        read = end if rule.end_alone else text
        found = rule.read(read)
        if rule.name == "box" and found is not None and (chosen := _option(end, found)) is not None:
            return Reading("statement", chosen.candidates, "", offered(end, chosen))
        within = ""
        if sought is not None and rule.read is read_last_line:
            all_of, within = values_of_all(read, sought.subject.asking)
            if all_of:
                return Reading(rule.name, (all_of,), "", (), within)
        if found is not None and sought is not None and rule.read is read_last_line:
            found, subject = fitting(read, found, sought), sought.subject
            value = found.candidates[0] if len(found.candidates) == 1 and is_value(found.candidates[0]) else None
            if value and subject.unknowns and (solved := solved_for(read, value, subject.unknowns)) is not None:
                return Reading(rule.name, (solved,))
            if subject.weekday and value and WEEKDAY.fullmatch(value):
                return Reading(rule.name, found.candidates)
            if (opposed := contrasted(read, subject.asking)) is not None:
                within, found = opposed
                offers = tuple(one for one in offered(read, found) if sought.suits(read, one))
                return Reading(rule.name, found.candidates, "", offers, within)
            if (about := clause_about(read, subject.words, value, subject.entity)) is not None:
                if not about[1]:
                    return Reading(rule.name, (), NO_COMMITMENT)
                behind = END_OF_SENTENCE.search(read, max(0, read.rfind(about[0])) + len(about[0]))
                chosen = Found(about[1:], end=behind.end() if behind is not None else len(read))
                offers = offered(read, chosen) if about[1] == value else ()
                return Reading(rule.name, about[1:], "", offers, about[0])
            if (again := second_look(read, found, sought)) is not None:
                found, within = again
        if found is not None:
            offers = offered(read, found)
            if sought is not None:  # what cannot be the answer is not offered
                asking = sought.subject.asking
                if sought.subject.counted and _MONEY.search(asking) is None:  # how many mugs
                    offers = tuple(x for x in offers if not x.startswith(("$", "€", "£")))
                offers = tuple(x for x in offers if sought.suits(read, x) and not names_another(read, x, asking))
                offers += concluded_after(read, found, sought) if rule.name != "last line" else ()
            return Reading(rule.name, found.candidates, found.problem, offers, within)
    raise AssertionError("the last rule always decides")


def read_end(message: str, whole: bool = False) -> str:
    """The end of a message as the rules for sentences read it; whole: with what it says twice."""
    return _end(prepared(message)[0], whole)


def _option(end: str, boxes: Found) -> Found | None:
    """The option whose label is stated beside boxes without labels: these hold steps ("The answer is (C). ...")."""
    if boxes.problem or not _CHOOSES.search(end) or any(_LABELLED.match(one) for one in boxes.candidates):
        return None
    said = read_statements(end)
    if said is None or said.problem or not said.candidates:
        return None
    return said if all(_LABELLED.match(one) for one in said.candidates) else None


def _end(text: str, whole: bool = False) -> str:
    """The end of a message, without pictures and programs."""
    if not text.isascii():
        text = _MIXED.sub(lambda match: f" {_FRACTIONS[match[1]]}", _PICTURES.sub("", text))
        if _IDEOGRAPH.search(text) is None:
            text = text.translate(_FULL_WIDTH)
    text = text[-MAX_CHARS:]
    if "|" in text:
        text = _POINT.sub(r"(\1, \2)", text)
    if "exactly" in text:
        text = _EXACTLY.sub(r"\1", text)
    if ".m." in text:
        text = _HALF_DAY.sub(lambda match: f"{match[1]}m" + ("" if match[2] is None else f".{match[2]}"), text)
    text = CODE.sub("", text) if "```" in text else text
    return (text if whole else without_restatements(text)).strip()
