"""The clinic's policy at its boundaries, its schedule against a slow one."""

import dataclasses
import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.clinic.data import Filling
from turnwise.worlds.desks.clinic.goals import ALLOWED, GROUPS, REFUSED
from turnwise.worlds.desks.clinic.rules import Rules, clauses_of, drawn_rules
from turnwise.worlds.desks.clinic.schedule import clock_text, free_times
from turnwise.worlds.desks.clinic.tools import TOOLBOX
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.scenario import call
from turnwise.worlds.desks.store import Store
from turnwise.worlds.desks.wording import iso


class Counter:
    """A patient at the desk, verified and agreeing, in a world whose rules a test sets."""

    def __init__(self, **rules: Any) -> None:
        base = drawn_rules(Draw("clinic", 1))
        fixed = {"today": datetime.date(2026, 3, 4), "minutes": {**base.minutes, "check-up": 20}}  # a Wednesday
        drawn = dataclasses.replace(base, **{**fixed, **rules})
        self.fill = Filling(Draw("rows", 1), drawn, 12)
        self.patient = self.fill.patient()
        self.doctor = self.fill.practitioner("general practice")
        self.fill.tables["practitioners"][self.doctor]["days"] = ["Monday", "Wednesday", "Thursday", "Friday"]
        self.fill.kept(self.patient, self.fill.practitioner("general practice"), 90)
        self.rules: Rules = drawn

    def broken(self, tool: str, **arguments: object) -> tuple[str, ...]:
        desk = Desk(Store(self.fill.tables), self.rules, clauses_of(self.rules))
        desk.agreed, desk.verified = True, frozenset({self.patient})
        answer = TOOLBOX.run(call(tool, **arguments), desk)
        assert not answer.failed, answer.text
        return desk.broken

    def books(self, date: str, start: str = "", patient: str = "", **known: object) -> tuple[str, ...]:
        day, minutes = datetime.date.fromisoformat(date), self.rules.minutes["check-up"]
        free = free_times(Store(self.fill.tables), self.doctor, day, minutes)
        return self.broken("book_appointment", **{
            "patient_id": patient or self.patient, "practitioner_id": self.doctor, "type": "check-up", "date": date,
            "start": start or free[0], **known,
        })  # fmt: skip


def test_two_appointments_are_far_enough_apart_to_the_day() -> None:
    at = Counter(spacing=7, ahead=30)
    at.fill.appointment(at.patient, practitioner_id=at.doctor, date="2026-03-06", status="booked", type="check-up")
    assert at.books("2026-03-12") == ("spacing",) and at.books("2026-03-13") == ()


def test_how_far_ahead_and_which_time() -> None:
    at = Counter(ahead=9)
    assert at.books("2026-03-13") == () and at.books("2026-03-16") == ("ahead",)
    afternoon = [
        t for t in free_times(Store(at.fill.tables), at.doctor, datetime.date(2026, 3, 13), 20) if t >= "12:00"
    ]
    assert at.books("2026-03-13", afternoon[0]) == () and at.books("2026-03-13", afternoon[1]) == ("earliest",)


def test_a_guardian_acts_for_a_child_up_to_the_birthday() -> None:
    at = Counter(adult=15)
    born = {"yesterday": "2011-03-03", "today": "2011-03-04", "tomorrow": "2011-03-05"}
    for when, refused in (("yesterday", ("others",)), ("today", ("others",)), ("tomorrow", ())):
        child = at.fill.child(at.patient, 10)
        at.fill.tables["patients"][child]["birth_date"] = born[when]
        assert at.books("2026-03-12", patient=child) == refused
    stranger = at.fill.child(at.fill.patient(), 8)
    assert at.books("2026-03-12", patient=stranger) == ("others",)


