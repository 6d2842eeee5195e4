"""The desk of an online shop: orders, returns, exchanges, refunds and accounts.

Source: own; the setting (policy, tools, a person who talks back, the database as judge) is that of tau-bench's retail
domain (Yao et al. 2024, arXiv:2406.12045).
"""

from turnwise.core.registration import register
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.desks.retail.desk import KINDS, TOOLBOX, draft

__all__ = ["RetailDesk"]


@register("RetailDesk-v0")
class RetailDesk(DeskEnv):
    """Serve a customer of an online shop, by its policy.

    The shop's rules differ in every world: how long what can be returned, where a refund may go, how often an order is
    changed, what a late delivery is worth. Many requests lie a day or a cent to one side of a rule.
    """

    domain = "retail"
    toolbox = TOOLBOX
    goal_kinds = KINDS
    drafted = staticmethod(draft)
    chance = (0.0,) * 10
    chance_default = 0.0
