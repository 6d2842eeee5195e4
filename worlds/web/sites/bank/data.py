"""The bank's tables and words, and the function that draws accounts with their history."""

import datetime
import sqlite3
from typing import NamedTuple

from turnwise.worlds.web.site import Cast, Draw

__all__ = ["CATEGORIES", "DISPUTE_DAYS", "LIMITS", "REASONS", "SCHEMA", "fill_bank", "written_number"]

LIMITS = tuple(range(250000, 1000001, 10000))
"""What may go to payees in a day, in cents: each owner has one of these. They are too close for an amount to reveal
one; each is above the bills and the invoices that come by mail."""
DISPUTE_DAYS = 60
REASONS = ("I do not recognise it", "Charged twice", "Goods not received", "Wrong amount", "Subscription was cancelled")
CATEGORIES = (
    "Groceries",
    "Health",
    "Income",
    "Insurance",
    "Rent",
    "Restaurants",
    "Shopping",
    "Transfers",
    "Transport",
    "Utilities",
)

SCHEMA = """
CREATE TABLE deposit (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    number TEXT NOT NULL UNIQUE, balance INTEGER NOT NULL);
CREATE TABLE entry (id INTEGER PRIMARY KEY, deposit INTEGER NOT NULL, day TEXT NOT NULL, party TEXT NOT NULL,
    reference TEXT NOT NULL DEFAULT '', category TEXT NOT NULL, amount INTEGER NOT NULL, after INTEGER NOT NULL,
    card INTEGER NOT NULL DEFAULT 0, payee INTEGER NOT NULL DEFAULT 0);
CREATE INDEX entry_day ON entry (deposit, day, id);
CREATE TABLE payee (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, number TEXT NOT NULL);
CREATE TABLE standing (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, deposit INTEGER NOT NULL, payee INTEGER NOT NULL,
    amount INTEGER NOT NULL, reference TEXT NOT NULL, day INTEGER NOT NULL);
CREATE TABLE card (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, deposit INTEGER NOT NULL, name TEXT NOT NULL,
    last4 TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'Active', maximum INTEGER NOT NULL);
CREATE TABLE bill (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, company TEXT NOT NULL, number TEXT NOT NULL,
    amount INTEGER NOT NULL, due TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, sender TEXT NOT NULL, subject TEXT NOT NULL,
    body TEXT NOT NULL, sent TEXT NOT NULL, seen INTEGER NOT NULL DEFAULT 0);
CREATE TABLE dispute (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, entry INTEGER NOT NULL UNIQUE,
    reason TEXT NOT NULL, comment TEXT NOT NULL DEFAULT '', opened TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'Open');
CREATE TABLE draft (owner INTEGER PRIMARY KEY, source INTEGER NOT NULL, target TEXT NOT NULL, amount INTEGER NOT NULL,
    reference TEXT NOT NULL);
CREATE TABLE preference (owner INTEGER PRIMARY KEY, paperless INTEGER NOT NULL DEFAULT 0,
    alerts INTEGER NOT NULL DEFAULT 0, nickname TEXT NOT NULL DEFAULT '', daily INTEGER NOT NULL);
"""

# category, how many a month, lowest and highest amount in cents, who is paid
_HABITS = (
    ("Groceries", 5, 800, 9500, "Green Basket,Daily Market,Mill Street Bakery,Fresh & Near"),
    ("Restaurants", 3, 900, 7800, "Cafe Lindau,Trattoria Sole,Noodle House,The Old Mill"),
    ("Transport", 3, 250, 6400, "City Transit,Metro Taxi,Railway Tickets"),
    ("Shopping", 2, 1200, 18900, "Corner & Co.,Book Harbour,Field Outfitters"),
    ("Health", 1, 600, 8200, "Rose Pharmacy,Dental Practice"),
)
_THANKS = (
    "Thanks for dinner",
    "Concert tickets",
    "My share of the present",
    "Train fare",
    "Lunch on Friday",
    "Weekend trip",
    "Pizza night",
)
# what is paid every month, to persons and to companies
_MONTHLY = (
    ("Allowance", "Music lessons", "Parking space", "Cleaning", "Babysitting"),
    ("Membership", "Magazine", "Maintenance", "Storage room", "Training course"),
)


