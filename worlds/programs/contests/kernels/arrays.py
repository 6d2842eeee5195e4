"""Kernels on sequences: segments with a property, stacks, prefix sums, pairs."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import numbers, size, top
from turnwise.worlds.programs.contests.kernel import Arg, Inverse, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _segments(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    if picked["rule"] in ("kinds", "repeat"):
        most = draw.either(2, 3, 5, n)
        return numbers(draw, n, 1, most), draw.integer(1, max(1, draw.either(2, 3, n // 2)))
    a = numbers(draw, n, 1, top(draw, n, 10**9))
    if picked["rule"] == "spread":
        return a, draw.either(0, 1, max(a) // 3, max(a) // 10, max(a))
    k = draw.integer(1, max(1, draw.either(max(a), 3 * max(a), max(a) * n // 3)))
    return a, max(k, max(a)) if picked["goal"] in ("cut", "ways") else k


_SEGMENTS = Kernel(
    "segments", "sequences", 1,
    "{Plural} are numbered 1 to n in the order of {order}; {one} i has {value} a_i. A stretch of consecutive {plural} "
    "is {good} if {rule}. {goal}",
    (
        story(title="Night Shift", good="quiet", Plural="Wards", plural="wards", one="ward", order="the corridor",
             value="alarm level", intro="A night nurse walks along a corridor and wants to plan the rounds."),
        story(title="Tape Archive", good="compact", Plural="Reels", plural="reels", one="reel", order="the shelf",
             value="format number", intro="An archive is moving its tapes to a new building."),
        story(title="Sensor Log", good="stable", Plural="Readings", plural="readings", one="reading", order="arrival",
             value="value", intro="A weather station has been recording for years, and somebody finally looks at it."),
        story(title="Road Works", good="uniform", Plural="Slabs", plural="slabs", one="slab", order="the road",
             value="thickness code", intro="The concrete slabs of an old motorway are to be resurfaced."),
        story(title="Playlist", good="smooth", Plural="Tracks", plural="tracks", one="track", order="the playlist",
             value="mood number", intro="A radio host is splitting an overlong playlist."),
    ),
    (Arg("a", "ints", "the {value} of every {one}, in order", "n"), Arg("k", "int", "the limit")),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9", "0 ≤ k ≤ 10^15", "{extra}"),
    _segments,
    """
from collections import deque

def solve(a, k):
    @state@
    left = 0
    @start@
    for right, value in enumerate(a):
        @add@
        while @bad@:
            @drop@
            left += 1
        @take@
    return @end@
""",
    """
def solve(a, k):
    n = len(a)
    good = [(i, j) for i in range(n) for j in range(i, n) if @good_part@]
    @slow@
""",
    (
        """
def solve(a, k):
    good = lambda part: @wrong_good@
    best = 0
    for right in range(len(a)):
        if good(a[: right + 1]):
            best = right + 1
    return best
