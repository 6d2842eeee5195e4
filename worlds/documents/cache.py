"""A cache of worlds: in the process, and for large ones also on disk, shared by all processes."""

import copyreg
import json
import os
import shutil
import tempfile
import threading
import zlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.core.files import cache_home, waited_for
from turnwise.core.settings import check_names
from turnwise.worlds.documents.build import build
from turnwise.worlds.documents.style import FORMAT, WorldSettings
from turnwise.worlds.documents.world import World

__all__ = ["DISK_DOCUMENTS", "MEMORY_DOCUMENTS", "cache_folder", "open_world", "world_of"]

DISK_DOCUMENTS = 20_000  # worlds from this size are kept on disk; smaller ones are built as fast as read
MEMORY_DOCUMENTS = 2_000_000  # total over all worlds in one process

_worlds: OrderedDict[str, World] = OrderedDict()  # by digest, most recently used last
_guard = threading.Lock()
_building: dict[str, threading.Lock] = {}


def open_world(seed: int, documents: int, **style: Any) -> World:
    """Return the world of a seed: the same object as long as this process holds it.

    Args:
        seed: From 0. Different seeds give different worlds.
        documents: The exact number of its pages, 50 to 1,000,000.
        style: Further settings of ``WorldSettings``.

    Raises:
        SettingsError: A setting is unknown or out of its range.
    """
    known = [name for name in WorldSettings.__slots__ if name not in ("seed", "documents")]
    check_names("a world has no setting", style, known)
    return world_of(WorldSettings(seed, documents, **style))


def world_of(settings: WorldSettings) -> World:
    """Return the world with these settings, from this process, from disk, or built by one thread of one process."""
    digest = settings.digest
    with _guard:
        world = _worlds.get(digest)
        if world is not None:
            _worlds.move_to_end(digest)
            return world
        lock = _building.setdefault(digest, threading.Lock())
    with lock:
        with _guard:
            world = _worlds.get(digest)
        if world is None:
            world = World(settings, _arrays(settings))
            with _guard:
                _worlds[digest] = world
                _building.pop(digest, None)
                while len(_worlds) > 1 and sum(held.num_documents for held in _worlds.values()) > MEMORY_DOCUMENTS:
                    _worlds.popitem(last=False)
    return world


copyreg.pickle(World, lambda world: (world_of, (world.settings,)))  # a pickle holds only the settings


def _forget_locks() -> None:
    """Give a forked child free locks, because their holders do not exist in it."""
    global _guard
    _guard = threading.Lock()
    _building.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)


def cache_folder() -> Path:
    """Return the folder of stored worlds: ``$TURNWISE_CACHE/worlds`` or ``~/.cache/turnwise/worlds``."""
    return cache_home("worlds")


def _arrays(settings: WorldSettings) -> dict[str, npt.NDArray[Any]]:
    if settings.documents < DISK_DOCUMENTS:
        return build(settings)
    try:
        return _from_disk(settings)
    except OSError:  # cannot be written: every process has its own copy
        return build(settings)


def _from_disk(settings: WorldSettings) -> dict[str, npt.NDArray[Any]]:
    """Memory-map the arrays of a stored world, writing them first if they are missing or damaged."""
    parent = cache_folder()
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / f"{settings.digest}-v{FORMAT}"
    arrays = _read(folder)
    if arrays is not None:
        return arrays
    with waited_for(parent / f"{folder.name}.lock"):
        arrays = _read(folder)  # another process may have written it meanwhile
        if arrays is not None:
            return arrays
        for left in parent.glob(f"{folder.name}.*.tmp"):  # left by a killed builder: nobody else has the lock
            shutil.rmtree(left, ignore_errors=True)
        made = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".tmp", dir=parent))
        try:
            _write(made, build(settings))
            if folder.exists():  # damaged
                shutil.rmtree(folder)
            made.rename(folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    arrays = _read(folder)
    if arrays is None:
        raise OSError(f"{folder} was damaged immediately after it was written")
    return arrays


def _write(folder: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write all arrays, and finally their list with sizes and checksums."""
    files = {}
    for name, array in arrays.items():
        path = folder / f"{name}.npy"
        np.save(path, array)
        files[name] = [path.stat().st_size, _checksum(path)]
    (folder / "files.json").write_text(json.dumps(files))


def _read(folder: Path) -> dict[str, npt.NDArray[Any]] | None:
    """Read the arrays of a complete and undamaged folder, else return None."""
    try:
        files = json.loads((folder / "files.json").read_text())
        for name, (size, checksum) in files.items():
            path = folder / f"{name}.npy"
            if path.stat().st_size != size or _checksum(path) != checksum:
                return None
        return {name: _mapped(folder / f"{name}.npy") for name in files}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):  # also JSON of another shape
        return None


def _mapped(path: Path) -> npt.NDArray[Any]:
    """Map an array on disk; an empty one is loaded instead."""
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    except ValueError:
        return np.asarray(np.load(path))


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file, which detects truncation and bad disks, not manipulation."""
    found = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 22):
            found = zlib.crc32(chunk, found)
    return found
