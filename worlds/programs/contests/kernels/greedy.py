"""Kernels where a rule must be found and trusted: merging, intervals, deadlines, trading."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import numbers, size, top
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _merge(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    return (numbers(draw, n, 1, top(draw, n, 10**9)),)


_MERGE = Kernel(
    "merge", "greedy", 1,
    "There are n {plural}; {one} i has {value} a_i. In one step, {arity} {plural} are {joined} into one{pad}. {goal}",
    (
        story(title="Potting Shed", plural="heaps of soil", one="heap", value="weight", joined="shovelled together",
             unit="effort", intro="A gardener wants a single heap of soil by tonight."),
        story(title="Sorted Runs", plural="sorted files", one="file", value="length", joined="merged", unit="reading",
             intro="A tape drive from another century must produce one sorted file."),
        story(title="Quarry", plural="ropes", one="rope", value="length", joined="spliced", unit="labour",
             intro="A quarry needs one long rope, and finds only short ones."),
        story(title="Company Mergers", plural="firms", one="firm", value="size", joined="merged", unit="money",
             intro="An investor has bought an entire industry and wants to see one firm."),
    ),
    (Arg("a", "ints", "the {value} of every {one}", "n"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9"),
    _merge,
    """
import heapq

def solve(a):
    heap = list(a)
    @fill@
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        taken = [heapq.heappop(heap) for _ in range(@K@)]
        new = @new@
        @add@
        heapq.heappush(heap, new)
    return @end@
""",
    """
from functools import lru_cache
from itertools import combinations

def solve(a):
    @lru_cache(None)
    def best(items):
        if len(items) == 1:
            return @base@
        found = []
        for count in @counts@:
            for chosen in combinations(range(len(items)), count):
                taken = [items[i] for i in chosen]
                new = @new@
                rest = tuple(sorted([v for i, v in enumerate(items) if i not in chosen] + [new]))
                found.append(best(rest) + @more@)
        return min(found, default=10**30)
    return best(tuple(sorted(a)))
""",
    (
        """
def solve(a):
    a = sorted(a)
    cost, now = 0, a[0]
    for value in a[1:]:
        taken = [now, value]
        now = @new@
        @wrongadd@
    return @wrongend@
""",
        """
import heapq

def solve(a):
    heap = list(a)
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        taken = [heapq.heappop(heap) for _ in range(min(@K@, len(heap)))]
        new = @new@
        @add@
        heapq.heappush(heap, new)
    return @end@
""",
    ),
    choices={
        "arity": {
            "two": opt(0, arity="two", K="2", counts="(2,)", pad=""),
            "three": opt(1, arity="two or three", K="3", counts="(2, 3)", pad="",
                         fill="if len(heap) % 2 == 0:\n    heap.append(@zero@)"),
            "four": opt(1, arity="two, three or four", K="4", counts="(2, 3, 4)", pad="",
                        fill="while len(heap) % 3 != 1:\n    heap.append(@zero@)"),
        },
        "goal": {
            "sum": opt(0, goal="A step costs as much {unit} as the {value}s of the {plural} taken add up to, and "
                               "that is "
                               "also the {value} of the new one. {Only}", new="sum(taken)", add="cost += new",
                               end="cost",
                       base="0", more="new", zero="0", wrongadd="cost += now", wrongend="cost",
                       Only="What is the smallest total cost until there is only one left?",
                       result="the smallest total cost"),
            "fee": opt(1, goal="A step costs as much {unit} as the {value}s of the {plural} taken add up to, plus "
                               "{F} for "
                               "the step itself; the new one has the sum of the {value}s taken. What is the smallest "
                               "total "
                               "cost until there is only one left?", new="sum(taken)", add="cost += new + @F@",
                               end="cost",
                       base="0", more="new + @F@", zero="0", wrongadd="cost += now + @F@", wrongend="cost",
                       result="the smallest total cost"),
            "height": opt(1, goal="The {value} of the new {one} is the largest {value} among those taken, plus {D}. "
                                  "What is the smallest possible {value} of the last remaining {one}?",
                          new="max(taken) + @D@", add="", end="heap[0]", base="items[0]", more="0", zero="0",
                          wrongadd="", wrongend="now", result="the smallest possible {value} of the last {one}"),
        },
    },
    params={"F": (3, 5, 8, 12), "D": (1, 2, 4, 7)},
    small=7,
    large=20_000,
    fits=lambda picked: picked["goal"] != "fee" or picked["arity"] == "two",
)  # fmt: skip


def _intervals(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    most = draw.either(6, 2 * n + 1, 20, 10**9, 10**9)
    length = max(1, draw.either(2, most // 3, most // max(1, n // 3), most // max(1, n)))
    worth = draw.either(1, 5, 10**6)
    rows = []
    for _ in range(n):
        start = draw.integer(0, max(0, most - 1))
        end = min(most, start + draw.integer(1, length))
        rows.append([start, max(end, start + 1), draw.integer(1, worth)])
    return (rows,)


_WEIGHTED = {
    "and_": ",",
    "weight": ", and {worth} w_i",
    "each": "the beginning, the end and the number w_i of each {one}",
    "range": "1 ≤ w_i ≤ 10^6",
}
_PLAIN = {"and_": " and", "each": "the beginning and the end of each {one}", "unused": "items.w"}
_INTERVALS = Kernel(
    "intervals", "greedy", 1,
    "There are n {plural}: {one} i begins at time s_i{and_} ends at time e_i{weight}. {touch} {goal}",
    (
        story(title="Lecture Hall", plural="lectures", one="lecture", worth="is attended by", unit="listeners",
             place="room", watch="photographer", intro="The summer school has one famous lecture hall."),
        story(title="Telescope", plural="observations", one="observation", worth="has the scientific value",
            unit="value",
             place="telescope", watch="technician", intro="Every astronomer on Earth has asked for tonight."),
        story(title="Berths", plural="visits", one="visit", worth="brings a fee of", unit="fees",
             place="berth", watch="customs officer", intro="A small harbour is unexpectedly popular."),
        story(title="Film Festival", plural="screenings", one="screening", worth="is worth a rating of", unit="rating",
             place="cinema", watch="critic", intro="A critic has a free pass for all the screenings of the festival."),
    ),
    (Arg("items", "rows", "{each}", "n", "s e w"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "0 ≤ s_i < e_i ≤ 2·10^9", "{range}"),
    _intervals,
    """
