"""Dense search: exact ranks, ties, blocks, prefixes, threads; a sentence-transformers model made here."""

import pickle
import sys
import threading
import time

import numpy as np
import pytest

from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.retrieval.base import Document
from turnwise.retrieval.corpora.documents import MemoryCorpus
from turnwise.retrieval.index.build import build_index, open_index
from turnwise.retrieval.index.dense import DenseIndex, SentenceEncoder
from turnwise.retrieval.local import LocalRetriever

WORDS = ["[UNK]", "river", "town", "mayor", "varn", "query", "passage", ":", "lake", "novel", "ship"]


class Vectors:
    """Gives each text the vector that it spells."""

    def encode(self, texts, query):
        return np.array([[float(x) for x in text.split()] for text in texts])


def spelled(vectors):
    return [" ".join(map(repr, map(float, vector))) for vector in vectors]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model that takes the mean of words' vectors."""
    pytest.importorskip("sentence_transformers", reason="needs the extra dense")
    from sentence_transformers import SentenceTransformer

    try:
        from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    except ImportError:  # before version 6
        from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(WORDS), 16)).astype(np.float32)
    made = SentenceTransformer(modules=[StaticEmbedding(words, embedding_weights=weights)], device="cpu")
    folder = tmp_path_factory.mktemp("models") / "small-e5-made-here"
    made.save(str(folder))
    return str(folder)


# ---- the index -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("block", [1, 7, 1000])
def test_ranks_are_those_of_brute_force(tmp_path, monkeypatch, dtype, block):
    monkeypatch.setattr("turnwise.retrieval.index.dense._BLOCK_BYTES", block * 4 * 24)
    rng = np.random.default_rng(1)
    stored, asked = rng.normal(size=(50, 24)), rng.normal(size=(6, 24))
    stored[40:] = stored[:10]  # twins
    folder = tmp_path / "i"
    index = DenseIndex.build(spelled(stored), encoder=Vectors(), dtype=dtype, folder=folder, batch_size=1)
    unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)  # noqa: E731
    exact = unit(asked) @ unit(stored).astype(dtype).astype(float).T
    for k in (1, 5, 50, 99):
        for (numbers, scores), row in zip(index.search(spelled(asked), k), exact, strict=True):
            order = np.lexsort((np.arange(50), -row.round(12)))[:k]
            assert numbers.tolist() == order.tolist()
            assert np.allclose(scores, row[order], atol=1e-12)


def test_equal_documents_are_ranked_by_number_whatever_else_is_asked():
    rng = np.random.default_rng(2)
    texts = spelled(np.repeat(rng.normal(size=(7, 33)), 11, axis=0))
    index = DenseIndex.build(texts, encoder=Vectors())
    asked = spelled(rng.normal(size=(9, 33)))
    together = index.search(asked, 30)
    for query, (numbers, scores) in zip(asked, together, strict=True):
        ((alone, same),) = index.search([query], 30)
        assert alone.tolist() == numbers.tolist() and same.tolist() == scores.tolist()
        groups = [numbers[i : i + 11].tolist() for i in (0, 11)]
        assert all(group == sorted(group) and group[0] % 11 == 0 for group in groups)


def test_nothing_is_asked_and_nothing_is_there():
    index = DenseIndex.build(spelled([[1, 0], [0, 1]]), encoder=Vectors())
    assert index.search([], 3) == [] and [n.tolist() for n, _ in index.search(["1 0"], 0)] == [[]]
    assert [n.tolist() for n, _ in index.search(["1 0"], 9)] == [[0, 1]]
    empty = DenseIndex.build([], encoder=Vectors())
    assert len(empty) == 0 and [n.tolist() for n, _ in empty.search(["1 0"], 3)] == [[]]


def test_vectors_that_cannot_be_used_are_named():
    for bad in ("0 0", "nan 1", "inf 1"):
        with pytest.raises(SettingsError, match="an unusable vector for text 17"):
            DenseIndex.build(["1 0"] * 17 + [bad], encoder=Vectors(), batch_size=1)
    index = DenseIndex.build(["1 0"], encoder=Vectors())
    with pytest.raises(SettingsError, match=r"vectors of 3 numbers.*those of 2"):
        index.search(["1 0 0"], 1)
    for settings, message in (
        ({"dtype": "int8"}, "dtype"),
        ({"batch_size": 0}, "batch_size"),
        ({"encoder": None}, "model"),
    ):
        with pytest.raises(SettingsError, match=message):
            DenseIndex.build(["1 0"], **{"encoder": Vectors(), **settings})


# ---- models --------------------------------------------------------------------------------------------------------


