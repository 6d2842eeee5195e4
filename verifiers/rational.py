r"""Read whole numbers and rationals as people and models write them, exactly.

Accepted are ``-12``, ``+3``, ``1,234``, ``0.75``, ``3/4``, ``\frac{3}{4}``, ``x = 5`` (when the name is asked for), in
``$`` or without, with a full stop or not. Anything else, such as ``9**9``, ``nan`` or two numbers, is not a number.
"""

import re
from fractions import Fraction

from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["parse_integer", "parse_rational", "verify_rational"]

MAX_CHARS = 80
_NUMBER = r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_SHORT_FRAC = re.compile(r"([+-]?)\\[dt]?frac ?([0-9])([0-9])", re.ASCII)
_DECIMAL = re.compile(rf"({_NUMBER})?(?:\.([0-9]*))?", re.ASCII)
_RATIO = re.compile(rf"({_NUMBER})\s*/\s*(\+?[0-9]+)", re.ASCII)
_SIGNED_POINT = re.compile(r"\A([+-])\.(?=[0-9])")  # -.5
_FRAC = re.compile(r"([+-]?)\s*\\[dt]?frac\s*\{\s*([+-]?[0-9]+)\s*\}\s*\{\s*([0-9]+)\s*\}", re.ASCII)


def parse_rational(text: str, name: str | None = None) -> Fraction | None:
    r"""Return the exact value of a number, or None if the text is not a number of the grammar.

    Args:
        text: At most 80 characters.
        name: A variable that may come before the number, as in ``x = 5``.

    >>> parse_rational("-1,234.50")
    Fraction(-2469, 2)
    >>> parse_rational(r"\frac{3}{4}")
    Fraction(3, 4)
    >>> parse_rational("x = 5", name="x")
    Fraction(5, 1)
    """
    text = text.strip()
    if len(text) > MAX_CHARS:
        return None
    text = text.strip("$ ").removesuffix(".").strip("$ ").replace("−", "-").replace("\\,", "").replace("{,}", ",")
    text = _SIGNED_POINT.sub(r"\g<1>0.", text.strip())
    if name is not None:
        left, equals, value = text.partition("=")
        if equals and left.strip() == name:
            text = value.strip()
    if match := _RATIO.fullmatch(text):
        bottom = int(match[2])
        return Fraction(int(match[1].replace(",", "")), bottom) if bottom else None
    if match := _FRAC.fullmatch(text):
        bottom = int(match[3])
        value_ = Fraction(int(match[2]), bottom) if bottom else None
        return -value_ if value_ is not None and match[1] == "-" else value_
    if match := _SHORT_FRAC.fullmatch(text):
        return Fraction(int(match[1] + match[2]), int(match[3])) if match[3] != "0" else None
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return None
    whole, decimals = (match[1] or "0").replace(",", ""), match[2] or ""
    sign = -1 if whole.startswith("-") else 1
    return sign * (abs(int(whole)) + Fraction(int(decimals or "0"), 10 ** len(decimals)))


def parse_integer(text: str, name: str | None = None) -> int | None:
    """Return the whole number that the text is (``12``, ``1,200``, ``12.0``), or None.

    >>> parse_integer("1,200"), parse_integer("1/2")
    (1200, None)
    """
    if text.isdecimal() and text.isascii() and len(text) <= MAX_CHARS:  # the common case, in a microsecond
        return int(text)
    value = parse_rational(text, name)
    return int(value) if value is not None and value.denominator == 1 else None


def verify_rational(text: str, gold: Fraction | int, name: str | None = None) -> Verdict:
    """Judge whether the text is a number equal to ``gold``, exactly."""
    value = parse_rational(text, name)
    if value is None:
        return wrong("the answer is not a number")
    return right(value) if value == gold else wrong(f"{text.strip()} is not right", value)
