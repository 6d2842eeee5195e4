"""A statement that answers the question, and what stands behind it: shares, rates, checks, other quantities."""

import pytest

from turnwise.verifiers.math import verify

SHARE = "Sara and Ben share $560 in the ratio 3:4. How much does Ben get?"
MARBLES = "Tom has 3 times as many marbles as Ana. Together they have 96 marbles. How many marbles does Tom have?"
JACKET = "A jacket costs $80 and is discounted by 35%. What is the sale price?"
BOAT = "A boat goes 24 km downstream in 2 hours and returns in 3 hours. What is the speed of the current?"
TIP = "A 20% tip on a restaurant bill was $9. What was the bill before the tip?"
ROSES = "A florist makes bouquets of 7 roses. She has 150 roses. How many full bouquets can she make?"
SISTERS = "Two sisters are 32 years old together, and one is 6 years older. How old is the older sister?"
STAMPS = "Max had 56 stamps and gave away 3/8 of them. How many are left?"
MUFFINS = "A bakery sells 64 muffins at $2.50 and spends $70 on ingredients. How much profit did it make?"
SOLVE = "Solve for x: 5x - 7 = 3x + 9"
LADDER = "A ladder 10 m long stands with its foot 6 m from a wall. How high up the wall does it reach?"
BOTTLES = "A machine fills 36 bottles in 4 minutes. How many bottles does it fill in an hour?"
FAIR = "What is the probability of rolling a sum of 7 with two fair dice?"
PUMP = "A pump moves 18 litres in 4 seconds. How many litres does it move in a minute?"

RIGHT = [
    (SHARE, "Each of the 7 parts is $80.\n\nBen's share is $320 and Sara's is $240.", "320"),
    (MARBLES, "x + 3x = 96, so x = 24.\n\nSo Tom has 72 marbles and Ana has 24. Together that's 96.", "72"),
    (MARBLES, "96 ÷ 4 = 24 marbles for Ana.\n\n**Tom: 72 marbles**\nAna: 24 marbles", "72"),
    (JACKET, "35% of $80 is $28.\n\n$80 − $28 = **$52**\n\nYou save $28.", "52"),
    (JACKET, "The sale price is $52. You'd pay 65% of the original price, which means a saving of $28.", "52"),
    (BOAT, "Current = (12 − 8)/2 = 2 km/h\n\nThe current flows at 2 km/h, and the boat does 10 km/h itself.", "2 km/h"),
    (TIP, "If 20% is $9, then 100% is 5 × $9 = **$45**. Altogether the guest paid $54.", "45"),
    (TIP, "**$45** was the bill before the tip. With the tip of $9, the total is $54.", "45"),
    (ROSES, "**21 bouquets.** They use up 147 of the roses, so 3 remain.", "21"),
    (SISTERS, "(32 + 6) / 2 = 19\n\nThe older sister is 19, and the younger one is 13.", "19"),
    (SOLVE, "Divide by 2: x = 8\n\nChecking: 5(8) − 7 = 33 and 3(8) + 9 = 33, so both sides equal 33.", "8"),
    (LADDER, "√(100 − 36) = 8\n\nThe ladder reaches 8 m up the wall, which makes an angle of about 53°.", "8"),
    (BOTTLES, "9 × 60 = 540\n\nIt fills 540 bottles per hour, or 4,320 in an eight-hour shift.", "540"),
]
WRONG = [
    (SHARE, "Each of the 7 parts is $80.\n\nBen's share is $240 and Sara's is $320.", "320"),
    (SHARE, "One part is **$80**. Ben gets 3 parts, which makes $240.", "80"),
    (MARBLES, "x + 3x = 96, so x = 24.\n\nSo Tom has 24 marbles and Ana has 72. Together that's 96.", "72"),
    (JACKET, "35% of $80 is **$28**. So the sale price is $52.", "28"),
    (JACKET, "The sale price is $28. You'd pay 35% of the original price and save $52.", "52"),
    (TIP, "5 × $9 = **$45**. So with the tip, the bill was $54.", "45"),
    (ROSES, "**22 bouquets.** 21 of them are full.", "21"),
    (SISTERS, "(32 + 6) / 2 = 19\n\nThe older sister is 13, and the other one is 19.", "19"),
    (STAMPS, "3/8 of 56 = 21. Max gave away 21 stamps. He kept the remaining 35 stamps.", "21"),
    (PUMP, "It moves 18 / 4 = 4.5 litres per second, so it moves 270 litres in a minute.", "4.5"),
    (MUFFINS, "64 × $2.50 = $160. The bakery makes **$160**. It might also be $90.", "160"),
    (FAIR, "The probability is **1/6**. Or it is 1/11, if only the sums count.", "1/6"),
    (BOTTLES, "36 / 4 = 9. So it fills 9 bottles. Multiplying by 60 gives 540 bottles in an hour.", "9"),
    (LADDER, "√(100 − 36) = 8\n\nThe ladder reaches 8 m up the wall. Sorry, that should be 6 m.", "8"),
]
TWO = [
    (JACKET, "The sale price is $52. You'd pay 65% of the original price, which means a saving of $28.", "52", "28"),
    (TIP, "If 20% is $9, then 100% is 5 × $9 = **$45**. Altogether the guest paid $54.", "45", "54"),
    (SISTERS, "(32 + 6) / 2 = 19\n\nThe older sister is 19, and the younger one is 13.", "19", "13"),
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_what_stands_behind_the_answer_does_not_answer(question: str, message: str, gold: str) -> None:
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_a_step_or_the_value_of_another_is_no_answer(question: str, message: str, gold: str) -> None:
    assert not verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold", "other"), TWO)
def test_of_the_values_of_a_message_one_is_paid(question: str, message: str, gold: str, other: str) -> None:
    assert verify(message, gold, question=question).correct
    assert not verify(message, other, question=question).correct
