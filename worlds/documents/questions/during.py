"""Questions about what happened while somebody held an office: a set, its years, and the years of a term."""

from collections.abc import Sequence

import numpy as np

from turnwise.worlds.documents.phrases import phrases
from turnwise.worlds.documents.questions.context import Context, Lost, follow, kin
from turnwise.worlds.documents.questions.logic import During, Fact, Inverse, Query, Term
from turnwise.worlds.documents.questions.many import Group, group_of
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE

__all__ = ["during"]

_OFFICES = ("mayor", "governor", "director", "rector")
_HAPPENED = {  # by what dates a member of the group: what it did
    "city_founded": "were founded",
    "org_founded": "were founded",
    "uni_founded": "were founded",
    "born_on": "were born",
    "died_on": "died",
    "published": "came out",
    "held_on": "were held",
    "described": "were first described",
    "completed": "were completed",
    "award_established": "were established",
}
_LIVES = ("born_on", "died_on")  # asked for only by who governed, not by who ran a company
_TWICE = {("born_on", "born_in"), ("died_on", "died_in")}  # "the people born in X were born"
_LEAST, _MOST = 3, 12
_TRIES = 6


def during(ctx: Context) -> Draft:
    """Ask which members of a group came about in the years in which somebody held an office; not all do.

    With three hops the group is described, not named; with four the holder is, too.
    """
    group = group_of(ctx, _LEAST, _MOST, 1 if ctx.hops >= 3 else 0, even=False)
    measure = next(
        (m for m in ctx.draw.shuffled(list(_HAPPENED)) if m in ctx.shelf.relations and _dated(ctx, group, m)), ""
    )
    if not measure:
        raise Lost
    values = {entity: ctx.shelf.value(entity, measure) for entity in group.members}
    years = {entity: value // 10_000 if value > 9999 else value for entity, value in values.items()}
    office, subject, term = _term(
        ctx, list(years.values()), near(ctx, group), _OFFICES[: 2 if measure in _LIVES else 4]
    )
    first, last, holder = term
    if {subject, holder} & {group.object, *group.members}:
        raise Lost
    kept = [entity for entity, year in years.items() if first < year < last]
    path = ctx.shelf.reach(ctx.draw, holder, 1) if ctx.hops >= 4 else []
    if path is None or any(fact.subject in (subject, *group.members) for fact in path):
        raise Lost
    ctx.find_members(group.relation.name, group.object, group.members)
    facts = tuple(Fact(entity, measure, value) for entity, value in values.items())
    for fact in facts:
        ctx.find(fact)
    begin = path[0].subject if path else holder
    shown = ctx.name(begin)
    for fact in path:
        shown = kin(ctx.noun(fact.relation, shown))
    where = ctx.name(subject)
    ctx.find_path(path)
    held = Fact(subject, office, holder, first)
    ctx.find(held, f" {ctx.world.name(holder)}")
    plural = ctx.fitting(phrases(group.relation.name).plural, group.shown).format(group.shown)
    did = "took place" if plural.startswith("events held") else _HAPPENED[measure]
    if plural.endswith(f" {did}"):  # "the people born where she died died while"
        raise Lost
    query: Query = During(
        Inverse(group.query, group.relation.name), measure, ctx.named(subject), office, follow(ctx.named(begin), path)
    )
    return Draft(
        text=ctx.one(_TEXTS).format(
            plural=plural,
            did=did,
            holder=shown,
            Holder=shown[0].upper() + shown[1:],
            role=phrases(office).short,
            where=where,
        ),
        hops=2 + len(group.path) + len(path),
        query=query,
        meant=frozenset(kept),
        relation=group.relation.name,
        needed=(*group.path, *path, held, *(f for f in (*group.facts, *facts) if f.subject in kept)),
        besides=(*group.facts, *facts),
        form="items",
        entities=True,
        contested=True,
    )


_TEXTS = (
    "Which of the {plural} {did} while {holder} was {role} of {where}?",
    "Which of the {plural} {did} in the years when {holder} was {role} of {where}?",
    "{Holder} was once {role} of {where}. Which of the {plural} {did} in those years?",
)


def _dated(ctx: Context, group: Group, measure: str) -> bool:
    """Tell whether the year of every member is known, and not all came about at once."""
    if ctx.shelf.relations[measure].subject != group.relation.subject or (measure, group.relation.name) in _TWICE:
        return False
    values = {ctx.shelf.value(entity, measure) for entity in group.members}
    return NONE not in values and len(values) > 2


def near(ctx: Context, group: Group) -> set[int]:
    """Return what the object of a group and its members are linked to, by facts of theirs and one more."""
    found = set().union(*(_links(ctx, entity) for entity in (group.object, *group.members)))
    return found.union(*(_links(ctx, entity) for entity in found))


def _links(ctx: Context, entity: int) -> set[int]:
    return {fact.object for fact in ctx.shelf.steps_from(entity) if ctx.shelf.relations[fact.relation].to_entity}


def _term(ctx: Context, years: Sequence[int], among: set[int], offices: Sequence[str]) -> tuple[str, int, Term]:
    """Draw a term of office in which some members came about, but not all, and none in its first or last year.

    The office is that of an entity ``among`` those that the group has to do with. Its holder
    held that office once, so that there is one answer to when that was.
    """
    world, known = ctx.world, np.array(years)
    for office in ctx.draw.shuffled([relation.name for relation in ctx.shelf.dated if relation.name in offices]):
        table = world.table(office)
        starts, ends = table.starts[:, None], table.ends[:, None]
        inside = ((starts < known) & (known < ends)).sum(axis=1)
        edge = ((starts == known) | (ends == known)).any(axis=1)
        close = np.isin(table.subjects, sorted(among))
        rows = np.flatnonzero((inside > 0) & (inside < len(years)) & ~edge & close).tolist()
        for row in ctx.draw.shuffled(rows)[:_TRIES]:
            subject, holder = int(table.subjects[row]), int(table.objects[row])
            once = sum(term[2] == holder for term in ctx.shelf.terms(subject, office)) == 1
            if once and not world.is_shared(subject) and not world.is_shared(holder):
                return office, subject, (int(table.starts[row]), int(table.ends[row]), holder)
    raise Lost
