"""Agents of graded skill for ConnectFour: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import bits_of, extent, number_in, shortcuts, skills
from turnwise.worlds.games.connect_four import ConnectFour, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[ConnectFour, Position]:
    high, wide = len(rows), len(rows[0])
    columns = ["".join(row[column] for row in rows) + "." for column in range(wide)]
    game = ConnectFour(high, wide, number_in(prompt, r"first has (\d+) stones", 4))
    return game, Position(bits_of(columns, "X"), bits_of(columns, "O"), seat, -1)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:2", "alphabeta:4"))
