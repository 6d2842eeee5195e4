"""Questions about who held which office when."""

from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.chains import path_from
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.logic import At, Beside, Fact, Follow, Query, Start, Term, Value
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["temporal"]

_TRIES = 20


def temporal(ctx: Context) -> Draft:
    """Ask who held an office in a year, or just after or before another, or since when; more hops ask about the holder.

    With two hops or more the year may be that of another fact ("when X came out").
    """
    drawn = ctx.shelf.with_terms(ctx.draw)
    if drawn is None:
        raise Lost
    relation, subject, terms = drawn
    shape = ctx.draw.below(3)
    if shape == 0:
        return _in_year(ctx, relation, subject, terms)
    return _beside(ctx, relation, subject, terms) if shape == 1 else _since(ctx, relation, subject, terms)


def _in_year(ctx: Context, relation: str, subject: int, terms: list[Term]) -> Draft:
    first, last, holder = ctx.draw.choice(terms)
    fact = Fact(subject, relation, holder, first)
    last = min(last, ctx.world.year)
    year = first + ctx.draw.below(last - first + 1)
    shown, needed = str(year), tuple[Fact, ...]()
    hops = ctx.hops
    inner = ctx.name(subject)
    query: Query = Value(year)
    if hops > 1 and ctx.draw.unit() < 0.5:
        other = _with_year(ctx, first, last)
        shown = ctx.noun(other.relation, ctx.name(other.subject))
        query = Follow(ctx.named(other.subject), other.relation)
        needed, year, hops = (other,), other.object, hops - 1
        ctx.find(other)
    query = At(ctx.named(subject), relation, query)
    ctx.find(fact, f" {year}")
    words = phrases(relation)
    if hops == 1:
        text = ctx.one(words.ask_at).format(inner, year=shown)
        return _draft(ctx, text, query, [fact], needed)
    path = _onward(ctx, fact, hops - 1)
    text = ctx.ask_path(path, ctx.one(words.noun_at).format(inner, year=shown))
    ctx.find_path(path)
    return _draft(ctx, text, follow(query, path), [fact, *path], needed)


def _beside(ctx: Context, relation: str, subject: int, terms: list[Term]) -> Draft:
    if len(terms) < 2:
        raise Lost
    at = ctx.draw.below(len(terms) - 1)
    after = ctx.draw.unit() < 0.5
    given, asked = (terms[at], terms[at + 1]) if after else (terms[at + 1], terms[at])
    if given[2] == asked[2]:
        raise Lost
    anchor, fact = Fact(subject, relation, given[2], given[0]), Fact(subject, relation, asked[2], asked[0])
    words = phrases(relation)
    inner, other = ctx.name(subject), ctx.name(given[2])
    query: Query = Beside(ctx.named(subject), relation, ctx.named(given[2]), after)
    place = ("next after", "right after") if after else ("last before", "right before")
    ctx.find(fact, f" {ctx.world.name(given[2])}")
    if ctx.hops == 1:
        text = f"Which {words.short} of {inner} came {ctx.one(place)} {other}?"
        return _draft(ctx, text, query, [fact], (anchor,))
    path = _onward(ctx, fact, ctx.hops - 1)
    text = ctx.ask_path(path, f"the {words.short} of {inner} who came {ctx.one(place)} {other}")
    if ctx.world.kind(asked[2]) != "person":
        text = text.replace(" who came ", " that came ")
    ctx.find_path(path)
    return _draft(ctx, text, follow(query, path), [fact, *path], (anchor,))


def _since(ctx: Context, relation: str, subject: int, terms: list[Term]) -> Draft:
    """Ask since when; the holder is described if hops are left for it."""
    first, _, holder = ctx.draw.choice(terms)
    if sum(term[2] == holder for term in terms) > 1 or relation == "employer":  # nobody "becomes employer"
        raise Lost
    fact = Fact(subject, relation, holder, first)
    path = ctx.shelf.reach(ctx.draw, holder, ctx.hops - 1)
    if path is None:
        raise Lost
    inner = ctx.name(subject)
    begin = path[0].subject if path else holder
    shown = ctx.name(begin)
    for step in path:
        shown = ctx.noun(step.relation, shown)
    query: Query = follow(ctx.named(begin), path)
    if subject in {entity for step in path for entity in (step.subject, step.object)}:
        raise Lost
    ctx.find_path(path)
    ctx.find(fact, f" {ctx.world.name(holder)}")
    role = phrases(relation).short
    before = ""
    if len(path) > 2:
        before, shown = ctx.introduced(shown, ctx.world.kind(holder))
    return Draft(
        text=f"{before}In which year did {shown} become {role} of {inner}?",
        hops=1 + len(path),
        query=Start(ctx.named(subject), relation, query),
        meant=frozenset({first}),
        relation=relation,
        needed=(*path, fact),
        form="date",
        answers=((str(first),),),
    )


def _onward(ctx: Context, fact: Fact, hops: int) -> list[Fact]:
    """Find a path from the holder that does not lead back to the office."""
    if ctx.world.is_shared(fact.object):
        raise Lost
    path = path_from(ctx, fact.object, hops)
    if fact.subject in {step.object for step in path if ctx.shelf.relations[step.relation].to_entity}:
        raise Lost
    return path


def _with_year(ctx: Context, first: int, last: int) -> Fact:
    """Find the year of another event that lies within a term."""
    shelf = ctx.shelf
    options = [m for measures in shelf.measures.values() for m in measures if m.relation.object == "year"]
    for _ in range(_TRIES if options else 0):
        forward = ctx.draw.choice(options)
        at = ctx.draw.below(len(forward.column))
        value = int(forward.column[at])
        if value != NONE and first <= value <= last and not ctx.world.is_shared(forward.first + at):
            return Fact(forward.first + at, forward.relation.name, value)
    raise Lost


def _draft(ctx: Context, text: str, query: Query, facts: list[Fact], others: tuple[Fact, ...]) -> Draft:
    return Draft(
        text=text,
        hops=len(facts) + sum(f.start == NONE for f in others),
        query=query,
        meant=frozenset({facts[-1].object}),
        relation=facts[-1].relation,
        needed=(*others, *facts),
    )
