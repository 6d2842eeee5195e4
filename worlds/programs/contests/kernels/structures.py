"""Kernels of data structures: ranges, groups and ranks that must all be quick."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import ops
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Op, Picked, opt, story

__all__ = ["KERNELS"]


def _shelf(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 8)
    length = n if n > 60 else draw.integer(1, 6)
    high = draw.either(3, 10, 10**9)

    def span() -> list[int]:
        i, j = draw.integer(1, length), draw.integer(1, length)
        return sorted((i, j)) if n <= 60 or draw.chance(0.3) else [min(i, j) // 4 + 1, max(i, j)]

    change = (lambda: [draw.integer(1, length), draw.integer(0, high)]) if picked["change"] == "put" else (
        lambda: [*span(), draw.integer(1, high)])  # fmt: skip
    return length, ops(draw, count, [(2.0, "change", change), (2.0, "ask", span)])


_SHELF = Kernel(
    "shelf", "structures", 2,
    "There are n {places}, numbered 1 to n, each with a number that is 0 at first. {note}",
    (
        story(title="Water Tanks", cls="Tanks", places="water tanks", place="tank", intro="A brewery monitors its "
                                                            "tanks."),
        story(title="Seat Sales", cls="Sales", places="rows of seats", place="row", intro="A theatre watches the sale "
                                                            "of its tickets."),
        story(title="Traffic Counters", cls="Counters", places="sections of a motorway", place="section",
             intro="A motorway is full of sensors."),
    ),
    (Arg("n", "int", "the number of {places}"),),
    "",
    ("1 ≤ n ≤ {N}", "at most {N} operations", "0 ≤ x ≤ 10^9 for all numbers x", "1 ≤ l ≤ r ≤ n, 1 ≤ i ≤ n"),
    _shelf,
    """
class Solve:
    def __init__(self, n):
        self.size = 1
        while self.size < n + 2:
            self.size *= 2
        @init@

    @change@

    @ask@
""",
    """
class Solve:
    def __init__(self, n):
        self.a = [0] * (n + 1)

    @slow_change@

    def ask(self, l, r):
        return @slow_ask@
