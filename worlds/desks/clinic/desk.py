"""Draws a clinic, a patient, and what they want."""

import datetime
from collections.abc import Callable

from turnwise.core.draw import Draw
from turnwise.worlds.desks.clinic.data import Filling
from turnwise.worlds.desks.clinic.goals import ALLOWED, GROUPS, REFUSED, beyond
from turnwise.worlds.desks.clinic.rules import EVIDENCE, clauses_of, drawn_rules, policy_text
from turnwise.worlds.desks.clinic.tools import TOOLBOX
from turnwise.worlds.desks.clinic.words import LEXICON
from turnwise.worlds.desks.drafting import Kinds, World, birth_fact, identifying
from turnwise.worlds.desks.narrow import narrowed
from turnwise.worlds.desks.said import Said, words
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.store import Row
from turnwise.worlds.people.part import Fact

__all__ = ["KINDS", "TOOLBOX", "draft"]

KINDS = Kinds(ALLOWED, REFUSED, GROUPS, beyond)
_PROVED = {"contact", "insurance", "records", "records_elsewhere", "results_emailed"}


def draft(draw: Draw, shape: Shape) -> Case:
    """Draw a clinic with a patient at its front desk."""
    return narrowed(draw, shape, _opened, KINDS, TOOLBOX, LEXICON)


def _opened(draw: Draw, shape: Shape) -> Callable[[], World[Filling]]:
    rules = drawn_rules(draw)
    fill = Filling(draw, rules, shape.people)
    clauses = clauses_of(rules)
    policy = policy_text(f"{fill.town} Medical Centre", rules, clauses)

    def visited() -> World[Filling]:
        patient = fill.patient((36, 62))
        fill.kept(patient, draw.choice(list(fill.tables["practitioners"])), draw.integer(100, 400))

        return World(
            fill, fill.tables, rules, clauses, policy, "patients", patient, _facts, _claimed,
            identifying("patient_id", patient, EVIDENCE, rules.evidence, _PROVED, rules.more_evidence),
            _private,
        )  # fmt: skip

    return visited


def _private(row: Row) -> list[Said]:
    return [words(str(row[name])) for name in (*EVIDENCE, "email", "address", "insurance_number")]


def _facts(row: Row) -> tuple[Fact, ...]:
    return (
        Fact("name", row["name"]),
        birth_fact(datetime.date.fromisoformat(row["birth_date"])),
        Fact("postcode", row["postcode"]),
        Fact("phone", row["phone"]),
        Fact("patient_number", row["patient_number"]),
    )


def _claimed(draw: Draw, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return what somebody says who only knows the name."""
    return (
        facts[0],
        birth_fact(datetime.date(draw.integer(1945, 2004), draw.integer(1, 12), draw.integer(1, 28))),
        Fact("postcode", f"{draw.integer(10, 99)}{draw.integer(100, 999)}"),
        Fact("phone", f"555-{draw.integer(1000, 9999)}"),
        Fact("patient_number", f"{draw.integer(100, 999)}-{draw.integer(100, 999)}"),
    )
