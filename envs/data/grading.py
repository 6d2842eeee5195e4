"""The verifiers that a data set can name, and how each uses a gold."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from turnwise.verifiers.choice import read_label
from turnwise.verifiers.choice_message import verify_choice_message
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.logic.sat import Formula, parse_dimacs, verify_assignment
from turnwise.verifiers.rational import parse_rational, verify_rational
from turnwise.verifiers.text import normalise, verify_exact
from turnwise.verifiers.verdict import Verdict, wrong

__all__ = ["GRADERS", "Grader", "grader_for", "judge"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Grader(NamedTuple):
    """A way to judge answers to a question.

    Attributes:
        usable: Tells whether a gold is usable at all.
        verify: Returns the verdict on an answer, given a usable gold.
        ask: The prompt's sentence about the answer.
        guess: Returns a random well-formed answer that does not depend on which gold is right.
    """

    usable: Callable[[str], bool]
    verify: Callable[[str, str], Verdict]
    ask: str
    guess: Callable[[str, np.random.Generator], str]


def _plain_number(text: str) -> str:
    r"""Strip the LaTeX that data sets put into numbers: ``\$10,\!000``."""
    return text.replace("\\$", "").replace("\\!", "") if len(text) <= 200 else text


def _number(text: str) -> Fraction | None:
    return parse_rational(_plain_number(text))


def _verify_number(text: str, gold: str) -> Verdict:
    value = _number(gold)
    assert value is not None
    return verify_rational(_plain_number(text), value)


def _choice_parts(gold: str) -> tuple[str, str]:
    """Return the letter and, after a newline, the text of the right option if known."""
    letter, _, option = gold.partition("\n")
    return read_label(letter) or "", option


def _verify_choice(text: str, gold: str) -> Verdict:
    letter, option = _choice_parts(gold)
    return verify_choice_message(text, letter, {letter: option} if option else ())


def _math_gold(gold: str) -> bool:
    from turnwise.verifiers.math import GoldError, check_gold  # imported when needed: it is large

    try:
        check_gold(gold)
    except GoldError:
        return False
    return True


def _verify_math(text: str, gold: str, question: str = "", evaluated: bool = False) -> Verdict:
    """Return the verdict on a message, without sympy, which takes a process of its own and up to a second."""
    from turnwise.verifiers.math import Rules, verify

    return verify(text, gold, Rules(evaluated=evaluated, algebra=False), question)


def judge(name: str, message: str, gold: str, question: str = "") -> Verdict:
    """Return the verdict of a grader on an agent's whole message.

    The graders of mathematics and of options read messages in any form, as `turnwise.verifiers.math.verify` and
    `turnwise.verifiers.choice_message` do; "exact" does so if the required form is missing; the others read only that
    form. An answer that merely copies an expression from the question (``17*23`` for 391, ``x^2-9`` where its factors
    are asked for) is wrong.
    """
    if name not in _READERS:
        answer = final_answer(message)
        if answer.text is None or (name == "exact" and "nswer" in answer.text):
            if name != "exact":
                return wrong(answer.problem)
            said = _verify_said(message, gold, answer.problem)
            return said if said.correct or not question else _verify_chosen(message, gold, question, said)
        if name == "qa":
            return _verify_qa(answer.text, gold, question)
        verdict = GRADERS[name].verify(answer.text, gold)
        if name == "exact" and "####" in message and verdict.correct:
            from turnwise.verifiers.messages.marker import marked_words

            if not all(verify_exact(words, gold).correct for words in marked_words(message)):
                return wrong("the message gives different answers; give exactly one")
        return _verify_beside(message, gold, verdict) if name == "exact" and "boxed" in message else verdict
    if name in ("math", "arithmetic"):
        verdict = _verify_math(message, gold, question, evaluated=name == "arithmetic")
    else:
        verdict = GRADERS[name].verify(message, gold)
    if verdict.correct and question and isinstance(verdict.value, str):
        from turnwise.verifiers.math.answer import copied, left_undone

        if left_undone(verdict.value, gold) and _compact(verdict.value) in _compact(question):
            return wrong("the arithmetic must be carried out", verdict.value)
        if name != "choice" and copied(verdict.value, gold, question):
            return wrong("the answer repeats the question", verdict.value)
    return verdict


def _verify_chosen(message: str, gold: str, question: str, said: Verdict) -> Verdict:
    """Return the verdict on a message whose gold is one of the words to choose from that its question names."""
    from turnwise.verifiers.math import verify
    from turnwise.verifiers.math.asked import asked_for
    from turnwise.verifiers.messages.sought.choices import choices_of, loosely_chosen

    if choices_of(gold, question, asked_for(question).subject.names) is None and loosely_chosen(gold, question) is None:
        return said
    verdict = verify(message, gold, question=question)
    return verdict if verdict.correct else said


def _verify_beside(message: str, gold: str, verdict: Verdict) -> Verdict:
    r"""Return the verdict on a box, unless the text around it retracts it: ``Not \boxed{Yes}``."""
    from turnwise.verifiers.messages import hedged, read_message

    reading = read_message(message)
    if verdict.correct and (reading.problem or reading.rule not in ("tag", "box")):
        return wrong(reading.problem or "the message commits to no answer")
    offers_another = not all(verify_exact(text, gold).correct for text in reading.offers)
    if verdict.correct and (offers_another or hedged(message, reading.rule, reading.candidates, gold)):
        return wrong("the message commits to no answer")
    return verdict


def _verify_said(message: str, gold: str, problem: str) -> Verdict:
    """Return the verdict on the answer that a message states in words: all of it must be the gold."""
    from turnwise.verifiers.messages import read_message

    reading = read_message(message)
    if not reading.candidates or reading.rule == "last line":
        return wrong(problem or reading.problem)
    verdicts = [verify_exact(text, gold) for text in (*reading.candidates, *reading.offers)]
    return next((verdict for verdict in verdicts if not verdict.correct), verdicts[0])


_READERS = ("math", "arithmetic", "choice")
_SAME = (
    *((sign, "*") for sign in ("\\times", "\\cdot", "×", "·")),
    *((sign, "/") for sign in ("\\div", "÷")),
    *((sign, "-") for sign in "−–"),
    *((mark, "") for mark in ("\\left", "\\right", "\\,", "$")),
    *((f"\\{size}frac", "\\frac") for size in "dt"),
)


@lru_cache(maxsize=4096)
def _compact(text: str) -> str:
    """Return the text without blanks, in one spelling of the operators."""
    for spelled, plain in _SAME:
        text = text.replace(spelled, plain)
    return "".join(text.split())


def _verify_qa(text: str, gold: str, question: str = "") -> Verdict:
    from turnwise.verifiers.qa import verify_answer

    return verify_answer(text, gold, question)


@lru_cache(maxsize=4096)
def _formula(gold: str) -> Formula:
    return parse_dimacs(gold)


def _guess_number(gold: str, rng: np.random.Generator) -> str:
    return str(int(rng.random() * 1000))


def _guess_letter(gold: str, rng: np.random.Generator) -> str:
    return "ABCD"[int(rng.random() * 4)]


def _guess_word(gold: str, rng: np.random.Generator) -> str:
    return "".join(LETTERS[int(u * 26)] for u in rng.random(5).tolist()).lower()


def _guess_bits(gold: str, rng: np.random.Generator) -> str:
    return "".join("1" if u < 0.5 else "0" for u in rng.random(_formula(gold).num_vars).tolist())


_TAGS = " in the form <answer>...</answer>."
GRADERS: dict[str, Grader] = {
    "exact": Grader(lambda g: bool(normalise(g)), verify_exact, "Answer" + _TAGS, _guess_word),
    "number": Grader(lambda g: _number(g) is not None, _verify_number, "Answer with a number" + _TAGS, _guess_number),
    "choice": Grader(
        lambda g: bool(_choice_parts(g)[0]),
        _verify_choice,
        "Answer with the letter of the right option" + _TAGS,
        _guess_letter,
    ),
    "math": Grader(
        _math_gold,
        _verify_math,
        "Give the final answer in \\boxed{}.",
        _guess_number,
    ),
    "arithmetic": Grader(
        _math_gold,
        partial(_verify_math, evaluated=True),
        "Give the final answer in \\boxed{}.",
        _guess_number,
    ),
    "qa": Grader(lambda g: bool(normalise(g)), _verify_qa, "Answer in as few words as possible" + _TAGS, _guess_word),
    "sat": Grader(
        lambda g: bool(_formula(g)),
        lambda text, gold: verify_assignment(text, _formula(gold)),
        "Satisfy the formula: give one character per variable, 1 for true and 0 for false, in \\boxed{}.",
        _guess_bits,
    ),
}
"""Verifiers by name. A new entry is immediately available to every data set."""


def grader_for(gold: str) -> str:
    """Return the verifier chosen by ``"auto"``, from how `turnwise.verifiers.math` reads the gold."""
    from turnwise.verifiers.math.answer import GoldError, is_mathematics
    from turnwise.verifiers.math.margin import says_by_how_much
    from turnwise.verifiers.math.named_parts import parts_of

    try:
        several = any(map(str.isdigit, gold)) and (says_by_how_much(gold) or bool(parts_of(gold)))
        return "math" if _number(gold) is not None or several or is_mathematics(gold) else "exact"
    except GoldError:
        return "exact"
