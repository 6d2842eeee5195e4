"""Kernels of classes that serve others: a cache, a queue with priorities."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import ops
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Op, Picked, opt, story

__all__ = ["KERNELS"]


def _cache(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    count = n if n > 60 else draw.integer(4, n + 12)
    room = n // 8 if n > 60 else draw.integer(1, 4)
    keys = 2 * room if n > 60 else draw.integer(2, 7)
    kinds = [
        (2.0, "get", lambda: [draw.integer(1, keys)]),
        (2.0, "put", lambda: [draw.integer(1, keys), draw.integer(0, 99)]),
        (0.2, "drop", lambda: [draw.integer(1, keys)]),
    ]
    return room, ops(draw, count, kinds)


_CACHE = Kernel(
    "cache", "structures", 3,
    "A {store} has room for at most c entries, each a key with a value. {evict}",
    (
        story(title="Thumbnail Cache", cls="Thumbnails", store="cache of thumbnails", intro="A photo application "
                                                            "keeps some images in "
             "memory."),
        story(title="Librarian's Desk", cls="Desk", store="librarian's desk", intro="The most popular books are kept "
                                                            "on the desk of the "
             "librarian."),
        story(title="Name Resolver", cls="Resolver", store="name resolver",
              intro="A resolver remembers recent answers."),
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
            "recent": opt(0, evict="When there is no room for a new entry, the entry that has not been used for the "
                                   "longest time leaves; "
                                   "{uses}.", move="levels = self.levels.setdefault(1, "
                                                   "OrderedDict())\nself.level[key] = 1\nlevels[key] = "
                                   "None\nlevels.move_to_end(key)", end="last=False", slow_order="self.used[k]"),
            "newest": opt(0, evict="When there is no room for a new entry, the entry that was used most recently "
                                   "leaves; {uses}.",
                          move="levels = self.levels.setdefault(1, OrderedDict())\nself.level[key] = 1\nlevels[key] = "
                               "None\nlevels.move_to_end(key)", end="last=True", slow_order="-self.used[k]"),
            "often": opt(2, evict="When there is no room for a new entry, the entry that has been used least often "
                                  "since it came in leaves (if "
                                  "several tie, the one of them that has not been used for the longest time); "
                                  "{uses}.",
                         move="old = self.level.get(key)\nif old is not None:\n    del self.levels[old][key]\n    "
                              "level = old + 1\n"
                              "self.level[key] = level\nself.levels.setdefault(level, OrderedDict())[key] = None",
                              end="last=False",
                         slow_order="(self.count[k], self.used[k])"),
        },
        "uses": {
            "both": opt(0, uses="a successful get and a put of a key that is there both count as a use, and so does "
                                "coming in",
                        on_get="self.touch(key, 0)", on_put="self.touch(key, 0)", slow_get="self.used[key] = "
                                                            "self.time\nself.count[key] += 1",
                        slow_put="self.used[key] = self.time\nself.count[key] += 1"),
            "get": opt(0, uses="a successful get counts as a use, and so does coming in, but a put of a key that is "
                               "there already only changes "
                               "its value", on_get="self.touch(key, 0)", slow_get="self.used[key] = "
                                                            "self.time\nself.count[key] += 1",
                       on_put="pass", slow_put="pass"),
            "put": opt(0, uses="a put counts as a use, whether the key is new or there already, but a get does not",
            on_put="self.touch(key, 0)",
                       on_get="", slow_get="", slow_put="self.used[key] = self.time\nself.count[key] += 1"),
        },
    },
    ops=(Op("get", "key", "returns the value of the key, or -1 if it is not there", True),
         Op("put", "key value", "gives the key a new value if it is there, and otherwise adds an entry, for which "
                                "another one may have to leave; it "
            "returns the key that left, or -1", True),
         Op("drop", "key", "removes the entry of the key; it returns 1, or 0 if the key is not there", True)),
    small=200,
    large=80_000,
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
    return (ops(draw, count, kinds),)


def _key(rule: str, ties: str) -> dict[str, str]:
    sign = "" if rule == "low" else "-"
    value = "(p - @A@ * self.taken)" if rule == "aging" else "p"
    tie = {"number": "i", "stamp": "self.stamp", "late": "-self.stamp"}[ties]
    worth = "-self.waiting[i][0]" if rule == "low" else "self.waiting[i][0]"
    worth += " + @A@ * (self.taken - self.waiting[i][2])" if rule == "aging" else ""
    slow = {"number": "-i", "stamp": "-self.waiting[i][1]", "late": "self.waiting[i][1]"}[ties]
    return {"key": f"({sign}{value}, {tie})", "slow_key": f"({worth}, {slow})"}


_RULES = {
    "plain": opt(0, rule="The next one is always the {job} with the highest {prio}; {ties}.", base="0"),
    "low": opt(0, rule="The {prio} is a number p, and 1 is the most important one. The next one is always the {job} "
                       "with the smallest p; "
                       "{ties}.", base="0"),
    "aging": opt(2, rule="The next one is always the {job} with the highest {prio}; {ties}. Whenever one is taken, "
                         "the {prio} of all "
                         "others that wait rises by {A}.", init="self.taken = 0", on_take="self.taken += 1",
                         base="self.taken"),
}  # fmt: skip
_TIES = {
    "number": opt(0, ties="if several tie, it is the one with the smallest number"),
    "stamp": opt(
        0, ties="if several tie, it is the one whose {prio} was set first (by its arrival or the last change)"
    ),
    "late": opt(0, ties="if several tie, it is the one whose {prio} was set last (by its arrival or the last change)"),
}
_DESK = Kernel(
    "desk", "structures", 2,
    "{Jobs} wait for {server}; they are numbered 1, 2, 3, ... in the order in which they come in, and each has "
    "{priority}. {rule}",
    (
        story(title="Emergency Room", cls="Triage", Jobs="Patients", job="patient", server="a doctor",
            priority="an urgency",
             prio="urgency", intro="An emergency room needs new software by tonight."),
        story(title="Print Queue", cls="Queue", Jobs="Documents", job="document", server="the printer",
            priority="a priority",
             prio="priority", intro="An office shares a single printer."),
        story(title="Support Tickets", cls="Tickets", Jobs="Tickets", job="ticket", server="the support team",
            priority="a severity",
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
         Op("change", "i p", "sets the {prio} of the waiting {job} i to p; it returns 1, or 0 if {job} i is not "
                             "waiting", True),
         Op("cancel", "i", "removes the waiting {job} i; it returns 1, or 0 if {job} i is not waiting", True)),
    params={"A": (1, 2, 3)},
    small=200,
    large=30_000,
    fits=lambda picked: picked["keys"] == f"{picked['rule']} {picked['ties']}",
)  # fmt: skip

KERNELS = (_CACHE, _DESK)
