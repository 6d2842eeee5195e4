"""An HTTP server on this machine whose answers are written byte by byte, so that it can fail in every way."""

import contextlib
import random
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Asked", "Script", "Server", "answer", "free_port", "serving"]


@dataclass
class Asked:
    """A request: its number, first line, headers by lower-case name, and body."""

    number: int
    line: str
    headers: dict[str, str]
    body: bytes


Script = Callable[[Asked], Iterable[bytes | float] | bytes | None]
"""What to do with a request: bytes to answer, or bytes and pauses in seconds after which the connection ends, or None
to drop it."""


def free_port() -> int:
    """A port that nobody listens on, below those that the system hands out: no other test gets it meanwhile."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def answer(status: int = 200, body: bytes = b"fine", **headers: str) -> bytes:
    """The bytes of an answer; ``Retry_After="1"`` is a header."""
    lines = [f"HTTP/1.1 {status} Because", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Server(socketserver.ThreadingTCPServer):
    """Answers as ``script`` says.

    Attributes:
        asked: The requests that came.
        connections: How many connections were accepted.
        over: Set when the server ends; pauses end with it.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, script: Script, port: int = 0, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.script, self.context = script, context
        self.asked: list[Asked] = []
        self.connections = 0
        self.over, self.lock = threading.Event(), threading.Lock()
        self._open: set[socket.socket] = set()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}" if self.context else f"http://127.0.0.1:{self.port}"

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            if self.context is not None:
                request = self.context.wrap_socket(request, server_side=True)
        except OSError:
            return self.shutdown_request(request)
        with self.lock:
            self.connections += 1
            self._open.add(request)
        return super().process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are not an error."""

    def server_close(self) -> None:
        self.over.set()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()


class _Handler(socketserver.StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        while head := self._head():
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            with self.server.lock:
                asked = Asked(len(self.server.asked), head[0], headers, b"")
                self.server.asked.append(asked)
            if headers.get("x-read") != "no":
                asked.body = self.rfile.read(int(headers.get("content-length", "0")))
            parts = self.server.script(asked)
            if isinstance(parts, bytes):
                self.wfile.write(parts)
                if b"\r\nConnection: close" in parts:
                    return
                continue
            for part in parts or ():
                if isinstance(part, bytes):
                    self.wfile.write(part)
                elif self.server.over.wait(part):
                    return
            return

    def _head(self) -> list[str]:
        lines = []
        while line := self.rfile.readline().strip().decode("latin-1"):
            lines.append(line)
        return lines


@contextlib.contextmanager
def serving(script: Script, port: int = 0, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that runs on a thread of this process."""
    server = Server(script, port, context)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
