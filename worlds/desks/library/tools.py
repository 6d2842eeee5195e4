"""The library's tools."""

import datetime
from collections.abc import Mapping
from typing import Any, Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.desk import Desk
from turnwise.worlds.desks.library.rules import free_rooms
from turnwise.worlds.desks.store import Row
from turnwise.worlds.desks.wording import date_of, iso, json_text

__all__ = ["TOOLBOX"]

PRIVATE = ("birth_date", "postcode", "email", "phone", "card_number")


def _public(key: str, row: Row) -> dict[str, Any]:
    return {"id": key, **{name: value for name, value in row.items() if name not in PRIVATE}}


def _open_fine(desk: Desk, fine_id: str) -> Row:
    fine = desk.store.row("fines", fine_id)
    if fine["status"] != "open":
        raise ValueError(f"{fine_id} is already {fine['status']}")
    return fine


# ---- looking things up ----------------------------------------------------------------------------------------------


def find_member(desk: Desk, name: str) -> str:
    """Find members by their full name."""
    wanted = " ".join(name.lower().split())
    found = [key for key, row in desk.store.rows("members") if row["name"].lower() == wanted]
    return json_text([{"id": key, "name": desk.store.row("members", key)["name"]} for key in found])


def verify_identity(
    desk: Desk, member_id: str, birth_date: str = "", postcode: str = "", email: str = "", card_number: str = ""
) -> str:
    """Compare what a person says about themselves with a member's record."""
    row = desk.store.row("members", member_id)
    given = {"birth_date": birth_date, "postcode": postcode, "email": email, "card_number": card_number}
    return json_text({"member_id": member_id, "match": desk.verify(member_id, row, given)})


def get_member(desk: Desk, member_id: str) -> str:
    """Show a member's kind, membership, debts and last waiver, without contact details."""
    row = desk.store.row("members", member_id)
    owed = round(sum(fine["amount"] for _, fine in desk.store.rows("fines", member_id=member_id, status="open")), 2)
    waivers = [fine["closed"] for _, fine in desk.store.rows("fines", member_id=member_id, status="waived")]
    return json_text({**_public(member_id, row), "owed": owed, "last_waiver": max(waivers, default=None)})


def list_loans(desk: Desk, member_id: str) -> str:
    """List what a member has on loan."""
    desk.store.row("members", member_id)
    found = []
    for key, row in desk.store.rows("loans", member_id=member_id):
        title = desk.store.row("titles", row["title_id"])
        late = max(0, (desk.rules.today - datetime.date.fromisoformat(row["due"])).days)
        found.append(
            {
                "id": key, "title": title["title"], "title_id": row["title_id"], "category": title["category"],
                "due": row["due"], "days_overdue": late, "renewals": row["renewals"],
            }
        )  # fmt: skip
    return json_text(found)


def list_holds(desk: Desk, member_id: str) -> str:
    """List a member's holds."""
    desk.store.row("members", member_id)
    found = desk.store.rows("holds", member_id=member_id)
    return json_text(
        [_public(key, {"title": desk.store.row("titles", row["title_id"])["title"], **row}) for key, row in found]
    )


def list_fines(desk: Desk, member_id: str) -> str:
    """List a member's fines: open, paid and waived ones."""
    desk.store.row("members", member_id)
    return json_text([_public(key, row) for key, row in desk.store.rows("fines", member_id=member_id)])


def list_bookings(desk: Desk, member_id: str) -> str:
    """List a member's room bookings."""
    desk.store.row("members", member_id)
    return json_text([_public(key, row) for key, row in desk.store.rows("bookings", member_id=member_id)])


def search_titles(desk: Desk, query: str) -> str:
    """Search the catalogue by words of the title or the author; at most ten results."""
    words = query.lower().split()
    found = [
        _public(key, row)
        for key, row in desk.store.rows("titles")
        if words and all(word in f"{row['title']} {row['by']}".lower() for word in words)
    ]
    return json_text(found[:10])


def get_title(desk: Desk, title_id: str) -> str:
    """Show a title with its copies and how many members are waiting for it."""
    row = desk.store.row("titles", title_id)
    copies = [_public(key, copy) for key, copy in desk.store.rows("copies", title_id=title_id)]
    waiting = [hold["member_id"] for _, hold in desk.store.rows("holds", title_id=title_id, status="waiting")]
    return json_text({**_public(title_id, row), "copies": copies, "waiting": waiting})


