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
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon.", "12:00 PM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "So it gets there at 12:00 p.m.", "noon"),
    ("It leaves at 8 p.m. At what time does it arrive?", "It gets there at midnight.", "12:00 a.m."),
    ("It leaves at 4:00. At what time does it arrive?", "It arrives at a quarter to six.", "5:45"),
    ("At what time does it arrive?", "It arrives at half past 5.", "5:30 PM"),
    ("What is the ratio?", "The ratio is 3 to 10.", "3:10"),
    (
        "It leaves at 10:47 a.m. At what time does it arrive back?",
        "The ferry gets back at **4:10 p.m.**, which is 5 hours and 23 minutes after it left.",
        "4:10 PM",
    ),
    (
        "On what day of the week does July 27 of the same year fall?",
        "138 mod 7 = 5.\n\nThursday + 5 days → Friday, ..., Tuesday.\n\nSo July 27 falls on a Tuesday.",
        "Tuesday",
    ),
    (
        "If today is Tuesday, what day of the week will it be in 100 days?",
        "**Thursday.** 100 = 14 × 7 + 2, so it's two days after Tuesday.",
        "Thursday",
    ),
    (
        "What is the probability that they have the same colour?",
        "That is 21/45.\n\nThe answer is 7/15, so it is slightly more likely that the colours differ.",
        "7/15",
    ),
    (
        "Find the population variance of 4, 7, 9, 12, 18.",
        "The mean is 10.\n\n\\[\n\\sigma^2=\\frac{114}{5}=22.8\n\\]",
        "22.8",
    ),
    (
        "Find the image of (5,-2) under reflection in y = x + 1.",
        "Swap (5, -3) to (-3, 5), then shift:\n\n**(-3, 6)**\n\nThe midpoint is (1, 2), which does lie on y = x + 1.",
        "(-3,6)",
    ),
    (
        "Write \\frac{10-5i}{2+i} in the form a+bi.",
        "```python\nprint((10 - 5j) / (2 + 1j))\n```\n```output\n(3-4j)\n```",
        "3-4i",
    ),
    (
        "Write \\frac{10-5i}{2+i} in the form a+bi.",
        "Divide 15 - 20i by 5.\n\n**Final Answer:** 3 - 4i, so a = 3 and b = -4.",
        "3-4i",
    ),
    (
        "What is your expected gain per game, in dollars?",
        "Your expected gain is about $1.83 per game (exactly 11/6 dollars).\n\n- Six: 11/6\n\nThe others cancel.",
        "11/6",
    ),
    (
        "Find the line through (2,3) perpendicular to y = x/2 + 1.",
        "Its slope is -2.\n\nSo the equation of the line is **2x + y = 7** (or y = 7 − 2x).",
        "y=-2x+7",
    ),
    (
        "How many millilitres of 6.0 M acid are needed for 450 mL of a 0.80 M solution?",
        "You need 60 mL of the 6.0 M acid.\n\nV₁ = (0.80 M × 450 mL) / 6.0 M = 60 mL\n\n"
        "In practice, add it slowly to about 300 mL of water. Never add water to concentrated acid!",
        "60",
    ),
    (
        "What is the pH of a 0.0020 M solution?",
        "pH = −log(0.0020) = 2.70\n\nAs a sanity check, 0.001 M would give pH 3 and 0.01 M would give pH 2, so a value"
        " between the two makes sense.",
        "2.70",
    ),
    (
        "Simplify sqrt(72) + sqrt(50) - sqrt(18).",
        "- √72 = 6√2\n- √50 = 5√2\n- √18 = 3√2\n\nThen combine like terms:\n\n6√2 + 5√2 − 3√2 = 8√2 ≈ 11.31",
        "8\\sqrt{2}",
    ),
    (
        "How many positive divisors does 4800 have?",
        "7 × 2 × 3 = 42\n\nFinal answer: 4800 has 42 positive divisors.",
        "42",
    ),
    (
        "By how much does the mean exceed the median?",
        "119 / 7 = 17, and the 4th is 15.\n\nThe mean exceeds the median by 2.",
        "2",
    ),
    (
        "What is their equivalent resistance in ohms?",
        "The equivalent resistance is \\(\\frac{20}{3}\\,\\Omega\\).\n\n\\[\nR=\\frac{320}{48}=\\frac{20}{3}.\n\\]\n"
        "As expected, it is smaller than either resistor.",
        "20/3",
    ),
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
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon.", "12:00 AM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon or at 1 p.m.", "12:00 PM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon or at 1 p.m.", "1:00 PM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon, or perhaps midnight.", "12:00 PM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon/midnight.", "12:00 PM"),
    ("It leaves at 9:15 a.m. At what time does it arrive?", "It arrives at noon/midnight.", "12:00 AM"),
    ("It leaves at 4:15. At what time does it arrive?", "five past five to six", "5:05"),
    ("When does the shift end?", "The night shift ends at 6:25 p.m.", "6:25 a.m."),
    ("Factor completely: 6x^2-11x-10", r"\boxed{3x(2x-5)+2(2x-5)}", "(3x+2)(2x-5)"),
    ("Factor completely: 3x^3-12x", r"\boxed{3x(x^2-4)}", "3x(x-2)(x+2)"),
    ("Factor a^4-b^4 completely.", r"\boxed{(a^2-b^2)(a^2+b^2)}", "(a-b)(a+b)(a^2+b^2)"),
    ("Solve 4x - 2y = 10 for y.", r"\boxed{x = \frac{y+5}{2}}", "y = 2x - 5"),
    (
        "What is the sum?",
        r"The formula is $\frac{n(n+1)}{2}$, so we have $\frac{20 \cdot 21}{2} = \frac{420}{2}$, and this",
        "210",
    ),
    ("Which shop has the lowest price?", "Shop B or Shop C.", "Shop B"),
    ("What day of the week will it be?", "**Thursday.** 100 = 14 × 7 + 2, so it's two days after Tuesday.", "Tuesday"),
    ("What day of the week will it be?", "It is Thursday or Friday.", "Friday"),
    ("What day of the week will it be?", "Thursday.\nOr Friday.", "Thursday"),
    ("What day of the week will it be?", "**Thursday**\n\nIt may also be Friday.", "Thursday"),
    ("What day of the week will it be?", "**Thursday.** If not, Friday.", "Thursday"),
    ("What day of the week will it be?", "**Thursday**\nBut Friday fits as well.", "Thursday"),
    (
        "It leaves at noon. At what time does it arrive?",
        "It arrives at **4:10 p.m.**, 5 hours and 23 minutes after it left.",
        "5:23 PM",
    ),
    ("Expand and simplify (2x - 3)(x^2 + x - 1).", "The answer is 2x(x^2 + x - 1) - 3(x^2 + x - 1).", "2x^3-x^2-5x+3"),
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
    "**{a}.** 5 more.",
    "It falls on {a}.",
    "**{a}**\n\nThat is a lot.",
    "It is about 3.5 (exactly {a}).",
    "Final answer: {a}, so it is large.",
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
    "So it falls on a {b}.",
    "**{b}**\n\nThat is a lot.",
    "```python\nprint(1)\n```\n```output\n{b}\n```",
    "In practice, it is {b}.",
    "It exceeds the median by {b}.",
    "The answer is {b}, so it is likely.",
]


@pytest.mark.parametrize(
    ("question", "a", "b"),
    [
        (AGE, "24", "32"),
        ("How many goats are there?", "17", "30"),
        ("Which shop has the lowest price?", "Shop A", "Shop B"),
        ("Who wins the election?", "Brandt", "Adair"),
        ("Find $a_3$.", "7", "9"),
        ("On what day of the week does it fall?", "Tuesday", "Friday"),
        ("It begins at 3 p.m. At what time does it end?", "4:10 PM", "5:40 PM"),
        ("It begins at 3 p.m. At what time does it end?", "midnight", "half past 5"),
        ("At what time does the ball hit the ground?", "2 s", "3 s"),
    ],
)
def test_no_message_is_paid_for_two_answers(question, a, b):
    for first, between, second in itertools.product(FIRST, ("\n\n", " ", "\n"), SECOND):
        message = (first + between + second).format(a=a, b=b)
        assert not all(verify(message, gold, question=question).correct for gold in (a, b)), message
