"""The library's database: branches, members, titles, copies, loans, holds, fines, rooms and bookings."""

import datetime
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.desks.filling import Database, Filler, tickets
from turnwise.worlds.desks.library.rules import KINDS, Rules
from turnwise.worlds.desks.wording import iso
from turnwise.worlds.names import FIRST, LAST, TOWNS, listed

__all__ = ["Database", "Filling"]

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


_TABLES = {"members": ("M", 1000), "titles": ("T", 300), "copies": ("C", 9000), "loans": ("L", 4000),
           "holds": ("H", 700), "fines": ("F", 600), "rooms": ("R", 10), "bookings": ("B", 200)}  # fmt: skip
_CATEGORIES = tickets(("book", "film", "game", "reference"), (6, 2, 1, 1))
_KINDS = tickets(KINDS, (5, 3, 2, 1))
_AGES = {"adult": (24, 64), "student": (16, 29), "senior": (65, 88), "child": (7, 13)}
_STATUSES = tickets(("open", "paid", "waived"), (3, 4, 1))
_REASONS = tickets(("overdue", "lost", "damaged"), (6, 1, 1))


class Filling(Filler):
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        rules: The library's policy, for dates and likely values.
        people: Members.
    """

    def __init__(self, draw: Draw, rules: Rules, people: int) -> None:
        super().__init__(draw, _TABLES)
        self.rules, self.today = rules, rules.today
        self.town = draw.choice(TOWNS)
        self.branches = draw.sample(_STREETS, 4)
        self._of: dict[tuple[str, ...], list[str]] = {}  # titles by categories
        for branch in self.branches:
            for seats in draw.sample([2, 4, 6, 8, 10, 12], 3):
                self.new["rooms"]({"branch": branch, "seats": seats, "screen": draw.chance(0.5)})
        for _ in range(max(20, people // 2)):
            self.title()
        members = [self.member() for _ in range(people)]
        for member in members:
            for _ in range(draw.integer(0, 3)):
                self.loan(member)
            if draw.chance(0.3):
                self.hold(member)
            if draw.chance(0.25):
                self.fine(member)
            if draw.chance(0.15):
                self.booking(member)

    def title(self, category: str = "", copies: int = 0) -> str:
        """Add a title and its copies."""
        draw = self.draw
        category = category or draw.choice(_CATEGORIES)
        while True:
            if category == "reference":
                name = f"{draw.choice(_REFERENCE)} of {draw.choice(_SUBJECTS)}"
                if name in self.taken:
                    name = f"{draw.choice(LAST)}'s {name}"
            else:
                name = f"The {draw.choice(_LEADS)} {draw.choice(_THINGS)}"
            if name not in self.taken:
                break
        self.taken.add(name)
        author = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
        key = self.new["titles"]({"title": name, "by": author, "category": category, "year": draw.integer(1962, 2025),
                                  "price": draw.integer(18, 90) * 0.5})  # fmt: skip
        self._of.clear()
        for _ in range(copies or draw.integer(1, 3)):
            self.new["copies"]({"title_id": key, "branch": draw.choice(self.branches), "status": "available"})
        return key

    def any_title(self, *categories: str) -> str:
        """Return a title of one of the categories."""
        found = self._of.get(categories)
        if found is None:
            titles = self.tables["titles"].items()
            found = self._of[categories] = [key for key, row in titles if row["category"] in categories]
        return self.draw.choice(found)

    def member(self, **known: Any) -> str:
        """Add a member."""
        draw, integer = self.draw, self.draw.integer
        name = self.name()
        kind = known.get("kind") or draw.choice(_KINDS)
        return self.new["members"]({
            "name": name,
            "kind": kind,
            "birth_date": iso(self.today, -365 * integer(*_AGES[kind]) - draw.below(360)),
            "postcode": f"{integer(10, 99)}{integer(100, 999)}",
            "email": self.email(name),
            "phone": self.phone_number(),
            "card_number": f"{integer(2000, 9999)}-{integer(1000, 9999)}",
            "expires": iso(self.today, integer(40, 700)),
            "home_branch": draw.choice(self.branches),
            **known,
        })  # fmt: skip

    def loan(self, member: str, category: str = "", **known: Any) -> str:
        """Lend a copy: of a new title if a category is given, else of any book."""
        draw, integer = self.draw, self.draw.integer
        title = known.pop("title_id", None) or (self.title(category) if category else self.any_title("book"))
        copy = self.new["copies"]({"title_id": title, "branch": draw.choice(self.branches), "status": "on loan"})
        due = known.get("due") or iso(self.today, integer(-12, 20))
        return self.new["loans"]({
            "member_id": member, "title_id": title, "copy_id": copy, "due": due,
            "borrowed": iso(datetime.date.fromisoformat(due), -integer(14, 40)), "renewals": integer(0, 2), **known,
        })  # fmt: skip

    def hold(self, member: str, **known: Any) -> str:
        """Place a hold."""
        draw = self.draw
        title = known.pop("title_id", None) or self.any_title("book", "film", "game")
        return self.new["holds"]({
            "member_id": member, "title_id": title, "branch": draw.choice(self.branches),
            "placed": iso(self.today, -draw.integer(1, 60)), "status": "waiting", **known,
        })  # fmt: skip

    def fine(self, member: str, **known: Any) -> str:
        """Add a fine."""
        draw = self.draw
        status = known.get("status") or draw.choice(_STATUSES)
        created = known.get("created") or iso(self.today, -draw.integer(3, 500))
        closed = "" if status == "open" else min(iso(self.today), iso(datetime.date.fromisoformat(created), 9))
        return self.new["fines"]({
            "member_id": member, "amount": draw.integer(4, 60) * 0.25, "created": created, "status": status,
            "reason": draw.choice(_REASONS), "closed": closed, **known,
        })  # fmt: skip

    def booking(self, member: str, **known: Any) -> str:
        """Book a room."""
        draw = self.draw
        return self.new["bookings"]({
            "member_id": member, "room_id": draw.choice(list(self.tables["rooms"])),
            "date": iso(self.today, draw.integer(1, 12)), "start": draw.integer(9, 17), "hours": draw.integer(1, 2),
            "people": 2, **known,
        })  # fmt: skip
