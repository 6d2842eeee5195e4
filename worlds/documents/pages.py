"""Decide which document states what: pages of entities, lists, tables, older editions, copies, disambiguations."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.facts import Facts, Population
from turnwise.worlds.documents.schema import NONE, PAGE_KINDS, Kind, PageKind, Relation
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["LONGEST_LIST", "Layout", "lay_out", "table_columns"]

LONGEST_LIST, _LONGEST_BACK = 60, 8  # rows of a list; facts of one relation on the page of their object
_OWN, _BACK, _STRAY = 0, 1, 2  # place of a statement on an entity's page
_NAME_PARTS = 2**32
Flags = npt.NDArray[np.bool_]


@dataclass
class _Table:
    """All facts in one table: stated ones by relation and subject, then withheld ones, then outdated claims."""

    subject: Ints
    object: Ints
    start: Ints
    end: Ints
    bounds: Ints  # (3, relations + 1)

    def rows(self, relation: int, section: int = 0) -> slice:
        return slice(int(self.bounds[section, relation]), int(self.bounds[section, relation + 1]))

    @property
    def num_stated(self) -> int:
        return int(self.bounds[0, -1])


class Layout:
    """Places the facts on pages. Pages are numbered in order of creation; ``arrays`` assigns their final numbers."""

    def __init__(self, settings: WorldSettings, draw: Streams, people: Population, facts: Facts) -> None:
        self.settings, self.draw, self.people, self.facts = settings, draw, people, facts
        self.relations = settings.chosen()
        self.num_entities = max(entities.stop for entities in people.ranges.values())
        self.table = self._table()
        self.pairs: list[tuple[Ints, Ints | int, Ints]] = []  # page, place on it, fact
        self.kind = [np.full(self.num_entities, PAGE_KINDS.index("entity"))]
        self.about = [np.arange(self.num_entities)]
        self.relation = [np.full(self.num_entities, NONE)]
        self.year = [np.full(self.num_entities, facts.year)]
        self.num_pages = self.num_entities
        self.twin_pages = np.empty(0, dtype=np.int64)
        count = self.table.num_stated
        self.on_subject, self.on_object = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)

    def _table(self) -> _Table:
        parts = [[rows[r.name] for r in self.relations] for rows in (self.facts.stated, self.facts.withheld)]
        subject, object_, start_, end = (
            np.concatenate([getattr(rows, name) for part in parts for rows in part]) for name in _COLUMNS
        )
        bounds = np.zeros((3, len(self.relations) + 1), dtype=np.int64)
        start = 0
        for section, part in enumerate(parts):
            bounds[section] = start + np.concatenate(([0], np.cumsum([len(rows.subjects) for rows in part])))
            start = int(bounds[section, -1])
        bounds[2] = start
        return _Table(subject, object_, start_, end, bounds)

    def add_pages(self, kind: PageKind, about: Ints, relation: Ints | None = None, year: Ints | None = None) -> Ints:
        """Add pages and return their numbers."""
        n = len(about)
        self.kind.append(np.full(n, PAGE_KINDS.index(kind)))
        self.about.append(about)
        self.relation.append(np.full(n, NONE) if relation is None else relation)
        self.year.append(np.full(n, self.facts.year) if year is None else year)
        self.num_pages += n
        return np.arange(self.num_pages - n, self.num_pages)

    # the steps, in their order

    def place(self) -> None:
        """Place each fact on the page of its subject, its object or both."""
        table, how = self.table, self.settings.placement
        for number, relation in enumerate(self.relations):
            rows = table.rows(number)
            subject, object_ = table.subject[rows], table.object[rows]
            n = len(subject)
            if not relation.to_entity or relation.symmetric or how == "subject":
                self.on_subject[rows] = True
                if relation.symmetric:  # both directions are one fact: on either page, or on both
                    low, high = np.minimum(subject, object_), np.maximum(subject, object_)
                    key = low.astype(np.uint64) * np.uint64(_NAME_PARTS) + high.astype(np.uint64)
                    which = self.draw.at(f"place/{relation.name}", key) % np.uint64(4)
                    self.on_subject[rows] = (which > 1) | ((subject == low) == (which == 0))
                continue
            chance = self.draw.unit(f"place/{relation.name}", n)
            on_object = (chance >= 0.45) if how == "mixed" else np.ones(n, dtype=bool)
            on_object &= _rank(object_) < _LONGEST_BACK
            self.on_subject[rows] = ~on_object | ((chance >= 0.7) & (how == "mixed"))
            self.on_object[rows] = on_object

    def lists(self, wanted: int) -> None:
        """Make lists and tables; some of the listed facts are stated nowhere else."""
        candidates: list[Ints] = []
        for number, relation in enumerate(self.relations):
            if relation.list_title:
                anchors, sizes = np.unique(self._anchors(number), return_counts=True)
                good = anchors[(sizes >= 2) & (sizes <= LONGEST_LIST)]
                candidates.append(np.stack([np.full(len(good), number), good], axis=1))
        if not candidates or not wanted:
            return
        found = np.concatenate(candidates)
        found = found[np.sort(self.draw.order("lists", len(found))[:wanted])]
        tables = self.draw.chance("lists/table", 0.4, len(found))
        columns = {number: self._column_numbers(number) for number in range(len(self.relations))}
        tables &= np.array([bool(columns[number]) for number in found[:, 0].tolist()], dtype=bool)
        parts: tuple[tuple[PageKind, Ints], ...] = (("list", found[~tables]), ("table", found[tables]))
        for kind, chosen in parts:
            pages = self.add_pages(kind, chosen[:, 1], chosen[:, 0])
            for number in np.unique(chosen[:, 0]).tolist():
                mine = chosen[:, 0] == number
                self._fill_lists(number, pages[mine], chosen[mine, 1], columns[number] if kind == "table" else ())

    def _anchors(self, number: int) -> Ints:
        rows = self.table.rows(number)
        return self.table.subject[rows] if self.relations[number].shape == "terms" else self.table.object[rows]

    def _column_numbers(self, number: int) -> tuple[int, ...]:
        names = table_columns(self.draw, self.relations, self.relations[number])
        return tuple(n for n, relation in enumerate(self.relations) if relation.name in names)

    def _fill_lists(self, number: int, pages: Ints, anchors: Ints, columns: tuple[int, ...]) -> None:
        page_of = np.full(self.num_entities, NONE)
        page_of[anchors] = pages
        offset = self.table.rows(number).start
        page = page_of[self._anchors(number)]
        facts = np.flatnonzero(page != NONE)
        page, rank = page[facts], _rank(page[facts])
        self.pairs.append((page, rank, facts + offset))
        hide = self.settings.placement == "mixed"
        name = self.relations[number].name
        self._hide(f"listed/{name}", facts + offset, 0.3 * hide)
        for column in columns:
            fact_of = np.full(self.num_entities, NONE)
            rows = self.table.rows(column)
            fact_of[self.table.subject[rows]] = np.arange(rows.start, rows.stop)
            cells = fact_of[self.table.subject[facts + offset]]
            known = cells != NONE
            self.pairs.append((page[known], rank[known], cells[known]))
            self._hide(f"listed/{name}/{column}", cells[known], 0.15 * hide)

    def _hide(self, stream: str, facts: Ints, share: float) -> None:
        """Choose facts that are stated only on lists."""
        gone = facts[self.draw.chance(stream, share, len(facts))]
        self.on_subject[gone] = self.on_object[gone] = False

    def names(self) -> None:
        """State a third of the second names on the page of another entity."""
        home: dict[Kind, int] = {}
        for number, relation in enumerate(self.relations):
            if relation.to_entity and relation.shape == "one" and not relation.symmetric and not relation.mutable:
                home.setdefault(relation.subject, number)
        for number, relation in enumerate(self.relations):
            if relation.object != "name" or relation.subject not in home or self.settings.placement == "subject":
                continue
            rows, of = self.table.rows(number), self.table.rows(home[relation.subject])
            place = np.full(self.num_entities, NONE)
            place[self.table.subject[of]] = self.table.object[of]
            facts = np.arange(rows.start, rows.stop)
            there = place[self.table.subject[rows]]
            away = (there != NONE) & self.draw.chance(f"names/{relation.name}", 1 / 3, len(facts))
            self.on_subject[facts[away]] = False
            self.pairs.append((there[away], np.full(int(away.sum()), _BACK), facts[away]))

    def entities(self) -> None:
        """Make the entities' own pages; none is left without a statement if one is available."""
        table, count = self.table, self.table.num_stated
        subject = table.subject[:count]
        to_entity = np.concatenate(
            [np.full(len(self.facts.stated[r.name].subjects), r.to_entity) for r in self.relations]
        ).astype(bool)
        target = np.where(to_entity, table.object[:count], 0)
        said = np.zeros(self.num_entities, dtype=bool)
        for page, _, _ in self.pairs:
            said[page[page < self.num_entities]] = True
        said[subject[self.on_subject]] = True
        said[target[self.on_object]] = True
        self.on_subject |= ~said[subject]
        said[subject] = True
        mute = np.flatnonzero(to_entity & ~said[target])
        self.on_object[mute[_rank(target[mute]) < _LONGEST_BACK]] = True
        own, back = np.flatnonzero(self.on_subject), np.flatnonzero(self.on_object)
        self.pairs.append((subject[own], _OWN, own))
        self.pairs.append((target[back], _BACK, back))
        self._strays(target)

    def _strays(self, target: Ints) -> None:
        """Put a fact about another entity on some pages."""
        names = [n for n, relation in enumerate(self.relations) if relation.object == "name"]
        count = int(self.table.bounds[0, names[0]]) if names else self.table.num_stated  # names come last
        page = np.flatnonzero(self.draw.chance("strays", self.settings.distractors, self.num_entities))
        fact = self.draw.below("strays/fact", count, len(page))
        good = (fact != NONE) & (self.table.subject[fact] != page) & (target[fact] != page) if count else fact > 0
        self.pairs.append((page[good], _STRAY, fact[good]))

    def copies(self, wanted: int) -> None:
        """Make pages with most of the statements of an entity's page."""
        page = np.concatenate([p for p, _, _ in self.pairs])
        fact = np.concatenate([f for _, _, f in self.pairs])
        place = np.concatenate([np.broadcast_to(np.asarray(w), f.shape) for _, w, f in self.pairs])
        own = np.flatnonzero((page < self.num_entities) & (place != _STRAY))
        own = own[np.argsort(page[own], kind="stable")]
        first = np.searchsorted(page[own], np.arange(self.num_entities + 1))
        whose = np.resize(self.draw.order("copies", self.num_entities), wanted)
        pages = self.add_pages("copy", whose)
        sizes = first[whose + 1] - first[whose]
        nth = _counting(sizes)
        source = own[np.repeat(first[whose], sizes) + nth]
        keep = self.draw.chance("copies/keep", 0.75, len(source)) | (nth == 0)
        self.pairs.append((np.repeat(pages, sizes)[keep], place[source[keep]], fact[source[keep]]))

    def disambiguations(self) -> None:
        """Make one page for every shared name, which says something about each bearer."""
        self.twin_pages = pages = self.add_pages("disambiguation", np.full(len(self.people.twins), NONE))
        table = self.table
        for side in (0, 1):
            page_of = np.full(self.num_entities, NONE)
            page_of[self.people.twins[:, side]] = pages
            facts = np.flatnonzero(page_of[table.subject[: table.num_stated]] != NONE)
            whose, first = np.unique(table.subject[facts], return_index=True)
            self.pairs.append((page_of[whose], side, facts[first]))

    def stale(self, wanted: int) -> None:
        """Make older accounts, in which something mutable was different and everything else is unchanged.

        A third are not older: threads of a forum, of the present year, whose writers are mistaken.
        """
        table, draw, since = self.table, self.draw, self.facts.since
        earliest = np.maximum(since, self.facts.year - 25)
        edition = earliest + draw.below("stale/year", self.facts.year - earliest)
        claims = {n: self._claims(n, edition) for n, relation in enumerate(self.relations) if relation.mutable}
        able = np.zeros(self.num_entities, dtype=bool)
        for subject, _ in claims.values():
            able[subject] = True
        whose = np.flatnonzero(able)
        whose = whose[draw.order("stale", len(whose))[:wanted]]
        page_of = np.full(self.num_entities, NONE)
        forum = draw.chance("stale/forum", 1 / 3, self.num_entities)
        written = np.where(forum, self.facts.year, edition)
        page_of[whose] = self.add_pages("stale", whose, year=written[whose])
        self._claim(claims, page_of)
        fixed = np.ones(table.num_stated, dtype=bool)
        for number, relation in enumerate(self.relations):
            if relation.mutable or relation.shape == "terms" or relation.object == "name":
                fixed[table.rows(number)] = False
        facts = np.flatnonzero(fixed & (page_of[table.subject[: table.num_stated]] != NONE))
        facts = facts[draw.chance("stale/keep", 0.7, len(facts))]
        self.pairs.append((page_of[table.subject[facts]], _OWN, facts))

    def _claims(self, number: int, years: Ints) -> tuple[Ints, Ints]:
        """Choose subjects of a mutable relation, and the object of each in its year.

        The object is another entity that existed then, or a number that is 60 to 92 % or 109 to 140 % of today's.
        """
        relation, rows = self.relations[number], self.table.rows(number)
        subject, now = self.table.subject[rows], self.table.object[rows]
        stream, n = f"claims/{relation.name}", len(subject)
        if relation.object == "number":
            percent = 60 + self.draw.below(f"{stream}/percent", 64, n)
            then = now * np.where(percent > 92, percent + 17, percent) // 100
        else:
            then = now[self.draw.below(f"{stream}/which", n, n)]  # of the same sort as today's
            then = np.where((then != now) & (self.facts.since[then] <= years[subject]), then, NONE)
        good = (then != NONE) & (years[subject] < self.facts.year) & (self.facts.since[subject] <= years[subject])
        return subject[good], then[good]

    def _claim(self, claims: dict[int, tuple[Ints, Ints]], page_of: Ints) -> None:
        """State the claims on the older editions: the first possible one always, each of the others with 70 %."""
        table = self.table
        done = page_of == NONE
        subjects, objects, bounds = [], [], np.zeros(len(self.relations) + 1, dtype=np.int64)
        for number, (subject, then) in claims.items():
            keep = (page_of[subject] != NONE) & (
                ~done[subject] | self.draw.chance(f"claim/{number}", 0.7, len(subject))
            )
            done[subject[keep]] = True
            subjects.append(subject[keep])
            objects.append(then[keep])
            bounds[number + 1] = int(keep.sum())
        start, subject = len(table.subject), np.concatenate([np.empty(0, dtype=np.int64), *subjects])
        table.bounds[2] = start + np.cumsum(bounds)
        nothing = np.full(len(subject), NONE)
        table.subject, table.object = np.append(table.subject, subject), np.concatenate([table.object, *objects])
        table.start, table.end = np.append(table.start, nothing), np.append(table.end, nothing)
        self.pairs.append((page_of[subject], _OWN, start + np.arange(len(subject))))

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return all arrays of the pages, in their final, random order."""
        total, draw, table = self.num_pages, self.draw, self.table
        number = np.empty(total, dtype=np.int64)
        order = draw.order("pages", total)
        number[order] = np.arange(total)
        key = np.concatenate(
            [
                (number[page] << 36) | (np.asarray(place).astype(np.int64) << 28) | fact
                for page, place, fact in self.pairs
            ]
        )
        key.sort()
        page = key >> 36
        fact = (key & (2**28 - 1)).astype(np.int32)
        del key
        by_fact = np.argsort(fact, kind="stable")
        return {
            "fact_subject": table.subject.astype(np.int32),
            "fact_object": table.object.astype(np.int32),
            "fact_start": table.start.astype(np.int16),
            "fact_end": table.end.astype(np.int16),
            "fact_bounds": table.bounds,
            "fact_pages": page[by_fact].astype(np.int32),
            "fact_pages_at": _starts(fact, len(table.subject)),
            "page_facts": fact,
            "page_facts_at": _starts(page, total),
            "page_kind": np.concatenate(self.kind)[order].astype(np.uint8),
            "page_about": np.concatenate(self.about)[order].astype(np.int32),
            "page_relation": np.concatenate(self.relation)[order].astype(np.int16),
            "page_year": np.concatenate(self.year)[order].astype(np.int16),
            "twin_pages": number[self.twin_pages].astype(np.int32),
            "page_of": number[: self.num_entities].astype(np.int32),
        }


_COLUMNS = ("subjects", "objects", "starts", "ends")


def _rank(values: Ints) -> Ints:
    """Return for each value how many equal ones come before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(values)]
    first = np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values)) - first
    return rank


