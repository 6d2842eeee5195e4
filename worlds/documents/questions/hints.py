"""Descriptions of entities that do not name them: "a novel that came out in the 1890s", "a city that lies on the Tarn".

The predicates are in ``data/hints.txt``.
"""

from dataclasses import dataclass

from turnwise.worlds.documents.phrases import KIND_NOUNS, article, read_sections
from turnwise.worlds.documents.questions.context import Context
from turnwise.worlds.documents.questions.logic import Both, Fact, Follow, Having, Inverse, Query
from turnwise.worlds.documents.schema import NONE, OPEN, VOCABULARY, Kind

__all__ = ["HINTS", "TYPES", "YEARS", "Clue", "clues_of", "described", "linked", "period", "typed"]

HINTS = read_sections("hints.txt")
TYPES: dict[Kind, str] = {
    "person": "occupation",
    "organisation": "industry",
    "work": "work_type",
    "event": "event_type",
    "species": "species_class",
    "building": "building_type",
}
YEARS: dict[Kind, tuple[str, str]] = {  # the relation, and the participle before "in the 1870s"
    "city": ("city_founded", "founded"),
    "person": ("born_on", "born"),
    "organisation": ("org_founded", "founded"),
    "university": ("uni_founded", "founded"),
    "work": ("published", "that came out"),
    "event": ("held_on", "held"),
    "species": ("described", "first described"),
    "building": ("completed", "completed"),
    "award": ("award_established", "established"),
}
_TRADES = {
    "shipbuilding": "shipyard",
    "publishing": "publishing house",
    "banking": "bank",
    "mining": "mining company",
    "textiles": "textile company",
    "brewing": "brewery",
    "railways": "railway company",
    "glassmaking": "glassworks",
    "insurance": "insurance company",
    "forestry": "forestry company",
}
_FIRST_YEAR = 1000


@dataclass(frozen=True, slots=True)
class Clue:
    """One thing said about an entity.

    Attributes:
        words: A predicate, such as "was born in a city that lies on the Tarn"; or a noun phrase.
        query: Everything that it is true of.
        facts: What it rests on, from the entity outwards.
        anchor: The entity that it names; NONE if it names none.
    """

    words: str
    query: Query
    facts: tuple[Fact, ...]
    anchor: int = NONE


def period(relation: str, value: int, decades: int, offset: int, latest: int = OPEN) -> tuple[str, Query]:
    """Return the decade of a year or date, or several decades, in words and as an expression.

    Args:
        relation: A relation to years or dates.
        value: The year, or the date as yyyymmdd.
        decades: The number of decades, 1 or more.
        offset: How many of them come before the value's, below ``decades``.
        latest: The present year: no later decade is named.
    """
    date = value > 9999
    year = value // 10_000 if date else value
    first = min(year // 10 * 10 - 10 * offset, latest // 10 * 10 - 10 * (decades - 1))
    last = first + 10 * decades - 1
    low, high = (first * 10_000, (last + 1) * 10_000) if date else (first - 1, last + 1)
    words = f"in the {first}s" if decades == 1 else f"between {first} and {last}"
    if decades == 2 and 0 < first % 100 < 90:  # not "the 1800s", which may be a century
        words = f"in the {first}s or {first + 10}s"
    return words, Both((Having(relation, ">", low), Having(relation, "<", high)))


def typed(kind: str, word: str) -> str:
    """Return the noun for an entity of a kind and that type.

    >>> typed("species", "moss"), typed("organisation", "banking"), typed("work", "novel")
    ('species of moss', 'bank', 'novel')
    """
    return f"species of {word}" if kind == "species" else _TRADES.get(word, word)


def described(ctx: Context, entity: int) -> Clue | None:
    """Describe an entity by its type, its time, or both, as a noun phrase; None if nothing is known of it."""
    kind = ctx.world.kind(entity)
    noun, parts, facts = KIND_NOUNS[kind][0], list[Query](), list[Fact]()
    relation = TYPES.get(kind, "")
    value = ctx.shelf.value(entity, relation) if relation in ctx.shelf.relations else NONE
    if value != NONE and ctx.draw.unit() < 0.8:
        noun = typed(kind, VOCABULARY[relation][value])
        parts.append(Having(relation, "==", value))
        facts.append(Fact(entity, relation, value))
    time, participle = YEARS.get(kind, ("", ""))
    value = ctx.shelf.value(entity, time) if time in ctx.shelf.relations else NONE
    year = value // 10_000 if value > 9999 else value
    if year > _FIRST_YEAR and (not parts or ctx.draw.unit() < 0.5):
        decades = 2 + ctx.draw.below(4)
        words, when = period(time, value, decades, ctx.draw.below(decades), ctx.world.year)
        noun = f"{noun} {participle} {words}"
        parts.append(when)
        facts.append(Fact(entity, time, value))
    return Clue(article(noun), Both(tuple(parts)), tuple(facts)) if parts else None


def clues_of(ctx: Context, entity: int) -> list[tuple[str, str, Fact]]:
    """Return what links an entity to others: the predicate, the other one's side ("s" or "o"), and the fact."""
    world, found = ctx.world, []
    kind = world.kind(entity)
    for name, keys in HINTS.items():
        relation = ctx.shelf.relations.get(name)
        if relation is None:
            continue
        if relation.subject == kind and "s" in keys:
            for other in world.objects(name, entity).tolist()[:3]:
                found.append((keys["s"][0], "s", _fact(ctx, entity, name, other)))
        if relation.object == kind and "o" in keys:
            for other in world.subjects(name, entity).tolist()[:3]:
                found.append((keys["o"][0], "o", _fact(ctx, other, name, entity)))
    return found


def linked(side: str, relation: str, others: Query) -> Query:
    """Return the expression for all that a relation links to ``others``; ``side`` is that of those sought."""
    return Inverse(others, relation) if side == "s" else Follow(others, relation)


def _fact(ctx: Context, subject: int, relation: str, object: int) -> Fact:
    """Return a fact, with the first year of its term if it has one."""
    if ctx.shelf.relations[relation].shape != "terms":
        return Fact(subject, relation, object)
    return Fact(subject, relation, object, next(a for a, _, o in ctx.shelf.terms(subject, relation) if o == object))
