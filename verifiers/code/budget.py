"""The time budget shared by all tests of one program."""

from turnwise.core.errors import SettingsError
from turnwise.sandbox import Limits, Result

__all__ = ["Budget"]

_LEAST_TESTS = 3  # this many may run out of time
_SHARE = 0.1  # share of its limit that each of many tests may take
_FREE_S = 0.002  # overhead of any call, whatever the program does


class Budget:
    """The remaining time shared by the tests of one verdict.

    Every test has a limit of its own, so a program that always stays just below it would take time in proportion to the
    number of tests. The time of a run or call is charged as a fraction of its own limit: a load that may take ten
    seconds and takes five counts as half a test. Where processor time is limited too, the larger fraction counts. The
    first two milliseconds of each are free.

    Args:
        seconds: Seconds that one test may take: of processor time, if that is limited.
        tests: Number of tests.
        total_s: Seconds that all may take; None: the time of three tests that run out of time, or a tenth of the limit
            per test if that is more.

    Raises:
        SettingsError: ``total_s`` is not a number above 0.

    >>> Budget(5.0, 8).total_s, Budget(2.0, 100).total_s, Budget(5.0, 8, 60).total_s
    (15.0, 20.0, 60.0)
    """

    def __init__(self, seconds: float, tests: int, total_s: float | None = None) -> None:
        if total_s is not None and not total_s > 0:
            raise SettingsError(f"total_s={total_s!r}: a number of seconds above 0, or None")
        self.total_s = seconds * max(_LEAST_TESTS, _SHARE * tests) if total_s is None else float(total_s)
        self._left = self.total_s / seconds

    def spend(self, result: Result, limits: Limits) -> None:
        """Charge a run that had these limits."""
        share = (result.wall_s - _FREE_S) / limits.wall_s
        if limits.cpu_s is not None:
            share = max(share, (result.cpu_s - _FREE_S) / limits.cpu_s)
        self._left -= max(0.0, share)

    @property
    def problem(self) -> str:
        """Return why no further test is run; empty while there is time left."""
        return "" if self._left > 0 else f"not run: earlier tests used up the {self.total_s:g} s that all share"
