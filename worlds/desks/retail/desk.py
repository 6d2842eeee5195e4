"""Draws a shop, a customer, and what they want."""

import datetime
from collections.abc import Callable

from turnwise.core.draw import Draw
from turnwise.worlds.desks.drafting import World, birth_fact, identifying
from turnwise.worlds.desks.narrow import narrowed
from turnwise.worlds.desks.retail.data import Filling
from turnwise.worlds.desks.retail.goals import KINDS
from turnwise.worlds.desks.retail.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.retail.tools import TOOLBOX
from turnwise.worlds.desks.retail.words import LEXICON
from turnwise.worlds.desks.said import Said, words
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.store import Row
from turnwise.worlds.people.part import Fact

__all__ = ["KINDS", "TOOLBOX", "draft"]

_ADDRESSES = ("address", "default_address")


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw a shop with a customer at its desk."""
    return narrowed(draw, shape, _opened, KINDS, TOOLBOX, LEXICON)


def _opened(draw: Draw, shape: Shape) -> Callable[[], World[Filling]]:
    rules = drawn_rules(draw)
    fill = Filling(draw, rules, shape.people)
    clauses = clauses_of(rules)
    policy = policy_text(fill.shop, rules, clauses)

    def visited() -> World[Filling]:
        customer = fill.customer()
        for _ in range(draw.integer(0, 2)):
            fill.order(customer)

        return World(
            fill, fill.tables, rules, clauses, policy, "customers", customer, _facts, _claimed,
            identifying("customer_id", customer, EVIDENCE, rules.evidence, _ADDRESSES, rules.address_evidence),
            _private,
        )  # fmt: skip

    return visited


def _private(row: Row) -> list[Said]:
    return [words(str(row[name])) for name in (*EVIDENCE, "address")]


def _facts(row: Row) -> tuple[Fact, ...]:
    return (
        Fact("name", row["name"]),
        Fact("email", row["email"]),
        Fact("postcode", row["postcode"]),
        Fact("phone", row["phone"]),
        birth_fact(datetime.date.fromisoformat(row["birth_date"])),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    born = datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))
    false = {
        "email": Fact("email", f"{facts[0].value.partition(' ')[0].lower()}@mail.example"),
        "postcode": Fact("postcode", f"{draw.integer(10, 99)}{draw.integer(100, 999)}"),
        "phone": Fact("phone", f"555-{draw.integer(1000, 9999)}"),
        "birth_date": birth_fact(born),
    }
    return (facts[0], *(false[fact.slot] for fact in facts[1:]))
