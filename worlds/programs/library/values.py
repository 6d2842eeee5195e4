"""Arguments for the functions of the library, drawn so that edge cases are frequent."""

from collections.abc import Callable, Mapping

from turnwise.core.draw import Draw

__all__ = ["VALUES"]

_WORDS = ("oak", "elm", "fir", "ash", "yew", "pine", "maple", "cedar", "birch", "willow")
_FEW = ("oak", "elm", "fir", "ash")
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


def _text(draw: Draw) -> str:
    pool = _FEW if draw.unit() < 0.5 else _WORDS
    parts = []
    for _ in range(draw.integer(0, 10)):
        word = str(draw.integer(0, 120)) if draw.unit() < 0.15 else _cased(draw, draw.choice(pool))
        parts += [word, draw.choice(_MARKS)]
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
    year = (1900, 2000, 2023, 2024)[draw.below(4)] if draw.unit() < 0.7 else draw.integer(1890, 2110)
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
        left = ["ash", "elm", "oak"] + (["fir"] if draw.unit() < 0.5 else [])
        ballots.append([draw.take(left) for _ in range(draw.integer(1, len(left)))])
    return ballots


def _jobs(draw: Draw) -> list[tuple[str, int, int]]:
    return [
        (f"{draw.choice(_WORDS)}{number}", draw.integer(0, 8), draw.integer(1, 4))
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


def _moves(draw: Draw) -> list[tuple[str, int]]:
    return [(draw.choice(_FEW), draw.integer(-8, 12)) for _ in range(draw.integer(1, 10))]


def _keys(draw: Draw) -> list[str]:
    signals = ("push", "push", "push", "coin", "kick", "reset") if draw.unit() < 0.6 else ("coin", "push", "coin")
    return [draw.choice(signals) for _ in range(draw.integer(1, 12))]


def _edits(draw: Draw) -> list[str]:
    return [draw.choice(("a", "b", "cd", "undo", "undo", "redo", "x")) for _ in range(draw.integer(1, 12))]


VALUES: Mapping[str, Callable[[Draw], object]] = {
    "int": lambda draw: draw.integer(-20, 60), "small": lambda draw: draw.integer(1, 5),
    "count": lambda draw: draw.integer(0, 6), "amount": lambda draw: draw.integer(0, 2500),
    "percent": lambda draw: draw.integer(0, 100), "width": lambda draw: draw.integer(6, 16),
    "narrow": lambda draw: draw.integer(4, 14), "cell": lambda draw: draw.integer(0, 2),
    "natural": lambda draw: draw.integer(0, 200), "base": lambda draw: draw.integer(2, 12),
    "node": lambda draw: draw.integer(0, 4), "days": lambda draw: draw.integer(-70, 400),
    "person": lambda draw: draw.choice(("ann", "bob", "cid")), "candidate": lambda draw: draw.choice(_FEW),
    "word": lambda draw: draw.choice(_WORDS), "ints": _ints, "naturals": _naturals,
    "rising": lambda draw: sorted(_ints(draw)), "words": _words, "text": _text, "spans": _spans, "pairs": _pairs,
    "counts": lambda draw: dict(_pairs(draw)), "edges": _edges, "grid": _grid, "date": _date, "path": _path,
    "decimal": _decimal,
    "expression": _expression, "brackets": _brackets, "letters": _packed, "parents": _parents, "ballots": _ballots,
    "jobs": _jobs, "cache steps": _cache_steps, "payments": _payments, "moves": _moves, "signals": _keys,
    "edits": _edits,
}  # fmt: skip
"""The kinds of arguments with functions that draw one: fresh plain data on every call."""
