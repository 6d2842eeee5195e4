"""Every form in which a document may write a number or a date."""

from turnwise.worlds.documents.schema import OPEN

__all__ = ["date_forms", "number_forms", "terse_date", "years"]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def number_forms(number: int) -> tuple[str, ...]:
    """Return the ways to write a number, the usual one first.

    >>> number_forms(950), number_forms(12400)
    (('950',), ('12,400', '12400', '12.4 thousand'))
    """
    if number < 1000:
        return (str(number),)
    if number < 10_000 or number % 100:
        return f"{number:,}", str(number)
    if number < 1_000_000:
        return f"{number:,}", str(number), f"{number / 1000:.1f}".removesuffix(".0") + " thousand"
    if number % 10_000:
        return f"{number:,}", str(number)
    return f"{number:,}", str(number), f"{number / 1_000_000:.2f}".removesuffix("0").removesuffix(".0") + " million"


def date_forms(date: int) -> tuple[str, ...]:
    """Return the ways to write a date given as yyyymmdd, the usual one first.

    >>> date_forms(18710503)
    ('3 May 1871', 'May 3, 1871', '1871-05-03')
    """
    year, month, day = date // 10_000, date // 100 % 100, date % 100
    name = _MONTHS[month - 1]
    return f"{day} {name} {year}", f"{name} {day}, {year}", terse_date(date)


def terse_date(date: int) -> str:
    """Convert a date from yyyymmdd to ISO 8601.

    >>> terse_date(18710503)
    '1871-05-03'
    """
    return f"{date // 10_000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"


def years(start: int, end: int) -> str:
    """Write the years of a term, for lists and tables.

    >>> years(1890, 1895), years(1890, 1890), years(1890, OPEN)
    ('1890-1895', '1890', '1890-present')
    """
    return str(start) if start == end else f"{start}-present" if end == OPEN else f"{start}-{end}"
