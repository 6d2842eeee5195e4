"""Measure how often the random agent solves each difficulty level, and how fast tasks are generated."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from turnwise.agents.scripted import RandomAgent
from turnwise.core.env import seed_of
from turnwise.core.episode import Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import rollout
from turnwise.core.registration import env_class, full_id

__all__ = ["LevelChance", "chance_line", "generation_rate", "measure_levels"]


@dataclass(frozen=True)
class LevelChance:
    """Solve rate of the random agent at one difficulty level, or the defaults (None), with the recorded one."""

    level: int | None
    solved: int
    episodes: int
    recorded: float | None

    @property
    def rate(self) -> float:
        """Measured solve rate."""
        return self.solved / self.episodes

    @property
    def ok(self) -> bool:
        """Whether the recorded rate agrees with this measurement (4.5 standard deviations, one episode of slack)."""
        if self.recorded is None:
            return False
        spread = (max(self.recorded * (1 - self.recorded), 0.002) / self.episodes) ** 0.5
        return bool(abs(self.rate - self.recorded) <= 4.5 * spread + 1 / self.episodes)


def measure_levels(
    env_id: str, settings: Mapping[str, Any] | None = None, episodes: int = 1000, seed: int = 0
) -> Iterator[LevelChance]:
    """Measure the random agent's solve rate at the default settings and every level, to record in the class.

    The class records them as ``chance_default`` (measured if no settings are given) and ``chance``.

    Raises:
        SettingsError: The environment has no levels.
    """
    name = full_id(env_id)
    cls = env_class(name)
    if not cls.levels:
        raise SettingsError(f"{name} has no difficulty levels to measure")
    levels = range(1, len(cls.levels) + 1)
    for level in levels if settings else (None, *levels):
        own = {} if level is None else {**(settings or {}), "difficulty": level}
        first = seed_of("level", seed, level)
        jobs = (Job(name, seed_of("audit", first, i), i, own) for i in range(episodes))
        solved = sum(e.solved for e in rollout(RandomAgent(), jobs, strict=True))
        recorded = cls.chance_default if level is None else dict(enumerate(cls.chance, 1)).get(level)
        yield LevelChance(level, solved, episodes, recorded)


def chance_line(levels: Sequence[LevelChance]) -> str:
    """Write the measured rates as the lines of code for an environment's class."""

    def written(level: LevelChance) -> str:
        return f"{level.rate:.2g}" if level.solved else "0.0"

    table = f"chance = ({', '.join(written(level) for level in levels if level.level is not None)})"
    return "\n".join([*(f"chance_default = {written(level)}" for level in levels if level.level is None), table])


def generation_rate(env: gymnasium.Env[str, str], seed: int = 0, seconds: float = 0.3) -> float:
    """Measure the tasks generated and shown per second of CPU time."""
    env.reset(seed=seed)  # do not count what is loaded only once
    start, count = time.process_time(), 0
    while (used := time.process_time() - start) < seconds:
        env.reset()
        count += 1
    env.close()
    return count / used
