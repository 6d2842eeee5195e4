"""Pairs of an answer and a gold are judged as the tables say."""

import pytest

from tests.verifiers.math._pairs import RIGHT, WRONG, pairs_of
from tests.verifiers.math._trees import t
from turnwise.verifiers.math.compare.compare import compare


@pytest.mark.parametrize(("answer", "gold"), pairs_of(RIGHT))
def test_right_answers_are_paid(answer, gold):
    assert compare(t(answer), t(gold)) == (True, "")


@pytest.mark.parametrize(("answer", "gold"), pairs_of(WRONG))
def test_wrong_answers_are_not(answer, gold):
    outcome = compare(t(answer), t(gold))
    assert outcome.equal is False and outcome.reason


@pytest.mark.parametrize("source", sorted({side for pair in pairs_of(RIGHT + WRONG) for side in pair}))
def test_everything_is_itself(source):
    assert compare(t(source), t(source)).equal
