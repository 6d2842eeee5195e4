"""The model that picks the answer of a message where no rule reads the gold in it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.verifiers.math import verify
from turnwise.verifiers.math.directed import bounded, directed
from turnwise.verifiers.math.message import case_for
from turnwise.verifiers.math.picked import LIKELY, SURE, picked, read_of
from turnwise.verifiers.messages.picked.model import FILE, chances, weights

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
    assert set(loaded) == {"mention", "none"}
    mention, none = weights()
    assert 2_000 < len(mention) < 6_000
    assert 100 < len(none) < 1_000
    assert 0.5 < LIKELY < SURE < 1
    assert mention["given"] < 0 < mention["clause alone about"]


def test_directions_and_bounds_in_words():
    assert directed("12%", "it has dropped by 12% overall", r"-12\%")
    assert not directed("12%", "it has dropped, then risen by 12%", r"-12\%")
    assert not directed("-12", "it is -12 or more", "-12")
    case, _ = case_for("It is so.", "m > 200", PLAN)
    assert bounded("200 minutes", "talks more than ", case.gold.node) == "m > 200"
    assert bounded("200 minutes", "talks ", case.gold.node) == ""
