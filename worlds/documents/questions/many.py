"""Questions about entities with something in common: which one, how many, which of them first, all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from turnwise.worlds.documents.phrases import KIND_NOUNS, phrases
from turnwise.worlds.documents.questions.compare import property_of, ranked
from turnwise.worlds.documents.questions.context import Context, Lost, follow
from turnwise.worlds.documents.questions.hints import TYPES, typed
from turnwise.worlds.documents.questions.logic import Best, Both, Count, Fact, Follow, Inverse, Keep, Op, Query
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE, VOCABULARY, Relation

__all__ = ["Group", "count", "group_of", "intersection", "set_of", "superlative"]

_TRIES = 12


@dataclass(slots=True)
class Group:
    """All subjects of one object, and how the text and the plan reach that object."""

    relation: Relation
    object: int
    members: list[int]
    path: list[Fact]
    query: Query
    shown: str

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that make them members, and those that lead to the object."""
        return (*self.path, *(Fact(member, self.relation.name, self.object) for member in self.members))


def intersection(ctx: Context) -> Draft:
    """Ask for the one that satisfies two or three conditions, of which two are both necessary.

    With more than one hop the object of the first condition is described, not named.
    """
    shelf, draw = ctx.shelf, ctx.draw
    kind = draw.choice(shelf.kinds)
    entity = shelf.entity(draw, kind)
    options = [] if entity is None else [f for f in shelf.steps_from(entity) if phrases(f.relation).clause]
    linked = [f for f in options if shelf.relations[f.relation].to_entity and not shelf.world.is_shared(f.object)]
    others = [f for f in options if f not in linked and shelf.relations[f.relation].object in ("year", "term")]
    if not linked:
        raise Lost
    chosen = draw.shuffled(linked)[: 1 + draw.below(2)]
    chosen += draw.shuffled([f for f in linked + others if f not in chosen])[: 2 + draw.below(2) - len(chosen)]
    if len(chosen) < 2 or not all(shelf.vague(fact) for fact in chosen):
        raise Lost
    path, query, shown = _described(ctx, chosen[0].object, ctx.hops - 1)
    if any(chosen[0].subject in (fact.subject, fact.object) for fact in path):
        raise Lost  # the description would name the answer
    parts: list[Query] = [Inverse(query, chosen[0].relation)]
    clauses, noun = [ctx.clause(chosen[0], shown)], KIND_NOUNS[kind][0]
    ctx.find_path(path)
    for fact in chosen[1:]:
        if shelf.relations[fact.relation].to_entity:
            clauses.append(ctx.clause(fact, ctx.name(fact.object)))
            parts.append(Inverse(ctx.named(fact.object), fact.relation))
        else:
            if TYPES.get(kind) == fact.relation:
                noun = typed(kind, VOCABULARY[fact.relation][fact.object])
            else:
                clauses.append(ctx.clause(fact))
            parts.append(Keep(parts[0], fact.relation, "==", fact.object))
    ctx.find_subject(chosen)
    return Draft(
        text=ctx.one(("What is the name of the {} {}?", "Name the {} {}.", "I am looking for the {} {}.")).format(
            noun, _listed(clauses)
        ),
        hops=1 + len(path),
        query=Both(tuple(parts)),
        meant=frozenset({chosen[0].subject}),
        relation=chosen[0].relation,
        needed=(*path, *chosen),
        form="text",
        entities=True,
        contested=True,
    )


def count(ctx: Context) -> Draft:
    """Ask how many subjects an object has (1 hop), of a described object or within a bound (2), both (3)."""
    bounded, depth = _shape(ctx)
    group = group_of(ctx, 4 if bounded else 2, 10, depth)
    words = phrases(group.relation.name)
    ctx.find_members(group.relation.name, group.object, group.members)
    query: Query = Inverse(group.query, group.relation.name)
    if not bounded:
        return Draft(
            text=ctx.fitting(words.count, group.shown).format(group.shown),
            hops=1 + depth,
            query=Count(query),
            meant=frozenset({len(group.members)}),
            relation=group.relation.name,
            needed=group.facts,
            form="number",
            contested=True,
            answers=((str(len(group.members)),),),
        )
    bound = bound_of(ctx, group)
    plural = ctx.fitting(words.plural, group.shown).format(group.shown)
    text = f"How many of the {plural} {holding(bound.words)}?"
    return Draft(
        text=text,
        hops=2 + depth,
        query=Count(Keep(query, bound.relation, bound.op, bound.value)),
        meant=frozenset({len(bound.kept)}),
        relation=group.relation.name,
        needed=(*group.path, *(f for f in group.facts + bound.facts if f.subject in bound.kept)),
        besides=(*group.facts, *bound.facts),
        form="number",
        contested=True,
        answers=((str(len(bound.kept)),),),
    )


