"""Random numbers that are the same on every machine: a hash of a key, a name and a position."""

import hashlib
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Draw", "Floats", "Ints"]

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]

_MASK = 2**64 - 1
_STEP = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Draw:
    """Streams of random numbers by name; each is a pure function of key, name and position.

    Only integer arithmetic and IEEE-exact float operations: no ``log`` or ``exp``, whose last bits differ between
    processors, and nothing of ``numpy.random``, whose methods may change between versions.

    Args:
        key: Any text.

    Source: the mixing function of SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._starts: dict[str, int] = {}

    def bits(self, stream: str, n: int) -> Words:
        """64 random bits for each position 0..n-1."""
        return self.at(stream, np.arange(n, dtype=np.uint64))

    def at(self, stream: str, positions: npt.NDArray[np.uint64]) -> Words:
        """64 random bits for each of the positions."""
        x = np.uint64(self._start(stream)) + (positions + np.uint64(1)) * _STEP
        x = (x ^ (x >> np.uint64(30))) * _A
        x = (x ^ (x >> np.uint64(27))) * _B
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)

    def one(self, stream: str, position: int) -> int:
        """The 64 bits of one position, as ``at`` gives them."""
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
        """Numbers in [0, 1)."""
        return (self.bits(stream, n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, stream: str, limits: Ints | int, n: int | None = None) -> Ints:
        """An integer in 0..limit-1 for each limit (one limit: ``n`` times); -1 where the limit is below 1."""
        if isinstance(limits, int):
            assert n is not None
            limits = np.full(n, limits, dtype=np.int64)
        found = (
            (self.bits(stream, len(limits)) >> np.uint64(32)) * np.maximum(limits, 0).astype(np.uint64)
        ) >> np.uint64(32)
        return np.where(limits > 0, found.astype(np.int64), -1)

    def chance(self, stream: str, share: float, n: int) -> npt.NDArray[np.bool_]:
        """True with that probability, for each position."""
        return self.unit(stream, n) < share

    def order(self, stream: str, n: int) -> Ints:
        """A permutation of 0..n-1."""
        return np.argsort(self.bits(stream, n), kind="stable")

    def weighted(self, stream: str, n: int, candidates: int) -> Ints:
        """``n`` picks among 0..candidates-1, some candidates much likelier than others; -1 where there are none."""
        if candidates == 0:
            return np.full(n, -1, dtype=np.int64)
        weights = np.array([1, 1, 1, 2, 2, 3, 4, 8])[
            (self.bits(f"{stream}/weight", candidates) & np.uint64(7)).astype(np.int64)
        ]
        total = np.cumsum(weights)
        return np.searchsorted(total, self.below(stream, int(total[-1]), n), side="right").astype(np.int64)
