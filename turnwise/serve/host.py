"""Where sessions live: in threads of this process, or in worker processes.

A host runs one operation of a session at a time, in the order they come; operations of different sessions run side
by side. Whatever an environment raises arrives as a `Refusal`: never as a reward.
"""

import asyncio
import contextlib
import itertools
import logging
import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Protocol

from turnwise.core.registration import import_envs
from turnwise.serve.crew import GONE, Crew, Opened, Refusal
from turnwise.serve.quick import Quick

__all__ = ["Host", "Opened", "Processes", "Refusal", "Threads"]

STOP_S = 5.0
"""Seconds that running operations have when a host is closed."""
_DIED = "the process of the session died; reset to begin another one"
_LOG = logging.getLogger(__name__)


class Host(Protocol):
    """Carries out operations of sessions."""

    def do(self, operation: str, number: int, *arguments: Any) -> "asyncio.Future[Any]":
        """Carry out an operation on a session; the future gets a `Refusal` if it could not be.

        A close never fails, and releases a session whose operation still runs once that is over.
        """

    def at_once(self, operation: str, number: int, *arguments: Any) -> tuple[Any, bool] | None:
        """Carry out an operation here and now, if its environment is quick.

        Returns:
            What comes of it and whether that is a `Refusal`; None if it is `do` that must carry it out.
        """

    async def aclose(self) -> None:
        """Close every session."""


class _Results:
    """Brings results from threads to the futures of an event loop, all that are there with one wake-up."""

    def __init__(self) -> None:
        self._done: deque[tuple[asyncio.Future[Any], Any, bool]] = deque()
        self._called = False

    def put(self, future: "asyncio.Future[Any]", value: Any, refused: bool) -> None:
        self._done.append((future, value, refused))
        if not self._called:
            self._called = True
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                future.get_loop().call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._called = False
        while self._done:
            future, value, refused = self._done.popleft()
            if not future.done():
                future.set_exception(value) if refused else future.set_result(value)


class Threads:
    """Sessions in this process, stepped in threads.

    Args:
        workers: Most operations at a time.
        quick: Ids of environments that are played in the thread of the event loop.
    """

    def __init__(self, workers: int, quick: Collection[str] = ()) -> None:
        self._crew, self._quick = Crew(workers), Quick(quick)
        self._results = _Results()

    @property
    def sessions(self) -> int:
        """Sessions that are open."""
        return len(self._crew.live)

    def do(self, operation: str, number: int, *arguments: Any) -> "asyncio.Future[Any]":
        future = asyncio.get_running_loop().create_future()
        self._crew.feed(partial(self._results.put, future), operation, number, arguments)
        return future

    def at_once(self, operation: str, number: int, *arguments: Any) -> tuple[Any, bool] | None:
        return self._crew.at_once(self._quick, operation, number, arguments)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._crew.stop, STOP_S)


class Processes:
    """Sessions in worker processes, for environments that compute: each stays in the process that it began in.

    A process that dies takes its sessions with it; they are "lost", all others go on, and it is started again.

    Args:
        count: Processes.
        workers: Most operations at a time in each.
        env_modules: Modules or files that register environments.
    """

    def __init__(self, count: int, workers: int, env_modules: Sequence[str] = ()) -> None:
        self._workers, self._env_modules = workers, tuple(env_modules)
        self._results = _Results()
        self._home: dict[int, _Worker] = {}
        self._all = [self._started() for _ in range(count)]

    @property
    def pids(self) -> list[int | None]:
        """The processes."""
        return [worker.pid for worker in self._all]

    def _started(self) -> "_Worker":
        return _Worker(self._workers, self._env_modules, self._results)

    def do(self, operation: str, number: int, *arguments: Any) -> "asyncio.Future[Any]":
        future = asyncio.get_running_loop().create_future()
        home = self._home.get(number)
        if operation == "close":
            if self._home.pop(number, None) is not None and home is not None:
                home.sessions -= 1
            if home is None or home.dead:
                future.set_result(None)
                return future
        elif operation == "open" and (home is None or home.dead):
            if home is not None:
                home.sessions -= 1
            self._all = [self._started() if each.dead else each for each in self._all]
            home = self._settle(number, min(self._all, key=lambda each: each.sessions))
        elif home is None or home.dead:
            future.set_exception(Refusal("lost", GONE if home is None else _DIED))
            return future
        elif operation == "fork":
            self._settle(arguments[0], home)
        home.send(future, operation, number, arguments)
        return future

    def at_once(self, operation: str, number: int, *arguments: Any) -> tuple[Any, bool] | None:
        return None

    def _settle(self, number: int, worker: "_Worker") -> "_Worker":
        self._home[number] = worker
        worker.sessions += 1
        return worker

    async def aclose(self) -> None:
        for worker in self._all:
            worker.stop()
        deadline = time.monotonic() + STOP_S + 2.0
        for worker in self._all:
            await asyncio.to_thread(worker.join, deadline)


