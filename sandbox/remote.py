"""Sandboxes on other machines, over HTTP: see ``http.py`` for the side that serves.

A run goes to the machine that is least busy, and elsewhere when that one fails. Sessions and conversations stay where
they were started, and fail with their machine.
"""

import contextlib
import http.client
import os
import random
import select
import ssl
import threading
import time
import weakref
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from urllib.parse import SplitResult, urlsplit

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.sandbox import frames, wire
from turnwise.sandbox.api import DEFAULT_LIMITS, REQUIRED, Limits, Program, Result, Unsafe, require_layers
from turnwise.sandbox.client import SLACK_S, ClientSandbox, Transport, ask
from turnwise.sandbox.http import CONTENT_TYPE, TOKEN_VARIABLE

__all__ = ["RemoteSandbox"]

_TRIES = 4  # of a run that machines fail at: it may be the run
_FIRST_REST_S, _LONGEST_REST_S, _LONGEST_PAUSE_S = 0.5, 60.0, 2.0
_IDLE_S = 30.0  # after which a connection is not trusted any more
_CLOSE_S = 5.0
_MOST_NOTE = 500
_PER_WORKER = 2  # programs under way for each worker of the other side: it finds the next one waiting
_jitter = random.Random()


class _Busy(InfrastructureError):
    """The machine sends what it is asked for elsewhere, for so many seconds."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(text)
        self.seconds = seconds


def check_url(url: str) -> tuple[SplitResult, str]:
    """The parts of a server's address, and its host.

    Raises:
        SettingsError: It is none.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.port != 0 else ""
    except ValueError as error:
        raise SettingsError(f"urls: {url!r}: {error}") from error
    if parts.scheme not in ("http", "https") or not host or parts.query or "@" in parts.netloc:
        raise SettingsError(f"urls: {url!r}: http://host:port or https://host:port")
    return parts, host


class _Machine:
    """One server: a transport for many threads, with a connection for each request that is under way.

    Attributes:
        in_flight: Requests under way.
        handles: What is open there.
        layers: What it has in force, by profile, as far as it was asked.
        workers: Programs that it runs at a time.
        aside_until: When it may be asked again, on the monotonic clock.
    """

    def __init__(self, url: str, token: str, connect_s: float) -> None:
        parts, host = check_url(url)
        self._port = parts.port
        self.url = url
        self._host = host
        self._path = f"{parts.path.rstrip('/')}/"
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._connect_s = connect_s
        self._headers = {"Content-Type": CONTENT_TYPE}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self.layers: dict[str, frozenset[str]] = {}
        self.workers = 1
        self.reset()

    def reset(self) -> None:
        """Starts with no connection and nothing open or under way: after a fork, those are another process's."""
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()
        self.in_flight = 0
        self.handles: set[str] = set()
        self.aside_until = 0.0
        self._rest_s = 0.0

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> wire.Frame:
        try:
            body = frames.pack(message, blobs)
        except frames.FrameError as error:
            raise SettingsError(str(error)) from error
        try:
            answer = self._exchange(body, wait_s)
        except (OSError, http.client.HTTPException, frames.FrameError) as error:
            problem = f"it has not answered for {wait_s:.0f} s" if isinstance(error, TimeoutError) else repr(error)
            raise InfrastructureError(f"the sandbox at {self.url} is gone: {problem}") from error
        with self._lock:
            if message["op"] == "close":
                self.handles.discard(message["handle"])
            elif "handle" in answer[0]:
                self.handles.add(str(answer[0]["handle"]))
        return answer

    def _exchange(self, body: bytes, wait_s: float) -> wire.Frame:
        connection = self._connection()
        try:
            connection.sock.settimeout(wait_s)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have said why
                connection.request("POST", self._path, body, self._headers)
            with connection.getresponse() as response:
                data = response.read(frames.MAX_FRAME_BYTES + 9)
                status, after, ends = response.status, response.getheader("Retry-After", ""), response.will_close
        except BaseException:
            connection.close()
            raise
        if ends or len(data) > frames.MAX_FRAME_BYTES + 8:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        if status == 200:
            got = frames.read_frame(BytesIO(data).read)
            if got is None:
                raise frames.FrameError("half an answer")
            return got
        text = f"the sandbox at {self.url}: {status} {data[:_MOST_NOTE].decode(errors='replace')}"
        if status in (401, 403):
            raise FatalError(text)
        if status == 413:
            raise SettingsError(text)
        if status in (429, 503):
            raise _Busy(text, min(float(after), 30.0) if after.isdecimal() else 1.0)
        raise InfrastructureError(text)

    def _connection(self) -> http.client.HTTPConnection:
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
        if self._context is not None:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._connect_s, context=self._context
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._connect_s)
        connection.connect()
        return connection

    def learn(self, profile: str, required: Collection[str]) -> None:
        """Asks what is in force; raises ``Unsafe`` where that is too little."""
        answer, _ = ask(self, {"op": "layers", "profile": profile}, [], SLACK_S)
        layers, workers = frozenset(map(str, answer.get("layers", ()))), answer.get("workers")
        require_layers(layers, required, f"the sandbox at {self.url}, profile {profile!r}")
        self.layers[profile] = layers
        self.workers = workers if type(workers) is int and workers > 0 else 1

    def well(self) -> None:
        """It has answered."""
        self._rest_s = 0.0

    def rest(self, busy_s: float = 0.0) -> None:
        """It is left aside: so long, or, where it has failed, twice as long as the last time."""
        now = time.monotonic()
        with self._lock:
            if busy_s:
                self.aside_until = max(self.aside_until, now + busy_s)
            elif now >= self.aside_until:  # once for all that were under way
                self._rest_s = min(max(2 * self._rest_s, _FIRST_REST_S), _LONGEST_REST_S)
                self.aside_until = now + self._rest_s
                self.layers.clear()  # it may be another one when it is back

    def drop(self) -> None:
        """Closes the connections that nobody uses."""
        with self._lock:
            left, self._idle = self._idle, []
        for connection, _ in left:
            connection.close()

    def close(self) -> None:
        """Closes what is open there and the connections."""
        with self._lock:
            open_there = list(self.handles)
        for handle in open_there:
            try:
                self.ask({"op": "close", "handle": handle}, [], _CLOSE_S)
            except InfrastructureError:
                break
        self.drop()


