"""Worker processes that can be killed, for work whose time and memory cannot be bounded otherwise.

One server process is started when the first request comes. It imports what the functions need once and forks a worker
for each request, in two milliseconds, so that nothing is ever forked from the user's process with its threads and its
memory, and no request sees what an earlier one left behind in a library's caches. Requests and results are JSON:
nothing is unpickled, and only code in the registry can be named.

What a request may use does not depend on the machine: a worker counts the calls and returns of functions and stops at
`STEPS`. Code in C that makes no calls is stopped after `CPU_S` of processor time, many times what the steps take. The
caller's clock only decides whether the machine still works: after `DEADLINE_S` there is no result, which is a failure
of the infrastructure and says nothing about the request.

The pool is thread-safe and can be used after a fork of the user's process, which gets its own pool. When the user's
process ends in whatever way, the server sees its socket closed and ends, and the workers with it.
"""

import atexit
import contextlib
import importlib
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

__all__ = ["REGISTRY", "STEPS", "Pool", "Result", "shared"]

REGISTRY: Mapping[str, str] = {"math.equal": "turnwise.verifiers.math.compare.algebra:equal"}
"""The functions of the shared pool: name to ``module:function``, on plain data.

A function ``prepare()`` of the module is called once, in the server: it imports heavy modules.
"""
STEPS = 3_000_000  # calls and returns of functions, of Python and C, per request: a second of one CPU
CPU_S = 15  # of processor time, per request
DEADLINE_S = 120.0  # of wall time, per request
START_S = 120.0  # for the server to come up, on a busy machine
MEMORY_BYTES = 2**30  # of address space, per worker
MAX_MESSAGE_BYTES = 2**20
_HEADER = struct.Struct("!I")
_PARENT_CHECK_S = 2.0
_UNKNOWN = 2**64 - 1  # the exit status of a process that is not the server's child


class Result(NamedTuple):
    """The result of a request.

    Attributes:
        value: What the function returned.
        problem: Why there is no value; else empty. Because of the request: "work" (more steps or processor time than
            allowed), "memory", "crash", "error: ...". Because of the machine: "timeout", "killed", "unavailable".
    """

    value: Any = None
    problem: str = ""

    @property
    def failed(self) -> bool:
        """Whether the machine is the reason that there is no value, and another try could have one."""
        return self.problem in ("timeout", "killed", "unavailable")


class _Worker(NamedTuple):
    pid: int
    link: socket.socket


class Pool:
    """Killable workers.

    Args:
        registry: Available functions: name to ``module:function``. The modules are imported once, in the server.
        size: Maximum number of workers at a time; further requests wait for their turn (the deadline counts from then).
        memory_bytes: Limit of a worker's address space.
        cpu_s: Limit of its processor time, in whole seconds.
    """

    def __init__(
        self,
        registry: Mapping[str, str] = REGISTRY,
        size: int | None = None,
        memory_bytes: int = MEMORY_BYTES,
        cpu_s: int = CPU_S,
    ) -> None:
        self.registry = dict(registry)
        self.size = size or min(8, os.cpu_count() or 1)
        self.memory_bytes = memory_bytes
        self.cpu_s = cpu_s
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(self.size)
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, name: str, *args: Any, steps: int = STEPS, deadline_s: float = DEADLINE_S) -> Result:
        """Call a function of the registry in a worker; the worker is killed when the deadline has passed.

        Args:
            name: In the registry.
            args: Plain data, as JSON can carry it.
            steps: Maximum number of calls and returns of functions.
            deadline_s: Seconds of wall time from when a worker takes the request.

        Raises:
            KeyError: The registry has no such name.
        """
        if name not in self.registry:
            raise KeyError(name)
        message = json.dumps([name, args, steps]).encode()
        if len(message) > MAX_MESSAGE_BYTES:
            return Result(problem="error: the request is too long")
        if self._pid != os.getpid():  # forked past os.fork's hooks
            self._forget()
        with self._turns:
            for _ in range(3):
                worker = self._hire()
                if worker is None:
                    break
                reply, problem = _exchange(worker, message, deadline_s)
                status = self._dismiss(worker)
                if reply is not None:
                    return _parsed(reply)
                if problem != "crash":
                    return Result(problem=problem)
                if status is not None:
                    return Result(problem=_cause(status))
                # the server died and took the worker with it: not caused by this request
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
        if self._control is not None:
            self._control.close()  # the server ends when it sees this
            self._control = None
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def _forget(self) -> None:
        """In a forked child: drop the parent's sockets without touching its server."""
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.returncode = 0  # not ours to wait for
        self._reset()

    def _hire(self) -> _Worker | None:
        """Return a new worker; None if there is no server."""
        with self._lock:
            for _ in range(2):
                if self._control is None and not self._start():
                    return None
                forked = self._forked()
                if forked is not None:
                    return forked
                self._stop()
        return None

    def _start(self) -> bool:
        ours, theirs = socket.socketpair()
        spec = json.dumps({"registry": self.registry, "memory": self.memory_bytes, "cpu": self.cpu_s})
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
        """Return a new worker from the server; None if the server is gone."""
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

    def _dismiss(self, worker: _Worker) -> int | None:
        """Kill a worker, have it reaped, and return the status it ended with; None if the server is gone.

        The server reaps a worker only on request: until then its process id is not reused.
        """
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        worker.link.close()
        with self._lock:
            return self._reaped(worker.pid)

    def _reaped(self, pid: int) -> int | None:
        if self._control is None or self._server is None or self._server.poll() is not None:
            return None
        try:
            self._control.sendall(b"r" + pid.to_bytes(8, "big"))
            status = self._control.recv(8, socket.MSG_WAITALL)
        except OSError:
            return None
        known = len(status) == 8 and int.from_bytes(status, "big") != _UNKNOWN
        return int.from_bytes(status, "big") if known else None


