"""Draws a library, a member, and what they want."""

import datetime
from collections.abc import Callable

from turnwise.core.draw import Draw
from turnwise.worlds.desks.drafting import Kinds, World, birth_fact, identifying
from turnwise.worlds.desks.library.data import Filling
from turnwise.worlds.desks.library.goals import ALLOWED, GROUPS, REFUSED, beyond
from turnwise.worlds.desks.library.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.library.tools import TOOLBOX
from turnwise.worlds.desks.library.words import LEXICON
from turnwise.worlds.desks.narrow import narrowed
from turnwise.worlds.desks.said import Said, words
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.store import Row
from turnwise.worlds.people.part import Fact

__all__ = ["KINDS", "TOOLBOX", "draft"]

KINDS = Kinds(ALLOWED, REFUSED, GROUPS, beyond)


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw a library with a member at its desk."""
    return narrowed(draw, shape, _opened, KINDS, TOOLBOX, LEXICON)


def _opened(draw: Draw, shape: Shape) -> Callable[[], World[Filling]]:
    rules = drawn_rules(draw)
    fill = Filling(draw, rules, shape.people)
    clauses = clauses_of(rules)
    policy = policy_text(f"{fill.town} Public Library", rules, clauses)

    def visited() -> World[Filling]:
        member = fill.member(kind=draw.weighted(("adult", "student", "senior"), (4, 3, 2)))
        fill.loan(member)

        return World(
            fill, fill.tables, rules, clauses, policy, "members", member, _facts, _claimed,
            identifying("member_id", member, EVIDENCE, rules.evidence, ("contact",), rules.contact_evidence),
            _private,
        )  # fmt: skip

    return visited


def _private(row: Row) -> list[Said]:
    return [words(str(row[name])) for name in (*EVIDENCE, "phone")]


def _facts(row: Row) -> tuple[Fact, ...]:
    return (
        Fact("name", row["name"]),
        birth_fact(datetime.date.fromisoformat(row["birth_date"])),
        Fact("postcode", row["postcode"]),
        Fact("email", row["email"]),
        Fact("card_number", row["card_number"]),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    born = datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))
    false = {
        "birth_date": birth_fact(born),
        "postcode": Fact("postcode", f"{draw.integer(10, 99)}{draw.integer(100, 999)}"),
        "email": Fact("email", f"{facts[0].value.partition(' ')[0].lower()}@mail.example"),
        "card_number": Fact("card_number", f"{draw.integer(2000, 9999)}-{draw.integer(1000, 9999)}"),
    }
    return (facts[0], *(false[fact.slot] for fact in facts[1:]))
