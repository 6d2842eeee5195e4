"""The BM25 index against its formula."""

import math
import multiprocessing
import pickle
import random
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError, UsageError
from turnwise.retrieval.index import bm25
from turnwise.retrieval.index import counting as bm25_build
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.index.text import query_tokens, tokens

UNIT = 1 << 20


class Reference:
    """The formula, for each document in turn, with summands rounded to 1 / unit (not at all for 0)."""

    def __init__(self, texts, k1=1.2, b=0.75, unit=UNIT):
        self.k1, self.b, self.unit = k1, b, unit
        self.counts = [Counter(tokens(text)) for text in texts]
        self.lengths = [counts.total() for counts in self.counts]
        self.mean = sum(self.lengths) / len(texts)
        self.within = Counter(word for counts in self.counts for word in counts)

    def summand(self, word, document):
        n, total, f = self.within[word], len(self.counts), self.counts[document][word]
        norm = self.k1 * (1 - self.b + self.b * self.lengths[document] / self.mean)
        value = math.log(1 + (total - n + 0.5) / (n + 0.5)) * f / (f + norm)
        return max(round(value * self.unit), 1) / self.unit if self.unit else value

    def top(self, query, k):
        found = []
        for document, counts in enumerate(self.counts):
            words = Counter(word for word in query_tokens(query) if word in counts)
            if words:
                score = math.fsum(self.summand(word, document) * times for word, times in words.items())
                found.append((-score, document))
        return [(document, -score) for score, document in sorted(found)[:k]]


def pairs(result):
    numbers, scores = result
    assert numbers.dtype == np.int64 and scores.dtype == np.float64
    return list(zip(numbers.tolist(), scores.tolist(), strict=True))


def corpus(seed, size, words, longest, skew=1.0):
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(words)]
    weights = [1 / (rank + 1) ** skew for rank in range(words)]
    texts = [" ".join(rng.choices(vocabulary, weights, k=rng.randint(0, longest))) for _ in range(size)]
    return rng, vocabulary, weights, [*texts, vocabulary[0]]


def test_hand_computed():
    index = Bm25Index.build(["cat cat dog", "cat", "bird bird bird bird"])
    # N = 3, mean length 8/3; cat is in 2 documents: ln(1 + 1.5 / 2.5) = 0.470004
    first = 0.470004 * 2 / (2 + 1.2 * (0.25 + 0.75 * 3 / (8 / 3)))
    second = 0.470004 * 1 / (1 + 1.2 * (0.25 + 0.75 * 1 / (8 / 3)))
    assert pairs(index.top("Cat?", 5)) == [(1, pytest.approx(second, abs=2e-6)), (0, pytest.approx(first, abs=2e-6))]
    assert pairs(index.top("cat cat", 1)) == [(1, pytest.approx(2 * second, abs=4e-6))]


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from([1, 3, 30, 300, 1500]),
    st.sampled_from([3, 40, 600]),
    st.sampled_from([2, 12, 40]),
    st.sampled_from([0.3, 1.0]),
)
def test_skipping_finds_what_the_formula_does(seed, size, words, longest, skew):
    rng, vocabulary, weights, texts = corpus(seed, size, words, longest, skew)
    k1, b = rng.choice([(1.2, 0.75), (0.9, 0.4), (0, 0.75), (2, 1)])
    reference, index = Reference(texts, k1, b), Bm25Index.build(texts, k1=k1, b=b)
    for _ in range(12):
        query = " ".join(rng.choices(vocabulary, rng.choice([weights, None]), k=rng.randint(0, rng.choice([3, 6, 20]))))
        k = rng.choice([1, 2, 3, 5, 10, 100, 5000])
        assert pairs(index.top(query, k)) == reference.top(query, k), (query, k)


@pytest.mark.parametrize("ratio", [1, 1000])
@pytest.mark.parametrize("dense", [1, 1 << 30])
def test_every_way_through_the_search_finds_the_same(monkeypatch, ratio, dense):
    monkeypatch.setattr(bm25, "_RATIO", ratio)
    monkeypatch.setattr(bm25, "_FEW", 4)
    monkeypatch.setattr(bm25_build, "DENSE", dense)
    rng, vocabulary, weights, texts = corpus(5, 2000, 200, 25)
    reference, index = Reference(texts), Bm25Index.build(texts)
    for number in range(40):
        query = " ".join(rng.choices(vocabulary, weights if number % 2 else None, k=rng.randint(1, 8)))
        k = (1, 4, 40)[number % 3]
        assert pairs(index.top(query, k)) == reference.top(query, k), (query, k)


def test_rounding_keeps_the_order_of_the_unrounded_formula():
    rng, vocabulary, _, texts = corpus(6, 400, 150, 30)
    reference, index = Reference(texts, unit=0), Bm25Index.build(texts)
    for _ in range(60):
        query = " ".join(rng.choices(vocabulary, k=3))
        exact = dict(reference.top(query, len(texts)))
        numbers, scores = index.top(query, 10)
        assert scores == pytest.approx([exact[number] for number in numbers.tolist()], abs=3 / UNIT)
        assert scores == pytest.approx(sorted(exact.values(), reverse=True)[: len(scores)], abs=3 / UNIT)


def test_equal_scores_come_in_the_documents_order():
    index = Bm25Index.build(["red fox", "blue fox", "red fox", "green fox", "red fox"])
    assert index.top("red fox", 2)[0].tolist() == [0, 2]
    assert index.top("fox", 10)[0].tolist() == [0, 1, 2, 3, 4]
    assert index.top("zebra", 3)[0].tolist() == index.top("", 3)[0].tolist() == []


