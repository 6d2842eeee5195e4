"""The server: what it answers to whom, under load, to what is not of a protocol, and how it ends."""

import contextlib
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests._work import quickest
from tests.retrieval._servers import DOCUMENTS, TinyRetriever, exchange
from turnwise.cli.main import run
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.http.server import Limits, RetrieverServer

CONTENTS = [document.contents for document in DOCUMENTS]


def post(url: str, path: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any, dict[str, str]]:
    """Status, object and headers of an answer, over a connection of its own."""
    place = url.removeprefix("http://")
    connection = http.client.HTTPConnection(place, timeout=120)
    with contextlib.closing(connection):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, {"Content-Type": "application/json"} if headers is None else headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read()), dict(response.getheaders())


def raw(path: str, body: bytes, *headers: str, method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


# ---- what clients of others do -------------------------------------------------------------------------------------


class SearchR1Loop:
    """The part of Search-R1's trainer that meets the server: a batch of predictions in, observations out.

    One request for the whole batch, also where nobody searches; the answer's lists are handed out in their order; a
    passage is shown as ``Doc n(Title: first line) the rest``.
    """

    def __init__(self, url: str, topk: int = 3) -> None:
        self.url, self.topk = url, topk

    def observations(self, actions: Sequence[tuple[str, str]]) -> list[str]:
        payload = {"queries": [text for kind, text in actions if kind == "search"], "topk": self.topk}
        answer = post(self.url, "/retrieve", {**payload, "return_scores": True})[1]
        shown = [self._shown(passages) for passages in answer["result"]]
        said = [f"\n\n<information>{text.strip()}</information>\n\n" for text in shown]
        found = [said.pop(0) if kind == "search" else "" for kind, _ in actions]
        assert not said
        return found

    @staticmethod
    def _shown(passages: list[dict[str, Any]]) -> str:
        lines = [passage["document"]["contents"].split("\n") for passage in passages]
        return "".join(f"Doc {n}(Title: {line[0]}) " + "\n".join(line[1:]) + "\n" for n, line in enumerate(lines, 1))


def test_search_r1s_loop() -> None:
    with RetrieverServer(TinyRetriever()) as server:
        loop = SearchR1Loop(server.url)
        actions = [("search", "fact3"), ("answer", "x"), ("search", ""), ("search", "fact1 number1"), ("none", "")]
        first, *rest = loop.observations(actions)
        assert first == (
            '\n\n<information>Doc 1(Title: "Entity 3") fact3 about number3.\nSecond line of 3.</information>\n\n'
        )
        assert rest[0] == rest[3] == "" and rest[1] == "\n\n<information></information>\n\n"
        titles = [part.split(")")[0] for part in rest[2].split("Title: ")[1:]]
        assert titles == ['"Entity 1"', '"Entity 8"', '"Entity 15"']
        assert loop.observations([("answer", "x")]) == [""]  # a batch where nobody searches asks for nothing


@pytest.mark.parametrize("queries", [["fact3"], ["fact3", "fact4"], ["fact3", "nothing", "fact4"]])
def test_without_scores_documents_are_bare(queries: list[str]) -> None:
    with RetrieverServer(TinyRetriever()) as server:
        for body in ({"queries": queries, "topk": 1, "return_scores": False}, {"queries": queries, "topk": 1}):
            status, answer, _ = post(server.url, "/retrieve", body)
            assert status == 200
            wanted = [[DOCUMENTS[int(query[-1])]] if query.startswith("fact") else [] for query in queries]
            assert [[(d["id"], d["contents"]) for d in docs] for docs in answer["result"]] == [
                [(d.id, d.contents) for d in docs] for docs in wanted
            ]


def test_the_number_of_documents_may_be_left_to_the_server() -> None:
    with RetrieverServer(TinyRetriever(), topk=2) as server:
        for topk in ({}, {"topk": None}, {"topk": 0}):
            assert len(post(server.url, "/retrieve", {"queries": ["about"], **topk})[1]["result"][0]) == 2


def test_skyrl_asks_for_one_query_or_for_a_list() -> None:
    with RetrieverServer(TinyRetriever()) as server:
        one = post(server.url, "/retrieve", {"query": "fact5", "topk": 1, "return_scores": True})[1]["result"]
        assert [item["document"]["contents"] for item in one[0]] == [CONTENTS[5]] and len(one) == 1
        two = post(server.url, "/retrieve", {"query": ["fact5", "fact6"], "topk": 1})[1]["result"]
        assert [docs[0]["id"] for docs in two] == ["d5", "d6"]


def test_asearcher_reads_contents_and_url_and_opens_it() -> None:
    with RetrieverServer(TinyRetriever()) as server:
        asked = {"queries": ["fact7"], "topk": 10, "return_scores": False}
        found = post(server.url, "/retrieve", asked)[1]["result"][0]
        documents, urls = [item["contents"] for item in found], [item["url"] for item in found]
        assert documents == [CONTENTS[7]]
        pages = post(server.url, "/access", {"urls": [urls[0], "no such page"]})[1]["result"]
        assert pages[0]["contents"] == CONTENTS[7] and pages[1] is None


def test_r1_searcher_gets_strings() -> None:
    with RetrieverServer(TinyRetriever()) as server:
        answer = post(server.url, "/queries", {"queries": ["fact2", "fact9"], "k": 3})[1]
        assert answer == {"queries": ["fact2", "fact9"], "answers": [[CONTENTS[2]], [CONTENTS[9]]]}


def test_gem_sends_msgpack_without_saying_so() -> None:
    msgpack = pytest.importorskip("msgpack", reason="needs msgpack")
    with RetrieverServer(TinyRetriever()) as server:
        for scores in (True, False):
            body = msgpack.packb({"query": "fact2", "topk": 1, "return_scores": scores})
            for kind in ("", "Content-Type: application/msgpack"):
                answer = exchange(server.url, raw("/retrieve", body, *filter(None, [kind, "Connection: close"])))
                head, _, data = answer.partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200") and b"application/msgpack" in head
                document = {"id": "d2", "title": "Entity 2", "contents": CONTENTS[2]}
                assert msgpack.unpackb(data) == {"result": [{"document": document, "score": 1.0 if scores else None}]}


@pytest.mark.parametrize("body", [b"\x81\xa7queries", b"\x81\xa7queries\xa1a", b"\xc1", b"\xdf\xff\xff\xff\xff"])
def test_broken_msgpack_is_refused(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgpack", reason="needs msgpack")
    headers = {"Content-Type": "application/msgpack"}
    with RetrieverServer(TinyRetriever()) as server:
        assert post(server.url, "/retrieve", body, headers)[0] == 400
        monkeypatch.setitem(sys.modules, "msgpack", None)
        status, answer, _ = post(server.url, "/retrieve", body, headers)
        assert status == 415 and "turnwise[msgpack]" in answer["error"]


# ---- many at once --------------------------------------------------------------------------------------------------


def test_two_hundred_clients_get_their_own_answers() -> None:
    retriever = TinyRetriever(DOCUMENTS)
    start, wrong, done = threading.Barrier(200), [], []

    def client(number: int) -> None:
        rng = random.Random(number)
        loop = SearchR1Loop(server.url, topk=1)
        start.wait()
        for _ in range(5):
            numbers = [rng.randrange(60) for _ in range(rng.randint(1, 4))]
            shown = loop.observations([("search", f"fact{n}") for n in numbers])
            done.append(len(numbers))
            wrong.extend((n, text) for n, text in zip(numbers, shown, strict=True) if f"fact{n} about" not in text)

    with RetrieverServer(retriever) as server, ThreadPoolExecutor(200) as pool:
        list(pool.map(client, range(200)))
        health = http.client.HTTPConnection(server.url.removeprefix("http://"))
        with contextlib.closing(health):
            health.request("GET", "/health")
            said = json.loads(health.getresponse().read())
    assert not wrong and len(done) == 1000
    assert said["status"] == "ok" and said["queries"] == sum(done) and said["requests"] == 1001
    assert said["searches"] == len(retriever.calls) < 1000  # those that waited were put together


@pytest.mark.slow
def test_what_waits_is_searched_together_and_nothing_waits_for_company() -> None:
    retriever = TinyRetriever(pause_s=0.2)
    with RetrieverServer(retriever) as server, ThreadPoolExecutor(8) as pool:
        body = {"queries": ["fact1"], "topk": 3}
        bare, served = quickest(lambda: retriever.search(["fact1"], 3), lambda: post(server.url, "/retrieve", body))
        assert served < 2 * bare  # one search, and no window before it
        retriever.calls.clear()
        first = pool.submit(post, server.url, "/retrieve", {"queries": ["fact0"], "topk": 3})
        while not retriever.calls:
            time.sleep(0.005)
        asked = [({"queries": [f"fact{n}", "fact9"], "topk": 3 + (n == 4)}) for n in range(1, 6)]
        later = [pool.submit(post, server.url, "/retrieve", body) for body in asked]
        found = [future.result()[1]["result"] for future in later]
        assert first.result()[1]["result"][0][0]["id"] == "d0"
    assert [[docs[0]["id"] for docs in result] for result in found] == [[f"d{n}", "d9"] for n in range(1, 6)]
    calls = {k: sorted(q) for q, k in retriever.calls[1:]}
    assert calls == {3: ["fact1", "fact2", "fact3", "fact5", "fact9"], 4: ["fact4", "fact9"]}  # equal queries once


def test_a_long_request_takes_turns_with_short_ones() -> None:
    retriever = TinyRetriever(pause_s=0.05)
    with RetrieverServer(retriever, batch=4) as server, ThreadPoolExecutor(2) as pool:
        long = pool.submit(post, server.url, "/retrieve", {"queries": [f"fact{n}" for n in range(40)], "topk": 1})
        while not retriever.calls:
            time.sleep(0.005)
        post(server.url, "/retrieve", {"queries": ["fact59"], "topk": 1})
        assert not long.done()
        assert [docs[0]["id"] for docs in long.result()[1]["result"]] == [f"d{n}" for n in range(40)]


# ---- limits and failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/retrieve", b"{", 400, "not JSON"),
        ("/retrieve", b"[" * 100_000, 400, "not JSON"),
        ("/retrieve", b"\xff\xfe", 400, "not JSON"),
        ("/retrieve", [], 400, "a list, not an object"),
        ("/retrieve", {}, 400, "neither queries"),
        ("/retrieve", {"queries": "fact1"}, 400, "queries is 'fact1', not a list"),
        ("/retrieve", {"queries": ["a", 1]}, 400, "queries[1] is 1, not a string"),
        ("/retrieve", {"queries": ["a"], "topk": -1}, 400, "topk is -1"),
        ("/retrieve", {"queries": ["a"], "topk": True}, 400, "topk is True"),
        ("/retrieve", {"queries": ["a"], "topk": 11}, 400, "topk is 11: at most 10"),
        ("/retrieve", {"queries": ["a"], "return_scores": "yes"}, 400, "return_scores is 'yes'"),
        ("/retrieve", {"queries": ["a"] * 9}, 400, "9 queries: at most 8"),
        ("/retrieve", {"queries": ["a"] * 8, "topk": 10}, 400, "8 queries times 10 documents: at most 50"),
        ("/retrieve", {"queries": ["a", "b" * 101]}, 400, "queries[1] has 101 characters: at most 100"),
        ("/retrieve", {"queries": ["b" * 2000]}, 413, "at most 1500 bytes"),
        ("/queries", {"query": "a"}, 400, "queries is None"),
        ("/access", {"urls": "a"}, 400, "urls is 'a'"),
        ("/access", {"urls": ["a"] * 9}, 400, "9 urls"),
        ("/other", {}, 404, "not found; there are POST /retrieve"),
        ("/health", {}, 405, "for GET"),
    ],
)
def test_what_cannot_be_answered_is_told_why(path: str, body: Any, status: int, says: str) -> None:
    limits = Limits(queries=8, query_chars=100, topk=10, documents=50, body_bytes=1500)
    if body == b"[" * 100_000:
        limits = Limits()
    with RetrieverServer(TinyRetriever(), limits=limits) as server:
        got, answer, _ = post(server.url, path, body)
        assert got == status and says in answer["error"]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"hello\r\n\r\n", b"400"),
        (b"GET /retrieve HTTP/1.1\r\n\r\n", b"405"),
        (b"POST /retrieve HTTP/1.1\r\n\r\n", b"411"),
        (b"POST /retrieve HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"411"),
        (b"POST /retrieve HTTP/1.1\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n", b"413"),
        (b"POST /retrieve HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n", b"411"),
        (b"GET /health HTTP/1.1\r\nX: " + b"x" * 40_000, b"431"),
    ],
)
def test_what_is_no_request_is_refused(data: bytes, status: bytes) -> None:
    with RetrieverServer(TinyRetriever()) as server:
        assert exchange(server.url, data).startswith(b"HTTP/1.1 " + status)
        assert post(server.url, "/retrieve", {"queries": []})[0] == 200  # and the next client is served


