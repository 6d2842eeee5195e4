"""Logic grids ("zebra puzzles"): who has what, as a table with one row for each house, person or day.

Accepted are a Markdown table, with the rows' names down the side or along the top; a JSON object of objects or a list
of them; and lines such as ``House 1: Ada, red, tea``. A contradictory table, with a repeated cell or one value in two
rows, earns nothing, so a guess cannot be spread over the rows.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["GridError", "LogicGrid", "Table", "grid_of", "parse_table", "verify_table"]

MAX_CHARS = 20_000
_MAX_DEPTH = 6
_FORBIDDEN = frozenset("|,;:=\n\"'`*[]{}")
_RULER = re.compile(r"[-|:+= ]*")
_MARKS = " \t\r*_`\"'"
_BLANK = frozenset(("", "-", "?"))  # a cell left open

Table = tuple[tuple[str | None, ...], ...]
"""Values by row and category; None if the text gives none."""


class GridError(ValueError):
    """An invalid grid, or an invalid solution."""


class LogicGrid(NamedTuple):
    """The rows' names, the categories with their values (each belongs to one row), and the word for a row."""

    rows: tuple[str, ...]
    categories: tuple[tuple[str, tuple[str, ...]], ...]
    row_name: str = "house"


def grid_of(
    rows: Iterable[str | int], categories: Mapping[str, Sequence[str | int]], row_name: str = "house"
) -> LogicGrid:
    """Make a grid and check it.

    Raises:
        GridError: A name is repeated or contains a separator, or a category does not have one value per row.

    >>> grid_of([1, 2], {"color": ["red", "blue"]}).rows
    ('1', '2')
    """
    grid = LogicGrid(
        tuple(map(str, rows)), tuple((name, tuple(map(str, values))) for name, values in categories.items()), row_name
    )
    for what, names in (("rows", grid.rows), ("categories", tuple(categories)), *grid.categories):
        if not names or len({_folded(name) for name in names}) < len(names):
            raise GridError(f"the names of the {what} are not there or not different: {names}")
        odd = [name for name in names if not _folded(name) or not _FORBIDDEN.isdisjoint(name)]
        if odd:
            raise GridError(f"{odd[0]!r} among the {what} is empty or holds a separator")
        if what != "categories" and len(names) != len(grid.rows):
            raise GridError(f"{what} has {len(names)} values for {len(grid.rows)} rows")
    return grid


def verify_table(
    text: str, grid: LogicGrid, solution: Sequence[Sequence[str]] | None = None,
    check: Callable[[Table], str] | None = None, *, partial: bool = False,
) -> Verdict:  # fmt: skip
    """Judge whether the text is the full table of the solution, or one that breaks no rule.

    Args:
        text: The table.
        grid: The allowed rows, categories and values.
        solution: The values by row and category.
        check: Returns what is wrong with a full table; "" if it is right. If given, it decides, and the solution is
            used only for the parts.
        partial: Pay a wrong table its share of right cells, below 1; needs the solution.

    Returns:
        A verdict whose value is the table, with the part "cells" if there is a solution: the share of right cells.

    Raises:
        GridError: There is neither a solution nor a check, or the solution does not fit the grid.

    >>> grid = grid_of([1, 2], {"name": ["Ada", "Ben"], "pet": ["cat", "dog"]})
    >>> solution = [["Ben", "cat"], ["Ada", "dog"]]
    >>> verify_table("House 1: Ben, cat; House 2: Ada, dog", grid, solution).correct
    True
    >>> verify_table('{"1": {"name": "Ben"}, "2": {"name": "Ada"}}', grid, solution, partial=True).score
    0.5
    """
    if solution is None and (check is None or partial):
        raise GridError("a check of the table is needed, or a solution")
    if solution is not None and not _fits(solution, grid):
        raise GridError(f"the solution {solution!r} does not fit the grid")
    table = parse_table(text, grid)
    if isinstance(table, str):
        return wrong(table)
    parts = None
    score = 0.0
    if solution is not None:
        same = sum(a == b for row, other in zip(table, solution, strict=True) for a, b in zip(row, other, strict=True))
        share = same / (len(grid.rows) * len(grid.categories))
        parts, score = {"cells": share}, min(share, 1 - 1e-9) if partial else 0.0
    for row, cells in zip(grid.rows, table, strict=True):
        for (category, _), value in zip(grid.categories, cells, strict=True):
            if value is None:
                return wrong(f"{grid.row_name} {row} has no {category}", table, score, parts)
    if check is not None:
        problem = check(table)
        return wrong(problem, table, score, parts) if problem else right(table, parts)
    return right(table, parts) if share == 1 else wrong("not all of the table is right", table, score, parts)


