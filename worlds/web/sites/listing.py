"""What list pages of back offices share: filters, sort links and pages in the URL's parameters, and bulk edit.

A `Listing` reads its parameters from the query of a GET and from the hidden fields of a bulk edit alike, so that "all
that match" means the same rows in both.
"""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Plan, Visit, check
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Content, Markup
from turnwise.worlds.web.site.visit import Part

__all__ = [
    "MONTHS",
    "ROWS",
    "Listing",
    "bulk_form",
    "cents_of",
    "chosen",
    "day_of",
    "grouped",
    "like",
    "tabs",
    "tick",
    "whole_of",
]

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip

ROWS = 12
"""Rows on a page of a list, unless it says otherwise."""


def like(text: str) -> str:
    """Return a pattern for ``LIKE ? ESCAPE '!'`` that finds ``text`` anywhere, whatever characters it has."""
    return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


def cents_of(text: str) -> int | None:
    """Return an amount typed as "12" or "12.50" in cents, or None if it is not one up to 9,999,999.99."""
    found = re.fullmatch(r"([0-9]{1,7})(?:\.([0-9]{1,2}))?", text)
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0")) if found else None


def whole_of(text: str, most: int = 999_999) -> int | None:
    """Return a typed whole number from 0 to ``most``, or None if it is not one."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) and int(text) <= most else None


def day_of(text: str) -> str | None:
    """Return a date typed as YYYY-MM-DD, or None if it is not one."""
    try:
        return datetime.date.fromisoformat(text).isoformat() if len(text) == 10 else None
    except ValueError:
        return None


class Listing:
    """A filtered, sorted page of a query.

    Args:
        visit: The request.
        path: Path of the list.
        source: SQL after FROM; the listed table has the alias ``t`` and an ``id``.
        sorts: Expressions to sort by, by the name of the parameter ``sort``, the default first. "-name" reverses.
        size: Rows on a page.
        values: Parameters of ``source``.
    """

    def __init__(
        self,
        visit: Visit,
        path: str,
        source: str,
        sorts: Mapping[str, str],
        size: int = ROWS,
        values: Sequence[object] = (),
    ) -> None:
        self.visit, self.path, self.source, self.size = visit, path, source, size
        self.given: dict[str, list[str]] = {}
        self.errors: dict[str, str] = {}
        self._where: list[str] = []
        self._values = list(values)
        sort = visit.text("sort")
        self.key = sort.removeprefix("-") if sort.removeprefix("-") in sorts else next(iter(sorts))
        self.falling = sort == f"-{self.key}"
        if sort.removeprefix("-") == self.key:
            self.given["sort"] = [sort]
        way = " DESC" if self.falling else ""
        self._order = f" ORDER BY {sorts[self.key]}{way}, t.id{way}"

    def where(self, condition: str, *values: object) -> None:
        """Keep the rows that meet a condition."""
        self._where.append(condition)
        self._values += values

    def param(self, name: str) -> str:
        """Return a parameter that belongs to the list's address, or "" if it is not given."""
        value = self.visit.text(name)
        if value:
            self.given[name] = [value]
        return value

    def several(self, name: str) -> list[str]:
        """Return all values of a parameter that belongs to the list's address."""
        values = list(dict.fromkeys(self.visit.lists.get(name, ())))
        if values:
            self.given[name] = values
        return values

    def equal(self, name: str, column: str) -> str:
        """Keep the rows whose column has the parameter's value, if it is given."""
        value = self.param(name)
        if value:
            self.where(f"{column} = ?", value)
        return value

    def search(self, name: str, *columns: str) -> str:
        """Keep the rows that have all words of the parameter in one of the columns."""
        value = self.param(name)
        for word in value.split()[:10]:
            self.where(
                "(" + " OR ".join(f"{column} LIKE ? ESCAPE '!'" for column in columns) + ")",
                *[like(word)] * len(columns),
            )
        return value

    def limit(self, name: str, condition: str, kind: str) -> str:
        """Keep rows that meet a condition with a parameter of kind "whole", "money" or "date"; none if it is wrong."""
        value = self.param(name)
        if value:
            read: int | str | None = {"whole": whole_of, "money": cents_of, "date": day_of}[kind](value)
            if read is None:
                self.errors[name] = {"date": "Write the date as YYYY-MM-DD."}.get(kind, "Enter a number.")
                self.where("0")
            else:
                self.where(condition, read)
        return value

    @property
    def _kept(self) -> str:
        return f" FROM {self.source}" + (" WHERE " + " AND ".join(self._where) if self._where else "")

    @cached_property
    def total(self) -> int:
        """Number of rows that match."""
        return int(self.visit.row(f"SELECT count(*){self._kept}", *self._values))

    @property
    def part(self) -> Part:
        """The page that is shown."""
        return self.visit.part(self.total, self.size)

    def rows(self, columns: str) -> list[Any]:
        """Return the rows of the page that is shown."""
        return self.visit.db.execute(
            f"SELECT {columns}{self._kept}{self._order}{self.part.limit}", self._values
        ).fetchall()

    def ids(self) -> list[int]:
        """Return the ids of all rows that match."""
        return self.visit.rows(f"SELECT t.id{self._kept} ORDER BY t.id", *self._values)

    def count(self, noun: str) -> str:
        """Return the number of matches in words, or "" if a filter is invalid and a count would mislead."""
        return "" if self.errors else m.counted(self.total, noun)

    def href(self, **changes: str) -> str:
        """Return the list's address with some parameters changed; "" removes one."""
        given = {name: value for name, value in {**self.given, **changes}.items() if value}
        return f"{self.path}?{urlencode(given, doseq=True)}" if given else self.path

    def header(self, key: str, label: str) -> Content:
        """Return the head of a column: a link that sorts by it."""
        if key != self.key:
            return m.link(self.href(sort=key), label)
        state = " (descending)" if self.falling else " (ascending)"
        return m.join(m.link(self.href(sort=key if self.falling else f"-{key}"), label), state)

    def form(self, *fields: Content) -> Markup:
        """Return the form of the filters."""
        return m.form(self.path, *fields, submit="Filter", method="get")

    def pager(self) -> Markup:
        """Return links to the previous and next page."""
        return self.part.links(self.href())

    def fields(self) -> Markup:
        """Return hidden fields that hold the filters, for a bulk edit."""
        return m.join(
            [m.hidden(name, value) for name, values in self.given.items() if name != "sort" for value in values]
        )


