"""The client's side of sessions and conversations of the embedded sandbox."""

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from turnwise.errors import InfrastructureError, UsageError
from turnwise.verifiers.sandbox import frames
from turnwise.verifiers.sandbox.api import (
    Conversation,
    Limits,
    Program,
    Reply,
    Result,
    Session,
    Unsafe,
    check_path,
)
from turnwise.verifiers.sandbox.output import Outputs
from turnwise.verifiers.sandbox.process import (
    Broken,
    Silent,
    Warden,
    as_bytes,
    file_contents,
    hand_over,
    limit_hit,
    limits_message,
    split_status,
)
from turnwise.verifiers.sandbox.values import MAX_BYTES, ValueFormatError, decode, encode

__all__ = ["EmbeddedConversation", "EmbeddedSession", "Tree"]

_INTERRUPT_GRACE_S = 0.5
_ENDED_S = 2.0
_ANSWER_S = 30.0  # for orders that run no foreign code, on a busy machine
_OVERHEAD_BYTES = 1 << 16


Answer = tuple[dict[str, Any], list[bytes], str]  # its JSON part, its raw parts, the limit that was hit


class Gone(Exception):
    """The jailed process has ended, or said what is no answer."""


class Tree:
    """A warden that is lent to one session and its branches, and goes back when the last of them is closed.

    Attributes:
        number: The warden's number for the process that it has started itself.
    """

    def __init__(self, warden: Warden, give_back: Callable[[Warden], None]) -> None:
        self.warden = warden
        self.number = 0
        self.users = 0
        self._give_back = give_back

    def leave(self) -> None:
        """One user less; with the last one, everything that ran is killed."""
        self.users -= 1
        if self.users > 0:
            return
        try:
            self.warden.order(end=self.number)
            self.warden.finished(self.number)
        except Broken:
            self.warden.close()
            return
        self._give_back(self.warden)

    def end_of_first(self) -> tuple[int, bool]:
        """How the first process ended: wait status (-1 where that is unknown) and whether memory ran out."""
        with contextlib.suppress(Silent):
            message = self.warden.await_message("ended", _ENDED_S)
            return message["status"], bool(message["oom"])
        return -1, False


