"""Sql: an analyst's requests about a company's database, answered with a query or with a change of the data.

Source: text to SQL on several tables as in Spider (Yu et al., arXiv 1809.08887); knowledge outside of the schema as in
BIRD (Li et al., arXiv 2305.03111); statements are distinguished on several databases after Zhong, Yu and Klein (arXiv
2010.02840); queries over turns as in InterCode (arXiv 2306.14898). Schemas, data, dictionaries and requests are ours.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import chain
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.sql.results import Bounds, verify_sql
from turnwise.verifiers.sql.scripts import verify_script
from turnwise.verifiers.sql.text import QueryError, query_in, read_query, read_script
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.programs.databases.draw import (
    DOMAINS,
    Request,
    database,
    dictionary,
    draw_request,
    families,
    schema,
    title,
    unnamed,
)
from turnwise.worlds.programs.databases.explore import shown_result
from turnwise.worlds.programs.databases.hidden import first_databases, further_databases, says_something, wrong_versions

MAX_REQUESTS = 200  # drawn for one task
BOUNDS = Bounds(steps=20_000_000, cpu_s=3.0)
_WORD = re.compile(r"'[^']*'|\w+")
_RECURSION = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"
_RULES = (
    "The names of the columns do not matter, their order does. Rows may come in any order unless one is asked for. Do "
    "not round unless asked to."
)

TOOLS = Toolbox(
    [
        text_tool("sql", "Runs a query and shows its first rows.", lambda env, query: env.look(query),
                  query="one SELECT"),
        text_tool("tables", "Shows how tables are declared.", lambda env, names: env.tables_named(names),
                  names="names of tables, separated by commas"),
        text_tool("dictionary", "Shows entries of the data dictionary.", lambda env, terms: env.terms_named(terms),
                  terms="terms, separated by commas"),
    ]
)  # fmt: skip


@register("Sql-v0")
class Sql(Env[Request]):
    """Answer an analyst's request with SQL; reward 1 if the result is right on the database shown and on hidden ones.

    There are eight businesses (a web shop, a clinic, an airline, ...), each with 8 to 11 tables and conventions that
    vary: names, amounts in cents, times of day, deleted rows, definitions of business terms. Easy requests are about
    one table; hard ones take windows, gaps and islands, cohorts, hierarchies, prices as of a day. The data dictionary
    defines the terms; it is part of the prompt or looked up. Some requests ask for a change of the data instead, with
    any statements; then the database that they leave is compared.

    The hidden databases have the same tables and other rows, in which the values that the request names, the days at
    the edges of its periods, ties and missing values are frequent.

    ``<sql>...</sql>`` shows the first rows of a query's result, ``<answer>...</answer>`` ends the episode. Queries and
    changes run within bounds of steps and time.
    """

    tier: Annotated[int, Range(1, 6)] = 4
    """Difficulty of a request: 1 one condition on one table; 2 groups on one table; 3 several tables; 4 terms of the
    dictionary, shares; 5 windows, histories, chains of events; 6 cohorts, gaps and islands, hierarchies. It is of this
    tier or the one below."""
    num_tables: Annotated[int, Range(1, 12)] = 12
    """Tables of the database, if the business has as many and the request needs no more."""
    num_rows: Annotated[int, Range(20, 5000)] = 300
    """Rows of the largest tables, about."""
    documents: Literal["prompt", "tool"] = "prompt"
    """Whether declarations of tables and the dictionary are in the prompt, or looked up by name."""
    kind: Literal["mixed", "question", "change"] = "mixed"
    """Whether requests ask for a result or for a change of the data; changes are of tier 4 and 5."""
    businesses: str = ""
    """Names of the businesses, such as "shop,library"; empty for all: shop, clinic, billing, airline, library,
    logistics, school, utility."""
    rules: bool = True
    """Whether the prompt says what to do and how to answer; otherwise it is the documents and the request alone. Then
    requests with the same answer are the same task, however they are worded and whatever the tables are called."""
    show_rows: Annotated[int, Range(1, 50)] = 10
    """Rows of a result that are shown."""
    max_turns: Annotated[int, Range(1, 100)] = 10
    """Queries, look-ups and the answer together."""

    levels = tuple(
        {"tier": tier, "num_tables": tables, "num_rows": rows, "documents": documents, "max_turns": turns}
        for tier, tables, rows, documents, turns in [
            (1, 1, 40, "prompt", 4), (2, 3, 80, "prompt", 6), (3, 5, 150, "prompt", 8), (3, 12, 300, "prompt", 8),
            (4, 12, 300, "prompt", 10), (5, 12, 500, "prompt", 10), (5, 12, 800, "tool", 15),
            (6, 12, 1000, "prompt", 12), (6, 12, 2000, "tool", 20), (6, 12, 3000, "tool", 12),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        lambda env: f"<answer>{env.hard_coded()}</answer>",
        lambda env: f"<answer>{env.hard_coded(union=True)}</answer>",
        lambda env: f"<answer>SELECT * FROM {env.any_table()}</answer>",
        lambda env: f"<answer>SELECT COUNT(*) FROM {env.any_table()}</answer>",
        lambda env: f"<answer>{env.weak(0)}</answer>",
        lambda env: f"<answer>{env.weak(1)}</answer>",
        "<answer>SELECT NULL WHERE 0</answer>",
        f"<answer>{_RECURSION}</answer>",
        lambda env: f"<answer>DELETE FROM {env.any_table()}; {env.reference()}</answer>",
        lambda env: f"<answer>{env.reference()}; DROP TABLE {env.any_table()}</answer>",
        "<answer>ATTACH DATABASE '/etc/passwd' AS other</answer>",
        "<answer>PRAGMA table_info(sqlite_master)</answer>",
        "<answer>SELECT sql FROM sqlite_master</answer>",
        lambda env: f"<answer>{env.reference()}</answer><answer>SELECT 1</answer>",
        lambda env: f"<answer>-- {env.reference()}</answer>",
        lambda env: f"<answer>SELECT 1 /* {env.reference()} */</answer>",
        lambda env: f"<sql>{env.reference()}</sql>",
        lambda env: f"<think><answer>{env.reference()}</answer>",
    )

    def check(self) -> None:
        self._businesses = [name.strip() for name in self.businesses.split(",") if name.strip()] or list(DOMAINS)
        if unknown := [name for name in self._businesses if name not in DOMAINS]:
            raise SettingsError(f"businesses has {unknown[0]!r}; known are {', '.join(DOMAINS)}")
        if not self._tiers():
            raise SettingsError(f"kind is {self.kind!r} with tier={self.tier}; changes of the data are of tier 4 and 5")

    def _tiers(self) -> list[int]:
        tiers = (tier for tier in (self.tier, self.tier - 1) if tier > 0)
        return [tier for tier in tiers if families(tier, self.kind, self._businesses)]

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Request:
        draw = Draw.from_generator(rng)
        tiers = self._tiers()
        for _ in range(MAX_REQUESTS):
            tier = tiers[0] if draw.chance(0.75) else tiers[-1]
            request = draw_request(draw, tier, self.num_tables, self.kind, self._businesses)
            if says_something(request):
                return request
        raise SettingsError(f"no request of tier={self.tier} with an answer was found")

    def identity(self, task: Request) -> object:
        """What a reader of the first observation knows: tasks that read the same belong to the same split."""
        if not self.rules:
            return task.domain, task.style._replace(names=0), sorted(task.tables), unnamed(task)
        return task.domain, *self._documents(task), task.question.text, task.question.returns

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self._database = b""
        self.queries = self.looked_up = 0
        question = self.task.question
        wanted = "Afterwards" if question.writes else "Return"
        form = "your SQL statements" if question.writes else "your query"
        request = [*self._documents(self.task), "", f"Request: {question.text}", f"{wanted}: {question.returns}."]
        if not self.rules:
            return "\n".join(request)
        return "\n".join([
            f"You are an analyst at {title(self.task)}. {self._job()}",
            "",
            *request,
            "",
            f"{self._conventions()} {self._how_to_look()}Answer with {form} in the form <answer>...</answer>; your "
            "first answer is final.",
        ])  # fmt: skip

    def _job(self) -> str:
        if self.task.question.writes:
            return (
                "Carry out the request on its database (SQLite) with one or more SQL statements. They are run on this "
                "database and on hidden databases with the same tables but other rows, and every table must then be "
                "exactly as requested."
            )
        return (
            "Answer the request with one query on its database (SQLite). The result must be right on this database and "
            "on hidden databases with the same tables but other rows."
        )

    def _documents(self, task: Request) -> list[str]:
        tables, terms = schema(task), self._terms(task)
        if self.documents == "tool":
            lines = [f"Tables: {', '.join(tables)}"]
            return [*lines, f"Entries of the data dictionary: {', '.join(terms)}"] if terms else lines
        lines = list(tables.values())
        if terms:
            lines += ["", "Data dictionary:", *(f"- {term}: {text}." for term, text in terms.items())]
        return lines

    def _terms(self, task: Request) -> dict[str, str]:
        """The entries of the dictionary; easy requests need none."""
        return dictionary(task) if self.tier > 3 else {}

    def _conventions(self) -> str:
        text = " ".join(schema(self.task).values())
        parts = ["Days are texts like 2022-05-19"]
        if re.search(r"_at TEXT", text.replace("deleted_at TEXT", "")):
            parts.append("moments are texts like 2022-05-19 14:30:00")
        if "_cents" in text:
            parts.append("amounts in columns named ..._cents are whole cents")
        rules = "" if self.task.question.writes else f" {_RULES}"
        return f"{', '.join(parts)}.{rules}"

    def _how_to_look(self) -> str:
        if self.max_turns == 1:
            return ""
        ways = [f"<sql>SELECT ...</sql> shows the first {self.show_rows} rows of a query's result"]
        if self.documents == "tool":
            ways.append("<tables>name, name</tables> how tables are declared")
            if self._terms(self.task):
                ways.append("<dictionary>term, term</dictionary> entries of the data dictionary")
        return (
            f"To look around, send one message at a time: {', '.join(ways)}. You have {self.max_turns} messages, "
            "including your answer. "
        )

    @property
    def database(self) -> bytes:
        """The visible database, as an SQLite file."""
        if not self._database:
            self._database = database(self.task, self.num_rows)
        return self._database

    def look(self, query: str) -> str:
        """Show the first rows of a query's result."""
        self.queries += 1
        return shown_result(query, self.database, self.show_rows)

    def tables_named(self, names: str) -> str:
        """Show how some tables are declared."""
        self.looked_up += 1
        return _entries(names, schema(self.task), "table")

    def terms_named(self, terms: str) -> str:
        """Show some entries of the dictionary."""
        self.looked_up += 1
        return _entries(terms, {term: f"{term}: {text}." for term, text in self._terms(self.task).items()}, "entry")

    def respond(self, action: str) -> Reply:
        calls = [] if "<answer>" in action.rpartition("</think>")[2] else TOOLS.parse(action)
        if calls:
            if any(call != calls[0] for call in calls):
                return Reply("Send only one query or look-up per message.", invalid=True)
            answer = TOOLS.run(calls[0], self)
            return Reply(answer.text, invalid=answer.failed)
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            (read_script if self.task.question.writes else read_query)(query_in(text))
        except QueryError as error:
            return Reply(f"That is not an answer: {error}.", invalid=True)
        verdict = self.verdict(text)
        return Reply("Correct.", solved=True) if verdict.correct else Reply(f"Wrong: {verdict.reason}.", done=True)

    def verdict(self, text: str) -> Verdict:
        """Judge an answer on the hidden databases, then on the one that is shown."""
        for data in chain(first_databases(self.task), further_databases(self.task)):  # most wrong answers fail early
            verdict = self._on(text, data)
            if not verdict.correct:
                return verdict
        return self._on(text, self.database)

    def _on(self, text: str, data: bytes) -> Verdict:
        if self.task.question.writes:
            return verify_script(text, data, self.reference(), allow_same=True, bounds=BOUNDS)
        return verify_sql(text, data, self.reference(), allow_empty=True, bounds=BOUNDS)

    def metrics(self) -> dict[str, float]:
        return {"queries": float(self.queries), "look_ups": float(self.looked_up)}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def tools(self) -> Sequence[Tool]:
        names = ("sql", "tables", "dictionary") if self.documents == "tool" else ("sql",)
        return tuple(TOOLS.tools[name] for name in names)

    def reference(self) -> str:
        """Return what answers the request."""
        return self.task.question.sql

    def oracle(self) -> str:
        return f"<answer>{self.reference()}</answer>"

    def paraphrases(self) -> Sequence[str]:
        query, writes = self.reference(), self.task.question.writes
        free = not writes and "ORDER BY" not in query.rpartition(")")[2]
        return (
            f"<answer>{_reworded(query, str.lower)};</answer>",
            f"<answer>\n```sql\n{_reworded(query, str.upper)}\n```\n</answer>",
            f"<answer>{query.replace(' AS ', '  AS  ')} -- done\n;</answer>",
            "<answer>\n" + query.replace(" FROM ", "\n  FROM\t").replace(" WHERE ", "\nWHERE ") + "\n</answer>",
            f"<answer>{query.replace('LEFT JOIN', 'LEFT OUTER JOIN')}</answer>",
            f"<answer>SELECT * FROM ({query}) AS r</answer>" if free else f"<answer>/* all */{query}</answer>",
            f"<answer>BEGIN; {query}; COMMIT</answer>" if writes else f"<answer>{query} </answer>",
            f"<think>SELECT 1?</think>So: <answer>{query}</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"

    def any_table(self) -> str:
        """The name of the first table."""
        return next(iter(schema(self.task)))

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = rng.random(4).tolist()
        tables = schema(self.task)
        name = list(tables)[int(draw[0] * len(tables))]
        columns = re.findall(r"[(,] (\w+) |\((\w+) ", tables[name])
        names = [a or b for a, b in columns if (a or b).islower()] or ["1"]
        start = int(draw[1] * len(names))
        chosen = ["COUNT(*)"] if draw[2] < 0.3 else names[start : start + 1 + int(draw[3] * 3)]
        return f"<answer>SELECT {', '.join(chosen)} FROM {name}</answer>"

    def hard_coded(self, *, union: bool = False) -> str:
        """Return the right result on the visible database, as constants; none where a change is asked for."""
        if self.task.question.writes:
            return "SELECT 1"
        rows = [", ".join(map(_literal, row)) for row in _result(self.database, self.reference())][:50]
        if not rows:
            return "SELECT NULL WHERE 0"
        if union:
            return " UNION ALL ".join(f"SELECT {row}" for row in rows)
        return f"VALUES {', '.join(f'({row})' for row in rows)}"

    def weak(self, number: int) -> str:
        """Return an answer with one mistake."""
        wrong = wrong_versions(self.task)
        return wrong[number % len(wrong)]


def _entries(names: str, known: dict[str, str], noun: str) -> str:
    """Return the entries with some names, separated by commas."""
    wanted = list(
        dict.fromkeys(name.strip().strip("\"'`").lower() for name in names[:1000].split(",") if name.strip())
    )[:20]
    by_name = {name.lower(): text for name, text in known.items()}
    missing = f"There is no {noun} of that name. There are: {', '.join(known)}."
    return "\n".join(by_name.get(name, f"{name[:60]}: {missing}") for name in wanted) or missing


def _result(data: bytes, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        return connection.execute(query).fetchall()


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _reworded(query: str, change: Callable[[str], str]) -> str:
    """Return a query with each word outside quotes changed."""
    return _WORD.sub(lambda match: match[0] if match[0].startswith("'") else change(match[0]), query)
