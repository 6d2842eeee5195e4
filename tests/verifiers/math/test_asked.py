"""What a question asks for, and what a reader who knows it takes for the answer."""

import pytest

from turnwise.envs.data.grading import judge
from turnwise.verifiers.math import verify
from turnwise.verifiers.math.asked import asked_for, fits

HOW_MANY_MILES = "A train does 72 miles an hour. How many miles does it travel in 4 hours?"
LARGER = "The sum of two numbers is 24 and their difference is 4. What is the larger number?"

# question, message, gold
PAID = [
    (HOW_MANY_MILES, "It travels 288 miles. That's about 463 km.", "288"),
    ("What is the length of its diagonal?", "So the diagonal is 13 cm. Its area is 60 cm².", "13"),
    ("In how many ways can they sit?", "All in all there are 48 ways. Of the 120 arrangements that is 40%.", "48"),
    ("What is the vertex of the parabola?", "The vertex is (3, -4), and the axis of symmetry is x = 3.", "(3, -4)"),
    (LARGER, "The larger number is 14 and the smaller number is 10.", "14"),
    ("How many dollars does he earn a week?", "He earns $500 per week.", "500"),
    ("Find the probability, m/n in lowest terms, and give m+n.", "It is 3/4. Adding the two, m+n is 7.", "7"),
    ("How many minutes in 2.5 hours?", "2.5 h = 150 min", "150"),
    ("How much will it cost after the discount?", r"The price after the discount is \boxed{36} dollars.", "36"),
    ("How much change did she get, if she paid $15?", "The change from the $15 she paid is $4.", "4"),
    ("How many shoes were sold?", "The shop sold 50 pairs of shoes.", "50"),
    ("He buys 3 toys with 5 parts. How many parts are left?", "He has 93 pieces left.", "93"),
    ("How much more does it cost than Mrs. Cruz's car?", "It costs $9500 more than her car.", "9500"),
    ("In how many hours do they add up, after 5 days?", "They add up to 5 hours after 5 days.", "5"),
    ("How much does James pay a year?", "James pays $192 * 12 = $2304 in a year.", "2304"),
    ("How long is the trip, to the nearest hundred miles?", "It is 17700 miles.", "17700"),
    (
        "What is the difference between John and George's totals?",
        "The difference between John and George's is 21.",
        "21",
    ),
    ("How many dozens of eggs does she eat in 4 weeks?", "She eats #### 7 dozen eggs in 4 weeks.", "7"),
    ("Wie viele Dutzend Eier isst sie in 4 Wochen?", "FINAL ANSWER: 7 Dutzend", "7"),
    ("Atahitaji kufanya kazi kwa saa ngapi?", 'FINAL ANSWER:\n"""\n44 saa\n"""', "44"),
    (
        "He had 22 and has 8 after he ate 5 more. How many had he eaten?",
        "Given:\nHe had 22.\nHe has 8 after 5 more.\n\nQuestion: How many had he eaten?\n\nAnswer: He had eaten 9.",
        "9",
    ),
    ("Wie viel Prozent der Autos sind rot?", "20% der Autos sind rot.", "20"),
    ("Cuánto gana Janet en total al día, y cuánto John?", "Janet makes $18 per day.", "18"),
    ("哈利比詹姆斯多睡了几个小时？", "Harry slept 3 hours more than James.", "3"),
    ("Is black greater than blue?", "The answer is **(B) no**.\n\nBlue is 60, black is 80.", "B"),
    ("How many toffees are there?", "So there are 40 toffees. The remaining 120 candies are mints.", "40"),
]
REFUSED = [
    (HOW_MANY_MILES, "It travels 288 kilometers.", "288"),
    (HOW_MANY_MILES, r"So the answer is \boxed{288\text{ km}}.", "288"),
    ("How tall is the tree, in feet?", "The tree is **45 inches** tall.", "45"),
    ("What is the speed in m/s?", "Its speed is 24 km/h.", "24"),
    ("How many metres does it go in one second?", "90 / 3.6 = 25\n\n25 kilometres per second.", "25"),
    ("Wie viele Eier isst sie in 4 Wochen?", "FINAL ANSWER: 7 Dutzend", "7"),
    ("What does it cost?", "After the discount you save $36.", "36"),
    ("A shop has 9 boots and 50 shoes. How many shoes are sold?", "It sold 50 pairs of boots.", "50"),
    ("How many minutes does it take?", "It takes 15 minutes.\n\nIt takes 18 minutes.", "18"),
    ("How many minutes does it take?", "**15 minutes**\n**18 minutes**", "18"),
    ("Differentiate x^2 e^x.", "An antiderivative is e^x (x^2 + 2x).", "e^x(x^2 + 2x)"),
    ("What is its volume in cubic centimeters?", "体积是125立方米。", "125"),
    ("What is the length in cm?", "The length is 2w = 18 cm. The area is therefore **162 cm²**.", "18"),
    (LARGER, "The larger number is 14 and the smaller number is 10.", "10"),
    (LARGER, "The larger number is 14 or 16 and the smaller number is 10.", "14"),
    ("How many ways are there?", "There are 48 ways. Or 50 ways.", "48"),
]


@pytest.mark.parametrize(("question", "message", "gold"), PAID)
def test_what_answers_the_question_is_paid(question, message, gold):
    assert verify(message, gold, question=question).correct
    assert judge("math", message, gold, question).correct


@pytest.mark.parametrize(("question", "message", "gold"), REFUSED)
def test_what_does_not_answer_it_is_not(question, message, gold):
    assert not verify(message, gold, question=question).correct
    assert not judge("math", message, gold, question).correct


@pytest.mark.parametrize(
    ("question", "kind", "unit", "measure"),
    [
        ("A pool has 900 gallons. How many minutes does it take to fill?", "count", "minutes", ""),
        ("What is the area of the square, in square inches?", "", "square inches", "m^2"),
        ("By what factor does its volume increase?", "", "", ""),
        ("What is the probability that both are red?", "chance", "", ""),
        ("How much time did she spend on it?", "", "", ""),
        ("There are 300 pennies in a cup. What is the total?", "", "", ""),
        ("Find the $x$-coordinate of the vertex.", "", "", ""),
        ("Hello", "", "", ""),
    ],
)
def test_what_is_asked_for(question, kind, unit, measure):
    assert asked_for(question)[:3] == (kind, unit, measure)


def test_a_value_whose_kind_cannot_be_seen_fits():
    for question in ("How many apples?", "What is the probability of that?", "What is its vertex?", "In metres?"):
        for text in ("some words", "{", "\\frac{1}{2} \\text{ or so}"):
            assert fits(text, asked_for(question))


def test_without_a_question_nothing_changes():
    for _, message, gold in [*PAID, *REFUSED]:
        assert verify(message, gold) == verify(message, gold, question="")
