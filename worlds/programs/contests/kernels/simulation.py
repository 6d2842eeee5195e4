"""Kernels of simulation: queues, eliminations, enormous numbers of steps."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import numbers, size
from turnwise.worlds.programs.contests.kernel import Arg, Inverse, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _customers(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    last = draw.either(4, 2 * n, 10**9) if n <= 60 else 10**9
    long = draw.either(1, 3, max(1, 2 * last // n))
    starts = sorted(draw.integer(0, last) for _ in range(n))
    k = draw.integer(1, max(1, draw.either(2, 3, n // 3))) if n <= 60 else n // 3
    long = long if n <= 60 else last
    return [[t, draw.integer(1, long)] for t in starts], k


_CUSTOMERS = Kernel(
    "customers", "simulation", 2,
    "n {people} come to {place} with k {desks}, numbered 1 to k; {person} i comes at time t_i and needs s_i {unit}. "
    "Those who wait form one "
    "queue in the order in which they came (for the same t_i, in the order of the list). {choice}{leave} {goal}",
    (
        story(title="Town Hall", people="citizens", person="citizen", place="the town hall", desks="counters",
            desk="counter", unit="minutes",
             intro="The mayor wants to know why everybody is complaining."),
        story(title="Car Wash", people="cars", person="car", place="a car wash", desks="lanes", desk="lane",
            unit="minutes",
             intro="It is the first sunny Saturday of the year."),
        story(title="Print Farm", people="jobs", person="job", place="a workshop", desks="3D printers", desk="printer",
            unit="minutes",
             intro="A workshop lets everybody use its printers."),
        story(title="Vaccination Centre", people="people", person="person", place="a vaccination centre",
              desks="cabins",
            desk="cabin",
             unit="minutes", intro="A sports hall has become a vaccination centre."),
    ),
    (Arg("people", "rows", "the numbers t_i and s_i, in the order of t_i", "n", "t s"), Arg("k", "int",
        "the number of {desks}")),
    "{result}",
    ("1 ≤ k ≤ n ≤ {N}", "0 ≤ t_1 ≤ t_2 ≤ ... ≤ t_n ≤ 10^9", "1 ≤ s_i ≤ 10^9"),
    _customers,
    """
import heapq

def solve(people, k):
    free, busy = list(range(1, k + 1)), []
    waits, served, last = 0, [0] * (k + 1), 0
    gone = longest = clock = 0
    for t, s in people:
        now = max(t, clock)
        while busy and busy[0][0] <= now:
            heapq.heappush(free, heapq.heappop(busy)[@field@])
        if not free:
            now = busy[0][0]
        @leave_test@
        clock = now
        while busy and busy[0][0] <= now:
            heapq.heappush(free, heapq.heappop(busy)[@field@])
        desk = @pick@
        heapq.heappush(busy, (now + s, desk))
        waits += now - t
        longest = max(longest, now - t)
        served[desk] += 1
        last = max(last, now + s)
    return @end@
""",
    """
def solve(people, k):
    until = [0] * (k + 1)
    waits, served, last = 0, [0] * (k + 1), 0
    gone = longest = 0
    for t, s in people:
        now = max(t, min(until[1:]))
        @slow_leave@
        desk = @slow_pick@
        until[desk] = now + s
        waits += now - t
        longest = max(longest, now - t)
        served[desk] += 1
        last = max(last, now + s)
    return @end@
