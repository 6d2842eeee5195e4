"""The service desk of a mobile operator: lines, plans, bills, and phones that the person has to put right.

Source: own; the setting (policy, tools, a person with a phone of their own, database and phone as judges) is that of
the telecom domain of tau2-bench (Barres et al. 2025, arXiv:2506.07982).
"""

from typing import Annotated

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.desks.scenario import Shape
from turnwise.worlds.desks.telecom.desk import KINDS, TOOLBOX, draft

__all__ = ["TelecomDesk"]


@register("TelecomDesk-v0")
class TelecomDesk(DeskEnv):
    """Serve a customer of a mobile operator, by its policy, and talk them through what their phone needs.

    The operator's rules differ in every world. Phones fail in three ways (no service, no or slow data, no picture
    messages) for up to nine reasons at once, out of 18: some are put right with tools, most by the person, who has to
    be told what to do, step by step, and says what they see. Whether the phone works in the end is part of the reward.
    """

    faults: Annotated[int, Range(1, 9)] = 3
    """Most things that are wrong with the person's phone."""
    max_turns = 50

    levels = tuple(
        {**level, "faults": faults, "max_turns": level["max_turns"] + 4 * faults}
        for level, faults in zip(DeskEnv.levels, (1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
    )
    domain = "telecom"
    toolbox = TOOLBOX
    goal_kinds = KINDS
    drafted = staticmethod(draft)
    chance = (0.0,) * 10
    chance_default = 0.0

    def shape(self) -> Shape:
        return super().shape()._replace(faults=self.faults)
