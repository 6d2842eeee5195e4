"""All units of the library that use others, from three modules."""

from turnwise.worlds.programs.library import online, staffing, trade

__all__ = ["APPLICATIONS"]

APPLICATIONS = (*trade.UNITS, *online.UNITS, *staffing.UNITS)
"""In the order in which they are drawn."""
