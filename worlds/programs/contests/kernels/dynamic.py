"""Kernels of dynamic programming: packing, rising sequences, alignment, merging neighbours."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import letters, numbers, size
from turnwise.worlds.programs.contests.kernel import Arg, Inverse, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _packing(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    room = 4000 if n > 60 else draw.integer(1, draw.either(6, 15, 40))
    heavy = draw.either(3, 8, room, max(1, room // 2))
    worth = draw.either(3, 10, 10**6)
    return [[draw.integer(1, heavy), draw.integer(1, worth)] for _ in range(n)], room


_VALUED = {
    "and_worth": " and {is_worth} v_i",
    "each": "the numbers w_i and v_i for each {one}",
    "range": "1 ≤ v_i ≤ 10^6",
}
_PACKING = Kernel(
    "packing", "dynamic", 2,
    "There are n {plural}; {one} i {weighs} w_i {unit}{and_worth}. {often} {fill} {goal}",
    (
        story(title="Rucksack", plural="kinds of provisions", one="kind", weighs="weighs", unit="grams",
             is_worth="has a nutritional value of", holder="rucksack", intro="A hut keeper packs for a long climb."),
        story(title="Advertising Break", plural="commercials", one="commercial", weighs="lasts", unit="seconds",
             is_worth="brings a revenue of", holder="break", intro="A television station plans its most expensive "
                                                            "break."),
        story(title="Market Stall", plural="kinds of goods", one="kind", weighs="takes up", unit="centimetres",
             is_worth="sells for", holder="stall", intro="A stall on the market has a single long shelf."),
        story(title="Satellite Payload", plural="instruments", one="instrument", weighs="draws", unit="watts",
             is_worth="has a scientific value of", holder="satellite",
             intro="Many laboratories want their instrument on a small satellite."),
    ),
    (Arg("items", "rows", "{each}", "n", "w v"),
     Arg("room", "int", "the capacity")),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ room ≤ 4000", "1 ≤ w_i ≤ 4000", "{range}"),
    _packing,
    """
def solve(items, room):
    best = [@empty@] + [@rest@] * room
    for w, v in items:
        @body@
    return @end@
""",
    """
from itertools import product

def solve(items, room):
    choices = []
    for counts in product(*(range(@most@ + 1) for w, v in items)):
        weight = sum(c * w for c, (w, v) in zip(counts, items))
        value = sum(c * v for c, (w, v) in zip(counts, items))
        if @allowed@:
            choices.append((weight, value, sum(counts)))
    @slow@
