r"""Golds and answers as text: exact text, LaTeX as strings, and the golds of well-known data sets."""

import re
import unicodedata

from turnwise.verifiers.extract import boxed, undressed
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["gsm8k_gold", "math_gold", "normalise", "normalise_latex", "verify_exact"]

MAX_CHARS = 10_000
_RAISED = {ord(c): f"^{n}" for n, c in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}  # 1² is not 12
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-"})
_WRAPPER = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|boldsymbol)\s*\{([^{}]*)\}")
_LAYOUT = re.compile(r"\\(?:(?:left|right|displaystyle|limits|quad)(?![A-Za-z])|[!,;: $])|[~$]")
_SPACE = re.compile(r"(?<![0-9]) | (?![0-9])")  # between two digits it separates numbers
_FRACTION = re.compile(r"\\[dtc]frac(?![A-Za-z])")


def normalise(text: str) -> str:
    """Normalise a text: ignore case, runs of white space, typographic variants, a full stop and quotes.

    >>> normalise('  "The  Eiffel Tower". ')
    'the eiffel tower'
    """
    plain = unicodedata.normalize("NFKC", undressed(text).translate(_RAISED)).translate(_QUOTES)
    text = " ".join(plain.casefold().split())
    return text.rstrip(".").strip("\"'` ").rstrip(".").strip()


def verify_exact(text: str, gold: str) -> Verdict:
    """Judge whether the text is the gold up to `normalise`."""
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    value = normalise(text)
    return right(value) if value == normalise(gold) else wrong("that is not right", value)


def normalise_latex(text: str) -> str:
    r"""Strip white space, dollar signs and layout from LaTeX: ``\left( \dfrac{1}{2} \right)`` is ``(\frac{1}{2})``.

    >>> normalise_latex(r"$\left( x,\, \dfrac{1}{2} \right)$.")
    '(x,\\frac{1}{2})'
    """
    text = _FRACTION.sub(r"\\frac", undressed(text))
    text = _WRAPPER.sub(r"\1", text)
    text = _SPACE.sub("", " ".join(_LAYOUT.sub(" ", text).split()))
    return text.replace("^\\circ", "").replace("^{\\circ}", "").rstrip(".")


def gsm8k_gold(solution: str) -> str | None:
    r"""Return the text after the last ``####`` of a solution, or None if there is none.

    >>> gsm8k_gold("2 * 600 = 1,200\n#### 1,200")
    '1,200'
    """
    _, marker, gold = solution.rpartition("####")
    return gold.strip() if marker and gold.strip() else None


def math_gold(solution: str) -> str | None:
    r"""Return the content of the last ``\boxed{...}`` of a solution, or None if there is none.

    >>> math_gold(r"so \boxed{\frac{1}{2}}.")
    '\\frac{1}{2}'
    """
    found = boxed(solution)
    if not found:  # some solutions have the form \boxed 5
        found = re.findall(r"\\boxed\s+([^\s$.{}]+)", solution)
    return found[-1] if found and found[-1] else None
