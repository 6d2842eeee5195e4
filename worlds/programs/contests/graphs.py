"""Kernels on graphs and trees: routes with a twist, mazes with a state, networks, prerequisites, sums over trees."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import edges, grid, numbers, size, tree
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt

__all__ = ["KERNELS"]


def _routes(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    m = min(n * (n - 1), draw.either(n - 1, 2 * n, 3 * n)) if n <= 60 else 2 * n
    high = draw.either(1, 2, 5, 20, 10**9)
    found = edges(draw, n, m, connected=draw.chance(0.8), twice=picked["way"] == "one")
    return n, [[u, v, draw.integer(1, high)] for u, v in found]


_ROUTES = Kernel(
    "routes", "graphs", 2,
    "There are n {places}, numbered 1 to n, and m {links}. {Link} i leads from u_i to v_i{way} and takes w_i {unit}. {Who} wants "
    "to get from {place} 1 to {place} n. {twist} {goal}",
    (
        dict(title="Night Bus", places="stops", place="stop", links="bus lines without stops in between", Link="Line",
             link="line", unit="minutes", Who="A student", who="the student", toll="waiting", toll_text="Changing buses",
             intro="The last train has gone, but buses still run."),
        dict(title="Cave Rescue", places="chambers", place="chamber", links="tunnels", Link="Tunnel", link="tunnel",
             unit="minutes", Who="A rescuer", who="the rescuer", toll="resting", intro="Somebody is waiting deep in a cave."),
        dict(title="Data Packets", places="routers", place="router", links="cables", Link="Cable", link="cable",
             unit="microseconds", Who="A packet", who="the packet", toll="processing",
             intro="A network is tuned for speed."),
        dict(title="Canal Boat", places="locks", place="lock", links="canals", Link="Canal", link="canal", unit="hours",
             Who="A skipper", who="the skipper", toll="waiting", intro="A skipper plans a trip across the country by boat."),
    ),
    (Arg("n", "int", "the number of {places}"),
     Arg("links", "rows", "the ends u_i and v_i of each {link} and the number w_i", "m", "u v w")),
    "{result}, or -1 if {place} n cannot be reached",
    ("2 ≤ n ≤ {N}", "0 ≤ m ≤ 3n", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i; no two {links} have the same u_i and v_i",
     "1 ≤ w_i ≤ 10^9"),
    _routes,
    """
import heapq

def solve(n, links):
    out = [[] for _ in range(n + 1)]
    for u, v, w in links:
        out[u].append((v, w))
        @back@
    best = {}
    heap = [(@zero@, 1, 0)]
    while heap:
        now, u, s = heapq.heappop(heap)
        if (u, s) in best:
            continue
        best[u, s] = now
        if u == n@done@:
            return @answer@
        for v, w in out[u]:
            @steps@
    return -1
""",
    """
def solve(n, links):
    out = [[] for _ in range(n + 1)]
    for u, v, w in links:
        out[u].append((v, w))
        @back@
    @early@
    found = []

    def walk(u, seen, path):
        if u == n:
            found.append(path)
            return
        for v, w in out[u]:
            if v not in seen:
                walk(v, seen | {v}, path + [w])

    walk(1, {1}, [])
    if not found:
        return -1

    def cost(path):
        @cost@

    @final@
""",
    (
        """
from collections import deque

def solve(n, links):
    out = [[] for _ in range(n + 1)]
    for u, v, w in links:
        out[u].append((v, w))
        @back@
    best = {1: 0}
    queue = deque([1])
    while queue:
        u = queue.popleft()
        for v, w in out[u]:
            if v not in best:
                best[v] = best[u] + w
                queue.append(v)
    return best.get(n, -1)
""",
        """
import heapq

def solve(n, links):
    out = [[] for _ in range(n + 1)]
    for u, v, w in links:
        out[u].append((v, w))
    heap, seen = [(0, 1)], set()
    while heap:
        now, u = heapq.heappop(heap)
        if u == n:
            return now
        if u in seen:
            continue
        seen.add(u)
        for v, w in out[u]:
            heapq.heappush(heap, (now + w, v))
    return -1
""",
        """
import heapq

