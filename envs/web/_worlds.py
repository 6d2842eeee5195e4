"""Which worlds belong to a split, and which templates an environment draws from."""

import hashlib
from fnmatch import fnmatchcase
from functools import lru_cache

from turnwise.core import Split, seed_in_split
from turnwise.errors import SettingsError
from turnwise.web.site import BUILT_IN, site_named
from turnwise.web.tasks import TaskSet, Template

__all__ = ["ACROSS", "digest_of", "task_sets", "templates_of", "world_seed"]


ACROSS = "across"
"""Name of the task set that needs several sites."""


@lru_cache(4096)
def world_seed(base: int, split: Split, number: int, size: int) -> int:
    """The seed of world ``number`` of a split: the first hash of these whose world belongs to the split.

    Args:
        base: What the user calls the worlds by.
        split: Where its tasks belong.
        number: From 0.
        size: Of the world.
    """
    # as a float holds it: settings in JSON may have to
    return seed_in_split(split, lambda seed: digest_of(seed >> 10, size), "web world", base, split, number) >> 10


@lru_cache(4096)
def digest_of(seed: int, size: int) -> str:
    """The digest of a world."""
    return hashlib.blake2b(f"web world {seed} {size}".encode(), digest_size=8).hexdigest()


@lru_cache(64)
def task_sets(sites: str, across: bool) -> tuple[TaskSet, ...]:
    """The sites of that setting ("all", or names with commas), and where asked for the task set across sites.

    Raises:
        SettingsError: There is no such site.
    """
    names = BUILT_IN if sites == "all" else tuple(name.strip() for name in sites.split(","))
    found: list[TaskSet] = [site_named(name) for name in names]
    if across:
        from turnwise.web.sites.across import Across

        found.append(Across())
    return tuple(found)


@lru_cache(256)
def templates_of(
    sites: str, names: str, level: int, min_level: int, size: int, several: bool, browser: bool
) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
    """The templates that settings allow: those that can be done, those that cannot.

    Args:
        sites: "all" or names of sites; a template needs no other.
        names: "all", or names of templates with commas; ``*`` stands for anything.
        level: The highest level.
        min_level: The lowest level.
        size: Of the worlds.
        several: Templates that need several sites; else those that need one.
        browser: Whether pages run free JavaScript.

    Raises:
        SettingsError: There is no such site, or no such template.
    """
    sets = task_sets(sites, several)
    known = {each.name for each in sets}
    patterns = ("*",) if names == "all" else tuple(name.strip() for name in names.split(","))
    all_of_them = [
        t for each in sets for t in each.templates() if set(t.sites) <= known and (len(t.sites) > 1) == several
    ]
    for pattern in patterns:
        if not any(fnmatchcase(t.name, pattern) for t in all_of_them):
            raise SettingsError(
                f"templates is {names!r}; none of the {len(all_of_them)} of sites={sites!r} is {pattern!r}"
            )
    found = [
        t
        for t in all_of_them
        if min_level <= t.level <= level
        and t.needs_size <= size
        and (browser or not t.browser)
        and any(fnmatchcase(t.name, pattern) for pattern in patterns)
    ]
    return tuple(t for t in found if not t.infeasible), tuple(t for t in found if t.infeasible)
