"""Credit: pure numpy functions from the rewards of a whole batch to advantages.

``group``, ``passk`` and ``roles`` give one advantage per rollout, ``turns`` per turn, ``tokens`` per token; ``shaping``
adds to rewards and ``intrinsic`` replaces them. Data are positional parameters whose names say what they hold; settings
are keyword-only. Advantages are float64, 0 where a turn or token does not exist or was not sampled.
"""

from turnwise.baselines.methods.credit import group, intrinsic, passk, roles, shaping, tokens, turns
from turnwise.baselines.methods.kinds import credit as CREDIT
from turnwise.baselines.methods.kinds import reward as REWARDS
from turnwise.baselines.methods.kinds import shaping as SHAPING

__all__ = ["CREDIT", "REWARDS", "SHAPING", "group", "intrinsic", "passk", "roles", "shaping", "tokens", "turns"]
