"""Forms of messages that the other readers once refused, each beside hedges in the same form."""

import pytest

from turnwise.verifiers.choice_message import verify_choice_message
from turnwise.verifiers.qa import verify_answer
from turnwise.verifiers.structured.calls import verify_call

CITIES = ("Paris", "London", "Berlin", "Rome")
CALL = {"name": "f", "arguments": {"x": 1}}


@pytest.mark.parametrize(
    ("message", "right"),
    [
        ("A is wrong because Paris is in France. C is in Germany, D in Italy. So B.", True),
        ("After eliminating A, C and D, we are left with B.", True),
        ("**Answer:** B\n\n**Explanation:** Paris (A) is the capital of France.", True),
        ("The answer is: London (B)", True),
        ("The answer is: London (C)", False),
        ("**Answer:** B\n\n**Explanation:** Paris (A) might also be right.", False),
        ("**Answer:** B\n\n**Explanation:** The answer is A.", False),
        ("We might be left with B.", False),
        ("So B or C.", False),
    ],
)
def test_choice(message, right):
    assert verify_choice_message(message, "B", CITIES).correct is right


@pytest.mark.parametrize(
    ("message", "gold", "right"),
    [
        ("It was Marie Curie.", "Marie Curie", True),
        ("<answer>Paris</answer>", "Paris", True),
        ("<think>Rome?</think>Paris", "Paris", True),
        ("Mt. Everest", "Mount Everest", True),
        ("St. Petersburg", "Saint Petersburg", True),
        ("It was Marie or Pierre Curie.", "Marie Curie", False),
        ("It was not Marie Curie.", "Marie Curie", False),
        ("<answer>Paris</answer><answer>Rome</answer>", "Paris", False),
        ("<think>Paris", "Paris", False),
    ],
)
def test_short_answers(message, gold, right):
    assert verify_answer(message, gold).correct is right


@pytest.mark.parametrize(
    ("message", "right"),
    [
        ("Here is the function call:\n[f(x=1)]", True),
        ("Here is the function call:\nf(x=1)\nI wait for the result.", True),
        ("Either\nf(x=1)\nor\nf(x=2)", False),
        ("Here it is:\n[f(x=1)]\n[f(1)]", False),
    ],
)
def test_calls(message, right):
    assert verify_call(message, CALL).correct is right
