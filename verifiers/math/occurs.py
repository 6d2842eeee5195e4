"""Whether a text can hold a gold at all, by its figures."""

import re

from turnwise.verifiers.messages.skeleton import NUMBER_WORDS

__all__ = ["can_hold"]

_FIGURES = re.compile("[0-9]+")
_OTHERS = re.compile(  # numbers that are written otherwise
    rf"{NUMBER_WORDS.pattern}|[½⅓⅔¼¾⅛⅜⅝⅞₀-₉]|10\^"
    r"|\b(?:(?:exactly|just) one|half|thirds?|quarters?|[a-z]+ths?|thousand|million|billion)\b",
    re.IGNORECASE,
)


def can_hold(text: str, gold: str) -> bool:
    """Whether a gold can occur in a text, by its figures: one that has none can.

    >>> can_hold("It is 1,250 g.", "1250"), can_hold("It is 12 g.", "1250"), can_hold("It is twelve.", "12")
    (True, False, True)
    """
    figures = set(_FIGURES.findall(gold.replace(",", "")))
    return not figures or not figures.isdisjoint(_FIGURES.findall(text.replace(",", ""))) or bool(_OTHERS.search(text))
