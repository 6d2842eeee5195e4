"""Random draws that are the same on every machine: `Draw` one by one, `Streams` as arrays."""

import datetime
import gc
import hashlib
import itertools
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from turnwise.core.env import seed_of

__all__ = ["Draw", "Floats", "Ints", "Streams", "uncollected"]

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]

_MASK = 2**64 - 1
_WORDS = struct.Struct("<8Q")
_STEP = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
T = TypeVar("T")


class Draw:
    """A stream of draws that depends on all of ``key``.

    Its numbers are those of `random.Random.random`, whose values Python promises to keep for a seed.

    Attributes:
        unit: Returns the next number, from 0 up to but not 1.
    """

    def __init__(self, *key: object) -> None:
        self.unit: Callable[[], float] = random.Random(seed_of(*key)).random

    @classmethod
    def of(cls, unit: Callable[[], float]) -> Self:
        """Draws from numbers that come from elsewhere."""
        draw = cls.__new__(cls)
        draw.unit = unit
        return draw

    @classmethod
    def brief(cls, *key: object) -> Self:
        """Another stream that depends on all of ``key``: four times quicker to begin, slower to go on with."""
        return cls.of(_hashed(repr(key).encode()).__next__)

    @classmethod
    def from_generator(cls, rng: np.random.Generator) -> Self:
        """A stream of its own, seeded with a generator's next number."""
        return cls.of(random.Random(int(rng.integers(2**62))).random)

    @classmethod
    def ahead(cls, rng: np.random.Generator, count: int) -> Self:
        """A generator's numbers, fetched ``count`` at a time, which is quicker."""
        return cls.of(itertools.chain.from_iterable(rng.random(count).tolist() for _ in itertools.count()).__next__)

    def below(self, count: int) -> int:
        """A whole number from 0 up to but not ``count``."""
        return int(self.unit() * count)

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.unit() * (high - low + 1))

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self.unit() < p

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[int(self.unit() * len(items))]

    def either(self, *items: T) -> T:
        """One of the arguments."""
        return items[int(self.unit() * len(items))]

    def take(self, items: list[T]) -> T:
        """One of ``items``, which is removed from them."""
        return items.pop(int(self.unit() * len(items)))

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One of ``items``, with odds ``weights``."""
        left = self.unit() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of ``items`` in a random order."""
        found = list(items)
        for last in range(len(found) - 1, 0, -1):
            other = int(self.unit() * (last + 1))
            found[last], found[other] = found[other], found[last]
        return found

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """``count`` of ``items``, or all if they are fewer, in a random order."""
        found = list(items)
        count = min(count, len(found))
        for place in range(count):
            other = place + int(self.unit() * (len(found) - place))
            found[place], found[other] = found[other], found[place]
        return found[:count]

    def day(self, first: datetime.date, last: datetime.date) -> datetime.date:
        """A day from ``first`` to ``last``, both included."""
        return first + datetime.timedelta(self.integer(0, (last - first).days))


def _hashed(key: bytes) -> Iterator[float]:
    """Yield numbers from 0 up to but not 1, eight from each hash of a key and a counter."""
    for block in itertools.count():
        for word in _WORDS.unpack(hashlib.blake2b(key, salt=block.to_bytes(16, "little")).digest()):
            yield (word >> 11) * 2.0**-53


class Streams:
    """Streams of random numbers by name; each is a pure function of key, name and position.

    Only integer arithmetic and IEEE-exact float operations: no ``log`` or ``exp``, whose last bits differ between
    processors, and no ``numpy.random``, whose methods may change between versions.

    Args:
        key: Any text.

    Source: the mixing function of SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._starts: dict[str, int] = {}

    def bits(self, stream: str, n: int) -> Words:
        """Return 64 random bits for each position 0..n-1."""
        return self.at(stream, np.arange(n, dtype=np.uint64))

    def at(self, stream: str, positions: npt.NDArray[np.uint64]) -> Words:
        """Return 64 random bits for each of the positions."""
        x = np.uint64(self._start(stream)) + (positions + np.uint64(1)) * _STEP
        x = (x ^ (x >> np.uint64(30))) * _A
        x = (x ^ (x >> np.uint64(27))) * _B
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)

    def one(self, stream: str, position: int) -> int:
        """Return the 64 bits of one position, equal to those of ``at``."""
        x = (self._start(stream) + (position + 1) * int(_STEP)) & _MASK
        x = ((x ^ (x >> 30)) * int(_A)) & _MASK
        x = ((x ^ (x >> 27)) * int(_B)) & _MASK
        return x ^ (x >> 31)

    def _start(self, stream: str) -> int:
        found = self._starts.get(stream)
        if found is None:
            digest = hashlib.blake2b(f"{self.key}/{stream}".encode(), digest_size=8).digest()
            found = self._starts[stream] = int.from_bytes(digest, "little")
        return found

    def unit(self, stream: str, n: int) -> Floats:
        """Return ``n`` numbers in [0, 1)."""
        return (self.bits(stream, n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, stream: str, limits: Ints | int, n: int | None = None) -> Ints:
        """Return an integer in 0..limit-1 for each limit (one limit: ``n`` times); -1 if the limit is below 1."""
        if isinstance(limits, int):
            assert n is not None
            limits = np.full(n, limits, dtype=np.int64)
        found = (
            (self.bits(stream, len(limits)) >> np.uint64(32)) * np.maximum(limits, 0).astype(np.uint64)
        ) >> np.uint64(32)
        return np.where(limits > 0, found.astype(np.int64), -1)

    def chance(self, stream: str, share: float, n: int) -> npt.NDArray[np.bool_]:
        """Return for each position True with probability ``share``."""
        return self.unit(stream, n) < share

    def order(self, stream: str, n: int) -> Ints:
        """Return a permutation of 0..n-1."""
        return np.argsort(self.bits(stream, n), kind="stable")

    def weighted(self, stream: str, n: int, candidates: int) -> Ints:
        """Pick ``n`` times from 0..candidates-1, some candidates much likelier than others; -1 without candidates."""
        if candidates == 0:
            return np.full(n, -1, dtype=np.int64)
        weights = np.array([1, 1, 1, 2, 2, 3, 4, 8])[
            (self.bits(f"{stream}/weight", candidates) & np.uint64(7)).astype(np.int64)
        ]
        total = np.cumsum(weights)
        return np.searchsorted(total, self.below(stream, int(total[-1]), n), side="right").astype(np.int64)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collection of cycles, for what makes thousands of objects that stay.

    Collections follow each other closely there, many of them over all objects. Usable as a decorator, too.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
