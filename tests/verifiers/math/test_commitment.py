"""What an author says of an answer, beside and behind it, and the value that a worked solution closes with."""

import pytest

from turnwise.verifiers.math import verify
from turnwise.verifiers.messages import read_message

WORK = "There are 12 boxes with 9 pens each, which makes 108 pens. 31 of the 108 pens are red.\n\n"


@pytest.mark.parametrize(
    "message",
    [
        "Gun to my head: 8.",
        "**Draft:** 8",
        "Final answer: 8 (needs checking)",
        "Final answer: 8. I retract this.",
        "#### 8\n\nHmm, that seems too small.",
        "<answer>8</answer>\n\nDisregard the above, I used the wrong formula.",
        "\\boxed{8} is only a placeholder.",
        "If I squint, 8.",
        "The answer is 8, more by luck than by judgement.",
    ],
)
def test_an_answer_that_its_author_does_not_stand_behind_earns_nothing(message):
    assert not verify(message, "8").correct
    assert not verify(WORK + message, "8").correct


@pytest.mark.parametrize(
    ("message", "gold"),
    [
        ("The answer is 8. Let me know if you have any questions!", "8"),
        ("The answer is 8, since two fours make it.", "8"),
        ("Kim's 8!", "8"),
        ("The answer is 5. Alternatively, one can count directly.", "5"),
        ("Mark left 5 of 12 questions blank. He left a total of 7 questions unfinished.", "7"),
    ],
)
def test_what_only_describes_an_answer_takes_nothing_back(message, gold):
    assert verify(message, gold).correct, read_message(message)


@pytest.mark.parametrize(
    ("message", "gold"),
    [
        ("230 tickets times $11 a ticket rings up $2,530 at the box office!", "2530"),
        ("**At least one:** 18 + 15 - 5 = 28 students\n\n**Neither:** 40 - 28 = 12 students", "12"),
        ("There are 26 letters and 5 of them are vowels. The remaining 21 are consonants.", "21"),
        ("Each crate holds 24 bottles. So 5 crates hold 120 bottles.\n\nNow let's look at the next", "120"),
        ("One metre is 100 cm. Hence 2.4 m correspond to 240 cm.\n\nQuestion: How many grams are in 3 kg?", "240"),
        ("Answer:\nF = 2 x 125 = 250\nT = 125 + 125 + 250 = 500\n\nTherefore, they make 500 rolls.", "500"),
        ("40 + 23 = 63 shirts, 29 washed.\n\nAnswer:\nSam did not wash 34 shirts.", "34"),
    ],
)
def test_a_worked_solution_closes_with_its_value(message, gold):
    assert verify(message, gold).correct, read_message(message)
    assert not verify(message, "5").correct
