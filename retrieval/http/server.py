"""Serves a retriever over HTTP, in the protocols of Search-R1, SkyRL, ASearcher, GEM and R1-Searcher (``dialects.py``).

    turnwise serve-retriever bm25:FOLDER --host 0.0.0.0 --port 8000 --public

| request | answer |
|---|---|
| POST /retrieve | documents for queries: Search-R1's protocol, and SkyRL's, ASearcher's and GEM's |
| POST /queries | R1-Searcher's |
| POST /access | documents by their id |
| GET /health | 200 and what was done so far; 503 once it is closing |

One thread serves all clients, others search: the queries that wait when one of them becomes free form one call of
``Retriever.search``, so that a request does not wait for others when nothing runs, and waits for few calls under load.
Equal queries are searched once, long requests alternate with short ones, and a call has queries with the same ``k``.

| status | meaning |
|---|---|
| 400 | the body is not of the protocol, or asks for more than the limits allow |
| 401 | the token is missing or wrong |
| 404, 405 | no such page, or not with this method |
| 411, 413, 415, 431 | no length, too long, MessagePack without msgpack installed, a head too long |
| 500 | the retriever failed |
| 503 | too many queries wait already, the retriever's own server failed, or this one is closing: ``Retry-After`` |
| 504 | not done in time |

Errors are ``{"error": str}``. There is no TLS: put it behind a proxy with TLS, or on a private network.
"""

import asyncio
import contextlib
import hmac
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Self

from turnwise.core.errors import MissingDependencyError
from turnwise.core.http.address import listening_place, url_of
from turnwise.core.settings import Range, check_all, check_arguments
from turnwise.retrieval.base import Hit, Retriever
from turnwise.retrieval.http import dialects
from turnwise.retrieval.http.batcher import Answer, Batcher, Job, complaint
from turnwise.retrieval.http.dialects import TOKEN_VARIABLE, Asked, Malformed

__all__ = ["Limits", "RetrieverServer", "serve"]

_MOST_HEAD = 1 << 15
_MOST_AHEAD = 1 << 16  # bytes of later requests that are read while one is being answered
_MOST_CONNECTIONS = 4096
_IDLE_S, _SLOW_S, _LINGER_S, _SWEEP_S = 120.0, 60.0, 1.0, 0.25
_RETRY, _CLOSE = "Retry-After: 1\r\n", "Connection: close\r\n"


@dataclass(frozen=True)
class Limits:
    """Limits of one request, and of what may wait."""

    queries: Annotated[int, Range(1)] = 8192
    """Most queries per request; Search-R1 sends those of its whole training batch in one."""
    query_chars: Annotated[int, Range(1)] = 1 << 15
    """Longest query."""
    topk: Annotated[int, Range(1)] = 200
    """Most documents for a query."""
    documents: Annotated[int, Range(1)] = 100_000
    """Most documents in an answer: queries times ``topk``."""
    body_bytes: Annotated[int, Range(1)] = 1 << 24
    """Longest request."""
    waiting: Annotated[int, Range(1)] = 1 << 15
    """Most queries that wait for a search. A request that would wait behind more is refused (503)."""
    deadline_s: Annotated[float, Range(above=0)] = 60.0
    """Longest time that a request waits for its answer (504)."""
    grace_s: Annotated[float, Range(above=0)] = 30.0
    """Time that running requests have to finish when the server closes."""

    def __post_init__(self) -> None:
        check_all(self)


