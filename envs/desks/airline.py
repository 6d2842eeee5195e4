"""The desk of an airline: bookings, cancellations, changes, bags, insurance and delays.

Source: own; the setting (policy, tools, a person who talks back, the database as judge) is that of tau-bench's
airline domain (Yao et al. 2024, arXiv:2406.12045).
"""

from turnwise.core.registration import register
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.desks.airline.desk import KINDS, TOOLBOX, draft

__all__ = ["AirlineDesk"]


@register("AirlineDesk-v0")
class AirlineDesk(DeskEnv):
    """Serve a customer of an airline, by its policy.

    The airline's rules differ in every world: until when a reservation can be canceled, which cabins can be changed,
    how many bags are free, what a delay is worth to whom. Many requests come minutes too late, or just in time.
    """

    domain = "airline"
    toolbox = TOOLBOX
    goal_kinds = KINDS
    drafted = staticmethod(draft)
    chance = (0.0,) * 10
    chance_default = 0.0
