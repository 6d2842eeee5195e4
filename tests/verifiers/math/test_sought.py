"""What the question decides: which statement, clause, item or form of a message is its answer."""

import pytest

from turnwise.verifiers.math import verify

AGE = "Ida is three times as old as Per. In 8 years she will be twice as old as he is. How old is Ida now?"
RIGHT = [
    # the statement that opens a message, where the rest explains it
    (
        AGE,
        "24",
        "Ida is 24.\n\nIf Per is t years old, 3t + 8 = 2(t + 8), so t = 8. In eight years they'll be 32 and 16.",
    ),
    (
        "How much does a customer pay, in dollars?",
        "73.44",
        "The customer pays **$73.44**.\n\n| Step | Amount |\n|---|---|\n| Price | $68.00 |\n| Tax | $5.44 |",
    ),
    (
        "Find all k for which x^2 + kx + k + 3 = 0 has equal roots.",
        "k = 6, k = -2",
        "**k = 6 or k = -2.**\n\nThe discriminant is k² - 4k - 12 = (k - 6)(k + 2) = 0.",
    ),
    (
        "By what percentage is it higher?",
        "2%",
        "**It is 2% higher.**\n\nWhy: 1.20 × 0.85 = 1.02, which is 102% of the start.",
    ),
    # what the others do
    ("How many goats are there?", "17", "So 34 ÷ 2 = 17 of the animals are goats, and the other 30 are hens."),
    ("How many take both?", "34", "So 34 students take both subjects, which leaves 41 who take only one of them."),
    (
        "What is the reaction at support A in kN?",
        "6",
        "So the reaction at A is 6 kN.\n\nThe remaining 3 kN is carried by B.",
    ),
    # the clause or item that is asked for
    (
        "What is the speed of the current in km/h?",
        "2",
        "The barge's own speed is 10 km/h and the current flows at 2 km/h.",
    ),
    (
        "How many kilograms of sand are needed?",
        "200",
        "So the mixture has 80 kg of cement, 200 kg of sand and 280 kg of gravel.",
    ),
    ("A sequence has a_1 = 2 and a_{n+1} = 3a_n - 2. Find a_4.", "28", "a_2 = 4, a_3 = 10, a_4 = 28"),
    ("Solve the system 3x + 2y = 4, 5x - y = 24.", "(4, -4)", "So 13x = 52 and\nx = 4\n\nand then y = 20 - 24 = -4."),
    ("What percent of 50 is 20?", "40%", "So 20 is 40% of 50."),
    ("15 is 30% of what number?", "50", "So 15 is 30% of 50."),
    # other forms and units
    ("How many hours does it take?", "14/3", "It takes 4 hours and 40 minutes."),
    ("How many minutes does it take?", "90", "So it takes 1.5 hours, which is 90 minutes."),
    ("How many seconds does it last?", "210", "The answer is 210 seconds, or three and a half minutes."),
    (
        "What is the probability?",
        r"\frac{19}{68}",
        "The probability is 190/680 = 19/68, or roughly 28% — low for a test.",
    ),
    ("What is her profit in pounds?", "73.40", "That leaves Imke with £73.40 at the end of the day."),
    ("Evaluate the remainder of 7^2023 by 15.", "13", "The cycle has length 4, so we have 7^2023 ≡ 7^3 ≡ 13 (mod 15)."),
    ("Simplify the fraction.", r"\frac{x-3}{x-2}", r"The fraction reduces to $\frac{x-3}{x-2}$ for $x\ne-3$."),
    ("What is the range in metres?", r"20\sqrt{3}", r"\boxed{R = 20\sqrt{3}\ \mathrm{m}}"),
    ("How many drops a minute?", "50", "Answer: 50 drops/min"),
]
WRONG = [
    (AGE, "24", "Ida is 24.\n\nOr 32."),
    (AGE, "24", "Ida is 24.\n\nSo she is 32."),
    (AGE, "24", "Ida is 24.\n\nIt could also be 32."),
    ("How many goats are there?", "30", "So 34 ÷ 2 = 17 of the animals are goats, and the other 30 are hens."),
    ("How many take both?", "41", "So 34 students take both subjects, which leaves 41 who take only one of them."),
    (
        "What is the speed of the current in km/h?",
        "10",
        "The barge's own speed is 10 km/h and the current flows at 2 km/h.",
    ),
    (
        "How many kilograms of sand are needed?",
        "280",
        "So the mixture has 80 kg of cement, 200 kg of sand and 280 kg of gravel.",
    ),
    ("How many minutes does it take?", "90", "So it takes 1.5 hours, or 80 minutes."),
    ("How many hours does it take?", "14/3", "It takes 4 hours and 50 minutes."),
    ("When does the shift end?", "6:25 a.m.", "The night shift ends at 6:25 p.m."),
    ("Factor completely: 6x^2-11x-10", "(3x+2)(2x-5)", r"\boxed{3x(2x-5)+2(2x-5)}"),
    ("Solve 4x - 2y = 10 for y.", "y = 2x - 5", r"\boxed{x = \frac{y+5}{2}}"),
    (
        "What is the sum?",
        "210",
        r"The formula is $\frac{n(n+1)}{2}$, so we have $\frac{20 \cdot 21}{2} = \frac{420}{2}$, and this",
    ),
    ("Which shop has the lowest price?", "Shop B", "Shop B or Shop C."),
]


@pytest.mark.parametrize(("question", "gold", "message"), RIGHT)
def test_what_is_asked_for_is_read(question, gold, message):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "gold", "message"), WRONG)
def test_what_is_not_asked_for_earns_nothing(question, gold, message):
    assert not verify(message, gold, question=question).correct
