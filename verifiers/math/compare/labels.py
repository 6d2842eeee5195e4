"""Answers that are words, letters of choices, or digits in a base."""

import re
from fractions import Fraction

from turnwise.verifiers.math.values.tree import Base, Neg, Node, Num, Sym, Text
from turnwise.verifiers.text import normalise

__all__ = ["known_word", "same_digits", "same_words"]

_SYNONYMS = {
    name: group
    for group, names in {
        "yes": "yes|true|correct|right|t",
        "no": "no|false|incorrect|f",
        "empty": "no solution|no solutions|none|no real solution|no real solutions|no value|no values|empty|empty set"
        "|there is no solution|there are no solutions|no such number|no such numbers|no such value|no such integer",
        "undefined": "undefined|does not exist|doesn't exist|dne|not defined|nonexistent|no limit|indeterminate",
        "infinite": "infinitely many|infinite|infinitely many solutions|infinite solutions|infinite number of solutions"
        "|an infinite number|infinity",
    }.items()
    for name in names.split("|")
}
_LETTER = re.compile(r"(?:(?:option|choice|answer)\s+)?[(\[]?([a-z])[)\]]?[.:]?")
_NOT_A_WORD = re.compile(r"[^\w\s+#<>=≤≥≠^|-]+|(?<=\w)-(?=\w)|(?<!\S)-(?!\S)")  # signs count: A- is not A+
_HALF_DAY = re.compile(r"(?<=[0-9])\s*([ap])\s?\.?\s?m\b\.?")
MAX_PLACES = 100
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def same_words(answer: Node, gold: Node) -> bool:
    """Whether two answers, one of them a text, say the same words.

    >>> same_words(Text("(B)"), Sym("B")), same_words(Text("not B"), Text("B"))
    (True, False)
    """
    ours, theirs = _words(answer), _words(gold)
    if not ours or not theirs:
        return False
    if ours == theirs or (ours in _SYNONYMS and _SYNONYMS[ours] == _SYNONYMS.get(theirs)):
        return True
    bare, bare_gold = (" ".join(_NOT_A_WORD.sub(" ", text).split()) for text in (ours, theirs))
    return bool(bare) and not any(c.isdigit() for c in bare) and bare == bare_gold


def known_word(node: Text) -> bool:
    """Whether a text is one of the words in which mathematics answers: undefined, infinitely many; not yes or no.

    >>> known_word(Text("undefined")), known_word(Text("yes")), known_word(Text("Paris"))
    (True, False, False)
    """
    return _SYNONYMS.get(_words(node)) in ("empty", "undefined", "infinite") or normalise(node.text).replace(
        "_", " "
    ) in ("diverges", "infinitely many", "dne")


def _words(node: Node) -> str:
    if isinstance(node, Text):
        text = normalise(node.text)
    elif isinstance(node, Sym):
        text = node.name.casefold()
    else:
        return _EMPTY if getattr(node, "name", "") == "empty" else ""
    if (letter := _LETTER.fullmatch(text)) is not None:
        return letter[1]
    return _HALF_DAY.sub(r" \1m", text)


_EMPTY = "no solution"


def _digits(value: Fraction, base: int) -> str:
    """The digits of a number in a base up to 36; empty where they do not end within 100 places."""
    places, shifted = 0, abs(value)
    while shifted.denominator != 1:
        places, shifted = places + 1, shifted * base
        if places > MAX_PLACES:
            return ""
    number, found = shifted.numerator, ""
    while (number or len(found) <= places) and len(found) < 2_000:
        number, digit = divmod(number, base)
        found = _DIGITS[digit] + found
    if places:
        found = f"{found[:-places]}.{found[-places:]}"
    return ("-" if value < 0 else "") + found


def same_digits(answer: Node, gold: Node) -> bool:
    """Whether two numbers, one of them in a base, are one.

    For a gold in a base, a missing base is fine and a converted number is not; for a number without a base, the value
    counts.

    >>> gold = Base(Fraction(54), 5)
    >>> same_digits(Num(Fraction(204)), gold), same_digits(Num(Fraction(54)), gold)
    (True, False)
    >>> same_digits(gold, Num(Fraction(204))), same_digits(gold, Num(Fraction(54)))
    (False, True)
    """
    if isinstance(answer, Base) and isinstance(gold, Base):
        return answer == gold
    based, other = (answer, gold) if isinstance(answer, Base) else (gold, answer)
    if not isinstance(based, Base) or not 2 <= based.base <= 36:
        return False
    if isinstance(other, Neg) and isinstance(other.x, Num):
        other = Num(-other.x.value)
    if isinstance(other, Num) and based is answer:
        return other.value == based.value
    if isinstance(other, Num):
        return abs(other.value) < 10**600 and _digits(other.value, 10) == _digits(based.value, based.base) != ""
    if isinstance(other, Text | Sym):
        return _words(other) == _digits(based.value, based.base)
    return False
