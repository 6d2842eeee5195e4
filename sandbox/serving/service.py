"""Answers the requests of a client elsewhere: one frame in, one frame out.

`Service.answer` is all that a server of any kind needs: `streams` calls it for frames on the standard streams, `server`
for frames over HTTP.
"""

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.records import check_path
from turnwise.sandbox.interface.sandbox import Conversation, Sandbox, Session
from turnwise.sandbox.wire import tree
from turnwise.sandbox.wire.values import decode

__all__ = ["Service"]

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

    def answer(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        """Return the answer to a request; errors are answers too."""
        try:
            work = getattr(self, f"_do_{message.get('op')}", None)
            if work is None:
                raise UsageError(f"unknown request: {str(message.get('op'))[:100]}")
            done: messages.Frame = work(message, blobs)
            return done
        except Exception as error:  # whatever it is, it is the client's to know
            return messages.pack_error(error)

    def _keep(self, thing: Session | Conversation) -> str:
        """Keep a session and return its handle, which cannot be guessed: whoever has it may use the session."""
        handle = secrets.token_hex(16)
        with self._lock:
            if len(self._open) < MAX_HANDLES:
                self._open[handle] = _Open(thing)
                return handle
        thing.close()
        raise InfrastructureError(f"{MAX_HANDLES} sessions are open, as many as this server allows")

    @contextlib.contextmanager
    def _using(self, message: dict[str, Any], kind: type[Any]) -> Iterator[Any]:
        with self._lock:
            found = self._open.get(message["handle"])
        if found is None or not isinstance(found.thing, kind):
            raise InfrastructureError(
                "unknown session: it was closed, was unused for too long, or the server has restarted"
            )
        with found.lock:
            try:
                yield found.thing
            finally:
                found.used = time.monotonic()

    def _do_layers(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        layers = self.sandbox.layers_of(message["profile"])
        return {"layers": sorted(layers), "workers": self.sandbox.workers}, []

    def _do_run(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        return messages.pack_result(self.sandbox.run(*messages.unpack_program(message, blobs)))

    def _do_converse(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        made = self.sandbox.converse(*messages.unpack_program(message, blobs))
        answer, parts = messages.pack_result(made.started)
        return {**answer, "handle": self._keep(made)}, parts

    def _do_call(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        arguments, named = decode(message["args"]), decode(message["kwargs"])
        with self._using(message, Conversation) as made:
            return messages.pack_reply(made.call(message["name"], *arguments, kwargs=named, wall_s=message["wall_s"]))

    def _do_session(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        files = dict(zip(message["files"], blobs, strict=True))
        limits = messages.unpack_limits(message)
        if message["shell"]:
            return {"handle": self._keep(self.sandbox.shell(limits, files))}, []
        made = self.sandbox.session(limits, message["profile"], files, bool(message["checkpoint"]))
        return {"handle": self._keep(made)}, []

    def _do_execute(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        with self._using(message, Session) as session:
            return messages.pack_result(session.execute(message["code"], message["wall_s"]))

    def _do_fork(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        with self._using(message, Session) as session:
            return {"handle": self._keep(session.fork())}, []

    def _do_write(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        check_path(message["path"])
        with self._using(message, Session) as session:
            session.write(message["path"], blobs[0])
        return {}, []

    def _do_read(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        check_path(message["path"])
        with self._using(message, Session) as session:
            return {}, [session.read(message["path"])]

    def _do_final_tree(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
        with self._using(message, Session) as session:
            return tree.pack(session.final_tree(message["max_bytes"]))

    def _do_close(self, message: dict[str, Any], blobs: list[bytes]) -> messages.Frame:
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
        """Close what has not been used for that many seconds: its client is gone."""
        before = time.monotonic() - idle_s
        with self._lock:
            idle = [name for name, found in self._open.items() if found.used < before and not found.lock.locked()]
            left = [self._open.pop(name) for name in idle]
        for found in left:
            with found.lock:
                found.thing.close()

    def close(self) -> None:
        """Close what is open; turns under way end with the sandbox, which the caller closes."""
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for found in left:
            if found.lock.acquire(blocking=False):
                found.thing.close()
