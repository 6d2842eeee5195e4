"""What an option of a question says, where the gold is its letter and a message gives the value alone."""

import re
from typing import NamedTuple

from turnwise.verifiers.math.answer import GoldError, equivalent, read_gold
from turnwise.verifiers.messages import read_end
from turnwise.verifiers.messages.sought.choices import MARK, OPTION, choices_of, tidied

__all__ = ["Option", "is_mislabelled", "named_letters", "option_of"]

_LABEL = re.compile(r"(?:^|(?<=[\s,;:.?=]))(?:\(([A-J])\)|([A-J])[).:](?=\s))\s*")
_ENDS = " \t\n.,;"
_MAX_TEXT = 80
_MAX_CHARS = 600  # of the end of a message, in which letters are looked for
_WITH_TEXT = re.compile(r"(?:\\text\{)?\(?([A-J])[).:]\}?\s*(\S.*)", re.DOTALL)
_IN_BOX = re.compile(r"\\(?:boxed|text|textbf|mathbf)\s?\{\s*\(?([A-J])\)?\s*\}")
_NAMED = re.compile(r"(?:and|or|,|;)$", re.IGNORECASE)


class Option(NamedTuple):
    """An option: its letter, what it says, the question without the options, and what the others say."""

    letter: str
    text: str
    question: str
    others: tuple[str, ...]


def option_of(gold: str, question: str) -> Option | None:
    """The option that a gold is the letter of; None where it is no letter, or the question does not list it.

    >>> option_of("B", "What is 3 + 4? A) 6 B) 7 C) 8")
    Option(letter='B', text='7', question='What is 3 + 4?', others=('6', '8'))
    >>> option_of("7", "What is 3 + 4? A) 6 B) 7 C) 8"), option_of("B", "What is 3 + 4?")
    (None, None)
    """
    match = OPTION.fullmatch(gold.strip())
    places = list(_LABEL.finditer(question)) if match is not None else []
    letters = [place[1] or place[2] for place in places]
    if match is None or len(places) < 2 or letters != [chr(ord("A") + n) for n in range(len(letters))]:
        return None
    ends = [*(place.start() for place in places[1:]), len(question)]
    texts = [_bare(question[place.end() : end]) for place, end in zip(places, ends, strict=True)]
    if match[1] not in letters or any(not text or len(text) > _MAX_TEXT for text in texts):
        return None
    text = texts[letters.index(match[1])]
    try:
        known = read_gold(text)
    except GoldError:
        return None
    others = tuple(one for letter, one in zip(letters, texts, strict=True) if letter != match[1])
    if known.labels or any(equivalent(one, known).correct for one in others):
        return None  # two options that say the same
    return Option(match[1], text, question[: places[0].start()].strip(), others)


def is_mislabelled(text: str, option: Option) -> bool:
    """Whether an answer gives the letter of an option with what another one says.

    >>> option = option_of("B", "What is 3 + 4? A) 6 B) 7 C) 8")
    >>> is_mislabelled("B) 8", option), is_mislabelled("B) 7", option), is_mislabelled("B", option)
    (True, False, False)
    """
    match = _WITH_TEXT.fullmatch(text.strip(" .*$"))
    if match is None or match[1] != option.letter or equivalent(match[2], option.text).correct:
        return False
    return any(_is_equal(match[2], other) for other in option.others)


def _is_equal(text: str, other: str) -> bool:
    try:
        return equivalent(text, other).correct
    except GoldError:  # of an option that nobody can read
        return False


def named_letters(message: str, gold: str, question: str) -> set[str]:
    """The letters of options that the end of a message names.

    >>> sorted(named_letters("It is 7. So not A, and B) it is.", "B", "What is 3 + 4? A) 6 B) 7 C) 8"))
    ['A', 'B']
    """
    choices = choices_of(gold, question)
    if choices is None or choices.kind != "option":
        return set()
    end = _IN_BOX.sub(r" \1 ", read_end(message)[-_MAX_CHARS:])
    return {choices.at(mark) for mark in re.findall(MARK, choices.marked(tidied(end)))}


def _bare(text: str) -> str:
    return _NAMED.sub("", text.strip(_ENDS)).strip(_ENDS)
