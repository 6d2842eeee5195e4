"""Retrievers behind HTTP: any server that speaks a protocol of ``dialects.py``, and SearXNG.

What fails is never an empty answer. Dropped connections, 408, 429, 5xx and answers that do not come in time are asked
for again after a pause, as long as the deadline lasts, and then raise `InfrastructureError`; other 4xx and answers that
are not of the protocol raise it at once. What every request would meet (a wrong token, no such page) raises
`FatalError`, which ends the run.

Built on the standard library's client: four times less processor time for a request than httpx (95 and 400 microseconds
where it was measured), and a deadline that holds for an answer that trickles, too.
"""

import contextlib
import http.client
import math
import os
import random
import re
import select
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.retrieval.base import Document, Hit, Retriever
from turnwise.retrieval.http import dialects
from turnwise.retrieval.http.dialects import DIALECTS, TOKEN_VARIABLE, Malformed

__all__ = ["RemoteRetriever", "SearxRetriever"]

_RETRIED = (408, 429)  # and 5xx
_FATAL = (401, 402, 403, 404, 405)  # and redirections
_ABSENT = (404, 405, 501)
_IDLE_S = 30.0  # after which a connection is not trusted any more
_MOST_IDLE = 256
_LONGEST_PAUSE_S = 10.0
_MOST_NOTE = 300
_jitter = random.Random()


class _Unanswered(Exception):
    """An attempt that may be repeated; ``pause_s`` is what the server asked for."""

    def __init__(self, reason: str, pause_s: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class _Timed:
    """A socket that reads up to a point in time, however often it is read."""

    until = math.inf

    def recv_into(self, *args: Any, **named: Any) -> int:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer trickles")
        self.settimeout(left)  # type: ignore[attr-defined]
        return super().recv_into(*args, **named)  # type: ignore[misc,no-any-return]


class _TimedSocket(_Timed, socket.socket):
    pass


class _TimedTls(_Timed, ssl.SSLSocket):
    pass


class _Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        timed = _TimedSocket(fileno=self.sock.detach())
        timed.settimeout(self.timeout)
        self.sock = timed


class _Server:
    """A server, for many threads: a connection for each request that is under way, kept for later ones.

    Args:
        url: Where it is; what is asked for is below.
        token: Bearer token; "" for none.
        timeout_s: Longest time for one attempt.
        retries: How often an attempt is repeated.
        backoff_s: Pause before the first repetition; it doubles.
        max_bytes: Longest answer.
    """

    def __init__(self, url: str, token: str, timeout_s: float, retries: int, backoff_s: float, max_bytes: int) -> None:
        try:
            parts = urlsplit(url)
            host, self._port = parts.hostname, parts.port
        except ValueError as error:
            raise SettingsError(f"url={url!r}: {error}") from error
        if parts.scheme not in ("http", "https") or not host or parts.query or "@" in parts.netloc:
            raise SettingsError(f"url={url!r}: it must look like http://host:port, without a password")
        if retries < 0 or backoff_s < 0 or not timeout_s > 0 or max_bytes < 1:
            raise SettingsError(
                f"timeout_s={timeout_s}, retries={retries}, backoff_s={backoff_s}, max_bytes={max_bytes}: "
                "timeout_s and max_bytes must be positive, the others not negative"
            )
        self.url = url
        self._host, self._tls, self._prefix = host, parts.scheme == "https", parts.path.rstrip("/")
        self._headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._timeout_s, self._retries, self._backoff_s, self._max_bytes = timeout_s, retries, backoff_s, max_bytes
        self.reset()

    def reset(self) -> None:
        """Start with no connection: after a fork, those are another process's."""
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        if self._tls:
            self._context = ssl.create_default_context()
            self._context.sslsocket_class = _TimedTls
        _alive.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_idle", "_lock", "_context")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.reset()

    def ask(
        self, method: str, path: str, body: bytes | None, until: float, content_type: str = "", absent: bool = False
    ) -> bytes | None:
        """The answer to a request; None where there is no such page and ``absent`` says that this may be.

        Raises:
            InfrastructureError: There was none before ``until``, or it was an error.
        """
        for attempt in range(self._retries + 1):
            try:
                return self._once(method, path, body, until, content_type, absent)
            except _Unanswered as failure:
                pause = min(_LONGEST_PAUSE_S, self._backoff_s * 2.0**attempt) * _jitter.uniform(0.5, 1.0)
                pause = max(pause, failure.pause_s)
                if attempt == self._retries or time.monotonic() + pause >= until:
                    raise InfrastructureError(
                        f"the retriever at {self.url} gave no answer in {attempt + 1} attempts, at last: {failure}"
                    ) from failure
                time.sleep(pause)
        raise AssertionError("unreachable")

    def _once(
        self, method: str, path: str, body: bytes | None, until: float, content_type: str, absent: bool
    ) -> bytes | None:
        headers = {**self._headers, "Content-Type": content_type} if content_type else self._headers
        until = min(until, time.monotonic() + self._timeout_s)
        try:
            status, given, data = self._exchange(method, self._prefix + path, body, headers, until)
        except TimeoutError as error:
            raise _Unanswered(f"nothing within {self._timeout_s:g} s ({error})") from error
        except (OSError, http.client.HTTPException) as error:
            raise _Unanswered(f"{type(error).__name__}: {error}") from error
        if status == 200:
            return data
        if absent and status in _ABSENT:
            return None
        text = f"{status} {data[:_MOST_NOTE].decode(errors='replace')}"
        if status in _RETRIED or status >= 500:
            raise _Unanswered(text, float(given) if given.isascii() and given.isdecimal() else 0.0)
        kind = FatalError if status in _FATAL or 300 <= status < 400 else InfrastructureError
        raise kind(f"the retriever at {self.url}{path} answered {text}")

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], until: float
    ) -> tuple[int, str, bytes]:
        connection = self._connection(until)
        try:
            timed: Any = connection.sock
            timed.until = until
            timed.settimeout(max(until - time.monotonic(), 1e-3))  # of what is sent
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have said why
                connection.request(method, path, body, dict(headers))
            with connection.getresponse() as response:
                data = self._read(response)
                status, after, ends = response.status, response.getheader("Retry-After", ""), response.will_close
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if not ends and len(self._idle) < _MOST_IDLE:
                self._idle.append((connection, time.monotonic()))
                return status, after, data
        connection.close()
        return status, after, data

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """The whole body: one that is cut or too long raises."""
        if response.getheader("Content-Encoding", "identity") != "identity":
            raise InfrastructureError(f"the retriever at {self.url} compresses its answers, which it was not asked for")
        if response.length is None and not response.chunked and response.version > 10:
            raise http.client.IncompleteRead(b"")  # the head was cut: it would pass for a whole answer
        if response.length is not None and response.length <= self._max_bytes:
            return response.read()
        data = b"" if response.length else response.read(self._max_bytes + 1)
        if response.length or len(data) > self._max_bytes:
            raise InfrastructureError(f"the retriever at {self.url}: an answer of more than {self._max_bytes} bytes")
        return data

    def _connection(self, until: float) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                connection, since = self._idle.pop() if self._idle else (None, 0.0)
            if connection is None:
                break
            poller = select.poll()
            poller.register(connection.sock, select.POLLIN)
            if time.monotonic() - since < _IDLE_S and not poller.poll(0):  # an end shows as something to read
                return connection
            connection.close()
        left = max(until - time.monotonic(), 1e-3)
        if self._context is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=left, context=self._context)
        else:
            connection = _Connection(self._host, self._port, timeout=left)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            left, self._idle = self._idle, []
        for connection, _ in left:
            connection.close()

    def drop(self) -> None:
        """The same, without the lock, which a thread of the parent may hold."""
        for connection, _ in vars(self).get("_idle", ()):
            connection.close()

    __del__ = drop


