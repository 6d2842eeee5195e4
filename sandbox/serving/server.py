r"""Serves a sandbox over HTTP, so that a pool of machines can run programs for trainers elsewhere.

    TURNWISE_SANDBOX_TOKEN=... python -m turnwise.sandbox --host 0.0.0.0 --port 8765 --workers 16

Only the standard library is needed: ``bundle.write`` puts all files of it on a bare machine. One line of JSON on the
standard output says where it listens and what is in force. It ends on SIGTERM and SIGINT, with all that it started.

``POST /`` takes a frame and answers with one (``wire/frames.py``, ``service.py``), if the bearer token is right:

| status | meaning |
|---|---|
| 200 | the answer, which may be an error of the sandbox |
| 401 | the token is missing or wrong |
| 400, 411, 413, 415 | no frame, no length, too long, not of the type ``application/x-turnwise-frame`` |
| 503 | too many requests wait already, or the server is closing: ``Retry-After`` |

``GET /health`` answers 200 without a token while the server accepts programs. It does not speak TLS: put it behind
something that does, or on a network of its own.
"""

import argparse
import contextlib
import hmac
import io
import json
import os
import signal
import socket
import socketserver
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import Any

from turnwise.core.errors import TurnwiseError
from turnwise.core.http.address import listening_place, url_of
from turnwise.sandbox.client.named import BACKENDS, make_sandbox
from turnwise.sandbox.interface.messages import CONTENT_TYPE, TOKEN_VARIABLE
from turnwise.sandbox.interface.sandbox import Sandbox
from turnwise.sandbox.serving.service import Service
from turnwise.sandbox.wire import frames

__all__ = ["SandboxServer", "main"]

_STARTS = ("run", "converse", "session")  # what takes a worker; the rest belongs to what is open already
_MOST_CONNECTIONS = 4096
_SILENT_S = 120.0  # of a connection, before it is closed
_RETRY_S = 1
_SWEEP_S = 15.0


class _Door:
    """Admits as many requests as there are workers; a limited number of others wait."""

    def __init__(self, workers: int, queue: int, patience_s: float) -> None:
        self._free = threading.Semaphore(workers)
        self._room = threading.Semaphore(workers + queue)
        self._patience_s = patience_s

    def enter(self) -> bool:
        """Wait for room and say whether there was any in time; if so, call `leave` afterwards."""
        if not self._room.acquire(blocking=False):
            return False
        if self._free.acquire(timeout=self._patience_s):
            return True
        self._room.release()
        return False

    def leave(self) -> None:
        """Let the next one in."""
        self._free.release()
        self._room.release()


class SandboxServer(ThreadingHTTPServer):
    """A sandbox behind an address. ``serve_forever`` until ``shutdown``; ``server_close`` closes what clients opened.

    Args:
        sandbox: What runs the programs; the caller closes it.
        host: Address to listen on.
        port: Port, 0 for a free one.
        token: What clients must bring, at least 16 characters; "" for none, on a loopback address only.
        queue: Most programs that wait for a worker; None: 32 for each.
        patience_s: Seconds that a program waits for a worker before it is sent elsewhere.
        lease_s: Seconds after which an unused session is closed.
        most_bytes: Longest request.

    Raises:
        SettingsError: The address is open to other machines without a token, or the token is too short.
        OSError: It cannot listen there.
    """

    daemon_threads = True
    request_queue_size = 512

    def __init__(
        self,
        sandbox: Sandbox,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str = "",
        queue: int | None = None,
        patience_s: float = 20.0,
        lease_s: float = 3600.0,
        most_bytes: int = 1 << 26,
    ) -> None:
        family, place = listening_place(host, port, token, f"a token ({TOKEN_VARIABLE})")
        self.service = Service(sandbox)
        self.token = token.encode()
        self.door = _Door(sandbox.workers, 32 * sandbox.workers if queue is None else queue, patience_s)
        self.most_bytes = most_bytes
        self.closing = threading.Event()
        self.connections = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._lease_s = lease_s
        self.address_family = family
        super().__init__(place, _Handler)
        threading.Thread(target=self._sweep, name="sandbox-leases", daemon=True).start()

    @property
    def url(self) -> str:
        """The address on which it listens."""
        return url_of(str(self.server_address[0]), int(self.server_address[1]))

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # without asking anybody for the name of the host
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def _sweep(self) -> None:
        while not self.closing.wait(min(_SWEEP_S, self._lease_s / 4)):
            self.service.sweep(self._lease_s)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of the connection: clients may go at any time."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        self.closing.set()
        super().server_close()
        self.service.close()


