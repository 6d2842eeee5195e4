"""Drafts of briefings: several sections about one entity, from many documents, with those that contradict them."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.envs.search._research import documents_of, forms_of, functional, named, title_of
from turnwise.verifiers.claims import Claim
from turnwise.verifiers.sections import Point, Section
from turnwise.worlds.documents import World
from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions import Question, Step
from turnwise.worlds.documents.questions.surfaces import entity_forms
from turnwise.worlds.documents.schema import NONE, Kind, Relation

__all__ = ["Brief", "brief"]

Works = Callable[[Step], bool]
_TOPICS: tuple[Kind, ...] = ("region", "city", "person", "organisation", "university")
_MEMBERS = 2, 15
_MOST_POINTS = 6  # of a profile
_MOST = 1.5  # times as many documents as asked for
_MOST_TOPICS, _MOST_LISTS = 5, 3
_OPENINGS = (
    "Write a briefing on {}, with these sections:",
    "We are updating our encyclopedia. Please put together what the archive has on {}, in these sections:",
    "I am writing on {} for a reference work and need a briefing with these sections:",
    "For a new edition of our handbook we need material on {}. Please arrange it in these sections:",
)
_FAMILY = ("father", "mother", "spouse", "student_of")
"""Asked for in a profile and of children, but of nobody else on a list: who wants the mothers of all governors?"""


class Brief(NamedTuple):
    """The request, and what each section must state."""

    question: Question
    sections: tuple[Section, ...]


class _Set(NamedTuple):
    """Entities linked to one: by which relation, whether as its objects, and the documents that state all of them."""

    relation: Relation
    members: list[int]
    forward: bool
    documents: tuple[int, ...]


class _Part(NamedTuple):
    """A section as drafted: its request, what it must state, and the searches that find it."""

    asked: str
    section: Section
    steps: tuple[Step, ...]


def brief(world: World, draw: Draw, breadth: int, works: Works = lambda _: True) -> Brief | None:
    """Return a briefing that rests on ``breadth`` documents at least; None if the drawn entities have too few.

    It is on one entity, or on as many of its kind as it takes, up to five.

    Args:
        world: The source of facts.
        draw: Draws the entities and the sections.
        breadth: The fewest documents that state all claims together.
        works: Tells whether the search of a step finds what it is for.
    """
    known = _topics(world)
    if not known:
        return None
    topics: list[int] = []
    parts: list[_Part] = []
    for topic in draw.sample(known[draw.choice(sorted(known))], 3 * _MOST_TOPICS):
        found = _about(world, draw, topic, breadth, works)
        if not found or len(topics) == _MOST_TOPICS:
            continue
        topics.append(topic)
        parts += found
        fewest = _fewest([point.claim for part in parts for point in part.section.points])
        if fewest >= breadth:
            break
    else:
        return None
    return _written(world, draw, topics, parts) if fewest <= breadth * _MOST + 3 and len(parts) > 2 else None


def _about(world: World, draw: Draw, topic: int, breadth: int, works: Works) -> list[_Part]:
    """Draft the sections on one entity: its profile, and sets of entities linked to it; [] if there are none."""
    profile = _profile(world, draw, topic, works)
    sets = draw.shuffled(list(_lists(world, topic))) if profile is not None else []
    parts, claims = list[_Part](), [point.claim for point in profile.section.points] if profile else []
    for found in sets:
        part = _listed(world, draw, topic, found, works) if len(found.members) <= breadth else None
        if part is None:
            continue
        parts.append(part)
        claims += [point.claim for point in part.section.points]
        if len(parts) == _MOST_LISTS or _fewest(claims) >= breadth:
            break
    return [profile, *parts] if profile is not None and parts else []


def _fewest(claims: Sequence[Claim]) -> int:
    """Return how many documents it takes at least to state all claims: the claims that no two share a document."""
    used: set[str] = set()
    count = 0
    for claim in sorted(claims, key=lambda claim: len(claim.sources)):
        if used.isdisjoint(claim.sources):
            count += 1
            used.update(claim.sources)
    return count


@lru_cache(256)
def _topics(world: World) -> dict[Kind, list[int]]:
    """Return by kind the entities with a name of their own that have a set of others listed somewhere."""
    found: dict[Kind, list[int]] = {}
    for relation in world.relations:
        if not relation.list_title:
            continue
        kind = relation.subject if relation.shape == "terms" else relation.object
        for entity in world.range(kind) if kind in _TOPICS else ():
            if world.listing(relation.name, entity) != NONE and not world.is_shared(entity):
                found.setdefault(kind, []).append(entity)  # type: ignore[arg-type]
    return {kind: sorted(set(entities)) for kind, entities in found.items()}


def _written(world: World, draw: Draw, topics: Sequence[int], parts: Sequence[_Part]) -> Brief:
    asked = "\n".join(f"{number}. {part.asked}" for number, part in enumerate(parts, 1))
    steps = tuple(step for part in parts for step in part.steps)
    sections = tuple(part.section for part in parts)
    answers = tuple(point.claim.values for section in sections for point in section.points)
    support = tuple(sorted({step.documents[0] for step in steps}))
    names = [named(world, topic) for topic in topics]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    text = f"{draw.choice(_OPENINGS).format(listed)}\n{asked}"
    return Brief(Question(text, "brief", 1, answers, "items", steps, support), sections)


def _profile(world: World, draw: Draw, topic: int, works: Works) -> _Part | None:
    """Draft the section on what the entity itself is."""
    points, steps, said = list[Point](), list[Step](), list[str]()
    usual = functional(world, world.kind(topic))
    stated = [relation for relation in draw.shuffled(usual) if _value(world, relation, topic) != NONE]
    for relation in sorted(stated[:_MOST_POINTS], key=usual.index):
        letter, noun = ascii_lowercase[len(points)], _of_each(relation)
        labels = (letter, f"{letter})", f"({letter})", noun, f"{letter}) {noun}", f"({letter}) {noun}")
        point, more = _point(world, topic, relation, labels, ())
        if all(map(works, more)):
            points.append(point)
            steps += more
            said.append(f"({letter}) {noun.removeprefix('the ')}")
    title = f"Profile of {named(world, topic)}"
    if len(points) < 2:
        return None
    return _Part(f"{title}: {'; '.join(said)}.", Section(title, tuple(points)), tuple(steps))


def _lists(world: World, topic: int) -> Iterator[_Set]:
    """Yield the sets of entities linked to an entity that some document states in full."""
    kind, (least, most) = world.kind(topic), _MEMBERS
    for relation in world.relations:
        words = phrases(relation.name)
        sides = []
        if relation.subject == kind and relation.shape != "one" and relation.to_entity and words.plural_objects:
            sides.append(True)
        if relation.object == kind and words.plural and not relation.symmetric and not relation.mutable:
            sides.append(False)
        for forward in sides:
            members = (world.objects if forward else world.subjects)(relation.name, topic).tolist()
            if not least <= len(members) <= most or any(world.is_shared(member) for member in members):
                continue
            pairs = [(topic, member) if forward else (member, topic) for member in members]
            stating = [{*world.where(one, relation.name, other).tolist()} for one, other in pairs]
            if together := set.intersection(*stating):
                yield _Set(relation, members, forward, tuple(sorted(together)))


def _listed(world: World, draw: Draw, topic: int, group: _Set, works: Works) -> _Part | None:
    """Draft a section on all members of a set, with a fact of each; None if no relation has one for all."""
    relation, members = group.relation, group.members
    kind = world.kind(members[0])
    details = [r for r in functional(world, kind) if all(_value(world, r, member) != NONE for member in members)]
    details = [r for r in details if r.name != relation.name and r.object != "term" and not _tabled(world, group, r)]
    if kind == "person" and relation.name not in ("father", "mother"):
        details = [r for r in details if r.name not in _FAMILY]
    words = phrases(relation.name)
    plural = (words.plural_objects if group.forward else words.plural)[0].format(named(world, topic))
    query = relation.list_title.format(world.name(topic)) or f"{world.name(topic)} {words.key}"
    first = [Step(query, entity_forms(world, member), group.documents) for member in members]
    title = plural[0].upper() + plural[1:]
    if not all(map(works, first)):
        return None
    disputed = [r for r in details if any(_against(world, r, member) for member in members)]
    details = [*disputed, *details] if disputed and draw.chance(0.7) else draw.shuffled(details)
    for detail in details[:4]:
        found = [_point(world, member, detail, entity_forms(world, member), group.documents) for member in members]
        steps = [step for _, more in found for step in more]
        if all(map(works, steps)):
            asked = f"{title}, with {_said_of_each(_of_each(detail))}."
            return _Part(asked, Section(title, tuple(point for point, _ in found)), (*first, *steps))
    return None


def _tabled(world: World, group: _Set, detail: Relation) -> bool:
    """Tell whether a table of the set's members has the detail, so that one document would be enough."""
    member = group.members[0]
    stating = documents_of(world, member, detail.name, world.value(detail.name, member))
    return not set(stating).isdisjoint(group.documents)


