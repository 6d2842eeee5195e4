"""Read an environment's tasks: tics of language, how much tasks differ, and what leaks from the test split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import gymnasium

from turnwise.audit.depth import declared, levels_of
from turnwise.audit.language import Diversity, diversity, tics
from turnwise.core.env import seed_of
from turnwise.core.registration import full_id
from turnwise.core.settings import Range, check_arguments

__all__ = ["LEAST_DIFFERENT", "Reading", "read_tasks"]

LEAST_DIFFERENT = 0.95
"""Smallest share of tasks that read differently."""


@dataclass(frozen=True)
class Reading:
    """How the tasks of a level read.

    Attributes:
        env: Registered id.
        level: Difficulty; None for an environment without levels.
        diversity: Of the tasks in words.
        leaked: First observations of the test split that are also in the training split.
        tests: Tasks of the test split that were compared with as many of the training split.
        with_tics: Tasks that have a tic.
        tics: Number, seed of the first and its excerpt, by rule.
    """

    env: str
    level: int | None
    diversity: Diversity
    leaked: int
    tests: int
    with_tics: int
    tics: Mapping[str, tuple[int, int, str]]

    def missed(self) -> dict[str, str]:
        """Return the bounds that are missed, and why."""
        found = {}
        if self.diversity.different < LEAST_DIFFERENT:
            found["different"] = (
                f"{self.diversity.different:.1%} of the tasks read differently; at least {LEAST_DIFFERENT:.0%} is asked"
            )
        if self.leaked:
            found["leaked"] = (
                f"{self.leaked} of {self.tests} tasks of the test split read like one of the training split"
            )
        if self.with_tics:
            found["tics"] = f"{self.with_tics} tasks have tics: {', '.join(self.tics)}"
        return found


def read_tasks(
    env_id: str,
    settings: Mapping[str, Any] | None = None,
    levels: Sequence[int] = (1, 5, 10),
    num_tasks: Annotated[int, Range(1)] = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> list[Reading]:
    """Read the first observations of an environment's tasks.

    Args:
        env_id: Registered id, or its short name.
        settings: Settings of the environment; the split is chosen here.
        levels: Difficulty levels; those that it does not have are left out.
        num_tasks: Tasks of each split at each level.
        seed: Selects the tasks.
        progress: Called with what is done next.

    Raises:
        SettingsError: The environment is unknown or does not accept these settings.
    """
    check_arguments(read_tasks, num_tasks=num_tasks)
    name = full_id(env_id)
    task_text = declared(name).task_text
    found = []
    for level in levels_of(name, levels):
        given = {**(settings or {}), **({} if level is None else {"difficulty": level})}
        seeds = [seed_of("texts", seed, level, number) for number in range(num_tasks)]
        whole = {}
        for split in ("train", "test"):
            progress(f"level {level}: {split}")
            whole[split] = _first_observations(name, {**given, "split": split}, seeds)
        texts = [task_text(text) for text in whole["train"]]
        places: dict[str, tuple[int, int, str]] = {}
        with_tics = 0
        for number, text in zip(seeds, texts, strict=True):
            seen = tics(text)
            with_tics += bool(seen)
            for tic in seen:
                count, first, excerpt = places.get(tic.rule, (0, number, tic.excerpt))
                places[tic.rule] = count + 1, first, excerpt
        leaked = sum(map(set(whole["train"]).__contains__, whole["test"]))
        found.append(Reading(name, level, diversity(texts), leaked, num_tasks, with_tics, places))
    return found


def _first_observations(name: str, settings: Mapping[str, Any], seeds: Sequence[int]) -> list[str]:
    env = gymnasium.make(name, **settings)
    try:
        return [env.reset(seed=seed)[0] for seed in seeds]
    finally:
        env.close()
