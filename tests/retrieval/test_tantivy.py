"""The engine of tantivy: our words, our order, no query syntax."""

import pickle
import random
import sys
import threading
from types import SimpleNamespace

import pytest

from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.index.tantivy import TantivyIndex

try:
    import tantivy
except ImportError:
    tantivy = None
needs_tantivy = pytest.mark.skipif(tantivy is None, reason="needs tantivy: pip install 'turnwise[search]'")


def pairs(result):
    return list(zip(result[0].tolist(), result[1].tolist(), strict=True))


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    for make in (lambda: TantivyIndex.build(["text"]), lambda: TantivyIndex.open("folder")):
        with pytest.raises(MissingDependencyError, match=r"turnwise\[search\]"):
            make()


@needs_tantivy
def test_it_ranks_as_the_exact_index_does_where_lengths_are_kept_exactly():
    rng = random.Random(0)
    words = [f"w{number}" for number in range(200)]
    texts = [" ".join(rng.choices(words, k=rng.randint(0, 39))) for _ in range(800)]
    exact, index = Bm25Index.build(texts), TantivyIndex.build(texts)
    assert len(index) == 800
    for _ in range(60):
        query = " ".join(rng.choices(words, k=rng.randint(1, 5)) * rng.randint(1, 2) + rng.choices(words, k=1))
        numbers, scores = index.top(query, 800)
        scores_of = dict(pairs(exact.top(query, 800)))
        assert set(numbers.tolist()) == set(scores_of)
        assert scores / 2.2 == pytest.approx([scores_of[number] for number in numbers.tolist()], rel=1e-4)
        assert pairs(index.top(query, 7)) == list(zip(numbers.tolist(), scores.tolist(), strict=True))[:7]


@needs_tantivy
def test_equal_scores_come_in_the_documents_order_however_many_there_are():
    texts = ["red fox"] * 50 + ["red red fox"] + ["fox"] * 50
    index = TantivyIndex.build(texts)
    assert index.top("red", 3)[0].tolist() == [50, 0, 1]
    assert index.top("red", 51)[0].tolist() == [50, *range(50)]
    assert index.top("fox", 2)[0].tolist() == [51, 52]


class Segments:
    """A searcher whose parts come in another order than the documents."""

    def __init__(self, scores):
        self.found = sorted(((score, number) for number, score in enumerate(scores)), reverse=True)

    def search(self, query, limit, count):
        return SimpleNamespace(hits=self.found[:limit])

    def fast_field_values(self, field, places):
        return places


@needs_tantivy
def test_equal_scores_of_several_segments(monkeypatch):
    index = TantivyIndex.build(["fox"] * 200)
    monkeypatch.setattr(index, "_searcher", Segments([1.0] * 150 + [2.0] * 30 + [1.0] * 20))
    assert index.top("fox", 5)[0].tolist() == [150, 151, 152, 153, 154]
    assert index.top("fox", 32)[0].tolist() == [*range(150, 180), 0, 1]


@needs_tantivy
@pytest.mark.parametrize(
    "query", ["a - b", "x^", "title:foo", "who is [the]", '"', "AND OR NOT", "(", "\\", "\x00", ""]
)
def test_no_text_is_query_syntax(query):
    index = TantivyIndex.build(["foo title", "who is the", "Café"])
    assert len(index.top(query, 3)[0]) <= 3
    assert 2 in index.top(query + " CAFE", 3)[0].tolist()


@needs_tantivy
def test_folders(tmp_path):
    texts = [f"number {number} {'even' if number % 2 == 0 else 'odd'}" for number in range(1500)]
    seen = []
    index = TantivyIndex.build(iter(texts), folder=tmp_path, progress=seen.append)
    assert seen == [1000] and len(index) == 1500
    expected = [pairs(result) for result in index.search(["number 7", "even", "odd 9"], 5)]
    others = [TantivyIndex.open(tmp_path, verify=True), pickle.loads(pickle.dumps(index)), TantivyIndex.build(texts)]
    for other in others:
        assert [pairs(result) for result in other.search(["number 7", "even", "odd 9"], 5)] == expected
    assert expected[0][0][0] == 7
    with pytest.raises(TypeError, match="in memory"):
        pickle.dumps(TantivyIndex.build(texts[:2]))

    own = tmp_path / "notes.txt"
    own.write_text("the user's")
    TantivyIndex.build(["other text"], folder=tmp_path)
    assert own.read_text() == "the user's" and len(TantivyIndex.open(tmp_path)) == 1
    (tmp_path / "manifest.json").unlink()  # as if it had been killed
    with pytest.raises(SettingsError, match="not a complete turnwise tantivy index"):
        TantivyIndex.open(tmp_path)
    assert TantivyIndex.build(["third text"] * 2, folder=tmp_path).top("text", 5)[0].tolist() == [0, 1]
    file = next(tmp_path.glob("*.idx"))
    short = file.read_bytes()[:-1]
    file.unlink()  # the file that is mapped by the indexes above stays whole
    file.write_bytes(short)
    with pytest.raises(SettingsError, match=r"\.idx has .* built again"):
        TantivyIndex.open(tmp_path)


@needs_tantivy
def test_no_documents_and_bad_k(tmp_path):
    index = TantivyIndex.build([], folder=tmp_path)
    assert len(index) == 0 and pairs(index.top("text", 3)) == []
    with pytest.raises(SettingsError, match="k is 0"):
        index.top("text", 0)


@needs_tantivy
def test_threads_share_an_index():
    texts = [f"word{number % 50} word{number % 7} common" for number in range(500)]
    index = TantivyIndex.build(texts)
    expected = [pairs(index.top(f"word{number} common", 5)) for number in range(50)]
    wrong = []

    def ask():
        wrong.extend(n for n in range(50) if pairs(index.top(f"word{n} common", 5)) != expected[n])

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)
