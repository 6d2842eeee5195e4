"""The functions of the address book."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

CONTACT = Table(
    "contacts",
    "contact_id",
    "contact",
    ("contact_id", "name", "relation"),
    search=("name", "email", "phone", "company"),
)
GROUP = Table("groups", "group_id", "group", ("group_id", "title"), search=("title",))
BOOK = book_of("contacts", {"relation": "What they are to you: sister, dentist, colleague…"})


def _address(apps: Apps, user: str, given: dict[str, Any]) -> None:
    require(given.get("email") is None or "@" in given["email"], "email must be a mail address")


LINE = "phone:str? relation:str? company:str? city:str? birthday:date?"
BOOK.lists("search_contacts", CONTACT, "List contacts.", "query:str? relation:str? company:str? city:str? tags:str?")
BOOK.lists("list_favourites", CONTACT, "List favourites.", "", lambda row: bool(row["favourite"]))
BOOK.shows("show_contact", CONTACT, "Show a contact with all fields.")
FIXED = {"tags": (), "favourite": False}
BOOK.creates("create_contact", CONTACT, "Create a contact.", f"name:str email:str {LINE}", FIXED, _address)
BOOK.updates("update_contact", CONTACT, "Change a contact.", f"name:str? email:str? {LINE}", _address)
BOOK.deletes("delete_contact", CONTACT, "Delete a contact.")
BOOK.sets("add_favourite", CONTACT, "Make a contact a favourite.", favourite=True)
BOOK.sets("remove_favourite", CONTACT, "Make a contact an ordinary one.", favourite=False)
BOOK.members("add_tag", "remove_tag", CONTACT, "tag", "tags")
BOOK.lists("list_groups", GROUP, "List groups.", "query:str?")
BOOK.shows("show_group", GROUP, "Show a group with its members.")
BOOK.creates("create_group", GROUP, "Create a group of mail addresses.", "title:str members:strs=[]")
BOOK.updates("rename_group", GROUP, "Rename a group.", "title:str")
BOOK.deletes("delete_group", GROUP, "Delete a group.")
BOOK.members("add_member", "remove_member", GROUP, "member", "members")
