"""One client for every HTTP server: a total deadline, one rule for what is sent again, one taxonomy of errors.

docs/http.md has the rules.
"""

import math
import os
import random
import threading
import time
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import quote

import httpcore

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.core.http.address import split_url
from turnwise.core.http.connections import Pool
from turnwise.core.http.errors import Busy, Fatal, HttpError, Refused, Unanswered, Unreadable, judged, request_id
from turnwise.core.http.health import Health
from turnwise.core.settings import Range, check_all

__all__ = ["Answer", "Attempt", "Client", "deadline"]

T = TypeVar("T")
MAX_PAUSE_S = 30.0
"""Longest pause between two attempts, unless the server asks for a longer one."""
_FAILURES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)
_LIVE = ("stop", "health", "_jitter", "_pool")  # attributes that belong to one process
_HEADERS = [(b"Accept", b"*/*"), (b"Accept-Encoding", b"identity"), (b"User-Agent", b"turnwise")]


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A request that was answered.

    Attributes:
        value: What the answer says.
        retries: Attempts that failed before.
        at: When the successful attempt began, in seconds since 1970.
        latency_s: How long that attempt took.
        request_id: The server's id of the request, if its answer has one in its headers.
    """

    value: T
    retries: int
    at: float
    latency_s: float
    request_id: str = ""


@dataclass(frozen=True)
class Attempt:
    """One attempt at a request and what came of it, without the key.

    Attributes:
        at: When it began, in seconds since 1970.
        latency_s: How long it took.
        method: The HTTP method.
        url: Where it was sent.
        sent: Its body.
        status: The HTTP status; 0 if there was no answer.
        request_id: The server's id of the request.
        body: The body of the answer.
        error: Why it failed; "" if it did not.
    """

    at: float
    latency_s: float
    method: str
    url: str
    sent: bytes
    status: int
    request_id: str
    body: bytes
    error: str


def deadline(seconds: float) -> float:
    """Return the time on the monotonic clock when so many seconds have passed."""
    return time.monotonic() + seconds


def _unheard(text: str) -> None:
    """Do nothing with a message."""


def _at_once(stop: threading.Event) -> None:
    """Wait for nothing."""


@dataclass(eq=False)
class Client:
    """Requests to one server, from any number of threads; may be pickled, and survives a fork of the process.

    Args:
        url: Address of the server; paths of requests are appended to it.
        name: What messages call the server, before its address.
        token: The key; sent in ``token_header``, and removed from every message.
        token_header: The header that has the key; "Authorization" has it as a bearer token.
        headers: Further headers of every request.
        timeout_s: Longest time for one attempt: connection, request and the whole answer.
        connect_s: Longest time to connect, within ``timeout_s``.
        retries: How often a request is sent again.
        backoff_s: The pause before repetition n is drawn from the upper half of ``backoff_s * 2**n``, at most 30 s.
            What the server asks for by Retry-After is added.
        max_bytes: Longest answer.
        connections: Most idle connections that are kept; there are as many as threads that use the client.
        proxies: Use the proxies that the environment names, unless the address is this machine's own.
        give_up_after: Raise `FatalError` when so many attempts have failed before the first answer, or so many
            requests in a row with all their retries; None never does.
        seed: Seed of the pauses; None draws other ones in every process.
        notify: Called with a message when a request is first sent again for some reason.
        watch: Called with every attempt at a request, once it has ended.

    Attributes:
        stop: Ends the requests that began with it, when it is set; see `interrupt`.

    Raises:
        SettingsError: A setting cannot be used.
    """

    url: str
    _: KW_ONLY
    name: str = ""
    token: str = field(default="", repr=False)
    token_header: str = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: Annotated[float, Range(above=0)] = 60.0
    connect_s: Annotated[float, Range(above=0)] = 30.0
    retries: Annotated[int, Range(0)] = 5
    backoff_s: Annotated[float, Range(0)] = 0.5
    max_bytes: Annotated[int, Range(1)] = 1 << 26
    connections: Annotated[int, Range(1)] = 256
    proxies: bool = False
    give_up_after: int | None = None
    seed: int | None = None
    notify: Callable[[str], None] = _unheard
    watch: Callable[[Attempt], None] | None = None

    def __post_init__(self) -> None:
        parts = split_url(self.url, "url")
        check_all(self)
        if not self.token.isascii() or not self.token.isprintable():
            raise SettingsError("token: it must consist of printable ASCII characters")
        self.name = f"{self.name} {self.url.partition('?')[0]}".strip()
        self._parts, self._host = parts, (parts.hostname or "").encode("idna")
        self._extra = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        self.reset()

    def reset(self) -> None:
        """Start without connections: after a fork, those belong to another process."""
        self.stop, self.health = threading.Event(), Health(self.give_up_after)
        self._jitter = random.Random(self.seed)
        self._pool = Pool(self._parts, self.connections, self.proxies)
        _ALIVE.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _LIVE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.reset()

    def ask(
        self,
        method: str,
        path: str = "",
        content: bytes | None = None,
        *,
        read: Callable[[bytes], T],
        meaning: Callable[[HttpError], HttpError] | None = None,
        content_type: str = "application/json",
        timeout_s: float | None = None,
        until: float = math.inf,
        repeatable: bool = True,
        stop: threading.Event | None = None,
        wait: Callable[[threading.Event], None] = _at_once,
    ) -> Answer[T]:
        """Send a request until it is answered.

        Args:
            method: The HTTP method.
            path: Appended to the server's address; may have a query.
            content: The body.
            read: Reads the body of an answer; raises `Unreadable` if it cannot.
            meaning: Says what a failure means in the server's protocol: returns it or another one, or raises.
            content_type: Type of the body.
            timeout_s: Longest time for one attempt, in place of the client's.
            until: When patience ends, on the monotonic clock: no attempt outlasts it, and no pause.
            repeatable: The request may be sent again although it may have had its effect. Without, it is sent again
                only where the server cannot have seen it (no connection), or has sent it away (429).
            stop: The event that ends the request early; by default the client's own at this moment.
            wait: Called before each attempt with that event: returns when it may be sent.

        Raises:
            HttpError: There was no answer, or an error in its place.
            FatalError: So many requests have failed that the server is dead (``give_up_after``).
            InfrastructureError: `interrupt` was called.
        """
        stop = stop or self.stop
        where, attempt = f"{self.name}{path.partition('?')[0]}", 0
        while True:
            wait(stop)
            at, begun = time.time(), time.monotonic()
            answered: tuple[Mapping[str, str], bytes] = {}, b""
            end = min(until, begun + (self.timeout_s if timeout_s is None else timeout_s))
            try:
                answered = self._once(method, path, content, content_type, end, stop)
                value = read(answered[1])
            except HttpError as error:
                self._hide(error)
                self._show(at, begun, method, path, content, answered, error)
                failure = error if meaning is None else meaning(error)
            else:
                self._show(at, begun, method, path, content, answered)
                self.health.answered()
                return Answer(value, attempt, at, time.monotonic() - begun, request_id(answered[0]))
            failure.args = (f"{where}: {failure.reason}",)
            self._weigh(failure, repeatable, stop)
            pause = min(MAX_PAUSE_S, self.backoff_s * 2.0**attempt) * self._jitter.uniform(0.5, 1.0) + failure.pause_s
            attempt += 1
            if attempt > self.retries or time.monotonic() + pause >= until:
                if self.health.given_up():
                    raise FatalError(f"{where} has not answered {self.health.limit} requests in a row, at last: "
                                     f"{failure.reason}") from failure  # fmt: skip
                if attempt > 1:
                    failure.args = (f"{where} gave no answer in {attempt} attempts, at last: {failure.reason}",)
                raise failure
            if self.health.repeating(failure.kind):
                self.notify(f"{failure}; the request is sent again, up to {self.retries} times")
            if stop.wait(pause):
                raise InfrastructureError(f"{where}: interrupted")

    def _hide(self, failure: HttpError) -> None:
        """Take the token out of what may be shown."""
        if self.token:
            failure.reason = failure.reason.replace(self.token, "***")
            failure.body = failure.body.replace(self.token.encode(), b"***")

    def _show(
        self,
        at: float,
        begun: float,
        method: str,
        path: str,
        content: bytes | None,
        answered: tuple[Mapping[str, str], bytes],
        failure: HttpError | None = None,
    ) -> None:
        """Show an attempt to whoever watches."""
        if self.watch is None:
            return
        headers, body = answered
        status, found, why = (200, request_id(headers), "") if failure is None else (
            failure.status, failure.request_id or request_id(headers), failure.reason
        )  # fmt: skip
        secret = self.token.encode()
        sent, body = ((text.replace(secret, b"***") if secret else text) for text in (
            content or b"", body or (failure.body if failure is not None else b"")
        ))  # fmt: skip
        latency = time.monotonic() - begun
        self.watch(Attempt(at, latency, method, self.url + path, sent, status, found, body, why))

    def _weigh(self, failure: HttpError, repeatable: bool, stop: threading.Event) -> None:
        """Raise a failure after which the request is not sent again."""
        if stop.is_set():
            raise InfrastructureError(f"{failure} (interrupted)") from failure
        if isinstance(failure, Fatal):
            raise failure
        if not isinstance(failure, Busy) and self.health.failed():
            raise FatalError(f"{self.name} answered none of the first {self.health.limit} requests, at last: "
                             f"{failure.reason}") from failure  # fmt: skip
        if isinstance(failure, Refused) or not (repeatable or failure.unsent):
            raise failure

    def _once(
        self, method: str, path: str, content: bytes | None, content_type: str, until: float, stop: threading.Event
    ) -> tuple[dict[str, str], bytes]:
        """Make one attempt and return the headers and the body of its answer."""
        begun = time.monotonic()
        target = quote(self._parts.path + path, safe="/%?&=+:@!$'()*,;~#[]")
        if self._parts.query:
            target += ("&" if "?" in target else "?") + self._parts.query
        url = httpcore.URL(scheme=self._parts.scheme, host=self._host, port=self._parts.port, target=target or "/")
        headers = [(b"Host", self._parts.netloc.encode("idna")), *_HEADERS, *self._extra]
        if content is not None:
            headers += [(b"Content-Type", content_type.encode()), (b"Content-Length", b"%d" % len(content))]
        if self.token:
            bearer = b"Bearer " if self.token_header == "Authorization" else b""
            headers.append((self.token_header.encode(), bearer + self.token.encode()))
        limits = {"timeout": {"connect": self.connect_s}}
        try:
            request = httpcore.Request(method, url, headers=headers, content=content, extensions=limits)
            with self._pool.sent(request, until, stop) as response:
                named = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in response.headers}
                body = self._body(response, named)
        except _FAILURES as error:
            kind, late = type(error).__name__, isinstance(error, httpcore.TimeoutException)
            reason = f"no answer within {until - begun:.3g} s ({kind})" if late else f"{kind}: {error}"
            unsent = isinstance(error, (httpcore.ConnectTimeout, httpcore.ConnectError))
            raise Unanswered(reason, kind, unsent=unsent) from error
        if 200 <= response.status < 300:
            return named, body
        raise judged(response.status, named, body)

    def _body(self, response: httpcore.Response, headers: dict[str, str]) -> bytes:
        """Read a whole body, unless it is too long; no server was asked to compress it, but some do."""
        length, found = headers.get("content-length", ""), bytearray()
        parts = response.iter_stream() if not length.isdecimal() or int(length) <= self.max_bytes else (b"",)
        for part in parts:
            found += part
            if not part or len(found) > self.max_bytes:
                raise Refused(f"the answer is longer than {self.max_bytes} bytes", "too long")
        if headers.get("content-encoding", "identity").lower() == "identity":
            return bytes(found)
        reader = zlib.decompressobj(zlib.MAX_WBITS | 32)
        try:
            body = reader.decompress(found, self.max_bytes + 1)
        except zlib.error as error:
            raise Unreadable(f"the answer is compressed, and not by gzip: {error}") from error
        if len(body) > self.max_bytes:
            raise Refused(f"the answer is longer than {self.max_bytes} bytes", "too long")
        if not reader.eof:
            raise Unreadable("the answer is cut")
        return body

    def interrupt(self) -> None:
        """End the requests of all threads, and their pauses, with an error; later ones are served as before."""
        stop, self.stop = self.stop, threading.Event()
        stop.set()
        self._pool.interrupt()

    def close(self) -> None:
        """Interrupt what is under way, close the connections, and say how many requests were sent again."""
        self.interrupt()
        self._pool.close()
        repeats, self.health.repeats = self.health.repeats, Counter()
        if repeats:
            kinds = ", ".join(f"{count} x {kind}" for kind, count in repeats.most_common())
            self.notify(f"{self.name}: requests sent again: {repeats.total()} ({kinds})")

    def __del__(self) -> None:
        if "_pool" in vars(self):
            self._pool.close()


_ALIVE: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for client in list(_ALIVE):
        client._pool.close()  # this process's copies: the parent's stay open
        client.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
