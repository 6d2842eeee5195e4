"""Corpora in memory and in files, and retrievers of them."""

import pickle
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.retrieval.base import Document
from turnwise.retrieval.corpora.documents import FileCorpus, MemoryCorpus, write_corpus
from turnwise.retrieval.index import keys
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.local import LocalRetriever

DOCUMENTS = [
    Document("Lima", "Lima", "the capital of Peru"),
    Document("", "", ""),
    Document("Köln", "Köln (Stadt)", "liegt am Rhein\n\udc80"),
    Document("7", "Peru", "a country"),
]
TEXTS = st.text(st.characters(), max_size=20)


@settings(max_examples=30)
@given(st.lists(st.builds(Document, TEXTS, TEXTS, TEXTS), unique_by=lambda document: document.id))
def test_a_corpus_in_files_is_the_corpus_in_memory(tmp_path_factory, documents):
    written = write_corpus(tmp_path_factory.mktemp("corpus"), iter(documents))
    for corpus in (MemoryCorpus(documents), written, FileCorpus(written.folder, verify=True)):
        assert len(corpus) == len(documents) and list(corpus) == documents
        assert [corpus.number_of(document.id) for document in documents] == list(range(len(documents)))
        assert corpus.number_of("no such document, certainly") is None
        for number in (-1, len(documents)):
            with pytest.raises(IndexError):
                corpus[number]


def test_equal_hashes_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "hash_of", lambda key: len(key))
    monkeypatch.setattr("turnwise.retrieval.corpora.documents.hash_of", lambda key: len(key))
    documents = [Document(id, "", f"text of {id}") for id in ("aa", "bb", "c", "dd")]
    corpus = write_corpus(tmp_path, documents)
    assert [corpus.number_of(id) for id in ("aa", "bb", "c", "dd", "ee", "f")] == [0, 1, 2, 3, None, None]


def test_an_id_twice_is_refused_and_both_are_named(tmp_path):
    documents = [*DOCUMENTS, Document("Köln", "another", "")]
    for make in (MemoryCorpus, lambda documents: write_corpus(tmp_path, documents)):
        with pytest.raises(SettingsError, match=r"documents 2 and 4 .* id 'Köln'"):
            make(documents)
    with pytest.raises(SettingsError, match="not a complete turnwise corpus"):
        FileCorpus(tmp_path)


def test_progress_and_pickling(tmp_path):
    seen = []
    corpus = write_corpus(tmp_path, (Document(str(n), "", "text") for n in range(2500)), seen.append)
    assert seen == [1000, 2000]
    again = pickle.loads(pickle.dumps(corpus))
    assert again[2499] == corpus[2499] == Document("2499", "", "text")


def test_incomplete_damaged_and_foreign_folders_are_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"not a complete turnwise corpus.*build it again"):
        FileCorpus(tmp_path / "nowhere")
    folder = write_corpus(tmp_path / "corpus", DOCUMENTS).folder
    data = (folder / "documents.bin").read_bytes()

    (folder / "documents.bin").write_bytes(data[:-1])
    with pytest.raises(SettingsError, match=r"documents\.bin has .* bytes, not .* built again"):
        FileCorpus(folder)
    (folder / "documents.bin").write_bytes(data.replace(b"Peru", b"Cuba"))
    FileCorpus(folder)
    with pytest.raises(SettingsError, match=r"documents\.bin is damaged"):
        FileCorpus(folder, verify=True)
    (folder / "documents.bin").unlink()
    with pytest.raises(SettingsError, match=r"documents\.bin is missing"):
        FileCorpus(folder)

    write_corpus(folder, DOCUMENTS)
    manifest = folder / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"version": 1', '"version": 0'))
    with pytest.raises(SettingsError, match="format 0 of turnwise corpus; this turnwise reads 1"):
        FileCorpus(folder)
    manifest.write_text(text[:50])
    with pytest.raises(SettingsError, match=r"manifest\.json cannot be read"):
        FileCorpus(folder)
    Bm25Index.build(["text"], folder=tmp_path / "index")
    with pytest.raises(SettingsError, match="it must be the folder of a turnwise corpus"):
        FileCorpus(tmp_path / "index")


def test_a_corpus_that_is_written_anew_stays_whole_for_those_who_read_it(tmp_path):
    old = write_corpus(tmp_path, DOCUMENTS)
    new = write_corpus(tmp_path, DOCUMENTS[:1])
    assert list(old) == DOCUMENTS and list(new) == DOCUMENTS[:1]


@pytest.mark.parametrize("in_files", [False, True])
def test_a_retriever_of_both(tmp_path, in_files):
    corpus = write_corpus(tmp_path, DOCUMENTS) if in_files else MemoryCorpus(DOCUMENTS)
    index = Bm25Index.build(document.contents for document in corpus)
    with LocalRetriever(corpus, index) as retriever:
        first, none = retriever.search(["the country of Peru", "nothing known"], 2)
        assert [hit.document.id for hit in first] == ["7", "Lima"]
        assert first[0].score > first[1].score > 0 and type(first[0].score) is float
        assert none == [] and retriever.search([], 2) == []
        assert retriever.document("Lima") == DOCUMENTS[0] and retriever.document("Rome") is None
    with pytest.raises(SettingsError, match="the corpus has 4 documents and the index 1"):
        LocalRetriever(corpus, Bm25Index.build(["one"]))


def test_many_threads_read_one_corpus(tmp_path):
    documents = [Document(str(n), f"title {n}", f"text {n} " * (n % 7)) for n in range(300)]
    corpus = write_corpus(tmp_path, documents)
    wrong = []

    def read(start):
        for step in range(300):
            number = (start * 37 + step) % 300
            if corpus[number] != documents[number] or corpus.number_of(str(number)) != number:
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(start,)) for start in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)
