r"""What stands beside a box or tag: another form of the answer, a part of it, or a hedge.

``\frac{2}{4}``, or ``\boxed{\frac{1}{2}}`` gives one value twice: both must be right. Where what stands beside the box
offers something that cannot be read, or goes on with the formula (``\boxed{8}\pi``), the box is not an answer.
"""

import re

__all__ = ["other_forms", "suffix"]

_DENIED = re.compile(
    r"[\s$*)\]\\]*+(?:(?:is|was) (?:not|wrong|incorrect|false)|isn't(?! (?:that|it|this)\b[^0-9$\\\n]{0,60}[?!])|fails"
    r"|or (?:less|more|greater|fewer))\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"\s*\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-z]))")
_GOES_ON = re.compile(
    r"\s*(?:[0-9^!]|\.[0-9]|(?:[+*/-]|\\(?:times|cdot|div|pm|mp)(?![a-z]))\s*[0-9$a-z\\]|i\b|\$?\s*(?:,|and)\s*\$?-?"
    r"(?:[0-9][0-9.,]*+(?![A-Za-z])|\\(?:[dt]?frac|sqrt|pi)))"
    r"|[abekntxyzπ√](?![A-Za-z])"
    r"|\s*\\(?:pi|sqrt|[dt]?frac(?!\s*\{\s*\\(?:text|mathrm))|sin|cos|tan|log|ln|exp|binom|alpha|beta|gamma|theta"
    r"|lambda|mu|sigma|omega|infty)"
    r"(?![A-Za-z])"
)
_BUILT_UP = re.compile(
    r"(?:[-+/<>^]|(?<!\*)\*|\\(?:times|cdot|ne|neq|lt|gt|sqrt|pm)\s*|(?:\}|sqrt|frac|\^)\s*\{)\s*\$?\s*$"
    r"|(?<![A-Za-z])(?:[0-9]|(?<=[$0-9(])[A-Za-z])$"
)
_MARK = re.compile(r"(?:^|\n)\s*(?:(?:>+|[-+*•])\s+)+[\s$*\\(\[]*$")  # of a list or a quotation
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_-]{0,20}>\s*$")
_DISPLAY = re.compile(r"(?:\\\[|\$\$)\s*\n\s*[-+*>]\s*$")
_HEDGED = re.compile(
    r"(?:\b(?:not|either|than|at (?:least|most)|maybe|perhaps|possibly|might be|n't|twice|thrice|half of|double"
    r"|wrong to (?:write|say|answer))"
    r"|(?:^|[.\n])\s*(?:(?:put|write|enter)\b|(?:-?[0-9.]+\s*,\s*)+))[\s$\\(]*$",
    re.IGNORECASE,
)
_REQUIRED = re.compile(  # She must score at least 9 points: 9 is what is asked for
    r"\b(?:must|needs?|requires?|has to|have to|should|takes?)\b(?:(?!\b(?:not|or)\b)[^.,;0-9])*"
    r"\bat (?:least|most)[\s$\\(]*$"
)
_AT_LEAST = re.compile(r"\w\W.*\bat (?:least|most)[\s$\\(]*$", re.IGNORECASE)
_THINGS = re.compile(r"[$\s\\)]*\s(?!or\b|and\b|but\b|is\b|if\b)(?:of\s+)?[a-z]{3,}")
_OR = re.compile(
    r"(?:\bor|\\(?:lor|vee)|\b(?:otherwise|else|oder|ou|или)|或者?)[\s$*\\(\[,:]*(?:(?:equivalently"
    r"|(?:it is )?(?:maybe|perhaps|possibly)|it is|else)"
    r"[\s$*\\(,]*)?$",
    re.IGNORECASE,
)
_AND = re.compile(r"\band[\s$*\\(]*$", re.IGNORECASE)
_OF_TWO = re.compile(  # torn between 8 and
    r"\b(?:between|either|both|torn|candidates?|(?:possible|plausible) (?:answers?|values?)|choices?|options?"
    r"|guesses)\b(?:[^.\n]|[.](?=[0-9]))*$",
    re.IGNORECASE,
)
_TEXT_OR = re.compile(r"\\text\s*\{\s*or\s*\}[\s$\\]*$", re.IGNORECASE)
_ENDS_IN_VALUE = re.compile(r"(?:\$([^$]+)\$|\\\(((?:(?!\\\)).)+)\\\)|(-?\\?\$?-?[0-9][0-9.,/]*%?))[\s,.]*$", re.DOTALL)
_SYMBOLS = re.compile(r"[A-Za-z'_\s.,]{1,8}")
_DESCRIBED = re.compile(
    r"\b(?:half|thirds?|fourths?|quarters?|fifths?|percent|reciprocal|opposite|negative|inverse|square|cube|root|sum"
    r"|difference|product|quotient|mean|average)\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_SHARE = re.compile(  # 3/4 of the area, or
    r"(?:\\[dt]?frac\s*(?:\{[^{}]*\}\s*\{[^{}]*\}|[0-9]{2})|[0-9]/[0-9]+|[0-9]\s*\\?%)\s*\$?\s+of"
    r"\s+(?:the|a|an|its)\s+[a-zA-Z ]+,?$"
)
_NUMBER_WORDS = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|half|third|quarter|none|no|infinit[a-z]*|pi)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\\(?:boxed|fbox)\s*\{\s*(?:\\text\w*\s*\{)?\(?[A-J]\)?\}?\s*\}")
_LAST_LETTER = re.compile(r"(?<![A-Za-z])\(?([A-J])\)?[\s,$.}]*$")
_SENTENCE = re.compile(r"(?<![0-9])\.\s|[;:!?]\s")


