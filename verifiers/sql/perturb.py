"""Databases like a given one with other contents, to distinguish queries that agree on it by luck.

Source: the idea of fuzzed databases is from Zhong, Yu and Klein (arXiv 2010.02840); the changes made are ours.
"""

import random
import sqlite3
from contextlib import closing
from typing import NamedTuple

from turnwise.core.env import seed_of
from turnwise.verifiers.sql.results import Database, DatabaseError, Value, build, quoted

__all__ = ["perturbed"]

_MEASURE_SHARE = 0.3  # numeric columns with this share of distinct values are measurements; others are codes


class _Table(NamedTuple):
    name: str
    columns: tuple[str, ...]
    row_key: tuple[str, ...]  # identifies a row: rowid, or the primary key
    fixed: frozenset[str]  # columns that others may refer to
    parents: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]  # columns, the table referred to, its columns


def perturbed(database: Database, seed: int, num: int = 4, *, drop: float = 0.2) -> tuple[bytes, ...]:
    """Return copies of a database in which rows are missing and values are redrawn from their column.

    Primary keys stay, declared foreign keys stay valid, and so do UNIQUE, NOT NULL and CHECK. In columns of numbers
    with many different values, some become others between the least and the greatest. Virtual tables stay as they are,
    and no trigger fires.

    Args:
        database: An SQL script, or the result of `turnwise.verifiers.sql.results.build`.
        seed: The same seed gives the same copies.
        num: Number of copies, at least 1.
        drop: Share of rows to drop, in [0, 1).

    Raises:
        DatabaseError: The database cannot be read, or a setting is out of range.

    >>> script = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')"
    >>> perturbed(script, 0) == perturbed(script, 0), len(set(perturbed(script, 0)))
    (True, 4)
    """
    if num < 1 or not 0 <= drop < 1:
        raise DatabaseError(f"num is {num} and drop is {drop}; they must be at least 1, and in [0, 1)")
    data = build(database) if isinstance(database, str) else database
    return tuple(_copy(data, random.Random(seed_of("perturbed", seed, i)), drop) for i in range(num))


def _copy(data: bytes, rng: random.Random, drop: float) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            connection.deserialize(data)
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("BEGIN")
            triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {quoted(name)}")
            tables = _tables(connection)
            for table in tables:
                _drop_rows(connection, table, rng, drop)
            while sum(_drop_orphans(connection, table) for table in tables):
                pass
            for table in tables:
                for column in table.columns:
                    if column not in table.fixed:
                        _redraw(connection, table, column, rng)
            for _, sql in triggers:
                connection.execute(sql)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise DatabaseError(f"the database cannot be perturbed: {error}") from error
        return connection.serialize()


def _tables(connection: sqlite3.Connection) -> list[_Table]:
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    found: list[_Table] = []
    referred: set[tuple[str, str]] = set()
    for (name,) in names:
        # Columns: number, name, type, NOT NULL, default, place in the primary key, hidden or generated.
        info = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        key = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
        plain = tuple(row[1] for row in info if not row[6])
        links: dict[int, list[tuple[str, str, str | None]]] = {}
        for row in connection.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
            links.setdefault(row[0], []).append((row[3], row[2], row[4]))
        parents = []
        for link in links.values():
            above = link[0][1]
            above_info = connection.execute(f"PRAGMA table_xinfo({quoted(above)})").fetchall()
            above_key = [row[1] for row in sorted(above_info, key=lambda row: row[5]) if row[5]]
            columns = tuple(to or above_key[i] for i, (_, _, to) in enumerate(link) if to or i < len(above_key))
            if above_info and len(columns) == len(link):
                parents.append((tuple(column for column, _, _ in link), above, columns))
                referred |= {(above.casefold(), column.casefold()) for column in columns}
        several = {column for child, _, _ in parents if len(child) > 1 for column in child}
        row_key = ("rowid",) if _has_rowid(connection, name) else key
        found.append(_Table(name, plain, row_key, frozenset({*key, *several}), tuple(parents)))
    return [
        table._replace(
            fixed=table.fixed | {c for c in table.columns if (table.name.casefold(), c.casefold()) in referred}
        )
        for table in found
    ]


def _has_rowid(connection: sqlite3.Connection, table: str) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {quoted(table)} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


def _drop_rows(connection: sqlite3.Connection, table: _Table, rng: random.Random, share: float) -> None:
    keys = _keys(connection, table)
    gone = [key for key in keys if rng.random() < share]
    condition = " AND ".join(f"{_column(name)} IS ?" for name in table.row_key)
    connection.executemany(f"DELETE FROM {quoted(table.name)} WHERE {condition}", gone[: len(keys) - 1])


def _column(name: str) -> str:
    return name if name == "rowid" else quoted(name)


def _keys(connection: sqlite3.Connection, table: _Table) -> list[tuple[Value, ...]]:
    key = ", ".join(map(_column, table.row_key))
    return connection.execute(f"SELECT {key} FROM {quoted(table.name)} ORDER BY {key}").fetchall()


def _drop_orphans(connection: sqlite3.Connection, table: _Table) -> int:
    """Drop the rows that refer to deleted rows; return their number."""
    dropped = 0
    for columns, above, above_columns in table.parents:
        given = " AND ".join(f"child.{quoted(column)} IS NOT NULL" for column in columns)
        same = " AND ".join(
            f"parent.{quoted(to)} = child.{quoted(column)}" for column, to in zip(columns, above_columns, strict=True)
        )
        key = ", ".join(map(_column, table.row_key))
        dropped += connection.execute(
            f"DELETE FROM {quoted(table.name)} WHERE ({key}) IN (SELECT {key} FROM {quoted(table.name)} AS child WHERE "
            f"{given} AND NOT EXISTS (SELECT 1 FROM {quoted(above)} AS parent WHERE {same}))"
        ).rowcount
    return dropped


def _redraw(connection: sqlite3.Connection, table: _Table, column: str, rng: random.Random) -> None:
    values = [row[0] for row in connection.execute(f"SELECT {quoted(column)} FROM {quoted(table.name)}")]
    for columns, above, above_columns in table.parents:
        if columns == (column,):
            rows = connection.execute(f"SELECT {quoted(above_columns[0])} FROM {quoted(above)}").fetchall()
            values = [row[0] for row in rows] + [None] * (None in values)
            break
    values.sort(key=repr)  # the same whatever the order of the rows
    numbers = [value for value in values if isinstance(value, int | float)]
    measures = len(numbers) > 2 and len(set(numbers)) >= _MEASURE_SHARE * len(values) and column not in _linked(table)
    condition = " AND ".join(f"{_column(name)} IS ?" for name in table.row_key)
    for key in _keys(connection, table):
        value = rng.choice(values)
        if measures and isinstance(value, int | float) and rng.random() < 0.3:
            value = _between(min(numbers), max(numbers), value, rng)
        # A value that breaks UNIQUE, NOT NULL or CHECK is skipped.
        connection.execute(
            f"UPDATE OR IGNORE {quoted(table.name)} SET {quoted(column)} = ? WHERE {condition}", (value, *key)
        )


def _linked(table: _Table) -> set[str]:
    return {column for columns, _, _ in table.parents for column in columns}


def _between(low: float, high: float, like: float, rng: random.Random) -> float:
    """Return a number in the range, whole or with as many decimals as the one it replaces."""
    if isinstance(like, int):
        return rng.randint(int(low), int(high))
    decimals = len(repr(like).partition(".")[2]) if "e" not in repr(like) else 15
    return min(max(round(rng.uniform(low, high), decimals), low), high)
