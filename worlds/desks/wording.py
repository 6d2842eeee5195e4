"""Dates, amounts and lists as a desk's policy, tools and people write them."""

import calendar
import datetime
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

__all__ = ["date_of", "date_words", "dollars", "iso", "iso_of", "joined", "json_text", "months_before"]

_JSON = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes an encoder for each call


def iso(date: datetime.date, days: int = 0) -> str:
    """Write the date ``days`` later as ISO 8601."""
    return iso_of(date.toordinal() + days)


@lru_cache(2**15)
def iso_of(ordinal: int) -> str:
    """Write the day of a number, `datetime.date.toordinal`, as ISO 8601."""
    return datetime.date.fromordinal(ordinal).isoformat()


def date_of(text: str) -> datetime.date:
    """Read a date.

    Raises:
        ValueError: It is not written as ISO 8601.
    """
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:20]!r} is not a date; write it like 2026-03-31") from None


def date_words(date: datetime.date) -> tuple[str, ...]:
    """Write a date in several ways, the one that people use first."""
    return (f"{date:%A}, {date:%B} {date.day}", f"{date.day} {date:%B}", f"{date:%B} {date.day}", date.isoformat())


def months_before(date: datetime.date, months: int) -> datetime.date:
    """Return the day this many months earlier; the month's last if it is shorter."""
    year, month = divmod(date.year * 12 + date.month - 1 - months, 12)
    return datetime.date(year, month + 1, min(date.day, calendar.monthrange(year, month + 1)[1]))


def dollars(amount: float) -> str:
    """Write an amount."""
    return f"${amount:,.2f}"


def joined(items: Mapping[str, object] | Sequence[str], unit: str = "", last: str = "and") -> str:
    """Write a list as prose: "a, b and c"; of a mapping, "adults 4 and students 5"."""
    words = [f"{key} {value}{unit}" for key, value in items.items()] if isinstance(items, Mapping) else list(items)
    return ", ".join(words[:-1]) + f" {last} {words[-1]}" if len(words) > 1 else words[0]


def json_text(value: Any) -> str:
    """Write what a tool answers."""
    return _JSON(value)