def find_rooms(desk: Desk, branch: str, date: str, start: int, hours: int) -> str:
    """List the study rooms of a branch that are free at a time."""
    date_of(date)
    if all(row["branch"] != branch for _, row in desk.store.rows("rooms")):
        branches = sorted({row["branch"] for _, row in desk.store.rows("rooms")})
        raise ValueError(f"there is no branch {branch[:40]!r}; there are {', '.join(branches)}")
    return json_text([_public(key, row) for key, row in free_rooms(desk, branch, date, start, hours)])


# ---- changing things ------------------------------------------------------------------------------------------------


def renew_loan(desk: Desk, loan_id: str) -> str:
    """Renew a loan from today."""
    loan = desk.store.row("loans", loan_id)
    category = desk.store.row("titles", loan["title_id"])["category"]
    due = iso(desk.rules.today, desk.rules.days[category])
    desk.store.change("loans", loan_id, due=due, renewals=loan["renewals"] + 1)
    return json_text({"id": loan_id, "due": due, "renewals": loan["renewals"] + 1})


def place_hold(desk: Desk, member_id: str, title_id: str, branch: str) -> str:
    """Put a member on the waiting list for a title, to be picked up at a branch."""
    desk.store.row("members", member_id)
    desk.store.row("titles", title_id)
    _branch(desk, branch)
    if any(True for _ in desk.store.rows("holds", member_id=member_id, title_id=title_id)):
        raise ValueError(f"{member_id} already has a hold on {title_id}")
    key = desk.store.next_key("holds", "H")
    row = {"member_id": member_id, "title_id": title_id, "branch": branch, "placed": iso(desk.rules.today),
           "status": "waiting"}  # fmt: skip
    desk.store.put("holds", key, row)
    place = sum(1 for _ in desk.store.rows("holds", title_id=title_id, status="waiting"))
    return json_text({"id": key, **row, "place_in_queue": place})


def cancel_hold(desk: Desk, hold_id: str) -> str:
    """Cancel a hold."""
    desk.store.remove("holds", hold_id)
    return json_text({"id": hold_id, "status": "cancelled"})


def move_hold(desk: Desk, hold_id: str, branch: str) -> str:
    """Change the branch where a hold is picked up."""
    _branch(desk, branch)
    return json_text({"id": hold_id, **desk.store.change("holds", hold_id, branch=branch)})


def waive_fine(desk: Desk, fine_id: str) -> str:
    """Waive an open fine."""
    _open_fine(desk, fine_id)
    return json_text(
        {"id": fine_id, **desk.store.change("fines", fine_id, status="waived", closed=iso(desk.rules.today))}
    )


def take_payment(desk: Desk, fine_id: str) -> str:
    """Charge an open fine to the payment card that is on file."""
    _open_fine(desk, fine_id)
    return json_text(
        {"id": fine_id, **desk.store.change("fines", fine_id, status="paid", closed=iso(desk.rules.today))}
    )


def extend_membership(desk: Desk, member_id: str) -> str:
    """Extend a membership by a year from its end, or from today if it has ended."""
    row = desk.store.row("members", member_id)
    start = max(datetime.date.fromisoformat(row["expires"]), desk.rules.today)
    expires = iso(start, 365)
    desk.store.change("members", member_id, expires=expires)
    return json_text({"id": member_id, "expires": expires})


def change_contact(desk: Desk, member_id: str, field: Literal["email", "phone", "postcode"], value: str) -> str:
    """Replace a contact detail of a member."""
    if not value.strip() or len(value) > 100:
        raise ValueError("value must have 1 to 100 characters")
    desk.store.change("members", member_id, **{field: value.strip()})
    return json_text({"id": member_id, "changed": field})


def report_lost(desk: Desk, loan_id: str) -> str:
    """Close a loan whose item is lost, and charge for it."""
    loan = desk.store.row("loans", loan_id)
    title = desk.store.row("titles", loan["title_id"])
    amount = round(title["price"] + desk.rules.lost_fee, 2)
    desk.store.remove("loans", loan_id)
    desk.store.change("copies", loan["copy_id"], status="lost")
    key = desk.store.next_key("fines", "F")
    fine = {"member_id": loan["member_id"], "amount": amount, "created": iso(desk.rules.today), "status": "open",
            "reason": "lost", "closed": ""}  # fmt: skip
    desk.store.put("fines", key, fine)
    return json_text({"id": key, **fine})


