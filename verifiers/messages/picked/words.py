"""The words of which the model knows something, and how others count."""

import re
from collections.abc import Iterable
from pathlib import Path

from turnwise.verifiers.messages.clause import FIRST, LAST
from turnwise.verifiers.messages.sought.subject import stem

__all__ = ["SHORT_WORD", "TELLING", "TOKEN", "VOCABULARY", "bag", "known", "stems"]

VOCABULARY = frozenset((Path(__file__).parent / "data" / "words.txt").read_text(encoding="utf-8").split())
TELLING = frozenset([  # words of a question that its answer's clause has as well
    "after", "all", "altogether", "average", "before", "both", "difference", "each", "fewer", "final", "first",
    "greatest", "larger", "largest", "last", "least", "left", "less", "longer", "maximum", "minimum", "more", "most",
    "new", "now", "old", "original", "other", "per", "product", "remain", "remaining", "second", "shorter", "smaller",
    "smallest", "sum", "then", "third", "total",
])  # fmt: skip
TOKEN = re.compile(rf"[A-Za-z]+(?:['’][a-z]+)?|[{FIRST}-{LAST}]|[^\sA-Za-z]")
SHORT_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_WORD = re.compile(r"(?<![\w\\])(?:[A-Za-z]{2,}|[B-HJ-Z])(?!\w)")
_SIGNS = frozenset(".,:;!?()=≈≠<>+-*/×|%–—")


def stems(words: str) -> set[str]:
    """The words of a text as those of a question are compared."""
    return set(map(stem, _WORD.findall(words)))


def bag(words: str) -> set[str]:
    """The known words of a text.

    >>> sorted(bag("So Ann’s 3 apples are left."))
    ['are', 'left', 'so']
    """
    found = (word.lower().replace("’", "'") for word in SHORT_WORD.findall(words))
    return {word for word in found if word in VOCABULARY}


def known(tokens: Iterable[str], other: str = "") -> str:
    r"""The first of some tokens as a feature: a known word, the kind of another one, a value (#) or a sign.

    >>> [known([token]) for token in ("so", "apples", "painted", "\ue000", "≈", "@")], known([], "-")
    (['so', '~s', '~ed', '#', '≈', '&'], '-')
    """
    token = next(iter(tokens), "")
    if not token:
        return other
    lower = token.lower().replace("’", "'")
    if lower in VOCABULARY:
        return lower
    if token[0].isalpha():
        return "~s" if lower.endswith("s") else "~ed" if lower.endswith("ed") else "~"
    if FIRST <= token[0] <= LAST:
        return "#"
    return token if token in _SIGNS else "&"