def test_a_referral_ages_and_is_for_its_speciality() -> None:
    at = Counter(referral=60)
    one, other = at.rules.referred
    at.doctor = at.fill.practitioner(one)
    at.fill.tables["practitioners"][at.doctor]["days"] = ["Thursday"]

    def books() -> tuple[str, ...]:
        return at.books("2026-03-12", type="consultation")

    assert books() == ("referral",)
    at.fill.referral(at.patient, other, 3)
    at.fill.referral(at.patient, one, 61)
    assert books() == ("referral",)
    at.fill.referral(at.patient, one, 60)
    assert books() == ()


def test_moving_and_cancelling_depend_on_the_notice() -> None:
    at = Counter(notice=3, late_fee=20.0, ahead=30)
    late = at.fill.appointment(at.patient, practitioner_id=at.doctor, date="2026-03-06", status="booked")
    timely = at.fill.appointment(at.patient, practitioner_id=at.doctor, date="2026-03-09", status="booked")
    free = free_times(Store(at.fill.tables), at.doctor, datetime.date(2026, 3, 26), 20)[0]
    assert at.broken("move_appointment", appointment_id=late, date="2026-03-26", start=free) == ("move_notice",)
    assert at.broken("cancel_appointment", appointment_id=late, fee=20.0) == ()
    assert at.broken("cancel_appointment", appointment_id=late, fee=0.0) == ("cancel_fee",)
    assert at.broken("cancel_appointment", appointment_id=timely, fee=20.0) == ("cancel_fee",)
    assert at.broken("cancel_appointment", appointment_id=timely, fee=0.0) == ()


def test_a_repeat_is_due_to_the_day() -> None:
    at = Counter(interval=28, seen_months=6)
    doctor = at.fill.practitioner("general practice")
    for days, left, controlled, seen, broken in [
        (28, 1, False, 20, ()), (27, 1, False, 20, ("interval",)), (28, 0, False, 20, ("repeats",)),
        (28, 1, True, 20, ("controlled",)),
    ]:  # fmt: skip
        at.fill.kept(at.patient, doctor, seen)
        key = at.fill.prescription(at.patient, prescriber_id=doctor, controlled=controlled, repeats_left=left,
                                   last_supplied=iso(at.rules.today, -days))  # fmt: skip
        assert at.broken("request_repeat", prescription_id=key) == broken
    unseen = at.fill.practitioner("general practice")
    key = at.fill.prescription(at.patient, prescriber_id=unseen, controlled=False, repeats_left=1,
                               last_supplied="2025-09-01")  # fmt: skip
    at.fill.appointment(at.patient, practitioner_id=unseen, date="2025-09-03", status="kept")
    assert at.broken("request_repeat", prescription_id=key) == ("seen",)


def test_free_times_are_those_that_nobody_has() -> None:
    at = Counter()
    date = datetime.date(2026, 3, 12)
    for start in ("09:00", "10:20", "13:00"):
        at.fill.appointment(at.patient, practitioner_id=at.doctor, date=date.isoformat(), start=start, status="booked",
                            type="check-up")  # fmt: skip
    doctor, taken = at.fill.tables["practitioners"][at.doctor], set()
    for row in at.fill.tables["appointments"].values():
        if (row["practitioner_id"], row["date"], row["status"]) == (at.doctor, date.isoformat(), "booked"):
            begin = int(row["start"][:2]) * 60 + int(row["start"][3:])
            taken |= set(range(begin, begin + row["minutes"]))
    opens, closes = (int(doctor[end][:2]) * 60 + int(doctor[end][3:]) for end in ("from", "to"))
    for minutes in (20, 40, 60):
        slow = [m for m in range(opens, closes - minutes + 1, 20) if not taken & set(range(m, m + minutes))]
        assert free_times(Store(at.fill.tables), at.doctor, date, minutes) == [clock_text(m) for m in slow]
    assert free_times(Store(at.fill.tables), at.doctor, datetime.date(2026, 3, 10), 20) == []  # a Tuesday


def test_each_kind_has_a_group() -> None:
    assert {kind.__name__ for kind in (*ALLOWED, *REFUSED)} == set(GROUPS)
