"""The client's side of sessions and conversations of the embedded sandbox."""

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import Any

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox.backends.clock import Clock, Processor
from turnwise.sandbox.backends.embedded.line import ANSWER_S, Gone, Line
from turnwise.sandbox.backends.endings import limit_hit, split_status
from turnwise.sandbox.interface.messages import as_bytes
from turnwise.sandbox.interface.records import Limits, Program, Reply, Result, check_path
from turnwise.sandbox.interface.sandbox import Conversation, Session, Unsafe
from turnwise.sandbox.wire.tree import Entries
from turnwise.sandbox.wire.values import MAX_BYTES, ValueFormatError, decode, encode

__all__ = ["EmbeddedConversation", "EmbeddedSession"]


class _Live:
    """What sessions and conversations have in common."""

    def __init__(self, line: Line, limits: Limits) -> None:
        self.limits = limits
        self.line: Line | None = line
        line.tree.users += 1

    def _open(self) -> Line:
        if self.line is None:
            raise UsageError("this session or conversation is closed")
        return self.line

    def _turn(self, order: dict[str, Any], wall_s: float | None) -> tuple[dict[str, Any], Result]:
        """Carry out one order that runs foreign code; the answer is empty if the process is gone."""
        line = self._open()
        seconds = self.limits.wall_s if wall_s is None else wall_s
        clock, processor = Clock(seconds), self._processor(line)
        try:
            answer, _, killed = line.ask(order, clock, processor=processor)
        except Gone as gone:
            used = processor.passed if processor else 0.0
            return {}, self._lost(line, gone.args[0], clock.read(), used)
        passed = clock.read()
        out, err, out_cut, err_cut = line.outputs.take()
        code, cpu_s, peak = (_number(answer.get(name)) for name in ("exit", "cpu", "peak"))
        cpu_s = processor.read() if processor else cpu_s
        killed = killed or limit_hit(0, int(code), err, 0.0, self.limits)
        return answer, Result(out, err, int(code), 0, killed, passed, cpu_s, peak / 1024, out_cut, err_cut)

    def _processor(self, line: Line) -> Processor | None:
        """Return what counts the processor seconds of a turn, where they are limited."""
        return None

    def _lost(self, line: Line, killed: str, wall_s: float, cpu_s: float) -> Result:
        line.kill()
        if not line.tree.warden.alive:
            raise InfrastructureError("the sandbox of this session has ended: its variables are lost")
        status, oom = line.tree.end_of_first() if line.process < 0 else (-1, False)
        out, err, out_cut, err_cut = line.outputs.take()
        number, code = split_status(status)
        killed = killed or ("memory" if oom else limit_hit(number, code, err, 0.0, self.limits))
        return Result(out, err, code, number, killed, wall_s, cpu_s, 0.0, out_cut, err_cut, lost=True)

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
        self._seed: Line | None = None

    def execute(self, code: str, wall_s: float | None = None) -> Result:
        backup = None
        line = self._open()
        self._drop_seed()
        if self._checkpoint:
            with contextlib.suppress(UsageError):  # threads: this turn goes without
                backup = line.fork("share", line.area, line.nursery)
        answer, result = self._turn({"op": self._op, "code": code}, wall_s)
        if answer:
            if backup is not None:
                backup.close()
            return result
        old = self._open()
        if backup is not None:
            self.line = backup
            backup.owns_area, old.owns_area = old.owns_area, False
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
        if self._seed is None:
            self._seed = line.seed()
        try:
            return EmbeddedSession(self._seed.branch(), self.limits, self._op, self._checkpoint, self._restart)
        except UsageError:
            self._drop_seed()
            raise

    def _drop_seed(self) -> None:
        """Close the seed: when the session moves on, its branches need another one."""
        seed, self._seed = self._seed, None
        if seed is not None:
            seed.close()

    def write(self, path: str, contents: bytes | str) -> None:
        check_path(path)
        self._drop_seed()
        self._file({"op": "put", "path": path}, (as_bytes(contents),), path)

    def read(self, path: str) -> bytes:
        check_path(path)
        return self._file({"op": "get", "path": path}, (), path)[0]

    def final_tree(self, max_bytes: int | None = None) -> Entries:
        line = self._open()
        if line.tree.users > 1:
            raise UsageError("forks of the session are open")
        self.line = None
        self._drop_seed()
        line.owns_area = False  # it goes with the rest
        line.close()
        most_bytes = int(self.limits.file_mb * 2**20)
        most_bytes = most_bytes if max_bytes is None else min(max_bytes, most_bytes)
        return line.tree.read_out(f"{line.area}/main", self.limits, most_bytes)

    def _file(self, order: dict[str, Any], blobs: tuple[bytes, ...], path: str) -> list[bytes]:
        try:
            answer, found, _ = self._open().ask(order, Clock(ANSWER_S), blobs)
        except Gone as gone:
            raise OSError(5, "the session does not answer", path) from gone
        number = int(_number(answer.get("errno")))
        if number or (order["op"] == "get" and len(found) != 1):
            raise OSError(number or 5, os.strerror(number or 5), path)
        return found

    def close(self) -> None:
        self._drop_seed()
        self._leave()


class EmbeddedConversation(_Live, Conversation):
    """A conversation of the embedded sandbox."""

    def __init__(self, line: Line, limits: Limits, program: Program) -> None:
        super().__init__(line, limits)
        answer, self._started = self._turn({"op": "load", "code": program.source}, None)
        self._alive = bool(answer)

    def _processor(self, line: Line) -> Processor | None:
        if self.limits.cpu_s is None:
            return None
        if not line.number:
            raise InfrastructureError("Limits.cpu_s cannot hold: the kernel did not say which process the program is")
        with contextlib.suppress(OSError):  # it has ended already
            return Processor(line.number, self.limits.cpu_s)
        return None

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
