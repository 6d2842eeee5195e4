"""The clinic's policy: its parameters, which differ from clinic to clinic, and its clauses in words."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.clinic import checks
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.drafting import sections
from turnwise.worlds.desks.wording import dollars, joined

__all__ = ["EVIDENCE", "SPECIALITIES", "Rules", "clauses_of", "drawn_rules", "policy_text"]

EVIDENCE = {
    "birth_date": "date of birth",
    "postcode": "postcode",
    "phone": "phone number",
    "patient_number": "patient number",
}
SPECIALITIES = ("physiotherapy", "dermatology", "cardiology", "nutrition", "orthopaedics", "podiatry", "eye care")


@dataclass(frozen=True)
class Rules:
    """Parameters of a clinic's policy; amounts in dollars, times in days unless said.

    Attributes:
        today: The day of the conversation.
        evidence: What a patient has to give before anything is changed, besides the name.
        more_evidence: What is needed in addition for contact details, insurance and records.
        adult: A parent or guardian acts for a child who is younger than this many years.
        specialities: The specialities of the clinic, besides general practice.
        minutes: Length of an appointment, by type.
        referred: Specialities for which a referral is needed.
        referral: A referral is good for this long.
        spacing: Least time between two appointments with the same practitioner.
        ahead: Appointments are booked at most this far ahead.
        most: Most appointments that a patient may have booked.
        debt: Most that may be owed for a new appointment.
        missed: A patient who has missed this many appointments goes on the waiting list.
        missed_months: In how many months.
        notice: Appointments are moved, and cancelled without a fee, until this long before.
        late_fee: Charged for a cancellation with less notice.
        interval: Least time between two supplies of a repeat prescription.
        seen_months: The prescriber must have seen the patient in this many months.
        ready: A repeat prescription is ready this long after it was requested.
        waiver: Largest fee that may be waived.
        waiver_months: Months that must have passed since a patient's last waiver.
        waiting: The waiting list is for practitioners without a free time in this many days.
        post: Letters arrive this long after they were sent.
        by_post: Whether test results are sent by post only.
    """

    today: datetime.date
    evidence: tuple[str, ...]
    more_evidence: str
    adult: int
    specialities: tuple[str, ...]
    minutes: Mapping[str, int]
    referred: tuple[str, ...]
    referral: int
    spacing: int
    ahead: int
    most: int
    debt: float
    missed: int
    missed_months: int
    notice: int
    late_fee: float
    interval: int
    seen_months: int
    ready: int
    waiver: float
    waiver_months: int
    waiting: int
    post: int
    by_post: bool


def drawn_rules(draw: Draw) -> Rules:
    """Draw a clinic's parameters."""
    evidence = tuple(draw.sample(["birth_date", "postcode", "phone"], 2)) if draw.chance(0.7) else ("patient_number",)
    specialities = tuple(draw.sample(list(SPECIALITIES), 4))
    return Rules(
        today=datetime.date(2026, 1, 5) + datetime.timedelta(7 * draw.below(100) + draw.below(5)),
        evidence=evidence,
        more_evidence=draw.choice([name for name in EVIDENCE if name not in evidence]),
        adult=draw.integer(12, 18),
        specialities=specialities,
        minutes={
            "first visit": draw.either(40, 60), "check-up": draw.either(20, 40), "consultation": draw.either(20, 40),
            "vaccination": 20, "follow-up": 20,
        },
        referred=specialities[:2],
        referral=draw.either(30, 60, 90, 120, 180),
        spacing=draw.either(3, 5, 7, 10, 14),
        ahead=draw.either(21, 28, 35, 42, 60),
        most=draw.integer(3, 5),
        debt=draw.either(80.0, 100.0, 120.0, 150.0),
        missed=draw.integer(2, 4),
        missed_months=draw.either(6, 9, 12),
        notice=draw.integer(2, 5),
        late_fee=draw.either(10.0, 15.0, 20.0, 25.0, 40.0),
        interval=draw.either(14, 21, 25, 28, 60, 80),
        seen_months=draw.either(6, 9, 12),
        ready=draw.integer(1, 5),
        waiver=draw.either(20.0, 25.0, 30.0, 40.0),
        waiver_months=draw.either(6, 9, 12, 18, 24),
        waiting=draw.either(5, 7, 10, 14),
        post=draw.integer(3, 7),
        by_post=draw.chance(0.6),
    )  # fmt: skip


BOOK, MOVE, CANCEL, REPEAT = "book_appointment", "move_appointment", "cancel_appointment", "request_repeat"
WAIVE, WAIT, SEND = "waive_fee", "join_waiting_list", "send_records"
CONTACT, INSURANCE = "change_contact", "change_insurance"
WRITES = frozenset({BOOK, MOVE, CANCEL, REPEAT, WAIVE, WAIT, SEND, CONTACT, INSURANCE, "take_payment"})


