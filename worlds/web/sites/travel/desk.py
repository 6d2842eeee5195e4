"""What all counters of the travel site share: days, times and numbers in words, and the cards that one pays with."""

import datetime

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Visit, WebSite

__all__ = ["Desk", "arrival", "weekday"]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def weekday(day: datetime.date) -> str:
    """A date with its day of the week: ``Tue 2027-05-04``."""
    return f"{_DAYS[day.weekday()]} {day}"


def arrival(departs: str, minutes: int) -> str:
    """The time some minutes after another one."""
    total = int(departs[:2]) * 60 + int(departs[3:]) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"


class Desk(WebSite):
    """Where one pays."""

    def card_field(self, visit: Visit, error: str) -> Markup:
        """The visitor's cards, none chosen."""
        cards = visit.rows("SELECT id, label FROM card WHERE owner = ? ORDER BY id", visit.user)
        return m.choices("Card", "card", [("", "Choose a card"), *cards], visit.text("card"), error)

    def card(self, visit: Visit) -> int:
        """Id of the chosen card; 0 where it is not the visitor's."""
        found: int = visit.get("SELECT id FROM card WHERE id = ? AND owner = ?", visit.whole("card"), visit.user) or 0
        return found