from bisect import bisect_left, bisect_right
import heapq

def solve(items):
    @code@
""",
    """
from itertools import combinations

def solve(items):
    clash = lambda a, b: @clash@
    free = lambda part: not any(clash(a, b) for a, b in combinations(part, 2))
    every = [c for k in range(len(items) + 1) for c in combinations(items, k)]
    @slow@
""",
    (
        "def solve(items):\n    last, found, total = -1, 0, 0\n    for s, e, w in sorted(items):\n        if s >= "
        "last:\n"
        "            found += 1\n            total += w\n            last = e\n    return @wrong@\n",
        "def solve(items):\n    chosen = []\n    for s, e, w in sorted(items, key=lambda x: x[1] - x[0]):\n        if "
        "all(e < a or b < s for a, b, _ in chosen):\n            chosen.append((s, e, w))\n    found, total = "
        "len(chosen), "
        "sum(c[2] for c in chosen)\n    return @wrong@\n",
        "def solve(items):\n    chosen = []\n    for s, e, w in sorted(items, key=lambda x: -x[2]):\n        if "
        "all(e <= a or b <= s for a, b, _ in chosen):\n            chosen.append((s, e, w))\n    found, total = "
        "len(chosen), sum(c[2] for c in chosen)\n    return @wrong@\n",
    ),
    choices={
        "touch": {
            "open": opt(0, touch="Two of them are compatible if one begins when the other has ended, or at that very "
                                 "moment.",
            clash="a[0] < b[1] and b[0] < a[1]",
                        ok=">=", g="0", before="bisect_right(ends, s)", keyed="(e, 0) if kind else (s, 1)", rank="0",
                        inside="s < t <= e", at="e"),
            "gap": opt(1, touch="Two of them are compatible only if at least {G} units of time lie between the end "
                                "of one "
                                "and the beginning of the other.", clash="a[0] < b[1] + @G@ and b[0] < a[1] + @G@",
                                ok=">=",
                       g="@G@", before="bisect_right(ends, s - @G@)"),
            "closed": opt(0, touch="Two of them are compatible only if one begins strictly after the other has ended.",
                          clash="a[0] <= b[1] and b[0] <= a[1]", ok=">", g="0", before="bisect_left(ends, s)",
                              rank="1"),
        },
        "goal": {
            "most": opt(0, **_PLAIN, goal="What is the largest number of {plural} that are all compatible with each "
                                          "other?",
                        result="the largest number of {plural}", wrong="found",
                        code="last, found = -10**18, 0\nfor s, e, w in sorted(items, key=lambda item: item[1]):\n    "
                             "if s "
                             "@ok@ last + @g@:\n        found += 1\n        last = e\nreturn found",
                        slow="return max(len(c) for c in every if free(c))"),
            "value": opt(1, **_WEIGHTED, goal="Choose {plural} that are all compatible with each other, such that "
                                              "the sum of their "
                                 "numbers w_i is as large as possible.", wrong="total",
                         result="the largest possible sum",
                         code="items = sorted(items, key=lambda item: item[1])\nends = [item[1] for item in items]\n"
                              "best = [0]\nfor i, (s, e, w) in enumerate(items):\n    best.append(max(best[i], "
                              "best[min(i, @before@)] + w))\nreturn best[-1]",
                         slow="return max(sum(i[2] for i in c) for c in every if free(c))"),
            "rooms": opt(0, **_PLAIN, goal="All {plural} take place, each with a {place} to itself while it lasts; "
                                           "the same "
                                 "{place} can serve only compatible {plural}. What is the smallest number of "
                                 "{place}s with which this works?", wrong="found",
                         result="the smallest number of {place}s",
                         code="heap = []\nfor s, e, w in sorted(items):\n    if heap and s @ok@ heap[0] + @g@:\n     "
                              "   "
                              "heapq.heapreplace(heap, e)\n    else:\n        heapq.heappush(heap, e)\nreturn "
                              "len(heap)",
                         slow="return max(len(c) for c in every if all(clash(a, b) for a, b in combinations(c, 2)))"),
            "clashes": opt(1, **_PLAIN, goal="How many pairs of {plural} are not compatible?", wrong="found",
                           result="the number of pairs that are not compatible",
                           code="ends = sorted(item[1] for item in items)\nfree = 0\nfor s, e, w in items:\n    free "
                                "+= "
                                "@before@\nreturn len(items) * (len(items) - 1) // 2 - free",
                           slow="return sum(clash(a, b) for a, b in combinations(items, 2))"),
            "ways": opt(2, **_PLAIN, goal="How many ways are there to choose one or more {plural} that are all "
                                          "compatible with "
                                "each "
                                "other? {Plural_note}", wrong="found",
                        Plural_note="Two of them count as different even if they have the same times.",
                        result="the number of ways, modulo {MOD}",
                        code="items = sorted(items, key=lambda item: item[1])\nends = [item[1] for item in items]\n"
                             "ways = [1]\nfor i, (s, e, w) in enumerate(items):\n    ways.append((ways[i] + "
                             "ways[min(i, @before@)]) % @MOD@)\nreturn (ways[-1] - 1) % @MOD@",
                        slow="return sum(free(c) for c in every if c) % @MOD@"),
            "best_count": opt(3, **_WEIGHTED, goal="Choose {plural} that are all compatible with each other, such "
                                                   "that the sum of "
                                      "their "
                                      "numbers w_i is as large as possible; of all choices with this sum, take one "
                                      "with as "
                                      "few {plural} as possible.", wrong="total * 10**6 - found",
                              result="the largest sum times 10^6, minus the number of {plural} chosen",
                              code="items = sorted(items, key=lambda item: item[1])\nends = [item[1] for item in "
                                   "items]\n"
                                   "best = [0]\nfor i, (s, e, w) in enumerate(items):\n    best.append(max(best[i], "
                                   "best[min(i, @before@)] + w * 10**6 - 1))\nreturn best[-1]",
                              slow="return max(sum(i[2] for i in c) * 10**6 - len(c) for c in every if free(c))"),
        },
    },
    params={"G": (2, 3, 5)},
    small=14,
    large=20_000,
)  # fmt: skip


def _deadlines(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    days = max(1, draw.either(n // 2, n, 2 * n, 3))
    long = draw.either(1, 4, max(1, days // 3)) if picked["goal"] in ("jobs",) else 1
    worth = draw.either(3, 20, 10**9)
    if picked["goal"] == "jobs":
        days *= (long + 1) // 2
    return ([[draw.integer(1, days), draw.integer(1, long if picked["goal"] == "jobs" else worth)] for _ in range(n)],)


_DEADLINES = Kernel(
    "deadlines", "greedy", 2,
    "There are n {plural}. {goal}",
    (
        story(title="Repair Counter", plural="bicycles to repair", one="bicycle", does="repair", pays="pays",
             who="the mechanic", intro="A bicycle mechanic opens the diary on Monday morning."),
        story(title="Grant Season", plural="applications to write", one="application", does="write", pays="brings",
             who="the director", intro="The director of a museum has found many open calls for grants."),
        story(title="Bakery Orders", plural="cakes ordered", one="cake", does="bake", pays="earns",
             who="the baker", intro="It is the week before the holidays."),
        story(title="Patch Day", plural="systems to patch", one="system", does="patch", pays="avoids a damage of",
             who="the administrator", intro="A list of security holes has just been published."),
    ),
    (Arg("jobs", "rows", "{rows}", "n", "d {second}"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ d_i ≤ 10^9", "1 ≤ {second}_i ≤ 10^9"),
    _deadlines,
    """
