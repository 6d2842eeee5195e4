"""Replay of successes: when a whole group fails, one of its rollouts gives way to a stored success of the task."""

import statistics as stats
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError

__all__ = ["ReplayBuffer", "Success", "needs_replay"]


def needs_replay(returns: Sequence[float], *, max_std: float = 0.05, max_mean: float = 0.2) -> bool:
    """Whether a group failed as a whole: population std < max_std and mean < max_mean.

    Source: Lu et al. 2025, ARPO, arXiv:2505.16282; the bounds are those of its reference code.
    """
    return bool(returns) and stats.pstdev(returns) < max_std and stats.fmean(returns) < max_mean


@dataclass(frozen=True)
class Success:
    """A stored rollout: whatever the caller keeps of it, its return, and the step that it was played in."""

    payload: Any
    ret: float
    step: int


class ReplayBuffer:
    """The latest successes of each task, first in, first out; the tasks without news for longest are forgotten.

    Payloads are opaque: JSON values where the state is to be JSON, or tensors and numbers for torch.save. A task is
    known by a string that the caller makes, such as ``f"{arm}:{seed}"``. Look up before adding what a step brought,
    as ARPO does: then a group is never given one of its own step.

    Args:
        per_task: successes kept per task.
        max_tasks: tasks kept.
        max_age: successes older than so many steps are not given out, and go when their task is added to; None
            keeps them all.
        min_return: a return above this is a success.
        max_std: bound of ``needs_replay``.
        max_mean: bound of ``needs_replay``.

    Source: Lu et al. 2025, ARPO, arXiv:2505.16282, and its reference code; ``max_tasks`` and ``max_age`` are ours.
    """

    def __init__(
        self,
        *,
        per_task: int = 8,
        max_tasks: int = 4096,
        max_age: int | None = None,
        min_return: float = 0.1,
        max_std: float = 0.05,
        max_mean: float = 0.2,
    ) -> None:
        if per_task < 1 or max_tasks < 1:
            raise SettingsError(f"per_task and max_tasks must be 1 or more, not {per_task!r} and {max_tasks!r}")
        if max_age is not None and max_age < 0:
            raise SettingsError(f"max_age must be 0 or more steps, or None, not {max_age!r}")
        self.per_task, self.max_tasks, self.max_age = per_task, max_tasks, max_age
        self.min_return, self.max_std, self.max_mean = min_return, max_std, max_mean
        self._tasks: dict[str, list[Success]] = {}  # the task with the oldest news first

    def __len__(self) -> int:
        """Stored successes."""
        return sum(len(stored) for stored in self._tasks.values())

    def add(self, task: str, payload: Any, ret: float, *, step: int) -> bool:
        """Store a rollout if it was a success; whether it was."""
        if not ret > self.min_return:
            return False
        stored = [s for s in self._tasks.pop(task, []) if self._fresh(s, step)]
        self._tasks[task] = [*stored, Success(payload, float(ret), step)][-self.per_task :]
        if len(self._tasks) > self.max_tasks:
            del self._tasks[next(iter(self._tasks))]
        return True

    def stored(self, task: str, *, step: int) -> list[Success]:
        """The successes of a task that are young enough at ``step``, oldest first."""
        return [s for s in self._tasks.get(task, []) if self._fresh(s, step)]

    def substitute(self, task: str, returns: Sequence[float], *, step: int, key: Sequence[int]) -> Success | None:
        """A success to take the place of rollout 0 of a group, at random; None leaves the group as it is.

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
        """Up to ``n`` different successes of any tasks, uniformly."""
        pool = [(task, s) for task, stored in self._tasks.items() for s in stored if self._fresh(s, step)]
        order = np.random.default_rng(seed_of(*key, "sample", step)).permutation(len(pool))[:n]
        return [pool[i] for i in order]

    def state_dict(self) -> dict[str, Any]:
        """The stored successes; JSON values if the payloads are."""
        return {"tasks": [[t, [[s.payload, s.ret, s.step] for s in stored]] for t, stored in self._tasks.items()]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state_dict`` gave."""
        self._tasks = {task: [Success(p, float(r), int(s)) for p, r, s in stored] for task, stored in state["tasks"]}

    def _fresh(self, success: Success, step: int) -> bool:
        return self.max_age is None or step - success.step <= self.max_age
