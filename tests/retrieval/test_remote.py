"""The clients: against our server in every protocol, and against one that fails in every way."""

import contextlib
import json
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.retrieval._servers import DOCUMENTS, FINAL, RECOVERABLE, RIGHT, UNREADABLE, FaultyServer, TinyRetriever
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.retrieval.base import Document
from turnwise.retrieval.http.dialects import DIALECTS, TOKEN_VARIABLE, parse_contents
from turnwise.retrieval.http.remote import RemoteRetriever, SearxRetriever
from turnwise.retrieval.http.server import RetrieverServer

QUICK: dict[str, Any] = {"timeout_s": 0.25, "deadline_s": 3.0, "backoff_s": 0.01, "max_bytes": 1 << 20}
LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12)


@pytest.fixture(scope="module")
def server() -> Iterator[RetrieverServer]:
    with RetrieverServer(TinyRetriever()) as made:
        yield made


def ids(retriever: Any, queries: list[str], k: int = 3) -> list[list[str]]:
    return [[hit.document.id for hit in hits] for hits in retriever.search(queries, k)]


# ---- protocols -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_finds_what_the_retriever_finds(server: RetrieverServer, dialect: str) -> None:
    if dialect == "gem":
        pytest.importorskip("msgpack", reason="needs msgpack")
    queries = ["number1 fact8", "", "nothing at all", "fact59", "fact3 \ud800" + "x" * 9000]
    wanted = TinyRetriever().search(queries, 4)
    with RemoteRetriever(server.url, dialect, batch=2) as remote:
        found = remote.search(queries, 4)
        assert remote.search([], 4) == []
    if dialect == "r1_searcher":  # strings alone: no ids
        assert [[(h.document.title, h.document.text) for h in hits] for hits in found] == [
            [(h.document.title, h.document.text) for h in hits] for hits in wanted
        ]
        assert len({h.document.id for hits in found for h in hits}) == len(
            {h.document for hits in wanted for h in hits}
        )
    else:
        assert [[h.document for h in hits] for hits in found] == [[h.document for h in hits] for hits in wanted]
    if dialect in ("search_r1", "skyrl", "gem"):
        assert found == wanted
    assert all(hits == sorted(hits, key=lambda hit: -hit.score) for hits in found)


def test_documents_are_looked_up_where_the_server_can(server: RetrieverServer) -> None:
    with RemoteRetriever(server.url) as remote:
        assert remote.document("d7") == DOCUMENTS[7]
        assert remote.document("none") is None
    with FaultyServer(TinyRetriever()) as other, RemoteRetriever(other.url) as remote:
        assert remote.document("d7") is None and remote.document("d7") is None
        assert ids(remote, ["fact1"]) == [["d1"]]


@pytest.mark.parametrize("tail", ["", "/", "/retrieve", "/retrieve/"])
def test_the_address_may_be_search_r1s(server: RetrieverServer, tail: str) -> None:
    with RemoteRetriever(server.url + tail) as remote:
        assert ids(remote, ["fact1"]) == [["d1"]]


def test_another_path(server: RetrieverServer) -> None:
    with RemoteRetriever(server.url, path="queries", dialect="r1_searcher") as remote:
        assert remote.search(["fact1"], 1)[0][0].document.title == "Entity 1"
    with RemoteRetriever(server.url, path="/elsewhere") as remote, pytest.raises(FatalError, match="404"):
        remote.search(["fact1"], 1)


@given(LINE, st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=200)
def test_contents_give_title_and_text_back(title: str, text: str) -> None:
    contents = Document("x", title, text).contents
    assert parse_contents(contents) == (title, text)
    assert parse_contents(contents, title) == (title, text)


@pytest.mark.parametrize(
    ("contents", "title", "found"),
    [
        ('"A"\nb\nc', "", ("A", "b\nc")),
        ("A\nb", "", ("A", "b")),
        ("one line", "", ("", "one line")),
        ("one line", "A", ("A", "one line")),
        ('"A"\nb', "A", ("A", "b")),
        ("A\nb", "A", ("A", "b")),
        ("first\nsecond", "A", ("A", "first\nsecond")),
        ('"two\nlines"\nb', "two\nlines", ("two\nlines", "b")),
        ('"He said "hi""\nb', 'He said "hi', ('He said "hi"', "b")),  # as Search-R1 strips it
        ("", "", ("", "")),
    ],
)
def test_contents_of_others(contents: str, title: str, found: tuple[str, str]) -> None:
    assert parse_contents(contents, title) == found


