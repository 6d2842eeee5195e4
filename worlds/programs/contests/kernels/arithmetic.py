"""Kernels of number theory and games: sieves, divisors, remainders, piles."""

from math import gcd
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import numbers, size
from turnwise.worlds.programs.contests.kernel import Arg, Inverse, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _queries(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    most = 300_000 if n > 60 else draw.either(12, 40, 150)
    count = n if n > 60 else draw.integer(1, n)
    found = []
    for _ in range(count):
        low, high = draw.integer(1, most), draw.integer(1, most)
        found.append([min(low, high), max(low, high)])
    if n > 60:
        found[0] = [1, most]
    return (found,)


_SIEVE = Kernel(
    "sieve", "numbers", 2,
    "A whole number is {nice} if {rule}. There are q questions; question i asks {asks} from l_i to r_i, both "
    "included. {goal}",
    (
        story(title="House Numbers", nice="cosy", intro="An estate agent is superstitious and loves numbers."),
        story(title="Ticket Collector", nice="lucky", intro="A collector of tram tickets has very particular taste."),
        story(title="Gear Wheels", nice="smooth", intro="A clockmaker chooses wheels by the number of their teeth."),
    ),
    (Arg("questions", "rows", "the numbers l_i and r_i of each question", "q", "l r"),),
    "{result}",
    ("1 ≤ q ≤ {N}", "1 ≤ l_i ≤ r_i ≤ 300000"),
    _queries,
    """
def solve(questions):
    most = max(r for l, r in questions)
    @sieve@
    before = [0] * (most + 1)
    for x in range(1, most + 1):
        before[x] = before[x - 1] + (@amount@ if @nice_x@ else 0)
    total = 0
    for i, (l, r) in enumerate(questions, 1):
        total += i * (before[r] - before[l - 1])
    return total % @MOD@
""",
    """
def primes(x):
    found, p = [], 2
    while x > 1:
        while x % p == 0:
            found.append(p)
            x //= p
        p += 1
    return found

def solve(questions):
    total = 0
    for i, (l, r) in enumerate(questions, 1):
        for x in range(l, r + 1):
            if @slow_x@:
                total += i * @amount@
    return total % @MOD@
""",
    (
        "def solve(questions):\n    prime = lambda x: x > 1 and all(x % d for d in range(2, int(x**0.5) + 1))\n    "
        "return sum(i * sum(@amount@ "
        "for x in range(l, r + 1) if prime(x)) for i, (l, r) in enumerate(questions, 1)) % @MOD@\n",
    ),
    choices={
        "rule": {
            "free": opt(0, rule="no square number greater than 1 divides it", nice_x="free[x]",
                        sieve="free = [True] * (most + 1)\np = 2\nwhile p * p <= most:\n    for x in range(p * p, "
                              "most + 1, p * p):\n        "
                              "free[x] = False\n    p += 1", slow_x="len(set(primes(x))) == len(primes(x))"),
            "kinds": opt(0, rule="exactly {K} different primes divide it", nice_x="kinds[x] == @K@",
                         sieve="kinds = [0] * (most + 1)\nfor p in range(2, most + 1):\n    if not kinds[p]:\n       "
                               " for x in range(p, most + "
                               "1, p):\n            kinds[x] += 1", slow_x="len(set(primes(x))) == @K@"),
            "factors": opt(1, rule="it is the product of exactly {K1} primes, not necessarily different ones",
            nice_x="count[x] == @K1@",
                           sieve="count = [0] * (most + 1)\nfor p in range(2, most + 1):\n    if not count[p]:\n     "
                                 "   power = p\n        while "
                                 "power <= most:\n            for x in range(power, most + 1, power):\n              "
                                 "  count[x] += 1\n            "
                                 "power *= p", slow_x="len(primes(x)) == @K1@"),
            "divisors": opt(1, rule="the number of its divisors (1 and itself included) is divisible by {D}",
                            nice_x="count[x] % @D@ == 0",
                            sieve="count = [0] * (most + 1)\nfor d in range(1, most + 1):\n    for x in range(d, "
                                  "most + 1, d):\n        count[x] "
                                  "+= 1", slow_x="sum(x % d == 0 for d in range(1, x + 1)) % @D@ == 0"),
        },
        "goal": {
            "count": opt(0, asks="how many {nice} numbers there are", goal="", amount="1",
                         result="the sum of i · (answer to question i) over all questions, modulo {MOD}"),
            "sum": opt(0, asks="for the sum of all {nice} numbers", goal="", amount="x",
                       result="the sum of i · (answer to question i) over all questions, modulo {MOD}"),
        },
    },
    params={"K": (1, 2, 3), "D": (3, 4, 5, 6)},
    small=60,
    large=20_000,
)  # fmt: skip


def _couples(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    most = draw.either(4, 12, 60, 1000) if n <= 60 else draw.either(1000, 10**5)
    return (numbers(draw, n, 1, most),)


_COUPLES = Kernel(
    "couples", "numbers", 3,
    "{Plural} carry the numbers a_1 to a_n. Two different {plural} {match} if {rule}. {goal}",
    (
        story(title="Dance Class", Plural="Dancers", plural="dancers", match="can dance together",
             intro="A dance teacher with a degree in mathematics forms couples."),
        story(title="Cog Pairs", Plural="Cogs", plural="cogs", match="run smoothly", intro="A workshop sorts its cogs "
                                                            "by the number of teeth."),
        story(title="Frequencies", Plural="Transmitters", plural="transmitters", match="get along",
             intro="An authority hands out radio frequencies."),
    ),
    (Arg("a", "ints", "the numbers", "n"),),
    "{result}",
    ("2 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^5"),
    _couples,
    """
def solve(a):
    most = max(a)
    amount = [0] * (most + 1)
    for value in a:
        amount[value] += @unit@
    @square@
    exact = [0] * (most + 1)
    for g in range(most, 0, -1):
        whole = sum(amount[g::g])
        exact[g] = whole * whole - sum(exact[2 * g::g])
    return @end@ % @MOD@
""",
    """
from math import gcd

def solve(a):
    pairs = [(a[i], a[j]) for j in range(len(a)) for i in range(j) if @good@]
    return @slow@ % @MOD@
""",
    (
        "from math import gcd\n\ndef solve(a):\n    return sum(gcd(x, y) == 1 for x, y in zip(a, a[1:])) % @MOD@\n",
        "from math import gcd\n\ndef solve(a):\n    a = sorted(set(a))\n    return sum(gcd(x, y) == 1 for j, x in "
        "enumerate(a) for y in a[:j]) % "
        "@MOD@\n",
    ),
    choices={
        "rule": {
            "coprime": opt(0, rule="no whole number greater than 1 divides both of their numbers", picks="exact[1]",
            good="gcd(a[i], a[j]) == 1",
                           own="amount2[1]"),
            "exact": opt(0, rule="the greatest common divisor of their numbers is exactly {G}",
            picks="(exact[@G@] if most >= @G@ else 0)",
                         good="gcd(a[i], a[j]) == @G@", own="(amount2[@G@] if most >= @G@ else 0)"),
            "large": opt(1, rule="the greatest common divisor of their numbers is at least {G}",
            picks="sum(exact[@G@:])",
                         good="gcd(a[i], a[j]) >= @G@", own="sum(amount2[@G@:])"),
        },
        "goal": {
            "count": opt(0, goal="How many pairs is this true for?", unit="1", result="the number of pairs, modulo "
                                                            "{MOD}",
                         slow="len(pairs)", square="amount2 = list(amount)", end="((@picks@ - @own@) // 2)"),
            "product": opt(1, goal="The value of such a pair is the product of the two numbers.", unit="value",
                           result="the sum of the values of all such pairs, modulo {MOD}",
                               slow="sum(x * y for x, y in pairs)",
                           square="amount2 = [0] * (most + 1)\nfor value in a:\n    amount2[value] += value * value",
                           end="((@picks@ - @own@) // 2)"),
        },
    },
    params={"G": (2, 3, 4, 6)},
    small=100,
    large=20_000,
)  # fmt: skip


def _piles(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    most = draw.either(6, 12, 40) if n <= 60 else 10**15
    return (numbers(draw, n, 0, most),)


_PILES = Kernel(
    "piles", "games", 3,
    "Two players take turns. There are n piles with a_1 to a_n {things}. In a move, a player chooses a pile and "
    "takes {moves} of its "
    "{things}{more}. {end} Both play perfectly. {goal}",
    (
        story(title="Matches", things="matches", intro="The pub is empty, and two friends play with what lies around."),
        story(title="Pebbles", things="pebbles", intro="Two children play on the beach."),
        story(title="Coins", things="coins", intro="A gambler has invented a game that he never seems to lose."),
    ),
    (Arg("a", "ints", "the sizes of the piles", "n"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "0 ≤ a_i ≤ 10^15"),
    _piles,
    """
def solve(a):
    moves = @set@
    values = []
    for size in range(400):
        reached = {values[size - m] for m in moves if m <= size}
        values.append(next(g for g in range(20) if g not in reached))
    # the values repeat sooner or later: find the period at the end of the table
    period = next(p for p in range(1, 150) if values[100:400 - p] == values[100 + p:])
    grundy = lambda size: values[size] if size < 100 else values[100 + (size - 100) % period]
    nim = 0
    for size in a:
        nim ^= grundy(size)
    @code@
""",
    """
from functools import lru_cache

def solve(a):
    moves = @set@

    @lru_cache(None)
    def grundy(size):
        reached = {grundy(size - m) for m in moves if m <= size}
        return next(g for g in range(20) if g not in reached)

    nim = 0
    for size in a:
        for smaller in range(size):
            grundy(smaller)
        nim ^= grundy(size)
    @slow@
""",
    (
        "def solve(a):\n    nim = 0\n    for v in a:\n        nim ^= v\n    return int(bool(nim))\n",
        "def solve(a):\n    nim = 0\n    for v in a:\n        nim ^= v % (max(@set@) + 1)\n    return int(bool(nim))\n",
        "def solve(a):\n    return sum(a) % 2\n",
    ),
    choices={
        "moves": {
            "three": opt(0, moves="exactly {A}, {B} or {C}", set="(@A@, @B@, @C@)", more=""),
            "two": opt(0, moves="exactly {A}, or exactly {C}", set="(@A@, @C@)", more=""),
        },
        "end": {
            "last": opt(0, end="Whoever cannot move loses."),
        },
        "goal": {
            "who": opt(0, goal="Does the player who begins win?", result="1 if the first player wins, otherwise 0",
            code="return int(nim > 0)",
                       slow="return int(nim > 0)"),
            "first": opt(1, goal="How many different winning first moves are there? A move is given by its pile and "
                                 "the number of {things} "
                                 "taken.", result="the number of first moves after which the first player wins (0 if "
                                                  "there is none)",
                         code="return sum(m <= size and nim ^ grundy(size) ^ grundy(size - m) == 0 for size in a for "
                              "m in moves)",
                         slow="return sum(m <= size and nim ^ grundy(size) ^ grundy(size - m) == 0 for size in a for "
                              "m in moves)"),
            "add": opt(2, goal="Before the game begins, one more pile is added, as small as possible (perhaps of 0), "
                               "such that the player who "
                               "begins loses.", result="the size of that pile, or -1 if no pile of at most 300 "
                                                       "{things} will do",
                       code="return next((size for size in range(301) if grundy(size) == nim), -1)",
                       slow="return next((size for size in range(301) if grundy(size) == nim), -1)"),
        },
    },
    params={"A": (1, 2), "B": (3, 4), "C": (5, 6, 7, 8)},
    small=60,
    large=3000,
)  # fmt: skip


def _clocks(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = draw.integer(2, 4) if n <= 60 else 6
    rows, product = [], 1
    most = draw.either(4, 8, 15) if n < 5 else 900
    for _ in range(n):
        p = draw.integer(2, most)
        if product * p // gcd(product, p) > 10**15:
            break
        product = product * p // gcd(product, p)
        rows.append([p, draw.below(p)])
    if draw.chance(0.7):
        x = draw.below(product)
        rows = [[p, x % p] for p, _ in rows]
    return rows, draw.below(draw.either(3, 50, product + 1)) if product < 10**6 else draw.integer(product // 2, product)


_CLOCKS = Kernel(
    "clocks", "numbers", 3,
    "There are n {plural}. {One} i {acts} at the times r_i, r_i + p_i, r_i + 2 · p_i, and so on. {goal}",
    (
        story(title="Lighthouses", plural="lighthouses", One="Lighthouse", acts="flashes", act="flash",
             intro="From the top of the island one can see all the lighthouses of the coast."),
        story(title="Bell Ringers", plural="bells", One="Bell", acts="rings", act="ring",
             intro="A city has far too many bells."),
        story(title="Maintenance Windows", plural="servers", One="Server", acts="is restarted", act="restart",
             intro="Every server in the cellar is restarted regularly, for reasons that nobody remembers."),
    ),
    (Arg("items", "rows", "the numbers p_i and r_i", "n", "p r"), Arg("t", "int", "the number t")),
    "{result}",
    ("1 ≤ n ≤ 6", "2 ≤ p_i ≤ 900, 0 ≤ r_i < p_i", "0 ≤ t ≤ 10^15"),
    _clocks,
    """
from math import gcd

def solve(items, t):
    step, at = 1, 0
    for p, r in items:
        for _ in range(p):
            if at % p == r:
                break
            at += step
        else:
            return @never@
        step = step * p // gcd(step, p)
    at %= step
    @code@
""",
    """
from math import gcd

def solve(items, t):
    step = 1
    for p, r in items:
        step = step * p // gcd(step, p)
    good = lambda x: all(x >= r and x % p == r for p, r in items)
    if not any(good(x) for x in range(2 * step + 900)):
        return @never@
    @slow@
""",
    (
        "def solve(items, t):\n    at = 0\n    for p, r in items:\n        at = max(at, r)\n    return at if at >= t "
        "else t\n",
    ),
    choices={
        "goal": {
            "first": opt(0, goal="What is the first time, t or later, at which all {plural} {act} together?",
                         result="the time, or -1 if it never happens", never="-1",
                         code="while any(at < r for p, r in items):\n    at += step\nreturn at if at >= t else at + "
                              "(t - at + step - 1) // step "
                              "* step",
                         slow="x = t\nwhile not good(x):\n    x += 1\nreturn x"),
            "count": opt(1, goal="At how many moments from 0 to t, both included, do all {plural} {act} together?",
                         result="the number of moments", never="0",
                         code="while any(at < r for p, r in items):\n    at += step\nreturn 0 if t < at else (t - "
                              "at) // step + 1",
                         slow="return sum(good(x) for x in range(t + 1))"),
        },
    },
    small=60,
    large=1000,
    inverse=Inverse("t", "0", "10**15", True, lambda picked: picked["goal"] == "count"),
)  # fmt: skip

KERNELS = (_SIEVE, _COUPLES, _PILES, _CLOCKS)
