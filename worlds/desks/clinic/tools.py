"""The clinic's tools."""

import datetime
from collections.abc import Mapping
from typing import Any, Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.clinic.checks import age_of, owed
from turnwise.worlds.desks.clinic.schedule import free_times, minutes_of
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.store import Row, Store
from turnwise.worlds.desks.wording import date_of, iso, json_text

__all__ = ["TOOLBOX", "confirmation"]

PRIVATE = ("birth_date", "phone", "email", "address", "postcode", "patient_number", "insurance_number")
Type = Literal["first visit", "check-up", "consultation", "vaccination", "follow-up"]


def _public(key: str, row: Row) -> dict[str, Any]:
    return {"id": key, **{name: value for name, value in row.items() if name not in PRIVATE}}


def confirmation(about: str) -> str:
    """Return the confirmation number of what was done about a row."""
    return f"{int(about[1:]) * 7919 % 90000 + 10000}"


def _open_invoice(desk: Desk, invoice_id: str) -> Row:
    invoice = desk.store.row("invoices", invoice_id)
    if invoice["status"] != "open":
        raise ValueError(f"{invoice_id} is already {invoice['status']}")
    return invoice


def _booked(desk: Desk, appointment_id: str) -> Row:
    row = desk.store.row("appointments", appointment_id)
    if row["status"] != "booked":
        raise ValueError(f"{appointment_id} is {row['status']}, not booked")
    return row


def _check_free(desk: Desk, store: Store, practitioner_id: str, date: str, start: str, minutes: int) -> None:
    minutes_of(start)
    if date_of(date) <= desk.rules.today:
        raise ValueError("appointments are for tomorrow at the earliest")
    if start not in free_times(store, practitioner_id, date_of(date), minutes):
        raise ValueError(f"{practitioner_id} is not free on {date} at {start} for {minutes} minutes")


# ---- looking things up ----------------------------------------------------------------------------------------------


def find_patient(desk: Desk, name: str) -> str:
    """Find patients by their full name."""
    wanted = " ".join(name.lower().split())
    return json_text(
        [{"id": key, "name": row["name"]} for key, row in desk.store.rows("patients") if row["name"].lower() == wanted]
    )


def verify_identity(
    desk: Desk, patient_id: str, birth_date: str = "", postcode: str = "", phone: str = "", patient_number: str = ""
) -> str:
    """Compare what a person says about themselves with a patient's record."""
    row = desk.store.row("patients", patient_id)
    given = {"birth_date": birth_date, "postcode": postcode, "phone": phone, "patient_number": patient_number}
    return json_text({"patient_id": patient_id, "match": desk.verify(patient_id, row, given)})


def get_patient(desk: Desk, patient_id: str) -> str:
    """Show a patient's age, guardian, plan, referrals, debts and last waiver, without contact details."""
    row = desk.store.row("patients", patient_id)
    guardian = desk.store.get("patients", row["guardian_id"])
    waivers = [one["closed"] for _, one in desk.store.rows("invoices", patient_id=patient_id, status="waived")]
    referrals = [
        {"speciality": one["speciality"], "issued": one["issued"]}
        for _, one in desk.store.rows("referrals", patient_id=patient_id)
    ]
    return json_text(
        {
            **_public(patient_id, row), "age": age_of(desk, row), "guardian": guardian["name"] if guardian else None,
            "referrals": referrals, "owed": owed(desk, patient_id), "last_waiver": max(waivers, default=None),
        }
    )  # fmt: skip


def list_appointments(desk: Desk, patient_id: str) -> str:
    """List a patient's appointments: booked, kept, missed and cancelled ones."""
    desk.store.row("patients", patient_id)
    found = sorted(desk.store.rows("appointments", patient_id=patient_id), key=lambda item: item[1]["date"])
    return json_text(
        [{**_public(key, row), "with": desk.store.row("practitioners", row["practitioner_id"])["name"]}
         for key, row in found]
    )  # fmt: skip


def list_prescriptions(desk: Desk, patient_id: str) -> str:
    """List a patient's repeat prescriptions."""
    desk.store.row("patients", patient_id)
    return json_text([_public(key, row) for key, row in desk.store.rows("prescriptions", patient_id=patient_id)])


def list_invoices(desk: Desk, patient_id: str) -> str:
    """List a patient's copays and fees: open, paid and waived ones."""
    desk.store.row("patients", patient_id)
    return json_text([_public(key, row) for key, row in desk.store.rows("invoices", patient_id=patient_id)])


def find_practitioners(desk: Desk, search: str = "") -> str:
    """List practitioners, by a word of their name or speciality if one is given."""
    word = search.strip().lower()
    return json_text(
        [_public(key, row) for key, row in desk.store.rows("practitioners")
         if word in f"{row['name']} {row['speciality']}".lower()]
    )  # fmt: skip


