"""Questions for which the first document found may mislead: an older edition, or a namesake."""

from turnwise.worlds.documents.phrases import KIND_NOUNS, spoken
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.known import stated_in
from turnwise.worlds.documents.questions.logic import Both, Fact, Inverse, Keep, Named, Query
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["adversarial"]


def adversarial(ctx: Context) -> Draft:
    """Ask for a value that differs in an older edition, or about one of two namesakes, set apart by a condition."""
    return _outdated(ctx) if ctx.draw.unit() < 0.5 else _mistaken(ctx)


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
    return Draft(
        text=f"The year is {world.year}. {ctx.ask(relation, shown)}",
        hops=ctx.hops,
        query=follow(ctx.named(start), [*path, last]),
        meant=frozenset({value}),
        relation=relation,
        needed=(*path, last),
        lies=tuple(sorted(int(n) for n in documents[subjects == subject])),
    )


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
