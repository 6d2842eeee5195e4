"""Sources of facts for the evaluator: the columns of a world, or parts of what its documents state."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

import numpy as np

from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions.base import Question
from turnwise.worlds.documents.questions.logic import Fact, Op, Term, holds
from turnwise.worlds.documents.schema import NONE, Statement, relation_named

__all__ = ["Columns", "Excerpt", "Lacking", "Pages", "stated_in", "suffices"]


class Columns:
    """All facts that a world's documents state, found by scanning whole columns: slow, but hard to get wrong."""

    def __init__(self, world: World):
        self.world = world

    def named(self, text: str) -> Sequence[int]:
        return self.world.named(text)

    def objects(self, subject: int, relation: str) -> list[int]:
        table = self.world.table(relation)
        found: list[int] = table.objects[table.subjects == subject].tolist()
        return found

    def subjects(self, relation: str, object: int) -> list[int]:
        table = self.world.table(relation)
        found: list[int] = table.subjects[table.objects == object].tolist()
        return found

    def having(self, relation: str, op: Op, value: int) -> list[int]:
        table = self.world.table(relation)
        match op:
            case "<":
                rows = table.objects < value
            case ">":
                rows = table.objects > value
            case _:
                rows = table.objects == value
        found: list[int] = table.subjects[rows].tolist()
        return found

    def terms(self, subject: int, relation: str) -> list[Term]:
        table = self.world.table(relation)
        if not len(table.starts):
            return []
        rows = np.flatnonzero(table.subjects == subject)
        return sorted(
            zip(table.starts[rows].tolist(), table.ends[rows].tolist(), table.objects[rows].tolist(), strict=True)
        )

    def before(self, subject: int, relation: str, year: int) -> list[int]:
        subjects, objects, documents = self.world.stale(relation)
        rows = np.flatnonzero(subjects == subject).tolist()
        return [int(objects[n]) for n in rows if self.world.page(int(documents[n])).year == year < self.world.year]


class Lacking:
    """The columns of a world without some of its facts."""

    def __init__(self, world: World, facts: Iterable[Fact]):
        self.all = Columns(world)
        self.gone = {fact for given in facts for fact in (given, given.reverse)}
        self._relations = {fact.relation for fact in self.gone}
        self._pairs = {(fact.subject, fact.relation, fact.object) for fact in self.gone if fact.start == NONE}

    def named(self, text: str) -> Sequence[int]:
        return self.all.named(text)

    def objects(self, subject: int, relation: str) -> list[int]:
        if relation_named(relation).shape == "terms":
            return [o for _, _, o in self.terms(subject, relation)]
        return [o for o in self.all.objects(subject, relation) if (subject, relation, o) not in self._pairs]

    def subjects(self, relation: str, object: int) -> list[int]:
        found = self.all.subjects(relation, object)
        if relation_named(relation).shape == "terms":
            return [s for s in found if any(o == object for _, _, o in self.terms(s, relation))]
        return [s for s in found if (s, relation, object) not in self._pairs]

    def having(self, relation: str, op: Op, value: int) -> list[int]:
        found = self.all.having(relation, op, value)
        if relation not in self._relations:
            return found
        return [s for s in found if any(holds(o, op, value) for o in self.objects(s, relation))]

    def terms(self, subject: int, relation: str) -> list[Term]:
        terms = self.all.terms(subject, relation)
        return [term for term in terms if Fact(subject, relation, term[2], term[0]) not in self.gone]

    def before(self, subject: int, relation: str, year: int) -> list[int]:
        return self.all.before(subject, relation, year)


class Pages:
    """Facts that the documents themselves state as current, page by page, without the world's columns.

    Args:
        world: The world whose pages are read, all of them.
        without: Numbers of documents to leave out; may be changed later.
    """

    def __init__(self, world: World, without: Collection[int] = ()):
        self._read(world, range(world.num_documents), without)
        self._names: dict[str, set[int]] = {}
        for entity in range(world.num_entities):
            for text in (world.name(entity), world.title(entity), *world.aliases(entity)):
                self._names.setdefault(text, set()).add(entity)

    def _read(self, world: World, documents: Iterable[int], without: Collection[int] = ()) -> None:
        self.without, self._world = without, world
        self._facts: dict[tuple[int, str], dict[Term, set[int]]] = {}
        self._subjects: dict[tuple[str, int], set[int]] = {}
        self._claims: dict[tuple[int, str], list[tuple[int, int]]] = {}
        for number in documents:
            for said in _statements(world, number):
                if not said.current:
                    self._claims.setdefault((said.subject, said.relation), []).append((number, said.object))
                if said.current:
                    self._add(said.subject, said.relation, (said.start, said.end, said.object), number)
                    if relation_named(said.relation).symmetric:
                        self._add(said.object, said.relation, (said.start, said.end, said.subject), number)

    def _add(self, subject: int, relation: str, term: Term, number: int) -> None:
        self._facts.setdefault((subject, relation), {}).setdefault(term, set()).add(number)
        self._subjects.setdefault((relation, term[2]), set()).add(subject)

    def named(self, text: str) -> set[int]:
        return self._names.get(text, set())

    def having(self, relation: str, op: Op, value: int) -> list[int]:
        subjects = [subject for subject, name in self._facts if name == relation]
        return [s for s in subjects if any(holds(o, op, value) for o in self.objects(s, relation))]

    def terms(self, subject: int, relation: str) -> list[Term]:
        told = self._facts.get((subject, relation), {})
        return sorted(term for term, documents in told.items() if not documents.issubset(self.without))

    def before(self, subject: int, relation: str, year: int) -> list[int]:
        claims = [claim for claim in self._claims.get((subject, relation), ()) if claim[0] not in self.without]
        return [said for number, said in claims if self._world.page(number).year == year < self._world.year]

    def objects(self, subject: int, relation: str) -> list[int]:
        return [term[2] for term in self.terms(subject, relation)]

    def subjects(self, relation: str, object: int) -> list[int]:
        found = self._subjects.get((relation, object), ())
        return [subject for subject in found if object in self.objects(subject, relation)]


class Excerpt(Pages):
    """Facts that some documents of a world state.

    Args:
        world: Whose pages are read.
        documents: Numbers of the documents.
    """

    def __init__(self, world: World, documents: Iterable[int]):
        self._read(world, documents)

    def named(self, text: str) -> set[int]:
        return set(self._world.named(text))


@lru_cache(16_384)
def _statements(world: World, number: int) -> tuple[Statement, ...]:
    """Return what a document states; cached, because excerpts overlap."""
    return world.page(number).statements


def stated_in(world: World, fact: Fact, without: Collection[int] = ()) -> list[int]:
    """Return the numbers of the documents that state a fact as current, the subject's own page first."""
    if fact.start == NONE:
        found = world.where(fact.subject, fact.relation, fact.object)
    else:
        found = world.where_term(fact.subject, fact.relation, fact.object, fact.start)
    own = world.page_of(fact.subject)
    return sorted((int(n) for n in found if int(n) not in without), key=lambda n: (n != own, n))


def suffices(world: World, question: Question, documents: Collection[int]) -> bool:
    """Tell whether these documents alone state every fact that an answerable question rests on.

    Args:
        world: World of the question.
        question: The question with its facts.
        documents: Numbers of the documents that an agent sees together.
    """
    seen = set(documents)
    return question.answerable and all(
        not seen.isdisjoint(stated_in(world, fact)) for fact in question.needed + question.besides
    )
