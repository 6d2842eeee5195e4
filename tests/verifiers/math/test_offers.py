"""A second value that is offered beside an answer pays neither; courtesies, checks and other languages cost nothing."""

import pytest

from tests.verifiers.hedges.offers import BEFORE, OFFERS, REMARKS, crossed
from turnwise.verifiers.math import verify
from turnwise.verifiers.messages import read_message

PAIRS = [("8", "13"), (r"\frac{1}{2}", r"\frac{3}{7}")]
STILL_PAID = {r"One of {b} and \boxed{{{a}}}.", "One of {b} and <answer>{a}</answer>.", "One of {b} and #### {a}."}
STILL_PAID |= {
    f"First guess {{b}}, second guess {mark}." for mark in (r"\boxed{{{a}}}", "<answer>{a}</answer>", "#### {a}")
}
STILL_PAID |= {"{b} / <answer>{a}</answer>.", "{b} / #### {a}."}
PLAIN = [
    ("244", "<answer>244</answer>. Gracias."),
    ("7", "The two legs are 3 and 4, so the sum is 7.\n\nLet me know if you want the steps for 3 or 4 variables."),
    ("2", r"\boxed{2} hours, or 120 minutes."),
    ("0.5", r"\boxed{\frac{1}{2}} or 0.5"),
    ("x+3", "The answer is x + 3, as long as x is not 3."),
    ("10", r"There are $\boxed{10}$ of them. Alternatively, half of 12 is 6, 6 + 4 is 10, so again 10."),
    ("35", "Half of 10 is 5, and 5 times 7 is 35.\n<answer>35</answer>\nCheers,\nYour maths assistant"),
    ("120", "因此答案为 $\\boxed{120}$。祝学习愉快！"),
    ("16", "The girls make up four parts, which comes to 16; the other 12 are boys. Viel Erfolg!"),
    ("12", r"The number of divisors is \boxed{12}. They are 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 and 60."),
]


def test_a_second_value_is_an_offer():
    paid = {t for t in crossed(OFFERS, BEFORE) for a, b in PAIRS if verify(t.format(a=a, b=b), a).correct}
    assert paid <= STILL_PAID, sorted(paid - STILL_PAID)


@pytest.mark.parametrize(("gold", "message"), PLAIN)
def test_plain_messages_are_paid(gold, message):
    assert verify(message, gold).correct, read_message(message)


def test_almost_no_remark_costs_an_answer():
    refused = [text for text in crossed(REMARKS, []) if not verify(text.format(a="8"), "8").correct]
    assert len(refused) <= 0.025 * len(crossed(REMARKS, []))
