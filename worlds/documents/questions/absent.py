"""Questions without an answer, each with an answerable twin of the same wording.

Half of the questions of this kind can be answered. Each draft makes both, over the same relations and kinds of
entities, and keeps a random one if both pass, so that the words of a question reveal nothing.
"""

import itertools
from collections.abc import Callable, Sequence

from turnwise.worlds.documents.naming import FORMS, NAME_WORDS, TYPED
from turnwise.worlds.documents.phrases import phrases, spoken
from turnwise.worlds.documents.questions.base import Step
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.logic import At, Fact, Named, Value
from turnwise.worlds.documents.questions.settle import Draft, settle
from turnwise.worlds.documents.schema import NONE, Relation

__all__ = ["unanswerable"]

_TRIES = 30
Maker = Callable[[Context], Draft]


def unanswerable(ctx: Context) -> Draft:
    """Ask for a fact that is unstated or false, a name that nobody or several have, or a year between two terms."""
    flavours: list[Callable[[Context], tuple[Maker, Maker]]] = [_unstated, _nobody, _several]
    if ctx.hops == 1 and ctx.shelf.dated:
        flavours.append(_gap)
    pair = []
    for make in ctx.draw.choice(flavours)(ctx):
        own = ctx.fresh()
        draft = make(own)
        draft.chance = 0.5  # for an agent that always abstains
        draft.steps, draft.names = tuple(own.steps), tuple(own.names)
        question = settle(ctx.world, "unanswerable", draft)
        if question is None:
            raise Lost
        pair.append((draft, question))
    coin = ctx.draw.unit() < 0.5
    chosen, chosen.twin = pair[coin][0], pair[not coin][1]
    ctx.steps, ctx.names = list(chosen.steps), list(chosen.names)
    return chosen


def _unstated(ctx: Context) -> tuple[Maker, Maker]:
    """Make the last fact unstated: withheld by the world, or not a fact (the spouse of someone who never married)."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    withheld = draw.unit() < 0.5
    options = [r for r in shelf.finals if not withheld or len(world.withheld(r.name).subjects)]
    if not options:
        raise Lost
    relation = draw.choice(options)
    missing = _subject(ctx, relation, withheld)
    path = shelf.reach(draw, missing, ctx.hops - 1)
    if path is None:
        raise Lost
    twin = _twin_path(ctx, relation, [fact.relation for fact in path])
    last = twin[-1]

    def with_answer(own: Context) -> Draft:
        return _end_of(own, twin[:-1], last, frozenset({last.object}))

    def without(own: Context) -> Draft:
        return _end_of(own, path, Fact(missing, relation.name, NONE), frozenset())

    return with_answer, without


def _end_of(own: Context, path: Sequence[Fact], last: Fact, meant: frozenset[int]) -> Draft:
    start = path[0].subject if path else last.subject
    shown = own.name(start)
    for fact in path:
        shown = own.noun(fact.relation, shown)
    query = follow(own.named(start), [*path, last])
    own.find_path(path)
    if meant:
        own.find(last)
    else:
        own.steps.append(_in_vain(own, own.known(last.subject), last.relation))
    return Draft(
        text=own.ask(last.relation, shown),
        hops=len(path) + 1,
        query=query,
        meant=meant,
        relation=last.relation,
        needed=(*path, last) if meant else tuple(path),
        answerable=bool(meant),
    )


def _subject(ctx: Context, relation: Relation, withheld: bool) -> int:
    """Find a uniquely named subject whose object is withheld or missing, and was never claimed either."""
    world, draw = ctx.world, ctx.draw
    column, first = world.column(relation.name), world.range(relation.subject).start
    hidden = world.withheld(relation.name).subjects
    for _ in range(_TRIES):
        at = int(hidden[draw.below(len(hidden))]) - first if withheld else draw.below(len(column))
        if int(column[at]) == NONE and not _outdated(ctx, first + at, relation) and not world.is_shared(first + at):
            return first + at
    raise Lost


def _twin_path(ctx: Context, relation: Relation, before: Sequence[str]) -> list[Fact]:
    """Find a path over given relations that ends with a fact of ``relation``."""
    shelf, world = ctx.shelf, ctx.world
    subjects = world.range(relation.subject)
    for _ in range(_TRIES):
        at = subjects.start + ctx.draw.below(len(subjects))
        value = shelf.value(at, relation.name)
        if value == NONE or world.is_shared(at) or _outdated(ctx, at, relation):
            continue
        path = [Fact(at, relation.name, value)]
        for name in reversed(before):
            at = shelf.subject_of(ctx.draw, name, path[0].subject)
            if at == NONE or world.is_shared(at) or any(at == fact.subject for fact in path):
                break
            path.insert(0, Fact(at, name, path[0].subject))
        else:
            return path
    raise Lost


def _outdated(ctx: Context, entity: int, relation: Relation) -> bool:
    return relation.mutable and bool((ctx.world.stale(relation.name)[0] == entity).any())


def _nobody(ctx: Context) -> tuple[Maker, Maker]:
    """Ask about an invented name that resembles others of its kind; the twin asks about an existing one."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    kinds = [kind for kind in shelf.kinds if kind in (*FORMS, *TYPED, "person", "species")]
    if not kinds:
        raise Lost
    kind = draw.choice(kinds)
    model, other = shelf.entity(draw, kind), shelf.entity(draw, kind)
    path = None if model is None else shelf.walk(draw, model, ctx.hops)
    if path is None or model is None or other is None:
        raise Lost
    invented = _blend(ctx, world.name(model), world.name(other))

    def with_answer(own: Context) -> Draft:
        shown = own.name(model)
        return _about(own, shown, own.named(model), path, frozenset({path[-1].object}))

    def without(own: Context) -> Draft:
        return _about(own, _spoken(own, model, invented), Named(invented), path, frozenset())

    return with_answer, without