""",
    ),
    choices={
        "rule": {
            "sum": opt(0, rule="its values a_i add up to at most k", state="total = 0", add="total += value",
                       drop="total -= a[left]", bad="total > k", good_part="sum(a[i:j + 1]) <= k",
                       wrong_good="sum(part) <= k"),
            "kinds": opt(0, rule="at most k different values occur in it", state="seen = {}",
                         add="seen[value] = seen.get(value, 0) + 1",
                         drop="seen[a[left]] -= 1\nif not seen[a[left]]:\n    del seen[a[left]]",
                         bad="len(seen) > k", good_part="len(set(a[i:j + 1])) <= k", wrong_good="len(set(part)) <= k"),
            "repeat": opt(0, rule="no value occurs in it more than k times", state="seen = {}",
                          add="seen[value] = seen.get(value, 0) + 1", drop="seen[a[left]] -= 1",
                          bad="seen[value] > k", good_part="max(a[i:j + 1].count(v) for v in a[i:j + 1]) <= k",
                          wrong_good="max(map(part.count, part)) <= k"),
            "spread": opt(1, rule="its largest and its smallest value differ by at most k",
                          state="high, low = deque(), deque()",
                          add="while high and a[high[-1]] <= value:\n    high.pop()\nhigh.append(right)\n"
                              "while low and a[low[-1]] >= value:\n    low.pop()\nlow.append(right)",
                          drop="if high[0] == left:\n    high.popleft()\nif low[0] == left:\n    low.popleft()",
                          bad="a[high[0]] - a[low[0]] > k", good_part="max(a[i:j + 1]) - min(a[i:j + 1]) <= k",
                          wrong_good="max(part) - min(part) <= k"),
        },
        "goal": {
            "longest": opt(0, goal="How many {plural} does the longest {good} stretch have?", start="best = 0",
                           take="best = max(best, right - left + 1)", end="best",
                           slow="return max((j - i + 1 for i, j in good), default=0)",
                           result="the length of the longest {good} stretch, or 0 if there is none"),
            "count": opt(0, goal="How many {good} stretches are there? A stretch has at least one of the {plural}, and "
                                 "two stretches are different if they begin or end at different places.",
                         start="found = 0", take="found += right - left + 1", end="found", slow="return len(good)",
                         result="the number of {good} stretches"),
            "cut": opt(1, goal="All {plural} are to be cut into {good} stretches, every one of the {plural} in exactly "
                               "one of them. What is the smallest number of stretches?",
                       start="fewest = [0]", take="fewest.append(fewest[left] + 1)", end="fewest[-1]",
                       slow="fewest = [0] + [n] * n\nfor i, j in good:\n"
                            "    fewest[j + 1] = min(fewest[j + 1], fewest[i] + 1)\nreturn fewest[n]",
                       result="the smallest number of {good} stretches", extra="k is large enough that every single "
                       "one of the {plural} is a {good} stretch"),
            "ways": opt(2, goal="In how many ways can all {plural} be cut into {good} stretches, every one of the "
                                "{plural} in exactly one of them? Two ways are different if they cut at different "
                                "places. As the number may be huge, give its remainder modulo {MOD}.",
                        start="ways, before = [1], [0, 1]",
                        take="ways.append((before[right + 1] - before[left]) % @MOD@)\n"
                             "before.append((before[-1] + ways[-1]) % @MOD@)",
                        end="ways[-1]",
                        slow="ways = [1] + [0] * n\nfor i, j in good:\n"
                             "    ways[j + 1] += ways[i]\nreturn ways[n] % @MOD@",
                        result="the number of ways, modulo {MOD}", extra="k is large enough that every single one of "
                        "the {plural} is a {good} stretch"),
        },
    },
    inverse=Inverse("k", "0", "max(sum(a), len(a))", True, lambda picked: picked["goal"] in ("longest", "count")),
)  # fmt: skip


def _balance(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    rule = picked["rule"]
    if rule == "odd":
        return numbers(draw, n, 1, top(draw, n, 10**9)), draw.integer(
            0 if n < 60 else 1, max(1, draw.either(2, n // 3))
        )
    high = draw.either(1, 2, 4, 10**9)
    a = numbers(draw, n, -high, high)
    if rule == "mod":
        return a, draw.integer(1, draw.either(3, 7, n + 1, 10**9))
    if rule == "mean":
        return a, draw.choice(a) if draw.chance(0.5) else draw.integer(-high, high) // 2
    i, j = draw.below(n), draw.below(n)
    return a, sum(a[min(i, j) : min(i, j) + 1 + abs(i - j) % 50]) + draw.either(0, 0, 1)


_BALANCE = Kernel(
    "balance", "sequences", 2,
    "On day i, {change} by a_i{sign}. A period of one or more consecutive days is {good} if {rule}. {goal}",
    (
        story(title="Reservoir", change="the level of a reservoir changes", good="balanced",
             intro="The operators of a dam keep a diary of its water level."),
        story(title="Petty Cash", change="the contents of the cash box change", good="suspicious",
             intro="An auditor goes through the books of a small club."),
        story(title="Glacier", change="the tip of a glacier moves", good="typical",
             intro="A research camp has measured the same glacier every day."),
        story(title="Chess Rating", change="a player's rating changes", good="remarkable",
             intro="A chess club is writing the biography of its best player."),
    ),
    (Arg("a", "ints", "the changes, day by day", "n"), Arg("k", "int", "the number k")),
    "{result}",
    ("1 ≤ n ≤ {N}", "{range}"),
    _balance,
    """