""",
    (
        "def solve(items, room):\n    total = used = 0\n    for w, v in sorted(items, key=lambda i: -i[1] / i[0]):\n "
        "       "
        "if used + w <= room:\n            used += w\n            total += v\n    return total\n",
        "def solve(items, room):\n    total = used = 0\n    for w, v in sorted(items, key=lambda i: -i[1] / i[0]):\n "
        "       "
        "k = (room - used) // w\n        used += k * w\n        total += k * v\n    return total\n",
    ),
    choices={
        "use": {
            "once": opt(0, often="Each can be taken at most once.", most="1",
                        body="for r in range(room, w - 1, -1):\n    @step@"),
            "any": opt(0, often="Each can be taken any number of times.", most="room // w",
                       body="for r in range(w, room + 1):\n    @step@"),
            "few": opt(1, often="Each can be taken at most {C} times.", most="@C@",
                       body="for _ in range(@C@):\n    for r in range(room, w - 1, -1):\n        @step@"),
        },
        "fill": {
            "most": opt(0, fill="What is taken may have at most `room` {unit} in all, the capacity of the {holder}.",
                        allowed="weight <= room", vrest="0", vend="best[room]", wend="sum(best) % @MOD@",
                            impossible=""),
            "full": opt(1, fill="What is taken must have exactly `room` {unit} in all, so that the {holder} is full.",
                        allowed="weight == room", vrest="-10**18", vend="best[room] if best[room] >= 0 else -1",
                        wend="best[room] % @MOD@", impossible=", or -1 if that is impossible"),
        },
        "goal": {
            "value": opt(0, **_VALUED, goal="What is the largest total value that can be taken?",
                         result="the largest total of v_i{impossible}", empty="0", rest="@vrest@", end="@vend@",
                         step="if best[r - w] + v > best[r]:\n    best[r] = best[r - w] + v",
                         slow="return max((v for w, v, c in choices), default=-1)"),
            "lean": opt(2, **_VALUED, goal="Let V be the largest total value that can be taken, and p the smallest "
                                           "number of "
                                "pieces with which this value can be reached.", result="V · 10^6 - p{impossible}",
                              empty="0", rest="@vrest@", end="@vend@",
                        step="if best[r - w] + v * 10**6 - 1 > best[r]:\n    best[r] = best[r - w] + v * 10**6 - 1",
                        slow="return max((v * 10**6 - c for w, v, c in choices), default=-1)"),
            "ways": opt(1, unused="items.v", each="the number w_i for each {one}",
                        goal="In how many ways can something be taken (or nothing, where that is allowed)? Two ways "
                                "differ if they take some {one} a different number of times.",
                        result="the number of ways, modulo {MOD}", empty="1", rest="0", end="@wend@",
                        step="best[r] = (best[r] + best[r - w]) % @MOD@",
                        slow="return len(choices) % @MOD@"),
        },
    },
    params={"C": (2, 3)},
    small=8,
    large=120,
    fits=lambda picked: picked["goal"] != "ways" or picked["use"] != "few",
    inverse=Inverse("room", "1", "4000", True, lambda picked: picked["goal"] == "value" and picked["fill"] == "most"),
)  # fmt: skip


def _rising(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    high = draw.either(3, n, 10**9, 10**9)
    return (
        [[a, b] for a, b in zip(numbers(draw, n, 1, high), numbers(draw, n, 1, draw.either(3, n, 10**6)), strict=True)],
    )


_RISING = Kernel(
    "rising", "dynamic", 2,
    "There are n {plural}; {one} i has {first} a_i and {second} b_i. {order} {goal}",
    (
        story(title="Nesting Boxes", plural="boxes", one="box", first="width", second="height", Row="chain",
             row="chain", intro="A removal firm wants to get rid of its empty boxes."),
        story(title="Mountain Stages", plural="passes", one="pass", first="altitude", second="length", Row="tour",
             row="tour", intro="A cyclist plans the tour of a lifetime."),
        story(title="Wine Tasting", plural="bottles", one="bottle", first="age", second="price", Row="sequence",
             row="sequence", intro="A tasting should become better and better."),
        story(title="Photo Line-up", plural="pupils", one="pupil", first="height", second="score", Row="line",
             row="line", intro="The school photographer has ideas of her own."),
    ),
    (Arg("items", "rows", "the {first} and the {second} of each {one}", "n", "a b"),),
    "{result}",
    ("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^9", "1 ≤ b_i ≤ 10^6"),
    _rising,
    """
from bisect import bisect_left, bisect_right

def solve(items):
    @sort@
    places = sorted({@key@ for a, b in items})
    tree = [@zero@] * (len(places) + 1)
    total = @zero@
    for a, b in items:
        i = @search@(places, @key@)
        here = @zero@
        while i:
            @join@
            i -= i & -i
        @use@
        i = bisect_left(places, @key@) + 1
        while i < len(tree):
            @put@
            i += i & -i
    return @end@
""",
    """
from itertools import combinations

def solve(items):
    found = []
    for k in range(1, len(items) + 1):
        for c in combinations(items, k):
            @arrange@
            if all(@good@ for (a, b), (p, q) in zip(c, c[1:])):
                found.append(c)
    @slow@
