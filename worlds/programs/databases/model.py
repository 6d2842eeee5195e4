"""What a business database is made of: a style, tables, a data dictionary, and the questions that can be asked."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from turnwise.core.draw import Draw
from turnwise.verifiers.sql.results import Value

__all__ = [
    "DAYS", "Ask", "Domain", "Fact", "Filter", "Period", "Question", "Rows", "Style", "Tables", "day_number", "listed",
    "long_date", "tables_in",
]  # fmt: skip

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAYS = tuple(
    f"{year}-{month:02}-{day:02}"
    for year in range(2020, 2026)
    for month in range(1, 13)
    for day in range(1, _LENGTHS[month - 1] + (month == 2 and year % 4 == 0) + 1)
)
"""Days that databases may hold; most questions are about 2021 to 2023."""
_NUMBERS = {day: number for number, day in enumerate(DAYS)}

Rows: TypeAlias = Mapping[str, Sequence[tuple[Value, ...]]]  # by table, under the names used in the code
Tables: TypeAlias = Mapping[str, str]  # columns by table, as in CREATE TABLE


def day_number(day: str) -> int:
    """Return the place of a day in ``DAYS``.

    >>> day_number("2020-01-03")
    2
    """
    return _NUMBERS[day]


def long_date(day: str) -> str:
    """Write a day as in a sentence.

    >>> long_date("2022-03-09")
    '9 March 2022'
    """
    year, month, date = day.split("-")
    return f"{int(date)} {_MONTHS[int(month) - 1]} {year}"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join words with commas and a last ``and``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


class Style(NamedTuple):
    """How a company keeps its records; definitions in its dictionary depend on it, too.

    Attributes:
        names: Chooses the names of the tables.
        cents: Amounts are whole cents in columns named ``..._cents``, not euros.
        soft: How rows are deleted: not at all, by a flag, or by a date.
        stamps: Moments have a time of day.
        strict: One of two definitions of the main business terms.
        late: Another such choice, independent of the first.
        dirty: Text was typed by hand, with stray blanks and capitals.
    """

    names: int = 0
    cents: bool = False
    soft: Literal["none", "flag", "date"] = "none"
    stamps: bool = False
    strict: bool = False
    late: bool = False
    dirty: bool = False

    def money(self, name: str) -> str:
        """The declaration of a column with an amount."""
        return f"{name}_cents INTEGER" if self.cents else f"{name} REAL"

    def moment(self, name: str) -> str:
        """The name of a column with a moment."""
        return f"{name}_at" if self.stamps else f"{name}_on"

    @property
    def deleted(self) -> str:
        """The declaration of the column that marks deleted rows, after a comma; empty without such a column."""
        columns = {"none": "", "flag": ", is_deleted INTEGER NOT NULL DEFAULT 0", "date": ", deleted_at TEXT"}
        return columns[self.soft]

    @property
    def deletion(self) -> str:
        """What the dictionary says about deleted rows; empty without such a column."""
        column = "is_deleted is 1" if self.soft == "flag" else "deleted_at is set"
        return f"a row whose {column} was deleted" if self.soft != "none" else ""


class Period(NamedTuple):
    """A stretch of days: the first, the day after the last, and the words for it ("March 2022")."""

    start: str
    end: str
    words: str

    @property
    def days(self) -> int:
        """Number of days."""
        return day_number(self.end) - day_number(self.start)


@lru_cache(maxsize=16)
def _periods(kind: str, first: int, last: int) -> tuple[Period, ...]:
    months = {"month": 1, "quarter": 3, "half": 6, "year": 12}[kind]
    found = []
    for year in range(first, last + 1):
        for start in range(0, 12, months):
            after = start + months
            end = f"{year + after // 12}-{after % 12 + 1:02}-01"
            words = {
                "month": f"{_MONTHS[start]} {year}",
                "quarter": f"the {('first', 'second', 'third', 'fourth')[start // 3]} quarter of {year}",
                "half": f"the {('first', 'second')[start // 6]} half of {year}",
                "year": f"{year}",
            }[kind]
            found.append(Period(f"{year}-{start + 1:02}-01", end, words))
    return tuple(found)


class Filter(NamedTuple):
    """A column with a few values.

    Attributes:
        column: Its name.
        values: Its values.
        phrase: A phrase that follows the noun, with ``{}`` for the value: "paid by {}".
        each: What one value is called: "channel".
    """

    column: str
    values: tuple[str, ...]
    phrase: str
    each: str


class Fact(NamedTuple):
    """A table as easy questions see it.

    Attributes:
        table: The table.
        one: What a row is called.
        many: What rows are called.
        column: A column with a day.
        verb: What happened then: "placed" as in "orders placed in March".
        filters: Columns with few values.
        measures: Numeric columns, each with a phrase that follows the noun, with ``{}`` for the number, a noun, and the
            largest usual value: ("minutes", "of {} minutes", "length in minutes", 60).
        owner: A column that refers to somebody with several rows, the words for one and for several of them; empty if
            there is none.
    """

    table: str
    one: str
    many: str
    column: str
    verb: str
    filters: tuple[Filter, ...]
    measures: tuple[tuple[str, str, str, int], ...]
    owner: tuple[str, str, str] = ("", "", "")


class Question(NamedTuple):
    """A request and what answers it.

    Attributes:
        family: The name of the kind of question.
        text: The request in words.
        returns: The columns that the result must have, or for changes what must be in the database in the end.
        sql: The statement, or for changes the statements, that answer it.
        terms: Entries of the dictionary that it depends on.
        writes: It asks for changes of the database.
        also: Tables that are needed besides those named in the statement.
    """

    family: str
    text: str
    returns: str
    sql: str
    terms: tuple[str, ...] = ()
    writes: bool = False
    also: tuple[str, ...] = ()


class Ask:
    """Draws the details of a question and writes the names that a style gives to things.

    Attributes:
        draw: The source of randomness.
        style: How the company keeps its records.
        t: Names of the tables, by their names in the code.
    """

    def __init__(self, draw: Draw, style: Style, names: Mapping[str, str]) -> None:
        self.draw = draw
        self.style = style
        self.t = names

    def period(self, *kinds: str, first: int = 2021, last: int = 2023) -> Period:
        """Draw a month, quarter, half or year."""
        return self.draw.choice(_periods(self.draw.choice(kinds), first, last))

    def day(self, first: str = "2021-07-01", last: str = "2023-11-30") -> str:
        """Draw a day: often the last of a month, as reports have it."""
        number = self.draw.integer(day_number(first), day_number(last))
        if self.draw.chance(0.5):
            number = day_number(DAYS[number][:8] + "01") - 1
        return DAYS[max(number, day_number(first))]

    def among(self, column: str, period: Period) -> str:
        """Write the test that a column is in a period; right for days and for moments."""
        return f"{column} >= '{period.start}' AND {column} < '{period.end}'"

    def until(self, column: str, day: str) -> str:
        """Write the test that a column is not after a day, the day included."""
        return f"{column} < '{DAYS[day_number(day) + 1]}'"

    def at(self, name: str) -> str:
        """The column that holds a moment: ``o.placed`` is ``o.placed_at`` or ``o.placed_on``."""
        return self.style.moment(name)

    def date(self, name: str) -> str:
        """The day of a moment."""
        return f"date({self.at(name)})" if self.style.stamps else self.at(name)

    def month(self, name: str) -> str:
        """The month of a moment, as ``2022-03``."""
        return f"substr({self.at(name)}, 1, 7)"

    def money(self, name: str) -> str:
        """The column that holds an amount."""
        return f"{name}_cents" if self.style.cents else name

    def euros(self, amount: str) -> str:
        """Write an amount, computed from columns with amounts, in euros."""
        return f"{amount} / 100.0" if self.style.cents else amount

    def sum_of(self, euros: int) -> int:
        """An amount of euros as columns hold it."""
        return euros * 100 if self.style.cents else euros

    def live(self, alias: str) -> str:
        """Write the test that a row was not deleted."""
        return f"{alias}.is_deleted = 0" if self.style.soft == "flag" else f"{alias}.deleted_at IS NULL"

    def typed(self, column: str) -> str:
        """A text as the dictionary says that texts are compared."""
        return f"LOWER(TRIM({column}))" if self.style.dirty else column

    def question(
        self,
        family: str,
        wordings: Sequence[str],
        returns: str,
        sql: str,
        terms: Sequence[str] = (),
        *,
        writes: bool = False,
        also: Sequence[str] = (),
    ) -> Question:
        """Put a question together, in one of its wordings."""
        text = self.draw.choice(wordings)
        return Question(family, text, returns, " ".join(sql.split()), tuple(terms), writes, tuple(also))


class Domain(NamedTuple):
    """A business.

    Attributes:
        name: Its name in code.
        title: What it is: "a web shop".
        tables: The columns of each table, given the style; tables that others refer to first.
        aliases: Other names of tables.
        terms: The dictionary, given the style and the names of the tables.
        rows: Draws the rows of all tables.
        facts: Tables for easy questions.
    """

    name: str
    title: str
    tables: Callable[[Style], Tables]
    aliases: Mapping[str, Sequence[str]]
    terms: Callable[[Style, Mapping[str, str]], Mapping[str, str]]
    rows: Callable[..., Rows]
    facts: Sequence[Fact]

    def names(self, style: Style) -> dict[str, str]:
        """Return the names of the tables."""
        tables = self.tables(style)
        number = style.names
        found = {}
        for table in tables:
            options = (table, *self.aliases.get(table, ()))
            found[table] = options[number % len(options)]
            number = number // len(options) + 7 * number
        return found


def tables_in(sql: str, names: Mapping[str, str]) -> list[str]:
    """Return the tables (by their names in the code) that a statement names."""
    words = set(re.findall(r"\w+", sql))
    return [table for table, name in names.items() if name in words]
