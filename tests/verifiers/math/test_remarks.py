"""What stands beside a value inside one answer: never another value, a doubt or a denial."""

import contextlib

import pytest

from tests._work import measured
from turnwise.verifiers.math.answer import equivalent
from turnwise.verifiers.math.read.labelled import labelled
from turnwise.verifiers.math.read.phrases import set_in_words
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.read.remarks import place_apart, without_remarks

VALUES = [("8", "13"), (r"\frac{1}{2}", r"\frac{3}{7}"), ("x = 4", "x = 5"), ("-5", "6"), ("(1, 2)", "(2, 1)")]
HARMLESS = [
    r"{a} \text{{ only}}",
    r"{a} \text{{ (as required)}}",
    r"{a} \text{{ (both valid)}}",
    r"{a}, \text{{ since }} u \text{{ must be positive}}",
    r"{a} \text{{ (rounded to the nearest integer)}}",
    r"{a} \text{{ is the only solution}}",
]
HEDGES = [
    r"{a} \text{{ (or }} {b})",
    r"{a} \text{{ (not }} {b})",
    r"{a} \text{{ (maybe)}}",
    r"{a} \text{{ (wrong)}}",
    r"{a} \text{{ (extraneous)}}",
    r"{a}, \text{{ since it is }} {b}",
    r"{a} \text{{ (because it equals }} {b})",
    r"{a} \text{{ or }} {b} \text{{ only}}",
    r"{a} \text{{ at }} u = 2 \text{{ or }} {b} \text{{ at }} u = 3",
    r"{a} \text{{ at }} u = 2 \text{{ or }} {b}",
    r"{a} \text{{ (if not }} {b})",
    r"{a} \text{{ (could be)}}",
    r"{a} \text{{ (nine)}}",
]


@pytest.mark.parametrize("template", HARMLESS)
def test_a_remark_takes_nothing_from_an_answer(template):
    for a, b in VALUES:
        assert equivalent(template.format(a=a), a).correct, template.format(a=a)
        assert not equivalent(template.format(a=a), b).correct, template.format(a=a)


@pytest.mark.parametrize("template", HEDGES)
def test_an_alternative_or_a_doubt_is_no_remark(template):
    for a, b in VALUES:
        answer = template.format(a=a, b=b)
        assert not equivalent(answer, a).correct, answer
        assert not equivalent(answer, b).correct, answer


def test_the_place_of_a_value_is_not_the_value():
    for value in ("8", r"\frac{1}{4}", "-2"):
        for place in ("u = 2", r"u = \frac{\pi}{3}", "(1, 2)", "u = 1 \\text{ and } u = -1"):
            answer = rf"{value} \text{{ at }} {place}"
            assert equivalent(answer, value).correct, answer
            assert not equivalent(answer, place.rpartition("=")[2]).correct, answer


@pytest.mark.parametrize("form", [place_apart, without_remarks, set_in_words, labelled, read])
@pytest.mark.parametrize(
    "text",
    [
        "(" * 2000 + " for all x",
        "8 at " * 700,
        "all real numbers except " + "\\a" * 900,
        "all real numbers greater than " + "\\" * 1500,
        "radius " * 500 + ": 5, " * 100,
        "8 (" + "since " * 600 + ")",
        "8" + " \\text{ at } (" * 250,
        "\\int " * 700 + "d x",
        "\\lim_{x \\to " * 300,
        "\\\\frac" * 600,
    ],
)
def test_hostile_text_takes_bounded_work(form, text):
    with measured() as work, contextlib.suppress(ValueError):  # past the bounds of the grammar
        form(text)
    assert work.millions < 4.0
