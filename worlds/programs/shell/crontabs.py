"""Crontabs: read them without trust, evaluate them, and say in words when a job runs.

Source: crontab(5): five fields, lists, ranges and steps; where both the day of the month and the day of the week are
restricted, a job runs on days that match either.
"""

import datetime
import functools
import random
import re
from typing import NamedTuple

__all__ = ["DAYS", "Job", "draw_when", "line_of", "moments", "runs"]

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES: tuple[dict[str, int], ...] = (
    {}, {}, {},
    {name[:3].lower(): number for number, name in enumerate(_MONTHS, 1)},
    {name[:3].lower(): number for number, name in enumerate(DAYS)},
)  # fmt: skip
_FIRST, _NUM_DAYS = datetime.date(2024, 1, 1), 731  # every day of the week on every date of a leap year, nearly
_MAX_LINES, _MAX_CHARS = 300, 500

When = tuple[str, str, str, str, str]
"""The five fields of a line."""


class Job(NamedTuple):
    """A line of a crontab, and when it runs in words."""

    command: str
    fields: When
    words: str


def line_of(job: Job) -> str:
    """Write the line of a job."""
    return f"{' '.join(job.fields)} {job.command}\n"


def _field(text: str, place: int) -> frozenset[int] | None:
    low, high = _BOUNDS[place]
    found: set[int] = set()
    for part in text.lower().split(","):
        match = re.fullmatch(r"(\*|[a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?(?:/(\d{1,2}))?", part)
        if match is None:
            return None
        first, last = (_number(word, place) for word in match.group(1, 2))
        if match[1] == "*":
            first, last = low, high - (place == 4)
        elif match[2] is None:
            last = high if match[3] else first
        step = int(match[3] or 1)
        if (
            first is None
            or last is None
            or not low <= first <= last <= high
            or not step
            or (match[1] == "*" and match[2])
        ):
            return None
        found |= set(range(first, last + 1, step))
    return frozenset(number % 7 if place == 4 else number for number in found)


def _number(word: str | None, place: int) -> int | None:
    if word is None:
        return None
    return int(word) if word.isdecimal() else _NAMES[place].get(word)


@functools.lru_cache(maxsize=4096)
def _compiled(fields: When) -> tuple[frozenset[int], ...] | None:
    sets = [_field(text, place) for place, text in enumerate(fields)]
    known = [found for found in sets if found is not None]
    return tuple(known) if len(known) == 5 else None


def _on(fields: When, sets: tuple[frozenset[int], ...], day: datetime.date) -> bool:
    of_month, of_week = day.day in sets[2], day.isoweekday() % 7 in sets[4]
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    return day.month in sets[3] and (of_month or of_week if either else of_month and of_week)


def runs(fields: When, day: datetime.date) -> list[int]:
    """Return the minutes of a day at which a job runs.

    >>> runs(("0", "8-9", "13", "*", "5"), datetime.date(2024, 3, 13))
    [480, 540]
    """
    sets = _compiled(fields)
    if sets is None or not _on(fields, sets, day):
        return []
    return sorted(hour * 60 + minute for hour in sets[1] for minute in sets[0])


@functools.lru_cache(maxsize=4096)
def _days(fields: When) -> frozenset[int]:
    sets = _compiled(fields)
    if sets is None:
        return frozenset()
    return frozenset(n for n in range(_NUM_DAYS) if _on(fields, sets, _FIRST + datetime.timedelta(n)))


def moments(data: bytes) -> object:
    """Return what a crontab does: when each command runs over two years, and its settings; None if it is not one.

    >>> moments(b"*/30 1 * * 1-2 x") == moments(b"0,30 1 * * mon,tue  x")
    True
    """
    lines = data.decode(errors="replace").splitlines()
    if len(lines) > _MAX_LINES or max(map(len, lines), default=0) > _MAX_CHARS:
        return None
    found: dict[str, list[tuple[frozenset[int], frozenset[int]]]] = {}
    settings: dict[str, object] = {}
    for line in map(str.strip, lines):
        if not line or line.startswith("#"):
            continue
        setting = re.match(r"([A-Z_]+)\s*=\s*(.*)", line)
        if setting:
            settings[f"{setting[1]}="] = setting[2]
            continue
        parts = line.split(None, 5)
        fields: When = (*parts[:5],)  # type: ignore[assignment]
        sets = _compiled(fields) if len(parts) == 6 else None
        if sets is None:
            return None
        times = frozenset(hour * 60 + minute for hour in sets[1] for minute in sets[0])
        found.setdefault(" ".join(parts[5].split()), []).append((_days(fields), times))
    return settings | {command: _united(parts) for command, parts in found.items()}


