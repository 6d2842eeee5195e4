"""Kernels whose answer is found by bisection."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import increasing, numbers, size, top
from turnwise.worlds.programs.contests.kernel import Arg, Inverse, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _shifts(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    a = numbers(draw, n, 1, top(draw, n, 10**9))
    c = draw.either(0, 1, max(a) // 3, max(a), min(10**9, 5 * max(a)))
    return a, draw.integer(1, draw.either(2, n, n) if picked["goal"] != "time" else draw.either(3, n, 10**9)), c


_SHIFTS = Kernel(
    "shifts", "searching", 2,
    "{goal}",
    (
        story(title="Freight", jobs="ships", job="ship", teams="piers", team="pier", part="container", machine="crane",
             parts="containers", machines="cranes", intro="A harbour is planning its next season."),
        story(title="Print Shop", jobs="orders", job="order", teams="presses", team="press", part="poster",
             parts="posters", machine="printer", machines="printers",
             intro="A print shop has taken on too much work again."),
        story(title="Harvest", jobs="fields", job="field", teams="crews", team="crew", part="crate", parts="crates",
             machine="picker", machines="pickers", intro="The whole valley helps with the harvest."),
        story(title="Translation Bureau", jobs="chapters", job="chapter", teams="translators", team="translator",
             part="page", parts="pages", machine="typist", machines="typists",
             intro="A thick manual has to be translated before the fair."),
    ),
    (Arg("a", "ints", "{a}", "n"), Arg("k", "int", "{k}"), Arg("c", "int", "{c}")),
    "the shortest time",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9", "{range}", "0 ≤ c ≤ 10^9"),
    _shifts,
    """
def solve(a, k, c):
    def fits(limit):
        @check@

    low, high = @low@, @high@
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle + 1
    return low
""",
    "def solve(a, k, c):\n    @slow@",
    (
        "def solve(a, k, c):\n    return max(max(a), -(-(sum(a) + c * (len(a) - k)) // k))\n",
        "def solve(a, k, c):\n    return max(max(a), -(-(sum(a) + c * (len(a) - 1)) // k))\n",
        "def solve(a, k, c):\n    return -(-k // len(a)) * max(a) + c * (k // len(a) // 2)\n",
    ),
    choices={
        "goal": {
            "split": opt(0, goal="n {jobs} are waiting in line; {job} i needs a_i minutes of work. They are shared "
                                 "out to "
                                 "at most k {teams}, and the order of the line is kept: each {team} gets some "
                                 "consecutive "
                                 "{jobs}, possibly none. A {team} works on its {jobs} one after another, and needs c "
                                 "minutes to change from one to the next. All {teams} work at the same time. What is "
                                 "the "
                                 "shortest time, in minutes, after which all {jobs} are done?",
                         a="the work for each of the {jobs}, in order", k="the number of {teams}",
                         c="the minutes for a change", range="1 ≤ k ≤ n", low="max(a)", high="sum(a) + c * len(a)",
                         check="teams, used = 1, -c\nfor value in a:\n    if used + c + value > limit:\n        "
                               "teams += 1\n        used = -c\n    used += c + value\nreturn teams <= k",
                         slow="cost = lambda part: sum(part) + c * (len(part) - 1) if part else 0\n@deal@"),
            "leave": opt(2, goal="n {jobs} are waiting in line; {job} i needs a_i minutes of work. They are shared "
                                 "out to "
                                 "at most k {teams}, and the order of the line is kept: each {team} gets some "
                                 "consecutive "
                                 "{jobs}, possibly none. A {team} works on its {jobs} one after another, and needs c "
                                 "minutes to change from one to the next. Each {team} may leave out one of its {jobs}, "
                                 "whichever it likes, because an apprentice does it (and there are enough "
                                 "apprentices); the {team} then works as if it had never got that {job}. All {teams} "
                                 "work "
                                 "at the same time. What is the shortest time, in minutes, after which all {teams} are "
                                 "done?", a="the work for each of the {jobs}, in order",
                         k="the number of {teams}", c="the minutes for a change", range="1 ≤ k ≤ n", low="0",
                         high="sum(a) + c * len(a)",
                         check="teams, used, longest, count = 1, 0, 0, 0\nfor value in a:\n    "
                               "if used + value - max(longest, value) + c * max(0, count - 1) > limit:\n        "
                               "teams += 1\n        used = longest = count = 0\n    used += value\n    count += 1\n    "
                               "longest = max(longest, value)\nreturn teams <= k",
                         slow="cost = lambda part: sum(part) - max(part) + c * max(0, len(part) - 2) if part else 0\n"
                              "@deal@"),
            "time": opt(1, goal="n {machines} work at the same time on an order of k {parts}; {machine} i takes a_i "
                                "minutes "
                                "for one {part}. After every {B} {parts}, a {machine} rests for c minutes before it "
                                "begins "
                                "the next {part}. After how many minutes are k {parts} finished, at the earliest?",
                        a="the minutes that each of the {machines} takes for one {part}",
                        k="the number of {parts} ordered", c="the minutes of rest", range="1 ≤ k ≤ 10^9", low="1",
                        high="min(a) * k + c * (k // @B@)",
                        check="done = 0\nfor value in a:\n    rounds, rest = divmod(limit, @B@ * value + c)\n    "
                              "done += rounds * @B@ + min(@B@, rest // value)\nreturn done >= k",
                        slow="times = []\nfor value in a:\n    now = 0\n    for part in range(1, k + 1):\n        "
                             "now += value\n        times.append(now)\n        now += c if part % @B@ == 0 else 0\n"
                             "return sorted(times)[k - 1]"),
        },
        "deal": {
            "": opt(0, deal="best = [0] + [10**30] * len(a)\nfor _ in range(k):\n    best = [min(max(best[i], "
                            "cost(a[i:j])) for i in range(j + 1)) for j in range(len(a) + 1)]\nreturn best[-1]"),
        },
    },
    params={"B": (2, 3, 5)},
    small=100,
    large=20_000,
    inverse=Inverse("k", "1", "len(a)", False, lambda picked: picked["goal"] != "time"),
)  # fmt: skip


def _stands(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    a = draw.shuffled(increasing(draw, max(2, n), 0, draw.either(2 * n + 2, 10**9, 10**9)))
    return a, draw.integer(2, max(2, draw.either(min(3, len(a)), len(a) // 2, len(a))))


_STANDS = Kernel(
    "stands", "searching", 2,
    "Along {road} there are n {places}; number i is x_i metres from its beginning. {goal}",
    (
        story(title="Lemonade", road="a promenade", places="places where a stand may be set up", things="stands",
             thing="stand", intro="The town lets its pupils sell lemonade."),
        story(title="Mountain Rescue", road="a ridge path", places="huts", things="radios", thing="radio",
             intro="The mountain rescue has bought new equipment."),
        story(title="Charging Points", road="a motorway", places="parking areas", things="charging points",
             thing="charging point", intro="An electricity company wants to be present everywhere, at little cost."),
    ),
    (Arg("x", "ints", "the places, in no particular order", "n"), Arg("k", "int", "the number k")),
    "{result}",
    ("2 ≤ k ≤ n ≤ {N}", "0 ≤ x_i ≤ 10^9, all different"),
    _stands,
    """
