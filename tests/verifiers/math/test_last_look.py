"""The last look at a message, which knows the gold: what it finds, and what stands in its way."""

import pytest

from tests._work import at_most
from turnwise.verifiers.math import verify

MEAN = "After five tests, Nina's mean score is 82. What score must she get on the sixth test to raise her mean to 84?"
PRICE = (
    "A museum charges £11.50 for an adult and £6.25 for a child. How much do 14 adults and 22 children pay, in pounds?"
)
MARBLES = "A bag has 60 marbles, red, blue and green in the ratio 3 : 4 : 5. How many green marbles are in the bag?"
SON = (
    "A father is four times as old as his son. In 20 years he will be twice as old as his son. How old is the son now?"
)
SINE = "Angle \\theta is acute and \\tan\\theta = \\frac{3}{4}. Find \\sin 2\\theta."
LOG = "Solve for x: log_2(x) + log_2(x - 2) = 3."
RATE = "A garden centre sells 36 tulip bulbs for $27. What do 100 bulbs cost at the same rate, in dollars?"
CUBE = "How many edges does a cube with one corner cut off have?"
DICE = "Two dice are rolled. What is the probability that the product of the two numbers is a multiple of 3?"

BOX = "What is the largest volume of the box, in cubic centimetres?"
CLUB = "Of 90 members 54 row and 41 swim, 22 of them both. How many members swim but do not row?"

