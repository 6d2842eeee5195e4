"""The facts of a world: those that documents state, and true ones that no document states."""

from dataclasses import dataclass

import numpy as np

from turnwise.core.draw import Floats, Ints, Streams
from turnwise.core.errors import SettingsError
from turnwise.worlds.documents.lives import make_bodies, make_heads, make_lifetimes, make_people, make_places
from turnwise.worlds.documents.naming import Names, make_names
from turnwise.worlds.documents.schema import KINDS, Kind, Relation
from turnwise.worlds.documents.style import WorldSettings
from turnwise.worlds.documents.things import make_awards, make_buildings, make_events, make_species, make_works
from turnwise.worlds.documents.truth import Rows, Truth

__all__ = ["Facts", "Population", "make_facts", "population"]

_SHARES: dict[Kind, float] = {
    "region": 0.006, "river": 0.025, "city": 0.12, "person": 0.32, "organisation": 0.10, "university": 0.025,
    "work": 0.215, "event": 0.07, "species": 0.06, "building": 0.045, "award": 0.014,
}  # fmt: skip


@dataclass(frozen=True)
class Population:
    """The numbers of entities of each kind, and of pages of each kind.

    Attributes:
        ranges: The entity numbers of each kind of the world.
        stale: Number of older editions.
        lists: Number of lists and tables.
        twins: Number of pairs that share a name; each has a disambiguation page.
    """

    ranges: dict[Kind, range]
    stale: int
    lists: int
    twins: Ints


def population(settings: WorldSettings, draw: Streams) -> Population:
    """Decide the numbers of entities and pages, at most ``settings.documents`` in total; copies fill the rest."""
    stale, copies, lists = (
        round(share * settings.documents) for share in (settings.stale, settings.copies, settings.lists)
    )
    rest = settings.documents - stale - copies - lists
    pairs = int(settings.namesakes * rest / (2 + settings.namesakes))
    entities = rest - pairs
    kinds = settings.kinds()
    total = sum(_SHARES[kind] for kind in kinds)
    counts = {kind: max(2, int(entities * _SHARES[kind] / total)) for kind in kinds}
    largest = max(kinds, key=lambda kind: counts[kind])
    counts[largest] += entities - sum(counts.values())
    if counts[largest] < 2:
        raise SettingsError(
            f"documents={settings.documents}: too few for {len(kinds)} kinds of entities in addition to the pages that "
            f"stale={settings.stale}, copies={settings.copies} and lists={settings.lists} ask for"
        )
    ranges: dict[Kind, range] = {}
    start = 0
    for kind in kinds:
        ranges[kind] = range(start, start + counts[kind])
        start += counts[kind]
    return Population(ranges, stale, lists, _twins(draw, ranges, pairs))


def _twins(draw: Streams, ranges: dict[Kind, range], pairs: int) -> Ints:
    """Choose pairs that share a name: some rivers and cities, else people (or, without these, the largest kind)."""
    found = []
    rivers, cities = ranges.get("river", range(0)), ranges.get("city", range(0))
    mixed = min(pairs * 2 // 5, len(rivers) // 2, len(cities) // 2)
    if mixed:
        first = draw.order("twins/river", len(rivers))[:mixed] + rivers.start
        found.append(np.stack([first, draw.order("twins/city", len(cities))[:mixed] + cities.start], axis=1))
    same = ranges.get("person") or max(ranges.values(), key=len)
    alike = min(pairs - mixed, (len(same) - 2 * mixed) // 2)
    if alike > 0 and (same is not cities or not mixed):
        chosen = draw.order("twins/same", len(same))[: 2 * alike].reshape(alike, 2) + same.start
        found.append(np.sort(chosen, axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class Facts:
    """Everything that is known about a world.

    Attributes:
        year: The present.
        since: By entity, the first year in which an older edition could describe it.
        women: By person, 1 for women.
        names: Names of all entities.
        stated: By relation, in the order of the world's relations.
        withheld: Facts that are true but that no page states.
    """

    year: int
    since: Ints
    women: Ints
    names: Names
    stated: dict[str, Rows]
    withheld: dict[str, Rows]


def make_facts(settings: WorldSettings, draw: Streams, people: Population) -> Facts:
    """Make all facts and names of a world."""
    truth = Truth(settings, draw, people.ranges)
    make_lifetimes(truth)
    make_places(truth)
    make_bodies(truth)
    make_people(truth)
    make_works(truth)
    make_events(truth)
    make_species(truth)
    make_buildings(truth)
    make_awards(truth)
    make_heads(truth)
    names = make_names(settings, draw, people.ranges, people.twins, truth.women, truth.types)
    stated: dict[str, Rows] = {}
    withheld: dict[str, Rows] = {}
    nothing = Rows(*(np.empty(0, dtype=np.int64) for _ in range(4)))
    for relation in settings.chosen():
        if relation.object == "name":
            entities = people.ranges[relation.subject]
            whose = names.alias_of[(names.alias_of >= entities.start) & (names.alias_of < entities.stop)]
            rows = Rows(whose, np.zeros_like(whose), np.full_like(whose, -1), np.full_like(whose, -1))
            hidden = np.zeros(len(whose), dtype=bool)
        else:
            rows = truth.rows.get(relation.name, nothing)
            hidden = _hidden(draw, relation, rows) < settings.withheld
        stated[relation.name], withheld[relation.name] = rows.where(~hidden), rows.where(hidden)
    since = np.concatenate([truth.since[kind] for kind in KINDS if kind in people.ranges])
    return Facts(truth.year, since, truth.women, names, stated, withheld)


def _hidden(draw: Streams, relation: Relation, rows: Rows) -> Floats:
    """Draw a number in [0, 1) for each fact; both directions share one, and so do both parents."""
    one, other = rows.subjects, rows.objects
    if relation.symmetric:
        one, other = np.minimum(one, other), np.maximum(one, other)
    stream, other = ("parents", one) if relation.name in ("father", "mother") else (relation.name, other)
    bits = draw.at(f"withheld/{stream}", one.astype(np.uint64) * np.uint64(2**32) + other.astype(np.uint64))
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
