"""Questions about a database as small trees: drawing them, and weakening them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from turnwise.core.draw import Draw
from turnwise.verifiers.sql.results import Value
from turnwise.worlds.programs.databases.schema import Rows, Schema, Table

__all__ = ["Condition", "Path", "Query", "draw_query", "hints", "kinds", "loose", "table_of", "weaker"]


T = TypeVar("T")


class Path(NamedTuple):
    """A column of a row, or of the row that it refers to through one or more links."""

    column: str
    hops: tuple[str, ...] = ()


class Condition(NamedTuple):
    """``operator`` is one of ``= <> < <= > >= in between starts missing known``."""

    path: Path
    operator: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Query:
    """A question about a database.

    Attributes:
        kind: What the other fields mean; see `kinds`.
        base: The table whose rows are asked for; for ``has``, ``percount``, ``top`` and ``both`` the table referred to.
        columns: The columns to return, or to group by.
        where: Conditions on the rows of ``base``, or on those of ``child``.
        any_of: Whether one of the conditions is enough.
        keep: Whether rows with a missing link are kept.
        distinct: Whether equal rows of the result are returned once.
        aggregates: Functions with their columns: count, distinct, sum, avg, min, max.
        at_least: The smallest size of a group.
        order: Columns, or positions of aggregates, and whether they descend. A key comes last.
        limit: Number of rows, 0 for all.
        child: The table that refers to ``base`` by ``link``.
        link: The column of ``child`` that refers to ``base``.
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


_KINDS = (  # by number of steps
    ("rows", "aggregate"),
    ("sorted", "distinct", "group"),
    ("join", "has", "extreme"),
    ("join_group", "percount", "compare", "set"),
    ("compare_same", "top", "both", "has_many"),
)


def kinds(steps: int) -> tuple[str, ...]:
    """Return the kinds of queries with that many steps, 1 to 5."""
    return _KINDS[steps - 1]


def table_of(schema: Schema, base: str, hops: Sequence[str] = ()) -> Table:
    """Return the table that links lead to."""
    table = next(t for t in schema if t.name == base)
    return table_of(schema, table.column(hops[0]).parent, hops[1:]) if hops else table


# ---- drawing ------------------------------------------------------------------------------------------------------