def set_of(ctx: Context) -> Draft:
    """Ask for all subjects of an object as a list; bounded, of a described object, or both, as in `count`."""
    bounded, depth = _shape(ctx)
    group = group_of(ctx, 3 if bounded else 2, 8, depth)
    ctx.find_members(group.relation.name, group.object, group.members)
    query: Query = Inverse(group.query, group.relation.name)
    plural = ctx.fitting(phrases(group.relation.name).plural, group.shown).format(group.shown)
    text = ctx.one(("Name all {}.", "List all {}.")).format(plural)
    kept, besides = group.members, tuple[Fact, ...]()
    needed = group.facts
    if bounded:
        bound = bound_of(ctx, group)
        kept = bound.kept
        text = f"Which of the {plural} {holding(bound.words)}?"
        query = Keep(query, bound.relation, bound.op, bound.value)
        needed = (*group.path, *(f for f in group.facts + bound.facts if f.subject in kept))
        besides = (*group.facts, *bound.facts)
    return Draft(
        text=text,
        hops=1 + depth + bounded,
        query=query,
        meant=frozenset(kept),
        relation=group.relation.name,
        needed=tuple(needed),
        besides=tuple(besides),
        form="items",
        entities=True,
        contested=True,
    )


def superlative(ctx: Context) -> Draft:
    """Ask for the first, largest or latest of an object's subjects, at least three (2 hops), or a fact of it (3)."""
    depth = 1 if ctx.hops >= 4 or (ctx.hops == 3 and ctx.draw.unit() < 0.5) else 0
    group = group_of(ctx, 3, 7, depth)
    measures = ctx.shelf.measures.get(group.relation.subject, ())
    measures = [m for m in measures if all(ctx.shelf.value(e, m.relation.name) != NONE for e in group.members)]
    if not measures:
        raise Lost
    measure = ctx.draw.choice(measures).relation
    values = {entity: ctx.shelf.value(entity, measure.name) for entity in group.members}
    largest = ctx.draw.unit() < 0.5
    winner = (max if largest else min)(group.members, key=values.__getitem__)
    plural = ctx.fitting(phrases(group.relation.name).plural, group.shown).format(group.shown)
    words = phrases(measure.name)
    ctx.find_members(group.relation.name, group.object, group.members)
    facts = [Fact(entity, measure.name, values[entity]) for entity in group.members]
    for fact in facts:
        ctx.find(fact)
    query: Query = Best((Inverse(group.query, group.relation.name),), measure.name, largest)
    needed = (*group.path, Fact(winner, group.relation.name, group.object), Fact(winner, measure.name, values[winner]))
    if ctx.hops - 2 - depth <= 0:
        return Draft(
            text=ctx.one(words.most if largest else words.least).format(plural),
            hops=2 + depth,
            query=query,
            meant=frozenset({winner}),
            relation=group.relation.name,
            needed=needed,
            besides=(*group.facts, *facts),
            form="text",
            entities=True,
            contested=True,
        )
    best = ranked(ctx.one(words.top if largest else words.bottom))
    ask, last = property_of(ctx, winner, measure.name, best, plural)
    if last.object == group.object:
        raise Lost
    return Draft(
        text=ask,
        hops=3 + depth,
        query=Follow(query, last.relation),
        meant=frozenset({last.object}),
        relation=last.relation,
        needed=(*needed, last),
        besides=(*group.facts, *facts),
    )


@dataclass(slots=True)
class Bound:
    """A condition on a value that keeps some members of a group."""

    relation: str
    op: Op
    value: int
    words: str
    kept: list[int]
    facts: tuple[Fact, ...]


