"""Every protocol against what the real clients and servers of others sent, answered and read.

``data/protocols.jsonl`` was recorded between the code that each line names (repository, commit, file, function) and
ours: a client's request, our server's answer and what the client read in it; our client's request, a server's answer
and what our client read in it. Those servers searched a few documents instead of their index; nothing else was changed.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.retrieval._servers import DOCUMENTS, TinyRetriever
from turnwise.retrieval.base import Document
from turnwise.retrieval.http.dialects import DIALECTS, Malformed
from turnwise.retrieval.http.remote import RemoteRetriever
from turnwise.retrieval.http.server import RetrieverServer

LINES = [json.loads(line) for line in (Path(__file__).parent / "data" / "protocols.jsonl").read_text().splitlines()]
CLIENTS = [line for line in LINES if "client" in line]
SERVERS = [line for line in LINES if "server" in line]
ODD = Document("zoë#1", "Zoë’s “Café”", "odd naïve 漢字 </information>\n\n1984 <b>")


def body(recorded: dict[str, str]) -> bytes:
    if "hex" in recorded:
        pytest.importorskip("msgpack", reason="needs msgpack")
        return bytes.fromhex(recorded["hex"])
    return recorded["text"].encode()


@pytest.fixture(scope="module")
def server() -> Iterator[RetrieverServer]:
    with RetrieverServer(TinyRetriever([*DOCUMENTS[:12], ODD])) as made:
        yield made


def test_all_are_there() -> None:
    assert {line["client"] for line in CLIENTS} == {"Search-R1", "verl", "SkyRL", "ASearcher", "GEM", "R1-Searcher"}
    assert {line["dialect"] for line in SERVERS} == set(DIALECTS)


@pytest.mark.parametrize("line", CLIENTS, ids=lambda line: line["client"])
def test_our_server_answers_what_the_client_reads(server: RetrieverServer, line: dict[str, Any]) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    connection.putrequest("POST", line["path"], skip_accept_encoding=True)
    sent = body(line["request"])
    for name, value in {**line["headers"], "Content-Length": str(len(sent))}.items():
        connection.putheader(name, value)
    connection.endheaders(sent)
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, body(line["answer"]))
    connection.close()


@pytest.mark.parametrize("line", SERVERS, ids=lambda line: line["server"])
def test_our_client_asks_and_reads_as_the_server_does(line: dict[str, Any]) -> None:
    asked: list[tuple[str, str | None, bytes]] = []

    class Recorded(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Content-Type"], sent))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    answer = body(line["answer"])
    with HTTPServer(("127.0.0.1", 0), Recorded) as other:
        thread = threading.Thread(target=other.handle_request)
        thread.start()
        with RemoteRetriever(f"http://127.0.0.1:{other.server_port}", line["dialect"], retries=0) as client:
            found = client.search(line["queries"], line["k"])
        thread.join()
    assert asked == [(line["path"], line["headers"]["Content-Type"], body(line["request"]))]
    assert [[[*vars_of(hit.document), hit.score] for hit in hits] for hits in found] == line["read"]


def vars_of(document: Document) -> list[str]:
    return [document.id, document.title, document.text]


def test_servers_that_give_no_score_or_plain_texts_are_read() -> None:
    """Search-R1's reranking server sends texts; GEM's sends null for scores that were not asked for."""
    texts = {"result": [[{"document": '"A"\nb', "score": 2.5}], [{"document": {"contents": '"C"\nd'}, "score": None}]]}
    found = DIALECTS["search_r1"].read(texts)
    assert [[(hit.document.title, hit.document.text, hit.score) for hit in hits] for hits in found] == [
        [("A", "b", 2.5)], [("C", "d", 1.0)],
    ]  # fmt: skip
    flat = {"result": [{"document": {"contents": '"A"\nb'}}, {"document": {"contents": '"C"\nd'}, "score": None}]}
    assert [(hit.document.title, hit.score) for hit in DIALECTS["gem"].read(flat)[0]] == [("A", 1.0), ("C", 0.5)]


@pytest.mark.parametrize("score", [True, "1", float("nan"), []])
def test_a_score_is_a_number_or_nothing(score: object) -> None:
    with pytest.raises(Malformed, match="a score is"):
        DIALECTS["search_r1"].read({"result": [[{"document": {"contents": "x"}, "score": score}]]})


@pytest.mark.parametrize("result", [None, {}, "x", [[{"document": {"contents": "x"}, "score": 1.0}]]])
def test_gems_answer_is_one_list(result: object) -> None:
    with pytest.raises(Malformed):
        DIALECTS["gem"].read({"result": result})


def test_gem_before_july_2025_is_still_answered(server: RetrieverServer) -> None:
    msgpack = pytest.importorskip("msgpack", reason="needs msgpack")
    asked = msgpack.packb({"queries": ["fact2"], "topk": 1, "return_scores": True})
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    connection.request("POST", "/retrieve", asked)
    answer = msgpack.unpackb(connection.getresponse().read())
    connection.close()
    assert answer["result"][0][0]["document"]["contents"] == DOCUMENTS[2].contents
