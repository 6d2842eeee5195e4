"""Whole messages that choose an option: labelled before any verdict."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.choice_message
from tests._work import at_most
from turnwise.envs.data.grading import judge
from turnwise.verifiers.choice_message import verify_choice_message

OPTIONS = ["10 cm", "12 cm", "14 cm", "16 cm"]
MISMATCH = "The answer is (B) 10 cm."
CHOOSING = [
    (" B", "B"),
    ("B. 12 cm", "B"),
    (" (B) 12 cm\n", "B"),
    ("Answer: B", "B"),
    ("12 cm", "B"),
    ("B\n\nQuestion: What is 2+2?\nAnswer: C", "B"),
    ("To find the length, we use the Pythagorean theorem.\n\nSo the correct answer is **B) 12 cm**.", "B"),
    (
        "Great question! Option A is too small, and options C and D are too large.\n\nTherefore, the answer is B.",
        "B",
    ),
    ("The correct answer is (B) 12 cm because the triangle has sides 5, 12 and 13.", "B"),
    ("I believe the best option is B, since the other options do not satisfy the equation.", "B"),
    ("We check each option. A: 10 is no. B: 12 works. C: 14 does not. D: no.\nSo, the answer is option B.", "B"),
    ("The answer is (B). Options (A) and (C) are incorrect because they ignore the angle.", "B"),
    ("Let's think step by step. The area is 60. The answer is (B).", "B"),
    ("Therefore, (B) must be the correct answer. The answer is (B).", "B"),
    ("The answer would be choice B.", "B"),
    ("B is the correct answer because 5^2 + 12^2 = 13^2.", "B"),
    ("Thus, the length is 12 cm, which corresponds to option B.", "B"),
    ("Hence the correct choice is $\\boxed{B}$.", "B"),
    ("<think>maybe A? The answer is A. No, 12.</think>\n\nThe answer is B.", "B"),
    ("<think>A or B</think>\\boxed{B}", "B"),
    ("A? hmm</think>\n\n**Answer: B**", "B"),
    (
        "<think>so it is</think>The area is $\\boxed{60}$.\n\nThe final answer is $\\boxed{\\text{B}}$.",
        "B",
    ),
    ("### Solution\n\n1. **Use Pythagoras**: $13^2 - 5^2 = 144$\n2. **Root**: $12$\n\n### Answer\n\n**B. 12 cm**", "B"),
    ("**Correct Answer: B**\n\n**Explanation:** the hypotenuse is 13, so the leg is 12.", "B"),
    ("## Final Answer\n\nThe correct option is:\n\n**(B) 12 cm**", "B"),
    ("- A: too small\n- C, D: too large\n\n> **Answer:** B", "B"),
    ("**Final Answer: The final answer is $\\boxed{B}$**", "B"),
    ("(B)", "B"),
    ("B.", "B"),
    ("b", "B"),
    ("option B", "B"),
    ("Ans: B", "B"),
    ("ANSWER: B", "B"),
    ("根据勾股定理，长度为12 cm。\n\n因此，答案是B。", "B"),
    ("故选：B。", "B"),
    ("综上所述，正确答案是选项B。", "B"),
    ("所以选B", "B"),
    ("答案：B", "B"),
    (
        '<tool_call>{"name": "calc", "arguments": {"x": "13**2-5**2"}}</tool_call>\n144\n\nThe answer is B.',
        "B",
    ),
    ("```python\nprint((13**2-5**2)**.5)\n```\n```output\n12.0\n```\nThe answer is (B).", "B"),
    ("<answer>B", "B"),
    ("<answer>B</answer>\nExplanation: the leg is", "B"),
    ("The answer is (B). To see this, let us", "B"),
    ("The answer is (C).", "C"),
    ("<think>The answer is B.</think> The answer is C.", "C"),
    ("The answer is B. Wait, actually the answer is C.", "C"),
    ("Answer A is what many would say; the answer is D.", "D"),
    ("Option B is incorrect. The answer is A.", "A"),
    ("It is tempting to choose B. The answer is (A).", "A"),
    ("The answer is 14 cm.", "C"),
    ("The correct answer is:\n\nB. 12 cm", "B"),
    ('This is "twelve." The answer is (B).', "B"),
    ("Given $x = J$ and field T. $$a = B$$ The answer is (C).", "C"),
    ("The options are A, B, C and D. The answer is D.", "D"),
    ("The answer is B.\n\nThe other options (A, C, D) are incorrect.", "B"),
    ("The answer is B\n\nThe answer is B", "B"),
    ("The answer is (B), not (A).", "B"),
    ("It can't be A, so the answer is B.", "B"),
    ("Between B and C, the answer is C.", "C"),
]
HEDGING = [
    "The answer is A or B.",
    "The answer is either B or C.",
    "The answer is B. Or maybe C.",
    "The answer is B. The answer is C.",
    "The answer is not B.",
    "I think B, but it could also be C.",
    "The answer could be B.",
    "A, B, C and D are all possible.",
    "A. 10 cm\nB. 12 cm\nC. 14 cm\nD. 16 cm",
    "A. 10 cm\nB. 12 cm",
    "The answer is B and C.",
    "Options: (A) 10 cm (B) 12 cm. Hard to say.",
    "<think>the answer is B",
    "The answer is",
    "Let's see. First we find that B is",
    "\\boxed{B} or \\boxed{C}",
    "\\boxed{A}. The answer is B.",
    "Neither B nor C is right.",
    "The answer is B, unless the triangle is not right-angled, in which case it is C.",
    "The answer is B. However, C is also acceptable.",
    "The answer is B (or C).",
    "The answer is B/C.",
    "Answer: A\nAnswer: B",
    "**Answer: B**\n\n**Alternative answer: C**",
    "The answer is B?",
    "I do not know the answer. B would be a guess.",
    "答案是B或C",
    "答案不是B",
    "故选B和C",
    "The correct answer is B is what a student would say, but it is wrong.",
    "If the answer is B, then the area is 60.",
    "The answer is B. Just kidding, C.",
    "The answer isn't B but C.",
    "It is false that the answer is B.",
    MISMATCH,
    "<answer>B</answer><answer>C</answer>",
    "<answer>B or C</answer>",
    "B, C",
    "The answer is B\nThe answer is also C",
    "My answer: B. My second answer: C.",
    "The answer is B with probability 0.6, C with 0.4.",
    "Most likely B.",
    "Eliminating A, C leaves B or D.",
    "The answer is most likely (B).",
    "The answer is B. A is also fine.",
    "The answer is B. Though A would do.",
    "B is the correct answer. So is C.",
    "The answer is B, and if you round, A.",
    "I choose B. Or A.",
    "Final answer: B or D",
    "Correct options: B, C",
    "The answer is B (C is a close second).",
    "Answer: B. Backup: C.",
    "If I had to guess, the answer is B.",
    "The answer is B. If that is wrong, C.",
    "The answer may be B.",
    "Perhaps the answer is B.",
]


@pytest.mark.parametrize(("message", "label"), CHOOSING)
def test_messages_that_choose(message, label):
    for gold, option in zip("ABCD", OPTIONS, strict=True):
        assert verify_choice_message(message, gold, OPTIONS).correct is (gold == label)
        assert verify_choice_message(message, gold, {gold: option}).correct is (gold == label)
        assert judge("choice", message, f"{gold}\n{option}").correct is (gold == label)


@pytest.mark.parametrize("message", HEDGING)
def test_messages_that_choose_nothing(message):
    for gold, option in zip("ABCD", OPTIONS, strict=True):
        assert not verify_choice_message(message, gold, OPTIONS).correct
        assert not verify_choice_message(message, gold, {gold: option}).correct
        if message != MISMATCH:  # which only the options show
            assert not verify_choice_message(message, gold).correct


@pytest.mark.parametrize(
    "between", [" or ", ". Or ", ", maybe ", "\nThe answer is ", ". If not, ", ", or else ", " / ", "; or "]
)
@pytest.mark.parametrize(
    "before", ["The answer is ", "", "**Answer:** ", "I choose ", "The correct option is:\n\n", "答案是"]
)
def test_two_labels_never_pay_both(before, between):
    for first, second in ("BC", "BA", "AB", "CB"):
        for form in ("{}", "({})", "**{}**", "option {}"):
            message = f"{before}{form.format(first)}{between}{form.format(second)}."
            assert sum(verify_choice_message(message, gold, OPTIONS).correct for gold in "ABCD") <= 1, message
            assert not verify_choice_message(message, second, OPTIONS).correct, message


@given(st.text("ABCanswer is()or.,\n*:", max_size=60) | st.text(max_size=100))
def test_at_most_one_option_is_chosen(text):
    assert sum(verify_choice_message(text, gold, OPTIONS).correct for gold in "ABCD") <= 1


@pytest.mark.parametrize(
    "part",
    ["The answer is ", "answer: B ", "B is the correct answer because ", "\\boxed{B} ", "(A) ", "answer option choice ",
     "\n- ", "<answer>", "B" * 50 + " is ", "not B. ", "答案是B", "选", "** ", "wait, "],
)  # fmt: skip
def test_long_messages_are_read_in_linear_time(part):
    with at_most(millions=40):
        verify_choice_message(part * (100_000 // len(part)), "B", OPTIONS)
        assert not verify_choice_message(part * 200_000, "B", OPTIONS).correct


def test_doctests():
    assert doctest.testmod(turnwise.verifiers.choice_message).failed == 0