def test_a_refusal_reaches_who_is_still_sending() -> None:
    with RetrieverServer(TinyRetriever(), limits=Limits(body_bytes=100)) as server:
        assert exchange(server.url, raw("/retrieve", b"x" * (1 << 22))).startswith(b"HTTP/1.1 413")


def test_a_connection_carries_many_requests_in_pieces_and_ahead() -> None:
    body = json.dumps({"queries": ["fact1"], "topk": 1}).encode()
    request, other = raw("/retrieve", body), raw("/retrieve", body.replace(b"fact1", b"fact2"))
    last = raw("/health", b"", "Connection: close", method="GET")
    with RetrieverServer(TinyRetriever()) as server:
        got = exchange(server.url, request + other + b"\r\n" + request + last)
        ids = [part[:3].strip(b'"') for part in got.split(b'"id":"')[1:]]
        assert ids == [b"d1", b"d2", b"d1"] and got.count(b"HTTP/1.1 200") == 4
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        with contextlib.closing(connection):
            connection.connect()
            for byte in raw("/retrieve", body, "Expect: 100-continue"):
                connection.sock.send(bytes([byte]))
            answer = connection.sock.recv(65536)
            assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.slow
def test_a_full_queue_sends_away_and_a_late_answer_is_given_up() -> None:
    retriever = TinyRetriever(pause_s=0.5)
    limits = Limits(waiting=4, deadline_s=0.7)
    with RetrieverServer(retriever, limits=limits) as server, ThreadPoolExecutor(8) as pool:
        first = pool.submit(post, server.url, "/retrieve", {"queries": ["fact0"]})
        while not retriever.calls:
            time.sleep(0.005)
        second = pool.submit(post, server.url, "/retrieve", {"queries": ["fact1"], "topk": 2})
        third = pool.submit(post, server.url, "/retrieve", {"queries": ["fact2"], "topk": 4})
        time.sleep(0.1)
        status, answer, headers = post(server.url, "/retrieve", {"queries": ["a", "b", "c"]})
        assert (status, headers["Retry-After"]) == (503, "1") and "wait already" in answer["error"]
        assert first.result()[0] == 200
        assert [second.result()[0], third.result()[0]] == [504, 504]
        time.sleep(0.5)
        assert len(retriever.calls) < 4  # nobody waited for the third any more
        assert post(server.url, "/retrieve", {"queries": ["fact0"]})[0] == 200