def _several(ctx: Context) -> tuple[Maker, Maker]:
    """Ask about a name shared by two entities with different answers; the twin asks about a uniquely named one."""
    shelf, draw, world = ctx.shelf, ctx.draw, ctx.world
    if not shelf.shared:
        raise Lost
    entity = draw.choice(shelf.shared)
    name = world.name(entity)
    path = shelf.walk(draw, entity, ctx.hops)
    if path is None:
        raise Lost
    ends = {end for other in world.named(name) if (end := _end(ctx, other, path)) != NONE}
    twin = _along(ctx, path)
    if len(ends) < 2:
        raise Lost

    def with_answer(own: Context) -> Draft:
        shown = own.name(twin[0].subject)
        return _about(own, shown, own.named(twin[0].subject), twin, frozenset({twin[-1].object}))

    def without(own: Context) -> Draft:
        return _about(own, _spoken(own, entity, name), Named(name), path, frozenset(ends))

    return with_answer, without


def _along(ctx: Context, path: Sequence[Fact]) -> list[Fact]:
    """Find a path over the same relations from another entity of the same kind."""
    shelf, world = ctx.shelf, ctx.world
    for _ in range(_TRIES):
        at = shelf.entity(ctx.draw, world.kind(path[0].subject))
        found: list[Fact] = []
        for fact in path:
            if at is None or at == NONE or world.is_shared(at) or any(at == before.subject for before in found):
                break
            found.append(Fact(at, fact.relation, shelf.value(at, fact.relation)))
            at = found[-1].object
        if len(found) == len(path) and at != NONE:
            return found
    raise Lost


def _gap(ctx: Context) -> tuple[Maker, Maker]:
    """Ask about a year between two terms; the twin asks about a year within a term of the same office."""
    drawn = ctx.shelf.with_terms(ctx.draw)
    if drawn is None:
        raise Lost
    relation, subject, terms = drawn
    held = {year: term for term in terms[1:-1] for year in range(term[0], term[1] + 1)}
    gaps = [year for a, b in itertools.pairwise(terms) for year in range(a[1] + 1, b[0])]
    if not gaps or not held:
        raise Lost
    year, gap = sorted(held)[ctx.draw.below(len(held))], ctx.draw.choice(gaps)

    def asked(own: Context, year: int) -> tuple[str, At]:
        text = own.one(phrases(relation).ask_at).format(own.name(subject), year=year)
        return text, At(own.named(subject), relation, Value(year))

    def with_answer(own: Context) -> Draft:
        text, query = asked(own, year)
        first, _, holder = held[year]
        fact = Fact(subject, relation, holder, first)
        own.find(fact, f" {year}")
        return Draft(text, 1, query, frozenset({holder}), relation, (fact,))

    def without(own: Context) -> Draft:
        text, query = asked(own, gap)
        own.steps.append(_in_vain(own, own.known(subject), relation))
        return Draft(text, 1, query, frozenset(), relation, (), answerable=False)

    return with_answer, without


def _about(own: Context, shown: str, start: Named, path: Sequence[Fact], meant: frozenset[int]) -> Draft:
    answerable = len(meant) == 1
    if answerable:
        own.find_path(path)
    else:
        own.names.append(start.text)
        own.steps.append(_in_vain(own, start.text, path[0].relation))
    return Draft(
        text=own.ask_path(path, shown),
        hops=len(path),
        query=follow(start, path),
        meant=meant,
        relation=path[-1].relation,
        needed=tuple(path) if answerable else (),
        answerable=answerable,
    )


def _in_vain(ctx: Context, surface: str, relation: str) -> Step:
    return Step(surface if ctx.terse else f"{surface} {phrases(relation).key}", (), ())


def _spoken(ctx: Context, model: int, surface: str) -> str:
    text = surface if ctx.terse else spoken(ctx.world.kind(model), surface)
    ctx.plain.add(text)
    return text


def _end(ctx: Context, at: int, path: Sequence[Fact]) -> int:
    """Follow the relations of a path from another entity; NONE if they do not apply."""
    for fact in path:
        if at == NONE or ctx.shelf.relations[fact.relation].subject != ctx.world.kind(at):
            return NONE
        at = ctx.shelf.value(at, fact.relation)
    return at


def _blend(ctx: Context, name: str, other: str) -> str:
    """Blend two names: replace one invented word of the first with that of the second in the same place.

    Raises:
        Lost: The names differ in form, or the blend already exists.
    """
    words, others = name.split(), other.split()
    if len(words) != len(others) or len(words) < 2:
        raise Lost
    places = [
        n
        for n, (a, b) in enumerate(zip(words, others, strict=True))
        if a != b and a not in NAME_WORDS and b not in NAME_WORDS
    ]
    if not places:
        raise Lost
    at = ctx.draw.choice(places)
    words[at] = others[at]
    made = " ".join(words)
    if ctx.world.named(made):
        raise Lost
    return made
