"""The model that picks the answer of a message where no rule reads the gold in it."""

import json
from collections import ChainMap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.verifiers.math import verify
from turnwise.verifiers.math.directed import bounded, directed
from turnwise.verifiers.math.message import case_for
from turnwise.verifiers.math.picked import LIKELY, LIKELY_SEVERAL, SURE, picked, read_of
from turnwise.verifiers.messages.picked.mentions import Mention, Read
from turnwise.verifiers.messages.picked.model import FILE, chances, weights
from turnwise.verifiers.messages.sought.choices import choices_of, loosely_chosen

BUS = "A bus carries 52 people. At the first stop 17 get off and 9 get on. How many people are on the bus then?"
RACE = "Ida ran 3 km in 15 minutes, Jon 4 km in 22 minutes and Kim 5 km in 24 minutes. Who was the fastest?"
CHANGE = "A price rises by 10% and then falls by 20%. What is the overall percentage change?"
PLAN = "Plan A costs $20 plus $0.05 a minute, plan B $0.15 a minute. For which m is plan A cheaper?"

RIGHT = [  # other wordings than those that the model has learnt from
    (
        BUS,
        "44",
        "Seventeen of the 52 leave, so 35 stay seated. Nine more climb in, and the driver now has 44 passengers.",
    ),
    (
        BUS,
        "44",
        "52 - 17 = 35\n35 + 9 = 44\n\nThe bus drives on with **44 people**, eight fewer than at the beginning.",
    ),
    (CHANGE, r"-12\%", "100 becomes 110, and 110 becomes 88. Taken together, the price has dropped by 12% overall."),
    (
        RACE,
        "Kim",
        "Ida does 12 km/h and Jon 10.9.\n\nThe highest speed belongs to **Kim**, half a km/h more than Ida's.",
    ),
]
WRONG = [
    (
        BUS,
        "44",
        "Of the 52 people 17 leave and 9 come in, so 26 change places and the bus has 78 people, 34 more than 44.",
    ),
    (BUS, "44", "52 - 17 = 35, then 35 + 9 = 44. But the driver counts as well, so the bus carries 45 people then."),
    (BUS, "44", "The bus then has 44 people, or 43 if the driver does not count as one of them in this problem."),
    (
        BUS,
        "44",
        "Perhaps one can say that after the first stop the bus carries something like 44 people or a few more.",
    ),
    (
        RACE,
        "Kim",
        "Ida needs 5 minutes a kilometre and Kim 4.8. Kim was slower at the start, so Ida was the fastest of them.",
    ),
    (
        RACE,
        "Kim",
        "Kim and Ida both ran at nearly the same speed, so the fastest of the three were Ida and Kim together.",
    ),
    (CHANGE, r"-12\%", "100 becomes 110, and 110 becomes 88. Taken together, the price has risen by 12% overall."),
    (
        PLAN,
        "m > 200",
        "20 + 0.05m < 0.15m gives 200 < m, so plan A is the cheaper one for less than 200 minutes.",
    ),
]


@pytest.mark.parametrize(("question", "gold", "message"), RIGHT)
def test_the_answer_is_picked(question, gold, message):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "gold", "message"), WRONG)
def test_what_is_no_answer_is_not_paid(question, gold, message):
    assert not verify(message, gold, question=question).correct


def test_no_message_is_paid_for_two_values():
    for question, _, message in (*RIGHT[:2], *WRONG[:4]):
        paid = [gold for gold in map(str, range(1, 100)) if verify(message, gold, question=question).correct]
        assert len(paid) <= 1, message


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_the_chances_of_different_values_add_up_to_at_most_one(numbers, random):
    words = ["so", "leaving", "then", "people", "which makes", "in total", "and", "or", "are on the bus", "because"]
    message = " ".join(f"{random.choice(words)} {number} {random.choice(words)}," for number in numbers)
    message = f"We look at what happens at each of the stops in turn. {message.capitalize()} as it should be."
    case, _ = case_for(message, str(numbers[0]), BUS)
    assert case is not None
    assert sum(chances(read_of(case))) < 1
    shares = [picked(case_for(message, str(number), BUS)[0]) for number in numbers]
    assert sum(share is not None and share.gold >= LIKELY for share in shares) <= 1


