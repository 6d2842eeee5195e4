"""What the databases of all domains are drawn with: new rows, people's names, and lists to draw from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from turnwise.core.draw import Draw
from turnwise.worlds.names import FIRST, LAST

__all__ = ["Database", "Filler", "tickets"]

Database: TypeAlias = dict[str, dict[str, dict[str, Any]]]
T = TypeVar("T")


class Filler:
    """Draws rows into a database.

    Args:
        draw: Where the draws come from.
        tables: The tables, each with the letter of its keys and the number that they follow.

    Attributes:
        tables: The database.
        new: By table, what adds a row and returns its key.
        taken: The names of people, and of other things that must not occur twice.
    """

    def __init__(self, draw: Draw, tables: Mapping[str, tuple[str, int]]) -> None:
        self.draw = draw
        self.tables: Database = {name: {} for name in tables}
        self.new = {
            name: _adding(self.tables[name], prefix, number, draw.unit) for name, (prefix, number) in tables.items()
        }
        self.taken: set[object] = set()

    def name(self, last: str = "") -> str:
        """Draw a first and a last name that nobody has together."""
        unit = self.draw.unit
        while True:
            name = f"{FIRST[int(unit() * len(FIRST))]} {last or LAST[int(unit() * len(LAST))]}"
            if name not in self.taken:
                self.taken.add(name)
                return name


def _adding(
    rows: dict[str, dict[str, Any]], prefix: str, number: int, unit: Callable[[], float]
) -> Callable[[dict[str, Any]], str]:
    def add(row: dict[str, Any]) -> str:
        nonlocal number
        number += 1 + int(unit() * 3)  # some numbers are left out
        key = f"{prefix}{number}"
        rows[key] = row
        return key

    return add


def tickets(items: Sequence[T], odds: Sequence[int]) -> tuple[T, ...]:
    """Each of ``items`` as often as its odds say: `Draw.choice` of them draws as `Draw.weighted` does, but quicker.

    The sum of the odds times a number below 1 never rounds up to the sum, and less a whole number it does not round.
    """
    return tuple(item for item, count in zip(items, odds, strict=True) for _ in range(count))