class _Refused(Exception):
    """The request is answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Connection(asyncio.Protocol):
    """The connection of one client: HTTP/1.1, one request after the other."""

    def __init__(self, server: "RetrieverServer") -> None:
        self._server = server
        self._buffer = bytearray()
        self._head: tuple[str, str, dict[str, str]] | None = None  # of a request whose body has not arrived yet
        self._lasts = True
        self._dropping = False  # incoming data is ignored
        self.job: Job | None = None
        self.since = time.monotonic()  # when the silence, the request or the unread answer began
        self.stuck = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connections.add(self)
        if len(self._server.connections) > _MOST_CONNECTIONS:
            self._refuse(_Refused(503, "too many connections"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        if self.job is not None:
            self.job.over = True

    def pause_writing(self) -> None:
        self.stuck, self.since = True, time.monotonic()

    def resume_writing(self) -> None:
        self.stuck, self.since = False, time.monotonic()

    def data_received(self, data: bytes) -> None:
        if self._dropping:
            return
        if not self._buffer:
            self.since = time.monotonic()
        self._buffer += data
        if self.job is None:
            self._advance()
        elif len(self._buffer) > _MOST_AHEAD:
            self.transport.pause_reading()

    def _advance(self) -> None:
        """Take requests from the received data, up to one that has to wait for its answer."""
        try:
            while self.job is None and not self._dropping and self._buffer:
                if self._head is None:
                    end = self._buffer.find(b"\r\n\r\n")
                    if end > _MOST_HEAD or (end < 0 and len(self._buffer) > _MOST_HEAD):
                        raise _Refused(431, f"a head of more than {_MOST_HEAD} bytes")
                    if end < 0:
                        return
                    self._read_head(bytes(self._buffer[:end]))
                    del self._buffer[: end + 4]
                assert self._head is not None
                length = int(self._head[2].get("content-length", "0"))
                if len(self._buffer) < length:
                    return
                body = bytes(self._buffer[:length])
                del self._buffer[:length]
                (_, path, headers), self._head = self._head, None
                self.since = time.monotonic()
                self._take(path, headers, body)
        except _Refused as refusal:
            self._refuse(refusal)

    def _read_head(self, head: bytes) -> None:
        lines = head.decode("latin-1").lstrip("\r\n").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
            raise _Refused(400, "not HTTP/1.1")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        said = headers.get("connection", "").lower()
        self._lasts = "close" not in said and (words[2] == "HTTP/1.1" or "keep-alive" in said)
        path = words[1].partition("?")[0].rstrip("/")
        self._server.admit(words[0], path, headers)
        self._head = words[0], path, headers
        if headers.get("expect", "").lower() == "100-continue":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        server = self._server
        if path == "/health":
            return self.say(503 if server.closing else 200, json.dumps(server.health()).encode())
        packed = dialects.is_packed(body, headers.get("content-type", ""))
        try:
            job = server.read(self, path, dialects.decode(body, packed), packed)
        except (Malformed, MissingDependencyError) as error:
            status = 400 if isinstance(error, Malformed) else 415
            return self.say(status, complaint(str(error)))
        except _Refused as refusal:
            return self.say(refusal.status, complaint(str(refusal)))
        job.packed = packed
        if not job.queries:
            return self.say(200, dialects.encode(job.write([]), packed), packed)
        job.until = time.monotonic() + server.limits.deadline_s
        if server.closing or not server.batcher.submit(job):
            return self.say(503, complaint("closing" if server.closing else "too many queries wait already"))
        self.job = job
        return None

    def _refuse(self, refusal: _Refused) -> None:
        """Answer a request that is not read to its end, and drop the rest: closing at once could lose the answer."""
        self._lasts = False
        self._dropping = True
        self._buffer.clear()
        self.say(refusal.status, complaint(str(refusal)))

    def answer(self, job: Job, status: int, body: bytes) -> None:
        """Answer the current request, then go on with the next one."""
        if job.over:
            return
        job.over, self.job = True, None
        self.say(status, body, job.packed and status == 200)
        self.transport.resume_reading()
        self._advance()

    def say(self, status: int, body: bytes, packed: bool = False) -> None:
        self._lasts = self._lasts and not self._server.closing
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            f"Content-Type: application/{'msgpack' if packed else 'json'}\r\nContent-Length: {len(body)}\r\n"
            f"{_RETRY if status == 503 else ''}"
            f"{'' if self._lasts else _CLOSE}\r\n"
        )
        self.transport.write(head.encode() + body)
        if not self._lasts:
            self.end()

    def end(self) -> None:
        """Close the connection when everything is written."""
        if self._dropping and self.transport.can_write_eof():
            self.transport.write_eof()
            asyncio.get_running_loop().call_later(_LINGER_S, self.transport.abort)
        else:
            self._dropping = True
            self.transport.close()

    def sweep(self, now: float) -> None:
        """End a request or connection that takes too long."""
        if self.job is not None:
            if now > self.job.until:
                limit = self._server.limits.deadline_s
                self.answer(self.job, 504, complaint(f"not done within {limit:g} s"))
        elif now - self.since > (_SLOW_S if self._buffer or self._head or self.stuck else _IDLE_S):
            self.transport.abort()


class RetrieverServer:
    """Serves a retriever at an address. It listens from the start, and answers while it is entered or served.

    Args:
        retriever: What searches; the caller closes it.
        host: Address to listen on.
        port: Port, 0 for a free one.
        token: Token that clients must send (``Authorization: Bearer``), at least 16 characters; "" for none.
        public: Allow an address open to other machines without a token. Search-R1's client sends none.
        topk: Documents for a query if the request does not give a number.
        batch: Most queries per search.
        workers: Concurrent searches.
        limits: Limits of a request.

    Raises:
        SettingsError: The address is open to others without a token or ``public``, or another setting is wrong.
        OSError: It cannot listen at that address.
    """

    def __init__(
        self,
        retriever: Retriever,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        token: str = "",
        public: bool = False,
        topk: Annotated[int, Range(1)] = 3,
        batch: Annotated[int, Range(1)] = 256,
        workers: Annotated[int, Range(1)] = 1,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        check_arguments(RetrieverServer.__init__, topk=topk, batch=batch, workers=workers)
        family, place = listening_place(host, port, token, f"a token ({TOKEN_VARIABLE}) or public=True", public=public)
        self._token = token.encode()
        self._topk = topk
        self.connections: set[_Connection] = set()
        self.closing = False
        self._num_requests = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._up = threading.Event()
        self._socket = socket.create_server(place, family=family, backlog=1024)
        self._address: tuple[str, int] = self._socket.getsockname()[:2]
        self.batcher = Batcher(retriever, batch, workers, self.limits.waiting, self._deliver)

    @property
    def url(self) -> str:
        """Return the address of the server."""
        return url_of(*self._address)

    def start(self) -> None:
        """Serve on a new thread until ``close``."""
        self._thread = threading.Thread(target=self.serve_forever, name="retriever-server", daemon=True)
        self._thread.start()
        self._up.wait()

    def serve_forever(self, signals: bool = False) -> None:
        """Serve on this thread until ``close``, or with ``signals`` also until SIGTERM or SIGINT."""
        asyncio.run(self._serve(signals))

    def close(self) -> None:
        """Accept no more requests, finish those that run, and end."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has already ended
                self._loop.call_soon_threadsafe(self._end.set)
        if self._thread is not None:
            self._thread.join()
        self.batcher.stop()
        self._socket.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _serve(self, signals: bool) -> None:
        loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        stops = (signal.SIGTERM, signal.SIGINT) if signals else ()
        for number in stops:
            loop.add_signal_handler(number, self._end.set)
        listener = await loop.create_server(lambda: _Connection(self), sock=self._socket, backlog=1024)
        self._loop = loop
        self._up.set()
        while not self._end.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._end.wait(), _SWEEP_S)
            for connection in list(self.connections):
                connection.sweep(time.monotonic())
        for number in stops:
            loop.remove_signal_handler(number)  # a second signal ends the process immediately
        self.closing = True
        listener.close()
        until = time.monotonic() + self.limits.grace_s
        for connection in list(self.connections):
            if connection.job is None:
                connection.end()
        while self.connections and time.monotonic() < until:
            await asyncio.sleep(0.01)
        self.batcher.stop()
        for connection in list(self.connections):
            connection.transport.abort()

    def _deliver(self, answers: list[Answer]) -> None:
        with contextlib.suppress(RuntimeError):  # the server did not wait for them
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._answer, answers)

    def _answer(self, answers: list[Answer]) -> None:
        for job, status, body in answers:
            job.answer(job, status, body)

    # ---- called by the connections ----------------------------------------------------------------------------------

    def admit(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Check the head of a request.

        Raises:
            _Refused: The request is refused before its body arrives.
        """
        self._num_requests += 1
        if path not in ("/health", "/retrieve", "/queries", dialects.ACCESS):
            raise _Refused(404, "not found; there are POST /retrieve, /queries, /access, and GET /health")
        if method != ("GET" if path == "/health" else "POST"):
            raise _Refused(405, f"{path} is for {'GET' if path == '/health' else 'POST'}")
        length = headers.get("content-length", "" if method == "POST" else "0")
        if not (length.isascii() and length.isdecimal()) or "transfer-encoding" in headers:
            raise _Refused(411, "a Content-Length is required")
        if len(length) > 15 or int(length) > self.limits.body_bytes:
            raise _Refused(413, f"at most {self.limits.body_bytes} bytes")
        given = headers.get("authorization", "").encode("latin-1")
        if self._token and path != "/health" and not hmac.compare_digest(given, b"Bearer " + self._token):
            raise _Refused(401, "the token is missing or wrong")

    def read(self, connection: _Connection, path: str, request: dict[str, Any], packed: bool) -> Job:
        """Make a job from a request.

        Raises:
            Malformed: It does not follow the protocol.
            _Refused: It exceeds a limit.
        """
        if path == dialects.ACCESS:
            urls = dialects.read_urls(request)
            self._check("urls", urls, 1)
            return Job(urls, 0, dialects.write_pages, connection.answer)
        retrieve = path == "/retrieve"
        asked = dialects.read_retrieve(request, packed) if retrieve else dialects.read_queries(request)
        k = asked.k or self._topk
        self._check("queries", asked.queries, k)
        return Job(asked.queries, k, _writer(asked, retrieve), connection.answer)

    def _check(self, name: str, texts: list[str], k: int) -> None:
        limits = self.limits
        if len(texts) > limits.queries:
            raise _Refused(400, f"{len(texts)} {name}: at most {limits.queries} in a request")
        if k > limits.topk:
            raise _Refused(400, f"topk is {k}: at most {limits.topk}")
        if len(texts) * k > limits.documents:
            raise _Refused(400, f"{len(texts)} {name} times {k} documents: at most {limits.documents}")
        for place, text in enumerate(texts):
            if len(text) > limits.query_chars:
                raise _Refused(400, f"{name}[{place}] has {len(text)} characters: at most {limits.query_chars}")

    def health(self) -> dict[str, Any]:
        """Report the state of the server and what it has done so far."""
        batcher = self.batcher
        return {
            "status": "closing" if self.closing else "ok",
            "connections": len(self.connections),
            "waiting": batcher.num_waiting,
            "requests": self._num_requests,
            "queries": batcher.num_queries,
            "searches": batcher.num_calls,
        }


def _writer(asked: Asked, retrieve: bool) -> Callable[[list[list[Hit]]], dict[str, Any]]:
    write = dialects.write_result if retrieve else dialects.write_answers
    return lambda found: write(asked, found)


def serve(retriever: Retriever, host: str, port: int, **settings: Any) -> None:
    """Serve until SIGTERM or SIGINT, and print the address on the standard output.

    The token is read from the environment (``TURNWISE_RETRIEVER_TOKEN``), where ``ps`` does not show it.

    Raises:
        SettingsError: A setting of ``RetrieverServer`` is wrong.
    """
    server = RetrieverServer(retriever, host, port, token=os.environ.pop(TOKEN_VARIABLE, ""), **settings)
    try:
        sys.stdout.write(json.dumps({"url": server.url, "token": bool(server._token)}) + "\n")
        sys.stdout.flush()
        server.serve_forever(signals=True)
    finally:
        server.close()
