"""Works, events, species, buildings and awards, with facts consistent with the people and bodies behind them."""

import numpy as np

from turnwise.core.draw import Ints
from turnwise.worlds.documents.lives import active_year, dates, occupations
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
    """Make works: they appear in the author's adult life and suit the author's occupation; sources are older."""
    draw, n = truth.draw, truth.count("work")
    jobs = occupations(truth)
    creators = np.flatnonzero(jobs < len(VOCABULARY["work_type"]))
    pick = draw.weighted("author", n, len(creators))
    author = creators[pick] if len(creators) else pick
    published = active_year(truth, "published", author)
    truth.since["work"] = published
    truth.each("author", "work", author)
    truth.each(
        "work_type", "work", jobs[author] if len(creators) else draw.below("work_type", len(VOCABULARY["work_type"]), n)
    )
    truth.each("published", "work", published)
    truth.each(
        "publisher", "work", truth.some("publisher", 0.8, truth.existing("publisher", "organisation", published))
    )
    truth.each("set_in", "work", truth.some("set_in", 0.5, draw.weighted("set_in", n, truth.count("city"))))
    dedicated = truth.alive("dedicated_to", published, 16, 90)
    truth.each("dedicated_to", "work", truth.some("dedicated_to", 0.3, np.where(dedicated == author, NONE, dedicated)))
    truth.each("based_on", "work", truth.some("based_on", 0.2, truth.existing("based_on", "work", published)))


def make_events(truth: Truth) -> None:
    """Make events whose speakers are alive and whose organisers exist."""
    draw, n = truth.draw, truth.count("event")
    year = truth.year - 1 - draw.below("held_on", 120, n)
    truth.since["event"] = year
    truth.each("event_type", "event", draw.below("event_type", len(VOCABULARY["event_type"]), n))
    truth.each("held_in", "event", draw.weighted("held_in", n, truth.count("city")))
    truth.each("held_on", "event", dates(draw, "held_on/day", year))
    truth.each("organiser", "event", truth.existing("organiser", "organisation", year))
    who = _several(truth, "speaker", n, 4)
    _add_set(truth, "speaker", who, truth.alive("speaker", year[who], 25, 80), truth.count("person"))
    truth.each("attendance", "event", truth.number("attendance", n, 50, 3))


def make_species(truth: Truth) -> None:
    """Make species, discovered in the discoverer's adult life; none preys on itself or on its predator."""
    draw, n = truth.draw, truth.count("species")
    discoverer = draw.weighted("discoverer", n, truth.count("person"))
    truth.since["species"] = active_year(truth, "described", discoverer)
    truth.each("species_class", "species", draw.below("species_class", len(VOCABULARY["species_class"]), n))
    truth.each("discoverer", "species", discoverer)
    truth.each("described", "species", truth.since["species"])
    who = _several(truth, "native_to", n, 3)
    _add_set(
        truth, "native_to", who, draw.weighted("native_to", len(who), truth.count("region")), truth.count("region")
    )
    who = _several(truth, "preys_on", n, 3)
    who = who[draw.chance("preys_on", 0.6, n)[who]]
    _add_set(truth, "preys_on", who, draw.below("preys_on/which", who), n)  # only on earlier numbers
    truth.each("wild_population", "species", truth.number("wild_population", n, 100, 4))


def make_buildings(truth: Truth) -> None:
    """Make buildings, completed in the architect's adult life, owned from then on, with works of any age."""
    draw, n, works = truth.draw, truth.count("building"), truth.count("work")
    architects = np.flatnonzero(occupations(truth) == VOCABULARY["occupation"].index("architect"))
    pick = draw.weighted("designed_by", n, len(architects))
    architect = architects[pick] if len(architects) else pick
    completed = active_year(truth, "completed", architect)
    truth.since["building"] = completed
    truth.each("building_type", "building", draw.below("building_type", len(VOCABULARY["building_type"]), n))
    truth.each("stands_in", "building", draw.weighted("stands_in", n, truth.count("city")))
    truth.each("designed_by", "building", architect)
    truth.each("completed", "building", completed)
    truth.each("height", "building", 8 + draw.below("height", 290, n))
    truth.terms("owner", completed, 35, 3, lambda stream, years: truth.existing(stream, "organisation", years), None)
    truth.each("kept_in", "work", truth.some("kept_in", 0.3, draw.weighted("kept_in", works, n)))


def make_awards(truth: Truth) -> None:
    """Make awards, each given in one year, to living people, by an organisation older than the award."""
    draw, n = truth.draw, truth.count("award")
    established = truth.year - 15 - draw.below("award_established", 75, n)
    truth.since["award"] = established
    truth.each("awarded_by", "award", truth.existing("awarded_by", "organisation", established))
    truth.each("award_established", "award", established)
    truth.each("prize_money", "award", truth.number("prize_money", n, 500, 3))
    truth.terms("laureate", established, 1, 10, lambda stream, years: truth.alive(stream, years, 24, 80), truth.last)
