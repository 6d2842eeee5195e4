"""Kernels of data structures: classes with operations that must all be quick."""

from collections.abc import Sequence
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import size
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Op, Picked, opt

__all__ = ["KERNELS"]

Ops = list[list[Any]]


def _ops(draw: Draw, n: int, kinds: Sequence[tuple[float, str, Any]]) -> Ops:
    """Draw operations: a weight, a name, and a function that draws the arguments."""
    weights = [weight for weight, _, _ in kinds]
    found = []
    for _ in range(n):
        _, name, args = draw.weighted(kinds, weights)
        found.append([name, *args()])
    return found


def _shelf(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 8)
    length = n if n > 60 else draw.integer(1, 6)
    high = draw.either(3, 10, 10**9)

    def span() -> list[int]:
        i, j = draw.integer(1, length), draw.integer(1, length)
        return sorted((i, j)) if n <= 60 or draw.chance(0.3) else [min(i, j) // 4 + 1, max(i, j)]

    change = (lambda: [draw.integer(1, length), draw.integer(0, high)]) if picked["change"] == "put" else (
        lambda: [*span(), draw.integer(1, high)])  # fmt: skip
    return length, _ops(draw, count, [(2.0, "change", change), (2.0, "ask", span)])


_SHELF = Kernel(
    "shelf", "structures", 2,
    "There are n {places}, numbered 1 to n, each with a number that is 0 at first. {note}",
    (
        dict(title="Water Tanks", cls="Tanks", places="water tanks", place="tank", intro="A brewery monitors its tanks."),
        dict(title="Seat Sales", cls="Sales", places="rows of seats", place="row", intro="A theatre watches the sale of its tickets."),
        dict(title="Traffic Counters", cls="Counters", places="sections of a motorway", place="section",
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
            "put": opt(0, sum_init="self.tree = [0] * (2 * self.size)", max_init="self.tree = [(0, 0)] * self.size + [(0, -i) for i in "
                       "range(self.size)]\nfor i in range(self.size - 1, 0, -1):\n    self.tree[i] = max(self.tree[2 * i], "
                       "self.tree[2 * i + 1])",
                       change="def change(self, i, x):\n    i += self.size\n    self.tree[i] = @leaf@\n    while i > 1:\n        i //= 2\n        "
                              "self.tree[i] = @join@(self.tree[2 * i], self.tree[2 * i + 1])",
                       ask="def ask(self, l, r):\n    found = @none@\n    l, r = l + self.size, r + self.size + 1\n    while l < r:\n        if l & "
                           "1:\n            found = @join@(found, self.tree[l])\n            l += 1\n        if r & 1:\n            r -= 1\n"
                           "            found = @join@(found, self.tree[r])\n        l, r = l // 2, r // 2\n    return @answer@",
                       slow_change="def change(self, i, x):\n    self.a[i] = x", init="@start@",
                       op="sets the number of {place} i to x", op_args="i x"),
            "add": opt(2, init="self.first = [0] * (self.size + 1)\nself.second = [0] * (self.size + 1)",
                       change="def change(self, l, r, x):\n    self.put(l, x)\n    self.put(r + 1, -x)\n\ndef put(self, i, x):\n    at, y = i, x * "
                              "(i - 1)\n    while at <= self.size:\n        self.first[at] += x\n        self.second[at] += y\n        at += at & "
                              "-at",
                       ask="def ask(self, l, r):\n    return self.upto(r) - self.upto(l - 1)\n\ndef upto(self, i):\n    at, a, b = i, 0, 0\n    while "
                           "at:\n        a += self.first[at]\n        b += self.second[at]\n        at -= at & -at\n    return a * i - b",
                       slow_change="def change(self, l, r, x):\n    for i in range(l, r + 1):\n        self.a[i] += x",
                       op="adds x to the numbers of the {places} from l to r, both included", op_args="l r x"),
        },
        "question": {
            "sum": opt(0, start="@sum_init@", leaf="x", join="(lambda p, q: p + q)", none="0", answer="found", slow_ask="sum(self.a[l:r + 1])",
                       asks="returns the sum of the numbers of the {places} from l to r, both included"),
            "max": opt(0, start="@sum_init@", leaf="x", join="max", none="0", answer="found", slow_ask="max(self.a[l:r + 1])",
                       asks="returns the largest number of the {places} from l to r, both included"),
            "where": opt(1, start="@max_init@", leaf="(x, self.size - i)", join="max", none="(-1, 0)", answer="-found[1]",
                         slow_ask="l + self.a[l:r + 1].index(max(self.a[l:r + 1]))",
                         asks="returns which of the {places} from l to r, both included, has the largest number (the first of them if several "
                              "tie)"),
        },
    },
    ops=(Op("change", "{op_args}", "{op}"), Op("ask", "l r", "{asks}", True)),
    small=200,
    large=100_000,
    fits=lambda picked: picked["change"] == "put" or picked["question"] == "sum",
)  # fmt: skip


def _groups(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 8)
    people = n if n > 60 else draw.integer(2, 7)

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
    return people, _ops(draw, count, kinds)


_GROUPS = Kernel(
    "groups", "structures", 2,
    "There are n {people}, numbered 1 to n. At first everybody is alone. {note}",
    (
        dict(title="Alumni", cls="Alumni", people="former pupils", meet="meet", group="circle", intro="A school wants to know who is still in "
             "touch with whom."),
        dict(title="Merging Clubs", cls="Clubs", people="chess players", meet="found a club together", group="club",
             intro="Chess clubs in the region keep merging."),
        dict(title="Flood Plain", cls="Ponds", people="ponds", meet="are connected by a ditch", group="pool", intro="It does not stop raining."),
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
            "spread": opt(1, ask_args="u", asks="returns the largest number minus the smallest number in the {group} of u",
                          init="self.low, self.high = list(range(n + 1)), list(range(n + 1))",
                          more="self.low[v] = min(self.low[u], self.low[v])\nself.high[v] = max(self.high[u], self.high[v])",
                          ask="def ask(self, u):\n    u = self.find(u)\n    return self.high[u] - self.low[u]",
                          slow_ask="def ask(self, u):\n    return max(self.group[u]) - min(self.group[u])", yes="1", no="0"),
            "biggest": opt(2, ask_args="", asks="returns the number of pairs of different {people} that are in the same {group}",
                           init="self.pairs = 0", more="self.pairs += self.count[u] * (self.count[v] - self.count[u])",
                           ask="def ask(self):\n    return self.pairs",
                           slow_ask="def ask(self):\n    return sum(len(g) - 1 for g in self.group[1:]) // 2", yes="1", no="0"),
        },
    },
    ops=(Op("join", "u v", "says that u and v {meet}: from now on all members of their {group}s form a single {group}{limit}. It returns 1 if "
            "two {group}s became one, otherwise 0", True), Op("ask", "{ask_args}", "{asks}", True)),
    params={"S": (3, 4, 6, 10)},
    small=200,
    large=60_000,
)  # fmt: skip