""",
    choices={
        "change": {
            "put": opt(0, sum_init="self.tree = [0] * (2 * self.size)", max_init="self.tree = [(0, 0)] * self.size + "
                                                            "[(0, -i) for i in "
                       "range(self.size)]\nfor i in range(self.size - 1, 0, -1):\n    self.tree[i] = max(self.tree[2 "
                       "* i], "
                       "self.tree[2 * i + 1])",
                       change="def change(self, i, x):\n    i += self.size\n    self.tree[i] = @leaf@\n    while i > "
                              "1:\n        i //= 2\n        "
                              "self.tree[i] = @join@(self.tree[2 * i], self.tree[2 * i + 1])",
                       ask="def ask(self, l, r):\n    found = @none@\n    l, r = l + self.size, r + self.size + 1\n  "
                           "  while l < r:\n        if l & "
                           "1:\n            found = @join@(found, self.tree[l])\n            l += 1\n        if r & "
                           "1:\n            r -= 1\n"
                           "            found = @join@(found, self.tree[r])\n        l, r = l // 2, r // 2\n    "
                           "return @answer@",
                       slow_change="def change(self, i, x):\n    self.a[i] = x", init="@start@",
                       op="sets the number of {place} i to x", op_args="i x"),
            "add": opt(2, init="self.first = [0] * (self.size + 1)\nself.second = [0] * (self.size + 1)",
                       change="def change(self, l, r, x):\n    self.put(l, x)\n    self.put(r + 1, -x)\n\ndef "
                              "put(self, i, x):\n    at, y = i, x * "
                              "(i - 1)\n    while at <= self.size:\n        self.first[at] += x\n        "
                              "self.second[at] += y\n        at += at & "
                              "-at",
                       ask="def ask(self, l, r):\n    return self.upto(r) - self.upto(l - 1)\n\ndef upto(self, i):\n "
                           "   at, a, b = i, 0, 0\n    while "
                           "at:\n        a += self.first[at]\n        b += self.second[at]\n        at -= at & -at\n "
                           "   return a * i - b",
                       slow_change="def change(self, l, r, x):\n    for i in range(l, r + 1):\n        self.a[i] += x",
                       op="adds x to the numbers of the {places} from l to r, both included", op_args="l r x"),
        },
        "question": {
            "sum": opt(0, start="@sum_init@", leaf="x", join="(lambda p, q: p + q)", none="0", answer="found",
            slow_ask="sum(self.a[l:r + 1])",
                       asks="returns the sum of the numbers of the {places} from l to r, both included"),
            "max": opt(0, start="@sum_init@", leaf="x", join="max", none="0", answer="found",
            slow_ask="max(self.a[l:r + 1])",
                       asks="returns the largest number of the {places} from l to r, both included"),
            "where": opt(1, start="@max_init@", leaf="(x, self.size - i)", join="max", none="(-1, 0)",
            answer="-found[1]",
                         slow_ask="l + self.a[l:r + 1].index(max(self.a[l:r + 1]))",
                         asks="returns which of the {places} from l to r, both included, has the largest number (the "
                              "first of them if several "
                              "tie)"),
        },
    },
    ops=(Op("change", "{op_args}", "{op}"), Op("ask", "l r", "{asks}", True)),
    small=200,
    large=50_000,
    fits=lambda picked: picked["change"] == "put" or picked["question"] == "sum",
)  # fmt: skip


def _groups(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 8)
    people = n // 4 if n > 60 else draw.integer(2, 7)

    def pair() -> list[int]:
        u = draw.integer(1, people)
        return [u, draw.integer(1, people)]

    def near() -> list[int]:
        u = draw.integer(1, max(1, people - 1))
        return [u, min(people, u + draw.integer(1, 2))]

    kinds: list[tuple[float, str, Any]] = [(2.0, "join", near if draw.chance(0.5) else pair)]
    if picked["question"] == "same":
        kinds.append((1.5, "ask", pair))
    elif picked["question"] == "biggest":
        kinds.append((1.5, "ask", lambda: []))
    else:
        kinds.append((1.5, "ask", lambda: [draw.integer(1, people)]))
    return people, ops(draw, count, kinds)


_GROUPS = Kernel(
    "groups", "structures", 2,
    "There are n {people}, numbered 1 to n. At first each is on its own. {note}",
    (
        story(title="Alumni", cls="Alumni", people="former pupils", meet="meet", group="circle",
            intro="A school wants to know who is still in "
             "touch with whom."),
        story(title="Merging Clubs", cls="Clubs", people="chess players", meet="found a club together", group="club",
             intro="Chess clubs in the region keep merging."),
        story(title="Flood Plain", cls="Ponds", people="ponds", meet="are connected by a ditch", group="pool",
            intro="It does not stop raining."),
    ),
    (Arg("n", "int", "the number of {people}"),),
    "",
    ("1 ≤ n ≤ {N}", "at most {N} operations", "1 ≤ u, v ≤ n"),
    _groups,
    """
class Solve:
    def __init__(self, n):
        self.parent = list(range(n + 1))
        self.count = [1] * (n + 1)
        @init@

    def find(self, v):
        while self.parent[v] != v:
            self.parent[v] = self.parent[self.parent[v]]
            v = self.parent[v]
        return v

    def join(self, u, v):
        u, v = self.find(u), self.find(v)
        @refuse@
        if u == v:
            return @no@
        if self.count[u] > self.count[v]:
            u, v = v, u
        self.parent[u] = v
        self.count[v] += self.count[u]
        @more@
        return @yes@

    @ask@
""",
    """
