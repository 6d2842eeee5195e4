r"""Which member of a chain of equations is the value: of ``a + b = 2 + 3 = 5`` the last one."""

import re

__all__ = ["letters", "reduced", "value_of"]

_MAX_CHARS = 2000
_OTHER_SIGN = re.compile(r"[<>≤≥≠≡]|\\(?:leq?|geq?|lt|gt|neq?|equiv|mid|in|to|pm|cong|sim)(?![A-Za-z])|:=|==|!=")
_IMPLIES = re.compile(r"(?:\\(?:implies|Rightarrow|Longrightarrow|rightarrow|therefore)(?![A-Za-z])|⇒|=>|→)")
_NAME = re.compile(  # x, x_1, \theta, f(x), P(A), |z|, \angle ABC, [ABC], (x, y), \text{area}, \mathbf{v}
    r"[\\∠]?[A-Za-z]+[₀-₉]*'*(?:_(?:\{[^{}]*\}|\w))?(?:\s*\([^()]*\))?|\|[A-Za-z]\|"
    r"|m?\s*\\(?:angle|triangle)\s*\{?[A-Z]{1,3}\}?|\[[A-Z]+\]|\([A-Za-z](?:,\s*[A-Za-z])+\)"
    r"|\\(?:text|mathrm|mathbf|operatorname|overline|vec|overrightarrow)\s*\{[^{}]*\}(?:_\{?\w+\}?)?"
)
_SYMBOL = re.compile(  # of a quantity: of what stands in it nothing else is known
    r"(?:\\sigma|σ)\s*(?:\^\{?2\}?|²)|(?:°|\^\{?\\circ\}?)\s*(?:[CF]|\\(?:text|mathrm)\{[CF]\})"
)
_RATIO = re.compile(r"[A-Za-z_0-9]+\s*[/:]\s*[A-Za-z_0-9]+|\\[dt]?frac\s*\{[A-Za-z_0-9]+\}\s*\{[A-Za-z_0-9]+\}")
_LIST = re.compile(
    r"[$，、；或和]|[,;][^)\]}]*=|\\(?:q?quad|text)(?![A-Za-z])|\b(?:and|or|if|for)\b|(?<![\\A-Za-z])[A-Za-z]{4,}|[\"']\s"
)
_WORDS = re.compile(r"\\(?:text\w*|math\w+|operatorname)\s*\{[^{}]*\}|\\[A-Za-z]+")
_SPACING = re.compile(r"\\[,;:! ]")
_TENDS = re.compile(r"\\to(?![A-Za-z])")  # of a limit
_TENDS_TO = re.compile(
    r"[^=]*[a-z][^=]*=.*(?:\\(?:long)?rightarrow|\\to(?![a-z])|⟶)\s*((?:[-0-9./{}\s∞]|\\(?:[dt]?frac|sqrt|pi|infty)(?![a-z]))+?)[\s.]*"
)
_RELATION = re.compile(r"[<>≤≥]|\\(?:leq?|geq?|lt|gt)(?![A-Za-z])")
_COORDINATES = frozenset("xyz")
_KEPT = re.compile(
    r"\s*\\?(?P<named>max|min|sup|inf|lim)(?![A-Za-z])|.*\\\\(?:\s|\[|$)", re.DOTALL
)  # \max f = 8; lines