def solve(a, k):
    total = 0
    @start@
    seen = {@key0@: @first@}
    for i, value in enumerate(a):
        total += @step@
        @use@
    return @end@
""",
    """
def solve(a, k):
    good = [(i, j) for i in range(len(a)) for j in range(i, len(a)) if @good_part@]
    @slow@
""",
    (
        """
def solve(a, k):
    total = left = found = 0
    best = len(a) + 1
    for right, value in enumerate(a):
        total += @step@
        while left < right and total > k:
            total -= a[left]
            left += 1
        if total == k:
            found += 1
            best = min(best, right - left + 1)
    return found
""",
    ),
    choices={
        "rule": {
            "sum": opt(0, rule="its changes add up to exactly k", step="value", key="total", key0="0", want="total - k",
                       good_part="sum(a[i:j + 1]) == k", sign=" (which may be negative)",
                       range="-10^9 ≤ a_i ≤ 10^9, -10^15 ≤ k ≤ 10^15"),
            "mod": opt(1, rule="the sum of its changes is divisible by k (as 0 and negative multiples of k are)",
                       step="value", key="total % k", key0="0", want="total % k",
                       good_part="sum(a[i:j + 1]) % k == 0",
                       sign=" (which may be negative)", range="-10^9 ≤ a_i ≤ 10^9, 1 ≤ k ≤ 10^9"),
            "odd": opt(0, rule="exactly k of its changes are odd", step="value % 2", key="total", key0="0",
                       want="total - k", good_part="sum(v % 2 for v in a[i:j + 1]) == k", sign="",
                       range="1 ≤ a_i ≤ 10^9, 0 ≤ k ≤ n"),
            "mean": opt(1, rule="the average of its changes is exactly k", step="value - k", key="total", key0="0",
                        want="total", good_part="sum(a[i:j + 1]) == k * (j - i + 1)", sign=" (which may be negative)",
                        range="-10^9 ≤ a_i, k ≤ 10^9"),
        },
        "goal": {
            "count": opt(0, goal="How many {good} periods are there?", start="found = 0", first="1",
                         use="found += seen.get(@want@, 0)\nseen[@key@] = seen.get(@key@, 0) + 1", end="found",
                         slow="return len(good)", result="the number of {good} periods"),
            "longest": opt(0, goal="How many days does the longest {good} period have?", start="best = -1",
                           first="-1", use="if @want@ in seen:\n    if i - seen[@want@] > 0:\n        "
                                           "best = max(best, i - seen[@want@])\nseen.setdefault(@key@, i)",
                           end="best", slow="return max((j - i + 1 for i, j in good), default=-1)",
                           result="the number of days of the longest {good} period, or -1 if there is none"),
            "shortest": opt(0, goal="How many days does the shortest {good} period have?", start="best = -1",
                            first="-1", use="if @want@ in seen:\n    here = i - seen[@want@]\n"
                                            "    best = here if best < 0 else min(best, here)\nseen[@key@] = i",
                            end="best", slow="return min((j - i + 1 for i, j in good), default=-1)",
                            result="the number of days of the shortest {good} period, or -1 if there is none"),
            "apart": opt(2, goal="At most how many {good} periods can be chosen such that no two of them share a day?",
                         start="found = 0", first="1",
                         use="if @want@ in seen:\n    found += 1\n    seen.clear()\nseen[@key@] = 1", end="found",
                         slow="best = [0] * (len(a) + 1)\nfor e in range(len(a)):\n    best[e + 1] = max([best[e]] + "
                              "[best[i] + 1 for i, j in good if j == e])\nreturn best[-1]",
                         result="the largest number of {good} periods"),
            "ends": opt(1, goal="For every day, how many {good} periods end on it?", start="found = []", first="1",
                        use="found.append(seen.get(@want@, 0))\nseen[@key@] = seen.get(@key@, 0) + 1", end="sum("
                        "v * (i + 1) for i, v in enumerate(found)) % @MOD@",
                        slow="return sum(j + 1 for i, j in good) % @MOD@",
                        result="the sum of d · e_d over all days d from 1 to n, where e_d is the number of {good} "
                        "periods that end on day d, modulo {MOD}"),
        },
    },
    fits=lambda picked: picked["rule"] != "odd" or picked["goal"] != "longest" or True,
)  # fmt: skip


def _skyline(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    h = numbers(draw, n, 1, top(draw, n, 10**9))
    return (sorted(h, reverse=True) if picked.get("hard") else h,)


_SKYLINE = Kernel(
    "skyline", "sequences", 2,
    "{Plural} stand in a row, numbered 1 to n from left to right; {one} i is h_i {unit} high. {goal}",
    (
        story(title="Waterfront", Plural="Towers", plural="towers", one="tower", unit="metres",
             intro="An architect studies the towers along a waterfront."),
        story(title="Paper Mill", Plural="Stacks of paper", plural="stacks", one="stack", unit="millimetres",
             intro="Stacks of paper wait in the hall of a mill."),
        story(title="Bookshop", Plural="Books", plural="books", one="book", unit="millimetres",
             intro="A bookseller has arranged the window by colour, and the heights are all mixed up."),
        story(title="Fence Posts", Plural="Posts", plural="posts", one="post", unit="centimetres",
             intro="A farmer has set the posts of a fence, each from whatever wood was there."),
    ),
    (Arg("h", "ints", "the heights, from left to right", "n"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ h_i ≤ 10^9"),
    _skyline,
    "@code@",
    "@slow@",
    (
        "def solve(h):\n    total = 0\n    for i in range(len(h) - 1):\n        total += h[i] @op@ h[i + 1]\n"
        "    return total\n",
    ),
    choices={
        "goal": {
            "next": opt(0, goal="Standing on {one} i and looking to the right, one sees as far as the first {one} that "
                                "is {higher} than h_i. Let d_i be its distance (1 for the neighbour), or 0 if there is "
                                "none.", result="the sum of i · d_i over all i, modulo {MOD}",
                        code="def solve(h):\n    total, stack = 0, []\n    for i, value in enumerate(h):\n        "
                             "while stack and value @op@ h[stack[-1]]:\n            j = stack.pop()\n            "
                             "total += (j + 1) * (i - j)\n        stack.append(i)\n    return total % @MOD@",
                        slow="def solve(h):\n    total = 0\n    for i in range(len(h)):\n        for j in range(i + 1, "
                             "len(h)):\n            if h[j] @op@ h[i]:\n                total += (i + 1) * (j - i)\n"
                             "                break\n    return total % @MOD@"),
            "pairs": opt(1, goal="Two of the {plural} see each other if no {one} between them is {higher} than the "
                                 "lower "
                                 "of the two. (Neighbours always see each other.) How many pairs of {plural} see each "
                                 "other?", result="the number of pairs that see each other",
                         code="def solve(h):\n    total, stack = 0, []\n    for value in h:\n        "
                              "while stack and stack[-1][0] < value:\n            total += stack.pop()[1]\n"
                              "        if stack and stack[-1][0] == value:\n            same = stack.pop()[1]\n"
                              "            total += @same@ + bool(stack)\n            stack.append((value, same + 1))\n"
                              "        else:\n            total += bool(stack)\n            stack.append((value, 1))\n"
                              "    return total",
                         slow="def solve(h):\n    return sum(all(not v @op@ min(h[i], h[j]) for v in h[i + 1:j]) for "
                              "j in "
                              "range(len(h)) for i in range(j))"),
            "rectangle": opt(1, goal="A poster is hung on some consecutive {plural}: it is as wide as their number, "
                                     "and "
                                     "as high as the lowest of them{cap}.", result="the largest area that the poster "
                                                            "can "
                                     "have", code="def solve(h):\n    best, stack = 0, []\n    for i, value in "
                                     "enumerate(h + [0]):\n        start = i\n        while stack and stack[-1][1] >= "
                                     "value:\n            start, high = stack.pop()\n            best = max(best, "
                                     "high * "
                                     "(i - start))\n        stack.append((start, value))\n    return best",
                             slow="def solve(h):\n    return max(min(h[i:j + 1]) * (j - i + 1) for i in "
                                  "range(len(h)) for "
                                  "j in range(i, len(h)))"),
            "water": opt(0, goal="After a storm, water fills every dip between higher {plural}; it runs off at both "
                                 "ends. How many units of water (1 wide, 1 {unit} high) remain above the {plural}?",
                         result="the amount of water",
                         code="def solve(h):\n    total, left, right = 0, 0, len(h) - 1\n    low = 0\n    while left "
                              "<= "
                              "right:\n        if h[left] < h[right]:\n            value, left = h[left], left + 1\n"
                              "        else:\n            value, right = h[right], right - 1\n        low = max(low, "
                              "value)\n        total += low - value\n    return total",
                         slow="def solve(h):\n    return sum(min(max(h[:i + 1]), max(h[i:])) - h[i] for i in "
                              "range(len(h)))"),
            "lows": opt(2, goal="For every group of consecutive {plural} (of one or more), somebody writes down the "
                                "height of its {which}.", result="the sum of all numbers written down, modulo {MOD}",
                        code="def solve(h):\n    total, here, stack = 0, 0, []\n    for value in h:\n        count = "
                             "1\n"
                             "        while stack and stack[-1][0] @beats@ value:\n            other, times = "
                             "stack.pop()\n"
                             "            here -= other * times\n            count += times\n        "
                             "stack.append((value, count))\n        here += value * count\n        total += here\n"
                             "    return total % @MOD@",
                        slow="def solve(h):\n    return sum(@pick@(h[i:j + 1]) for i in range(len(h)) for j in "
                             "range(i, "
                             "len(h))) % @MOD@"),
            "spread": opt(3, goal="For every group of consecutive {plural} (of one or more), somebody writes down the "
                                  "difference of its highest and its lowest {one}, and multiplies it by the number of "
                                  "{plural} in the group.", result="the sum of all numbers written down, modulo {MOD}",
                          code="def solve(h):\n    total = 0\n    for sign in (1, -1):\n        stack = []\n        "
                               "here"
                               " = 0\n        rest = 0\n        for i, v in enumerate(h):\n            value = sign "
                               "* v\n"
                               "            start = i\n            while stack and stack[-1][0] <= value:\n"
                               "                other, first, last = stack.pop()\n                count = last - first "
                               "+ 1\n                here -= other * count\n                rest -= other * (first + "
                               "last) "
                               "* count // 2\n                start = first\n            stack.append((value, start, "
                               "i))\n"
                               "            count = i - start + 1\n            here += value * count\n            "
                               "rest += "
                               "value * (start + i) * count // 2\n            total += here * (i + 1) - rest\n    "
                               "return "
                               "total % @MOD@",
                          slow="def solve(h):\n    return sum((max(h[i:j + 1]) - min(h[i:j + 1])) * (j - i + 1) for "
                               "i in "
                               "range(len(h)) for j in range(i, len(h))) % @MOD@"),
        },
        "ties": {
            "strict": opt(0, higher="higher", op=">", same="same", beats=">=", pick="min", which="lowest {one}"),
            "equal": opt(0, higher="at least as high", op=">=", same="1", beats="<=", pick="max",
                         which="highest {one}"),
        },
    },
    fits=lambda picked: (picked["goal"] not in ("water", "rectangle", "spread") or picked["ties"] == "strict")
    and (picked["goal"], picked["ties"]) != ("pairs", "equal"),
)  # fmt: skip


def _pairs(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    high = top(draw, n, 10**9)
    gap = draw.integer(1, max(1, draw.either(1, 2, n // 2)))
    return numbers(draw, n, 1, high), draw.integer(0, draw.either(2, high, 2 * high)), gap


_PAIRS = Kernel(
    "pairs", "sequences", 2,
    "{Plural} are listed in the order of {order}; number i has {value} a_i. For i < j with j - i ≥ g, numbers i and j "
    "are a {pair} if {rule}. {goal}",
    (
        story(title="Price Drops", Plural="Offers", order="time", value="price", pair="bargain",
             intro="A comparison site watches the price of one and the same camera."),
        story(title="Overtaking", Plural="Runners", order="their start", value="finishing time", pair="clash",
             intro="At a trail race the runners start one after another."),
        story(title="Sound Check", Plural="Speakers", order="their place along the stage", value="loudness",
             pair="conflict", intro="Before a concert, technicians measure every speaker of the stage."),
        story(title="Tree Rings", Plural="Rings", order="age", value="width", pair="reversal",
             intro="A botanist reads the climate of three centuries from a slice of a tree."),
    ),
    (Arg("a", "ints", "the {value}s in order", "n"), Arg("k", "int", "the number k"),
     Arg("g", "int", "the smallest distance g")),
    "{result}",
    ("1 ≤ g ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9", "0 ≤ k ≤ 2·10^9"),
    _pairs,
    """
