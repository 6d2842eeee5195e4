"""Classes of messages that rounds at first sight were refused or paid for, in words of their own."""

import pytest

from tests._work import at_most
from turnwise.verifiers.math import verify

RIGHT = [
    (r"$$\int_1^3 2x\,dx = [x^2]_1^3 = 9 - 1 = 8$$", "8"),  # a thin space is no comma of a list
    (r"$$\lim_{x\to 0}\frac{\sin 4x}{x} = \lim_{x\to 0}\frac{4x}{x} = 4$$", "4"),
    ("3x < 12 → x < 4", "x < 4"),
    ("r = 3, V = 2πr² = 18π", r"18\pi"),
    ("2x = 10, x = 5, y = 1", "(5, 1)"),
    ("The chance is 5 in 20, or 1/4.", "1/4"),
    ("The chance is 2/9, or roughly 22.2%.", "2/9"),
    ("The solution is **x = 2, y = 9**, or as an ordered pair, (2, 9).", "(2, 9)"),
    ("He pays **$36** for the tickets, so $14 are left.", "36"),
    ("**A pen costs $4** and a ruler costs $3.", "4"),
    ("Two days after Monday, that makes it **Wednesday**.", "Wednesday"),
    ("Leaves at 17:40", "17:40"),
    ("So 24 people do not own a car.", "24"),
    ("There are 24 different orders.", "24"),
    ("$$b_4 = 3 \\cdot 5 = 15.$$\n\nHence, $b_4 = 15$.", "15"),
    ("Each costs 4/3 = 4/3. This can't be simplified any further.", "4/3"),
    ("6 * 2.5 = 15. So she needs 15 minutes for 6 rounds.", "15"),
    ("The volume is 8,000 cm³. Because 1 litre is 1,000 cm³, the tank holds 8 litres.", "8"),
    ("假设全是兔，则有 40 条腿，多 16 条，所以鸡有 16÷2=8 只。", "8"),
]
WRONG = [
    ("<tool_response>\n42\n</tool_response>", "42"),
    ("It reaches 9 m. (12 m would need a longer ladder.)", "12"),
    ("Ann has 12 cards and Bob has 3*12 = 36 cards.", "36"),
    ("Ann is 9 years old, and her aunt is 36.", "36"),
    ("The sum is 8, which is about 9.", "8"),
    ("The sum is 8 (about 9).", "8"),
    ("The chance is 4 in 20, or 1/4.", "1/4"),
    ("The solution is **x = 2, y = 9**, or as an ordered pair, (9, 2).", "(2, 9)"),
    ("It is 40. If both were counted, it would be 80.", "80"),
    ("There are 64 numbers. Had we left out zero, there would be 48.", "48"),
    ("Ella has 48 left. The grading script expects 60.", "60"),
    ("There is no solution, so any k ≠ 6.", "6"),
    ("The maximum is at $x = 10$, where the value is $-39$.", "10"),
    ("The first goes up to 54 m, the second to 36 m, and the third to 24 m.", "54"),
    ("One of 8 and **9**.", "9"),
    (r"The answer is \text{(B)} minus", "(B)"),
    (r"six or \boxed{B}", "B"),
    ("The answer is 7.5 L times", "7.5 L"),
    ("#### Monday\n<answer>Friday</answer>", "Friday"),
]


@pytest.mark.parametrize(("message", "gold"), RIGHT)
def test_a_stated_answer_is_paid(message, gold):
    assert verify(message, gold).correct


@pytest.mark.parametrize(("message", "gold"), WRONG)
def test_what_states_something_else_is_not(message, gold):
    assert not verify(message, gold).correct


def test_a_value_beside_an_equal_form_is_none_for_another_gold():
    assert not verify("The chance is 2/9, or roughly 22.2%.", "22").correct


@pytest.mark.parametrize(
    "unit",
    [
        "<tool_response>",
        "is 1 and has ",
        "(ab ab ",
        "is at, where the a ",
        "**8** or as a b, ",
        "a = 2, ",
        "x → < ",
        ", the a to 1",
    ],
)
def test_hostile_messages_cost_little(unit):
    message = unit * (18_000 // len(unit)) + " so it is 8"
    with at_most(millions=12):
        verify(message, "8")
        verify(message[:580], "8")
