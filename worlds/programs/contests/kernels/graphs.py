"""Kernels on graphs: routes with a twist, prerequisites, networks."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import edges, size
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _routes(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    m = min(n * (n - 1), draw.either(n - 1, 2 * n, 3 * n)) if n <= 60 else 2 * n
    high = draw.either(1, 2, 5, 20, 10**9)
    found = edges(draw, n, m, connected=draw.chance(0.8), twice=picked["way"] == "one")
    return n, [[u, v, draw.integer(1, high)] for u, v in found]


_ROUTES = Kernel(
    "routes", "graphs", 2,
    "There are n {places}, numbered 1 to n, and m {links}. {Link} i leads from u_i to v_i{way} and takes w_i {unit}. "
    "{Who} wants "
    "to get from {place} 1 to {place} n. {twist} {goal}",
    (
        story(title="Night Bus", places="stops", place="stop", links="bus lines without stops in between", Link="Line",
             link="line", unit="minutes", Who="A student", who="the student", toll="waiting",
                 toll_text="Changing buses",
             intro="The last train has gone, but buses still run."),
        story(title="Cave Rescue", places="chambers", place="chamber", links="tunnels", Link="Tunnel", link="tunnel",
             unit="minutes", Who="A rescuer", who="the rescuer", toll="resting", intro="Somebody is waiting deep in "
                                                            "a cave."),
        story(title="Data Packets", places="routers", place="router", links="cables", Link="Cable", link="cable",
             unit="microseconds", Who="A packet", who="the packet", toll="processing",
             intro="A network is tuned for speed."),
        story(title="Canal Boat", places="locks", place="lock", links="canals", Link="Canal", link="canal",
              unit="hours",
             Who="A skipper", who="the skipper", toll="waiting", intro="A skipper plans a trip across the country by "
                                                            "boat."),
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
            "free": opt(1, twist="Once on the way, one {link} of {who}'s choice takes no time at all.", zero="0",
            done="",
                        steps="heapq.heappush(heap, (now + @gain@, v, s))\nif not s:\n    heapq.heappush(heap, (now "
                              "+ @hop@, v, "
                              "1))", cost="return (sum(path) - max(path)) * @scale@ + len(path) * @hop@",
                        after="(now - most) * @scale@ + count * @hop@"),
            "half": opt(2, twist="On at most {H} {links} of the way, which {who} can choose, {who} can hurry and "
                                 "takes only half the "
                                 "time, rounded down.", zero="0", done="",
                        steps="heapq.heappush(heap, (now + @gain@, v, s))\nif s < @H@:\n    heapq.heappush(heap, "
                              "(now + w // 2 * "
                              "@scale@ + @hop@, v, s + 1))",
                        cost="left = sorted(w - w // 2 for w in path)[::-1][:@H@]\nreturn (sum(path) - sum(left)) * "
                             "@scale@ + "
                             "len(path) * @hop@", after="(now - most + most // 2) * @scale@ + count * @hop@"),
            "even": opt(1, twist="{Who2} must use an even number of {links}; it is allowed to use a {link} or visit "
                                 "a {place} "
                                 "several times (even {place} 1 and {place} n).", Who2="The route", zero="0",
                                 done=" and not s",
                        steps="heapq.heappush(heap, (now + @gain@, v, 1 - s))", cost="return 0", after="now",
                        early="best = {(1, 0): 0}\nfor _ in range(2 * n + 2):\n    for (u, s), now in "
                              "list(best.items()):\n        for v, "
                              "w in out[u]:\n            best[v, 1 - s] = min(best.get((v, 1 - s), 10**30), now + "
                              "@gain@)\nreturn "
                              "best.get((n, 0), -1)"),
            "slow": opt(2, twist="It gets harder on the way: the first {link} of the route takes w, the second one w "
                                 "+ {D}, the "
                                 "third one w + 2 · {D}, and so on, until the {T}th and all after it take w + {Tm} · "
                                 "{D} {unit}.",
                        zero="0", done="",
                        steps="heapq.heappush(heap, (now + (w + s * @D@) * @scale@ + @hop@, v, min(s + 1, @T@ - 1)))",
                        cost="return sum(w + min(i, @T@ - 1) * @D@ for i, w in enumerate(path)) * @scale@ + "
                             "len(path) * @hop@",
                        after="(now + @D@ * count * (count - 1) // 2) * @scale@ + count * @hop@"),
        },
        "goal": {
            "time": opt(0, goal="What is the shortest time for this?", gain="w", scale="1", hop="0", answer="now",
                        result="the shortest time", final="return min(map(cost, found))"),
            "hops": opt(1, goal="Find a fastest route, and among all fastest routes one with as few {links} as "
                                "possible.",
                        gain="w * 10**6 + 1", scale="10**6", hop="1", answer="now",
                        result="the shortest time times 10^6, plus the number of {links} used",
                        final="return min(map(cost, found))"),
        },
    },
    params={"H": (1, 2, 3), "D": (1, 2, 3), "T": (3, 4, 5)},
    small=9,
    large=6_000,
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


_LAGS = {
    "lag": "at least w_i {unit} before",
    "each": "the numbers u_i, v_i and w_i of each rule",
    "range": "1 ≤ w_i ≤ 10^9",
}
_ORDER = {"lag": "before", "each": "the numbers u_i and v_i of each rule", "unused": "rules.w"}
_COURSES = Kernel(
    "courses", "graphs", 2,
    "There are n {plural}, numbered 1 to n, and m rules: rule i says that {one} u_i must be finished {lag} {one} "
    "v_i {starts}. {work} {goal}{cycle}",
    (
        story(title="Curriculum", plural="courses", one="course", unit="days", starts="begins",
            takes="Every course takes",
             intro="A university has rewritten its curriculum, and nobody has checked it."),
        story(title="Renovation", plural="tasks", one="task", unit="days", starts="begins", takes="Every task takes",
             intro="A house is to be renovated, and the craftsmen have opinions."),
        story(title="Assembly", plural="parts", one="part", unit="minutes", starts="is mounted",
            takes="To mount a part takes",
             intro="An engine is put together according to a thick manual."),
        story(title="Build System", plural="modules", one="module", unit="seconds", starts="is compiled",
             takes="To compile a module takes", intro="A build takes too long, and somebody asks why."),
    ),
    (Arg("n", "int", "the number of {plural}"), Arg("rules", "rows", "{each}", "m",
        "u v w")),
    "{result}",
    ("2 ≤ n ≤ {N}", "0 ≤ m ≤ 3n + 1", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i", "{range}", "{safe}"),
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
        "def solve(n, rules):\n    start = [0] * (n + 1)\n    for u, v, w in rules:\n        start[v] = "
        "max(start[v], start[u] + "
        "@P@ + w)\n    return max(start) + @P@\n",
        "def solve(n, rules):\n    start = [0] * (n + 1)\n    for u, v, w in sorted(rules):\n        start[v] = "
        "max(start[v], start[u] "
        "+ @P@ + w)\n    return max(start) + @P@\n",
    ),
    choices={
        "goal": {
            "span": opt(0, **_LAGS, work="{takes} {P} {unit}, and any number of them can go on at the same time.",
                        goal="After how many {unit} can everything be finished?", result="the shortest time",
                        step="start[v] = max(start[v], start[u] + @P@ + w)", end="max(start) + @P@",
                        slow="start = [0] * (n + 1)\nfor v in orders[0]:\n    start[v] = max([0] + [start[u] + @P@ + "
                             "w for u, x, w "
                             "in rules if x == v])\nreturn max(start) + @P@"),
            "order": opt(0, **_ORDER, work="They are dealt with one at a time.",
                         goal="Of all orders that respect the rules, take the one that comes first in dictionary "
                              "order (compare the "
                              "first {one}, then the second, and so on).",
                         result="the sum of i · p_i over all i, where p_i is the {one} in place i, modulo {MOD}",
                         end="sum(i * v for i, v in enumerate(order, 1)) % @MOD@",
                         slow="return sum(i * v for i, v in enumerate(min(orders), 1)) % @MOD@"),
            "paths": opt(0, **_ORDER, work="A chain is a sequence of {plural} from 1 to n in which each is followed "
                                           "by one "
                                 "that a rule "
                                 "allows: from u_i to v_i.", goal="How many different chains are there?",
                              result="the number of chains, modulo {MOD}", first="start[1] = 1",
                         step="start[v] = (start[v] + start[u]) % @MOD@", end="start[n]",
                         slow="def walk(u):\n    return 1 if u == n else sum(walk(v) for x, v, w in rules if x == "
                              "u)\nreturn "
                              "walk(1) % @MOD@"),
            "slack": opt(2, **_LAGS, work="{takes} {P} {unit}, and any number of them can go on at the same time. "
                                          "Everything "
                                 "is to be "
                                 "finished as early as possible.", goal="How many of them are critical: if one of "
                                                            "these "
                                 "begins 1 later than it could, everything takes longer?",
                         result="the number of critical ones", step="start[v] = max(start[v], start[u] + @P@ + w)",
                         end="critical(n, out, order, start)",
                         slow="def times(late):\n    start = [0] * (n + 1)\n    for v in orders[0]:\n        "
                              "start[v] = (v == late) "
                              "+ max([0] + [start[u] + @P@ + w for u, x, w in rules if x == v])\n    return "
                              "max(start[1:])\n"
                              "return sum(times(v) > times(0) for v in range(1, n + 1))",
                         after="def critical(n, out, order, start):\n    span = max(start)\n    last = [span] * (n + "
                               "1)\n    for u in "
                               "reversed(order):\n        for v, w in out[u]:\n            last[u] = min(last[u], "
                               "last[v] - w - @P@)"
                               "\n    return sum(last[v] == start[v] for v in range(1, n + 1))"),
        },
        "cycle": {
            "none": opt(0, cycle="", safe="the rules do not contradict each other"),
            "check": opt(0, cycle=" If the rules contradict each other, the answer is -1.",
            safe="rules may contradict each "
                         "other"),
        },
    },
    params={"P": (1, 2, 3, 5)},
    small=8,
    large=20_000,
    fits=lambda picked: picked["goal"] != "paths" or picked["cycle"] == "none",
)  # fmt: skip


def _network(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    high = draw.either(2, 5, 30, 10**9)
    found = edges(draw, n, draw.either(n // 2, n, 2 * n) if n <= 60 else 2 * n, connected=draw.chance(0.5))
    own = [draw.integer(1, draw.either(high, 3 * high)) for _ in range(n)]
    return (
        own,
        [[u, v, draw.integer(1, high)] for u, v in found],
        draw.integer(1, max(1, min(n, draw.either(1, 2, n // 2)))),
    )


_NETWORK = Kernel(
    "network", "graphs", 2,
    "There are n {places}, numbered 1 to n, and m possible {links}; {link} i would join u_i and v_i and cost w_i. "
    "{goal}",
    (
        story(title="Island Power", places="islands", own_of="islands", place="island", links="sea cables",
             link="cable",
            source="power station",
             served="has electricity", intro="A republic of islands wants electricity everywhere."),
        story(title="Water for the Plateau", places="farms", own_of="farms", place="farm", links="pipes", link="pipe",
             source="well",
             served="has water", intro="It has not rained on the plateau for two years."),
        story(title="Village Fibre", places="villages", own_of="villages", place="village", links="fibre lines",
             link="line",
            source="satellite dish",
             served="is online", intro="A county finally gets fast internet."),
    ),
    (Arg("own", "ints", "the cost c_i of a {source} for each {place}", "n"),
     Arg("links", "rows", "the ends u_i, v_i and the cost w_i of each {link}", "m", "u v w"),
     Arg("k", "int", "the number k")),
    "{result}",
    ("2 ≤ n ≤ {N}", "0 ≤ m ≤ 2n", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i", "{own_range}", "1 ≤ w_i ≤ 10^9", "{k_range}"),
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
        "def solve(own, links, k):\n    seen, cost = {1}, 0\n    for u, v, w in sorted(links, key=lambda link: "
        "link[2]):\n        if (u "
        "in seen) != (v in seen):\n            seen |= {u, v}\n            cost += w\n    return cost if len(seen) "
        "== len(own) else "
        "-1\n",
        "def solve(own, links, k):\n    return min(own) + sum(sorted(w for u, v, w in links)[:len(own) - k])\n",
    ),
    choices={
        "goal": {
            "tree": opt(0, unused="own k", goal="A single {source} in {place} 1 is there already. What is the lowest "
                                                "cost of "
                                "building {links} so "
                                "that every {place} is joined to it, directly or via others?",
                        every="links", plus="", stop="", end="return sum(taken) if groups == 1 else -1",
                        result="the smallest cost, or -1 if that is impossible", **{"from": "1"}, good="count == 1",
                        value="sum(w for u, v, w in part)"),
            "groups": opt(1, unused="own", k_range="1 ≤ k ≤ n", goal="What is the lowest cost of building {links} so "
                    "that there are at most k groups of "
                                  "{places}? Two "
                                  "{places} belong to the same group if they are joined, directly or via others.",
                          every="links", plus="", stop=" or groups <= k",
                          end="return sum(taken) if groups <= k else -1", **{"from": "1"}, good="count <= k",
                          result="the smallest cost, or -1 if that is impossible", value="sum(w for u, v, w in part)"),
            "source": opt(1, unused="k", own_range="1 ≤ c_i ≤ 3·10^9",
                 goal="A {place} {served} if it has a {source} of its own, which costs c_i in {place} i, "
                                  "or is joined to a "
                                  "{place} that has one, directly or via others. What is the lowest cost at which "
                                  "every {place} "
                                  "{served}?",
                          every="links + [[0, v, c] for v, c in enumerate(own, 1)]", plus=" + 1", stop="",
                          end="return sum(taken)", result="the smallest cost", **{"from": "0"}, good="count == 1",
                          value="sum(w for u, v, w in part)"),
            "worst": opt(1, unused="own", k_range="1 ≤ k ≤ n", goal="The {links} that are built must join all "
                    "{places} into at most k "
                                 "groups, and the most "
                                 "expensive of them must be as cheap as possible. What does it cost?", every="links",
                              plus="", stop=" or groups <= k",
                         end="return max(taken, default=0) if groups <= k else -1", **{"from": "1"}, good="count <= k",
                         result="the cost of the most expensive {link} built (0 if none is needed), or -1 if that is "
                                "impossible",
                         value="max((w for u, v, w in part), default=0)"),
        },
    },
    small=7,
    large=20_000,
)  # fmt: skip

KERNELS = (_ROUTES, _COURSES, _NETWORK)