def _cause(status: int | None) -> str:
    """Why a worker ended without a reply, from its exit status."""
    if status is None or not os.WIFSIGNALED(status):
        return "crash"
    return {signal.SIGXCPU: "work", signal.SIGKILL: "killed"}.get(os.WTERMSIG(status), "crash")  # type: ignore[call-overload, no-any-return]


def _exchange(worker: _Worker, message: bytes, deadline_s: float) -> tuple[bytes | None, str]:
    """Send a request and wait for the reply; None and the problem if there is no reply."""
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
            status = _UNKNOWN
            with contextlib.suppress(ChildProcessError):  # it was the worker of a server before this one
                _, status = os.waitpid(int.from_bytes(command[1:], "big"), 0)
            control.sendall(status.to_bytes(8, "big"))
            continue
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            control.close()
            ours.close()
            _work(theirs, functions, spec["memory"], spec["cpu"])
        theirs.close()
        socket.send_fds(control, [pid.to_bytes(8, "big")], [ours.fileno()])
        ours.close()
    os.killpg(0, signal.SIGKILL)  # the server leads a session of its own: it and its workers


def _work(link: socket.socket, functions: Mapping[str, Callable[..., Any]], memory_bytes: int, cpu_s: int) -> None:
    """A worker: serves one request."""
    try:
        _limit(memory_bytes, cpu_s)
        random.seed(0)  # a fork gives it another seed
        if header := link.recv(_HEADER.size, socket.MSG_WAITALL):
            name, args, steps = json.loads(link.recv(_HEADER.unpack(header)[0], socket.MSG_WAITALL))
            _send(link, _reply(functions[name], args, lambda: _give_up(link), steps))
    finally:
        os._exit(0)


def _send(link: socket.socket, reply: bytes) -> None:
    link.sendall(_HEADER.pack(len(reply)) + reply)


def _give_up(link: socket.socket) -> None:
    """End the worker where it stands: an exception could be caught by the code that goes on and on."""
    sys.setprofile(None)
    _send(link, json.dumps([None, "work"]).encode())
    os._exit(0)


def _counted(give_up: Callable[[], None], steps: int) -> Callable[[FrameType, str, Any], None]:
    """Return a function for `sys.setprofile` that gives up after a number of calls and returns."""
    left = steps

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            give_up()

    return count


def _reply(function: Callable[..., Any], args: Sequence[Any], give_up: Callable[[], None], steps: int) -> bytes:
    try:
        sys.setprofile(_counted(give_up, steps))
        try:
            value = function(*args)
        finally:
            sys.setprofile(None)
        return json.dumps([value, ""]).encode()
    except MemoryError:
        return json.dumps([None, "memory"]).encode()
    except RecursionError:
        return json.dumps([None, "error: nested too deep"]).encode()
    except Exception as error:
        return json.dumps([None, f"error: {type(error).__name__}: {error}"[:500]]).encode()


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Bound memory and processor time, forbid core dumps, die with the server."""
    import ctypes
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
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
    """Return the pool of this process with `REGISTRY`."""
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
