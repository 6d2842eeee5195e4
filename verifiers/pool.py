"""Worker processes that can be killed, for work whose time and memory cannot be bounded otherwise.

One server process is started when the first request comes. It imports what the functions need once and forks workers
from itself, so that a killed worker is replaced in milliseconds and nothing is ever forked from the user's process
with its threads and its memory. A worker serves one request at a time over a socket of its own; the caller's own clock
says when it is killed. Requests and results are JSON: nothing is unpickled, no code is named but by the registry.

The pool can be used from many threads at once, and after a fork of the user's process, which gets a pool of its own.
When the user's process ends in whatever way, the server sees its socket closed and ends, and the workers with it.
"""

import atexit
import contextlib
import importlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["REGISTRY", "Pool", "Result", "shared"]

REGISTRY: Mapping[str, str] = {"math.equal": "turnwise.verifiers.math.compare.algebra:equal"}
"""What the shared pool can be asked to do: a name, and ``module:function`` of plain data.

A function ``prepare()`` of the module is called once, in the server: it imports what is heavy.
"""
DEADLINE_S = 0.15
START_S = 30.0  # for the server to come up, on a busy machine
MEMORY_BYTES = 2**30  # of address space, a worker
CPU_S = 60  # of processor time, a request
MAX_MESSAGE_BYTES = 2**20
_HEADER = struct.Struct("!I")
_PARENT_CHECK_S = 2.0


class Result(NamedTuple):
    """What came of a request.

    Attributes:
        value: What the function returned.
        problem: Why there is no value: "timeout", "memory", "crash", "unavailable" or "error: ..."; else empty.
    """

    value: Any = None
    problem: str = ""


class _Worker(NamedTuple):
    pid: int
    link: socket.socket


class Pool:
    """Killable workers.

    Args:
        registry: What can be asked for: name to ``module:function``. The modules are imported once, in the server.
        size: Most workers at a time; further requests wait for their turn (the deadline counts from when they get it).
        memory_bytes: Limit of a worker's address space.
    """

    def __init__(
        self, registry: Mapping[str, str] = REGISTRY, size: int | None = None, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self.registry = dict(registry)
        self.size = size or min(8, os.cpu_count() or 1)
        self.memory_bytes = memory_bytes
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(self.size)
        self._idle: list[_Worker] = []
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, name: str, *args: Any, deadline_s: float = DEADLINE_S) -> Result:
        """Call a function of the registry in a worker; the worker is killed when the deadline has passed.

        Args:
            name: In the registry.
            args: Plain data, as JSON can carry it.
            deadline_s: Seconds of wall time from when a worker takes the request.

        Raises:
            KeyError: The registry has no such name.
        """
        if name not in self.registry:
            raise KeyError(name)
        message = json.dumps([name, args]).encode()
        if len(message) > MAX_MESSAGE_BYTES:
            return Result(problem="error: the request is too long")
        if self._pid != os.getpid():  # forked past os.fork's hooks
            self._forget()
        with self._turns:
            for attempt in range(3):
                worker, fresh = self._hire(new=attempt > 0)  # all idle ones may have died with the server
                if worker is None:
                    break
                reply, problem = _exchange(worker, message, deadline_s)
                if reply is not None:
                    result = _parsed(reply)
                    if result.problem == "memory":
                        self._dismiss(worker)
                    else:
                        self._release(worker)
                    return result
                server_lives = self._dismiss(worker)
                if problem != "crash" or (server_lives and fresh):
                    return Result(problem=problem)
                # the server died and took the worker with it, or the worker died idle: no fault of this request
        return Result(problem="unavailable")

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server and its workers; the next request starts new ones."""
        if self._pid != os.getpid():
            return
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        for worker in self._idle:
            worker.link.close()
        self._idle.clear()
        if self._control is not None:
            self._control.close()  # the server ends when it sees this
            self._control = None
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def _forget(self) -> None:
        """In a forked child: drop the parent's sockets without touching its server."""
        for worker in self._idle:
            worker.link.close()
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.returncode = 0  # not ours to wait for
        self._reset()

    def _hire(self, new: bool = False) -> tuple[_Worker | None, bool]:
        """A worker, and whether it is a new one (as ``new`` demands); None where there is no server."""
        with self._lock:
            while self._idle and not new:
                worker = self._idle.pop()
                if not select.select([worker.link], [], [], 0)[0]:
                    return worker, False
                worker.link.close()  # it died while idle
                self._reap(worker.pid)
            for _ in range(2):
                if self._control is None and not self._start():
                    return None, True
                forked = self._forked()
                if forked is not None:
                    return forked, True
                self._stop()
        return None, True

    def _start(self) -> bool:
        ours, theirs = socket.socketpair()
        spec = json.dumps({"registry": self.registry, "memory": self.memory_bytes})
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        code = "from turnwise.verifiers.pool import _serve; _serve()"
        try:
            self._server = subprocess.Popen(
                [sys.executable, "-P", "-c", code, str(theirs.fileno()), spec],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
                start_new_session=True,  # a Ctrl-C in the terminal is for the user's process
            )
        except OSError:
            ours.close()
            return False
        finally:
            theirs.close()
        self._control = ours
        ours.settimeout(START_S)
        try:
            if ours.recv(1) == b"+":
                return True
        except OSError:
            pass
        self._stop()
        return False

    def _forked(self) -> _Worker | None:
        """A new worker from the server; None where the server is gone."""
        assert self._control is not None
        try:
            self._control.sendall(b"f" + bytes(8))
            data, fds, _, _ = socket.recv_fds(self._control, 8, 1)
        except OSError:
            return None
        if len(data) < 8 or not fds:
            for fd in fds:
                os.close(fd)
            return None
        return _Worker(int.from_bytes(data, "big"), socket.socket(fileno=fds[0]))

    def _release(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def _dismiss(self, worker: _Worker) -> bool:
        """Kill a worker, have it reaped, and say whether the server still lives.

        The server reaps a worker only when told to: until then the process id is not used again.
        """
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        worker.link.close()
        with self._lock:
            return self._reap(worker.pid)

    def _reap(self, pid: int) -> bool:
        if self._control is None or self._server is None or self._server.poll() is not None:
            return False
        try:
            self._control.sendall(b"r" + pid.to_bytes(8, "big"))
        except OSError:
            return False
        return True


def _exchange(worker: _Worker, message: bytes, deadline_s: float) -> tuple[bytes | None, str]:
    """Send a request and wait for the reply; None and the problem where there is none."""
    end = time.monotonic() + deadline_s
    link = worker.link
    try:
        link.settimeout(max(deadline_s, 0.001))
        link.sendall(_HEADER.pack(len(message)) + message)
        data = bytearray()
        size = _HEADER.size
        while len(data) < size:
            left = end - time.monotonic()
            if left <= 0:
                return None, "timeout"
            link.settimeout(left)
            chunk = link.recv(65536)
            if not chunk:
                return None, "crash"
            data += chunk
            if len(data) >= _HEADER.size:
                size = _HEADER.size + _HEADER.unpack_from(data)[0]
                if size > MAX_MESSAGE_BYTES:
                    return None, "error: the result is too long"
    except TimeoutError:
        return None, "timeout"
    except OSError:
        return None, "crash"
    return bytes(data[_HEADER.size :]), ""


def _parsed(reply: bytes) -> Result:
    try:
        value, problem = json.loads(reply)
    except (ValueError, TypeError):
        return Result(problem="crash")
    return Result(value, problem)


# --- the server and the workers


def _serve() -> None:
    """The server: imports, then forks a worker for every "f" and reaps one for every "r"."""
    control = socket.socket(fileno=int(sys.argv[1]))
    spec = json.loads(sys.argv[2])
    parent = os.getppid()
    functions: dict[str, Callable[..., Any]] = {}
    for name, target in spec["registry"].items():
        module, _, attribute = target.partition(":")
        functions[name] = getattr(importlib.import_module(module), attribute)
        prepare = getattr(sys.modules[module], "prepare", None)
        if callable(prepare):
            prepare()
    control.sendall(b"+")
    while True:
        ready, _, _ = select.select([control], [], [], _PARENT_CHECK_S)
        if not ready:
            if os.getppid() != parent:
                break
            continue
        command = control.recv(9, socket.MSG_WAITALL)
        if len(command) < 9:
            break
        if command[:1] == b"r":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int.from_bytes(command[1:], "big"), 0)
            continue
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            control.close()
            ours.close()
            _work(theirs, functions, spec["memory"])
        theirs.close()
        socket.send_fds(control, [pid.to_bytes(8, "big")], [ours.fileno()])
        ours.close()
    os.killpg(0, signal.SIGKILL)  # the server leads a session of its own: it and its workers


