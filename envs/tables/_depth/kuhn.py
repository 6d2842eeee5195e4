"""Agents of graded skill for Kuhn poker."""

from turnwise.envs.tables._depth import poker
from turnwise.envs.tables._depth.reading import extent
from turnwise.worlds.games.hidden.kuhn import Kuhn

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

SHORTCUTS = poker.shortcuts("bet", "pass")
SKILLS = poker.skills(Kuhn())
