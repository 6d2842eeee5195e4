"""An answer given by the letters of the form that the question asks for: a = -1/2 and b = 5/2 for a + bi."""

import re

from turnwise.verifiers.math.answer import Gold, Rules
from turnwise.verifiers.math.compare.compare import compare
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.walk import substituted, symbols
from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import plain
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["given_in_parts"]

_MAX_CHARS = 1500
_FORM = re.compile(
    r"\bin the form:?\s+(?:\$|\\\()?\s*(?P<form>[^$?\n]{3,60}?)\s*"
    r"(?:\$|\\\)|[,;?]|\.(?=\s|$)|(?=\s(?:where|with|for|and|in|using)\b)|$)",
    re.IGNORECASE,
)
_VALUE = (
    r"[-−+]?\s?(?:[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?|\\[dt]?frac\s*(?:\{[0-9]+\}\s*\{[0-9]+\}|[0-9]{2})"
    r"|\\sqrt\s*\{[0-9]+\}|√[0-9]+)"
)
_ONE = rf"(?<![A-Za-z\\])[A-Za-z]\s*=\s*{_VALUE}"
_ALL = re.compile(rf"{_ONE}(?:\s*(?:,|;|,?\s?and|\\q?quad|\\,|\\text\s?\{{\s?and\s?\}})\s*{_ONE}){{1,3}}[\s.!,]*$")
_EACH = re.compile(rf"([A-Za-z])\s*=\s*({_VALUE})")
_DRESS = re.compile(r"[*$]|\\[()]")
_SUPPOSED = re.compile(r"\b(?:if|unless|suppos\w+|assum\w+|try|say|would|could|might|may)\b", re.IGNORECASE)
_WORDS_BEHIND = re.compile(
    r"[\s,;:.]*(?:\b(?:so|thus|hence|therefore|where|with|giving|that is|which (?:gives|means)|i\.e\.|and|we have)"
    r"[\s,;:]*){0,4}$"
)


def given_in_parts(text: str, question: str, gold: Gold, rules: Rules) -> bool:
    """Whether a text ends in values for the letters of the form that is asked for, and these make the gold.

    >>> from turnwise.verifiers.math.answer import read_gold
    >>> question, gold = "Write (2 + 3i)/(1 - i) in the form a + bi.", read_gold("-1/2 + 5/2 i")
    >>> given_in_parts("So a = -1/2 and b = 5/2.", question, gold, Rules())
    True
    >>> given_in_parts("So a = 5/2 and b = -1/2.", question, gold, Rules())
    False
    """
    asked = _FORM.search(question[-_MAX_CHARS:]) if "in the form" in question else None
    if asked is None or isinstance(gold.node, tree.List | tree.Text | tree.Seq):
        return False
    body = without_remarks(flattened(text[-_MAX_CHARS:])).rstrip()
    parts = [part for part in END_OF_SENTENCE.split(body) if part and part.strip(" *")]
    sentence = _DRESS.sub("", parts[-1]) if parts else ""
    stated = _ALL.search(sentence) if len(sentence) < 400 else None
    if stated is None or STRONG.search(body) is not None:
        return False
    lead = sentence[: stated.start()]
    if not plain(lead) or doubts(lead) or _SUPPOSED.search(lead) is not None:
        return False
    known = gold.node.operands[-1] if isinstance(gold.node, tree.Relation) else gold.node
    found = _EACH.findall(stated[0])
    try:
        form = read(asked["form"].rpartition("=")[2])[0]
        values = {name: read(value)[0] for name, value in found}
        letters = set(symbols(form)) - set(symbols(known))
        if set(values) != letters or len(found) != len(letters):
            return False
        whole = _WORDS_BEHIND.sub("", lead).rpartition("=")[2].strip() if "=" in lead else ""
        if any(c.isdigit() for c in whole) and not compare(read(whole)[0], known, rules).equal:
            return False  # all of it has been written down before, and otherwise
        return compare(substituted(form, values), known, rules).equal is True
    except tree.ReadError:
        return False
