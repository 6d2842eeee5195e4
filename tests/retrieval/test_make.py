"""Retrievers from a text: one for a process, made anew when the index is built again."""

import json
import multiprocessing
import threading

import pytest

from turnwise.core.errors import SettingsError
from turnwise.retrieval import make
from turnwise.retrieval.index.build import build_index
from turnwise.retrieval.local import LocalRetriever
from turnwise.retrieval.make import forget_retrievers, make_retriever


@pytest.fixture
def index(tmp_path):
    """The spec of an index folder of three documents."""
    write(tmp_path, "abc")
    yield f"bm25:{tmp_path / 'i'}"
    forget_retrievers()


def write(folder, ids):
    rows = [{"id": id, "text": f"town {id}"} for id in ids]
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    build_index(str(folder / "c.jsonl"), folder / "i")


def test_a_process_has_one_retriever_of_a_kind(index):
    retriever = make_retriever(index)
    assert isinstance(retriever, LocalRetriever) and make_retriever(index) is retriever
    assert [hit.document.id for hit in retriever.search(["b"], 3)[0]] == ["b"]
    assert make_retriever(index.replace("bm25:", "index:")) is not retriever
    assert make_retriever(index, verify=True) is not retriever
    found = []
    threads = [threading.Thread(target=lambda: found.append(make_retriever(index, source=None))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1
    forget_retrievers()
    assert make_retriever(index) is not retriever


def test_an_index_that_was_built_again_is_opened_again(index, tmp_path):
    old = make_retriever(index)
    write(tmp_path, "abcd")
    new = make_retriever(index)
    assert new is not old and new.document("d") is not None
    assert old.document("d") is None and old.search(["c"], 1)[0][0].document.id == "c"


def test_a_child_process_makes_its_own(index):
    parent = make_retriever(index)
    context = multiprocessing.get_context("fork")
    out = context.SimpleQueue()

    def child():
        mine = make_retriever(index)
        out.put((mine is parent, [hit.document.id for hit in mine.search(["b"], 3)[0]]))

    with make._lock:  # held by a thread of the parent while it forks
        process = context.Process(target=child)
        process.start()
    assert out.get() == (False, ["b"])
    process.join()
    assert make_retriever(index) is parent


def test_servers_are_named_by_their_address():
    from turnwise.retrieval.http.remote import RemoteRetriever, SearxRetriever

    try:
        server = make_retriever("http://127.0.0.1:9/retrieve", retries=0)
        assert (
            isinstance(server, RemoteRetriever) and make_retriever("http://127.0.0.1:9/retrieve", retries=0) is server
        )
        assert make_retriever("http://127.0.0.1:9/retrieve", retries=1) is not server
        assert isinstance(make_retriever("searxng:http://127.0.0.1:9"), SearxRetriever)
    finally:
        forget_retrievers()


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        ("bm52:x", {}, "'bm52:x' .did you mean bm25:.*must be one of bm25:FOLDER"),
        ("", {}, "the retriever is ''"),
        ("bm25:", {}, "must be one of"),
        ("/some/folder", {}, "must be one of"),
        ("http:", {}, "must be one of"),
        ("searxng:localhost", {}, "must be one of"),
        ("bm25:/none/here", {}, "turnwise index CORPUS /none/here"),
        ("http://127.0.0.1:9", {"nope": 1}, "'nope'"),
        ("ftp://x", {}, "must be one of"),
    ],
)
def test_texts_that_mean_nothing_are_refused(spec, settings, message):
    with pytest.raises(SettingsError, match=message):
        make_retriever(spec, **settings)


def test_settings_and_engines_that_do_not_fit_are_refused(index):
    with pytest.raises(SettingsError, match="engine 'bm25' has no setting 'depth'"):
        make_retriever(index, depth=3)
    with pytest.raises(SettingsError, match="engine 'bm25', not 'tantivy'"):
        make_retriever(index.replace("bm25:", "tantivy:"))
