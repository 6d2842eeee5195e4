"""Which answer a message commits to."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.extract
from tests._work import at_most
from turnwise.verifiers.extract import after_thinking, final_answer, marked, undressed


def test_doctests() -> None:
    assert doctest.testmod(turnwise.verifiers.extract).failed == 0


@pytest.mark.parametrize(
    "message",
    [
        "12", "**12**", "`12`", "$12$", "\\(12\\)", "Answer: 12", "**Answer:** 12", "**Answer: 12**", "**Answer**: 12",
        "The answer is 12", "So the final answer is: **12**", "```\n12\n```", "<answer>**12**</answer>",
        "<answer>\\boxed{12}</answer>", "<answer>$\\boxed{12}$</answer>", "<answer>```text\n12\n```</answer>",
        "\\boxed{\\text{12}}", "\\boxed{12} so \\boxed{ 12 }", "<answer>12</answer> or <answer>`12`</answer>",
        "<think>\\boxed{3}</think>Answer: \\boxed{12}",
    ],
)  # fmt: skip
def test_marks_around_the_answer_are_no_part_of_it(message: str) -> None:
    assert final_answer(message).text == "12"


@pytest.mark.parametrize(
    "message",
    [
        "**12** or **13**", "$12$ or $13$", "`12` `13`", "Answer: 12 or 13", "the answer is not 12", "answers: 12",
        "<answer>12</answer><answer>**13**</answer>", "\\boxed{12}\\boxed{$13$}", "Answer:", "**Answer:**", "****",
        "```\n12\n13\n```", "<think>12", "\\boxed{12", "the answer: 12\nthe answer: 13",
    ],
)  # fmt: skip
def test_no_mark_makes_an_answer_of_what_is_none(message: str) -> None:
    assert final_answer(message).text != "12"


@given(st.text("*`$\\(){}[]a1 \n", max_size=30))
def test_undressing_takes_from_the_ends_alone(text: str) -> None:
    left = undressed(text)
    assert left in text
    assert bool(left) == bool(text.strip()) or "{" in text
    assert final_answer(text).text != ""


@pytest.mark.parametrize(
    "message",
    [
        "<answer>a" + " " * 500_000 + "b</answer>" + "<answer>a b</answer>" * 18_000,
        "<\\boxed{a" + " " * 500_000 + "b}" + "\\boxed{a b}" * 40_000,
        "<answer>" + "\\boxed{" * 60_000 + "}" * 60_000 + "</answer>",
        "<answer>```" + "\n " * 400_000 + "</answer>", "<answer>**</answer>" * 50_000, "answer: " * 120_000,
    ],
)  # fmt: skip
def test_long_messages_are_read_in_linear_time(message: str) -> None:
    with at_most(millions=40):
        final_answer(message)


THOUGHTS = [  # message, the answer that it commits to
    ("<think>1? 2?</think><answer>3</answer>", "3"),
    ("1? 2?</think>\n\n<answer>3</answer>", "3"),
    ("<think>1?</think><think>2?</think>3", "3"),
    ("<think><answer>1</answer></think> <answer>3</answer>", "3"),
    ("<think><answer>1</answer></think>", None),
    ("<think><answer>1</answer>", None),
    ("<think>1</think> <think><answer>3</answer>", None),
    ("<answer>1</answer> <think>wait, <answer>3</answer>", None),
    ("<think>\\boxed{1}", None),
]


@pytest.mark.parametrize(("message", "answer"), THOUGHTS)
def test_thinking_is_not_read(message: str, answer: str | None) -> None:
    assert final_answer(message).text == answer
    assert after_thinking(message) is None or "<think>" not in after_thinking(message)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("<answer>12", "12"), ("So <answer> **12**\n", "12"), ("<answer>12</answ", "12"), ("<answer>12</", "12"),
        ("<answer>first <answer>12", "12"), ("\\boxed{11}, so <answer>12", "12"), ("<answer>\\boxed{12}", "12"),
        ("<answer>12</answer> <answer>13", "12"), ("<answer>12</answer>, in <answer> tags", "12"),
        ("<answer>12 or 13", "12 or 13"), ("<answer>", None), ("<answer></answer> 12", None),
        ("<answer>1</answer", "1"),
        ("I put it into `<answer>` tags: \\boxed{12}", "12"), ("12</answer>\nso 13", None),
    ],
)  # fmt: skip
def test_an_answer_may_be_left_open_at_the_end(message: str, answer: str | None) -> None:
    assert final_answer(message).text == answer
    assert answer is None or marked(message)
