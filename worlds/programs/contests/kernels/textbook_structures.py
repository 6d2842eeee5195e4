"""The rest of what every textbook has: order, grids, groups, trees, notations and games."""

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import edges, grid, increasing, numbers, size, tree
from turnwise.worlds.programs.contests.kernel import Arg, story
from turnwise.worlds.programs.contests.kernels.textbook import _book

__all__ = ["KERNELS"]


_OUT_OF_ORDER = _book(
    "out_of_order", "counting",
    "{Things} stand in a row; the i-th one has the number a_i. A pair is out of order if the one that stands "
    "farther left "
    "has a number that is larger by at least {K}. How many pairs are out of order?",
    story(title="Bookshelf", Things="The volumes of an encyclopedia", intro="After a move, nothing is where it was."),
    story(title="School Photo", Things="Children of different heights", intro="The photographer is getting impatient."),
    args=(Arg("a", "ints", "the numbers from left to right", "n"),),
    result="the number of pairs out of order",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(4, 12, 10**6)),),
    solution="from bisect import bisect_left, insort\n\ndef solve(a):\n    seen, found = [], 0\n    for v in a:\n"
    "        found += len(seen) - bisect_left(seen, v + @K@)\n        insort(seen, v)\n    return found\n",
    slow="def solve(a):\n    return sum(a[i] - a[j] >= @K@ for j in range(len(a)) for i in range(j))\n",
    wrong=("def solve(a):\n    return sum(v - w >= @K@ for v, w in zip(a, a[1:]))\n",),
    params={"K": (1, 2, 3, 5)},
)  # fmt: skip
_ISLANDS = _book(
    "islands", "graphs",
    "The map is a grid: `#` is {land} and `.` is {water}. Fields with `#` belong together if one can walk from one "
    "to the "
    "other over `#` up, down, left and right. How many such groups have at least {K} fields?",
    story(title="Archipelago", land="land", water="water", intro="A cartographer counts islands on an old chart."),
    story(title="Mould", land="mould", water="clean bread", intro="A biologist photographs a slice of bread every "
    "day."),
    args=(Arg("rows", "grid", "the rows of the map, from top to bottom", "h"),),
    result="the number of groups",
    bounds=("1 ≤ height, width ≤ 40",),
    make=lambda draw, n, picked: (_map(draw, n),),
    solution="def solve(rows):\n    left = {(i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if c == "
    "'#'}\n"
    "    found = 0\n    while left:\n        waiting, count = [left.pop()], 0\n        while waiting:\n"
    "            i, j = waiting.pop()\n            count += 1\n"
    "            for place in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):\n                if place in left:\n"
    "                    left.remove(place)\n                    waiting.append(place)\n"
    "        found += count >= @K@\n    return found\n",
    slow="def solve(rows):\n    group = {(i, j): (i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if "
    "c == '#'}\n"
    "    changed = True\n    while changed:\n        changed = False\n        for i, j in group:\n"
    "            for other in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):\n"
    "                if other in group and group[other] < group[i, j]:\n"
    "                    group[i, j] = group[other]\n                    changed = True\n"
    "    names = list(group.values())\n    return sum(names.count(name) >= @K@ for name in set(names))\n",
    wrong=("def solve(rows):\n    return sum(row.count('#' * @K@) for row in rows)\n",),
    params={"K": (1, 2, 3, 4)}, small=20, large=40,
)  # fmt: skip