class Line:
    """The channel and the outputs of one live jailed process.

    Attributes:
        pid: Its process number inside of the sandbox, 0 for the one that the warden has started itself.
    """

    def __init__(self, tree: Tree, channel: socket.socket, outputs: Outputs, pid: int, most_bytes: int) -> None:
        self.tree = tree
        self.channel = channel
        self.outputs = outputs
        self.pid = pid
        self.most_bytes = most_bytes
        self.buffer = bytearray()
        channel.setblocking(False)

    @classmethod
    def open(cls, tree: Tree, limits: Limits, files: Mapping[str, bytes | str], name: str, reply_bytes: int) -> "Line":
        """Starts a live process in a warden."""
        warden = tree.warden
        warden.bound(limits)
        warden.order(hold=True)
        slot = warden.take()
        tree.number = slot.number
        slot.close_stdin()
        order = {
            "kind": "session",
            "name": name,
            "files": list(files),
            "limits": limits_message(limits),
            "reply_bytes": reply_bytes,
        }
        try:
            hand_over(slot.job, frames.pack(order, file_contents(files, limits)))
        except BaseException:
            slot.close()
            raise
        outputs = Outputs(slot.stdout, slot.stderr, limits.output_bytes)
        largest = max(reply_bytes, int(limits.file_mb * 2**20))
        return cls(tree, slot.job, outputs, 0, largest + _OVERHEAD_BYTES)

    def ask(self, order: dict[str, Any], wall_s: float, blobs: tuple[bytes, ...] = ()) -> Answer:
        """Sends an order and waits for the answer; the answer, its raw parts and the limit that was hit.

        Raises:
            Gone: The process has ended; its only argument is the limit that was hit.
        """
        waiting = memoryview(frames.pack(order, blobs))
        started = time.monotonic()
        until, killed = started + wall_s, ""
        poller = select.poll()
        poller.register(self.channel, select.POLLIN | select.POLLOUT)
        self.outputs.register(poller)
        while True:
            left = until - time.monotonic()
            if left <= 0 or (self.outputs.flooded and not killed):
                if killed:
                    self.kill()
                    raise Gone(killed)
                killed = "wall" if left <= 0 else "output"
                self.tree.warden.order(pid=self.pid, signal=2)
                until, left = time.monotonic() + _INTERRUPT_GRACE_S, _INTERRUPT_GRACE_S
            for place, _ in poller.poll(left * 1000 + 1):
                if place in self.outputs.places:
                    if not self.outputs.read(place):
                        poller.unregister(place)
                    continue
                if waiting:
                    waiting = self._send(waiting, killed)
                    if not waiting:
                        poller.modify(self.channel, select.POLLIN)
                got = self._receive(killed)
                if got is not None:
                    self.outputs.drain()
                    return (*got, killed or ("output" if self.outputs.flooded else ""))

    def _send(self, data: memoryview, killed: str) -> memoryview:
        try:
            return data[self.channel.send(data[:1048576]) :]
        except BlockingIOError:
            return data
        except OSError as error:
            self.outputs.drain()
            raise Gone(killed) from error

    def _receive(self, killed: str) -> tuple[dict[str, Any], list[bytes]] | None:
        try:
            data = self.channel.recv(1 << 20)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            self.outputs.drain()
            raise Gone(killed)
        self.buffer += data
        if len(self.buffer) < 8:
            return None
        whole = 8 + int.from_bytes(self.buffer[:4], "big") + int.from_bytes(self.buffer[4:8], "big")
        if whole > self.most_bytes:
            raise Gone(killed or "output")
        if len(self.buffer) < whole:
            return None
        frame, self.buffer = memoryview(bytes(self.buffer[:whole])), self.buffer[whole:]
        position = [0]

        def read(size: int) -> bytes:
            position[0] += size
            return bytes(frame[position[0] - size : position[0]])

        try:
            return frames.read_frame(read, self.most_bytes)
        except frames.FrameError as error:
            raise Gone(killed) from error

    def branch(self, share: bool) -> "Line":
        """Forks the process; the branch."""
        near, far = socket.socketpair()
        stdout, stdout_far = os.pipe2(os.O_CLOEXEC)
        stderr, stderr_far = os.pipe2(os.O_CLOEXEC)
        outputs = Outputs(stdout, stderr, self.outputs.limit)
        branch = Line(self.tree, near, outputs, -1, self.most_bytes)
        places = [far.fileno(), stdout_far, stderr_far]
        try:
            self.channel.setblocking(True)
            self.channel.settimeout(_ANSWER_S)
            self.channel.sendall(frames.pack({"op": "fork", "share": share}))
            socket.send_fds(self.channel, [b"+"], places)
            self.channel.setblocking(False)
            answer, _, _ = self._answer()
            if "error" in answer:
                raise UsageError(f"the session cannot be forked: {str(answer['error'])[:200]}")
            for place in places[1:]:
                os.close(place)
            far.close()
            places = []
            answer, _, _ = branch._answer()
            if type(answer.get("pid")) is not int:
                raise Gone("")
            branch.pid = answer["pid"]
            return branch
        except (Gone, OSError) as error:
            branch.close()
            raise UsageError("the session cannot be forked: it does not answer, or its files have no room") from error
        except BaseException:
            branch.close()
            raise
        finally:
            far.close()
            for place in places[1:]:
                os.close(place)

    def _answer(self) -> Answer:
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        until = time.monotonic() + _ANSWER_S
        while poller.poll(max(0.0, until - time.monotonic()) * 1000):
            got = self._receive("")
            if got is not None:
                return (*got, "")
        raise Gone("wall")

    def kill(self) -> None:
        """Kills the process."""
        with contextlib.suppress(Broken):
            if self.pid >= 0:
                self.tree.warden.order(pid=self.pid, signal=9)
        self.outputs.drain()

    def close(self) -> None:
        """Closes the channel, on which the process ends."""
        self.channel.close()
        self.outputs.close()

    def __del__(self) -> None:
        self.close()


class _Live:
    """What sessions and conversations have in common."""

    def __init__(self, line: Line, limits: Limits) -> None:
        self.limits = limits
        self.line: Line | None = line
        line.tree.users += 1

    def _open(self) -> Line:
        if self.line is None:
            raise UsageError("it is closed")
        return self.line

    def _turn(self, order: dict[str, Any], wall_s: float | None) -> tuple[dict[str, Any], Result]:
        """One order that runs foreign code; an empty answer where the process is gone."""
        line = self._open()
        seconds = self.limits.wall_s if wall_s is None else wall_s
        started = time.monotonic()
        try:
            answer, _, killed = line.ask(order, seconds)
        except Gone as gone:
            return {}, self._lost(line, gone.args[0], time.monotonic() - started)
        passed = time.monotonic() - started
        out, err, out_cut, err_cut = line.outputs.take()
        code, cpu_s, peak = (_number(answer.get(name)) for name in ("exit", "cpu", "peak"))
        killed = killed or limit_hit(0, int(code), err, cpu_s, self.limits)
        return answer, Result(out, err, int(code), 0, killed, passed, cpu_s, peak / 1024, out_cut, err_cut)

    def _lost(self, line: Line, killed: str, wall_s: float) -> Result:
        line.kill()
        if not line.tree.warden.alive:
            raise InfrastructureError("the sandbox of this session has ended: its variables are lost")
        status, oom = line.tree.end_of_first() if line.pid == 0 else (-1, False)
        out, err, out_cut, err_cut = line.outputs.take()
        number, code = split_status(status)
        killed = killed or ("memory" if oom else limit_hit(number, code, err, 0.0, self.limits))
        return Result(out, err, code, number, killed, wall_s, 0.0, 0.0, out_cut, err_cut, lost=True)

    def _leave(self) -> None:
        line, self.line = self.line, None
        if line is not None:
            line.close()
            line.tree.leave()


