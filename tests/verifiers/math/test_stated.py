"""The gold in a sentence of a message: stated where all that stands beside and behind it is accounted for."""

import pytest

from tests._work import at_most
from turnwise.verifiers.math import verify

BOX = "What is the largest volume of the box, in cubic centimetres?"
CLUB = "Of 90 members 54 row and 41 swim, 22 of them both. How many members swim but do not row?"
RIGHT = [  # question, message, gold
    (CLUB, "Of the 41 swimmers, 22 also row. That leaves 41 - 22, so 19 members swim but do not row. The total of 90 is of"
     " no use here; it only tells us that 17 members do neither.", "19"),
    (BOX, "**Answer: 250 cm³**, for a box 5 cm × 5 cm × 10 cm.", "250"),
    (BOX, "**Answer: 250 cm³** (with a square base of side 5 cm)", "250"),
    (BOX, r"$$V_{\max}=5\times50=250\ (\text{cm}^3)$$", "250"),
    ("What is the remainder?", r"The remainder is \[ r(x) = 3 + x . \]", "x+3"),
    ("Find the domain of f.", r"**Final answer:** \(D = [0,4]\setminus\{2\} = [0,2)\cup(2,4]\)", r"[0,2)\cup(2,4]"),
    ("When does it end, if it starts at 9:00 a.m.? At what time?", r"3 hours later: $\boxed{12:00\text{ noon}}$", "12:00"),
    ("Does it converge? Answer yes or no.", "The terms tend to 1/2, so no, the series does not converge. Its partial sums"
     " stay bounded, which makes no difference.", "no"),
    ("Is it prime?", "**Answer: No** (it is a multiple of seven).", "no"),
    ("What is the average speed, in km/h?", "**Answer:** fifteen kilometres per hour ($15$ km/h)", "15"),
    ("Pens cost $42. How many dollars does she get back?", "She pays with $50. She gets eight dollars and fifty cents back."
     " (Two pens less would have left her with $40.)", "8.50"),
    ("How many of them are knights?", "Ben lies. There is exactly one knight, namely Ann.", "1"),
    ("The legs are 2 and 6. What is the hypotenuse?", "So c² = 40.\n\nThe hypotenuse is **2√10**, about 6.32. That fits: it should be longer than"
     " the leg, 6.", r"2\sqrt{10}"),
    ("Solve for x.", "Since a square is never negative, the equation has no real solution. (Taking roots anyway would lead to"
     " x = 3, where the left side isn't defined.)", "no solution"),
    ("What is det(3A) for the 2x2 matrix A with det A = 5?", "The factor comes out of both rows, which makes it **45**."
     " Taking it out only once would give 15, a common slip.", "45"),
    ("How old is the son now?", "The son is therefore 16 now, while his father is 40; in 8 years they will be 24 and 48.",
     "16"),
    ("At which point do the two lines meet?", "So 3x = 12. The lines meet at $x=4$, $y=1$. Both equations hold there: 8 - 7 = 1.", "(4, 1)"),
]  # fmt: skip
WRONG = [
    (CLUB, "Of the 41 swimmers, 22 also row, 19 do not. So 17 members do neither.", "19"),
    (CLUB, "41 - 22 = 19. So 22 members swim but do not row.", "19"),
    (CLUB, "So 19 members swim but do not row, or 17 if the trainer counts.", "19"),
    (BOX, "**Answer: 250 cm³** or 260 cm³", "250"),
    (BOX, "**Answer: 250 cm³** (or 260 cm³ with a lid)", "250"),
    (BOX, r"$$V_{\max}=5\times50=250\ (\text{m}^3)$$", "250"),
    ("What is the remainder?", r"The remainder is \[ r(x) = 3 - x . \]", "x+3"),
    ("Find the domain of f.", r"**Final answer:** \(D = [0,4]\setminus\{2\} = [0,2]\cup(2,4]\)", r"[0,2)\cup(2,4]"),
    ("Does it converge? Answer yes or no.", "The terms tend to 0, so yes, the series converges. There is no doubt.", "no"),
    ("Is it prime?", "**Answer: No** (or yes, if one counts 1).", "no"),
    ("What is the average speed, in km/h?", "**Answer:** fifteen miles per hour ($15$ mph)", "15"),
    ("How many of them are knights?", "Ben lies. There are exactly two knights, and exactly one knave.", "1"),
    ("How old is the son now?", "The son is therefore 12 now, while his father is 40; in 4 years he will be 16.", "16"),
    ("What is det(3A) for the 2x2 matrix A with det A = 5?", "That makes it **15**. Squaring would give 45, a common slip.",
     "45"),
    ("Solve for x.", "The first case has no solution. The second one gives x = 3.", "no solution"),
    ("What is the volume of the cone?", "The total surface of the cone amounts to 96π cm². For the volume we still need the"
     " height.", r"96\pi"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_a_stated_gold_is_paid(question, message, gold):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_a_gold_beside_what_is_not_accounted_for_is_not(question, message, gold):
    assert not verify(message, gold, question=question).correct


@pytest.mark.parametrize(
    "unit", ["so it is 8, ", "It is not 7. ", "(so 7 ", "eight and ", "7; 6, and ", "**7** would "]
)
def test_hostile_messages_cost_little(unit):
    message = unit * (9_000 // len(unit)) + " so it is 9"
    with at_most(millions=40):
        verify(message, "8", question="How many is it?")
