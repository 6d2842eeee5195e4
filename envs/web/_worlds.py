"""Which worlds belong to a split, and which templates an environment draws from."""

import hashlib
from fnmatch import fnmatchcase
from functools import lru_cache

from turnwise.core.env import Split, seed_in_split
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import Site, site_named
from turnwise.worlds.web.site.tasks import TaskSet, Template

__all__ = ["ACROSS", "digest_of", "task_sets", "templates_named", "why_not", "world_seed"]


ACROSS = "across"
"""Name of the task set that needs several sites."""


@lru_cache(4096)
def world_seed(base: int, split: Split, number: int, size: int) -> int:
    """Return the seed of world ``number`` of a split: the first of its hashes whose world belongs to the split.

    Args:
        base: The setting ``world``.
        split: Split of its tasks.
        number: Number of the world, from 0.
        size: Size of the world.
    """
    # as a float holds it: settings in JSON may have to
    return seed_in_split(split, lambda seed: digest_of(seed >> 10, size), "web world", base, split, number) >> 10


@lru_cache(4096)
def digest_of(seed: int, size: int) -> str:
    """Return the digest of a world."""
    return hashlib.blake2b(f"web world {seed} {size}".encode(), digest_size=8).hexdigest()


@lru_cache(64)
def task_sets(sites: str, across: bool) -> tuple[Site | TaskSet, ...]:
    """Return the sites of that setting ("all", or names with commas), and if asked for the set across sites.

    Raises:
        SettingsError: There is no such site.
    """
    names = BUILT_IN if sites == "all" else tuple(name.strip() for name in sites.split(","))
    found: list[Site | TaskSet] = [site_named(name) for name in names]
    if across:
        from turnwise.worlds.web.sites.across.site import across as across_sites

        found.append(across_sites)
    return tuple(found)


@lru_cache(256)
def templates_named(sites: str, names: str, several: bool) -> tuple[Template, ...]:
    """Return the templates of sites that have these names, whatever else they need.

    Args:
        sites: "all" or names of sites; a template needs no other.
        names: "all", or names of templates with commas; ``*`` stands for anything.
        several: Templates that need several sites; else those that need one.

    Raises:
        SettingsError: There is no such site, or no such template.
    """
    sets = task_sets(sites, several)
    known = {each.name for each in sets}
    there = [t for each in sets for t in each.templates() if set(t.sites) <= known and (len(t.sites) > 1) == several]
    if not there:
        what = "needs only those sites" if several else "is there"
        raise SettingsError(f"sites is {sites!r}; no template{' across sites' * several} {what}")
    patterns = ("*",) if names == "all" else tuple(name.strip() for name in names.split(","))
    for pattern in patterns:
        if not any(fnmatchcase(t.name, pattern) for t in there):
            other = "WebTasks" if several else "WebFlow"
            raise SettingsError(
                f"templates is {names!r}; none of the {len(there)} of sites={sites!r} is {pattern!r}"
                f"{did_you_mean(pattern, [t.name for t in there])}"
                + f" (templates that need {'one site' if several else 'several sites'} are {other}'s)"
            )
    return tuple(t for t in there if any(fnmatchcase(t.name, pattern) for pattern in patterns))


def why_not(template: Template, level: int, min_level: int, size: int, browser: bool) -> str:
    """Return what to set for a template that is left out, or "" if it is not.

    Args:
        template: One that was named.
        level: The highest level.
        min_level: The lowest level.
        size: Of the worlds.
        browser: Whether pages run free JavaScript.
    """
    if not min_level <= template.level <= level:
        return f"{'min_' * (template.level < min_level)}level={template.level}"
    if template.needs_size > size:
        return f"size={template.needs_size}"
    return "driver='chromium', javascript=True" if template.browser and not browser else ""
