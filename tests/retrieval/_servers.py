"""Retrievers and servers for tests: a tiny exact retriever, and a server of Search-R1's protocol that fails as told."""

import contextlib
import json
import random
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

from turnwise.retrieval.base import Document, Hit, Retriever

DOCUMENTS = [Document(f"d{n}", f"Entity {n}", f"fact{n} about number{n % 7}.\nSecond line of {n}.") for n in range(60)]


class TinyRetriever(Retriever):
    """Counts how many words of a query a document has.

    Attributes:
        calls: The queries and ``k`` of every search.
    """

    def __init__(self, documents: Iterable[Document] = DOCUMENTS, pause_s: float = 0.0) -> None:
        self.documents = list(documents)
        self.pause_s = pause_s
        self.calls: list[tuple[list[str], int]] = []

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        self.calls.append((list(queries), k))
        if self.pause_s:
            time.sleep(self.pause_s)
        return [self._best(query, k) for query in queries]

    def _best(self, query: str, k: int) -> list[Hit]:
        words = query.lower().split()
        hits = []
        for document in self.documents:
            have = document.contents.lower().replace(".", " ").replace('"', " ").split()
            if score := sum(word in have for word in words):
                hits.append(Hit(document, float(score)))
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def document(self, id: str) -> Document | None:
        return next((document for document in self.documents if document.id == id), None)


RIGHT = "right"
UNREADABLE = (
    "cut JSON",
    "too few",
    "too many",
    "not JSON",
    "empty",
    "no result",
    "null list",
    "no contents",
    "no number",
    "compressed",
)
"""Answers that are not of the protocol: something in front of the server may have made them."""
RECOVERABLE = ("500", "502", "429", "503 later", "drop", "drop head", "drop body", "hang", "trickle", *UNREADABLE)
"""Faults after which asking again helps."""
FINAL = ("400", "401", "huge", "endless")
"""Faults after which asking again does not help."""


class FaultyServer:
    """Speaks Search-R1's protocol, and fails in the ways that ``faults`` names, one for each request.

    Whoever plays episodes against it must see each of them end as without faults, or as an error that is not scored:
    ``asked`` and ``shown`` say what came and what was answered.

    Args:
        retriever: What answers where nothing fails.
        faults: The answers in their order, `RIGHT` or a fault; the last one stays. Or, with ``seed``, those of which
            each request draws one.
        seed: Draws from ``faults``; None takes them in their order.
        share: With ``seed``, the share of requests that fail.
    """

    def __init__(
        self, retriever: Retriever, faults: Sequence[str] = (RIGHT,), seed: int | None = None, share: float = 0.5
    ) -> None:
        self.retriever = retriever
        self.asked: list[dict[str, Any]] = []
        self.shown: Counter[str] = Counter()
        self._faults = list(faults)
        self._rng = None if seed is None else random.Random(seed)
        self._share = share
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_fault(self) -> str:
        with self._lock:
            if self._rng is None:
                fault = self._faults.pop(0) if len(self._faults) > 1 else self._faults[0]
            else:
                fault = self._rng.choice(self._faults) if self._rng.random() < self._share else RIGHT
            self.shown[fault] += 1
            return fault


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256
    owner: FaultyServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is gone is not an error here."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        while True:
            head = []
            while (line := self.rfile.readline().strip().decode()) != "":
                head.append(line)
            if not head:
                return
            named = dict(line.lower().split(": ", 1) for line in head[1:])
            body = self.rfile.read(int(named.get("content-length", "0")))
            if not head[0].startswith("POST /retrieve "):
                self._say("404 Not Found", b'{"detail":"Not Found"}')
            elif not self._answer(json.loads(body)):
                return

    def _answer(self, asked: dict[str, Any]) -> bool:
        """Whether the connection lasts."""
        owner = self.server.owner
        owner.asked.append(asked)
        fault = owner.next_fault()
        found = owner.retriever.search(asked["queries"], asked["topk"])
        result: list[Any] = [[_item(hit) for hit in hits] for hits in found]
        if fault == "too few":
            result = result[:-1]
        elif fault == "too many":
            result = [*result, []]
        elif fault == "null list":
            result[0] = None
        elif fault == "no contents":
            result[0] = [{"document": {"id": "d0"}, "score": 1.0}]
        elif fault == "no number":
            result[0] = [{"document": {"id": "d0", "contents": "x"}, "score": float("nan")}]
        body = json.dumps({"result": result}).encode()
        return self._fail(fault, body)

    def _fail(self, fault: str, body: bytes) -> bool:
        plain = {"cut JSON": body[: len(body) // 2], "not JSON": b"<html>busy</html>", "empty": b"", "no result": b"{}"}
        if fault in ("500", "502", "429", "400", "401"):
            self._say(f"{fault} Because", b'{"error": "as told"}')
        elif fault == "503 later":
            self._say("503 Busy", b"", "Retry-After: 0\r\n")
        elif fault == "drop":
            return False
        elif fault == "drop head":
            self.wfile.write(b"HTTP/1.1 200 O")
            return False
        elif fault == "drop body":
            self.wfile.write(_head("200 OK", len(body)) + body[: len(body) // 2])
            return False
        elif fault == "hang":
            self.server.owner.over.wait(20)
            return False
        elif fault == "trickle":
            return self._trickle(_head("200 OK", len(body)) + body)
        elif fault == "huge":
            self.wfile.write(_head("200 OK", 1 << 40) + body)
            return False
        elif fault == "endless":
            return self._endless()
        else:
            self._say("200 OK", plain.get(fault, body), "Content-Encoding: gzip\r\n" * (fault == "compressed"))
        return True

    def _trickle(self, data: bytes) -> bool:
        for byte in data:
            if self.server.owner.over.wait(0.05):
                break
            self.wfile.write(bytes([byte]))
        return False

    def _endless(self) -> bool:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(OSError):
            while not self.server.owner.over.is_set():
                self.wfile.write(b"10000\r\n" + b"[" * 65536 + b"\r\n")
        return False

    def _say(self, status: str, body: bytes, more: str = "") -> None:
        self.wfile.write(_head(status, len(body), more) + body)


def _item(hit: Hit) -> dict[str, Any]:
    return {"document": {"id": hit.document.id, "contents": hit.document.contents}, "score": hit.score}


def _head(status: str, length: int, more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}Content-Length: {length}\r\n\r\n".encode()


def exchange(url: str, data: bytes, wait_s: float = 5.0) -> bytes:
    """What comes back for raw bytes until the server closes or is silent for a while."""
    host, port = url.removeprefix("http://").split(":")
    got = b""
    with socket.create_connection((host, int(port)), timeout=wait_s) as connection:
        connection.sendall(data)
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while part := connection.recv(65536):
                got += part
    return got
