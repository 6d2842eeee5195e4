"""One thread for all that must be done by one thread: Playwright's synchronous interface belongs to who started it."""

import atexit
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from turnwise.core.errors import FatalError

__all__ = ["done_by_worker"]

T = TypeVar("T")
_Job = tuple[Future[Any], Callable[[], Any]]
_guard = threading.Lock()
_jobs: "queue.SimpleQueue[_Job | None] | None" = None
_owner = 0
_stuck = False


def done_by_worker(work: Callable[[], T], timeout_s: float) -> T:
    """What ``work`` gives or raises, done by the thread that all share.

    Raises:
        FatalError: It took longer than ``timeout_s`` from when it began to be waited for; the thread can do nothing
            more, so that nothing that needs it can go on in this process.
    """
    global _jobs, _owner, _stuck
    with _guard:
        if _owner != os.getpid():
            _owner, _jobs, _stuck = os.getpid(), queue.SimpleQueue(), False
            threading.Thread(target=_serve, args=(_jobs,), name="turnwise-adapters", daemon=True).start()
            atexit.unregister(_end)
            atexit.register(_end)
        if _stuck:
            raise FatalError("the thread of the adapted environments no longer answers: start a new process")
        assert _jobs is not None
        future: Future[T] = Future()
        _jobs.put((future, work))
        try:
            return future.result(timeout_s)
        except TimeoutError:
            if future.done():
                raise  # its own
            _stuck = True
            raise FatalError(f"an adapted environment did not answer in {timeout_s:g} s") from None


def _serve(jobs: "queue.SimpleQueue[_Job | None]") -> None:
    while (job := jobs.get()) is not None:
        future, work = job
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)


def _end() -> None:
    """Stop the Playwright that BrowserGym has started, where it was started."""
    core = sys.modules.get("browsergym.core")
    started = getattr(core, "_PLAYWRIGHT", None)
    if started is not None and not _stuck:
        with contextlib.suppress(Exception):
            done_by_worker(started.stop, 5.0)