def test_documents_without_ids_get_one_of_their_contents() -> None:
    read = DIALECTS["search_r1"].read
    items = [{"document": {"title": "A", "text": "b", "contents": '"A"\nb'}, "score": 1}]
    items += [
        {"document": {"title": "A", "text": "other"}, "score": 0},
        {"document": {"id": 7, "contents": "x"}, "score": 0},
    ]
    first, second, third = [hit.document for hit in read({"result": [items]})[0]]
    assert (first.title, first.text, second.text) == ("A", "b", "other")
    assert first.id != second.id and len(first.id) == 16 and third.id == "7"
    page = {"id": 7, "url": "http://w/A", "contents": "x"}
    assert DIALECTS["asearcher"].read({"result": [[page]]})[0][0].document.id == "http://w/A"  # what /access takes
    answer = {"answers": [["12 1984 is a novel", '"T"\n7 days']]}  # R1-Searcher's rows begin with their number
    assert [hit.document.text for hit in DIALECTS["r1_searcher"].read(answer)[0]] == ["1984 is a novel", "7 days"]


def test_any_text_is_a_query_that_every_server_takes() -> None:
    with FaultyServer(TinyRetriever()) as other, RemoteRetriever(other.url, query_chars=4) as remote:
        assert remote.search(["\ud800" + "x" * 9000, ""], 1) == [[], []]
        assert other.asked[0]["queries"] == ["?xxx", ""]


def test_more_documents_than_asked_for_are_cut() -> None:
    class Generous(TinyRetriever):
        def search(self, queries: Any, k: int) -> Any:
            return super().search(queries, 10)

    with FaultyServer(Generous()) as other, RemoteRetriever(other.url) as remote:
        assert [len(hits) for hits in remote.search(["about", "fact1"], 2)] == [2, 1]


# ---- failures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [*UNREADABLE, "500"])
def test_what_passes_is_asked_for_again(fault: str) -> None:
    """What every client has in common: tests/core/test_http.py."""
    with FaultyServer(TinyRetriever(), [fault, fault, RIGHT]) as server, RemoteRetriever(server.url, **QUICK) as remote:
        assert ids(remote, ["fact1", "fact2"]) == [["d1"], ["d2"]]
        assert server.shown == {fault: 2, RIGHT: 1}
        assert server.asked[0] == server.asked[2] == {"queries": ["fact1", "fact2"], "topk": 3, "return_scores": True}


@pytest.mark.parametrize("fault", FINAL)
def test_what_is_wrong_is_an_error_at_once(fault: str) -> None:
    with FaultyServer(TinyRetriever(), [fault]) as server, RemoteRetriever(server.url, **QUICK) as remote:
        kind = FatalError if fault == "401" else InfrastructureError
        with pytest.raises(kind):
            remote.search(["fact1", "nothing"], 3)
        assert server.shown == {fault: 1}
        server._faults = [RIGHT]
        assert ids(remote, ["fact1"]) == [["d1"]]  # the failure leaves nothing behind


@pytest.mark.parametrize("seed", range(3))
def test_never_wrong_or_empty(seed: int) -> None:
    tiny = TinyRetriever()
    faults = (*RECOVERABLE[:6], *UNREADABLE, *FINAL)

    def ask(number: int) -> str:
        queries = [f"fact{(7 * number + i) % 60} number{number % 7}" for i in range(1 + number % 3)]
        try:
            found = remote.search(queries, 3)
        except InfrastructureError:
            return "error"
        wanted = tiny.search(queries, 3)
        return "right" if [[h.document for h in hits] for hits in found] == [
            [h.document for h in hits] for hits in wanted
        ] else "wrong"  # fmt: skip

    with (
        FaultyServer(TinyRetriever(), faults, seed=seed) as server,
        RemoteRetriever(server.url, **QUICK) as remote,
        ThreadPoolExecutor(16) as pool,
    ):
        seen = list(pool.map(ask, range(150)))
        assert len(server.shown) > 15
    assert set(seen) == {"right", "error"} and seen.count("right") > 50


