"""Hedging pays nothing: every template over golds of all kinds, a dozen here and all of them where time allows."""

import pytest

from tests.verifiers.hedges.audit import Case, audit, cases, chosen
from tests.verifiers.hedges.golds import KINDS
from tests.verifiers.hedges.open import OPEN
from tests.verifiers.hedges.templates import HEDGES, NONE, TWO
from turnwise.envs.data.grading import grader_for, judge
from turnwise.verifiers.math import verify

GRADERS = {
    "verify": lambda message, gold: verify(message, gold).correct,
    "beside a question": lambda message, gold: verify(message, gold, question="How many has Ann now?").correct,
    "Dataset math": lambda message, gold: judge("math", message, gold).correct,
    "Dataset auto": lambda message, gold: judge(grader_for(gold), message, gold).correct,
}
DOZEN = [(kind, pairs[0]) for kind, pairs in KINDS.items()][:12]


def held(grader, golds):
    count, refused, wrong, _ = audit(GRADERS[grader], cases(golds))
    assert count > 700 * len(golds)
    assert refused == 0, "clear answers are refused: the audit would pass if nothing were ever paid"
    new = [finding for finding in wrong if finding.template not in OPEN]
    assert not new, f"{len(new)} are paid:\n" + "\n".join(map(str, new[:40]))


@pytest.mark.slow
def test_hedges_on_a_dozen_golds():
    held("verify", DOZEN)


@pytest.mark.slow
def test_hedges_where_the_question_is_known():
    held("beside a question", DOZEN[:4])


@pytest.mark.slow
@pytest.mark.parametrize(("grader", "third"), [("Dataset auto", 0), ("Dataset math", 1), ("verify", 2)])
def test_hedges_on_every_gold(grader, third):
    """Every gold by one of them, which share all but their last step; `benchmarks/math_hedges.py` tries all by each."""
    held(grader, list(chosen(None))[third::3])


def test_there_are_as_many_as_the_documents_say():
    assert len(TWO) >= 85
    assert len(HEDGES) >= 40
    assert sum(map(len, KINDS.values())) >= 200


def test_open_templates_are_few_and_are_templates():
    """What is still paid for some golds is named one by one, so that nothing else can come to be."""
    assert {*TWO, *NONE, *(template for templates in HEDGES.values() for template in templates)} >= OPEN
    assert len(OPEN) <= 15
    both = [template for template in TWO if template in OPEN]
    assert len(both) <= 1, "no pair but x=0 and y=0 pays twice"


def test_golds_differ_from_their_near_misses():
    """A pair of equal values would make both of them right."""
    equal = [pair for _, pair in chosen(None) if verify(f"\\boxed{{{pair[1]}}}", pair[0]).correct]
    assert not equal


def test_the_audit_finds_what_it_is_for():
    """A grader that looks for the gold anywhere is caught in each way; one that pays nothing fails the controls."""
    tried = [
        Case("clear", "integer", "", "8", ("8",)),
        Case("two values", "integer", "", "8 or 13", ("8", "13")),
        Case("doubt", "integer", "", "It might be 8.", ("8",)),
        Case("near miss", "integer", "", "18", ("8",)),
    ]
    count, refused, wrong, _ = audit(lambda message, gold: gold in message, iter(tried))
    assert (count, refused) == (4, 0)
    assert [(found.group, found.problem) for found in wrong] == [
        ("two values", "both values are paid"),
        ("doubt", "paid"),
        ("near miss", "paid"),
    ]
    assert audit(lambda message, gold: False, iter(tried))[1] == 1