def test_prefixes_are_those_of_the_model():
    def prefixes(name, **settings):
        encoder = SentenceEncoder(name, **settings)
        return encoder.query_prefix, encoder.passage_prefix

    for name in ("intfloat/e5-base-v2", "intfloat/multilingual-e5-large", "/models/e5_small"):
        assert prefixes(name) == ("query: ", "passage: ")
    for name in ("BAAI/bge-base-en-v1.5", "sentence-transformers/all-MiniLM-L6-v2", "intfloat/e5-mistral-7b-instruct"):
        assert prefixes(name) == (None, None)
    assert prefixes("intfloat/e5-base", query_prefix="", passage_prefix="p: ") == ("", "p: ")


@pytest.mark.slow
def test_a_model_of_sentence_transformers_finds_what_is_near(model, tmp_path):
    corpus = MemoryCorpus(
        Document(str(n), "", text) for n, text in enumerate(["river varn", "town mayor", "lake ship", "river varn"])
    )
    texts = [document.text for document in corpus]
    index = DenseIndex.build(texts, model=model, folder=tmp_path / "i", dtype="float32")
    ((numbers, scores),) = index.search(["varn river"], 4)
    assert numbers.tolist()[:2] == [0, 3] and scores[0] == scores[1] > scores[2]
    hits = LocalRetriever(corpus, index).search(["mayor", "ship"], 1)
    assert [[h.document.id for h in found] for found in hits] == [["1"], ["2"]]

    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(model, device="cpu")
    one, other = plain.encode(["query: varn river", "passage: river varn"]).astype(float)
    assert scores[0] == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other), abs=1e-6)
    bare = DenseIndex.build(texts, model=model, query_prefix="", passage_prefix="")
    one, other = plain.encode(["varn river", "river varn"]).astype(float)
    assert bare.search(["varn river"], 1)[0][1][0] == pytest.approx(1.0, abs=1e-3) != scores[0]


def test_an_index_is_opened_again_pickled_and_asked_by_many_threads(model, tmp_path):
    texts = [" ".join(WORDS[1 + (n * 7 + i) % 10] for i in range(1 + n % 5)) for n in range(60)]
    built = DenseIndex.build(texts, model=model, folder=tmp_path / "i")
    expected = [(n.tolist(), s.tolist()) for n, s in built.search(texts[:8], 5)]
    again = pickle.loads(pickle.dumps(DenseIndex.open(tmp_path / "i", verify=True)))
    found = [None] * 8

    def ask(at):
        for _ in range(5):
            ((numbers, scores),) = again.search([texts[at]], 5)
            found[at] = numbers.tolist(), scores.tolist()

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [numbers for numbers, _ in found] == [numbers for numbers, _ in expected]
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(DenseIndex.build(["1 0"], encoder=Vectors()))
    vectors = tmp_path / "i" / "vectors.bin"
    vectors.write_bytes(vectors.read_bytes()[:-2])
    with pytest.raises(SettingsError, match=r"vectors\.bin has .* bytes"):
        DenseIndex.open(tmp_path / "i")


def test_a_model_encodes_for_one_thread_at_a_time(monkeypatch):
    busy, clashes = threading.Lock(), []

    class Model:
        def encode(self, texts, **_):
            if not busy.acquire(blocking=False):
                clashes.append(texts)
                return np.ones((len(texts), 2))
            time.sleep(0.002)
            busy.release()
            return np.ones((len(texts), 2))

    shared = Model(), threading.Lock()
    monkeypatch.setattr("turnwise.retrieval.index.dense._load", lambda *_: shared)
    encoder = SentenceEncoder("owner/e5-made-up")
    threads = [threading.Thread(target=encoder.encode, args=(["x"], True)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clashes == []


def test_index_folders_with_vectors(model, tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": "a", "text": "river varn"}\n{"id": "b", "text": "town mayor"}\n')
    info = build_index(str(path), tmp_path / "dense", "dense", model=model)
    assert info.settings["model"] == model and info.settings["dtype"] == "float16"
    assert [h.document.id for h in open_index(tmp_path / "dense", batch_size=2).search(["mayor"], 2)[0]] == ["b", "a"]
    build_index(str(path), tmp_path / "hybrid", "hybrid", model=model, k1=0.9)
    with open_index(tmp_path / "hybrid", method="weighted", weights=(1, 0)) as hybrid:
        assert [h.document.id for h in hybrid.search(["varn"], 2)[0]] == ["a", "b"]
        assert hybrid.document("b").text == "town mayor" and hybrid.document("c") is None


def test_missing_packages_and_models_are_named(monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(MissingDependencyError, match=r"sentence-transformers.*turnwise\[dense\]"):
            DenseIndex.build(["x"], model="owner/none")
    pytest.importorskip("sentence_transformers", reason="needs the extra dense")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SettingsError, match=r"model is '.*nothing'"):
        DenseIndex.build(["x"], model=str(tmp_path / "nothing"))