def solve(n, links):
    out = [[] for _ in range(n + 1)]
    for u, v, w in links:
        out[u].append((v, w))
        @back@
    heap, seen = [(0, 1, 0, 0)], set()
    while heap:
        now, u, most, count = heapq.heappop(heap)
        if u == n:
            return @after@
        if u in seen:
            continue
        seen.add(u)
        for v, w in out[u]:
            heapq.heappush(heap, (now + w, v, max(most, w), count + 1))
    return -1
""",
    ),
    choices={
        "way": {
            "one": opt(0, way=" (and only in this direction)"),
            "two": opt(0, way=", or back,", back="out[v].append((u, w))"),
        },
        "twist": {
            "none": opt(0, twist="", zero="0", done="", steps="heapq.heappush(heap, (now + @gain@, v, 0))",
                        cost="return sum(path) * @scale@ + len(path) * @hop@", after="now * @scale@ + count * @hop@"),
            "free": opt(1, twist="Once on the way, one {link} of {who}'s choice takes no time at all.", zero="0", done="",
                        steps="heapq.heappush(heap, (now + @gain@, v, s))\nif not s:\n    heapq.heappush(heap, (now + @hop@, v, "
                              "1))", cost="return (sum(path) - max(path)) * @scale@ + len(path) * @hop@",
                        after="(now - most) * @scale@ + count * @hop@"),
            "half": opt(2, twist="On at most {H} {links} of the way, which {who} can choose, {who} can hurry and takes only half the "
                                 "time, rounded down.", zero="0", done="",
                        steps="heapq.heappush(heap, (now + @gain@, v, s))\nif s < @H@:\n    heapq.heappush(heap, (now + w // 2 * "
                              "@scale@ + @hop@, v, s + 1))",
                        cost="left = sorted(w - w // 2 for w in path)[::-1][:@H@]\nreturn (sum(path) - sum(left)) * @scale@ + "
                             "len(path) * @hop@", after="(now - most + most // 2) * @scale@ + count * @hop@"),
            "even": opt(1, twist="{Who2} must use an even number of {links}; it is allowed to use a {link} or visit a {place} "
                                 "several times (even {place} 1 and {place} n).", Who2="The route", zero="0", done=" and not s",
                        steps="heapq.heappush(heap, (now + @gain@, v, 1 - s))", cost="return 0", after="now",
                        early="best = {(1, 0): 0}\nfor _ in range(2 * n + 2):\n    for (u, s), now in list(best.items()):\n        for v, "
                              "w in out[u]:\n            best[v, 1 - s] = min(best.get((v, 1 - s), 10**30), now + @gain@)\nreturn "
                              "best.get((n, 0), -1)"),
            "slow": opt(2, twist="It gets harder on the way: the first {link} of the route takes w, the second one w + {D}, the "
                                 "third one w + 2 · {D}, and so on, until the {T}th and all after it take w + {Tm} · {D} {unit}.",
                        zero="0", done="",
                        steps="heapq.heappush(heap, (now + (w + s * @D@) * @scale@ + @hop@, v, min(s + 1, @T@ - 1)))",
                        cost="return sum(w + min(i, @T@ - 1) * @D@ for i, w in enumerate(path)) * @scale@ + len(path) * @hop@",
                        after="(now + @D@ * count * (count - 1) // 2) * @scale@ + count * @hop@"),
        },
        "goal": {
            "time": opt(0, goal="How long does it take at least?", gain="w", scale="1", hop="0", answer="now",
                        result="the shortest time", final="return min(map(cost, found))"),
            "hops": opt(1, goal="Find a fastest route, and among all fastest routes one with as few {links} as possible.",
                        gain="w * 10**6 + 1", scale="10**6", hop="1", answer="now",
                        result="the shortest time times 10^6, plus the number of {links} used",
                        final="return min(map(cost, found))"),
        },
    },
    params={"H": (1, 2, 3), "D": (1, 2, 3), "T": (3, 4, 5)},
    small=30,
    large=10_000,
)  # fmt: skip


def _ways(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    m = draw.either(n, 2 * n, 3 * n) if n <= 60 else 2 * n
    high = draw.either(1, 2, 3)
    names = draw.shuffled(range(2, n))
    rank = {1: 0, n: n, **{v: i + 1 for i, v in enumerate(names)}}
    found = [(u, v) if rank[u] < rank[v] else (v, u) for u, v in edges(draw, n, m, connected=draw.chance(0.8))]
    rows = [[u, v, draw.integer(1, high)] for u, v in dict.fromkeys(found)]
    if picked["cycle"] == "check" and draw.chance(0.3) and n > 2 and rows:
        u, v, w = draw.choice(rows)
        if [v, u] not in [row[:2] for row in rows]:
            rows.append([v, u, w])
    return n, rows


_COURSES = Kernel(
    "courses", "graphs", 2,
    "There are n {plural}, numbered 1 to n, and m rules: rule i says that {one} u_i must be finished at least w_i {unit} before {one} "
    "v_i {starts}. {work} {goal}{cycle}",
    (
        dict(title="Curriculum", plural="courses", one="course", unit="days", starts="begins", takes="Every course takes",
             intro="A university has rewritten its curriculum, and nobody has checked it."),
        dict(title="Renovation", plural="tasks", one="task", unit="days", starts="begins", takes="Every task takes",
             intro="A house is to be renovated, and the craftsmen have opinions."),
        dict(title="Assembly", plural="parts", one="part", unit="minutes", starts="is mounted", takes="To mount a part takes",
             intro="An engine is put together according to a thick manual."),
        dict(title="Build System", plural="modules", one="module", unit="seconds", starts="is compiled",
             takes="To compile a module takes", intro="A build takes too long, and somebody asks why."),
    ),
    (Arg("n", "int", "the number of {plural}"), Arg("rules", "rows", "the numbers u_i, v_i and w_i of each rule", "m", "u v w")),
    "{result}",
    ("2 ≤ n ≤ {N}", "0 ≤ m ≤ 3n + 1", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i", "1 ≤ w_i ≤ 10^9", "{safe}"),
    _ways,
    """