def suffix(text: str, end: int) -> str:
    """The degree sign that stands right behind a box."""
    match = _DEGREES.match(text, end)
    return "^\\circ" if match is not None else ""


def other_forms(text: str, start: int, end: int, joined: bool) -> list[str] | None:
    r"""The other forms that are offered beside the box or tag from ``start`` to ``end``; None where it is hedged.

    Args:
        text: The message.
        start: Where the box or tag begins.
        end: Where it ends.
        joined: Whether it is the last of several that are one list.

    >>> text = r"It is $\frac{2}{4}$, or \boxed{0.5}"
    >>> other_forms(text, text.index("\\boxed"), len(text), False)
    ['\\frac{2}{4}']
    >>> other_forms(r"\boxed{5}\pi", 0, 9, False) is None
    True
    """
    before, after = text[max(0, start - 300) : start], text[end : end + 300]
    line = before[-120:].rpartition("\n")[2]
    if line.rstrip(" $").endswith(("<", ">")) and after.lstrip(" $").startswith(("<", ">")):  # 4 < 5 < 6
        return []
    found: list[str] = []
    if text.startswith("\\", start) and not joined:
        marked = (_MARK.search(before) and not _DISPLAY.search(before)) or _TAG.search(line)
        goes_on = _GOES_ON.match(after) if _DEGREES.match(after) is None else None
        if (
            goes_on
            or (not marked and _BUILT_UP.search(line))
            or (_HEDGED.search(line) and not _bound(line, after))
            or _TEXT_OR.search(line)
        ):
            return None
    if not joined:
        forms = _before(before, text[start:end])
        if forms is None:
            return None
        found += forms
    if _DENIED.match(after):
        return None
    return found


def _bound(line: str, after: str) -> bool:
    """Whether "at least" before a box counts things or says what is required: its bound is what is asked for."""
    match = _AT_LEAST.search(line)
    return match is not None and (_REQUIRED.search(line) is not None or _THINGS.match(after) is not None)


def _before(before: str, inside: str) -> list[str] | None:
    """What "... or" in front of a box offers: nothing, a value that must be right as well, or what nobody can read."""
    match = _OR.search(before) or (_AND.search(before) if _OF_TWO.search(before) else None)
    if match is None:
        return []
    if _LETTER.fullmatch(inside):
        if _NUMBER_WORDS.fullmatch(before[: match.start()].strip()):  # six or \boxed{B}
            return None
        other = _LAST_LETTER.search(before[: match.start()])
        return [other[1]] if other is not None else []
    clause = _SENTENCE.split(before[: match.start()].replace("\n", " "))[-1].rstrip()
    if _SHARE.search(clause):
        return []
    value = _ENDS_IN_VALUE.search(clause)
    if value is not None:
        shown = next(group for group in value.groups() if group is not None).strip(" .,")
        if _DESCRIBED.search(clause[: value.start()]) or _SYMBOLS.fullmatch(shown):
            return []
        return [shown]
    return None if any(c.isdigit() for c in clause) or _NUMBER_WORDS.search(clause) else []
