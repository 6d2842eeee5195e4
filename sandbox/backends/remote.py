"""Sandboxes on other machines, over HTTP: see ``serving/server.py`` for the side that serves.

A run goes to the machine that is least busy, and elsewhere when that one fails. Sessions and conversations stay where
they were started, and fail with their machine.
"""

import os
import random
import threading
import time
import weakref
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.http.address import split_url
from turnwise.core.http.client import Client
from turnwise.core.http.errors import Busy, HttpError, Unreadable
from turnwise.sandbox.backends.proxy import SLACK_S, ProxySandbox, Transport, ask
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.messages import CONTENT_TYPE, TOKEN_VARIABLE
from turnwise.sandbox.interface.records import DEFAULT_LIMITS, Limits, Program, Result
from turnwise.sandbox.interface.sandbox import REQUIRED, Unsafe, require_layers
from turnwise.sandbox.wire import frames

__all__ = ["RemoteSandbox"]

_TRIES = 4  # of a run that machines fail at: it may be the run
_FIRST_REST_S, _LONGEST_REST_S, _LONGEST_PAUSE_S, _LONGEST_BUSY_S = 0.5, 60.0, 2.0, 30.0
_CLOSE_S = 5.0
_PER_WORKER = 2  # programs under way for each worker of the other side: it finds the next one waiting
_jitter = random.Random()


def check_url(url: str) -> None:
    """Raise `SettingsError` for what is not a server's address."""
    if split_url(url, "urls").query:
        raise SettingsError(f"urls is {url!r}; it must look like 'http://host:port'")


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
        check_url(url)
        self.url = url
        self._client = Client(
            f"{url.rstrip('/')}/",
            name="the sandbox at",
            token=token,
            connect_s=connect_s,
            max_bytes=frames.MAX_FRAME_BYTES + 8,
            retries=0,  # the pool goes to another machine
        )
        self.layers: dict[str, frozenset[str]] = {}
        self.workers = 1
        self.reset()

    def reset(self) -> None:
        """Starts with nothing open or under way: after a fork, that is another process's."""
        self._lock = threading.Lock()
        self.in_flight = 0
        self.handles: set[str] = set()
        self.aside_until = 0.0
        self._rest_s = 0.0

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        try:
            body = frames.pack(message, blobs)
        except frames.FrameError as error:
            raise SettingsError(str(error)) from error
        answer = self._client.ask(
            "POST",
            "",
            body,
            read=_frame,
            meaning=_meaning,
            content_type=CONTENT_TYPE,
            timeout_s=wait_s,
            repeatable=False,
        ).value
        with self._lock:
            if message["op"] == "close":
                self.handles.discard(message["handle"])
            elif "handle" in answer[0]:
                self.handles.add(str(answer[0]["handle"]))
        return answer

    def learn(self, profile: str, required: Collection[str]) -> None:
        """Ask which layers are in force; raise ``Unsafe`` if a required one is missing."""
        answer, _ = ask(self, {"op": "layers", "profile": profile}, [], SLACK_S)
        layers, workers = frozenset(map(str, answer.get("layers", ()))), answer.get("workers")
        require_layers(layers, required, f"the sandbox at {self.url}, profile {profile!r}")
        self.layers[profile] = layers
        self.workers = workers if type(workers) is int and workers > 0 else 1

    def well(self) -> None:
        """Note that the machine has answered."""
        self._rest_s = 0.0

    def rest(self, busy_s: float = 0.0) -> None:
        """Leave the machine aside: for that long or, if it has failed, twice as long as the last time."""
        now = time.monotonic()
        with self._lock:
            if busy_s:
                self.aside_until = max(self.aside_until, now + busy_s)
            elif now >= self.aside_until:  # once for all that were under way
                self._rest_s = min(max(2 * self._rest_s, _FIRST_REST_S), _LONGEST_REST_S)
                self.aside_until = now + self._rest_s
                self.layers.clear()  # it may be another one when it is back

    def close(self) -> None:
        """Close what is open there, and the connections."""
        with self._lock:
            open_there = list(self.handles)
        for handle in open_there:
            try:
                self.ask({"op": "close", "handle": handle}, [], _CLOSE_S)
            except InfrastructureError:
                break
        self._client.close()


def _frame(body: bytes) -> messages.Frame:
    try:
        got = frames.read_frame(BytesIO(body).read)
    except frames.FrameError as error:
        raise Unreadable(str(error)) from error
    if got is None:
        raise Unreadable("half an answer")
    return got


def _meaning(failure: HttpError) -> HttpError:
    """A program that is too long is the caller's error."""
    if failure.status == 413:
        raise SettingsError(f"the sandbox server {failure.reason}")
    return failure


class _Pool:
    """The machines, as one transport."""

    def __init__(self, machines: list[_Machine], required: Collection[str], patience_s: float) -> None:
        self.machines = machines
        self.required = frozenset(required)
        self.patience_s = patience_s
        self.lock = threading.Lock()

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> messages.Frame:
        answer, parts, _ = self.start(message, blobs, wait_s)
        return answer, parts

    def start(
        self, message: dict[str, Any], blobs: list[bytes], wait_s: float
    ) -> tuple[dict[str, Any], list[bytes], _Machine]:
        """Start something new on some machine: return the answer, its raw parts and the machine."""
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
            except Busy as error:
                problem = error
                machine.rest(busy_s=min(error.pause_s or 1.0, _LONGEST_BUSY_S))
                if time.monotonic() > until:
                    break
            except InfrastructureError as error:
                problem = error
                machine.rest()
                tries += 1
            finally:
                with self.lock:
                    machine.in_flight -= 1
        raise InfrastructureError(f"none of {len(self.machines)} sandbox servers has done it: {problem}") from problem

    def _take(self) -> _Machine:
        """Return the least busy machine that is not left aside or, after a pause, the first to come back."""
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
        """Ask all machines which layers are in force; one must answer, and none may lack a required layer."""

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
        """Forget what belongs to the other process after a fork."""
        self.lock = threading.Lock()
        for machine in self.machines:
            machine.reset()

    def close(self) -> None:
        for machine in self.machines:
            machine.close()


def _load(machine: _Machine) -> float:
    return (machine.in_flight + len(machine.handles)) / machine.workers


class RemoteSandbox(ProxySandbox):
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
            raise SettingsError("urls is empty; it must have at least one address")
        found = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
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
        """Run programs on all workers at once; the results are in the order of the programs."""
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