def _number(value: object) -> float:
    return float(value) if type(value) in (int, float) and 0 <= value < 1e12 else 0.0  # type: ignore[arg-type, operator]


class EmbeddedSession(_Live, Session):
    """A session of the embedded sandbox."""

    def __init__(self, line: Line, limits: Limits, op: str, checkpoint: bool, restart: Callable[[], Line]) -> None:
        super().__init__(line, limits)
        self._op = op
        self._checkpoint = checkpoint
        self._restart = restart

    def execute(self, code: str, wall_s: float | None = None) -> Result:
        backup = None
        if self._checkpoint:
            with contextlib.suppress(UsageError):  # threads: this turn goes without
                backup = self._open().branch(share=True)
        answer, result = self._turn({"op": self._op, "code": code}, wall_s)
        if answer:
            if backup is not None:
                backup.close()
            return result
        old = self._open()
        if backup is not None:
            self.line = backup
            old.close()
            return result._replace(lost=False)
        self._leave()
        self.line = self._restart()
        self.line.tree.users += 1
        return result

    def fork(self) -> "EmbeddedSession":
        line = self._open()
        if "pid_namespace" not in line.tree.warden.layers or line.tree.warden.config["profile"] != "shell":
            raise Unsafe("forking a session needs profile='shell' and the layer pid_namespace")
        return EmbeddedSession(line.branch(share=False), self.limits, self._op, self._checkpoint, self._restart)

    def write(self, path: str, contents: bytes | str) -> None:
        check_path(path)
        self._file({"op": "put", "path": path}, (as_bytes(contents),), path)

    def read(self, path: str) -> bytes:
        check_path(path)
        return self._file({"op": "get", "path": path}, (), path)[0]

    def _file(self, order: dict[str, Any], blobs: tuple[bytes, ...], path: str) -> list[bytes]:
        try:
            answer, found, _ = self._open().ask(order, _ANSWER_S, blobs)
        except Gone as gone:
            raise OSError(5, "the session does not answer", path) from gone
        number = int(_number(answer.get("errno")))
        if number or (order["op"] == "get" and len(found) != 1):
            raise OSError(number or 5, os.strerror(number or 5), path)
        return found

    def close(self) -> None:
        self._leave()


class EmbeddedConversation(_Live, Conversation):
    """A conversation of the embedded sandbox."""

    def __init__(self, line: Line, limits: Limits, program: Program) -> None:
        super().__init__(line, limits)
        answer, self._started = self._turn({"op": "load", "code": program.source}, None)
        self._alive = bool(answer)

    @property
    def started(self) -> Result:
        return self._started

    def call(
        self, name: str, *args: object, kwargs: Mapping[str, object] | None = None, wall_s: float | None = None
    ) -> Reply:
        self._open()
        if not self._alive:
            return Reply(None, "the program is gone", Result(exit_code=None, lost=True))
        order = {"op": "call", "name": name, "args": encode(list(args)), "kwargs": encode(dict(kwargs or {}))}
        answer, result = self._turn(order, wall_s)
        if not answer:
            self._alive = False
            return Reply(None, f"the program is gone ({result.killed_by or 'it ended'})", result)
        if result.killed_by:
            return Reply(None, f"stopped: {result.killed_by}", result)
        error = answer.get("error")
        if error is not None:
            return Reply(None, str(error)[:2000] or "an error", result._replace(exit_code=1))
        try:
            return Reply(decode(answer["value"], MAX_BYTES), "", result)
        except (ValueFormatError, KeyError, TypeError) as problem:
            return Reply(None, f"no plain data: {problem}", result._replace(exit_code=1))

    def close(self) -> None:
        self._leave()