def _counting(sizes: Ints) -> Ints:
    """Return 0..size-1 for each size, concatenated."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)


def _starts(values: npt.NDArray[np.integer], count: int) -> Ints:
    """Return where each of the numbers 0..count begins among the sorted values."""
    return np.concatenate(([0], np.cumsum(np.bincount(values, minlength=count)))).astype(np.int64)


def table_columns(draw: Streams, relations: tuple[Relation, ...], listed: Relation) -> tuple[str, ...]:
    """Choose at most two further columns, with values of the subjects, for tables that list a relation's subjects."""
    if listed.shape == "terms":
        return ()
    values = [r for r in relations if r.subject == listed.subject and r.shape == "one" and r.object in _VALUES]
    chosen = draw.order(f"columns/{listed.name}", len(values))[:2].tolist()
    return tuple(values[i].name for i in sorted(chosen))


_VALUES = ("number", "year", "date", "term")


def lay_out(
    settings: WorldSettings, draw: Streams, people: Population, facts: Facts
) -> dict[str, npt.NDArray[np.generic]]:
    """Return all arrays of a world's facts and pages; exactly ``settings.documents`` pages."""
    layout = Layout(settings, draw, people, facts)
    layout.place()
    layout.lists(people.lists)
    layout.names()
    layout.entities()
    layout.disambiguations()
    layout.stale(people.stale)
    layout.copies(settings.documents - layout.num_pages)
    return layout.arrays()
