"""Kernels of geometry on whole coordinates: hulls, areas, points that dominate others."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import size
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _points(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(3, size(draw, n))
    most = draw.either(2, 4, 10, 10**6, 10**6) if n <= 60 else 10**6
    found: dict[tuple[int, int], None] = {}
    round_ = draw.chance(0.3) and most > 100
    steep = draw.integer(-2, 2) if n <= 60 and draw.chance(0.15) else None  # all, or all but a few, on a line
    for _ in range(4 * n):
        x, y = draw.integer(-most, most), draw.integer(-most, most)
        if steep is not None and not (len(found) % 5 == 4 and most > 4):
            x //= 2
            y = steep * x
        if round_ and abs(x) + abs(y) > most:
            continue
        found[x, y] = None
        if len(found) == n:
            break
    while len(found) < 3:
        found[draw.integer(-9, 9), draw.integer(-9, 9)] = None
    return ([list(p) for p in found],)


_HULL = Kernel(
    "hull", "geometry", 3,
    "There are n {plural}; {one} i is at (x_i, y_i) on the map. A {rope} is put around all of them and pulled tight, "
    "so that it forms the "
    "smallest convex polygon that contains all {plural}, in its inside or on its edge. {goal}",
    (
        story(title="Sheep Fence", plural="sheep", one="sheep", rope="fence", intro="All sheep stand still tonight."),
        story(title="Archaeology", plural="finds", one="find", rope="rope", intro="A field has been dug up, and the "
                                                            "finds are marked."),
        story(title="Oil Spill", plural="buoys", one="buoy", rope="floating barrier", intro="The coast guard has "
                                                            "marked an oil spill with "
             "buoys."),
    ),
    (Arg("points", "rows", "the coordinates of each {one}", "n", "x y"),),
    "{result}",
    ("3 ≤ n ≤ {N}", "-10^6 ≤ x_i, y_i ≤ 10^6", "no two {plural} are at the same place"),
    _points,
    """
