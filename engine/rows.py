"""The rows of an engine by their handles, and the checks that every engine makes of what it is asked for."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar, Generic, Protocol, TypeVar

from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import Range, check_arguments

__all__ = ["OpenRows"]


class _Tokens(Protocol):
    """What all rows have."""

    ids: list[int]


RowT = TypeVar("RowT", bound=_Tokens)


class OpenRows(ABC, Generic[RowT]):
    """Rows that are open.

    Args:
        max_rows: how many may be open.
        max_len: the longest row.
    """

    LONGER: ClassVar[str]
    """What to do about rows that are too long."""

    def __init__(self, max_rows: Annotated[int, Range(1)], max_len: Annotated[int, Range(2)]) -> None:
        check_arguments(OpenRows.__init__, max_rows=max_rows, max_len=max_len)
        self.max_rows, self.max_len = max_rows, max_len
        self.version = 0
        self._rows: dict[int, RowT] = {}
        self._next = 0

    @abstractmethod
    def _made(self, handle: int) -> RowT:
        """Return an empty row."""

    @abstractmethod
    def _busy(self, row: RowT) -> bool:
        """Whether a turn of the row was submitted and not collected."""

    def open(self, n: int) -> list[int]:
        if len(self._rows) + n > self.max_rows:
            raise SettingsError(
                f"{len(self._rows)} rows are open and {n} more were asked for, max_rows is {self.max_rows}: "
                "raise it or run fewer episodes at once"
            )
        handles = list(range(self._next, self._next + n))
        self._next += n
        self._rows.update((handle, self._made(handle)) for handle in handles)
        return handles

    def extend(self, rows: Sequence[int], ids: Sequence[Sequence[int]]) -> None:
        found = self._get(rows, idle=True)
        if len(ids) != len(found):
            raise UsageError(f"{len(found)} rows and {len(ids)} lists of ids")
        for row, new in zip(found, ids, strict=True):
            self._fits(len(row.ids), len(new), "context")
        for row, new in zip(found, ids, strict=True):
            row.ids.extend(map(int, new))

    def _submitted(
        self, rows: Sequence[int], max_new: int | Sequence[int], temperature: float, keys: Sequence[tuple[int, ...]]
    ) -> tuple[list[RowT], list[int]]:
        """Check a call of `Engine.submit`; return its rows and the limit of each turn."""
        found = self._get(rows, idle=True)
        limits = [max_new] * len(found) if isinstance(max_new, int) else [int(limit) for limit in max_new]
        if len(limits) != len(found) or len(keys) != len(found):
            raise UsageError(f"{len(found)} rows, {len(limits)} values of max_new, {len(keys)} keys")
        if not temperature > 0:
            raise SettingsError(f"temperature is {temperature}; it must be above 0 (greedy=True takes the mode)")
        if limits and min(limits) < 1:
            raise SettingsError(f"max_new is {min(limits)}; it must be at least 1")
        for row, limit in zip(found, limits, strict=True):
            if not row.ids:
                raise UsageError("a row needs context before it can be sampled")
            self._fits(len(row.ids), limit, "sampled")
        return found, limits

    def _get(self, handles: Sequence[int], *, idle: bool = False) -> list[RowT]:
        try:
            rows = [self._rows[handle] for handle in handles]
        except KeyError as error:
            raise UsageError(f"row {error.args[0]} is not open") from None
        if len(set(handles)) != len(rows):
            raise UsageError("a row was given twice in one call")
        if idle and any(map(self._busy, rows)):
            raise UsageError("a row's turn was submitted and not collected yet: collect it first")
        return rows

    def _fits(self, length: int, new: int, kind: str) -> None:
        if length + new > self.max_len:
            raise SettingsError(
                f"a row of {length} tokens and {new} {kind} tokens would be {length + new} long, max_len is "
                f"{self.max_len}: {self.LONGER}"
            )
