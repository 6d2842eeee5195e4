"""The time that all tests of one program share."""

from turnwise.core.errors import SettingsError
from turnwise.sandbox.api import Result

__all__ = ["Budget"]

_LEAST_TESTS = 3  # that may all run out of time
_SHARE = 0.1  # of its limit that each test may take where there are many
_FREE_S = 0.002  # what any call costs, whatever the program does


class Budget:
    """What is left of the time that the tests of one verdict share.

    Every test has a limit of its own, so that a program which always stays a little below it would take as long as its
    tests are many. What a run or call takes on the clock, as for its own limit, is charged in parts of that limit: a
    load that may take ten seconds and takes five counts as half a test. The first two milliseconds of each are free.

    Args:
        wall_s: Seconds that one test may take.
        tests: How many there are.
        total_s: Seconds that all may take; None: as long as three tests that run out of time, or a tenth of the limit
            for each test where that is more.

    Raises:
        SettingsError: ``total_s`` is not a number above 0.

    >>> Budget(5.0, 8).total_s, Budget(2.0, 100).total_s, Budget(5.0, 8, 60).total_s
    (15.0, 20.0, 60.0)
    """

    def __init__(self, wall_s: float, tests: int, total_s: float | None = None) -> None:
        if total_s is not None and not total_s > 0:
            raise SettingsError(f"total_s={total_s!r}: a number of seconds above 0, or None")
        self.total_s = wall_s * max(_LEAST_TESTS, _SHARE * tests) if total_s is None else float(total_s)
        self._left = self.total_s / wall_s

    def spend(self, result: Result, wall_s: float) -> None:
        """Charge a run whose limit was ``wall_s``."""
        self._left -= max(0.0, result.wall_s - _FREE_S) / wall_s

    @property
    def problem(self) -> str:
        """Why no further test is run; empty while there is time left."""
        return "" if self._left > 0 else f"not run: the tests before it used up the {self.total_s:g} s that all share"
