"""The runs of the suite: environments x methods x seeds, in the order in which they are played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.baselines.recipes import suite as recipes
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.errors import SettingsError

__all__ = ["CURRICULA", "METHODS", "SEEDS", "TASKS", "Job", "Task", "jobs"]

SEEDS = (0, 1, 2)

METHODS: dict[str, dict[str, Any]] = {
    "grpo": {},
    "rloo": {"credit": "rloo"},
    "gigpo": {"credit": "gigpo"},
    "turn_rtg_loo": {"credit": "turn_rtg_loo"},
    "pkpo": {"credit": "pkpo", "credit.k": 4},
    "shuffled": {"shuffle_rewards": True},
}
"""The settings that each method changes, by their names; "shuffled" is the control."""

CURRICULA: dict[str, dict[str, Any]] = {
    "mixture": {},
    "saturn": {"threshold": 0.4, "rehearsal": 0.2},
    "sec": {},
}
"""Curricula for environments with several arms; "grpo" draws only the level that is tested."""


@dataclass(frozen=True)
class Task:
    """An environment of the suite.

    Attributes:
        recipe: Its settings, the same for all methods.
        methods: The methods that are played on it.
        arms: Settings of the levels of its curricula, easiest first; the last is the level that is tested.
        targets: Test solve rates for which to report the environment steps until they are reached; the first is
            the one that counts, the others tell whether the answer depends on it.
    """

    recipe: Callable[[], TrainConfig]
    methods: Sequence[str] = tuple(METHODS)
    arms: Sequence[Mapping[str, Any]] = ()
    targets: Sequence[float] = field(default=())

    def settings(self, method: str) -> dict[str, Any]:
        """Return the settings that a method changes for this environment."""
        if method in CURRICULA:
            own = {f"curriculum.{name}": value for name, value in CURRICULA[method].items()}
            arms = [{"settings": dict(arm)} for arm in self.arms]
            return {"curriculum": method, "curriculum.arms": arms, **own}
        return METHODS[method]


LAKE_ARMS = [{"max_turns": turns} for turns in (2, 3, 4)]  # as far as the turns allow, so: near, farther, far
MAZE_ARMS = [{"distance": cells, "max_turns": cells} for cells in (2, 3, 4)]
LEVELS = ("grpo", *CURRICULA)

TASKS: dict[str, Task] = {
    "guess_number": Task(recipes.suite_guess_number),
    "frozen_lake": Task(recipes.suite_frozen_lake),
    "maze": Task(recipes.suite_maze),
    "sokoban": Task(recipes.suite_sokoban),
    "ksat": Task(recipes.suite_ksat),
    "arithmetic": Task(recipes.suite_arithmetic),
    "far_lake": Task(recipes.suite_far_lake, LEVELS, LAKE_ARMS, (0.3, 0.2, 0.4)),
    "far_maze": Task(recipes.suite_far_maze, LEVELS, MAZE_ARMS, (0.2, 0.1, 0.3)),
}


@dataclass(frozen=True)
class Job:
    """A run of the suite."""

    task: str
    method: str
    seed: int

    @property
    def name(self) -> str:
        """The folder of the run within the suite's folder."""
        return f"{self.task}/{self.method}/{self.seed}"

    def config(self, out: str, **changes: Any) -> TrainConfig:
        """The settings of the run.

        Args:
            out: Folder of the suite.
            changes: Settings to change in all runs alike, by their names, to try the suite out.
        """
        task = TASKS[self.task]
        own = {**changes, **task.settings(self.method), "seed": self.seed, "out": f"{out}/{self.name}"}
        return task.recipe().changed(own)


def jobs(tasks: Sequence[str] = (), methods: Sequence[str] = (), seeds: Sequence[int] = SEEDS) -> list[Job]:
    """Return the runs, most informative first: GRPO, two curricula, the control (one seed), then the others by seed.

    Args:
        tasks: Only these; all where there are none.
        methods: Only these; all where there are none.
        seeds: Of every method but the control, which has the first.
    """
    for kind, given, known in (("task", tasks, TASKS), ("method", methods, {**METHODS, **CURRICULA})):
        if unknown := sorted(set(given) - set(known)):
            raise SettingsError(f"the suite has no {kind} {unknown[0]!r}; it has {list(known)}")
    first = [(method, seed) for method in ("grpo", "mixture", "saturn") for seed in seeds]
    rest = [(method, seed) for seed in seeds for method in ("gigpo", "turn_rtg_loo", "rloo", "pkpo", "sec")]
    return [
        Job(name, method, seed)
        for method, seed in [*first, ("shuffled", seeds[0]), *rest]
        for name, task in TASKS.items()
        if method in task.methods and (not tasks or name in tasks) and (not methods or method in methods)
    ]
