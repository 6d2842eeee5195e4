r"""One spelling for what is written in many: Unicode, full-width and LaTeX forms become plain characters and commands.

The result is still text for the lexer: ``x²`` is ``x^{2}``, ``½`` is ``\frac{1}{2}``, ``≤`` is ``\le``, ``π`` is
``\pi``, ``１２`` is ``12``.
"""

import re
import unicodedata

__all__ = ["GREEK", "PHRASES", "plain", "stripped", "unescaped"]

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "varsigma",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
_SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "﹣": "-", "⁃": "-", "×": "\\times ",
    "✕": "\\times ", "⨯": "\\times ", "·": "\\cdot ",
    "⋅": "\\cdot ", "∙": "\\cdot ", "•": "\\cdot ", "∗": "*", "÷": "\\div ", "∕": "/", "⁄": "/", "∶": ":", "≤": "\\le ",
    "⩽": "\\le ", "≦": "\\le ", "≥": "\\ge ", "⩾": "\\ge ", "≧": "\\ge ", "≠": "\\ne ", "≈": "\\approx ",
    "≃": "\\approx ",
    "≅": "\\cong ", "∼": "\\sim ", "≡": "\\equiv ", "±": "\\pm ", "∓": "\\mp ", "√": "\\surd ", "∛": "\\cbrt ",
    "∜": "\\fourthroot ", "∞": "\\infty ", "∈": "\\in ", "∉": "\\notin ", "∪": "\\cup ", "∩": "\\cap ",
    "∅": "\\emptyset ",
    "⌀": "\\emptyset ", "∖": "\\setminus ", "⊂": "\\subset ", "⊆": "\\subseteq ", "∥": "\\parallel ", "⊥": "\\perp ",
    "→": "\\to ", "⟶": "\\to ", "⇒": "\\Rightarrow ", "∧": "\\land ", "∨": "\\lor ", "∣": "|", "｜": "|",
    "∑": "\\sum ", "∏": "\\prod ", "…": "\\dots ", "⋯": "\\dots ",
    "⟨": "\\langle ", "⟩": "\\rangle ", "〈": "\\langle ", "〉": "\\rangle ", "⌊": "\\lfloor ", "⌋": "\\rfloor ",
    "⌈": "\\lceil ", "⌉": "\\rceil ", "∠": "\\angle ", "△": "\\triangle ", "ℝ": "\\mathbb{R}", "ℤ": "\\mathbb{Z}",
    "ℕ": "\\mathbb{N}", "ℚ": "\\mathbb{Q}", "ℂ": "\\mathbb{C}", "°": "\\degree ", "º": "\\degree ", "˚": "\\degree ",
    "℃": "\\degree C", "℉": "\\degree F", "′": "'", "’": "'", "‘": "'", "″": "''", "‴": "'''", "“": '"', "”": '"',
    "、": ",", "∴": " ", "⟹": "\\Rightarrow ", "或": " or ", "和": " and ", "且": " and ", "及": " and ", "。": ".",
    "【": "[", "】": "]", "〔": "(",
    "〕": ")", "ⅈ": "i", "ⅇ": "e", "ℯ": "e", "µ": "\\mu ",
    "∆": "\\Delta ", "Ω": "\\Omega ", "ⁿ": "^{n}", "∝": "\\propto ", "∀": "\\forall ", "⇔": "\\iff ",
    "ϕ": "\\phi ", "ϵ": "\\epsilon ", "ϑ": "\\theta ", "∘": "\\circ ", "￥": "¥", "⊕": "\\oplus ",
}  # fmt: skip
_SIGNS |= {chr(0x3B1 + n): f"\\{name} " for n, name in enumerate(GREEK)}
_SIGNS |= {chr(0x391 + n): f"\\{name.capitalize()} " for n, name in enumerate(GREEK) if name != "varsigma"}
for _code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F)):  # vulgar fractions
    _top, _, _bottom = unicodedata.normalize("NFKC", chr(_code)).partition("⁄")
    if _bottom:
        _SIGNS[chr(_code)] = f"\\frac{{{_top}}}{{{_bottom}}}"
_INVISIBLE = dict.fromkeys(
    (0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206F), 0xFEFF,
     *range(0xFE00, 0xFE10))
)  # fmt: skip
_TABLE = {**_INVISIBLE, **{ord(k): v for k, v in _SIGNS.items()}, **dict.fromkeys(range(0xD800, 0xE000), "?")}
_TABLE |= {0xFF01 + n: chr(0x21 + n) for n in range(94)}  # full-width forms
_TABLE |= dict.fromkeys(
    (0xA0, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x202F, 0x205F, 0x3000), " "
)

_SUPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱᵃᵇᶜᵈᵉᵏᵐⁿᵖᵗˣʸ", "0123456789+-=()iabcdekmnptxy", strict=True))
_SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣ", "0123456789+-=()aeoxhklmnpstijr", strict=True))
_SUPERS = re.compile(f"[{re.escape(''.join(_SUPER))}]+")
_SUBS = re.compile(f"[{re.escape(''.join(_SUB))}]+")
_OVERLINED = re.compile("(?:[0-9][\u0305\u0304])+")

_SPACING = re.compile(
    r"(\\\\)|\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|mathstrut|strut|hfill|noindent|mathopen|"
    r"mathclose|mathrel|mathbin)(?![A-Za-z])|\\(?:enspace|thinspace|space|medspace)(?![A-Za-z])|\\[,;:>]|\\ |\\\n|~"
)  # fmt: skip
_SIZED = re.compile(r"(\\\\)|\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])(?:\.(?![0-9]))?\s*")
_DROPPED = re.compile(
    r"(\\\\)\s*\[[^\[\]]{0,12}(?:pt|em|ex|mm|cm)\]|\\[hv]?phantom\s*(?:\{[^{}]*\}|[-+=0-9a-z])|\\(?:tiny|small|normalsize"
    r"|large|Large|LARGE|huge|Huge)(?![A-Za-z])"
    r"|\\ensuremath(?=\s*\{)|\\(?:text)?color\s*\{[a-zA-Z]*\}|\\(?:tag|label)\*?\s*\{[^{}]*\}|\\(?:Large"
    r"|large)?strut(?![A-Za-z])"
)
_ONCE_ESCAPED = re.compile(r"(?<!\\)\\(?:\\\\)*(?!\\)")  # an odd number of backslashes
_TWICE_ESCAPED = re.compile(r"\\\\(?:[A-Za-z]{2,}|[%${}(),!;])")
_BOLD_SET = re.compile(r"\\mathbf\s*\{([RZNQC])\}")
_PRIMES = re.compile(r"\^\s*(?:\{\s*((?:\\prime\s*)+)\}|(\\prime(?![A-Za-z])))")
_DELIMITERS = re.compile(r"(\\\\)|\\[()\[\]](?![A-Za-z])")
_DIGIT_GROUPS = re.compile(r"(?<=[0-9])(?:,?\\!\s?|\{,\}\s?|\\[,;: ]|~|,\s?\\!\s?)(?=[0-9]{3}(?![0-9]))")
_COMMA_SKIP = re.compile(r",\s?\\!")

PHRASES = {
    "empty": (
        "no solution", "no solutions", "no real solution", "no real solutions", "there is no solution",
        "there are no solutions",
        "no roots", "no real roots", "no real root", "empty set", "the empty set", "none exist", "no such number",
        "no such numbers", "no such value", "no such values", "no value", "no values", "there are none",
        "nosolution", "null set",
        "no real values", "the equation has no solution", "the equation has no solutions", "no solution exists", "无解",
        "there are no real solutions", "no such x", "no integer solutions", "no integer solution", "has no solution",
        "sin solución",
        "keine lösung", "pas de solution", "no possible values", "no valid solution", "no valid solutions", "{}",
        "\\{\\}",
    ),
    "reals": (
        "all real numbers", "all reals", "any real number", "every real number", "the real numbers", "real numbers",
        "all real x",
        "the set of all real numbers", "the set of real numbers", "all real values", "all real numbers x",
        "任意实数", "全体实数", "所有实数",
    ),
    "integers": ("all integers", "the integers", "the set of all integers", "the set of integers", "any integer"),
    "naturals": ("all natural numbers", "all positive integers", "the natural numbers", "the set of positive integers"),
    "inf": ("infinity", "positive infinity", "plus infinity", "+infinity", "无穷大", "正无穷"),
}  # fmt: skip
"""Whole answers in words that stand for a constant."""