class _Drawing:
    """Draws the parts of a query; a part that the schema does not offer is None or empty."""

    def __init__(self, draw: Draw, schema: Schema, rows: Rows) -> None:
        self.draw = draw
        self.schema = schema
        self.rows = dict(zip((t.name for t in schema), rows, strict=True))

    def pick(self, options: Sequence[T]) -> T:
        return self.draw.choice(options)

    def sample(self, options: Sequence[T], number: int) -> list[T]:
        left = list(options)
        return [self.draw.take(left) for _ in range(min(number, len(left)))]

    def columns(self, table: Table, hops: tuple[str, ...] = (), most: int = 2) -> tuple[Path, ...]:
        plain = [c.name for c in table.columns if c.kind not in ("key", "link")]
        chosen = self.sample(plain, self.draw.integer(1, most))
        return tuple(Path(name, hops) for name in plain if name in chosen)

    def hop(self, table: Table) -> tuple[str, ...]:
        """Draw one link of a table, or two successive ones."""
        links = table.of_kind("link")
        if not links:
            return ()
        first = self.draw.choice(links)
        further = table_of(self.schema, first.parent).of_kind("link")
        return (first.name, self.draw.choice(further).name) if further and self.draw.unit() < 0.5 else (first.name,)

    def conditions(self, table: Table, number: int, hops: tuple[str, ...] = (), but: str = "") -> tuple[Condition, ...]:
        """Draw conditions on different columns; with ``hops`` one is on the row that these lead to."""
        options = [Path(c.name) for c in table.columns if c.kind not in ("key", "link") and c.name != but]
        chosen = self.sample(options, number)
        if hops and number:
            far = [c.name for c in table_of(self.schema, table.name, hops).columns if c.kind not in ("key", "link")]
            chosen[0] = Path(self.draw.choice(far), hops)
        return tuple(self.condition(table, path) for path in chosen)

    def condition(self, table: Table, path: Path) -> Condition:
        table = table_of(self.schema, table.name, path.hops)
        column = table.column(path.column)
        if column.nullable and not path.hops and self.draw.unit() < 0.3:
            return Condition(path, self.draw.choice(("missing", "known")))
        place = table.columns.index(column)
        known = sorted({row[place] for row in self.rows[table.name] if row[place] is not None} or column.pool[:1])  # type: ignore[type-var]
        value = self.draw.choice(known)
        if column.kind == "text":
            others = [v for v in column.pool if v != value]
            operator = self.draw.choice(("=", "=", "<>", "in"))
            return Condition(path, operator, (value, self.draw.choice(others)) if operator == "in" else (value,))
        if column.kind == "name":
            return (
                Condition(path, "starts", (str(value)[0],))
                if self.draw.unit() < 0.5
                else Condition(path, "=", (value,))
            )
        operator = self.draw.choice(
            (">=", "<", ">", "<=") if column.kind == "date" else (">=", "<", ">", "<=", "=", "between")
        )
        end = column.pool[0 if operator in ("<", ">=") else -1]
        if value == end and operator not in ("=", "between"):
            operator = "="  # such a bound would admit all or none
        if operator == "between":
            low, high = sorted((value, self.draw.choice(column.pool)))  # type: ignore[type-var]
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
        """Draw a table, one that refers to it, and the link."""
        links = [(table_of(self.schema, c.parent), t, c.name) for t in self.schema for c in t.of_kind("link")]
        return self.draw.choice(links) if links else None


def draw_query(draw: Draw, schema: Schema, rows: Rows, kind: str, num_conditions: int) -> Query | None:
    """Draw a query of a kind; None if the schema does not offer it."""
    drawing = _Drawing(draw, schema, rows)
    table = drawing.pick(schema)
    any_of = num_conditions > 1 and draw.unit() < 0.3
    return _DRAWN[kind](drawing, kind, table, num_conditions, any_of)


