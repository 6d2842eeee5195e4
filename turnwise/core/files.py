"""Files that are whole at any time, and the folder of what may be computed again."""

import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["cache_home", "replace_file"]


def cache_home(part: str) -> Path:
    """Where a part of turnwise keeps what it can compute again: ``$TURNWISE_CACHE``, or ``~/.cache/turnwise``."""
    return Path(os.environ.get("TURNWISE_CACHE") or Path.home() / ".cache" / "turnwise") / part


def replace_file(path: Path, parts: Iterable[bytes], suffix: str = ".new") -> None:
    """Write a file so that at any time either the old or the new one is there, whole.

    Args:
        path: Of the file; its folder exists.
        parts: Its content.
        suffix: Of the unfinished file beside it; processes that may write at the same time need one each.
    """
    new = path.with_name(path.name + suffix)
    with new.open("wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
