"""Durations in human-readable form."""

__all__ = ["duration"]


def duration(seconds: float) -> str:
    """Format a duration for people.

    >>> [duration(s) for s in (0.4, 59.4, 185, 7800)]
    ['0 s', '59 s', '3 min 05 s', '2 h 10 min']
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