def clauses_of(rules: Rules) -> tuple[Clause, ...]:
    """Return the policy of a clinic."""
    evidence = " and ".join(EVIDENCE[name] for name in rules.evidence)

    def clause(name: str, text: str, broken: Callable[[Desk, Mapping[str, Any]], bool], *tools: str) -> Clause:
        return Clause(name, text, frozenset(tools), broken)

    found = [
        clause(
            "identity",
            "Before you change anything, use verify_identity to verify the person you are writing with: ask for their "
            f"full name and their {evidence}, and use what they tell you. Without a match, change nothing and reveal "
            "nothing about the patient.",
            checks.unverified, *sorted(WRITES),
        ),
        clause(
            "others",
            "Change a patient's record, or disclose what is in it, for that patient alone. The only exception is the "
            f"parent or guardian named in a child's record, as long as the child is under {rules.adult}.",
            checks.stranger, *sorted(WRITES),
        ),
        clause("confirmation", "Before each change, say what you are about to do and wait for the person's agreement.",
               checks.unagreed, *sorted(WRITES)),
        clause("evidence",
               f"To change contact details or insurance, or to send records, verify the person's "
               f"{EVIDENCE[rules.more_evidence]} as well.", checks.unproved, CONTACT, INSURANCE, SEND),
        clause("first_visit",
               "A patient who has kept no appointment here yet books a first visit before anything else. Nobody else "
               "gets a first visit.", checks.not_first, BOOK),
        clause("referral",
               f"{joined(rules.referred).capitalize()} need a referral to that speciality, no older than "
               f"{rules.referral} days on the day of booking.", checks.unreferred, BOOK, WAIT),
        clause("spacing",
               "Two appointments of a patient with the same practitioner, kept or booked, must be at least "
               f"{rules.spacing} days apart.", checks.too_close, BOOK, MOVE),
        clause("ahead", f"Appointments can be booked or moved at most {rules.ahead} days ahead.", checks.too_far, BOOK,
               MOVE),
        clause("most", f"A patient has at most {rules.most} appointments booked at a time.", checks.too_many, BOOK),
        clause("debt",
               f"Patients who owe more than {dollars(rules.debt)} get no new appointment until they owe no more "
               "than that.",
            checks.in_debt, BOOK),
        clause("missed",
               f"Patients who missed {rules.missed} or more appointments in the last {rules.missed_months} months get "
               "new ones through the waiting list only.", checks.missed_often, BOOK),
        clause("earliest",
               "Patients name a day, and morning or afternoon (from 12:00). Give them the earliest time that is free "
               "then.", checks.not_earliest, BOOK, MOVE),
        clause("move_notice",
               f"An appointment can be moved up to {rules.notice} days before it; later it can only be kept or "
               "cancelled.", checks.short_notice, MOVE),
        clause("cancel_fee",
               f"A cancellation is free up to {rules.notice} days before the appointment and costs "
               f"{dollars(rules.late_fee)} after that. Say so before you cancel.", checks.wrong_fee, CANCEL),
        clause("waiting",
               f"The waiting list is for practitioners who have no free time in the next {rules.waiting} days, and for "
               "patients who have missed too many appointments.", checks.need_not_wait, WAIT),
        clause("controlled", "Controlled medicines are never repeated by the desk.", checks.controlled, REPEAT),
        clause("interval",
               f"A repeat is supplied no earlier than {rules.interval} days after the last supply.", checks.too_early,
               REPEAT),
        clause("repeats", "No repeat is requested when none are left on the prescription.", checks.used_up, REPEAT),
        clause("seen",
               "A repeat needs an appointment kept with the prescriber in the last "
               f"{rules.seen_months} months.", checks.unseen, REPEAT),
        clause("waive_reason", "Only fees for missed appointments are waived, not copays or late cancellations.",
               checks.not_missed, WAIVE),
        clause("waive_amount", f"Fees above {dollars(rules.waiver)} are not waived, not even in part.",
               checks.large_fee, WAIVE),
        clause("waive_recent",
               f"A patient gets at most one waiver in {rules.waiver_months} months (get_patient shows the last one).",
               checks.waived_lately, WAIVE),
        clause("own_address",
               "Records go to the patient's own address or email address on file, never anywhere else.",
               checks.elsewhere, SEND),
    ]  # fmt: skip
    if rules.by_post:
        found.append(clause("by_post", "Test results are sent by post only.", checks.emailed_results, SEND))
    return tuple(found)


_HEADS = {
    "Identity, consent and privacy": ("identity", "others", "confirmation", "evidence"),
    "Booking": (
        "first_visit", "referral", "spacing", "ahead", "most", "debt", "missed", "earliest"
    ),
    "Moving, cancelling and waiting": ("move_notice", "cancel_fee", "waiting"),
    "Repeat prescriptions": ("controlled", "interval", "repeats", "seen"),
    "Fees": ("waive_reason", "waive_amount", "waive_recent"),
    "Records": ("own_address", "by_post"),
}  # fmt: skip


def policy_text(name: str, rules: Rules, clauses: tuple[Clause, ...]) -> str:
    """Write out a clinic's policy."""
    lengths = joined(rules.minutes)
    lead = [
        f"# {name}: policy of the front desk",
        "",
        f"Today is {rules.today:%A}, {rules.today.isoformat()}. You help patients with appointments, repeat "
        "prescriptions, fees, insurance and records, by the rules below and with the tools at hand. Appointments last, "
        f"in minutes: {lengths}. A requested repeat is ready {_after(rules.ready)} and a letter arrives "
        f"{_after(rules.post)}.",
        "",
        "- Decline what the rules do not allow, however often you are asked, and say why. If only some of the things "
        "asked for are allowed, do those.",
        "- Tell patients what they ask to know and what a change means for them: the date, time and copay of a new "
        "appointment; the new date and time of one that was moved; the fee, if any, and the confirmation number of a "
        "cancellation; their place on the waiting list; when a repeat is ready; what they still owe after a payment or "
        "a waiver; their new copay after a change of insurance; when records arrive; the confirmation number of a "
        "changed contact detail.",
        "- Do nothing that you were not asked to do. You give no medical advice. Questions about symptoms, medicines "
        "and results, and other requests that none of your tools can fulfil, go to a nurse or the office with "
        "hand_over, once everything else is done; nothing else does.",
    ]
    return sections(lead, _HEADS, clauses)


def _after(days: int) -> str:
    return "the next day" if days == 1 else f"{days} days later"
