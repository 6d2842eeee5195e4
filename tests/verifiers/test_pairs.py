"""The labelled pairs of mathematical answers: what the verifier says of them, and whether the files are sound."""

import collections
import json
from pathlib import Path

import pytest

from tests._work import measured
from turnwise.verifiers.math import verify

FILES = sorted((Path(__file__).parent / "pairs").glob("*.jsonl"))
PAIRS = [json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
MAX_MILLIONS = 4.0  # of steps of the reference loop


def lines(pairs):
    return "\n".join(
        f"[{p['category']}] {p['answer']!r} for {p['gold']!r}: {p['reason']} ({p['policy']})" for p in pairs
    )


@pytest.fixture(scope="module")
def judged():
    """Every pair, whether it was taken as right (or the exception raised), and the work it took."""
    found = []
    for pair in PAIRS:
        with measured() as work:
            try:
                correct = verify(pair["answer"], pair["gold"]).correct
            except Exception as error:  # one test says so; the others go on
                correct = error
        found.append((pair, correct, work.millions))
    return found


def test_right_answers_are_paid(judged):
    rejected = [pair for pair, correct, _ in judged if pair["equal"] and correct is not True]
    assert not rejected, lines(rejected)


def test_wrong_answers_are_not_paid_where_a_question_is_known_that_says_nothing():
    wrong = [pair for pair in PAIRS if not pair["equal"]]
    paid = [pair for pair in wrong if verify(pair["answer"], pair["gold"], question="What is it?").correct]
    assert not paid, lines(paid)


def test_wrong_answers_are_not_paid(judged):
    accepted = [pair for pair, correct, _ in judged if not pair["equal"] and correct is True]
    assert not accepted, lines(accepted)


def test_no_pair_raises(judged):
    raised = [(repr(said), pair["answer"], pair["gold"]) for pair, said, _ in judged if not isinstance(said, bool)]
    assert not raised, raised


def test_no_pair_takes_long(judged):
    slow = [pair for pair, _, millions in judged if millions > MAX_MILLIONS]
    assert not slow, lines(slow)


def test_every_gold_is_right_in_a_box():
    golds = dict.fromkeys(pair["gold"] for pair in PAIRS if "\n" not in pair["gold"])
    refused = [gold for gold in golds if not verify(f"The answer is $\\boxed{{{gold}}}$.", gold).correct]
    assert not refused, "\n".join(refused)


def test_the_files_hold_what_they_should():
    assert len(PAIRS) >= 800
    fields = {"category": str, "answer": str, "gold": str, "equal": bool, "reason": str, "policy": str}
    for pair in PAIRS:
        assert {name: type(value) for name, value in pair.items()} == fields, pair
        assert pair["category"] and pair["gold"] and pair["reason"], pair
        assert pair["policy"] in {f"P{number}" for number in range(1, 10)}, pair


def test_no_pair_stands_twice():
    times = collections.Counter((pair["answer"], pair["gold"]) for pair in PAIRS)
    assert not [pair for pair, number in times.items() if number > 1]


def test_every_category_has_both_labels():
    labels = collections.Counter((pair["category"], pair["equal"]) for pair in PAIRS)
    lacking = {category for category, _ in labels for equal in (True, False) if labels[category, equal] < 5}
    assert not lacking