import heapq

def solve(jobs):
    heap = []
    used = @zero@
    for d, w in sorted(jobs):
        @code@
    return @end@
""",
    """
from itertools import combinations, permutations

def solve(jobs):
    def possible(part):
        @possible@

    return @best@(@measure@ for k in range(len(jobs) + 1) for c in combinations(jobs, k) if possible(c))
""",
    (
        "def solve(jobs):\n    day = total = count = 0\n    for d, w in sorted(jobs):\n        if day + @need@ <= d:\n"
        "            day += @need@\n            total += w\n            count += 1\n    return @wrong@\n",
        "def solve(jobs):\n    day = total = count = 0\n    for d, w in sorted(jobs, key=lambda job: @order@):\n     "
        "   if day + "
        "@need@ <= d:\n            day += @need@\n            total += w\n            count += 1\n    return @wrong@\n",
    ),
    choices={
        "goal": {
            "worth": opt(0, goal="To {does} one of them takes a whole day, and {who} manages {P} of them a day (from "
                                 "day 1 "
                                 "on). If {one} i is finished on day d_i or before, it {pays} w_i, afterwards "
                                 "nothing. What is the "
                                 "most that can be earned?", rows="the last day d_i and the number w_i for each {one}",
                         second="w", result="the largest possible sum", zero="0", order="-job[1]", need="1",
                             wrong="total",
                         code="heapq.heappush(heap, w)\nif len(heap) > @P@ * d:\n    heapq.heappop(heap)",
                             end="sum(heap)",
                         possible="part = sorted(part)\nreturn all(i < @P@ * d for i, (d, w) in enumerate(part))",
                         best="max", measure="sum(w for d, w in c)"),
            "loss": opt(1, goal="To {does} one of them takes a whole day, and {who} manages {P} of them a day (from "
                                "day 1 "
                                "on). For each {one} that is not finished on day d_i or before, the loss is w_i. Of "
                                "all plans "
                                "with the smallest total loss, take one with the fewest late ones.",
                        rows="the last day d_i and the number w_i for each {one}", second="w",
                        result="the smallest loss times 10^6, plus the number of late ones", zero="0", order="-job[1]",
                        need="1", wrong="(sum(w for d, w in jobs) - total) * 10**6 + len(jobs) - count",
                        code="heapq.heappush(heap, w)\nif len(heap) > @P@ * d:\n    used += heapq.heappop(heap) * "
                             "10**6 + 1",
                        end="used",
                        possible="part = sorted(part)\nreturn all(i < @P@ * d for i, (d, w) in enumerate(part))",
                        best="min", measure="(sum(j[1] for j in jobs) - sum(w for d, w in c)) * 10**6 + len(jobs) - "
                                            "len(c)"),
            "jobs": opt(1, goal="To {does} {one} i takes t_i hours and must be finished at most d_i hours from now; "
                                "{who} "
                                "works on one at a time, without a break{rest}. At most how many can be finished in "
                                "time?",
                        rows="the deadline d_i and the hours t_i for each {one}", second="t",
                        result="the largest number", zero="-@R@", order="job[1]", need="w", wrong="count",
                        code="heapq.heappush(heap, -w)\nused += w + @R@\nif used > d:\n    used += "
                             "heapq.heappop(heap) - @R@",
                        end="len(heap)", best="max", measure="len(c)",
                        possible="for order in permutations(part):\n    now, good = -@R@, True\n    for d, t in "
                                 "order:\n        "
                                 "now += @R@ + t\n        good = good and now <= d\n    if good:\n        return True\n"
                                 "return False"),
        },
        "rest": {
            "none": opt(0, rest="", R="0", P="1"),
            "some": opt(1, rest=", except for {B} hours of preparation between one and the next", R="@B@", P="@Q@"),
        },
    },
    params={"B": (1, 2), "Q": (2, 3)},
    small=7,
    large=20_000,
)  # fmt: skip


def _prices(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    return (numbers(draw, n, 1, draw.either(4, 12, 30, 10**6)),)


_TRADE = Kernel(
    "trade", "dynamic", 2,
    "The price of {thing} on day i is p_i. On each day {who} may buy one {unit}, sell one {unit}, or do nothing, but "
    "never "
    "owns more than one at a time and starts with none. {fee}{pause}{limit} What is the largest possible profit?",
    (
        story(title="Copper", thing="a ton of copper", unit="ton", who="a dealer", intro="The prices of the coming "
                                                            "days are "
             "known, thanks to a careless spokesman."),
        story(title="Turnips", thing="a crate of turnips", unit="crate", who="a villager",
             intro="On an island where turnips are money, prices change every day."),
        story(title="Vintage Synthesiser", thing="an old synthesiser", unit="instrument", who="a collector",
             intro="Prices of old synthesisers have become absurd, but they are predictable."),
    ),
    (Arg("p", "ints", "the prices, day by day", "n"),),
    "the largest profit (0 if nothing is worth buying)",
    ("1 ≤ n ≤ {N}", "1 ≤ p_i ≤ 10^6"),
    _prices,
    """
