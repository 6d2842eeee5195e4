"""The state of a world while its facts are made: who lives when, and how facts are drawn."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.schema import KINDS, NONE, OPEN, VOCABULARY, Kind
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["EARLIEST", "Rows", "Truth"]

EARLIEST = 400  # years of history before the present


@dataclass(frozen=True)
class Rows:
    """Facts of one relation: four int64 columns of one length; years are NONE unless the relation has terms."""

    subjects: Ints
    objects: Ints
    starts: Ints
    ends: Ints

    def where(self, keep: npt.NDArray[np.bool_] | Ints) -> "Rows":
        """Keep only those rows."""
        return Rows(self.subjects[keep], self.objects[keep], self.starts[keep], self.ends[keep])


class Truth:
    """The state of a world while its facts are made. Entities are numbered from 0 within their kind.

    Attributes:
        year: The present.
        since: By kind and entity, the first year in which it exists or is old enough to act (a person at 20).
        born: By person, the year of birth.
        last: By person, the year of death, or OPEN.
        occupation: By person, an index into the vocabulary.
        women: By person, 1 for women.
        types: By kind and entity, the number of its type in the vocabulary, for kinds whose names tell it.
        springs: By river, the region in which it rises.
        rows: By relation, in entity numbers of the whole world.
    """

    def __init__(self, settings: WorldSettings, draw: Streams, ranges: dict[Kind, range]) -> None:
        self.draw, self.ranges = draw, ranges
        self.chosen = {relation.name: relation for relation in settings.chosen()}
        self.year = 1980 + int(draw.below("year", 41, 1)[0])
        self.since: dict[Kind, Ints] = {kind: np.zeros(self.count(kind), dtype=np.int64) for kind in KINDS}
        self.born = np.zeros(0, dtype=np.int64)
        self.last = np.zeros(0, dtype=np.int64)
        self.women = np.zeros(0, dtype=np.int64)
        self.occupation = np.zeros(0, dtype=np.int64)
        self.types: dict[Kind, Ints] = {}
        self.springs = np.zeros(0, dtype=np.int64)
        self.rows: dict[str, Rows] = {}
        self._offices: list[Rows] = []
        self._by_year: dict[str, tuple[Ints, Ints]] = {}

    def count(self, kind: Kind) -> int:
        """Return the number of entities of a kind."""
        return len(self.ranges.get(kind, range(0)))

    def add(
        self, name: str, subjects: Ints, objects: Ints, starts: Ints | None = None, ends: Ints | None = None
    ) -> None:
        """Add the facts of a relation, if the world has it; those without an object are left out."""
        relation = self.chosen.get(name)
        if relation is None:
            return
        keep = objects != NONE
        subjects = subjects[keep] + self.ranges[relation.subject].start
        objects = objects[keep]
        if relation.to_entity:
            objects = objects + self.ranges[relation.object].start  # type: ignore[index]  # a kind
        nothing = np.full(len(subjects), NONE, dtype=np.int64)
        starts, ends = (nothing if years is None else years[keep] for years in (starts, ends))
        order = np.lexsort((objects, starts, subjects))
        self.rows[name] = Rows(subjects, objects, starts, ends).where(order)

    def each(self, name: str, kind: Kind, objects: Ints) -> None:
        """Add the facts of a functional relation: an object (or NONE) for each entity of the kind."""
        self.add(name, np.arange(self.count(kind)), objects)

    def among(
        self, name: str, chosen: npt.NDArray[np.bool_], values: Ints, stream: str, lows: Ints, highs: Ints
    ) -> Ints:
        """Draw for each pair one of those chosen whose value is from low to high; NONE if there is none.

        ``name`` stands for the choice and the values: other ones need another name.
        """
        which = np.flatnonzero(chosen)
        found = self._between(name, values[which], stream, lows, highs)
        return np.where(found == NONE, NONE, which[found]) if len(which) else np.full(len(lows), NONE, dtype=np.int64)

    def skilled(self, stream: str, count: int, share: float, *occupations: str) -> Ints:
        """Draw people of these occupations; of all where the world has none, and for the share of outsiders."""
        draw, n = self.draw, self.count("person")
        numbers = [VOCABULARY["occupation"].index(name) for name in occupations]
        fit = np.flatnonzero(np.isin(self.occupation, numbers))
        anyone = draw.weighted(stream, count, n)
        if not len(fit):
            return anyone
        pick = fit[draw.weighted(f"{stream}/skilled", count, len(fit))]
        return np.where(draw.chance(f"{stream}/outsider", share, count), anyone, pick)

    def in_office(self, stream: str, years: Ints, occupations: tuple[str, ...]) -> Ints:
        """Draw for each year a living person of 30 to 66, every other time of these occupations if one is found."""
        numbers = [VOCABULARY["occupation"].index(name) for name in occupations]
        fit = np.isin(self.occupation, numbers)
        found = np.full(len(years), NONE, dtype=np.int64)
        if len(self.born):
            pick = self.among("/".join(occupations), fit, self.born, f"{stream}/skilled", years - 66, years - 30)
            suits = (pick != NONE) & (self.last[pick] >= years) & self.draw.chance(f"{stream}/suits", 0.5, len(years))
            found = np.where(suits, pick, NONE)
        return np.where(found == NONE, self.alive(stream, years, 30, 66), found)

    def alive(self, stream: str, years: Ints, youngest: int, oldest: int) -> Ints:
        """Draw for each year a living person of that age; NONE if three draws find nobody."""
        found = np.full(len(years), NONE, dtype=np.int64)
        for attempt in range(3):
            pick = self._between("born", self.born, f"{stream}/{attempt}", years - oldest, years - youngest)
            good = (pick != NONE) & (self.last[pick] >= years) if len(self.born) else np.zeros(len(years), dtype=bool)
            found = np.where((found == NONE) & good, pick, found)
        return found

    def existing(self, stream: str, kind: Kind, years: Ints) -> Ints:
        """Draw for each year an entity of the kind that exists before it; NONE if there is none."""
        return self._between(kind, self.since[kind], stream, np.zeros(len(years), dtype=np.int64), years - 1)

    def _between(self, name: str, values: Ints, stream: str, lows: Ints, highs: Ints) -> Ints:
        """Draw for each pair a position whose value is from low to high; NONE if there is none."""
        if name not in self._by_year:
            order = np.argsort(values, kind="stable")
            self._by_year[name] = order, np.searchsorted(values[order], np.arange(OPEN + 2))
        order, first = self._by_year[name]
        low, high = first[np.clip(lows, 0, OPEN)], first[np.clip(highs + 1, 0, OPEN + 1)]
        place = self.draw.below(stream, high - low)
        return np.where(place < 0, NONE, order[np.minimum(low + place, len(order) - 1)]) if len(order) else place

    def some(self, stream: str, share: float, objects: Ints) -> Ints:
        """Keep a share of the objects and replace the others with NONE."""
        return np.where(self.draw.chance(f"{stream}/some", share, len(objects)), objects, NONE)

    def number(self, stream: str, count: int, low: int, digits: int) -> Ints:
        """Draw numbers of very different size: ``low`` times up to 10 ** ``digits``, with three random digits."""
        power = 10 ** (self.draw.below(f"{stream}/power", digits * 2, count) // 2)
        return low * power + self.draw.below(f"{stream}/rest", 9 * low * power)

    def terms(
        self,
        name: str,
        first: Ints,
        longest: int,
        most: int,
        holder: Callable[[str, Ints], Ints],
        lasts: Ints | None,
        office: bool = False,
    ) -> None:
        """Draw terms of office: consecutive, with gaps, beginning no earlier than the year ``first`` of each subject.

        Args:
            name: The relation.
            first: First possible year, by subject.
            longest: The longest term in years; 1 for prizes of a year.
            most: The maximum number of terms of a subject.
            holder: Maps a stream and years to entities of the object's kind that can begin a term then, or NONE.
            lasts: By person, the last year; nobody holds two terms of the relation at once. None for organisations.
            office: Whether nobody holds it in two places, nor together with another office.
        """
        if name not in self.chosen:
            return
        n, draw, year = len(first), self.draw, self.year
        span = 1 + draw.below(f"{name}/span", most * (longest + 1), n)
        start = np.maximum(first, year - span)
        parts: list[tuple[Ints, Ints, Ints, Ints]] = []
        before = np.full(n, NONE, dtype=np.int64)
        for turn in range(most):
            who = holder(f"{name}/{turn}", start)
            who = np.where(who == before, NONE, who)
            before = np.where(who == NONE, before, who)
            end = start + draw.below(f"{name}/{turn}/length", longest, n)
            if lasts is not None and len(lasts):
                end = np.minimum(end, lasts[who])
            good = (who != NONE) & (start <= year)
            open_ = (end >= year) & (longest > 1)
            parts.append((np.flatnonzero(good), who[good], start[good], np.where(open_, OPEN, end)[good]))
            start = (
                np.maximum(end, start)
                + 1
                + draw.below(f"{name}/{turn}/gap", 3, n) * draw.below(f"{name}/{turn}/any", 2, n)
            )
        rows = Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        rows = rows if lasts is None else rows.where(_apart(rows.objects, rows.starts, rows.ends))
        rows = rows.where(_once(rows, office))
        if office:
            rows = rows.where(~_overlapping(rows, self._offices))
            self._offices.append(rows)
        self.add(name, rows.subjects, rows.objects, rows.starts, rows.ends)

    def offices(self, name: str, first: Ints, longest: int, most: int, holder: Callable[[str, Ints], Ints]) -> None:
        """Draw terms of a public office: a person holds it in one place only, and no other office at the same time."""
        self.terms(name, first, longest, most, holder, self.last, office=True)


def _once(rows: Rows, place: bool) -> Ints:
    """Return the rows of everybody's first subject only, or else of each subject the first with that object."""
    order = np.lexsort((rows.starts, rows.objects))
    objects, subjects = rows.objects[order], rows.subjects[order]
    if place:
        first = np.searchsorted(objects, objects)
        return np.sort(order[subjects == subjects[first]])
    _, first = np.unique(subjects * (2**32) + objects, return_index=True)
    return np.sort(order[first])


def _overlapping(rows: Rows, others: list[Rows]) -> npt.NDArray[np.bool_]:
    """Tell for each row whether its object holds one of the other rows' terms at the same time."""
    found = np.zeros(len(rows.objects), dtype=bool)
    for other in others:
        order = np.argsort(other.objects, kind="stable")
        objects, starts, ends = other.objects[order], other.starts[order], other.ends[order]
        low, high = np.searchsorted(objects, rows.objects), np.searchsorted(objects, rows.objects, side="right")
        for shift in range(int((high - low).max(initial=0))):
            at = np.minimum(low + shift, len(objects) - 1)
            found |= (low + shift < high) & (starts[at] <= rows.ends) & (rows.starts <= ends[at])
    return found


def _apart(objects: Ints, starts: Ints, ends: Ints) -> Ints:
    """Return the rows in which nobody begins a term while holding another one of the relation."""
    order = np.lexsort((ends, starts, objects))
    base = objects[order] * (2 * OPEN)
    latest = np.maximum.accumulate(base + ends[order])
    overlap = latest[:-1] >= (base + starts[order])[1:]
    return np.sort(order[np.concatenate(([True], ~overlap))[: len(order)]])
