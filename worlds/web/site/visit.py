"""`Visit`: a request as a handler sees it, and the pages, redirects and fragments that answer it."""

import datetime
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.site.state import Store

__all__ = ["Answered", "Frame", "Links", "NotFound", "Part", "Refused", "Visit"]

Links = Sequence[tuple[str, str]]
"""Paths and texts of links."""


class Answered(NamedTuple):
    """What a handler returns; made by `Visit.show`, `Visit.redirect` and `Visit.fragment`.

    Attributes:
        body: HTML.
        status: HTTP status.
        location: Target of a redirect; "" for none.
        flash: A message that the next page shows.
        token: Session token to set; "" signs out; None leaves it.
    """

    body: str = ""
    status: int = 200
    location: str = ""
    flash: str = ""
    token: str | None = None


class NotFound(Exception):
    """Raised by a handler when what was asked for does not exist; gives a page with status 404."""


class Refused(Exception):
    """Raised by a handler when the user may not do this; gives a page with status 403."""


class Frame(NamedTuple):
    """What all pages of a site have around their content.

    Attributes:
        title: What the site calls itself.
        style: Colour of the banner.
        nav: Links of the banner, or a function of the visit that returns them.
        signs_in: Whether visitors can sign in.
    """

    title: str
    style: str
    nav: "Links | Callable[[Visit], Links]"
    signs_in: bool


class Part(NamedTuple):
    """One page of a list that is shown in pages.

    Attributes:
        page: Its number, from 1.
        pages: How many pages there are.
        size: Rows on a page.
    """

    page: int
    pages: int
    size: int

    @property
    def first(self) -> int:
        """Rows before the page's first."""
        return self.size * (self.page - 1)

    @property
    def rows(self) -> slice:
        """The page's rows among all."""
        return slice(self.first, self.first + self.size)

    @property
    def limit(self) -> str:
        """The end of a query that returns the page's rows."""
        return f" LIMIT {self.size} OFFSET {self.first}"

    def links(self, path: str) -> m.Markup:
        """Return links to the previous and the next page; ``path`` must not have the parameter ``page``."""
        return m.pager(path, self.page, self.pages)


