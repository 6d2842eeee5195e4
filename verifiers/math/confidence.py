"""Confidence intervals: nobody means anything by their brackets, so (a, b), [a, b] and a ≤ μ ≤ b are one answer."""

import re

__all__ = ["asks_for_confidence", "with_one_kind_of_brackets"]

_MAX_CHARS = 4000
_ASKS = re.compile(
    r"\b(?:find|give|compute|construct|calculate|determine|what|build|state|report|obtain|form)\b[^.?!]{0,60}"
    r"(?:\.[0-9][^.?!]{0,60})?\bconfidence (?:interval|limits|bounds)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_ON = re.compile(
    r"\?\s+\S|[.?]\s+(?!(?:round|give|use|assume|write|express|report|leave|note|take|state)\b)\S", re.IGNORECASE
)
_N = r"(?:[-−+]?(?:\\\$|[£€])?[0-9][0-9,]*(?:\.[0-9]+)?%?)"
_LESS = r"(?:<=|<|≤|\\l(?:eq?(?:slant)?|t)(?![a-z]))"
_BRACKETS = re.compile(rf"(?:\\left\s*)?[\[(]\s*({_N})\s*[,;]\s*({_N})\s*(?:\\right\s*)?[\])]")
_BETWEEN_SIGNS = re.compile(
    rf"(?<![0-9.,])({_N})\s*{_LESS}\s*(?:\\?(?:mu|sigma|theta|pi|beta)|[μσθπ]|[a-zA-Z])(?:_\{{?\w+\}}?|\^2|²)?\s*{_LESS}\s*({_N})"
)
_IN_WORDS = re.compile(
    rf"(?:(?P<from>\bfrom )|\bbetween |(?<=: )|(?<=is )|(?<=\*\*))(?P<a>{_N})(?P<unit>\s[a-z]{{1,12}})??"
    rf"\s(?P<join>to|and)\s(?P<b>{_N})"
)
_MARGIN = re.compile(  # 50 ± 2 = (48, 52)
    rf"(?<![0-9.,]){_N}\s{{0,9}}(?:±|\\pm(?![a-z]))\s{{0,9}}{_N}"
    r"(?:=|≈|\\approx|\\q?quad|\\(?:[Rr]ight|[Ll]ongright)arrow|\\Longrightarrow|\\implies|\\to(?![a-z])|[⟹⇒→]|\s){1,30}(?=\()"
)


def asks_for_confidence(question: str) -> bool:
    """Whether a question asks for a confidence interval, and for nothing else behind that.

    >>> asks_for_confidence("Give a 95% confidence interval for the mean. Round to two decimals.")
    True
    >>> asks_for_confidence("The 95% confidence interval is (4, 10). What is the margin of error?")
    False
    """
    asked = _ASKS.search(question[-_MAX_CHARS:]) if "confidence" in question else None
    return asked is not None and _ASKS_ON.search(asked["rest"]) is None


def with_one_kind_of_brackets(text: str) -> str:
    r"""A text with each interval between two numbers in round brackets.

    >>> with_one_kind_of_brackets(r"So [1.5, 2.5], or $1.5 \le \mu \le 2.5$: from 1.5 to 2.5.")
    'So (1.5, 2.5), or $(1.5, 2.5)$: (1.5, 2.5).'
    """
    text = _BRACKETS.sub(r"(\1, \2)", text)
    text = _BETWEEN_SIGNS.sub(r"(\1, \2)", text)
    return _MARGIN.sub("", _IN_WORDS.sub(_bracketed, text))


def _bracketed(match: re.Match[str]) -> str:
    """A range in words in brackets; "a and b" needs "between" before it, "a to b" does not."""
    if (match["join"] == "and") != match[0].startswith("between"):
        return match[0]
    return f"({match['a']}, {match['b']})" if match["join"] == "to" else f"in ({match['a']}, {match['b']})"
