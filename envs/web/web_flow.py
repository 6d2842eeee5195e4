"""WebFlow: tasks that need several sites of one world, such as a mail's invoice paid at the bank.

Sources: WebArena (arXiv 2307.13854), whose tasks across sites these are like; sites and tasks are our own.
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.web._episode import WebEnv
from turnwise.envs.web._mutants import CHEATS

__all__ = ["WebFlow"]


@register("WebFlow-v0")
class WebFlow(WebEnv):
    """Carry out tasks across web sites: do on one site what another one says.

    The people, companies and dates of a world are the same on all of its sites. The reward is that of `WebTasks`:
    exactly the differences that the task asks for, in all databases together.
    """

    level: int = 5
    max_turns: int = 60
    infeasible: Annotated[float, Range(0, 1)] = 0.04
    """Share of tasks that cannot be done, and whose right end is to say so."""
    several = True

    levels = (
        {"level": 3, "size": 20, "infeasible": 0.0},
        {"level": 3, "size": 40},
        {"level": 3, "size": 60},
        {"level": 4, "size": 40},
        {"level": 4, "size": 60},
        {"level": 4, "size": 60, "lines": 80},
        {"level": 5, "min_level": 3, "size": 60, "lines": 80},
        {"level": 5, "min_level": 4, "size": 60, "lines": 60},
        {"level": 5, "min_level": 4, "size": 80, "lines": 40},
        {"level": 5, "min_level": 4, "size": 120, "lines": 40, "max_turns": 80},
    )
    cheats = CHEATS
    chance = (0.0,) * 10
    chance_default = 0.006
