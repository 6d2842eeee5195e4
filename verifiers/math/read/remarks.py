r"""What stands beside a value inside one answer but is not part of it.

``8 \text{ at } x = 2``, ``2, 3 (both valid)``, ``f(x) = x for all x ∈ ℝ``, ``x = 2 only``: the value is read without
it. What offers another value, doubts or denies ("or", "not", "might") is never such a remark.
"""

import re

from turnwise.verifiers.math.read.lexer import SCALES
from turnwise.verifiers.math.read.spelling import GREEK
from turnwise.verifiers.math.read.words import read_ordinal, read_words

__all__ = ["place_apart", "without_remarks"]

MAX_CHARS = 400
_DOUBT = re.compile(
    r"\b(?:or|not|n't|no|nor|never|either|neither|maybe|perhaps|possibly|might|may|could|would|should|if|unless|whether"
    r"|alternatively|else|instead|rather|approximately|about|roughly|almost|but|except|without|wrong|incorrect|false"
    r"|extraneous|rejected|invalid|discarded|impossible|excluded|inadmissible|unsure|guess|suppose|assume|actually"
    r"|correction|wait)\b",
    re.IGNORECASE,
)
_MEANING = re.compile(  # what changes the value that it stands beside
    r"\b(?:plus|minus|times|per|squared|cubed|half|twice|thrice|doubled|tripled|dozen|inclusive|exclusive|negative"
    r"|positive|maximum|minimum|max|min|repeating|recurring|base)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Za-z][A-Za-z ,'’-]*[A-Za-z]\.?")
_WITH_NUMBERS = re.compile(
    r"(?:using|by|from|after|rounded|to the nearest|to [0-9]|correct to|(?:with |of )?multiplicity|repeated|rejecting"
    r"|discarding|ignoring|taking|check(?:ed)?|verified|see|nearest)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_REASON = re.compile(  # that states no value
    r"(?:since|because|as|given|where|so that)\b(?!.*=)"
    r"(?!.*\b(?:is|are|was|be|equals?|gives?|makes?|gets?)\b(?!\s*[A-Za-z]{2})).*",
    re.IGNORECASE | re.DOTALL,
)
_STARTS_A_REASON = re.compile(r"(?:since|because|as|given|where|so that)\b", re.IGNORECASE)
_BRACKETS = re.compile(r"(?<![A-Za-z0-9_^}\\])\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)|(?<=[0-9}])\s+\(([^()]+)\)")
_CLAUSE = re.compile(r"\s*[,;]\s*((?:since|because|as|given that|so that)\b.+)$", re.DOTALL)
_TRAILING = re.compile(
    r"[\s,]+(?:only|respectively|in total|in all|altogether|overall|as (?:required|desired|claimed)|exactly"
    r"|both (?:valid|work)|(?:is|are) (?:the|our|its) (?:only )?(?:real |unique |final |correct |possible )*"
    r"(?:[a-z]+ )?(?:solutions?|answers?|values?|roots?|maximum|minimum|sum|total|area|result)(?: of [A-Za-z])?)\s*$"
)
_LEADING = re.compile(r"^(?:either|both|only)\s+(?=.*\b(?:or|and)\b)")
_AT = re.compile(
    r"[\s,;]*\(?\s*(?:(?:(?:which|and|it|that)\s+)?(?:is\s+|are\s+)?(?:attained|achieved|reached|obtained|occurr?ing"
    r"|occurs|realised|realized|taken|with equality)\s+(?:only\s+)?(?:at|when|for|if|iff)|at|when)\s+"
    r"(?:(?:only|the|points?|values?|times?)\s+)*(?P<place>[A-Za-z\\(].*?)\)?$",
    re.DOTALL,
)
_EQUATION = re.compile(r"\(?\s*(?:\([^()]*\)|[A-Za-z\\][A-Za-z0-9_{}\\]*)\s*=.+", re.DOTALL)
_AGAIN = re.compile(r"\b(?:at|when)\b")
_POINT = re.compile(r"[A-Z]?\s*\(.+,.+\)", re.DOTALL)
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_LONG_WORD = re.compile(r"[A-Za-z]{3,}")
_IN_PLACES = frozenset({"and", "sec", "seconds", "hours", "minutes", "sqrt", "sin", "cos", "tan", "log", "exp"})
_FUNCTIONS = frozenset({*GREEK, "sin", "cos", "tan", "sqrt", "log", "exp", "max", "min", *SCALES})