def solve(x, k):
    x = sorted(x)
    low, high = 0, x[-1] - x[0]
    while low < high:
        middle = (low + high + @up@) // 2
        @test@
        @move@
    @end@
""",
    """
from itertools import combinations

def solve(x, k):
    x = sorted(x)
    @slow@
""",
    (
        "def solve(x, k):\n    x = sorted(x)\n    return (x[-1] - x[0]) // (k - 1)\n",
        "def solve(x, k):\n    x = sorted(x)\n    gaps = sorted(b - a for a, b in zip(x, x[1:]))\n"
        "    return gaps[len(x) - k]\n",
    ),
    choices={
        "goal": {
            "apart": opt(0, goal="k {things} are set up at k different ones of them, such that the smallest distance "
                                 "between two {things} is as large as possible.", up="1", end="return low",
                         result="the largest possible smallest distance between two {things}",
                         test="count, last = 1, x[0]\nfor value in x:\n    if value - last >= middle:\n        "
                              "count += 1\n        last = value",
                         move="if count >= k:\n    low = middle\nelse:\n    high = middle - 1",
                         slow="return max(min(b - a for a, b in zip(c, c[1:])) for c in combinations(x, k))"),
            "cover": opt(0, goal="k {things} are set up anywhere along the way, and each serves a stretch that is "
                                 "{L} · r metres long (both ends included), with the same whole number r for all. "
                                 "All n places must be served.", up="0", end="return low",
                         result="the smallest r with which that is possible",
                         test="count, last = 0, -1\nfor value in x:\n    if value > last:\n        count += 1\n        "
                              "last = value + @L@ * middle",
                         move="if count <= k:\n    high = middle\nelse:\n    low = middle + 1",
                         slow="r = 0\nwhile True:\n    left, count = x, 0\n    while left:\n        left = [v for v in "
                              "left if v > left[0] + @L@ * r]\n        count += 1\n    if count <= k:\n        "
                              "return r\n"
                              "    r += 1"),
            "first": opt(2, goal="k {things} are set up at k different ones of them, such that the smallest distance "
                                 "between two {things} is as large as possible. Of all ways to do that, take the one "
                                 "where the places, written from small to large, come first in dictionary order.",
                         up="1", end="taken = [x[0]]\nfor value in x:\n    if value - taken[-1] >= low:\n        "
                                     "taken.append(value)\nreturn sum(v * v for v in taken[:k]) % @MOD@",
                         result="the sum of the squares of the places x_i that are used, modulo {MOD}",
                         test="taken = [x[0]]\nfor value in x:\n    if value - taken[-1] >= middle:\n        "
                              "taken.append(value)",
                         move="if len(taken) >= k:\n    low = middle\nelse:\n    high = middle - 1",
                         slow="best = max(min(b - a for a, b in zip(c, c[1:])) for c in combinations(x, k))\nc = min(c "
                              "for c in combinations(x, k) if min(b - a for a, b in zip(c, c[1:])) == best)\n"
                              "return sum(v * v for v in c) % @MOD@"),
        },
    },
    params={"L": (1, 2, 3)},
    small=12,
    large=20_000,
    inverse=Inverse("k", "2", "len(x)", False, lambda picked: picked["goal"] == "cover"),
)  # fmt: skip

KERNELS = (_SHIFTS, _STANDS)
