"""Text verifiers: what they must take and what they must refuse."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.text
from tests._work import at_most
from turnwise.verifiers.text import (
    gsm8k_gold,
    math_gold,
    normalise,
    normalise_latex,
    verify_exact,
)


@given(st.text())
def test_normalising_never_raises_and_every_text_is_itself(text):
    normalise(text), normalise_latex(text), gsm8k_gold(text), math_gold(text)
    assert verify_exact(text, text).correct


@pytest.mark.parametrize("text", ["paris", "  PARIS. ", '"Paris"', "Ｐａｒｉｓ"])
def test_exact_ignores_case_width_quotes_and_a_full_stop(text):
    assert verify_exact(text, "Paris").correct


@pytest.mark.parametrize("text", ["Paris or London", "Pari", "", "not Paris", "Paris, London", "Par is"])
def test_exact_takes_nothing_else(text):
    assert not verify_exact(text, "Paris").correct


@pytest.mark.parametrize(
    ("text", "gold"),
    [(r"\dfrac{1}{2}x", r"\frac{1}{2} x"), (r"\left(3, \frac{\pi}{2}\right)", r"(3,\frac{\pi}{2})"), ("$x+1$.", "x+1"),
     (r"\text{east}", "east"), (r"x \in [1,\,2]", r"x\in[1,2]"), (r"60^\circ", "60")],
)  # fmt: skip
def test_latex_without_layout(text, gold):
    assert normalise_latex(text) == normalise_latex(gold)


@pytest.mark.parametrize(
    ("text", "gold"), [("1 2x", "12x"), ("x^{2y}", "x^2y"), (r"\pm 2", "2"), ("", "x"), ("1+x", "x+1")]
)
def test_latex_is_strict(text, gold):
    assert normalise_latex(text) != normalise_latex(gold)


def test_golds_of_known_layouts():
    assert gsm8k_gold("#### no\n#### -1,200 ") == "-1,200"
    assert gsm8k_gold("no marker") is gsm8k_gold("####  ") is None
    assert math_gold(r"first \boxed{1}, then \boxed{\frac{1}{\sqrt{2}}}") == r"\frac{1}{\sqrt{2}}"
    assert math_gold(r"so $\boxed 5$.") == "5"
    assert math_gold("5") is math_gold(r"\boxed{") is None


@pytest.mark.parametrize(
    "text", ["\\text{" * 150_000, " " * 900_000 + "x", "$" * 900_000, "(" * 900_000, "\\," * 400_000]
)
def test_long_texts_are_refused_at_once(text):
    with at_most(millions=20):
        for verdict in (verify_exact(text, "x"),):
            assert not verdict.correct


@pytest.mark.parametrize("text", ["\\text{" * 1600, " " * 9_990 + "x1", "1 " * 4900, "\\frac" * 1900, "{" * 9_999])
def test_the_longest_texts_that_are_read_take_no_time(text):
    with at_most(millions=20):
        assert not verify_exact(text, "x").correct
        assert normalise_latex(text) != "x"


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.text).failed == 0


def test_marks_around_gold_and_answer_do_not_matter():
    for gold in ("Paris", "**Paris**", "`Paris`", "$Paris$"):
        for text in ("Paris", "**paris**", "```\nParis\n```"):
            assert verify_exact(text, gold).correct
    assert not verify_exact("C", "C*").correct
    assert not verify_exact("**Paris** or **Rome**", "Paris").correct
    assert normalise_latex("x^2") == normalise_latex("**x^2**")
