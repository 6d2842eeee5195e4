"""A world as readers see it: entities, the facts that documents state, and the documents."""

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Streams
from turnwise.worlds.documents.naming import Strings
from turnwise.worlds.documents.pages import table_columns
from turnwise.worlds.documents.schema import (
    GENRES,
    NONE,
    PAGE_KINDS,
    VOCABULARY,
    Kind,
    Page,
    Relation,
    Statement,
    relation_named,
)
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["Int32s", "Table", "World", "WorldDocument"]

Int32s = npt.NDArray[np.int32]
_STATED, _WITHHELD, _STALE = 0, 1, 2
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")


class WorldDocument(NamedTuple):
    """A page as text; ``id`` is the title."""

    id: str
    title: str
    text: str


class Table(NamedTuple):
    """Facts of one relation in columns, by subject, then first year, then object.

    Attributes:
        subjects: Entities.
        objects: Entities or values.
        starts: First years; all NONE unless the relation has terms.
        ends: Last years, OPEN if the term continues.
    """

    subjects: Int32s
    objects: Int32s
    starts: npt.NDArray[np.int16]
    ends: npt.NDArray[np.int16]


class World:
    """A generated world. Get one from ``open_world``; pickling stores its settings only.

    All methods except ``withheld`` and ``stale`` see only facts that are current and stated in some document.
    Thread-safe.

    Args:
        settings: The settings it was made from.
        arrays: The arrays made by ``turnwise.worlds.documents.build.build``.

    Attributes:
        settings: The same.
        relations: Relations of this world, in the schema's order.
        num_documents: Number of pages of all kinds.
        num_entities: Entities are 0..num_entities-1, kind by kind.
        year: The present year; no fact is later.
    """

    def __init__(self, settings: WorldSettings, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self.settings, self._arrays = settings, arrays
        for array in arrays.values():
            array.flags.writeable = False  # all readers share them
        self.relations: tuple[Relation, ...] = settings.chosen()
        self._number = {relation.name: number for number, relation in enumerate(self.relations)}
        self._draw = Streams(settings.digest)
        self._stops: list[int] = arrays["kind_stops"].tolist()
        self._kinds = settings.kinds()
        self._names = Strings(arrays["name_letters"], arrays["name_ends"])
        self._aliases = Strings(arrays["alias_letters"], arrays["alias_ends"])
        self._tables: dict[tuple[str, int], Table] = {}
        self._columns: dict[str, Int32s] = {}
        self._by_object: dict[str, tuple[Int32s, Int32s]] = {}
        self.num_documents = settings.documents
        self.num_entities = self._stops[-1]
        self.year = int(arrays["year"][0])

    def __repr__(self) -> str:
        return f"World(seed={self.seed}, documents={self.num_documents}, digest={self.digest[:8]!r})"

    @property
    def seed(self) -> int:
        """The seed in the settings."""
        return self.settings.seed

    @cached_property
    def digest(self) -> str:
        """A hash of the settings, as 32 hexadecimal digits; the first eight decide the split."""
        return self.settings.digest

    @cached_property
    def split(self) -> Literal["train", "test"]:
        """The split of all tasks in this world; worlds of different splits share no name."""
        return self.settings.split

    # entities

    def range(self, kind: Kind) -> range:
        """Return the entities of a kind; empty if the world has none."""
        if kind not in self._kinds:
            return range(0)
        place = self._kinds.index(kind)
        return range(self._stops[place - 1] if place else 0, self._stops[place])

    def kind(self, entity: int) -> Kind:
        """Return the kind of an entity."""
        return self._kinds[bisect_right(self._stops, entity)]

    def name(self, entity: int) -> str:
        """Return the name of an entity, which others may share."""
        return self._names[entity]

    def aliases(self, entity: int) -> tuple[str, ...]:
        """Return the other names of an entity, each of which is unique and stated on at least one page."""
        place = int(self._alias_places[entity])
        return () if place == NONE else (self._aliases[place],)

    def is_shared(self, entity: int) -> bool:
        """Tell whether another entity has the same name."""
        return entity in self._twins

    def title(self, entity: int) -> str:
        """Return the unique title of an entity's page: its name, with a distinction if the name is shared."""
        name = self.name(entity)
        twin = self._twins.get(entity)
        if twin is None:
            return name
        kind = self.kind(entity)
        if kind != self.kind(twin):
            return f"{name} ({kind})"
        if kind == "person" and "born_on" in self._number:
            born, other = (self.value("born_on", e) // 10000 for e in (entity, twin))
            if born != other and min(born, other) > 0:
                return f"{name} (born {born})"
        return f"{name} ({'I' if entity < twin else 'II'})"

    def female(self, entity: int) -> bool:
        """Tell whether to use female pronouns; False except for people."""
        people = self.range("person")
        return entity in people and bool(self._arrays["women"][entity - people.start])

    def named(self, text: str) -> tuple[int, ...]:
        """Return all entities with exactly that name, title or other name, ascending."""
        checksums, order = self._by_checksum
        wanted = np.uint32(zlib.crc32(text.encode()))
        low, high = np.searchsorted(checksums, wanted), np.searchsorted(checksums, wanted, side="right")
        found = []
        for place in order[low:high].tolist():
            alias = place - self.num_entities
            if alias >= 0 and self._aliases[alias] == text:
                found.append(int(self._arrays["alias_of"][alias]))
            elif alias < 0 and self._names[place] == text:
                found.append(place)
        if not found and text.endswith(")"):
            found = [entity for entity in self.named(text.rpartition(" (")[0]) if self.title(entity) == text]
        return tuple(sorted(found))

    @cached_property
    def _by_checksum(self) -> tuple[npt.NDArray[np.uint32], Int32s]:
        """Return the sorted checksums of all names with their entities; far smaller than a dictionary."""
        count = self.num_entities + len(self._aliases)
        checksums = (zlib.crc32(name.encode()) for name in chain(self._names, self._aliases))
        found = np.fromiter(checksums, dtype=np.uint32, count=count)
        order = np.argsort(found, kind="stable").astype(np.int32)
        return found[order], order

    @cached_property
    def _alias_places(self) -> Int32s:
        places = np.full(self.num_entities, NONE, dtype=np.int32)
        places[self._arrays["alias_of"]] = np.arange(len(self._arrays["alias_of"]))
        return places

    @cached_property
    def _twins(self) -> dict[int, int]:
        pairs = self._arrays["twins"].tolist()
        return dict(pairs) | {b: a for a, b in pairs}

    # facts

    def table(self, relation: str) -> Table:
        """Return all stated facts of a relation; raise KeyError if the world does not have it."""
        return self._table(relation, _STATED)

    def withheld(self, relation: str) -> Table:
        """Return the facts that are true but unstated: the right answer to a question about them is to abstain."""
        return self._table(relation, _WITHHELD)

    def stale(self, relation: str) -> tuple[Int32s, Int32s, Int32s]:
        """Return outdated claims: subjects, the objects claimed, and the documents that make them."""
        claims = self._table(relation, _STALE)
        first = int(self._arrays["fact_bounds"][_STALE, self._number[relation]])
        places = self._arrays["fact_pages_at"][first : first + len(claims.subjects)]
        return claims.subjects, claims.objects, self._arrays["fact_pages"][places]

    def _table(self, relation: str, section: int) -> Table:
        found = self._tables.get((relation, section))
        if found is None:
            number, bounds = self._number[relation], self._arrays["fact_bounds"]
            rows = slice(int(bounds[section, number]), int(bounds[section, number + 1]))
            columns = (self._arrays[f"fact_{name}"][rows] for name in ("subject", "object", "start", "end"))
            found = self._tables[relation, section] = Table(*columns)
        return found

    def column(self, relation: str) -> Int32s:
        """Return a functional relation's object by subject, from the first of ``range(kind)``; NONE if not stated."""
        found = self._columns.get(relation)
        if found is None:
            subjects = self.range(relation_named(relation).subject)
            table = self.table(relation)
            found = np.full(len(subjects), NONE, dtype=np.int32)
            found[table.subjects - subjects.start] = table.objects
            found.flags.writeable = False
            self._columns[relation] = found
        return found

    def value(self, relation: str, subject: int) -> int:
        """Return the object of a functional relation; NONE if not stated."""
        return int(self.column(relation)[subject - self.range(relation_named(relation).subject).start])

    def objects(self, relation: str, subject: int) -> Int32s:
        """Return all distinct objects of a subject, ascending."""
        rows = self._rows_of(relation, subject)
        return np.unique(self.table(relation).objects[rows])

    def subjects(self, relation: str, object: int) -> Int32s:
        """Return all distinct subjects with that object, an entity or a value, ascending."""
        table = self.table(relation)
        if not relation_named(relation).to_entity:
            return np.unique(table.subjects[table.objects == object])
        order, starts = self.by_object(relation)
        place = object - self.range(relation_named(relation).object).start  # type: ignore[arg-type]  # a kind
        return np.unique(table.subjects[order[starts[place] : starts[place + 1]]])

    def holder(self, relation: str, subject: int, year: int) -> int:
        """Return the holder in a year, for a relation with terms; NONE if nothing is stated."""
        rows, table = self._rows_of(relation, subject), self.table(relation)
        then = table.objects[rows][(table.starts[rows] <= year) & (table.ends[rows] >= year)]
        return int(then[0]) if len(then) else NONE

    def by_object(self, relation: str) -> tuple[Int32s, Int32s]:
        """Sort the rows of the table by object.

        Returns:
            ``order`` and ``starts``: the rows of the n-th entity of the objects' kind are
            ``order[starts[n] : starts[n + 1]]``.
        """
        found = self._by_object.get(relation)
        if found is None:
            entities = self.range(relation_named(relation).object)  # type: ignore[arg-type]  # a kind
            objects = self.table(relation).objects - entities.start
            order = np.argsort(objects, kind="stable").astype(np.int32)
            starts = np.concatenate(([0], np.cumsum(np.bincount(objects, minlength=len(entities))))).astype(np.int32)
            found = self._by_object[relation] = order, starts
        return found

    def _rows_of(self, relation: str, subject: int) -> slice:
        subjects = self.table(relation).subjects
        return slice(*np.searchsorted(subjects, [subject, subject + 1]).tolist())

    # pages

    def page_of(self, entity: int) -> int:
        """Return the current document about an entity, under its own title."""
        return int(self._arrays["page_of"][entity])

    def pages_of(self, entity: int) -> tuple[int, ...]:
        """Return all documents about an entity, including its lists, copies and older editions."""
        order, starts = self._pages_by_subject
        return tuple(sorted(order[starts[entity] : starts[entity + 1]].tolist()))

    @cached_property
    def _pages_by_subject(self) -> tuple[Int32s, Int32s]:
        about = self._arrays["page_about"] + 1  # disambiguations first
        order = np.argsort(about, kind="stable").astype(np.int32)
        return order, np.cumsum(np.bincount(about, minlength=self.num_entities + 1)).astype(np.int32)

    def listing(self, relation: str, entity: int) -> int:
        """Return the page listing all stated facts of a relation with an entity (``Relation.list_title``), or NONE."""
        number = self._number[relation]
        kinds = (PAGE_KINDS.index("list"), PAGE_KINDS.index("table"))
        for page in self.pages_of(entity):
            if self._arrays["page_relation"][page] == number and self._arrays["page_kind"][page] in kinds:
                return page
        return NONE

    def where(self, subject: int, relation: str, object: int) -> Int32s:
        """Return the documents that state a fact, ascending; empty if it is outdated, withheld or untrue.

        For a relation with terms, those that state any term of the pair; for a symmetric one, either direction.
        """
        found = [self._stating(subject, relation, object)]
        if relation_named(relation).symmetric:
            found.append(self._stating(object, relation, subject))
        return np.unique(np.concatenate(found))

    def where_term(self, subject: int, relation: str, object: int, start: int) -> Int32s:
        """Return the documents that state the term beginning in that year."""
        return np.unique(self._stating(subject, relation, object, start))

    def _stating(self, subject: int, relation: str, object: int, start: int | None = None) -> Int32s:
        rows, table = self._rows_of(relation, subject), self.table(relation)
        fits = table.objects[rows] == object
        if start is not None:
            fits &= table.starts[rows] == start
        first = int(self._arrays["fact_bounds"][_STATED, self._number[relation]]) + rows.start
        at, pages = self._arrays["fact_pages_at"], self._arrays["fact_pages"]
        return np.concatenate(
            [np.empty(0, dtype=np.int32), *(pages[at[f] : at[f + 1]] for f in (np.flatnonzero(fits) + first).tolist())]
        )

    def page_title(self, number: int) -> str:
        """Return the title of a document."""
        arrays = self._arrays
        kind, about = PAGE_KINDS[arrays["page_kind"][number]], int(arrays["page_about"][number])
        if kind == "disambiguation":
            return self.name(self._shared_pages[number][0])
        title = self.title(about)
        if kind in ("stale", "copy"):
            genre = self._genre(number, kind)
            mark = GENRES[genre].format(year=arrays["page_year"][number])
            alike = [
                page
                for page in self.pages_of(about)
                if (other := PAGE_KINDS[arrays["page_kind"][page]]) in ("stale", "copy")
                and self._genre(page, other) == genre
                and arrays["page_year"][page] == arrays["page_year"][number]
            ]
            nth = alike.index(number)
            return f"{title} ({mark})" if nth == 0 else f"{title} ({mark}, {nth + 1})"
        if kind in ("list", "table"):
            return self.relations[int(arrays["page_relation"][number])].list_title.format(title)
        return title

    def _genre(self, number: int, kind: str) -> str:
        """Return the genre of a copy or a stale page; only a forum contradicts pages of the present year."""
        if kind == "copy":
            genres: tuple[str, ...] = ("excerpt", "newspaper", "letter", "catalogue", "forum")
        else:
            genres = (
                ("forum",) if self._arrays["page_year"][number] == self.year else ("edition", "newspaper", "letter")
            )
        return genres[self._draw.one("genre", number) % len(genres)]

    @cached_property
    def _shared_pages(self) -> dict[int, tuple[int, ...]]:
        """Return the pages of shared names, in the order of the pairs."""
        return {
            page: tuple(sorted(pair))
            for page, pair in zip(self._arrays["twin_pages"].tolist(), self._arrays["twins"].tolist(), strict=True)
        }

    def page(self, number: int) -> Page:
        """Return the page behind a document, with its statements."""
        arrays = self._arrays
        if not 0 <= number < self.num_documents:
            raise IndexError(f"document {number} of {self.num_documents}")
        kind, about = PAGE_KINDS[arrays["page_kind"][number]], int(arrays["page_about"][number])
        at = arrays["page_facts_at"]
        facts = arrays["page_facts"][int(at[number]) : int(at[number + 1])]
        statements = self._statements(number, about, kind == "disambiguation", facts)
        relation = self.relations[arrays["page_relation"][number]] if kind in ("list", "table") else None
        members: tuple[int, ...] = ()
        if relation is not None:
            listed = (s for s in statements if s.relation == relation.name)
            members = tuple(dict.fromkeys(s.object if relation.shape == "terms" else s.subject for s in listed))
        elif kind == "disambiguation":
            members = self._shared_pages[number]
        return Page(
            number=number,
            title=self.page_title(number),
            kind=kind,
            subject=about,
            statements=statements,
            members=members,
            relation=relation.name if relation else "",
            columns=table_columns(self._draw, self.relations, relation) if relation and kind == "table" else (),
            year=int(arrays["page_year"][number]),
            filler=(self._draw.one("page", number) >> 32) % (self.settings.filler + 1),
            seed=self._draw.one("wording", number) >> 1,
            genre=self._genre(number, kind) if kind in ("stale", "copy") else "",
        )

    def _statements(self, number: int, about: int, plain: bool, facts: Int32s) -> tuple[Statement, ...]:
        arrays, bounds = self._arrays, self._arrays["fact_bounds"]
        section = np.searchsorted(bounds[:, 0], facts, side="right") - 1
        found = []
        columns = (arrays[f"fact_{name}"][facts].tolist() for name in ("subject", "object", "start", "end"))
        for fact, part, subject, object_, start, end in zip(facts.tolist(), section.tolist(), *columns, strict=True):
            relation = self.relations[bisect_right(self._bounds[part], fact) - 1]
            forms = (0, 0)
            if relation.object != "name" and not plain:
                forms = (
                    self._form(number, about, subject),
                    self._form(number, about, object_) if relation.to_entity else 0,
                )
            found.append(Statement(subject, relation.name, object_, start, end, *forms, part == _STATED))
        return tuple(found)

    @cached_property
    def _bounds(self) -> list[list[int]]:
        found: list[list[int]] = self._arrays["fact_bounds"].tolist()
        return found

    def _form(self, number: int, about: int, entity: int) -> int:
        """Return 1 if the page uses the entity's other name (two of five pages, never the one about it), else 0."""
        if entity == about or self._alias_places[entity] == NONE:
            return 0
        return int(self._draw.one("form", number << 24 | entity) % 5 < 2)

    # text

    def markup(self, number: int) -> str:
        """Return the text of a document with its links, ``[[Title|shown]]``."""
        from turnwise.worlds.documents.wording.pages import write

        return write(self.page(number), self, terse=self.settings.wording == "terse")

    def document(self, number: int) -> WorldDocument:
        """Return a document as plain text."""
        title = self.page_title(number)
        return WorldDocument(title, title, _LINK.sub(r"\1", self.markup(number)))

    def documents(self) -> Iterator[WorldDocument]:
        """Yield all documents, in the order of their numbers."""
        return map(self.document, range(self.num_documents))

    def term(self, relation: str, value: int) -> str:
        """Return the word for a value of a relation with values "term"."""
        return VOCABULARY[relation][value]