def _of_each(detail: Relation) -> str:
    """Return what to state of each member: "the date of birth", "the year of publication"."""
    words = phrases(detail.name)
    if words.item:
        return words.item[0]
    return next(noun for noun in words.noun if noun.endswith(" of {}")).removesuffix(" of {}")


def _said_of_each(item: str) -> str:
    """Write what to state of each member.

    >>> _said_of_each("the height in metres"), _said_of_each("the building that houses it")
    ('the height of each in metres', 'the building that houses each')
    """
    words = item.split()
    if "it" in words:
        return " ".join("each" if word == "it" else word for word in words)
    what, unit, rest = item.partition(" in ") if words[-1] in ("metres", "kilometres") else (item, "", "")
    return f"{what} of each{unit}{rest}"


def _point(
    world: World, subject: int, relation: Relation, labels: tuple[str, ...], related: Sequence[int]
) -> tuple[Point, list[Step]]:
    """Return a claim with the documents behind it and against it, and the searches for all of them."""
    value = _value(world, relation, subject)
    stating = documents_of(world, subject, relation.name, value)
    forms = forms_of(world, relation, value)
    against = _against(world, relation, subject)
    steps = [Step(f"{world.name(subject)} {phrases(relation.name).key}", forms, stating)]
    steps += [Step(title_of(world, document), (), (document,)) for document in against]
    titles = [tuple(title_of(world, n) for n in numbers) for numbers in (stating, related, against)]
    return Point(Claim(labels, forms, titles[0], titles[1]), titles[2]), steps


def _against(world: World, relation: Relation, subject: int) -> tuple[int, ...]:
    """Return the documents that state another value than the right one."""
    if not relation.mutable:
        return ()
    subjects, _, documents = world.stale(relation.name)
    return tuple(sorted(documents[subjects == subject].tolist()))


def _value(world: World, relation: Relation, subject: int) -> int:
    """Return the value of a relation; NONE if it is unknown, or an entity that shares its name."""
    value = world.value(relation.name, subject)
    return NONE if value == NONE or (relation.to_entity and world.is_shared(value)) else value
