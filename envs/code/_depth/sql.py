"""How deep the requests of Sql are: shortcuts, and agents that read a request by its words."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from turnwise.core.agent import Action, Agent, Play
from turnwise.worlds.programs.databases.draw import schema

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]

_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*)\);$", re.MULTILINE)
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_PERIOD = re.compile(rf"(?:({'|'.join(_MONTHS)}) |the (first|second|third|fourth) (quarter|half) of )?(20\d\d)\b")
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_LIMIT = re.compile(r"(at least|more than|at most|less than) (\d+)")
_SIGNS = {"at least": ">=", "more than": ">", "at most": "<=", "less than": "<"}
_FUNCTIONS = {"average": "AVG", "highest": "MAX", "lowest": "MIN", "total": "SUM"}


class _Table(NamedTuple):
    name: str
    columns: tuple[tuple[str, str], ...]  # names and types

    @property
    def day(self) -> str:
        """The first column with a day or a moment."""
        return next((n for n, kind in self.columns if kind == "TEXT" and n.endswith(("_on", "_at", "day"))), "")

    @property
    def words(self) -> list[str]:
        """The columns with words."""
        return [
            n for n, kind in self.columns if kind == "TEXT" and not n.endswith(("_on", "_at", "day", "_from", "_to"))
        ]

    @property
    def numbers(self) -> list[str]:
        """The columns with numbers that are no keys."""
        return [n for n, kind in self.columns if kind in ("INTEGER", "REAL") and n != "id" and not n.endswith("_id")]


class _Brief(NamedTuple):
    """What the first message says."""

    tables: tuple[_Table, ...]
    request: str
    returns: str

    def table(self) -> _Table:
        """The table whose name shares most letters with a word of the request."""
        words = re.findall(r"[a-z]{4,}", self.request.lower())
        return max(
            self.tables, key=lambda t: (any(w[:5] in t.name for w in words), bool(t.day)), default=_Table("t", ())
        )


def _brief(text: str) -> _Brief:
    tables = []
    for name, body in _TABLE.findall(text):
        columns = re.findall(r"(?:^|, )(\w+) (TEXT|INTEGER|REAL)", body)
        tables.append(_Table(name, tuple(columns)))
    request = re.search(r"^Request: (.*)$", text, re.MULTILINE)
    returns = re.search(r"^(?:Return|Afterwards): (.*)$", text, re.MULTILINE)
    return _Brief(tuple(tables), request[1] if request else "", returns[1] if returns else "")


def task_text(observation: str) -> str:
    """Return the tables' names, the request, and what is to be returned; a request is asked of many databases."""
    brief = _brief(observation)
    listed = re.search(r"^Tables: (.*)$", observation, re.MULTILINE)
    names = listed[1] if listed else ", ".join(table.name for table in brief.tables)
    return f"Tables: {names}\n{brief.request} {brief.returns}"


def _within(request: str, column: str) -> list[str]:
    """Read a period as tests of a column."""
    match = _PERIOD.search(request)
    if match is None or not column:
        return []
    month, place, unit, year_text = match.groups()
    year, first, months = int(year_text), 0, 12
    if month:
        first, months = _MONTHS.index(month), 1
    elif unit:
        months = 3 if unit == "quarter" else 6
        first = _PLACES[place] * months
    after = first + months
    end = f"{year + after // 12}-{after % 12 + 1:02}-01"
    return [f"{column} >= '{year}-{first + 1:02}-01'", f"{column} < '{end}'"]


class _Reader(Agent):
    """Plays one message, or a look and one message, by rules; ``skill`` says how much of a request it reads.

    Args:
        skill: 0: counts rows; 1: also reads the period; 2: looks up values, limits and functions; 3: also groups.
    """

    batched = True

    def __init__(self, skill: int) -> None:
        self.skill = skill
        self.name = ("counts", "periods", "one table", "groups")[skill]

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self._next(play)) for play in plays]

    def _next(self, play: Play) -> str:
        brief = _brief(next(m["content"] for m in play.messages if m["role"] == "user"))
        table = brief.table()
        if self.skill >= 2 and table.words and play.turn == 0:
            listed = " UNION ALL ".join(
                f"SELECT '{column}', GROUP_CONCAT(DISTINCT {column}) FROM {table.name}" for column in table.words
            )
            return f"<sql>{listed}</sql>"
        seen = play.messages[-1]["content"] if play.turn else ""
        return f"<answer>{self._answer(brief, table, seen)}</answer>"

    def _answer(self, brief: _Brief, table: _Table, seen: str) -> str:
        request = brief.request
        tests = _within(request, table.day) if self.skill else []
        if self.skill >= 2:
            tests += _values(request, seen)
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        if self.skill >= 3 and brief.returns.startswith("one row per") and (grouped := _grouped(brief, table, where)):
            return grouped
        if self.skill >= 2:
            number = _number(request, table)
            limit = _LIMIT.search(request)
            if limit and number and brief.returns.endswith("its id."):
                return f"SELECT id FROM {table.name} WHERE {number} {_SIGNS[limit[1]]} {limit[2]}"
            for word, function in _FUNCTIONS.items():
                if word in brief.returns and number:
                    return f"SELECT {function}({number}) FROM {table.name}{where}"
        return f"SELECT COUNT(*) FROM {table.name}{where}"


