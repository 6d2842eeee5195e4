"""Judge SQL queries by what they return, on SQLite.

A query runs on a private copy in memory, may only read, and is bounded in steps, size and nesting, and in time against
hangs. Because one database can be matched by luck or by a constant, several can be given, and
`turnwise.verifiers.sql.perturb` makes them: a query is right only if its result is the wanted one on all of them.
Source: Zhong, Yu and Klein, Semantic Evaluation for Text-to-SQL with Distilled Test Suites (arXiv 2010.02840).
"""

import math
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from turnwise.verifiers.sql.text import QueryError, query_in, read_query
from turnwise.verifiers.structured.values import paired_off
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["Bounds", "Database", "DatabaseError", "Value", "build", "quoted", "verify_sql"]

_MAX_RESIDUE = 200  # rows that only a tolerance could pair off
_MAX_CELLS = 200_000  # values compared when trying orders of columns
_STEPS_PER_CHECK = 50

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Value, ...]
Database: TypeAlias = str | bytes  # an SQL script, or what `build` made of one

_FUNCTION_NAMES = (
    "-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh "
    "count cume_dist date datetime degrees dense_rank exp first_value floor format glob group_concat hex if ifnull "
    "iif instr json json_array json_array_length json_extract json_group_array json_group_object json_object "
    "json_quote json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 "
    "lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians "
    "rank replace round row_number rtrim sign sin sinh soundex sqrt strftime string_agg substr substring sum tan "
    "tanh time timediff total trim trunc typeof unhex unicode unixepoch unlikely upper"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_TABLE_FUNCTIONS = ("json_each", "json_tree")


class DatabaseError(ValueError):
    """A database or a wanted query or result that cannot be used."""


class Bounds(NamedTuple):
    """Bounds on one query on one database.

    Attributes:
        steps: Instructions of SQLite's virtual machine.
        cpu_s: Processor time in seconds. It only stops hangs: two million ordinary instructions take at most a fifth of
            it, and no verdict on such a query depends on a clock. Single instructions that scan thousands of bytes
            repeatedly can reach it; their query is undecided.
        cell: Bytes of one intermediate value or row (or twice the longest row of the database if that is more): memory
            grows with steps times this, to some 500 MB when rows of 4 kB are sorted.
        rows: Rows of a wanted result.
        result: Bytes of a result.
    """

    steps: int = 2_000_000
    cpu_s: float = 1.0
    cell: int = 4096
    rows: int = 10_000
    result: int = 2**22


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


_BOUNDS = Bounds()


class _Stopped(Exception):
    """A bound was reached; the message says which."""


class _Image(NamedTuple):
    data: bytes
    tables: frozenset[str]
    longest_row: int


def build(script: str) -> bytes:
    """Return a database built from its SQL script, as the bytes of an SQLite file.

    The script is the data set author's and is trusted: it runs without bounds.

    Raises:
        DatabaseError: The script fails.

    >>> build("CREATE TABLE t (a)")[:15]
    b'SQLite format 3'
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            connection.executescript(script)
            connection.commit()
            if not connection.execute("PRAGMA page_count").fetchone()[0]:
                connection.execute("PRAGMA user_version = 0")  # writes the first page: an empty database has none
            return connection.serialize()
        except sqlite3.Error as error:
            raise DatabaseError(f"the database script fails: {error}: {script[:200]!r}") from error


def _longest_row(connection: sqlite3.Connection, table: str) -> int:
    """Estimate the bytes of the longest row of a table."""
    cursor = connection.execute(f"SELECT * FROM {quoted(table)}")
    return max((sum(map(_size, row)) + 8 * len(row) for row in cursor), default=0)


@lru_cache(maxsize=32)
def _image(database: Database) -> _Image:
    data = build(database) if isinstance(database, str) else database
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            connection.deserialize(data)
            names = connection.execute(
                "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"
            ).fetchall()
            longest = max([_longest_row(connection, name) for name, kind in names if kind == "table"], default=0)
        except sqlite3.Error as error:
            raise DatabaseError(f"the database cannot be read: {error}") from error
    return _Image(data, frozenset(name.casefold() for name, _ in names), longest)


# ---- running a query ----------------------------------------------------------------------------------------------


def _opened(image: _Image, bounds: Bounds, query: str) -> sqlite3.Connection:
    """Return a private copy that can only be read."""
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
    connection.deserialize(image.data)
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA query_only = ON")
    for name in _TABLE_FUNCTIONS:
        if name in query.lower():  # SQLite's work on first use could not be allowed later
            connection.execute(f"SELECT 1 FROM {name}('[]')")
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    _limit(connection, image, bounds)
    readable = image.tables.union(_TABLE_FUNCTIONS)

    def authorize(action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        # Without a column: a table is named, or a common table expression, and only its rows are counted.
        if action == sqlite3.SQLITE_READ and (not second or (first or "").casefold() in readable):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and second is not None and second.casefold() in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    connection.set_authorizer(authorize)
    return connection


def _limit(connection: sqlite3.Connection, image: _Image, bounds: Bounds) -> None:
    """Bound the size and nesting of what a connection runs."""
    for limit, value in (
        (sqlite3.SQLITE_LIMIT_LENGTH, max(bounds.cell, 2 * image.longest_row)),
        (sqlite3.SQLITE_LIMIT_COLUMN, 200),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 300),
        (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (sqlite3.SQLITE_LIMIT_VDBE_OP, 25_000),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(limit, value)


def _size(value: Value) -> int:
    return len(value) if isinstance(value, str | bytes) else 8


def _run(query: str, image: _Image, bounds: Bounds, most: int) -> tuple[list[Row], int]:
    """Return the first ``most`` rows of a query, and how many columns it has.

    Raises:
        _Stopped: A bound is reached.
        sqlite3.Error: The query fails.
    """
    left = bounds.steps // _STEPS_PER_CHECK
    deadline = time.thread_time() + bounds.cpu_s
    reason = ""

    def progress() -> bool:
        nonlocal left, reason
        left -= 1
        if left < 0:
            reason = f"the query takes more than {bounds.steps} steps"
        elif time.thread_time() > deadline:
            reason = f"the query takes more than {bounds.cpu_s} seconds"
        return bool(reason)

    with closing(_opened(image, bounds, query)) as connection:
        connection.set_progress_handler(progress, _STEPS_PER_CHECK)
        rows: list[Row] = []
        size = 0
        try:
            cursor = connection.execute(query)
            width = len(cursor.description)
            for row in cursor:
                rows.append(row)
                size += sum(map(_size, row))
                if size > bounds.result:
                    raise _Stopped(f"the result has more than {bounds.result} bytes")
                if len(rows) == most:
                    break
        except sqlite3.DataError as error:
            raise _Stopped(f"the query makes too long a value or row: {error}") from error
        except sqlite3.Error as error:
            if reason or isinstance(error, sqlite3.InternalError):
                raise _Stopped(reason or str(error)) from error
            raise
        except MemoryError as error:  # Python's way to report that the program for the query is too long
            raise _Stopped("the query is too large") from error
        return rows, width


# ---- comparing results --------------------------------------------------------------------------------------------


def _same(left: Row, right_: Row, rel_tol: float) -> bool:
    for a, b in zip(left, right_, strict=True):
        if a == b:
            continue
        numbers = isinstance(a, int | float) and isinstance(b, int | float)
        if not numbers or (isinstance(a, int) and isinstance(b, int)):
            return False
        if not math.isclose(a, b, rel_tol=rel_tol):  # type: ignore[arg-type]
            return False
    return True


def _rounded(row: Row) -> tuple[tuple[str, float, str | bytes], ...]:
    """Return a key that sorts rows that are the same up to a small tolerance alike."""
    return tuple(
        ("", float(f"{value:.6g}"), "") if isinstance(value, int | float) else (type(value).__name__, 0.0, value or "")
        for value in row
    )


def _stray(rows: Sequence[Row], wanted: Sequence[Row], rel_tol: float) -> Row | None:
    """Return a row that is not wanted, or occurs too often, given equal numbers of rows; None if there is none."""
    if rows == wanted:
        return None
    # Python's equality is SQL's here: 1 == 1.0, and text, blobs and NULL equal only themselves.
    too_many, too_few = Counter(rows), Counter(wanted)
    too_many.subtract(wanted)
    too_few.subtract(rows)
    left, right_ = list((+too_many).elements()), list((+too_few).elements())
    if len(left) > _MAX_RESIDUE:
        left.sort(key=_rounded)
        right_.sort(key=_rounded)
        return next((a for a, b in zip(left, right_, strict=True) if not _same(a, b, rel_tol)), None)
    partners = paired_off(left, right_, lambda a, b: _same(a, b, rel_tol))
    return next((row for row, partner in zip(left, partners, strict=True) if partner is None), None)


def _column_orders(rows: Sequence[Row], wanted: Sequence[Row], rel_tol: float) -> Iterator[tuple[int, ...]]:
    """Yield the orders of columns that could make ``rows`` the wanted ones: each column must fit separately."""
    width = len(wanted[0])
    columns = [[(value,) for value in column] for column in zip(*rows, strict=True)]
    wanted_columns = [[(value,) for value in column] for column in zip(*wanted, strict=True)]
    fitting = [[j for j in range(width) if _stray(columns[j], column, rel_tol) is None] for column in wanted_columns]

    if None in paired_off(range(width), range(width), lambda i, j: j in fitting[i]):
        return iter(())

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == width:
            yield chosen
            return
        for j in fitting[len(chosen)]:
            if j not in chosen:
                yield from extend((*chosen, j))

    return extend(())


class _Wanted(NamedTuple):
    """The required result of a query on one database.

    Attributes:
        results: Right results: one, or several if the wanted query's LIMIT cuts through a tie. Then a query that
            returns another may be right too.
        width: Number of their columns.
        blocks: Where rows that are tied in the order begin, and the end; empty if the order is free.
    """

    results: tuple[list[Row], ...]
    width: int
    blocks: tuple[int, ...]


def _blocks(ascending: list[Row], descending: list[Row]) -> tuple[int, ...]:
    """Return where ties begin and end, given the two orders that differ within ties alone."""
    balance: Counter[Row] = Counter()
    unbalanced = 0
    blocks = [0]
    for i, pair in enumerate(zip(ascending, descending, strict=True)):
        for row, step in zip(pair, (1, -1), strict=True):
            unbalanced -= balance[row] != 0
            balance[row] += step
            unbalanced += balance[row] != 0
        if not unbalanced:
            blocks.append(i + 1)
    return tuple(blocks)


@lru_cache(maxsize=64)
def _wanted(gold: str, database: Database, ordered: bool | None, clock: bool, bounds: Bounds) -> _Wanted:
    image = _image(database)
    try:
        query = read_query(gold, clock)
        rows, width = _run(query.text, image, bounds, bounds.rows + 1)
        in_order = query.ordered if ordered is None else ordered
        variants = []
        if query.ordered and (in_order or query.limited):
            variants = [
                _run(query.with_ties_broken(width, direction), image, bounds, bounds.rows + 1)[0]
                for direction in ("ASC", "DESC")
            ]
    except (QueryError, sqlite3.Error, _Stopped) as error:
        raise DatabaseError(f"the wanted query {gold[:200]!r} cannot be used: {error}") from error
    if len(rows) > bounds.rows:
        raise DatabaseError(f"the wanted query {gold[:200]!r} returns more than {bounds.rows} rows")
    each = tuple(range(len(rows) + 1)) if in_order else ()
    if not variants:
        return _Wanted((rows,), width, each)
    if Counter(variants[0]) != Counter(variants[1]):
        return _Wanted((rows, *variants), width, each)
    return _Wanted((variants[0],), width, _blocks(*variants) if in_order else ())


def _difference(given: tuple[list[Row], int], wanted: _Wanted, rows: list[Row], rules: "_Rules") -> str:
    """Describe how a result differs from a right one; empty if it does not."""
    found, width = given
    if width != wanted.width and wanted.width >= 0:
        return f"the number of columns is {width}; it must be {wanted.width}"
    if len(found) != len(rows):
        return f"the query returns {'more' if len(found) > len(rows) else 'fewer'} rows than the {len(rows)} wanted"
    if not rows:
        return ""
    straight = tuple(range(width))
    stray = None
    misplaced = False
    for tried, order in enumerate(_column_orders(found, rows, rules.rel_tol) if rules.any_column_order else [straight]):
        if tried * width * len(rows) > _MAX_CELLS:
            raise _Stopped(f"more than {tried} orders of the columns would have to be tried")
        ranged = found if order == straight else [tuple(row[j] for j in order) for row in found]
        stray = _stray(ranged, rows, rules.rel_tol)
        if stray is None:
            if all(_stray(ranged[i:j], rows[i:j], rules.rel_tol) is None for i, j in pairwise(wanted.blocks)):
                return ""
            misplaced = True
    if misplaced:
        return "the query returns the right rows in another order"
    return f"the row {str(stray)[:100]} is not wanted, or not so often" if stray else "the rows are not the wanted ones"


class _Rules(NamedTuple):
    rel_tol: float
    any_column_order: bool


def verify_sql(
    text: str,
    databases: Database | Sequence[Database],
    gold_query: str | None = None,
    *,
    gold_rows: Sequence[Sequence[Value]] | None = None,
    ordered: bool | None = None,
    any_column_order: bool = False,
    rel_tol: float = 1e-9,
    allow_empty: bool = False,
    clock: bool = False,
    bounds: Bounds = _BOUNDS,
) -> Verdict:
    """Judge whether a query returns the same as the wanted one on each of some databases.

    Rows are compared as a multiset: duplicates count, order only if the wanted query has its own ORDER BY (rows that it
    leaves tied may come in any order). The names of columns do not matter.

    Args:
        text: A message with one SELECT, WITH or VALUES statement of SQLite, as `query_in` finds it.
        databases: SQL scripts, or results of `build` or `turnwise.verifiers.sql.perturb.perturbed`.
        gold_query: The wanted query; it runs within the same bounds.
        gold_rows: Or the wanted rows, for a single database.
        ordered: Whether the order of rows matters; None: if the wanted query has an ORDER BY.
        any_column_order: The columns may come in any order.
        rel_tol: Relative tolerance for numbers of which one is REAL; an INTEGER equals a REAL of the same value.
        allow_empty: A wanted result that is empty on all databases is accepted. Many wrong queries also return it.
        clock: Queries may read the clock; then a verdict may depend on the day.
        bounds: Bounds on a query.

    Returns:
        The verdict; undecided if the query reaches a bound, or differs only where the wanted query's LIMIT cuts through
        a tie.

    Raises:
        DatabaseError: A database, the wanted query or the wanted rows cannot be used.

    >>> script = "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'z')"
    >>> verify_sql("SELECT DISTINCT a FROM t", script, "SELECT a FROM t GROUP BY a").correct
    True
    >>> verify_sql("SELECT a FROM t", script, "SELECT a FROM t GROUP BY a").reason
    'the query returns more rows than the 2 wanted'
    """
    if isinstance(databases, str | bytes):
        databases = [databases]
    if not databases or (gold_query is None) == (gold_rows is None) or (gold_rows is not None and len(databases) > 1):
        raise DatabaseError("there must be databases and gold_query, or one database and gold_rows")
    if gold_query is not None:
        goals = [_wanted(gold_query, database, ordered, clock, bounds) for database in databases]
    else:
        goals = [_wanted_rows(gold_rows or (), bool(ordered))]
    if not allow_empty and not any(rows for goal in goals for rows in goal.results):
        raise DatabaseError(f"the wanted result is empty on every database: {gold_query!r}; see allow_empty")
    rules = _Rules(rel_tol, any_column_order)
    try:
        query = read_query(query_in(text), clock)
    except QueryError as error:
        return wrong(str(error))
    ambiguous = ""
    images = [_image(database) for database in databases]
    for i, (image, goal) in enumerate(zip(images, goals, strict=True)):
        where = f"on database {i + 1} of {len(databases)}, " if len(databases) > 1 else ""
        try:
            given = _run(query.text, image, bounds, 1 + max(map(len, goal.results)))
            problems = [_difference(given, goal, rows, rules) for rows in goal.results]
        except _Stopped as error:
            return undecided(where + str(error), query.text)
        except sqlite3.Error as error:
            return wrong(f"{where}the query fails: {str(error)[:200]}", query.text)
        if all(problems):
            if len(problems) == 1:
                return wrong(where + problems[0], query.text)
            ambiguous = f"{where}the wanted query cuts through a tie: {problems[0]}"
    return undecided(ambiguous, query.text) if ambiguous else right(query.text)


def _wanted_rows(gold_rows: Sequence[Sequence[Value]], ordered: bool) -> _Wanted:
    rows: list[Row] = [tuple(row) for row in gold_rows]
    for row in rows:
        if len(row) != len(rows[0]) or not all(
            value is None or type(value) in (int, float, str, bytes) for value in row
        ):
            raise DatabaseError(f"the wanted row {row!r} has another length than the first, or no value of SQLite")
    width = len(rows[0]) if rows else -1
    return _Wanted((rows,), width, tuple(range(len(rows) + 1)) if ordered else ())