def test_the_deadline_is_that_of_a_whole_search() -> None:
    with FaultyServer(TinyRetriever(), [RIGHT, "500"]) as server:
        limits = {**QUICK, "deadline_s": 0.3, "retries": 10**6}
        with RemoteRetriever(server.url, batch=1, **limits) as remote, pytest.raises(InfrastructureError, match="500"):
            remote.search(["fact1", "fact2"], 1)


def test_settings_are_checked() -> None:
    for url in ("localhost:8000", "ftp://x", "http://", "http://a:b@c", "http://x:y", "http://x/?q=1"):
        with pytest.raises(SettingsError, match="url"):
            RemoteRetriever(url)
        with pytest.raises(SettingsError, match="url"):
            SearxRetriever(url)
    for wrong in ({"dialect": "x"}, {"batch": 0}, {"timeout_s": 0}, {"retries": -1}, {"deadline_s": 0}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            RemoteRetriever("http://x", **wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="k is 0; it must be at least 1"):
        RemoteRetriever("http://x").search(["a"], 0)


def test_the_token_is_sent_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    token = "0123456789abcdef"
    with RetrieverServer(TinyRetriever(), token=token) as server:
        with RemoteRetriever(server.url) as remote, pytest.raises(FatalError, match="401") as raised:
            remote.search(["fact1"], 1)
        assert token not in str(raised.value)
        with RemoteRetriever(server.url, token=token) as remote:
            assert ids(remote, ["fact1"]) == [["d1"]] and token not in repr(remote)
        monkeypatch.setenv(TOKEN_VARIABLE, token)
        with RemoteRetriever(server.url) as remote:
            assert ids(remote, ["fact1"]) == [["d1"]]


def test_it_is_pickled_with_its_client(server: RetrieverServer) -> None:
    with RemoteRetriever(server.url) as remote:
        assert ids(remote, ["fact3"]) == [["d3"]]
        with pickle.loads(pickle.dumps(remote)) as other:
            assert ids(other, ["fact4"]) == [["d4"]]


# ---- SearXNG -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server with that handler."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Searx(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[dict[str, list[str]]] = []

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qs(parts.query)
        self.asked.append(asked)
        query = asked["q"][0]
        results = [
            {"url": f"http://w/{query}/{n}", "title": f"T{n}", "content": None if n == 1 else f"c{n}", "engine": "e"}
            for n in range(0 if query.startswith(("none", "failed")) else 4)
        ]
        if results:
            results[0]["score"] = 9.5
        answer = {
            "query": query,
            "results": results,
            "unresponsive_engines": [["e", "timeout"]] * query.startswith("failed"),
        }
        body = json.dumps({} if query == "odd" else answer).encode()
        status = 403 if query == "forbidden" else 404 if parts.path != "/search" else 200
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def test_searxng() -> None:
    with (
        serving(Searx) as url,
        SearxRetriever(f"{url}/search", parameters={"engines": "wikipedia"}, retries=1, backoff_s=0.01) as remote,
    ):
        two, none, blank = remote.search(["née & co", "none", " !! "], 2)
        assert [hit.document for hit in two] == [
            Document("http://w/née & co/0", "T0", "c0"),
            Document("http://w/née & co/1", "T1", ""),
        ]
        assert [hit.score for hit in two] == [9.5, 0.5] and none == blank == []
        assert Searx.asked[0] == {"q": ["née & co"], "format": ["json"], "engines": ["wikipedia"]}
        remote.search(["!!g cats :de wow! 3<4 <9 a:b"], 1)
        assert Searx.asked[-1]["q"] == ["g cats de wow! 3<4 9 a:b"]  # nothing that leaves the server
        for query, kind in (("failed", InfrastructureError), ("odd", InfrastructureError), ("forbidden", FatalError)):
            with pytest.raises(kind, match="engines: " if query == "failed" else None):
                remote.search([query], 2)
        assert remote.document("http://w/x") is None