def test_the_model_says_nothing_of_what_the_rules_read():
    for message in (r"So it is \boxed{44}, which leaves 35.", "<answer>44</answer>"):
        case, reading = case_for(message, "44", BUS)
        assert case is None
        assert reading.rule in ("box", "tag")
    announced = "Nine get on and seventeen get off, so people come and go at the stop. The answer is 44."
    assert picked(case_for(announced, "44", BUS)[0]) is None
    cut_off = "Nine get on and seventeen get off at the first stop, 52 - 17 = 35 and 35 + 9 = 44, so the bus then"
    assert picked(case_for(cut_off, "44", BUS)[0]) is None


def test_the_weights_are_whole():
    loaded = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(loaded) == {"bias", "out", "none", "mention"}
    places, table, bias, out, none = weights()
    assert 2_000 < len(places) < 6_000
    assert 100 < len(none) < 1_000
    assert table.shape == (len(places), 1 + len(bias))
    assert bias.shape == out.shape
    assert np.isfinite(table).all()
    assert 0.5 < LIKELY < LIKELY_SEVERAL < SURE < 1


def test_directions_and_bounds_in_words():
    assert directed("12%", "it has dropped by 12% overall", r"-12\%")
    assert not directed("12%", "it has dropped, then risen by 12%", r"-12\%")
    assert not directed("-12", "it is -12 or more", "-12")
    case, _ = case_for("It is so.", "m > 200", PLAN)
    assert bounded("200 minutes", "talks more than ", case.gold.node) == "m > 200"
    assert bounded("200 minutes", "talks ", case.gold.node) == ""


@pytest.mark.parametrize(
    ("gold", "question", "names"),
    [
        (
            "nickel",
            "The densities are tin 7.3, nickel 8.9 and lead 11.3 g/cm^3. Which metal is it?",
            ("tin", "nickel", "lead"),
        ),
        ("hydrogen", "14 g of nitrogen react with 5 g of hydrogen. Which runs out?", ("nitrogen", "hydrogen")),
        ("cube", "Which is larger: a cube with edge 4 or a ball with radius 3?", ("cube", "ball")),
        (
            "large",
            "It is sold in two sizes: small, 1 L for $3; large, 2 L for $5. Which is cheaper?",
            ("small", "large"),
        ),
        ("HomeNet", "QuickLine costs $20 a month. HomeNet costs $25. Which is cheaper?", ("QuickLine", "HomeNet")),
        ("rising", "At noon, is the water rising or falling?", ("rising", "falling")),
        ("linearly dependent", "Are they linearly independent or linearly dependent?", ("independent", "dependent")),
        (
            "12-pack",
            "Eggs come in a 6-pack for $2 and a 12-pack for $3. Which is cheaper per egg?",
            ("6-pack", "12-pack"),
        ),
        ("C", "Which of them is cheapest: A, B or C?", ("A", "B", "C")),
        ("Plan B", "Plan A costs $30, plan B $25. Which plan is cheaper?", ("A", "B")),
    ],
)
def test_what_words_are_chosen_from(gold, question, names):
    choices = choices_of(gold, question) or loosely_chosen(gold, question)
    assert choices is not None
    assert set(choices.names) == set(names) or choices.kind == "word"


def test_what_no_question_offers_is_not_chosen_from():
    assert loosely_chosen("zinc", "A sample of zinc weighs 7 g. What is its volume?") is None
    assert loosely_chosen("3-pack", "A 3-pack costs $4. What does it cost?") is None
    banks = choices_of(
        "Southfield", "Northgate pays 6%, Southfield 5%. Which bank pays more?", ("Northgate", "Southfield")
    )
    assert banks is not None
    assert banks.kind == "name", "Southfield is a name, not the direction south"


ARRIVAL = (
    "A plane leaves on Monday at 9:20 p.m. and flies for 5 hours 10 minutes. On what day and at what time does it land?"
)


