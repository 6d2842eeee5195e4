"""A sandbox that runs elsewhere, as callers see it: the same interface, each call a frame to a `Service`.

A transport carries frames: `StreamTransport` over the streams of a process or a container, others over HTTP. If it
fails, ``InfrastructureError`` is raised.
"""

import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Protocol

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.messages import as_bytes, limits_message
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Profile, Program, Reply, Result, check_path
from turnwise.sandbox.interface.sandbox import REQUIRED, Conversation, Sandbox, Session, require_layers
from turnwise.sandbox.wire import frames, tree
from turnwise.sandbox.wire.values import encode

__all__ = ["SLACK_S", "Gone", "ProxySandbox", "StreamTransport", "Transport", "ask"]

SLACK_S = 60.0
"""Seconds that an answer may take beyond the limits of the program: queues, the start of workers."""


class Gone(InfrastructureError):
    """The other side has ended or does not answer; another one can be asked instead."""


class Transport(Protocol):
    """Carries a request and brings its answer."""

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        """Return the answer; raise ``InfrastructureError`` if none comes."""
        ...

    def close(self) -> None:
        """Close the connection to the other side."""
        ...


class StreamTransport:
    """Frames over two byte streams, for many threads at once.

    Args:
        read: Returns exactly that many bytes of the stream, fewer only at its end.
        write: Writes all bytes.
        shut: Closes the streams, so that ``read`` returns.
    """

    def __init__(
        self, read: Callable[[int], bytes], write: Callable[[bytes], object], shut: Callable[[], None]
    ) -> None:
        self._read = read
        self._write = write
        self._shut = shut
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[messages.Frame]] = {0: Future()}  # 0: what the other side says first
        self._broken = ""
        self.first = self._waiting[0]
        self._reader = threading.Thread(target=self._listen, name="sandbox-stream", daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        problem = "it closed the stream"
        try:
            while (got := frames.read_frame(self._read)) is not None:
                number = got[0].get("id")
                with self._lock:
                    waiting = self._waiting.pop(number, None) if type(number) is int else None
                if waiting is not None:
                    waiting.set_result(got)
        except (OSError, ValueError) as error:
            problem = str(error)
        with self._lock:
            self._broken = problem
            left, self._waiting = list(self._waiting.values()), {}
        for waiting in left:
            waiting.set_exception(Gone(f"the sandbox is gone: {problem}"))

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        answer: Future[messages.Frame] = Future()
        number = next(self._numbers)
        data = frames.pack({**message, "id": number}, blobs)
        with self._lock:
            if self._broken:
                raise Gone(f"the sandbox is gone: {self._broken}")
            self._waiting[number] = answer
            try:
                self._write(data)
            except OSError as error:
                self._waiting.pop(number, None)
                raise Gone(f"the sandbox is gone: {error}") from error
        try:
            return answer.result(wait_s)
        except FutureTimeout as error:
            with self._lock:
                self._waiting.pop(number, None)
            raise Gone(f"the sandbox has not answered for {wait_s:.0f} s") from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._shut()
        self._reader.join(SLACK_S)

    def abandon(self) -> None:
        """Refuse requests in a forked process, which has no reader thread and must not speak for its parent."""
        self._lock = threading.Lock()
        self._broken = "it belongs to the process that this one was forked from"


class _Handle:
    """A session or conversation of the other side."""

    def __init__(self, transport: Transport, handle: object, limits: Limits) -> None:
        self._transport = transport
        self._handle = handle
        self._limits = limits
        self._closed = False
        self._owner = os.getpid()

    def _request(self, op: str, blobs: list[bytes], wall_s: float | None = None, **fields: Any) -> messages.Frame:
        if self._closed:
            raise UsageError("this session or conversation is closed")
        wait_s = SLACK_S + (self._limits.wall_s if wall_s is None else wall_s)
        message = {"op": op, "handle": self._handle, "wall_s": wall_s, **fields}
        return ask(self._transport, message, blobs, wait_s)

    def close(self) -> None:
        """End it on the other side; in a forked process, only mark it as closed."""
        if not self._closed and os.getpid() == self._owner:
            with contextlib.suppress(InfrastructureError):
                self._request("close", [])
        self._closed = True


class ProxySession(_Handle, Session):
    """A session of the other side."""

    def execute(self, code: str, wall_s: float | None = None) -> Result:
        return messages.unpack_result(*self._request("execute", [], wall_s, code=code))

    def fork(self) -> "ProxySession":
        answer, _ = self._request("fork", [])
        return ProxySession(self._transport, answer.get("handle"), self._limits)

    def write(self, path: str, contents: bytes | str) -> None:
        check_path(path)
        self._request("write", [as_bytes(contents)], path=path)

    def read(self, path: str) -> bytes:
        check_path(path)
        _, blobs = self._request("read", [], path=path)
        if len(blobs) != 1:
            raise InfrastructureError("no file came back")
        return blobs[0]

    def final_tree(self, max_bytes: int | None = None) -> tree.Entries:
        try:
            return tree.unpack(*self._request("final_tree", [], max_bytes=max_bytes))
        except ValueError as error:
            raise InfrastructureError(f"malformed tree from a sandbox: {error}") from error
        finally:
            self.close()


class ProxyConversation(_Handle, Conversation):
    """A conversation of the other side."""

    def __init__(self, transport: Transport, handle: object, limits: Limits, started: Result) -> None:
        super().__init__(transport, handle, limits)
        self._started = started

    @property
    def started(self) -> Result:
        return self._started

    def call(
        self, name: str, *args: object, kwargs: Mapping[str, object] | None = None, wall_s: float | None = None
    ) -> Reply:
        texts = {"args": encode(list(args)), "kwargs": encode(dict(kwargs or {}))}
        return messages.unpack_reply(*self._request("call", [], wall_s, name=name, **texts))


def ask(transport: Transport, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
    """Send a request and return the answer; raise it if it is an error."""
    answer, parts = transport.ask(message, blobs, wait_s)
    messages.raise_error(answer)
    return answer, parts


class ProxySandbox(Sandbox):
    """A sandbox behind a transport.

    Args:
        transport: Carries the requests.
        require: Layers that the other side must have in force.
        workers: Most programs at a time; None: as many as the other side runs.

    Raises:
        Unsafe: A required layer is not in force there.
        InfrastructureError: It does not answer.
    """

    name = "proxy"

    def __init__(self, transport: Transport, require: Collection[str] = REQUIRED, workers: int | None = None) -> None:
        self._transport = transport
        self._layers: dict[str, frozenset[str]] = {}
        self.require = frozenset(require)
        try:
            answer = self._find_layers("python")
        except BaseException:
            transport.close()
            raise
        there = answer.get("workers")
        self.workers = workers or (there if type(there) is int and there > 0 else 1)

    def _find_layers(self, profile: Profile) -> dict[str, Any]:
        answer, _ = ask(self._transport, {"op": "layers", "profile": profile}, [], SLACK_S)
        layers = frozenset(map(str, answer.get("layers", ())))
        require_layers(layers, self.require, f"the {self.name} sandbox, profile {profile!r}")
        self._layers[profile] = layers
        return answer

    @property
    def layers(self) -> frozenset[str]:
        return self._layers["python"]

    def layers_of(self, profile: Profile) -> frozenset[str]:
        if profile not in self._layers:
            self._find_layers(profile)
        return self._layers[profile]

    def _start(
        self, message: dict[str, Any], blobs: list[bytes], wait_s: float
    ) -> tuple[dict[str, Any], list[bytes], Transport]:
        """Start something new: return the answer, its raw parts and the transport that it came from."""
        self.layers_of(message["profile"])
        return (*ask(self._transport, message, blobs, wait_s), self._transport)

    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Result:
        message, blobs = messages.pack_program(program, limits)
        answer, parts, _ = self._start({"op": "run", **message}, blobs, limits.wall_s + SLACK_S)
        return messages.unpack_result(answer, parts)

    def converse(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> ProxyConversation:
        message, blobs = messages.pack_program(program, limits)
        answer, parts, at = self._start({"op": "converse", **message}, blobs, limits.wall_s + SLACK_S)
        return ProxyConversation(at, answer.get("handle"), limits, messages.unpack_result(answer, parts))

    def session(
        self,
        limits: Limits = DEFAULT_LIMITS,
        profile: Profile = "python",
        files: Mapping[str, bytes | str] | None = None,
        checkpoint: bool = False,
    ) -> ProxySession:
        return self._session(limits, profile, files or {}, checkpoint, False)

    def shell(self, limits: Limits = DEFAULT_LIMITS, files: Mapping[str, bytes | str] | None = None) -> ProxySession:
        return self._session(limits, "shell", files or {}, False, True)

    def _session(
        self, limits: Limits, profile: Profile, files: Mapping[str, bytes | str], checkpoint: bool, shell: bool
    ) -> ProxySession:
        for path in files:
            check_path(path)
        message = {
            "op": "session",
            "shell": shell,
            "profile": profile,
            "checkpoint": checkpoint,
            "files": list(files),
            "limits": limits_message(limits),
        }
        answer, _, at = self._start(message, [as_bytes(contents) for contents in files.values()], SLACK_S)
        return ProxySession(at, answer.get("handle"), limits)

    def close(self) -> None:
        self._transport.close()
