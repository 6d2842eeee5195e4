"""Draws an operator, a customer with a phone, and what they want."""

import datetime
from collections.abc import Callable

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.drafting import Kinds, World, birth_fact, identifying
from turnwise.worlds.desks.narrow import narrowed
from turnwise.worlds.desks.said import Said, words
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.telecom.data import Filling
from turnwise.worlds.desks.telecom.goals import ALLOWED, GROUPS, PROVED, REFUSED, beyond
from turnwise.worlds.desks.telecom.phone import Phone
from turnwise.worlds.desks.telecom.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.telecom.tools import TOOLBOX
from turnwise.worlds.desks.telecom.words import LEXICON
from turnwise.worlds.people.part import Fact

__all__ = ["KINDS", "TOOLBOX", "draft"]

KINDS = Kinds(ALLOWED, REFUSED, GROUPS, beyond)
_OPERATORS = ("Larkline Mobile", "Corvo Mobile", "Tern Telecom", "Heron Mobile", "Swift & Co. Mobile")


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw an operator with a customer at its service desk."""
    return narrowed(draw, shape, _opened, KINDS, TOOLBOX, LEXICON)


def _opened(draw: Draw, shape: Shape) -> Callable[[], World[Filling]]:
    rules = drawn_rules(draw)
    fill = Filling(draw, rules, shape.people)
    clauses = clauses_of(rules)
    policy = policy_text(draw.choice(_OPERATORS), rules, clauses)

    def visited() -> World[Filling]:
        customer = fill.customer()
        fill.phone = (fill.line(customer), {}, False, "service")
        fill.bill(customer, 1)

        def hands(desk: Desk) -> Phone:
            return Phone(desk, *fill.phone)

        return World(
            fill, fill.tables, rules, clauses, policy, "customers", customer, _facts, _claimed,
            identifying("customer_id", customer, EVIDENCE, rules.evidence, PROVED, rules.more_evidence),
            _private, hands,
        )  # fmt: skip

    return visited


def _private(row: Row) -> list[Said]:
    return [words(str(row[name])) for name in (*EVIDENCE, "email")]


def _facts(row: Row) -> tuple[Fact, ...]:
    return (
        Fact("name", row["name"]),
        birth_fact(datetime.date.fromisoformat(row["birth_date"])),
        Fact("postcode", row["postcode"]),
        Fact("account_number", row["account_number"]),
        Fact("password", row["password"]),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    return (
        facts[0],
        birth_fact(datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))),
        Fact("postcode", f"{draw.integer(10000, 99999)}"),
        Fact("account_number", f"{draw.integer(1000, 9999)}-{draw.integer(10, 99)}"),
        Fact("password", f"{draw.either('summer', 'winter', 'spring')}{draw.integer(100, 999)}"),
    )
