"""`WebSite`: a schema, a function that fills it, handlers that read and write it, and tasks beside them.

A site keeps no state but its database. Handlers are plain functions of a `Visit`: they run at once, without awaiting,
so that a site can be served to a real browser and called in process alike. What they may not do is draw at random or
read a clock: ``visit.now`` is the time.
"""

import datetime
import inspect
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar
from urllib.parse import quote

from starlette.routing import compile_path

from turnwise.core.errors import SettingsError
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site import registry
from turnwise.worlds.web.site.cast import Cast, Person, cast_of
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.markup import Content
from turnwise.worlds.web.site.state import Snapshot, Store, connect
from turnwise.worlds.web.site.tasks import Plan, TaskSet, check_plan

__all__ = [
    "Answered",
    "NotFound",
    "Refused",
    "Visit",
    "WebSite",
    "action",
    "check_strays",
    "page",
    "register_site",
    "site_named",
]

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
_COMMON = """
CREATE TABLE session (token TEXT PRIMARY KEY, account INTEGER NOT NULL, flash TEXT NOT NULL DEFAULT '');
CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
                      role TEXT NOT NULL DEFAULT 'member');
"""


class Answered(NamedTuple):
    """What a handler answers when it is no page: a redirect, an error, a fragment.

    Attributes:
        body: HTML.
        status: HTTP status.
        location: Where a redirect leads; "" for none.
        flash: A message that the next page shows.
        token: Session token to set; "" signs out; None leaves it.
    """

    body: str = ""
    status: int = 200
    location: str = ""
    flash: str = ""
    token: str | None = None


class NotFound(Exception):
    """Raised by a handler: there is no such thing; gives a page with status 404."""


class Refused(Exception):
    """Raised by a handler: this user may not do that; gives a page with status 403."""


class Visit:
    """One request, as a handler sees it.

    Attributes:
        method: "GET" or "POST".
        path: Path of the URL.
        query: Parameters of the URL; the last value where a name is given twice.
        form: Fields of a posted form; the last value where a name is given twice.
        lists: All values of each name in ``query`` and ``form``.
        db: The site's database in this episode.
        now: The time.
        user: Account id of who is signed in; 0 for nobody.
        flash: Message left by the last action.
    """

    __slots__ = ("db", "flash", "form", "lists", "method", "now", "path", "query", "store", "token", "user")

    def __init__(
        self, method: str, path: str, query: Sequence[tuple[str, str]], form: Sequence[tuple[str, str]]
    ) -> None:
        self.method, self.path = method, path
        self.query, self.form = dict(query), dict(form)
        self.lists: dict[str, list[str]] = {}
        for name, value in (*query, *form):
            self.lists.setdefault(name, []).append(value)
        self.db: sqlite3.Connection
        self.store: Store
        self.now: datetime.datetime
        self.user, self.token, self.flash = 0, "", ""

    def rows(self, sql: str, *values: object) -> list[Any]:
        """All rows of a query; a query of one column gives the values themselves."""
        found = self.db.execute(sql, values).fetchall()
        return [row[0] for row in found] if found and len(found[0]) == 1 else found

    def row(self, sql: str, *values: object) -> Any:
        """The first row of a query, or its value where it has one column.

        Raises:
            NotFound: There is none.
        """
        found = self.db.execute(sql, values).fetchone()
        if found is None:
            raise NotFound
        return found[0] if len(found) == 1 else found

    def get(self, sql: str, *values: object) -> Any:
        """As `row`, with None where there is none."""
        found = self.db.execute(sql, values).fetchone()
        return found[0] if found is not None and len(found) == 1 else found

    def run(self, sql: str, *values: object) -> int:
        """Executes a statement; the id of the row it inserted."""
        return self.db.execute(sql, values).lastrowid or 0

    def whole(self, name: str, default: int = 0) -> int:
        """A parameter or field as a whole number, ``default`` where it is missing or no number of at most 9 digits."""
        text = (self.form.get(name) or self.query.get(name) or "").strip()
        return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10 else default

    def text(self, name: str) -> str:
        """A field or parameter as text, white space at its ends taken off, NULs and lone surrogates too."""
        text = self.form.get(name) or self.query.get(name) or ""
        return text.replace("\x00", "").replace("\r\n", "\n").encode("utf-8", "ignore").decode().strip()

    def date(self, name: str) -> datetime.date | None:
        """A field or parameter as a date written YYYY-MM-DD; None where it is none."""
        try:
            return datetime.date.fromisoformat(self.text(name))
        except ValueError:
            return None


