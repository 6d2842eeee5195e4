"""Faults of a site, for its author: found in the site itself, in a draft, and while plans are played."""

import re
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import TurnwiseError
from turnwise.worlds.web.site.app import Scope
from turnwise.worlds.web.site.judging import goals_of
from turnwise.worlds.web.site.plan import APP
from turnwise.worlds.web.site.site import Site
from turnwise.worlds.web.site.state import Snapshot, Store, connect
from turnwise.worlds.web.site.tasks import Change, Draft, World

__all__ = ["Watch", "draft_faults", "last_lines", "site_faults"]

MAX_LOOKS = 5


_OURS = str(Path(__file__).parents[3])
_SITES = str(Path(_OURS, "worlds", "web", "sites"))


def last_lines(error: BaseException, count: int = 8) -> str:
    """Return the end of an error's traceback, without frames of turnwise itself, and its notes."""
    trace = traceback.TracebackException.from_exception(error)
    frames = [at for at in trace.stack if not at.filename.startswith((_OURS, "<")) or at.filename.startswith(_SITES)]
    trace.stack = traceback.StackSummary.from_list(frames[-count // 2 :])
    lines = "".join(trace.format(chain=False)).rstrip().splitlines()
    return "\n".join(line for line in lines if line.strip(" ~^") and not line.startswith("Traceback ("))


class Watch:
    """The application of all sites, which records errors of handlers, and pages that changed a database.

    Args:
        looked: How often each page that writes was inspected: a few times are enough, and take time.

    Attributes:
        faults: What went wrong so far.
    """

    def __init__(self, looked: Counter[str] | None = None) -> None:
        self.faults: list[str] = []
        self._looked = Counter() if looked is None else looked

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Answer one request."""
        asked = f"{scope['method']} http://{dict(scope['headers'])[b'host'].decode('latin-1')}{scope['path']}"
        store: Store = scope["state"]["store"]
        page = re.sub("[0-9]+", "0", asked)
        before = _Before(store) if scope["method"] == "GET" and self._looked[page] < MAX_LOOKS else None
        try:
            await APP(scope, receive, send)
        except Exception as error:
            shown = error.__cause__ if isinstance(error.__cause__, TurnwiseError) else error
            self.faults.append(f"{asked}: an error in the site\n{last_lines(shown)}")
            raise
        if before is not None and before.wrote():
            self._looked[page] += 1
            for row in before.changed():
                self.faults.append(
                    f"{asked}: a page must only read, and this one wrote {row:.100}: write in an action, or list what "
                    "does not count in volatile"
                )


class _Before:
    """An episode's databases before a page was requested."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.data, self.writes = {}, 0
        for site in store.visited:
            db = store.db(site)
            self.data[site] = db.serialize()
            self.writes += db.total_changes + db.execute("SELECT count(*) FROM session WHERE flash <> ''").fetchone()[0]

    def wrote(self) -> bool:
        """Whether a database was written, apart from messages that were shown and users signed in."""
        found = self.store.visited
        opened = len(found) - len(self.data) if self.store.user else 0
        return sum(self.store.db(site).total_changes for site in found) != self.writes + opened

    def changed(self) -> list[str]:
        """Return a row that differs from before and counts, if there is one."""
        for site in self.store.visited:
            old = connect(self.data.get(site, self.store.world(site).data))
            for name, table in self.store.world(site).tables.items():
                rows = frozenset(old.execute(table.sql)) ^ frozenset(self.store.db(site).execute(table.sql))
                if rows:
                    return [f"{site}.{name} {min(rows, key=repr)}"]
        return []


def site_faults(site: Site, seed: int, size: int) -> tuple[list[str], list[str]]:
    """Return what is wrong with a site before any task is played, and warnings for its author.

    Args:
        site: The site.
        seed: Seed of the world in which it is built, twice.
        size: Size of that world.

    Raises:
        Exception: It cannot be built.
    """
    one, other = site.build(seed, size), site.build(seed, size)
    faults = []
    if one.data != other.data:
        faults.append(
            f"two builds of the world with seed {seed} differ{_differing(one, other)}; "
            "fill must draw from `draw` alone, and read neither a clock nor the order of a set"
        )
    warnings = []
    if not site.strays:
        warnings.append(
            f"{site.name} has no strays: nothing tests that a change nobody asked for is noticed, and no hidden "
            "instruction asks for one; write strays=((click(...), ...),)"
        )
    return faults, warnings


def _differing(one: Snapshot, other: Snapshot) -> str:
    for name, table in one.tables.items():
        left, right = table.rows - other.tables[name].rows, other.tables[name].rows - table.rows
        if left or right:
            rows = " and ".join(str(min(rows, key=repr)) for rows in (left, right) if rows)
            return f": {name} in {max(len(left), len(right))} rows, such as {rows:.200}"
    return " in what does not count"


def draft_faults(draft: Draft, world: World, sites: Sequence[str]) -> list[str]:
    """Return changes of a draft that name sites, tables or columns which do not exist or do not count."""
    return [why for goal in goals_of(draft) for change in goal.changes if (why := _change_fault(change, world, sites))]


def _change_fault(change: Change, world: World, sites: Sequence[str]) -> str:
    where = f"{change.op}({f'{change.site}.{change.table}'!r}, ...)"
    if change.site not in sites:
        return f"{where}: the template is not of the site {change.site!r}; its sites are {', '.join(sites)}"
    tables = world(change.site).tables
    if change.table not in tables:
        return f"{where}: no such table counts; those that do are {', '.join(tables)}"
    columns = tables[change.table].columns
    for name, _ in (*change.key, *change.values):
        if name not in columns:
            return f"{where}: the table has no column {name!r} that counts; it has {', '.join(columns)}"
    return ""
