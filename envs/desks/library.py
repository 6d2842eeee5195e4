"""The desk of a public library: loans, holds, fines, study rooms and memberships.

Source: own; the setting (policy, tools, a person who talks back, the database as judge) is that of tau-bench (Yao et
al. 2024, arXiv:2406.12045).
"""

from turnwise.core.registration import register
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.desks.library.desk import KINDS, TOOLBOX, draft

__all__ = ["LibraryDesk"]


@register("LibraryDesk-v0")
class LibraryDesk(DeskEnv):
    """Serve a member at the desk of a public library, by its policy.

    The library's rules differ in every world: how often a loan is renewed, which fines are waived, what proves who
    somebody is. So the policy has to be read.
    """

    domain = "library"
    toolbox = TOOLBOX
    goal_kinds = KINDS
    drafted = staticmethod(draft)
    chance = (0.0,) * 10
    chance_default = 0.0
