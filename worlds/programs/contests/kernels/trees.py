"""Kernels on trees."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import size, tree
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _tree(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    high = draw.either(1, 3, 10, 10**9)
    return [draw.integer(1, high) for _ in range(n)], [list(e) for e in tree(draw, n)]


_TREE = Kernel(
    "tree", "trees", 2,
    "{Net} consists of n {places}, numbered 1 to n, and n - 1 {links} between them, such that there is exactly one "
    "way from any "
    "{place} to any other. {Place} i {has} a_i. {goal}",
    (
        story(title="River Delta", Net="A river system", places="confluences", place="confluence", Place="Confluence",
             links="channels", has="carries a sediment load of", intro="Hydrologists model a delta."),
        story(title="Ski Resort", Net="A ski resort", places="huts", place="hut", Place="Hut", links="lifts",
             has="has a daily turnover of", intro="The owner of a ski resort wants to understand the business."),
        story(title="Family Firm", Net="The network of a firm", places="offices", place="office", Place="Office",
             links="private lines", has="has a staff of", intro="A firm has grown for a hundred years without any "
                                                            "plan."),
        story(title="Mine", Net="An old mine", places="galleries", place="gallery", Place="Gallery", links="shafts",
             has="still holds an amount of ore of", intro="A mine is opened again after a century."),
    ),
    (Arg("a", "ints", "the number a_i of each {place}", "n"), Arg("links", "rows", "the ends of each of the {links}",
        "n - 1", "u v")),
    "{result}",
    ("2 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9", "1 ≤ u_i, v_i ≤ n"),
    _tree,
    """
def solve(a, links):
    n = len(a)
    out = [[] for _ in range(n + 1)]
    for u, v in links:
        out[u].append(v)
        out[v].append(u)
    order, parent = [1], [0] * (n + 1)
    for u in order:
        for v in out[u]:
            if v != parent[u]:
                parent[v] = u
                order.append(v)
    @state@
    for u in reversed(order):
        p = parent[u]
        @up@
    @down@
    return @end@
""",
    """
def solve(a, links):
    n = len(a)
    far = [[0 if u == v else 10**9 for v in range(n + 1)] for u in range(n + 1)]
    for u, v in links:
        far[u][v] = far[v][u] = 1
    for k in range(1, n + 1):
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                far[i][j] = min(far[i][j], far[i][k] + far[k][j])
    @slow@