_alive: "weakref.WeakSet[_Server]" = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for server in list(_alive):
        server.drop()  # here alone: the parent's stay open
        server.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def _plain(text: str) -> str:
    """The text without lone surrogates, which are no valid JSON to many servers."""
    return text.encode("utf-8", "replace").decode("utf-8")


class _HttpRetriever(Retriever):
    """What both have: a server, a deadline, queries cut to what servers take."""

    def __init__(self, server: _Server, deadline_s: float, query_chars: int) -> None:
        if not deadline_s > 0 or query_chars < 1:
            raise SettingsError(f"deadline_s={deadline_s}, query_chars={query_chars}: both must be positive")
        self._server = server
        self._deadline_s = deadline_s
        self._query_chars = query_chars

    def _cut(self, query: str) -> str:
        """A query that every server takes."""
        return _plain(query[: self._query_chars])

    def close(self) -> None:
        self._server.close()


class RemoteRetriever(_HttpRetriever):
    """Searches on a server of Search-R1's, SkyRL's, ASearcher's, GEM's or R1-Searcher's kind, or on ours.

    It may be shared by threads, forked and pickled. A document that comes without an id gets one made of its contents.

    Args:
        url: ``http://host:port``, with or without the protocol's own path.
        dialect: The protocol: "search_r1", "skyrl", "asearcher", "gem" (needs msgpack) or "r1_searcher".
        path: Where the server speaks it, if not at the usual place.
        token: Bearer token; None takes it from the environment (``TURNWISE_RETRIEVER_TOKEN``), "" is none.
        timeout_s: Longest time for one attempt.
        deadline_s: Longest time for one ``search`` or ``document``, repetitions and pauses included.
        retries: How often a request is repeated.
        backoff_s: Pause before the first repetition; it doubles, up to ten seconds. Retry-After may make it longer.
        batch: Most queries of a request.
        query_chars: Queries are cut to this length, so that no text of an agent is refused.
        max_bytes: Longest answer.

    Raises:
        SettingsError: A setting cannot be used.
    """

    def __init__(
        self,
        url: str,
        dialect: str = "search_r1",
        *,
        path: str | None = None,
        token: str | None = None,
        timeout_s: float = 30.0,
        deadline_s: float = 120.0,
        retries: int = 5,
        backoff_s: float = 0.25,
        batch: int = 256,
        query_chars: int = 4000,
        max_bytes: int = 1 << 26,
    ) -> None:
        if dialect not in DIALECTS:
            raise SettingsError(f"dialect={dialect!r}: one of {', '.join(DIALECTS)}")
        if batch < 1:
            raise SettingsError(f"batch={batch}: at least 1")
        self._path = DIALECTS[dialect].path if path is None else "/" + path.strip("/")
        token = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        base = url.rstrip("/").removesuffix(self._path)
        super().__init__(_Server(base, token, timeout_s, retries, backoff_s, max_bytes), deadline_s, query_chars)
        self._dialect = dialect
        self._batch = 1 if DIALECTS[dialect].single else batch
        self._has_pages = True

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if k < 1:
            raise SettingsError(f"k={k}: at least 1")
        until = time.monotonic() + self._deadline_s
        found: list[list[Hit]] = []
        for start in range(0, len(queries), self._batch):
            part = [self._cut(query) for query in queries[start : start + self._batch]]
            found += self._search(part, k, until)
        return found

    def _search(self, queries: list[str], k: int, until: float) -> list[list[Hit]]:
        dialect = DIALECTS[self._dialect]
        body = dialects.encode(dialect.ask(queries, k), dialect.packed)
        kind = "application/msgpack" if dialect.packed else "application/json"
        data = self._server.ask("POST", self._path, body, until, kind)
        assert data is not None
        try:
            found = dialect.read(dialects.decode(data, dialect.packed))
            if len(found) != len(queries):
                raise Malformed(f"{len(found)} lists of documents for {len(queries)} queries")
        except Malformed as error:
            raise InfrastructureError(
                f"the retriever at {self._server.url} speaks no {self._dialect}: {error}"
            ) from error
        return [hits[:k] for hits in found]

    def document(self, id: str) -> Document | None:
        """The document of that id, where the server has /access; in ASearcher's protocol ids are addresses."""
        if not self._has_pages:
            return None
        until = time.monotonic() + self._deadline_s
        body = dialects.encode({"urls": [_plain(id)]}, False)
        data = self._server.ask("POST", dialects.ACCESS, body, until, "application/json", absent=True)
        if data is None:
            self._has_pages = False
            return None
        try:
            return dialects.read_pages(dialects.decode(data, False), 1)[0]
        except Malformed as error:
            raise InfrastructureError(f"the retriever at {self._server.url}{dialects.ACCESS}: {error}") from error


