"""Questions for which the first document found may mislead: an older account, or a namesake."""

from turnwise.worlds.documents.phrases import KIND_NOUNS, phrases, spoken
from turnwise.worlds.documents.questions.base import Step
from turnwise.worlds.documents.questions.context import Context, Lost, follow, kin
from turnwise.worlds.documents.questions.known import stated_in
from turnwise.worlds.documents.questions.logic import (
    Before,
    Both,
    Difference,
    Fact,
    Follow,
    Inverse,
    Keep,
    Named,
    Query,
)
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.questions.surfaces import value_forms
from turnwise.worlds.documents.schema import NONE

__all__ = ["adversarial"]


def adversarial(ctx: Context) -> Draft:
    """Ask for a value that has changed, for the change itself, or about one of two namesakes, told apart by a fact."""
    flavour = ctx.draw.unit()
    if flavour < 0.35:
        return _outdated(ctx)
    return _changed(ctx) if flavour < 0.6 else _mistaken(ctx)


def _outdated(ctx: Context) -> Draft:
    """Ask for the current value; the question states the year, and the pages say when they were written."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    options = [r.name for r in world.relations if r.mutable and r.shape == "one" and len(world.stale(r.name)[0])]
    if not options:
        raise Lost
    relation = draw.choice(options)
    subjects, _, documents = world.stale(relation)
    subject = int(subjects[draw.below(len(subjects))])
    value = shelf.value(subject, relation)
    path = shelf.reach(draw, subject, ctx.hops - 1)
    if world.is_shared(subject) or value == NONE or path is None:
        raise Lost
    start = path[0].subject if path else subject
    shown = ctx.name(start)
    for fact in path:
        shown = ctx.noun(fact.relation, shown)
    last = Fact(subject, relation, value)
    ctx.find_path(path)
    ctx.find(last)
    asked = kin(ctx.ask(relation, shown))
    return Draft(
        text=f"As of {world.year}, {asked[0].lower()}{asked[1:]}",
        hops=ctx.hops,
        query=follow(ctx.named(start), [*path, last]),
        meant=frozenset({value}),
        relation=relation,
        needed=(*path, last),
        lies=tuple(sorted(int(n) for n in documents[subjects == subject])),
    )


def _changed(ctx: Context) -> Draft:
    """Ask by how much a number has changed since an account of an earlier year."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    options = [name for name in _NUMBERS if name in shelf.relations and len(world.stale(name)[0])]
    if not options:
        raise Lost
    relation = draw.choice(options)
    subjects, objects, documents = world.stale(relation)
    at = draw.below(len(subjects))
    subject, then, page = int(subjects[at]), int(objects[at]), world.page(int(documents[at]))
    now, path = shelf.value(subject, relation), shelf.reach(draw, subject, ctx.hops - 1)
    if world.is_shared(subject) or now == NONE or path is None or page.year == world.year:
        raise Lost
    start = path[0].subject if path else subject
    shown = ctx.name(start)
    for fact in path:
        shown = ctx.noun(fact.relation, shown)
    last = Fact(subject, relation, now)
    ctx.find_path(path)
    ctx.find(last)
    words = f"{ctx.known(subject)} {phrases(relation).key} {page.year}"
    ctx.steps.append(Step(words, value_forms(relation, then), (page.number,)))
    what, more = _NUMBERS[relation].format(shown), now > then
    texts = (
        f"By how much has {what} {'grown' if more else 'fallen'} since {page.year}?",
        f"How much {'larger' if more else 'smaller'} is {what} today than it was in {page.year}?",
    )
    text = ctx.one(texts[: 1 if path else 2])
    query = follow(ctx.named(start), path)
    answer = abs(now - then)
    return Draft(
        text=text,
        hops=ctx.hops,
        query=Difference(Follow(query, relation), Before(query, relation, page.year)),
        meant=frozenset({answer}),
        relation=relation,
        needed=(*path, last),
        lies=tuple(sorted(int(n) for n in documents[subjects == subject])),
        form="number",
        answers=(value_forms(relation, answer),),
    )


_NUMBERS = {
    "population": "the population of {}",
    "employees": "the staff of {}",
    "students": "the number of students at {}",
    "wild_population": "the wild population of {}",
    "prize_money": "the prize money of {}",
}


def _mistaken(ctx: Context) -> Draft:
    """Ask along a path from one of two namesakes; the other, to whom it also applies, gives another answer."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    if not shelf.shared:
        raise Lost
    entity = draw.choice(shelf.shared)
    surface = world.name(entity)
    others = [other for other in world.named(surface) if other != entity and world.kind(other) == world.kind(entity)]
    path = shelf.walk(draw, entity, ctx.hops)
    if path is None or not others:
        raise Lost
    first = path[0]
    lies = [
        Fact(o, first.relation, v) for o in others if (v := shelf.value(o, first.relation)) not in (NONE, first.object)
    ]
    if not lies:
        raise Lost
    mark = _mark(ctx, entity, others, first.relation)
    if mark.object == path[-1].object and shelf.relations[mark.relation].to_entity:
        raise Lost  # the description would name the answer
    named = Named(surface)
    start: Query
    if shelf.relations[mark.relation].to_entity:
        said = ctx.clause(mark, ctx.name(mark.object))
        told = ctx.known(mark.object)
        start = Both((named, Inverse(ctx.named(mark.object), mark.relation)))
    else:
        said = told = ctx.clause(mark)
        start = Keep(named, mark.relation, "==", mark.object)
    kind = world.kind(entity)
    noun = "one" if kind == "person" else KIND_NOUNS[kind][0]
    shown = f"{spoken(kind, surface)} (the {noun} {said})"
    ctx.names.append(surface)
    ctx.met(entity)
    ctx.find(first, f" {told}")
    ctx.find_path(path[1:])
    return Draft(
        text=ctx.ask_path(path, shown),
        hops=len(path),
        query=follow(start, path),
        meant=frozenset({path[-1].object}),
        relation=path[-1].relation,
        needed=(mark, *path),
        lies=tuple(sorted({n for lie in lies for n in stated_in(world, lie)})),
    )


def _mark(ctx: Context, entity: int, others: list[int], without: str) -> Fact:
    """Find a fact about one of the namesakes that is known to be different for all others."""
    shelf = ctx.shelf
    options = [
        fact
        for fact in shelf.steps_from(entity)
        if fact.relation != without
        and shelf.relations[fact.relation].object not in ("number", "date")
        and not (shelf.relations[fact.relation].to_entity and ctx.world.is_shared(fact.object))
        and all(shelf.value(other, fact.relation) not in (NONE, fact.object) for other in others)
    ]
    if not options:
        raise Lost
    return ctx.draw.choice(options)
