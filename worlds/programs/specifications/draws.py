"""Draw arguments for specifications: edge cases, ties, and values suggested by their numbers and letters."""

import datetime
from collections.abc import Sequence
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.specifications.forms import LETTERS

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
"""Limits: the largest number; the largest end of an interval; characters of a text; elements of a nested list."""
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


def _length(draw: Draw, most: int = 12) -> int:
    return draw.below(4) if draw.unit() < 0.15 else 2 + draw.below(most - 1)


def an_int(draw: Draw, hints: Sequence[int | str]) -> int:
    """Draw an integer: near a hint, small, or any."""
    kind = draw.unit()
    if kind < 0.35 and hints:
        hint = hints[draw.below(len(hints))]
        if isinstance(hint, int):
            shifted = hint * (1 + draw.below(3)) + draw.below(5) - 2
            return max(-MAX_INT, min(MAX_INT, -shifted if draw.unit() < 0.2 else shifted))
    if kind < 0.7:
        return draw.below(31) - 10
    if kind < 0.94:
        return draw.below(140) - 40
    return draw.below(2 * MAX_INT + 1) - MAX_INT


def some_ints(draw: Draw, hints: Sequence[int | str], most: int = 12) -> list[int]:
    """Draw integers, sometimes with few distinct values, sometimes with equal neighbours or sorted."""
    count, kind = _length(draw, most), draw.unit()
    if kind < 0.3:
        pool = [an_int(draw, hints) for _ in range(1 + draw.below(4))]
        return [pool[draw.below(len(pool))] for _ in range(count)]
    values = [an_int(draw, hints) for _ in range(count)]
    if kind < 0.5:
        for i in range(1, count):
            if draw.unit() < 0.45:
                values[i] = values[i - 1] if draw.unit() < 0.6 else values[i - 1] + 1
    elif kind < 0.58:
        values.sort(reverse=draw.unit() < 0.5)
    elif kind < 0.66:
        values = [v % 7 for v in values]
    elif kind < 0.72:
        values = [v if draw.unit() < 0.6 else -values[draw.below(count)] for v in values]
    return values


def a_word(draw: Draw, hints: Sequence[int | str]) -> str:
    """Draw a word: often with letters of the hints, or a palindrome."""
    kind = draw.unit()
    if kind < 0.15:
        return LETTERS[draw.below(26)]
    word = "".join(_SYLLABLES[draw.below(len(_SYLLABLES))] for _ in range(1 + draw.below(4)))
    if kind < 0.35:
        letters = [hint for hint in hints if isinstance(hint, str)]
        letter = letters[draw.below(len(letters))] if letters else LETTERS[draw.below(26)]
        word = letter + word if draw.unit() < 0.5 else word + letter
    elif kind < 0.45:
        word += word[::-1]
    elif kind < 0.55:
        word = "".join(LETTERS[draw.below(26)] for _ in range(1 + draw.below(6)))
    elif kind < 0.62:
        word = word[1:] + word[0]
    return word[:12]


def some_words(draw: Draw, hints: Sequence[int | str]) -> list[str]:
    """Draw words, sometimes with equal, reversed or rotated ones."""
    count = _length(draw, 10)
    words = [a_word(draw, hints) for _ in range(count)]
    kind = draw.unit()
    if kind < 0.45:
        for i in range(1, count):
            if draw.unit() < 0.45:
                old = words[draw.below(i)] if draw.unit() < 0.5 else words[i - 1]
                change = draw.unit()
                words[i] = old if change < 0.5 else old[::-1] if change < 0.7 else old[1:] + old[0]
    return words


def some_text(draw: Draw, hints: Sequence[int | str]) -> str:
    """Draw a text of words in different case, numbers, punctuation and spaces."""
    text, mode = "", draw.unit()
    marks = "()" if mode < 0.25 else "#" if mode < 0.35 else MARKS
    for _ in range(_length(draw, 12)):
        kind = draw.unit()
        if kind < 0.5:
            word = a_word(draw, hints)
            case = draw.unit()
            text += word.upper() if case < 0.15 else word.capitalize() if case < 0.4 else word
        elif kind < 0.65:
            text += str(abs(an_int(draw, hints)))
        else:
            text += marks[draw.below(len(marks))]
        if draw.unit() < 0.4:
            text += " " if draw.unit() < 0.7 else "#" if draw.unit() < 0.5 else "("
        if draw.unit() < 0.2 and text:
            text += text[-1]
    return text[:MAX_CHARS]


