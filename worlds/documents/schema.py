"""The schema of generated worlds: kinds of entities, relations, statements and pages."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

__all__ = [
    "GENRES",
    "KINDS",
    "NONE",
    "OPEN",
    "PAGE_KINDS",
    "RELATIONS",
    "VOCABULARY",
    "Kind",
    "Page",
    "PageKind",
    "Relation",
    "Statement",
    "relation_named",
]

NONE = -1  # no entity, no value, no year
OPEN = 9999  # the last year of a term that has not ended

Kind = Literal[
    "region", "river", "city", "person", "organisation", "university", "work", "event", "species", "building", "award"
]
KINDS: tuple[Kind, ...] = get_args(Kind)  # the order of entity numbers: all regions come first, all awards last

VOCABULARY: dict[str, tuple[str, ...]] = {  # the words of relations with values "term"
    "occupation": (
        "novelist",
        "poet",
        "composer",
        "painter",
        "playwright",
        "architect",
        "botanist",
        "zoologist",
        "engineer",
        "lawyer",
        "merchant",
        "physician",
        "teacher",
        "astronomer",
        "politician",
    ),
    "work_type": ("novel", "poem", "symphony", "painting", "play"),  # by the first five occupations, in their order
    "industry": (
        "shipbuilding",
        "publishing",
        "banking",
        "mining",
        "textiles",
        "brewing",
        "railways",
        "glassmaking",
        "insurance",
        "forestry",
    ),
    "event_type": ("conference", "festival", "exhibition", "congress", "regatta", "trade fair"),
    "species_class": ("bird", "beetle", "fern", "orchid", "fish", "moth", "lizard", "moss"),
    "building_type": ("bridge", "museum", "theatre", "lighthouse", "library", "tower", "observatory"),
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between an entity and another entity or a value.

    Attributes:
        name: Unique.
        subject: The kind of its subjects.
        object: The kind of its objects; or "number", "year", "date" (yyyymmdd as one integer), "term" (an index into
            ``VOCABULARY[name]``), "name" (an alias: the n-th of ``World.aliases``, as an integer from 0).
        shape: "one": functional, at most one object. "many": a set of objects. "terms": one object at a time, each with
            a first and a last year, both inclusive, no two of a subject in the same year.
        inverse: Name of the relation from the object's side; "" if it is never asked for.
        unit: Unit of a number.
        mutable: An older edition may have stated another object.
        symmetric: Holds both ways; both directions are rows of the table.
        list_title: The title of a page that lists all subjects of one object ("many" and "one"), or all objects of one
            subject ("terms"); "{}" is that entity. "": there is no such page.
    """

    name: str
    subject: Kind
    object: str
    shape: Literal["one", "many", "terms"] = "one"
    inverse: str = ""
    unit: str = ""
    mutable: bool = False
    symmetric: bool = False
    list_title: str = ""

    @property
    def to_entity(self) -> bool:
        """Whether its objects are entities."""
        return self.object in KINDS


