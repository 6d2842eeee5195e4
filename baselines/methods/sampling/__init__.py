"""Sampling: how many rollouts a task gets, which of them are kept, which come back, how stale they may be."""

import inspect
from collections.abc import Mapping
from typing import Any

from turnwise.baselines.methods.sampling.adaptive import Dars, ReinforceAda, balanced, dars_extra, reinforce_ada_done
from turnwise.baselines.methods.sampling.replay import ReplayBuffer, needs_replay
from turnwise.baselines.methods.sampling.select import All, Choice, Dynamic, Sampler, has_spread, statistics
from turnwise.baselines.methods.sampling.staleness import capacity
from turnwise.core.errors import SettingsError

__all__ = [
    "SAMPLING", "Choice", "ReplayBuffer", "Sampler", "balanced", "capacity", "dars_extra",
    "has_spread", "make_sampler", "needs_replay", "reinforce_ada_done", "statistics",
]  # fmt: skip

SAMPLING: dict[str, type[All]] = {
    "all": All,
    "dynamic": Dynamic,
    "reinforce_ada": ReinforceAda,
    "dars": Dars,
}
"""Config name to class; the keyword arguments of a class are its settings."""


def make_sampler(name: str, n: int, settings: Mapping[str, Any] | None = None) -> Sampler:
    """The sampler called ``name`` for groups of ``n`` rollouts, with keyword arguments of its class."""
    if name not in SAMPLING:
        raise SettingsError(f"sampling must be one of {sorted(SAMPLING)}, not {name!r}")
    known = [p for p in inspect.signature(SAMPLING[name]).parameters if p != "n"]
    unknown = sorted(set(settings or {}) - set(known))
    if unknown:
        raise SettingsError(f"the sampler {name} has no settings {unknown}; known: {known}")
    return SAMPLING[name](n, **(settings or {}))
