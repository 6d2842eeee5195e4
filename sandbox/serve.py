"""Serves a sandbox to a client elsewhere: one frame in, one frame out.

``Service.answer`` is all that a server of any kind needs. Run as a module it speaks over its standard streams, as the
main process of a container does: ``python -m turnwise.sandbox.serve``, with settings as JSON in the argument.
Over HTTP: ``http.py``.
"""

import contextlib
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox import frames, tree, wire
from turnwise.sandbox.api import Conversation, Limits, Sandbox, Session, check_path
from turnwise.sandbox.values import decode

__all__ = ["Service", "main"]

MAX_HANDLES = 1000
"""Most sessions and conversations open at a time."""


@dataclass
class _Open:
    """A session or conversation of a client, and when it was last used."""

    thing: Session | Conversation
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Service:
    """Answers requests for a sandbox. For any number of threads at once; those for one session take turns.

    Args:
        sandbox: What runs the programs.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()

    def answer(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        """The answer to a request; errors are answers too."""
        try:
            work = getattr(self, f"_do_{message.get('op')}", None)
            if work is None:
                raise UsageError(f"no such request: {str(message.get('op'))[:100]}")
            done: wire.Frame = work(message, blobs)
            return done
        except Exception as error:  # whatever it is, it is the client's to know
            return wire.pack_error(error)

    def _keep(self, thing: Session | Conversation) -> str:
        """Its handle, which nobody guesses: whoever has it may use it."""
        handle = secrets.token_hex(16)
        with self._lock:
            if len(self._open) < MAX_HANDLES:
                self._open[handle] = _Open(thing)
                return handle
        thing.close()
        raise InfrastructureError(f"{MAX_HANDLES} sessions are open")

    @contextlib.contextmanager
    def _using(self, message: dict[str, Any], kind: type[Any]) -> Iterator[Any]:
        with self._lock:
            found = self._open.get(message["handle"])
        if found is None or not isinstance(found.thing, kind):
            raise InfrastructureError("no such session: it was closed, or unused for too long, or the server is new")
        with found.lock:
            try:
                yield found.thing
            finally:
                found.used = time.monotonic()

    def _do_layers(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        layers = self.sandbox.layers_of(message["profile"])
        return {"layers": sorted(layers), "workers": self.sandbox.workers}, []

    def _do_run(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        return wire.pack_result(self.sandbox.run(*wire.unpack_program(message, blobs)))

    def _do_converse(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        made = self.sandbox.converse(*wire.unpack_program(message, blobs))
        answer, parts = wire.pack_result(made.started)
        return {**answer, "handle": self._keep(made)}, parts

    def _do_call(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        arguments, named = decode(message["args"]), decode(message["kwargs"])
        with self._using(message, Conversation) as made:
            return wire.pack_reply(made.call(message["name"], *arguments, kwargs=named, wall_s=message["wall_s"]))

    def _do_session(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        files = dict(zip(message["files"], blobs, strict=True))
        limits = wire.unpack_limits(message)
        if message["shell"]:
            return {"handle": self._keep(self.sandbox.shell(limits, files))}, []
        made = self.sandbox.session(limits, message["profile"], files, bool(message["checkpoint"]))
        return {"handle": self._keep(made)}, []

    def _do_execute(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        with self._using(message, Session) as session:
            return wire.pack_result(session.execute(message["code"], message["wall_s"]))

    def _do_fork(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        with self._using(message, Session) as session:
            return {"handle": self._keep(session.fork())}, []

    def _do_write(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        check_path(message["path"])
        with self._using(message, Session) as session:
            session.write(message["path"], blobs[0])
        return {}, []

    def _do_read(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        check_path(message["path"])
        with self._using(message, Session) as session:
            return {}, [session.read(message["path"])]

    def _do_final_tree(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        with self._using(message, Session) as session:
            return tree.pack(session.final_tree(message["max_bytes"]))

    def _do_close(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        with self._lock:
            found = self._open.pop(message["handle"], None)
        if found is not None:
            with found.lock:
                found.thing.close()
        return {}, []

    @property
    def open(self) -> int:
        """How many sessions and conversations are open."""
        return len(self._open)

    def sweep(self, idle_s: float) -> None:
        """Closes what nobody has used for so many seconds: its client is gone."""
        before = time.monotonic() - idle_s
        with self._lock:
            idle = [name for name, found in self._open.items() if found.used < before and not found.lock.locked()]
            left = [self._open.pop(name) for name in idle]
        for found in left:
            with found.lock:
                found.thing.close()

    def close(self) -> None:
        """Closes what is open, not the sandbox, with which turns that are under way end."""
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for found in left:
            if found.lock.acquire(blocking=False):
                found.thing.close()


def main(arguments: list[str]) -> None:
    """Serves an embedded sandbox over the standard streams until they close."""
    from turnwise.sandbox.embedded import EmbeddedSandbox

    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing else writes among the frames
    settings = json.loads(arguments[0]) if arguments else {}
    writing = threading.Lock()

    def send(number: int, answer: wire.Frame) -> None:
        data = memoryview(frames.pack({**answer[0], "id": number}, answer[1]))
        with writing, contextlib.suppress(BrokenPipeError):
            while data:
                data = data[target.write(data) or 0 :]

    try:
        if "limits" in settings:
            settings["limits"] = Limits(**settings["limits"])
        sandbox = EmbeddedSandbox(**settings)
    except Exception as error:
        send(0, wire.pack_error(error))
        return
    service = Service(sandbox)
    send(0, ({"workers": sandbox.workers}, []))
    pool = ThreadPoolExecutor(4 * sandbox.workers + 64)
    while (got := frames.read_frame(source.read)) is not None:
        message, blobs = got
        pool.submit(lambda m, b: send(m["id"], service.answer(m, b)), message, blobs)
    os._exit(0)  # nobody waits for what still runs: it ends with this process


if __name__ == "__main__":
    main(sys.argv[1:])