def test_nothing_is_searched_for_who_has_gone() -> None:
    retriever = TinyRetriever(pause_s=0.3)
    with RetrieverServer(retriever) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, server.url, "/retrieve", {"queries": ["fact0"]})
        while not retriever.calls:
            time.sleep(0.005)
        exchange(server.url, raw("/retrieve", b'{"queries": ["fact1"]}'), wait_s=0.1)
        assert first.result()[0] == 200
        assert post(server.url, "/retrieve", {"queries": ["fact2"]})[0] == 200
        assert [queries for queries, _ in retriever.calls] == [["fact0"], ["fact2"]]


class Moody(TinyRetriever):
    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if "down" in queries:
            self.calls.append((["down"], k))
            raise InfrastructureError("the index is gone")
        if "bad" in queries:
            raise ZeroDivisionError("bad")
        return super().search(queries, k)[: -1 if "short" in queries else None]


@pytest.mark.filterwarnings("ignore")
def test_a_failure_is_an_error_of_its_own_request_alone(caplog: pytest.LogCaptureFixture) -> None:
    retriever = Moody(pause_s=0.2)
    with RetrieverServer(retriever) as server, ThreadPoolExecutor(8) as pool:
        first = pool.submit(post, server.url, "/retrieve", {"queries": ["fact0"]})
        while not retriever.calls:
            time.sleep(0.005)
        others = [pool.submit(post, server.url, "/retrieve", {"queries": [q]}) for q in ("bad", "fact1", "short")]
        assert [future.result()[0] for future in (first, *others)] == [200, 500, 200, 500]
        retriever.calls.clear()
        first = pool.submit(post, server.url, "/retrieve", {"queries": ["fact0"]})
        while not retriever.calls:
            time.sleep(0.005)
        others = [pool.submit(post, server.url, "/retrieve", {"queries": [q]}) for q in ("down", "fact1")]
        for status, answer, headers in (future.result() for future in others):
            assert (status, answer, headers["Retry-After"]) == (503, {"error": "the index is gone"}, "1")
        assert retriever.calls[1:] == [(["down"], 3)]  # what is gone is not asked for each of them again
    assert "ZeroDivisionError" in caplog.text