class _Worker:
    """A worker process, as its parent sees it.

    Threads of their own write to it and read from it: the event loop never waits for a process that is stopped or
    computes. What waits is written, and answered, in one piece.
    """

    def __init__(self, threads: int, env_modules: Sequence[str], results: _Results) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=_work, args=(far, threads, env_modules), daemon=True)
        self._process.start()
        far.close()
        self.sessions = 0
        self.dead = False
        self._results = results
        self._waiting: dict[int, tuple[asyncio.Future[Any], str]] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._out: SimpleQueue[Any] = SimpleQueue()
        for target in (self._write, self._read):
            threading.Thread(target=target, daemon=True, name="turnwise-serve-worker").start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def send(self, future: "asyncio.Future[Any]", operation: str, number: int, arguments: tuple[Any, ...]) -> None:
        with self._lock:
            if not self.dead:
                ticket = next(self._numbers)
                self._waiting[ticket] = (future, operation)
                self._out.put((ticket, operation, number, arguments))
                return
        self._failed(future, operation)

    def _write(self) -> None:
        _pass_on(self._out, self._pipe)

    def _read(self) -> None:
        try:
            while True:
                for ticket, value, refused in self._pipe.recv():
                    with self._lock:
                        future, _ = self._waiting.pop(ticket)
                    self._results.put(future, value, refused)
        except (EOFError, OSError):
            pass
        except Exception:
            _LOG.exception("a worker process answered what cannot be read")
            self._process.kill()
        with self._lock:
            self.dead = True
            left, self._waiting = list(self._waiting.values()), {}
        self._out.put(None)
        for future, operation in left:
            self._failed(future, operation)
        self._process.join()

    def _failed(self, future: "asyncio.Future[Any]", operation: str) -> None:
        if operation == "close":  # what died is closed
            self._results.put(future, None, False)
        else:
            self._results.put(future, Refusal("lost", _DIED), True)

    def stop(self) -> None:
        """Have it close its sessions and end."""
        self._out.put(None)

    def join(self, deadline: float) -> None:
        """Wait for its end, and kill it if that is late."""
        self._process.join(max(0.0, deadline - time.monotonic()))
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _pass_on(queue: "SimpleQueue[Any]", pipe: Connection) -> None:
    """Send what is put into a queue, all that is there in one piece, until it is None or the other end is gone."""
    going = True
    while going:
        batch = [queue.get()]
        while not queue.empty():
            batch.append(queue.get())
        going = None not in batch
        with contextlib.suppress(ValueError):
            batch = batch[: batch.index(None)]
        try:
            pipe.send(batch)
            if not going:
                pipe.send([])
        except OSError:
            return


def _work(pipe: Connection, threads: int, env_modules: Sequence[str]) -> None:
    """The loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the server says when to end
    for module in env_modules:
        import_envs(module)
    crew = Crew(threads)
    answers: SimpleQueue[Any] = SimpleQueue()
    writer = threading.Thread(target=_pass_on, args=(answers, pipe), daemon=True)
    writer.start()

    def answered(ticket: int) -> Callable[[Any, bool], None]:
        return lambda value, refused: answers.put((ticket, value, refused))

    with contextlib.suppress(EOFError, OSError):  # the server is gone
        while batch := pipe.recv():
            for ticket, operation, number, arguments in batch:
                crew.feed(answered(ticket), operation, number, arguments)
    crew.stop(STOP_S)
    answers.put(None)
    writer.join(1.0)