def test_the_words_of_every_document_count_even_where_they_say_nothing():
    index = Bm25Index.build(["the"] * 100, k1=1e6)
    numbers, scores = index.top("the", 3)
    assert numbers.tolist() == [0, 1, 2] and (scores > 0).all()


@pytest.mark.slow
def test_a_query_as_long_as_a_book():
    _, vocabulary, _, texts = corpus(7, 300, 100, 30)
    reference, index = Reference(texts), Bm25Index.build(texts)
    for query in (" ".join(vocabulary * 150), " ".join([vocabulary[-1]] * 5000 + vocabulary[:3])):
        assert reference.top(query, 1)[0][1] > 2048  # 2³¹ units
        assert pairs(index.top(query, 10)) == reference.top(query, 10)
    assert index.top("w1", 3)[1].tolist() == [score for _, score in reference.top("w1", 3)]


def test_no_documents_and_no_words():
    for texts in ([], ["", "!"]):
        index = Bm25Index.build(texts)
        assert len(index) == len(texts) and pairs(index.top("anything", 3)) == []


def test_saved_built_in_a_folder_in_chunks_or_in_memory_it_is_the_same(tmp_path, monkeypatch):
    rng, vocabulary, _, texts = corpus(8, 700, 300, 20)
    plain = Bm25Index.build(texts)
    plain.save(tmp_path / "saved")
    monkeypatch.setattr(bm25_build, "_CHUNK_CHARACTERS", 1000)
    monkeypatch.setattr(bm25_build, "_PART_POSTINGS", 300)
    seen = []
    built = Bm25Index.build(iter(texts), folder=tmp_path / "built", progress=seen.append)
    assert seen == sorted(seen) and len(seen) > 10 and seen[-1] == len(texts) == len(built)
    names = sorted(file.name for file in (tmp_path / "saved").iterdir())
    assert names == sorted(file.name for file in (tmp_path / "built").iterdir())
    for name in names:
        assert (tmp_path / "saved" / name).read_bytes() == (tmp_path / "built" / name).read_bytes(), name
    queries = [" ".join(rng.choices(vocabulary, k=4)) for _ in range(20)]
    expected = [pairs(result) for result in plain.search(queries, 5)]
    others = [built, Bm25Index.open(tmp_path / "saved", verify=True), pickle.loads(pickle.dumps(built))]
    for other in [*others, pickle.loads(pickle.dumps(plain)), Bm25Index.build(texts)]:
        assert [pairs(result) for result in other.search(queries, 5)] == expected
    with pytest.raises(UsageError, match="already saved"):
        built.save(tmp_path / "again")


@pytest.mark.parametrize("texts", [[], ["", ""], ["one word"]])
def test_tiny_indexes_in_folders(tmp_path, texts):
    index = Bm25Index.build(texts, folder=tmp_path)
    assert len(index) == len(texts)
    assert pairs(index.top("word", 3)) == pairs(Bm25Index.build(texts).top("word", 3))


def test_the_logarithm_is_right():
    x = np.concatenate((np.logspace(-7, 10, 5000), 1 + np.logspace(-12, 0, 1000), [1.0, 0.5, 2.0]))
    assert bm25_build._ln(x) == pytest.approx([math.log(value) for value in x], rel=4e-15, abs=1e-16)


def test_incomplete_and_truncated_folders_are_refused(tmp_path):
    def broken():
        yield "one text"
        raise KeyboardInterrupt

    Bm25Index.build(["old"], folder=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        Bm25Index.build(broken(), folder=tmp_path)
    with pytest.raises(SettingsError, match=r"not a complete turnwise bm25 index.*build it again"):
        Bm25Index.open(tmp_path)
    Bm25Index.build(["new text"], folder=tmp_path)
    (tmp_path / "impacts.npy").write_bytes((tmp_path / "impacts.npy").read_bytes()[:-4])
    with pytest.raises(SettingsError, match=r"impacts\.npy has .* built again"):
        Bm25Index.open(tmp_path)


@pytest.mark.parametrize(
    "setting", [{"k1": -1}, {"k1": math.nan}, {"k1": math.inf}, {"k1": "1"}, {"b": 1.5}, {"b": -0.1}, {"b": math.nan}]
)
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(SettingsError, match=rf"{next(iter(setting))} is .* must be"):
        Bm25Index.build(["text"], **setting)


def test_k_must_be_positive_and_a_folder_must_be_writable(tmp_path):
    with pytest.raises(SettingsError, match="k is 0"):
        Bm25Index.build(["text"]).top("text", 0)
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        Bm25Index.build(["text"], folder=tmp_path / "file" / "index")


@pytest.mark.slow
def test_64_threads_and_forks_share_an_index(tmp_path):
    rng, vocabulary, weights, texts = corpus(9, 3000, 400, 30)
    index = Bm25Index.build(texts, folder=tmp_path)
    queries = [" ".join(rng.choices(vocabulary, weights, k=4)) for _ in range(30)]
    expected = [pairs(index.top(query, 5)) for query in queries]
    index = Bm25Index.open(tmp_path)
    wrong = []

    def ask(start):
        for step in range(30):
            number = (start + step) % 30
            if pairs(index.top(queries[number], 5)) != expected[number]:
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)
    if "fork" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("fork")
        processes = [context.Process(target=_exit_wrong, args=(ask, wrong, start)) for start in range(8)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0] * 8


def _exit_wrong(ask, wrong, start):
    ask(start)
    raise SystemExit(len(wrong))