""",
    (
        "def solve(people, k):\n    until = [0] * (k + 1)\n    waits, served, last = 0, [0] * (k + 1), 0\n    gone = "
        "longest = 0\n    for i, (t, "
        "s) in enumerate(people):\n        desk = i % k + 1\n        now = max(t, until[desk])\n        until[desk] "
        "= now + s\n        waits += now "
        "- t\n        longest = max(longest, now - t)\n        served[desk] += 1\n        last = max(last, now + "
        "s)\n    return @end@\n",
        "def solve(people, k):\n    until = [0] * (k + 1)\n    waits, served, last = 0, [0] * (k + 1), 0\n    gone = "
        "longest = 0\n    for t, s in "
        "people:\n        desk = min(range(1, k + 1), key=lambda d: until[d])\n        now = max(t, until[desk])\n   "
        "     until[desk] = now + s\n"
        "        waits += now - t\n        longest = max(longest, now - t)\n        served[desk] += 1\n        last "
        "= max(last, now + s)\n    return "
        "@end@\n",
    ),
    choices={
        "choice": {
            "low": opt(0, choice="As soon as somebody can go, the first in the queue takes the free {desk} with the "
                                 "smallest number (one that "
                                 "becomes free at that very moment counts as free).", field="1",
                                 pick="heapq.heappop(free)",
                       slow_pick="min(d for d in range(1, k + 1) if until[d] <= now)"),
        },
        "leave": {
            "none": opt(0, leave=""),
            "leave": opt(1, leave=" Whoever would have to wait longer than {W} {unit} leaves at once and is not "
                                  "served.", leave_test="if now - t > @W@:\n    gone += 1\n    continue",
                         slow_leave="if now - t > @W@:\n    gone += 1\n    continue"),
        },
        "goal": {
            "waits": opt(0, goal="How long do all who are served wait together?", result="the sum of the waiting times",
            end="waits"),
            "desk": opt(1, goal="How many does each {desk} serve?", result="the sum of d · (number served by {desk} "
                                                            "d) over all d",
                        end="sum(d * v for d, v in enumerate(served))"),
            "longest": opt(0, goal="Let A be the longest wait of those who are served, and B the time when the last of "
                           "them is finished.", result="A + B",
                               end="longest + last"),
            "lost": opt(1, goal="Let L be the number of those who leave, and S the sum of the waiting times of the "
                        "others.", result="L · 10^15 + S",
                            end="gone * 10**15 + waits"),
        },
    },
    params={"W": (2, 5, 10)},
    small=100,
    large=50_000,
    fits=lambda picked: picked["goal"] != "lost" or picked["leave"] == "leave",
    inverse=Inverse("k", "1", "len(people)", False, lambda picked: picked["goal"] in ("waits", "longest") and picked[
        "leave"] == "none"),
)  # fmt: skip


def _circle(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = n if n > 60 else draw.integer(1, n + 3)
    most = draw.either(3, n, 10**9)
    return numbers(draw, n, 1, most), draw.integer(1, draw.either(3, 7, 10**9))


_CIRCLE = Kernel(
    "circle", "simulation", 3,
    "n {people} stand in a circle, numbered 1 to n; {person} i holds the number a_i. {start} {out} {goal}",
    (
        story(title="Counting Out", people="children", person="child", intro="The game is older than anybody can "
                                                            "remember."),
        story(title="Last One Standing", people="robots", person="robot", intro="A television show pits robots "
                                                            "against each other."),
        story(title="Choosing a Captain", people="sailors", person="sailor", intro="A crew chooses its captain in the "
                                                            "old way."),
    ),
    (Arg("a", "ints", "the numbers a_1 to a_n", "n"), Arg("k", "int", "the number k")),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i, k ≤ 10^9"),
    _circle,
    """
