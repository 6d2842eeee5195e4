"""Sql: references against an evaluation by plain Python, what hidden databases catch, and the play."""

import doctest
import pickle
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests._work import one_in
from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.envs.code.sql import Sql, Task
from turnwise.verifiers.sql.results import build, verify_sql
from turnwise.worlds.programs.databases import explore as _explore
from turnwise.worlds.programs.databases.queries import Condition, Path, Query, kinds, weaker
from turnwise.worlds.programs.databases.schema import Rows, Schema, draw_rows, draw_schema, script
from turnwise.worlds.programs.databases.wording import question
from turnwise.worlds.programs.databases.writing import reference

ALL_KINDS = [kind for steps in range(1, 6) for kind in kinds(steps)]
Row = dict[str, Any]
TESTS: dict[str, Callable[..., bool]] = {
    "=": lambda value, wanted: value == wanted,
    "<>": lambda value, unwanted: value != unwanted,
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
    "in": lambda value, *wanted: value in wanted,
    "between": lambda value, low, high: low <= value <= high,
    "starts": lambda value, start: value.startswith(start),
    "known": lambda value: True,
}


class Tables:
    """A database as dictionaries, and the questions answered from their definition."""

    def __init__(self, schema: Schema, rows: Rows) -> None:
        self.parents = {(t.name, c.name): c.parent for t in schema for c in t.columns}
        self.rows = {
            t.name: [dict(zip([c.name for c in t.columns], row, strict=True)) for row in content]
            for t, content in zip(schema, rows, strict=True)
        }

    def target(self, table: str, row: Row, hops: tuple[str, ...]) -> Row | None:
        for hop in hops:
            table, key = self.parents[table, hop], row[hop]
            if key is None:
                return None
            (row,) = [other for other in self.rows[table] if other["id"] == key]
        return row

    def value(self, table: str, row: Row, path: Path) -> Any:
        target = self.target(table, row, path.hops)
        return None if target is None else target[path.column]

    def holds(self, table: str, row: Row, condition: Condition) -> bool:
        value = self.value(table, row, condition.path)
        if condition.operator == "missing" or value is None:
            return condition.operator == "missing" and value is None
        return TESTS[condition.operator](value, *condition.values)

    def chosen(self, table: str, conditions: Iterable[Condition], any_of: bool = False) -> list[Row]:
        how = any if any_of and conditions else all
        return [row for row in self.rows[table] if how(self.holds(table, row, c) for c in conditions)]

    def answer(self, query: Query) -> list[tuple[Any, ...]]:
        child = query.child
        rows = self.chosen(child or query.base, query.where, query.any_of)
        if child:
            return self.of_parents(query, {p["id"]: [r for r in rows if r[query.link] == p["id"]] for p in
                                           self.rows[query.base]})  # fmt: skip
        if query.kind in ("rows", "group") and not query.keep:
            rows = [r for r in rows if all(self.target(query.base, r, p.hops) is not None for p in query.columns)]
        if query.kind == "aggregate":
            return [tuple(self.aggregate(query, rows, name, path) for name, path in query.aggregates)]
        if query.kind == "group":
            groups: dict[Any, list[Row]] = {}
            for row in rows:
                groups.setdefault(self.value(query.base, row, query.columns[0]), []).append(row)
            found = [
                (key, *(self.aggregate(query, group, name, path) for name, path in query.aggregates))
                for key, group in groups.items()
                if len(group) >= query.at_least
            ]
            return sorted(found, key=lambda row: (-row[1], row[0])) if query.order else found
        if query.kind == "set":
            name = query.columns[0].column
            one = {row[name] for row in rows} - {None}
            two = {row[name] for row in self.chosen(query.base, query.second)} - {None}
            return [(v,) for v in {"union": one | two, "except": one - two, "intersect": one & two}[query.operator]]
        if query.kind in ("compare", "extreme"):
            rows = [row for row in rows if self.compared(query, row, rows)]
        for place, down in reversed(query.order):
            rows.sort(key=lambda row, place=place: self.value(query.base, row, place), reverse=down)  # type: ignore[misc]
        found = [tuple(self.value(query.base, row, path) for path in query.columns) for row in rows]
        if query.distinct:
            found = list(dict.fromkeys(found))
        return found[: query.limit or None]

    def aggregate(self, query: Query, rows: list[Row], name: str, path: Path | None) -> Any:
        if path is None:
            return len(rows)
        values = [v for row in rows if (v := self.value(query.base, row, path)) is not None]
        if name == "distinct":
            return len(set(values))
        if not values:
            return None
        return {"sum": sum, "avg": lambda v: sum(v) / len(v), "min": min, "max": max}[name](values)

    def compared(self, query: Query, row: Row, rows: list[Row]) -> bool:
        value = row[query.measure]
        if value is None:
            return False
        if query.kind == "extreme":
            return value == {"max": max, "min": min}[query.operator](
                other[query.measure] for other in rows if other[query.measure] is not None
            )
        others = [o[query.measure] for o in self.rows[query.base] if not query.same or o[query.same] == row[query.same]]
        known = [v for v in others if v is not None]
        average = sum(known) / len(known)
        return value > average if query.operator == ">" else value < average

    def of_parents(self, query: Query, children: dict[int, list[Row]]) -> list[tuple[Any, ...]]:
        found = []
        for parent in self.rows[query.base]:
            mine = children[parent["id"]]
            columns = tuple(parent[path.column] for path in query.columns)
            if query.kind == "percount":
                found.append((*columns, len(mine)))
            elif query.kind == "top" and mine:
                sign = -1 if query.operator == "max" else 1
                values = sorted({row[query.measure] for row in mine})[:: 1 if sign == 1 else -1]
                best = min(r["id"] for r in mine if r[query.measure] == values[0])
                found.append((*columns, best, values[0]))
            elif query.kind == "both":
                other = [r for r in self.chosen(query.child, query.second) if r[query.link] == parent["id"]]
                found += [columns] if mine and other else []
            elif query.kind == "has" and (len(mine) >= query.at_least if query.at_least else not mine):
                found.append(columns)
        if query.order:
            found.sort(key=lambda row: (-row[-1], row[0]))
        return found[: query.limit or None]