def list_plans(desk: Desk) -> str:
    """List the insurance plans that the clinic accepts, with the copay of a general practice and of other visits."""
    return json_text([_public(key, row) for key, row in desk.store.rows("plans")])


def search_slots(desk: Desk, practitioner_id: str, type: Type, date: str, days: int = 1) -> str:
    """List the times at which a practitioner is free for an appointment, on a day or on up to 14 days from it."""
    first = date_of(date)
    if not 1 <= days <= 14:
        raise ValueError("days must be from 1 to 14")
    minutes = desk.rules.minutes[type]
    found = {
        iso(first, ahead): free_times(desk.store, practitioner_id, first + datetime.timedelta(ahead), minutes)
        for ahead in range(days)
    }
    return json_text({day: times for day, times in found.items() if times and day > iso(desk.rules.today)})


# ---- changing things ------------------------------------------------------------------------------------------------


def book_appointment(desk: Desk, patient_id: str, practitioner_id: str, type: Type, date: str, start: str) -> str:
    """Book an appointment for a patient."""
    desk.store.row("patients", patient_id)
    practitioner = desk.store.row("practitioners", practitioner_id)
    if type not in practitioner["types"]:
        raise ValueError(f"{practitioner_id} has no appointments of the type {type}")
    minutes = desk.rules.minutes[type]
    _check_free(desk, desk.store, practitioner_id, date, start, minutes)
    key = desk.store.next_key("appointments", "A")
    row = {"patient_id": patient_id, "practitioner_id": practitioner_id, "type": type, "date": date, "start": start,
           "minutes": minutes, "status": "booked"}  # fmt: skip
    desk.store.put("appointments", key, row)
    return json_text({"id": key, **row})


def move_appointment(desk: Desk, appointment_id: str, date: str, start: str) -> str:
    """Move an appointment to another time with the same practitioner."""
    row = _booked(desk, appointment_id)
    twin = desk.store.fork()
    twin.remove("appointments", appointment_id)
    _check_free(desk, twin, row["practitioner_id"], date, start, row["minutes"])
    return json_text(
        {"id": appointment_id, **desk.store.change("appointments", appointment_id, date=date, start=start)}
    )


def cancel_appointment(desk: Desk, appointment_id: str, fee: float) -> str:
    """Cancel an appointment, and charge a fee for it if it is not 0."""
    row = _booked(desk, appointment_id)
    if not 0 <= fee <= 500:
        raise ValueError("fee must be from 0 to 500")
    desk.store.change("appointments", appointment_id, status="cancelled")
    if fee:
        key = desk.store.next_key("invoices", "I")
        invoice = {"patient_id": row["patient_id"], "amount": float(fee), "reason": "late cancellation",
                   "created": iso(desk.rules.today), "status": "open", "closed": ""}  # fmt: skip
        desk.store.put("invoices", key, invoice)
    return json_text(
        {"id": appointment_id, "status": "cancelled", "fee": fee, "confirmation_number": confirmation(appointment_id)}
    )


def request_repeat(desk: Desk, prescription_id: str) -> str:
    """Request a repeat of a prescription from its prescriber."""
    row = desk.store.row("prescriptions", prescription_id)
    left = max(0, row["repeats_left"] - 1)
    desk.store.change("prescriptions", prescription_id, repeats_left=left, last_supplied=iso(desk.rules.today))
    ready = iso(desk.rules.today, desk.rules.ready)
    return json_text({"id": prescription_id, "repeats_left": left, "ready": ready})


def waive_fee(desk: Desk, invoice_id: str) -> str:
    """Waive an open fee."""
    return _closed(desk, invoice_id, "waived")


def take_payment(desk: Desk, invoice_id: str) -> str:
    """Charge an open copay or fee to the payment card on file."""
    return _closed(desk, invoice_id, "paid")


def _closed(desk: Desk, invoice_id: str, status: str) -> str:
    patient = _open_invoice(desk, invoice_id)["patient_id"]
    row = desk.store.change("invoices", invoice_id, status=status, closed=iso(desk.rules.today))
    return json_text({"id": invoice_id, **row, "still_owed": owed(desk, patient)})


def change_contact(desk: Desk, patient_id: str, field: Literal["phone", "email", "address"], value: str) -> str:
    """Replace a contact detail of a patient."""
    if not value.strip() or len(value) > 100:
        raise ValueError("value must have 1 to 100 characters")
    desk.store.change("patients", patient_id, **{field: value.strip()})
    return json_text({"id": patient_id, "changed": field, "confirmation_number": confirmation(patient_id)})


