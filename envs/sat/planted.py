"""Planted formulas: their difficulty, the chance of a guess, and how to draw them.

Source: SATURN (arXiv 2505.16368) for instances by (n, k, l) and their difficulty D(n, k, l).
"""

import math
from functools import lru_cache
from itertools import combinations

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.verifiers.logic.sat import MAX_COUNTED_VARS, clause_table

__all__ = ["difficulty_of", "draw_clauses", "draw_unique_clauses", "expected_chance", "naive_chance", "settings_for"]

Clause = tuple[int, ...]
_UNIQUE_TRIES = 200
_UNIQUE_CLAUSES = 10_000  # drawn over all tries: a second or two with 20 variables
_LISTED = 20_000  # subsets of variables up to this many are listed once


def difficulty_of(clause_size: int, num_vars: int, num_clauses: int) -> float:
    """Return D(n, k, l) = log2 k + 2 log2 l - n + k / n.

    Source: SATURN (arXiv 2505.16368), the estimate of difficulty that its curriculum raises.
    """
    return math.log2(num_vars) + 2 * math.log2(num_clauses) - clause_size + num_vars / clause_size


def naive_chance(clause_size: int, num_clauses: int) -> float:
    """Return (1 - 2^-n)^l, the chance of a random assignment on a random formula without a planted solution."""
    return (1 - 0.5**clause_size) ** num_clauses


@lru_cache(maxsize=4096)
def expected_chance(clause_size: int, num_vars: int, num_clauses: int) -> float:
    """Return the mean of `chance_of` over generated tasks, exactly.

    The clauses are l of the M = C(k,n) (2^n - 1) that the planted assignment satisfies. An assignment that differs
    from it in d variables falsifies one of these for each set of n variables that meets the difference, so it
    solves the task with chance C(M - C(k,n) + C(k-d,n), l) / C(M, l).
    """
    n, k, num = clause_size, num_vars, num_clauses
    sets = math.comb(k, n)
    pool = sets * (2**n - 1)

    def log_comb(m: int) -> float:
        if m < num:
            return -math.inf
        return math.lgamma(m + 1) - math.lgamma(m - num + 1)  # without the l! that cancels

    return sum(
        math.comb(k, d) * 0.5**k * math.exp(log_comb(pool - sets + math.comb(k - d, n)) - log_comb(pool))
        for d in range(k + 1)
    )


@lru_cache(maxsize=256)
def settings_for(target_d: float, max_chance: float = 0.05, unique: bool = False) -> tuple[int, int, int]:
    """Return the (n, k, l) with D nearest to a target, among those that guessing solves with at most ``max_chance``.

    Several come equally near (to 0.1): of these one with the smallest n, and then the one whose l / k is nearest, in
    ratio, to 2^n ln 2, about the number of clauses per variable where random formulas stop being satisfiable.

    Raises:
        SettingsError: No D within 0.5 of the target is possible.
    """
    found: list[tuple[float, int, float, tuple[int, int, int]]] = []
    for n in (3, 4, 5, 6):
        for k in range(5, MAX_COUNTED_VARS + 1):
            if k < n:
                continue
            for num in range(4, min(400, math.comb(k, n) * (2**n - 1)) + 1):
                gap = abs(difficulty_of(n, k, num) - target_d)
                if gap <= 0.5:
                    found.append((round(gap, 1), n, abs(math.log(num / (k * 2**n * math.log(2)))), (n, k, num)))
    for *_, candidate in sorted(found):
        chance = expected_chance(*candidate)
        if 0.5 ** candidate[1] > max_chance:
            continue
        if (chance <= max_chance) if not unique else (chance * 2 ** candidate[1] <= 3):
            return candidate
    raise SettingsError(f"target_d is {target_d}: no formula has it with max_chance={max_chance}; try 10 to 25")


@lru_cache(maxsize=64)
def _subsets(n: int, k: int) -> list[Clause] | None:
    return list(combinations(range(k), n)) if math.comb(k, n) <= _LISTED else None


def draw_clauses(
    solution: str, clause_size: int, num_clauses: int, rng: np.random.Generator, chosen: set[Clause] | None = None
) -> set[Clause]:
    """``num_clauses`` different clauses that the solution satisfies, all sets equally likely.

    Args:
        solution: The planted assignment, as bits.
        clause_size: Literals in a clause, each of another variable.
        num_clauses: Final number of clauses; the caller must ensure that this many exist.
        rng: Draws them.
        chosen: Clauses to start from.
    """
    n, k = clause_size, len(solution)
    clauses = set() if chosen is None else chosen
    true = [v if bit == "1" else -v for v, bit in enumerate(solution, 1)]
    subsets = _subsets(n, k)
    patterns = 2**n - 1  # bit j of a pattern, never all 0: the j-th literal is true
    if subsets is not None and 3 * num_clauses > len(subsets) * patterns:  # few to choose from: shuffle them all
        for code in rng.permutation(len(subsets) * patterns).tolist():
            if len(clauses) >= num_clauses:
                break
            clauses.add(_clause(subsets[code // patterns], code % patterns + 1, true))
        return clauses
    while len(clauses) < num_clauses:
        for u, w in rng.random((num_clauses - len(clauses) + 4, 2)).tolist():
            subset = subsets[int(u * len(subsets))] if subsets is not None else _subset(n, k, rng)
            clauses.add(_clause(subset, int(w * patterns) + 1, true))
            if len(clauses) == num_clauses:
                break
    return clauses


def _clause(subset: Clause, pattern: int, true: list[int]) -> Clause:
    return tuple(true[v] if pattern >> j & 1 else -true[v] for j, v in enumerate(subset))


def _subset(n: int, k: int, rng: np.random.Generator) -> Clause:
    chosen: set[int] = set()
    while len(chosen) < n:
        chosen.update(int(u * k) for u in rng.random(n - len(chosen)).tolist())
    return tuple(sorted(chosen))


def draw_unique_clauses(solution: str, clause_size: int, num_clauses: int, rng: np.random.Generator) -> set[Clause]:
    """``num_clauses`` different clauses that the solution, and no other assignment, satisfies.

    Each new clause is false in some remaining model; the rest is filled up at random.

    Raises:
        SettingsError: Many tries with so few clauses failed.
    """
    k = len(solution)
    only = 1 << int(solution[::-1], 2)
    for _ in range(max(3, min(_UNIQUE_TRIES, _UNIQUE_CLAUSES // num_clauses))):
        left = (1 << (1 << k)) - 1
        chosen: set[Clause] = set()
        while left != only and len(chosen) < num_clauses:
            others = left ^ only
            shift = int(rng.random() * (1 << k))
            if not others >> shift:
                shift = 0
            above = others >> shift
            model = shift + (above & -above).bit_length() - 1
            clause = _false_in(model, solution, clause_size, rng)
            chosen.add(clause)
            left &= clause_table(clause, k)
        if left == only:
            return draw_clauses(solution, clause_size, num_clauses, rng, chosen)
    raise SettingsError(f"num_clauses is {num_clauses}: too few to leave one solution; raise it or use unique=False")


def _false_in(model: int, solution: str, n: int, rng: np.random.Generator) -> Clause:
    """Draw a clause that is false in a model (as a number, first variable lowest bit) and true in the solution."""
    k = len(solution)
    different = [v for v in range(k) if (model >> v & 1) != (solution[v] == "1")]
    chosen = {different[int(rng.random() * len(different))]}
    while len(chosen) < n:
        chosen.update(int(u * k) for u in rng.random(n - len(chosen)).tolist())
    return tuple(-(v + 1) if model >> v & 1 else v + 1 for v in sorted(chosen))
