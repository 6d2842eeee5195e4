r"""Golds and answers as text: exact text, multiple choice, LaTeX as strings, and the golds of well-known data sets.

Comparing LaTeX as strings is strict: it accepts what is written alike up to spaces and synonyms of layout, and knows
no algebra.
"""

import re
import unicodedata

from turnwise.verifiers.extract import boxed, undressed
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = [
    "gsm8k_gold", "math_gold", "normalise", "normalise_latex", "parse_choice", "verify_choice", "verify_exact",
    "verify_latex",
]  # fmt: skip

MAX_CHARS = 10_000
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-"})
_WRAPPER = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|boldsymbol)\s*\{([^{}]*)\}")
_LETTER = re.compile(r"(?:(?:option|choice|answer)\s+)?[(\[]?([A-Z])[)\]]?[.:]?", re.IGNORECASE | re.ASCII)
_LETTER_AND_TEXT = re.compile(r"[(\[]?([A-Z])[)\].:]{1,2}\s*(\S.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
_LAYOUT = re.compile(r"\\(?:(?:left|right|displaystyle|limits|quad)(?![A-Za-z])|[!,;: $])|[~$]")
_SPACE = re.compile(r"(?<![0-9]) | (?![0-9])")  # between two digits it separates numbers
_FRACTION = re.compile(r"\\[dtc]frac(?![A-Za-z])")


def normalise(text: str) -> str:
    """The text without what does not matter: case, runs of white space, typographic variants, a full stop, quotes.

    >>> normalise('  "The  Eiffel Tower". ')
    'the eiffel tower'
    """
    text = " ".join(unicodedata.normalize("NFKC", undressed(text)).translate(_QUOTES).casefold().split())
    return text.rstrip(".").strip("\"'` ").rstrip(".").strip()


def verify_exact(text: str, gold: str) -> Verdict:
    """Whether the text is the gold up to `normalise`."""
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    value = normalise(text)
    return right(value) if value == normalise(gold) else wrong("that is not right", value)


def _unwrapped(text: str) -> str:
    text = text.strip().strip("$").strip()
    if (match := _WRAPPER.fullmatch(text)) is not None:
        text = match[1].strip()
    return text.removeprefix("**").removesuffix("**").strip()


def parse_choice(text: str) -> str | None:
    r"""The letter of an option: ``B``, ``(b)``, ``B.``, ``option B``, ``\text{(B)}``, ``**B**``; or None.

    >>> parse_choice("(b)"), parse_choice("B or C")
    ('B', None)
    """
    match = _LETTER.fullmatch(_unwrapped(text)) if len(text) <= 100 else None
    return match[1].upper() if match else None


def verify_choice(text: str, gold: str, option: str = "") -> Verdict:
    """Whether the text names the option ``gold``, by letter, by letter and its text ``option``, or by that text."""
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    letter = parse_choice(text)
    if letter is None:
        if option and normalise(_unwrapped(text)) == normalise(option):
            return right(gold)
        match = _LETTER_AND_TEXT.fullmatch(_unwrapped(text))
        if match is None or not option:
            return wrong("the answer is not the letter of an option")
        letter = match[1].upper()
        if letter == gold and normalise(match[2]) != normalise(option):
            return wrong("the letter and the text after it do not belong together")
    return right(letter) if letter == gold else wrong(f"{letter} is not right", letter)


def normalise_latex(text: str) -> str:
    r"""LaTeX without white space, dollar signs and layout: ``\left( \dfrac{1}{2} \right)`` is ``(\frac{1}{2})``.

    >>> normalise_latex(r"$\left( x,\, \dfrac{1}{2} \right)$.")
    '(x,\\frac{1}{2})'
    """
    text = _FRACTION.sub(r"\\frac", undressed(text))
    text = _WRAPPER.sub(r"\1", text)
    text = _SPACE.sub("", " ".join(_LAYOUT.sub(" ", text).split()))
    return text.replace("^\\circ", "").replace("^{\\circ}", "").rstrip(".")


def verify_latex(text: str, gold: str) -> Verdict:
    """Whether the text is the gold up to `normalise_latex`; equal values written otherwise are refused."""
    if len(text) > MAX_CHARS:
        return wrong(f"the answer is longer than {MAX_CHARS} characters")
    value = normalise_latex(text)
    if not value:
        return wrong("the answer is empty")
    return right(value) if value == normalise_latex(gold) else wrong("that is not the expected answer", value)


def gsm8k_gold(solution: str) -> str | None:
    r"""What stands after the last ``####`` of a solution, or None where there is none.

    >>> gsm8k_gold("2 * 600 = 1,200\n#### 1,200")
    '1,200'
    """
    _, marker, gold = solution.rpartition("####")
    return gold.strip() if marker and gold.strip() else None


def math_gold(solution: str) -> str | None:
    r"""The content of the last ``\boxed{...}`` of a solution, or None where there is none.

    >>> math_gold(r"so \boxed{\frac{1}{2}}.")
    '\\frac{1}{2}'
    """
    found = boxed(solution)
    if not found:  # some solutions have the form \boxed 5
        found = re.findall(r"\\boxed\s+([^\s$.{}]+)", solution)
    return found[-1] if found and found[-1] else None