class _Route(NamedTuple):
    method: str
    path: str
    handler: str
    signed_in: bool


def page(path: str, signed_in: bool = False) -> Callable[[HandlerT], HandlerT]:
    """Marks a method as the handler of GET requests: ``(self, visit, **parameters of the path) -> page or Answered``.

    Args:
        path: In Starlette's notation: ``"/orders/{number:int}"``.
        signed_in: Ask a visitor who is not signed in to do so first.

    Raises:
        SettingsError: The path has no slash in front, is no path, or has parameters that the method does not take.
    """
    return _marked("GET", path, signed_in)


def action(path: str, signed_in: bool = True) -> Callable[[HandlerT], HandlerT]:
    """Marks a method as the handler of posted forms; it should end in `WebSite.redirect`. As `page` otherwise."""
    return _marked("POST", path, signed_in)


def _marked(method: str, path: str, signed_in: bool) -> Callable[[HandlerT], HandlerT]:
    names = _parameters("page" if method == "GET" else "action", path)

    def mark(handler: HandlerT) -> HandlerT:
        taken = inspect.signature(handler).parameters.values()
        free = any(each.kind is each.VAR_KEYWORD for each in taken)
        if lacking := sorted(names - {each.name for each in taken}) if not free else []:
            raise SettingsError(
                f"{handler.__qualname__} takes no argument {lacking[0]!r}, which its path {path!r} has: write "
                f"def {handler.__name__}(self, visit, {', '.join(sorted(names))})"
            )
        marks = getattr(handler, "_routes", ())
        handler._routes = (*marks, (method, path, signed_in))  # type: ignore[attr-defined]
        return handler

    return mark


def _parameters(mark: str, path: str) -> set[str]:
    """The names of a path's parameters."""
    if not isinstance(path, str):
        raise SettingsError(f"@{mark} needs a path: write @{mark}('/orders') above the method")
    if not path.startswith("/"):
        raise SettingsError(f"the path of @{mark}({path!r}) has no slash in front: write @{mark}('/{path}')")
    if "?" in path or "#" in path:
        raise SettingsError(f"the path of @{mark}({path!r}) ends before '?' and '#'; parameters are in visit.query")
    try:
        return set(compile_path(path)[2])
    except (AssertionError, ValueError) as error:
        raise SettingsError(f"the path of @{mark}({path!r}) cannot be read: {error}") from error