def solve(p):
    tax = lambda price: @sell@
    low = -10**18
    free = [0] + [low] * @T@
    held = [low] * (@T@ + 1)
    waiting = [[low] * (@T@ + 1) for _ in range(@W@)]
    for price in p:
        sold = [low] + [held[t] + price - tax(price) for t in range(@T@)]
        bought = [max(held[t], free[t] - price - @buy@) for t in range(@T@ + 1)]
        held = bought
        waiting.append(sold)
        free = [max(x, y) for x, y in zip(free, waiting.pop(0))]
        @endless@
    return max(0, max(free), max(max(state) for state in waiting + [[0]]))
""",
    """
from functools import lru_cache

def solve(p):
    tax = lambda price: @sell@

    @lru_cache(None)
    def best(day, owns, left, ready):
        if day == len(p):
            return 0 if not owns else -10**18
        found = best(day + 1, owns, left, ready)
        if owns:
            found = max(found, p[day] - tax(p[day]) + best(day + 1, False, @less@, day + 1 + @pausing@))
        elif left and ready <= day:
            found = max(found, best(day + 1, True, left, ready) - p[day] - @buy@)
        return found

    return best(0, False, @count@, 0)
""",
    (
        "def solve(p):\n    return sum(max(0, b - a - @buy@ - (lambda price: @sell@)(b)) for a, b in zip(p, p[1:]))\n",
        "def solve(p):\n    best, low = 0, p[0]\n    for v in p:\n        low = min(low, v)\n        best = "
        "max(best, v - low "
        "- @buy@ - (lambda price: @sell@)(v))\n    return best\n",
        "def solve(p):\n    rises, low, last = [], p[0], p[0]\n    for v in p[1:] + [0]:\n        if v < last:\n     "
        "       "
        "rises.append(last - low - @buy@ - (lambda price: @sell@)(last))\n            low = v\n        last = v\n    "
        "return sum(sorted("
        "[r for r in rises if r > 0])[-@many@:])\n",
    ),
    choices={
        "fee": {
            "none": opt(0, fee="", sell="0", buy="0"),
            "fee": opt(0, fee="Each purchase costs a fee of {F}. ", sell="0", buy="@F@"),
            "tax": opt(1, fee="Each purchase costs a fee of {F}, and of each sale a tax of a tenth of the price, "
                              "rounded up, "
                              "is taken. ", sell="-(-price // 10)", buy="@F@"),
        },
        "pause": {
            "none": opt(0, pause="Nothing can be bought on the day of a sale. ", pausing="0", W="0"),
            "rest": opt(1, pause="After a sale, the next purchase is possible {C} days later at the earliest (a sale "
                                 "on day i "
                                 "allows a purchase on day i + {C}). ", pausing="@C@ - 1", W="@C@ - 1"),
        },
        "limit": {
            "none": opt(0, limit="", T="1", count="1", less="1", many="0",
                        endless="free = [max(free), low]"),
            "few": opt(1, limit="At most {M} purchases are allowed in all. ", T="@M@", count="@M@", less="left - 1",
                       many="@M@"),
        },
    },
    params={"F": (1, 2, 3), "C": (2, 3, 4), "M": (2, 3, 4)},
    small=14,
    large=20_000,
)  # fmt: skip

KERNELS = (_MERGE, _INTERVALS, _DEADLINES, _TRADE)
