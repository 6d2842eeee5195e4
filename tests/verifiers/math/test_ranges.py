"""A number that is one end of a range commits to nothing."""

import pytest

from turnwise.verifiers.math import verify

QUESTION = "A tank holds 60 litres and 4 litres flow in per minute. How many minutes does it take to fill it?"


@pytest.mark.parametrize(
    "message",
    [
        "It takes 15 to 18 minutes.",
        "It takes from 15 to 18 minutes.",
        "Between 15 and 18 minutes.",
        "We divide, and it takes between 15 and 18 minutes.",
        "The tank is full after 15–18 minutes.",
        "The tank is full after 15 minutes, i.e. 18 minutes.",
    ],
)
@pytest.mark.parametrize("gold", ["15", "18"])
@pytest.mark.parametrize("question", ["", QUESTION])
def test_an_end_of_a_range_is_no_answer(message, gold, question):
    assert not verify(message, gold, question=question).correct


@pytest.mark.parametrize(
    ("message", "gold"),
    [
        ("Between 9 and 12 there are 3 hours. So it takes 15 minutes.", "15"),
        ("From 60 litres at 4 litres a minute we get 60 / 4 = 15 minutes.", "15"),
        ("The price rose from 15 to 18 dollars, by 3 dollars.", "3"),
        ("It takes 0.25 hours, i.e. 15 minutes.", "15"),
    ],
)
def test_a_range_beside_the_answer_does_not_matter(message, gold):
    assert verify(message, gold).correct
