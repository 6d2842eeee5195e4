"""The sites of a process, by name: those that come with turnwise, imported when they are asked for, and your own."""

import importlib
from functools import lru_cache
from typing import Any, Protocol

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.worlds.web.site.state import Snapshot

__all__ = ["BUILT_IN", "SMALL", "add", "find", "snapshot_of"]

BUILT_IN = ("shop", "bank", "forum", "mail", "crm", "tracker", "travel", "maps", "wiki")
SMALL = ("desk",)
"""Sites that come with turnwise for first steps, and are not among all."""


class Filled(Protocol):
    """A site, as far as its data go."""

    def build(self, seed: int, size: int) -> Snapshot:
        """Its database at the start, in a world."""
        ...


_sites: dict[str, Any] = {}


def add(name: str, site: Filled) -> None:
    """Make a site known by its name; one that is defined again takes the place of the earlier one.

    Raises:
        SettingsError: Another site has that name.
    """
    known, new = type(_sites.get(name, site)), type(site)
    if (known.__module__, known.__qualname__) != (new.__module__, new.__qualname__):
        raise SettingsError(f"there is another site named {name!r} ({known.__module__}); choose another name")
    _sites[name] = site
    snapshot_of.cache_clear()


def find(name: str) -> Any:
    """A site that comes with turnwise, or that was added.

    Raises:
        SettingsError: No site has that name.
    """
    if name not in _sites and name in (*BUILT_IN, *SMALL):
        importlib.import_module(f"turnwise.worlds.web.sites.{name}.site")
    if name not in _sites:
        known = sorted({*BUILT_IN, *SMALL, *_sites})
        raise SettingsError(f"there is no site {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")
    return _sites[name]


@lru_cache(512)
def snapshot_of(name: str, seed: int, size: int) -> Snapshot:
    """A site's database at the start, in a world; kept for the process's next episodes."""
    snapshot: Snapshot = find(name).build(seed, size)
    return snapshot
