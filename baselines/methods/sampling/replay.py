"""Replay of successes: if a whole group fails, a stored success of the task replaces one of its rollouts."""

import statistics as stats
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from turnwise.baselines.methods.registry import Settings
from turnwise.core.env import seed_of
from turnwise.core.settings import Range

__all__ = ["Replay", "ReplayBuffer", "Success", "needs_replay"]


def needs_replay(returns: Sequence[float], *, max_std: float = 0.05, max_mean: float = 0.2) -> bool:
    """Return whether a group failed as a whole: population std < max_std and mean < max_mean.

    Source: Lu et al. 2025, ARPO, arXiv:2505.16282; the bounds are those of its reference code.
    """
    return bool(returns) and stats.pstdev(returns) < max_std and stats.fmean(returns) < max_mean


@dataclass(frozen=True)
class Success:
    """A stored rollout: the caller's payload, its return, and the step in which it was played."""

    payload: Any
    ret: float
    step: int


class Replay(Settings):
    """A memory of successes: when all rollouts of a task fail, a stored success takes the place of one of them."""

    per_task: Annotated[int, Range(1)] = 8
    """Most successes kept per task."""
    max_tasks: Annotated[int, Range(1)] = 4096
    """Largest number of tasks whose successes are kept."""
    max_age: Annotated[int, Range(0)] | None = None
    """Age, in steps, above which a success is not reused again; unlimited by default."""
    min_return: float = 0.1
    """Return above which a rollout is a success."""
    max_std: float = 0.05
    """Standard deviation of the returns below which a group counts as failed (with max_mean)."""
    max_mean: float = 0.2
    """Mean return below which a group counts as failed (with max_std)."""


class ReplayBuffer:
    """The latest successes of each task, first in, first out; the tasks without news for longest are forgotten.

    Payloads are opaque: JSON values where the state is to be JSON, or tensors and numbers for torch.save. A task is
    known by a string that the caller makes, such as ``f"{arm}:{seed}"``. Look up before adding what a step brought,
    as ARPO does: then a group is never given one of its own step.

    Args:
        settings: how many are kept for how long, and when they are given out.

    Source: Lu et al. 2025, ARPO, arXiv:2505.16282, and its reference code; ``max_tasks`` and ``max_age`` are ours.
    """

    def __init__(self, settings: Replay) -> None:
        self.per_task, self.max_tasks, self.max_age = settings.per_task, settings.max_tasks, settings.max_age
        self.min_return, self.max_std, self.max_mean = settings.min_return, settings.max_std, settings.max_mean
        self._tasks: dict[str, list[Success]] = {}  # the task with the oldest news first

    def __len__(self) -> int:
        """Stored successes."""
        return sum(len(stored) for stored in self._tasks.values())

    def add(self, task: str, payload: Any, ret: float, *, step: int) -> bool:
        """Store a rollout if it was a success; return whether it was."""
        if not ret > self.min_return:
            return False
        stored = [s for s in self._tasks.pop(task, []) if self._fresh(s, step)]
        self._tasks[task] = [*stored, Success(payload, float(ret), step)][-self.per_task :]
        if len(self._tasks) > self.max_tasks:
            del self._tasks[next(iter(self._tasks))]
        return True

    def stored(self, task: str, *, step: int) -> list[Success]:
        """Return the successes of a task that are recent enough at ``step``, oldest first."""
        return [s for s in self._tasks.get(task, []) if self._fresh(s, step)]

    def substitute(self, task: str, returns: Sequence[float], *, step: int, key: Sequence[int]) -> Success | None:
        """Choose a random success to replace rollout 0 of a group; None leaves the group unchanged.

        Args:
            task: of the group.
            returns: of its valid rollouts.
            step: the present one.
            key: which success it is depends on the key, the task and the step.
        """
        stored = self.stored(task, step=step)
        if not stored or not needs_replay(returns, max_std=self.max_std, max_mean=self.max_mean):
            return None
        return stored[seed_of(*key, "replay", task, step) % len(stored)]

    def sample(self, n: int, *, step: int, key: Sequence[int]) -> list[tuple[str, Success]]:
        """Draw up to ``n`` different successes of any tasks, uniformly."""
        pool = [(task, s) for task, stored in self._tasks.items() for s in stored if self._fresh(s, step)]
        order = np.random.default_rng(seed_of(*key, "sample", step)).permutation(len(pool))[:n]
        return [pool[i] for i in order]

    def state_dict(self) -> dict[str, Any]:
        """The stored successes; JSON values if the payloads are."""
        return {"tasks": [[t, [[s.payload, s.ret, s.step] for s in stored]] for t, stored in self._tasks.items()]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self._tasks = {task: [Success(p, float(r), int(s)) for p, r, s in stored] for task, stored in state["tasks"]}

    def _fresh(self, success: Success, step: int) -> bool:
        return self.max_age is None or step - success.step <= self.max_age
