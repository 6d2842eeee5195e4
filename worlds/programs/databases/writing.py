"""Questions about a database written as SQL."""

from collections.abc import Sequence

from turnwise.worlds.programs.databases.queries import Condition, Path, Query, table_of
from turnwise.worlds.programs.databases.schema import Schema, literal

__all__ = ["reference"]


def _alias(hops: Sequence[str], start: str = "t") -> str:
    return "_".join([start, *(hop.removesuffix("_id") for hop in hops)])


def _column(path: Path, start: str = "t") -> str:
    return f"{_alias(path.hops, start)}.{path.column}"


def _test(condition: Condition, start: str) -> str:
    column, values = _column(condition.path, start), [literal(value) for value in condition.values]
    match condition.operator:
        case "missing":
            return f"{column} IS NULL"
        case "known":
            return f"{column} IS NOT NULL"
        case "in":
            return f"{column} IN ({', '.join(values)})"
        case "between":
            return f"{column} BETWEEN {values[0]} AND {values[1]}"
        case "starts":
            return f"{column} LIKE {literal(f'{condition.values[0]!s}%')}"
    return f"{column} {condition.operator} {values[0]}"


def _tests(query: Query, start: str) -> list[str]:
    tests = [_test(condition, start) for condition in query.where]
    return [f"({' OR '.join(tests)})"] if query.any_of and len(tests) > 1 else tests


def _second(query: Query, start: str) -> list[str]:
    return [_test(condition, start) for condition in query.second]


def _where(tests: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def _joins(query: Query, schema: Schema) -> str:
    paths = [*query.columns, *(condition.path for condition in query.where)]
    reached = sorted({path.hops[:i] for path in paths for i in range(1, len(path.hops) + 1)})
    how = "LEFT JOIN" if query.keep else "JOIN"
    return "".join(
        f" {how} {table_of(schema, query.base, hops).name} AS {_alias(hops)}"
        f" ON {_alias(hops)}.id = {_column(Path(hops[-1], hops[:-1]))}"
        for hops in reached
    )


def _functions(query: Query) -> list[str]:
    return [
        "COUNT(*)" if path is None
        else f"COUNT(DISTINCT {_column(path)})" if name == "distinct"
        else f"{name.upper()}({_column(path)})"
        for name, path in query.aggregates
    ]  # fmt: skip


def reference(query: Query, schema: Schema) -> str:
    """Return an SQL query that answers the question."""
    return _body(query, schema) + _order(query)


def _body(query: Query, schema: Schema) -> str:
    columns = ", ".join(_column(path) for path in query.columns)
    source = f" FROM {query.base} AS t{_joins(query, schema)}"
    tests = _tests(query, "t")
    if query.child:
        return _of_parents(query, columns)
    match query.kind:
        case "aggregate":
            return f"SELECT {', '.join(_functions(query))}{source}{_where(tests)}"
        case "group":
            having = f" HAVING COUNT(*) >= {query.at_least}" if query.at_least else ""
            chosen = ", ".join([columns, *_functions(query)])
            return f"SELECT {chosen}{source}{_where(tests)} GROUP BY {columns}{having}"
        case "compare":
            same = _where([f"u.{query.same} = t.{query.same}"]) if query.same else ""
            average = f"(SELECT AVG(u.{query.measure}) FROM {query.base} AS u{same})"
            return f"SELECT {columns}{source}{_where([*tests, f't.{query.measure} {query.operator} {average}'])}"
        case "extreme":
            most = f"{query.operator.upper()}(u.{query.measure})"
            inner = f"(SELECT {most} FROM {query.base} AS u{_where(_tests(query, 'u'))})"
            return f"SELECT {columns}{source}{_where([*tests, f't.{query.measure} = {inner}'])}"
        case "set":
            first, second = (
                f"SELECT {columns}{source}{_where([f'{columns} IS NOT NULL', *conditions])}"
                for conditions in (tests, _second(query, "t"))
            )
            return f"{first} {query.operator.upper()} {second}"
    return f"SELECT {'DISTINCT ' if query.distinct else ''}{columns}{source}{_where(tests)}"


def _of_parents(query: Query, columns: str) -> str:
    """Write queries for rows by what refers to them."""
    source, child = f"FROM {query.base} AS t", f"{query.child} AS u"
    mine, tests, measure = f"u.{query.link} = t.id", _tests(query, "u"), query.measure
    inner = f"FROM {child}{_where([mine, *tests])}"
    match query.kind:
        case "percount":
            joined = f"LEFT JOIN {child} ON {' AND '.join([mine, *tests])}"
            return f"SELECT {columns}, COUNT(u.id) {source} {joined} GROUP BY t.id"
        case "top":
            sign = ">" if query.operator == "max" else "<"
            before = f"(v.{measure} {sign} u.{measure} OR (v.{measure} = u.{measure} AND v.id < u.id))"
            others = _where([f"v.{query.link} = t.id", *_tests(query, "v"), before])
            best = f"NOT EXISTS (SELECT 1 FROM {query.child} AS v{others})"
            joined = f"JOIN {child} ON {mine}"
            return f"SELECT {columns}, u.id, u.{measure} {source} {joined}{_where([*tests, best])}"
        case "both":
            other = f"FROM {child}{_where([mine, *_second(query, 'u')])}"
            return f"SELECT {columns} {source} WHERE EXISTS (SELECT 1 {inner}) AND EXISTS (SELECT 1 {other})"
    if query.at_least > 1:
        return f"SELECT {columns} {source} WHERE (SELECT COUNT(*) {inner}) >= {query.at_least}"
    return f"SELECT {columns} {source} WHERE {'' if query.at_least else 'NOT '}EXISTS (SELECT 1 {inner})"


def _order(query: Query) -> str:
    if not query.order:
        return ""
    counted = _functions(query) or ["COUNT(u.id)"]
    keys = [
        (counted[place] if isinstance(place, int) else _column(place)) + (" DESC" if down else "")
        for place, down in query.order
    ]
    return f" ORDER BY {', '.join(keys)}" + (f" LIMIT {query.limit}" if query.limit else "")
