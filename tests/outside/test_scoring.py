"""The bound on scorers of others, with a stand-in for reasoning-gym; with the package itself: `make interop`."""

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest

from turnwise.core.errors import InfrastructureError
from turnwise.outside.scoring import BoundedScorer, bounded_scorer

FACTORY = """
import os

class Data:
    def score_answer(self, answer, entry):
        if answer == "loop":
            while True:
                pass
        if answer == "die":
            os._exit(3)
        if answer == "raise":
            raise ValueError
        if answer == "memory":
            return len(bytearray(1 << 42))
        print("a scorer that talks\\n1.0")
        return 1.0 if answer == entry["answer"] else 0.25

def create_dataset(name, seed, size, **config):
    return Data()
"""
GOLD = {"answer": "4"}


@pytest.fixture
def scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BoundedScorer]:
    package = tmp_path / "reasoning_gym"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "factory.py").write_text(FACTORY)
    monkeypatch.syspath_prepend(tmp_path)
    made = BoundedScorer("any", 1, 1, {}, cpu_s=1)
    yield made
    made.close()


@pytest.mark.slow
def test_an_answer_that_never_ends_scores_nothing_and_the_next_is_judged(scorer: BoundedScorer) -> None:
    said = [scorer.score(answer, GOLD) for answer in ("4", "5", "loop", "4", "raise", "memory", "4")]
    assert said == [1.0, 0.25, 0.0, 1.0, 0.0, 0.0, 1.0]


def test_a_scorer_that_dies_is_a_failure_and_no_score(scorer: BoundedScorer) -> None:
    with pytest.raises(InfrastructureError, match="ended with status 3"):
        scorer.score("die", GOLD)
    assert scorer.score("4", GOLD) == 1.0


def test_copies_share_the_process(scorer: BoundedScorer) -> None:
    assert copy.deepcopy(scorer) is scorer
    assert bounded_scorer("a", 1, 2, {"b": 1}) is bounded_scorer("a", 1, 2, {"b": 1})
    assert bounded_scorer("a", 1, 2, {"b": 1}) is not bounded_scorer("a", 1, 2, {"b": 2})
