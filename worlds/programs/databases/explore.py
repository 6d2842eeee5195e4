"""Show a query's result as a bounded text table."""

import sqlite3
from contextlib import closing

from turnwise.verifiers.sql.results import Bounds, Value, _image, _opened, _run, _Stopped
from turnwise.verifiers.sql.text import QueryError, query_in, read_query

__all__ = ["shown_result"]

_BOUNDS = Bounds()
_MAX_CELL = 40  # characters
_MAX_COLUMNS = 25


def shown_result(text: str, database: bytes, num_rows: int) -> str:
    """Return the first rows of a query's result, one per line below the column names, or the query's error.

    Args:
        text: A read-only query.
        database: A database as `turnwise.verifiers.sql.results.build` makes it.
        num_rows: Maximum number of rows shown; cells and columns are also cut.

    >>> from turnwise.verifiers.sql.results import build
    >>> data = build("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, 'z')")
    >>> print(shown_result("SELECT * FROM t", data, 2))
    a | b
    1 | x
    2 | NULL
    There are more rows.
    >>> shown_result("SELECT c FROM t", data, 2)
    'The query fails: no such column: c.'
    """
    try:
        query = read_query(query_in(text)).text
        rows, width = _run(query, _image(database), _BOUNDS, num_rows + 1)
    except QueryError as error:
        return f"Not run: {error}."
    except _Stopped as error:
        return f"Stopped: {error}."
    except sqlite3.Error as error:
        return f"The query fails: {str(error)[:200]}."
    lines = [_line(list(row)) for row in (_names(query, database, width), *rows[:num_rows])]
    end = "There are more rows." if len(rows) > num_rows else f"{len(rows)} row{'s' * (len(rows) != 1)}."
    return "\n".join([*lines, end])


def _names(query: str, database: bytes, width: int) -> list[Value]:
    """Return the names of a result's columns."""
    with closing(_opened(_image(database), _BOUNDS, query)) as connection:
        connection.set_progress_handler(lambda: True, 1000)
        try:
            description = connection.execute(f"SELECT * FROM ({query}\n) LIMIT 0").description
        except sqlite3.Error:  # too much work before the first row
            return [f"column {i + 1}" for i in range(width)]
    return [name for name, *_ in description]


def _line(row: list[Value]) -> str:
    return " | ".join(map(_cell, row[:_MAX_COLUMNS])) + (" | ..." if len(row) > _MAX_COLUMNS else "")


def _cell(value: Value) -> str:
    if value is None:
        return "NULL"
    text = f"X'{value[:_MAX_CELL].hex()}'" if isinstance(value, bytes) else str(value)
    text = " ".join(text.encode("utf-8", "replace").decode()[: 4 * _MAX_CELL].split())
    return text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]}..."
