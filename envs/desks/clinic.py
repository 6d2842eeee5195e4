"""The front desk of a clinic: appointments, repeat prescriptions, fees, insurance and records.

Source: own; the setting (policy, tools, a person who talks back, the database as judge) is that of tau-bench (Yao et
al. 2024, arXiv:2406.12045).
"""

from turnwise.core.registration import register
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.desks.clinic.desk import KINDS, TOOLBOX, draft

__all__ = ["ClinicDesk"]


@register("ClinicDesk-v0")
class ClinicDesk(DeskEnv):
    """Serve a patient at the front desk of a clinic, by its policy.

    The clinic's rules differ in every world: who may act for a child, which specialities need a referral and how old it
    may be, how far apart appointments are, when a repeat prescription is due, which fees are waived. So the policy has
    to be read, and dates have to be counted.
    """

    domain = "clinic"
    toolbox = TOOLBOX
    goal_kinds = KINDS
    drafted = staticmethod(draft)
    chance = (0.0,) * 10
    chance_default = 0.0