def unescaped(text: str) -> str:
    r"""LaTeX that was escaped once too often, as it was.

    >>> unescaped(r"\\frac{1}{2}"), unescaped(r"1 \\ 2")
    ('\\frac{1}{2}', '1 \\\\ 2')
    """
    if "\\\\" in text and _TWICE_ESCAPED.search(text) is not None and _ONCE_ESCAPED.search(text) is None:
        text = text.replace("\\\\", "\\")
    return text


def plain(text: str) -> str:
    r"""The text with Unicode and layout spelled in plain characters and LaTeX commands.

    >>> plain("x² ≤ ½"), plain("１，２３４")
    ('x^{2} \\le  \\frac{1}{2}', '1,234')
    """
    if not text.isascii():
        text = _unicode(text)
    if "\\" in text or "~" in text or "{,}" in text:
        text = _DIGIT_GROUPS.sub("", text)
        text = _COMMA_SKIP.sub(",", text).replace("\\!", "")
        text = re.sub(r"(?<=[0-9])\{,\}(?=[0-9])", ".", text)
        text = _BOLD_SET.sub(r"\\mathbb{\1}", text)
        text = _SIZED.sub(_kept, _DROPPED.sub(_kept, text))
        if "prime" in text:
            text = _PRIMES.sub(lambda m: "'" * max(1, (m[1] or m[2]).count("prime")), text)
        if text.count("=") < 2:  # x = 1 \\quad y = 2: two statements
            text = text.replace("\\qquad", " ").replace("\\quad", " ")
        text = _DELIMITERS.sub(_blank, _SPACING.sub(_blank, text))
    return text


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def _blank(match: re.Match[str]) -> str:
    return match[1] or " "  # the end of a row stays


def _unicode(text: str) -> str:
    text = _OVERLINED.sub(lambda m: "\\overline{" + re.sub("[\u0305\u0304]", "", m[0]) + "}", text)
    text = _SUPERS.sub(lambda m: "^{" + "".join(_SUPER[c] for c in m[0]) + "}", text)
    text = _SUBS.sub(lambda m: "_{" + "".join(_SUB[c] for c in m[0]) + "}", text)
    text = text.replace("根号", "√").translate(_TABLE)
    if text.isascii():
        return text
    return "".join(_character(c) for c in text)


def _character(c: str) -> str:
    if c.isascii():
        return c
    if c.isdecimal():  # digits of other scripts
        return str(unicodedata.decimal(c))
    if "\U0001d400" <= c <= "\U0001d7ff":  # mathematical letters
        c = unicodedata.normalize("NFKC", c)
        return _SIGNS.get(c, c)
    return c


def stripped(text: str) -> str:
    r"""The text without what may surround an answer: blanks, dollar signs in pairs, a full stop, bold marks.

    >>> stripped(" $\\frac{1}{2}$. "), stripped("**12**"), stripped("$5")
    ('\\frac{1}{2}', '12', '$5')
    """
    text = text.strip()
    for _ in range(6):
        before = text
        if text.startswith("**") and text.endswith("**") and len(text) > 4 and "**" not in text[2:-2]:
            text = text[2:-2]
        elif text.startswith("$") and text.endswith("$") and len(text) > 1:
            text = text[2:-2] if text.startswith("$$") and text.endswith("$$") and len(text) > 3 else text[1:-1]
        elif text.startswith(("\\(", "\\[")) and text.endswith(("\\)", "\\]")) and len(text) > 3:
            text = text[2:-2]
        elif (
            (len(text) > 2 and text[0] == text[-1] == "*" and "*" not in text[1:-1])
            or (len(text) > 2 and text[0] == text[-1] == "_" and text[1:-1].isalnum())
            or (len(text) > 2 and text[0] == text[-1] == "'" and "'" not in text[1:-1])
        ):
            text = text[1:-1]
        elif len(text) > 4 and text.startswith("__") and text.endswith("__") and "__" not in text[2:-2]:
            text = text[2:-2]
        elif text.startswith("`") and text.endswith("`") and len(text) > 2:
            text = text.strip("`")
        elif text.startswith('"') and text.endswith('"') and len(text) > 2:
            text = text[1:-1]
        elif text.endswith("\\") and not text.endswith("\\\\"):
            text = text[:-1]
        elif text.endswith((".", ",", ";", "。", "\\\\", "\\ ")) and not text.endswith(
            ("\\right.", "..", "\\,", "\\;", "m.", "\\.")
        ):
            text = text[:-2] if text.endswith(("\\\\", "\\ ")) else text[:-1]
        text = text.strip()
        if text == before:
            break
    return text
