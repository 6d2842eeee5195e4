r"""Values whose sign or bound stands in words: a decrease of 10% is -10%, 13 degrees below zero -13 °C.

Only where the gold has a sign, a direction or a bound, and where the clause of the value names one direction alone.
"""

import re

from turnwise.verifiers.math.answer import equivalent
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.messages.sought.changes import direction_of

__all__ = ["bounded", "directed", "has_direction"]

_NUMBER = r"[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?"
_UNIT = (
    r"(?:\s|\\[,;: ])*(?P<unit>\\?%|percent|°\s?[CF]?|\^\{?\\circ\}?(?:\s?\\(?:text|mathrm)?\{?\s?[CF]\}?)?|degrees)?"
)
_GOLD = re.compile(
    rf"(?P<sign>[-−])?\\?\$?(?P<number>{_NUMBER}){_UNIT}(?:\s|\\[,;: ])*"
    r"(?:\\text\{\s?)?(?P<words>[a-z]+(?: [a-z]+){0,3})?\}?"
)
_VALUE = re.compile(rf"(?P<sign>[-−+])?\\?\$?(?P<number>{_NUMBER}){_UNIT}")
_BELOW_ZERO = re.compile(r"\b(?:below zero|below freezing|minus)\b", re.IGNORECASE)
_BOUNDS = (
    (">", re.compile(r"\b(?:(?:more|greater|larger|longer|higher|later) than|over|above|exceeds?)\s[\s$*(]*$", re.I)),
    ("<", re.compile(r"\b(?:(?:less|fewer|smaller|shorter|lower|earlier) than|under|below)\s[\s$*(]*$", re.IGNORECASE)),
    (">=", re.compile(r"\b(?:at least|no (?:less|fewer) than|not less than|a minimum of)\s[\s$*(]*$", re.IGNORECASE)),
    ("<=", re.compile(r"\b(?:at most|up to|no more than|not more than|a maximum of)\s[\s$*(]*$", re.IGNORECASE)),
)  # fmt: skip
_PHRASE = re.compile(
    r"(?:an?\s)?(?P<words>[a-z]+(?: [a-z]+){0,2}?) (?:of|by) (?P<value>[0-9\\$].*)"
)  # a decrease of 2%
_TEXT = re.compile(r"\\text\s?\{([^{}]*)\}")


def has_direction(gold: str) -> bool:
    r"""Whether a gold is a number with a sign, or with a word for a direction.

    >>> has_direction(r"2\% \text{ increase}"), has_direction("-10\\%"), has_direction("10\\%"), has_direction("x + 2")
    (True, True, False, False)
    """
    return _side(gold) is not None


def _side(gold: str) -> tuple[str, str] | None:
    """The number of a gold, and "down" or "up"; None where it has no direction."""
    match = _GOLD.fullmatch(gold.strip()) if len(gold) < 60 else None
    if match is None:
        return None
    side = "down" if match["sign"] else direction_of(match["words"] or "")
    return (match["number"].replace(",", ""), side) if side else None


def directed(value: str, clause: str, gold: str) -> bool:
    r"""Whether a value with what its clause says of its direction is a gold.

    Args:
        value: A value with or without a sign.
        clause: What it stands in.
        gold: The right answer.

    >>> directed("10%", "The share lost 10% overall.", "-10\\%"), directed("10%", "It gained 10%.", "-10\\%")
    (True, False)
    >>> directed("13 degrees", "it was 13 degrees below zero", r"-13^\circ\text{C}")
    True
    >>> directed("50 cents", "so you lose 50 cents", "-$0.50"), directed("a decrease of 2%", "", "2% decrease")
    (True, True)
    """
    wanted = _side(gold)
    phrase = _PHRASE.fullmatch(_TEXT.sub(r"\1", value).strip(" .")) if wanted is not None and len(value) < 80 else None
    if phrase is not None:
        value, clause = phrase["value"], phrase["words"]
    match = _VALUE.fullmatch(value.strip(" .$"))
    if wanted is None:
        return False
    if match is None or match["number"].replace(",", "") != wanted[0]:
        return _in_another_unit(value, gold) and direction_of(clause) == wanted[1]
    if match["sign"] and gold.lstrip()[0] in "-−":  # it would be the gold as it stands
        return False
    if match["sign"]:
        side = "up" if match["sign"] == "+" else "down"
    else:
        side = "down" if _BELOW_ZERO.search(clause) else direction_of(clause)
    return side == wanted[1]


def _in_another_unit(value: str, gold: str) -> bool:
    """Whether a value without a sign is a gold without its sign: 50 cents for -$0.50."""
    without = gold.strip().lstrip("-−")
    if without == gold.strip() or value[:1] in "-−+" or not any(map(str.isdigit, value)):
        return False
    return equivalent(value, without).correct


def bounded(value: str, head: str, gold: tree.Node) -> str:
    """A value with the bound that stands before it in words, where the gold is a bound of one letter; "" elsewhere.

    >>> from turnwise.verifiers.math.answer import read_gold
    >>> bounded("200 minutes", "when you use more than ", read_gold("m > 200").node)
    'm > 200'
    """
    if not isinstance(gold, tree.Relation) or len(gold.operands) != 2 or not isinstance(gold.operands[0], tree.Sym):
        return ""
    number = re.match(_NUMBER, value.strip("$ "))
    sign = next((sign for sign, words in _BOUNDS if words.search(head)), "")
    return f"{gold.operands[0].name} {sign} {number[0]}" if number is not None and sign else ""
