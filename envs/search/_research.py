"""Drafts of research tasks: reports on an entity and surveys of a set, with the documents of every fact."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from turnwise.verifiers.claims import Claim
from turnwise.worlds.documents import World
from turnwise.worlds.documents.phrases import phrases, spoken
from turnwise.worlds.documents.questions import Question, Step
from turnwise.worlds.documents.questions.known import stated_in
from turnwise.worlds.documents.questions.logic import Fact
from turnwise.worlds.documents.questions.surfaces import entity_forms, value_forms
from turnwise.worlds.documents.schema import NONE, Relation

__all__ = ["Research", "documents_of", "forms_of", "functional", "named", "report", "survey", "title_of"]

_SURVEYS = ("Find all {}, and state {}.", "List all {}, and give {}.", "I need a list of all {}, with {}.")
_ALL = " (all of them, a line each)"
MAX_VALUES = 6
"""Maximum number of values of an aspect in a report."""


class Research(NamedTuple):
    """The request, and the claims to make."""

    question: Question
    claims: tuple[Claim, ...]


class _Aspect(NamedTuple):
    """One point of a report: its name, and each of its values with the facts behind it."""

    label: str
    values: tuple[tuple[str, ...], ...]
    sources: tuple[tuple[int, ...], ...]
    key: str
    several: bool
    via: tuple[Step, ...] = ()  # steps that must come first


def report(world: World, rng: np.random.Generator, aspects: int, hops: int) -> Research | None:
    """Return a report on an entity with that many aspects; None if the drawn entity has fewer.

    Args:
        world: The source of facts.
        rng: Draws the entity and the aspects.
        aspects: Number of points, from 1.
        hops: With 2, half of the aspects for which it is possible are about an entity that another relation leads to.
    """
    topic = int(rng.integers(world.num_entities))
    if world.is_shared(topic):
        return None
    found = list(_aspects_of(world, topic, named(world, topic)))
    if hops > 1:
        found = [_further(world, rng, topic, one) or one for one in found]
        found = list({one.label: one for one in found}.values())
    if len(found) < aspects:
        return None
    chosen = [found[n] for n in rng.permutation(len(found))[:aspects].tolist()]
    claims, steps = [], []
    for number, one in enumerate(chosen, 1):
        steps += one.via
        for forms, documents in zip(one.values, one.sources, strict=True):
            related = tuple(title_of(world, n) for step in one.via for n in step.documents)
            names = (one.label, one.label + _ALL) if one.several else (one.label,)
            numbered = tuple(f"{number}{mark} {name}" for name in names for mark in ".)")
            labels = (str(number), f"{number}.", *names, *numbered)
            claims.append(Claim(labels, forms, tuple(title_of(world, n) for n in documents), related))
            steps.append(Step(f"{_subject(world, topic, one)} {one.key}", forms, documents))
    asked = "\n".join(f"{number}. {one.label}{_ALL if one.several else ''}" for number, one in enumerate(chosen, 1))
    text = f"Write a report on {named(world, topic)}. State:\n{asked}"
    return Research(_question(text, "report", claims, steps), tuple(claims))


def survey(world: World, rng: np.random.Generator, least: int, most: int) -> Research | None:
    """Return all entities in some relation to one, and a further fact about each; None if the draw has no such set.

    Args:
        world: The source of facts.
        rng: Draws the relation, the entity and the further fact.
        least: Minimum number of members.
        most: Maximum number of members.
    """
    relations = [r for r in world.relations if r.to_entity and phrases(r.name).plural]
    relation = relations[int(rng.integers(len(relations)))]
    order, starts = world.by_object(relation.name)
    table = world.table(relation.name)
    fitting = np.flatnonzero((np.diff(starts) >= least) & (np.diff(starts) <= 2 * most))
    if not len(fitting):
        return None
    place = int(fitting[int(rng.integers(len(fitting)))])
    subjects = np.unique(table.subjects[order[starts[place] : starts[place + 1]]]).tolist()
    center = world.range(relation.object)[place]  # type: ignore[arg-type]  # it is a kind
    further = [r for r in functional(world, relation.subject) if r.name != relation.name]
    if not least <= len(subjects) <= most or world.is_shared(center) or not further:
        return None
    detail = further[int(rng.integers(len(further)))]
    values = [world.value(detail.name, subject) for subject in subjects]
    if NONE in values or any(world.is_shared(subject) for subject in subjects):
        return None
    claims, steps = [], []
    query = f"{world.name(center)} {phrases(relation.name).key}"
    for subject, value in zip(subjects, values, strict=True):
        members = documents_of(world, subject, relation.name, center)
        stating = documents_of(world, subject, detail.name, value)
        forms = forms_of(world, detail, value)
        steps += [Step(query, entity_forms(world, subject), members)]
        steps += [Step(f"{world.name(subject)} {phrases(detail.name).key}", forms, stating)]
        sources, related = (tuple(title_of(world, n) for n in found) for found in (stating, members))
        claims.append(Claim(entity_forms(world, subject), forms, sources, related))
    steps = sorted(steps, key=lambda step: step.query != query)  # the set first, then its members
    choices = (_SURVEYS, phrases(relation.name).plural, phrases(detail.name).noun)
    opening, plural, label = (texts[int(rng.integers(len(texts)))] for texts in choices)
    text = opening.format(plural.format(named(world, center)), label.format("each"))
    return Research(_question(text, "survey", claims, steps), tuple(claims))


def _question(text: str, kind: str, claims: Sequence[Claim], steps: Sequence[Step]) -> Question:
    support = tuple(sorted({step.documents[0] for step in steps}))
    answers = tuple(claim.values for claim in claims)
    return Question(text, kind, 1, answers, "items", tuple(steps), support)


def _aspects_of(world: World, topic: int, name: str, only_one: bool = False) -> Iterator[_Aspect]:
    """Yield what the documents state about an entity, from either end of each relation."""
    kind = world.kind(topic)
    for relation in world.relations:
        words = phrases(relation.name)
        if relation.subject == kind and relation.shape == "one" and words.noun and relation.object != "name":
            value = world.value(relation.name, topic)
            if value != NONE and not _ambiguous(world, relation, [value]):
                documents = documents_of(world, topic, relation.name, value)
                forms = forms_of(world, relation, value)
                yield _Aspect(words.noun[0].format(name), (forms,), (documents,), words.key, False)
        if only_one:
            continue
        if relation.subject == kind and relation.shape != "one" and relation.to_entity and words.plural_objects:
            yield from _several(world, relation, words.plural_objects[0], topic, name, forward=True)
        if relation.object == kind and words.plural and not relation.symmetric:
            yield from _several(world, relation, words.plural[0], topic, name, forward=False)


def _several(
    world: World, relation: Relation, plural: str, topic: int, name: str, *, forward: bool
) -> Iterator[_Aspect]:
    """Yield an aspect with all objects of an entity, or all subjects, if there are only a few."""
    others = (world.objects if forward else world.subjects)(relation.name, topic).tolist()
    if 1 <= len(others) <= MAX_VALUES and not _ambiguous(world, relation, others, forward=forward):
        pairs = [(topic, other) if forward else (other, topic) for other in others]
        documents = tuple(documents_of(world, subject, relation.name, object) for subject, object in pairs)
        forms = tuple(entity_forms(world, other) for other in others)
        yield _Aspect(plural.format(name), forms, documents, phrases(relation.name).key, True)


def _further(world: World, rng: np.random.Generator, topic: int, one: _Aspect) -> _Aspect | None:
    """For an aspect with a single entity, with probability 1/2, draw a fact about that entity instead."""
    if one.several or rng.random() < 0.5:
        return None
    entities = world.named(one.values[0][0])
    if len(entities) != 1:
        return None
    step = Step(f"{world.name(topic)} {one.key}", one.values[0], one.sources[0])
    beyond = list(_aspects_of(world, entities[0], one.label, only_one=True))
    if not beyond:
        return None
    return beyond[int(rng.integers(len(beyond)))]._replace(via=(step,))


def _subject(world: World, topic: int, one: _Aspect) -> str:
    """Return the entity that the last search of an aspect is about."""
    return one.via[-1].answer[0] if one.via else world.name(topic)


def _ambiguous(world: World, relation: Relation, others: Sequence[int], *, forward: bool = True) -> bool:
    """Return whether a value is an entity that shares its name."""
    return (relation.to_entity or not forward) and any(world.is_shared(other) for other in others)


def functional(world: World, kind: str) -> list[Relation]:
    """Return the relations with one object that questions can ask of a kind."""
    return [
        r
        for r in world.relations
        if r.subject == kind and r.shape == "one" and r.object != "name" and phrases(r.name).noun
    ]


def forms_of(world: World, relation: Relation, value: int) -> tuple[str, ...]:
    """Return the accepted forms of a relation's object."""
    return entity_forms(world, value) if relation.to_entity else value_forms(relation.name, value)


def documents_of(world: World, subject: int, relation: str, object: int) -> tuple[int, ...]:
    """Return the numbers of the documents that state a fact, the subject's own page first."""
    return tuple(stated_in(world, Fact(subject, relation, object)))


def named(world: World, entity: int) -> str:
    """Return the name of an entity as inside a sentence."""
    return spoken(world.kind(entity), world.name(entity))


def title_of(world: World, number: int) -> str:
    """Return the title of a document."""
    return world.page_title(number)
