"""A cache of verdicts, in memory and optionally in a file shared by threads and processes."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.settings import Range, check_arguments

__all__ = ["Cache"]

BUSY_S = 60.0  # longest wait for another process's write


class Cache:
    """Strings by key; the least recently used leave the memory, none leaves the file.

    Args:
        path: An SQLite file, created if missing; None uses only memory.
        max_entries: Maximum number of entries in memory.

    Raises:
        SettingsError: The file cannot be opened, or is not an SQLite file.
    """

    def __init__(self, path: str | Path | None = None, *, max_entries: Annotated[int, Range(1)] = 100_000) -> None:
        check_arguments(Cache.__init__, max_entries=max_entries)
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
        """Return the known entries among ``keys``.

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
        """Yield a connection for one transaction: nothing is shared between threads, or carried through a fork."""
        assert self.path is not None
        try:
            with closing(sqlite3.connect(self.path, timeout=BUSY_S)) as db, db:
                yield db
        except sqlite3.Error as error:
            raise InfrastructureError(f"{self.path}: {error}") from error