def _rows(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
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
        order = ((Path(d.pick(firm)), d.draw.unit() < 0.5), (Path("id"), False))
        limit = d.pick((0, 2, 3, 4))
    return Query("rows", table.name, (Path("id"), *columns), where, any_of, order=order, limit=limit)


def _join(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
    hops = d.hop(table)
    if not hops:
        return None
    far = d.columns(table_of(d.schema, table.name, hops), hops)
    near = (Path("id"), *d.columns(table, most=1))
    where = d.conditions(table, n, hops if d.draw.unit() < 0.5 else ())
    order = ((Path("id"), True),) if d.draw.unit() < 0.3 else ()
    far_too = any(c.path.hops for c in where)
    query = Query("rows", table.name, (*near, *far), where, any_of and not far_too, order=order)
    return replace(query, keep=bool(loose(d.schema, query)) and not far_too and d.draw.unit() < 0.5)


def _aggregate(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query:
    where = d.conditions(table, n)
    return Query(kind, table.name, (), where, any_of, aggregates=d.aggregates(table, 2, where))


def _group(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
    hops = d.hop(table) if kind == "join_group" else ()
    keys = table_of(d.schema, table.name, hops).of_kind("text", "name")
    if not keys or (kind == "join_group" and not hops):
        return None
    key = d.pick(keys)
    where = d.conditions(table, n, but=key.name)
    counted = (("count", None),) if d.draw.unit() < 0.5 else ()
    aggregates = tuple(dict.fromkeys((*counted, *d.aggregates(table, 2, where))))[:2]
    at_least = 0
    order: tuple[tuple[Path | int, bool], ...] = ()
    if kind == "join_group":
        at_least = d.pick((0, 2, 2, 3))
        if aggregates[0][0] == "count" and not key.nullable:
            order = ((0, True), (Path(key.name, hops), False))
    return Query(
        "group", table.name, (Path(key.name, hops),), where, any_of,
        aggregates=aggregates, at_least=at_least, order=order,
    )  # fmt: skip


def _compare(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
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


def _set(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
    keys = table.of_kind("text", "name", "link")
    if not keys:
        return None
    key = d.pick(keys)
    first, second = d.conditions(table, max(1, n - 1), but=key.name), d.conditions(table, 1, but=key.name)
    if not first or not second or first[0].path == second[0].path:
        return None
    operator = d.pick(("except", "intersect", "union"))
    return Query("set", table.name, (Path(key.name),), first, operator=operator, second=second)


def _family(d: _Drawing, kind: str, table: Table, n: int, any_of: bool) -> Query | None:
    """Draw a query on the rows of one table that rows of another refer to."""
    family = d.family()
    if family is None:
        return None
    parent, child, link = family
    query = Query(kind, parent.name, (Path("id"), *d.columns(parent, most=1)), child=child.name, link=link)
    if kind in ("has", "has_many"):
        number = d.pick((2, 2, 3)) if kind == "has_many" else d.pick((0, 1))
        return replace(query, kind="has", where=d.conditions(child, n), any_of=any_of, at_least=number)
    if kind == "percount":
        order = ((0, True), (Path("id"), False)) if d.draw.unit() < 0.5 else ()
        return replace(query, where=d.conditions(child, n), any_of=any_of, order=order)
    if kind == "top":
        firm = [c.name for c in child.of_kind("number", "date") if not c.nullable]
        if not firm:
            return None
        measure = d.pick(firm)
        where = d.conditions(child, n - 1, but=measure)
        operator = d.pick(("max", "min"))
        return replace(query, where=where, any_of=any_of and n > 2, operator=operator, measure=measure)
    texts = child.of_kind("text")
    if not texts:
        return None
    path = Path(d.pick(texts).name)
    one, other = d.sample(child.column(path.column).pool, 2)
    return replace(query, where=(Condition(path, "=", (one,)),), second=(Condition(path, "=", (other,)),))


_DRAWN: dict[str, Callable[[_Drawing, str, Table, int, bool], Query | None]] = {
    **dict.fromkeys(("rows", "sorted", "distinct"), _rows), "join": _join, "aggregate": _aggregate,
    **dict.fromkeys(("group", "join_group"), _group), **dict.fromkeys(("compare", "compare_same", "extreme"), _compare),
    "set": _set, **dict.fromkeys(("has", "has_many", "percount", "top", "both"), _family),
}  # fmt: skip


def loose(schema: Schema, query: Query) -> tuple[str, ...]:
    """Return the links that lead to the columns, if one of them may be missing; otherwise none."""
    hops = max((path.hops for path in query.columns), key=len, default=())
    nullable = [table_of(schema, query.base, hops[:i]).column(hop).nullable for i, hop in enumerate(hops)]
    return hops if any(nullable) else ()


_EDGES = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER_FUNCTIONS = {"distinct": "count", "sum": "avg", "avg": "sum", "min": "max", "max": "min"}
_OTHER_OPERATORS = {
    ">": "<", "<": ">", "max": "min", "min": "max", "except": "union", "intersect": "union", "union": "intersect",
}  # fmt: skip


def weaker(query: Query, schema: Schema) -> Iterator[Query]:
    """Return queries that miss one of the requirements; a good database tells them apart."""
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
    """Return the values adjacent to a number or a date; dates are never at the ends of a month."""
    if isinstance(value, int):
        return value - 1, value + 1
    day = str(value)
    return tuple(f"{day[:-2]}{int(day[-2:]) + step:02}" for step in (-1, 1))


def _less(conditions: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
    """Return the conditions with one left out, or with one bound moved slightly."""
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
    """Return the values on which the conditions depend, by table and column."""
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
