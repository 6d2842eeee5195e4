"""The space of texts, with the support that gymnasium's vector environments need to batch it.

gymnasium's own ``Text`` requires a finite character set and checks every character; this one accepts any ``str`` up to
a length, in constant time.
"""

import copy
from collections.abc import Iterable, Sequence
from ctypes import c_char
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import utils

__all__ = ["MAX_ACTION_CHARS", "MAX_OBSERVATION_CHARS", "Text"]

MAX_ACTION_CHARS = 2**20  # a longer message is refused unread
MAX_OBSERVATION_CHARS = 2**17
_SAMPLE_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789 <>/()+-*=.,"
_SHARED_BYTES = 2**16  # of a text in AsyncVectorEnv's shared memory


class Text(gymnasium.Space[str]):
    """Any string of at most ``max_length`` characters.

    Args:
        max_length: Longest text, in characters.
        seed: Seed of `sample`, which draws short noise.
    """

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        self.max_length = max_length
        super().__init__(shape=None, dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: None = None, probability: None = None) -> str:
        if mask is not None or probability is not None:
            raise ValueError("Text takes no mask and no probability")
        length = int(self.np_random.integers(1, min(32, self.max_length), endpoint=True))
        return "".join(_SAMPLE_CHARS[i] for i in self.np_random.integers(len(_SAMPLE_CHARS), size=length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash(("Text", self.max_length))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Text":
        twin = Text(self.max_length)  # whose generator, if `sample` has made one, is all that can change
        twin._np_random = copy.deepcopy(self._np_random, memo)
        return twin

    def __repr__(self) -> str:
        return f"Text({self.max_length})"


@utils.batch_space.register(Text)
def _batch_space(space: Text, n: int = 1) -> gymnasium.spaces.Tuple[Any]:
    return gymnasium.spaces.Tuple([Text(space.max_length) for _ in range(n)])


@utils.concatenate.register(Text)
def _concatenate(space: Text, items: Iterable[str], out: object) -> tuple[str, ...]:
    return tuple(items)


@utils.create_empty_array.register(Text)
def _create_empty_array(space: Text, n: int = 1, fn: object = None) -> tuple[str, ...]:
    return ("",) * n


@utils.create_shared_memory.register(Text)
def _create_shared_memory(space: Text, n: int = 1, ctx: Any = None) -> Any:
    import multiprocessing

    return (ctx or multiprocessing).Array(c_char, n * (4 + _SHARED_BYTES))


@utils.write_to_shared_memory.register(Text)
def _write_to_shared_memory(space: Text, index: int, value: str, shared_memory: Any) -> None:
    data = value.encode("utf-8", "surrogatepass")
    if len(data) > _SHARED_BYTES:
        raise ValueError(f"a text of {len(data)} bytes does not fit; use AsyncVectorEnv(shared_memory=False)")
    start = index * (4 + _SHARED_BYTES)
    shared_memory[start : start + 4 + len(data)] = len(data).to_bytes(4, "little") + data


class _SharedTexts(Sequence[str]):
    """The texts currently in shared memory: AsyncVectorEnv asks for them once and deep-copies them at each step."""

    def __init__(self, memory: Any, n: int) -> None:
        self._raw = memoryview(memory.get_obj())
        self._n = n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        start = range(self._n)[index] * (4 + _SHARED_BYTES)
        size = int.from_bytes(bytes(self._raw[start : start + 4]), "little")
        return bytes(self._raw[start + 4 : start + 4 + size]).decode("utf-8", "surrogatepass")

    def __deepcopy__(self, memo: object) -> tuple[str, ...]:
        return tuple(self)


@utils.read_from_shared_memory.register(Text)
def _read_from_shared_memory(space: Text, shared_memory: Any, n: int = 1) -> Sequence[str]:
    return _SharedTexts(shared_memory, n)