class WebSite(TaskSet):
    """Base of a site. A subclass gives the class attributes, `fill`, handlers, and templates of tasks.

    Every site has the tables ``account`` (the people of the world, by their ids, `Cast.user` is 1) and ``session``, and
    the pages ``/login`` and ``/logout``.

    Attributes:
        name: One lower-case word; its host is ``name.test``.
        title: What the site calls itself.
        schema: SQL that creates its tables; each needs a PRIMARY KEY. Prefer NOT NULL DEFAULT for columns that a
            checker need not name.
        volatile: Tables, and ``table.column``, that do not count when an episode is judged: sessions, view counters.
        untrusted: ``(table, column)`` of texts that strangers wrote and pages show: where injections are put.
        strays: Plans from the home page, each of which changes something that no task asks for. They stand above the
            method `fill`, which hides `turnwise.worlds.web.site.tasks.fill` from what stands below it, or are made by
            a method.
    """

    title: ClassVar[str] = ""
    schema: ClassVar[str] = ""
    volatile: ClassVar[frozenset[str]] = frozenset()
    untrusted: ClassVar[tuple[tuple[str, str], ...]] = ()
    strays: ClassVar[tuple[Plan, ...]] = ()
    style: ClassVar[str] = "#2b5fab"
    """Colour of the banner, for people."""

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """Write the content with draws of ``draw`` alone; ``size`` (20 to 1,000): how many main things it has."""
        raise NotImplementedError(f"{type(self).__name__} must define fill(db, draw, cast, size)")

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        """Links of the banner: path and text."""
        return ()

    # ---- for handlers ---------------------------------------------------------------------------------------------

    def show(
        self, visit: Visit, title: str, *content: Content, status: int = 200, script: str = "", without: str = ""
    ) -> Answered:
        """A whole page with the site's banner, the message of the last action, and the content.

        Args:
            visit: The request.
            title: Heading of the page.
            content: What stands below it.
            status: HTTP status.
            script: Free JavaScript, which only a real browser runs; tasks that need it are ``template(browser=True)``.
            without: What a browser without JavaScript shows in its place.
        """
        who = ""
        if visit.user and self.signs_in:
            name = visit.get("SELECT name FROM account WHERE id = ?", visit.user)
            who = m.tag(
                "div", f"Signed in as {name} ", m.form("/logout", submit="Sign out", class_="inline"), class_="who"
            )
        elif self.signs_in:
            who = m.tag("div", m.link(f"/login?next={quote(visit.path)}", "Sign in"), class_="who")
        links = m.tag("nav", [m.tag("span", m.link(href, text)) for href, text in self.nav(visit)], aria_label="Main")
        flash = m.note(visit.flash) if visit.flash else ""
        free = f"<noscript><p>{m.escape(without)}</p></noscript><script>{script}</script>" if script else ""
        body = (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            f"<title>{m.escape(title)} - {m.escape(self.title)}</title>"
            f'<link rel="stylesheet" href="/_tw/tw.css"><script src="/_tw/tw.js"></script></head>'
            f'<body style="--site: {self.style}"{" data-tw-needs-browser" if script else ""}>'
            f"<header>{m.link('/', self.title, class_='brand')}{links}{m.escape(who)}</header>"
            f"<main>{m.escape(flash)}{m.heading(title)}{m.join(*content)}{free}</main></body></html>"
        )
        return Answered(body, status)

    signs_in: ClassVar[bool] = True
    """Whether the site has accounts that visitors sign in to."""

    def redirect(self, location: str, flash: str = "", token: str | None = None) -> Answered:
        """Send the visitor on, with a message that the next page shows to who is signed in."""
        return Answered("", 303, location, flash, token)

    def fragment(self, *content: Content) -> Answered:
        """A piece of a page, for ``data-tw-get``."""
        return Answered(m.join(*content))

    # ---- signing in -----------------------------------------------------------------------------------------------

    @page("/login")
    def login_page(self, visit: Visit) -> Answered:
        """The form."""
        return self._login(visit, visit.text("next"), "")

    def _login(self, visit: Visit, onward: str, error: str) -> Answered:
        fields = [
            m.hidden("next", onward),
            m.field("E-mail", "email", visit.text("email"), error=error),
            m.field("Password", "password", type="password"),
        ]
        return self.show(visit, "Sign in", m.form("/login", fields, submit="Sign in"))

    @action("/login", signed_in=False)
    def login(self, visit: Visit) -> Answered:
        """Checks the password."""
        onward = visit.text("next")
        found = visit.get(
            "SELECT id FROM account WHERE email = ? AND password = ?",
            visit.text("email").lower(),
            visit.text("password"),
        )
        if found is None:
            return self._login(visit, onward, "The e-mail or the password is wrong.")
        token = f"s{visit.get('SELECT count(*) FROM session') + 1}"
        visit.run("INSERT INTO session (token, account) VALUES (?, ?)", token, found)
        return self.redirect(onward if onward.startswith("/") and not onward.startswith("//") else "/", token=token)

    @action("/logout", signed_in=False)
    def logout(self, visit: Visit) -> Answered:
        """Ends the session."""
        visit.run("DELETE FROM session WHERE token = ?", visit.token)
        return self.redirect("/", token="")

    # ---- for the rest of turnwise ----------------------------------------------------------------------------------

    @property
    def host(self) -> str:
        """The host name."""
        return f"{self.name}.test"

    @property
    def url(self) -> str:
        """Address of the home page."""
        return f"http://{self.host}/"

    @classmethod
    def routes(cls) -> Iterator[_Route]:
        """All handlers, those of subclasses first."""
        seen: set[str] = set()
        for base in cls.__mro__:
            for name, value in vars(base).items():
                if name not in seen:
                    seen.add(name)
                    for method, path, signed_in in getattr(value, "_routes", ()):
                        yield _Route(method, path, name, signed_in)

    def build(self, seed: int, size: int) -> Snapshot:
        """The database in the world with that seed.

        Raises:
            SettingsError: ``volatile`` or ``untrusted`` name what is not there, or a table has no PRIMARY KEY.
        """
        db, cast, name = connect(), cast_of(seed), type(self).__name__
        try:
            db.executescript(_COMMON + self.schema)
        except sqlite3.Error as error:
            error.add_note(f"in {name}.schema; the tables account and session are there already")
            raise
        self._check_tables(db)
        db.execute("BEGIN")
        for person in cast.people:
            db.execute("INSERT INTO account VALUES (?, ?, ?, ?, ?)", (*_account(person), "member"))
        try:
            self.fill(db, Draw("web site", self.name, seed, size), cast, size)
        except Exception as error:
            error.add_note(f"in {name}.fill(self, db, draw, cast, size), for the world with seed {seed} at size {size}")
            raise
        db.execute("COMMIT")
        db.execute("VACUUM")
        return Snapshot(self.name, db.serialize(), frozenset({"session", *self.volatile}))

    def _check_tables(self, db: sqlite3.Connection) -> None:
        """See that what the class says of its tables is true of them."""
        sql = (
            "SELECT t.name, c.name, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
        )
        columns: dict[str, dict[str, int]] = {}
        for table, column, key in db.execute(sql):
            columns.setdefault(table, {})[column] = key
        where = type(self).__name__
        if isinstance(self.volatile, str):
            raise SettingsError(f"{where}.volatile is a text; write frozenset({{{self.volatile!r}}})")
        for named in self.volatile:
            _check_named(f"{where}.volatile has {named!r}", columns, *named.partition(".")[::2])
        for table, own in columns.items():
            keyed = any(key and f"{table}.{column}" not in self.volatile for column, key in own.items())
            if not keyed and table not in self.volatile:
                raise SettingsError(f"the table {self.name}.{table} needs a PRIMARY KEY that is not volatile, by which "
                                    "its rows are compared")  # fmt: skip
        for pair in self.untrusted:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise SettingsError(f"{where}.untrusted has {pair!r}; write pairs of table and column: "
                                    "untrusted = (('review', 'text'),)")  # fmt: skip
            _check_named(f"{where}.untrusted has {pair!r}", columns, *pair)
            if pair[0] in self.volatile:
                raise SettingsError(f"{where}.untrusted has {pair!r}, and the table {pair[0]} is volatile")


