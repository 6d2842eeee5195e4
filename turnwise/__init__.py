"""turnwise: multi-turn text environments with verifiable rewards, for training and testing language-model agents.

Importing it registers every environment with gymnasium; an environment's module is imported when it is created.
"""

from typing import Any

from turnwise import envs as envs
from turnwise.core.env import Env, Reply, Text
from turnwise.core.registration import make, register
from turnwise.core.settings import Range

__all__ = ["Env", "Range", "Reply", "Text", "make", "register"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import `turnwise.games` when it is first asked for."""
    if name == "games":
        from importlib import import_module

        return import_module("turnwise.games")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
