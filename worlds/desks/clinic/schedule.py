"""When practitioners are free."""

import datetime

from turnwise.worlds.desks.store import Store

__all__ = ["GRID", "afternoon", "clock_text", "free_times", "minutes_of"]

GRID = 20
"""Appointments begin at a multiple of so many minutes after the practitioner does."""


def minutes_of(time: str) -> int:
    """Return the minute of the day of a time such as 09:20.

    Raises:
        ValueError: It is not written like that.
    """
    hours, colon, minutes = time.partition(":")
    if not (colon and len(time) == 5 and time.isascii() and hours.isdigit() and minutes.isdigit()):
        raise ValueError(f"{time[:20]!r} is not a time; write it like 09:20")
    return int(hours) * 60 + int(minutes)


def clock_text(minute: int) -> str:
    """Write a minute of the day as a time."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def afternoon(time: str) -> bool:
    """Return whether a time is in the afternoon."""
    return time >= "12:00"


def free_times(store: Store, practitioner: str, date: datetime.date, minutes: int) -> list[str]:
    """Return the times on a day at which a practitioner has this many minutes, earliest first."""
    row = store.row("practitioners", practitioner)
    day = date.isoformat()
    if f"{date:%A}" not in row["days"] or day <= row["away_until"]:
        return []
    taken = [
        (minutes_of(one["start"]), minutes_of(one["start"]) + one["minutes"])
        for _, one in store.rows("appointments", practitioner_id=practitioner, date=day, status="booked")
    ]
    first, last = minutes_of(row["from"]), minutes_of(row["to"]) - minutes
    return [
        clock_text(start)
        for start in range(first, last + 1, GRID)
        if all(start >= end or start + minutes <= begin for begin, end in taken)
    ]
