"""Majority vote over samples (maj@k), and the best of n by a scorer: exact expectations over subsets of the samples."""

import math
from collections.abc import Sequence

__all__ = ["Vote", "best_of_k", "majority_at_k"]

Vote = tuple[str | None, bool]
"""A sample's answer, None if it gave none, and whether the sample was solved."""


def majority_at_k(votes: Sequence[Vote], k: int) -> float:
    """Return the probability that the majority of ``k`` of the samples is right.

    The k samples are drawn without replacement, and all subsets count equally, so that the value is the mean over every
    way to choose k of the n samples: no vote is simulated. Samples without an answer do not vote; without any vote the
    result is wrong. A tie goes to the tied answer that was given first; since every order is equally likely, each of t
    tied answers wins with probability 1 / t. An answer is right if its samples were solved (their share, should the
    environment judge more than the answer).

    Source: self-consistency, Wang et al. 2023, arXiv 2203.11171; maj@k as in Lewkowycz et al. 2022, arXiv 2206.14858,
    section 2.3; the expectation over subsets as for pass@k, Chen et al. 2021, arXiv 2107.03374.

    >>> majority_at_k([("4", True), ("4", True), ("5", False)], 3)
    1.0
    >>> majority_at_k([("4", True), ("5", False)], 2)
    0.5
    """
    silent = sum(answer is None for answer, _ in votes)
    classes: dict[str, list[bool]] = {}
    for answer, solved in votes:
        if answer is not None:
            classes.setdefault(answer, []).append(solved)
    sizes = {answer: len(members) for answer, members in classes.items()}
    total = 0.0
    for answer, members in classes.items():
        share = sum(members) / len(members)
        if share:
            others = [size for other, size in sizes.items() if other != answer]
            total += share * _wins(len(members), others, silent, k)
    return total / math.comb(len(votes), k)


def _wins(own: int, others: Sequence[int], silent: int, k: int) -> float:
    """Count the subsets of size k in which a class of answers wins; one with a tie of t classes counts 1 / t."""
    total = 0.0
    for votes in range(1, min(own, k) + 1):
        ways = _below(others, silent, votes, k - votes)
        total += math.comb(own, votes) * math.fsum(count / (tied + 1) for tied, count in enumerate(ways))
    return total


def _below(others: Sequence[int], silent: int, votes: int, rest: int) -> list[int]:
    """Ways to choose ``rest`` further samples with no other class above ``votes``, by the number of classes at it."""
    ways = {(0, 0): 1}  # by samples chosen and classes tied
    for size in others:
        step: dict[tuple[int, int], int] = {}
        for (chosen, tied), count in ways.items():
            for more in range(min(size, votes, rest - chosen) + 1):
                place = (chosen + more, tied + (more == votes))
                step[place] = step.get(place, 0) + count * math.comb(size, more)
        ways = step
    found = [0] * (len(others) + 1)
    for (chosen, tied), count in ways.items():
        found[tied] += count * math.comb(silent, rest - chosen)
    return found


def best_of_k(scored: Sequence[tuple[float | None, bool]], k: int) -> float:
    """Return the probability that the best of ``k`` of the samples, by their scores, is solved.

    All subsets of k of the n samples count equally. Of equal scores each is as likely to be taken; a sample without a
    score is taken only if no other has one.

    Args:
        scored: Each sample's score and whether it was solved.
        k: From 1 to the number of samples.

    Source: best of n with a verifier, Cobbe et al. 2021, arXiv 2110.14168; the expectation as in Nakano et al. 2021,
    arXiv 2112.09332, appendix I.

    >>> best_of_k([(0.9, True), (0.1, False)], 2), best_of_k([(0.9, True), (0.1, False)], 1)
    (1.0, 0.5)
    """
    groups: dict[float, list[bool]] = {}
    for score, solved in scored:
        groups.setdefault(-math.inf if score is None else score, []).append(solved)
    total, below = 0.0, 0
    for score in sorted(groups):
        members = groups[score]
        upto = below + len(members)
        total += sum(members) / len(members) * (math.comb(upto, k) - math.comb(below, k))
        below = upto
    return total / math.comb(len(scored), k)
