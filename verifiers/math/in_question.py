"""What only the question makes the gold: another unit or base, a count in its words, its words around the answer."""

import re

from turnwise.verifiers.math.answer import Gold, Rules, equivalent
from turnwise.verifiers.math.asked import Asked
from turnwise.verifiers.math.constants import same_up_to_constants
from turnwise.verifiers.math.forms import in_base
from turnwise.verifiers.math.measured import as_counted, in_one_unit, with_unit
from turnwise.verifiers.messages.sought.choices import lettered_of
from turnwise.verifiers.messages.sought.subject import stem

__all__ = ["right_by_question"]

_COEFFICIENT = re.compile(r"\bcoefficient of (?:the )?\$?([a-z](?:\^\{?[0-9]+\}?)?)(?![a-z^0-9])")
_HAT = re.compile(r"\\(?:wide)?hat\s?(?:\{\s?([a-z])\s?\}|([a-z])(?![a-z]))|ŷ")
_TEXT = re.compile(r"\\(?:text|mathrm|textbf)\s?\{([^{}]*)\}")
_NUMBERED = re.compile(r"(?P<noun>[A-Za-z]{3,})\s?(?P<number>[0-9]+)")
_ON_WHICH = re.compile(r"\b(?:which|what) ([a-z]{3,})\b", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]+")
_NOT = re.compile(r"\b(?:not|no|never|neither|cannot|or|if|but|might|may|could)\b|n['’]t\b", re.IGNORECASE)
_JOINTS = frozenset(
    map(stem, ["the", "it", "is", "are", "this", "that", "a", "an", "so", "series", "therefore", "thus"])
)
_MAX_CHARS = 120
_MAX_WORDS = 3  # the series, the function


def right_by_question(text: str, message: str, gold: Gold, rules: Rules, asked: Asked, question: str) -> bool:
    """Whether a value that is not the gold by itself is it as the answer to a question.

    Args:
        text: The value.
        message: The message that it stands in.
        gold: The right answer.
        rules: How strict.
        asked: What kind of value the question asks for.
        question: The question.
    """
    ways = (in_one_unit(text, asked), with_unit(message, text, asked, gold.text), as_counted(text, asked, question))
    if any(way and equivalent(way, gold, rules).correct for way in ways):
        return True
    if asked.base and gold.text.isalnum() and in_base(text, f"{gold.text}_{asked.base}"):
        return True
    if len(text) > _MAX_CHARS:
        return bool(question) and same_up_to_constants(text, gold.text, question, rules)
    if gold.text == numbered(text, question) or says(text, gold.text, question):
        return True
    if (lettered := lettered_of(gold.text, question)) and lettered[0] == _TEXT.sub(r"\1", text).strip(" .$*"):
        return True
    power = _COEFFICIENT.search(asked.subject.asking)  # 720x^3, where its coefficient is asked for
    if power is not None and equivalent(text, f"({gold.text}){power[1]}", rules).correct:
        return True
    if _HAT.search(text) is not None and _HAT.search(gold.text) is None:  # a line of regression
        return equivalent(_HAT.sub(r"\1\2", text).replace("ŷ", "y"), gold, rules).correct
    return bool(question) and same_up_to_constants(text, gold.text, question, rules)


def numbered(text: str, question: str) -> str:
    r"""The number of a thing of which the question asks which one it is; "" elsewhere.

    >>> numbered(r"\text{day }10", "On which day does it reach the top?"), numbered("page 10", "On which day is it?")
    ('10', '')
    """
    match = _NUMBERED.fullmatch(_TEXT.sub(r"\1", text).strip(" .$"))
    wanted = {word.lower() for word in _ON_WHICH.findall(question)}
    return match["number"] if match is not None and match["noun"].lower() in wanted else ""


def says(text: str, gold: str, question: str) -> bool:
    r"""Whether a sentence says a gold in words, and beside it only what the question says.

    >>> question = "Does the series converge absolutely, converge conditionally, or diverge?"
    >>> says(r"\text{The series converges conditionally}", "converges conditionally", question)
    True
    >>> says("The harmonic series diverges", "diverges", "Does the series converge or diverge?")
    False
    """
    said, wanted = _TEXT.sub(r"\1", text).strip(" .$"), gold.lower()
    if not wanted.replace(" ", "").isalpha() or not said.lower().endswith(f" {wanted}") or _NOT.search(said):
        return False
    before = said[: len(said) - len(wanted)].strip()
    words = _WORDS.findall(before)
    if len(words) > _MAX_WORDS or before != " ".join(words):
        return False
    return set(map(stem, words)) <= _JOINTS | set(map(stem, _WORDS.findall(question)))
