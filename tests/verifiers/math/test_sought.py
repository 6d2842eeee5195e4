"""What the question decides: which statement, clause, item or form of a message is its answer."""

import itertools

import pytest

from turnwise.verifiers.math import verify

AGE = "Ida is three times as old as Per. In 8 years she will be twice as old as he is. How old is Ida now?"
GOATS = ("How many goats are there?", "So 34 ÷ 2 = 17 of the animals are goats, and the other 30 are hens.")
BOTH = ("How many take both?", "So 34 students take both subjects, which leaves 41 who take only one of them.")
CURRENT = (
    "What is the speed of the current in km/h?",
    "The barge's own speed is 10 km/h and the current flows at 2 km/h.",
)
SAND = (
    "How many kilograms of sand are needed?",
    "So the mixture has 80 kg of cement, 200 kg of sand and 280 kg of gravel.",
)
RIGHT = [
    (
        AGE,
        "Ida is 24.\n\nIf Per is t years old, 3t + 8 = 2(t + 8), so t = 8. In eight years they'll be 32 and 16.",
        "24",
    ),
    (
        "How much does a customer pay, in dollars?",
        "The customer pays **$73.44**.\n\n| Step | Amount |\n|---|---|\n| Price | $68.00 |\n| Tax | $5.44 |",
        "73.44",
    ),
    (
        "Find all k for which x^2 + kx + k + 3 = 0 has equal roots.",
        "**k = 6 or k = -2.**\n\nThe discriminant is k² - 4k - 12 = (k - 6)(k + 2) = 0.",
        "k = 6, k = -2",
    ),
    (
        "By what percentage is it higher?",
        "**It is 2% higher.**\n\nWhy: 1.20 × 0.85 = 1.02, which is 102% of the start.",
        "2%",
    ),
    (*GOATS, "17"),
    (*BOTH, "34"),
    (
        "What is the reaction at support A in kN?",
        "So the reaction at A is 6 kN.\n\nThe remaining 3 kN is carried by B.",
        "6",
    ),
    (*CURRENT, "2"),
    (*SAND, "200"),
    ("A sequence has a_1 = 2 and a_{n+1} = 3a_n - 2. Find a_4.", "a_2 = 4, a_3 = 10, a_4 = 28", "28"),
    ("Solve the system 3x + 2y = 4, 5x - y = 24.", "So 13x = 52 and\nx = 4\n\nand then y = 20 - 24 = -4.", "(4, -4)"),
    ("What percent of 50 is 20?", "So 20 is 40% of 50.", "40%"),
    ("15 is 30% of what number?", "So 15 is 30% of 50.", "50"),
    ("How many hours does it take?", "It takes 4 hours and 40 minutes.", "14/3"),
    ("How many minutes does it take?", "So it takes 1.5 hours, which is 90 minutes.", "90"),
    ("How many seconds does it last?", "The answer is 210 seconds, or three and a half minutes.", "210"),
    (
        "What is the probability?",
        "The probability is 190/680 = 19/68, or roughly 28% — low for a test.",
        r"\frac{19}{68}",
    ),
    ("What is her profit in pounds?", "That leaves Imke with £73.40 at the end of the day.", "73.40"),
    ("Evaluate the remainder of 7^2023 by 15.", "The cycle has length 4, so we have 7^2023 ≡ 7^3 ≡ 13 (mod 15).", "13"),
    ("Simplify the fraction.", r"The fraction reduces to $\frac{x-3}{x-2}$ for $x\ne-3$.", r"\frac{x-3}{x-2}"),
    ("What is the range in metres?", r"\boxed{R = 20\sqrt{3}\ \mathrm{m}}", r"20\sqrt{3}"),
    ("How many drops a minute?", "Answer: 50 drops/min", "50"),
]
WRONG = [
    (AGE, "Ida is 24.\n\nOr 32.", "24"),
    (AGE, "Ida is 24.\n\nSo she is 32.", "24"),
    (AGE, "Ida is 24.\n\nIt could also be 32.", "24"),
    (*GOATS, "30"),
    (*BOTH, "41"),
    (*CURRENT, "10"),
    (*SAND, "280"),
    ("How many minutes does it take?", "So it takes 1.5 hours, or 80 minutes.", "90"),
    ("How many hours does it take?", "It takes 4 hours and 50 minutes.", "14/3"),
    ("When does the shift end?", "The night shift ends at 6:25 p.m.", "6:25 a.m."),
    ("Factor completely: 6x^2-11x-10", r"\boxed{3x(2x-5)+2(2x-5)}", "(3x+2)(2x-5)"),
    ("Solve 4x - 2y = 10 for y.", r"\boxed{x = \frac{y+5}{2}}", "y = 2x - 5"),
    (
        "What is the sum?",
        r"The formula is $\frac{n(n+1)}{2}$, so we have $\frac{20 \cdot 21}{2} = \frac{420}{2}$, and this",
        "210",
    ),
    ("Which shop has the lowest price?", "Shop B or Shop C.", "Shop B"),
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_what_is_asked_for_is_read(question, message, gold):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_what_is_not_asked_for_earns_nothing(question, message, gold):
    assert not verify(message, gold, question=question).correct


FIRST = [
    "{a}.",
    "**{a}**",
    "Ida is {a}.",
    "There are {a} goats.",
    "{a} has the lowest price.",
    "{a} wins.",
    "a_3 = {a}",
]
SECOND = [
    "{b}.",
    "**{b}**",
    "Ida is {b}.",
    "The other {b} are hens.",
    "{b} has the lowest price.",
    "{b} wins.",
    "= {b}",
    "a_3 = {b}",
    "which leaves {b}.",
    "In still water, it is {b}.",
    "(or roughly {b})",
    "Why: 3 + 4 = {b}.",
]


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (AGE, "24", "32"),
        ("How many goats are there?", "17", "30"),
        ("Which shop has the lowest price?", "Shop A", "Shop B"),
        ("Who wins the election?", "Brandt", "Adair"),
        ("Find $a_3$.", "7", "9"),
    ],
)
def test_no_message_is_paid_for_two_answers(question, a, b):
    for first, between, second in itertools.product(FIRST, ("\n\n", " ", "\n"), SECOND):
        message = (first + between + second).format(a=a, b=b)
        assert not all(verify(message, gold, question=question).correct for gold in (a, b)), message
