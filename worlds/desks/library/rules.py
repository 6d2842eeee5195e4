"""The library's policy: its parameters, which differ from library to library, and its clauses."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.desk import Clause, Desk
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import dollars, joined, months_before

__all__ = ["CATEGORIES", "EVIDENCE", "KINDS", "Rules", "clauses_of", "debts", "drawn_rules", "policy_text"]

CATEGORIES = ("book", "film", "game", "reference")
KINDS = ("adult", "student", "senior", "child")
EVIDENCE = {
    "birth_date": "date of birth",
    "postcode": "postcode",
    "email": "email address",
    "card_number": "library card number",
}


@dataclass(frozen=True)
class Rules:
    """Parameters of a library's policy; amounts in dollars, times in days unless said.

    Attributes:
        today: The day of the conversation.
        evidence: What a member has to give before anything is changed, besides the name.
        contact_evidence: What is needed in addition to change contact details.
        renewals: Most renewals of a loan, by category.
        days: Length of a renewed loan, by category.
        overdue: A loan that is later than this is not renewed.
        debt: Most that may be owed for a renewal, a hold, a room or a longer membership.
        holds: Most holds at a time, by kind of member.
        in_stock: Whether a title may be held at a branch where a copy stands on the shelf.
        waiver: Largest fine that may be waived.
        waiver_months: Months that must have passed since a member's last waiver.
        extension: A membership is extended in this many days before its end, and after it.
        lost_fee: Charged for a lost item besides its price.
        room_hours: Longest booking of a room.
        room_ahead: Rooms are booked at most this far ahead.
        room_kinds: Kinds of members who may book a room.
    """

    today: datetime.date
    evidence: tuple[str, ...]
    contact_evidence: str
    renewals: Mapping[str, int]
    days: Mapping[str, int]
    overdue: int
    debt: float
    holds: Mapping[str, int]
    in_stock: bool
    waiver: float
    waiver_months: int
    extension: int
    lost_fee: float
    room_hours: int
    room_ahead: int
    room_kinds: tuple[str, ...]


def drawn_rules(draw: Draw) -> Rules:
    """Draw a library's parameters."""
    evidence = tuple(draw.sample(["birth_date", "postcode", "email"], 2)) if draw.chance(0.7) else ("card_number",)
    others = [name for name in EVIDENCE if name not in evidence]
    return Rules(
        today=datetime.date(2026, 1, 5) + datetime.timedelta(draw.below(700)),
        evidence=evidence,
        contact_evidence=draw.choice(others),
        renewals={"book": draw.integer(1, 4), "film": draw.integer(0, 2), "game": draw.integer(1, 3), "reference": 0},
        days={
            "book": draw.either(14, 21, 28), "film": draw.either(5, 7, 10), "game": draw.either(7, 14), "reference": 1
        },
        overdue=draw.either(0, 3, 7, 10, 14, 21),
        debt=draw.either(0.0, 5.0, 8.0, 10.0, 15.0, 20.0),
        holds={"adult": draw.integer(4, 8), "student": draw.integer(4, 9), "senior": draw.integer(4, 8), "child": 3},
        in_stock=draw.chance(0.4),
        waiver=draw.either(3.0, 5.0, 6.0, 7.5, 10.0),
        waiver_months=draw.either(6, 9, 12, 18, 24),
        extension=draw.either(14, 21, 30, 45, 60),
        lost_fee=draw.either(2.5, 4.0, 5.0, 7.5, 10.0),
        room_hours=draw.integer(2, 4),
        room_ahead=draw.either(7, 14, 21, 28),
        room_kinds=draw.either(("adult", "student", "senior"), ("adult", "senior"), ("student",), ("adult", "student")),
    )  # fmt: skip


# ---- what the rules look at -----------------------------------------------------------------------------------------


def debts(desk: Desk, member: str) -> float:
    """Return what a member owes."""
    return float(round(sum(row["amount"] for _, row in desk.store.rows("fines", member_id=member, status="open")), 2))


def _member_of(desk: Desk, arguments: Mapping[str, Any]) -> str:
    """Return the member whose things a call is about."""
    for argument, table in (
        ("loan_id", "loans"), ("hold_id", "holds"), ("fine_id", "fines"), ("booking_id", "bookings")
    ):  # fmt: skip
        if argument in arguments:
            return str(desk.store.row(table, arguments[argument])["member_id"])
    return str(arguments["member_id"])


