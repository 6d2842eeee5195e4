"""Sql: answer a question about a small database with a query, after looking around in it.

Source: text to SQL as in Spider (Yu et al., arXiv 1809.08887), on generated schemas and questions; queries are
distinguished on several databases after Zhong, Yu and Klein (arXiv 2010.02840); queries over turns as in InterCode
(arXiv 2306.14898).
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer, tagged
from turnwise.verifiers.sql.perturb import perturbed
from turnwise.verifiers.sql.results import Value, build, verify_sql
from turnwise.verifiers.sql.text import QueryError, query_in, read_query
from turnwise.worlds.programs.databases.explore import shown_result
from turnwise.worlds.programs.databases.queries import Query, draw_query, hints, kinds, weaker
from turnwise.worlds.programs.databases.schema import (
    Rows,
    Schema,
    declared,
    draw_rows,
    draw_schema,
    literal,
    script,
)
from turnwise.worlds.programs.databases.wording import RULES, question
from turnwise.worlds.programs.databases.writing import reference

MAX_DATABASES, QUERIES_PER_DATABASE = 200, 8  # maximum drawn for one task
MAX_RESULT = 40  # rows
NUM_DRAWN, NUM_PERTURBED = 3, 2  # hidden databases
_WORD = re.compile(r"'[^']*'|\w+")
_RECURSION = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"


@dataclass(frozen=True)
class Task:
    """A schema, its rows, the question, and the seed of the hidden databases."""

    schema: Schema
    rows: Rows
    query: Query
    seed: int = field(compare=False)


@register("Sql-v0")
class Sql(Env[Task]):
    """Answer a question with a SQL query; reward 1 if it is right on the database shown and on five hidden ones.

    The hidden databases have the same tables: three have rows redrawn, in which the values that the question names
    are frequent, two are perturbed copies. A task is posed only where the results differ between databases and where
    each condition, limit, order and the like makes a difference on one of them. The wording settles the columns, their
    order, duplicates, ties and missing values.

    ``<sql>...</sql>`` shows the first rows of a query's result, ``<answer>...</answer>`` ends the episode. Queries
    only read, within bounds of steps and time.
    """

    num_tables: Annotated[int, Range(2, 5)] = 3
    """Tables of the database."""
    num_rows: Annotated[int, Range(8, 60)] = 15
    """Rows of a table, about; those that others refer to have half as many."""
    steps: Annotated[int, Range(1, 5)] = 3
    """Difficulty of a question, from 1 (filter, aggregate) through joins (3) to correlated subqueries (5): it has this
    many steps or one fewer."""
    num_conditions: Annotated[int, Range(1, 3)] = 1
    """Conditions on the rows that are asked for."""
    kind: Literal[
        "mixed", "rows", "aggregate", "sorted", "distinct", "group", "join", "has", "extreme", "join_group",
        "percount", "compare", "set", "compare_same", "top", "both", "has_many",
    ] = "mixed"  # fmt: skip
    """The kind of question, or mixed: any of ``steps``."""
    show_rows: Annotated[int, Range(1, 50)] = 10
    """Rows of a result that are shown."""
    max_turns: Annotated[int, Range(1, 100)] = 6
    """Queries and the answer together."""

    levels = tuple(
        {"num_tables": t, "num_rows": r, "steps": s, "num_conditions": c}
        for t, r, s, c in [
            (2, 10, 1, 1), (2, 15, 1, 2), (2, 15, 2, 1), (3, 15, 2, 2), (3, 15, 3, 1),
            (3, 20, 3, 2), (4, 20, 4, 1), (4, 25, 4, 2), (5, 25, 5, 1), (5, 30, 5, 2),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        lambda env: f"<answer>{env.hard_coded()}</answer>",
        lambda env: f"<answer>{env.hard_coded(union=True)}</answer>",
        lambda env: f"<answer>SELECT * FROM {env.task.query.base}</answer>",
        lambda env: f"<answer>SELECT * FROM {', '.join(t.name for t in env.task.schema)}</answer>",
        lambda env: f"<answer>{env.weak(0)}</answer>",
        lambda env: f"<answer>{env.weak(1)}</answer>",
        "<answer>SELECT NULL WHERE 0</answer>",
        f"<answer>{_RECURSION}</answer>",
        lambda env: f"<answer>DELETE FROM {env.task.query.base}; {env.reference()}</answer>",
        lambda env: f"<answer>{env.reference()}; DROP TABLE {env.task.query.base}</answer>",
        "<answer>ATTACH DATABASE '/etc/passwd' AS other</answer>",
        "<answer>PRAGMA table_info(sqlite_master)</answer>",
        "<answer>SELECT sql FROM sqlite_master</answer>",
        lambda env: f"<answer>{env.reference()}</answer><answer>SELECT 1</answer>",
        lambda env: f"<answer>-- {env.reference()}</answer>",
        lambda env: f"<answer>SELECT 1 /* {env.reference()} */</answer>",
        lambda env: f"<sql>{env.reference()}</sql>",
        lambda env: f"<think><answer>{env.reference()}</answer>",
    )

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        options = kinds(self.steps) + (kinds(self.steps - 1) if self.steps > 1 else ())
        for _ in range(MAX_DATABASES):
            schema = draw_schema(draw, self.num_tables)
            rows = draw_rows(draw, schema, self.num_rows)
            with closing(_opened(schema, rows)) as shown:
                for _ in range(QUERIES_PER_DATABASE):
                    kind = draw.choice(options) if self.kind == "mixed" else self.kind
                    query = draw_query(draw, schema, rows, kind, self.num_conditions)
                    if query is not None:
                        task = Task(schema, rows, query, draw.below(2**53))
                        if self._fair(task, shown):
                            return task
        raise SettingsError(f"no question of kind={self.kind!r} was found; raise num_rows={self.num_rows}")

    def _fair(self, task: Task, shown: sqlite3.Connection) -> bool:
        """Return whether the databases distinguish the right query from a constant and from all weaker ones."""
        wanted = shown.execute(reference(task.query, task.schema)).fetchall()
        if not 0 < len(wanted) <= MAX_RESULT or not _says_something(wanted):
            return False
        with closing(_opened(task.schema, _drawn_anew(task, 0))) as hidden:
            other = hidden.execute(reference(task.query, task.schema)).fetchall()
            if not _says_something(other) or _as_asked(task.query, wanted) == _as_asked(task.query, other):
                return False
            if not _has_gap(task, wanted):
                return False
            for weak in weaker(task.query, task.schema):
                text = reference(weak, task.schema)
                if all(
                    _as_asked(task.query, database.execute(text).fetchall()) == _as_asked(task.query, right)
                    for database, right in ((shown, wanted), (hidden, other))
                ):
                    return False
        return True

    def identity(self, task: Task) -> object:
        return tuple(declared(task.schema)), task.rows, task.query

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self._database = b""
        self.queries = 0
        look = ""
        if self.max_turns > 1:
            look = (
                f"To explore this database, send one query per message as <sql>SELECT ...</sql>; you see the first "
                f"{self.show_rows} rows of its result. You have {self.max_turns} messages, including your answer. "
            )
        return "\n".join([
            "Answer the question with one SQLite query. Its result must be correct on this database and on hidden "
            "databases with the same tables but other rows.",
            "",
            *declared(task.schema),
            "",
            f"Question: {question(task.query, task.schema)}",
            "",
            RULES,
            f"{look}Answer with the query, in the form <answer>SELECT ...</answer>; your first answer is final.",
        ])  # fmt: skip

    @property
    def database(self) -> bytes:
        """The visible database, as an SQLite file."""
        if not self._database:
            self._database = build(script(self.task.schema, self.task.rows))
        return self._database

    def respond(self, action: str) -> Reply:
        message = action.rpartition("</think>")[2]
        asked = [] if "<answer>" in message else tagged(message, "sql")
        if asked and ("</think>" in action or "<think>" not in action):
            if len(asked) > 1:
                return Reply("Send only one <sql>...</sql> per message.", invalid=True)
            self.queries += 1
            return Reply(shown_result(asked[0], self.database, self.show_rows))
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            read_query(query_in(text))
        except QueryError as error:
            return Reply(f"That is not an answer: {error}.", invalid=True)
        verdict = verify_sql(text, (self.database, *self._hidden()), self.reference())
        if verdict.correct:
            return Reply("Correct.", solved=True)
        return Reply(f"Wrong: {verdict.reason}.", done=True)

    def _hidden(self) -> tuple[bytes, ...]:
        drawn = [build(script(self.task.schema, _drawn_anew(self.task, i))) for i in range(NUM_DRAWN)]
        return (*drawn, *perturbed(self.database, self.task.seed, NUM_PERTURBED))

    def metrics(self) -> dict[str, float]:
        return {"queries": float(self.queries)}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reference(self) -> str:
        """Return a query that answers the question."""
        return reference(self.task.query, self.task.schema)

    def oracle(self) -> str:
        return f"<answer>{self.reference()}</answer>"

    def paraphrases(self) -> Sequence[str]:
        query = self.reference()
        renamed = _reworded(query, lambda word: {"t": "first", "u": "second", "v": "third"}.get(word, word))
        joined = re.sub("(?<!LEFT) JOIN ", " INNER JOIN ", query)
        free = not self.task.query.order
        return (
            f"<answer>{_reworded(query, str.lower)};</answer>",
            f"<answer>\n```sql\n{_reworded(query, str.upper)}\n```\n</answer>",
            f"<answer>{renamed.replace(' AS ', ' ')}</answer>",
            "<answer>\n"
            + query.replace(" FROM ", "\n  FROM\t").replace(" WHERE ", "\nWHERE ")
            + " -- done\n;</answer>",
            f"<answer>{joined.replace('LEFT JOIN', 'LEFT OUTER JOIN')}</answer>",
            f"<answer>WITH r AS ({query}) SELECT * FROM r</answer>"
            if free
            else f"<answer>/* in order */{query}</answer>",
            f"<think>SELECT 1?</think>So: <answer>{query}</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = rng.random(6).tolist()
        table = self.task.schema[int(draw[0] * len(self.task.schema))]
        names = [c.name for c in table.columns]
        start = int(draw[1] * len(names))
        columns = ["COUNT(*)"] if draw[2] < 0.2 else names[start : start + 1 + int(draw[3] * 3)]
        place = int(draw[4] * len(names))
        content = self.task.rows[self.task.schema.index(table)]
        value = content[int(draw[5] * len(content))][place]
        return f"<answer>SELECT {', '.join(columns)} FROM {table.name} WHERE {names[place]} = {literal(value)}</answer>"

    def hard_coded(self, *, union: bool = False) -> str:
        """Return the right result on the visible database, as constants."""
        with closing(_opened(self.task.schema, self.task.rows)) as shown:
            rows = [", ".join(map(literal, row)) for row in shown.execute(self.reference())]
        return (
            " UNION ALL ".join(f"SELECT {row}" for row in rows)
            if union
            else f"VALUES {', '.join(f'({r})' for r in rows)}"
        )

    def weak(self, number: int) -> str:
        """Return a query that misses one requirement, or one for all rows if there is none."""
        weak = next(islice(weaker(self.task.query, self.task.schema), number, None), None)
        return reference(weak, self.task.schema) if weak else f"SELECT * FROM {self.task.query.base}"


def _opened(schema: Schema, rows: Rows) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(script(schema, rows))
    return connection


def _drawn_anew(task: Task, number: int) -> Rows:
    draw = Draw("Sql", task.seed, number)
    return draw_rows(draw, task.schema, len(max(task.rows, key=len)) + number, hints(task.query, task.schema))


def _says_something(rows: Sequence[tuple[Value, ...]]) -> bool:
    return any(value for row in rows for value in row)


def _has_gap(task: Task, rows: Sequence[tuple[Value, ...]]) -> bool:
    """Return whether some row is unreferenced, where that makes a difference."""
    if task.query.kind == "percount":
        return any(row[-1] == 0 for row in rows)
    base = next(content for t, content in zip(task.schema, task.rows, strict=True) if t.name == task.query.base)
    return task.query.kind != "top" or len(rows) < len(base)


def _as_asked(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    """Return rows in a form that is equal for equal results."""
    return rows if query.order else sorted(rows, key=repr)


def _reworded(query: str, change: Callable[[str], str]) -> str:
    """Return a query with each word outside quotes changed."""
    return _WORD.sub(lambda match: match[0] if match[0].startswith("'") else change(match[0]), query)
