"""The values in a text of words: numbers, expressions, equations, points and intervals, each as one character."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from turnwise.verifiers.messages.chain import letters, value_of
from turnwise.verifiers.messages.clause import FIRST, PLACE

__all__ = ["COMPOUND", "Masked", "equated", "mask_values", "result_of"]

_MAX_VALUES = 60
_FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\$(?![0-9][0-9,.]*\s+[a-z]{2,})([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL
)
_CURRENCY = re.compile(r"\$(?!\s*-?[0-9.])")
_COMPUTED = re.compile(r"\$[^$]*\\(?:times|cdot|div|[dt]?frac)(?![a-z])[^$]*\$(?![0-9])")  # $14 \times 9 = 126$
_TOKEN = re.compile(r"\S+")
_NAMES = r"sqrt|cbrt|pi|ln|log|exp|sin|cos|tan|cot|sec|arcsin|arccos|arctan|infty|infinity|inf|e"
_CONSTANTS = frozenset({"e", "pi"})  # they may end a value
_SIGN = re.compile(r"[-+*/×÷·^=<>≤≥≈±∪∩−:]+")
_ENDS = re.compile(r"(?![\w.,/]*[0-9])")
_IN_COORDINATES = re.compile(
    r"(?<![A-Za-z])x\b(?=.*(?<![A-Za-z])y\b.*=)|[0-9]x\b.*=\s*[^=]*y|(?<![A-Za-z])y\b(?=.*(?<![A-Za-z])x\b.*=)|(?<=[0-9])[xy]\b(?=.*[xy].*=)"
)
_TWO_NAMES = re.compile(r"[A-Za-z]\w?\s*=\s*[A-Za-z]\w?\s*=")  # x = y = 0: of which name is it the value?
_BRACKET = re.compile(r"[(\[{}\])]")
_FUNCTION = re.compile(rf"\\?(?:{_NAMES})(?![A-Za-z])")
_LEFT, _RIGHT = "\"'(“‘*_`", ".,;:!?\"')”’*_`"
_MATHEMATICAL = re.compile(  # no word in it; units stand directly behind a number
    rf"(?:\\[A-Za-z]+|(?:{_NAMES})(?![A-Za-z])|[0-9.](?:[kcm]?m|[mk]?g|[ap]m|[mc]?l|k?Hz|h|s|st|nd|rd"
    rf"|th)[²³]?(?![A-Za-z])"
    r"|[€£¥$]|[A-Za-z](?![A-Za-z])|[xyz](?=[xyz](?![A-Za-z]))|[a-z](?=e\^|(?:sin|cos|tan|ln|log)\(|sqrt\(|√)|[^A-Za-z\s\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u052f\u0590-\u1fff\u3000-\ud7af\uff0c])+"
)
_SOLID = re.compile(r"[0-9√π∞∅½⅓⅔¼¾⅛]|\\[a-z]")
_COMPUTES = re.compile(
    r"[0-9)}a-z%]\s*(?:[-+*/×÷·^−]|\\(?:cdot|times|div)(?![a-z])|\sx\s)\s*[-$(0-9\\a-z].*=", re.DOTALL
)
_UNITS = r"(?:\s\(?(?!and\b|or\b|is\b|are\b|so\b|then\b)[A-Za-z][A-Za-z'/-]*\)?){0,8}"
_WORKED = re.compile(  # 20 cups - 4 cups = 16 cups; 3/6 minus 2/6 is 1/6
    rf"(?:{PLACE}{_UNITS}\s*(?:[-+*/×÷·−]|\b(?:x|plus|minus|times|divided by|multiplied by|added to|at"
    rf"|of)\b)\s*)+{PLACE}{_UNITS}"
    r"(?:\s*=|,? (?:which )?(?:is|are|equals|makes?|gives?|comes to|leaves|is equal to)(?: you| us)?)\s*"
    rf"(?P<result>{PLACE})"
)
_FRACTION = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8"}


_NAME = re.compile(
    r"[A-Za-z]{1,3}'?|[A-Za-z]_\{?\w{1,3}\}?|\\(?:alpha|beta|gamma|theta|phi|omega|lambda|angle [A-Z]{1,3}"
    r"|triangle [A-Z]{3})"
)


_BEHIND_NUMBER = re.compile(
    r"[A-Za-z]+|(?:[kcm]?m|mi|ft|k?g|N|J|L|mol)[·/](?:s|h|hr|min|[cm]?m|k?g|L|mol|K)(?:[²³]|\^[23])?"
)
COMPOUND = re.compile(  # one amount in two units: 4 hours and 25 minutes; a number and its base
    r"\b[0-9A-F]*[0-9][0-9A-F]* (?:\()?(?:in )?base (?:[0-9]+|two|three|four|five|six|seven|eight|nine"
    r"|ten|sixteen)\b\)?"
    r"|(?<![0-9/.−–-])(?<!\bare )(?<!\bbetween )\b[0-9]{1,4} and [1-9][0-9]?/[1-9][0-9]?(?![0-9/.])"
    r"|(?<![(0-9])\b[0-9]+ (?:(?:hours?|hrs?|h),?(?: and)? [0-9]+ (?:minutes?|mins?)"
    r"|minutes?,?(?: and)? [0-9]+ seconds?"
    r"|(?:feet|foot|ft),?(?: and)? [0-9]+ (?:inch(?:es)?|in)|years?,?(?: and)? [0-9]+ months?"
    r"|weeks?,?(?: and)? [0-9]+ days?|days?,?(?: and)? [0-9]+ hours?|pounds?,?(?: and)? [0-9]+ ounces?"
    r"|(?:euros?|dollars?|pounds?),?(?: and)? [0-9]{1,2} (?:cents?|pence))\b"
)


_AND_PART = re.compile(r"^([0-9]+) and ([0-9]+/[0-9]+)$")  # 3 and 3/4


class Masked(NamedTuple):
    """A text with one character for each value, these values, and which of them are results that are worked out."""

    words: str
    values: list[str]
    results: frozenset[str] = frozenset()

    def at(self, place: str) -> str:
        """The value that a character stands for."""
        return self.values[ord(place) - ord(FIRST)]


def result_of(value: str) -> str:
    """The value that an equation is worked out to.

    >>> result_of("3*4 = 12"), result_of("x = 4"), result_of("3/6 - 2/6 = 1/6")
    ('12', 'x = 4', '1/6')
    """
    if _TWO_NAMES.match(value):
        return value
    value = re.split(r"\s*(?:≈|\\approx(?![a-z]))", value)[0] if "=" in value else value
    if "=" in value and _COMPUTES.search(value):
        value = value_of(value)
        if _IN_COORDINATES.search(value):  # 2x + y = 7
            return value
        return value.rpartition("=")[2].strip() if _COMPUTES.search(value) and "\\" not in value else value
    return value_of(value)


def mask_values(text: str, worked: bool = True) -> Masked | None:
    """The text with a character for each value in it; None where there are too many.

    Args:
        text: A sentence.
        worked: Whether a calculation in words ("20 cups - 4 cups = 16 cups") is one value, its result.

    >>> mask_values("So it is 3 + 4 = 7 apples, or [-1, 4).").values
    ['3 + 4 = 7', '[-1, 4)']
    """
    values: list[str] = []

    def taken(value: str) -> str:
        if values:  # 185 = 505 in base 6, of which the right side has been taken already
            value = re.sub(PLACE, lambda sign: values[ord(sign[0]) - ord(FIRST)], value)
        values.append(value)
        return chr(ord(FIRST) + len(values) - 1)

    text = re.sub(PLACE, "?", text[:4000]).replace("\\$", "$")
    if "$" in text and not _is_formula(text):  # amounts of money
        text = re.sub(r"\$\s+(?=[0-9])", "$", text)

    def formula(match: re.Match[str]) -> str:
        content = next(group for group in match.groups() if group is not None).strip(" .,;")
        return content if _NAME.fullmatch(content) else taken(content)

    text = COMPOUND.sub(lambda match: taken(_AND_PART.sub(r"\1 \2", match[0])), text)
    text = _FORMULA.sub(formula, text) if "\\(" in text or "\\[" in text or _is_formula(text) else text
    words = _tokens_masked(text, taken)
    if len(values) > _MAX_VALUES:
        return None
    results = {chr(ord(FIRST) + n) for n, value in enumerate(values) if _is_worked_out(value)}

    def result(match: re.Match[str]) -> str:
        results.add(match["result"])
        return str(match["result"])

    words = _WORKED.sub(result, words) if worked else words
    return Masked(words, values, frozenset(results))


def equated(value: str, text: str) -> Iterator[int]:
    """The places of the signs of equality of a text behind which a value stands.

    >>> list(equated("5", "x = $5, y = 52, and 5"))
    [2]
    """
    place = text.find(value)
    while place >= 0:
        head = text[max(0, place - 20) : place].rstrip(" \t\n$*\\")
        if head.endswith("=") and _ENDS.match(text, place + len(value)) is not None:
            yield max(0, place - 20) + len(head) - 1
        place = text.find(value, place + 1)


def _is_formula(text: str) -> bool:
    """Whether dollar signs stand around formulas, not before amounts of money."""
    return _CURRENCY.search(text) is not None or ("\\" in text and _COMPUTED.search(text) is not None)


def _is_worked_out(value: str) -> bool:
    """Whether a value is an equation of numbers that computes: 3 * 4 = 12."""
    if "=" not in value or _COMPUTES.search(value) is None:
        return False
    return not any(letters(member) - {"x"} for member in value.split("=")[-2:])


def _tokens_masked(text: str, taken: Callable[[str], str]) -> str:
    """The words with each run of mathematical tokens taken out."""
    tokens = list(_TOKEN.finditer(text))
    out: list[str] = []
    position, i = 0, 0
    while i < len(tokens):
        run = _run(tokens, i)
        if run is None:
            i += 1
            continue
        start, end, i = run
        out.append(text[position:start])
        out.append(taken(_plain(text[start:end])))
        position = end
    return "".join([*out, text[position:]])


def _plain(value: str) -> str:
    for sign, fraction in _FRACTION.items():
        if sign in value:
            value = re.sub(rf"(?<=[0-9])\s?{sign}", f" {fraction}", value).replace(sign, fraction)
    return value


def _run(tokens: list[re.Match[str]], i: int) -> tuple[int, int, int] | None:
    """Where the value that begins with a token starts and ends, and the token after it; None where none does."""
    first = tokens[i][0]
    if len(first) > 1 and first.isalpha() and _FUNCTION.fullmatch(first) is None:
        return None
    offset = len(first) - len(first.lstrip(_LEFT))
    body = first[offset:].rstrip(_RIGHT)
    if (
        not body
        or not (_MATHEMATICAL.fullmatch(body) or body[0] in "([{\\")
        or _SIGN.fullmatch(body)
        or _is_sign(tokens, i, body)
    ):
        return None
    if i and tokens[i - 1][0][-1:].isdigit() and _BEHIND_NUMBER.fullmatch(body):  # 5 m x 3 m; 4 m/s
        return None
    if "(" in first[:offset]:  # a point; else the bracket begins an aside
        whole = _longest(tokens, i, first.index("("))
        if whole is not None:
            return whole
    return _longest(tokens, i, offset)


def _is_sign(tokens: list[re.Match[str]], i: int, body: str) -> bool:
    """Whether an x is the sign of a product: 5 m x 3 m."""
    return body == "x" and i + 1 < len(tokens) and tokens[i + 1][0].lstrip("$(")[:1].isdigit()


def _longest(tokens: list[re.Match[str]], i: int, offset: int) -> tuple[int, int, int] | None:
    """The longest run of mathematical tokens from one on that are joined by operators or brackets."""
    text, found, goes_on = "", None, True
    for n in range(i, min(i + 48, len(tokens))):
        token = tokens[n][0][offset:] if n == i else tokens[n][0]
        core = _core(text, token)
        if not core or _MATHEMATICAL.fullmatch(core) is None:
            break
        if not (goes_on or _SIGN.match(core) or core == "x" or _FUNCTION.match(core) or _is_mixed(text, core)):
            break
        if not goes_on and core[0] in "-−±" and len(core) > 1:  # 5 -3
            break
        text = f"{text} {core}".strip()
        goes_on = (
            _depth(text) > 0
            or _SIGN.search(core, len(core) - 1) is not None
            or core == "x"
            or _FUNCTION.fullmatch(core) is not None
        )
        if not goes_on or core in _CONSTANTS:
            found = (text, tokens[n].start() + (offset if n == i else 0) + len(core), n + 1)
        following = tokens[n + 1][0] if n + 1 < len(tokens) else ""
        if core != token and _depth(text) <= 0 and not (token == core + "!" and following[:1] == "="):
            break
    if found is None or not _is_value(found[0]):
        return None
    return tokens[i].start() + offset, found[1], found[2]


def _core(text: str, token: str) -> str:
    """A token without the signs of the sentence around it, of brackets those alone that the value opened."""
    if _SIGN.fullmatch(token) or (token == "x" and text[-1:].isdigit()):
        return token if text else ""
    if _depth(text) + _depth(token) > 0:
        return token.rstrip("*_`")
    core = token.rstrip(".,;:!?\"'”’*_`")
    while core and _depth(text) + _depth(core) < 0 and core[-1] in ")]}":
        core = core[:-1].rstrip(".,;:!?\"'”’*_`")
    return core


def _depth(text: str) -> int:
    """How many brackets are open; the ends of an interval need not be of one kind."""
    found = _BRACKET.findall(text)
    return sum(1 if bracket in "([{" else -1 for bracket in found) if found else 0


def _is_value(text: str) -> bool:
    solid = _SOLID.search(text) is not None
    return solid or (len(text) > 2 and re.search(r"[A-Za-z]\s?[-+*/^=<>≤≥]\s?[A-Za-z(]", text) is not None)


def _is_mixed(text: str, core: str) -> bool:
    """Whether two tokens are a whole number and a fraction: 7 1/2."""
    return text.isdecimal() and re.fullmatch(r"[1-9]/[1-9][0-9]?|[½⅓⅔¼¾⅛]", core) is not None
