"""Games for any number of seats, in text: `make` opens a table at which every seat sees and says what is its own."""

from turnwise.games.table import Table, make, names, opponents

__all__ = ["Table", "make", "names", "opponents"]