class _Pool:
    """The machines, as one transport."""

    def __init__(self, machines: list[_Machine], required: Collection[str], patience_s: float) -> None:
        self.machines = machines
        self.required = frozenset(required)
        self.patience_s = patience_s
        self.lock = threading.Lock()

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> wire.Frame:
        answer, parts, _ = self.start(message, blobs, wait_s)
        return answer, parts

    def start(
        self, message: dict[str, Any], blobs: list[bytes], wait_s: float
    ) -> tuple[dict[str, Any], list[bytes], _Machine]:
        """Has some machine do something that starts from nothing: the answer, its raw parts, and which one it was."""
        until, tries = time.monotonic() + self.patience_s, 0
        problem = InfrastructureError("no sandbox has room")
        while tries < _TRIES:
            machine = self._take()
            try:
                if message["profile"] not in machine.layers:
                    machine.learn(message["profile"], self.required)
                answer, parts = ask(machine, message, blobs, wait_s)
                machine.well()
                return answer, parts, machine
            except (FatalError, Unsafe):
                raise
            except _Busy as error:
                problem = error
                machine.rest(busy_s=error.seconds)
                if time.monotonic() > until:
                    break
            except InfrastructureError as error:
                problem = error
                machine.rest()
                tries += 1
            finally:
                with self.lock:
                    machine.in_flight -= 1
        raise InfrastructureError(f"no sandbox of {len(self.machines)} has done it: {problem}") from problem

    def _take(self) -> _Machine:
        """The least busy of those that are not left aside; else, after a pause, the first that comes back."""
        now = time.monotonic()
        with self.lock:
            sound = [machine for machine in self.machines if machine.aside_until <= now]
            if sound:
                chosen = min(sound, key=lambda machine: (_load(machine), _jitter.random()))
                chosen.in_flight += 1
                return chosen
            chosen = min(self.machines, key=lambda machine: machine.aside_until)
            chosen.in_flight += 1
        time.sleep(min(chosen.aside_until - now, _LONGEST_PAUSE_S) * _jitter.uniform(1.0, 1.2))
        return chosen

    def learn(self, profile: str) -> None:
        """Asks all machines what they have in force; at least one must answer, and none may be too weak."""

        def learned(machine: _Machine) -> InfrastructureError | None:
            try:
                machine.learn(profile, self.required)
            except (FatalError, Unsafe):
                raise
            except InfrastructureError as error:
                machine.rest()
                return error
            return None

        with ThreadPoolExecutor(len(self.machines)) as threads:
            problems = list(threads.map(learned, self.machines))
        if all(problems):
            raise InfrastructureError(" | ".join(map(str, problems)))

    def reset(self) -> None:
        """After a fork: nothing of the other process is used."""
        self.lock = threading.Lock()
        for machine in self.machines:
            machine.reset()

    def close(self) -> None:
        for machine in self.machines:
            machine.close()


