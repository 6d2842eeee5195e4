"""A time limit for calls in the very thread that everything else waits for."""

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["BUDGET_S", "Overdue", "Watch"]

P = ParamSpec("P")
T = TypeVar("T")
BUDGET_S = 0.1
"""Processor time after which a call is interrupted, at the second look after that."""
_raise_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = (ctypes.c_ulong, ctypes.py_object)


class Overdue(BaseException):
    """Raised in the middle of a call that has taken too long; what it worked on is in no defined state."""


class Watch:
    """Interrupts calls of one thread that compute for too long.

    Another thread looks at the call every `BUDGET_S`, as long as there are any. What counts is processor time, where
    the system knows it: a machine that stands still interrupts nothing. Python code is interrupted between two of its
    steps; a call into C (a sleep, say) and the import of a module end first.
    """

    def __init__(self) -> None:
        self._count = self._running = self._interrupted = 0
        self._thread = 0
        self._raising = False
        self._called = threading.Event()
        self._stopped = False

    def over(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call.

        Raises:
            Overdue: It was interrupted.
        """
        try:
            self._count += 1
            self._running = number = self._count
            if not self._called.is_set():
                self._wake()
            try:
                return call(*args, **kwargs)
            finally:
                self._running = 0
                while self._raising:  # for this call, perhaps: then it comes here and nowhere else
                    time.sleep(0)
                if self._interrupted == number:
                    _raise_in(self._thread, ctypes.py_object())  # NULL: what has not come yet does not come
        except Overdue:
            self._running = 0
            raise

    def stop(self) -> None:
        """End the thread that looks."""
        self._stopped = True
        self._called.set()

    def _wake(self) -> None:
        if not self._thread:
            self._thread = threading.get_ident()
            clock = _clock_of(self._thread)  # here, where the thread is sure to be alive
            threading.Thread(target=self._look, args=(clock,), daemon=True, name="turnwise-serve-limit").start()
        self._called.set()

    def _look(self, clock: Callable[[], float]) -> None:
        with contextlib.suppress(OSError):  # the thread has ended, and its clock with it
            while not self._stopped:
                self._called.wait()
                number, calls, used = self._running, self._count, clock()
                time.sleep(BUDGET_S)
                while number and self._running == number and clock() - used < BUDGET_S:
                    time.sleep(BUDGET_S / 4)
                while number and self._running == number and _imports(self._thread):
                    time.sleep(BUDGET_S / 4)  # half of a module is worse than a late answer
                if number and self._running == number:
                    self._interrupt(number)
                elif calls == self._count:
                    self._called.clear()  # a call that begins now sets it again
                    if calls != self._count:
                        self._called.set()

    def _interrupt(self, number: int) -> None:
        self._raising = True
        if self._running == number and self._interrupted != number:
            self._interrupted = number
            _raise_in(self._thread, Overdue)
        self._raising = False
        while self._running == number and not self._stopped:  # once is all; it may be on its way out
            time.sleep(BUDGET_S)


def _imports(thread: int) -> bool:
    """Return whether a thread is importing a module: those written in C can only be loaded once."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def _clock_of(thread: int) -> Callable[[], float]:
    """A clock of the processor time of a thread; of all time where the system has no such clock."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)
