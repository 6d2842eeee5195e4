"""Folders of files that belong together: they are complete or refused."""

import contextlib
import json
import os
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.core.errors import SettingsError

__all__ = ["load_array", "open_folder", "seal", "unseal"]

MANIFEST = "manifest.json"
_reading = (
    threading.Lock()
)  # Python 3.11's literal parser, which reads the heads of arrays, fails in two threads at once


def _after_fork() -> None:
    """Replace the lock, which another thread of the parent may have held."""
    global _reading
    _reading = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def unseal(folder: str | os.PathLike[str]) -> Path:
    """Prepare a folder for writing: create it, and make `open_folder` refuse it until it is sealed.

    Files that were sealed in it are removed, not overwritten: processes that have mapped them keep them.

    Raises:
        SettingsError: It cannot be written.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            names = list(json.loads((path / MANIFEST).read_text(encoding="utf-8"))["files"])
            (path / MANIFEST).unlink()
            for name in names:
                (path / Path(name).name).unlink(missing_ok=True)
        (path / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(f"folder is {str(folder)!r}, which cannot be written: {error}") from error
    return path


def seal(folder: Path, kind: str, version: int, files: list[str], **facts: Any) -> None:
    """Write the folder's manifest, last and atomically: its kind, its facts, sizes and checksums of its files.

    Args:
        folder: Folder with the files.
        kind: The kind that `open_folder` expects.
        version: Version of the format, which rises with every change.
        files: Names of all files that belong to it.
        facts: Anything that JSON can represent.
    """
    sizes = {name: [(folder / name).stat().st_size, checksum(folder / name)] for name in files}
    manifest = {"kind": kind, "version": version, **facts, "files": sizes}
    new = folder / f"{MANIFEST}.{os.getpid()}"
    new.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    os.replace(new, folder / MANIFEST)


def open_folder(folder: str | os.PathLike[str], kind: str, version: int, verify: bool = False) -> dict[str, Any]:
    """Read the facts of a sealed folder.

    Args:
        folder: A folder that `seal` sealed.
        kind: The kind it must have.
        version: Version of the format that can be read.
        verify: Also read every file and compare checksums (some seconds per gigabyte); sizes are always compared.

    Raises:
        SettingsError: It is missing, incomplete, damaged, or of another kind or version; the file is named.
    """
    path = Path(folder)
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        found, made, files = manifest["kind"], manifest["version"], dict(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        where = path / MANIFEST
        raise SettingsError(
            f"{str(folder)!r} is not a complete {kind}: {where} cannot be read ({error!r}); build it again"
        ) from error
    if found != kind:
        raise SettingsError(f"{str(folder)!r} contains a {found}; it must be the folder of a {kind}")
    if made != version:
        raise SettingsError(
            f"{str(folder)!r} has format {made} of {kind}; this turnwise reads {version}: build it again"
        )
    for name, (size, check) in files.items():
        file = path / name
        if not file.is_file():
            raise SettingsError(f"{file} is missing: the {kind} must be built again")
        if file.stat().st_size != size:
            raise SettingsError(f"{file} has {file.stat().st_size} bytes, not {size}: the {kind} must be built again")
        if verify and checksum(file) != check:
            raise SettingsError(f"{file} is damaged (its checksum differs): the {kind} must be built again")
    return dict(manifest)


def load_array(folder: Path, name: str) -> np.ndarray[Any, Any]:
    """Load the array called ``name``, memory-mapped and read-only.

    Raises:
        SettingsError: The file is not an array.
    """
    try:
        with _reading:
            return np.asarray(np.load(folder / name, mmap_mode="r", allow_pickle=False).view(np.ndarray))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{folder / name} cannot be read: {error}; build it again") from error


def checksum(file: Path) -> int:
    """Compute the CRC-32 of a file."""
    value = 0
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            value = zlib.crc32(block, value)
    return value
