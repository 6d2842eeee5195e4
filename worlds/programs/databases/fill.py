"""Draw the rows of a database: days, amounts, references and texts, with values that matter drawn often."""

import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from turnwise.core.draw import Draw
from turnwise.verifiers.sql.results import quoted
from turnwise.worlds.programs.databases.model import DAYS, Domain, Style, day_number

__all__ = ["FIRST_DAY", "LAST_DAY", "Filler", "Hints", "built", "declared", "hints_of"]

T = TypeVar("T")
FIRST_DAY, LAST_DAY = day_number("2020-09-01"), day_number("2024-03-31")  # requests are about 2021 to 2023
_DAY = re.compile(r"'(\d{4}-\d\d-\d\d)")
_TEXT = re.compile(r"'([^']*)'")
_NUMBER = re.compile(r"(?<![\w.'-])\d+(?![\w.'-])")
_REFERENCE = re.compile(r" REFERENCES (\w+)\((\w+)\)")
_GIVEN = [
    "Ada",
    "Bela",
    "Carla",
    "Dora",
    "Emil",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Kaya",
    "Lena",
    "Milo",
    "Nora",
    "Omar",
    "Pia",
    "Quentin",
    "Ravi",
    "Sven",
    "Tara",
    "Ugo",
    "Vera",
    "Wim",
    "Xenia",
    "Yusuf",
    "Zoe",
    "Amir",
    "Bruno",
    "Chiara",
    "Deniz",
    "Elif",
    "Fatou",
    "Goran",
    "Hana",
    "Ivo",
    "Jana",
    "Kofi",
    "Luca",
    "Mei",
    "Nils",
]
_FAMILY = [
    "Abbott",
    "Berg",
    "Costa",
    "Dahl",
    "Eriksen",
    "Fischer",
    "Garcia",
    "Haas",
    "Ito",
    "Jansen",
    "Kaya",
    "Lang",
    "Moreau",
    "Novak",
    "Okafor",
    "Peters",
    "Quist",
    "Rossi",
    "Silva",
    "Tanaka",
    "Urban",
    "Vogel",
    "Weber",
    "Young",
    "Zeman",
    "Adler",
    "Brandt",
    "Conti",
    "Duarte",
    "Engel",
]


class Hints(NamedTuple):
    """Values that a statement names.

    Attributes:
        days: Days, as numbers.
        texts: Texts.
        numbers: Whole numbers.
    """

    days: tuple[int, ...] = ()
    texts: frozenset[str] = frozenset()
    numbers: tuple[int, ...] = ()


def hints_of(sql: str) -> Hints:
    """Return the values that a statement names."""
    days = sorted({day_number(day) for day in _DAY.findall(sql) if "2020-01-01" <= day <= "2025-12-30"})
    numbers = sorted({int(number) for number in _NUMBER.findall(_TEXT.sub(" ", sql)) if len(number) < 9})
    for year in re.findall(r"'(202[0-5])-%'", sql):
        days += [day_number(f"{year}-01-01"), day_number(f"{year}-12-31")]
    return Hints(tuple(days), frozenset(_TEXT.findall(sql)), tuple(numbers))


