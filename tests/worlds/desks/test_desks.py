"""Scenarios of all desks: right writes solve them, kinds are many, and what is drawn is drawn again the same."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest

from turnwise.core.draw import Draw
from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.airline import desk as airline_desk
from turnwise.worlds.desks.airline.goals import KINDS as AIRLINE
from turnwise.worlds.desks.clinic import desk as clinic_desk
from turnwise.worlds.desks.clinic import goals as clinic_goals
from turnwise.worlds.desks.library import desk as library_desk
from turnwise.worlds.desks.library import goals as library_goals
from turnwise.worlds.desks.retail import desk as retail_desk
from turnwise.worlds.desks.retail.goals import KINDS as RETAIL
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.desks.telecom import desk as telecom_desk
from turnwise.worlds.desks.telecom import goals as telecom_goals


class Domain(NamedTuple):
    """A domain: how scenarios are drawn, and how many kinds of goals it has."""

    draft: Callable[[Draw, Shape], Case]
    toolbox: Toolbox
    allowed: int
    refused: int


DOMAINS = {
    "library": Domain(library_desk.draft, library_desk.TOOLBOX, len(library_goals.ALLOWED), len(library_goals.REFUSED)),
    "retail": Domain(retail_desk.draft, retail_desk.TOOLBOX, len(RETAIL.allowed), len(RETAIL.refused)),
    "airline": Domain(airline_desk.draft, airline_desk.TOOLBOX, len(AIRLINE.allowed), len(AIRLINE.refused)),
    "clinic": Domain(clinic_desk.draft, clinic_desk.TOOLBOX, len(clinic_goals.ALLOWED), len(clinic_goals.REFUSED)),
    "telecom": Domain(telecom_desk.draft, telecom_desk.TOOLBOX, len(telecom_goals.ALLOWED), len(telecom_goals.REFUSED)),
}
domains = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
SHAPE = Shape(people=20, goals=3, slips=True, faults=9)


def replayed(domain: Domain, seed: int, shape: Shape) -> Case:
    """Carry out the settled calls and steps, and compare what comes of them with what the scenario asks for."""
    case = domain.draft(Draw("test", seed), shape)
    desk = case.opened.fork()
    desk.agreed = True
    phone = case.hands(desk) if case.hands is not None else None
    assert phone is None or not any(map(phone.works, case.works))
    assert not domain.toolbox.run(case.identify, desk).failed
    for one in case.settled:
        for made in one.calls:
            answer = domain.toolbox.run(made, desk)
            assert not answer.failed, answer.text
        for step in one.goal.steps if one.granted and phone is not None else ():
            phone(step)
    assert phone is None or all(map(phone.works, case.works))
    assert desk.store.changes() == case.changes and not desk.broken
    assert case.genuine or not case.changes
    return case


@domains
def test_right_writes_make_the_changes(domain: Domain) -> None:
    for seed in range(12):
        replayed(domain, seed, SHAPE)


@domains
def test_the_same_numbers_draw_the_same_scenario(domain: Domain) -> None:
    one, other = (domain.draft(Draw("same", 5), SHAPE) for _ in range(2))
    assert (one.part, one.policy, one.changes, one.secret) == (other.part, other.policy, other.changes, other.secret)


@domains
def test_every_clause_is_written_out(domain: Domain) -> None:
    case = domain.draft(Draw("policy", 2), SHAPE)
    assert all(clause.text in case.policy for clause in case.opened.clauses)


@domains
def test_kinds_are_many(domain: Domain) -> None:
    assert domain.allowed >= 10 and domain.refused >= 8


@pytest.mark.slow
@domains
def test_right_writes_make_the_changes_of_a_thousand_scenarios(domain: Domain) -> None:
    granted: Counter[str] = Counter()
    declined: Counter[str] = Counter()
    broken: set[str] = set()
    for seed in range(1000):
        for one in replayed(domain, seed, Shape(goals=3, slips=True, faults=9)).settled:
            granted[one.goal.kind] += bool(one.calls or one.say)
            declined[one.goal.kind] += bool(one.clauses)
            broken |= {*one.clauses}
    assert min(sum(count > 0 for count in counts.values()) for counts in (granted, declined)) >= 8
    assert len(broken) >= 8
