"""Totals and spans over all members of a group, up to ten: every member must be looked up."""

from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.context import Context, Lost
from turnwise.worlds.documents.questions.logic import Fact, Inverse, Keep, Query, Span, Total
from turnwise.worlds.documents.questions.many import bound_of, group_of
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["total"]

_SUMS = {  # "{}" is a plural: "cities in Tarnol"
    "area": ("What is the total area of the {} in square kilometres?",),
    "river_length": ("How many kilometres do the {} measure in all?", "What is the combined length of the {}?"),
    "population": ("How many people live in the {}, taken together?", "What is the combined population of the {}?"),
    "employees": ("How many people do the {} employ in all?", "What is the combined staff of the {}?"),
    "students": ("How many students do the {} have in all?", "What is the combined enrolment of the {}?"),
    "attendance": ("How many visitors did the {} draw in all?", "What was the total attendance at the {}?"),
    "prize_money": ("How many crowns are the {} worth in all?", "How much prize money, in crowns, comes with the {}?"),
}
_SPANS = {
    "city_founded": ("How many years lie between the oldest and the youngest of the {}?",),
    "org_founded": ("How many years lie between the oldest and the youngest of the {}?",),
    "uni_founded": ("How many years lie between the oldest and the youngest of the {}?",),
    "published": (
        "How many years lie between the earliest and the latest of the {}?",
        "How many years apart did the first and the last of the {} come out?",
    ),
    "described": (
        "Over how many years were the {} described, from the first to the last?",
        "How many years passed between the first and the last description of any of the {}?",
    ),
    "completed": (
        "How many years lie between the oldest and the newest of the {}?",
        "How many years apart were the first and the last of the {} completed?",
    ),
    "award_established": ("How many years lie between the oldest and the youngest of the {}?",),
}
_SHORTEST = 10  # years of a span: shorter ones are easy to guess
_LEAST, _MOST = 3, 10
_BOUNDED = 0.75


def total(ctx: Context) -> Draft:
    """Ask for the sum of a number over a group, or for the years between its oldest and its newest member.

    The group's object is named (2 hops) or described; with 3 and more, usually only members within a bound count: a
    small world has few groups, but each has many parts.
    """
    bounded = ctx.hops >= 3 and ctx.draw.chance(_BOUNDED)
    group = group_of(ctx, _LEAST, _MOST, min(max(ctx.hops - 2 - bounded, 0), 2), even=False)
    measures = [
        m.relation
        for m in ctx.shelf.measures.get(group.relation.subject, ())
        if (m.relation.name in _SPANS or m.relation.name in _SUMS)
        and all(ctx.shelf.value(entity, m.relation.name) != NONE for entity in group.members)
    ]
    ctx.find_members(group.relation.name, group.object, group.members)
    source: Query = Inverse(group.query, group.relation.name)
    plural = ctx.fitting(phrases(group.relation.name).plural, group.shown).format(group.shown)
    kept, besides = group.members, tuple[Fact, ...]()
    if bounded:
        bound = bound_of(ctx, group)
        source = Keep(source, bound.relation, bound.op, bound.value)
        kept, besides = bound.kept, (*group.facts, *bound.facts)
        measures = [measure for measure in measures if measure.name != bound.relation]
    if not measures or len(kept) < 2:
        raise Lost
    measure = ctx.draw.choice(measures)
    values = [ctx.shelf.value(entity, measure.name) for entity in kept]
    facts = tuple(Fact(e, measure.name, v) for e, v in zip(kept, values, strict=True))
    if measure.object == "number":
        query: Query = Total(source, measure.name)
        text = ctx.fitting(_SUMS[measure.name], group.shown)
        answer, needed = sum(values), (*(f for f in (*group.facts, *besides) if f.subject in kept), *group.path, *facts)
    else:
        query = Span(source, measure.name)
        answer, text = max(values) - min(values), ctx.fitting(_SPANS[measure.name], group.shown)
        ends = tuple(fact for fact in facts if fact.object in (min(values), max(values)))
        if len(ends) != 2 or answer < _SHORTEST:
            raise Lost
        needed, besides = (*group.path, *ends), (*group.facts, *besides, *facts)
    for fact in facts:
        ctx.find(fact)
    only = f" Count only those {bound.words}." if bounded else ""
    return Draft(
        text=text.format(plural) + only,
        hops=2 + len(group.path) + bounded,
        query=query,
        meant=frozenset({answer}),
        relation=group.relation.name,
        needed=needed,
        besides=besides,
        form="number",
        contested=True,
        answers=(tuple(dict.fromkeys((f"{answer:,}", str(answer)))),),
    )