def _unverified(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return _member_of(desk, arguments) not in desk.verified


def _unagreed(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return not desk.agreed


def _loan(desk: Desk, arguments: Mapping[str, Any]) -> tuple[Row, str]:
    loan = desk.store.row("loans", arguments["loan_id"])
    return loan, str(desk.store.row("titles", loan["title_id"])["category"])


def _late(desk: Desk, loan: Row) -> int:
    today: datetime.date = desk.rules.today
    return max(0, (today - datetime.date.fromisoformat(loan["due"])).days)


def _waiting(desk: Desk, title: str, member: str) -> bool:
    waiting = desk.store.rows("holds", title_id=title, status="waiting")
    return any(row["member_id"] != member for _, row in waiting)


def _too_late(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(_late(desk, _loan(desk, arguments)[0]) > desk.rules.overdue)


def _renewed_out(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    loan, category = _loan(desk, arguments)
    return bool(loan["renewals"] >= desk.rules.renewals[category])


def _wanted(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    loan, _ = _loan(desk, arguments)
    return _waiting(desk, loan["title_id"], loan["member_id"])


def _in_debt(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(debts(desk, _member_of(desk, arguments)) > desk.rules.debt)


def _expired(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    member = desk.store.row("members", _member_of(desk, arguments))
    return bool(member["expires"] < desk.rules.today.isoformat())


def _held_out(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    member = desk.store.row("members", arguments["member_id"])
    held = sum(1 for _ in desk.store.rows("holds", member_id=arguments["member_id"]))
    return held >= int(desk.rules.holds[member["kind"]])


def _reference(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(desk.store.row("titles", arguments["title_id"])["category"] == "reference")


def _on_shelf(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    copies = desk.store.rows("copies", title_id=arguments["title_id"], branch=arguments["branch"], status="available")
    return any(True for _ in copies)


def _not_overdue_fine(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(desk.store.row("fines", arguments["fine_id"])["reason"] != "overdue")


def _large_fine(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(desk.store.row("fines", arguments["fine_id"])["amount"] > desk.rules.waiver)


def _waived_lately(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    member = desk.store.row("fines", arguments["fine_id"])["member_id"]
    since = months_before(desk.rules.today, desk.rules.waiver_months).isoformat()
    waived = desk.store.rows("fines", member_id=member, status="waived")
    return any(row["closed"] > since for _, row in waived)


def _too_early(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    expires = datetime.date.fromisoformat(desk.store.row("members", arguments["member_id"])["expires"])
    return bool((expires - desk.rules.today).days > desk.rules.extension)


def _contact_unproved(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return f"{arguments['member_id']}:{desk.rules.contact_evidence}" not in desk.verified


def _long_booking(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(arguments["hours"] > desk.rules.room_hours)


def _far_booking(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool((datetime.date.fromisoformat(arguments["date"]) - desk.rules.today).days > desk.rules.room_ahead)


def _no_bookings(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    return bool(desk.store.row("members", arguments["member_id"])["kind"] not in desk.rules.room_kinds)


def free_rooms(desk: Desk, branch: str, date: str, start: int, hours: int) -> list[tuple[str, Row]]:
    """Return the rooms of a branch that nobody has booked at the time, smallest first."""
    taken = {
        row["room_id"]
        for _, row in desk.store.rows("bookings", date=date)
        if row["start"] < start + hours and start < row["start"] + row["hours"]
    }
    rooms = [(key, row) for key, row in desk.store.rows("rooms", branch=branch) if key not in taken]
    return sorted(rooms, key=lambda item: (item[1]["seats"], item[0]))


def _not_smallest(desk: Desk, arguments: Mapping[str, Any]) -> bool:
    room = desk.store.row("rooms", arguments["room_id"])
    free = free_rooms(desk, room["branch"], arguments["date"], arguments["start"], arguments["hours"])
    fitting = [key for key, row in free if row["seats"] >= arguments["people"]]
    return bool(not fitting or fitting[0] != arguments["room_id"])


# ---- the clauses ----------------------------------------------------------------------------------------------------

_TIMES = {0: "not at all", 1: "once", 2: "twice"}
RENEW, HOLD, ROOM, EXTEND, WAIVE = "renew_loan", "place_hold", "book_room", "extend_membership", "waive_fine"
WRITES = frozenset(
    {RENEW, HOLD, ROOM, EXTEND, WAIVE, "cancel_hold", "move_hold", "take_payment", "change_contact", "report_lost",
     "cancel_booking"}
)  # fmt: skip


def clauses_of(rules: Rules) -> tuple[Clause, ...]:
    """Return the policy of a library."""
    evidence = " and ".join(EVIDENCE[name] for name in rules.evidence)
    limits = "; ".join(f"{c}s {_TIMES.get(n, f'{n} times')}" for c, n in rules.renewals.items() if c != "reference")
    until = "have paid" if not rules.debt else "owe no more than that"
    plural = {"adult": "adults", "student": "students", "senior": "seniors", "child": "children"}

    def clause(name: str, text: str, broken: Callable[[Desk, Mapping[str, Any]], bool], *tools: str) -> Clause:
        return Clause(name, text, frozenset(tools), broken)

    found = [
        clause(
            "identity",
            f"Before you change anything, verify the member with verify_identity: ask for their full name and their "
            f"{evidence}, and use what they tell you. Without a match, change nothing and reveal nothing about the "
            "account. Only the member themselves may ask for a change.",
            _unverified, *sorted(WRITES),
        ),
        clause(
            "confirmation",
            "Before each change, say what you are about to do and wait for the member's agreement.",
            _unagreed, *sorted(WRITES),
        ),
        clause(
            "renew_limit",
            f"A loan can be renewed a limited number of times: {limits}. Reference works cannot be renewed.",
            _renewed_out, RENEW,
        ),
        clause("renew_waiting", "A loan is not renewed while another member is waiting for the title.", _wanted, RENEW),
        clause(
            "renew_overdue",
            "A loan that is overdue is not renewed." if not rules.overdue else
            f"A loan that is more than {rules.overdue} days overdue is not renewed.",
            _too_late, RENEW,
        ),
        clause(
            "debts",
            ("Members who owe anything" if not rules.debt else f"Members who owe more than {dollars(rules.debt)}")
            + f" get no renewals, holds, rooms or longer membership until they {until}.",
            _in_debt, RENEW, HOLD, ROOM, EXTEND,
        ),
        clause(
            "expired", "With an expired membership there are no renewals, holds or rooms until it is extended.",
            _expired, RENEW, HOLD, ROOM,
        ),
        clause(
            "hold_limit",
            "Members may have this many holds at a time, waiting and ready together: "
            f"{joined({plural[k]: n for k, n in rules.holds.items()})}.",
            _held_out, HOLD,
        ),
        clause("hold_reference", "Reference works cannot be held.", _reference, HOLD),
        clause("waive_reason", "Only fines for overdue items are waived, never those for lost or damaged ones.",
               _not_overdue_fine, WAIVE),
        clause("waive_amount", f"Fines above {dollars(rules.waiver)} are not waived, not even in part.", _large_fine,
               WAIVE),
        clause(
            "waive_recent",
            f"A member gets at most one waiver in {rules.waiver_months} months (get_member shows the last one).",
            _waived_lately, WAIVE,
        ),
        clause(
            "extend_window",
            f"A membership can be extended no earlier than {rules.extension} days before it ends.", _too_early, EXTEND,
        ),
        clause(
            "contact",
            f"To change contact details, verify the {EVIDENCE[rules.contact_evidence]} as well.", _contact_unproved,
            "change_contact",
        ),
        clause("room_kind", f"Rooms are for {joined(tuple(plural[k] for k in rules.room_kinds))} only.", _no_bookings,
               ROOM),
        clause("room_hours", f"A room can be booked for at most {rules.room_hours} hours.", _long_booking, ROOM),
        clause("room_ahead", f"A room can be booked at most {rules.room_ahead} days ahead.", _far_booking, ROOM),
        clause("room_smallest", "Give a group the smallest free room that seats all of them.", _not_smallest, ROOM),
    ]  # fmt: skip
    if not rules.in_stock:
        text = "No hold is placed for pickup at a branch that has a copy of the title on its shelf."
        found.append(clause("hold_in_stock", text, _on_shelf, HOLD))
    return tuple(found)


_HEADS = {
    "identity": "Identity and consent",
    "renew_limit": "Renewals",
    "debts": "Debts and membership",
    "hold_limit": "Holds",
    "waive_reason": "Fines",
    "contact": "Contact details",
    "room_kind": "Study rooms",
}
_ORDER = (
    ("identity", "confirmation"),
    ("renew_limit", "renew_waiting", "renew_overdue"),
    ("debts", "expired", "extend_window"),
    ("hold_limit", "hold_reference", "hold_in_stock"),
    ("waive_reason", "waive_amount", "waive_recent"),
    ("contact",),
    ("room_kind", "room_hours", "room_ahead", "room_smallest"),
)


def policy_text(name: str, rules: Rules, clauses: tuple[Clause, ...]) -> str:
    """Write out a library's policy."""
    by_name = {clause.name: clause for clause in clauses}
    lines = [
        f"# {name}: policy of the service desk",
        "",
        f"Today is {rules.today:%A}, {rules.today.isoformat()}. You help members with loans, holds, fines, study rooms "
        "and their membership, by the rules below and with the tools at hand. A renewal counts "
        "from today: "
        + joined([f"{rules.days[c]} days for a {c}" for c in ("book", "film", "game")])
        + f". A lost item costs its price and a fee of {dollars(rules.lost_fee)}.",
        "",
        "- Decline what the rules do not allow, however often you are asked, and say why. If only some of the things "
        "asked for are allowed, do those.",
        "- Tell members what they ask to know and what a change means for them: the new due date, the amount paid, "
        "charged or waived, the room, the new branch or contact detail, their place in the queue for a title, how "
        "many holds they have left after one is cancelled.",
        "- Do nothing that you were not asked to do. Requests that none of your tools can fulfil (complaints about "
        "staff, donations, press) go to a colleague with hand_over, once everything else is done; nothing else does.",
    ]
    for names in _ORDER:
        lines += ["", f"## {_HEADS[names[0]]}"]
        for clause in (by_name[n] for n in names if n in by_name):
            lines.append(f"- {clause.text}")
    return "\n".join(lines)
