"""Unusable rows of a data set: an error, or left out with their places named and counted."""

import logging
from collections.abc import Sequence
from typing import Literal, Protocol, TypeVar

from turnwise.core.errors import SettingsError
from turnwise.core.rows import Problem, Reading

__all__ = ["BadRows", "finished", "reading_for", "row_at"]

_log = logging.getLogger(__name__)

BadRows = Literal["error", "skip"]


class _Numbered(Protocol):
    @property
    def row(self) -> int: ...


T = TypeVar("T", bound=_Numbered)


def reading_for(bad_rows: BadRows) -> Reading:
    """Return the `Reading` that collects unusable rows."""
    return Reading("skip" if bad_rows == "skip" else "raise")


def finished(path: str, reading: Reading, num_kept: int) -> tuple[tuple[Problem, ...], int]:
    """Log which rows were left out, once each time the file is read.

    Returns:
        The first hundred of them, and their number.

    Raises:
        SettingsError: No row is left.
    """
    if not num_kept:
        left_out = f" that can be used\n{reading.summary()}" if reading.num_problems else ""
        raise SettingsError(f"{path} has no rows{left_out}")
    if reading.num_problems:
        total = num_kept + reading.num_problems
        _log.warning("%s: left out %d of %d rows\n%s", path, reading.num_problems, total, reading.summary())
    return tuple(reading.problems), reading.num_problems


def row_at(tasks: Sequence[T], index: int) -> T:
    """Return the task of the row with that number in the file.

    Raises:
        SettingsError: The row does not exist or was left out.
    """
    for task in tasks:
        if task.row == index:
            return task
    most = tasks[-1].row
    gone = ", which was left out" if index < most else ""
    raise SettingsError(f"index is {index}{gone}; there are the rows 0 to {most}")