def _cache(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 12)
    room = n // 5 if n > 60 else draw.integer(1, 4)
    keys = 2 * room if n > 60 else draw.integer(2, 7)
    kinds = [
        (2.0, "get", lambda: [draw.integer(1, keys)]),
        (2.0, "put", lambda: [draw.integer(1, keys), draw.integer(0, 99)]),
        (0.2, "drop", lambda: [draw.integer(1, keys)]),
    ]
    return room, _ops(draw, count, kinds)


_CACHE = Kernel(
    "cache", "structures", 3,
    "A {store} has room for at most c entries, each a key with a value. {evict}",
    (
        dict(title="Thumbnail Cache", cls="Thumbnails", store="cache of thumbnails", intro="A photo application keeps some images in "
             "memory."),
        dict(title="Librarian's Desk", cls="Desk", store="librarian's desk", intro="The most popular books are kept on the desk of the "
             "librarian."),
        dict(title="Name Resolver", cls="Resolver", store="name resolver", intro="A resolver remembers recent answers."),
    ),
    (Arg("c", "int", "the largest number of entries"),),
    "",
    ("1 ≤ c ≤ {N}", "at most {N} operations", "1 ≤ key ≤ 10^9, 0 ≤ value ≤ 10^9"),
    _cache,
    """
from collections import OrderedDict

class Solve:
    def __init__(self, c):
        self.room = c
        self.values = {}
        self.level = {}
        self.levels = {}
        self.low = 0

    def touch(self, key, level):
        @move@

    def get(self, key):
        if key not in self.values:
            return -1
        @on_get@
        return self.values[key]

    def put(self, key, value):
        if key in self.values:
            self.values[key] = value
            @on_put@
            return -1
        gone = -1
        if len(self.values) == self.room:
            while not self.levels.get(self.low):
                self.low += 1
            gone, _ = self.levels[self.low].popitem(@end@)
            del self.values[gone], self.level[gone]
        self.values[key] = value
        self.low = 1
        self.touch(key, 1)
        return gone

    def drop(self, key):
        if key not in self.values:
            return 0
        del self.values[key]
        del self.levels[self.level.pop(key)][key]
        return 1
""",
    """
class Solve:
    def __init__(self, c):
        self.room = c
        self.values, self.used, self.count = {}, {}, {}
        self.time = 0

    def get(self, key):
        self.time += 1
        if key not in self.values:
            return -1
        @slow_get@
        return self.values[key]

    def put(self, key, value):
        self.time += 1
        gone = -1
        if key in self.values:
            @slow_put@
        else:
            if len(self.values) == self.room:
                gone = min(self.values, key=lambda k: @slow_order@)
                del self.values[gone]
            self.used[key], self.count[key] = self.time, 1
        self.values[key] = value
        return gone

    def drop(self, key):
        return int(self.values.pop(key, None) is not None)
""",
    choices={
        "rule": {
            "recent": opt(0, evict="When there is no room for a new entry, the entry that has not been used for the longest time leaves; "
                                   "{uses}.", move="levels = self.levels.setdefault(1, OrderedDict())\nself.level[key] = 1\nlevels[key] = "
                                   "None\nlevels.move_to_end(key)", end="last=False", slow_order="self.used[k]"),
            "newest": opt(0, evict="When there is no room for a new entry, the entry that was used most recently leaves; {uses}.",
                          move="levels = self.levels.setdefault(1, OrderedDict())\nself.level[key] = 1\nlevels[key] = "
                               "None\nlevels.move_to_end(key)", end="last=True", slow_order="-self.used[k]"),
            "often": opt(2, evict="When there is no room for a new entry, the entry that has been used least often since it came in leaves (if "
                                  "several tie, the one of them that has not been used for the longest time); {uses}. Coming in "
                                  "counts as one use.",
                         move="old = self.level.get(key)\nif old is not None:\n    del self.levels[old][key]\n    level = old + 1\n"
                              "self.level[key] = level\nself.levels.setdefault(level, OrderedDict())[key] = None", end="last=False",
                         slow_order="(self.count[k], self.used[k])"),
        },
        "uses": {
            "both": opt(0, uses="a successful get and a put of a key that is there both count as a use, and so does coming in",
                        on_get="self.touch(key, 0)", on_put="self.touch(key, 0)", slow_get="self.used[key] = self.time\nself.count[key] += 1",
                        slow_put="self.used[key] = self.time\nself.count[key] += 1"),
            "get": opt(0, uses="a successful get counts as a use, and so does coming in, but a put of a key that is there already only changes "
                               "its value", on_get="self.touch(key, 0)", slow_get="self.used[key] = self.time\nself.count[key] += 1",
                       on_put="pass", slow_put="pass"),
            "put": opt(0, uses="a put counts as a use, whether the key is new or there already, but a get does not", on_put="self.touch(key, 0)",
                       on_get="", slow_get="", slow_put="self.used[key] = self.time\nself.count[key] += 1"),
        },
    },
    ops=(Op("get", "key", "returns the value of the key, or -1 if it is not there", True),
         Op("put", "key value", "gives the key a new value if it is there, and otherwise adds an entry, for which another one may have to leave; it "
            "returns the key that left, or -1", True),
         Op("drop", "key", "removes the entry of the key; it returns 1, or 0 if the key is not there", True)),
    small=200,
    large=60_000,
)  # fmt: skip


