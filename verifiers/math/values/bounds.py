"""What one comparison may cost, and how it stops: a meter of work, and the two ways in which a value can be missing."""

__all__ = ["MAX_BITS", "MAX_DEPTH", "MAX_NODES", "MAX_TERMS", "Meter", "TooLarge", "Undefined", "Unresolved"]

MAX_BITS = 20_000  # of an exact operand
MAX_DEPTH = 120  # of a tree
MAX_NODES = 3_000
MAX_TERMS = 1_000  # of a sum or product that is written out
WORK = 10_000  # units of 2 to 5 microseconds


class Undefined(Exception):
    """The expression has no value there: 1/0, ln 0, a root of a negative number among the reals."""


class Unresolved(Exception):
    """Nothing can be said within the bounds; the message says why."""


class TooLarge(Unresolved):
    """Numbers or work beyond the bounds: no more powerful method is to be tried."""


class Meter:
    """Counts work instead of time, so that a verdict does not depend on the machine."""

    __slots__ = ("left",)

    def __init__(self, work: int = WORK) -> None:
        self.left = work

    def spend(self, units: int = 1) -> None:
        """Take ``units`` of work.

        Raises:
            TooLarge: Nothing is left.
        """
        self.left -= units
        if self.left < 0:
            raise TooLarge("the comparison takes more work than the bounds allow")
