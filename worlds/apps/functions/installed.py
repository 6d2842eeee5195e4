"""The apps that are installed, with the two that everybody has: documentation, and the account manager."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from turnwise.worlds.apps.api import Apps, Function, require
from turnwise.worlds.apps.functions.calendar import BOOK as CALENDAR
from turnwise.worlds.apps.functions.contacts import BOOK as CONTACTS
from turnwise.worlds.apps.functions.mail import BOOK as MAIL
from turnwise.worlds.apps.functions.messages import BOOK as MESSAGES
from turnwise.worlds.apps.functions.music import BOOK as MUSIC
from turnwise.worlds.apps.functions.notes import BOOK as NOTES
from turnwise.worlds.apps.functions.payments import BOOK as PAYMENTS
from turnwise.worlds.apps.functions.shopping import BOOK as SHOPPING
from turnwise.worlds.apps.functions.todo import BOOK as TODO
from turnwise.worlds.apps.functions.unseen import LIBRARY, WORKOUTS
from turnwise.worlds.apps.rows import Book

__all__ = ["ABOUT", "installed"]

EVERYDAY = (MAIL, CALENDAR, CONTACTS, MESSAGES, NOTES, MUSIC, SHOPPING, PAYMENTS, TODO)
ABOUT = {
    "docs": "Documentation of all apps.", "account": "Your profile, and the passwords of your apps.",
    "mail": "Mail.", "calendar": "Events, reminders and invitations.", "contacts": "The address book.",
    "messages": "Text messages.", "notes": "Notes and files.", "music": "Songs and playlists.",
    "shopping": "A shop: products, cart, orders, reviews.", "payments": "Money sent, received and asked for.",
    "todo": "Tasks in projects.", "library": "Loans of the public library.", "workouts": "A log of sports.",
}  # fmt: skip


@cache
def installed(unseen: bool) -> Mapping[str, Mapping[str, Function]]:
    """Return the functions by app and name.

    Args:
        unseen: Whether the apps that only harder tasks have are there.
    """
    books = (*EVERYDAY, LIBRARY, WORKOUTS) if unseen else EVERYDAY
    return {"docs": _DOCS.functions, "account": _ACCOUNT.functions, **{book.app: book.functions for book in books}}


def _show_apps(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return [{"app": app, "description": ABOUT[app]} for app in apps.functions]


def _show_apis(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    require(given["app"] in apps.functions, "there is no such app; docs.show_apps lists them", 404)
    return [{"api": each.name, "description": each.description} for each in apps.functions[given["app"]].values()]


def _show_api(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    found = apps.functions.get(given["app"], {}).get(given["api"])
    require(found, "there is no such API; docs.show_apis lists those of an app", 404)
    assert found is not None
    return found.document()


def _profile(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    row = apps.store.get("profile", 1) or {}
    return {"name": row["name"], "email": apps.me, "now": apps.now}


def _passwords(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return [
        {name: row[name] for name in ("app", "username", "password")}
        for row in apps.store.rows("passwords")
        if row["app"] in apps.functions
    ]


_DOCS = Book("docs", {"app": "Name of the app.", "api": "Name of the API."})
_DOCS.add("show_apps", "", "List the apps.", _show_apps, "A list of apps.", login=False)
_DOCS.add("show_apis", "app:str", "List the APIs of an app.", _show_apis, "A list of APIs.", login=False)
_DOCS.add("show_api", "app:str api:str", "Document an API.", _show_api, "The documentation.", login=False)
_ACCOUNT = Book("account", {})
_ACCOUNT.add("show_profile", "", "Show who you are, and the time.", _profile, "The profile.", login=False)
_ACCOUNT.add("show_passwords", "", "List your user names and passwords.", _passwords, "A list.", login=False)
