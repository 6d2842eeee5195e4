"""Chains of facts from a name to the answer, and bridges over an entity that the question only describes."""

from turnwise.worlds.documents.phrases import KIND_NOUNS, phrases
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.logic import Both, Fact, Inverse, Query
from turnwise.worlds.documents.questions.settle import Draft

__all__ = ["bridge", "chain", "path_from", "path_to"]

_TRIES = 4


def chain(ctx: Context) -> Draft:
    """Ask along ``hops`` functional facts from a named entity: "Who is the mother of the author of X?"."""
    path = path_to(ctx, ctx.hops)
    inner = ctx.name(path[0].subject)
    text = ctx.ask_path(path, inner)
    ctx.find_path(path)
    return Draft(
        text=text,
        hops=len(path),
        query=follow(ctx.named(path[0].subject), path),
        meant=frozenset({path[-1].object}),
        relation=path[-1].relation,
        needed=tuple(path),
    )


def bridge(ctx: Context) -> Draft:
    """Ask a chain whose first entity is not named but described by an inverse or by two properties."""
    path = path_to(ctx, ctx.hops - 1)
    middle = path[0].subject
    without = {middle} | {fact.object for fact in path if ctx.shelf.relations[fact.relation].to_entity}
    facts = _by_inverse(ctx, middle, without) if ctx.draw.unit() < 0.5 else _by_properties(ctx, middle, without)
    if len(facts) == 1:
        name = ctx.name(facts[0].object)
        inner = ctx.one(phrases(facts[0].relation).inverse).format(name)
        start: Query = Inverse(ctx.named(facts[0].object), facts[0].relation)
        if {facts[0].relation, path[0].relation} == {"father", "mother"}:
            raise Lost  # nobody says "the mother of the child of Bak"
    else:
        said = [ctx.clause(fact, ctx.name(fact.object)) for fact in facts]
        inner = f"the {KIND_NOUNS[ctx.world.kind(middle)][0]} {' and '.join(said)}"
        start = Both(tuple(Inverse(ctx.named(fact.object), fact.relation) for fact in facts))
    text = ctx.ask_path(path, inner)
    ctx.find_subject(facts)
    ctx.find_path(path)
    return Draft(
        text=text,
        hops=1 + len(path),
        query=follow(start, path),
        meant=frozenset({path[-1].object}),
        relation=path[-1].relation,
        needed=(*facts, *path),
    )


def path_from(
    ctx: Context, start: int | None, hops: int, without: frozenset[str] | set[str] = frozenset()
) -> list[Fact]:
    """Walk that many facts; the first relation is not among ``without``.

    Raises:
        Lost: There is no such path, or the draws did not find one.
    """
    path = None if start is None else ctx.shelf.walk(ctx.draw, start, hops)
    if path is None or path[0].relation in without:
        raise Lost
    return path


def path_to(ctx: Context, hops: int) -> list[Fact]:
    """Draw a path of that many functional facts from its end, so that well-connected answers are not more likely.

    Raises:
        Lost: The draws did not find one.
    """
    for _ in range(_TRIES):
        last = ctx.shelf.ending(ctx.draw, hops - 1)
        if last is None:
            break
        if ctx.world.is_shared(last.subject):
            continue
        path = ctx.shelf.reach(ctx.draw, last.subject, hops - 1)
        to_entity = ctx.shelf.relations[last.relation].to_entity
        if path is not None and not (to_entity and any(fact.subject == last.object for fact in path)):
            return [*path, last]
    raise Lost


def _by_inverse(ctx: Context, middle: int, without: set[int]) -> list[Fact]:
    """Find a fact about an entity that is true of no other."""
    shelf, world = ctx.shelf, ctx.world
    kind = world.kind(middle)
    options = [
        Fact(middle, r.name, object)
        for r in shelf.pointing
        if r.subject == kind and phrases(r.name).inverse
        for object in world.objects(r.name, middle).tolist()
    ]
    options = [f for f in options if f.object not in without and not world.is_shared(f.object) and not shelf.vague(f)]
    if not options:
        raise Lost
    return [ctx.draw.choice(options)]


def _by_properties(ctx: Context, middle: int, without: set[int]) -> list[Fact]:
    """Find two facts about an entity, each also true of others, whose objects have unique names."""
    shelf = ctx.shelf
    options = [
        fact
        for fact in shelf.steps_from(middle)
        if shelf.relations[fact.relation].to_entity
        and phrases(fact.relation).clause
        and fact.object not in without
        and not shelf.world.is_shared(fact.object)
        and shelf.vague(fact)
    ]
    if len(options) < 2:
        raise Lost
    return ctx.draw.shuffled(options)[:2]
