"""Right numbers that a message gives as something else than the question asks for."""

import pytest

from turnwise.verifiers.math import verify
from turnwise.verifiers.messages.sought.another import of_another

COWS = "A farmer has chickens and cows, 30 heads and 84 legs. How many cows are there?"
AGES = "Anna is 4 years older than Ben. Together they are 30. How old is Ben?"
TANK = "A tank holds 240 litres and drains at 16 litres per minute. How many minutes does it take to empty?"
DICE = "What is the probability that both rolls show a six?"
RED = "A bag has 3 red and 7 blue marbles. What is the probability that a drawn one is red?"
SALE = "A shirt costs $40 and is discounted by 15%. What is the sale price?"
GROWTH = "The population grew from 8000 to 9200. By what percentage did it grow?"
SHARE = "What fraction of an hour is 45 minutes, in lowest terms?"
MAXIMUM = "What is the maximum value of $f(x) = 5 - (x - 2)^2$?"
SPEED = "A train 120 m long passes a pole in 6 seconds. What is its speed in km/h?"
PENS = "A shop sells 3 pens and 2 notebooks for $11. How much does one notebook cost, in dollars?"

# question, gold, a wrong message, a right one
TWINS = [
    (COWS, "12", "2x = 24, so he has 12 chickens.", "2x = 24, so he has 12 cows."),
    (AGES, "13", "b = 13. Therefore, Anna is 13.", "b = 13. Therefore, Ben is 13."),
    (AGES, "13", "Ben is 13 months old.", "Ben is 13 years old."),
    (DICE, "1/36", "The probability that neither shows a six is 1/36.", "The probability that both show one is 1/36."),
    (RED, "3/10", "The probability that it is not red is 3/10.", "The probability that it is red is 3/10."),
    (SALE, "34", "So you save $34 on it.", "So you pay $34 for it."),
    (GROWTH, "15%", "So it grew to 15% of its former size.", "So it grew by 15% of its former size."),
    (GROWTH, "15%", "The population fell by 15%.", "The population rose by 15%."),
    (SHARE, "3/4", "That is 45/60 of an hour.", "That is 45/60 = 3/4 of an hour."),
    ("Express 7/20 as a decimal.", "0.35", "It is 7/20 = 35/100.", "7/20 is the same as 0.35."),
    ("Simplify $\\sqrt{50}$.", "5\\sqrt{2}", "√50 = √(25·2) ≈ 7.07", "√50 = 5√2 ≈ 7.07"),
    (MAXIMUM, "5", "The minimum value is 5.", "The maximum value is 5."),
    (SPEED, "72", r"Its speed is \(\boxed{72}\) m/s.", r"Its speed is \(\boxed{72}\) km/h."),
    (TANK, "15", "\\boxed{15}\n\nSo it takes 18 minutes.", "\\boxed{15}\n\nSo it takes 15 minutes."),
    (TANK, "15", "The answer is 15.\n\nHence, it is 18.", "The answer is 15.\n\nHence, it is 15."),
    (TANK, "15", "240 / 16 = 15. So it takes 15 minutes longer.", "240 / 16 = 15. So it takes 15 minutes."),
    (PENS, "4", "n = 4. **A pen costs $4.**", "n = 4. **A notebook costs $4.**"),
    ("Write 300 in base 6.", "1220", "So it is 1220 in base 10.", "So it is 1220 in base 6."),
    (
        "At what time do they meet?",
        "12 p.m.",
        "They meet at noon, one hour before the correct answer.",
        "They meet at noon.",
    ),
    ("How many divisors has 24?", "8", "It has 8, twice as many as the correct one.", "It has 8, twice as many as 6."),
    ("What is the 10th term of 5, 8, 11, ...?", "32", "The 9th term is 32.", "The 10th term is 32."),
    (
        "What is the ratio of boys to girls?",
        "2:3",
        "The ratio of girls to boys is 2:3.",
        "The ratio of boys to girls is 2:3.",
    ),
    ("If $f(x) = 2x + 1$, find $f(f(3))$.", "15", "f(7) = 15. Hence f(3) = 15.", "f(3) = 7. Hence f(f(3)) = 15."),
    ("An angle has sine 1/2. What is it in degrees?", "30", "So θ = 30 rad.", "So θ = 30 degrees."),
    ("A rectangle is 8 cm by 5 cm. What is its perimeter?", "26 cm", "P = 2(8 + 5) = 26 cm^2", "P = 2(8 + 5) = 26 cm"),
]


@pytest.mark.parametrize(("question", "gold", "message", "right"), TWINS)
def test_the_right_number_for_something_else_is_not_paid(question, gold, message, right):
    assert not verify(message, gold, question=question).correct
    assert verify(right, gold, question=question).correct


@pytest.mark.parametrize(
    ("message", "value", "asking"),
    [
        ("The larger root minus the smaller one is 5.", "5", "What is the larger root minus the smaller one?"),
        ("It is not the minimum but the maximum that is 5.", "5", "What is the maximum?"),
        ("Each lap takes 2 minutes, and 10 laps take 20 minutes.", "20", "How many minutes do 10 laps take?"),
        ("The area is 40, but the perimeter is 26.", "26", "What is the perimeter?"),
        ("He has 27 red marbles left.", "27", "How many marbles does he have left?"),
        ("They flash together again 360 s later.", "360", "After how many seconds do they flash together again?"),
    ],
)
def test_what_says_what_is_asked_for_is_no_other_quantity(message, value, asking):
    assert not of_another(message, value, asking, asking)
