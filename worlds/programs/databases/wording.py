"""Questions about a database in plain English, worded to have a single right result."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from turnwise.worlds.programs.databases.queries import Condition, Path, Query, loose, table_of
from turnwise.worlds.programs.databases.schema import Schema

__all__ = ["RULES", "question"]

RULES = (
    "A value may be missing (NULL). A condition on a missing value is false, unless it asks whether the value is "
    "missing. Sums, averages, smallest and largest values and counts of different values ignore missing values; if "
    "none are left, such a count is 0 and the others are NULL. Keep duplicate rows in the result, unless the question "
    "asks for each once. Rows may be in any order, unless the question asks for one. Do not round averages. Dates are "
    "texts like 2022-05-19; an earlier date is smaller."
)
_NUMBERS = {"=": "is", "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least"}
_DATES = {"<": "is before", "<=": "is on or before", ">": "is after", ">=": "is on or after"}
_FUNCTIONS = {
    "distinct": "the number of different values of {}", "sum": "the total {}", "avg": "the average {}",
    "min": "the smallest {}", "max": "the largest {}",
}  # fmt: skip
_NOUNS = {
    "born": "year of birth", "enrolled": "enrolment date", "formed": "founding year", "founded": "founding year",
    "held": "date", "hired": "hiring date", "joined": "joining date", "paid": "payment date", "placed": "order date",
    "posted": "posting date", "released": "release date", "returned": "return date", "sent": "sending date",
    "since": "start date", "taken": "loan date",
    **{name: f"number of {name}" for name in ("absences", "credits", "doses", "minutes", "pages", "seconds", "skips",
                                              "stars", "visitors", "weeks")},
}  # fmt: skip
"""What sentences call a column whose name cannot follow "whose"."""


def _listed(parts: Sequence[str], word: str = "and") -> str:
    return ", ".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def _words(schema: Schema, base: str, path: Path, nouns: Mapping[str, str] = _NOUNS) -> str:
    """Name a column as in a question: ``order's customer's city``."""
    tables = [table_of(schema, base, path.hops[:i]) for i in range(len(path.hops) + 1)]
    *links, column = [table.column(name) for table, name in zip(tables, [*path.hops, path.column], strict=True)]
    return "'s ".join([*(link.words for link in links), nouns.get(column.name, column.words)])


def _asked(schema: Schema, base: str, path: Path) -> str:
    """Name a column to return; a link is returned as the number that it holds."""
    column = table_of(schema, base, path.hops).column(path.column)
    return _words(schema, base, path, {}) + (" (its id)" if column.kind == "link" else "")


def _test(schema: Schema, base: str, condition: Condition) -> str:
    path, operator, values = condition
    column = table_of(schema, base, path.hops).column(path.column)
    shown = [f"'{v}'" if isinstance(v, str) else str(v) for v in values]
    signs = _DATES if column.kind == "date" and operator != "=" else _NUMBERS
    match operator:
        case "missing" | "known":
            test = "is missing" if operator == "missing" else "is not missing"
        case "in":
            test = f"is {shown[0]} or {shown[1]}"
        case "between":
            test = f"is from {shown[0]} to {shown[1]} (both included)"
        case "starts":
            test = f"starts with {shown[0]}"
        case "<>":
            test = f"is known and is not {shown[0]}"
        case _:
            test = f"{signs[operator]} {shown[0]}"
    return f"whose {_words(schema, base, path)} {test}"


def _conditions(schema: Schema, base: str, conditions: Sequence[Condition], any_of: bool) -> str:
    tests = [_test(schema, base, condition) for condition in conditions]
    if any_of and len(tests) > 1:
        return f" {_listed(tests, 'or')} (one of these is enough)"
    return f" {_listed(tests)}" if tests else ""


def _function(schema: Schema, query: Query, name: str, path: Path | None) -> str:
    if path is None:
        return f"the number of these {query.base}"
    return _FUNCTIONS[name].format(_words(schema, query.base, path))


class _Parts(NamedTuple):
    """A query with the words for its parts."""

    query: Query
    schema: Schema
    among: str
    asked: Sequence[str]
    counted: Sequence[str]

    @property
    def one(self) -> str:
        return table_of(self.schema, self.query.base).one

    @property
    def child(self) -> str:
        """One row of the table that refers to the base."""
        return table_of(self.schema, self.query.child).one

    @property
    def measure(self) -> str:
        return _words(self.schema, self.query.child or self.query.base, Path(self.query.measure))

    def columns(self, *names: str) -> str:
        return f"Give these columns, in this order: {', '.join(names or self.asked)}."


def question(query: Query, schema: Schema) -> str:
    """Write the question in words."""
    among = _conditions(schema, query.child or query.base, query.where, query.any_of)
    asked = [_asked(schema, query.base, path) for path in query.columns]
    counted = [_function(schema, query, name, path) for name, path in query.aggregates]
    text = _SENTENCES[query.kind](_Parts(query, schema, among, asked, counted))
    return text + _left_out(query, schema) + _order(query, schema, counted)


def _rows(p: _Parts) -> str:
    end = " Give each combination of values once." if p.query.distinct else ""
    return f"Find the {p.query.base}{p.among}. {p.columns()}{end}"


def _aggregate(p: _Parts) -> str:
    return f"Consider the {p.query.base}{p.among}. Give one row with these columns, in this order: " + (
        f"{', '.join(p.counted)}."
    )


def _group(p: _Parts) -> str:
    base, (key,) = p.query.base, p.query.columns
    least = f" Leave out groups of fewer than {p.query.at_least} {base}." if p.query.at_least else ""
    missing = " Missing values form a group of their own."
    own = missing * table_of(p.schema, base, key.hops).column(key.column).nullable
    return f"Group the {base}{p.among} by {p.asked[0]}.{own}{least} For each group, give these columns, in this " + (
        f"order: {', '.join([p.asked[0], *p.counted])}."
    )


def _compare(p: _Parts) -> str:
    base, query = p.query.base, p.query
    side = "above" if query.operator == ">" else "below"
    same = f" with the same {table_of(p.schema, base).column(query.same).words}" if query.same else ""
    joined = f"{p.among}, and" if p.among else ""
    all_of = " (including those that do not meet the other conditions)" * bool(p.among)
    return (
        f"Find the {base}{joined} whose {p.measure} is {side} the average {p.measure} of all {base}{same}{all_of}. "
        f"{p.columns()}"
    )


def _extreme(p: _Parts) -> str:
    most = "largest" if p.query.operator == "max" else "smallest"
    return f"Among the {p.query.base}{p.among}, find all those with the {most} {p.measure}. {p.columns()}"


def _set(p: _Parts) -> str:
    base, other = p.query.base, _conditions(p.schema, p.query.base, p.query.second, False)
    ways = {"except": "but not among", "intersect": "and also among", "union": "or among"}
    return (
        f"Which values of {p.asked[0]} occur among the {base}{p.among}, {ways[p.query.operator]} the {base}{other}? "
        "Ignore missing values. Give each value once, in one column."
    )


def _has(p: _Parts) -> str:
    least, children = p.query.at_least, p.query.child
    many = {0: f"no {children}", 1: f"at least one {p.child}"}.get(least, f"at least {least} {children}")
    return f"Find the {p.query.base} that have {many}{p.among}. {p.columns()}"


def _both(p: _Parts) -> str:
    other = _conditions(p.schema, p.query.child, p.query.second, False)
    return (
        f"Find the {p.query.base} that have at least one {p.child}{p.among} and at least one {p.child}{other}. "
        f"{p.columns()}"
    )


def _per_count(p: _Parts) -> str:
    return (
        f"For each {p.one}, count the {p.one}'s {p.query.child}{p.among}. Include {p.query.base} that have none. "
        f"{p.columns(*p.asked, 'that number')}"
    )


def _top(p: _Parts) -> str:
    most = "largest" if p.query.operator == "max" else "smallest"
    kept = f"{p.query.child}{p.among}"
    named = [*(f"{p.one} {name}" for name in p.asked), f"{p.child} id", f"{p.child} {p.query.measure}"]
    return (
        f"Among each {p.one}'s {kept}, find the one with the {most} {p.measure} (if several tie, the one with the "
        f"lowest id). Leave out {p.query.base} that have none. {p.columns(*named)}"
    )


_SENTENCES: dict[str, Callable[[_Parts], str]] = {
    "rows": _rows, "aggregate": _aggregate, "group": _group, "compare": _compare, "extreme": _extreme, "set": _set,
    "has": _has, "both": _both, "percount": _per_count, "top": _top,
}  # fmt: skip


def _left_out(query: Query, schema: Schema) -> str:
    """Say what happens to rows with a missing link."""
    hops = loose(schema, query)
    if not hops:
        return ""
    words = _words(schema, query.base, Path(hops[-1], hops[:-1]))
    if query.keep:
        return f" Keep the {query.base} whose {words} is missing, with NULL for the unknown values."
    return f" Leave out the {query.base} whose {words} is missing."


def _order(query: Query, schema: Schema, counted: Sequence[str]) -> str:
    if not query.order:
        return ""
    keys = []
    for place, down in query.order:
        if isinstance(place, int):
            name = counted[place] if counted else "that number"
        else:
            name = _words(schema, query.base, place)
        keys.append(f"{name} {'descending' if down else 'ascending'}")
    first = f" and give only the first {query.limit} rows" if query.limit else ""
    return f" Sort the rows by {', then by '.join(keys)}{first}."