""",
    (
        "def solve(items):\n    best = here = total = 0\n    last = None\n    for a, b in items:\n        if last is "
        "None or a > "
        "last:\n            here += 1\n            total += b\n        else:\n            here, total = 1, b\n       "
        " last = a\n"
        "        best = max(best, here)\n    return best\n",
    ),
    choices={
        "order": {
            "given": opt(0, order="A {row} consists of one or more of them in the order in which they are listed "
                                  "(others may "
                                  "be left out between them), where each has {more} {first} {than} the one before it.",
                         key="a", good="@op@"),
            "both": opt(1, order="A {row} consists of one or more of them, in any order, where each has "
                                 "both a "
                                 "larger {first} and a larger {second} than the one before it.", key="b",
                        sort="items = sorted(items, key=lambda item: (item[0], -item[1]))",
                        arrange="c = sorted(c)", good="a < p and b < q", search="bisect_left"),
        },
        "ties": {
            "strict": opt(0, more="a larger", than="than", op="a < p", search="bisect_left"),
            "equal": opt(0, more="at least as large a", than="as", op="a <= p", search="bisect_right"),
        },
        "goal": {
            "longest": opt(0, goal="How many {plural} does the longest {row} have?", result="the length of the longest "
                                   "{row}", zero="0", join="here = max(here, tree[i])", use="here += 1\ntotal = "
                                   "max(total, here)", put="tree[i] = max(tree[i], here)", end="total",
                           slow="return max(map(len, found))"),
            "weight": opt(1, goal="The weight of a {row} is the sum of the {second}s b_i in it. What is the largest "
                                  "weight "
                                  "of a {row}?", result="the largest weight", zero="0",
                                  join="here = max(here, tree[i])",
                          use="here += b\ntotal = max(total, here)", put="tree[i] = max(tree[i], here)", end="total",
                          slow="return max(sum(b for a, b in c) for c in found)"),
            "count": opt(1, goal="How many {row}s are there? {differ}", differ="Two of them are different if some "
                                                            "{one} is in "
                                 "one and not in the other.", result="the number of {row}s, modulo {MOD}", zero="0",
                         join="here += tree[i]", use="here = (here + 1) % @MOD@\ntotal += here",
                         put="tree[i] += here", end="total % @MOD@", slow="return len(found) % @MOD@"),
            "longest_ways": opt(3, goal="Consider the {row}s with the most {plural}. How many of them are there? "
                                        "{differ}",
                                differ="Two of them are different if some {one} is in one and not in the other.",
                                result="the number of longest {row}s, modulo {MOD}", zero="(0, 0)",
                                join="if tree[i][0] > here[0]:\n    here = tree[i]\nelif tree[i][0] == here[0]:\n    "
                                     "here = "
                                     "(here[0], here[1] + tree[i][1])",
                                use="here = (here[0] + 1, max(here[1] % @MOD@, here[0] == 0))\nif here[0] > "
                                    "total[0]:\n    "
                                    "total = here\nelif here[0] == total[0]:\n    total = (total[0], total[1] + "
                                    "here[1])",
                                put="if here[0] > tree[i][0]:\n    tree[i] = here\nelif here[0] == tree[i][0]:\n    "
                                    "tree[i] "
                                    "= (here[0], tree[i][1] + here[1])", end="total[1] % @MOD@",
                                slow="return sum(len(c) == max(map(len, found)) for c in found) % @MOD@"),
        },
    },
    small=14,
    large=20_000,
    fits=lambda picked: picked["order"] == "given" or picked["ties"] == "strict",
)  # fmt: skip


def _align(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    alphabet = draw.either("ab", "abc", "acgt")
    if n > 60:
        m = n - draw.below(20)
    else:
        n, m = size(draw, n), size(draw, n)
    s = letters(draw, n, alphabet)
    if draw.chance(0.5):
        return s, letters(draw, m, alphabet)
    t = [c for c in s if draw.chance(0.9)]
    for _ in range(1 + n // 10):
        t.insert(draw.below(len(t) + 1), draw.choice(alphabet))
    return s, "".join(t)


_ALIGN = Kernel(
    "align", "dynamic", 2,
    "{Two} are written as words s and t of lower-case letters. {goal}",
    (
        story(title="Strands", Two="Two strands of genetic material", intro="A laboratory compares samples from two "
                                                            "springs."),
        story(title="Copyists", Two="Two copies of a lost manuscript",
             intro="Two monks have copied the same book, and neither was paying attention."),
        story(title="Melody Thieves", Two="Two melodies, in a code with a letter for each note,",
             intro="A court has to decide how much two songs have in common."),
        story(title="Keystrokes", Two="What a user typed and what was meant",
             intro="A phone maker wants to understand the typing errors of its customers."),
    ),
    (Arg("s", "text", "the first word"), Arg("t", "text", "the second word")),
    "{result}",
    ("1 ≤ length of s, length of t ≤ {N}",),
    _align,
    """