from bisect import bisect_left, bisect_right

def solve(a, k, g):
    values = sorted(set(a))
    tree = [0] * (len(values) + 1)
    place = {value: i for i, value in enumerate(values, 1)}
    inserted = 0
    @start@
    for j in range(g, len(a)):
        i = place[a[j - g]]
        inserted += @amount@
        while i < len(tree):
            tree[i] += @amount@
            i += i & -i
        i = @rank@
        low = 0
        while i:
            low += tree[i]
            i -= i & -i
        here = @here@
        @use@
    return @end@
""",
    """
def solve(a, k, g):
    good = [(i, j) for i in range(len(a)) for j in range(i + g, len(a)) if @good@]
    @slow@
""",
    (
        """
def solve(a, k, g):
    good = [(i, i + g) for i in range(len(a) - g) if (lambda i, j: @good@)(i, i + g)]
    j = 0
    @slow@
""",
    ),
    choices={
        "rule": {
            "above": opt(0, rule="a_i > a_j + k", rank="bisect_right(values, a[j] + k)", here="inserted - low",
                         good="a[i] > a[j] + k"),
            "below": opt(0, rule="a_i + a_j ≤ k", rank="bisect_right(values, k - a[j])", here="low",
                         good="a[i] + a[j] <= k"),
            "twice": opt(1, rule="a_i > {C} · a_j - k", rank="bisect_right(values, @C@ * a[j] - k)",
                         here="inserted - low", good="a[i] > @C@ * a[j] - k"),
        },
        "goal": {
            "count": opt(0, goal="How many pairs of this kind are there?", start="found = 0", amount="1",
                         use="found += here", end="found", slow="return len(good)",
                         result="the number of pairs"),
            "values": opt(1, goal="The weight of such a pair is a_i (the first of the two).", start="found = 0",
                          amount="a[j - g]", use="found += here", end="found", slow="return sum(a[i] for i, j in good)",
                          result="the sum of the weights of all such pairs"),
            "busiest": opt(1, goal="For which j is the number of such pairs (i, j) largest? If several tie, take the "
                                   "smallest of them.", start="best, found = 0, 1", amount="1",
                           use="if here > best:\n    best, found = here, j + 1", end="found",
                           slow="return min(range(len(a)), key=lambda q: -sum(j == q for i, j in good)) + 1",
                           result="the number j, counted from 1; 1 if there are no such pairs"),
            "product": opt(2, goal="The weight of such a pair is a_i · a_j.", start="found = 0", amount="a[j - g]",
                           use="found += here * a[j]", end="found % @MOD@",
                           slow="return sum(a[i] * a[j] for i, j in good) % @MOD@",
                           result="the sum of the weights of all such pairs, modulo {MOD}"),
        },
    },
    params={"C": (2, 3, 4)},
    inverse=Inverse("k", "0", "2 * 10**9", True, lambda picked: picked["rule"] != "above" and picked["goal"] in (
        "count", "values")),
)  # fmt: skip

KERNELS = (_SEGMENTS, _BALANCE, _SKYLINE, _PAIRS)
