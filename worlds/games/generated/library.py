"""The generated games that are shipped: those that passed `screen`."""

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from turnwise.worlds.games.generated.game import Generated

__all__ = ["Shipped", "shipped"]


class Shipped(NamedTuple):
    """A line of the file: a game's rules, its size from 1 to 3, and what was measured (see `screen.Screened`)."""

    rules_text: str
    size: int
    moves: int
    first: float
    opened: float
    as_first: float
    as_second: float

    @property
    def game(self) -> Generated:
        """The game."""
        return _game(self.rules_text)


@lru_cache(maxsize=256)
def _game(rules_text: str) -> Generated:
    return Generated(rules_text)


@lru_cache(maxsize=1)
def shipped() -> tuple[Shipped, ...]:
    """Return all games in the order of the file."""
    found = []
    for line in (files(__package__) / "data" / "games.txt").read_text(encoding="ascii").splitlines():
        size, moves, first, opened, as_first, as_second, text = line.split("\t")
        measured = (float(first), float(opened), float(as_first), float(as_second))
        found.append(Shipped(text, int(size), int(moves), *measured))
    return tuple(found)
