"""The library's database: branches, members, titles, copies, loans, holds, fines, rooms and bookings."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.library.rules import KINDS, Rules
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import FIRST, LAST, TOWNS, listed

__all__ = ["Database", "Filling"]

Database = dict[str, dict[str, dict[str, Any]]]
_LEADS = listed(
    """
    Salt Silver Paper Winter Crooked Hollow Amber Distant Glass Iron Quiet Borrowed Wandering Copper Midnight
    Northern Broken Scarlet Forgotten Velvet Second Burning Hidden Painted Restless Narrow Golden Stolen Last
    Drowned
    """
)
_THINGS = listed(
    """
    Road Harbour Garden Lantern Orchard Bridge Map Letter Clock River Mountain Kingdom Season Mirror Island
    Station Violin Library Tide Window Forest Crown Passage Meadow Compass Archive Staircase Market Comet
    Lighthouse
    """
)
_REFERENCE = ("Atlas", "Dictionary", "Encyclopedia", "Handbook", "Almanac", "Register")
_SUBJECTS = ("Alpine Plants", "Coastal Birds", "Shipbuilding", "Place Names", "Medieval Law", "Folk Songs", "Minerals",
             "Bridges", "Surnames", "Printing")  # fmt: skip
_STREETS = ("Main Library", "Riverside", "Hillcrest", "Station Road", "Old Mill", "Parkside")


class Filling:
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The library's policy, for dates and likely values.
        people: Members.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        self.draw, self.rules, self.today = draw, rules, rules.today
        self.town = draw.choice(TOWNS)
        self.branches = draw.sample(list(_STREETS), 4)
        self.tables: Database = {
            name: {} for name in ("members", "titles", "copies", "loans", "holds", "fines", "rooms", "bookings")
        }
        self._titles: set[str] = set()
        self._names: set[str] = set()
        self._numbers = {"members": 1000, "titles": 300, "copies": 9000, "loans": 4000, "holds": 700, "fines": 600,
                         "rooms": 10, "bookings": 200}  # fmt: skip
        for branch in self.branches:
            for seats in draw.sample([2, 4, 6, 8, 10, 12], 3):
                self.add("rooms", "R", branch=branch, seats=seats, screen=draw.chance(0.5))
        for _ in range(max(20, people // 2)):
            self.title()
        for _ in range(people):
            self.member()
        members = list(self.tables["members"])
        for member in members:
            for _ in range(draw.integer(0, 3)):
                self.loan(member)
            if draw.chance(0.3):
                self.hold(member)
            if draw.chance(0.25):
                self.fine(member)
            if draw.chance(0.15):
                self.booking(member)

    def add(self, table: str, prefix: str, **row: Any) -> str:
        """Add a row under the next key, and return the key."""
        self._numbers[table] += self.draw.integer(1, 3)
        key = f"{prefix}{self._numbers[table]}"
        self.tables[table][key] = row
        return key

    def title(self, category: str = "", copies: int = 0) -> str:
        """Add a title and its copies."""
        draw = self.draw
        category = category or draw.weighted(("book", "film", "game", "reference"), (6, 2, 1, 1))
        while True:
            if category == "reference":
                name = f"{draw.choice(_REFERENCE)} of {draw.choice(_SUBJECTS)}"
                if name in self._titles:
                    name = f"{draw.choice(LAST)}'s {name}"
            else:
                name = f"The {draw.choice(_LEADS)} {draw.choice(_THINGS)}"
            if name not in self._titles:
                break
        self._titles.add(name)
        author = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
        key = self.add("titles", "T", title=name, by=author, category=category, year=draw.integer(1962, 2025),
                       price=draw.integer(18, 90) * 0.5)  # fmt: skip
        for _ in range(copies or draw.integer(1, 3)):
            self.add("copies", "C", title_id=key, branch=draw.choice(self.branches), status="available")
        return key

    def any_title(self, *categories: str) -> str:
        """Return a title of one of the categories."""
        return self.draw.choice([k for k, row in self.tables["titles"].items() if row["category"] in categories])

    def member(self, **known: Any) -> str:
        """Add a member."""
        draw = self.draw
        while True:
            name = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
            if name not in self._names:
                break
        self._names.add(name)
        kind = known.get("kind") or draw.weighted(KINDS, (5, 3, 2, 1))
        age = {"adult": (24, 64), "student": (16, 29), "senior": (65, 88), "child": (7, 13)}[kind]
        first, _, last = name.partition(" ")
        row = {
            "name": name,
            "kind": kind,
            "birth_date": iso(self.today, -365 * draw.integer(*age) - draw.below(360)),
            "postcode": f"{draw.integer(10, 99)}{draw.integer(100, 999)}",
            "email": f"{first}.{last}{draw.integer(1, 99)}@{draw.either('mail', 'post', 'inbox')}.example".lower(),
            "phone": f"555-{draw.integer(1000, 9999)}",
            "card_number": f"{draw.integer(2000, 9999)}-{draw.integer(1000, 9999)}",
            "expires": iso(self.today, draw.integer(40, 700)),
            "home_branch": draw.choice(self.branches),
        }
        return self.add("members", "M", **{**row, **known})

    def loan(self, member: str, category: str = "", **known: Any) -> str:
        """Lend a copy: of a new title if a category is given, else of any book."""
        draw = self.draw
        title = known.pop("title_id", None) or (self.title(category) if category else self.any_title("book"))
        copy = self.add("copies", "C", title_id=title, branch=draw.choice(self.branches), status="on loan")
        due = known.get("due") or iso(self.today, draw.integer(-12, 20))
        row = {
            "member_id": member, "title_id": title, "copy_id": copy, "due": due,
            "borrowed": iso(datetime.date.fromisoformat(due), -draw.integer(14, 40)), "renewals": draw.integer(0, 2),
        }  # fmt: skip
        return self.add("loans", "L", **{**row, **known})

    def hold(self, member: str, **known: Any) -> str:
        """Place a hold."""
        draw = self.draw
        title = known.pop("title_id", None) or self.any_title("book", "film", "game")
        row = {"member_id": member, "title_id": title, "branch": draw.choice(self.branches),
               "placed": iso(self.today, -draw.integer(1, 60)), "status": "waiting"}  # fmt: skip
        return self.add("holds", "H", **{**row, **known})

    def fine(self, member: str, **known: Any) -> str:
        """Add a fine."""
        draw = self.draw
        status = known.get("status") or draw.weighted(("open", "paid", "waived"), (3, 4, 1))
        created = known.get("created") or iso(self.today, -draw.integer(3, 500))
        closed = "" if status == "open" else min(iso(self.today), iso(datetime.date.fromisoformat(created), 9))
        row = {"member_id": member, "amount": draw.integer(4, 60) * 0.25, "created": created, "status": status,
               "reason": draw.weighted(("overdue", "lost", "damaged"), (6, 1, 1)), "closed": closed}  # fmt: skip
        return self.add("fines", "F", **{**row, **known})

    def booking(self, member: str, **known: Any) -> str:
        """Book a room."""
        draw = self.draw
        row = {"member_id": member, "room_id": draw.choice(list(self.tables["rooms"])),
               "date": iso(self.today, draw.integer(1, 12)), "start": draw.integer(9, 17), "hours": draw.integer(1, 2),
               "people": 2}  # fmt: skip
        return self.add("bookings", "B", **{**row, **known})