def bulk_form(
    listing: Listing,
    action: str,
    headers: Sequence[Content],
    rows: Iterable[tuple[int, str, Sequence[Content]]],
    controls: Content,
    empty: str,
) -> Markup:
    """Return a table with a check box in each row and, below it, controls for the ticked rows.

    Args:
        listing: What is listed.
        action: Where the form is posted.
        headers: Heads of the columns.
        rows: Id, name of the check box and cells of each row.
        controls: Fields that say what is done.
        empty: Shown if there are no rows.
    """
    if not listing.total:
        return m.paragraph(empty) if not listing.errors else Markup("")
    visit = listing.visit
    ticked = set(visit.lists.get("pick", ())) if visit.form else ()  # what was posted with an error stays ticked
    body = [
        [m.void("input", type="checkbox", name="pick", value=id, aria_label=f"Select {called}",
                checked=str(id) in ticked), *cells]
        for id, called, cells in rows
    ]  # fmt: skip
    several = listing.total > 1
    everything = m.checkbox(f"All {listing.total} that match", "all", "all" in visit.form) if several else ""
    return m.join(
        m.form(
            action,
            listing.fields(),
            m.table(("", *headers), body),
            m.tag("fieldset", m.tag("legend", "With the ticked rows"), everything, controls),
            submit="Apply",
            aria_label="Bulk edit",
        ),
        listing.pager(),
    )


def chosen(visit: Visit, listing: Listing) -> list[int]:
    """Return the ids that a bulk edit is for: the ticked ones that match the filters, or all that match."""
    ids = listing.ids()
    if visit.text("all"):
        return ids
    picked = set(visit.lists.get("pick", ()))
    return [id for id in ids if str(id) in picked]


def tabs(group: str, panels: Sequence[tuple[str, str, Content]]) -> Markup:
    """Return panels that are shown one at a time, at first the first; each has an id, a button's text, and content."""
    buttons = [
        m.button(text, type="button", data_tw_tab=id, aria_selected=str(not place).lower())
        for place, (id, text, _) in enumerate(panels)
    ]
    bodies = [m.panel(id, content, hidden=place > 0, group=group) for place, (id, _, content) in enumerate(panels)]
    return m.join(m.tag("div", buttons, class_="tabs"), bodies)


# ---- for tasks -------------------------------------------------------------------------------------------------------


def tick(called: Sequence[str], others: bool = False) -> Plan:
    """Return steps that tick these rows one by one, or by "All that match" if many and no ``others`` match."""
    if len(called) > 3 and not others:
        return (check(f"All {len(called)} that match"),)
    return tuple(check(f"Select {name}") for name in called)


def grouped(rows: Iterable[tuple[Any, ...]], keys: int) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Group the further columns of rows by their first ``keys`` columns."""
    found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        found.setdefault(row[:keys], []).append(row[keys:])
    return found
