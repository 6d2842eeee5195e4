"""Environments that answer at once: they are played where their messages are read, with no thread in between."""

import logging
from collections.abc import Collection

from turnwise.core.env import Env
from turnwise.core.registration import env_class

__all__ = ["Quick", "answers_at_once"]

SLOW_S = 0.02
FEW, SHARE = 3, 0.01
"""An environment that was slow more often than that, both in number and in share, is played in threads from then on."""
LATE_S = 1.0
"""One that was that slow is so at once."""
_FAMILIES = ("apps", "desks", "games", "logic", "math", "puzzles", "sat", "tables")
"""Families that compute in this process, within limits of their own; the others run programs, search or browse."""
_LOG = logging.getLogger(__name__)


def answers_at_once(env_id: str) -> bool:
    """Whether a registered environment is known to compute its answers quickly and never to wait for anything."""
    cls = env_class(env_id)
    family = cls.__module__.removeprefix("turnwise.envs.").partition(".")[0]
    own = cls.__module__.startswith("turnwise.envs.") and family in _FAMILIES
    return own and cls.tools is Env.tools and cls.release is Env.release  # nothing is run, nothing held elsewhere


class Quick:
    """Which environments are played at once, as long as they keep what is expected of them.

    Args:
        ids: Their ids.
    """

    def __init__(self, ids: Collection[str] = ()) -> None:
        self._steps, self._slow = dict.fromkeys(ids, 0), dict.fromkeys(ids, 0)

    def __contains__(self, env_id: str) -> bool:
        return env_id in self._steps

    def took(self, env_id: str, seconds: float) -> None:
        """Note how long an operation of an environment took; one that is too slow, or slow too often, is dropped."""
        self._steps[env_id] += 1
        if seconds > SLOW_S:
            self._slow[env_id] += 1
            slow, steps = self._slow[env_id], self._steps[env_id]
            if seconds > LATE_S or (slow >= FEW and slow > SHARE * steps):
                self.drop(env_id, f"took over {SLOW_S:g} s {slow} times in {steps}, now {seconds:.2f} s")

    def drop(self, env_id: str, why: str) -> None:
        """Play an environment in threads from now on."""
        del self._steps[env_id]
        _LOG.warning("%s %s: it is played in threads now", env_id, why)
