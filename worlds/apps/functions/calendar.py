"""The functions of the calendar."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

BRIEF = ("event_id", "title", "starts_at", "ends_at", "status")
EVENT = Table("events", "event_id", "event", BRIEF, search=("title", "notes"))
REMINDER = Table("reminders", "reminder_id", "reminder", search=("text",), links={"event_id": "events"})
INVITATION = Table("invitations", "invitation_id", "invitation", search=("title",))
BOOK = book_of("calendar", {"guests": "Mail addresses of the guests.", "status": "planned, confirmed or cancelled."})


def _in_order(apps: Apps, user: str, given: dict[str, Any]) -> None:
    old = apps.store.get("events", given["event_id"]) if "event_id" in given else None
    start, end = (str(given.get(name) or (old or {}).get(name, "")) for name in ("starts_at", "ends_at"))
    require(start < end, "starts_at must be before ends_at")


BOOK.lists(
    "search_events", EVENT, "List events, earliest first.",
    "query:str? guests:str? status:str? starts_at_from:date? starts_at_until:date?", order="starts_at",
)  # fmt: skip
BOOK.shows("show_event", EVENT, "Show an event with its guests and notes.")
BOOK.creates(
    "create_event", EVENT, "Create an event.",
    'title:str starts_at:time ends_at:time place:str="" guests:strs=[] notes:str=""', {"status": "planned"}, _in_order,
)  # fmt: skip
LINE = "title:str? starts_at:time? ends_at:time? place:str? notes:str?"
BOOK.updates("update_event", EVENT, "Change an event.", LINE, _in_order)
BOOK.deletes("delete_event", EVENT, "Delete an event for good, with its reminders.", [REMINDER])
BOOK.sets("cancel_event", EVENT, "Cancel an event; it stays visible.", status="cancelled")
BOOK.sets("confirm_event", EVENT, "Confirm an event.", status="confirmed")
BOOK.members("add_guest", "remove_guest", EVENT, "guest", "guests")
BOOK.lists("list_reminders", REMINDER, "List reminders.", "event_id:int? query:str?")
BOOK.shows("show_reminder", REMINDER, "Show a reminder.")
BOOK.creates("create_reminder", REMINDER, "Create a reminder of an event.", "event_id:int text:str remind_at:time")
BOOK.updates("update_reminder", REMINDER, "Change a reminder.", "text:str? remind_at:time?")
BOOK.deletes("delete_reminder", REMINDER, "Delete a reminder.")
BOOK.lists("list_invitations", INVITATION, "List invitations.", "answer:str? query:str?")
BOOK.shows("show_invitation", INVITATION, "Show an invitation.")
BOOK.sets("accept_invitation", INVITATION, "Accept an invitation.", answer="accepted")
BOOK.sets("decline_invitation", INVITATION, "Decline an invitation.", answer="declined")
BOOK.sets("answer_maybe", INVITATION, "Answer an invitation with maybe.", answer="maybe")
