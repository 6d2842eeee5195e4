"""A table from strings to numbers that many processes share: sorted hashes, memory-mapped."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.retrieval.index.folders import load_array

__all__ = ["KeyTable", "hash_of", "write_keys"]


def hash_of(key: str) -> int:
    """Hash a key: 64 bits of BLAKE2b of its UTF-8."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def write_keys(folder: Path, name: str, hashes: Iterable[int] | np.ndarray[Any, Any]) -> list[str]:
    """Write the table of the keys with these hashes, numbered from 0; return the names of its two files."""
    values = np.fromiter(hashes, np.uint64) if not isinstance(hashes, np.ndarray) else hashes
    order = np.argsort(values, kind="stable")
    files = [f"{name}_hashes.npy", f"{name}_numbers.npy"]
    np.save(folder / files[0], values[order])
    np.save(folder / files[1], order.astype(np.uint32))
    return files


class KeyTable:
    """Finds the number of a key: a binary search, then a comparison of the key itself.

    Args:
        folder: Folder that `write_keys` wrote to.
        name: Name that it was written with.
        key_of: Returns the key of a number, since hashes may be equal by chance.
    """

    def __init__(self, folder: Path, name: str, key_of: Callable[[int], str]):
        self._hashes = load_array(folder, f"{name}_hashes.npy").data
        self._numbers = load_array(folder, f"{name}_numbers.npy").data
        self._key_of = key_of

    def find(self, key: str) -> int | None:
        """Return the key's number, the lowest if it has several; None if it is not in the table."""
        hashes, wanted = self._hashes, hash_of(key)
        at = bisect_left(hashes, wanted)
        while at < len(hashes) and hashes[at] == wanted:
            number: int = self._numbers[at]
            if self._key_of(number) == key:
                return number
            at += 1
        return None
