"""Where the time and the memory of a run go. It reads the clock, so what it finds belongs into timings.jsonl only."""

import sys
import time
from typing import TypeVar

import torch

__all__ = ["Stopwatch", "memory"]

T = TypeVar("T")


class Stopwatch:
    """Seconds by the names of stages: `lap` gives the time since the lap before to a stage."""

    def __init__(self) -> None:
        self.began = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, name: str, result: T) -> T:
        """End a stage, and return its result: ``rows = watch.lap("score", score(rows))``."""
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + now - self._last
        self._last = now
        return result

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return time.perf_counter() - self.began


def memory() -> dict[str, float]:
    """Return the most memory that this process has had so far, in GB; on a GPU, what its tensors took there too."""
    found = {}
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        unit = 1 if sys.platform == "darwin" else 1024
        found["memory_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        found["gpu_memory_gb"] = torch.cuda.max_memory_allocated() / 1e9
    return found