import heapq

def solve(n, rules):
    out = [[] for _ in range(n + 1)]
    degree = [0] * (n + 1)
    for u, v, w in rules:
        out[u].append((v, w))
        degree[v] += 1
    heap = [v for v in range(1, n + 1) if not degree[v]]
    order, start = [], [0] * (n + 1)
    @first@
    while heap:
        u = heapq.heappop(heap)
        order.append(u)
        for v, w in out[u]:
            @step@
            degree[v] -= 1
            if not degree[v]:
                heapq.heappush(heap, v)
    if len(order) < n:
        return -1
    return @end@

@after@
""",
    """
from itertools import permutations

def solve(n, rules):
    orders = [p for p in permutations(range(1, n + 1)) if all(p.index(u) < p.index(v) for u, v, w in rules)]
    if not orders:
        return -1
    @slow@
""",
    (
        "def solve(n, rules):\n    start = [0] * (n + 1)\n    for u, v, w in rules:\n        start[v] = max(start[v], start[u] + "
        "@P@ + w)\n    return max(start) + @P@\n",
        "def solve(n, rules):\n    start = [0] * (n + 1)\n    for u, v, w in sorted(rules):\n        start[v] = max(start[v], start[u] "
        "+ @P@ + w)\n    return max(start) + @P@\n",
    ),
    choices={
        "goal": {
            "span": opt(0, work="{takes} {P} {unit}, and any number of them can go on at the same time.",
                        goal="After how many {unit} can everything be finished?", result="the shortest time",
                        step="start[v] = max(start[v], start[u] + @P@ + w)", end="max(start) + @P@",
                        slow="start = [0] * (n + 1)\nfor v in orders[0]:\n    start[v] = max([0] + [start[u] + @P@ + w for u, x, w "
                             "in rules if x == v])\nreturn max(start) + @P@"),
            "order": opt(0, work="They are dealt with one at a time, and the waiting times w_i do not matter here.",
                         goal="Of all orders that respect the rules, take the one that comes first in dictionary order (compare the "
                              "first {one}, then the second, and so on).",
                         result="the sum of i · p_i over all i, where p_i is the {one} in place i, modulo {MOD}",
                         end="sum(i * v for i, v in enumerate(order, 1)) % @MOD@",
                         slow="return sum(i * v for i, v in enumerate(min(orders), 1)) % @MOD@"),
            "paths": opt(0, work="A chain is a sequence of {plural} from 1 to n in which each is followed by one that a rule "
                                 "allows: from u_i to v_i.", goal="How many different chains are there? The numbers w_i do "
                                 "not matter.", result="the number of chains, modulo {MOD}", first="start[1] = 1",
                         step="start[v] = (start[v] + start[u]) % @MOD@", end="start[n]",
                         slow="def walk(u):\n    return 1 if u == n else sum(walk(v) for x, v, w in rules if x == u)\nreturn "
                              "walk(1) % @MOD@"),
            "slack": opt(2, work="{takes} {P} {unit}, and any number of them can go on at the same time. Everything shall be "
                                 "finished as early as possible.", goal="How many of them are critical: if one of these "
                                 "begins 1 later than it could, everything takes longer?",
                         result="the number of critical ones", step="start[v] = max(start[v], start[u] + @P@ + w)",
                         end="critical(n, out, order, start)",
                         slow="def times(late):\n    start = [0] * (n + 1)\n    for v in orders[0]:\n        start[v] = (v == late) "
                              "+ max([0] + [start[u] + @P@ + w for u, x, w in rules if x == v])\n    return max(start[1:])\n"
                              "return sum(times(v) > times(0) for v in range(1, n + 1))",
                         after="def critical(n, out, order, start):\n    span = max(start)\n    last = [span] * (n + 1)\n    for u in "
                               "reversed(order):\n        for v, w in out[u]:\n            last[u] = min(last[u], last[v] - w - @P@)"
                               "\n    return sum(last[v] == start[v] for v in range(1, n + 1))"),
        },
        "cycle": {
            "none": opt(0, cycle="", safe="the rules do not contradict each other"),
            "check": opt(0, cycle=" If the rules contradict each other, the answer is -1.", safe="rules may contradict each "
                         "other"),
        },
    },
    params={"P": (1, 2, 3, 5)},
    small=60,
    large=40_000,
    fits=lambda picked: picked["goal"] != "paths" or picked["cycle"] == "none",
)  # fmt: skip


def _network(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    high = draw.either(2, 5, 30, 10**9)
    found = edges(draw, n, draw.either(n, 2 * n) if n <= 60 else 2 * n, connected=draw.chance(0.8))
    own = [draw.integer(1, draw.either(high, 3 * high)) for _ in range(n)]
    return own, [[u, v, draw.integer(1, high)] for u, v in found], draw.integer(1, max(1, min(n, draw.either(1, 2, n // 2))))


_NETWORK = Kernel(
    "network", "graphs", 2,
    "There are n {places}, numbered 1 to n, and m possible {links}; {link} i would join u_i and v_i and cost w_i. {goal}",
    (
        dict(title="Island Power", places="islands", place="island", links="sea cables", link="cable", source="power station",
             served="has electricity", intro="A republic of islands wants electricity everywhere."),
        dict(title="Water for the Plateau", places="farms", place="farm", links="pipes", link="pipe", source="well",
             served="has water", intro="It has not rained on the plateau for two years."),
        dict(title="Village Fibre", places="villages", place="village", links="fibre lines", link="line", source="satellite dish",
             served="is online", intro="A county finally gets fast internet."),
    ),
    (Arg("own", "ints", "the cost c_i of a {source} for each {place}", "n"),
     Arg("links", "rows", "the ends u_i, v_i and the cost w_i of each {link}", "m", "u v w"),
     Arg("k", "int", "the number k")),
    "{result}",
    ("2 ≤ n ≤ {N}", "0 ≤ m ≤ 2n", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i", "1 ≤ c_i ≤ 3·10^9, 1 ≤ w_i ≤ 10^9", "1 ≤ k ≤ n"),
    _network,
    """
