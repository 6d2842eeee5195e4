"""Questions about who held which office when."""

from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.chains import path_from
from turnwise.worlds.documents.questions.context import Context, Lost, follow, kin
from turnwise.worlds.documents.questions.logic import At, Beside, Fact, Follow, Query, Start, Term, Value
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["temporal"]

_IN_OFFICE = (
    ("Who preceded {other} as {role} of {place}?", "the predecessor of {other} as {role} of {place}"),
    ("Who succeeded {other} as {role} of {place}?", "the successor of {other} as {role} of {place}"),
)
_NEIGHBOURS = {  # the one before, the one after: the question, and the noun phrase
    "laureate": (
        ("Who won {place} right before {other}?", "the person who won {place} right before {other}"),
        ("Who was the next to win {place} after {other}?", "the person who won {place} right after {other}"),
    ),
    "employer": (
        ("For which organisation did {place} work right before {other}?",
         "the organisation that {place} worked for right before {other}"),
        ("For which organisation did {place} work right after {other}?",
         "the organisation that {place} worked for right after {other}"),
    ),
    "owner": (
        ("To which organisation did {place} belong right before {other} owned it?",
         "the organisation that owned {place} right before {other}"),
        ("To which organisation did {other} pass on {place}?",
         "the organisation that owned {place} right after {other}"),
    ),
}  # fmt: skip


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
    other = _with_year(ctx, (subject, holder), first, last) if hops > 1 and ctx.draw.unit() < 0.5 else None
    if other is not None:
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
    holder_shown, before = ctx.one(words.noun_at).format(inner, year=shown), ""
    if needed and not ctx.terse:  # the year must not be read as that of what is asked
        before, holder_shown = ctx.introduced(holder_shown, ctx.world.kind(holder))
    text = before + ctx.ask_path(path, holder_shown)
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
    question, noun = _NEIGHBOURS.get(relation, _IN_OFFICE)[after]
    ctx.find(fact, f" {ctx.world.name(given[2])}")
    if ctx.hops == 1:
        text = question.format(place=inner, role=words.short, other=other)
        return _draft(ctx, text, query, [fact], (anchor,))
    path = _onward(ctx, fact, ctx.hops - 1)
    text = ctx.ask_path(path, noun.format(place=inner, role=words.short, other=other))
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
    if len(path) > 3:
        before, shown = ctx.introduced(shown, ctx.world.kind(holder))
    became = f"win {inner}" if relation == "laureate" else f"become {role} of {inner}"
    return Draft(
        text=f"{before}In which year did {kin(shown)} {became}?",
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


def _with_year(ctx: Context, ends: tuple[int, int], first: int, last: int) -> Fact | None:
    """Find a year within a term: that of something linked to the office or its holder; None if there is nothing."""
    shelf, world = ctx.shelf, ctx.world
    close = {
        one
        for end in ends
        for relation in shelf.pointing
        if relation.object == world.kind(end)
        for one in world.subjects(relation.name, end).tolist()
    }
    found = [
        Fact(one, measure.relation.name, value)
        for one in sorted(close)
        if not world.is_shared(one)
        for measure in shelf.measures.get(world.kind(one), ())
        if measure.relation.object == "year" and first <= (value := shelf.value(one, measure.relation.name)) <= last
    ]
    return ctx.draw.choice(found) if found else None


def _draft(ctx: Context, text: str, query: Query, facts: list[Fact], others: tuple[Fact, ...]) -> Draft:
    return Draft(
        text=text,
        hops=len(facts) + sum(f.start == NONE for f in others),
        query=query,
        meant=frozenset({facts[-1].object}),
        relation=facts[-1].relation,
        needed=(*others, *facts),
    )