class Visit:
    """One request, as a handler sees it.

    Attributes:
        method: "GET" or "POST".
        path: Path of the URL.
        query: Parameters of the URL; the last value if a name is given twice.
        form: Fields of a posted form; the last value if a name is given twice.
        lists: All values of each name in ``query`` and ``form``.
        frame: What the site's pages have around their content.
        store: The databases of the episode.
        db: The site's database in this episode.
        now: The time.
        user: Account id of the user who is signed in; 0 for nobody.
        token: Token of the session; "" for nobody.
        flash: Message left by the last action.
    """

    __slots__ = ("db", "flash", "form", "frame", "lists", "method", "now", "path", "query", "store", "token", "user")

    def __init__(
        self, method: str, path: str, query: Sequence[tuple[str, str]], form: Sequence[tuple[str, str]]
    ) -> None:
        self.method, self.path = method, path
        self.query, self.form = dict(query), dict(form)
        self.lists: dict[str, list[str]] = {}
        for name, value in (*query, *form):
            self.lists.setdefault(name, []).append(value)
        self.frame: Frame
        self.db: sqlite3.Connection
        self.store: Store
        self.now: datetime.datetime
        self.user, self.token, self.flash = 0, "", ""

    # ---- reading --------------------------------------------------------------------------------------------------

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return all rows of a query; a query of one column gives the values themselves."""
        found = self.db.execute(sql, values).fetchall()
        return [row[0] for row in found] if found and len(found[0]) == 1 else found

    def row(self, sql: str, *values: object) -> Any:
        """Return the first row of a query, or its value if it has one column.

        Raises:
            NotFound: The query has no rows.
        """
        found = self.db.execute(sql, values).fetchone()
        if found is None:
            raise NotFound
        return found[0] if len(found) == 1 else found

    def get(self, sql: str, *values: object) -> Any:
        """Return the same as `row`, or None if the query has no rows."""
        found = self.db.execute(sql, values).fetchone()
        return found[0] if found is not None and len(found) == 1 else found

    def run(self, sql: str, *values: object) -> int:
        """Execute a statement and return the id of the row it inserted."""
        return self.db.execute(sql, values).lastrowid or 0

    def add(self, table: str, **values: object) -> int:
        """Insert a row and return its id: ``visit.add("cart", variant=3, quantity=1)``."""
        marks = ", ".join("?" * len(values))
        return self.run(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", *values.values())

    def change(self, table: str, id: int, **values: object) -> None:
        """Change columns of the row with that id: ``visit.change("product", 3, price=1250)``."""
        sets = ", ".join(f"{name} = ?" for name in values)
        self.run(f"UPDATE {table} SET {sets} WHERE id = ?", *values.values(), id)

    def save(self, table: str, id: int, new: Mapping[str, object], **values: object) -> int:
        """Change the row with that id, or insert one with the further columns ``new`` if it is 0; return its id."""
        if not id:
            return self.add(table, **new, **values)
        self.change(table, id, **values)
        return id

    def part(self, total: int, size: int) -> "Part":
        """Return the part of ``total`` rows, ``size`` on a page, that the parameter ``page`` asks for."""
        pages = max(1, -(-total // size))
        return Part(min(max(1, self.whole("page", 1)), pages), pages, size)

    def whole(self, name: str, default: int = 0) -> int:
        """Return a parameter or field as a whole number of at most 9 digits, or ``default`` if it is not one."""
        text = (self.form.get(name) or self.query.get(name) or "").strip()
        return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10 else default

    def text(self, name: str) -> str:
        """Return a field or parameter as text, without white space at its ends, NULs and lone surrogates."""
        text = self.form.get(name) or self.query.get(name) or ""
        return text.replace("\x00", "").replace("\r\n", "\n").encode("utf-8", "ignore").decode().strip()

    def date(self, name: str) -> datetime.date | None:
        """Return a field or parameter written YYYY-MM-DD as a date, or None if it is not one."""
        try:
            return datetime.date.fromisoformat(self.text(name))
        except ValueError:
            return None

    # ---- answering ------------------------------------------------------------------------------------------------

    def show(self, title: str, *content: Content, status: int = 200, script: str = "", without: str = "") -> Answered:
        """Return a whole page with the site's banner, the message of the last action, and the content.

        Args:
            title: Heading of the page.
            content: What stands below it.
            status: HTTP status.
            script: Free JavaScript, which only a real browser runs; tasks that need it are ``template(browser=True)``.
            without: What a browser without JavaScript shows in its place.
        """
        links = self.frame.nav(self) if callable(self.frame.nav) else self.frame.nav
        nav = m.tag("nav", [m.tag("span", m.link(href, text)) for href, text in links], aria_label="Main")
        flash = m.note(self.flash) if self.flash else ""
        free = f"<noscript><p>{m.escape(without)}</p></noscript><script>{script}</script>" if script else ""
        body = (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            f"<title>{m.escape(title)} - {m.escape(self.frame.title)}</title>"
            f'<link rel="stylesheet" href="/_tw/tw.css"><script src="/_tw/tw.js"></script></head>'
            f'<body style="--site: {self.frame.style}"{" data-tw-needs-browser" if script else ""}>'
            f"<header>{m.link('/', self.frame.title, class_='brand')}{nav}{m.escape(self._who())}</header>"
            f"<main>{m.escape(flash)}{m.heading(title)}{m.join(*content)}{free}</main></body></html>"
        )
        return Answered(body, status)

    def _who(self) -> Content:
        """Return the part of the banner that says who is signed in."""
        if not self.frame.signs_in:
            return ""
        if not self.user:
            return m.tag("div", m.link(f"/login?next={quote(self.path)}", "Sign in"), class_="who")
        name = self.get("SELECT name FROM account WHERE id = ?", self.user)
        out = m.form("/logout", submit="Sign out", class_="inline")
        return m.tag("div", f"Signed in as {name} ", out, class_="who")

    def redirect(self, location: str, flash: str = "", token: str | None = None) -> Answered:
        """Send the visitor to another page, which shows the message ``flash`` to a user who is signed in."""
        return Answered("", 303, location, flash, token)

    def fragment(self, *content: Content) -> Answered:
        """Return a piece of a page, for ``data-tw-get``."""
        return Answered(m.join(*content))
