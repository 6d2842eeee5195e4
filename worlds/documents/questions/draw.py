"""Fast draws of entities and facts from a world, with which the kinds of questions begin."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from turnwise.core.draw import Draw
from turnwise.worlds.documents import World
from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.logic import Fact, Term
from turnwise.worlds.documents.schema import KINDS, NONE, Kind, Relation, relation_named

__all__ = ["Shelf", "shelf_of"]

_TRIES = 6
_BUDGET = 14
_FEW = 12  # kinds with fewer entities would make answers easy to guess
Column = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class Forward:
    """A functional relation and its column over the range of subjects."""

    relation: Relation
    column: Column
    first: int  # the number of its first subject


class Shelf:
    """Data about a world that draws need, computed once and kept with it."""

    def __init__(self, world: World):
        self.world = world
        self.relations = {relation.name: relation for relation in world.relations}
        self.forward: dict[str, list[Forward]] = {}
        for relation in world.relations:
            if relation.shape == "one" and relation.object != "name":
                column = world.column(relation.name)
                if (column != NONE).any():
                    forward = Forward(relation, column, world.range(relation.subject).start)
                    self.forward.setdefault(relation.subject, []).append(forward)
        self.kinds = [kind for kind in KINDS if kind in self.forward]
        few = min(_FEW, world.num_entities // 40)
        self.minor = {kind for kind in KINDS if len(world.range(kind)) < few}
        links = [f.relation for forwards in self.forward.values() for f in forwards]
        self.into: dict[str, list[Relation]] = {}
        for relation in links:
            if relation.to_entity:
                self.into.setdefault(relation.object, []).append(relation)
        self.depth = self._depths()
        self.finals = [r for r in links if self.may_end(r)] or links
        self._sized: dict[tuple[int, int], dict[int, list[Relation]]] = {}
        self._answers: dict[str, list[int]] = {}
        self.pointing = [r for r in world.relations if r.to_entity and r.shape != "terms" and not r.symmetric]
        self.dated = [r for r in world.relations if r.shape == "terms" and len(world.table(r.name).subjects)]
        self.measures: dict[str, list[Forward]] = {
            kind: measures
            for kind, forwards in self.forward.items()
            if (measures := [f for f in forwards if f.relation.object in ("number", "year", "date")])
        }
        self.shared = [entity for entity in range(world.num_entities) if world.is_shared(entity)]
        self._counted: dict[str, dict[int, list[int]]] = {}

    def _depths(self) -> dict[str, int]:
        """Return for each kind the most functional facts that may lead to one of its entities, up to ten."""
        depth: dict[str, int] = dict.fromkeys(KINDS, 0)
        for _ in range(10):
            depth |= {
                kind: max((1 + depth[r.subject] for r in into if r.subject not in self.minor), default=0)
                for kind, into in self.into.items()
            }
        return {kind: min(10, max(found, int(kind in self.into))) for kind, found in depth.items()}

    def may_end(self, relation: Relation) -> bool:
        """Tell whether a path may end with a relation: not with a type word, nor with only a few values."""
        among = relation.object if relation.to_entity else relation.subject
        return relation.object != "term" and among not in self.minor

    def entity(self, draw: Draw, kind: Kind) -> int | None:
        """Draw an entity of that kind with a unique name; None if the draws do not find one."""
        among = self.world.range(kind)
        for _ in range(_TRIES if len(among) else 0):
            entity = among.start + draw.below(len(among))
            if not self.world.is_shared(entity):
                return entity
        return None

    def steps_from(self, entity: int) -> list[Fact]:
        """Return all functional facts of an entity, except its names and its type."""
        found = []
        for forward in self.forward.get(self.world.kind(entity), ()):
            value = int(forward.column[entity - forward.first])
            if value != NONE:
                found.append(Fact(entity, forward.relation.name, value))
        return found

    def walk(self, draw: Draw, start: int, hops: int) -> list[Fact] | None:
        """Walk a random path of functional facts over uniquely named entities, visiting none twice.

        The last fact may be any except a type word. Kinds with few entities are left out.
        """
        path: list[Fact] = []
        met = {start}
        at = start
        for hop in range(hops):
            final = hop == hops - 1
            options = [f for f in self.steps_from(at) if self._goes_on(f, met, final)]
            if not options:
                return None
            fact = draw.choice(options)
            path.append(fact)
            at = fact.object
            met.add(at)
        return path

    def _goes_on(self, fact: Fact, met: Collection[int], final: bool) -> bool:
        relation = self.relations[fact.relation]
        if relation.to_entity:
            if relation.object in self.minor or fact.object in met or (not final and self.world.is_shared(fact.object)):
                return False
        elif not final:
            return False
        if not final:
            return True
        return relation.object != "term" and (relation.to_entity or relation.subject not in self.minor)

    def reach(self, draw: Draw, end: int, hops: int) -> list[Fact] | None:
        """Draw a random path of functional facts that ends at an entity, over uniquely named entities.

        It does not pass through kinds with few entities, but may begin with one.
        """
        left = [_BUDGET]
        path = self._back(draw, end, hops, {end}, left)
        return None if path is None else path[::-1]

    def _back(self, draw: Draw, end: int, hops: int, met: set[int], left: list[int]) -> list[Fact] | None:
        if not hops:
            return []
        options = [r for r in self.into.get(self.world.kind(end), ()) if self.depth.get(r.subject, 0) >= hops - 1]
        for relation in draw.shuffled(options):
            left[0] -= 1
            subject = self.subject_of(draw, relation.name, end)
            if left[0] < 0 or subject == NONE or subject in met or self.world.is_shared(subject):
                continue
            if hops > 1 and relation.subject in self.minor:
                continue
            rest = self._back(draw, subject, hops - 1, met | {subject}, left)
            if rest is not None:
                return [Fact(subject, relation.name, end), *rest]
        return None

    def subject_of(self, draw: Draw, relation: str, object: int) -> int:
        """Draw one of the subjects of an entity; NONE if there are none."""
        order, starts = self.world.by_object(relation)
        place = object - self.world.range(relation_named(relation).object).start  # type: ignore[arg-type]  # a kind
        low, high = int(starts[place]), int(starts[place + 1])
        return int(self.world.table(relation).subjects[order[low + draw.below(high - low)]]) if high > low else NONE

    def ending(self, draw: Draw, hops: int) -> Fact | None:
        """Draw a fact to end a path with, whose subject can be reached in that many hops.

        Any relation is equally likely, and then any of its answers, however many facts lead there.
        """
        finals = [r for r in self.finals if self.depth.get(r.subject, 0) >= hops]
        if not finals:
            return None
        relation = draw.choice(finals)
        if relation.to_entity:
            answers = self.answers(relation.name)
            object = draw.choice(answers)
            return Fact(self.subject_of(draw, relation.name, object), relation.name, object)
        table = self.world.table(relation.name)
        row = draw.below(len(table.subjects))
        return Fact(int(table.subjects[row]), relation.name, int(table.objects[row]))

    def answers(self, relation: str) -> list[int]:
        """Return all entities that are an object of the relation, ascending."""
        if relation not in self._answers:
            self._answers[relation] = np.unique(self.world.table(relation).objects).tolist()
        return self._answers[relation]

    def vague(self, fact: Fact) -> bool:
        """Tell whether the fact's object has other subjects as well."""
        if self.relations[fact.relation].to_entity:
            return len(self.world.subjects(fact.relation, fact.object)) > 1
        return int((self.world.column(fact.relation) == fact.object).sum()) > 1

    def terms(self, subject: int, relation: str) -> list[Term]:
        """Return the terms of a subject, by first year."""
        table = self.world.table(relation)
        low, high = np.searchsorted(table.subjects, (subject, subject + 1)).tolist()
        return list(
            zip(
                table.starts[low:high].tolist(),
                table.ends[low:high].tolist(),
                table.objects[low:high].tolist(),
                strict=True,
            )
        )

    def value(self, entity: int, relation: str) -> int:
        """Return the only object of an entity; NONE if none is stated."""
        return int(self.world.value(relation, entity))

    def counted(self, relation: str) -> dict[int, list[int]]:
        """Group the objects of a relation by their number of subjects, ascending."""
        if relation not in self._counted:
            _, indptr = self.world.by_object(relation)
            start = self.world.range(relation_named(relation).object).start  # type: ignore[arg-type]  # a kind
            sizes = np.diff(indptr)
            self._counted[relation] = {
                int(size): (np.flatnonzero(sizes == size) + start).tolist()
                for size in np.unique(sizes).tolist()
                if size
            }
        return self._counted[relation]

    def sized(self, low: int, high: int) -> dict[int, list[Relation]]:
        """Group relations by the numbers of subjects, within the limits, that some of their objects have."""
        key = (low, high)
        if key not in self._sized:
            found: dict[int, list[Relation]] = {}
            for relation in self.pointing:
                words = phrases(relation.name)
                for size in self.counted(relation.name) if words.plural and words.count else ():
                    if low <= size <= high:
                        found.setdefault(size, []).append(relation)
            self._sized[key] = found
        return self._sized[key]

    def with_terms(self, draw: Draw) -> tuple[str, int, list[Term]] | None:
        """Draw a dated relation, one of its uniquely named subjects, and the terms."""
        if not self.dated:
            return None
        relation = draw.choice(self.dated).name
        subjects = self.world.table(relation).subjects
        subject = int(subjects[draw.below(len(subjects))])
        return None if self.world.is_shared(subject) else (relation, subject, self.terms(subject, relation))


_SHELVES: WeakKeyDictionary[World, Shelf] = WeakKeyDictionary()


def shelf_of(world: World) -> Shelf:
    """Return the shelf of a world, the same object for as long as the world lives."""
    shelf = _SHELVES.get(world)
    if shelf is None:
        shelf = _SHELVES[world] = Shelf(world)
    return shelf
