"""Agents of graded skill for Chess: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import extent, shortcuts, skills
from turnwise.worlds.games.chess import Chess, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Chess, Position]:
    return Chess(), Position("".join(rows), seat, "", -1, 0, 1)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2"))