RELATIONS: tuple[Relation, ...] = (
    # regions and rivers
    Relation("capital", "region", "city", inverse="capital_of"),
    Relation("area", "region", "number", unit="square kilometres"),
    Relation("governor", "region", "person", "terms", inverse="governor_of", list_title="Governors of {}"),
    Relation("river_length", "river", "number", unit="kilometres"),
    Relation("rises_in", "river", "region", inverse="river_rising_there", list_title="Rivers of {}"),
    Relation("flows_into", "river", "river", inverse="tributary", list_title="Tributaries of the {}"),
    # cities
    Relation("located_in", "city", "region", inverse="city_of", list_title="Cities of {}"),
    Relation("population", "city", "number", unit="inhabitants", mutable=True),
    Relation("city_founded", "city", "year"),
    Relation("mayor", "city", "person", "terms", inverse="mayor_of", list_title="Mayors of {}"),
    Relation("on_river", "city", "river", inverse="city_on", list_title="Cities on the {}"),
    Relation("twin_city", "city", "city", symmetric=True),
    # people
    Relation("occupation", "person", "term"),
    Relation("born_on", "person", "date"),
    Relation("born_in", "person", "city", inverse="native", list_title="People born in {}"),
    Relation("died_on", "person", "date"),
    Relation("died_in", "person", "city", inverse="died_there"),
    Relation("residence", "person", "city", inverse="resident", mutable=True),
    Relation("spouse", "person", "person", symmetric=True),
    Relation("father", "person", "person", inverse="child"),
    Relation("mother", "person", "person", inverse="child"),
    Relation("studied_at", "person", "university", inverse="alumnus", list_title="Alumni of {}"),
    Relation("student_of", "person", "person", inverse="student", list_title="Students of {}"),
    Relation("employer", "person", "organisation", "terms", inverse="employee"),
    # organisations and universities
    Relation("headquarters", "organisation", "city", inverse="organisation_based", mutable=True),
    Relation("org_founded", "organisation", "year"),
    Relation("founder", "organisation", "person", inverse="organisation_founded"),
    Relation("director", "organisation", "person", "terms", inverse="director_of", list_title="Directors of {}"),
    Relation("parent_org", "organisation", "organisation", inverse="subsidiary", list_title="Subsidiaries of {}"),
    Relation("industry", "organisation", "term"),
    Relation("employees", "organisation", "number", unit="employees", mutable=True),
    Relation("campus", "university", "city", inverse="university_there"),
    Relation("uni_founded", "university", "year"),
    Relation("rector", "university", "person", "terms", inverse="rector_of", list_title="Rectors of {}"),
    Relation("students", "university", "number", unit="students", mutable=True),
    # works and events
    Relation("author", "work", "person", inverse="work_of", list_title="Works of {}"),
    Relation("work_type", "work", "term"),
    Relation("published", "work", "year"),
    Relation("publisher", "work", "organisation", inverse="publication", list_title="Works published by {}"),
    Relation("set_in", "work", "city", inverse="work_set_there", list_title="Works set in {}"),
    Relation("dedicated_to", "work", "person", inverse="dedicated_work"),
    Relation("based_on", "work", "work", inverse="adaptation"),
    Relation("kept_in", "work", "building", inverse="work_kept", mutable=True),
    Relation("event_type", "event", "term"),
    Relation("held_in", "event", "city", inverse="event_there", list_title="Events held in {}"),
    Relation("held_on", "event", "date"),
    Relation("organiser", "event", "organisation", inverse="event_organised"),
    Relation("speaker", "event", "person", "many", inverse="spoke_at"),
    Relation("attendance", "event", "number", unit="visitors", mutable=True),
    # species, buildings, awards
    Relation("species_class", "species", "term"),
    Relation("discoverer", "species", "person", inverse="species_discovered", list_title="Species discovered by {}"),
    Relation("described", "species", "year"),
    Relation("native_to", "species", "region", "many", inverse="native_species", list_title="Species of {}"),
    Relation("preys_on", "species", "species", "many", inverse="predator"),
    Relation("wild_population", "species", "number", unit="individuals", mutable=True),
    Relation("building_type", "building", "term"),
    Relation("stands_in", "building", "city", inverse="building_there", list_title="Buildings in {}"),
    Relation("designed_by", "building", "person", inverse="building_designed", list_title="Buildings designed by {}"),
    Relation("completed", "building", "year"),
    Relation("height", "building", "number", unit="metres"),
    Relation("owner", "building", "organisation", "terms", inverse="building_owned", list_title="Owners of {}"),
    Relation("awarded_by", "award", "organisation", inverse="award_given"),
    Relation("award_established", "award", "year"),
    Relation("prize_money", "award", "number", unit="crowns", mutable=True),
    Relation(
        "laureate", "award", "person", "terms", inverse="award_won", list_title="Laureates of {}"
    ),  # one year each
    # names: a former name, a pen name or a short form, for entities of every kind
    Relation("pen_name", "person", "name"),
    Relation("city_former_name", "city", "name"),
    Relation("org_short_name", "organisation", "name"),
    Relation("uni_short_name", "university", "name"),
    Relation("work_other_title", "work", "name"),
    Relation("species_common_name", "species", "name"),
)
_BY_NAME = {relation.name: relation for relation in RELATIONS}


def relation_named(name: str) -> Relation:
    """Return the relation of that name; raise KeyError if it is unknown."""
    return _BY_NAME[name]


class Statement(NamedTuple):
    """A statement on a page: one fact, or one claim that has since changed.

    Attributes:
        subject: An entity.
        relation: The relation's name.
        object: An entity or a value, depending on the relation.
        start: The first year of a term; NONE unless the relation has terms.
        end: The last year, OPEN if the term continues; NONE unless the relation has terms.
        subject_form: Form of the subject on the page: 0 its name, n ``aliases(subject)[n - 1]``.
        object_form: Form of the object on the page, if it is an entity.
        current: Whether it is a fact of the world; False for outdated claims of an older edition or copy.
    """

    subject: int
    relation: str
    object: int
    start: int
    end: int
    subject_form: int
    object_form: int
    current: bool


GENRES: dict[str, str] = {
    "edition": "{year} edition",
    "excerpt": "excerpt",
    "newspaper": "newspaper of {year}",
    "letter": "letter of {year}",
    "catalogue": "catalogue",
    "forum": "forum thread",
}
"""What copies and stale pages are, with the words in parentheses that end their titles."""
PageKind = Literal["entity", "list", "table", "stale", "copy", "disambiguation"]
PAGE_KINDS: tuple[PageKind, ...] = get_args(PageKind)


@dataclass(frozen=True, slots=True)
class Page:
    """One document, before it is written as text.

    Attributes:
        number: From 0; the document's number.
        title: Unique in its world; the document's id.
        genre: What a copy or stale page is, a name in `GENRES`; "" for others.
        kind: "entity": the page of ``subject``. "list": all statements have ``relation`` and ``subject`` as their
            object (as their subject, if the relation has terms). "table": like a list, with more about each row's
            entity in ``columns``. "stale": an older account of an entity, or a
            thread of a forum; some statements are not current.
            "copy": a near-duplicate or excerpt of an entity's page. "disambiguation": ``members`` share a name.
        subject: The entity it is about; NONE on a disambiguation page.
        statements: In the order of the text; a table row by row.
        members: On lists and tables the entities of the rows; on a disambiguation page those that share the name.
        relation: Relation of a list or table, else "".
        columns: Names of the relations of a table's further columns.
        year: Year in which this edition was written; ``World.year`` except on stale pages that are not forum threads.
        filler: Number of sentences that state no fact.
        seed: 63 random bits that select the wording.
    """

    number: int
    title: str
    kind: PageKind
    subject: int
    statements: tuple[Statement, ...]
    members: tuple[int, ...]
    relation: str
    columns: tuple[str, ...]
    year: int
    filler: int
    seed: int
    genre: str = ""