def bound_of(ctx: Context, group: Group) -> Bound:
    """Draw a bound between the values of the members, and add the steps that look up all of them."""
    measures = [
        m.relation
        for m in ctx.shelf.measures.get(group.relation.subject, ())
        if phrases(m.relation.name).above
        and m.relation.object != "date"
        and all(ctx.shelf.value(entity, m.relation.name) != NONE for entity in group.members)
    ]
    if not measures:
        raise Lost
    measure = ctx.draw.choice(measures)
    values = {entity: ctx.shelf.value(entity, measure.name) for entity in group.members}
    ordered = sorted(set(values.values()))
    if len(ordered) < 2:
        raise Lost
    above = ctx.draw.unit() < 0.5
    at = ctx.draw.below(len(ordered) - 1)
    limit = round_between(ordered[at], ordered[at + 1])
    if limit in values.values():
        raise Lost
    kept = [entity for entity in group.members if (values[entity] > limit) == above]
    words = ctx.one(phrases(measure.name).above if above else phrases(measure.name).below)
    facts = tuple(Fact(entity, measure.name, values[entity]) for entity in group.members)
    for fact in facts:
        ctx.find(fact)
    shown = f"{limit:,}" if measure.object == "number" else str(limit)
    return Bound(measure.name, ">" if above else "<", limit, words.format(shown), kept, facts)


def holding(words: str) -> str:
    """Turn a clause after a plural into what is said of its members.

    >>> holding("with more than 5,000 visitors"), holding("that came out after 1900"), holding("born before 1900")
    ('had more than 5,000 visitors', 'came out after 1900', 'were born before 1900')
    """
    first, _, rest = words.partition(" ")
    if first == "with":
        return f"{'had' if rest.endswith('visitors') else 'have'} {rest}"
    if first in ("who", "that"):
        return rest
    return f"{'are' if first.endswith('er') else 'were'} {words}"


def round_between(low: int, high: int) -> int:
    """Return the roundest number above ``low`` and below ``high``; ``low`` if there is none.

    >>> round_between(1887, 1913), round_between(41, 43), round_between(7, 8)
    (1900, 42, 7)
    """
    size: int = 10 ** len(str(high))
    while size:
        number = (low // size + 1) * size
        if number < high:
            return number
        size //= 10
    return low


def _shape(ctx: Context) -> tuple[bool, int]:
    """Decide whether to use a bound, and how many facts lead to the object."""
    if ctx.hops >= 3:
        return True, 1
    bounded = ctx.hops == 2 and ctx.draw.unit() < 0.5
    return bounded, ctx.hops - 1 - bounded


def group_of(ctx: Context, low: int, high: int, depth: int, even: bool = True) -> Group:
    """Draw an object with its subjects.

    Args:
        ctx: The draft.
        low: The fewest subjects.
        high: The most.
        depth: Facts that lead to the object; 0 names it.
        even: Whether every number of subjects is equally likely; otherwise relations are drawn by their number of
            groups, so that the same few groups do not come again and again.
    """
    shelf, draw = ctx.shelf, ctx.draw
    sized = shelf.sized(low, high)
    size = sorted(sized)[draw.below(len(sized))] if sized else 0
    groups = [(r, o) for n in sorted(sized) if not even for r in sized[n] for o in shelf.counted(r.name)[n]]
    for _ in range(_TRIES if sized else 0):
        if even:
            relation = draw.choice(sized[size])
            object = draw.choice(shelf.counted(relation.name)[size])
        else:
            relation, object = draw.choice(groups)
        members = shelf.world.subjects(relation.name, object).tolist()
        if any(shelf.world.is_shared(entity) for entity in (object, *members)):
            continue
        if not ctx.together(relation.name, object, members):
            continue
        path, query, shown = _described(ctx, object, depth)
        if path and path[0].subject in members:
            raise Lost  # the question would name one of its answers
        ctx.find_path(path)
        return Group(relation, object, members, path, query, shown)
    raise Lost


def _described(ctx: Context, entity: int, depth: int) -> tuple[list[Fact], Query, str]:
    """Describe an entity by its name, or by a path of that many facts from another name: path, expression, words."""
    if not depth:
        shown = ctx.name(entity)
        return [], ctx.named(entity), shown
    path = ctx.shelf.reach(ctx.draw, entity, depth)
    if path is None:
        raise Lost
    shown = ctx.name(path[0].subject)
    for fact in path:
        shown = ctx.noun(fact.relation, shown)
    return path, follow(ctx.named(path[0].subject), path), shown


def _listed(clauses: Sequence[str]) -> str:
    if len(clauses) <= 2:
        return " and ".join(clauses)
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"