def _load(machine: _Machine) -> float:
    return (machine.in_flight + len(machine.handles)) / machine.workers


class RemoteSandbox(ClientSandbox):
    """Sandbox servers on other machines, used as one.

    Runs are spread over the machines; one that fails is left aside for a while, and what it was running is run
    elsewhere: programs may run more than once, which nobody outside can see. Sessions and conversations whose machine
    fails raise ``InfrastructureError``. Where all machines have as much as they take, calls wait. After a fork of this
    process each side has connections of its own; sessions stay with the side that has opened them.

    Args:
        urls: Addresses of the servers: ``http://host:port``; one, or several with commas or as a sequence.
        token: What the servers ask for; None: the environment variable ``TURNWISE_SANDBOX_TOKEN``.
        workers: Most programs at a time in ``run_many``; None: as many as the servers run.
        require: Layers that every server must have in force.
        patience_s: Seconds that a run waits for a server with room.
        connect_s: Seconds that a server may take to accept a connection.

    Raises:
        Unsafe: A server lacks a required layer.
        FatalError: The token is wrong.
        InfrastructureError: No server answers.

    >>> sandbox = RemoteSandbox("http://10.0.0.1:8765,http://10.0.0.2:8765")  # doctest: +SKIP
    """

    name = "remote"

    def __init__(
        self,
        urls: str | Sequence[str],
        token: str | None = None,
        workers: int | None = None,
        require: Collection[str] = REQUIRED,
        patience_s: float = 600.0,
        connect_s: float = 5.0,
    ) -> None:
        places = [url.strip() for url in (urls.split(",") if isinstance(urls, str) else urls)]
        if not places:
            raise SettingsError("urls: at least one")
        found = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        if not found.isascii() or not found.isprintable():
            raise SettingsError("token: printable ASCII characters")
        self._pool = _Pool([_Machine(place, found, connect_s) for place in places], require, patience_s)
        self._closed = False
        super().__init__(self._pool, require, workers)
        _LIVING.add(self)

    def _find_layers(self, profile: str) -> dict[str, Any]:
        self._pool.learn(profile)
        known = [machine.layers[profile] for machine in self._pool.machines if profile in machine.layers]
        self._layers[profile] = frozenset.intersection(*known)
        return {"workers": sum(machine.workers for machine in self._pool.machines if machine.layers)}

    def _start(
        self, message: dict[str, Any], blobs: list[bytes], wait_s: float
    ) -> tuple[dict[str, Any], list[bytes], Transport]:
        if self._closed:
            raise UsageError("the sandbox is closed")
        return self._pool.start(message, blobs, wait_s)

    def run_many(self, programs: Iterable[Program], limits: Limits = DEFAULT_LIMITS) -> list[Result]:
        """Runs them on all workers at once; the results stand in the order of the programs."""
        programs = list(programs)
        if not programs:
            return []
        with ThreadPoolExecutor(min(_PER_WORKER * self.workers, len(programs))) as threads:
            return list(threads.map(lambda program: self.run(program, limits), programs))

    def close(self) -> None:
        self._closed = True
        super().close()


_LIVING: weakref.WeakSet[RemoteSandbox] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for sandbox in list(_LIVING):
        sandbox._pool.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
