"""End a run between two steps when the process is asked to stop, so that nothing is lost."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Interrupt", "interruptible"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C; a scheduler that wants its machine back


class Interrupt:
    """Whether the process was asked to stop."""

    requested = False

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        sys.stderr.write("turnwise: stopping after this step and its checkpoint; once more stops immediately\n")
        sys.stderr.flush()


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Only note the first SIGINT or SIGTERM inside the context; the second one raises KeyboardInterrupt.

    Python delivers signals to the main thread: elsewhere nothing changes. A signal that the process ignores, as
    background jobs of shells do with Ctrl-C, stays ignored.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    heard = [name for name in SIGNALS if signal.getsignal(name) is not signal.SIG_IGN]
    before = {name: signal.signal(name, interrupt._ask) for name in heard}
    try:
        yield interrupt
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
