"""Connections on which everything ends by a deadline, and which another thread can interrupt.

Built on httpcore, the transport of httpx: its network backend is the place where a deadline for a whole answer can be
enforced. Its pool is not used: it may close a connection that another thread has just begun to use.
"""

import contextlib
import math
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore

from turnwise.core.http.address import is_local, split_url

__all__ = ["Pool"]

KEPT_S = 30.0
"""An idle connection is not used again after so many seconds: a router may have forgotten it."""

_PIECE = 1 << 16  # bytes that are written before the deadline is looked at again


class _Watch(threading.local):
    """The deadline of the request that the current thread is making, and the event that ends it early."""

    until = math.inf
    stop = threading.Event()

    def left(self, timeout: float | None, late: type[Exception], cut: type[Exception]) -> float:
        """Return the seconds that the next step may take; raise an error if the time is up."""
        if self.stop.is_set():
            raise cut("interrupted")
        left = self.until - time.monotonic()
        if left <= 0:
            raise late("the whole answer took too long")
        return left if timeout is None else min(left, timeout)


class _Stream(httpcore.NetworkStream):
    """A connection on which every step ends by the deadline, however many steps a slow peer makes of an answer."""

    def __init__(self, inner: httpcore.NetworkStream, backend: "_Backend") -> None:
        self._inner, self._backend = inner, backend
        backend.streams.add(self)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._backend.watch.left(timeout, httpcore.ReadTimeout, httpcore.ReadError)
        return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left = self._backend.watch.left(timeout, httpcore.WriteTimeout, httpcore.WriteError)
            self._inner.write(buffer[start : start + _PIECE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        left = self._backend.watch.left(timeout, httpcore.ConnectTimeout, httpcore.ConnectError)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def interrupt(self) -> None:
        """End a read or write that another thread is waiting for."""
        connection = self.get_extra_info("socket")
        with contextlib.suppress(OSError):  # socket's own: that of TLS would pull the state from under a reader
            socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _Backend(httpcore.NetworkBackend):
    """Opens connections that keep the deadline, and knows those that are open."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()
        self.watch = _Watch()
        self.streams: weakref.WeakSet[_Stream] = weakref.WeakSet()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> _Stream:
        """Try the addresses of a host one after the other; the deadline holds for all of them together."""
        late, cut = httpcore.ConnectTimeout, httpcore.ConnectError
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise cut(str(error)) from error
        for number, (*_, address) in enumerate(found, 1):
            left = self.watch.left(timeout, late, cut)
            try:
                stream = self._inner.connect_tcp(str(address[0]), port, left, local_address, socket_options)
                return _Stream(stream, self)
            except (late, cut):
                if number == len(found):
                    raise
        raise cut(f"{host} has no address")


class Pool:
    """Connections to one server, each used by one thread at a time.

    Args:
        parts: The server's address.
        most: Most idle connections that are kept.
        proxies: Use the proxies that the environment names, unless the address is this machine's own.
    """

    def __init__(self, parts: SplitResult, most: int, proxies: bool) -> None:
        self._parts, self._most = parts, most
        self.backend = _Backend()
        self.idle: deque[httpcore.ConnectionInterface] = deque()
        self._lock = threading.Lock()  # of `idle`
        self._maker = self._made(_proxy(parts) if proxies else "")

    @contextlib.contextmanager
    def sent(self, request: httpcore.Request, until: float, stop: threading.Event) -> Iterator[httpcore.Response]:
        """Send a request and return its answer, whose head has come; ``until`` or ``stop`` ends everything about it."""
        self.backend.watch.until, self.backend.watch.stop = until, stop
        connection = self._take(request.url.origin)
        try:
            response = connection.handle_request(request)
            try:
                yield response
            finally:
                response.close()
        finally:
            self._keep(connection)

    def _take(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        """Take a connection that no other thread has, the one that was used last if it is still open."""
        while True:
            with self._lock:
                connection = self.idle.pop() if self.idle else None
            if connection is None:
                break
            if not connection.has_expired():
                return connection
            connection.close()
        return self._maker.create_connection(origin)

    def _keep(self, connection: httpcore.ConnectionInterface) -> None:
        if not connection.is_idle() or connection.is_closed():
            return connection.close()
        with self._lock:
            self.idle.append(connection)
            oldest = self.idle.popleft() if len(self.idle) > self._most or self.idle[0].has_expired() else None
        if oldest is not None:
            oldest.close()
        return None

    def interrupt(self) -> None:
        """End what other threads are reading and writing."""
        for stream in list(self.backend.streams):
            stream.interrupt()

    def close(self) -> None:
        """Close all connections."""
        for stream in list(self.backend.streams):
            stream.close()
        self.idle.clear()

    def _made(self, proxy: str) -> httpcore.ConnectionPool:
        """Return httpcore's pool; only its way of making connections is used."""
        context = httpcore.default_ssl_context() if self._parts.scheme == "https" else None
        settings: dict[str, Any] = {"ssl_context": context, "keepalive_expiry": KEPT_S, "network_backend": self.backend}
        if not proxy:
            return httpcore.ConnectionPool(**settings)
        parts = split_url(proxy, "the environment's proxy") if "@" not in proxy else urlsplit(proxy)
        if parts.username:
            settings["proxy_auth"] = (unquote(parts.username), unquote(parts.password or ""))
        address = httpcore.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target="/")
        kind = httpcore.SOCKSProxy if parts.scheme.startswith("socks") else httpcore.HTTPProxy
        return kind(proxy_url=address, **settings)


def _proxy(parts: SplitResult) -> str:
    """Return the proxy that the environment names for a server."""
    if is_local(parts.geturl()):
        return ""
    from urllib.request import getproxies, proxy_bypass

    found = getproxies()
    proxy = found.get(parts.scheme) or found.get("all") or ""
    if not proxy or proxy_bypass(parts.netloc):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
