"""The clock of a program's wall-clock limit, which stands still while this machine does; and that of its processor."""

import contextlib
import select
import time

__all__ = ["Clock", "Processor"]

_SLICE_S = 0.1
_SLACK_S = 0.05  # what a wait may take longer on a busy machine and still be counted whole


class Clock:
    """Counts the seconds that a program had, and waits for its output until they are over.

    A machine that is suspended, starved or swapping stops the program and its observer alike; without care the observer
    then wakes up after the deadline and kills a program that never had its time, or whose answer has long arrived. So
    the clock waits in slices of 0.1 s, counts at most 0.15 s for each, whatever happened in between, and looks for
    events once more before the time is over.

    Args:
        seconds: Seconds until `left` is 0.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = 0.0
        self._until = seconds
        self._last = time.monotonic()

    @property
    def left(self) -> float:
        """Seconds left; 0 or less if the time is over."""
        return self._until - self.passed

    def extend(self, seconds: float) -> None:
        """Give it that many seconds from now on."""
        self._until = self.passed + seconds

    def read(self) -> float:
        """Return the seconds counted so far."""
        now = time.monotonic()
        self.passed += min(now - self._last, _SLICE_S + _SLACK_S)
        self._last = now
        return self.passed

    def wait(self, poller: select.poll) -> list[tuple[int, int]]:
        """Wait for events, for at most a slice of the time left."""
        events = poller.poll(max(0.0, min(self.left, _SLICE_S)) * 1000 + 1)
        self.read()
        return events

    def wait_long(self, poller: select.poll) -> list[tuple[int, int]]:
        """Wait for events until the time is over."""
        while not (events := self.wait(poller)) and self.left > 0:
            pass
        return events


class Processor:
    """Counts the processor seconds of a process from outside of it, user and system, of all its threads.

    The kernel keeps this count, so other processes on a busy machine do not add to it, and the process cannot forge it.

    Args:
        process: Its number in this process's namespace.
        seconds: Seconds until it is `over`.
    """

    def __init__(self, process: int, seconds: float) -> None:
        self.passed = 0.0
        self._until = seconds
        self._clock = ~process << 3 | 2  # as clock_getcpuclockid() makes it
        self._first = time.clock_gettime(self._clock)

    def read(self) -> float:
        """Return the seconds counted so far; of a process that has ended, those of the last reading."""
        with contextlib.suppress(OSError):
            self.passed = time.clock_gettime(self._clock) - self._first
        return self.passed

    @property
    def over(self) -> bool:
        """Whether it has used more than its seconds."""
        return self.read() > self._until
