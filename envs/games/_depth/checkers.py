"""Agents of graded skill for Checkers: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import extent, shortcuts, skills
from turnwise.worlds.games.checkers import Checkers, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Checkers, Position]:
    return Checkers(len(rows), 1), Position("".join(rows), seat)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:2", "alphabeta:3"))