def _desk(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(5, n + 12)
    high = draw.either(2, 5, 10**6)
    known = [0]

    def add() -> list[int]:
        known[0] += 1
        return [draw.integer(1, high)]

    def old() -> int:
        return draw.integer(1, max(1, known[0]))

    kinds: list[tuple[float, str, Any]] = [
        (3.0, "add", add),
        (1.5, "take", lambda: []),
        (1.0, "change", lambda: [old(), draw.integer(1, high)]),
        (0.5, "cancel", lambda: [old()]),
    ]
    return (_ops(draw, count, kinds),)


def _key(rule: str, ties: str) -> dict[str, str]:
    sign = "" if rule == "low" else "-"
    value = "(p - @A@ * self.taken)" if rule == "aging" else "p"
    tie = {"number": "i", "stamp": "self.stamp", "late": "-self.stamp"}[ties]
    worth = "self.waiting[i][0] + @A@ * (self.taken - self.waiting[i][2])" if rule == "aging" else f"{sign and ''}self.waiting[i][0]"
    worth = f"-{worth}" if rule == "low" else worth
    slow = {"number": "-i", "stamp": "-self.waiting[i][1]", "late": "self.waiting[i][1]"}[ties]
    return {"key": f"({sign}{value}, {tie})", "slow_key": f"({worth}, {slow})"}


_RULES = {
    "plain": opt(0, rule="The next one is always the {job} with the highest {prio}; {ties}.", base="0"),
    "low": opt(0, rule="The {prio} is a number p, and 1 is the most important one. The next one is always the {job} with the smallest p; "
                       "{ties}.", base="0"),
    "aging": opt(2, rule="The next one is always the {job} with the highest {prio}; {ties}. Whenever one is taken, the {prio} of all "
                         "others that wait rises by {A}.", init="self.taken = 0", on_take="self.taken += 1", base="self.taken"),
}  # fmt: skip
_TIES = {
    "number": opt(0, ties="if several tie, it is the one with the smallest number"),
    "stamp": opt(0, ties="if several tie, it is the one whose {prio} was set first (by its arrival or the last change)"),
    "late": opt(0, ties="if several tie, it is the one whose {prio} was set last (by its arrival or the last change)"),
}
_DESK = Kernel(
    "desk", "structures", 2,
    "{Jobs} wait for {server}; they are numbered 1, 2, 3, ... in the order in which they come in, and each has {priority}. {rule}",
    (
        dict(title="Emergency Room", cls="Triage", Jobs="Patients", job="patient", server="a doctor", priority="an urgency",
             prio="urgency", intro="An emergency room needs new software by tonight."),
        dict(title="Print Queue", cls="Queue", Jobs="Documents", job="document", server="the printer", priority="a priority",
             prio="priority", intro="An office shares a single printer."),
        dict(title="Support Tickets", cls="Tickets", Jobs="Tickets", job="ticket", server="the support team", priority="a severity",
             prio="severity", intro="A support team drowns in tickets."),
    ),
    (),
    "",
    ("at most {N} operations", "1 ≤ p ≤ 10^6", "1 ≤ i ≤ 10^6 (there may be no {job} with this number)"),
    _desk,
    """
import heapq

class Solve:
    def __init__(self):
        self.heap, self.now, self.last = [], {}, 0
        self.stamp = 0
        @init@

    def add(self, p):
        self.last += 1
        self.put(self.last, p)
        return self.last

    def put(self, i, p):
        self.stamp += 1
        self.now[i] = (p, self.stamp)
        heapq.heappush(self.heap, (@key@, p, self.stamp, i))

    def take(self):
        while self.heap:
            _, p, stamp, i = heapq.heappop(self.heap)
            if self.now.get(i) == (p, stamp):
                del self.now[i]
                @on_take@
                return i
        return -1

    def change(self, i, p):
        if i not in self.now:
            return 0
        self.put(i, p)
        return 1

    def cancel(self, i):
        return int(self.now.pop(i, None) is not None)
""",
    """
class Solve:
    def __init__(self):
        self.waiting, self.last, self.stamp, self.taken = {}, 0, 0, 0

    def add(self, p):
        self.last += 1
        self.stamp += 1
        self.waiting[self.last] = (p, self.stamp, self.taken)
        return self.last

    def take(self):
        if not self.waiting:
            return -1
        i = max(self.waiting, key=lambda i: @slow_key@)
        del self.waiting[i]
        self.taken += 1
        return i

    def change(self, i, p):
        if i not in self.waiting:
            return 0
        self.stamp += 1
        self.waiting[i] = (p, self.stamp, @base@)
        return 1

    def cancel(self, i):
        return int(self.waiting.pop(i, None) is not None)
""",
    choices={
        "rule": _RULES,
        "ties": _TIES,
        "keys": {f"{rule} {ties}": opt(0, **_key(rule, ties)) for rule in _RULES for ties in _TIES},
    },
    ops=(Op("add", "p", "adds a {job} with {prio} p and returns its number", True),
         Op("take", "", "removes the next {job} and returns its number, or -1 if there is none", True),
         Op("change", "i p", "sets the {prio} of the waiting {job} i to p; it returns 1, or 0 if {job} i is not waiting", True),
         Op("cancel", "i", "removes the waiting {job} i; it returns 1, or 0 if {job} i is not waiting", True)),
    params={"A": (1, 2, 3)},
    small=200,
    large=60_000,
    fits=lambda picked: picked["keys"] == f"{picked['rule']} {picked['ties']}",
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
    return (_ops(draw, count, [(3.0, "add", add), (1.0, "remove", lambda: [some()]), (2.0, "ask", third)]),)


_RANKS = Kernel(
    "ranks", "structures", 2,
    "{Thing} holds whole numbers from 1 to 10^5, at first none; the same number may be in it several times. {note}",
    (
        dict(title="High Scores", cls="Scores", Thing="A list of high scores", intro="An arcade is keeping its high scores on line."),
        dict(title="Order Book", cls="Book", Thing="The order book of a small exchange", intro="An exchange trades a single share."),
        dict(title="River Gauge", cls="Gauge", Thing="The memory of a gauge", intro="A gauge reports water levels, and takes some of them "
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
            "at": opt(1, ask_args="k", asks="returns the k-th smallest of the numbers (equal numbers count separately), or -1 if there are fewer "
                                            "than k", ask="def ask(self, k):\n    return self.kth(k) if k <= self.whole else -1",
                      slow_ask="def ask(self, k):\n    return sorted(self.all)[k - 1] if k <= len(self.all) else -1"),
            "middle": opt(1, ask_args="", asks="returns the median: the number in the middle if all are sorted, of two in the middle the "
                                               "{which}, and -1 if there is none",
                          ask="def ask(self):\n    return self.kth((self.whole + @half@) // 2) if self.whole else -1",
                          slow_ask="def ask(self):\n    return sorted(self.all)[(len(self.all) - 2 + @half@) // 2] if self.all else -1"),
            "near": opt(2, ask_args="x", asks="returns the smallest difference between x and one of the numbers, or -1 if there are none",
                        ask="def ask(self, x):\n    if not self.whole:\n        return -1\n    k = self.below(x)\n    near = [self.kth(k)] if k "
                            "else []\n    near += [self.kth(k + 1)] if k < self.whole else []\n    return min(abs(x - y) for y in near)",
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
    large=40_000,
    fits=lambda picked: picked["question"] == "middle" or picked["half"] == "low",
)  # fmt: skip

KERNELS = (_SHELF, _GROUPS, _CACHE, _DESK, _RANKS)
