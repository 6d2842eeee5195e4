"""When a run is good enough to end before its last step."""

from collections.abc import Mapping, Sequence
from typing import Any

from turnwise.baselines.trainer.rollouts import Group

__all__ = ["Target"]


class Target:
    """A solve rate in training, and whether the last steps have held it.

    The rate is that of the policy's own rollouts of the training tasks, over the last ``window`` steps together. They
    are played anyway, are many more than the test tasks, and leave the test split out of the decision.

    Args:
        rate: to be reached; 0 for none.
        window: in steps.
    """

    def __init__(self, rate: float, window: int) -> None:
        self._rate, self._window = rate, window
        self._seen: list[tuple[int, int]] = []  # of the last steps: rollouts solved, and played

    def observe(self, played: Sequence[Group]) -> None:
        """Take note of the rollouts of a step; those whose environment failed do not count."""
        valid = [run for group in played for run in group.valid if not run.external]
        self._seen = [*self._seen, (sum(run.solved for run in valid), len(valid))][-self._window :]

    @property
    def solved(self) -> float:
        """The share of the rollouts of the last steps that were solved."""
        return sum(solved for solved, _ in self._seen) / max(1, sum(played for _, played in self._seen))

    @property
    def reached(self) -> bool:
        """Whether the run may end."""
        return self._rate > 0 and len(self._seen) >= self._window and self.solved >= self._rate

    def reason(self, step: int) -> str:
        """What to say of a run that ends for this after ``step`` steps."""
        return (
            f"stopped after step {step}: {100 * self.solved:.1f} % of the training rollouts of the last {self._window}"
            f" steps were solved (stop_at = {self._rate:g})"
        )

    def state_dict(self) -> dict[str, Any]:
        """What was seen."""
        return {"seen": [list(pair) for pair in self._seen]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that ``state_dict`` returned."""
        self._seen = [(int(solved), int(played)) for solved, played in state["seen"]][-self._window :]
