"""The sites of a process by name: built-in ones, imported on demand, and registered ones."""

import importlib
from functools import lru_cache
from typing import Any, Protocol

from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.worlds.web.site.state import Snapshot

__all__ = ["BUILT_IN", "SMALL", "add", "find", "known", "snapshot_of"]

BUILT_IN = ("shop", "bank", "forum", "mail", "crm", "tracker", "travel", "maps", "wiki")
SMALL = ("desk",)
"""Sites that come with turnwise for first steps, and are not among all."""


class Filled(Protocol):
    """A site, as far as its data are concerned."""

    @property
    def origin(self) -> tuple[str, str]:
        """Where it is defined."""
        ...

    def build(self, seed: int, size: int) -> Snapshot:
        """Return its database at the start, in a world."""
        ...


_sites: dict[str, Any] = {}


def add(name: str, site: Filled) -> None:
    """Make a site known by its name; running a definition again replaces the earlier site.

    Raises:
        SettingsError: Another site has that name.
    """
    module, _ = origin = _sites.get(name, site).origin
    if origin != site.origin:
        raise SettingsError(f"there is another site named {name!r} ({module}); choose another name")
    _sites[name] = site
    snapshot_of.cache_clear()


def known(name: str) -> Any:
    """Return the site that was registered under that name, or None."""
    return _sites.get(name)


def find(name: str) -> Any:
    """Return a built-in or registered site.

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
    """Return a site's database at the start in a world; kept for the next episodes of the process."""
    snapshot: Snapshot = find(name).build(seed, size)
    return snapshot