RIGHT = [
    (
        MEAN,
        "So she needs 504 - 410 = 94 on the sixth test. Another way to see it: she needs 84, plus 2 for each.",
        "94",
    ),
    (
        MARBLES,
        "- Red: $3 \\times 5 = 15$\n- **Green: $5 \\times 5 = 25$**\n\nThese add up to 60, as they should.",
        "25",
    ),
    (
        SON,
        "So s = 10. The son is now **10 years old**, and the father is 40. In 20 years they will be 30 and 60.",
        "10",
    ),
    (SINE, "So \\(\\sin\\theta=0.6\\), \\(\\cos\\theta=0.8\\) and \\(\\sin2\\theta=2(0.6)(0.8)=0.96\\).", "0.96"),
    ("Solve 5x - 7 > 13.", "The solution is all x greater than 4, that is x > 4.", "x > 4"),
    ("What is tan(60°)?", "The tangent of 60° is the square root of 3, about 1.732.", "\\sqrt{3}"),
    ("How many bolts a month?", "55,200 × 25 = 1,380,000. So it turns out 1.38 million bolts each month.", "1380000"),
    ("Which is the largest? (A) 5/8 (B) 0.63 (C) 16/25", "As decimals, A is 0.625. The largest is **(C) 16/25**.", "C"),
    ("Bakery Anker or bakery Brot: which bakery is cheaper per roll?", "64 cents against 65. Brot it is!", "Brot"),
    ("Is 2027 a prime number?", "Checking 2, 3, 5, ..., 43, none of them divides 2027. So yes, it's prime.", "Yes"),
    (
        "If March 1 is a Tuesday, what day is March 19?",
        "Tuesday + 4 days = Saturday. So March 19 is a Saturday.",
        "Saturday",
    ),
    (BOX, "**Answer: 250 cm³**, for a box 5 cm × 5 cm × 10 cm.", "250"),
    (BOX, "**Answer: 250 cm³** (with a square base of side 5 cm)", "250"),
    (BOX, "$$V_{\\max}=5\\times50=250\\ (\\text{cm}^3)$$", "250"),
    ("What is the remainder?", "The remainder is \\[ r(x) = 3 + x . \\]", "x+3"),
    (
        "Find the domain of f.",
        "**Final answer:** \\(D = [0,4]\\setminus\\{2\\} = [0,2)\\cup(2,4]\\)",
        "[0,2)\\cup(2,4]",
    ),
    (
        "When does it end, if it starts at 9:00 a.m.? At what time?",
        "3 hours later: $\\boxed{12:00\\text{ noon}}$",
        "12:00",
    ),
    (
        "Does it converge? Answer yes or no.",
        "The terms tend to 1/2, so no, the series does not converge. Its partial sums stay bounded.",
        "no",
    ),
    ("Is it prime?", "**Answer: No** (it is a multiple of seven).", "no"),
    ("What is the average speed, in km/h?", "**Answer:** fifteen kilometres per hour ($15$ km/h)", "15"),
    (
        "Pens cost $42. How many dollars does she get back?",
        "She pays with $50. She gets eight dollars and fifty cents back. (Two pens less would have left her with $40.)",
        "8.50",
    ),
    ("How many of them are knights?", "Ben lies. There is exactly one knight, namely Ann.", "1"),
    (
        "What is det(3A) for the 2x2 matrix A with det A = 5?",
        "The factor comes out of both rows, which makes it **45**. Taking it out once would give 15, a common slip.",
        "45",
    ),
    (
        "How old is the son now?",
        "The son is therefore 16 now, while his father is 40; in 8 years they will be 24 and 48.",
        "16",
    ),
]
WRONG = [
    (MEAN, "So she needs 504 - 410 = 94 on the sixth test, or 96 if the best one counts twice.", "94"),
    (MEAN, "The tests sum to 504 - 410 = 94. That gives her 98.", "94"),
    (PRICE, "Adding these gives **£298.50**. With the discount they pay **£268.65**.", "298.50"),
    (PRICE, "Adding these gives £298.50, so the club pays £300 with the tip.", "298.50"),
    (MARBLES, "**Red: $3 \\times 5 = 15$**\n\n**Green: $5 \\times 5 = 25$**", "15"),
    (SON, "So s = 10, and the father is 40. The answer is 40.", "10"),
    (SON, "The son is now 10 or 12 years old, and the father is 40.", "10"),
    (SINE, "So \\(\\sin\\theta=0.6\\), \\(\\cos\\theta=0.8\\) and \\(\\sin2\\theta=2(0.6)(0.8)=0.96\\).", "0.8"),
    (LOG, "(x - 4)(x + 2) = 0. Therefore the solutions are:\n\n* **x = -2**\n* **x = 4**", "4"),
    (RATE, "27/36 = 0.75 per bulb. 100 bulbs * 0.75 = $75.", "0.75"),
    (CUBE, "A cube starts out with 12 edges. Cutting off a corner gives 3 new edges. That gives us 15 edges.", "12"),
    (CUBE, "A cube has 12 edges and 3 are new, but whether the old ones still count is unclear: 15 edges.", "15"),
    (DICE, "I expected 4/9, and the complement is 1 - 4/9 = 5/9. It isn't clear which one is meant.", "5/9"),
    (
        "Find the roots of x^2 - 7x + 10.",
        "(x - 2)(x - 5) = 0. The roots are therefore 2 and 5, both of them positive.",
        "2",
    ),
    (
        "How far does it go before it stops, in m?",
        "$0 = 400 - 5s$, so $s = 80$.\n\nThe stopping distance is **80 km**.",
        "80",
    ),
    (
        "What is the median of 7, 3, 9, 4, 12, 5, 8?",
        "There are 7 numbers. The middle one is 4. So the median is 4.",
        "7",
    ),
    ("Solve 3x-7=14.", "x != 7", "7"),
    ("Bakery Anker or bakery Brot: which bakery is cheaper per roll?", "64 cents against 65. Anker it is!", "Brot"),
    ("Is 2027 a prime number?", "Checking 2, 3, 5, ..., 43, one of them divides 2027. So no, it isn't prime.", "Yes"),
    (CLUB, "Of the 41 swimmers, 22 also row, 19 do not. So 17 members do neither.", "19"),
    (CLUB, "41 - 22 = 19. So 22 members swim but do not row.", "19"),
    (CLUB, "So 19 members swim but do not row, or 17 if the trainer counts.", "19"),
    (BOX, "**Answer: 250 cm³** or 260 cm³", "250"),
    (BOX, "**Answer: 250 cm³** (or 260 cm³ with a lid)", "250"),
    (BOX, "$$V_{\\max}=5\\times50=250\\ (\\text{m}^3)$$", "250"),
    ("What is the remainder?", "The remainder is \\[ r(x) = 3 - x . \\]", "x+3"),
    (
        "Find the domain of f.",
        "**Final answer:** \\(D = [0,4]\\setminus\\{2\\} = [0,2]\\cup(2,4]\\)",
        "[0,2)\\cup(2,4]",
    ),
    (
        "Does it converge? Answer yes or no.",
        "The terms tend to 0, so yes, the series converges. There is no doubt.",
        "no",
    ),
    ("Is it prime?", "**Answer: No** (or yes, if one counts 1).", "no"),
    ("What is the average speed, in km/h?", "**Answer:** fifteen miles per hour ($15$ mph)", "15"),
    ("How many of them are knights?", "Ben lies. There are exactly two knights, and exactly one knave.", "1"),
    ("How old is the son now?", "The son is therefore 12 now, while his father is 40; in 4 years he will be 16.", "16"),
    (
        "What is det(3A) for the 2x2 matrix A with det A = 5?",
        "That makes it **15**. Squaring would give 45, a common slip.",
        "45",
    ),
    ("Solve for x.", "The first case has no solution. The second one gives x = 3.", "no solution"),
    (
        "What is the volume of the cone?",
        "The total surface of the cone amounts to 96π cm². For the volume we still need the height.",
        "96\\pi",
    ),
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_an_answer_in_a_new_form_is_found(question, message, gold):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_a_gold_that_is_not_the_answer_earns_nothing(question, message, gold):
    assert not verify(message, gold, question=question).correct


BESIDE = [  # question, message, the gold, and what the rules read
    (PRICE, "Adding these gives **£298.50**.\n\nSo the club should bring just under £300 for entry.", "298.50", "300"),
    (
        "Solve 6x^2 - 19x - 20 = 0.",
        "Setting each to zero gives x = 4 from the first and x = -5/6 from the second.",
        "4, -5/6",
        "-5/6",
    ),
    ("How many bolts a month?", "So it turns out 1.38 million bolts each month.", "1380000", "1.38"),
    (
        "Find the vertex of the parabola y = 2x^2 - 12x + 11.",
        "= 2(x - 3)^2 - 7. From this you can read off the vertex at x = 3, y = -7; it's a minimum.",
        "(3, -7)",
        "y = -7",
    ),
    ("What percent of 80 is 20?", "So 20 is 25% of 80, since 100% divided by 4 is 25%.", "25%", "80"),
    ("Find the area.", "The area comes out to 84, since s = 21 and 21 · 8 · 7 · 6 = 7056 = 84².", "84", "84²"),
]


@pytest.mark.parametrize(("question", "message", "gold", "read"), BESIDE)
def test_the_gold_is_not_paid_beside_a_value_that_would_be(question, message, gold, read):
    assert not all(verify(message, one, question=question).correct for one in (gold, read))


@pytest.mark.parametrize(
    "unit", ["so it is 8, ", "It is not 7. ", "(so 7 ", "eight and ", "7; 6, and ", "**7** would "]
)
def test_hostile_messages_cost_little(unit):
    message = unit * (9_000 // len(unit)) + " so it is 9"
    with at_most(millions=40):
        verify(message, "8", question="How many is it?")


STATED = [
    "So she needs {a} points.",
    "She needs 504 - 410 = {a} points on the sixth test.",
    "**Score: {a}**",
    "That is, {a}.",
    "Her score on the sixth test must be {a}, which is a lot.",
    "410 + {a} = 504, so the score is {a}.",
]
BEHIND = [
    "She needs {b} points.",
    "That makes {b}.",
    "504 - 406 = {b}.",
    "So the score is {b}.",
    "**{b}**",
    "Score: {b}",
    "With the bonus, her score on the sixth test is {b}.",
    "The score is {b}.",
    "Hence {b}.",
    "It isn't clear whether it is {b}.",
    "Both {a} and {b} are possible.",
]


@pytest.mark.parametrize("stated", STATED)
def test_nothing_behind_it_is_paid_as_well(stated):
    for behind in BEHIND:
        for between in (" ", "\n", "\n\n"):
            message = (stated + between + behind).format(a=94, b=98)
            assert not all(verify(message, gold, question=MEAN).correct for gold in ("94", "98")), message
