"""What the clauses of a clinic's policy look at: each says whether a call would break one."""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from turnwise.worlds.desks.clinic.schedule import afternoon, free_times
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import date_of, months_before

__all__ = ["age_of", "fee_of", "may_act", "owed", "plan_of"]

Given = Mapping[str, Any]
_TABLES = (("appointment_id", "appointments"), ("prescription_id", "prescriptions"), ("invoice_id", "invoices"))


def patient_of(desk: Desk, given: Given) -> str:
    """Return the patient whom a call is about."""
    for argument, table in _TABLES:
        if argument in given:
            return str(desk.store.row(table, given[argument])["patient_id"])
    return str(given["patient_id"])


def age_of(desk: Desk, row: Row) -> int:
    """Return a patient's age in years."""
    born, today = datetime.date.fromisoformat(row["birth_date"]), desk.rules.today
    return int(today.year - born.year - ((today.month, today.day) < (born.month, born.day)))


def may_act(desk: Desk, patient: str) -> bool:
    """Return whether somebody who was verified may act for a patient."""
    if patient in desk.verified:
        return True
    row = desk.store.row("patients", patient)
    return row["guardian_id"] in desk.verified and age_of(desk, row) < desk.rules.adult


def owed(desk: Desk, patient: str) -> float:
    """Return what a patient owes."""
    return float(
        round(sum(row["amount"] for _, row in desk.store.rows("invoices", patient_id=patient, status="open")), 2)
    )


def plan_of(desk: Desk, patient: str) -> Row:
    """Return a patient's insurance plan."""
    return desk.store.row("plans", desk.store.row("patients", patient)["plan_id"])


def fee_of(desk: Desk, appointment: Row) -> float:
    """Return what it costs to cancel an appointment today."""
    return float(desk.rules.late_fee) if _days_until(desk, appointment["date"]) < desk.rules.notice else 0.0


def _days_until(desk: Desk, date: str) -> int:
    return int((date_of(date) - desk.rules.today).days)


# ---- who is served --------------------------------------------------------------------------------------------------


def unverified(desk: Desk, given: Given) -> bool:
    return not any(":" not in known for known in desk.verified)


def stranger(desk: Desk, given: Given) -> bool:
    return not unverified(desk, given) and not may_act(desk, patient_of(desk, given))


def unagreed(desk: Desk, given: Given) -> bool:
    return not desk.agreed


def unproved(desk: Desk, given: Given) -> bool:
    patient = patient_of(desk, given)
    who = (patient, desk.store.row("patients", patient)["guardian_id"])
    return not any(f"{key}:{desk.rules.more_evidence}" in desk.verified for key in who)


# ---- appointments ---------------------------------------------------------------------------------------------------


def _wanted(desk: Desk, given: Given) -> Row:
    """Return the appointment that a call would make or move, as it would be."""
    if "appointment_id" in given:
        row = desk.store.row("appointments", given["appointment_id"])
        return {**row, "date": given["date"], "start": given["start"]}
    return {**given, "minutes": desk.rules.minutes[given["type"]]}


def _others(desk: Desk, given: Given, status: str) -> Iterator[Row]:
    """Go through the patient's appointments other than the one that a call is about."""
    for key, row in desk.store.rows("appointments", patient_id=patient_of(desk, given), status=status):
        if key != given.get("appointment_id"):
            yield row


def not_first(desk: Desk, given: Given) -> bool:
    new = not any(True for _ in _others(desk, given, "kept"))
    return new != bool(given["type"] == "first visit")


def unreferred(desk: Desk, given: Given) -> bool:
    speciality = desk.store.row("practitioners", given["practitioner_id"])["speciality"]
    if speciality not in desk.rules.referred:
        return False
    held = desk.store.rows("referrals", patient_id=given["patient_id"], speciality=speciality)
    return not any(-_days_until(desk, row["issued"]) <= desk.rules.referral for _, row in held)