def book_room(desk: Desk, member_id: str, room_id: str, date: str, start: int, hours: int, people: int) -> str:
    """Book a study room for a member."""
    room = desk.store.row("rooms", room_id)
    desk.store.row("members", member_id)
    if date_of(date) < desk.rules.today:
        raise ValueError(f"{date} has passed")
    if not 8 <= start < start + hours <= 20 or hours < 1:
        raise ValueError("rooms are open from 8 to 20")
    if people < 1 or people > room["seats"]:
        raise ValueError(f"{room_id} has {room['seats']} seats")
    if room_id not in dict(free_rooms(desk, room["branch"], date, start, hours)):
        raise ValueError(f"{room_id} is taken at that time")
    key = desk.store.next_key("bookings", "B")
    row = {"member_id": member_id, "room_id": room_id, "date": date, "start": start, "hours": hours, "people": people}
    desk.store.put("bookings", key, row)
    return json_text({"id": key, **row})


def cancel_booking(desk: Desk, booking_id: str) -> str:
    """Cancel a room booking."""
    desk.store.remove("bookings", booking_id)
    return json_text({"id": booking_id, "status": "cancelled"})


def hand_over(desk: Desk, reason: str) -> str:
    """Give the conversation to a colleague; this ends it for you."""
    desk.handed_over = reason.strip()[:500] or "no reason given"
    return "A colleague takes over."


def _branch(desk: Desk, branch: str) -> None:
    branches = sorted({row["branch"] for _, row in desk.store.rows("rooms")})
    if branch not in branches:
        raise ValueError(f"there is no branch {branch[:40]!r}; there are {', '.join(branches)}")


# ---- the toolbox ----------------------------------------------------------------------------------------------------

_MEMBER, _LOAN, _HOLD = "Its id, such as M1042.", "Its id, such as L4120.", "Its id, such as H731."
_FINE, _TITLE, _BRANCH = "Its id, such as F644.", "Its id, such as T312.", "Name of the branch, such as Riverside."
_WHEN: Mapping[str, str] = {
    "date": "Day, such as 2026-03-31.", "start": "Hour of the day at which it begins, 8 to 19.",
    "hours": "How long, in hours.",
}  # fmt: skip
TOOLBOX = Toolbox(
    [
        desk_tool(find_member, False, name="First and last name."),
        desk_tool(
            verify_identity, False, member_id=_MEMBER, birth_date="As they said it, such as 1984-05-17.",
            postcode="As they said it.", email="As they said it.", card_number="As they said it, such as 1234-5678.",
        ),
        desk_tool(get_member, False, member_id=_MEMBER),
        desk_tool(list_loans, False, member_id=_MEMBER),
        desk_tool(list_holds, False, member_id=_MEMBER),
        desk_tool(list_fines, False, member_id=_MEMBER),
        desk_tool(list_bookings, False, member_id=_MEMBER),
        desk_tool(search_titles, False, query="Words of the title or of the author's name."),
        desk_tool(get_title, False, title_id=_TITLE),
        desk_tool(find_rooms, False, branch=_BRANCH, **_WHEN),
        desk_tool(renew_loan, True, loan_id=_LOAN),
        desk_tool(place_hold, True, member_id=_MEMBER, title_id=_TITLE, branch=_BRANCH),
        desk_tool(cancel_hold, True, hold_id=_HOLD),
        desk_tool(move_hold, True, hold_id=_HOLD, branch=_BRANCH),
        desk_tool(waive_fine, True, fine_id=_FINE),
        desk_tool(take_payment, True, fine_id=_FINE),
        desk_tool(extend_membership, True, member_id=_MEMBER),
        desk_tool(
            change_contact, True, member_id=_MEMBER, field="Which detail.", value="The new value."
        ),
        desk_tool(report_lost, True, loan_id=_LOAN),
        desk_tool(book_room, True, member_id=_MEMBER, room_id="Its id, such as R14.", **_WHEN, people="How many come."),
        desk_tool(cancel_booking, True, booking_id="Its id, such as B215."),
        desk_tool(hand_over, False, reason="What it is about, for the colleague."),
    ],
    max_chars=6000,
)  # fmt: skip
