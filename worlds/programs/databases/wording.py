"""Questions to a database in plain English, such that they have one right result."""

from collections.abc import Sequence

from turnwise.worlds.programs.databases.queries import Condition, Path, Query, loose, table_of
from turnwise.worlds.programs.databases.schema import Schema, Table

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
    "distinct": "the number of different values of {}", "sum": "the sum of {}", "avg": "the average of {}",
    "min": "the smallest {}", "max": "the largest {}",
}  # fmt: skip


def _listed(parts: Sequence[str], word: str = "and") -> str:
    return ", ".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def _words(schema: Schema, base: str, path: Path) -> str:
    """A column as the question names it: ``order's customer's city``."""
    tables = [table_of(schema, base, path.hops[:i]) for i in range(len(path.hops) + 1)]
    names = [*path.hops, path.column]
    columns = [table.column(name) for table, name in zip(tables, names, strict=True)]
    return "'s ".join(column.words for column in columns)


def _asked(schema: Schema, base: str, path: Path) -> str:
    """A column as one to give: a link is given as the number that it holds."""
    column = table_of(schema, base, path.hops).column(path.column)
    return _words(schema, base, path) + (" (its id)" if column.kind == "link" else "")


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


def question(query: Query, schema: Schema) -> str:
    """What is asked, in words."""
    table = table_of(schema, query.base)
    among = _conditions(schema, query.child or query.base, query.where, query.any_of)
    asked = [_asked(schema, query.base, path) for path in query.columns]
    counted = [_function(schema, query, name, path) for name, path in query.aggregates]
    text = _sentence(query, schema, table, among, asked, counted)
    return text + _left_out(query, schema) + _order(query, schema, counted)


def _sentence(
    query: Query, schema: Schema, table: Table, among: str, asked: Sequence[str], counted: Sequence[str]
) -> str:
    base, one = query.base, table.one
    give = f" Give these columns, in this order: {', '.join(asked)}."
    if query.kind == "rows":
        end = " Give each combination of values once." if query.distinct else ""
        return f"Find the {base}{among}.{give}{end}"
    if query.kind == "aggregate":
        return f"Consider the {base}{among}. Give one row with these columns, in this order: {', '.join(counted)}."
    if query.kind == "group":
        least = f" Leave out groups of fewer than {query.at_least}." if query.at_least else ""
        loose = " Missing values form a group of their own." if table_of(schema, base, query.columns[0].hops).column(
            query.columns[0].column).nullable else ""  # fmt: skip
        return (
            f"Take the {base}{among}, in groups of the same {asked[0]}.{loose}{least} For each group give these "
            f"columns, in this order: {', '.join([asked[0], *counted])}."
        )
    if query.kind == "compare":
        side = "above" if query.operator == ">" else "below"
        same = f" with the same {table.column(query.same).words}" if query.same else ""
        joined = f"{among}, and" if among else ""
        return (
            f"Find the {base}{joined} whose {_words(schema, base, Path(query.measure))} is {side} the average "
            f"{_words(schema, base, Path(query.measure))} of all {base}{same} (whatever else holds for them).{give}"
        )
    if query.kind == "extreme":
        most = "largest" if query.operator == "max" else "smallest"
        return (
            f"Among the {base}{among}, find those with the {most} {_words(schema, base, Path(query.measure))}: all of "
            f"them, if several share it.{give}"
        )
    if query.kind == "set":
        other = _conditions(schema, base, query.second, False)
        ways = {"except": "but not among", "intersect": "and also among", "union": "or among"}
        return (
            f"Which values of {asked[0]} occur among the {base}{among}, {ways[query.operator]} the {base}{other}? "
            f"Missing ones do not count. Give each value once, in one column."
        )
    children = query.child
    link = next(t for t in schema if t.name == children).column(query.link).words
    if query.kind == "has":
        many = {0: f"no {children}", 1: f"at least one of the {children}"}.get(
            query.at_least, f"at least {query.at_least} {children}"
        )
        return f"Find the {base} that have {many}{among} (the {children} of which they are the {link}).{give}"
    if query.kind == "both":
        other = _conditions(schema, children, query.second, False)
        return (
            f"Find the {base} that have at least one of the {children}{among} and at least one{other} (the {children} "
            f"of which they are the {link}).{give}"
        )
    if query.kind == "percount":
        return (
            f"For each of the {base}, including those without any, count the {children}{among} of which it is the "
            f"{link}. Give these columns, in this order: {', '.join(asked)}, that number."
        )
    most = "largest" if query.operator == "max" else "smallest"
    child_one = next(t for t in schema if t.name == children).one
    measure = _words(schema, children, Path(query.measure))
    return (
        f"For each {one} take, of the {children}{among} of which it is the {link}, the one with the {most} {measure} "
        f"(of several, the one with the lowest id). Leave out the {base} without any. Give these columns, in this "
        f"order: {', '.join(f'{one} {name}' for name in asked)}, {child_one} id, {child_one} {measure}."
    )


def _left_out(query: Query, schema: Schema) -> str:
    """What becomes of rows whose link is missing."""
    hops = loose(schema, query)
    if not hops:
        return ""
    words = _words(schema, query.base, Path(hops[-1], hops[:-1]))
    if query.keep:
        return f" Keep the {query.base} whose {words} is missing, with NULL for what is not known."
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
