"""Draws of inputs: numbers, strings, trees, graphs and grids of the shapes that break wrong programs."""

from collections.abc import Sequence
from typing import Any

from turnwise.core.draw import Draw

__all__ = ["edges", "grid", "increasing", "letters", "numbers", "ops", "size", "top", "tree"]


def top(draw: Draw, n: int, most: int) -> int:
    """Draw the largest number of an input: small ones make values meet, the largest overflow."""
    return max(1, min(most, draw.either(2, 3, 6, 2 * n, 20, most, most)))


def size(draw: Draw, n: int) -> int:
    """Draw the size of a small input; a large one has exactly the size asked for."""
    return n if n > 60 else draw.integer(max(1, n // 2), n)


def numbers(draw: Draw, n: int, low: int, high: int) -> list[int]:
    """Draw numbers in a random order, sorted, nearly equal, or in waves."""
    width = high - low + 1
    shape = draw.below(8)
    values = [low + int(draw.unit() * width) for _ in range(n)]
    if n > 60:
        return values
    if shape == 0:
        return sorted(values)
    if shape == 1:
        return sorted(values, reverse=True)
    if shape == 2:
        few = values[: max(1, n // 4)][:3]
        return [draw.choice(few) for _ in range(n)]
    return values


def increasing(draw: Draw, n: int, low: int, high: int) -> list[int]:
    """Draw different numbers from small to large; fewer if there are not as many."""
    found: set[int] = set()
    for _ in range(3 * n + 20):
        if len(found) == n:
            break
        found.add(draw.integer(low, high))
    return sorted(found)


def letters(draw: Draw, n: int, alphabet: str) -> str:
    """Draw a word: random, with a period, a palindrome, or of one letter with few exceptions."""
    shape = draw.below(6)
    if shape == 0:
        part = "".join(draw.choice(alphabet) for _ in range(draw.integer(1, 4)))
        word = list((part * n)[:n])
        if draw.chance(0.5):
            word[draw.below(n)] = draw.choice(alphabet)
        return "".join(word)
    if shape == 1:
        half = [draw.choice(alphabet) for _ in range((n + 1) // 2)]
        return "".join(half + half[: n // 2][::-1])
    if shape == 2:
        word = [alphabet[0]] * n
        for _ in range(draw.below(3)):
            word[draw.below(n)] = draw.choice(alphabet)
        return "".join(word)
    return "".join(draw.choice(alphabet) for _ in range(n))


def tree(draw: Draw, n: int) -> list[tuple[int, int]]:
    """Draw the edges of a tree of the vertices 1 to n: random, a path, a star, or a path with short branches."""
    shape = draw.below(6)
    names = draw.shuffled(range(1, n + 1))
    found = []
    for i in range(1, n):
        parent = i - 1 if shape == 0 else 0 if shape == 1 else max(0, i - draw.integer(1, 3)) if shape == 2 else None
        other = names[draw.below(i) if parent is None else parent]
        found.append((other, names[i]) if draw.chance(0.5) else (names[i], other))
    return draw.shuffled(found)


def edges(draw: Draw, n: int, m: int, *, connected: bool = False, twice: bool = False) -> list[tuple[int, int]]:
    """Draw pairs of different vertices; at most ``m``, or as many more as it takes to connect all."""
    found = dict.fromkeys(tree(draw, n)) if connected else {}
    for _ in range(3 * m):
        if len(found) >= m or n < 2:
            break
        u, v = draw.integer(1, n), draw.integer(1, n)
        if u != v and (twice or (v, u) not in found):
            found[u, v] = None
    return draw.shuffled(list(found))


def grid(draw: Draw, rows: int, cols: int, marks: Sequence[tuple[str, float]], rest: str = ".") -> list[list[str]]:
    """Draw a grid of characters, each with its share."""
    found = []
    for _ in range(rows):
        row = []
        for _ in range(cols):
            left, mark = draw.unit(), rest
            for char, share in marks:
                left -= share
                if left < 0:
                    mark = char
                    break
            row.append(mark)
        found.append(row)
    return found


def ops(draw: Draw, n: int, kinds: Sequence[tuple[float, str, Any]]) -> list[list[Any]]:
    """Draw operations: a weight, a name, and a function that draws the arguments."""
    weights = [weight for weight, _, _ in kinds]
    found = []
    for _ in range(n):
        _, name, args = draw.weighted(kinds, weights)
        found.append([name, *args()])
    return found
