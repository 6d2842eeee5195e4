"""Sites on loopback: a server in a thread of this process, for a real browser.

A request names its episode by the header ``x-turnwise-episode``, which neither pages nor agents can see. What a
document request gets is judged by `turnwise.worlds.web.browser.net`, as in the driver without a browser, so that a
browser never meets an answer which that one would show otherwise.
"""

import asyncio
import secrets
import socket
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.worlds.web.browser.net import Answer, App, ask, document

__all__ = ["EPISODE_HEADER", "Episode", "Episodes", "Loopback", "Receive", "Send", "answered", "body_of"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
EPISODE_HEADER = "x-turnwise-episode"
START_S = 10.0
"""Longest time that a server may take to start or to stop."""


class Loopback:
    """A server on 127.0.0.1.

    Args:
        app: What it serves.
        port: Where it listens; 0 for a port that the system picks.

    Attributes:
        port: Where it listens.

    Raises:
        SettingsError: The port cannot be had.
        MissingDependencyError: uvicorn is not installed.
        InfrastructureError: It did not start.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        try:
            import uvicorn
        except ImportError as error:
            raise MissingDependencyError.of("uvicorn", "browser") from error
        try:
            self._socket = socket.create_server(("127.0.0.1", port), backlog=512)
        except (OSError, OverflowError) as error:
            raise SettingsError(f"port {port} cannot be had: {error}") from error
        self.port: int = self._socket.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, lifespan="off", ws="none", http="h11", loop="asyncio", log_config=None, access_log=False,
                proxy_headers=False, server_header=False, date_header=False, timeout_keep_alive=3600,
                timeout_graceful_shutdown=1,
            )
        )  # fmt: skip
        self._thread = threading.Thread(target=self._run, name="turnwise-loopback", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + START_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.close()
                raise InfrastructureError("the loopback server did not start")
            time.sleep(0.002)

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def close(self) -> None:
        """Stop listening and end the thread."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(START_S)
        self._socket.close()


class Episode:
    """What the server knows of a browser's episode.

    Attributes:
        app: The sites.
        store: The episode's databases.
        hosts: Those of the episode.
        token: Value of the header that names it.
        preset: HTML that the next document request gets instead of the site's answer.
        status: HTTP status of the last document.
        note: What went wrong with the last document; "" for nothing.
        failure: Why no application can be asked; None if it can.
        styled: Whether style sheets are served.
    """

    def __init__(self, app: App, store: object, hosts: frozenset[str], styled: bool = True) -> None:
        self.app, self.store, self.hosts, self.styled = app, store, hosts, styled
        self.token = secrets.token_urlsafe(18)
        self.preset: str | None = None
        self.status, self.note = 200, ""
        self.failure: InfrastructureError | None = None
        self._hops = 0

    def answer(self, method: str, url: str, headers: list[tuple[bytes, bytes]], body: bytes) -> Answer:
        """Answer a request of the browser."""
        is_document = any(name == b"upgrade-insecure-requests" for name, _ in headers)
        if url[7:].partition("/")[0] not in self.hosts or (not is_document and _needless(url, self.styled)):
            return Answer(404, _TEXT, b"")
        if is_document and self.preset is not None:
            page, self.preset = self.preset.encode("utf-8", "replace"), None
            return Answer(200, _PAGE, page)
        answer = ask(self.app, self.store, method, url, headers, body)
        return self._judged(url, answer) if is_document else answer

    def _judged(self, url: str, answer: Answer) -> Answer:
        """Return the answer to a document request as our own driver would take it: always a page with status 200."""
        found = document(self.hosts, url, self._hops, answer)
        cookies = [(name, value) for name, value in answer.headers if name.lower() == b"set-cookie"]
        if found.location:
            self._hops += 1
            return Answer(answer.status, [*cookies, (b"location", found.location.encode())], b"")
        self._hops, self.status, self.note = 0, found.status, found.note
        html = found.html if isinstance(found.html, bytes) else found.html.encode("utf-8", "replace")
        return Answer(200, [*cookies, *_PAGE], html)


_TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
_PAGE = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]


def _needless(url: str, styled: bool) -> bool:
    path = url.partition("?")[0]
    return path.endswith("/favicon.ico") or (not styled and path.endswith(".css"))


class Episodes:
    """An ASGI application over all live episodes of a process."""

    def __init__(self) -> None:
        self._live: dict[str, Episode] = {}

    def __len__(self) -> int:
        return len(self._live)

    def add(self, episode: Episode) -> None:
        """Serve an episode from now on."""
        self._live[episode.token] = episode

    def remove(self, episode: Episode) -> None:
        """Stop serving an episode; its requests get a 410."""
        self._live.pop(episode.token, None)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers: list[tuple[bytes, bytes]] = [pair for pair in scope["headers"] if pair[0] not in _OURS]
        named: dict[bytes, bytes] = {name: value for name, value in scope["headers"] if name in _OURS}
        episode = self._live.get(named.get(EPISODE_HEADER.encode(), b"").decode("latin-1"))
        body = await body_of(receive)
        if episode is None:
            answer = Answer(410, _TEXT, b"This episode is over.")
        else:
            try:
                answer = episode.answer(scope["method"], _url(named.get(b"host", b""), scope), headers, body)
            except InfrastructureError as error:
                episode.failure, answer = error, Answer(500, _TEXT, b"")
        await answered(send, scope["method"], answer)


_OURS = (b"host", EPISODE_HEADER.encode())
_LENGTHS = (b"content-length", b"transfer-encoding", b"connection")


def _url(host: bytes, scope: Message) -> str:
    query = scope["query_string"].decode("latin-1")
    path = scope["raw_path"].decode("latin-1")
    return f"http://{host.decode('latin-1').lower()}{path}{'?' if query else ''}{query}"


async def body_of(receive: Receive) -> bytes:
    """Return the body of a request."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def answered(send: Send, method: str, answer: Answer) -> None:
    """Send an answer."""
    kept = [pair for pair in answer.headers if pair[0].lower() not in _LENGTHS]
    length = (b"content-length", str(len(answer.body)).encode())
    await send({"type": "http.response.start", "status": answer.status, "headers": [*kept, length]})
    await send({"type": "http.response.body", "body": answer.body if method != "HEAD" else b""})
