"""Draws a library, a member, and what they want."""

import datetime
from collections.abc import Mapping
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.library.data import Filling, iso
from turnwise.worlds.desks.library.goals import ALLOWED, GROUPS, REFUSED, Kind, Place, beyond
from turnwise.worlds.desks.library.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.library.tools import TOOLBOX
from turnwise.worlds.desks.library.words import LEXICON
from turnwise.worlds.desks.said import words
from turnwise.worlds.desks.scenario import Case, Shape, call, case_of, slipping
from turnwise.worlds.desks.store import Store
from turnwise.worlds.people.part import Fact, Part, Persona

__all__ = ["TOOLBOX", "draft"]


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw a library with a member at its desk."""
    while True:
        rules = drawn_rules(draw)
        fill = Filling(draw, rules, shape.people)
        member = fill.member(kind=draw.weighted(("adult", "student", "senior"), (4, 3, 2)))
        fill.loan(member)
        place = Place(fill, draw, member, shape)
        refused = min(shape.refused, shape.goals)
        goals = [kind(place) for kind in _kinds(draw, shape.goals - refused, refused)]
        genuine = not draw.chance(shape.impostors)
        if genuine and draw.chance(shape.beyond):
            goals.append(beyond(place))
        row = fill.tables["members"][member]
        facts = _facts(row)
        if not genuine:
            facts = _claimed(draw, facts, rules.evidence)
        given = {fact.slot: fact.also[0] if fact.also else fact.value for fact in facts}
        asked = {*rules.evidence}
        if any(goal.kind == "contact" for goal in goals):
            asked.add(rules.contact_evidence)
        identify = call(
            "verify_identity", member_id=member, **{name: given[name] for name in EVIDENCE if name in asked}
        )
        wishes = tuple(goal.wish for goal in goals)
        if shape.slips:
            wishes = slipping(draw, wishes)
        persona = Persona(row["name"], draw.choice(shape.manners))
        part = Part(persona, facts, wishes, LEXICON, draw.below(2**31))
        clauses = clauses_of(rules)
        policy = policy_text(f"{fill.town} Public Library", rules, clauses)
        private = [words(str(row[name])) for name in (*EVIDENCE, "phone")]
        case = case_of(
            Desk(Store(fill.tables), rules, clauses), TOOLBOX, policy, part, goals, identify, member,
            genuine=genuine, private=private,
        )  # fmt: skip
        served = any(one.calls if shape.goals > 1 else one.option for one in case.settled)
        declined = sum(bool(one.clauses) for one in case.settled)
        if not genuine or (served and declined >= refused):
            return case


def _kinds(draw: Draw, allowed: int, refused: int) -> list[Kind]:
    """Draw kinds of goals, no two about the same things."""
    found: list[Kind] = []
    used: set[str] = set()
    for kinds, count in ((REFUSED, refused), (ALLOWED, allowed)):
        for kind in draw.shuffled(kinds):
            if count and GROUPS[kind.__name__] not in used:
                used.add(GROUPS[kind.__name__])
                found.append(kind)
                count -= 1
    return draw.shuffled(found)


def _facts(row: Mapping[str, Any]) -> tuple[Fact, ...]:
    born = datetime.date.fromisoformat(row["birth_date"])
    spelled = (iso(born), f"{born:%B} {born.day}, {born.year}", f"{born.day} {born:%B} {born.year}")
    return (
        Fact("name", row["name"]),
        Fact("birth_date", spelled[1], also=spelled),
        Fact("postcode", row["postcode"]),
        Fact("email", row["email"]),
        Fact("card_number", row["card_number"]),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...], evidence: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    born = datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))
    false = {
        "birth_date": Fact("birth_date", f"{born:%B} {born.day}, {born.year}", also=(iso(born),)),
        "postcode": Fact("postcode", f"{draw.integer(10, 99)}{draw.integer(100, 999)}"),
        "email": Fact("email", f"{facts[0].value.partition(' ')[0].lower()}@mail.example"),
        "card_number": Fact("card_number", f"{draw.integer(2000, 9999)}-{draw.integer(1000, 9999)}"),
    }
    return (facts[0], *(false[fact.slot] for fact in facts[1:]))
