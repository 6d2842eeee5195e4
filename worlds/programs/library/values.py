"""Arguments for the functions of the library, drawn so that edge cases are frequent."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.domains import ALLOWED

__all__ = ["VALUES", "related"]

_WORDS = ("milk", "rice", "salt", "tea", "bread", "cheese", "honey", "flour", "apple", "pepper")
_FEW = ("milk", "rice", "salt", "tea")
_JOBS = ("backup", "index", "report", "sync", "mail")
_PEOPLE = ("ann", "ben", "eva", "tom")
_MARKS = (" ", " ", " ", ", ", ". ", "  ", " - ", "; ")


def _ints(draw: Draw) -> list[int]:
    top = 6 if draw.unit() < 0.5 else 30
    return [draw.integer(-4, top) for _ in range(draw.integer(0, 9))]


def _naturals(draw: Draw) -> list[int]:
    top = 6 if draw.unit() < 0.4 else 40
    return [draw.integer(1, top) for _ in range(draw.integer(1, 8))]


def _words(draw: Draw) -> list[str]:
    pool = _FEW if draw.unit() < 0.7 else _WORDS
    return [_cased(draw, draw.choice(pool)) for _ in range(draw.integer(0, 9))]


def _cased(draw: Draw, word: str) -> str:
    return word.capitalize() if draw.unit() < 0.2 else word


_NOTES = (
    "{Word} and {other}", "{number} {word}", "{word}, {other}", "{Word} with {other}", "no {word}", "{Word} - {number}",
    "{word}", "{Word} {other}", "{other} or {word} {word}",
)  # fmt: skip


_SHORT = ("tea", "tea", "rice", "no", "or", "2", "a", "salt", "Tea")


def _text(draw: Draw) -> str:
    """Draw a note from a kitchen: a few remarks, written in a hurry, or a few short words, which fit into a line."""
    if draw.chance(0.3):
        return " ".join(draw.choice(_SHORT) for _ in range(draw.integer(2, 5)))
    pool = _FEW if draw.unit() < 0.5 else _WORDS
    parts = []
    for _ in range(draw.integer(0, 4)):
        word, other = draw.choice(pool), draw.choice(pool)
        note = draw.choice(_NOTES)
        parts += [
            note.format(word=word, Word=word.capitalize(), other=other, number=draw.integer(0, 120)),
            draw.choice(_MARKS),
        ]
    return "".join(parts[:-1]) if draw.unit() < 0.6 else "".join(parts)


def _spans(draw: Draw) -> list[tuple[int, int]]:
    found = []
    for _ in range(draw.integer(0, 6)):
        start = draw.integer(0, 20)
        found.append((start, start + draw.integer(0, 6)))
    return found


def _pairs(draw: Draw) -> list[tuple[str, int]]:
    return [
        (draw.choice(_FEW if draw.unit() < 0.6 else _WORDS), draw.integer(0, 12)) for _ in range(draw.integer(0, 8))
    ]


def _edges(draw: Draw) -> list[tuple[int, int]]:
    size = draw.integer(3, 7)
    return [(draw.integer(0, size), draw.integer(0, size)) for _ in range(draw.integer(0, 9))]


def _grid(draw: Draw) -> list[list[int]]:
    width = draw.integer(1, 4)
    top = 1 if draw.unit() < 0.4 else 9
    return [[draw.integer(0, top) for _ in range(width)] for _ in range(draw.integer(1, 4))]


def _date(draw: Draw) -> tuple[int, int, int]:
    year = (1900, 2000, 2023, 2024)[draw.below(4)] if draw.unit() < 0.7 else draw.integer(1995, 2035)
    month = draw.integer(1, 12) if draw.unit() < 0.6 else (1, 2, 3, 12)[draw.below(4)]
    return (year, month, (1, 28, 15)[draw.below(3)] if draw.unit() < 0.6 else draw.integer(1, 28))


def _path(draw: Draw) -> str:
    parts = [draw.choice(("a", "b", "c", ".", "..", "..", "", "lib")) for _ in range(draw.integer(1, 7))]
    return ("/" if draw.unit() < 0.3 else "") + "/".join(parts)


def _expression(draw: Draw, depth: int = 0) -> str:
    parts = []
    for number in range(draw.integer(1, 4)):
        if number:
            parts.append(draw.choice(("+", "-", "*", "*", "-")))
        inner = draw.unit() < 0.25 and depth < 2
        parts.append(f"({_expression(draw, depth + 1)})" if inner else str(draw.integer(0, 12)))
    return (" " if draw.unit() < 0.6 else "").join(parts)


def _brackets(draw: Draw) -> str:
    text = ""
    for _ in range(draw.integer(0, 5)):
        pair = draw.choice(("()", "[]", "{}", "()"))
        text = f"{pair[0]}{text}{pair[1]}" if draw.unit() < 0.5 else text + pair
    if draw.unit() < 0.5 and text:
        at = draw.integer(0, len(text) - 1)
        text = text[:at] + draw.choice(("", "(", "]", "x")) + text[at + 1 :]
    return text


def _decimal(draw: Draw) -> str:
    decimals = "".join(str(draw.integer(0, 9)) for _ in range(draw.integer(0, 3)))
    return f"{draw.integer(0, 40)}.{decimals}" if decimals else str(draw.integer(0, 40))


def _packed(draw: Draw) -> str:
    return "".join(draw.choice(("a", "b", "b", "c")) * draw.integer(1, 4) for _ in range(draw.integer(0, 6)))


def _parents(draw: Draw) -> list[int]:
    return [-1, *(draw.integer(0, child - 1) for child in range(1, draw.integer(2, 9)))]


def _ballots(draw: Draw) -> list[list[str]]:
    ballots = []
    for _ in range(draw.integer(1, 7)):
        left = ["ann", "ben", "eva"] + (["tom"] if draw.unit() < 0.5 else [])
        ballots.append([draw.take(left) for _ in range(draw.integer(1, len(left)))])
    return ballots


def _jobs(draw: Draw) -> list[tuple[str, int, int]]:
    return [
        (f"{draw.choice(_JOBS)}{number}", draw.integer(0, 8), draw.integer(1, 4))
        for number in range(draw.integer(0, 6))
    ]


def _cache_steps(draw: Draw) -> list[tuple[str, str, int]]:
    return [
        (draw.choice(("get", "put", "put", "get", "drop")), draw.choice(_FEW), draw.integer(0, 20))
        for _ in range(draw.integer(4, 14))
    ]


def _payments(draw: Draw) -> list[tuple[str, str, int]]:
    found = []
    for _ in range(draw.integer(3, 10)):
        kind = draw.choice(("deposit", "deposit", "withdraw", "move"))
        who = draw.choice(("ann", "bob")) + (":" + draw.choice(("ann", "bob", "cid")) if kind == "move" else "")
        found.append((kind, who, draw.integer(0, 30)))
    return found


def _pictures(draw: Draw) -> list[tuple[str, int]]:
    names = ("beach", "hill", "cat", "boat", "party")
    return [(draw.choice(names), draw.integer(5, 40)) for _ in range(draw.integer(0, 8))]


def _moves(draw: Draw) -> list[tuple[str, int]]:
    return [(draw.choice(_FEW), draw.integer(-8, 12)) for _ in range(draw.integer(1, 10))]


def _keys(draw: Draw) -> list[str]:
    signals = ("push", "push", "push", "coin", "kick", "reset") if draw.unit() < 0.6 else ("coin", "push", "coin")
    return [draw.choice(signals) for _ in range(draw.integer(1, 12))]


def _edits(draw: Draw) -> list[str]:
    return [draw.choice(("a", "b", "cd", "undo", "undo", "redo", "x")) for _ in range(draw.integer(1, 12))]


def _spaced(draw: Draw, text: str) -> str:
    return text if draw.chance(0.7) else f" {text} " if draw.chance(0.5) else f"{text} "


def _cell(draw: Draw) -> str:
    pick = draw.below(10)
    if pick < 2:
        return ""
    if pick < 4:
        return draw.choice(("Smith, Ann", 'the "best"', "a, b", 'say "hi", then', '"'))
    return draw.choice((*_WORDS, "12", "7.50", "New York"))


def _csv_line(draw: Draw) -> str:
    parts = []
    for _ in range(draw.integer(1, 4)):
        cell = _cell(draw)
        quoted = "," in cell or '"' in cell or draw.chance(0.15)
        doubled = cell.replace('"', '""')
        parts.append(f'"{doubled}"' if quoted else _spaced(draw, cell))
    return ",".join(parts)


def _csv_lines(draw: Draw) -> list[str]:
    header = [draw.choice(("name", "town", "fee", "name")) for _ in range(draw.integer(1, 3))]
    lines = [",".join(header), *("" if draw.chance(0.15) else _csv_line(draw) for _ in range(draw.integer(0, 4)))]
    return lines if draw.chance(0.9) else lines[1:2]


def _member_lines(draw: Draw) -> list[str]:
    lines = ["name,town,fee"]
    for _ in range(draw.integer(0, 5)):
        name = draw.choice(("Ann Lee", "Ben Fox", '"Lee, Ann"', "Eva Ruiz-Berg", "", "tom hill"))
        town = draw.choice(("York", "york", "Bath", " Bath ", "Leeds"))
        lines.append(f"{name},{town},{draw.choice(('12', '7', '', 'free', '20'))}")
    return lines if draw.chance(0.9) else []


def _version(draw: Draw) -> str:
    parts = [str(draw.choice((0, 1, 1, 2, 3, 9, 10, 12))) for _ in range(draw.integer(1, 3))]
    first = "v" if draw.chance(0.08) else ""
    return first + ".".join(parts) + (f"-rc{draw.integer(1, 3)}" if draw.chance(0.25) else "")


def _versions(draw: Draw) -> list[str]:
    found = [_version(draw) for _ in range(draw.integer(0, 6))]
    return [version if draw.chance(0.5) else f"1.{draw.integer(0, 11)}" for version in found]


def _projects(draw: Draw) -> list[tuple[str, str]]:
    names = [draw.choice(("shop", "blog", "api", "docs")) for _ in range(draw.integer(0, 4))]
    return [(name, f"1.{draw.integer(0, 6)}" if draw.chance(0.7) else _version(draw)) for name in names]


def _duration(draw: Draw) -> str:
    units = (("d", 2), ("h", 12), ("m", 70), ("s", 90))
    parts = [f"{draw.integer(0, top)}{unit}" for unit, top in units if draw.chance(0.4)]
    if not parts or draw.chance(0.15):
        parts.append(str(draw.integer(0, 90)))
    return (" " if draw.chance(0.7) else "").join(parts) if parts[-1][-1].isalpha() else " ".join(parts)


def _ini_lines(draw: Draw) -> list[str]:
    lines = []
    for _ in range(draw.integer(0, 7)):
        pick = draw.below(10)
        if pick < 2:
            lines.append(f"[{draw.choice(('mail', 'web', ' web '))}]")
        elif pick < 3:
            lines.append(draw.choice(("# a comment", "; port = 1", "", "no value here")))
        else:
            key = draw.choice(("port", "host", "Debug", "debug", "PORT"))
            value = draw.choice(("80", "443", "on", "Yes", "", "off"))
            lines.append(f"{key} = {value}" if draw.chance(0.7) else f"{key}={value}")
    return lines


def _query(draw: Draw) -> str:
    parts = []
    for _ in range(draw.integer(0, 5)):
        name = draw.choice(("q", "page", "size", "utm_source", "utm_id", "page"))
        parts.append("" if draw.chance(0.1) else name if draw.chance(0.12) else
                     f"{name}={draw.choice(('1', '2', 'red+shoes', '', 'a=b', 'new'))}")  # fmt: skip
    return ("?" if draw.chance(0.2) else "") + "&".join(parts)


def _search(draw: Draw) -> str:
    parts = [f"q={draw.choice(('tea', 'green+tea', '', 'Tea', 'rice'))}"] if draw.chance(0.7) else []
    parts += [f"page={draw.choice(('1', '2', '3', '0', 'x', '2'))}"] if draw.chance(0.6) else []
    parts += [f"size={draw.choice(('1', '2', '4', '0'))}"] if draw.chance(0.5) else []
    return "&".join(parts)


def _title(draw: Draw) -> str:
    words = ("the", "of", "a", "and", "War", "Peace", "garden", "2024", "news:", "spring,", "New-York", "It's", "Birds")
    return (" " if draw.chance(0.8) else "  ").join(draw.choice(words) for _ in range(draw.integer(0, 7)))


def _titles(draw: Draw) -> list[str]:
    pool = ("News", "news!", "The News", "Spring fair", "spring-fair", "A")
    return [draw.choice(pool) for _ in range(draw.integer(0, 7))]


def _shifts(draw: Draw) -> list[tuple[int, int, int]]:
    found = []
    for _ in range(draw.integer(0, 6)):
        start = 60 * draw.integer(5, 22) + draw.choice((0, 0, 15, 30))
        length = draw.choice((240, 360, 360, 375, 480, 495, 600, 30))
        found.append((draw.integer(0, 5), start, (start + length) % 1440))
    return found


def _marks(draw: Draw) -> list[int]:
    return [draw.choice((0, 50, 60, 65, 70, 79, 80, 89, 90, 100, 74, 83)) for _ in range(draw.integer(0, 6))]


def _scores(draw: Draw) -> list[tuple[str, int]]:
    names = ["ann", "ben", "eva", "tom", "ida", "max"]
    points = (50, 59, 65, 70, 80, 80, 88, 90, 95, 40, 0)
    return [(draw.take(names), draw.choice(points)) for _ in range(draw.integer(0, 6))]


_TEAMS = ("Rovers", "United", "Albion", "City")


def _results(draw: Draw) -> list[tuple[str, str, int, int]]:
    found = []
    for _ in range(draw.integer(0, 8)):
        teams = list(_TEAMS)
        found.append((draw.take(teams), draw.take(teams), draw.integer(0, 3), draw.integer(0, 3)))
    return found


def _price_steps(draw: Draw) -> list[tuple[int, int]]:
    start, found = draw.choice((0, 0, 0, 5)), []
    for _ in range(draw.integer(1, 4)):
        found.append((start, draw.integer(1, 30)))
        start += draw.choice((5, 10, 10, 25))
    return found


def _lots(draw: Draw) -> list[tuple[int, int]]:
    return [(draw.integer(0, 12), draw.choice((5, 5, 7, 8, 10, 3))) for _ in range(draw.integer(0, 5))]


def _times(draw: Draw) -> list[int]:
    now, found = draw.integer(0, 3), []
    for _ in range(draw.integer(0, 10)):
        now += draw.choice((0, 0, 1, 1, 2, 3, 5, 10))
        found.append(now)
    return found


def _visits(draw: Draw) -> list[tuple[str, int]]:
    return [(draw.choice(_PEOPLE[:3]), time) for time in _times(draw)]


def _log_lines(draw: Draw) -> list[str]:
    minute, lines = draw.integer(0, 1400), []
    for _ in range(draw.integer(0, 8)):
        if draw.chance(0.15):
            lines.append(draw.choice(("  retrying", "at line 7", "", "09:00 NOTE web: x")))
            continue
        minute = (minute + draw.choice((0, 1, 5, 30, 45, 90))) % 1440
        level = draw.choice(("DEBUG", "INFO", "WARNING", "ERROR", "ERROR"))
        message = draw.choice(("timeout", "Timeout", "disk full", "user logged in", "started"))
        lines.append(f"{minute // 60:02d}:{minute % 60:02d} {level} {draw.choice(('web', 'mail', 'db'))}: {message}")
    return lines


def _readings(draw: Draw) -> list[int]:
    return [draw.choice((5, 10, 12, 18, 20, 21, 25, 30, 30)) for _ in range(draw.integer(0, 10))]


def _failing(draw: Draw) -> list[int]:
    return [-99 if draw.chance(0.25) else value for value in _readings(draw)]


def _tickets(draw: Draw) -> list[tuple[str, int, int]]:
    return [(f"T{number}", draw.integer(1, 4), draw.integer(0, 7)) for number in _some(draw, (1, 2, 3, 4, 5, 6))]


def _some(draw: Draw, items: tuple[int, ...]) -> list[int]:
    left = list(items)
    return [draw.take(left) for _ in range(draw.integer(0, len(items)))]


def _products(draw: Draw) -> list[str]:
    pool = ("green tea", "Black Tea", "rice", "tea pot", "brown rice", "salt", "Tea towel", "Rice cooker")
    return [draw.choice(pool) for _ in range(draw.integer(0, 9))]


def _prices(draw: Draw) -> dict[str, int]:
    return {name: draw.choice((50, 120, 120, 199, 250)) for name in _FEW if draw.chance(0.85)}


def _repairs(draw: Draw) -> list[tuple[str, int, str]]:
    times = ("30m", "45m", "1h", "1h 30m", "2h", "90", "2h 15m", "20m", "3h")
    names = ["lamp", "bike", "clock", "radio", "chair"]
    return [(draw.take(names), draw.integer(0, 6), draw.choice(times)) for _ in range(draw.integer(0, 5))]


_FILES = (
    "index.html", "blog/index.html", "blog/2024/tea.html", "about.html", "img/logo.png", "./blog/a.html",
    "blog//b.html",
)  # fmt: skip


def _link(draw: Draw) -> str:
    return draw.choice(("about.html", "../index.html", "/about.html", "#top", "a.html#end", "2024/tea.html", "./b.html",
                        "https://example.org/a", "../img/logo.png", "index.html"))  # fmt: skip


def _int(draw: Draw) -> int:
    return draw.integer(-20, 60) if draw.chance(0.8) else draw.integer(-99, 999)


VALUES: Mapping[str, Callable[[Draw], object]] = {
    "int": _int, "small": lambda draw: draw.integer(1, 5),
    "count": lambda draw: draw.integer(0, 6), "amount": lambda draw: draw.integer(0, 2500),
    "percent": lambda draw: draw.integer(0, 100), "width": lambda draw: draw.integer(6, 16),
    "closing": lambda draw: draw.integer(10, 20),
    "narrow": lambda draw: draw.integer(4, 14), "cell": lambda draw: draw.integer(0, 2),
    "natural": lambda draw: draw.integer(0, 200), "base": lambda draw: draw.integer(2, 12),
    "node": lambda draw: draw.integer(0, 4), "days": lambda draw: draw.integer(-70, 400),
    "person": lambda draw: draw.choice(("ann", "bob", "cid")), "candidate": lambda draw: draw.choice(_PEOPLE),
    "word": lambda draw: draw.choice(_WORDS), "ints": _ints, "naturals": _naturals,
    "rising": lambda draw: sorted(_ints(draw)), "words": _words, "text": _text, "spans": _spans, "pairs": _pairs,
    "counts": lambda draw: dict(_pairs(draw)), "edges": _edges, "grid": _grid, "date": _date, "path": _path,
    "decimal": _decimal,
    "expression": _expression, "brackets": _brackets, "letters": _packed, "parents": _parents, "ballots": _ballots,
    "jobs": _jobs, "cache steps": _cache_steps, "payments": _payments, "moves": _moves, "signals": _keys,
    "csv line": _csv_line, "csv lines": _csv_lines, "member lines": _member_lines, "version": _version,
    "cells": lambda draw: [_cell(draw) for _ in range(draw.integer(0, 4))],
    "header": lambda draw: draw.choice(("name", "town", "fee")), "versions": _versions,
    "version part": lambda draw: draw.choice(("major", "minor", "patch")),
    "version parts": lambda draw: [draw.choice(("major", "minor", "patch")) for _ in range(draw.integer(0, 5))],
    "duration": _duration, "durations": lambda draw: [_duration(draw) for _ in range(draw.integer(0, 5))],
    "seconds": lambda draw: draw.choice((0, 59, 60, 3600, 86400, draw.integer(0, 4000), draw.integer(0, 300_000))),
    "step": lambda draw: draw.choice((5, 10, 15, 15, 30)), "ini lines": _ini_lines,
    "section": lambda draw: draw.choice(("mail", "web", "web", "")),
    "setting": lambda draw: draw.choice(("port", "host", "debug", "Debug")), "query": _query, "search": _search,
    "parameter": lambda draw: draw.choice(("q", "page", "size", "utm_id")),
    "parameter value": lambda draw: draw.choice(("3", "green tea", "")),
    "parameter start": lambda draw: draw.choice(("utm_", "utm_", "p", "")), "title": _title, "titles": _titles,
    "limit": lambda draw: draw.integer(3, 24),
    "full name": lambda draw: draw.choice(("Ann Lee", "eva ruiz-berg", "Jean-Luc  Picard", "Tom", "")),
    "shifts": _shifts, "minutes": lambda draw: draw.choice((0, 330, 360, 480, 600, 1200)),
    "points": lambda draw: draw.choice((0, 49, 50, 59, 60, 64, 65, 70, 79, 80, 85, 89, 90, 100)),
    "marks": _marks, "few": lambda draw: draw.integer(0, 2), "scores": _scores, "results": _results,
    "team": lambda draw: draw.choice(_TEAMS), "price steps": _price_steps,
    "quantity": lambda draw: draw.choice((0, 1, 5, 10, 15, draw.integer(0, 40))),
    "quantities": lambda draw: [draw.choice((0, 1, 5, 10, draw.integer(0, 40))) for _ in range(draw.integer(0, 5))],
    "entry": lambda draw: draw.choice((0, 60, 480, 600)),
    "exit": lambda draw: draw.choice((610, 660, 700, 961, 1450, 1930, 2050, 3000, draw.integer(600, 3000))),
    "free": lambda draw: draw.choice((0, 10, 15, 60)), "lots": _lots,
    "order lines": lambda draw: [(draw.integer(0, 9), draw.choice((5, 10, 12))) for _ in range(draw.integer(0, 4))],
    "times": _times, "period": lambda draw: draw.choice((2, 5, 5, 10)), "requests": _visits, "visits": _visits,
    "now": lambda draw: draw.integer(8, 30), "gap": lambda draw: draw.choice((2, 3, 5, 10)), "log lines": _log_lines,
    "log level": lambda draw: draw.choice(("DEBUG", "INFO", "WARNING", "ERROR")),
    "entries": lambda draw: draw.choice((0, 1, 5, 6, 10, draw.integer(0, 30))),
    "names": lambda draw: [f"item {number}" for number in range(1, draw.integer(1, 9))],
    "last page": lambda draw: draw.integer(5, 9), "readings": _readings, "failing readings": _failing,
    "low": lambda draw: draw.choice((10, 12, 18)), "high": lambda draw: draw.choice((20, 25, 30)), "tickets": _tickets,
    "silence": lambda draw: draw.choice((1, 5, 30, 45, 60, 75, 90, 120)),
    "hour": lambda draw: draw.integer(0, 9), "prices": _prices,
    "budget": lambda draw: draw.choice((500, 1000, 2500, draw.integer(0, 3000))),
    "shelf counts": lambda draw: {name: draw.integer(0, 12) for name in _FEW if draw.chance(0.8)},
    "months": lambda draw: draw.choice((1, 2, 3, 6, 12)), "notice": lambda draw: draw.choice((7, 14, 30)),
    "late date": lambda draw: (draw.choice((2024, 2025)), draw.integer(1, 12), draw.choice((1, 15, 28))),
    "rate": lambda draw: draw.choice((1250, 1500, 1999, 2400)),
    "projects": _projects,
    "products": _products, "shift": lambda draw: draw.choice((-2, -1, 1, 2)), "repairs": _repairs,
    "member": lambda draw: draw.choice(_PEOPLE),
    "stops": lambda draw: [draw.integer(0, 5) for _ in range(draw.integer(0, 5))],
    "names on ballots": lambda draw: ["ann", "ben", "eva"][: draw.integer(1, 3)],
    "link": _link, "links": lambda draw: [_link(draw) for _ in range(draw.integer(0, 5))],
    "files": lambda draw: [draw.choice(_FILES) for _ in range(draw.integer(0, 6))],
    "edits": _edits,
    "figures": lambda draw: [draw.choice((0, 0, 1, 1, 2, 3, 7, 9, 11)) for _ in range(draw.integer(1, 5))],
    "rest": lambda draw: draw.choice((0, 600, 660, 720, 1440, 2000)), "pictures": _pictures,
    "year": lambda draw: draw.choice((1900, 2000, 2023, 2024, 2100, 2400, draw.integer(1600, 2400))),
}  # fmt: skip
"""The kinds of arguments with functions that draw one: fresh plain data on every call."""

_PARTED = {"path": "/", "version": "."}  # kinds of texts, with what separates their parts
_MEASURES = (
    "amount", "count", "exit", "few", "free", "gap", "hour", "int", "limit", "minutes", "narrow", "natural", "node",
    "percent", "period", "points", "quantity", "small", "width",
)  # fmt: skip


def related(draw: Draw, kind: str, earlier: Sequence[object]) -> object:
    """Draw an argument with regard to those before it.

    A number is one in them or a length of one, or next to it; a date is near; a path or a version begins or ends alike.
    """
    if kind in _MEASURES:
        found = [number for value in earlier for number in _numbers_in(value)]
        near = draw.choice(found) + draw.choice((-1, 0, 0, 1)) if found else None
        return near if ALLOWED[kind].holds(near) else VALUES[kind](draw)
    for value in earlier:
        if kind in ("date", "late date") and ALLOWED["date"].holds(value):
            year, month, day = cast("tuple[int, int, int]", value)
            month, day = draw.choice((month, month, month % 12 + 1)), draw.choice((day, day, day % 28 + 1))
            return (year + draw.choice((0, 0, 1)), month, day)
        if kind in _PARTED and ALLOWED[kind].holds(value):
            parts, count = str(value).split(_PARTED[kind]), draw.integer(1, 3)
            own = str(VALUES[kind](draw)).split(_PARTED[kind])
            alike = _PARTED[kind].join((*parts[:count], *own) if draw.chance(0.5) else (*own, *parts[-count:]))
            return alike if ALLOWED[kind].holds(alike) else value
    return VALUES[kind](draw)


def _numbers_in(value: object) -> list[int]:
    if type(value) is int:
        return [value]
    if isinstance(value, (list, tuple)):
        return [len(value), *(number for item in value for number in _numbers_in(item))]
    return [len(value)] if isinstance(value, str) else []
