"""Agents of graded skill for Breakthrough: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import bits_of, extent, shortcuts, skills
from turnwise.worlds.games.breakthrough import Breakthrough, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Breakthrough, Position]:
    game = Breakthrough(len(rows), len(rows[0]))
    return game, Position(bits_of(rows, "X"), bits_of(rows, "O"), seat)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3"))