def place_apart(bare: str) -> tuple[str, str] | None:
    """Return the value and the place of ``8 at x = 2``; None for a text of another form.

    >>> place_apart("8, attained at x = 2"), place_apart("8 at x = 2 or 9 at x = 3"), place_apart("2x when x = 3")
    (('8', 'x = 2'), None, None)
    """
    if len(bare) > MAX_CHARS or ("at" not in bare and "when" not in bare) or "\\\\" in bare or "\\begin" in bare:
        return None
    match = _AT.search(bare)
    value = bare[: match.start()].strip() if match is not None else ""
    if match is None or not value:
        return None
    place = match["place"].strip()
    place += ")" * max(0, place.count("(") - place.count(")"))
    parts = _parts(place)
    if _AGAIN.search(place) or not all(_EQUATION.fullmatch(part) or _POINT.fullmatch(part) for part in parts):
        return None
    names = {part.partition("=")[0].strip() for part in parts}
    if value.partition("=")[0].strip() in names or (len(names) > 1 and re.search(r"\bor\b", place)):
        return None  # another value
    words = set(_LONG_WORD.findall(_COMMAND.sub(" ", place)))
    if words - _IN_PLACES or _DOUBT.search(place.replace(" or ", " ")) or _DOUBT.search(_COMMAND.sub(" ", value)):
        return None
    conditional = "when" in match[0][: match.start("place") - match.start()]
    if conditional and _LETTER.search(_COMMAND.sub(" ", value.rpartition("=")[2])):
        return None  # a case of a function
    return value, place


def _parts(place: str) -> list[str]:
    """What commas and words separate outside brackets."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(r"[(\[{]|[)\]}]|,|\band\b|\bor\b", place):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif not depth:
            parts.append(place[start : match.start()])
            start = match.end()
    parts.append(place[start:])
    return [part.strip() for part in parts if part.strip()]


def without_remarks(bare: str) -> str:
    """The text without remarks in brackets, reasons after a comma, and words such as "only" at its ends.

    >>> without_remarks("2, 3 (both valid)"), without_remarks("x = 1 (multiplicity 2), x = 3")
    ('2, 3', 'x = 1, x = 3')
    >>> without_remarks("2 (or 3)"), without_remarks("x = 2, x = 3 (extraneous)"), without_remarks("8 (nine)")
    ('2 (or 3)', 'x = 2, x = 3 (extraneous)', '8 (nine)')
    """
    if len(bare) > MAX_CHARS:
        return bare
    text = _BRACKETS.sub(lambda m: "" if _is_remark(m[1] or m[2] or "") and m.start() else m[0], bare)
    if (match := _CLAUSE.search(text)) is not None and _is_remark(match[1]):
        text = text[: match.start()]
    text = _LEADING.sub("", text)
    for _ in range(2):
        if (match := _TRAILING.search(text)) is not None and match.start():
            text = text[: match.start()]
    return text.strip(" ,;")


def _is_remark(content: str) -> bool:
    content = content.strip()
    words = _LONG_WORD.findall(_COMMAND.sub(" ", content))
    if not words or _DOUBT.search(content):
        return False
    if _WITH_NUMBERS.fullmatch(content):
        return True
    separate = content.lower().replace(",", " ").split()
    if any(read_words(word) is not None or read_ordinal(word) is not None for word in separate):
        return False
    if _STARTS_A_REASON.match(content):
        return _REASON.fullmatch(content) is not None
    functions = any(word.lower() in _FUNCTIONS for word in words)
    return _WORDS.fullmatch(content) is not None and not functions and _MEANING.search(content) is None