class Filler:
    """Draws values.

    Args:
        draw: The source of randomness.
        style: How the company keeps its records.
        size: Number of rows of the largest tables, about.
        hints: Values to draw often, so that each condition of a statement makes a difference.
        mild: Hinted values are only somewhat more frequent than others, as in the database that is shown.
    """

    def __init__(self, draw: Draw, style: Style, size: int, hints: Hints | None = None, *, mild: bool = False) -> None:
        self.draw = draw
        self.unit = draw.unit
        self.style = style
        self.size = size
        self.hints = hints = hints or Hints()
        # Databases with hints differ in how much is at the edges, unknown, or about the same few rows.
        chosen = hints != Hints() and not mild
        self._edges = draw.either(0.3, 0.5, 0.75, 0.95) if chosen else 0.1
        self._near = 0.3 if mild else 0.8
        self._unknown = draw.either(1.0, 1.0, 2.0, 4.0) if chosen else 1.0
        self._events = draw.either(0.35, 1.0, 1.0) if chosen else 1.0
        self._skew = draw.either(0.5, 0.8, 1.0, 1.5) if chosen else 1.0
        self._low = min(hints.days, default=FIRST_DAY) - 70
        self._high = max(hints.days, default=LAST_DAY) + 70

    # ---- how many ---------------------------------------------------------------------------------------------------

    def ids(self, share: float, least: int = 4, most: int = 10**6) -> list[int]:
        """Numbers of rows: a share of the size, with gaps between them."""
        unit, found, key = self.unit, [], 0
        scale = self._events if share >= 0.3 else 1.0
        for _ in range(int(scale * max(least, min(most, int(self.size * share))))):
            key += 1 if unit() < 0.85 else 2
            found.append(key)
        return found

    def some(self, p: float) -> bool:
        """True with probability ``p``."""
        return self.unit() < p

    def maybe(self, p: float, value: T) -> T | None:
        """The value, or NULL with probability ``p``."""
        return None if self.unit() < (min(p * self._unknown, 0.5) if p < 0.5 else p) else value

    # ---- values -----------------------------------------------------------------------------------------------------

    def day(self, low: int = FIRST_DAY, high: int = LAST_DAY) -> int:
        """A day from ``low`` to ``high``, often at the edge of a period that matters."""
        unit, days = self.unit, self.hints.days
        if days:
            if unit() < self._edges:
                near = days[int(unit() * len(days))] + int(unit() * 3) - 1
                if low <= near <= high:
                    return near
            if self._low < high and self._high > low and unit() < self._near:
                low, high = max(low, self._low), min(high, self._high)
        return low + int(unit() * (max(high - low, 0) + 1))

    def number(self, low: int, high: int, step: int = 1) -> int:
        """A number from ``low`` to ``high``, often one that matters or the next one."""
        unit = self.unit
        if self.hints.numbers and unit() < 0.4:
            near = self.hints.numbers[int(unit() * len(self.hints.numbers))] + step * (int(unit() * 3) - 1)
            if low <= near <= high:
                return near
        return low + step * int(unit() * ((high - low) // step + 1))

    def pick(self, pool: Sequence[T], p: float = 0.5) -> T:
        """A value of a pool, often one that matters."""
        if self.hints.texts and self.unit() < p:
            wanted = [value for value in pool if value in self.hints.texts]
            if wanted:
                return wanted[int(self.unit() * len(wanted))]
        return pool[int(self.unit() * len(pool))]

    def ref(self, ids: Sequence[T], power: float = 1.6) -> T:
        """One of the rows that can be referred to; the first ones more often, the last one never."""
        return ids[int(self.unit() ** (power * self._skew) * (len(ids) - (len(ids) > 3)))]

    def money(self, low: int, high: int, step: int = 5) -> int | float:
        """An amount from ``low`` to ``high`` euros, as the style stores it.

        Euros are whole quarters: their sums are exact in any order, so that ties are ties for every query.
        """
        unit = self.unit
        cents = 100 * (low + step * int(unit() * ((high - low) // step + 1)))
        if unit() < 0.35:
            cents += int(unit() * 100) if self.style.cents else 25 * int(unit() * 4)
        elif self.hints.numbers and unit() < 0.4:
            near = self.hints.numbers[int(unit() * len(self.hints.numbers))] * (1 if self.style.cents else 100)
            cents = near if 100 * low <= near <= 100 * high else cents
        return cents if self.style.cents else cents / 100

    def moment(self, day: int) -> str:
        """A moment of a day, as the style stores it; midnight and the last second are frequent."""
        if not self.style.stamps:
            return DAYS[day]
        unit = self.unit
        where = unit()
        if where < 0.1:
            return f"{DAYS[day]} 00:00:00"
        if where < 0.2:
            return f"{DAYS[day]} 23:59:59"
        return f"{DAYS[day]} {7 + int(unit() * 14):02}:{int(unit() * 12) * 5:02}:00"

    def gone(self) -> tuple[int | str | None, ...]:
        """The value of the column that marks deleted rows, if the style has one."""
        if self.style.soft == "none":
            return ()
        deleted = self.unit() < 0.15 * min(self._unknown, 2.0)
        if self.style.soft == "flag":
            return (int(deleted),)
        return (DAYS[self.day()] if deleted else None,)

    def typed(self, text: str) -> str:
        """A text as people type it, if the style is dirty."""
        if not self.style.dirty:
            return text
        where = self.unit()
        if where < 0.12:
            return text.upper()
        if where < 0.2:
            return text.capitalize()
        if where < 0.28:
            return f"{text} "
        return f" {text}" if where < 0.32 else text

    def person(self) -> str:
        """A name of a person."""
        return f"{_GIVEN[int(self.unit() * len(_GIVEN))]} {_FAMILY[int(self.unit() * len(_FAMILY))]}"

    def tree(self, ids: Sequence[int], roots: int = 2) -> list[int | None]:
        """For each row the one above it; the first ones stand at the top."""
        return [None if i < roots else ids[int(self.unit() * i)] for i in range(len(ids))]

    def chain(self, least: int, most: int, low: int, high: int, shortest: int = 20) -> list[tuple[int, int | None]]:
        """Stretches of days that follow each other without a gap; the last one is open."""
        cuts = {self.day(low, high) for _ in range(self.draw.integer(least, most))}
        starts = [day for i, day in enumerate(sorted(cuts)) if i == 0 or day - sorted(cuts)[i - 1] >= min(shortest, 3)]
        return [(day, starts[i + 1] if i + 1 < len(starts) else None) for i, day in enumerate(starts)]


# ---- databases ------------------------------------------------------------------------------------------------------


def declared(domain: Domain, style: Style, shown: frozenset[str]) -> dict[str, str]:
    """Return the CREATE TABLE statements of some tables, by the tables' names in the code.

    References to tables that are not shown are left out.
    """
    names = domain.names(style)

    def reference(match: re.Match[str]) -> str:
        return f" REFERENCES {names[match[1]]}({match[2]})" if match[1] in shown else ""

    found = {}
    for table, columns in domain.tables(style).items():
        if table in shown:
            text = _REFERENCE.sub(reference, " ".join(columns.split()))
            found[table] = f"CREATE TABLE {names[table]} ({text});"
    return found


def built(domain: Domain, style: Style, filler: Filler, shown: frozenset[str]) -> bytes:
    """Return a database with drawn rows, as an SQLite file."""
    rows = domain.rows(filler)
    names = domain.names(style)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.execute("BEGIN")
        for table, statement in declared(domain, style, shown).items():
            connection.execute(statement)
            content = rows[table]
            if content:
                marks = ", ".join("?" * len(content[0]))
                connection.executemany(f"INSERT INTO {quoted(names[table])} VALUES ({marks})", content)
            for number, column in enumerate(re.findall(r"(\w+) INTEGER(?: NOT NULL)? REFERENCES", statement)):
                index = f"{names[table]}_by_{column}_{number}"
                connection.execute(f"CREATE INDEX {quoted(index)} ON {quoted(names[table])} ({quoted(column)})")
        connection.execute("COMMIT")
        return connection.serialize()
    finally:
        connection.close()