class _Entry(NamedTuple):
    day: datetime.date
    party: str
    reference: str
    category: str
    amount: int
    card: int = 0
    payee: int = 0


def written_number(digits: str) -> str:
    """Format an account number in groups of four digits."""
    return f"{digits[:4]} {digits[4:8]} {digits[8:]}"


def _number(draw: Draw) -> str:
    return written_number(f"{draw.integer(10**11, 10**12 - 1)}")


def fill_bank(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write the user's accounts with about ``1.3 * size`` entries, and a few accounts of others."""
    months = min(24, 3 + size // 40)
    first = cast.today.replace(day=1)
    for _ in range(months - 1):
        first = (first - datetime.timedelta(days=1)).replace(day=1)
    landlord, *friends = draw.sample(cast.people[1:], 8)
    firms = draw.sample(cast.companies, 8)
    firms[7] = firms[7] if firms[7].name.split()[0] != firms[0].name.split()[0] else firms[6]
    names = [landlord.name, *(friend.name for friend in friends[:4]), *(firm.name for firm in firms[:6])]
    payees = {name: id for id, name in enumerate(names, 1)}
    db.executemany("INSERT INTO payee VALUES (?, 1, ?, ?)", [(id, name, _number(draw)) for name, id in payees.items()])
    db.execute("INSERT INTO payee (owner, name, number) VALUES (2, ?, ?)", (cast.user.name, _number(draw)))
    _fill_cards(db, draw, cast)
    current, savings, holiday = _past(
        draw, cast, first, max(1.0, size / (20 * months)), landlord.name, payees, firms[6].name
    )
    current += _friends(draw, cast, first, [friend.name for friend in friends], months)
    current += _fill_bills(db, draw, cast, first, [firm.name for firm in firms[:6]], payees)
    current = _balanced([entry for entry in current if entry.day < cast.today], draw.integer(0, 90000))
    accounts = (
        ("Current account", "current", current),
        ("Savings account", "savings", savings),
        ("Holiday savings", "savings", holiday),
    )
    for id, (name, kind, entries) in enumerate(accounts, 1):
        _fill_account(db, draw, id, 1, name, kind, [entry for entry in entries if entry.day < cast.today])
    for id, person in enumerate(cast.people[1:5], 4):
        past = [
            _Entry(cast.today - datetime.timedelta(days=9), "Daily Market", "", "Groceries", -draw.integer(800, 9000))
        ]
        _fill_account(db, draw, id, person.id, "Current account", "current", past)
    ids = list(payees.values())
    _fill_standing(db, draw, ids[0], ids[1:5], ids[5:])
    _fill_messages(db, draw, cast, firms[0].name)
    _fill_preferences(db, draw, cast)


def _balanced(entries: list[_Entry], rest: int) -> list[_Entry]:
    """Return the entries, with salaries set so that about ``rest`` of the income is left."""
    salaries = sum(entry.category == "Income" for entry in entries)
    raise_ = (rest - sum(entry.amount for entry in entries)) // salaries
    return [entry._replace(amount=entry.amount + raise_) if entry.category == "Income" else entry for entry in entries]


def _fill_account(
    db: sqlite3.Connection, draw: Draw, id: int, owner: int, name: str, kind: str, entries: list[_Entry]
) -> None:
    """Write an account whose balance never falls below 100; entries of a day keep their order."""
    entries.sort(key=lambda entry: entry.day)
    balance = low = 0
    for entry in entries:
        balance += entry.amount
        low = min(low, balance)
    opening = max(round(60000 * 11 ** draw.unit()), 10000 - low)  # up to 6600.00, the small ones more often
    balance, rows = opening, []
    for entry in entries:
        balance += entry.amount
        rows.append((id, f"{entry.day}", *entry[1:5], balance, *entry[5:]))
    db.execute("INSERT INTO deposit VALUES (?, ?, ?, ?, ?, ?)", (id, owner, name, kind, _number(draw), balance))
    columns = "deposit, day, party, reference, category, amount, after, card, payee"
    db.executemany(f"INSERT INTO entry ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _past(
    draw: Draw, cast: Cast, first: datetime.date, scale: float, landlord: str, payees: dict[str, int], insurer: str
) -> tuple[list[_Entry], list[_Entry], list[_Entry]]:
    """Return the entries of the user's three accounts, except for bills and friends."""
    employer, salary, rent = (
        draw.choice(cast.companies[10:]).name,
        draw.integer(2600, 3900) * 100,
        draw.integer(700, 1200) * 100,
    )
    premium, saved, holiday = draw.integer(2500, 6000), draw.integer(10, 30) * 1000, draw.integer(4, 12) * 1000
    current: list[_Entry] = []
    into: tuple[list[_Entry], list[_Entry]] = ([], [])
    month = first
    while month <= cast.today:
        when = f"{month:%B %Y}"
        current.append(_Entry(month.replace(day=1), landlord, f"Rent {when}", "Rent", -rent, 0, payees[landlord]))
        current.append(_Entry(month.replace(day=3), insurer, f"Premium {when}", "Insurance", -premium))
        current.append(_Entry(month.replace(day=27), employer, f"Salary {when}", "Income", salary))
        names = (("Savings account", saved), ("Holiday savings", holiday))
        for place, (name, amount) in enumerate(names):
            current.append(_Entry(month.replace(day=5), name, "", "Transfers", -amount))
            into[place].append(_Entry(month.replace(day=5), "Current account", "", "Transfers", amount))
            into[place].append(_Entry(month.replace(day=28), "Interest", when, "Income", draw.integer(120, 990)))
        for category, often, low, high, parties in _HABITS:
            for _ in range(round(often * scale)):
                day = month.replace(day=draw.integer(1, 28))
                current.append(
                    _Entry(
                        day,
                        draw.choice(parties.split(",")),
                        "",
                        category,
                        -draw.integer(low, high),
                        draw.weighted((1, 2, 3), (5, 4, 3)),
                    )
                )
        month = (month + datetime.timedelta(days=32)).replace(day=1)
    return current, *into


def _friends(draw: Draw, cast: Cast, first: datetime.date, names: list[str], months: int) -> list[_Entry]:
    """Return what friends sent, with their messages."""
    found = []
    for _ in range(4 + 2 * months):
        day = draw.day(first, cast.today - datetime.timedelta(days=1))
        event = day - datetime.timedelta(days=draw.integer(0, 6))
        reference = f"{draw.choice(_THANKS)}, {event.day} {event:%B}"
        found.append(_Entry(day, draw.choice(names), reference, "Transfers", draw.integer(500, 9500)))
    return found


def _fill_bills(
    db: sqlite3.Connection, draw: Draw, cast: Cast, first: datetime.date, firms: list[str], payees: dict[str, int]
) -> list[_Entry]:
    """Write the user's bills and payments: one was paid twice, one too low, one never."""
    span = (cast.today - first).days
    kinds = draw.shuffled(["twice", "short", "never", *["once"] * 6])
    numbers = draw.sample(range(10200, 10900), len(kinds))
    numbers[1] = numbers[0] + 1 if numbers[0] + 1 not in numbers else numbers[1]
    entries = []
    for id, (kind, number) in enumerate(zip(kinds, numbers, strict=True), 1):
        firm, amount = draw.choice(firms), draw.integer(2500, 29900)
        paid = first + datetime.timedelta(days=min(span - 8, 2 + id * (span - 12) // len(kinds) + draw.integer(0, 3)))
        due = paid + datetime.timedelta(days=draw.integer(2, 14))
        db.execute("INSERT INTO bill VALUES (?, 1, ?, ?, ?, ?)", (id, firm, f"INV-{number}", amount, f"{due}"))
        for _ in range({"twice": 2, "never": 0}.get(kind, 1)):
            sum = amount - draw.integer(305, 2395) if kind == "short" else amount
            entries.append(_Entry(paid, firm, f"INV-{number}", "Utilities", -sum, 0, payees[firm]))
            paid += datetime.timedelta(days=draw.integer(2, 6))
    return entries


def _fill_cards(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    first = draw.integer(1000, 7999)
    last = f"{first}"
    twin = last[:2] + last[3] + last[2] if last[2] != last[3] else f"{first + 10}"
    rows = [
        (1, 1, "Visa Debit", last, 150000),
        (1, 1, "Visa Debit", twin, 80000),
        (1, 1, "Mastercard Gold", f"{draw.integer(8000, 9999)}", 250000),
    ]
    rows += [
        (person.id, id, "Visa Debit", f"{draw.integer(1000, 9999)}", 100000)
        for id, person in enumerate(cast.people[1:5], 4)
    ]
    db.executemany("INSERT INTO card (owner, deposit, name, last4, maximum) VALUES (?, ?, ?, ?, ?)", rows)


def _fill_standing(db: sqlite3.Connection, draw: Draw, landlord: int, friends: list[int], firms: list[int]) -> None:
    rows = [(landlord, draw.integer(700, 1200) * 100, "Rent", 1)]
    twice, *others = draw.sample([*friends, *firms], 4)
    words = [draw.shuffled(kind) for kind in _MONTHLY]
    for payee in (twice, twice, *others):
        reference = words[payee in firms].pop()
        rows.append((payee, draw.integer(10, 120) * 100 + draw.choice((0, 50)), reference, draw.integer(1, 28)))
    db.executemany(
        "INSERT INTO standing (owner, deposit, payee, amount, reference, day) VALUES (1, 1, ?, ?, ?, ?)", rows
    )


def _fill_preferences(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    """Write each owner's limit; the user's is often below the current account's balance, so that it counts."""
    held = db.execute("SELECT balance FROM deposit WHERE id = 1").fetchone()[0]
    below = [limit for limit in LIMITS if limit < held]
    above = [limit for limit in LIMITS if limit >= held]
    limit = draw.choice(below if below and (not above or draw.chance(0.6)) else above)
    db.executemany(
        "INSERT INTO preference (owner, daily) VALUES (?, ?)",
        [(person.id, limit if person is cast.user else LIMITS[-1]) for person in cast.people],
    )


def _fill_messages(db: sqlite3.Connection, draw: Draw, cast: Cast, firm: str) -> None:
    later = cast.today + datetime.timedelta(days=draw.integer(20, 80))
    towns, fee, rate = (
        draw.sample(cast.towns, 3),
        draw.integer(18, 69) * 100 + draw.choice((0, 50)),
        draw.integer(105, 295),
    )
    texts = [
        (
            "Northway Bank",
            f"Our branch in {towns[0]} moves",
            f"Our branch in {towns[0]} stays open until {later.day} {later:%B} {later.year}. After that you will "
            f"find us in {towns[1]}. Your accounts and cards stay as they are.",
        ),
        (
            "Northway Bank",
            "New interest on savings",
            f"From next month we pay {rate // 100}.{rate % 100:02d} percent a year on savings. Until now it was "
            f"{(rate - 30) // 100}.{(rate - 30) % 100:02d} percent. You need not do anything.",
        ),
        (
            "Northway Bank",
            "The yearly fee of your Mastercard",
            f"The yearly fee of your Mastercard Gold will be {fee // 100}.{fee % 100:02d} EUR. It was "
            f"{(fee - 500) // 100}.{(fee - 500) % 100:02d} EUR so far. The first year with a second card is free.",
        ),
        (
            "Northway Bank",
            "Beware of false calls",
            "We never ask for your password, neither by telephone nor by mail. Hang up and call us.",
        ),
        (
            firm,
            "Your customer account",
            f"Thank you for being a customer of {firm}. Please put the number of the bill into the reference.",
        ),
        (
            "Northway Bank",
            f"Holidays in {towns[2]}",
            f"Our branch in {towns[2]} is closed on the first Monday of the month.",
        ),
        ("Northway Bank", "Your statement is ready", "You find the statement of last month under your accounts."),
    ]
    ages = sorted((draw.integer(1, 70) for _ in texts), reverse=True)
    rows = [
        (*text, f"{cast.today - datetime.timedelta(days=age)}")
        for text, age in zip(draw.shuffled(texts), ages, strict=True)
    ]
    db.executemany("INSERT INTO message (owner, sender, subject, body, sent) VALUES (1, ?, ?, ?, ?)", rows)
    db.execute(
        "INSERT INTO message (owner, sender, subject, body, sent) VALUES (2, 'Northway Bank', 'Your loan', 'It is "
        "granted.', ?)",
        (f"{cast.today}",),
    )