class Solve:
    def __init__(self, n):
        self.group = [{v} for v in range(n + 1)]
        self.order = list(range(n + 1))

    def join(self, u, v):
        u, v = self.group[u], self.group[v]
        @slow_refuse@
        if u is v:
            return @no@
        whole = u | v
        for w in whole:
            self.group[w] = whole
        return @yes@

    @slow_ask@
""",
    choices={
        "limit": {
            "none": opt(0, limit=""),
            "size": opt(1, limit=", unless the {group} would have more than {S} members: then nothing happens",
                        refuse="if u != v and self.count[u] + self.count[v] > @S@:\n    return 0",
                        slow_refuse="if u is not v and len(u) + len(v) > @S@:\n    return 0"),
        },
        "question": {
            "same": opt(0, ask_args="u v", asks="returns 1 if u and v are in the same {group}, otherwise 0",
                        ask="def ask(self, u, v):\n    return int(self.find(u) == self.find(v))",
                        slow_ask="def ask(self, u, v):\n    return int(v in self.group[u])", yes="1", no="0"),
            "count": opt(0, ask_args="u", asks="returns the number of members of the {group} of u, u included",
                         ask="def ask(self, u):\n    return self.count[self.find(u)]",
                         slow_ask="def ask(self, u):\n    return len(self.group[u])", yes="1", no="0"),
            "spread": opt(1, ask_args="u", asks="returns the largest number minus the smallest number in the {group} "
                                                "of u",
                          init="self.low, self.high = list(range(n + 1)), list(range(n + 1))",
                          more="self.low[v] = min(self.low[u], self.low[v])\nself.high[v] = max(self.high[u], "
                               "self.high[v])",
                          ask="def ask(self, u):\n    u = self.find(u)\n    return self.high[u] - self.low[u]",
                          slow_ask="def ask(self, u):\n    return max(self.group[u]) - min(self.group[u])", yes="1",
                              no="0"),
            "biggest": opt(2, ask_args="", asks="returns the number of pairs of different {people} that are in the "
                                                "same {group}",
                           init="self.pairs = 0", more="self.pairs += self.count[u] * (self.count[v] - self.count[u])",
                           ask="def ask(self):\n    return self.pairs",
                           slow_ask="def ask(self):\n    return sum(len(g) - 1 for g in self.group[1:]) // 2", yes="1",
                               no="0"),
        },
    },
    ops=(Op("join", "u v", "says that u and v {meet}: from now on all members of their {group}s form a single "
                           "{group}{limit}. It returns 1 if "
            "two {group}s became one, otherwise 0", True), Op("ask", "{ask_args}", "{asks}", True)),
    params={"S": (3, 4, 6, 10)},
    small=200,
    large=30_000,
)  # fmt: skip


def _ranks(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(5, n + 12)
    high = draw.either(4, 20, 10**5)
    stock: list[int] = []

    def add() -> list[int]:
        stock.append(draw.integer(1, high))
        return [stock[-1]]

    def some() -> int:
        return draw.choice(stock) if stock and draw.chance(0.7) else draw.integer(1, high)

    third = {"rank": lambda: [some()], "at": lambda: [draw.integer(1, max(1, len(stock)))], "middle": lambda: [],
             "near": lambda: [draw.integer(1, high)]}[str(picked["question"])]  # fmt: skip
    return (ops(draw, count, [(3.0, "add", add), (1.0, "remove", lambda: [some()]), (2.0, "ask", third)]),)


_RANKS = Kernel(
    "ranks", "structures", 2,
    "{Thing} holds whole numbers from 1 to 10^5, at first none; the same number may be in it several times. {note}",
    (
        story(title="High Scores", cls="Scores", Thing="A list of high scores", intro="An arcade is keeping its high "
                                                            "scores on line."),
        story(title="Order Book", cls="Book", Thing="The order book of a small exchange", intro="An exchange trades a "
                                                            "single share."),
        story(title="River Gauge", cls="Gauge", Thing="The memory of a gauge", intro="A gauge reports water levels, "
                                                            "and takes some of them "
             "back."),
    ),
    (),
    "",
    ("at most {N} operations", "1 ≤ x, k ≤ 10^5"),
    _ranks,
    """