def change_insurance(desk: Desk, patient_id: str, plan_id: str, insurance_number: str) -> str:
    """Change a patient's insurance to another plan that the clinic accepts."""
    plan = desk.store.row("plans", plan_id)
    number = insurance_number.strip()
    if not number or len(number) > 20:
        raise ValueError("insurance_number must have 1 to 20 characters")
    desk.store.change("patients", patient_id, plan_id=plan_id, insurance_number=number)
    return json_text({"id": patient_id, "plan": plan["name"], "copay": plan["copay"],
                      "specialist_copay": plan["specialist_copay"]})  # fmt: skip


def join_waiting_list(desk: Desk, patient_id: str, practitioner_id: str, type: Type) -> str:
    """Put a patient on a practitioner's waiting list."""
    desk.store.row("patients", patient_id)
    desk.store.row("practitioners", practitioner_id)
    waiting = list(desk.store.rows("waiting", practitioner_id=practitioner_id))
    if any(row["patient_id"] == patient_id for _, row in waiting):
        raise ValueError(f"{patient_id} is already on the waiting list of {practitioner_id}")
    key = desk.store.next_key("waiting", "W")
    row = {"patient_id": patient_id, "practitioner_id": practitioner_id, "type": type, "since": iso(desk.rules.today)}
    desk.store.put("waiting", key, row)
    return json_text({"id": key, **row, "place": len(waiting) + 1})


def send_records(
    desk: Desk, patient_id: str, what: Literal["record summary", "test results", "vaccination record"],
    way: Literal["post", "email", "other address"], other_address: str = "",
) -> str:  # fmt: skip
    """Send a patient's records to the address or email address on file, or elsewhere."""
    desk.store.row("patients", patient_id)
    if (way == "other address") != bool(other_address.strip()) or len(other_address) > 100:
        raise ValueError("other_address is given, in up to 100 characters, if and only if way is 'other address'")
    arrives = iso(desk.rules.today, desk.rules.post if way == "post" else 1)
    sent = {"what": what, "way": way, "to": other_address.strip(), "arrives": arrives}
    desk.store.change("patients", patient_id, last_sent=sent)
    return json_text({"id": patient_id, **sent})


def hand_over(desk: Desk, reason: str) -> str:
    """Give the conversation to a nurse or the office; this ends it for you."""
    desk.handed_over = reason.strip()[:500] or "no reason given"
    return "A colleague takes over."


# ---- the toolbox ----------------------------------------------------------------------------------------------------

_PATIENT, _DOCTOR = "Their id, such as P2042.", "Their id, such as D14."
_BOOKED, _FEE = "Its id, such as A5120.", "Its id, such as I644."
_WHEN: Mapping[str, str] = {"date": "Day, such as 2026-03-31.", "start": "Time of day, such as 09:20."}
_TYPE = "Type of appointment."
TOOLBOX = Toolbox(
    [
        desk_tool(find_patient, False, name="First and last name."),
        desk_tool(
            verify_identity, False, patient_id=_PATIENT, birth_date="As they said it, such as 1984-05-17.",
            postcode="As they said it.", phone="As they said it.", patient_number="As they said it, such as 123-456.",
        ),
        desk_tool(get_patient, False, patient_id=_PATIENT),
        desk_tool(list_appointments, False, patient_id=_PATIENT),
        desk_tool(list_prescriptions, False, patient_id=_PATIENT),
        desk_tool(list_invoices, False, patient_id=_PATIENT),
        desk_tool(find_practitioners, False, search="A word of the name or the speciality; leave it out for all."),
        desk_tool(list_plans, False),
        desk_tool(
            search_slots, False, practitioner_id=_DOCTOR, type=_TYPE, date="First day, such as 2026-03-31.",
            days="How many days, 1 to 14.",
        ),
        desk_tool(book_appointment, True, patient_id=_PATIENT, practitioner_id=_DOCTOR, type=_TYPE, **_WHEN),
        desk_tool(move_appointment, True, appointment_id=_BOOKED, **_WHEN),
        desk_tool(cancel_appointment, True, appointment_id=_BOOKED, fee="In dollars; 0 for none."),
        desk_tool(request_repeat, True, prescription_id="Its id, such as S412."),
        desk_tool(waive_fee, True, invoice_id=_FEE),
        desk_tool(take_payment, True, invoice_id=_FEE),
        desk_tool(change_contact, True, patient_id=_PATIENT, field="Which detail.", value="The new value."),
        desk_tool(
            change_insurance, True, patient_id=_PATIENT, plan_id="Its id, such as L3.",
            insurance_number="The number on the insurance card.",
        ),
        desk_tool(join_waiting_list, True, patient_id=_PATIENT, practitioner_id=_DOCTOR, type=_TYPE),
        desk_tool(
            send_records, True, patient_id=_PATIENT, what="Which records.", way="Where they go.",
            other_address="Only for another address than those on file.",
        ),
        desk_tool(hand_over, False, reason="What it is about, for the colleague."),
    ],
    max_chars=6000,
)  # fmt: skip
