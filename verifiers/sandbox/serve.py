"""Serves a sandbox to a client elsewhere: one frame in, one frame out.

``Service.answer`` is all that a server of any kind needs. Run as a module it speaks over its standard streams, as the
main process of a container does: ``python -m turnwise.verifiers.sandbox.serve``, with settings as JSON in the argument.
"""

import contextlib
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from turnwise.errors import UsageError
from turnwise.verifiers.sandbox import frames, wire
from turnwise.verifiers.sandbox.api import Conversation, Sandbox, Session, check_path
from turnwise.verifiers.sandbox.values import decode

__all__ = ["Service", "main"]

MAX_HANDLES = 1000
"""Most sessions and conversations open at a time."""


class Service:
    """Answers requests for a sandbox. For any number of threads at once, one at a time for each session.

    Args:
        sandbox: What runs the programs.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._open: dict[int, Session | Conversation] = {}
        self._lock = threading.Lock()
        self._number = 0

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

    def _keep(self, thing: Session | Conversation) -> int:
        with self._lock:
            if len(self._open) < MAX_HANDLES:
                self._number += 1
                self._open[self._number] = thing
                return self._number
        thing.close()
        raise UsageError(f"{MAX_HANDLES} sessions are open")

    def _find(self, message: dict[str, Any], kind: type[Any]) -> Any:
        with self._lock:
            found = self._open.get(message["handle"])
        if not isinstance(found, kind):
            raise UsageError("no such session: it is closed")
        return found

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
        made = self._find(message, Conversation)
        arguments, named = decode(message["args"]), decode(message["kwargs"])
        return wire.pack_reply(made.call(message["name"], *arguments, kwargs=named, wall_s=message["wall_s"]))

    def _do_session(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        files = dict(zip(message["files"], blobs, strict=True))
        limits = wire.unpack_limits(message)
        if message["shell"]:
            return {"handle": self._keep(self.sandbox.shell(limits, files))}, []
        made = self.sandbox.session(limits, message["profile"], files, bool(message["checkpoint"]))
        return {"handle": self._keep(made)}, []

    def _do_execute(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        return wire.pack_result(self._find(message, Session).execute(message["code"], message["wall_s"]))

    def _do_fork(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        return {"handle": self._keep(self._find(message, Session).fork())}, []

    def _do_write(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        check_path(message["path"])
        self._find(message, Session).write(message["path"], blobs[0])
        return {}, []

    def _do_read(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        check_path(message["path"])
        return {}, [self._find(message, Session).read(message["path"])]

    def _do_close(self, message: dict[str, Any], blobs: list[bytes]) -> wire.Frame:
        with self._lock:
            found = self._open.pop(message["handle"], None)
        if found is not None:
            found.close()
        return {}, []

    def close(self) -> None:
        """Closes what is open, not the sandbox."""
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for thing in left:
            thing.close()


def main(arguments: list[str]) -> None:
    """Serves an embedded sandbox over the standard streams until they close."""
    from turnwise.verifiers.sandbox.embedded import EmbeddedSandbox

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
        sandbox = EmbeddedSandbox(**settings)
    except Exception as error:
        send(0, wire.pack_error(error))
        return
    service = Service(sandbox)
    send(0, ({"layers": sorted(sandbox.layers), "workers": sandbox.workers}, []))
    with sandbox, ThreadPoolExecutor(4 * sandbox.workers + 16) as pool:
        while (got := frames.read_frame(source.read)) is not None:
            message, blobs = got
            pool.submit(lambda m, b: send(m["id"], service.answer(m, b)), message, blobs)
        service.close()


if __name__ == "__main__":
    main(sys.argv[1:])
