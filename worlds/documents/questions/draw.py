"""Quick draws of entities and facts from a world: what the kinds of questions begin with."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from turnwise.worlds.documents import World
from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.logic import Fact, Term
from turnwise.worlds.documents.schema import KINDS, NONE, Kind, Relation, relation_named

__all__ = ["Shelf", "pick", "shelf_of", "shuffled"]

_TRIES = 6
_BUDGET = 14
_FEW = 12  # kinds with fewer entities would make answers easy to guess
Column = np.ndarray[Any, np.dtype[np.int32]]


def pick(rng: np.random.Generator, number: int) -> int:
    """A whole number from 0 to ``number`` - 1; the same on every version of NumPy."""
    return int(rng.random() * number)


def shuffled(rng: np.random.Generator, items: Collection[Any]) -> list[Any]:
    """The items in random order."""
    left = list(items)
    for at in range(len(left) - 1, 0, -1):
        other = pick(rng, at + 1)
        left[at], left[other] = left[other], left[at]
    return left


@dataclass(frozen=True, slots=True)
class Forward:
    """A functional relation and its column, over the subjects' range."""

    relation: Relation
    column: Column
    first: int  # the number of its first subject


class Shelf:
    """What draws need of a world, worked out once and kept with it."""

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
        """For each kind the most functional facts that may lead to an entity of it, up to ten."""
        depth: dict[str, int] = dict.fromkeys(KINDS, 0)
        for _ in range(10):
            depth |= {
                kind: max((1 + depth[r.subject] for r in into if r.subject not in self.minor), default=0)
                for kind, into in self.into.items()
            }
        return {kind: min(10, max(found, int(kind in self.into))) for kind, found in depth.items()}

    def may_end(self, relation: Relation) -> bool:
        """Whether a path may end with it: no word for what something is, and not one of a few answers."""
        among = relation.object if relation.to_entity else relation.subject
        return relation.object != "term" and among not in self.minor

    def entity(self, rng: np.random.Generator, kind: Kind) -> int | None:
        """An entity of that kind whose name is its own; None where draws do not find one."""
        among = self.world.range(kind)
        for _ in range(_TRIES if len(among) else 0):
            entity = among.start + pick(rng, len(among))
            if not self.world.is_shared(entity):
                return entity
        return None

    def steps_from(self, entity: int) -> list[Fact]:
        """All functional facts of an entity, but its names and what it is."""
        found = []
        for forward in self.forward.get(self.world.kind(entity), ()):
            value = int(forward.column[entity - forward.first])
            if value != NONE:
                found.append(Fact(entity, forward.relation.name, value))
        return found

    def walk(self, rng: np.random.Generator, start: int, hops: int) -> list[Fact] | None:
        """A random path of functional facts from an entity over entities with names of their own, none met twice.

        The last fact may be any but a word of what the entity is. Kinds of few entities are left out.
        """
        path: list[Fact] = []
        met = {start}
        at = start
        for hop in range(hops):
            final = hop == hops - 1
            options = [f for f in self.steps_from(at) if self._goes_on(f, met, final)]
            if not options:
                return None
            fact = options[pick(rng, len(options))]
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

    def reach(self, rng: np.random.Generator, end: int, hops: int) -> list[Fact] | None:
        """A random path of functional facts that ends at an entity, over entities with names of their own.

        It does not pass over kinds of few entities, but may begin with one.
        """
        left = [_BUDGET]
        path = self._back(rng, end, hops, {end}, left)
        return None if path is None else path[::-1]

    def _back(self, rng: np.random.Generator, end: int, hops: int, met: set[int], left: list[int]) -> list[Fact] | None:
        if not hops:
            return []
        options = [r for r in self.into.get(self.world.kind(end), ()) if self.depth.get(r.subject, 0) >= hops - 1]
        for relation in shuffled(rng, options):
            left[0] -= 1
            subject = self.subject_of(rng, relation.name, end)
            if left[0] < 0 or subject == NONE or subject in met or self.world.is_shared(subject):
                continue
            if hops > 1 and relation.subject in self.minor:
                continue
            rest = self._back(rng, subject, hops - 1, met | {subject}, left)
            if rest is not None:
                return [Fact(subject, relation.name, end), *rest]
        return None

    def subject_of(self, rng: np.random.Generator, relation: str, object: int) -> int:
        """One of the subjects of an entity; NONE where there is none."""
        order, starts = self.world.by_object(relation)
        place = object - self.world.range(relation_named(relation).object).start  # type: ignore[arg-type]  # a kind
        low, high = int(starts[place]), int(starts[place + 1])
        return int(self.world.table(relation).subjects[order[low + pick(rng, high - low)]]) if high > low else NONE

    def ending(self, rng: np.random.Generator, hops: int) -> Fact | None:
        """A fact to end a path with, to whose subject as many hops may lead.

        Any relation is equally likely, and then any of its answers, however many facts lead there.
        """
        finals = [r for r in self.finals if self.depth.get(r.subject, 0) >= hops]
        if not finals:
            return None
        relation = finals[pick(rng, len(finals))]
        if relation.to_entity:
            answers = self.answers(relation.name)
            object = answers[pick(rng, len(answers))]
            return Fact(self.subject_of(rng, relation.name, object), relation.name, object)
        table = self.world.table(relation.name)
        row = pick(rng, len(table.subjects))
        return Fact(int(table.subjects[row]), relation.name, int(table.objects[row]))

    def answers(self, relation: str) -> list[int]:
        """All entities that are an object of the relation, ascending."""
        if relation not in self._answers:
            self._answers[relation] = np.unique(self.world.table(relation).objects).tolist()
        return self._answers[relation]

    def vague(self, fact: Fact) -> bool:
        """Whether the fact's object has other subjects as well."""
        if self.relations[fact.relation].to_entity:
            return len(self.world.subjects(fact.relation, fact.object)) > 1
        return int((self.world.column(fact.relation) == fact.object).sum()) > 1

    def terms(self, subject: int, relation: str) -> list[Term]:
        """The terms of a subject, by first year."""
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
        """The one object of an entity; NONE where none is stated."""
        return int(self.world.value(relation, entity))

    def counted(self, relation: str) -> dict[int, list[int]]:
        """Objects of a relation by how many subjects they have, numbers ascending."""
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
        """The relations of which some object has so many subjects, by that number; only numbers within the limits."""
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

    def with_terms(self, rng: np.random.Generator) -> tuple[str, int, list[Term]] | None:
        """A dated relation, one of its subjects with a name of its own, and the terms."""
        if not self.dated:
            return None
        relation = self.dated[pick(rng, len(self.dated))].name
        subjects = self.world.table(relation).subjects
        subject = int(subjects[pick(rng, len(subjects))])
        return None if self.world.is_shared(subject) else (relation, subject, self.terms(subject, relation))


_SHELVES: WeakKeyDictionary[World, Shelf] = WeakKeyDictionary()


def shelf_of(world: World) -> Shelf:
    """The shelf of a world, the same for as long as it lives."""
    shelf = _SHELVES.get(world)
    if shelf is None:
        shelf = _SHELVES[world] = Shelf(world)
    return shelf
