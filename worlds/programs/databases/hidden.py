"""Hidden databases of a request: those on which its answer differs from wrong versions of it.

A few are the same for every request. The others are looked for when an answer has passed these: each must tell apart a
wrong version that none before it does. Versions that no candidate tells apart count as equivalent.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from turnwise.worlds.programs.databases.draw import Request, database
from turnwise.worlds.programs.databases.mutants import mutants

__all__ = ["first_databases", "further_databases", "says_something", "wrong_versions"]

_FIRST = ((40, True), (90, True), (60, True), (30, True), (140, True), (200, False))  # rows, and whether hinted
_SIZES = (30, 200, 60, 25, 120, 45, 300, 90, 35, 20)  # of candidates
_CANDIDATES = 30
_STEPS = 300_000  # of SQLite's machine; a wrong version that takes more is left out
_MOST_ROWS = 3000

_Result: TypeAlias = tuple[object, ...]


def first_databases(request: Request) -> Iterator[bytes]:
    """Yield the hidden databases that every answer is tried on."""
    for number in range(1, len(_FIRST) + 1):
        yield _first(request, request.seed, number)


def further_databases(request: Request) -> Iterator[bytes]:
    """Yield the hidden databases that tell apart wrong versions which agree on the first ones."""
    for number in _further(request, request.seed):
        yield _candidate(request, number)


def says_something(request: Request) -> bool:
    """Return whether the answer says or changes something on one of the first two hidden databases."""
    for data in islice(first_databases(request), 2):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(data)
            if request.question.writes:
                if _effect(connection, request, request.question.sql) != _effect(connection, request, "SELECT 1"):
                    return True
            elif any(value for row in connection.execute(request.question.sql) for value in row):
                return True
    return False


def wrong_versions(request: Request) -> list[str]:
    """Return the wrong versions of the answer that differ from it on the first hidden databases."""
    versions = left = mutants(request.question.sql)
    for data in first_databases(request):
        left = _agreeing(data, request, left)
    return [version for version in versions if version not in left]


@lru_cache(maxsize=64)
def _first(request: Request, _seed: int, number: int) -> bytes:
    """Return one of the first databases; several answers to a request are often judged in a row."""
    size, hinted = _FIRST[number - 1]
    return database(request, size, number, hinted)


def _candidate(request: Request, number: int) -> bytes:
    return database(request, _SIZES[number % len(_SIZES)], 100 + number, True)


@lru_cache(maxsize=512)
def _further(request: Request, _seed: int) -> tuple[int, ...]:
    """Return the numbers of the candidates that are needed; equal requests differ by their seeds."""
    left = mutants(request.question.sql)
    for data in first_databases(request):
        left = _agreeing(data, request, left)
    found = []
    for number in range(_CANDIDATES):
        if not left:
            break
        still = _agreeing(_candidate(request, number), request, left)
        if len(still) < len(left):
            found.append(number)
            left = still
    return tuple(found)


def _agreeing(data: bytes, request: Request, others: Sequence[str]) -> list[str]:
    """Return the statements that run and do the same as a request's answer on a database."""
    found = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(data)
        wanted = _effect(connection, request, request.question.sql)
        if wanted is None:  # too much work on this database
            return list(others)
        for other in others:
            if _effect(connection, request, other) == wanted:
                found.append(other)
    return found


def _effect(connection: sqlite3.Connection, request: Request, sql: str) -> _Result | None:
    """Return what a statement returns or leaves, in a form that is equal for equal effects; None if it fails."""
    steps = 0

    def progress() -> bool:
        nonlocal steps
        steps += 1
        return steps > _STEPS // 1000

    connection.set_progress_handler(progress, 1000)
    try:
        if not request.question.writes:
            rows = [_plain(row) for row in connection.execute(sql).fetchmany(_MOST_ROWS)]
            return tuple(rows if "ORDER BY" in sql.rpartition(")")[2] else sorted(rows, key=repr))
        connection.execute("BEGIN")
        for statement in sql.split(";"):
            connection.execute(statement)
        return _left(connection)
    except sqlite3.Error:
        return None
    finally:
        connection.set_progress_handler(None, 0)
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _left(connection: sqlite3.Connection) -> _Result:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    tables = (connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in names)
    return tuple(tuple(sorted(map(_plain, rows), key=repr)) for rows in tables)


def _plain(row: Sequence[object]) -> _Result:
    """Return a row without the last digits of its numbers."""
    return tuple(f"{value:.9g}" if isinstance(value, int | float) else value for value in row)
