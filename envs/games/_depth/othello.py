"""Agents of graded skill for Othello: they look ahead a move or more."""

from collections.abc import Sequence

from turnwise.envs.games._depth.reading import bits_of, extent, shortcuts, skills
from turnwise.worlds.games.othello import Othello, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Othello, Position]:
    return Othello(len(rows)), Position(bits_of(rows, "X"), bits_of(rows, "O"), seat)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3"))
