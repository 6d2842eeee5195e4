"""Fusing rankings: the formulas by hand, ties, and failures."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.hybrid import HybridRetriever, reciprocal_ranks, weighted_scores


class Fixed(Retriever):
    """Finds the same for every query."""

    def __init__(self, *ranking):
        self.ranking, self.closed = ranking, False

    def search(self, queries, k):
        return [[Hit(Document(id, "", ""), score) for id, score in self.ranking[:k]] for _ in queries]

    def document(self, id):
        return next((Document(id, "", "") for known, _ in self.ranking if known == id), None)

    def close(self):
        self.closed = True


class Broken(Retriever):
    def search(self, queries, k):
        raise InfrastructureError("down")


def ids(hits):
    return [hit.document.id for hit in hits]


def test_reciprocal_ranks_by_hand():
    assert reciprocal_ranks([["a", "b"], ["b", "c", "a"]]) == pytest.approx(
        {"a": 1 / 61 + 1 / 63, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )
    assert reciprocal_ranks([["a"], ["b"]], 1, [3, 0]) == {"a": 1.5, "b": 0.0}
    assert reciprocal_ranks([["a", "a", "b"]], 0) == {"a": 1.0, "b": 0.5}


@settings(max_examples=50)
@given(st.lists(st.permutations(list("abcdef")), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_rankings_does_not_change_a_score(rankings, rng):
    shuffled = rng.sample(rankings, len(rankings))
    scores = reciprocal_ranks(rankings)
    assert scores == reciprocal_ranks(shuffled)
    for key, score in scores.items():
        assert score == pytest.approx(float(sum(Fraction(1, 61 + ranking.index(key)) for ranking in rankings)))


def test_weighted_scores_by_hand():
    assert weighted_scores([[("a", 9.0), ("b", 4.0), ("c", -1.0)], [("c", 0.5)]], [3, 1]) == {
        "a": 0.75,
        "b": 0.375,
        "c": 0.25,
    }
    assert weighted_scores([[("a", 2.0), ("b", 2.0)], []]) == {"a": 0.5, "b": 0.5}


def test_a_hybrid_ranks_what_its_parts_find():
    one, other = Fixed(("a", 9), ("b", 5), ("c", 1)), Fixed(("c", 0.9), ("b", 0.8), ("d", 0.1))
    hybrid = HybridRetriever([one, other])
    (hits, again) = hybrid.search(["x", "y"], 4)
    assert ids(hits) == ids(again) == ["c", "b", "a", "d"]
    assert [h.score for h in hits] == pytest.approx([1 / 61 + 1 / 63, 2 / 62, 1 / 61, 1 / 63])
    assert ids(HybridRetriever([one, other], method="weighted").search(["x"], 2)[0]) == ["b", "a"]
    assert ids(HybridRetriever([one, other], weights=[0, 1]).search(["x"], 2)[0]) == ["c", "b"]
    assert hybrid.search([], 4) == []
    assert hybrid.document("d") == Document("d", "", "") and hybrid.document("e") is None
    hybrid.close()
    assert one.closed and other.closed


def test_equal_scores_come_in_the_order_of_the_corpus_or_of_the_ranks():
    one, other = Fixed(("b", 2), ("a", 1)), Fixed(("a", 2), ("b", 1))
    assert ids(HybridRetriever([one, other]).search(["x"], 2)[0]) == ["b", "a"]
    assert ids(HybridRetriever([other, one]).search(["x"], 2)[0]) == ["a", "b"]
    for retrievers in ([one, other], [other, one]):
        assert ids(HybridRetriever(retrievers, order={"a": 0, "b": 1}.get).search(["x"], 2)[0]) == ["a", "b"]


def test_depth_is_how_much_each_part_is_asked_for():
    rng = random.Random(0)
    keys = [str(n) for n in range(200)]
    one, other = (Fixed(*((key, -n) for n, key in enumerate(rng.sample(keys, 200)))) for _ in range(2))
    shallow, deep = (HybridRetriever([one, other], depth=depth).search(["x"], 10)[0] for depth in (10, 200))
    assert ids(shallow) != ids(deep) and len(shallow) == len(deep) == 10
    assert len(HybridRetriever([one, other], depth=1).search(["x"], 30)[0]) == 30


def test_a_part_that_fails_fails_the_search():
    with pytest.raises(InfrastructureError, match="down"):
        HybridRetriever([Fixed(("a", 1)), Broken()]).search(["x"], 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "max"}, "method is 'max'"),
        ({"weights": [1]}, "2 numbers"),
        ({"weights": [0, 0]}, "not all of them 0"),
        ({"weights": [1, -1]}, "weights"),
        ({"rrf_k": -1}, "rrf_k"),
        ({"depth": 0}, "depth"),
        ({"weights": [1, float("nan")]}, "weights"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings, message):
    with pytest.raises(SettingsError, match=message):
        HybridRetriever([Fixed(), Fixed()], **settings)


def test_one_retriever_is_no_hybrid():
    with pytest.raises(SettingsError, match="1 retrievers"):
        HybridRetriever([Fixed()])