def value_of(formula: str) -> str:
    r"""The value that a formula states: the last members of a chain, under the name that the first one is.

    Members without letters are kept side by side: they must be equal. An equation in
    coordinates (``2x + 3y = 6``) or with nothing on the right is left as it is: it may be what was asked for.

    >>> value_of("129 - d = 129 - 26 = 103"), value_of("x = a + 3 = 5"), value_of("2x + 3y = 6")
    ('129 - 26 = 103', 'x = 5', '2x + 3y = 6')
    """
    if len(formula) > _MAX_CHARS or "\\begin" in formula:
        return formula
    if (tends := _TENDS_TO.fullmatch(formula)) is not None:  # (1 - cos 3x) / x^2 = ... → 9/2
        return tends[1]
    steps = _IMPLIES.split(formula)
    if "=" not in formula:  # -2x > 8 → x < -4
        return steps[-1].strip() if len(steps) > 1 and all(map(_RELATION.search, steps)) else formula
    limit = _KEPT.match(formula)
    formula = formula if limit is not None else steps[-1].strip()
    if _OTHER_SIGN.search(formula if limit is None else _TENDS.sub("", formula)) or _LIST.search(
        _SPACING.sub(" ", formula)
    ):
        return formula
    formula, goes_on = formula.removeprefix("=").lstrip(), formula.startswith("=")
    members = _members(formula)
    if goes_on and members[-1]:  # = 2/6 = 1/3, which goes on with the line before it
        return members[-1]
    if len(members) < 2 or not all(members) or (limit is not None and (len(members) == 2 or not limit["named"])):
        return formula
    if _SYMBOL.fullmatch(members[0]) and not letters(members[-1]):  # \sigma^2 = 114/5 = 22.8
        return " = ".join(members[1:])
    if len(members) == 2 and (_NAME.fullmatch(members[0]) or _RATIO.fullmatch(members[0])):
        return formula
    first, last = members[0], re.split(r"\\approx(?![A-Za-z])|≈", members[-1])[0].strip()
    if not letters(last):  # a + b = 2 + 3 = 5: the members without letters must be equal
        kept = [last]
        for member in reversed(members[:-1]):
            if letters(member):
                break
            kept.insert(0, member)
        if len(kept) == len(members) or (len(members) == 2 and (last == "0" or letters(first) & _COORDINATES)):
            return formula
        last = " = ".join(kept)
    elif len(members) == 2 and letters(first) != letters(last):
        return formula
    return f"{first} = {last}" if _NAME.fullmatch(first) else last


_CONGRUENT = re.compile(  # 7^2023 = 7^3 = 343 and so on, up to the modulus: numbers alone
    r"(?<!=\s)(?<![=A-Za-z0-9\\^⁰¹²³⁴⁵⁶⁷⁸⁹])(?:(?:[0-9^{}()+*·×=⁰¹²³⁴⁵⁶⁷⁸⁹ -]|\\(?:cdot"
    r"|times)(?![a-z])){1,80}?(?:≡|\\equiv(?![a-z]))\s*){1,8}"
    r"(?P<value>-?[0-9]+)\s*(?:[,(]?\s*mod(?:ulo)?\s*\$?[0-9]+\$?\s*\)?|\\p?mod\s*\{?[0-9]+\}?)"
)


def reduced(text: str) -> str:
    """The text with each chain of congruent numbers as the number that it ends in.

    >>> reduced("so we have 7^2023 ≡ 7^3 ≡ 13 (mod 15)."), reduced("x ≡ 3 (mod 7)")
    ('so we have 13.', 'x ≡ 3 (mod 7)')
    """
    if "mod" not in text or ("≡" not in text and "\\equiv" not in text):
        return text
    return _CONGRUENT.sub(lambda match: f"{match[0][: len(match[0]) - len(match[0].lstrip())]}{match['value']}", text)


def _members(formula: str) -> list[str]:
    """The parts between the signs of equality that stand in no bracket."""
    found, depth, start = [], 0, 0
    for position, char in enumerate(formula):
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
        elif char == "=" and depth <= 0:
            found.append(formula[start:position].strip())
            start = position + 1
    return [*found, formula[start:].strip(" .,;")]


def letters(formula: str) -> frozenset[str]:
    r"""The letters of a formula that stand for something: not those of commands and words.

    >>> sorted(letters(r"\frac{a}{2} + \text{cost}"))
    ['a']
    """
    return frozenset(c for c in _WORDS.sub(" ", formula) if c.isalpha())