def _fits(solution: Sequence[Sequence[str]], grid: LogicGrid) -> bool:
    if any(len(row) != len(grid.categories) for row in solution):
        return False
    return all(sorted(row[j] for row in solution) == sorted(v) for j, (_, v) in enumerate(grid.categories))


# ---- reading ------------------------------------------------------------------------------------------------------


class _Unreadable(Exception):
    """The text cannot be read; the message says why."""


def _folded(text: str) -> str:
    return " ".join(text.strip(_MARKS).casefold().split())


class _Reader:
    """Enters the contents of a text into the cells of a grid."""

    def __init__(self, grid: LogicGrid) -> None:
        self.grid = grid
        self.rows = {_folded(row): i for i, row in enumerate(grid.rows)}
        self.categories = {_folded(name): i for i, (name, _) in enumerate(grid.categories)}
        self.values = [{_folded(value): value for value in values} for _, values in grid.categories]
        self.row_name = _folded(grid.row_name)
        self.cells: dict[tuple[int, int], str] = {}
        self.owners: dict[tuple[int, str], int] = {}

    def row(self, text: str) -> int | None:
        """Return the row that a text names: ``House 1``, ``#1``, ``1``."""
        folded = _folded(text)
        bare = folded.removeprefix(self.row_name).strip(" #_.") if folded not in self.rows else folded
        return self.rows.get(bare)

    def put(self, row: int, category: int, text: str) -> None:
        """Enter one cell."""
        if _folded(text) in _BLANK:
            return
        name, value = self.grid.categories[category][0], self.values[category].get(_folded(text))
        if value is None:
            raise _Unreadable(f"{text.strip()[:40]!r} is not a listed {name}")
        if (row, category) in self.cells:
            raise _Unreadable(f"{self.grid.row_name} {self.grid.rows[row]} has its {name} twice")
        other = self.owners.setdefault((category, value), row)
        if other != row:
            raise _Unreadable(f"{value} is in both {self.grid.rows[other]} and {self.grid.rows[row]}")
        self.cells[row, category] = value

    def put_items(self, row: int, items: Sequence[str]) -> None:
        """Enter cells, given with their category or as bare values; values of several categories count by position."""
        for place, item in enumerate(items):
            if _folded(item) in _BLANK:
                continue
            label, mark, value = item.replace("=", ":").partition(":")
            category = self.categories.get(_folded(label)) if mark else None
            if category is None:
                value = item
                fitting = [i for i, values in enumerate(self.values) if _folded(item) in values]
                in_order = len(items) == len(self.values) and place in fitting
                category = place if in_order else fitting[0] if len(fitting) == 1 else None
            if category is None:
                raise _Unreadable(f"{item.strip()[:40]!r} is none of the values listed, or of several categories")
            self.put(row, category, value)

    def put_columns(self, header: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
        """Enter the lines of a table whose first line names the categories, or the rows."""
        for place, cells in enumerate(lines):
            if len(cells) != len(header):
                raise _Unreadable(f"a line of the table has {len(cells)} cells, its first line {len(header)}")
            columns = [self.categories.get(_folded(name)) for name in header]
            if columns.count(None) <= 1 and len(columns) > columns.count(None):
                labels = [cell for cell, column in zip(cells, columns, strict=True) if column is None]
                row = self.row(labels[0]) if labels else place
                if row is None or row >= len(self.grid.rows):
                    raise _Unreadable(f"the table has no {self.grid.row_name} {(labels or [str(place + 1)])[0][:40]!r}")
                for cell, column in zip(cells, columns, strict=True):
                    if column is not None:
                        self.put(row, column, cell)
                continue
            category = self.categories.get(_folded(cells[0]))
            for name, cell in zip(header[1:], cells[1:], strict=True):
                row = self.row(name)
                if row is None or category is None:
                    raise _Unreadable("the table's first line names neither all categories nor all rows")
                self.put(row, category, cell)


def parse_table(text: str, grid: LogicGrid) -> Table | str:
    r"""Return the table that the text gives, or what is wrong with it, in words.

    >>> grid = grid_of([1, 2], {"name": ["Ada", "Ben"]})
    >>> parse_table("| House | Name |\n|---|---|\n| 2 | Ada |", grid)
    ((None,), ('Ada',))
    >>> parse_table("1: Ada\n2: Ada", grid)
    'Ada is in both 1 and 2'
    """
    if len(text) > MAX_CHARS:
        return f"the answer is longer than {MAX_CHARS} characters"
    text, reader = undressed(text), _Reader(grid)
    try:
        if text.startswith(("{", "[")):
            _put_json(reader, _json(text))
        else:
            _put_lines(reader, text)
    except _Unreadable as problem:
        return str(problem)
    if not reader.cells:
        return f"there is no table; write lines such as {grid.row_name} {grid.rows[0]}: " + ", ".join(
            values[0] for _, values in grid.categories
        )
    return tuple(tuple(reader.cells.get((i, j)) for j in range(len(grid.categories))) for i in range(len(grid.rows)))


def _put_lines(reader: _Reader, text: str) -> None:
    header: list[str] | None = None
    table: list[list[str]] = []
    for line in re.split(r"[\n;]", text):
        line = line.strip()
        if _RULER.fullmatch(line):
            continue
        if line.startswith("|") or (header and "|" in line):
            cells = [cell.strip(_MARKS) for cell in line.removeprefix("|").removesuffix("|").split("|")]
            if header is None and reader.row(cells[0]) is None:
                header = cells
            elif header is not None:
                table.append(cells)
            else:
                reader.put_items(_known_row(reader, cells[0]), cells[1:])
            continue
        label, items = _split_label(reader, line.lstrip("-*• "))
        reader.put_items(label, [item for item in re.split(r"[,|]", items) if item.strip(_MARKS)])
    if header is not None:
        reader.put_columns(header, table)


def _known_row(reader: _Reader, text: str) -> int:
    row = reader.row(text)
    if row is None:
        raise _Unreadable(f"{text.strip()[:40]!r} is not a {reader.grid.row_name}")
    return row


def _split_label(reader: _Reader, line: str) -> tuple[int, str]:
    """Return the row that a line is about, and the rest of the line."""
    for mark in re.finditer(r"[:.)|,=-]", line[:60]):
        row = reader.row(line[: mark.start()])
        if row is not None:
            return row, line[mark.end() :]
    raise _Unreadable(f"not readable: {line[:40]!r}")


# ---- JSON ---------------------------------------------------------------------------------------------------------


def _json(text: str) -> object:
    """Return the value of a shallow JSON text without repeated keys."""
    depth = 0
    for mark in re.findall(r"[\[{}\]]", text):
        depth += 1 if mark in "[{" else -1
        if depth > _MAX_DEPTH:
            raise _Unreadable("the JSON is nested too deeply")

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({_folded(key) for key, _ in pairs}) < len(pairs):
            raise _Unreadable("a JSON object has a key twice")
        return dict(pairs)

    try:
        value: object = json.loads(text, object_pairs_hook=once)
    except ValueError as error:
        raise _Unreadable("the answer begins like JSON but is not valid JSON") from error
    return value


def _texts(values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(x, str) or type(x) is int for x in values):
        raise _Unreadable("the JSON must hold texts and whole numbers")
    return [str(x) for x in values]


def _pairs(value: dict[str, object]) -> Iterator[tuple[str, str]]:
    return zip(value, _texts(list(value.values())), strict=True)


def _put_json(reader: _Reader, value: object) -> None:
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), (dict, list)):
        key = next(iter(value))
        if reader.row(key) is None and _folded(key) not in reader.categories:
            value = inner  # {"solution": ...}
    if isinstance(value, list):
        for place, item in enumerate(value):
            if not isinstance(item, dict):
                raise _Unreadable("the JSON list must hold objects")
            _put_object(reader, item, place)
    elif isinstance(value, dict) and set(value) == {"header", "rows"} and isinstance(value["rows"], list):
        reader.put_columns(_texts(value["header"]), map(_texts, value["rows"]))
    elif isinstance(value, dict):
        for key, item in value.items():
            category = reader.categories.get(_folded(key)) if reader.row(key) is None else None
            if category is not None:
                cells = _pairs(item) if isinstance(item, dict) else zip(reader.grid.rows, _texts(item), strict=False)
                for name, cell in cells:
                    reader.put(_known_row(reader, name), category, cell)
            elif isinstance(item, dict):
                for name, cell in _pairs(item):
                    reader.put_items(_known_row(reader, key), [f"{name}: {cell}"])
            else:
                reader.put_items(_known_row(reader, key), _texts(item))
    else:
        raise _Unreadable("the JSON is neither an object nor a list")


def _put_object(reader: _Reader, item: dict[str, object], place: int) -> None:
    """Enter one object of a list: a row with its name, or by its place in the list."""
    row: int | None = None
    cells = []
    for name, cell in _pairs(item):
        if _folded(name) in reader.categories:
            cells.append((reader.categories[_folded(name)], cell))
        elif row is None:
            row = _known_row(reader, cell)
        else:
            raise _Unreadable(f"{name[:40]!r} is not a category")
    if row is None:
        row = place
    if row >= len(reader.grid.rows):
        raise _Unreadable(f"there are more than {len(reader.grid.rows)} rows")
    for category, cell in cells:
        reader.put(row, category, cell)