def solve(s, t):
    before = None
    row = @first@
    for i, x in enumerate(s, 1):
        @begin@
        for j, y in enumerate(t, 1):
            @cell@
        before, row = row, new
    return @end@
""",
    """
from functools import lru_cache

def solve(s, t):
    @slow@
""",
    (
        "def solve(s, t):\n    common = sum(min(s.count(c), t.count(c)) for c in set(s))\n    return @guess@\n",
        "def solve(s, t):\n    common = j = 0\n    for c in s:\n        k = t.find(c, j)\n        if k >= 0:\n       "
        "     "
        "common, j = common + 1, k + 1\n    return @guess@\n",
        "def solve(s, t):\n    common = sum(x == y for x, y in zip(s, t))\n    return @guess@\n",
    ),
    choices={
        "goal": {
            "edit": opt(0, goal="One edit deletes a letter (cost {D}), inserts a letter (cost {I}) or replaces a "
                                "letter by "
                                "another (cost {R}){swap}. What is the lowest cost of turning s into t?",
                        result="the smallest total cost", first="[@I@ * j for j in range(len(t) + 1)]",
                        begin="new = [@D@ * i]",
                        cell="here = min(row[j] + @D@, new[-1] + @I@, row[j - 1] + @R@ * (x != "
                             "y))\n@swapped@\nnew.append(here)",
                        end="row[-1]", guess="@D@ * (len(s) - common) + @I@ * (len(t) - common)",
                        slow="@lru_cache(None)\ndef cost(i, j):\n    if not i or not j:\n        return @D@ * i + "
                             "@I@ * j\n"
                             "    here = min(cost(i - 1, j) + @D@, cost(i, j - 1) + @I@, cost(i - 1, j - 1) + @R@ * "
                             "(s[i - 1] "
                             "!= t[j - 1]))\n    if @swap_ok@ and i > 1 and j > 1 and s[i - 1] == t[j - 2] and s[i - "
                             "2] == "
                             "t[j - 1]:\n        here = min(here, cost(i - 2, j - 2) + @X@)\n    return here\nreturn "
                             "cost(len(s), len(t))"),
            "common": opt(0, goal="A common thread is a word that one gets from s and also from t by leaving out "
                                  "letters. What "
                                  "is the length of the longest common thread?", result="the length of the longest "
                                                            "common "
                                  "thread", first="[0] * (len(t) + 1)", begin="new = [0]",
                          cell="new.append(row[j - 1] + 1 if x == y else max(row[j], new[-1]))", end="row[-1]",
                              guess="common",
                          slow="from itertools import combinations\nof = lambda w: {''.join(c) for k in range(len(w) "
                               "+ 1) for c in "
                               "combinations(w, k)}\nreturn max(map(len, of(s) & of(t)))"),
            "ways": opt(1, goal="In how many ways can one choose places in s, from left to right, whose letters "
                                "spell t?",
                        result="the number of ways, modulo {MOD}", first="[1] + [0] * len(t)", begin="new = [1]",
                        cell="new.append((row[j] + row[j - 1] * (x == y)) % @MOD@)", end="row[-1]", guess="common",
                        slow="from itertools import combinations\nreturn sum(''.join(c) == t for c in combinations(s, "
                             "len(t))) % @MOD@"),
            "over": opt(1, goal="An overlay is a word from which one can get s by leaving out letters, and also t. "
                                "How long is "
                                "the shortest overlay, and how many different shortest overlays are there?",
                        result="the length of the shortest overlay times 10^10, plus the number of shortest overlays "
                               "modulo "
                               "{MOD}", first="[(j, 1) for j in range(len(t) + 1)]", begin="new = [(i, 1)]",
                        cell="if x == y:\n    new.append((row[j - 1][0] + 1, row[j - 1][1]))\nelse:\n    a, b = "
                             "row[j], new[-1]\n"
                             "    least = min(a[0], b[0])\n    new.append((least + 1, (a[1] * (a[0] == least) + b[1] "
                             "* (b[0] == "
                             "least)) % @MOD@))",
                        end="row[-1][0] * 10**10 + row[-1][1]",
                        guess="(len(s) + len(t) - common) * 10**10 + 1",
                        slow="@lru_cache(None)\ndef of(i, j):\n    if i == len(s) or j == len(t):\n        return "
                             "{s[i:] + t[j:]}"
                             "\n    if s[i] == t[j]:\n        return {s[i] + w for w in of(i + 1, j + 1)}\n    found "
                             "= {s[i] + w "
                             "for w in of(i + 1, j)} | {t[j] + w for w in of(i, j + 1)}\n    least = min(map(len, "
                             "found))\n"
                             "    return {w for w in found if len(w) == least}\nfound = of(0, 0)\nleast = "
                             "min(map(len, found))\n"
                             "return least * 10**10 + len(found)"),
        },
        "swap": {
            "none": opt(0, swap="", swapped="", swap_ok="False"),
            "swap": opt(1, swap=", or swaps two neighbouring letters (cost {X}; neither of the two may be edited in "
                                "any other "
                                "way)", swap_ok="True",
                        swapped="if i > 1 and j > 1 and x == t[j - 2] and s[i - 2] == y:\n    here = min(here, "
                                "before[j - 2] + "
                                "@X@)"),
        },
    },
    params={"D": (2, 3, 5), "I": (2, 3, 4), "R": (3, 4, 7), "X": (2, 3)},
    small=8,
    large=800,
    fits=lambda picked: picked["goal"] == "edit" or picked["swap"] == "none",
)  # fmt: skip


def _neighbours(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = max(2, size(draw, n))
    return (numbers(draw, n, 1, draw.either(3, 20, 1000)),)


_NEIGHBOURS = Kernel(
    "neighbours", "dynamic", 3,
    "n {plural} {stand}, in this order; {one} i has {value} a_i. {goal}",
    (
        story(title="Sand Castles", plural="heaps of sand", stand="lie side by side on a beach", one="heap",
             value="height",
             intro="Children tidy up the beach."),
        story(title="Mergers on Main Street", plural="shops", stand="stand side by side on a street", one="shop",
             value="size",
             intro="A shopping street is changing hands."),
        story(title="Molecules", plural="molecules", stand="form a chain", one="molecule", value="mass",
             intro="A chemist watches a chain fold up."),
    ),
    (Arg("a", "ints", "the {value} of every {one}, in order", "n"),),
    "{result}",
    ("2 ≤ n ≤ {N}", "1 ≤ a_i ≤ 1000"),
    _neighbours,
    """
