"""Databases: one for each site, restored for every episode in well under a millisecond, and an episode's changes.

A site's content in a world is built once and kept as SQLite's own bytes (`Snapshot`). An episode's `Store` restores a
site's database when the site is first visited, and lists what it changed row by row (`Store.changes`).
"""

import datetime
import sqlite3
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

__all__ = ["Row", "RowChange", "Snapshot", "Store", "connect"]

Row = tuple[Any, ...]


class RowChange(NamedTuple):
    """A row that differs from the episode's start.

    Attributes:
        site: Name of the site.
        table: Name of the table.
        op: What happened to it.
        key: Its primary key.
        before: Its columns at the start; empty for an insert.
        after: Its columns now, only those that differ for an update; empty for a delete.
    """

    site: str
    table: str
    op: Literal["insert", "update", "delete"]
    key: Row
    before: dict[str, Any]
    after: dict[str, Any]


class Snapshot:
    """A site's database in a world at the start; safe for any number of threads.

    Args:
        site: The site's name.
        data: The database, serialised.
        volatile: Tables, and ``table.column``, that do not count.
    """

    def __init__(self, site: str, data: bytes, volatile: frozenset[str]) -> None:
        self.site, self.data, self._volatile = site, data, volatile
        self.db = connect(data)
        self.db.execute("PRAGMA query_only = ON")

    @cached_property
    def tables(self) -> dict[str, "_Table"]:
        """The tables that count, by name."""
        names = [row[0] for row in self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {n: _Table(self.db, n, self._volatile) for n in names if n not in self._volatile and "sqlite_" not in n}

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return all rows of a query; a query of one column gives the values themselves."""
        found = self.db.execute(sql, values).fetchall()
        return [row[0] for row in found] if found and len(found[0]) == 1 else found

    def row(self, sql: str, *values: object) -> Any:
        """Return the first row of a query, or its value if it has one column; None if there are no rows."""
        found = self.db.execute(sql, values).fetchone()
        return found[0] if found is not None and len(found) == 1 else found


class _Table:
    """A table's columns and its rows at the start."""

    def __init__(self, db: sqlite3.Connection, name: str, volatile: frozenset[str]) -> None:
        info = db.execute(f'PRAGMA table_info("{name}")').fetchall()
        kept = [column for column in info if f"{name}.{column[1]}" not in volatile]
        self.columns = [column[1] for column in kept]
        keys = sorted((c[5], i) for i, c in enumerate(kept) if c[5])
        if not keys:
            raise TypeError(f"the table {name!r} needs a PRIMARY KEY, by which its rows are compared")
        self.key = [i for _, i in keys]
        self.keys = [self.columns[i] for i in self.key]
        self.defaults = {column[1]: _default(db, column[4]) for column in kept}
        names = ", ".join(f'"{column}"' for column in self.columns)
        self.sql = f'SELECT {names} FROM "{name}"'
        self.listed = db.execute(self.sql).fetchall()  # in their order, which two equal tables have
        self.rows = frozenset(self.listed)

    def key_of(self, row: Row) -> Row:
        return tuple(row[i] for i in self.key)

    def changes(self, site: str, name: str, db: sqlite3.Connection) -> list[RowChange]:
        listed = db.execute(self.sql).fetchall()
        if listed == self.listed:
            return []
        now = frozenset(listed)
        old = {self.key_of(row): row for row in self.rows - now}
        new = {self.key_of(row): row for row in now - self.rows}
        found = []
        for key in sorted({*old, *new}, key=repr):
            before = dict(zip(self.columns, old[key], strict=True)) if key in old else {}
            after = dict(zip(self.columns, new[key], strict=True)) if key in new else {}
            if before and after:
                after = {c: v for c, v in after.items() if v != before[c] or type(v) is not type(before[c])}
            op: Literal["insert", "update", "delete"] = (
                "update" if before and after else "insert" if after else "delete"
            )
            found.append(RowChange(site, name, op, key, before, after))
        return found


def _default(db: sqlite3.Connection, expression: str | None) -> Any:
    return None if expression is None else db.execute(f"SELECT {expression}").fetchone()[0]


def connect(data: bytes = b"") -> sqlite3.Connection:
    """Open a database in memory, empty or with that content, that any thread may use, one at a time."""
    db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    if data:
        db.deserialize(data)
    return db


class Store:
    """The databases of one episode.

    Args:
        world: Returns a site's snapshot by the site's name; must pickle.
        user: Account that is signed in at every site from the start; 0 for none.
        now: The time that the sites' clocks show.

    Attributes:
        visited: Names of the sites whose databases were opened.
    """

    def __init__(self, world: Callable[[str], Snapshot], user: int, now: datetime.datetime) -> None:
        self.world, self.user, self.now = world, user, now
        self._open: dict[str, sqlite3.Connection] = {}
        self._untouched: dict[str, int] = {}  # sites as they were at the start, by SQLite's count of changed rows

    @property
    def visited(self) -> list[str]:
        """Names of the sites whose databases were opened."""
        return sorted(self._open)

    def db(self, site: str) -> sqlite3.Connection:
        """Return the database of a site, restored at its first use."""
        found = self._open.get(site)
        if found is None:
            found = self._open[site] = connect(self.world(site).data)
            if self.user:
                found.execute("INSERT INTO session (token, account) VALUES ('start', ?)", (self.user,))
            self._untouched[site] = found.total_changes
        return found

    def _only_read(self) -> dict[str, int]:
        """Return unchanged sites with the count that `_untouched` has for newly opened connections."""
        return {site: 0 for site, count in self._untouched.items() if self._open[site].total_changes == count}

    def changes(self) -> list[RowChange]:
        """Return all rows that differ from the start, in a fixed order, without volatile tables and columns."""
        found: list[RowChange] = []
        for site in sorted(self._open.keys() - self._only_read().keys()):
            for name, table in self.world(site).tables.items():
                found += table.changes(site, name, self._open[site])
        return found

    def fork(self) -> "Store":
        """Return an independent copy."""
        twin = Store(self.world, self.user, self.now)
        twin._open = {site: connect(db.serialize()) for site, db in self._open.items()}
        twin._untouched = self._only_read()
        return twin

    def __deepcopy__(self, memo: object) -> "Store":
        return self.fork()

    def __getstate__(self) -> Mapping[str, Any]:
        data = {site: db.serialize() for site, db in self._open.items()}
        return {**self.__dict__, "_open": data, "_untouched": self._only_read()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__ |= {**state, "_open": {site: connect(data) for site, data in state["_open"].items()}}

    def close(self) -> None:
        """Free the databases."""
        for db in self._open.values():
            db.close()
        self._open.clear()
