"""Small clients for the tests of the server."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests._work import eventually


class Socket:
    """A client of OpenEnv's socket, in a few lines."""

    def __init__(self, url: str, path: str = "/ws", **options: Any) -> None:
        self.socket: ClientConnection = connect(url.replace("http", "ws", 1) + path, **options).__enter__()

    def ask(self, kind: str, /, **data: Any) -> dict[str, Any]:
        self.socket.send(json.dumps({"type": kind, "data": data}))
        return self.read()

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.socket.recv(timeout=600))
        return found

    def __enter__(self) -> "Socket":
        return self

    def __exit__(self, *exc: object) -> None:
        self.socket.close()


def sessions(http: httpx.Client) -> int:
    """Sessions that the server has."""
    return metric(http, "sessions")


def metric(http: httpx.Client, name: str) -> int:
    """A figure of the server's metrics."""
    line = next(x for x in http.get("/metrics").text.splitlines() if x.startswith(f"turnwise_{name} "))
    return int(line.split()[1])


def until(true: Callable[[], bool], why: str) -> None:
    """Wait until something is true; what never comes meets the suite's time-out, and ``why`` is in its traceback."""
    eventually(true, pause_s=0.05)


def events(text: str) -> dict[str, Any]:
    """The end or the error of a stream of server-sent events."""
    found: dict[str, Any] = {}
    for block in text.split("\r\n\r\n"):
        lines = [line.split(": ", 1) for line in block.split("\r\n") if ": " in line and line[0] != ":"]
        kind, data = dict(lines).get("event"), "\n".join(value for name, value in lines if name == "data")
        if kind in ("end", "error"):
            found[kind] = json.loads(data) if kind == "end" else data
    return found