def _values(request: str, seen: str) -> list[str]:
    """Find values of columns, as listed by a look, in a request."""
    words = set(re.findall(r"[\w-]+", request))
    for line in seen.split("\n"):
        column, bar, values = line.partition(" | ")
        for value in sorted(values.removesuffix("...").split(","), key=len, reverse=True) if bar else ():
            if (len(value) > 1 and f"'{value}'" in request) or (value in words and value not in ("id", "a")):
                return [f"{column.removeprefix('<tool_response>')} = '{value}'"]
    return []


def _number(request: str, table: _Table) -> str:
    """The column with numbers that a request is about."""
    words = re.findall(r"[a-z]{3,}", request.lower())
    fitting = [c for c in table.numbers if any(part in words for part in c.split("_")[-1:])]
    synonyms = {"units": ("quantity", "units"), "miles": ("amount",), "euros": ("amount",), "kwh": ("kwh",)}
    for word, columns in synonyms.items():
        if word in words:
            fitting += [c for c in table.numbers if c in columns]
    return (fitting or table.numbers or [""])[0]


def _grouped(brief: _Brief, table: _Table, where: str) -> str:
    """Write a count or an average for each value of a column that the request names."""
    keys = re.findall(r"one row per ([\w ]+?)(?: that occurs)?: (?:the )?(\w+)", brief.returns)
    columns = [name for name, _ in table.columns]
    key = next((k for _, k in keys if k in columns), next((k.replace(" ", "_") for k, _ in keys), ""))
    if key not in columns:
        return ""
    least = re.search(r"(?:at least|fewer than) (\d+)|(\d+) or more", brief.request)
    having = f" HAVING COUNT(*) >= {least[1] or least[2]}" if least else ""
    average = f"AVG({_number(brief.request, table)}), " if "the average" in brief.returns else ""
    return f"SELECT {key}, {average}COUNT(*) FROM {table.name}{where} GROUP BY {key}{having}"


class _Fixed(Agent):
    """Answers with a query made from the first message alone, or with the constants that a first look showed."""

    batched = True

    def __init__(self, name: str, query: Callable[[_Brief], str], look: bool = False) -> None:
        self.name, self.query, self.look = name, query, look

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self._next(play)) for play in plays]

    def _next(self, play: Play) -> str:
        query = self.query(_brief(next(m["content"] for m in play.messages if m["role"] == "user")))
        if not self.look:
            return f"<answer>{query}</answer>"
        if play.turn == 0:
            return f"<sql>{query}</sql>"
        rows = play.messages[-1]["content"].split("\n")[1:-1]
        cells = [
            ", ".join("NULL" if c == "NULL" else f"'{c}'" if not c.isdecimal() else c for c in row.split(" | "))
            for row in rows
        ]
        return f"<answer>VALUES {', '.join(f'({row})' for row in cells) or '(0)'}</answer>"


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "zero": lambda: _Fixed("zero", lambda brief: "SELECT 0"),
    "nothing": lambda: _Fixed("nothing", lambda brief: "SELECT NULL WHERE 0"),
    "count of a named table": lambda: _Fixed("count", lambda brief: f"SELECT COUNT(*) FROM {brief.table().name}"),
    "all of a named table": lambda: _Fixed("all", lambda brief: f"SELECT * FROM {brief.table().name}"),
    "ids of a named table": lambda: _Fixed("ids", lambda brief: f"SELECT id FROM {brief.table().name}"),
    "constants of a first look": lambda: _Fixed(
        "look", lambda brief: f"SELECT COUNT(*) FROM {brief.table().name}", True
    ),
}

SKILLS: Mapping[str, Callable[[], Agent]] = {
    "counts": lambda: _Reader(0),
    "periods": lambda: _Reader(1),
    "one table": lambda: _Reader(2),
    "groups": lambda: _Reader(3),
}


def extent(env: Any) -> tuple[int, int]:
    """Return the messages of a shortest solution, and the tables and entries of the dictionary that it needs."""
    question = env.task.question
    words = set(re.findall(r"\w+", question.sql))
    tables = sum(name in words for name in schema(env.task))
    looks = (1 + bool(question.terms)) if env.documents == "tool" else 0
    return looks + 1, tables + len(question.terms)
