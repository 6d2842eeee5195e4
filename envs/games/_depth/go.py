"""Agents of graded skill for Go: they look ahead a move or more."""

import re
from collections.abc import Sequence

from turnwise.envs.games._depth.reading import extent, shortcuts, skills
from turnwise.worlds.games.go import Go, Position

__all__ = ["SHORTCUTS", "SKILLS", "extent"]


def _read(prompt: str, rows: Sequence[str], seat: int) -> tuple[Go, Position]:
    komi = re.search(r"O \(White\) gets (-?[\d.]+) points", prompt)
    return Go(len(rows), float(komi[1]) if komi else 0.5), Position("".join(rows), (), seat)


SHORTCUTS = shortcuts(_read)
SKILLS = skills(_read, ("greedy", "alphabeta:1", "alphabeta:2"))