""",
    (
        "def solve(a, links):\n    n = len(a)\n    degree = [0] * (n + 1)\n    for u, v in links:\n        degree[u] "
        "+= 1\n        "
        "degree[v] += 1\n    return sum(v for v, d in zip(a, degree[1:]) if d == 1)\n",
        "def solve(a, links):\n    taken = set()\n    near = {}\n    for u, v in links:\n        near.setdefault(u, "
        "[]).append(v)\n"
        "        near.setdefault(v, []).append(u)\n    for v in sorted(near, key=lambda v: -a[v - 1]):\n        if "
        "not taken & "
        "set(near[v]):\n            taken.add(v)\n    return sum(a[v - 1] for v in taken)\n",
    ),
    choices={
        "goal": {
            "apart": opt(0, goal="Choose {places} such that no two of them are directly linked, and their numbers "
                                 "a_i add up to as "
                                 "much as possible.", result="the largest possible sum", state="take, leave = [0] + "
                                                            "list(a), [0] * "
                                 "(n + 1)", up="take[p] += leave[u]\nleave[p] += max(take[u], leave[u])",
                         end="max(take[1], leave[1])", slow="from itertools import combinations\nreturn max(sum(a[v "
                                                            "- 1] for v in c) "
                         "for k in range(n + 1) for c in combinations(range(1, n + 1), k) if all(far[u][v] > 1 for "
                         "u, v in "
                         "combinations(c, 2)))"),
            "guard": opt(1, goal="Choose {places} such that each of the {links} has a chosen {place} at one of its "
                                 "ends at least, and "
                                 "the numbers a_i of the chosen ones add up to as little as possible.",
                         result="the smallest possible sum", state="take, leave = [0] + list(a), [0] * (n + 1)",
                         up="take[p] += min(take[u], leave[u])\nleave[p] += take[u]", end="min(take[1], leave[1])",
                         slow="from itertools import combinations\nreturn min(sum(a[v - 1] for v in c) for k in "
                              "range(n + 1) for c "
                              "in combinations(range(1, n + 1), k) if all(u in c or v in c for u, v in links))"),
            "heavy": opt(1, goal="A route starts anywhere, uses each of the {links} at most once, and ends anywhere "
                                 "(perhaps where it "
                                 "started). What can the numbers a_i of the {places} on a route add up to at most?",
                         result="the largest possible sum", state="down, best = [0] * (n + 1), [0] * (n + 1)\nfound "
                                                            "= 0",
                         up="whole = down[u] + a[u - 1]\nfound = max(found, whole + best[u])\nif whole > down[p]:\n  "
                            "  best[p], "
                            "down[p] = down[p], whole\nelif whole > best[p]:\n    best[p] = whole", end="found",
                         slow="return max(sum(a[w - 1] for w in range(1, n + 1) if far[u][w] + far[w][v] == "
                              "far[u][v]) for u in "
                              "range(1, n + 1) for v in range(1, n + 1))"),
            "centre": opt(1, goal="The effort of {place} v is the sum over all {places} i of a_i times the number of "
                                  "{links} between "
                                  "i and v.", result="the smallest effort of all {places}, plus the number of the "
                                                     "{place} that has it "
                                  "(the smallest number if several tie)",
                          state="weight, total = [0] + list(a), [0] * (n + 1)",
                          up="weight[p] += weight[u]\ntotal[p] += total[u] + weight[u]",
                          down="every = weight[1]\nfor u in order[1:]:\n    total[u] = total[parent[u]] + every - 2 "
                               "* weight[u]\n"
                               "least = min(total[1:])", end="least + total.index(least, 1)",
                          slow="effort = [10**30] + [sum(a[i - 1] * far[i][v] for i in range(1, n + 1)) for v in "
                               "range(1, n + 1)]\n"
                               "return min(effort) + effort.index(min(effort))"),
            "cuts": opt(1, goal="If one of the {links} fails, the {places} fall into two parts. The imbalance of "
                                "that failure is the "
                                "difference (without sign) of the sums of a_i in the two parts.",
                        result="the sum of the imbalances over all {links} that may fail, modulo {MOD}",
                            state="weight = [0] + list(a)\n"
                        "found, whole = 0, sum(a)", up="weight[p] += weight[u]\nif p:\n    found += abs(whole - 2 * "
                                                       "weight[u])",
                        end="found % @MOD@", slow="total = 0\nfor u, v in links:\n    left = sum(a[i - 1] for i in "
                                                  "range(1, n + 1) if "
                        "far[i][u] < far[i][v])\n    total += abs(sum(a) - 2 * left)\nreturn total % @MOD@"),
            "pairs": opt(2, goal="For two different {places} u and v, let d be the number of {links} between them. "
                                 "Their bond is a_u · "
                                 "a_v if d is {parity}, and otherwise 0.", result="the sum of the bonds over all "
                                                            "pairs u < v, modulo "
                         "{MOD}", state="level = [0] * (n + 1)\nfor u in order[1:]:\n    level[u] = 1 - "
                                        "level[parent[u]]\nsums = [0, 0]"
                         "\nsquares = 0\nfor v, value in enumerate(a, 1):\n    sums[level[v]] += value\n    squares "
                         "+= value * value",
                         end="@formula@ % @MOD@", slow="return sum(a[u - 1] * a[v - 1] for v in range(1, n + 1) for "
                                                       "u in range(1, v) if "
                         "far[u][v] % 2 == @odd@) % @MOD@"),
            "path_sum": opt(3, goal="For every pair u < v, somebody walks from u to v and adds up the numbers a_i of "
                                    "all {places} on "
                                    "the way, both ends included.", result="the sum of all these totals, modulo {MOD}",
                            state="count, found = [1] * (n + 1), 0\ninner = [0] * (n + 1)",
                            up="rest = n - count[u]\nfound += a[u - 1] * (n * (n - 1) // 2 - inner[u] - rest * (rest "
                               "- 1) // 2)\n"
                               "count[p] += count[u]\ninner[p] += count[u] * (count[u] - 1) // 2", end="found % @MOD@",
                            slow="return sum(a[w - 1] for v in range(1, n + 1) for u in range(1, v) for w in "
                                 "range(1, n + 1) if "
                                 "far[u][w] + far[w][v] == far[u][v]) % @MOD@"),
        },
        "parity": {
            "odd": opt(0, parity="odd", formula="(sums[0] * sums[1])", odd="1"),
            "even": opt(0, parity="even", formula="((sums[0] ** 2 + sums[1] ** 2 - squares) // 2)", odd="0"),
        },
    },
    small=12,
    large=20_000,
    fits=lambda picked: picked["goal"] == "pairs" or picked["parity"] == "odd",
)  # fmt: skip

KERNELS = (_TREE,)