def _work(link: socket.socket, functions: Mapping[str, Callable[..., Any]], memory_bytes: int) -> None:
    """A worker: serves requests until its socket is closed or it is killed."""
    import resource

    try:
        _limit(memory_bytes)
        while header := link.recv(_HEADER.size, socket.MSG_WAITALL):
            name, args = json.loads(link.recv(_HEADER.unpack(header)[0], socket.MSG_WAITALL))
            used = int(time.process_time())  # a last resort, should nobody be there to kill it
            resource.setrlimit(resource.RLIMIT_CPU, (used + CPU_S, resource.RLIM_INFINITY))
            reply, fatal = _reply(functions[name], args)
            link.sendall(_HEADER.pack(len(reply)) + reply)
            if fatal:
                break
    finally:
        os._exit(0)


def _reply(function: Callable[..., Any], args: Sequence[Any]) -> tuple[bytes, bool]:
    fatal = False
    try:
        data = json.dumps([function(*args), ""]).encode()
    except MemoryError:
        data, fatal = json.dumps([None, "memory"]).encode(), True
    except RecursionError:
        data = json.dumps([None, "error: nested too deep"]).encode()
    except Exception as error:
        data = json.dumps([None, f"error: {type(error).__name__}: {error}"[:500]]).encode()
    return data, fatal


def _limit(memory_bytes: int) -> None:
    """Bound memory, forbid core dumps, die with the server."""
    import ctypes
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        server = os.getppid()
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != server:
            os._exit(0)


_shared: Pool | None = None
_shared_lock = threading.Lock()


def shared() -> Pool:
    """The pool of this process with `REGISTRY`."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Pool()
            atexit.register(_shared.close)
        return _shared


def _after_fork() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    if _shared is not None:
        _shared._forget()


os.register_at_fork(after_in_child=_after_fork)
