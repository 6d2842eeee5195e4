"""What samples turns, seen from outside: the protocol of the engines, and what they return.

Apart from the engines themselves, so that conversations with a server need no torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Engine", "Sampled"]


@dataclass(frozen=True)
class Sampled:
    """One sampled turn: its tokens (stop token included), and log softmax(logits / temperature) of each.

    ``stopped`` is False where the turn ran into ``max_new`` instead.
    """

    ids: list[int]
    logps: list[float]
    stopped: bool


class Engine(Protocol):
    """Samples turns of rows; a row is a handle that `open` returns."""

    max_len: int

    def open(self, n: int) -> list[int]:
        """Open ``n`` empty rows and return their handles."""

    def extend(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> None:
        """Append context tokens to rows."""

    def submit(
        self,
        rows: Sequence[int],
        *,
        max_new: int | Sequence[int],
        stop_ids: Sequence[int],
        temperature: float,
        keys: Sequence[tuple[int, ...]],
        greedy: bool = False,
    ) -> None:
        """Request one turn of each row; until `collect` returns it, the row accepts nothing else."""

    def collect(self, min_finished: int = 1) -> list[tuple[int, Sampled]]:
        """Sample until ``min_finished`` of the submitted turns are finished (or all, if they are fewer).

        All finished turns are returned with their rows, sorted by row; their tokens are part of the rows.
        A row may be extended and submitted again immediately: it joins those still being sampled. Rows that are
        returned together are prefilled together, so a larger ``min_finished`` costs less per turn.
        """

    def close(self, rows: Sequence[int]) -> None:
        """Close rows; a turn that is being sampled is dropped."""

    def load(self, version: int) -> None:
        """Switch to new weights: nothing computed with the old ones is used again.

        Turns that are being sampled keep their tokens and continue with the new weights.
        """

    def length(self, row: int) -> int:
        """Return the number of tokens in a row, without those of a turn that is not collected yet."""