# ---- who may, and until when ---------------------------------------------------------------------------------------


def test_a_token_is_asked_for() -> None:
    token = "0123456789abcdef"
    with RetrieverServer(TinyRetriever(), token=token) as server:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": token}):
            assert post(server.url, "/retrieve", {"queries": []}, headers)[0] == 401
        assert post(server.url, "/retrieve", {"queries": []}, {"Authorization": f"Bearer {token}"})[0] == 200
        assert b"200 OK" in exchange(server.url, raw("/health", b"", "Connection: close", method="GET"))


def test_an_open_address_needs_a_token_or_a_word() -> None:
    with pytest.raises(SettingsError, match="open to other machines"):
        RetrieverServer(TinyRetriever(), "0.0.0.0")
    with pytest.raises(SettingsError, match="at least 16"):
        RetrieverServer(TinyRetriever(), token="short")
    with RetrieverServer(TinyRetriever(), "0.0.0.0", public=True) as server:
        port = server.url.rpartition(":")[2]
        assert post(f"http://127.0.0.1:{port}", "/retrieve", {"queries": []})[0] == 200
    for wrong in ({"topk": 0}, {"batch": 0}, {"workers": 0}):
        with pytest.raises(SettingsError, match="at least 1"):
            RetrieverServer(TinyRetriever(), **wrong)
    with pytest.raises(SettingsError, match="waiting is 0; it must be at least 1"):
        Limits(waiting=0)


