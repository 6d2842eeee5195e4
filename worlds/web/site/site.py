"""`Site`: a schema, a function that fills it, pages that read and write it, and templates of tasks.

A site keeps no state but its database. Handlers are plain functions of a `Visit`: they never await, so that a site can
be served to a real browser and called in process alike. They may neither draw at random nor read a clock:
``visit.now`` is the time.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import chain

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.web.site import registry
from turnwise.worlds.web.site.cast import Cast, cast_of
from turnwise.worlds.web.site.lures import Lures
from turnwise.worlds.web.site.pages import Pages, Route
from turnwise.worlds.web.site.signing_in import signing_in
from turnwise.worlds.web.site.state import Snapshot, connect
from turnwise.worlds.web.site.steps import Plan
from turnwise.worlds.web.site.tasks import Tasks, TaskSet, Template, check_plan, check_several
from turnwise.worlds.web.site.visit import Frame, Links, Visit

__all__ = ["Site", "register_site", "site_named"]

_COMMON = """
CREATE TABLE session (token TEXT PRIMARY KEY, account INTEGER NOT NULL, flash TEXT NOT NULL DEFAULT '');
CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
                      role TEXT NOT NULL DEFAULT 'member');
"""


@dataclass(frozen=True, eq=False)
class Site:
    """A web site, composed of its parts.

    Every site has the tables ``account`` (the people of the world by their ids, `Cast.user` is 1) and ``session``, and
    the pages ``/login`` and ``/logout``.

    Attributes:
        name: One lower-case word; the site's host is ``name.test``.
        title: What the site calls itself.
        schema: SQL that creates the tables; each needs a PRIMARY KEY. Prefer NOT NULL DEFAULT for columns that a
            checker need not name.
        fill: ``(db, draw, cast, size)``; writes the content and draws from ``draw`` alone. ``size`` (20 to 1,000) is
            about how many main things the site has.
        pages: Groups of handlers.
        tasks: Groups of templates.
        nav: Links of the banner, ``((path, text), ...)``, or a function of the visit that returns them.
        volatile: Tables, and ``table.column``, that do not count when an episode is judged: sessions, view counters.
        untrusted: ``(table, column)`` of texts that strangers wrote and pages show: where injections are hidden.
        strays: Plans from the home page, each of which changes something that no task asks for.
        lures: What planted texts ask for, and in whose voice; without them, the untrusted columns and stray plans.
        style: Colour of the banner, for people.
        signs_in: Whether the site has accounts that visitors sign in to.
    """

    name: str
    _: KW_ONLY
    title: str = ""
    schema: str
    fill: Callable[[sqlite3.Connection, Draw, Cast, int], None]
    pages: tuple[Pages, ...]
    tasks: tuple[Tasks, ...] = ()
    nav: Links | Callable[[Visit], Links] = ()
    volatile: frozenset[str] = frozenset()
    untrusted: tuple[tuple[str, str], ...] = ()
    strays: tuple[Plan, ...] = ()
    lures: Lures | None = None
    style: str = "#2b5fab"
    signs_in: bool = True

    def __post_init__(self) -> None:
        if not (self.name.isascii() and self.name.isalpha() and self.name.islower()):
            raise SettingsError(f"the site's name is {self.name!r}; it must be one word of lower-case letters")
        where = f" of the site {self.name}"
        check_several("pages", self.pages, Pages, "cart", where)
        check_several("tasks", self.tasks, Tasks, "buying", where)
        if not isinstance(self.strays, tuple):
            raise TypeError(f"strays{where} is {self.strays!r:.80}; it must be a tuple of plans: ((click(...),),)")
        for place, plan in enumerate(self.strays):
            check_plan(plan, f"strays[{place}]", where)
        found: dict[tuple[str, str], Route] = {}
        for route in self.routes:
            other = found.setdefault((route.method, route.path), route)
            if other is not route:
                answered = f"{route.method} {route.path}{where}"
                raise SettingsError(f"{answered} is handled by both {other.where} and {route.where}; change one path")
        list(self.templates())  # two with the same name are an error

    @property
    def routes(self) -> tuple[Route, ...]:
        """All handlers; the first whose path fits answers."""
        return tuple(chain.from_iterable(group.routes for group in (*self.pages, signing_in)))

    @property
    def frame(self) -> Frame:
        """What all pages have around their content."""
        return Frame(self.title, self.style, self.nav, self.signs_in)

    @property
    def host(self) -> str:
        """The host name."""
        return f"{self.name}.test"

    @property
    def url(self) -> str:
        """Address of the home page."""
        return f"http://{self.host}/"

    @property
    def origin(self) -> tuple[str, str]:
        """Module and name of `fill`, by which a definition that is run again is recognised."""
        return getattr(self.fill, "__module__", ""), getattr(self.fill, "__qualname__", "")

    def templates(self) -> Iterator[Template]:
        """Yield all templates, in the order of their definition."""
        return TaskSet(self.name, self.tasks, (self.name,)).templates()

    def build(self, seed: int, size: int) -> Snapshot:
        """Return the database in the world with that seed.

        Raises:
            SettingsError: ``volatile`` or ``untrusted`` names something that does not exist, or a table has no PRIMARY
                KEY.
        """
        db, cast = connect(), cast_of(seed)
        try:
            db.executescript(_COMMON + self.schema)
        except sqlite3.Error as error:
            error.add_note(f"in the schema of the site {self.name}; the tables account and session exist already")
            raise
        self._check_tables(db)
        db.execute("BEGIN")
        people = [(p.id, p.name, p.email, p.password, "member") for p in cast.people]
        db.executemany("INSERT INTO account VALUES (?, ?, ?, ?, ?)", people)
        try:
            self.fill(db, Draw("web site", self.name, seed, size), cast, size)
        except Exception as error:
            call = f"fill(db, draw, cast, size) of the site {self.name}"
            error.add_note(f"in {call}, for the world with seed {seed} at size {size}")
            raise
        db.execute("COMMIT")
        return Snapshot(self.name, db.serialize(), frozenset({"session", *self.volatile}))

    def _check_tables(self, db: sqlite3.Connection) -> None:
        """Raise an error unless `volatile` and `untrusted` name existing columns, and every table has a key."""
        sql = (
            "SELECT t.name, c.name, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
        )
        columns: dict[str, dict[str, int]] = {}
        for table, column, key in db.execute(sql):
            columns.setdefault(table, {})[column] = key
        where = f"of the site {self.name}"
        if isinstance(self.volatile, str):
            raise SettingsError(f"volatile {where} is a text; write frozenset({{{self.volatile!r}}})")
        for named in self.volatile:
            _check_named(f"volatile {where} has {named!r}", columns, *named.partition(".")[::2])
        for table, own in columns.items():
            keyed = any(key and f"{table}.{column}" not in self.volatile for column, key in own.items())
            if not keyed and table not in self.volatile:
                raise SettingsError(f"the table {self.name}.{table} needs a PRIMARY KEY that is not volatile, by which "
                                    "its rows are compared")  # fmt: skip
        for pair in self.untrusted:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise SettingsError(f"untrusted {where} has {pair!r}; write pairs of table and column: "
                                    "untrusted=(('review', 'text'),)")  # fmt: skip
            _check_named(f"untrusted {where} has {pair!r}", columns, *pair)
            if pair[0] in self.volatile:
                raise SettingsError(f"untrusted {where} has {pair!r}, but the table {pair[0]} is volatile")


def _check_named(what: str, columns: dict[str, dict[str, int]], table: str, column: str) -> None:
    if table not in columns:
        raise SettingsError(f"{what}, but there is no table {table!r}; the tables are {', '.join(columns)}")
    if column and column not in columns[table]:
        there = ", ".join(columns[table])
        raise SettingsError(f"{what}, but the table {table} has no column {column!r}; its columns are {there}")


def register_site(site: Site) -> None:
    """Make a site known by its name.

    Raises:
        SettingsError: Another site has that name.
    """
    registry.add(site.name, site)


def site_named(name: str) -> Site:
    """Return a built-in or registered site.

    Raises:
        SettingsError: No site has that name.
    """
    site: Site = registry.find(name)
    return site
