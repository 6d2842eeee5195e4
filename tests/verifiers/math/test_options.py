"""Golds that are letters of options, or one of the things that a question offers."""

import pytest

from turnwise.verifiers.math import verify

DIAGONALS = "How many diagonals does a hexagon have?\nA) 6\nB) 9\nC) 12\nD) 15"
BOTTLES = (
    "A shop sells oil in bottles of 0.5 L for $4, 1.5 L for $9 and 2 L for $15. Which bottle is cheapest per litre?"
)
PRICES = """Price per litre:

- 0.5 L: $4 / 0.5 = $8
- 1.5 L: $9 / 1.5 = $6
- 2 L: $15 / 2 = $7.50

So the best deal of the three is"""
KNAVES = 'Ida says: "Jon is a knave." Each of them is either a knight (always truthful) or a knave. What is Jon?'


@pytest.mark.parametrize(
    "message",
    [
        "Each of the 6 corners reaches 3 others. That makes 6 · 3 / 2 = 9 diagonals.",
        r"We use \(n(n-3)/2\): \[\boxed{9}\]",
        "9",
        "The answer is 9.",
        "The answer is B.",
        "So there are 9 diagonals, which is option B.",
    ],
)
def test_the_value_of_the_right_option_is_an_answer(message: str) -> None:
    assert verify(message, "B", question=DIAGONALS).correct


@pytest.mark.parametrize(
    "message",
    [
        "Each of the 6 corners reaches 3 others. That makes 6 · 3 = 18, so 12 diagonals.",
        r"\[\boxed{12}\]",
        "12",
        "There are 9 diagonals, so the answer is A.",
        "There are 9 diagonals. I choose (C).",
        "There are 9 or 12 diagonals.",
        r"9 diagonals, so \boxed{D}",
        "Let us count the diagonals among the options A to D.",
        "A and B are both possible.",
        "B) 12",
        r"\boxed{B) 12}",
    ],
)
def test_another_value_or_letter_is_not(message: str) -> None:
    assert not verify(message, "B", question=DIAGONALS).correct


def test_without_the_options_a_letter_needs_a_letter() -> None:
    assert not verify("So there are 9 diagonals.", "B", question="How many diagonals does a hexagon have?").correct
    assert not verify("So there are 9 diagonals.", "B").correct
    # two options that say the same
    assert not verify("So it is 1/2.", "B", question="How likely is it? A) 0.5 B) 1/2 C) 1/3").correct


@pytest.mark.parametrize(
    ("message", "right"),
    [
        (f"{PRICES} the **1.5 L bottle**, at $6 per litre.", True),
        (f"{PRICES} the **2 L bottle**, at $6 per litre.", False),
    ],
)
def test_sizes(message: str, right: bool) -> None:
    assert verify(message, "the 1.5 L bottle", question=BOTTLES).correct is right


def test_the_kind_of_another_person_is_not_asked_for() -> None:
    message = "Suppose Ida tells the truth about him; then Ida is a knave after all. Hence **Jon is a knight**."
    assert not verify(message, "a knave", question=KNAVES).correct


@pytest.mark.parametrize(
    "message",
    [
        "These are 14 weeks and a day in all, or two. **Thursday in a common year, Friday in a leap year.**",
        "These are 14 weeks and a day in all, or two. So it is Thursday or Friday.",
    ],
)
def test_two_days_with_conditions_are_open(message: str) -> None:
    question = "On which day of the week does the 10th of June fall, if the 3rd of March is a Wednesday?"
    assert not verify(message, "Thursday", question=question).correct