def solve(own, links, k):
    n = len(own)
    parent = list(range(n + 1))

    def find(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    groups, taken = n@plus@, []
    for u, v, w in sorted(@every@, key=lambda link: link[2]):
        u, v = find(u), find(v)
        if u == v@stop@:
            continue
        parent[u] = v
        groups -= 1
        taken.append(w)
    @end@
""",
    """
from itertools import combinations

def solve(own, links, k):
    n = len(own)
    def groups(part):
        group = list(range(n + 1))
        for u, v, w in part:
            a, b = group[u], group[v]
            group = [b if g == a else g for g in group]
        return group

    best = []
    every = @every@
    for size in range(n + 1):
        for part in combinations(every, size):
            group = groups(part)
            count = len(set(group[@from@:]))
            if @good@:
                best.append(@value@)
    return min(best, default=-1)
""",
    (
        "def solve(own, links, k):\n    seen, cost = {1}, 0\n    for u, v, w in sorted(links, key=lambda link: link[2]):\n        if (u "
        "in seen) != (v in seen):\n            seen |= {u, v}\n            cost += w\n    return cost if len(seen) == len(own) else "
        "-1\n",
        "def solve(own, links, k):\n    return min(own) + sum(sorted(w for u, v, w in links)[:len(own) - k])\n",
    ),
    choices={
        "goal": {
            "tree": opt(0, goal="A single {source} in {place} 1 is there already. What does it cost at least to build {links} so "
                                "that every {place} is joined to it, directly or over others? (The numbers c_i and k do not matter "
                                "in this problem.)", every="links", plus="", stop="", end="return sum(taken) if groups == 1 else -1",
                        result="the smallest cost, or -1 if that is impossible", **{"from": "1"}, good="count == 1",
                        value="sum(w for u, v, w in part)"),
            "groups": opt(1, goal="What does it cost at least to build {links} so that there are at most k groups of {places}? Two "
                                  "{places} belong to the same group if they are joined, directly or over others. (The numbers "
                                  "c_i do not matter in this problem.)", every="links", plus="", stop=" or groups <= k",
                          end="return sum(taken) if groups <= k else -1", **{"from": "1"}, good="count <= k",
                          result="the smallest cost, or -1 if that is impossible", value="sum(w for u, v, w in part)"),
            "source": opt(1, goal="A {place} {served} if it has a {source} of its own, which costs c_i in {place} i, or is joined to a "
                                  "{place} that has one, directly or over others. What does it cost at least until every {place} "
                                  "{served}? (The number k does not matter in this problem.)",
                          every="links + [[0, v, c] for v, c in enumerate(own, 1)]", plus=" + 1", stop="",
                          end="return sum(taken)", result="the smallest cost", **{"from": "0"}, good="count == 1",
                          value="sum(w for u, v, w in part)"),
            "worst": opt(1, goal="{Links_note} The {links} that are built shall join all {places} into at most k groups, and the most "
                                 "expensive of them shall be as cheap as possible.", Links_note="The total cost does not matter, "
                         "and neither do the numbers c_i.", every="links", plus="", stop=" or groups <= k",
                         end="return max(taken, default=0) if groups <= k else -1", **{"from": "1"}, good="count <= k",
                         result="the cost of the most expensive {link} built (0 if none is needed), or -1 if that is impossible",
                         value="max((w for u, v, w in part), default=0)"),
        },
    },
    small=60,
    large=30_000,
)  # fmt: skip


def _tree(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    high = draw.either(1, 3, 10, 10**9)
    return [draw.integer(1, high) for _ in range(n)], [list(e) for e in tree(draw, n)]


_TREE = Kernel(
    "tree", "trees", 2,
    "{Net} consists of n {places}, numbered 1 to n, and n - 1 {links} between them, such that there is exactly one way from any "
    "{place} to any other. {Place} i {has} a_i. {goal}",
    (
        dict(title="River Delta", Net="A river system", places="confluences", place="confluence", Place="Confluence",
             links="channels", has="carries a sediment load of", intro="Hydrologists model a delta."),
        dict(title="Ski Resort", Net="A ski resort", places="huts", place="hut", Place="Hut", links="lifts",
             has="has a daily turnover of", intro="The owner of a ski resort wants to understand the business."),
        dict(title="Family Firm", Net="The network of a firm", places="offices", place="office", Place="Office",
             links="private lines", has="has a staff of", intro="A firm has grown for a hundred years without any plan."),
        dict(title="Mine", Net="An old mine", places="galleries", place="gallery", Place="Gallery", links="shafts",
             has="still holds an amount of ore of", intro="A mine is opened again after a century."),
    ),
    (Arg("a", "ints", "the number a_i of each {place}", "n"), Arg("links", "rows", "the ends of each of the {links}", "n - 1", "u v")),
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
        "def solve(a, links):\n    n = len(a)\n    degree = [0] * (n + 1)\n    for u, v in links:\n        degree[u] += 1\n        "
        "degree[v] += 1\n    return sum(v for v, d in zip(a, degree[1:]) if d == 1)\n",
        "def solve(a, links):\n    taken = set()\n    near = {}\n    for u, v in links:\n        near.setdefault(u, []).append(v)\n"
        "        near.setdefault(v, []).append(u)\n    for v in sorted(near, key=lambda v: -a[v - 1]):\n        if not taken & "
        "set(near[v]):\n            taken.add(v)\n    return sum(a[v - 1] for v in taken)\n",
    ),
    choices={
        "goal": {
            "apart": opt(0, goal="Choose {places} such that no two of them are directly linked, and their numbers a_i add up to as "
                                 "much as possible.", result="the largest possible sum", state="take, leave = [0] + list(a), [0] * "
                                 "(n + 1)", up="take[p] += leave[u]\nleave[p] += max(take[u], leave[u])",
                         end="max(take[1], leave[1])", slow="from itertools import combinations\nreturn max(sum(a[v - 1] for v in c) "
                         "for k in range(n + 1) for c in combinations(range(1, n + 1), k) if all(far[u][v] > 1 for u, v in "
                         "combinations(c, 2)))"),
            "guard": opt(1, goal="Choose {places} such that each of the {links} has a chosen {place} at one of its ends at least, and "
                                 "the numbers a_i of the chosen ones add up to as little as possible.",
                         result="the smallest possible sum", state="take, leave = [0] + list(a), [0] * (n + 1)",
                         up="take[p] += min(take[u], leave[u])\nleave[p] += take[u]", end="min(take[1], leave[1])",
                         slow="from itertools import combinations\nreturn min(sum(a[v - 1] for v in c) for k in range(n + 1) for c "
                              "in combinations(range(1, n + 1), k) if all(u in c or v in c for u, v in links))"),
            "heavy": opt(1, goal="A route starts anywhere, uses each of the {links} at most once, and ends anywhere (perhaps where it "
                                 "started). What can the numbers a_i of the {places} on a route add up to at most?",
                         result="the largest possible sum", state="down, best = [0] * (n + 1), [0] * (n + 1)\nfound = 0",
                         up="whole = down[u] + a[u - 1]\nfound = max(found, whole + best[u])\nif whole > down[p]:\n    best[p], "
                            "down[p] = down[p], whole\nelif whole > best[p]:\n    best[p] = whole", end="found",
                         slow="return max(sum(a[w - 1] for w in range(1, n + 1) if far[u][w] + far[w][v] == far[u][v]) for u in "
                              "range(1, n + 1) for v in range(1, n + 1))"),
            "centre": opt(1, goal="The effort of {place} v is the sum over all {places} i of a_i times the number of {links} between "
                                  "i and v.", result="the smallest effort of all {places}, plus the number of the {place} that has it "
                                  "(the smallest number if several tie)",
                          state="weight, total = [0] + list(a), [0] * (n + 1)",
                          up="weight[p] += weight[u]\ntotal[p] += total[u] + weight[u]",
                          down="every = weight[1]\nfor u in order[1:]:\n    total[u] = total[parent[u]] + every - 2 * weight[u]\n"
                               "least = min(total[1:])", end="least + total.index(least, 1)",
                          slow="effort = [10**30] + [sum(a[i - 1] * far[i][v] for i in range(1, n + 1)) for v in range(1, n + 1)]\n"
                               "return min(effort) + effort.index(min(effort))"),
            "cuts": opt(1, goal="If one of the {links} fails, the {places} fall into two parts. The imbalance of that failure is the "
                                "difference (without sign) of the sums of a_i in the two parts.",
                        result="the sum of the imbalances over all {links} that may fail, modulo {MOD}", state="weight = [0] + list(a)\n"
                        "found, whole = 0, sum(a)", up="weight[p] += weight[u]\nif p:\n    found += abs(whole - 2 * weight[u])",
                        end="found % @MOD@", slow="total = 0\nfor u, v in links:\n    left = sum(a[i - 1] for i in range(1, n + 1) if "
                        "far[i][u] < far[i][v])\n    total += abs(sum(a) - 2 * left)\nreturn total % @MOD@"),
            "pairs": opt(2, goal="For two different {places} u and v, let d be the number of {links} between them. Their bond is a_u · "
                                 "a_v if d is {parity}, and otherwise 0.", result="the sum of the bonds over all pairs u < v, modulo "
                         "{MOD}", state="level = [0] * (n + 1)\nfor u in order[1:]:\n    level[u] = 1 - level[parent[u]]\nsums = [0, 0]"
                         "\nsquares = 0\nfor v, value in enumerate(a, 1):\n    sums[level[v]] += value\n    squares += value * value",
                         end="@formula@ % @MOD@", slow="return sum(a[u - 1] * a[v - 1] for v in range(1, n + 1) for u in range(1, v) if "
                         "far[u][v] % 2 == @odd@) % @MOD@"),
            "path_sum": opt(3, goal="For every pair u < v, somebody walks from u to v and adds up the numbers a_i of all {places} on "
                                    "the way, both ends included.", result="the sum of all these totals, modulo {MOD}",
                            state="count, found = [1] * (n + 1), 0\ninner = [0] * (n + 1)",
                            up="rest = n - count[u]\nfound += a[u - 1] * (n * (n - 1) // 2 - inner[u] - rest * (rest - 1) // 2)\n"
                               "count[p] += count[u]\ninner[p] += count[u] * (count[u] - 1) // 2", end="found % @MOD@",
                            slow="return sum(a[w - 1] for v in range(1, n + 1) for u in range(1, v) for w in range(1, n + 1) if "
                                 "far[u][w] + far[w][v] == far[u][v]) % @MOD@"),
        },
        "parity": {
            "odd": opt(0, parity="odd", formula="(sums[0] * sums[1])", odd="1"),
            "even": opt(0, parity="even", formula="((sums[0] ** 2 + sums[1] ** 2 - squares) // 2)", odd="0"),
        },
    },
    small=60,
    large=40_000,
    fits=lambda picked: picked["goal"] == "pairs" or picked["parity"] == "odd",
)  # fmt: skip


def _maze(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    rows, cols = (n, n) if n > 60 else (draw.integer(1, n), draw.integer(2, max(2, n)))
    marks = [("#", draw.either(0.1, 0.25, 0.4))]
    marks += {"doors": [("a", 0.06), ("A", 0.08), ("b", 0.06), ("B", 0.08)], "none": [], "walls": [],
              "rotate": [("~", 0.15)]}[str(picked["twist"])]  # fmt: skip
    field = grid(draw, rows, cols, marks)
    field[0][0], field[-1][-1] = "S", "G"
    return (["".join(row) for row in field],)


_MAZE = Kernel(
    "maze", "graphs", 2,
    "{Place} is drawn as a grid: S is where {who} is, G is the goal, . is free and # is {wall}. In one step {who} moves {step}, never "
    "outside of the grid and never onto a field with #{but}. {twist} {goal}",
    (
        dict(title="Museum Robot", Place="The ground floor of a museum", who="a cleaning robot", wall="a wall", key="card",
             intro="A cleaning robot has to find its way home."),
        dict(title="Ice Floes", Place="A bay full of ice", who="a seal", wall="solid ice", key="sign",
             intro="A seal wants to get back to the open sea."),
        dict(title="Escape Room", Place="An escape room of monstrous size", who="a visitor", wall="a wall", key="key",
             intro="A visitor has found out that this escape room is not so easy."),
        dict(title="Warehouse Drone", Place="A warehouse", who="a drone", wall="a shelf", key="code",
             intro="A drone carries parcels through a warehouse."),
    ),
    (Arg("field", "grid", "the rows of the grid, from top to bottom", "h"),),
    "{result}, or -1 if the goal cannot be reached",
    ("1 ≤ height ≤ {N}, 2 ≤ width ≤ {N}", "S is the first field of the first row, G the last field of the last row"),
    _maze,
    """
from collections import deque

def solve(field):
    height, width = len(field), len(field[0])
    @state@
    seen = {(0, 0, 0): 0}
    queue = deque([(0, 0, 0)])
    while queue:
        i, j, s = queue.popleft()
        if field[i][j] == "G":
            return @answer@
        far = seen[i, j, s]
        for a, b in @next@:
            if not (0 <= a < height and 0 <= b < width):
                continue
            t, mark = s, field[a][b]
            @enter@
            if (a, b, t) not in seen:
                seen[a, b, t] = far + 1
                queue.append((a, b, t))
    return -1
""",
    """
def solve(field):
    height, width = len(field), len(field[0])
    layer, done = {((0, 0), 0)}, set()
    steps = 0
    while layer:
        for (i, j), s in layer:
            if field[i][j] == "G":
                return steps@plus@
        done |= layer
        new = set()
        for (i, j), s in layer:
            for a in range(height):
                for b in range(width):
                    if @reach@:
                        @move@
        layer, steps = new - done, steps + 1
    return -1
""",
    (
        "def solve(field):\n    return len(field) + len(field[0]) - 2\n",
        """
from collections import deque

def solve(field):
    height, width = len(field), len(field[0])
    seen = {(0, 0): 0}
    queue = deque([(0, 0)])
    while queue:
        i, j = queue.popleft()
        if field[i][j] == "G":
            return seen[i, j]
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= a < height and 0 <= b < width and field[a][b] != "#" and (a, b) not in seen:
                seen[a, b] = seen[i, j] + 1
                queue.append((a, b))
    return -1
""",
        """
def solve(field):
    height, width = len(field), len(field[0])
    best = {}
    for i in range(height):
        for j in range(width):
            if field[i][j] != "#":
                near = [best[p] + 1 for p in ((i - 1, j), (i, j - 1)) if p in best]
                if near or not i + j:
                    best[i, j] = min(near, default=0)
    return best.get((height - 1, width - 1), -1)
""",
    ),
    choices={
        "step": {
            "four": opt(0, step="to a field next to it (left, right, up or down)",
                        next="((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))", reach="abs(a - i) + abs(b - j) == 1"),
            "eight": opt(0, step="to one of the up to eight fields around it (diagonally, too)",
                         next="((i + x, j + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)",
                         reach="max(abs(a - i), abs(b - j)) == 1"),
            "knight": opt(1, step="like a knight in chess (two fields in one direction and one to the side, over whatever is in between)",
                          next="((i + x, j + y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))",
                          reach="sorted((abs(a - i), abs(b - j))) == [1, 2]"),
        },
        "twist": {
            "none": opt(0, but="", twist="", enter="if mark == '#':\n    continue",
                        move="if field[a][b] != '#':\n    new.add(((a, b), 0))"),
            "walls": opt(1, but=", with one exception", twist="On the whole way, {who} may enter up to {K} fields with # all the same (each "
                                "time counts, even if it is the same field).", enter="if mark == '#':\n    t = s + 1\n    if t > @K@:\n"
                                "        continue",
                         move="if s + (field[a][b] == '#') <= @K@:\n    new.add(((a, b), s + (field[a][b] == '#')))"),
            "doors": opt(2, but="", twist="Fields with A and B are locked doors; they can be entered only after a field with a (for A) or b "
                                          "(for B) has been visited, where the {key} is. A {key} can be used as often as needed.",
                         enter="if mark == '#' or (mark == 'A' and not s & 1) or (mark == 'B' and not s & 2):\n    continue\nif mark in "
                               "'ab':\n    t = s | (1 if mark == 'a' else 2)",
                         move="mark = field[a][b]\nif mark != '#' and (mark not in 'AB' or s & {'A': 1, 'B': 2}[mark]):\n    new.add(((a, "
                              "b), s | {'a': 1, 'b': 2}.get(mark, 0)))"),
            "rotate": opt(2, but="", twist="Fields with ~ are passable only now and then: {who} can step onto one only with the {P}th, "
                                           "{P2}th, {P3}th, ... step (every {P}th step), and must not stay anywhere: every step is a "
                                           "move.",
                          state="period = @P@", enter="t = (s + 1) % period\nif mark == '#' or (mark == '~' and t):\n    continue",
                          move="if field[a][b] != '#' and (field[a][b] != '~' or (steps + 1) % @P@ == 0):\n    new.add(((a, b), (steps + "
                               "1) % @P@))"),
        },
        "goal": {
            "steps": opt(0, goal="How many steps does it take at least?", result="the smallest number of steps",
                         answer="seen[i, j, s]", plus=""),
        },
    },
    params={"K": (1, 2, 3), "P": (2, 3, 4)},
    small=12,
    large=140,
)  # fmt: skip

KERNELS = (_ROUTES, _COURSES, _NETWORK, _TREE, _MAZE)