def _map(draw: Draw, n: int) -> list[str]:
    most = max(1, min(n, 40))
    rows, cols = draw.integer(max(1, most // 2), most), draw.integer(max(1, most // 2), most)
    return ["".join(row) for row in grid(draw, rows, cols, [("#", draw.either(0.3, 0.5, 0.7))])]


_COINS = _book(
    "fewest_coins", "dynamic",
    "{Where} there are coins of n different values, as many of each as one likes. Pay exactly x with as few coins as "
    "possible. Each coin costs a fee of {K}. How much are the fees?",
    story(title="Foreign Coins", Where="In a country far away,", intro="The currency takes some getting used to."),
    story(title="Arcade Tokens", Where="In an arcade,", intro="The machines take tokens only."),
    args=(Arg("a", "ints", "the values of the coins", "n"), Arg("x", "int", "the sum to pay")),
    result="the smallest sum of fees, or -1 if x cannot be paid",
    bounds=("1 ≤ n ≤ 12", "1 ≤ a_i ≤ 500", "0 ≤ x ≤ 500"),
    make=lambda draw, n, picked: (
        increasing(draw, draw.integer(1, min(n, 12)), 1, draw.either(9, 30)), draw.below(min(8 * n, 500)),
    ),
    solution="def solve(a, x):\n    fewest = [0]\n    for v in range(1, x + 1):\n"
    "        fewest.append(min((fewest[v - c] + 1 for c in a if c <= v), default=x + 1))\n"
    "    return @K@ * fewest[x] if fewest[x] <= x else -1\n",
    slow="def solve(a, x):\n    sums, count = {0}, 0\n    while x not in sums:\n"
    "        sums = {s + c for s in sums for c in a if s + c <= x}\n"
    "        count += 1\n        if not sums:\n            return -1\n    return @K@ * count\n",
    wrong=("def solve(a, x):\n    count = 0\n    for c in sorted(a, reverse=True):\n        count += x // c\n"
    "        x %= c\n"
           "    return -1 if x else @K@ * count\n",),
    params={"K": (1, 2, 3, 5)}, small=40, large=60,
)  # fmt: skip
_CIRCLE = _book(
    "counting_out", "simulation",
    "n {plural} stand in a circle, numbered 1 to n. Counting begins at number 1 and goes round, up to {K}: the "
    "one who is counted last leaves, and counting begins again with the next one. Which number is left in the end?",
    story(title="Counting Rhyme", plural="children", intro="Somebody has to be it."),
    story(title="Last Candle", plural="candles", intro="On a birthday cake, candles are blown out by a rule."),
    args=(Arg("n", "int", "how many there are"),),
    result="the number of the last one",
    bounds=("1 ≤ n ≤ 2000",),
    make=lambda draw, n, picked: (draw.integer(1, min(20 * n, 2000)),),
    solution="def solve(n):\n    last = 0\n    for size in range(2, n + 1):\n        last = (last + @K@) % size\n"
    "    return last + 1\n",
    slow="def solve(n):\n    circle = list(range(1, n + 1))\n    at = 0\n    while len(circle) > 1:\n"
    "        at = (at + @Km@) % len(circle)\n        del circle[at]\n    return circle[0]\n",
    wrong=("def solve(n):\n    last = 0\n    for size in range(2, n + 1):\n        last = (last + @Km@) % size\n"
    "    return last + 1\n",),
    params={"K": (2, 3, 4, 5, 7)},
)  # fmt: skip
_GROUPS = _book(
    "circles_of_friends", "graphs",
    "There are n {plural}, numbered 1 to n, and {links} between some of them. Two of them are in the same circle if "
    "a chain "
    "of {links} leads from one to the other. How many circles have at least {K} members?",
    story(title="Pen Friends", plural="people", links="friendships", intro="Letters travel from friend to friend."),
    story(title="Cave Maps", plural="caves", links="passages", intro="Cavers have mapped a mountain."),
    args=(Arg("n", "int", "the number of {plural}"), Arg("links", "rows", "the ends of each of the "
    "{links}", "m", "u v")),
    result="the number of circles",
    bounds=("2 ≤ n ≤ {N}", "1 ≤ m ≤ 2n", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i"),
    make=lambda draw, n, picked: _network(draw, n),
    solution="def solve(n, links):\n    boss = list(range(n + 1))\n\n    def find(v):\n        while boss[v] != v:\n"
    "            boss[v] = boss[boss[v]]\n            v = boss[v]\n        return v\n\n    for u, v in links:\n"
    "        boss[find(u)] = find(v)\n    sizes = {}\n    for v in range(1, n + 1):\n"
    "        sizes[find(v)] = sizes.get(find(v), 0) + 1\n    return sum(size >= @K@ for size in sizes.values())\n",
    slow="def solve(n, links):\n    group = {v: {v} for v in range(1, n + 1)}\n    for u, v in links:\n"
    "        both = group[u] | group[v]\n        for w in both:\n            group[w] = both\n"
    "    return len({min(g) for g in group.values() if len(g) >= @K@})\n",
    wrong=("def solve(n, links):\n    near = {v: {v} for v in range(1, n + 1)}\n    for u, v in links:\n"
    "        near[u].add(v)\n"
           "        near[v].add(u)\n    return len({min(g) for g in near.values() if len(g) >= @K@})\n",),
    params={"K": (1, 2, 3, 4)},
)  # fmt: skip


def _network(draw: Draw, n: int) -> tuple[int, list[list[int]]]:
    n = max(2, size(draw, n))
    found = edges(draw, n, draw.integer(1, max(1, draw.either(n // 3, n - 1, 2 * n))))
    return n, [list(pair) for pair in found] or [[1, 2]]


_FAMILY = _book(
    "far_from_the_root", "trees",
    "A {tree} consists of n {plural}, numbered 1 to n, and n - 1 {links} between them, such that there is exactly "
    "one way "
    "from any of them to any other. How many {plural} are at least {K} {links} away from number 1?",
    story(title="River Springs", tree="river", plural="forks", links="arms", intro="Salmon swim up from the mouth "
    "of a river."),
    story(title="Chain of Command", tree="company", plural="people", links="reporting lines",
          intro="In a large company, news takes its time."),
    args=(Arg("n", "int", "the number of {plural}"),
          Arg("links", "rows", "the ends of each of the {links}", "n - 1", "u v")),
    result="how many they are",
    bounds=("2 ≤ n ≤ {N}", "1 ≤ u_i, v_i ≤ n"),
    make=lambda draw, n, picked: _rooted(draw, n),
    solution="def solve(n, links):\n    near = [[] for _ in range(n + 1)]\n    for u, v in links:\n"
    "        near[u].append(v)\n"
    "        near[v].append(u)\n    far = {1: 0}\n    waiting = [1]\n    for v in waiting:\n        for w in near[v]:\n"
    "            if w not in far:\n                far[w] = far[v] + 1\n                waiting.append(w)\n"
    "    return sum(d >= @K@ for d in far.values())\n",
    slow="def solve(n, links):\n    there = {1}\n    for _ in range(@Km@):\n"
    "        there |= {v for u, v in links if u in there} | {u for u, v in links if v in there}\n"
    "    return n - len(there)\n",
    wrong=("def solve(n, links):\n    there = {1}\n    for _ in range(@K@):\n"
           "        there |= {v for u, v in links if u in there} | {u for u, v in links if v in there}\n"
           "    return n - len(there)\n",),
    params={"K": (2, 3, 4, 5)},
)  # fmt: skip


def _rooted(draw: Draw, n: int) -> tuple[int, list[list[int]]]:
    n = max(2, size(draw, n))
    return n, [list(pair) for pair in tree(draw, n)]


_WATER = _book(
    "rain_water", "sequences",
    "A row of n {walls} is seen from the side: the i-th one is 1 wide and a_i high. After a long rain, water stands "
    "wherever "
    "it cannot run off to the left or right. Water that is less than {K} deep dries up. How much is left?",
    story(title="Roof Garden", walls="planters", intro="A roof is covered with planters of different heights."),
    story(title="Sand Castle", walls="towers", intro="It is raining on the beach."),
    args=(Arg("a", "ints", "the heights from left to right", "n"),),
    result="the amount of water left",
    bounds=("1 ≤ n ≤ {N}", "0 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 0, draw.either(4, 9, 10**6)),),
    solution="def solve(a):\n    left, most = [], 0\n    for v in a:\n        most = max(most, v)\n"
    "        left.append(most)\n"
    "    total = most = 0\n    for v, l in zip(reversed(a), reversed(left)):\n        most = max(most, v)\n"
    "        deep = min(l, most) - v\n        total += deep if deep >= @K@ else 0\n    return total\n",
    slow="def solve(a):\n    deep = [min(max(a[:i + 1]), max(a[i:])) - a[i] for i in range(len(a))]\n"
    "    return sum(d for d in deep if d >= @K@)\n",
    wrong=("def solve(a):\n    return sum(d for d in (min(a[0], a[-1]) - v for v in a) if d >= @K@)\n",),
    params={"K": (1, 2, 3)},
)  # fmt: skip
_NUMERALS = _book(
    "roman", "strings",
    "{Text} is written in Roman numerals (I = 1, V = 5, X = 10, L = 50, C = 100, D = 500, M = 1000; a smaller one "
    "before a "
    "larger one is subtracted). Which year is {K} years later?",
    story(title="Cornerstone", Text="The year on a cornerstone", intro="An old house has been restored."),
    story(title="Film Credits", Text="The year at the end of a film", intro="Films give the year of their making in "
    "an odd way."),
    args=(Arg("s", "text", "the numeral"),),
    result="the year in ordinary digits",
    bounds=("1 ≤ the year on it ≤ 3999",),
    make=lambda draw, n, picked: (_roman(draw.integer(1, min(3999, 40 * n + 60))),),
    solution="def solve(s):\n    worth = {'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}\n"
    "    year = 0\n"
    "    for c, after in zip(s, s[1:] + 'I'):\n        year += -worth[c] if worth[c] < worth[after] else worth[c]\n"
    "    return year + @K@\n",
    slow="def solve(s):\n    for two, four in (('IV', 'IIII'), ('IX', 'VIIII'), ('XL', 'XXXX'), ('XC', 'LXXXX'), "
    "('CD', 'CCCC'), ('CM', 'DCCCC')):\n"
    "        s = s.replace(two, four)\n"
    "    return @K@ + sum(s.count(c) * w for c, w in zip('IVXLCDM', (1, 5, 10, 50, 100, 500, 1000)))\n",
    wrong=("def solve(s):\n    return @K@ + sum(s.count(c) * w for c, w in zip('IVXLCDM', (1, 5, 10, 50, 100, 500, "
    "1000)))\n",),
    params={"K": (1, 10, 25, 100)},
)  # fmt: skip


def _roman(year: int) -> str:
    found = ""
    for worth, text in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    ):
        found, year = found + text * (year // worth), year % worth
    return found


_FIELD = _book(
    "field_area", "geometry",
    "{Thing} is a polygon whose sides do not cross. Its n corners are given in order, in metres. {Need} if {one} is "
    "enough "
    "for {K} square metres, and only whole ones can be had?",
    story(title="Village Green", Thing="The green of a village", Need="How many bags of seed does it take", one="a bag",
          intro="A village sows new grass on its green after the fair."),
    story(title="Salvage Area", Thing="The area that divers search", Need="How many dives does it take", one="a dive",
          intro="A wreck lies somewhere under the buoys."),
    args=(Arg("corners", "rows", "the coordinates of the corners", "n", "x y"),),
    result="how many it takes",
    bounds=("3 ≤ n ≤ {N}", "-10^6 ≤ x_i, y_i ≤ 10^6"),
    make=lambda draw, n, picked: (_polygon(draw, n),),
    solution="def solve(corners):\n    twice = 0\n    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):\n"
    "        twice += a * d - b * c\n    return -(-abs(twice) // @K2@)\n",
    slow="def solve(corners):\n    x, y = corners[0]\n    twice = 0\n"
    "    for (a, b), (c, d) in zip(corners[1:], corners[2:]):\n"
    "        twice += (a - x) * (d - y) - (b - y) * (c - x)\n    return -(-abs(twice) // @K2@)\n",
    wrong=("def solve(corners):\n    twice = 0\n    for (a, b), (c, d) in zip(corners, corners[1:]):\n"
           "        twice += a * d - b * c\n    return -(-abs(twice) // @K2@)\n",),
    params={"K": (2, 5, 10, 20)},
)  # fmt: skip


def _polygon(draw: Draw, n: int) -> list[list[int]]:
    """Draw the border of a row of columns of different heights."""
    count = max(2, size(draw, n) // 2)
    xs = increasing(draw, count, -count * 3, count * 3)
    low = [-draw.integer(1, 9) for _ in xs]
    high = [draw.integer(1, 9) for _ in xs]
    corners = [[x, y] for x, y in zip(xs, low, strict=True)] + [[x, y] for x, y in zip(xs, high, strict=True)][::-1]
    corners = corners[::-1] if draw.chance(0.5) else corners
    cut = draw.below(len(corners))
    dx, dy = draw.integer(-50, 50), draw.integer(-50, 50)
    return [[x + dx, y + dy] for x, y in corners[cut:] + corners[:cut]]


_STONES = _book(
    "taking_stones", "games",
    "There are n heaps of {stones}; heap i has a_i. Two players take turns: whoever is to move takes from 1 to {K} "
    "{stones} "
    "from one heap. Whoever takes the last one of all wins. On how many of the heaps can the first player make a "
    "move after "
    "which the other one loses, if both play as well as possible?",
    story(title="Beach Game", stones="pebbles", intro="There is nothing else to do on this beach."),
    story(title="Waiting Room", stones="matches", intro="Two people wait for a late train."),
    args=(Arg("a", "ints", "the sizes of the heaps", "n"),),
    result="the number of such heaps, 0 if the first player loses",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 300"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(4, 9, 20, 300)),),
    solution="def solve(a):\n    rests = [v % @K1@ for v in a]\n    all_ = 0\n    for r in rests:\n        all_ ^= r\n"
    "    if not all_:\n        return 0\n    found = 0\n    for v, r in zip(a, rests):\n"
    "        found += any((v - t) % @K1@ == r ^ all_ for t in range(1, min(v, @K@) + 1))\n    return found\n",
    slow="def solve(a):\n    worth = [0]\n    for v in range(1, max(a) + 1):\n        below = worth[-@K@:]\n"
    "        worth.append(next(g for g in range(v + 1) if g not in below))\n    found = 0\n"
    "    for i, v in enumerate(a):\n"
    "        others = 0\n        for j, w in enumerate(a):\n            others ^= worth[w] if i != j else 0\n"
    "        found += others in worth[:v][-@K@:]\n    return found\n",
    wrong=("def solve(a):\n    all_ = 0\n    for v in a:\n        all_ ^= v\n"
    "    return sum(v ^ all_ < v for v in a)\n",),
    params={"K": (1, 2, 3, 4)},
)  # fmt: skip


KERNELS = (
    _OUT_OF_ORDER, _ISLANDS, _COINS, _CIRCLE, _GROUPS, _FAMILY, _WATER, _NUMERALS, _FIELD, _STONES,
)  # fmt: skip
