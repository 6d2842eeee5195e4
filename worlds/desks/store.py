"""The database of a desk: tables of rows, of which a conversation changes a few."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

__all__ = ["Row", "Store", "Tables"]

Row = Mapping[str, Any]
Tables = Mapping[str, Mapping[str, Row]]
"""Rows by table and key. They are shared by all conversations about a world and must never be changed in place."""


class Store:
    """A world's tables as one conversation sees them.

    Args:
        tables: The tables at the start.
    """

    def __init__(self, tables: Tables) -> None:
        self._start = tables
        self._now: dict[tuple[str, str], Row | None] = {}
        self._index: dict[tuple[str, str], dict[object, list[str]]] = {}  # of the start, shared by forks
        self._largest: dict[str, int] = {}  # the same, by table

    def get(self, table: str, key: str) -> Row | None:
        """Return a row; None if there is none with this key."""
        place = (table, key)
        return self._now[place] if place in self._now else self._start[table].get(key)

    def row(self, table: str, key: str) -> Row:
        """Return a row.

        Raises:
            ValueError: There is none with this key.
        """
        found = self.get(table, key)
        if found is None:
            raise ValueError(f"there is no {key!r} in {table}")
        return found

    def rows(self, table: str, **equal: object) -> Iterator[tuple[str, Row]]:
        """Go through the rows with these values, the table's own order first and new ones after."""
        start = self._start[table]
        wanted = equal.items()
        changed = {key: row for (name, key), row in self._now.items() if name == table}
        for key in self._candidates(table, *next(iter(wanted)), changed) if wanted else start:
            row = changed[key] if key in changed else start[key]
            if row is not None and wanted <= row.items():
                yield key, row
        for key, row in changed.items():
            if key not in start and row is not None and wanted <= row.items():
                yield key, row

    def _candidates(self, table: str, column: str, value: object, changed: Mapping[str, Row | None]) -> Sequence[str]:
        """Return the keys of the start's rows that have a value in a column, or may have it now, in order."""
        start = self._start[table]
        groups = self._index.get((table, column))
        if groups is None:
            groups = self._index[table, column] = {}
            for key, row in start.items():
                groups.setdefault(row[column], []).append(key)
        found = groups.get(value, ())
        more = [key for key in changed if key in start and key not in found]
        if not more:
            return found
        chosen = {*found, *more}
        return [key for key in start if key in chosen]

    def put(self, table: str, key: str, row: Row) -> None:
        """Insert or replace a row."""
        self._now[table, key] = row

    def change(self, table: str, key: str, **columns: object) -> Row:
        """Change columns of a row, and return it as it is now."""
        row = {**self.row(table, key), **columns}
        self._now[table, key] = row
        return row

    def remove(self, table: str, key: str) -> None:
        """Delete a row."""
        self.row(table, key)
        self._now[table, key] = None

    def next_key(self, table: str, prefix: str) -> str:
        """Return the key of the next new row: one more than the largest number in use, deleted rows included."""
        largest = self._largest.get(table)
        if largest is None:
            numbers = (int(key.removeprefix(prefix)) for key in self._start[table])
            largest = self._largest[table] = max(numbers, default=0)
        changed = (int(key.removeprefix(prefix)) for name, key in self._now if name == table)
        return f"{prefix}{(max((largest, *changed)) or 1000) + 1}"

    def changes(self) -> dict[tuple[str, str], Row | None]:
        """Return the rows that differ from the start, by table and key; None for a deleted one."""
        return {(table, key): row for (table, key), row in self._now.items() if self._start[table].get(key) != row}

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self._start)
        twin._now, twin._index, twin._largest = dict(self._now), self._index, self._largest
        return twin

    def __deepcopy__(self, memo: object) -> Self:
        return self.fork()
