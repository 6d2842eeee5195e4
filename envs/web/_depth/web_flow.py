"""Agents of graded skill for WebFlow: those of WebInjection, which read names off the page."""

from turnwise.envs.web._depth.web_injection import SHORTCUTS, SKILLS, extent, task_text

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]
