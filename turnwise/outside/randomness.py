"""Python's and NumPy's global generators, lent to code that draws from them without asking."""

import contextlib
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Randomness", "canonical"]

_LOCK = threading.RLock()
_MAX_DEPTH, _MAX_ITEMS = 8, 2000


class Randomness:
    """A state of the global generators that belongs to one episode.

    Code that runs inside `lent` draws from this state; outside of it, the global generators are as they were. One
    thread of the process at a time is inside.

    Args:
        seed: Seeds both generators.
    """

    def __init__(self, seed: int) -> None:
        self._python: Any = random.Random(seed).getstate()
        self._numpy: Any = np.random.RandomState(seed % 2**32).get_state()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Put this state in the place of the global one, and take it back with what was drawn."""
        with _LOCK:
            python, numpy = random.getstate(), np.random.get_state()
            random.setstate(self._python)
            np.random.set_state(self._numpy)
            try:
                yield
            finally:
                self._python, self._numpy = random.getstate(), np.random.get_state()
                random.setstate(python)
                np.random.set_state(numpy)


def canonical(value: object, depth: int = 0) -> str:
    """Write what an object holds, equal for objects that hold the same: no addresses, no order of sets.

    What lies deep, and long tables such as word lists, are written by their type and length.
    """
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    name = type(value).__name__
    if isinstance(value, (dict, list, tuple, set, frozenset)) and (len(value) > _MAX_ITEMS or depth >= _MAX_DEPTH):
        return f"{name}*{len(value)}"
    if isinstance(value, dict):
        parts = sorted(f"{canonical(k, depth + 1)}:{canonical(v, depth + 1)}" for k, v in value.items())
    elif isinstance(value, (list, tuple)):
        parts = [canonical(item, depth + 1) for item in value]
    elif isinstance(value, (set, frozenset)):
        parts = sorted(canonical(item, depth + 1) for item in value)
    elif isinstance(value, (np.ndarray, np.generic)):
        return f"{name}{value.tolist()!r}"
    elif hasattr(value, "__dict__") and not callable(value) and depth < _MAX_DEPTH:
        return f"{name}{canonical(vars(value), depth + 1)}"
    else:
        return name
    return f"{name}({','.join(parts)})"
