"""Sampling: how many rollouts a task gets, which of them are kept or replayed, how stale they may be."""

from turnwise.baselines.methods.kinds import Sampling
from turnwise.baselines.methods.kinds import sampling as SAMPLING
from turnwise.baselines.methods.sampling import adaptive, replay, select, staleness
from turnwise.baselines.methods.sampling.select import Sampler

__all__ = ["SAMPLING", "adaptive", "make_sampler", "replay", "select", "staleness"]


def make_sampler(settings: Sampling, n: int) -> Sampler:
    """Create the sampler with these settings, for groups of ``n`` rollouts."""
    made: Sampler = SAMPLING.make(settings, n)
    return made
