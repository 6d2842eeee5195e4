"""Verdicts that were paid for once: in memory and, if wanted, in a file that threads and processes share."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from turnwise.core.errors import InfrastructureError, SettingsError

__all__ = ["Cache"]

BUSY_S = 60.0  # longest wait for another process's write


class Cache:
    """Strings by key; the least recently used leave the memory, none leaves the file.

    Args:
        path: An SQLite file, made where there is none; None keeps the memory alone.
        max_entries: Most entries in memory.

    Raises:
        SettingsError: The file cannot be opened, or is no SQLite file.
    """

    def __init__(self, path: str | Path | None = None, *, max_entries: int = 100_000) -> None:
        if max_entries < 1:
            raise SettingsError(f"max_entries is {max_entries}; it must be at least 1")
        self.path = None if path is None else Path(path)
        self.max_entries = max_entries
        self._memory: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()
        if self.path is not None:
            try:
                with self._opened() as db:
                    db.execute("CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT) WITHOUT ROWID")
            except InfrastructureError as error:
                raise SettingsError(f"the cache {str(path)!r} cannot be used: {error}") from error

    def __len__(self) -> int:
        """Number of entries in memory."""
        return len(self._memory)

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """What is known of ``keys``.

        Raises:
            InfrastructureError: The file cannot be read.
        """
        found, missing = {}, []
        with self._lock:
            for key in keys:
                if key in self._memory:
                    self._memory.move_to_end(key)
                    found[key] = self._memory[key]
                else:
                    missing.append(key)
        if self.path is None or not missing:
            return found
        with self._opened() as db:
            query = "SELECT key, verdict FROM verdicts WHERE key = ?"
            stored = dict(row for key in missing for row in db.execute(query, (key,)))
        self._remember(stored)
        return found | stored

    def put(self, entries: Mapping[str, str]) -> None:
        """Remember ``entries``; in the file the first writer of a key wins.

        Raises:
            InfrastructureError: The file cannot be written.
        """
        self._remember(entries)
        if self.path is not None and entries:
            with self._opened() as db:
                db.executemany("INSERT OR IGNORE INTO verdicts VALUES (?, ?)", list(entries.items()))

    def _remember(self, entries: Mapping[str, str]) -> None:
        with self._lock:
            self._memory |= entries
            for key in entries:
                self._memory.move_to_end(key)
            while len(self._memory) > self.max_entries:
                self._memory.popitem(last=False)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: nothing is shared between threads, or carried through a fork."""
        assert self.path is not None
        try:
            with closing(sqlite3.connect(self.path, timeout=BUSY_S)) as db, db:
                yield db
        except sqlite3.Error as error:
            raise InfrastructureError(f"{self.path}: {error}") from error
