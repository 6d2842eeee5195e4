"""What is wrong with a site, for its author: seen in the site itself, in a draft, and while plans are played."""

import re
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.errors import TurnwiseError
from turnwise.worlds.web.site.app import Scope
from turnwise.worlds.web.site.check import goals_of
from turnwise.worlds.web.site.plan import APP
from turnwise.worlds.web.site.site import WebSite, check_strays
from turnwise.worlds.web.site.state import Snapshot, Store, connect
from turnwise.worlds.web.site.tasks import Change, Draft, World

__all__ = ["Watch", "draft_faults", "last_lines", "site_faults"]

MAX_LOOKS = 5


_OURS = str(Path(__file__).parents[3])
_SITES = str(Path(_OURS, "worlds", "web", "sites"))


def last_lines(error: BaseException, count: int = 8) -> str:
    """The end of an error's traceback, without what lies in turnwise itself, and its notes."""
    told = traceback.TracebackException.from_exception(error)
    frames = [at for at in told.stack if not at.filename.startswith((_OURS, "<")) or at.filename.startswith(_SITES)]
    told.stack = traceback.StackSummary.from_list(frames[-count // 2 :])
    lines = "".join(told.format(chain=False)).rstrip().splitlines()
    return "\n".join(line for line in lines if line.strip(" ~^") and not line.startswith("Traceback ("))


class Watch:
    """The application of all sites, which remembers errors of handlers, and pages that changed a database.

    Args:
        looked: How often each page was looked at that writes: a few times are enough, and take time.

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
                    f"{asked}: a page only reads, and this one wrote {row:.100}: write in an @action, or name in "
                    "volatile what does not count"
                )


class _Before:
    """An episode's databases as they were before a page was asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.data, self.writes = {}, 0
        for site in store.visited:
            db = store.db(site)
            self.data[site] = db.serialize()
            self.writes += db.total_changes + db.execute("SELECT count(*) FROM session WHERE flash <> ''").fetchone()[0]

    def wrote(self) -> bool:
        """Whether a database was written, but for messages that were shown and users who are signed in."""
        found = self.store.visited
        opened = len(found) - len(self.data) if self.store.user else 0
        return sum(self.store.db(site).total_changes for site in found) != self.writes + opened

    def changed(self) -> list[str]:
        """A row that differs from before and counts; none where all are the same."""
        for site in self.store.visited:
            old = connect(self.data.get(site, self.store.world(site).data))
            for name, table in self.store.world(site).tables.items():
                rows = frozenset(old.execute(table.sql)) ^ frozenset(self.store.db(site).execute(table.sql))
                if rows:
                    return [f"{site}.{name} {min(rows, key=repr)}"]
        return []


def site_faults(site: WebSite, seed: int, size: int) -> tuple[list[str], list[str]]:
    """What is wrong with a site before any task is played, and what an author should look at.

    Args:
        site: The site.
        seed: Of the world in which it is built, twice.
        size: Of that world.

    Raises:
        Exception: It cannot be built.
    """
    name = type(site).__name__
    check_strays(name, site.strays)
    one, other = site.build(seed, size), site.build(seed, size)
    faults = []
    if one.data != other.data:
        faults.append(
            f"two builds of the world with seed {seed} differ{_differing(one, other)}; "
            f"{name}.fill draws from `draw` alone, and reads no clock and no order of a set"
        )
    warnings = []
    if not site.strays:
        warnings.append(
            f"{name} has no strays: nothing tries whether a change that nobody asked for is noticed, and no hidden "
            "instruction asks for one; write strays = ((click(...), ...),), above fill"
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
    """Changes of a draft that name sites, tables or columns which are not there or do not count."""
    return [why for goal in goals_of(draft) for change in goal.changes if (why := _change_fault(change, world, sites))]


def _change_fault(change: Change, world: World, sites: Sequence[str]) -> str:
    where = f"{change.op}({f'{change.site}.{change.table}'!r}, ...)"
    if change.site not in sites:
        return f"{where}: the template is not of the site {change.site!r}; its sites are {', '.join(sites)}"
    tables = world(change.site).tables
    if change.table not in tables:
        return f"{where}: there is no such table that counts; there are {', '.join(tables)}"
    columns = tables[change.table].columns
    for name, _ in (*change.key, *change.values):
        if name not in columns:
            return f"{where}: the table has no column {name!r} that counts; it has {', '.join(columns)}"
    return ""