def solve(points):
    points = sorted(map(tuple, points))
    cross = lambda o, a, b: (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    hull = []
    for way in (points, points[::-1]):
        part = []
        for p in way:
            while len(part) > 1 and cross(part[-2], part[-1], p) <= 0:
                part.pop()
            part.append(p)
        hull += part[:-1]
    @code@
""",
    """
from itertools import combinations
from math import gcd

def solve(points):
    points = [tuple(p) for p in points]
    cross = lambda o, a, b: (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    edges = []
    for p in points:
        for q in points:
            inside = lambda r: (r[0] - p[0]) * (r[0] - q[0]) + (r[1] - p[1]) * (r[1] - q[1]) <= 0
            if p != q and all(cross(p, q, r) > 0 or (cross(p, q, r) == 0 and inside(r)) for r in points):
                edges.append((p, q))
    @slow@
""",
    (
        "def solve(points):\n    xs, ys = [p[0] for p in points], [p[1] for p in points]\n    return 2 * (max(xs) - "
        "min(xs)) * (max(ys) - "
        "min(ys))\n",
        "def solve(points):\n    xs, ys = {p[0] for p in points}, {p[1] for p in points}\n    return sum(p[0] in "
        "(min(xs), max(xs)) or p[1] in "
        "(min(ys), max(ys)) for p in points)\n",
    ),
    choices={
        "goal": {
            "area": opt(0, goal="What is its area?", result="twice the area, which is a whole number (0 if all lie "
                                                            "on a line)",
                        code="return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, hull[1:] + hull[:1]))",
                        slow="return sum(p[0] * q[1] - p[1] * q[0] for p, q in edges)"),
            "corners": opt(0, goal="How many of the {plural} are corners of it? (If all lie on a line, the two at "
                                   "the ends are.)",
                           result="the number of corners", code="return len(hull)", slow="return len({p for p, q in "
                                                            "edges})"),
            "lattice": opt(1, goal="How many points with whole coordinates lie inside of the polygon or on its edge, "
                                   "whether there is a {one} "
                                   "or not?", result="the number of points",
                           code="from math import gcd\narea = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, "
                                "hull[1:] + hull[:1]))\nedge "
                                "= sum(gcd(a[0] - b[0], a[1] - b[1]) for a, b in zip(hull, hull[1:] + hull[:1]))\nif "
                                "len(hull) == 2:\n    "
                                "return edge // 2 + 1\nreturn (area + edge) // 2 + 1",
                           slow="xs, ys = [p[0] for p in points], [p[1] for p in points]\nreturn sum(all(cross(p, q, "
                                "(x, y)) >= 0 for p, q in "
                                "edges) for x in range(min(xs), max(xs) + 1) for y in range(min(ys), max(ys) + 1))"),
            "far": opt(2, goal="How far apart are the two {plural} that are farthest from each other?",
            result="the square of that distance",
                       code="best, j = 0, 0\ncount = len(hull)\ndistance = lambda a, b: (a[0] - b[0]) ** 2 + (a[1] - "
                            "b[1]) ** 2\nfor i in "
                            "range(count):\n    a, b = hull[i], hull[(i + 1) % count]\n    while abs(cross(a, b, "
                            "hull[(j + 1) % count])) > "
                            "abs(cross(a, b, hull[j])):\n        j = (j + 1) % count\n    best = max(best, "
                            "distance(a, hull[j]), distance(b, "
                            "hull[j]), distance(a, hull[(j + 1) % count]), distance(b, hull[(j + 1) % "
                            "count]))\nreturn best",
                       slow="return max((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in combinations(points, 2))"),
        },
    },
    small=60,
    large=20_000,
)  # fmt: skip


def _sheets(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    most = draw.either(4, 8, 10**9, 10**9) if n <= 60 else 10**9
    part = max(1, most // draw.either(1, 2, 5))
    rows = []
    for _ in range(n):
        x, y = draw.below(most), draw.below(most)
        rows.append([x, y, min(most, x + draw.integer(1, part)), min(most, y + draw.integer(1, part))])
    return (rows,)


_SHEETS = Kernel(
    "sheets", "geometry", 3,
    "n rectangular {plural} lie on a plane, with their sides parallel to the axes; {one} i has the corners (a_i, "
    "b_i) and (c_i, d_i). {goal}",
    (
        story(title="Tarpaulins", plural="tarpaulins", one="tarpaulin", intro="Before the storm, tarpaulins are "
                                                            "spread over a sports field."),
        story(title="Mobile Coverage", plural="coverage areas", one="area", intro="A telephone company computes what "
                                                            "it covers."),
        story(title="Pollution Zones", plural="zones", one="zone", intro="Every factory has reported the zone that it "
                                                            "pollutes."),
    ),
    (Arg("sheets", "rows", "the numbers a_i, b_i, c_i, d_i", "n", "a b c d"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "0 ≤ a_i < c_i ≤ 10^9, 0 ≤ b_i < d_i ≤ 10^9"),
    _sheets,
    """
def solve(sheets):
    ys = sorted({y for a, b, c, d in sheets for y in (b, d)})
    place = {y: i for i, y in enumerate(ys)}
    events = sorted([(a, 1, b, d) for a, b, c, d in sheets] + [(c, -1, b, d) for a, b, c, d in sheets])
    cover = [0] * len(ys)
    gaps = [q - p for p, q in zip(ys, ys[1:])]
    total = length = last = 0
    for x, change, b, d in events:
        total += (x - last) * length
        last = x
        for i in range(place[b], place[d]):
            @before@
            cover[i] += change
            @after@
    return total@end@
""",
    """
def solve(sheets):
    xs = sorted({x for s in sheets for x in (s[0], s[2])})
    ys = sorted({y for s in sheets for y in (s[1], s[3])})
    total = 0
    for x, x2 in zip(xs, xs[1:]):
        for y, y2 in zip(ys, ys[1:]):
            depth = sum(a <= x and x2 <= c and b <= y and y2 <= d for a, b, c, d in sheets)
            if @good@:
                total += (x2 - x) * (y2 - y)
    return total@end@
""",
    (
        "def solve(sheets):\n    return sum((c - a) * (d - b) for a, b, c, d in sheets)@end@\n",
        "def solve(sheets):\n    seen = {(x, y) for a, b, c, d in sheets for x in range(a, c) for y in range(b, "
        "d)}\n    return len(seen)@end@\n",
    ),
    choices={
        "goal": {
            "any": opt(0, goal="How large is the area that is covered by at least one of them?",
            before="length -= gaps[i] * (cover[i] > 0)",
                       after="length += gaps[i] * (cover[i] > 0)", good="depth > 0", result="the area", end=""),
            "twice": opt(1, goal="How large is the area that is covered by at least {K} of them?",
                         before="length -= gaps[i] * (cover[i] >= @K@)", after="length += gaps[i] * (cover[i] >= @K@)",
                             good="depth >= @K@",
                         result="the area", end=""),
            "odd": opt(1, goal="How large is the area that is covered by an odd number of them?",
            before="length -= gaps[i] * (cover[i] % 2)",
                       after="length += gaps[i] * (cover[i] % 2)", good="depth % 2", result="the area", end=""),
            "exactly": opt(2, goal="How large is the area that is covered by exactly {K} of them, as a part of a "
                                   "plane where every unit of area "
                                   "brings {W} points?", before="length -= gaps[i] * (cover[i] == @K@)",
                           after="length += gaps[i] * (cover[i] == @K@)", good="depth == @K@", result="the points",
                               end=" * @W@"),
        },
    },
    params={"K": (2, 3), "W": (2, 5, 10)},
    small=30,
    large=700,
)  # fmt: skip


def _offers(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    most = draw.either(3, 6, 2 * n, 10**9)
    return ([[draw.integer(1, most), draw.integer(1, most)] for _ in range(n)],)


_OFFERS = Kernel(
    "offers", "geometry", 2,
    "There are n {plural}; {one} i has {first} a_i and {second} b_i. {One} i is beaten by {one} j if {rule}. {goal}",
    (
        story(title="Holiday Flats", plural="holiday flats", one="flat", One="Flat", first="price",
            second="distance to the beach",
             intro="A travel agency tidies up its catalogue."),
        story(title="Used Cars", plural="cars", one="car", One="Car", first="age", second="mileage",
            intro="A dealer has far too many cars."),
        story(title="Server Rental", plural="offers", one="offer", One="Offer", first="monthly fee", second="latency",
             intro="A start-up looks for a server."),
    ),
    (Arg("items", "rows", "the {first} and the {second} of each {one}", "n", "a b"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i, b_i ≤ 10^9"),
    _offers,
    """
from bisect import bisect_left, bisect_right

def solve(items):
    order = sorted(range(len(items)), key=lambda i: items[i])
    values = sorted({b for a, b in items})
    tree = [0] * (len(values) + 1)
    beaten = [0] * len(items)
    waiting = []

    def insert(i):
        at = bisect_left(values, items[i][1]) + 1
        while at < len(tree):
            tree[at] += 1
            at += at & -at

    for i in order:
        a, b = items[i]
        @wait@
        at = @rank@(values, b)
        while at:
            beaten[i] += tree[at]
            at -= at & -at
        @enter@
    return @end@
""",
    """
def solve(items):
    beaten = [sum(@beats@ for c, d in items) for a, b in items]
    return @end@
""",
    (
        "def solve(items):\n    best, found = 10**18, 0\n    for a, b in sorted(items):\n        if b < best:\n      "
        "      best = b\n            "
        "found += 1\n    return found\n",
    ),
    choices={
        "rule": {
            "both": opt(0, rule="both a_j < a_i and b_j < b_i", beats="c < a and d < b", rank="bisect_left",
                        wait="while waiting and items[waiting[0]][0] < a:\n    for j in waiting:\n        "
                             "insert(j)\n    waiting = []",
                        enter="waiting.append(i)"),
            "weak": opt(1, rule="a_j < a_i and b_j ≤ b_i", beats="c < a and d <= b", rank="bisect_right",
                        wait="while waiting and items[waiting[0]][0] < a:\n    for j in waiting:\n        "
                             "insert(j)\n    waiting = []",
                        enter="waiting.append(i)"),
        },
        "goal": {
            "none": opt(0, goal="How many {plural} are not beaten by any other?", result="the number of {plural} "
                                                            "that are not beaten",
                        end="sum(not v for v in beaten)"),
            "few": opt(1, goal="How many {plural} are beaten by at most {K} others?", result="the number of {plural} "
                                                            "beaten by at most {K}",
                       end="sum(v <= @K@ for v in beaten)"),
            "all": opt(1, goal="For each {one}, count how many others beat it.", result="the sum of i · (count of "
                                                            "{one} i) over all i, modulo "
                       "{MOD}", end="sum(i * v for i, v in enumerate(beaten, 1)) % @MOD@"),
            "worst": opt(1, goal="Which {one} is beaten by the most others? If several tie, take the one with the "
                                 "smallest number.",
                         result="that number times 10^6, plus by how many it is beaten",
                         end="(beaten.index(max(beaten)) + 1) * 10**6 + max(beaten)"),
        },
    },
    params={"K": (1, 2, 3)},
    small=200,
    large=20_000,
)  # fmt: skip

KERNELS = (_HULL, _SHEETS, _OFFERS)