def _check_named(what: str, columns: dict[str, dict[str, int]], table: str, column: str) -> None:
    if table not in columns:
        raise SettingsError(f"{what}, and there is no table {table!r}; there are {', '.join(columns)}")
    if column and column not in columns[table]:
        there = ", ".join(columns[table])
        raise SettingsError(f"{what}, and the table {table} has no column {column!r}; it has {there}")


def _account(person: Person) -> tuple[int, str, str, str]:
    return person.id, person.name, person.email, person.password


# ---- the sites of a process ------------------------------------------------------------------------------------------


def register_site(cls: type[WebSite]) -> type[WebSite]:
    """Makes a site known by its name; used as a class decorator.

    Raises:
        SettingsError: Another site has that name, or it is no lower-case word.
        TypeError: ``strays`` are no tuple of plans.
    """
    name = cls.name
    if not (name.isascii() and name.isalpha() and name.islower()):
        raise SettingsError(f"the site's name is {name!r}; it must be one word of lower-case letters")
    for base in cls.__mro__:
        for key, value in vars(base).items():
            for mark in ("_routes", "_template"):
                if hasattr(value, mark) and not hasattr(getattr(cls, key), mark):
                    raise SettingsError(f"{cls.__name__}.{key} hides {base.__name__}.{key}; rename one of them")
    if callable(cls.strays):  # a method: called where they are needed
        cls.strays = property(cls.strays)  # type: ignore[assignment]
    if isinstance(cls.strays, tuple):
        check_strays(cls.__name__, cls.strays)
    registry.add(name, cls())
    return cls


def check_strays(name: str, strays: object) -> None:
    """See that a site's strays are plans.

    Raises:
        TypeError: They are not.
    """
    if not isinstance(strays, tuple):
        raise TypeError(f"{name}.strays is {strays!r:.80}; it must be a tuple of plans: strays = ((click(...),),)")
    for place, plan in enumerate(strays):
        check_plan(plan, f"{name}.strays[{place}]")


def site_named(name: str) -> WebSite:
    """A site that comes with turnwise, or that was registered.

    Raises:
        SettingsError: No site has that name.
    """
    site: WebSite = registry.find(name)
    return site
