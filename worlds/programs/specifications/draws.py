"""Draws arguments of specifications: corners, ties and what the numbers and letters of a specification suggest."""

import datetime
from collections.abc import Sequence
from typing import Any

from turnwise.worlds.programs.specifications.forms import LETTERS
from turnwise.worlds.programs.specifications.steps import Draw

__all__ = [
    "MARKS",
    "MAX_CHARS",
    "MAX_END",
    "MAX_INT",
    "MAX_NESTED",
    "a_grid",
    "a_nested",
    "a_word",
    "an_int",
    "size_of",
    "some_dates",
    "some_events",
    "some_ints",
    "some_moves",
    "some_pairs",
    "some_records",
    "some_text",
    "some_words",
]

MAX_INT, MAX_END, MAX_CHARS, MAX_NESTED = 999, 200, 80, 60
"""The largest number; the largest end of an interval; characters of a text; numbers and lists in a nested list."""
MARKS = " .,;!?()-#"
_SYLLABLES = (
    "a",
    "e",
    "in",
    "or",
    "sta",
    "ri",
    "to",
    "na",
    "el",
    "ess",
    "ott",
    "u",
    "ba",
    "ab",
    "lo",
    "ze",
    "y",
    "s",
    "t",
)
_TEAMS = ("red", "blue", "green", "oak", "elm")


def _below(draw: Draw, count: int) -> int:
    return int(draw() * count)


def _length(draw: Draw, most: int = 12) -> int:
    return _below(draw, 4) if draw() < 0.15 else 2 + _below(draw, most - 1)


def an_int(draw: Draw, hints: Sequence[int | str]) -> int:
    """An integer: near a hint, small, or any."""
    kind = draw()
    if kind < 0.35 and hints:
        hint = hints[_below(draw, len(hints))]
        if isinstance(hint, int):
            shifted = hint * (1 + _below(draw, 3)) + _below(draw, 5) - 2
            return max(-MAX_INT, min(MAX_INT, -shifted if draw() < 0.2 else shifted))
    if kind < 0.7:
        return _below(draw, 31) - 10
    if kind < 0.94:
        return _below(draw, 140) - 40
    return _below(draw, 2 * MAX_INT + 1) - MAX_INT


def some_ints(draw: Draw, hints: Sequence[int | str], most: int = 12) -> list[int]:
    """Integers, in some draws few different ones, in some with equal neighbours or in order."""
    count, kind = _length(draw, most), draw()
    if kind < 0.3:
        pool = [an_int(draw, hints) for _ in range(1 + _below(draw, 4))]
        return [pool[_below(draw, len(pool))] for _ in range(count)]
    values = [an_int(draw, hints) for _ in range(count)]
    if kind < 0.5:
        for i in range(1, count):
            if draw() < 0.45:
                values[i] = values[i - 1] if draw() < 0.6 else values[i - 1] + 1
    elif kind < 0.58:
        values.sort(reverse=draw() < 0.5)
    elif kind < 0.66:
        values = [v % 7 for v in values]
    elif kind < 0.72:
        values = [v if draw() < 0.6 else -values[_below(draw, count)] for v in values]
    return values


def a_word(draw: Draw, hints: Sequence[int | str]) -> str:
    """A word: often with letters of the hints, or a palindrome."""
    kind = draw()
    if kind < 0.15:
        return LETTERS[_below(draw, 26)]
    word = "".join(_SYLLABLES[_below(draw, len(_SYLLABLES))] for _ in range(1 + _below(draw, 4)))
    if kind < 0.35:
        letters = [hint for hint in hints if isinstance(hint, str)]
        letter = letters[_below(draw, len(letters))] if letters else LETTERS[_below(draw, 26)]
        word = letter + word if draw() < 0.5 else word + letter
    elif kind < 0.45:
        word += word[::-1]
    elif kind < 0.55:
        word = "".join(LETTERS[_below(draw, 26)] for _ in range(1 + _below(draw, 6)))
    elif kind < 0.62:
        word = word[1:] + word[0]
    return word[:12]


def some_words(draw: Draw, hints: Sequence[int | str]) -> list[str]:
    """Words, in some draws with equal, reversed or turned ones."""
    count = _length(draw, 10)
    words = [a_word(draw, hints) for _ in range(count)]
    kind = draw()
    if kind < 0.45:
        for i in range(1, count):
            if draw() < 0.45:
                old = words[_below(draw, i)] if draw() < 0.5 else words[i - 1]
                change = draw()
                words[i] = old if change < 0.5 else old[::-1] if change < 0.7 else old[1:] + old[0]
    return words


def some_text(draw: Draw, hints: Sequence[int | str]) -> str:
    """Words of different case, numbers, marks and blanks."""
    text, mode = "", draw()
    marks = "()" if mode < 0.25 else "#" if mode < 0.35 else MARKS
    for _ in range(_length(draw, 12)):
        kind = draw()
        if kind < 0.5:
            word = a_word(draw, hints)
            case = draw()
            text += word.upper() if case < 0.15 else word.capitalize() if case < 0.4 else word
        elif kind < 0.65:
            text += str(abs(an_int(draw, hints)))
        else:
            text += marks[_below(draw, len(marks))]
        if draw() < 0.4:
            text += " " if draw() < 0.7 else "#" if draw() < 0.5 else "("
        if draw() < 0.2 and text:
            text += text[-1]
    return text[:MAX_CHARS]


