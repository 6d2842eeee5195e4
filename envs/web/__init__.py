"""Tasks on generated web sites, through a browser."""

from turnwise.envs.web._episode import WebEnv, WebTask
from turnwise.envs.web._mutants import CHEATS

__all__ = ["CHEATS", "WebEnv", "WebTask"]
