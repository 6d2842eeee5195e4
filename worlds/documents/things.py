"""Works, events, species, buildings and awards, with facts consistent with the people and bodies behind them."""

import numpy as np

from turnwise.core.draw import Ints
from turnwise.worlds.documents.lives import PUBLISHING, active_year, dates
from turnwise.worlds.documents.schema import NONE, VOCABULARY
from turnwise.worlds.documents.truth import Truth

__all__ = ["make_awards", "make_buildings", "make_events", "make_species", "make_works"]


def _several(truth: Truth, stream: str, n: int, most: int) -> Ints:
    """Repeat each subject 1 to ``most`` times, ascending."""
    return np.repeat(np.arange(n), 1 + truth.draw.below(f"{stream}/times", most, n))


def _add_set(truth: Truth, name: str, subjects: Ints, objects: Ints, span: int) -> None:
    """Add a many-valued relation without repeated pairs."""
    pairs = np.unique((subjects * span + objects)[objects != NONE])
    truth.add(name, pairs // max(span, 1), pairs % max(span, 1))


def make_works(truth: Truth) -> None:
    """Make works: they appear in the author's adult life and suit the author's occupation; sources are older.

    Publishers publish all but paintings; only novels and plays have a setting.
    """
    draw, n = truth.draw, truth.count("work")
    creators = np.flatnonzero(truth.occupation < len(VOCABULARY["work_type"]))
    pick = draw.weighted("author", n, len(creators))
    author = creators[pick] if len(creators) else pick
    published = active_year(truth, "published", author)
    truth.since["work"] = published
    truth.each("author", "work", author)
    types = draw.below("work_type", len(VOCABULARY["work_type"]), n)
    types = truth.types["work"] = truth.occupation[author] if len(creators) else types
    painted = types == VOCABULARY["work_type"].index("painting")
    truth.each("work_type", "work", types)
    truth.each("published", "work", published)
    publishing = truth.types.get("organisation", np.zeros(0, dtype=np.int64)) == PUBLISHING
    since = truth.since["organisation"]
    publisher = truth.among("publishers", publishing, since, "publisher", np.zeros_like(published), published - 1)
    truth.each("publisher", "work", np.where(painted, NONE, truth.some("publisher", 0.9, publisher)))
    staged = np.isin(types, [VOCABULARY["work_type"].index(name) for name in ("novel", "play")])
    places = draw.weighted("set_in", n, truth.count("city"))
    truth.each("set_in", "work", np.where(staged, truth.some("set_in", 0.9, places), NONE))
    dedicated = truth.alive("dedicated_to", published, 16, 90)
    truth.each("dedicated_to", "work", truth.some("dedicated_to", 0.3, np.where(dedicated == author, NONE, dedicated)))
    source = truth.some("based_on", 0.25, truth.existing("based_on", "work", published))
    truth.each("based_on", "work", np.where(painted, NONE, source))


def make_events(truth: Truth) -> None:
    """Make events whose speakers are alive and whose organisers exist; nobody speaks at a regatta."""
    draw, n = truth.draw, truth.count("event")
    year = truth.year - 1 - draw.below("held_on", 120, n)
    truth.since["event"] = year
    types = truth.types["event"] = draw.below("event_type", len(VOCABULARY["event_type"]), n)
    truth.each("event_type", "event", types)
    truth.each("held_in", "event", draw.weighted("held_in", n, truth.count("city")))
    truth.each("held_on", "event", dates(draw, "held_on/day", year))
    truth.each("organiser", "event", truth.existing("organiser", "organisation", year))
    who = _several(truth, "speaker", n, 4)
    who = who[types[who] != VOCABULARY["event_type"].index("regatta")]
    _add_set(truth, "speaker", who, truth.alive("speaker", year[who], 25, 80), truth.count("person"))
    truth.each("attendance", "event", truth.number("attendance", n, 50, 3))


_RANKS = {"fern": 0, "orchid": 0, "moss": 0, "moth": 1, "beetle": 2, "fish": 3, "lizard": 3, "bird": 4}
"""Classes of species: an animal preys on those of lower ranks from 1 on; plants do not, and nothing preys on them."""


def make_species(truth: Truth) -> None:
    """Make species, discovered in the discoverer's adult life, mostly by a naturalist of the right kind."""
    draw, n = truth.draw, truth.count("species")
    classes = draw.below("species_class", len(VOCABULARY["species_class"]), n)
    rank = np.array([_RANKS[name] for name in VOCABULARY["species_class"]])[classes]
    plants = truth.skilled("discoverer/plants", n, 0.15, "botanist", "physician", "teacher")
    animals = truth.skilled("discoverer/animals", n, 0.15, "zoologist", "physician", "teacher")
    discoverer = np.where(rank == 0, plants, animals)
    truth.since["species"] = active_year(truth, "described", discoverer)
    truth.each("species_class", "species", classes)
    truth.each("discoverer", "species", discoverer)
    truth.each("described", "species", truth.since["species"])
    who = _several(truth, "native_to", n, 3)
    _add_set(
        truth, "native_to", who, draw.weighted("native_to", len(who), truth.count("region")), truth.count("region")
    )
    who = _several(truth, "preys_on", n, 3)
    who = who[rank[who] > 1]
    prey = truth.among("prey", rank > 0, rank, "preys_on/which", np.ones_like(who), rank[who] - 1)
    _add_set(truth, "preys_on", who, prey, n)
    truth.each("wild_population", "species", truth.number("wild_population", n, 100, 4))


_HEIGHTS = {"bridge": (9, 80), "museum": (12, 40), "theatre": (14, 36), "lighthouse": (14, 60), "library": (10, 36),
            "tower": (30, 240), "observatory": (9, 30)}  # fmt: skip
"""Lowest height of a type of building in metres, and by how much it may be exceeded."""


def make_buildings(truth: Truth) -> None:
    """Make buildings, completed in the architect's adult life, owned from then on; some keep works."""
    draw, n = truth.draw, truth.count("building")
    architects = np.flatnonzero(truth.occupation == VOCABULARY["occupation"].index("architect"))
    pick = draw.weighted("designed_by", n, len(architects))
    architect = architects[pick] if len(architects) else pick
    completed = active_year(truth, "completed", architect)
    truth.since["building"] = completed
    types = truth.types["building"] = draw.below("building_type", len(VOCABULARY["building_type"]), n)
    truth.each("building_type", "building", types)
    truth.each("stands_in", "building", draw.weighted("stands_in", n, truth.count("city")))
    truth.each("designed_by", "building", architect)
    truth.each("completed", "building", completed)
    low, more = np.array([_HEIGHTS[name] for name in VOCABULARY["building_type"]]).T
    truth.each("height", "building", low[types] + draw.below("height", more[types]))
    truth.terms("owner", completed, 35, 3, lambda stream, years: truth.existing(stream, "organisation", years), None)
    _keep_works(truth, types)


def _keep_works(truth: Truth, types: Ints) -> None:
    """Keep some originals: paintings in museums, manuscripts in libraries."""
    works = truth.count("work")
    kinds = truth.types.get("work", np.zeros(0, dtype=np.int64))
    where = np.full(works, NONE, dtype=np.int64)
    for house, painted in (("museum", True), ("library", False)):
        houses = np.flatnonzero(types == VOCABULARY["building_type"].index(house))
        pick = truth.draw.weighted(f"kept_in/{house}", works, len(houses))
        mine = (kinds == VOCABULARY["work_type"].index("painting")) == painted
        if len(houses):
            where = np.where(mine, houses[pick], where)
    truth.each("kept_in", "work", truth.some("kept_in", 0.4, where))


def make_awards(truth: Truth) -> None:
    """Make awards, each given in one year, to living people, by an organisation older than the award."""
    draw, n = truth.draw, truth.count("award")
    established = truth.year - 15 - draw.below("award_established", 75, n)
    truth.since["award"] = established
    truth.each("awarded_by", "award", truth.existing("awarded_by", "organisation", established))
    truth.each("award_established", "award", established)
    truth.each("prize_money", "award", truth.number("prize_money", n, 500, 3))
    truth.terms("laureate", established, 1, 10, lambda stream, years: truth.alive(stream, years, 24, 80), truth.last)
