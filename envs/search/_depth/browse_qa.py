"""How deep the questions of BrowseQA are."""

from turnwise.envs.search._depth.players import SHORTCUTS, SKILLS, extent, task_text

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]
