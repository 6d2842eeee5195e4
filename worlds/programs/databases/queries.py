"""Questions to a database as small trees: drawn, and made weaker."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from turnwise.verifiers.sql.results import Value
from turnwise.worlds.programs.databases.schema import Draw, Rows, Schema, Table

__all__ = ["Condition", "Path", "Query", "draw_query", "hints", "kinds", "loose", "table_of", "weaker"]


T = TypeVar("T")


class Path(NamedTuple):
    """A column of a row, or of the row that it refers to over one or more links."""

    column: str
    hops: tuple[str, ...] = ()


class Condition(NamedTuple):
    """``operator`` is one of ``= <> < <= > >= in between starts missing known``."""

    path: Path
    operator: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Query:
    """What is asked.

    Attributes:
        kind: What the other fields mean; see `kinds`.
        base: The table whose rows are asked for; for ``has``, ``percount``, ``top`` and ``both`` the one referred to.
        columns: What is given of them, or what they are grouped by.
        where: Conditions on the rows of ``base``, or on those of ``child``.
        any_of: One of the conditions is enough.
        keep: Rows whose link is missing are kept.
        distinct: Equal rows of the result are given once.
        aggregates: Function and column: count, distinct, sum, avg, min, max.
        at_least: The smallest size of a group.
        order: Column, or the place of an aggregate, and whether it descends. A key comes last.
        limit: How many rows, 0 for all.
        child: The table that refers to ``base`` by ``link``.
        link: The column of ``child`` that does.
        operator: except, intersect, union; ``>`` or ``<``; max or min.
        second: The other conditions of a set operation or of ``both``.
        measure: The column compared.
        same: The column that the rows compared with share.
    """

    kind: str
    base: str
    columns: tuple[Path, ...] = ()
    where: tuple[Condition, ...] = ()
    any_of: bool = False
    keep: bool = False
    distinct: bool = False
    aggregates: tuple[tuple[str, Path | None], ...] = ()
    at_least: int = 0
    order: tuple[tuple[Path | int, bool], ...] = ()
    limit: int = 0
    child: str = ""
    link: str = ""
    operator: str = ""
    second: tuple[Condition, ...] = ()
    measure: str = ""
    same: str = ""


_KINDS = (  # by steps
    ("rows", "aggregate"),
    ("sorted", "distinct", "group"),
    ("join", "has", "extreme"),
    ("join_group", "percount", "compare", "set"),
    ("compare_same", "top", "both", "has_many"),
)


def kinds(steps: int) -> tuple[str, ...]:
    """The kinds of queries of so many steps, 1 to 5."""
    return _KINDS[steps - 1]


def table_of(schema: Schema, base: str, hops: Sequence[str] = ()) -> Table:
    """The table that links lead to."""
    table = next(t for t in schema if t.name == base)
    return table_of(schema, table.column(hops[0]).parent, hops[1:]) if hops else table


# ---- drawing ------------------------------------------------------------------------------------------------------


class _Drawing:
    """Draws the parts of a query to a database; a part that the schema does not offer is None or empty."""

    def __init__(self, draw: Draw, schema: Schema, rows: Rows) -> None:
        self.draw = draw
        self.schema = schema
        self.rows = dict(zip((t.name for t in schema), rows, strict=True))

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.draw() * len(options))]

    def sample(self, options: Sequence[T], number: int) -> list[T]:
        left = list(options)
        return [left.pop(int(self.draw() * len(left))) for _ in range(min(number, len(left)))]

    def columns(self, table: Table, hops: tuple[str, ...] = (), most: int = 2) -> tuple[Path, ...]:
        plain = [c.name for c in table.columns if c.kind not in ("key", "link")]
        chosen = self.sample(plain, 1 + int(self.draw() * most))
        return tuple(Path(name, hops) for name in plain if name in chosen)

    def hop(self, table: Table) -> tuple[str, ...]:
        """One link of a table, or two in a row."""
        links = table.of_kind("link")
        if not links:
            return ()
        first = self.pick(links)
        further = table_of(self.schema, first.parent).of_kind("link")
        return (first.name, self.pick(further).name) if further and self.draw() < 0.5 else (first.name,)

    def conditions(self, table: Table, number: int, hops: tuple[str, ...] = (), but: str = "") -> tuple[Condition, ...]:
        """Conditions on different columns; with ``hops`` one is on the row that they lead to."""
        options = [Path(c.name) for c in table.columns if c.kind not in ("key", "link") and c.name != but]
        chosen = self.sample(options, number)
        if hops and number:
            far = [c.name for c in table_of(self.schema, table.name, hops).columns if c.kind not in ("key", "link")]
            chosen[0] = Path(self.pick(far), hops)
        return tuple(self.condition(table, path) for path in chosen)

    def condition(self, table: Table, path: Path) -> Condition:
        table = table_of(self.schema, table.name, path.hops)
        column = table.column(path.column)
        if column.nullable and not path.hops and self.draw() < 0.3:
            return Condition(path, self.pick(("missing", "known")))
        place = table.columns.index(column)
        known = sorted({row[place] for row in self.rows[table.name] if row[place] is not None} or column.pool[:1])  # type: ignore[type-var]
        value = self.pick(known)
        if column.kind == "text":
            others = [v for v in column.pool if v != value]
            operator = self.pick(("=", "=", "<>", "in"))
            return Condition(path, operator, (value, self.pick(others)) if operator == "in" else (value,))
        if column.kind == "name":
            return Condition(path, "starts", (str(value)[0],)) if self.draw() < 0.5 else Condition(path, "=", (value,))
        operator = self.pick(
            (">=", "<", ">", "<=") if column.kind == "date" else (">=", "<", ">", "<=", "=", "between")
        )
        end = column.pool[0 if operator in ("<", ">=") else -1]
        if value == end and operator not in ("=", "between"):
            operator = "="  # such a bound would let in all or none
        if operator == "between":
            low, high = sorted((value, self.pick(column.pool)))  # type: ignore[type-var]
            return Condition(path, operator, (low, high)) if low != high else Condition(path, "=", (low,))
        return Condition(path, operator, (value,))

    def aggregates(
        self, table: Table, number: int, where: tuple[Condition, ...]
    ) -> tuple[tuple[str, Path | None], ...]:
        options: list[tuple[str, Path | None]] = [("count", None)]
        free = [c for c in table.columns if Path(c.name) not in [condition.path for condition in where]]
        options += [(f, Path(c.name)) for c in free if c.kind == "number" for f in ("sum", "avg", "min", "max")]
        options += [(f, Path(c.name)) for c in free if c.kind == "date" for f in ("min", "max")]
        options += [("distinct", Path(c.name)) for c in free if c.kind == "text"]
        return tuple(self.sample(options, number))

    def family(self) -> tuple[Table, Table, str] | None:
        """A table, one that refers to it, and its link."""
        links = [(table_of(self.schema, c.parent), t, c.name) for t in self.schema for c in t.of_kind("link")]
        return self.pick(links) if links else None


def draw_query(draw: Draw, schema: Schema, rows: Rows, kind: str, num_conditions: int) -> Query | None:
    """A query of a kind; None where the schema drawn from does not offer it."""
    d = _Drawing(draw, schema, rows)
    table = d.pick(schema)
    n = num_conditions
    any_of = n > 1 and draw() < 0.3
    if kind in ("rows", "sorted", "distinct"):
        columns = d.columns(table)
        where = d.conditions(table, n)
        if kind == "distinct":
            return Query("rows", table.name, columns, where, any_of, distinct=True)
        order: tuple[tuple[Path | int, bool], ...] = ()
        limit = 0
        if kind == "sorted":
            firm = [c.name for c in table.columns if c.kind not in ("key", "link") and not c.nullable]
            firm = [name for name in firm if Path(name) not in [condition.path for condition in where]]
            if not firm:
                return None
            order = ((Path(d.pick(firm)), draw() < 0.5), (Path("id"), False))
            limit = d.pick((0, 2, 3, 4))
        return Query("rows", table.name, (Path("id"), *columns), where, any_of, order=order, limit=limit)
    if kind == "join":
        hops = d.hop(table)
        if not hops:
            return None
        far = d.columns(table_of(schema, table.name, hops), hops)
        near = (Path("id"), *d.columns(table, most=1))
        where = d.conditions(table, n, hops if draw() < 0.5 else ())
        order = ((Path("id"), True),) if draw() < 0.3 else ()
        far_too = any(c.path.hops for c in where)
        query = Query("rows", table.name, (*near, *far), where, any_of and not far_too, order=order)
        return replace(query, keep=bool(loose(schema, query)) and not far_too and draw() < 0.5)
    if kind == "aggregate":
        where = d.conditions(table, n)
        return Query(kind, table.name, (), where, any_of, aggregates=d.aggregates(table, 2, where))
    if kind in ("group", "join_group"):
        hops = d.hop(table) if kind == "join_group" else ()
        keys = table_of(schema, table.name, hops).of_kind("text", "name")
        if not keys or (kind == "join_group" and not hops):
            return None
        key = d.pick(keys)
        where = d.conditions(table, n, but=key.name)
        counted = (("count", None),) if draw() < 0.5 else ()
        aggregates = tuple(dict.fromkeys((*counted, *d.aggregates(table, 2, where))))[:2]
        at_least, order = 0, ()
        if kind == "join_group":
            at_least = d.pick((0, 2, 2, 3))
            if aggregates[0][0] == "count" and not key.nullable:
                order = ((0, True), (Path(key.name, hops), False))
        return Query(
            "group", table.name, (Path(key.name, hops),), where, any_of,
            aggregates=aggregates, at_least=at_least, order=order,
        )  # fmt: skip
    if kind in ("compare", "compare_same", "extreme"):
        numbers = table.of_kind("number")
        shared = [c for c in table.of_kind("text", "link") if not c.nullable]
        if not numbers or (kind == "compare_same" and not shared):
            return None
        measure = d.pick(numbers).name
        where = d.conditions(table, n, but=measure)
        operator = d.pick((">", "<")) if kind != "extreme" else d.pick(("max", "min"))
        columns = tuple(c for c in d.columns(table, most=1) if c.column != measure)
        same = d.pick(shared).name if kind == "compare_same" else ""
        return Query(
            kind.removesuffix("_same"), table.name, (Path("id"), *columns, Path(measure)), where, any_of,
            operator=operator, measure=measure, same=same,
        )  # fmt: skip
    if kind == "set":
        keys = table.of_kind("text", "name", "link")
        if not keys:
            return None
        key = d.pick(keys)
        first, second = d.conditions(table, max(1, n - 1), but=key.name), d.conditions(table, 1, but=key.name)
        if not first or not second or first[0].path == second[0].path:
            return None
        operator = d.pick(("except", "intersect", "union"))
        return Query("set", table.name, (Path(key.name),), first, operator=operator, second=second)
    family = d.family()
    if family is None:
        return None
    parent, child, link = family
    columns = (Path("id"), *d.columns(parent, most=1))
    if kind in ("has", "has_many"):
        number = d.pick((2, 2, 3)) if kind == "has_many" else d.pick((0, 1))
        where = d.conditions(child, n)
        return Query("has", parent.name, columns, where, any_of, at_least=number, child=child.name, link=link)
    if kind == "percount":
        order = ((0, True), (Path("id"), False)) if draw() < 0.5 else ()
        return Query(
            kind, parent.name, columns, d.conditions(child, n), any_of,
            order=order, child=child.name, link=link,
        )  # fmt: skip
    if kind == "top":
        firm = [c.name for c in child.of_kind("number", "date") if not c.nullable]
        if not firm:
            return None
        measure = d.pick(firm)
        where = d.conditions(child, n - 1, but=measure)
        return Query(
            kind, parent.name, columns, where, any_of and n > 2,
            child=child.name, link=link, operator=d.pick(("max", "min")), measure=measure,
        )  # fmt: skip
    texts = child.of_kind("text")
    if kind != "both" or not texts:
        return None
    path = Path(d.pick(texts).name)
    one, other = d.sample(child.column(path.column).pool, 2)
    return Query(
        "both", parent.name, columns, (Condition(path, "=", (one,)),), child=child.name, link=link,
        second=(Condition(path, "=", (other,)),),
    )  # fmt: skip


def loose(schema: Schema, query: Query) -> tuple[str, ...]:
    """The links that the columns are reached by, where one of them may be missing; else none."""
    hops = max((path.hops for path in query.columns), key=len, default=())
    nullable = [table_of(schema, query.base, hops[:i]).column(hop).nullable for i, hop in enumerate(hops)]
    return hops if any(nullable) else ()


_EDGES = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER_FUNCTIONS = {"distinct": "count", "sum": "avg", "avg": "sum", "min": "max", "max": "min"}
_OTHER_OPERATORS = {
    ">": "<", "<": ">", "max": "min", "min": "max", "except": "union", "intersect": "union", "union": "intersect",
}  # fmt: skip


def weaker(query: Query, schema: Schema) -> Iterator[Query]:
    """Queries that miss one thing that was asked for; a fair database tells them apart."""
    for where in _less(query.where):
        yield replace(query, where=where)
    for second in _less(query.second):
        yield replace(query, second=second)
    if len(query.where) > 1:
        yield replace(query, any_of=not query.any_of)
    if query.distinct:
        yield replace(query, distinct=False)
    if loose(schema, query) and not any(condition.path.hops for condition in query.where):
        yield replace(query, keep=not query.keep)
    for i, (name, path) in enumerate(query.aggregates):
        if name in _OTHER_FUNCTIONS:
            other = (_OTHER_FUNCTIONS[name], path)
            yield replace(query, aggregates=(*query.aggregates[:i], other, *query.aggregates[i + 1 :]))
    if query.kind == "group" and query.at_least:
        yield replace(query, at_least=0)
    if query.at_least > 1:
        yield replace(query, at_least=query.at_least - 1)
        yield replace(query, at_least=query.at_least + 1)
    if query.limit:
        yield replace(query, limit=0)
        yield replace(query, limit=query.limit + 1)
    if query.order:
        (place, down), *rest = query.order
        yield replace(query, order=((place, not down), *rest))
    if query.operator:
        yield replace(query, operator=_OTHER_OPERATORS[query.operator])
    if query.same:
        yield replace(query, same="")


def neighbours(value: Value) -> tuple[Value, ...]:
    """The values next to a number or to a date; dates are never at the ends of a month."""
    if isinstance(value, int):
        return value - 1, value + 1
    day = str(value)
    return tuple(f"{day[:-2]}{int(day[-2:]) + step:02}" for step in (-1, 1))


def _less(conditions: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
    """The conditions with one left out, or with a bound of one moved a little."""
    for i, condition in enumerate(conditions):
        yield conditions[:i] + conditions[i + 1 :]
        if condition.operator == "between":
            low, high = condition.values
            for bounds in (*((near, high) for near in neighbours(low)), *((low, near) for near in neighbours(high))):
                yield (*conditions[:i], condition._replace(values=bounds), *conditions[i + 1 :])
        if condition.operator in _EDGES:
            for value in neighbours(condition.values[0]):
                yield (*conditions[:i], condition._replace(values=(value,)), *conditions[i + 1 :])
            yield (*conditions[:i], condition._replace(operator=_EDGES[condition.operator]), *conditions[i + 1 :])


def hints(query: Query, schema: Schema) -> dict[tuple[str, str], tuple[Value, ...]]:
    """The values that the conditions turn on, by table and column."""
    found: dict[tuple[str, str], tuple[Value, ...]] = {}
    base = query.child or query.base
    for condition in query.where + query.second:
        table = table_of(schema, base, condition.path.hops)
        values = condition.values
        if condition.operator == "starts":
            values = tuple(v for v in table.column(condition.path.column).pool if str(v).startswith(str(values[0])))
        if condition.operator in (*_EDGES, "between"):
            values += tuple(near for value in values for near in neighbours(value))
        if values:
            place = (table.name, condition.path.column)
            found[place] = found.get(place, ()) + values
    return found
