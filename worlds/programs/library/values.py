"""Arguments for the functions of the library, drawn so that edges of their behaviour are met often."""

from collections.abc import Callable, Mapping

from turnwise.worlds.programs.faults.mutations import Draw

__all__ = ["VALUES"]

_WORDS = ("oak", "elm", "fir", "ash", "yew", "pine", "maple", "cedar", "birch", "willow")
_FEW = ("oak", "elm", "fir", "ash")
_MARKS = (" ", " ", " ", ", ", ". ", "  ", " - ", "; ")


def _whole(draw: Draw, low: int, high: int) -> int:
    """A number from ``low`` to ``high``, both included."""
    return low + int(draw() * (high - low + 1))


def _one(draw: Draw, options: tuple[str, ...]) -> str:
    return options[int(draw() * len(options))]


def _ints(draw: Draw) -> list[int]:
    top = 6 if draw() < 0.5 else 30
    return [_whole(draw, -4, top) for _ in range(_whole(draw, 0, 9))]


def _naturals(draw: Draw) -> list[int]:
    top = 6 if draw() < 0.4 else 40
    return [_whole(draw, 1, top) for _ in range(_whole(draw, 1, 8))]


def _words(draw: Draw) -> list[str]:
    pool = _FEW if draw() < 0.7 else _WORDS
    return [_cased(draw, _one(draw, pool)) for _ in range(_whole(draw, 0, 9))]


def _cased(draw: Draw, word: str) -> str:
    return word.capitalize() if draw() < 0.2 else word


def _text(draw: Draw) -> str:
    pool = _FEW if draw() < 0.5 else _WORDS
    parts = []
    for _ in range(_whole(draw, 0, 10)):
        word = str(_whole(draw, 0, 120)) if draw() < 0.15 else _cased(draw, _one(draw, pool))
        parts += [word, _one(draw, _MARKS)]
    return "".join(parts[:-1]) if draw() < 0.6 else "".join(parts)


def _spans(draw: Draw) -> list[tuple[int, int]]:
    found = []
    for _ in range(_whole(draw, 0, 6)):
        start = _whole(draw, 0, 20)
        found.append((start, start + _whole(draw, 0, 6)))
    return found


def _pairs(draw: Draw) -> list[tuple[str, int]]:
    return [(_one(draw, _FEW if draw() < 0.6 else _WORDS), _whole(draw, 0, 12)) for _ in range(_whole(draw, 0, 8))]


def _edges(draw: Draw) -> list[tuple[int, int]]:
    size = _whole(draw, 3, 7)
    return [(_whole(draw, 0, size), _whole(draw, 0, size)) for _ in range(_whole(draw, 0, 9))]


def _grid(draw: Draw) -> list[list[int]]:
    width = _whole(draw, 1, 4)
    top = 1 if draw() < 0.4 else 9
    return [[_whole(draw, 0, top) for _ in range(width)] for _ in range(_whole(draw, 1, 4))]


def _date(draw: Draw) -> tuple[int, int, int]:
    year = (1900, 2000, 2023, 2024)[int(draw() * 4)] if draw() < 0.7 else _whole(draw, 1890, 2110)
    month = _whole(draw, 1, 12) if draw() < 0.6 else (1, 2, 3, 12)[int(draw() * 4)]
    return (year, month, (1, 28, 15)[int(draw() * 3)] if draw() < 0.6 else _whole(draw, 1, 28))


def _path(draw: Draw) -> str:
    parts = [_one(draw, ("a", "b", "c", ".", "..", "..", "", "lib")) for _ in range(_whole(draw, 1, 7))]
    return ("/" if draw() < 0.3 else "") + "/".join(parts)


def _expression(draw: Draw, depth: int = 0) -> str:
    parts = []
    for number in range(_whole(draw, 1, 4)):
        if number:
            parts.append(_one(draw, ("+", "-", "*", "*", "-")))
        inner = draw() < 0.25 and depth < 2
        parts.append(f"({_expression(draw, depth + 1)})" if inner else str(_whole(draw, 0, 12)))
    return (" " if draw() < 0.6 else "").join(parts)


def _brackets(draw: Draw) -> str:
    text = ""
    for _ in range(_whole(draw, 0, 5)):
        pair = _one(draw, ("()", "[]", "{}", "()"))
        text = f"{pair[0]}{text}{pair[1]}" if draw() < 0.5 else text + pair
    if draw() < 0.5 and text:
        at = _whole(draw, 0, len(text) - 1)
        text = text[:at] + _one(draw, ("", "(", "]", "x")) + text[at + 1 :]
    return text


