"""Counterfactual questions: if somebody had died earlier, or if the first of a group did not exist."""

from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.compare import property_of, ranked
from turnwise.worlds.documents.questions.context import Context, Lost, kin
from turnwise.worlds.documents.questions.logic import Best, Fact, Follow, Inverse, Keep, Others, Query
from turnwise.worlds.documents.questions.many import group_of
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["supposed"]

_MADE = {  # by the relation to the maker: the year, and the question what would not have been done
    "author": ("published", "which of this author's works would never have appeared?"),
    "designed_by": ("completed", "which of this architect's buildings would have been completed posthumously?"),
    "founder": ("org_founded", "which of the organisations started by this founder would not exist?"),
    "discoverer": (
        "described",
        "which of this naturalist's species would have been described posthumously?",
    ),
}


def supposed(ctx: Context) -> Draft:
    """Ask what an earlier death would have prevented, or which of a group is first without the one that is.

    With three hops or more the person or the group is described, not named; with four the second one's fact is asked.
    """
    if ctx.draw.unit() < 0.5:
        return _cut_short(ctx)
    return _without_first(ctx)


def _cut_short(ctx: Context) -> Draft:
    makers = [name for name in _MADE if name in ctx.shelf.relations and _MADE[name][0] in ctx.shelf.relations]
    if not makers:
        raise Lost
    relation = ctx.draw.choice(makers)
    measure, words = _MADE[relation]
    people = [person for size, found in ctx.shelf.counted(relation).items() if 3 <= size <= 10 for person in found]
    if not people:
        raise Lost
    person = ctx.draw.choice(people)
    members = ctx.world.subjects(relation, person).tolist()
    values = {entity: ctx.shelf.value(entity, measure) for entity in members}
    years = sorted(set(values.values()))
    if NONE in values.values() or len(years) < 2 or any(ctx.world.is_shared(e) for e in (person, *members)):
        raise Lost
    if not ctx.together(relation, person, members):
        raise Lost
    last = years[ctx.draw.below(len(years) - 1)]
    shown, query, path = _person(ctx, person, members)
    ctx.find_path(path)
    ctx.find_members(relation, person, members)
    facts = tuple(Fact(entity, measure, value) for entity, value in values.items())
    for fact in facts:
        ctx.find(fact)
    lost = [entity for entity in members if values[entity] > last]
    made: Query = Keep(Inverse(query, relation), measure, ">", last)
    opening = ctx.one(("If {} had died at the end of {},", "Had {} died at the end of {},"))
    text = f"{opening.format(kin(shown), last)} {words}"
    groups = tuple(Fact(entity, relation, person) for entity in members)
    return Draft(
        text=text,
        hops=2 + len(path),
        query=made,
        meant=frozenset(lost),
        relation=relation,
        needed=(*path, *(fact for fact in (*groups, *facts) if fact.subject in lost)),
        besides=(*groups, *facts),
        form="items",
        entities=True,
        contested=True,
    )


def _person(ctx: Context, person: int, members: list[int]) -> tuple[str, Query, list[Fact]]:
    """Name a person, or from three hops on describe them by a path of facts."""
    if ctx.hops < 3:
        shown = ctx.name(person)
        return shown, ctx.named(person), []
    path = ctx.shelf.reach(ctx.draw, person, ctx.hops - 2)
    if path is None or path[0].subject in members:
        raise Lost
    shown = ctx.name(path[0].subject)
    query: Query = ctx.named(path[0].subject)
    for fact in path:
        shown, query = ctx.noun(fact.relation, shown), Follow(query, fact.relation)
    return shown, query, path


def _without_first(ctx: Context) -> Draft:
    further = ctx.hops >= 4
    group = group_of(ctx, 3, 10, 1 if ctx.hops >= 3 else 0, even=False)
    measures = [m.relation for m in ctx.shelf.measures.get(group.relation.subject, ())]
    measures = [m for m in measures if all(ctx.shelf.value(e, m.name) != NONE for e in group.members)]
    if not measures:
        raise Lost
    measure = ctx.draw.choice(measures)
    values = {entity: ctx.shelf.value(entity, measure.name) for entity in group.members}
    largest = ctx.draw.unit() < 0.5
    first, second, third = sorted(group.members, key=values.__getitem__, reverse=largest)[:3]
    if len({values[first], values[second], values[third]}) < 3:
        raise Lost
    words = phrases(measure.name)
    next_one = ranked(ctx.one(words.top if largest else words.bottom), second=True)
    plural = ctx.fitting(phrases(group.relation.name).plural, group.shown).format(group.shown)
    members: Query = Inverse(group.query, group.relation.name)
    rest = Others(members, Best((members,), measure.name, largest))
    query: Query = Best((rest,), measure.name, largest)
    ctx.find_members(group.relation.name, group.object, group.members)
    facts = tuple(Fact(entity, measure.name, value) for entity, value in values.items())
    for fact in facts:
        ctx.find(fact)
    own = (Fact(second, group.relation.name, group.object), Fact(second, measure.name, values[second]))
    needed, besides = (*group.path, *own), (*group.facts, *facts)
    if not further:
        return Draft(
            text=f"{'Who was' if group.relation.subject == 'person' else 'Which is'} {next_one.format(plural)}?",
            hops=2 + len(group.path),
            query=query,
            meant=frozenset({second}),
            relation=group.relation.name,
            needed=needed,
            besides=besides,
            form="text",
            entities=True,
            contested=True,
        )
    ask, last = property_of(ctx, second, measure.name, next_one, plural)
    if last.object == group.object:
        raise Lost
    return Draft(
        text=ask,
        hops=3 + len(group.path),
        query=Follow(query, last.relation),
        meant=frozenset({last.object}),
        relation=last.relation,
        needed=(*needed, last),
        besides=besides,
    )
