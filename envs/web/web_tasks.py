"""WebTasks: find, compare, fill, edit, buy and reconcile on generated web sites, each task on one site.

Sources: WebArena (arXiv 2307.13854) for kinds of sites and tasks, and for tasks that cannot be done; WorkArena (arXiv
2403.07718) for checking the database that is left. Sites and tasks are our own.
"""

from turnwise.core.registration import register
from turnwise.envs.web._episode import WebEnv
from turnwise.envs.web._mutants import CHEATS

__all__ = ["WebTasks"]


@register("WebTasks-v0")
class WebTasks(WebEnv):
    """Carry out tasks on one web site each: shop, bank, forum, mail, CRM, tracker, travel, maps, wiki.

    The reward is 1 for an end that leaves exactly what the task asks for in the site's database (and gives the right
    answer), else 0: anything else that was changed fails.

    Difficulty raises the templates' level, the worlds' size, and from level 6 on shows pages through a viewport.
    """

    levels = (
        {"level": 1, "size": 20, "infeasible": 0.0},
        {"level": 1, "size": 60},
        {"level": 2, "size": 60},
        {"level": 2, "min_level": 2, "size": 60},
        {"level": 3, "min_level": 2, "size": 60},
        {"level": 3, "min_level": 3, "size": 60, "lines": 80},
        {"level": 4, "min_level": 3, "size": 80, "lines": 60, "max_turns": 50},
        {"level": 4, "min_level": 4, "size": 100, "lines": 60, "max_turns": 60},
        {"level": 5, "min_level": 4, "size": 120, "lines": 40, "max_turns": 70},
        {"level": 5, "min_level": 5, "size": 150, "lines": 40, "max_turns": 80},
    )
    cheats = CHEATS
    chance = (0.0, 0.0, 0.008, 0.01, 0.01, 0.006, 0.006, 0.006, 0.01, 0.006)
    chance_default = 0.0076
