"""Numbers as they are written."""

import doctest
from fractions import Fraction

import pytest

import turnwise.verifiers.rational
from turnwise.verifiers.rational import parse_rational


def test_doctests() -> None:
    assert doctest.testmod(turnwise.verifiers.rational).failed == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$12$.", Fraction(12)), ("$12.$", Fraction(12)), ("−3.5", Fraction(-7, 2)), ("-.5", Fraction(-1, 2)),
        ("+.5", Fraction(1, 2)), ("\\frac34", Fraction(3, 4)), ("-\\dfrac12", Fraction(-1, 2)),
        ("-\\frac{1}{2}", Fraction(-1, 2)), ("1{,}200", Fraction(1200)), ("10/4", Fraction(5, 2)),
    ],
)  # fmt: skip
def test_spellings(text: str, value: Fraction) -> None:
    assert parse_rational(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "", ".", "-.", "1/0", "\\frac30", "\\frac345", "\\frac{1}{0}", "1 2", "2 1/2", "12,34", "1/2/3", "9**9", "nan",
        "1e5", "٣", "½", "- 12", "12 or 13", "1" * 81,
    ],
)  # fmt: skip
def test_no_numbers(text: str) -> None:
    assert parse_rational(text) is None
