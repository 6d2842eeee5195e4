"""Arithmetic: functions of numbers, without a state."""

import datetime
import math
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Api, Do, Place, Request, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, number
from turnwise.worlds.desks.store import Store, Tables

__all__ = ["MATHS"]

MOST = 1e12
UNITS = {"km": 1000.0, "mile": 1609.344, "metre": 1.0, "foot": 0.3048, "inch": 0.0254}
Unit = Literal["km", "mile", "metre", "foot", "inch"]


def _checked(*values: float) -> None:
    if not values or len(values) > 200 or not all(abs(value) <= MOST for value in values):
        raise ValueError("from 1 to 200 numbers between -1e12 and 1e12 are needed")


def add_up(store: Store, numbers: list[float]) -> str:
    """Add numbers."""
    _checked(*numbers)
    return dump(round(math.fsum(numbers), 6))


def multiply(store: Store, a: float, b: float) -> str:
    """Multiply two numbers."""
    _checked(a, b)
    return dump(round(a * b, 6))


def divide(store: Store, a: float, b: float) -> str:
    """Divide a by b."""
    _checked(a, b)
    if not b:
        raise ValueError("b must not be 0")
    return dump(round(a / b, 6))


def mean(store: Store, numbers: list[float]) -> str:
    """Return the arithmetic mean of numbers."""
    _checked(*numbers)
    return dump(round(math.fsum(numbers) / len(numbers), 6))


def median(store: Store, numbers: list[float]) -> str:
    """Return the median of numbers."""
    _checked(*numbers)
    ordered, half = sorted(numbers), len(numbers) // 2
    return dump(ordered[half] if len(ordered) % 2 else round((ordered[half - 1] + ordered[half]) / 2, 6))


def percent_of(store: Store, percent: float, value: float) -> str:
    """Return so many percent of a value."""
    _checked(percent, value)
    return dump(round(percent * value / 100, 6))


def convert_length(store: Store, value: float, source: Unit, target: Unit) -> str:
    """Convert a length from one unit to another."""
    _checked(value)
    return dump(round(value * UNITS[source] / UNITS[target], 6))


def round_to(store: Store, value: float, digits: int) -> str:
    """Round a number, halves away from zero."""
    _checked(value)
    if not 0 <= digits <= 6:
        raise ValueError("digits must be from 0 to 6")
    scaled = math.floor(abs(value) * 10**digits + 0.5 + 1e-9) / 10**digits
    return dump(math.copysign(scaled, value) if digits else int(math.copysign(scaled, value)))


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Return no tables: there is nothing to remember."""
    return {}


# ---- what people ask for --------------------------------------------------------------------------------------------


def total(place: Place) -> Request:
    draw = place.draw
    values = [draw.integer(12, 990) for _ in range(draw.integer(5, 9))]

    def program(do: Do) -> Said:
        value = int(do("add_up", numbers=values))
        do.memory["figure"] = str(value)
        return number(value)

    return Request(f"What do {', '.join(map(str, values[:-1]))} and {values[-1]} add up to?", program)


def middle(place: Place) -> Request:
    draw = place.draw
    values = draw.sample(range(10, 999), 2 * draw.integer(3, 6) + 1)

    def program(do: Do) -> Said:
        value = int(do("median", numbers=values))
        do.memory["figure"] = str(value)
        return number(value)

    return Request(f"What is the median of {', '.join(map(str, values[:-1]))} and {values[-1]}?", program)


def share_of_figure(place: Place) -> Request | None:
    figure, percent = place.memory.get("figure"), place.draw.integer(11, 89)
    if figure is None or float(figure) < 20:
        return None

    def program(do: Do) -> Said:
        value = do("round_to", value=do("percent_of", percent=percent, value=float(figure)), digits=0)
        do.memory["figure"] = str(value)
        return number(value)

    return Request(
        f"What are {percent} percent of the figure that I asked for last, rounded to a whole number?",
        program,
        back=True,
    )


_NUMBERS = "The numbers."
MATHS = Api(
    "maths",
    (
        desk_tool(add_up, False, numbers=_NUMBERS),
        desk_tool(multiply, False, a="A number.", b="A number."),
        desk_tool(divide, False, a="A number.", b="A number."),
        desk_tool(mean, False, numbers=_NUMBERS),
        desk_tool(median, False, numbers=_NUMBERS),
        desk_tool(percent_of, False, percent="How many percent.", value="Of what."),
        desk_tool(convert_length, False, value="The length.", source="Its unit.", target="The other unit."),
        desk_tool(round_to, False, value="The number.", digits="Digits after the point."),
    ),
    fill,
    (),
    (total, middle, share_of_figure),
)