def episode(seed: int, **settings: Any) -> Sql:
    env = Sql(**settings)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize("num_conditions", one_in(2, [1, 2, 3]))
def test_reference_is_right(kind: str, num_conditions: int) -> None:
    for i in range(12):
        task = episode(seed_of(kind, i), kind=kind, num_tables=4, num_conditions=num_conditions).task
        other = draw_rows(Draw.of(random.Random(i).random), task.schema, 25)
        for rows in (task.rows, other):
            wanted = Tables(task.schema, rows).answer(task.query)
            query = reference(task.query, task.schema)
            verdict = verify_sql(query, build(script(task.schema, rows)), gold_rows=wanted,
                                 ordered=bool(task.query.order), allow_empty=True)  # fmt: skip
            assert verdict.correct, (query, wanted, verdict.reason)


@pytest.mark.parametrize("difficulty", one_in(3, range(1, 11)))
def test_oracle_paraphrases_and_cheats(difficulty: int) -> None:
    env = Sql(difficulty=difficulty)
    for i in range(20):
        env.reset(seed=seed_of("oracle", i))
        task = env.task
        assert env.step(env.oracle())[1] == 1.0, (question(task.query, task.schema), env.oracle())
        texts = [
            *((c if isinstance(c, str) else c(env), 0.0) for c in env.cheats),
            *((p, 1.0) for p in env.paraphrases()),
        ]
        for text, reward in texts[i % 5 :: 5]:
            env.reset(options={"task": task})
            assert env.step(text)[1] == reward, text


def test_weaker_queries_are_refused() -> None:
    tried = 0
    for i in range(20):
        env = episode(seed_of("weaker", i), difficulty=1 + i % 10)
        task = env.task
        for weak in weaker(task.query, task.schema):
            env.reset(options={"task": task})
            _, reward, terminated, *_ = env.step(f"<answer>{reference(weak, task.schema)}</answer>")
            assert (reward, terminated) == (0.0, True)
            tried += 1
    assert tried > 40


def slips(query: str) -> list[str]:
    """Common mistakes, where a query has room for them."""
    changes = [("COUNT(u.id)", "COUNT(*)"), (" LEFT JOIN ", " JOIN "), ("NOT EXISTS", "EXISTS"), ("AVG(", "MAX("),
               ("MAX(", "MIN("), ("SUM(", "AVG("), (" EXCEPT ", " UNION "), (" INTERSECT ", " UNION "),
               ("COUNT(DISTINCT ", "COUNT("), (" UNION ", " UNION ALL "), ("SELECT t.id, ", "SELECT "),
               (" OR ", " AND "), (" DESC", "")]  # fmt: skip
    return [query.replace(old, new) for old, new in changes if old in query]


