"""Tasks on generated web sites, through a browser."""

from turnwise.envs.web._episode import CHEATS, WebEnv, WebTask

__all__ = ["CHEATS", "WebEnv", "WebTask"]