def _united(parts: list[tuple[frozenset[int], frozenset[int]]]) -> object:
    """Unite the lines of one command: the same set however it is split, and another one if it runs twice at once."""
    parts = [part for part in parts if part[0] and part[1]]
    if len(parts) == 1:
        return frozenset([(parts[0][1], parts[0][0])])
    by_day: dict[int, list[int]] = {}
    for days, times in parts:
        for day in days:
            by_day.setdefault(day, []).extend(times)
    grouped: dict[tuple[int, ...], set[int]] = {}
    for day, minutes in by_day.items():
        grouped.setdefault(tuple(sorted(minutes)), set()).add(day)
    if any(len(set(times)) < len(times) for times in grouped):
        return tuple(sorted((times, tuple(sorted(days))) for times, days in grouped.items()))
    return frozenset((frozenset(times), frozenset(days)) for times, days in grouped.items())


def draw_when(draw: random.Random, hard: bool) -> tuple[When, str]:
    """Draw when a job runs: the fields, and the same in words."""
    hour, minute = draw.randint(0, 23), draw.choice((0, 5, 10, 15, 20, 30, 40, 45, 50))
    at, clock = (str(minute), str(hour)), f"at {hour:02}:{minute:02}"
    day, other = sorted(draw.sample(range(7), 2))
    rule = draw.choice(
        (
            "daily",
            "weekdays",
            "weekly",
            "two",
            "monthly",
            "minutes",
            "hourly",
            *("either", "quarter", "hours", "ends") * hard,
        )
    )
    if rule == "daily":
        return (*at, "*", "*", "*"), f"every day {clock}"
    if rule == "weekdays":
        return (*at, "*", "*", "1-5"), f"Monday to Friday {clock}"
    if rule == "weekly":
        return (*at, "*", "*", str(day)), f"every {DAYS[day]} {clock}"
    if rule == "two":
        return (*at, "*", "*", f"{day},{other}"), f"on {DAYS[day]}s and {DAYS[other]}s {clock}"
    if rule == "monthly":
        date = draw.randint(1, 28)
        return (*at, str(date), "*", "*"), f"on day {date} of every month {clock}"
    if rule == "minutes":
        step, start = draw.choice((10, 15, 20, 30)), draw.randint(0, 15)
        end = start + draw.randint(2, 8)
        words = f"every {step} minutes from {start:02}:00 on, for the last time at {end:02}:{60 - step:02}"
        return (f"*/{step}", f"{start}-{end}", "*", "*", "*"), words
    if rule == "hourly":
        return (
            str(minute),
            "*",
            "*",
            "*",
            "*",
        ), f"once an hour, {minute} minutes past the hour" if minute else "every hour on the hour"
    if rule == "either":
        date = draw.randint(2, 27)
        return (*at, str(date), "*", str(day)), f"on day {date} of every month and on every {DAYS[day]} {clock}"
    if rule == "quarter":
        return (*at, "1", "1,4,7,10", "*"), f"on the first day of each quarter {clock}"
    if rule == "hours":
        step = draw.choice((2, 3, 4, 6))
        return (
            str(minute),
            f"*/{step}",
            "*",
            "*",
            "1-5",
        ), f"Monday to Friday every {step} hours, the first time at 00:{minute:02}"
    months = draw.choice(((6, 8), (11, 12), (1, 3)))
    words = f"on Saturdays and Sundays from {_MONTHS[months[0] - 1]} to {_MONTHS[months[1] - 1]} {clock}"
    return (*at, "*", f"{months[0]}-{months[1]}", "0,6"), words