class SearxRetriever(_HttpRetriever):
    """Searches the web through a SearXNG server: GET /search?q=...&format=json.

    A document is a result: its id is the address, its text the snippet. SearXNG's search syntax (``!engine``, ``:en``)
    is taken out of queries, since it can leave the server; what one page of results has is all there is. An empty
    answer counts only where no search engine behind it failed.

    Args:
        url: ``http://host:port``, with or without ``/search``. JSON must be among the server's ``search.formats``.
        parameters: More of the request, such as ``{"engines": "wikipedia", "language": "en"}``.
        token: Bearer token, where a proxy in front of it asks for one.
        timeout_s: Longest time for one attempt.
        deadline_s: Longest time for one ``search``, of all its queries.
        retries: How often a request is repeated.
        backoff_s: Pause before the first repetition; it doubles.
        query_chars: Queries are cut to this length.
        max_bytes: Longest answer.

    Raises:
        SettingsError: A setting cannot be used.

    Source: SearXNG, Search API (docs.searxng.org/dev/search_api.html).
    """

    def __init__(
        self,
        url: str,
        *,
        parameters: Mapping[str, str] | None = None,
        token: str = "",
        timeout_s: float = 30.0,
        deadline_s: float = 120.0,
        retries: int = 5,
        backoff_s: float = 0.5,
        query_chars: int = 1000,
        max_bytes: int = 1 << 26,
    ) -> None:
        base = url.rstrip("/").removesuffix("/search")
        super().__init__(_Server(base, token, timeout_s, retries, backoff_s, max_bytes), deadline_s, query_chars)
        self._parameters = {**(parameters or {}), "format": "json"}

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        if k < 1:
            raise SettingsError(f"k={k}: at least 1")
        until = time.monotonic() + self._deadline_s
        return [self._search(re.sub(r"(?<!\S)[!:?<]+", "", self._cut(query)).strip(), k, until) for query in queries]

    def _search(self, query: str, k: int, until: float) -> list[Hit]:
        if not query:  # the server refuses it
            return []
        data = self._server.ask("GET", "/search?" + urlencode({**self._parameters, "q": query}), None, until)
        assert data is not None
        try:
            hits, failed = dialects.read_searx(dialects.decode(data, False))
        except Malformed as error:
            raise InfrastructureError(f"the SearXNG at {self._server.url}: {error}") from error
        if failed and not hits:
            raise InfrastructureError(f"the SearXNG at {self._server.url} got nothing from its engines: {failed}")
        return hits[:k]
