"""Small relational databases: tables of a theme, foreign keys between them, and rows drawn from a seed."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.verifiers.sql.results import Value

__all__ = ["Column", "Rows", "Schema", "Table", "declared", "draw_rows", "draw_schema", "literal", "script"]

Rows = tuple[tuple[tuple[Value, ...], ...], ...]  # for each table of a schema

_NULL_SHARE = 0.15
_DAYS = tuple(f"{y}-{m:02}-{d:02}" for y in (2021, 2022, 2023) for m in range(1, 13) for d in (3, 11, 19, 27))
_POOLS: dict[str, tuple[Value, ...]] = {
    name: tuple(words.split(","))
    for name, words in {
        "people": "Ada,Bela,Carla,Dora,Emil,Farid,Greta,Hugo,Ines,Jonas,Kaya,Lena,Milo,Nora,Omar,Pia,Ravi,Sven,Tara",
        "cities": "Bergen,Cadiz,Dublin,Ghent,Lyon,Porto,Turin",
        "goods": "Bench,Bowl,Chair,Clock,Desk,Kettle,Lamp,Mirror,Plate,Rug,Shelf,Stool,Table,Vase",
        "ranges": "garden,kitchen,office,outdoor",
        "statuses": "cancelled,open,paid,shipped",
        "titles": "Ashes,Bridges,Clouds,Dunes,Echoes,Fields,Gates,Harbours,Islands,Lanterns,Mirrors,Rivers,Shadows",
        "genres": "crime,essay,fantasy,history,poetry",
        "styles": "blues,folk,jazz,rock,soul",
        "countries": "Chile,Ghana,India,Japan,Norway,Spain",
        "subjects": "Algebra,Botany,Chemistry,Drawing,Ethics,French,Geometry,History",
        "faculties": "arts,languages,science",
        "grades": "A,B,C,D",
        "fields": "heart,lungs,nerves,skin",
        "reasons": "check,fever,injury,pain,rash",
        "teams": "Comets,Falcons,Giants,Herons,Lions,Otters,Ravens,Wolves",
        "positions": "attack,defence,goal,midfield",
        "venues": "Arena,Dome,Meadow,Park",
    }.items()
}  # fmt: skip
_POOLS["days"] = _DAYS

# One line per table: its rows' name, its name, its columns. ``a=pool`` or ``a=low-high/step``; ``a>table`` refers to a
# table above; a question mark means that the value may be missing.
_THEMES = (
    """customer customers name=people city=cities joined=days points=0-60/10?
    product products name=goods category=ranges price=10-90/5 stock=0-12/2?
    order orders customer>customers? placed=days status=statuses?
    item items order>orders product>products quantity=1-6/1 discount=0-30/10?
    review reviews product>products customer>customers? stars=1-5/1 posted=days""",
    """author authors name=people country=countries born=1940-1990/5?
    book books title=titles author>authors? genre=genres pages=80-480/40
    member members name=people city=cities? joined=days
    loan loans book>books member>members taken=days returned=days? fee=0-8/1
    rating ratings book>books member>members? stars=1-5/1""",
    """teacher teachers name=people faculty=faculties hired=days salary=30-60/5?
    course courses title=subjects teacher>teachers? credits=2-8/2
    student students name=people city=cities? enrolled=days
    enrolment enrolments student>students course>courses grade=grades? absences=0-6/1
    exam exams course>courses room=venues? held=days minutes=60-180/30""",
    """doctor doctors name=people field=fields hired=days fee=40-90/10?
    patient patients name=people city=cities? born=1940-2000/10
    visit visits patient>patients doctor>doctors? day=days reason=reasons minutes=10-60/10
    prescription prescriptions visit>visits doses=1-9/2 drug=goods? price=5-60/5
    invoice invoices visit>visits? sent=days amount=20-200/20 paid=days?""",
    """team teams name=teams city=cities founded=1900-1980/10?
    player players name=people team>teams? position=positions salary=20-80/10
    fixture fixtures team>teams venue=venues day=days visitors=100-900/100?
    goal goals fixture>fixtures player>players? minute=5-90/5
    injury injuries player>players weeks=1-8/1 since=days kind=reasons?""",
    """artist artists name=people country=countries? formed=1960-2010/10
    album albums title=titles artist>artists? style=styles released=days price=5-25/5
    track tracks title=titles album>albums seconds=120-360/30 writer=people?
    listener listeners name=people city=cities age=15-75/5?
    play plays track>tracks listener>listeners? day=days skips=0-4/1""",
)


class Column(NamedTuple):
    """A column: ``kind`` is key, link (to the table ``parent``), text, name, number or date."""

    name: str
    kind: str
    nullable: bool = False
    pool: tuple[Value, ...] = ()
    parent: str = ""

    @property
    def words(self) -> str:
        """The name of the column, or of what it refers to, in questions."""
        return self.name.removesuffix("_id") if self.kind == "link" else self.name.replace("_", " ")


class Table(NamedTuple):
    """A table: the name of one row, its own name, and its columns, the first of which is ``id``."""

    one: str
    name: str
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        return next(column for column in self.columns if column.name == name)

    def of_kind(self, *kinds: str) -> list[Column]:
        """Return the columns of some kinds."""
        return [column for column in self.columns if column.kind in kinds]


Schema = tuple[Table, ...]


def _column(text: str) -> Column:
    name, mark, rest = re.split(r"([=>])", text.rstrip("?"))
    nullable = text.endswith("?")
    if mark == ">":
        return Column(f"{name}_id", "link", nullable, (), rest)
    if rest in _POOLS:
        kind = {"days": "date", "people": "name", "goods": "name", "titles": "name"}.get(rest, "text")
        return Column(name, kind, nullable, _POOLS[rest])
    low, high, step = map(int, re.split("[-/]", rest))
    return Column(name, "number", nullable, tuple(range(low, high + 1, step)))


@lru_cache(maxsize=1)
def _themes() -> tuple[Schema, ...]:
    key = Column("id", "key")
    themes = []
    for theme in _THEMES:
        lines = (line.split() for line in theme.splitlines())
        themes.append(tuple(Table(one, name, (key, *map(_column, rest))) for one, name, *rest in lines))
    return tuple(themes)


def draw_schema(draw: Draw, num_tables: int) -> Schema:
    """Draw tables of one theme that are linked to each other, referenced ones first."""
    themes = _themes()
    theme = draw.choice(themes)
    links = {(t.name, c.parent) for t in theme for c in t.of_kind("link")}
    chosen = [draw.choice(theme).name]
    while len(chosen) < num_tables:
        near = [t.name for t in theme if t.name not in chosen and any(
            (t.name, c) in links or (c, t.name) in links for c in chosen)]  # fmt: skip
        chosen.append(draw.choice(near))
    return tuple(
        t._replace(columns=tuple(c for c in t.columns if c.kind != "link" or c.parent in chosen))
        for t in theme
        if t.name in chosen
    )


def draw_rows(
    draw: Draw, schema: Schema, num_rows: int, hints: Mapping[tuple[str, str], Sequence[Value]] | None = None
) -> Rows:
    """Draw rows for every table: some optional values missing, some repeated, some rows unreferenced.

    Args:
        draw: Returns numbers in [0, 1).
        schema: The tables.
        num_rows: Approximate number of rows per table; referenced tables have fewer.
        hints: Important values, by table and column, which are drawn more often.
    """
    hints = hints or {}
    keys: dict[str, list[int]] = {}
    linked = {c.parent for t in schema for c in t.of_kind("link")}
    found = []
    for table in schema:
        size = max(3, int((0.4 if table.name in linked else 0.7) * num_rows + draw.unit() * 0.3 * num_rows))
        key, ids = 0, []
        for _ in range(size):
            key += 1 + (draw.unit() < 0.2)
            ids.append(key)
        keys[table.name] = ids
        columns: list[list[Value]] = [list(ids)]
        for column in table.columns[1:]:
            pool: Sequence[Value] = keys[column.parent] if column.kind == "link" else column.pool
            wanted = hints.get((table.name, column.name), ())
            low = _NULL_SHARE if column.nullable else 0.0
            power = 1.5 if column.kind == "link" else 1.0
            # Many values come from the hints; links favour the first rows, so that some rows have none.
            share = 0.4 if wanted else 0.0
            values: list[Value] = []
            for _ in range(size):
                where = draw.unit()
                if where < low:
                    values.append(None)
                elif draw.unit() < share:
                    values.append(draw.choice(wanted))
                else:
                    values.append(pool[int(draw.unit() ** power * len(pool))])
            columns.append(values)
        found.append(tuple(zip(*columns, strict=True)))
    return tuple(found)


_TYPES = {"key": "INTEGER PRIMARY KEY", "link": "INTEGER", "number": "INTEGER"}


def declared(schema: Schema) -> list[str]:
    """Return the CREATE TABLE statements."""
    statements = []
    for table in schema:
        parts = []
        for c in table.columns:
            part = f"{c.name} {_TYPES.get(c.kind, 'TEXT')}"
            if c.kind != "key" and not c.nullable:
                part += " NOT NULL"
            parts.append(part + (f" REFERENCES {c.parent}(id)" if c.kind == "link" else ""))
        statements.append(f"CREATE TABLE {table.name} ({', '.join(parts)});")
    return statements


def literal(value: Value) -> str:
    """Write a value as an SQL literal."""
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def script(schema: Schema, rows: Rows) -> str:
    """Return the SQL script of a database."""
    lines = ["BEGIN;", *declared(schema)]
    for table, content in zip(schema, rows, strict=True):
        values = ",".join(f"({','.join(map(literal, row))})" for row in content)
        lines.append(f"INSERT INTO {table.name} VALUES {values};")
    return "\n".join([*lines, "COMMIT;"])
