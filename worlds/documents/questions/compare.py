"""Comparisons of several entities by a number, a year or a date."""

from collections.abc import Sequence
from dataclasses import dataclass

from turnwise.worlds.documents.phrases import KIND_NOUNS, phrases
from turnwise.worlds.documents.questions.chains import path_from
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.draw import Forward
from turnwise.worlds.documents.questions.logic import Best, Compare, Fact, Follow, Query
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["comparison", "property_of", "ranked", "yes_no"]

_TRIES = 40


@dataclass(slots=True)
class Candidate:
    """A candidate in a comparison: named, or at the end of a path from a name."""

    entity: int
    path: list[Fact]
    value: int


def comparison(ctx: Context) -> Draft:
    """Ask which of three to five comes first: named (1 hop), described or with another fact of it (2), both (3)."""
    depth = 1 if ctx.hops >= 3 or (ctx.hops == 2 and ctx.draw.unit() < 0.5) else 0
    further = ctx.hops - 1 - depth > 0
    measure = _measure(ctx)
    found = _candidates(ctx, measure, 3 + ctx.draw.below(3), depth)
    largest = ctx.draw.unit() < 0.5
    relation = measure.relation
    winner = (max if largest else min)(found, key=lambda candidate: candidate.value)
    shown, queries = _shown(ctx, found)
    kind = relation.subject
    words = phrases(relation.name)
    text = ctx.one(words.most if largest else words.least).format(f"following {KIND_NOUNS[kind][1]}")
    text = f"{text.removesuffix('?')}: {', '.join(shown[:-1])} or {shown[-1]}?"
    query: Query = Best(tuple(queries), relation.name, largest)
    values = [Fact(c.entity, relation.name, c.value) for c in found]
    paths = [fact for c in found for fact in c.path]
    for candidate, value in zip(found, values, strict=True):
        ctx.find_path(candidate.path)
        ctx.find(value)
    if not further:
        return Draft(
            text=text,
            hops=1 + depth,
            query=query,
            meant=frozenset({winner.entity}),
            relation=found[0].path[-1].relation if depth else relation.name,
            needed=(*paths, *values),
            form="text",
            entities=True,
            chance=0.0 if depth else 1 / len(found),
            contested=True,
        )
    ask, last = property_of(
        ctx, winner.entity, relation.name, ranked(ctx.one(words.top if largest else words.bottom)), "them"
    )
    return Draft(
        text=f"Here are some {KIND_NOUNS[kind][1]}: {', '.join(shown[:-1])} and {shown[-1]}. {ask}",
        hops=2 + depth,
        query=Follow(query, last.relation),
        meant=frozenset({last.object}),
        relation=last.relation,
        needed=(*paths, *values, last),
    )


def property_of(ctx: Context, entity: int, without: str, shown: str, plural: str = "") -> tuple[str, Fact]:
    """Ask for a further fact of an entity; return the text and that fact.

    Args:
        ctx: The draft.
        entity: The entity.
        without: A relation that is not asked for.
        shown: How the text refers to the entity: "that city", or "the oldest of the {}".
        plural: What "{}" stands for; "them" for what was just listed.
    """
    last = path_from(ctx, entity, 1, {without})[0]
    ctx.find(last)
    return ctx.ask(last.relation, shown.format(plural).replace(" the them", " them")), last


def ranked(words: str, second: bool = False) -> str:
    """Write who is first in an order, or second, as a noun phrase.

    >>> ranked("oldest of the {}", second=True), ranked("last to die of the {}", second=True)
    ('the second oldest of the {}', 'the second to last to die of the {}')
    """
    if not second:
        return f"the {words}"
    if words.startswith(("first ", "last ")):
        first, _, rest = words.partition(" ")
        return f"the {'second' if first == 'first' else 'second to last'} {rest}"
    return f"the second {words}"


def yes_no(ctx: Context) -> Draft:
    """Ask whether one of two is older, larger and so on: named (1 hop) or described (2); half the answers are yes."""
    depth = min(ctx.hops - 1, 1)
    measure = _measure(ctx)
    found = _candidates(ctx, measure, 2, depth)
    if found[0].value == found[1].value:
        raise Lost
    more = ctx.draw.unit() < 0.5
    holds = (found[0].value > found[1].value) == more
    shown, queries = _shown(ctx, found)
    words = phrases(measure.relation.name)
    text = ctx.one(words.is_more if more else words.is_less).format(a=shown[0], b=shown[1])
    left, right = (Follow(query, measure.relation.name) for query in queries)
    values = [Fact(c.entity, measure.relation.name, c.value) for c in found]
    for candidate, value in zip(found, values, strict=True):
        ctx.find_path(candidate.path)
        ctx.find(value)
    return Draft(
        text=text,
        hops=1 + depth,
        query=Compare(left, ">" if more else "<", right),
        meant=frozenset({int(holds)}),
        relation="",
        needed=(*(fact for c in found for fact in c.path), *values),
        form="yes_no",
        answers=(("yes" if holds else "no",),),
        chance=0.5,
    )


def _measure(ctx: Context) -> Forward:
    kinds = sorted(ctx.shelf.measures)
    if not kinds:
        raise Lost
    options = ctx.shelf.measures[ctx.draw.choice(kinds)]
    return ctx.draw.choice(options)


def _candidates(ctx: Context, measure: Forward, number: int, depth: int) -> list[Candidate]:
    """Find that many entities with distinct values, all reached by the same relation if they are described."""
    shelf, draw, kind = ctx.shelf, ctx.draw, measure.relation.subject
    into = [r for r in shelf.pointing if r.shape == "one" and r.object == kind]
    if depth and not into:
        raise Lost
    relation = draw.choice(into) if depth else None
    found: dict[int, Candidate] = {}
    values: set[int] = set()
    for _ in range(_TRIES):
        start = shelf.entity(draw, relation.subject if relation else kind)
        if start is None:
            continue
        entity = shelf.value(start, relation.name) if relation else start
        value = shelf.value(entity, measure.relation.name) if entity != NONE else NONE
        if value == NONE or entity in found or value in values or shelf.world.is_shared(entity):
            continue
        path = [Fact(start, relation.name, entity)] if relation else []
        found[entity] = Candidate(entity, path, value)
        values.add(value)
        if len(found) == number:
            return list(found.values())
    raise Lost


def _shown(ctx: Context, found: Sequence[Candidate]) -> tuple[list[str], list[Query]]:
    """Return phrases for the candidates, all of the same form, and their expressions."""
    if not found[0].path:
        return [ctx.name(c.entity) for c in found], [ctx.named(c.entity) for c in found]
    noun = ctx.one(phrases(found[0].path[0].relation).noun)
    shown = [noun.format(ctx.name(c.path[0].subject)) for c in found]
    return shown, [follow(ctx.named(c.path[0].subject), c.path) for c in found]
