"""The operator's policy at its boundaries, its phones fault by fault, and the words that make a person do a step."""

import dataclasses
import datetime
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.desks.store import Store
from turnwise.worlds.desks.telecom.data import Filling
from turnwise.worlds.desks.telecom.goals import ALLOWED, GROUPS, REFUSED
from turnwise.worlds.desks.telecom.phone import Phone
from turnwise.worlds.desks.telecom.rules import clauses_of, drawn_rules
from turnwise.worlds.desks.telecom.steps import STEPS
from turnwise.worlds.desks.telecom.tools import TOOLBOX
from turnwise.worlds.desks.telecom.troubles import FAULTS
from turnwise.worlds.desks.telecom.words import LEXICON
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.people.understanding import understand


class Counter:
    """A customer at the desk, verified and agreeing, in a world whose rules a test sets."""

    def __init__(self, **rules: Any) -> None:
        drawn = dataclasses.replace(drawn_rules(Draw("telecom", 1)), today=datetime.date(2026, 3, 4), **rules)
        self.rules, self.fill = drawn, Filling(Draw("rows", 1), drawn, 10)
        self.customer = self.fill.customer()

    def desk(self) -> Desk:
        desk = Desk(Store(self.fill.tables), self.rules, clauses_of(self.rules))
        desk.agreed, desk.verified = True, frozenset({self.customer})
        return desk

    def broken(self, tool: str, **arguments: object) -> tuple[str, ...]:
        desk = self.desk()
        answer = TOOLBOX.run(call(tool, **arguments), desk)
        assert not answer.failed, answer.text
        return desk.broken

    def line(self, **known: Any) -> str:
        return self.fill.line(self.customer, **known)

    def bill(self, days: int) -> str:
        return self.fill.bill(self.customer, status="open", amount=50.0, due=iso(self.rules.today, days))


def test_ages_and_waits_are_counted_to_the_day() -> None:
    at = Counter(roaming_age=30, plan_wait=60)
    today = at.rules.today
    for days, broken in ((29, ("roaming_age",)), (30, ())):
        assert at.broken("set_roaming", line_id=at.line(since=iso(today, -days)), on=True) == broken
    plans = sorted(at.fill.tables["plans"], key=lambda key: at.fill.tables["plans"][key]["price"])
    for days, broken in ((59, ("plan_wait",)), (60, ())):
        line = at.line(plan_id=plans[0], plan_since=iso(today, -days))
        assert at.broken("change_plan", line_id=line, plan_id=plans[-1]) == broken
    for end, broken in ((0, ("plan_cheaper",)), (-1, ())):
        line = at.line(plan_id=plans[-1], plan_since=iso(today, -90), contract_end=iso(today, end))
        assert at.broken("change_plan", line_id=line, plan_id=plans[0]) == broken


def test_bills_are_credited_and_extended_within_limits() -> None:
    at = Counter(credit=10.0, credit_months=6, extension=7, extension_months=3)
    assert at.broken("credit_bill", bill_id=at.bill(3), amount=10.0) == ()
    assert at.broken("credit_bill", bill_id=at.bill(3), amount=10.5) == ("credit_amount",)
    assert at.broken("extend_due_date", bill_id=at.bill(0), days=7) == ()
    assert at.broken("extend_due_date", bill_id=at.bill(0), days=8) == ("extension_days",)
    assert at.broken("extend_due_date", bill_id=at.bill(-1), days=7) == ("extension_past",)
    for last, broken in (("2025-09-04", ()), ("2025-09-05", ("credit_recent",))):
        at.fill.tables["customers"][at.customer]["last_credit"] = last
        assert at.broken("credit_bill", bill_id=at.bill(3), amount=1.0) == broken


def test_too_many_overdue_bills_are_not_paid_away() -> None:
    for bills, broken in ((1, ()), (2, ("resume_overdue",))):
        at = Counter(overdue=2)
        line = at.line(status="suspended", suspended_for="unpaid bill")
        owed, desk = [at.bill(-days - 1) for days in range(bills)], at.desk()
        assert at.broken("resume_line", line_id=line)[0] == "resume_paid"
        for key in owed:
            TOOLBOX.run(call("take_payment", bill_id=key), desk)
        TOOLBOX.run(call("resume_line", line_id=line), desk)
        assert desk.broken == broken