def solve(a):
    @ring@
    n = len(a)
    @prepare@
    sums = [0]
    for value in a:
        sums.append(sums[-1] + value)
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for length in range(2, @size@ + 1):
        for i in range(n - length + 1):
            j = i + length
            @cell@
    return @end@
""",
    """
from functools import lru_cache

def solve(a):
    @slow@
""",
    (
        "def solve(a):\n    a, total = list(a), 0\n    while len(a) > 1:\n        i = @pick@(range(len(a) - 1), "
        "key=lambda i: a[i] + "
        "a[i + 1])\n        total += a[i] + a[i + 1]\n        a[i : i + 2] = [a[i] + a[i + 1]]\n    return total\n",
    ),
    choices={
        "goal": {
            "sum": opt(0, goal="Two neighbours can be merged into one {one}. Its {value} is the sum of the two, and "
                               "that is "
                               "also what the merge costs. {Ring}What is the {extreme} total cost until only one is "
                               "left?",
                       result="the {extreme} total cost",
                       cell="best[i][j] = @pick@(best[i][k] + best[k][j] for k in range(i + 1, j)) + sums[j] - sums[i]",
                       new="x + y", price="x + y", slow="@join@"),
            "product": opt(0, goal="Two neighbours can be merged into one {one}. Its {value} is the sum of the two, "
                                   "and the merge "
                                   "costs their product plus {F}. {Ring}What is the {extreme} total cost until only "
                                   "one is left?", result="the {extreme} total cost",
                           cell="best[i][j] = @pick@(best[i][k] + best[k][j] + (sums[k] - sums[i]) * (sums[j] - "
                                "sums[k]) for k in "
                                "range(i + 1, j)) + @F@", new="x + y", price="x * y + @F@", slow="@join@"),
            "larger": opt(1, goal="Two neighbours can be merged into one {one}. Its {value} is the larger of the "
                                  "two, and the "
                                  "merge costs their product. {Ring}What is the {extreme} total cost until only one "
                                  "is left?", result="the {extreme} total cost",
                          prepare="high = [[max(a[i:j], default=0) for j in range(n + 1)] for i in range(n + 1)]",
                          cell="best[i][j] = @pick@(best[i][k] + best[k][j] + high[i][k] * high[k][j] for k in "
                               "range(i + 1, j))",
                          new="max(x, y)", price="x * y", slow="@join@"),
        },
        "way": {
            "least": opt(0, extreme="smallest", pick="min",
                         join="@lru_cache(None)\ndef best(items):\n    if len(items) == 1:\n        return 0\n    "
                              "found = []\n"
                              "    for i in range(len(items) - (not @ringed@ or len(items) == 2)):\n        x, y = "
                              "items[i], "
                              "items[(i + 1) % len(items)]\n        if i + 1 < len(items):\n            rest = "
                              "items[:i] + "
                              "(@new@,) + items[i + 2:]\n        else:\n            rest = (@new@,) + items[1:-1]\n  "
                              "      "
                              "found.append(@price@ + best(rest))\n    return @pick@(found)\nreturn best(tuple(a))"),
            "most": opt(0, extreme="largest", pick="max",
                        join="@lru_cache(None)\ndef best(items):\n    if len(items) == 1:\n        return 0\n    "
                             "found = []\n"
                             "    for i in range(len(items) - (not @ringed@ or len(items) == 2)):\n        x, y = "
                             "items[i], "
                             "items[(i + 1) % len(items)]\n        if i + 1 < len(items):\n            rest = "
                             "items[:i] + "
                             "(@new@,) + items[i + 2:]\n        else:\n            rest = (@new@,) + items[1:-1]\n   "
                             "     "
                             "found.append(@price@ + best(rest))\n    return @pick@(found)\nreturn best(tuple(a))"),
        },
        "ring": {
            "line": opt(0, Ring="", size="n", end="best[0][n]", ringed="False"),
            "ring": opt(2, Ring="They form a circle, so that the last is also a neighbour of the first (as long as "
                                "there are more than two). ", ring="count = len(a)\na = a + a", size="count",
                        end="@pick@(best[i][i + count] for i in range(count))", ringed="True"),
        },
    },
    params={"F": (1, 10, 50)},
    small=9,
    large=70,
)  # fmt: skip

KERNELS = (_PACKING, _RISING, _ALIGN, _NEIGHBOURS)
