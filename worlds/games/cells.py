"""Names of the cells of a rectangular board, and its drawing."""

from collections.abc import Sequence
from functools import lru_cache

__all__ = ["drawn", "drawn_bits", "lines", "name", "named"]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=1024)
def name(row: int, column: int) -> str:
    """Return the name of a cell: a letter for its column, then the number of its row from 1.

    >>> name(0, 0), name(4, 2)
    ('a1', 'c5')
    """
    return f"{_LETTERS[column]}{row + 1}"


@lru_cache(maxsize=64)
def named(rows: int, columns: int) -> dict[str, int]:
    """Return the cells of a board, row by row, by their names."""
    return {name(*divmod(cell, columns)): cell for cell in range(rows * columns)}


def drawn(rows: Sequence[Sequence[str]], upward: bool = False) -> str:
    """Draw a board with the letters of its columns and the numbers of its rows.

    Args:
        rows: What stands in the cells, a character each, row 1 first.
        upward: Whether row 1 is at the bottom, as in chess.
    """
    numbers, letters = _margins(len(rows), len(rows[0]))
    body = [number + " ".join(row) for number, row in zip(numbers, rows, strict=True)]
    return "\n".join([*body[::-1], letters] if upward else [letters, *body])


def drawn_bits(x: int, o: int, rows: int, columns: int) -> str:
    """Draw a board whose cells with an X and with an O are bits, row by row."""
    numbers, letters = _margins(rows, columns)
    mask, body = (1 << columns) - 1, [letters]
    for number in numbers:
        body.append(number + _row(x & mask, o & mask, columns))
        x, o = x >> columns, o >> columns
    return "\n".join(body)


@lru_cache(maxsize=2**12)
def _row(x: int, o: int, columns: int) -> str:
    return " ".join(["X" if x >> i & 1 else "O" if o >> i & 1 else "." for i in range(columns)])


@lru_cache(maxsize=64)
def _margins(rows: int, columns: int) -> tuple[tuple[str, ...], str]:
    """Return what stands before each row, and the line of letters."""
    width = len(str(rows))
    numbers = tuple(f"{number:>{width}} " for number in range(1, rows + 1))
    return numbers, " " * (width + 1) + " ".join(_LETTERS[:columns])


@lru_cache(maxsize=64)
def lines(rows: int, columns: int, length: int) -> tuple[tuple[int, ...], ...]:
    """Return for each cell, row by row, the masks of all straight lines of a length that pass through it."""
    through: list[list[int]] = [[] for _ in range(rows * columns)]
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + down * (length - 1), column + right * (length - 1)
                if last_row < rows and 0 <= last_column < columns:
                    line = [(row + down * i) * columns + column + right * i for i in range(length)]
                    mask = sum(1 << cell for cell in line)
                    for cell in line:
                        through[cell].append(mask)
    return tuple(tuple(masks) for masks in through)
