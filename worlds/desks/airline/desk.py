"""Draws an airline, a customer, and what they want."""

import datetime
from collections.abc import Callable

from turnwise.core.draw import Draw
from turnwise.worlds.desks.airline.data import Filling
from turnwise.worlds.desks.airline.goals import KINDS
from turnwise.worlds.desks.airline.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.airline.tools import TOOLBOX
from turnwise.worlds.desks.airline.words import LEXICON
from turnwise.worlds.desks.drafting import World, birth_fact, identifying
from turnwise.worlds.desks.narrow import narrowed
from turnwise.worlds.desks.said import Said, words
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.store import Row
from turnwise.worlds.people.part import Fact

__all__ = ["KINDS", "TOOLBOX", "draft"]


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw an airline with a customer at its desk."""
    return narrowed(draw, shape, _opened, KINDS, TOOLBOX, LEXICON)


def _opened(draw: Draw, shape: Shape) -> Callable[[], World[Filling]]:
    rules = drawn_rules(draw)
    fill = Filling(draw, rules, shape.people)
    clauses = clauses_of(rules)
    policy = policy_text(fill.airline, rules, clauses)

    def visited() -> World[Filling]:
        customer = fill.customer()

        return World(
            fill, fill.tables, rules, clauses, policy, "customers", customer, _facts, _claimed,
            identifying("customer_id", customer, EVIDENCE, rules.evidence),
            _private,
        )  # fmt: skip

    return visited


def _private(row: Row) -> list[Said]:
    return [words(str(row[name])) for name in EVIDENCE]


def _facts(row: Row) -> tuple[Fact, ...]:
    return (
        Fact("name", row["name"]),
        Fact("email", row["email"]),
        Fact("phone", row["phone"]),
        birth_fact(datetime.date.fromisoformat(row["birth_date"])),
        Fact("member_number", row["member_number"]),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    born = datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))
    false = {
        "email": Fact("email", f"{facts[0].value.partition(' ')[0].lower()}@mail.example"),
        "phone": Fact("phone", f"555-{draw.integer(1000, 9999)}"),
        "birth_date": birth_fact(born),
        "member_number": Fact("member_number", f"{draw.integer(100, 999)}-{draw.integer(100, 999)}"),
    }
    return (facts[0], *(false[fact.slot] for fact in facts[1:]))