def too_close(desk: Desk, given: Given) -> bool:
    wanted = _wanted(desk, given)
    date = date_of(wanted["date"])
    least: int = desk.rules.spacing
    return any(
        row["practitioner_id"] == wanted["practitioner_id"] and abs((date - date_of(row["date"])).days) < least
        for status in ("kept", "booked")
        for row in _others(desk, given, status)
    )


def too_far(desk: Desk, given: Given) -> bool:
    return _days_until(desk, given["date"]) > int(desk.rules.ahead)


def too_many(desk: Desk, given: Given) -> bool:
    return sum(1 for _ in _others(desk, given, "booked")) >= int(desk.rules.most)


def in_debt(desk: Desk, given: Given) -> bool:
    return owed(desk, patient_of(desk, given)) > float(desk.rules.debt)


def missed_often(desk: Desk, given: Given) -> bool:
    since = months_before(desk.rules.today, desk.rules.missed_months).isoformat()
    return sum(1 for row in _others(desk, given, "missed") if row["date"] >= since) >= int(desk.rules.missed)


def not_earliest(desk: Desk, given: Given) -> bool:
    wanted = _wanted(desk, given)
    free = free_times(desk.store, wanted["practitioner_id"], date_of(wanted["date"]), wanted["minutes"])
    return any(start < wanted["start"] and afternoon(start) == afternoon(wanted["start"]) for start in free)


def short_notice(desk: Desk, given: Given) -> bool:
    row = desk.store.row("appointments", given["appointment_id"])
    return _days_until(desk, row["date"]) < int(desk.rules.notice)


def wrong_fee(desk: Desk, given: Given) -> bool:
    return abs(float(given["fee"]) - fee_of(desk, desk.store.row("appointments", given["appointment_id"]))) > 0.001


def need_not_wait(desk: Desk, given: Given) -> bool:
    if missed_often(desk, given):
        return False
    minutes, today = desk.rules.minutes[given["type"]], desk.rules.today
    return any(
        free_times(desk.store, given["practitioner_id"], today + datetime.timedelta(ahead), minutes)
        for ahead in range(1, desk.rules.waiting + 1)
    )


# ---- prescriptions, fees and records --------------------------------------------------------------------------------


def _prescription(desk: Desk, given: Given) -> Row:
    return desk.store.row("prescriptions", given["prescription_id"])


def controlled(desk: Desk, given: Given) -> bool:
    return bool(_prescription(desk, given)["controlled"])


def too_early(desk: Desk, given: Given) -> bool:
    return -_days_until(desk, _prescription(desk, given)["last_supplied"]) < int(desk.rules.interval)


def used_up(desk: Desk, given: Given) -> bool:
    return int(_prescription(desk, given)["repeats_left"]) < 1


def unseen(desk: Desk, given: Given) -> bool:
    row = _prescription(desk, given)
    since = months_before(desk.rules.today, desk.rules.seen_months).isoformat()
    kept = desk.store.rows(
        "appointments", patient_id=row["patient_id"], practitioner_id=row["prescriber_id"], status="kept"
    )
    return not any(appointment["date"] >= since for _, appointment in kept)


def not_missed(desk: Desk, given: Given) -> bool:
    return bool(desk.store.row("invoices", given["invoice_id"])["reason"] != "missed appointment")


def large_fee(desk: Desk, given: Given) -> bool:
    return float(desk.store.row("invoices", given["invoice_id"])["amount"]) > float(desk.rules.waiver)


def waived_lately(desk: Desk, given: Given) -> bool:
    since = months_before(desk.rules.today, desk.rules.waiver_months).isoformat()
    waived = desk.store.rows("invoices", patient_id=patient_of(desk, given), status="waived")
    return any(row["closed"] > since for _, row in waived)


def elsewhere(desk: Desk, given: Given) -> bool:
    return bool(given["way"] == "other address")


def emailed_results(desk: Desk, given: Given) -> bool:
    return bool(given["what"] == "test results" and given["way"] == "email")