class _Handler(BaseHTTPRequestHandler):
    server: SandboxServer
    protocol_version = "HTTP/1.1"
    server_version = "turnwise"
    sys_version = ""
    timeout = _SILENT_S
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer leaves in one piece

    def do_GET(self) -> None:
        if self.path != "/health":
            self._say(404, b"no such page")
        elif self.server.closing.is_set():
            self._say(503, b"closing")
        else:
            self._say(200, b"ok")

    def do_POST(self) -> None:
        self.close_connection = True  # until its body is read
        given = self.headers.get("Authorization", "").encode("latin-1")
        if self.server.token and not hmac.compare_digest(given, b"Bearer " + self.server.token):
            return self._say(401, b"the token is missing or wrong")
        if self.path != "/":
            return self._say(404, b"no such page")
        if self.headers.get("Content-Type") != CONTENT_TYPE:
            return self._say(415, b"not a frame")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()) or "Transfer-Encoding" in self.headers:
            return self._say(411, b"a length is needed")
        if len(length) > 15 or int(length) > self.server.most_bytes:
            return self._say(413, b"at most %d bytes" % self.server.most_bytes)
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        body = io.BytesIO(self.rfile.read(int(length)))
        try:
            got = frames.read_frame(body.read, int(length))
        except frames.FrameError as error:
            return self._say(400, str(error).encode())
        if got is None or body.read(1):
            return self._say(400, b"no frame")
        self.close_connection = False
        return self._answer(*got)

    def _answer(self, message: dict[str, Any], blobs: list[bytes]) -> None:
        server = self.server
        starts = message.get("op") in _STARTS
        if server.closing.is_set() or (starts and not server.door.enter()):
            return self._say(503, b"too many are waiting")
        try:
            answer = server.service.answer(message, blobs)
        finally:
            if starts:
                server.door.leave()
        if server.closing.is_set():  # it may have been ended in the middle: another machine can do it again
            return self._say(503, b"closing")
        try:
            return self._say(200, frames.pack(*answer))
        except frames.FrameError as error:
            return self._say(500, str(error).encode())

    def _say(self, status: int, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", CONTENT_TYPE if status == 200 and self.command == "POST" else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        if status == 503:
            self.send_header("Retry-After", str(_RETRY_S))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: what clients send is theirs."""


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM or SIGINT; the token is read from the environment, where ``ps`` does not show it."""
    parser = argparse.ArgumentParser(prog="python -m turnwise.sandbox", description="Serves a sandbox.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=8765, help="port, 0 for a free one (%(default)s)")
    backends = ["auto", *(name for name in BACKENDS if name not in ("remote", "unsafe-subprocess"))]
    parser.add_argument("--backend", choices=backends, default="auto", help="what runs the programs (%(default)s)")
    parser.add_argument("--workers", type=int, default=None, help="most programs at a time (one per processor)")
    parser.add_argument("--settings", type=json.loads, default={}, help="further settings of the backend, as JSON")
    parser.add_argument("--queue", type=int, default=None, help="most programs that wait (32 per worker)")
    parser.add_argument("--lease", type=float, default=3600.0, help="seconds that unused sessions live (%(default)s)")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    token = os.environ.pop(TOKEN_VARIABLE, "")
    try:
        with (
            make_sandbox(options.backend, workers=options.workers, **options.settings) as sandbox,
            SandboxServer(sandbox, options.host, options.port, token, options.queue, lease_s=options.lease) as server,
        ):
            started = {"url": server.url, "workers": sandbox.workers, "layers": sorted(sandbox.layers)}
            sys.stdout.write(json.dumps(started) + "\n")
            sys.stdout.flush()
            server.serve_forever()
    except (TurnwiseError, OSError) as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