def _decimal(draw: Draw) -> str:
    decimals = "".join(str(_whole(draw, 0, 9)) for _ in range(_whole(draw, 0, 3)))
    return f"{_whole(draw, 0, 40)}.{decimals}" if decimals else str(_whole(draw, 0, 40))


def _packed(draw: Draw) -> str:
    return "".join(_one(draw, ("a", "b", "b", "c")) * _whole(draw, 1, 4) for _ in range(_whole(draw, 0, 6)))


def _parents(draw: Draw) -> list[int]:
    return [-1, *(_whole(draw, 0, child - 1) for child in range(1, _whole(draw, 2, 9)))]


def _ballots(draw: Draw) -> list[list[str]]:
    ballots = []
    for _ in range(_whole(draw, 1, 7)):
        left = ["ash", "elm", "oak"] + (["fir"] if draw() < 0.5 else [])
        ballots.append([left.pop(int(draw() * len(left))) for _ in range(_whole(draw, 1, len(left)))])
    return ballots


def _jobs(draw: Draw) -> list[tuple[str, int, int]]:
    return [
        (f"{_one(draw, _WORDS)}{number}", _whole(draw, 0, 8), _whole(draw, 1, 4))
        for number in range(_whole(draw, 0, 6))
    ]


def _cache_steps(draw: Draw) -> list[tuple[str, str, int]]:
    return [
        (_one(draw, ("get", "put", "put", "get", "drop")), _one(draw, _FEW), _whole(draw, 0, 20))
        for _ in range(_whole(draw, 4, 14))
    ]


def _payments(draw: Draw) -> list[tuple[str, str, int]]:
    found = []
    for _ in range(_whole(draw, 3, 10)):
        kind = _one(draw, ("deposit", "deposit", "withdraw", "move"))
        who = _one(draw, ("ann", "bob")) + (":" + _one(draw, ("ann", "bob", "cid")) if kind == "move" else "")
        found.append((kind, who, _whole(draw, 0, 30)))
    return found


def _moves(draw: Draw) -> list[tuple[str, int]]:
    return [(_one(draw, _FEW), _whole(draw, -8, 12)) for _ in range(_whole(draw, 1, 10))]


def _keys(draw: Draw) -> list[str]:
    signals = ("push", "push", "push", "coin", "kick", "reset") if draw() < 0.6 else ("coin", "push", "coin")
    return [_one(draw, signals) for _ in range(_whole(draw, 1, 12))]


def _edits(draw: Draw) -> list[str]:
    return [_one(draw, ("a", "b", "cd", "undo", "undo", "redo", "x")) for _ in range(_whole(draw, 1, 12))]


VALUES: Mapping[str, Callable[[Draw], object]] = {
    "int": lambda draw: _whole(draw, -20, 60), "small": lambda draw: _whole(draw, 1, 5),
    "count": lambda draw: _whole(draw, 0, 6), "amount": lambda draw: _whole(draw, 0, 2500),
    "percent": lambda draw: _whole(draw, 0, 100), "width": lambda draw: _whole(draw, 6, 16),
    "narrow": lambda draw: _whole(draw, 4, 14), "cell": lambda draw: _whole(draw, 0, 2),
    "natural": lambda draw: _whole(draw, 0, 200), "base": lambda draw: _whole(draw, 2, 12),
    "node": lambda draw: _whole(draw, 0, 4), "days": lambda draw: _whole(draw, -70, 400),
    "person": lambda draw: _one(draw, ("ann", "bob", "cid")), "candidate": lambda draw: _one(draw, _FEW),
    "word": lambda draw: _one(draw, _WORDS), "ints": _ints, "naturals": _naturals,
    "rising": lambda draw: sorted(_ints(draw)), "words": _words, "text": _text, "spans": _spans, "pairs": _pairs,
    "counts": lambda draw: dict(_pairs(draw)), "edges": _edges, "grid": _grid, "date": _date, "path": _path,
    "decimal": _decimal,
    "expression": _expression, "brackets": _brackets, "letters": _packed, "parents": _parents, "ballots": _ballots,
    "jobs": _jobs, "cache steps": _cache_steps, "payments": _payments, "moves": _moves, "signals": _keys,
    "edits": _edits,
}  # fmt: skip
"""The kinds of arguments, and how one is drawn: plain data, made anew by every call."""
