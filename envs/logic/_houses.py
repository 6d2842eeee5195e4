"""Clues about houses in a row, and a solver: domains as bit masks, propagation, search."""

from collections.abc import Sequence
from functools import cache

from turnwise.core.draw import Draw

SENTENCES = {
    "same": "{a} is {b}",
    "not": "{a} is not {b}",
    "left": "{a} lives directly to the left of {b}",
    "beside": "{a} lives next to {b}",
    "before": "{a} lives somewhere to the left of {b}",
    "gap": "There is exactly one house between {a} and {b}",
    "at": "{a} lives in house {k}",
    "off": "{a} does not live in house {k}",
}
Clue = tuple[str, int, int]
"""A key of ``SENTENCES``; a value as ``attribute * size + number``; another value, or of "at" and "off" the house."""
Rule = tuple[int, int, Sequence[int], Sequence[int]]


def holds(clue: Clue, houses: Sequence[int]) -> bool:
    """Return whether a clue is true, given the house (from 0) of each value."""
    kind, a, b = clue
    if kind in ("at", "off"):
        return (houses[a] == b) == (kind == "at")
    return _related(kind, houses[a], houses[b])


def _related(kind: str, x: int, y: int) -> bool:
    match kind:
        case "same":
            return x == y
        case "not":
            return x != y
        case "left":
            return x + 1 == y
        case "beside":
            return abs(x - y) == 1
        case "before":
            return x < y
    return abs(x - y) == 2  # gap


def true_clue(draw: Draw, kind: str, value_at: Sequence[Sequence[int]]) -> Clue:
    """Return a random true clue of that kind; ``value_at`` has the value of each attribute and house."""
    m, n = len(value_at), len(value_at[0])
    one, other = draw.below(m), draw.below(m - 1)
    x = draw.below(n)
    if kind == "at":
        return kind, value_at[one][x], x
    if kind == "off":
        return kind, value_at[one][x], (x + 1 + draw.below(n - 1)) % n
    if kind in ("same", "not"):
        y = x if kind == "same" else (x + 1 + draw.below(n - 1)) % n
        other += other >= one
    else:
        step = {"left": 1, "beside": 1, "gap": 2}.get(kind) or 1 + draw.below(n - 1)
        x = draw.below(n - step)
        y = x + step
        other = draw.below(m)
    a, b = value_at[one][x], value_at[other][y]
    return (kind, a, b) if kind in ("left", "before") or a < b else (kind, b, a)


@cache
def relations(size: int) -> dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Return for each kind of clue about two values three tables over masks of houses.

    With the first value anywhere in the mask: where the second may be; the same the other way round; and where the
    second may be whatever house of the mask the first is in.
    """
    found = {}
    full = (1 << size) - 1
    for kind in SENTENCES:
        ahead = [sum(1 << y for y in range(size) if _related(kind, x, y)) for x in range(size)]
        back = [sum(1 << x for x in range(size) if _related(kind, x, y)) for y in range(size)]
        forward, backward, always = [0], [0], [full]
        for mask in range(1, full + 1):
            low, rest = (mask & -mask).bit_length() - 1, mask & (mask - 1)
            forward.append(forward[rest] | ahead[low])
            backward.append(backward[rest] | back[low])
            always.append(always[rest] & ahead[low])
        found[kind] = (tuple(forward), tuple(backward), tuple(always))
    return found


def start(clues: Sequence[Clue], size: int, attributes: int) -> tuple[list[int], list[Rule]]:
    """Return the possible houses of each value by clues about one value, as masks, and the clues about two values."""
    tables = relations(size)
    domains = [(1 << size) - 1] * (size * attributes)
    rules: list[Rule] = []
    for kind, a, b in clues:
        if kind == "at":
            domains[a] &= 1 << b
        elif kind == "off":
            domains[a] &= ~(1 << b)
        else:
            rules.append((a, b, tables[kind][0], tables[kind][1]))
    return domains, rules


def propagate(domains: list[int], rules: Sequence[Rule], size: int) -> bool:
    """Narrow the domains in place by each clue and by "all differ" until nothing changes; False if they contradict."""
    full = (1 << size) - 1
    changed = True
    while changed:
        changed = False
        for a, b, forward, backward in rules:
            x, y = domains[a], domains[b]
            y_new = y & forward[x]
            x_new = x & backward[y_new]
            if x_new != x or y_new != y:
                if not x_new:
                    return False
                domains[a], domains[b] = x_new, y_new
                changed = True
        for base in range(0, len(domains), size):
            group = domains[base : base + size]
            once = twice = known = 0
            for mask in group:
                twice |= once & mask
                once |= mask
                if mask & (mask - 1) == 0:
                    if known & mask or not mask:
                        return False
                    known |= mask
            if once != full:
                return False
            if known == full:
                continue
            single = once & ~twice  # houses that only one value can have
            for i, mask in enumerate(group):
                if mask & (mask - 1):
                    new = mask & single or mask & ~known
                    if new != mask:
                        domains[base + i] = new
                        changed = True
    return True


def count_solutions(domains: list[int], rules: Sequence[Rule], size: int, nodes: list[int]) -> int:
    """Return 0, 1 or 2 for none, one, or more solutions; also 2 if ``nodes[0]`` search nodes do not decide."""
    if nodes[0] <= 0:
        return 2
    nodes[0] -= 1
    if not propagate(domains, rules, size):
        return 0
    open_ = [(mask.bit_count(), i) for i, mask in enumerate(domains) if mask & (mask - 1)]
    if not open_:
        return 1
    _, value = min(open_)
    total, mask = 0, domains[value]
    while mask and total < 2:
        bit = mask & -mask
        mask ^= bit
        total += count_solutions([*domains[:value], bit, *domains[value + 1 :]], rules, size, nodes)
    return min(total, 2)
