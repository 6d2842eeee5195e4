"""Agents of graded skill for Hex: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import extent, shortcuts, skills
from turnwise.worlds.games.hex import Hex, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Hex, Position]:
    marks = "".join(rows)
    made = 2 * marks.count("O") + seat  # an even number if X is to move
    return Hex(len(rows)), Position(marks, made)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2"))
