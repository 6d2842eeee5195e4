"""Agents of graded skill for Leduc poker."""

from turnwise.envs.tables._depth import poker
from turnwise.envs.tables._depth.reading import extent
from turnwise.worlds.games.hidden.leduc import Leduc

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

SHORTCUTS = poker.shortcuts("call", "raise")
SKILLS = poker.skills(Leduc())
