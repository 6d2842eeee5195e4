"""Atomic file replacement, folders that one process writes to, and the cache folder."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from turnwise.core.errors import SettingsError

__all__ = ["cache_home", "locked", "replace_file", "waited_for"]


def cache_home(part: str) -> Path:
    """Return the cache folder for a part of turnwise, below ``$TURNWISE_CACHE`` or ``~/.cache/turnwise``."""
    return Path(os.environ.get("TURNWISE_CACHE") or Path.home() / ".cache" / "turnwise") / part


def replace_file(path: Path, parts: Iterable[bytes], suffix: str = ".new") -> None:
    """Replace a file atomically: at any time either the complete old or the complete new one exists.

    Args:
        path: The file; its folder must exist.
        parts: Its content.
        suffix: Suffix of the temporary file next to it; processes that may write at the same time need different ones.
    """
    new = path.with_name(path.name + suffix)
    with new.open("wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


@contextlib.contextmanager
def locked(folder: Path, doing: str) -> Iterator[None]:
    """Keep other processes from writing into the folder in this block; a killed process leaves no lock.

    Args:
        folder: An existing folder.
        doing: What this process does there, for the error that another process gets.

    Raises:
        SettingsError: Another process holds it.
    """
    with (folder / ".lock").open("ab") as file:
        with contextlib.suppress(ImportError):  # not on Windows
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise SettingsError(f"another process is {doing} {folder}") from error
        yield


@contextlib.contextmanager
def waited_for(lock: Path) -> Iterator[None]:
    """Wait until no other process holds a lock file, and hold it in this block; a killed process releases it."""
    with lock.open("ab") as file:
        with contextlib.suppress(ImportError):  # not on Windows: there, both work at the same time
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
