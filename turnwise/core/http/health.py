"""Recognises a dead peer: a server that answers nothing, or a program that always fails."""

import math
import threading
from collections import Counter

__all__ = ["Health"]


class Health:
    """Recognises a dead server from the requests of all threads.

    Args:
        limit: So many failed attempts before the first answer, or later so many requests in a row whose retries were
            all used up, are a dead server. None never gives up.
    """

    def __init__(self, limit: int | None) -> None:
        self.limit = math.inf if limit is None else limit
        self.repeats: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._alive, self._failed, self._given_up = False, 0, 0

    def answered(self) -> None:
        with self._lock:
            self._alive, self._given_up = True, 0

    def failed(self) -> bool:
        """Count an attempt that failed; True if none was ever answered and this is enough."""
        with self._lock:
            self._failed += 1
            return not self._alive and self._failed >= self.limit

    def given_up(self) -> bool:
        """Count a request whose attempts all failed; True if there were too many in a row."""
        with self._lock:
            self._given_up += 1
            return self._given_up >= self.limit

    def repeating(self, kind: str) -> bool:
        """Count a repetition; True for the first of its kind."""
        with self._lock:
            self.repeats[kind] += 1
            return self.repeats[kind] == 1