class Solve:
    SIZE = 1 << 17

    def __init__(self):
        self.tree = [0] * (self.SIZE + 1)
        self.count = {}
        self.whole = 0

    def shift(self, x, by):
        self.count[x] = self.count.get(x, 0) + by
        self.whole += by
        while x <= self.SIZE:
            self.tree[x] += by
            x += x & -x

    def below(self, x):
        found = 0
        x -= 1
        while x > 0:
            found += self.tree[x]
            x -= x & -x
        return found

    def kth(self, k):
        at, step = 0, self.SIZE
        while step:
            if at + step <= self.SIZE and self.tree[at + step] < k:
                at += step
                k -= self.tree[at]
            step //= 2
        return at + 1

    def add(self, x):
        self.shift(x, 1)
        return self.whole

    def remove(self, x):
        if not self.count.get(x):
            return 0
        self.shift(x, -1)
        return 1

    @ask@
""",
    """
class Solve:
    def __init__(self):
        self.all = []

    def add(self, x):
        self.all.append(x)
        self.all.sort(reverse=True)
        return sum(1 for _ in self.all)

    def remove(self, x):
        if not any(y == x for y in self.all):
            return 0
        self.all = [y for i, y in enumerate(self.all) if i != self.all.index(x)]
        return 1

    @slow_ask@
""",
    choices={
        "question": {
            "rank": opt(0, ask_args="x", asks="returns how many of the numbers are larger than x",
                        ask="def ask(self, x):\n    return self.whole - self.below(x + 1)",
                        slow_ask="def ask(self, x):\n    return sum(y > x for y in self.all)"),
            "at": opt(1, ask_args="k", asks="returns the k-th smallest of the numbers (equal numbers count "
                                            "separately), or -1 if there are fewer "
                                            "than k", ask="def ask(self, k):\n    return self.kth(k) if k <= "
                                                          "self.whole else -1",
                      slow_ask="def ask(self, k):\n    return sorted(self.all)[k - 1] if k <= len(self.all) else -1"),
            "middle": opt(1, ask_args="", asks="returns the median: the number in the middle if all are sorted, of "
                                               "two in the middle the "
                                               "{which}, and -1 if there is none",
                          ask="def ask(self):\n    return self.kth((self.whole + @half@) // 2) if self.whole else -1",
                          slow_ask="def ask(self):\n    return sorted(self.all)[(len(self.all) - 2 + @half@) // 2] "
                                   "if self.all else -1"),
            "near": opt(2, ask_args="x", asks="returns the smallest difference between x and one of the numbers, or "
                                              "-1 if there are none",
                        ask="def ask(self, x):\n    if not self.whole:\n        return -1\n    k = self.below(x)\n   "
                            " near = [self.kth(k)] if k "
                            "else []\n    near += [self.kth(k + 1)] if k < self.whole else []\n    return min(abs(x "
                            "- y) for y in near)",
                        slow_ask="def ask(self, x):\n    return min((abs(x - y) for y in self.all), default=-1)"),
        },
        "half": {
            "low": opt(0, which="smaller one", half="1"),
            "high": opt(0, which="larger one", half="2"),
        },
    },
    ops=(Op("add", "x", "adds the number x and returns how many numbers there are now", True),
         Op("remove", "x", "removes one x and returns 1, or returns 0 if there is none", True),
         Op("ask", "{ask_args}", "{asks}", True)),
    small=200,
    large=30_000,
    fits=lambda picked: picked["question"] == "middle" or picked["half"] == "low",
)  # fmt: skip

KERNELS = (_SHELF, _GROUPS, _RANKS)
