"""The functions of text messages."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

BRIEF = ("message_id", "phone", "outgoing", "sent_at", "read")
MESSAGE = Table("messages", "message_id", "message", BRIEF, search=("text",))
TEMPLATE = Table("templates", "template_id", "template", search=("text",))
BLOCKED = Table("blocked", "block_id", "blocked number")
BOOK = book_of("messages", {"phone": "The other side's telephone number.", "outgoing": "Whether you sent it."})

BOOK.lists(
    "search_messages", MESSAGE, "List messages, newest first.",
    "query:str? phone:str? outgoing:bool? read:bool? sent_at_from:date? sent_at_until:date?", order="-sent_at",
)  # fmt: skip
BOOK.lists("list_unread", MESSAGE, "List unread messages, newest first.", "", lambda row: not row["read"], "-sent_at")
BOOK.shows("show_message", MESSAGE, "Show a message with its text.")
BOOK.sets("mark_read", MESSAGE, "Mark a message as read.", read=True)
BOOK.sets("mark_unread", MESSAGE, "Mark a message as unread.", read=False)
BOOK.sets("pin", MESSAGE, "Pin a message.", pinned=True)
BOOK.sets("unpin", MESSAGE, "Unpin a message.", pinned=False)
BOOK.lists("list_pinned", MESSAGE, "List pinned messages.", "", lambda row: bool(row["pinned"]))
BOOK.deletes("delete_message", MESSAGE, "Delete a message.")
BOOK.lists("list_templates", TEMPLATE, "List templates.", "query:str?")
BOOK.creates("create_template", TEMPLATE, "Create a template.", "text:str")
BOOK.updates("update_template", TEMPLATE, "Change a template.", "text:str")
BOOK.deletes("delete_template", TEMPLATE, "Delete a template.")
BOOK.lists("list_blocked", BLOCKED, "List blocked numbers.")
BOOK.creates("block_number", BLOCKED, "Block a number.", "phone:str")
BOOK.deletes("unblock_number", BLOCKED, "Unblock a number.")


@BOOK.by_hand("send_message", "phone:str text:str", "Send a text message.", "A message and the message_id.")
def _send(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    require(given["text"].strip(), "text must not be empty")
    known = any(row["phone"] == given["phone"] for row in apps.store.rows("contacts"))
    require(known, "the number is not in the address book", 404)
    row = {"phone": given["phone"], "outgoing": True, "text": given["text"], "sent_at": apps.now}
    made = apps.store.insert("messages", "message_id", {**row, "read": True, "pinned": False})
    return {"message": "The message was sent.", "message_id": made["message_id"]}
