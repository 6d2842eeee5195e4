"""Judge SQL scripts that change a database by the database that they leave, on SQLite."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.sql.results import (
    _BOUNDS,
    _FUNCTIONS,
    Bounds,
    Database,
    DatabaseError,
    Row,
    _Image,
    _image,
    _limit,
    _stray,
    quoted,
)  # fmt: skip
from turnwise.verifiers.sql.text import QueryError, query_in, read_script
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["verify_script"]

_STEPS_PER_CHECK = 50
_MORE_PAGES = 500  # that a script may add to a database
_ALLOWED = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in [
        "SELECT",
        "READ",
        "RECURSIVE",
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE_TABLE",
        "CREATE_TEMP_TABLE",
        "CREATE_INDEX",
        "CREATE_TEMP_INDEX",
        "DROP_TABLE",
        "DROP_TEMP_TABLE",
        "DROP_INDEX",
        "DROP_TEMP_INDEX",
        "ALTER_TABLE",
        "TRANSACTION",
        "SAVEPOINT",
        "REINDEX",
    ]
)


class _Left(NamedTuple):
    """The tables that a script leaves: their columns and rows, by name in lower case."""

    columns: dict[str, tuple[str, ...]]
    rows: dict[str, list[Row]]


class _Failed(Exception):
    """The script fails; the message says how, and whether a bound is the reason."""

    def __init__(self, message: str, bound: bool = False) -> None:
        super().__init__(message)
        self.bound = bound


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        # ALTER TABLE calls functions of SQLite's own; it refuses them in statements.
        name = (second or "").casefold()
        known = name in _FUNCTIONS or name.startswith(("sqlite_rename_", "sqlite_drop_", "sqlite_add_", "sqlite_fail"))
        return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _run_script(script: str, image: _Image, bounds: Bounds) -> _Left:
    left = bounds.steps // _STEPS_PER_CHECK
    deadline = time.thread_time() + bounds.cpu_s
    reason = ""

    def progress() -> bool:
        nonlocal left, reason
        left -= 1
        if left < 0:
            reason = f"the script takes more than {bounds.steps} steps"
        elif time.thread_time() > deadline:
            reason = f"the script takes more than {bounds.cpu_s} seconds"
        return bool(reason)

    with closing(sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)) as connection:
        connection.deserialize(image.data)
        connection.execute("PRAGMA temp_store = MEMORY")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {2 * pages + _MORE_PAGES}")
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        _limit(connection, image, bounds)
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(progress, _STEPS_PER_CHECK)
        try:
            connection.executescript(script)
        except (sqlite3.Error, MemoryError) as error:
            bound = bool(reason) or isinstance(error, sqlite3.DataError | MemoryError)
            raise _Failed(reason or f"the script fails: {str(error)[:200]}", bound) from error
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)
        if connection.in_transaction:
            raise _Failed("the script leaves a transaction open")
        return _left(connection)


def _left(connection: sqlite3.Connection) -> _Left:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    columns, rows = {}, {}
    for (name,) in names.fetchall():
        found = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        columns[name.casefold()] = tuple(column[1].casefold() for column in found)
        rows[name.casefold()] = connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
    return _Left(columns, rows)


@lru_cache(maxsize=64)
def _wanted(script: str, database: Database, bounds: Bounds) -> _Left:
    try:
        return _run_script(script, _image(database), bounds)
    except _Failed as error:
        raise DatabaseError(f"the wanted script {script[:200]!r} cannot be used: {error}") from error


def _difference(found: _Left, wanted: _Left, rel_tol: float) -> str:
    """Describe how tables differ from the wanted ones; empty if they do not."""
    for name, columns in wanted.columns.items():
        if name not in found.columns:
            return f"the table {name} is missing"
        if found.columns[name] != columns:
            return f"the columns of {name} are {', '.join(found.columns[name])}; they must be {', '.join(columns)}"
        rows, right_ = found.rows[name], wanted.rows[name]
        if len(rows) != len(right_):
            return f"{name} has {len(rows)} rows; it must have {len(right_)}"
        stray = _stray(rows, right_, rel_tol)
        if stray is not None:
            return f"the row {str(stray)[:100]} of {name} is not wanted"
    more = sorted(found.columns.keys() - wanted.columns.keys())
    return f"the table {more[0]} is not wanted" if more else ""


def verify_script(
    text: str,
    databases: Database | Sequence[Database],
    gold_script: str,
    *,
    rel_tol: float = 1e-9,
    allow_same: bool = False,
    bounds: Bounds = _BOUNDS,
) -> Verdict:
    """Judge whether a script leaves each of some databases as the wanted script does.

    Tables, the names and order of their columns, and their rows (in any order, numbers up to a tolerance) are compared;
    declared types, constraints, indexes and temporary tables are not. Views, triggers, virtual tables, pragmas and
    attached files are refused, and so is a script that leaves a transaction open.

    Args:
        text: A message with one or more statements of SQLite, as `query_in` finds them.
        databases: SQL scripts, or results of `turnwise.verifiers.sql.results.build`.
        gold_script: The wanted script; it runs within the same bounds.
        rel_tol: Relative tolerance for numbers of which one is REAL.
        allow_same: A wanted script that changes none of the databases is accepted.
        bounds: Bounds on a script.

    Returns:
        The verdict; undecided if the script reaches a bound.

    Raises:
        DatabaseError: A database or the wanted script cannot be used.

    >>> script = "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, ' x'), (2, 'y')"
    >>> verify_script("UPDATE t SET b = 'x' WHERE a = 1", script, "UPDATE t SET b = TRIM(b)").correct
    True
    >>> verify_script("DELETE FROM t WHERE a = 1", script, "UPDATE t SET b = TRIM(b)").reason
    't has 1 rows; it must have 2'
    """
    if isinstance(databases, str | bytes):
        databases = [databases]
    if not databases:
        raise DatabaseError("there must be databases")
    images = [_image(database) for database in databases]
    goals = [_wanted(gold_script, database, bounds) for database in databases]
    if not allow_same and all(goal == _wanted("", each, bounds) for goal, each in zip(goals, databases, strict=True)):
        raise DatabaseError(f"the wanted script changes nothing: {gold_script[:200]!r}; see allow_same")
    try:
        script = read_script(query_in(text))
    except QueryError as error:
        return wrong(str(error))
    for i, (image, goal) in enumerate(zip(images, goals, strict=True)):
        where = f"on database {i + 1} of {len(databases)}, " if len(databases) > 1 else ""
        try:
            problem = _difference(_run_script(script, image, bounds), goal, rel_tol)
        except _Failed as error:
            return undecided(where + str(error), script) if error.bound else wrong(where + str(error), script)
        if problem:
            return wrong(where + problem, script)
    return right(script)
