"""A limit on requests and tokens per minute, kept by all threads of a client together."""

import threading
import time
from collections.abc import Callable
from typing import Annotated

from turnwise.core.errors import InfrastructureError
from turnwise.core.settings import Range, check_arguments

__all__ = ["Pace"]


class Pace:
    """Spaces requests out evenly, so that no minute has more of them, or of their tokens, than is allowed.

    A request reserves the tokens that it is expected to take; `correct` says how many they were.

    Args:
        requests: Requests per minute; None does not limit them.
        tokens: Tokens per minute, read and written; None does not limit them.
        clock: Returns seconds; only differences matter.
    """

    def __init__(
        self,
        requests: Annotated[float, Range(above=0)] | None = None,
        tokens: Annotated[float, Range(above=0)] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_arguments(Pace.__init__, requests=requests, tokens=tokens)
        self._request_s = 60.0 / requests if requests else 0.0
        self._token_s = 60.0 / tokens if tokens else 0.0
        self._clock = clock
        self._lock = threading.Lock()
        self._request_due = self._token_due = clock()

    def reserve(self, tokens: float = 0.0) -> float:
        """Take the next place in the queue; return the seconds until its request may be sent."""
        if not (self._request_s or self._token_s):
            return 0.0
        with self._lock:
            now = self._clock()
            due = max(now, self._request_due, self._token_due)
            self._request_due = due + self._request_s
            self._token_due = due + tokens * self._token_s
            return due - now

    def correct(self, expected: float, tokens: float) -> None:
        """Put right what a request reserved, now that its tokens are known."""
        if self._token_s:
            with self._lock:
                self._token_due += (tokens - expected) * self._token_s

    def wait(self, stop: threading.Event, tokens: float = 0.0) -> None:
        """Wait until a request with so many tokens may be sent.

        Raises:
            InfrastructureError: ``stop`` was set meanwhile.
        """
        pause = self.reserve(tokens)
        if pause > 0 and stop.wait(pause):
            raise InfrastructureError("interrupted while waiting for the rate limit")
