"""Random full sudoku grids, and puzzles with a unique solution dug out of them.

Sets of digits are ints with bit ``digit``; units (rows, columns, boxes) are numbered together.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from turnwise.verifiers.structures.grid import sudoku_box

__all__ = ["dig", "full_grid", "peers"]


@lru_cache(maxsize=3)
def _units(size: int) -> tuple[tuple[int, int, int], ...]:
    """Return row, column and box of every cell, numbered together."""
    high, wide = sudoku_box(size)
    return tuple((r, size + c, 2 * size + r // high * high + c // wide) for r in range(size) for c in range(size))


@lru_cache(maxsize=3)
def peers(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the other cells in the row, column or box of every cell."""
    units = _units(size)
    cells = range(size * size)
    return tuple(tuple(o for o in cells if o != c and not set(units[o]).isdisjoint(units[c])) for c in cells)


@lru_cache(maxsize=3)
def _members(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of every unit."""
    units = _units(size)
    return tuple(tuple(c for c in range(size * size) if unit in units[c]) for unit in range(3 * size))


def full_grid(size: int, rng: np.random.Generator) -> list[int]:
    """Draw a solved grid: the diagonal boxes at random, the rest by random search. Every grid is possible."""
    units, every = _units(size), (2 << size) - 2
    high, wide = sudoku_box(size)
    while True:
        cells, used = [0] * (size * size), [0] * (3 * size)
        for i in range(min(size // high, size // wide)):
            digits = rng.permutation(size).tolist()
            for k, digit in enumerate(digits):
                cell = (i * high + k // wide) * size + i * wide + k % wide
                cells[cell] = digit + 1
                for unit in units[cell]:
                    used[unit] |= 2 << digit
        if _fill(cells, used, units, every, rng.random(size * size).tolist()):
            return cells


def dig(size: int, solution: Sequence[int], blanks: int, order: Sequence[int]) -> list[int] | None:
    """Return the givens (digit or 0) after emptying ``blanks`` cells, keeping the solution unique; None if stuck."""
    givens = list(solution)
    units, members = _units(size), _members(size)
    taken = [(2 << size) - 2] * (3 * size)  # digits as bits, by unit
    every = (2 << size) - 2
    for done, cell in enumerate(order):
        if not blanks:
            break
        if len(order) - done < blanks:
            return None
        digit = givens[cell]
        bit = 1 << digit
        r, c, b = units[cell]
        givens[cell] = 0
        taken[r] ^= bit
        taken[c] ^= bit
        taken[b] ^= bit
        used = taken[r] | taken[c] | taken[b]
        forced = used | bit == every  # a naked single
        if not forced:  # a hidden single: no other blank of a unit can take the digit
            forced = any(
                all(
                    givens[other] or other == cell or any(taken[u] & bit for u in units[other])
                    for other in members[unit]
                )
                for unit in (r, c, b)
            )
        if forced or not _other_solution(size, givens, taken, cell, digit):
            blanks -= 1
            continue
        givens[cell] = digit
        taken[r] |= bit
        taken[c] |= bit
        taken[b] |= bit
    return givens if not blanks else None


def _other_solution(size: int, givens: Sequence[int], taken: Sequence[int], cell: int, digit: int) -> bool:
    """Return whether some full grid over the givens has another digit in ``cell``."""
    units, every = _units(size), (2 << size) - 2
    cells, used = list(givens), list(taken)
    r, c, b = units[cell]
    for other in range(1, size + 1):
        bit = 1 << other
        if other != digit and not (used[r] | used[c] | used[b]) & bit:
            for unit in (r, c, b):
                used[unit] |= bit
            cells[cell] = other
            if _fill(cells, used, units, every, None):
                return True
            for unit in (r, c, b):
                used[unit] ^= bit
            cells[cell] = 0
    return False


def _fill(
    cells: list[int],
    used: list[int],
    units: Sequence[tuple[int, int, int]],
    every: int,
    draws: Sequence[float] | None,
) -> bool:
    """Fill the blanks, the cell with the fewest digits first; return False without changes if that is impossible.

    With ``draws``, one for each cell, the order in which its digits are tried is random.
    """
    best, fewest = -1, 99
    options = 0
    for cell, value in enumerate(cells):
        if not value:
            r, c, b = units[cell]
            free = every & ~(used[r] | used[c] | used[b])
            count = free.bit_count()
            if count < fewest:
                if not count:
                    return False
                best, fewest, options = cell, count, free
                if count == 1:
                    break
    if best < 0:
        return True
    if draws is not None:  # digits below a random one come last
        rest = options & ((1 << int(draws[best] * len(used) / 3) + 1) - 1)
        rounds = (options ^ rest, rest)
    else:
        rounds = (options, 0)
    r, c, b = units[best]
    for options in rounds:
        while options:
            bit = options & -options
            options ^= bit
            used[r] |= bit
            used[c] |= bit
            used[b] |= bit
            cells[best] = bit.bit_length() - 1
            if _fill(cells, used, units, every, draws):
                return True
            cells[best] = 0
            used[r] ^= bit
            used[c] ^= bit
            used[b] ^= bit
    return False