def some_pairs(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """Draw intervals, often adjacent or nested."""
    pairs: list[list[int]] = []
    for _ in range(_length(draw, 8)):
        if pairs and draw.unit() < 0.4:
            old = pairs[draw.below(len(pairs))]
            kind = draw.unit()
            start = old[1] + 1 if kind < 0.25 else old[1] if kind < 0.5 else old[0] + draw.below(3)
            end = start + draw.below(6) if draw.unit() < 0.7 else old[1]
            start, end = sorted((start, end))
        elif draw.unit() < 0.25 and hints:
            hint = next((h for h in hints if isinstance(h, int)), 0)
            start = draw.below(40) - 20 if draw.unit() < 0.5 else hint - draw.below(4)
            end = start + abs(hint) + draw.below(3) - 1 if draw.unit() < 0.5 else max(start, hint + draw.below(3) - 1)
        else:
            start = draw.below(50) - 20
            end = start + draw.below(18)
        start = max(-MAX_END, min(MAX_END, start))
        pairs.append([start, max(start, min(MAX_END, end))])
    return pairs


def a_grid(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """Draw a grid, sometimes with few distinct numbers."""
    rows, columns = 1 + draw.below(5), 1 + draw.below(5)
    pool = [an_int(draw, hints) for _ in range(3)] if draw.unit() < 0.4 else []
    return [
        [
            0 if draw.unit() < 0.15 else pool[draw.below(3)] if pool else an_int(draw, hints)
            for _ in range(columns)
        ]
        for _ in range(rows)
    ]  # fmt: skip


def a_nested(draw: Draw, hints: Sequence[int | str]) -> list[Any]:
    """Draw a nested list."""
    found = _a_branch(draw, hints, 1)
    while size_of(found) > MAX_NESTED:
        found.pop()
    return found


def _a_branch(draw: Draw, hints: Sequence[int | str], depth: int) -> list[Any]:
    return [
        _a_branch(draw, hints, depth + 1) if depth < 5 and draw.unit() < 0.42 - 0.04 * depth else an_int(draw, hints)
        for _ in range(draw.below(3 if depth > 2 else 5 if depth > 1 else 7))
    ]


def size_of(value: Any) -> int:
    """Count the numbers and lists in a nested list."""
    return sum(1 + size_of(item) for item in value) if type(value) is list else 0


def some_records(draw: Draw, hints: Sequence[int | str]) -> list[dict[str, Any]]:
    """Draw records of a few names and teams, with ties."""
    points = [an_int(draw, hints) for _ in range(4)]
    names = [a_word(draw, hints) for _ in range(6)]
    return [
        {
            "name": names[draw.below(6)],
            "team": _TEAMS[draw.below(3 if draw.unit() < 0.7 else 5)],
            "points": points[draw.below(4)] if draw.unit() < 0.5 else an_int(draw, hints),
        }
        for _ in range(_length(draw, 7))
    ]


def some_dates(draw: Draw, hints: Sequence[int | str]) -> list[list[int]]:
    """Draw dates, often at the ends of months or close to each other."""
    dates: list[datetime.date] = []
    for _ in range(_length(draw, 7)):
        kind = draw.unit()
        if dates and kind < 0.35:
            day = dates[draw.below(len(dates))] + datetime.timedelta(days=draw.below(40) - 8)
        elif kind < 0.55:
            year, month = 1996 + 4 * draw.below(8) + draw.below(2), (1, 2, 3, 6, 7, 12)[draw.below(6)]
            day = datetime.date(year, month, (1, 15, 16, 28, 30, 31)[draw.below(6 if month in (1, 3, 7, 12) else 4)])
        elif kind < 0.62:
            day = datetime.date((1900, 2000, 2100)[draw.below(3)], 2, 28) + datetime.timedelta(days=draw.below(3))
        else:
            day = datetime.date(1950, 1, 1) + datetime.timedelta(days=draw.below(40000))
        dates.append(day if 1900 <= day.year <= 2100 else datetime.date(2000, 2, 29))
    return [[day.year, day.month, day.day] for day in dates]


def some_moves(draw: Draw, hints: Sequence[int | str]) -> str:
    """Draw a walk."""
    moves = ""
    for _ in range(_length(draw, 16)):
        moves += moves[-1] if moves and draw.unit() < 0.25 else "NESW"[draw.below(4 if draw.unit() < 0.8 else 2)]
    return moves


def some_events(draw: Draw, hints: Sequence[int | str]) -> list[list[Any]]:
    """Draw entries of an account, often with equal amounts."""
    events: list[list[Any]] = []
    for _ in range(_length(draw, 10)):
        amount = abs(an_int(draw, hints)) or 1
        if events and draw.unit() < 0.4:
            amount = max(1, events[-1][1] + (draw.below(3) - 1 if draw.unit() < 0.4 else 0))
        events.append(["in" if draw.unit() < 0.5 else "out", min(amount, MAX_INT)])
    return events