def solve(a, k):
    n = len(a)
    size = 1
    while size < n:
        size *= 2
    tree = [0] * size + [1] * n + [0] * (size - n)
    for i in range(size - 1, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    at, total = 0, 0
    step = k
    for turn in range(1, n + 1):
        left = n - turn + 1
        @where@
        node, rest = 1, at
        while node < size:
            tree[node] -= 1
            node *= 2
            if rest >= tree[node]:
                rest -= tree[node]
                node += 1
        tree[node] = 0
        i = node - size
        @use@
        @next@
    return @end@
""",
    """
def solve(a, k):
    ring = list(range(len(a)))
    at, total = 0, 0
    step, n = k, len(a)
    for turn in range(1, n + 1):
        left = n - turn + 1
        @where@
        i = ring[at]
        ring = ring[:at] + ring[at + 1:]
        @use@
        @next@
    return @end@
""",
    (
        "def solve(a, k):\n    n, at = len(a), 0\n    for left in range(2, n + 1):\n        at = (at + k) % left\n   "
        " return at + 1\n",
    ),
    choices={
        "out": {
            "fixed": opt(0, start="Counting begins with {person} 1, and goes on around the circle.",
                         out="The k-th one counted leaves, and counting begins again with the next one in the "
                             "circle, until nobody is left.",
                         where="at = (at + step - 1) % left"),
            "own": opt(1, start="Counting begins with {person} 1, and goes on around the circle.",
                       out="The k-th one counted leaves. Then counting begins again with the next one in the circle, "
                           "and this time it goes up "
                           "to the number held by the one who left last, and so on, until nobody is left.",
                       where="at = (at + step - 1) % left", next="step = a[i]"),
            "turn": opt(2, start="Counting begins with {person} 1, and at first goes up in number (1, 2, 3, ...).",
                        out="The k-th one counted leaves. If the number held by the one who left is even, the "
                            "direction changes. Counting "
                            "begins again with the next one in the current direction, until nobody is left.",
                        where="if turn == 1:\n    way = 1\nat = (at + (step - 1) * way) % left",
                        next="if a[i] % 2 == 0:\n    way = -way\nif way < 0:\n    at -= 1"),
        },
        "goal": {
            "last": opt(0, goal="Who leaves last?", result="the number of the {person} who leaves last",
            use="total = i + 1", end="total"),
            "order": opt(1, goal="", result="the sum of j · p_j over all j, where p_j is the number of the {person} "
                                            "who leaves as the j-th one, "
                         "modulo {MOD}", use="total += turn * (i + 1)", end="total % @MOD@"),
            "worth": opt(1, goal="Every {person} who leaves pays the number held, times the number of {people} who "
                                 "are still in the circle.",
                         result="the sum of all payments, modulo {MOD}", use="total += a[i] * (left - 1)",
                             end="total % @MOD@"),
        },
    },
    small=200,
    large=60_000,
    fits=lambda picked: picked["goal"] != "last" or picked["out"] != "fixed",
)  # fmt: skip


def _jumps(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = n if n > 60 else draw.integer(1, n + 3)
    kind = draw.below(3)
    to = [draw.integer(1, n) for _ in range(n)]
    if kind == 0:
        to = draw.shuffled(range(1, n + 1))
    elif kind == 1:
        to = [max(1, i - draw.integer(0, 3)) for i in range(1, n + 1)]
        to[0] = draw.integer(max(1, n - 3), n)
    high = draw.either(1, 5, 10**9)
    return (
        to,
        [draw.integer(0, high) for _ in range(n)],
        draw.integer(1, 3 * n if n <= 60 else 10**18),
        draw.integer(1, n),
    )


_GIFTS = {"gifts": ", and {gift} w_i", "range": "0 ≤ w_i ≤ 10^9"}
_JUMPS = Kernel(
    "jumps", "simulation", 3,
    "There are n {places}, numbered 1 to n. {Place} i has {sign} {place} t_i (perhaps itself){gifts}. {Who} begins "
    "{at} "
    "{place} s and {goes} k times in all{collect}. {goal}",
    (
        story(title="Treasure Map", places="islands", place="island", Place="Island", gift="a treasure worth",
             sign="a sign that points to", goes="follows the sign", at="on", a_place="an island",
            Who="A pirate",
             intro="Somebody had far too much time for drawing this map."),
        story(title="Bus Tour", places="towns", place="town", Place="Town", gift="a shop with souvenirs worth",
             sign="a bus that goes to", goes="takes the bus", at="in", a_place="a town",
            Who="A tourist",
             intro="A tourist has bought a ticket for a lifetime."),
        story(title="Linked Pages", places="pages", place="page", Place="Page", gift="an advertisement that pays",
             sign="a link to", goes="follows the link", at="on", a_place="a page",
            Who="A crawler",
             intro="A crawler follows links until the end of time."),
    ),
    (Arg("t", "ints", "the numbers t_1 to t_n", "n"), Arg("w", "ints", "the numbers w_1 to w_n", "n"),
     Arg("k", "int", "the number of steps"), Arg("s", "int", "the {place} at the beginning")),
    "{result}",
    ("1 ≤ s ≤ n ≤ {N}", "1 ≤ t_i ≤ n", "{range}", "1 ≤ k ≤ 10^18"),
    _jumps,
    """
def solve(t, w, k, s):
    seen, path = {}, []
    at = s - 1
    while at not in seen:
        seen[at] = len(path)
        path.append(at)
        at = t[at] - 1
    start = seen[at]
    cycle = path[start:]
    @code@
""",
    """
def solve(t, w, k, s):
    at, total = s - 1, 0
    visits = [0] * len(t)
    @before@
    for step in range(k):
        at = t[at] - 1
        visits[at] += 1
        @gain@
    @slow@
""",
    (
        "def solve(t, w, k, s):\n    at, total, seen = s - 1, 0, set()\n    for _ in range(min(k, 10**5)):\n        "
        "at = t[at] - 1\n        total += "
        "w[at]\n        seen.add(at)\n    return @guess@\n",
    ),
    choices={
        "goal": {
            "end": opt(0, unused="w", goal="Which {place} is reached in the end?",
            result="the number of the {place} reached in the end", code="if k < len(path):\n    return path[k] + "
                    "1\nreturn cycle[(k - start) % "
                                            "len(cycle)] + 1",
                       slow="return at + 1", guess="at + 1"),
            "total": opt(1, **_GIFTS, collect="; after each step, w_i of the {place} just reached is collected, "
                                              "every time",
                         goal="How much is collected in all?", result="the total, modulo {MOD}",
                         code="tail = path[1:start] if start else []\nround_ = cycle if start else cycle[1:] + "
                              "cycle[:1]\nif k <= len(tail):\n    "
                              "return sum(w[i] for i in tail[:k]) % @MOD@\ntotal = sum(w[i] for i in tail)\nrounds, "
                              "rest = divmod(k - len(tail), "
                              "len(round_))\nreturn (total + rounds * sum(w[i] for i in round_) + sum(w[i] for i in "
                              "round_[:rest])) % @MOD@",
                         gain="total += w[at]", slow="return total % @MOD@", guess="total % @MOD@"),
            "different": opt(1, **_GIFTS, collect="; the first time that {a_place} is reached (the beginning counts "
                                                  "as reached), "
                                        "its w_i is collected, and a bonus of 1",
                             goal="How much is collected in all?",
                             result="the total",
                             code="reached = path[:k + 1]\nreturn sum(w[i] for i in reached) + len(reached)",
                             before="visits[at] = 1\ntotal = w[at] + 1", gain="if visits[at] == 1:\n    total += "
                                                            "w[at] + 1",
                             slow="return total", guess="total + len(seen)"),
            "most": opt(2, unused="w",
                        collect="; the beginning does not count as a visit, but every {place} reached afterwards does",
                        goal="Which {place} is visited most often? If several tie, it is the one with the smallest "
                             "number.",
                        result="that number plus {MOD} times the number of its visits, modulo 998244353",
                        code="tail = path[1:start] if start else []\nround_ = cycle if start else cycle[1:] + "
                             "cycle[:1]\nvisits = {i: 1 for i in "
                             "tail[:k]}\nif k > len(tail):\n    rounds, rest = divmod(k - len(tail), len(round_))\n  "
                             "  for j, i in "
                             "enumerate(round_):\n        visits[i] = rounds + (j < rest)\nbest = min(visits, "
                             "key=lambda i: (-visits[i], i))\n"
                             "return (best + 1 + @MOD@ * visits[best]) % 998244353",
                        slow="best = min(range(len(t)), key=lambda i: (-visits[i], i))\nreturn (best + 1 + @MOD@ * "
                             "visits[best]) % 998244353",
                        guess="at + 1"),
        },
    },
    small=200,
    large=20_000,
    inverse=Inverse("k", "1", "10**18", True, lambda picked: picked["goal"] == "different"),
)  # fmt: skip

KERNELS = (_CUSTOMERS, _CIRCLE, _JUMPS)
