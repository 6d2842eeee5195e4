"""Arbitrary constants of a general solution: their names are the author's, where the question gives none."""

import itertools
import re
from functools import lru_cache

from turnwise.verifiers.math.compare.compare import Rules, compare
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values import tree
from turnwise.verifiers.math.values.walk import substituted, symbols

__all__ = ["same_up_to_constants", "without_declaration"]

_MAX_CHARS = 400
_MAX_CONSTANTS = 4
_GENERAL = re.compile(
    r"\b(?:general|complete) (?:solution|form)|\bdifferential equation|\b(?:indefinite|anti-?deriv\w*|recurren\w+)\b"
    r"|\bintegra(?:l|te)\b|\ball (?:the )?(?:solutions|functions|sequences)\b|\\int(?![a-z])"
    r"|∫|['′]\s*=|\bd[a-z]/d[a-z]\b",
    re.IGNORECASE,
)
_CONSTANT = re.compile(
    r"(?:[A-DKMPabckpq]|alpha|beta|gamma|lambda|mu|\\(?:alpha|beta|gamma|lambda|mu)|[αβγλμ])(?:_?\{?[0-9]\}?|[₀-₉])?"
)
_LETTERS = re.compile(r"(?<![A-Za-z])[A-Za-z]{1,2}(?![A-Za-z])")
_SHORT_WORD = re.compile(  # by in "solve by"; not in "y'' + by' = 0"
    r"(?<![-+=*/] )\b(?:[Aa]|of|is|in|to|be|as|at|by|if|it|on|or|we|an|so|no)(?=\s[A-Za-z]{2,})", re.IGNORECASE
)
_HEAD = re.compile(r"\s*\$?([A-Za-z])\s*\(([a-z])\)\s*=")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]+(?:_\{\w+\}|_\w|[₀-₉]+)?|\S")
_OPENS = frozenset([",", ";", "(", "\\quad", "\\qquad", "\\text", "where", "for", "with"])
_DECLARES = frozenset(["\\in", "∈", "constant", "constants", "arbitrary", "real"])
_DECLARING = (
    _OPENS
    | _DECLARES
    | frozenset([
        ")", "{", "}", ".", "$", "\\,", "\\;", "\\ ", "\\!", "\\:", "\\mathbb", "\\R", "R", "ℝ", "C", "ℂ", "any", "all",
        "some", "and", "are", "is", "a", "an", "the", "of", "integration", "complex", "number", "numbers",
    ])
)  # fmt: skip


def same_up_to_constants(text: str, gold: str, question: str, rules: Rules) -> bool:
    """Whether an answer is the gold with other names for the arbitrary constants that the question does not name.

    >>> question, gold = "Find the general solution of y'' = 4y.", "y = C_1 e^{2x} + C_2 e^{-2x}"
    >>> same_up_to_constants("y(x) = A e^{-2x} + B e^{2x}", gold, question, Rules())
    True
    >>> same_up_to_constants("y = A e^{-2x} + A e^{2x}", gold, question, Rules())
    False
    """
    if len(text) > _MAX_CHARS or len(gold) > _MAX_CHARS or _GENERAL.search(question) is None:
        return False
    text = without_declaration(text)
    try:
        known = read(without_declaration(gold))[0]
        if (head := _HEAD.match(text)) is not None and gold.replace(" ", "").startswith(f"{head[1]}="):
            text = f"{head[1]} = {text[head.end() :]}" if head[2] in symbols(known) else text
        node = read(text)[0]
    except tree.ReadError:
        return False
    if isinstance(node, tree.List | tree.Text) and not isinstance(known, tree.List):
        return False
    named = _named(question[-4000:])
    ours, theirs = ([name for name in symbols(one) if name not in named] for one in (node, known))
    ours, theirs = ([name for name in names if name not in ("x", "y")] for names in (ours, theirs))
    if len(ours) != len(theirs) or not 0 < len(ours) <= _MAX_CONSTANTS:
        return False
    if not all(map(_CONSTANT.fullmatch, (*ours, *theirs))):
        return False
    renamings = (dict(zip(ours, map(tree.Sym, names), strict=True)) for names in itertools.permutations(theirs))
    return any(compare(substituted(node, names), known, rules).equal for names in renamings)


def without_declaration(text: str) -> str:
    r"""An answer without the words behind it that its constants are any numbers.

    >>> without_declaration(r"y = A e^{x} + B, \quad A, B \in \mathbb{R}"), without_declaration("y = A e^x, A = 1")
    ('y = A e^{x} + B', 'y = A e^x, A = 1')
    """
    start, declares = -1, False
    for token in reversed(list(_TOKEN.finditer(text))):
        word = token[0]
        if word not in _DECLARING and _CONSTANT.fullmatch(word) is None:
            break
        declares = declares or word in _DECLARES
        start = token.start() if word in _OPENS and declares else start
    return text[:start].strip() if start > 0 else text


@lru_cache(maxsize=256)
def _named(question: str) -> frozenset[str]:
    """The letters that a question names."""
    words = _LETTERS.findall(_SHORT_WORD.sub("", question))
    indexed = re.findall(r"(?<![A-Za-z])([A-Za-z])_\{?(\w+)\}?", question)
    letters = {letter for word in words for letter in word}
    return frozenset(letters | {f"{name}_{index}" for name, index in indexed})