def phone_with(at: Counter, names: tuple[str, ...], trouble: str) -> Phone:
    """Return a phone with these faults, the operator's part of which is put right."""
    line, settings = at.line(roaming=True), {}
    for name in names:
        settings.update(FAULTS[name].settings)
    if "unpaid" in names:
        at.fill.tables["lines"][line]["status"] = "suspended"
    if "new_sim" in names:
        at.fill.tables["lines"][line]["sim_status"] = "sent, not activated"
    desk = at.desk()
    phone = Phone(desk, line, settings, True, trouble)
    desk.store.change("lines", line, status="active", sim_status="active")
    return phone


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.settings or fault.restart])
def test_each_fault_stops_what_it_says_and_its_steps_put_it_right(name: str) -> None:
    fault, what = FAULTS[name], ("service", "data", "pictures")
    phone = phone_with(Counter(), (name,), "data")
    assert {one for one in what if not phone.works(one)} == set(fault.stops)
    for step in (fault.step, *(["restart"] if fault.restart else [])):
        if step:
            assert not all(map(phone.works, fault.stops))
            phone(step)
    assert all(map(phone.works, what))


def test_any_faults_together_are_put_right_by_their_steps() -> None:
    draw, at = Draw("faults", 3), Counter()
    for _ in range(100):
        names = tuple(draw.sample([name for name, f in FAULTS.items() if f.settings or f.restart], draw.integer(2, 9)))
        phone = phone_with(at, names, "pictures")
        for step in sorted({FAULTS[name].step for name in names} - {""}):
            phone(step)
        phone("restart")
        assert phone.works("service") and phone.works("pictures")
        assert all(map(phone.works, FAULTS[names[0]].stops))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Could you turn airplane mode off?", ["airplane_off"]),
        ("Please open Settings and switch off **Airplane Mode**.", ["airplane_off"]),
        ("Is airplane mode on?", ["airplane"]),
        ("What do you see at the top of your screen?", ["status_bar"]),
        ("Please remove your SIM card and reinsert it.", ["reseat"]),
        ("Is mobile data turned on?", ["mobile_data"]),
        ("Please go to Settings > Network and turn on Mobile Data.", ["mobile_data_on"]),
        ("Please reset your APN settings and then restart your phone.", ["apn_reset", "restart"]),
        ("1. Turn off data saver\n2. Disconnect from the VPN", ["saver_off", "vpn_off"]),
        ("Please change the preferred network type to 5G/4G.", ["mode_best"]),
        ("Grant the storage permission to your messaging app.", ["storage_on"]),
        ("Now please try to send a picture.", ["send_picture"]),
        ("Please turn off the VPN, data saver and battery saver.", ["vpn_off", "saver_off", "power_off"]),
        ("Is data saver on? If so, please turn it off.", ["saver", "it_off"]),
        ("If airplane mode is on, turn it off.", ["airplane", "it_off"]),
        ("If that doesn't help, restart your phone.", []),
        ("Is it working now?", ["look"]),
        ("I can turn on roaming for you. Shall I go ahead?", []),
        ("Would you like me to turn on roaming?", []),
        ("Do you want to turn on roaming for your line?", []),
        ("To fix this, I need to turn on roaming on our side. Is that okay?", []),
        ("I'd like you to restart your phone.", ["restart"]),
        ("Let me know what the status bar shows.", ["status_bar"]),
        ("I've turned on roaming for your line.", []),
    ],
)
def test_words_for_steps(text: str, steps: list[str]) -> None:
    assert [act.slot for act in understand(text, LEXICON) if act.kind == "instruct"] == steps


def test_the_usual_words_for_a_step_mean_that_step() -> None:
    for step, phrases in STEPS.items():
        acts = understand(f"Please {phrases[0]} and tell me what you see.", LEXICON)
        assert [act.slot for act in acts if act.kind == "instruct"] == [step], phrases[0]


def test_it_is_what_was_looked_at_last() -> None:
    phone = phone_with(Counter(), ("saver", "power", "data_off"), "data")
    for step in ("wifi_calling", "roaming", "it_on", "saver", "power", "them_off", "mobile_data", "it_on"):
        phone(step)
    assert phone.works("data") and not phone.settings["wifi_calling"] and "Sorry" in phone("them_off")


def test_each_kind_has_a_group() -> None:
    assert len(FAULTS) == 18
    assert {kind.__name__ for kind in (*ALLOWED, *REFUSED)} == set(GROUPS)
