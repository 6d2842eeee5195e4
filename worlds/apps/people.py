"""How a request refers to a person: by name, or by what other apps know about them."""

# ruff: noqa: E501 (lines of programs)

from collections import defaultdict
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.apps.data import Data
from turnwise.worlds.apps.store import Row

__all__ = ["Person", "person_of"]


class Person(NamedTuple):
    """Somebody that a request is about.

    Attributes:
        words: How the request names them.
        code: Lines of a program that leave their contact in ``person``.
        row: Their contact.
    """

    words: str
    code: str
    row: Row


_BY_EMAIL = "person = contact_by(email)"


def person_of(draw: Draw, data: Data, depth: int) -> Person:
    """Draw a person and words for them.

    Args:
        draw: The draws.
        data: The data.
        depth: 1: by name; 2: by relation; 3: by a mail of theirs; 4: by a meeting; 5: by the money sent to them.
    """
    ways = (_named, _related, _writer, _guest, _paid)
    found = ways[depth - 1](draw, data)
    return found or _related(draw, data)


def _contact(data: Data, email: str) -> Row:
    return next(row for row in data.base["contacts"].values() if row["email"] == email)


def _named(draw: Draw, data: Data) -> Person:
    row = draw.choice(list(data.base["contacts"].values()))
    code = (
        f"person = full(contacts, 'contact', search(apps.contacts.search_contacts, contacts, query={row['name']!r})[0])"
    )
    return Person(row["name"], code, row)


def _related(draw: Draw, data: Data) -> Person:
    rows = [row for row in data.base["contacts"].values() if row["relation"] not in ("friend", "colleague")]
    row = draw.choice(rows)
    code = f"person = full(contacts, 'contact', search(apps.contacts.search_contacts, contacts, relation={row['relation']!r})[0])"
    return Person(f"my {row['relation']}", code, row)


def _writer(draw: Draw, data: Data) -> Person:
    mail = draw.choice(list(data.base["mails"].values()))
    title = mail["subject"]
    code = (
        f"email = [m for m in search(apps.mail.search_mails, mail, query={title!r}) if m['subject'] == {title!r}][0]['sender']\n"
        f"{_BY_EMAIL}"
    )
    return Person(f'whoever sent me the mail with the subject "{title}"', code, _contact(data, mail["sender"]))


def _guest(draw: Draw, data: Data) -> Person:
    event = draw.choice(list(data.base["events"].values()))
    title = event["title"]
    code = (
        f"email = full(calendar, 'event', search(apps.calendar.search_events, calendar, query={title!r})[0])['guests'][0]\n"
        f"{_BY_EMAIL}"
    )
    return Person(f'the guest of the event "{title}" in my calendar', code, _contact(data, event["guests"][0]))


def _paid(draw: Draw, data: Data) -> Person | None:
    month = draw.choice(sorted({row["paid_at"][:7] for row in data.base["payments"].values()}))
    sums: dict[str, float] = defaultdict(float)
    for row in data.base["payments"].values():
        if row["outgoing"] and row["paid_at"].startswith(month):
            sums[row["other"]] += row["amount"]
    best = sorted(sums.items(), key=lambda item: -item[1])
    if len(best) < 3 or best[0][1] - best[1][1] < 0.02:
        return None
    code = (
        "sums = {}\n"
        f"for p in search(apps.payments.search_payments, payments, outgoing=True, paid_at_from='{month}-01'):\n"
        f"    if p['paid_at'].startswith('{month}'):\n"
        "        sums[p['other']] = sums.get(p['other'], 0) + p['amount']\n"
        f"email = max(sums, key=sums.get)\n{_BY_EMAIL}"
    )
    return Person(f"the person I sent the most money to in {month}", code, _contact(data, best[0][0]))