def some_pairs(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """Intervals, often next to each other or one in another."""
    pairs: list[list[int]] = []
    for _ in range(_length(draw, 8)):
        if pairs and draw() < 0.4:
            old = pairs[_below(draw, len(pairs))]
            kind = draw()
            start = old[1] + 1 if kind < 0.25 else old[1] if kind < 0.5 else old[0] + _below(draw, 3)
            end = start + _below(draw, 6) if draw() < 0.7 else old[1]
            start, end = sorted((start, end))
        elif draw() < 0.25 and hints:
            hint = next((h for h in hints if isinstance(h, int)), 0)
            start = _below(draw, 40) - 20 if draw() < 0.5 else hint - _below(draw, 4)
            end = start + abs(hint) + _below(draw, 3) - 1 if draw() < 0.5 else max(start, hint + _below(draw, 3) - 1)
        else:
            start = _below(draw, 50) - 20
            end = start + _below(draw, 18)
        start = max(-MAX_END, min(MAX_END, start))
        pairs.append([start, max(start, min(MAX_END, end))])
    return pairs


def a_grid(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """A grid, in some draws of few different numbers."""
    rows, columns = 1 + _below(draw, 5), 1 + _below(draw, 5)
    pool = [an_int(draw, hints) for _ in range(3)] if draw() < 0.4 else []
    return [
        [
            0 if draw() < 0.15 else pool[_below(draw, 3)] if pool else an_int(draw, hints)
            for _ in range(columns)
        ]
        for _ in range(rows)
    ]  # fmt: skip


def a_nested(draw: Draw, hints: Sequence[int | str]) -> list[Any]:
    """A nested list."""
    found = _a_branch(draw, hints, 1)
    while size_of(found) > MAX_NESTED:
        found.pop()
    return found


def _a_branch(draw: Draw, hints: Sequence[int | str], depth: int) -> list[Any]:
    return [
        _a_branch(draw, hints, depth + 1) if depth < 5 and draw() < 0.42 - 0.04 * depth else an_int(draw, hints)
        for _ in range(_below(draw, 3 if depth > 2 else 5 if depth > 1 else 7))
    ]


def size_of(value: Any) -> int:
    """Numbers and lists in a nested list."""
    return sum(1 + size_of(item) for item in value) if type(value) is list else 0


def some_records(draw: Draw, hints: Sequence[int | str]) -> list[dict[str, Any]]:
    """Records of a few names and teams, with ties."""
    points = [an_int(draw, hints) for _ in range(4)]
    names = [a_word(draw, hints) for _ in range(6)]
    return [
        {
            "name": names[_below(draw, 6)],
            "team": _TEAMS[_below(draw, 3 if draw() < 0.7 else 5)],
            "points": points[_below(draw, 4)] if draw() < 0.5 else an_int(draw, hints),
        }
        for _ in range(_length(draw, 7))
    ]


def some_dates(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """Dates, often at the ends of months or close to each other."""
    dates: list[datetime.date] = []
    for _ in range(_length(draw, 7)):
        kind = draw()
        if dates and kind < 0.35:
            day = dates[_below(draw, len(dates))] + datetime.timedelta(days=_below(draw, 40) - 8)
        elif kind < 0.55:
            year, month = 1996 + 4 * _below(draw, 8) + _below(draw, 2), (1, 2, 3, 6, 7, 12)[_below(draw, 6)]
            day = datetime.date(year, month, (1, 15, 16, 28, 30, 31)[_below(draw, 6 if month in (1, 3, 7, 12) else 4)])
        elif kind < 0.62:
            day = datetime.date((1900, 2000, 2100)[_below(draw, 3)], 2, 28) + datetime.timedelta(days=_below(draw, 3))
        else:
            day = datetime.date(1950, 1, 1) + datetime.timedelta(days=_below(draw, 40000))
        dates.append(day if 1900 <= day.year <= 2100 else datetime.date(2000, 2, 29))
    return [[day.year, day.month, day.day] for day in dates]


def some_moves(draw: Draw, hints: Sequence[int | str]) -> str:
    """A walk."""
    moves = ""
    for _ in range(_length(draw, 16)):
        moves += moves[-1] if moves and draw() < 0.25 else "NESW"[_below(draw, 4 if draw() < 0.8 else 2)]
    return moves


def some_events(draw: Draw, hints: Sequence[int | str]) -> list[list[Any]]:
    """Entries of an account, often of equal amounts."""
    events: list[list[Any]] = []
    for _ in range(_length(draw, 10)):
        amount = abs(an_int(draw, hints)) or 1
        if events and draw() < 0.4:
            amount = max(1, events[-1][1] + (_below(draw, 3) - 1 if draw() < 0.4 else 0))
        events.append(["in" if draw() < 0.5 else "out", min(amount, MAX_INT)])
    return events
