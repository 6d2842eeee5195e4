"""Credit by role: in games, what a return is worth depends on the game and on the seat."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.credit._arrays import Floats, as_floats
from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = ["Rae", "rae", "role_averages"]


class Rae(Credit, name="rae"):
    """The return against the moving average of the same seat of the same game (SPIRAL)."""

    decay: Annotated[float, Range(0, 1)] = 0.95
    """Weight of the past in the moving average; each new return has the rest."""


@credit(Rae, needs=("returns", "role_averages"))
def rae(returns: npt.ArrayLike, role_averages: npt.ArrayLike, settings: Rae) -> Floats:
    """A_i = R_i - b(G, p), b the moving average of the returns of seat p in game G, with R_i in it.

    Needs no group: a game may be played once. ``grpo`` and the others that compare with a group do the same for
    training at tables, where the rollouts of a seat are a group of their own, with the mean of the group as b.

    Source: Liu et al. 2025, SPIRAL, arXiv:2506.24119 (role-conditioned advantage estimation); its decay is 0.95.
    """
    values = as_floats("returns", returns)
    return values - as_floats("role_averages", role_averages, values.shape)


def role_averages(
    returns: Sequence[float], roles: Sequence[str], decay: float, before: Mapping[str, float]
) -> tuple[Floats, dict[str, float]]:
    """For each return R in turn, move the average b of its role: b <- decay b + (1 - decay) R.

    Args:
        returns: Of the rollouts of a step, in their order.
        roles: The game and seat of each.
        decay: Weight of the past.
        before: The averages before the step; a role that is new begins at 0, as in the source.

    Returns:
        The average behind each rollout, and those after the step.
    """
    if len(returns) != len(roles):
        raise SettingsError(f"there are {len(returns)} returns and {len(roles)} roles")
    now = dict(before)
    found = np.zeros(len(returns))
    for i, (value, role) in enumerate(zip(returns, roles, strict=True)):
        found[i] = now[role] = decay * now.get(role, 0.0) + (1 - decay) * value
    return found, now
