"""Sentences in words: the value that they conclude is read, two values side by side are none."""

import pytest

from turnwise.verifiers.math import verify

CONCLUDE = {
    "Okay! Three rows of four makes 12, and the five on the side give us a total of 17 apples.": "17",
    "Ann spent $120, which leaves her with $80.": "$80",
    "There are 8 outcomes and 3 of them are good, so the probability comes out as 3/8.": "3/8",
    "If you drive 270 km in 3 hours, you're going 90 kilometers per hour on average. Drive safely!": "90",
    "The biggest number dividing both 48 and 180 is 12. (48 = 12 × 4 and 180 = 12 × 15.)": "12",
    "3 - x > 0 means x < 3. The domain is (-∞, 3).": r"(-\infty, 3)",
    "Multiply it out, collect the two middle terms, and you'll find x² + 5x + 6.": "x^2+5x+6",
    "She had 20 cups, so she needs 20 cups - 4 cups = 16 cups.": "16",
    "It's not 8; it's 7.": "7",
    "30 * 2 = 60, 25 * 2 = 50, 60 + 50 = 110": "110",
    "**Total outcomes:** 8\n\n**Probability:** 3/8": "3/8",
    "| item | price |\n|---|---|\n| pen | $3 |\n| **Total** | **$18** |": "$18",
    "Out of 20 pens, 18 are left.": "18",
    "一共有8种等可能的结果，其中恰有两次正面的有3种，概率为3/8。": "3/8",
    "6的正因数有1、2、3、6。": "1, 2, 3, 6",
    "She earns $246. The account then holds $2646.": "2646",
    "Final answer: $246. The account then holds $2646.": "246",
    "$\\sqrt{18} = 3\\sqrt{2}$\n\n$5\\sqrt{2} + 7\\sqrt{2} - 3\\sqrt{2} = 9\\sqrt{2}$": r"9\sqrt{2}",
    "$x^2 + x^{-2} = 4^2 + 2 = 18$\n\n$x^3 - x^{-3} = 4 \\times (18 + 1) = 4 \\times 19 = 76$": "76",
}
OFFER_TWO = [
    ("Answer: 41 Answer: 42", "41", "42"),
    ("<answer>42</answer><answer>41", "41", "42"),
    ("<answer>41</answer> so <answer>42", "41", "42"),
    ("The sum is 41 and the product is 42.", "41", "42"),
    ("The total is 41 apples.\nThe total is 42 apples.", "41", "42"),
    ("Max is 41 years old, and Lea is 42 years old.", "41", "42"),
    ("The probability is 1/3, which reduces to 2/5.", "1/3", "2/5"),
    ("She has 41 apples (42 is also possible).", "41", "42"),
    ("$x + y = 41$\n\n$x + y = 42$", "41", "42"),
    ("$x = 41$\n\n$x = 42$", "41", "42"),
]
NONE = [
    "So we divide 42 by 6 and the number of apples is",
    "1/3 of 12 is 4. So 12 - 4 slices remain, and therefore the number of slices that remain is",
    "Starting from 8 leads nowhere.",
    "In the best case it is 8.",
    "The upper bound is 8.",
    "A common mistake gives 8.",
    "The claim is 8.",
    "8 fewer than 13",
]


@pytest.mark.parametrize("message", CONCLUDE)
def test_a_sentence_concludes_its_value(message):
    assert verify(message, CONCLUDE[message]).correct
    assert verify(f"We begin with what is given.\n{message}", CONCLUDE[message]).correct


@pytest.mark.parametrize(("message", "one", "two"), OFFER_TWO)
def test_two_values_side_by_side_are_no_answer(message, one, two):
    assert not verify(message, one).correct
    assert not verify(message, two).correct


@pytest.mark.parametrize("message", NONE)
def test_what_is_cut_off_or_no_result_is_no_answer(message):
    assert not any(verify(message, gold).correct for gold in ("8", "42", "4", "7"))
