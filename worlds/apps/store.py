"""Rows of tables that are copied in microseconds: a shared base, and the rows that differ from it.

A database file would have to be copied and compared as a whole. Here a copy costs as much as what was changed, and the
changes, which the checks are about, are what is stored. Rows are never changed in place, so that they can be shared.
"""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Change", "Row", "Store"]

Row = Mapping[str, Any]
Base = Mapping[str, Mapping[int, Row]]
Change = tuple[str, int, Row | None, Row | None]
"""Table, key, the row before (None: it is new) and after (None: it is gone)."""


class Store:
    """Tables of rows by their keys.

    Args:
        base: The rows at the start, which are shared and never changed.
    """

    def __init__(self, base: Base) -> None:
        self.base = base
        self._own: dict[str, dict[int, Row | None]] = {}
        self._last: dict[str, int] = {}

    def get(self, table: str, key: int) -> Row | None:
        """Return a row, or None if there is none with that key."""
        own = self._own.get(table)
        if own is not None and key in own:
            return own[key]
        return self.base[table].get(key)

    def rows(self, table: str) -> Iterator[Row]:
        """Iterate over the rows of a table, oldest first."""
        own = self._own.get(table)
        if not own:
            yield from self.base[table].values()
            return
        for key, row in self.base[table].items():
            now = own.get(key, row)
            if now is not None:
                yield now
        base = self.base[table]
        for key, added in own.items():
            if added is not None and key not in base:
                yield added

    def insert(self, table: str, key_name: str, row: Row) -> Row:
        """Add a row under the next free key, and return it with this key."""
        last = self._last.get(table)
        if last is None:
            last = max(self.base[table], default=1000)
        self._last[table] = last + 1
        whole = {key_name: last + 1, **row}
        self._own.setdefault(table, {})[last + 1] = whole
        return whole

    def update(self, table: str, key: int, fields: Mapping[str, Any]) -> Row:
        """Change fields of a row, and return it as it is then."""
        old = self.get(table, key)
        assert old is not None
        row = {**old, **fields}
        self._own.setdefault(table, {})[key] = row
        return row

    def delete(self, table: str, key: int) -> None:
        """Remove a row."""
        self._own.setdefault(table, {})[key] = None

    def fork(self) -> "Store":
        """Return an independent copy."""
        twin = Store(self.base)
        twin._own = {table: dict(rows) for table, rows in self._own.items()}
        twin._last = dict(self._last)
        return twin

    def __deepcopy__(self, memo: object) -> "Store":
        return self.fork()

    def settled(self) -> "Store":
        """Return a store in which the present rows are the base: nothing in it counts as a change."""
        base = dict(self.base)
        for table in self._own:
            key_name = next(iter(next(self.rows(table), {"": 0})))
            base[table] = {row[key_name]: row for row in self.rows(table)}
        return Store(base)

    def changes(self) -> list[Change]:
        """Return what differs from the base, in the order of tables and keys."""
        found: list[Change] = []
        for table in sorted(self._own):
            for key, now in sorted(self._own[table].items()):
                before = self.base[table].get(key)
                if now != before:
                    found.append((table, key, before, now))
        return found