def test_slips_are_refused() -> None:
    kept, tried = [], 0
    for i in range(40):
        env = episode(seed_of("slips", i), difficulty=1 + i % 10)
        task = env.task
        for slip in slips(env.reference()):
            env.reset(options={"task": task})
            tried += 1
            if env.step(f"<answer>{slip}</answer>")[1]:
                kept.append((env.reference(), slip))
    assert tried > 40
    assert not kept, kept


def test_a_constant_is_caught_by_the_hidden_databases_alone() -> None:
    for i in range(10):
        env = episode(seed_of("constant", i))
        constant = env.hard_coded()
        if not env.task.query.order:
            assert verify_sql(constant, env.database, env.reference()).correct
        assert "on database 2 of 6" in env.step(f"<answer>{constant}</answer>")[0] or env.task.query.order


def test_looking_around() -> None:
    env = episode(seed_of("look", 1), show_rows=2)
    table = env.task.schema[0]
    text, reward, terminated, _, info = env.step(f"I look. <sql>SELECT * FROM {table.name}</sql>")
    lines = text.split("\n")
    assert lines[0] == " | ".join(c.name for c in table.columns)
    assert lines[1].split(" | ")[0] == str(env.task.rows[0][0][0])
    assert len(lines) == 4
    assert lines[-1] == "There are more rows."
    assert (reward, terminated, info) == (0.0, False, {})
    assert "no such column: absent" in env.step(f"<sql>SELECT absent FROM {table.name}</sql>")[0]
    assert env.step("<sql>SELECT 1</sql><sql>SELECT 2</sql>")[4] == {"invalid_action": True}
    assert env.step("What now?")[4] == {"invalid_action": True}
    twin = pickle.loads(pickle.dumps(env.fork()))
    for each in (env, twin):
        _, reward, terminated, _, info = each.step(env.oracle())
        assert (reward, terminated, info["metrics"]["queries"]) == (1.0, True, 2.0)


@pytest.mark.parametrize(
    "text", ["DELETE FROM {t}", "PRAGMA query_only = OFF", "ATTACH '/tmp/x.db' AS x", "SELECT load_extension('x')",
             "CREATE TABLE x (a)", "SELECT 1; SELECT 2", "WITH x AS (SELECT 1) DELETE FROM {t}", "SELECT"]
)  # fmt: skip
def test_only_reading(text: str) -> None:
    env = episode(seed_of("reading", 2))
    before = env.database
    shown = env.step(f"<sql>{text.format(t=env.task.schema[0].name)}</sql>")[0]
    assert shown.startswith(("Not run: ", "The query fails: "))
    assert env.database == before
    assert env.step(env.oracle())[1] == 1.0


def test_shown_tables_are_bounded() -> None:
    data = build("CREATE TABLE t (a)")
    wide = "SELECT " + ", ".join(["hex('" + "x" * 100 + "')"] * 40)
    shown = _explore.shown_result(wide, data, 5)
    assert len(shown) < 3000
    shown = _explore.shown_result("SELECT 'a' || char(10) || 'b', X'00ff', CAST(X'ff' AS TEXT), NULL", data, 5)
    assert shown.split("\n")[1:] == ["a b | X'00ff' | ? | NULL", "1 row."]
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"
    assert _explore.shown_result(endless, data, 5).startswith("Stopped: ")


def test_schemas() -> None:
    draw = Draw.of(random.Random(3).random)
    for number in (2, 3, 4, 5) * 20:
        schema = draw_schema(draw, number)
        assert len(schema) == number
        names = [t.name for t in schema]
        for place, table in enumerate(schema):
            assert all(names.index(c.parent) < place for c in table.of_kind("link"))
        assert all(t.of_kind("link") or any(c.parent == t.name for o in schema for c in o.columns) for t in schema)


def test_identity_holds_no_query_text() -> None:
    env = episode(seed_of("identity", 1))
    identity = repr(env.identity(env.task))
    assert "SELECT" not in identity
    assert Task(env.task.schema, env.task.rows, env.task.query, 1) == env.task


def test_doctests() -> None:
    assert doctest.testmod(_explore).failed == 0
