"""How different an agent's samples of one task are: its solutions, and its words."""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

__all__ = ["differing", "distinct_ngrams", "ngrams"]


def differing(solutions: Sequence[Hashable]) -> float | None:
    """Return the probability that two of the solutions differ: 1 - sum c (c - 1) / (n (n - 1)); None with fewer than 2.

    Unlike the number of different solutions, it does not grow with the number of samples.

    Source: Simpson 1949, Nature 163:688, the unbiased form.

    >>> differing(["a", "a", "b"])
    0.6666666666666667
    """
    n = len(solutions)
    if n < 2:
        return None
    return 1 - sum(c * (c - 1) for c in Counter(solutions).values()) / (n * (n - 1))


def ngrams(text: str, n: int = 2) -> Iterator[tuple[str, ...]]:
    """The n-grams of a text's words, which are what stands between blanks."""
    words = text.split()
    yield from zip(*(itertools.islice(words, i, None) for i in range(n)), strict=False)


def distinct_ngrams(texts: Sequence[str], n: int = 2) -> float | None:
    """Return the different n-grams of the texts over all of them (distinct-n); None if there are none.

    It falls with the texts' length and number: compare runs with the same number of samples.

    Source: Li et al. 2016, arXiv 1510.03055, section 5.

    >>> distinct_ngrams(["a b c", "a b d"])
    0.75
    """
    found = [gram for text in texts for gram in ngrams(text, n)]
    return len(set(found)) / len(found) if found else None
