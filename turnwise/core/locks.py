"""A folder that one process at a time may write to."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from turnwise.core.errors import SettingsError

__all__ = ["locked"]


@contextlib.contextmanager
def locked(folder: Path, doing: str) -> Iterator[None]:
    """Nobody else writes into the folder meanwhile; a killed process leaves no lock.

    Args:
        folder: It exists.
        doing: What the other process is told to be doing.

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