@pytest.mark.parametrize(
    ("question", "gold", "message", "paid"),
    [
        (ARRIVAL, "2:30 a.m. Tuesday", r"\boxed{\text{Tuesday, 2:30 a.m.}}", True),
        (ARRIVAL, "2:30 a.m. Tuesday", r"\boxed{\text{Monday, 2:30 a.m.}}", False),
        (ARRIVAL, "2:30 a.m. Tuesday", r"\boxed{2:30 \text{ a.m.}}", False),
        (ARRIVAL, "2:30 Tuesday", r"\boxed{2:30}", False),
        (
            ARRIVAL,
            "2:30 a.m. Tuesday",
            "It takes off at 9:20 p.m. and flies past midnight, so it will touch down there on Tuesday at 2:30 a.m.",
            True,
        ),
        (
            "Solve 3x^2 + 5x - 2 = 0.",
            "-2, 1/3",
            "Factoring gives (3x - 1)(x + 2), so the two solutions are -2 and 1/3.",
            True,
        ),
        (
            BUS,
            "44",
            "We count what happens at the first stop, where some people get off and others get on: "
            r"$$52 - 17 + 9 = 44 \text{ people in the bus}$$",
            True,
        ),
        (
            BUS,
            "44",
            "We count what happens at the first stop, where some people get off and others get on: "
            r"$$52 - 17 + 8 = 43 \text{ people, not } 44$$",
            False,
        ),
    ],
)
def test_forms_of_prose(question, gold, message, paid):
    assert verify(message, gold, question=question).correct is paid


@pytest.mark.parametrize(
    ("question", "gold", "message", "paid"),
    [
        ("What is the coefficient of x^2 in (1 + 3x)^4?", "54", r"\boxed{54x^2}", True),
        ("What is the coefficient of x^2 in (1 + 3x)^4?", "54", r"\boxed{54x^3}", False),
        ("What is the equation of the line of regression of y on x?", "y = 3x + 1", r"\boxed{\hat{y} = 1 + 3x}", True),
        ("What is the equation of the line of regression of y on x?", "y = 3x + 1", r"\boxed{\hat{y} = 1 - 3x}", False),
        (
            "How many cents per litre is the big bottle cheaper?",
            "4",
            "The big bottle is cheaper by **4¢** a litre.",
            True,
        ),
        ("How many kilograms remain?", "0.25", "**Answer:** 0.25 kg (or 250 grams)", True),
        ("How many kilograms remain?", "0.25", "**Answer:** 0.25 kg (or 2500 grams)", False),
        (
            "How many minutes does it take her?",
            "30",
            "She is 2 km ahead and gains 4 km an hour, so it takes her half an hour.",
            True,
        ),
        (
            "How many minutes does it take her?",
            "30",
            "All in all the way home takes her an hour and a half, as it is uphill.",
            False,
        ),
    ],
)
def test_forms_that_a_question_allows(question, gold, message, paid):
    assert verify(message, gold, question=question).correct is paid


@pytest.mark.parametrize(
    ("question", "gold", "message"),
    [
        (
            "Where do they meet?",
            "(4, 1)",
            "From what was said it follows that the lines could meet at $(4, 1)$ or $(4, -1)$.",
        ),
        (
            PLAN,
            "m > 200",
            "Comparing both gives 200 < m, so plan A is cheaper for every month with fewer than 200 minutes.",
        ),
        (
            "Solve -4 ≤ 2x < 8.",
            "[-2, 4)",
            "Halving all parts gives −2 ≤ x < 4. Written as an interval, that is (−2, 4).",
        ),
    ],
)
def test_what_stands_beside_or_behind_refuses(question, gold, message):
    assert not verify(message, gold, question=question).correct


DATE = "What date is 60 days after March 10, 2025?"


@pytest.mark.parametrize(
    ("gold", "message", "paid"),
    [
        (
            "May 9, 2025",
            r"March has 21 more days and April 30, so 9 more days remain: $\boxed{\text{May 9, 2025}}$",
            True,
        ),
        ("May 9, 2025", "Counting on from March 10, we use up March and April.\n\n**May 9, 2025**", True),
        ("May 9, 2025", "Counting on from March 10, we use up March and April.\n\n**May 10, 2025**", False),
        ("(-\\infty, 2]", "Dividing by −4 turns the sign.\n\nAns. x ∈ (−∞, 2]\n\nAt 2 both sides are equal.", True),
    ],
)
def test_dates_and_abbreviated_answers(gold, message, paid):
    question = DATE if "May" in gold else "Solve 1 - 4x ≥ -7. Give an interval."
    assert verify(message, gold, question=question).correct is paid


def test_features_that_the_model_does_not_know_count_for_nothing():
    unknown = [Mention((value,), value, "", ChainMap({"never seen": 1.0}), 0) for value in ("1", "2")]
    one, two = chances(Read(unknown, {}, []))
    assert one == two
    assert one + two < 1
