"""What all booking pages of the travel site share: days, times, and the cards that one pays with."""

import datetime

from turnwise.worlds.web.site import Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup

__all__ = ["arrival", "card_field", "chosen_card", "weekday"]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def weekday(day: datetime.date) -> str:
    """Format a date with its day of the week: ``Tue 2027-05-04``."""
    return f"{_DAYS[day.weekday()]} {day}"


def arrival(departs: str, minutes: int) -> str:
    """Return the time a number of minutes after another."""
    total = int(departs[:2]) * 60 + int(departs[3:]) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"


def card_field(visit: Visit, error: str) -> Markup:
    """Return a list of the visitor's cards, none chosen."""
    cards = visit.rows("SELECT id, label FROM card WHERE owner = ? ORDER BY id", visit.user)
    return m.choices("Card", "card", [("", "Choose a card"), *cards], visit.text("card"), error)


def chosen_card(visit: Visit) -> int:
    """Return the id of the chosen card, or 0 if it is not the visitor's."""
    found: int = visit.get("SELECT id FROM card WHERE id = ? AND owner = ?", visit.whole("card"), visit.user) or 0
    return found
