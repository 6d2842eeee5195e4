"""Functions as they stand in code bases, courses and interviews, with the domains of their parameters.

They are in ``data/functions.txt``. A line ``%% name | parameter kind …`` begins one; the kinds are those of `Domain`:
``n int 1 30``, ``values ints 0 40`` (with two more numbers: fewest and most items), ``text str lower``, ``tags words``.
"""

from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.generated.domain import Domain
from turnwise.worlds.programs.generated.templates import Filling, sections

__all__ = ["Function", "draw_expression", "draw_function", "draw_name", "function_names"]


class Function(NamedTuple):
    """A function that a question can be about.

    Attributes:
        source: Its source, with its imports and helpers.
        name: Its name.
        parameters: Name and domain of each parameter.
    """

    source: str
    name: str
    parameters: tuple[tuple[str, Domain], ...]


def function_names() -> list[str]:
    """Return the names of all functions."""
    return [head.split("|")[0].strip() for head, _ in sections("functions.txt", "%% ")]


def draw_name(draw: Draw) -> str:
    """Draw the name of a function."""
    return draw.choice(function_names())


def draw_function(draw: Draw, length: int, name: str = "") -> Function:
    """Draw a function or what is open in one with a given name; its lists have up to ``length`` items."""
    wanted = name or draw_name(draw)
    head, text = next(one for one in sections("functions.txt", "%% ") if one[0].split("|")[0].strip() == wanted)
    filling = Filling(draw, length)
    name, *parameters = (part.strip() for part in filling.fill(head).split("|"))
    return Function(filling.fill(text).strip() + "\n", name, tuple(_parameter(line, length) for line in parameters))


def _parameter(line: str, length: int) -> tuple[str, Domain]:
    name, kind, *rest = line.split()
    if kind == "str":
        most = max(length * 2, 10) if rest[0] == "spaced" else length + 3
        return name, Domain("str", 0, 0, max(4, most - 4), most, rest[0])
    if kind == "words":
        return name, Domain("words", 3, 8, max(2, length // 2 - 1), max(3, length // 2 + 1))
    low, high, *sizes = map(int, rest)
    if kind == "int":
        return name, Domain("int", low, high)
    least, most = sizes or (max(2, length - 3), length)
    return name, Domain("ints", low, high, least, most)


_EXPRESSIONS = ("x + {e}", "x - {e}", "{e} - x", "x * {c}", "{c} * x + {e}", "x * {c} - {e}")


def draw_expression(draw: Draw, max_number: int) -> Function:
    """Draw a function that computes one expression of a number up to ``max_number``."""
    text = draw.choice(_EXPRESSIONS).format(c=draw.integer(2, 5), e=draw.integer(1, 12))
    return Function(f"def f(x):\n    return {text}\n", "f", (("x", Domain("int", 0, max_number)),))
