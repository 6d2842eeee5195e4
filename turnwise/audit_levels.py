"""How often the random agent solves each difficulty level, and how fast tasks are generated."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from turnwise.agents.scripted import RandomAgent
from turnwise.core import seed_of
from turnwise.episode import Job
from turnwise.errors import SettingsError
from turnwise.registration import env_class, full_id
from turnwise.rollout import rollout

__all__ = ["LevelChance", "chance_line", "generation_rate", "measure_levels"]


@dataclass(frozen=True)
class LevelChance:
    """Solve rate of the random agent at one difficulty level, beside what the class records."""

    level: int
    solved: int
    episodes: int
    recorded: float | None

    @property
    def rate(self) -> float:
        """Measured solve rate."""
        return self.solved / self.episodes

    @property
    def ok(self) -> bool:
        """The recorded rate is one that this measurement allows (4.5 standard deviations, one episode of slack)."""
        if self.recorded is None:
            return False
        spread = (max(self.recorded * (1 - self.recorded), 0.002) / self.episodes) ** 0.5
        return bool(abs(self.rate - self.recorded) <= 4.5 * spread + 1 / self.episodes)


def measure_levels(
    env_id: str, settings: Mapping[str, Any] | None = None, episodes: int = 1000, seed: int = 0
) -> Iterator[LevelChance]:
    """The random agent's solve rate at every difficulty level: what ``chance`` of the class records.

    Raises:
        SettingsError: The environment has no levels.
    """
    name = full_id(env_id)
    cls = env_class(name)
    if not cls.levels:
        raise SettingsError(f"{name} has no difficulty levels to measure")
    for level in range(1, len(cls.levels) + 1):
        own = {**(settings or {}), "difficulty": level}
        first = seed_of("level", seed, level)
        jobs = (Job(name, seed_of("audit", first, i), i, own) for i in range(episodes))
        solved = sum(e.solved for e in rollout(RandomAgent(), jobs, strict=True))
        recorded = cls.chance[level - 1] if len(cls.chance) >= level else None
        yield LevelChance(level, solved, episodes, recorded)


def chance_line(levels: Sequence[LevelChance]) -> str:
    """The measured table as the line of code that an environment's class holds."""
    return f"chance = ({', '.join(f'{level.rate:.2g}' if level.solved else '0.0' for level in levels)})"


def generation_rate(env: gymnasium.Env[str, str], seed: int = 0, seconds: float = 0.3) -> float:
    """Tasks generated and shown per second of CPU time."""
    env.reset(seed=seed)  # what is loaded once is not counted
    start, count = time.process_time(), 0
    while (used := time.process_time() - start) < seconds:
        env.reset()
        count += 1
    env.close()
    return count / used
