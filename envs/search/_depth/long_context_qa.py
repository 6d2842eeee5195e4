"""How deep the questions of LongContextQA are."""

from turnwise.envs.search._depth.players import SHORTCUTS, SKILLS, extent, task_text

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]
