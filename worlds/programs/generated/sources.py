"""Data that programs begin with: a constant at the top of the file, of each type that parts take."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from turnwise.core.draw import Draw

__all__ = ["KEYS", "SOURCES", "Occasion", "Source", "draw_occasion", "draw_sources"]

_PEOPLE = (
    "ana", "bo", "carl", "dee", "edda", "finn", "gus", "hana", "ida", "jon", "kim", "lena", "mo", "nils", "olga", "pia",
    "rosa", "sven", "tilda", "uwe", "vera", "yann", "zoe",
)  # fmt: skip
_THINGS = (
    "pen", "lamp", "chair", "desk", "rope", "paint", "nails", "saw", "cable", "fuse", "brush", "tile", "glue", "hose",
    "valve", "bolt", "torch", "crate",
)  # fmt: skip
_SENTENCES = (
    "the old lighthouse keeper counted 12 ships before dawn", "rain again, so the market opened at 9 and closed early",
    "every third box of apples went to the school kitchen", "nobody expected the tram to stop at platform 4 today",
    "a letter from Oslo arrived, unsigned and far too late", "two engineers argued about a valve for 30 minutes",
    "please water the plants, feed Otto and lock the gate", "her notebook lists 18 kinds of moss and one of fern",
    "the auction ended when somebody offered 250 for a clock", "we repaired the roof, then the fence, then the stairs",
    "an empty bottle rolled slowly under the wooden bench", "Tuesday is the only day when the archive stays open",
    "they kept the receipts in a tin and the keys in a shoe", "at noon the ferry turned back with 40 people aboard",
)  # fmt: skip
KEYS = {"sep": ",", "kind0": "out", "kind1": "in", "kind2": "move", "name0": "ana"}
"""Texts that parts use and that some data decide."""


class Occasion(NamedTuple):
    """What a program is about.

    Attributes:
        title: Its docstring.
        data: Type and name of each constant with data that belongs to it.
        kinds: Kinds of entries.
        things: Whether the entries are about things, not about people.
        people: The people that occur in all of its data.
    """

    title: str
    data: tuple[tuple[str, str], ...]
    kinds: tuple[str, str, str]
    things: bool = False
    people: Sequence[str] = _PEOPLE

    @property
    def names(self) -> Sequence[str]:
        """What the entries are about."""
        return _THINGS if self.things else self.people


_OCCASIONS = (
    Occasion(
        "Help desk: who worked when, and what was logged.",
        (("H", "SHIFTS"), ("L", "LOG")),
        ("call", "mail", "visit"),
    ),
    Occasion(
        "Guest house: stays and bills.",
        (("H", "STAYS"), ("D", "BILLS")),
        ("Mon", "Tue", "Fri"),
    ),
    Occasion(
        "Hotline: calls taken, and what came of them.",
        (("H", "CALLS_TAKEN"), ("R", "RECORDS")),
        ("sale", "return", "gift"),
    ),
    Occasion(
        "Bookings, and what was invoiced for them.",
        (("R", "BOOKINGS"), ("D", "INVOICES")),
        ("book", "cancel", "change"),
    ),
    Occasion(
        "Store room: what went in and out, and what was asked for.",
        (("R", "MOVES"), ("W", "REQUESTS")),
        ("out", "in", "move"),
        True,
    ),
    Occasion(
        "Compares the exported orders with what the server answers.",
        (("L", "EXPORT"), ("J", "RESPONSE")),
        ("sale", "return", "gift"),
    ),
    Occasion(
        "The orders of a day, and what the shop was sent.",
        (("W", "ORDER"), ("J", "PAYLOAD")),
        ("pick", "pack", "ship"),
        True,
    ),
    Occasion(
        "Tests of the pump: measured levels, and the script that drives it.",
        (("N", "LEVELS"), ("C", "SCRIPT")),
        ("out", "in", "move"),
    ),
    Occasion(
        "The sensor's readings, and the lines that people entered by hand.",
        (("N", "READINGS"), ("L", "LINES")),
        ("north", "south", "east"),
    ),
    Occasion(
        "Exhibition: what visitors looked at, and a text on the wall.",
        (("W", "VISITS"), ("S", "TEXT")),
        ("out", "in", "move"),
        True,
    ),
    Occasion(
        "Library: loans, and the first lines of a book.",
        (("D", "LOANS"), ("S", "NOTE")),
        ("Mon", "Tue", "Fri"),
    ),
    Occasion(
        "Replays a user's commands from a ticket, with the message in it.",
        (("C", "COMMANDS"), ("S", "MESSAGE")),
        ("out", "in", "move"),
    ),
    Occasion(
        "Laboratory: samples, and who entered which.",
        (("N", "SAMPLES"), ("R", "ENTRIES")),
        ("red", "blue", "green"),
    ),
    Occasion(
        "The machine's program, and the body that its service returns.",
        (("C", "PROGRAM"), ("J", "BODY")),
        ("draw", "pay", "hold"),
    ),
)


def draw_occasion(draw: Draw, num_data: int) -> Occasion:
    """Draw what a program with one or two sets of data is about."""
    occasion = draw.choice(_OCCASIONS)
    if num_data == len(occasion.data):
        return occasion._replace(data=tuple(draw.shuffled(occasion.data)))
    return occasion._replace(title="", data=(draw.choice(occasion.data),))


class Source(NamedTuple):
    """Drawn data.

    Attributes:
        type: Their type, as in `parts.Part`.
        name: The constant.
        text: Its definition.
        keys: Texts that belong to them.
    """

    type: str
    name: str
    text: str
    keys: Mapping[str, str] = {}


def _some(draw: Draw, pool: Sequence[str], count: int) -> list[str]:
    left = list(pool)
    return [draw.take(left) for _ in range(count)]


def _rows(draw: Draw, size: int, about: Occasion) -> tuple[list[tuple[str, str, int]], dict[str, str]]:
    names = _some(draw, about.names, 4 if size > 6 else 3)
    kinds = list(about.kinds)
    rows = [(draw.choice(names), draw.choice(kinds), draw.integer(1, 60)) for _ in range(size)]
    first, second, third = (kinds[(draw.below(3) + place) % 3] for place in range(3))
    return rows, {"kind0": first, "kind1": second, "kind2": third, "name0": names[0]}


def _written(name: str, items: list[object]) -> str:
    """Write a list over several lines."""
    lines = [""]
    for item in items:
        text = f"{item!r}, ".replace("'", '"')
        if len(lines[-1]) + len(text) > 92:
            lines.append("")
        lines[-1] += text
    return f"{name} = [\n" + "".join(f"    {line.rstrip()}\n" for line in lines) + "]"


def _table(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    rows, keys = _rows(draw, size, about)
    return Source("R", name, _written(name, list(rows)), keys)


def _lines(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    rows, keys = _rows(draw, size, about)
    separator = draw.choice((",", ";", ":", "/"))
    lines = []
    for who, kind, amount in rows:
        cells = [who.title() if draw.chance(0.25) else who, kind, str(amount if draw.chance(0.9) else -amount)]
        if draw.chance(0.15):
            cells = draw.choice([cells[:2], [*cells, "x"], [cells[0], kind, "n" + cells[2]], ["# " + who]])
        lines.append(separator.join(cells))
    text = "\n".join(lines)
    return Source("L", name, f'{name} = """\\\n{text}\n""".splitlines()', {**keys, "sep": separator})


def _text(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    lines = _some(draw, _SENTENCES, 1 + size // 6)
    parts = "".join(f'    "{line}{"" if line is lines[-1] else ". "}"\n' for line in lines)
    return Source("S", name, f"{name} = (\n{parts})")


def _numbers(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    low = -20 if draw.chance(0.5) else 1
    return Source("N", name, f"{name} = {[draw.integer(low, 60) for _ in range(size + 2)]}")


def _keys(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    pool = _some(draw, _THINGS, 5)
    return Source("W", name, f'{name} = "{" ".join(draw.choice(pool) for _ in range(size + 3))}".split()')


def _shifts(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    people = _some(draw, about.people, 3 if size < 8 else 4)

    def clock(low: int, high: int) -> str:
        return f"{draw.integer(low, high):02d}:{draw.choice((0, 5, 10, 15, 20, 30, 40, 45, 50)):02d}"

    found: list[object] = [
        (draw.choice(people), clock(6, 22), clock(0, 5) if draw.chance(0.2) else clock(8, 23))
        for _ in range(max(4, size - 2))
    ]
    return Source("H", name, _written(name, found))


def _invoices(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    year = draw.choice((2023, 2024))
    found: list[object] = [
        (f"{year}-{draw.choice((1, 2, 2, 11, 12)):02d}-{draw.choice((3, 14, 27, 28, 15, 22)):02d}",
         draw.choice((7, 10, 14, 30, 45, 60)), 5 * draw.integer(4, 60))
        for _ in range(max(4, size - 3))
    ]  # fmt: skip
    return Source("D", name, _written(name, found), {"kind0": "Mon", "kind1": "Tue", "kind2": "Fri"})


def _payload(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    orders = []
    for who in _some(draw, about.people, 3 if size < 9 else 4):
        amounts = [draw.choice(("null", *map(str, (draw.integer(1, 40) for _ in range(4))))) for _ in range(3)]
        amounts.insert(0, str(draw.integer(2, 40)))
        more = [f'"bonus": {draw.choice(("0", "null", "6", "15"))}'] if draw.chance(0.7) else []
        more += [f'"open": {draw.choice(("true", "false"))}'] if draw.chance(0.6) else []
        more.append(f'"lines": [{", ".join(amounts)}]')
        orders.append(f'"{who}": {{{", ".join(more)}}}')
    body = ",\n".join(f"    {order}" for order in orders)
    return Source("J", name, f'{name} = """{{\n{body}\n}}"""', {"kind0": "open", "kind1": "bonus", "kind2": "1"})


def _commands(draw: Draw, size: int, name: str, about: Occasion) -> Source:
    words = []
    for _ in range(size + 2):
        word = draw.choice(("push", "push", "push", "add", "sub", "mul", "dup", "swap", "skip"))
        number = {"skip": draw.integer(1, 3), "push": draw.integer(2, 30)}.get(word)
        words.append(word if number is None else f"{word} {number}")
    return Source("C", name, f'{name} = "{"; ".join([f"push {draw.integer(2, 30)}", *words])}"')


SOURCES: Mapping[str, Callable[[Draw, int, str, Occasion], Source]] = {
    "R": _table, "L": _lines, "S": _text, "N": _numbers, "W": _keys, "H": _shifts, "D": _invoices, "J": _payload,
    "C": _commands,
}  # fmt: skip
"""Types of data, and what draws data of about a given size, with a name, about some people."""


def draw_sources(draw: Draw, occasion: Occasion, size: int) -> list[Source]:
    """Draw the data of an occasion; the same people occur in all of them."""
    about = occasion._replace(people=_some(draw, _PEOPLE, 5))
    return [SOURCES[type_](draw, size, name, about) for type_, name in occasion.data]