def test_closing_finishes_what_runs() -> None:
    retriever = TinyRetriever(pause_s=0.3)
    server = RetrieverServer(retriever)
    server.start()
    idle = http.client.HTTPConnection(server.url.removeprefix("http://"))
    idle.connect()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(post, server.url, "/retrieve", {"queries": ["fact1"]})
        while not retriever.calls:
            time.sleep(0.005)
        server.close()
        status, answer, headers = running.result()
    assert status == 200 and answer["result"][0][0]["id"] == "d1" and headers["Connection"] == "close"
    assert idle.sock.recv(1) == b""
    idle.close()
    with pytest.raises(OSError, match="refused"):
        post(server.url, "/retrieve", {"queries": []})
    RetrieverServer(retriever).close()  # one that never served


SERVE = """
import sys, time
from tests.retrieval._servers import TinyRetriever
from turnwise.retrieval.http.server import serve
serve(TinyRetriever(pause_s=0.5), "127.0.0.1", 0)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_after_what_runs(number: int) -> None:
    environment = {**os.environ, "TURNWISE_RETRIEVER_TOKEN": "0123456789abcdef"}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert said["token"] is True
        with ThreadPoolExecutor(1) as pool:
            headers = {"Authorization": "Bearer 0123456789abcdef"}
            running = pool.submit(post, said["url"], "/retrieve", {"queries": ["fact1"]}, headers)
            time.sleep(0.25)
            process.send_signal(number)
            assert running.result()[0] == 200
        assert process.wait(120) == 0
        assert process.stderr is not None and process.stderr.read() == ""


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Closing(TinyRetriever):
        def close(self) -> None:
            made.append("closed")

    monkeypatch.setattr("turnwise.retrieval.make.make_retriever", lambda spec: made.append(spec) or Closing())
    monkeypatch.setattr(
        "turnwise.retrieval.http.server.serve", lambda _, *args, **settings: made.append((args, settings))
    )
    assert run(["serve-retriever", "bm25:folder", "--port", "0", "--public", "--topk", "5"]) == 0
    settings = {"host": "127.0.0.1", "port": 0, "public": True, "topk": 5, "batch": 256, "workers": 1}
    assert made == ["bm25:folder", ((), settings), "closed"]


def test_documents_of_any_text_survive() -> None:
    odd = Document('i"d\n', 'He said "hi"', "a\ud800b\x00\n\n</information> \u2028 é 漢字")

    class Odd(Retriever):
        def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
            return [[Hit(odd, 1.0)] for _ in queries]

    with RetrieverServer(Odd()) as server:
        item = post(server.url, "/retrieve", {"queries": ["\ud800"], "return_scores": True})[1]["result"][0][0]
        assert item == {"document": {"id": odd.id, "title": odd.title, "contents": odd.contents}, "score": 1.0}
