"""Kernels that every textbook has, the first rung: one idea each, a constant, and no twist."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import edges, grid, increasing, letters, numbers, size, tree
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, story

__all__ = ["KERNELS"]


def _book(name: str, topic: str, text: str, *stories: Any, **more: Any) -> Kernel:
    more = {"small": 100, "large": 2000, "bounds": ("1 ≤ n ≤ {N}",), **more}
    return Kernel(name, topic, 0, text, stories, **more)


_NTH = _book(
    "nth_largest", "sequences",
    "There are n {plural}, and a_i is the {value} of {one} i. Which {value} comes {K} places from the top if equal "
    "ones "
    "count only once, so that place 1 is the largest?",
    story(title="Podium", plural="athletes", one="athlete", value="score",
          intro="After the last event the organisers prepare the ceremony."),
    story(title="Tallest Towers", plural="towers", one="tower", value="height",
          intro="A guide to a city lists its towers by height."),
    args=(Arg("a", "ints", "the {value} of every {one}", "n"),),
    result="the {value} at place {K}, or -1 if there are fewer different ones",
    bounds=("1 ≤ n ≤ {N}", "0 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 0, draw.either(3, 10, 10**6)),),
    solution="def solve(a):\n    best = sorted(set(a), reverse=True)\n"
    "    return best[@Km@] if len(best) >= @K@ else -1\n",
    slow="def solve(a):\n    for v in a:\n        if len({w for w in a if w > v}) == @Km@:\n            return v\n"
    "    return -1\n",
    wrong=("def solve(a):\n    return sorted(a)[-@K@] if len(a) >= @K@ else -1\n",),
    params={"K": (2, 3, 4, 5)},
)  # fmt: skip
_DEPTH = _book(
    "nesting", "strings",
    "{Text} is written with the characters `(` and `)`. It is in order if every `(` is closed by a later `)`, and "
    "no `)` "
    "comes without an open `(`. The depth is the largest number of brackets that are open at the same time. Count only "
    "the depth that goes beyond {K}.",
    story(title="Russian Dolls", Text="The way in which dolls are put into each other",
          intro="A museum describes its dolls in a peculiar script."),
    story(title="Formula Check", Text="What is left of a formula without its numbers",
          intro="An old calculator gives up if formulas are nested too deeply."),
    args=(Arg("s", "text", "the brackets"),),
    result="by how much the depth exceeds {K} (0 if it does not), or -1 if the text is not in order",
    bounds=("1 ≤ length of s ≤ {N}",),
    make=lambda draw, n, picked: (_brackets(draw, n),),
    solution="def solve(s):\n    depth = most = 0\n    for c in s:\n        depth += 1 if c == '(' else -1\n"
    "        if depth < 0:\n            return -1\n        most = max(most, depth)\n"
    "    return -1 if depth else max(most - @K@, 0)\n",
    slow="def solve(s):\n    depths = [s[:i].count('(') - s[:i].count(')') for i in range(len(s) + 1)]\n"
    "    return -1 if min(depths) < 0 or depths[-1] else max(max(depths) - @K@, 0)\n",
    wrong=("def solve(s):\n    return -1 if s.count('(') != s.count(')') else max(s.count('(') - @K@, 0)\n",),
    params={"K": (0, 1, 2, 3)},
)  # fmt: skip


def _brackets(draw: Draw, n: int) -> str:
    n = size(draw, n)
    if draw.chance(0.3):
        return letters(draw, n, "()")
    found, open_ = [], 0
    for left in range(2 * n, 0, -1):
        up = open_ == 0 or (open_ < left and draw.chance(0.55))
        open_ += 1 if up else -1
        found.append("(" if up else ")")
    return "".join(found)


_BLINK = _book(
    "blinking", "numbers",
    "There are n {plural}; {one} i {does} every a_i seconds. All of them {do} now. After how many seconds will all of "
    "them {do} at the same time again? Count in units of {K} seconds, rounded up.",
    story(title="Flashing Lights", plural="lighthouses", one="lighthouse", does="flashes", do="flash",
          intro="Along a coast every light has a rhythm of its own."),
    story(title="Choir of Bells", plural="bells", one="bell", does="rings", do="ring",
          intro="The bells of a town are driven by separate clockworks."),
    args=(Arg("a", "ints", "the seconds of every {one}", "n"),),
    result="the number of units",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 24"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(4, 10, 24)),),
    solution="from math import gcd\n\ndef solve(a):\n    all_ = 1\n    for v in a:\n"
    "        all_ = all_ * v // gcd(all_, v)\n"
    "    return -(-all_ // @K@)\n",
    slow="def solve(a):\n    t = max(a)\n    while any(t % v for v in a):\n        t += max(a)\n"
    "    return (t + @Km@) // @K@\n",
    wrong=("def solve(a):\n    t = 1\n    for v in set(a):\n        t *= v\n    return -(-t // @K@)\n",),
    params={"K": (1, 2, 5, 60)}, small=8, large=8,
)  # fmt: skip
_PRIMES = _book(
    "primes_between", "numbers",
    "{Things} carry the numbers from low to high. How many of them carry a prime number that leaves the remainder 1 "
    "when "
    "divided by {K}?",
    story(title="Prime Lockers", Things="The lockers of a school",
          intro="A maths teacher gives out lockers according to a rule of her own."),
    story(title="Lucky Houses", Things="The houses on one side of an endless street",
          intro="Somebody in the town hall believes that primes bring luck."),
    args=(Arg("low", "int", "the smallest number"), Arg("high", "int", "the largest number")),
    result="how many they are",
    bounds=("1 ≤ low ≤ high ≤ 20000",),
    make=lambda draw, n, picked: _interval(draw, 20 * n),
    solution="def solve(low, high):\n    found = 0\n    for v in range(max(low, 2), high + 1):\n"
    "        d = 2\n        while d * d <= v and v % d:\n            d += 1\n"
    "        found += d * d > v and v % @K@ == 1\n"
    "    return found\n",
    slow="def solve(low, high):\n    return sum(v > 1 and v % @K@ == 1 and all(v % d for d in range(2, v))\n"
    "               for v in range(low, high + 1))\n",
    wrong=("def solve(low, high):\n    return sum(v % @K@ == 1 and all(v % d for d in range(2, v)) for v in "
    "range(low, high + 1))\n",
           "def solve(low, high):\n    return sum(v > 1 and v % @K@ == 1 and all(v % d for d in range(2, v)) for v "
           "in range(low, high))\n"),
    params={"K": (2, 3, 4, 6)}, small=60, large=1000,
)  # fmt: skip


def _interval(draw: Draw, most: int) -> tuple[int, int]:
    low = draw.integer(1, most) if draw.chance(0.7) else 1
    return low, min(20000, low + draw.below(most))


_CLIMB = _book(
    "stairs", "dynamic",
    "{Somebody} has n {steps} ahead and takes from 1 to {K} of them at a time. In how many ways can that be done, "
    "if the "
    "order counts? As the number may be huge, give its remainder modulo {MOD}.",
    story(title="Lighthouse Stairs", Somebody="A visitor", steps="steps",
          intro="It is a long way up to the lantern."),
    story(title="Stepping Stones", Somebody="A child", steps="stones",
          intro="A stream can be crossed with dry feet."),
    args=(Arg("n", "int", "the number of {steps}"),),
    result="the number of ways, modulo {MOD}",
    bounds=("1 ≤ n ≤ 1000",),
    make=lambda draw, n, picked: (draw.integer(1, min(10 * n, 1000)),),
    solution="def solve(n):\n    ways = [1]\n    for _ in range(n):\n        ways.append(sum(ways[-@K@:]) % @MOD@)\n"
    "    return ways[n]\n",
    slow="from functools import lru_cache\n\ndef solve(n):\n    ways = [1] + [0] * n\n    for i in range(n):\n"
    "        for k in range(1, @K@ + 1):\n            if i + k <= n:\n                ways[i + k] += ways[i]\n"
    "    return ways[n] % @MOD@\n",
    wrong=("def solve(n):\n    ways = [1]\n    for _ in range(n):\n        ways.append(sum(ways[-@Km@:]) % @MOD@)\n"
    "    return ways[n]\n",),
    params={"K": (2, 3, 4, 5)},
)  # fmt: skip
_PROFIT = _book(
    "one_trade", "sequences",
    "A list of n prices says what {thing} costs on each day. You may buy on one day and sell on a later one, and "
    "pay a fee "
    "of {K} for doing so. How much can you gain at most? You need not trade at all.",
    story(title="Tulip Bulbs", thing="a bulb", intro="Fortunes have been made and lost with flowers."),
    story(title="Antique Watch", thing="the watch", intro="A dealer looks back on the prices of a year."),
    args=(Arg("a", "ints", "the price on each day", "n"),),
    result="the largest gain, 0 if no trade pays",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(9, 30, 10**6)),),
    solution="def solve(a):\n    best, cheapest = 0, a[0]\n    for v in a:\n"
    "        best = max(best, v - cheapest - @K@)\n"
    "        cheapest = min(cheapest, v)\n    return best\n",
    slow="def solve(a):\n    return max([0] + [a[j] - a[i] - @K@ for i in range(len(a)) for j in range(i + 1, "
    "len(a))])\n",
    wrong=("def solve(a):\n    return max(0, max(a) - min(a) - @K@)\n",),
    params={"K": (1, 2, 5, 10)},
)  # fmt: skip
_PAIRS = _book(
    "pairs_with_sum", "searching",
    "There are n {plural}, and a_i is the {value} of {one} i. How many pairs of different {plural} have {value}s "
    "that add "
    "up to a multiple of {K}?",
    story(title="Cargo Pairs", plural="crates", one="crate", value="weight",
          intro="A crane lifts two crates at a time, and only if it can be balanced."),
    story(title="Song Pairs", plural="songs", one="song", value="length",
          intro="A station fills its programme with pairs of songs."),
    args=(Arg("a", "ints", "the {value} of every {one}", "n"),),
    result="the number of pairs",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(6, 20, 10**6)),),
    solution="def solve(a):\n    seen, found = {}, 0\n    for v in a:\n        found += seen.get(-v % @K@, 0)\n"
    "        seen[v % @K@] = seen.get(v % @K@, 0) + 1\n    return found\n",
    slow="def solve(a):\n    return sum((a[i] + a[j]) % @K@ == 0 for j in range(len(a)) for i in range(j))\n",
    wrong=("def solve(a):\n    return sum((v + w) % @K@ == 0 for v in a for w in a) // 2\n",),
    params={"K": (3, 5, 10, 60)},
)  # fmt: skip
_ANAGRAM = _book(
    "anagram", "strings",
    "Two words s and t are given. Letters may be taken out of both of them, in any number, until one is a "
    "rearrangement of "
    "the other. Taking out a letter costs {K}. What is the smallest total cost?",
    story(title="Letter Tiles", intro="Two players compare the tiles in front of them."),
    story(title="Secret Names", intro="Rumour has it that one pen name is hidden in another."),
    args=(Arg("s", "text", "the first word"), Arg("t", "text", "the second word")),
    result="the smallest total cost",
    bounds=("1 ≤ length of s and of t ≤ {N}", "the words have letters from a to z"),
    make=lambda draw, n, picked: _two_words(draw, n, "abcdefgh"),
    solution="from collections import Counter\n\ndef solve(s, t):\n    one, two = Counter(s), Counter(t)\n"
    "    return @K@ * sum(((one - two) + (two - one)).values())\n",
    slow="def solve(s, t):\n    return sum(@K@ * abs(s.count(c) - t.count(c)) for c in set(s + t))\n",
    wrong=("def solve(s, t):\n    return @K@ * len(set(s) ^ set(t))\n",),
    params={"K": (1, 2, 3, 7)},
)  # fmt: skip


def _two_words(draw: Draw, n: int, alphabet: str) -> tuple[str, str]:
    first = letters(draw, size(draw, n), alphabet)
    if draw.chance(0.4):
        return first, "".join(draw.shuffled(first[: draw.integer(1, len(first))]))
    return first, letters(draw, size(draw, n), alphabet)


_RUNS = _book(
    "long_runs", "strings",
    "{Text} is given as a word. A run is a part of equal letters that cannot be made longer. How many runs have at "
    "least "
    "{K} letters?",
    story(title="Weather Letters", Text="The weather of each day (one letter a day)",
          intro="A diary notes the weather with a single letter."),
    story(title="Bead Strings", Text="A string of beads, a letter for each colour,",
          intro="In a workshop, beads are put on strings."),
    args=(Arg("s", "text", "the word"),),
    result="the number of such runs",
    bounds=("1 ≤ length of s ≤ {N}", "s has letters from a to z"),
    make=lambda draw, n, picked: ("".join(c * draw.integer(1, 5) for c in letters(draw, size(draw, n), "abc")),),
    solution="from itertools import groupby\n\ndef solve(s):\n"
    "    return sum(len(list(run)) >= @K@ for _, run in groupby(s))\n",
    slow="def solve(s):\n    ends = [i for i in range(len(s)) if i + 1 == len(s) or s[i] != s[i + 1]]\n"
    "    return sum(j - i >= @K@ for i, j in zip([-1] + ends, ends))\n",
    wrong=("def solve(s):\n    return sum(s.count(c * @K@) for c in set(s))\n",),
    params={"K": (2, 3, 4)},
)  # fmt: skip
_MIRROR = _book(
    "mirror_words", "strings",
    "A sign s is to read the same from both ends. Changing a letter costs {K} for each step in the alphabet between "
    "the old "
    "letter and the new one. What is the smallest total cost?",
    story(title="Shop Sign", intro="The sign of a barber can be read in the mirror, too."),
    story(title="Boat Name", intro="The owner of a boat wants a name that looks the same from bow and stern."),
    args=(Arg("s", "text", "the sign"),),
    result="the smallest total cost",
    bounds=("1 ≤ length of s ≤ {N}", "s has letters from a to z"),
    make=lambda draw, n, picked: (letters(draw, size(draw, n), "abcdefghxyz"),),
    solution="def solve(s):\n    return @K@ * sum(abs(ord(s[i]) - ord(s[-1 - i])) for i in range(len(s) // 2))\n",
    slow="def solve(s):\n    twice = sum(abs(ord(a) - ord(b)) for a, b in zip(s, reversed(s)))\n"
    "    return @K@ * twice // 2\n",
    wrong=("def solve(s):\n    return @K@ * sum(a != b for a, b in zip(s, reversed(s))) // 2\n",),
    params={"K": (1, 2, 3, 10)},
)  # fmt: skip
_SHARED = _book(
    "common_order", "dynamic",
    "Two words s and t say in which order {things}. Find the longest word whose letters occur in both of them in "
    "the same "
    "order, with any letters in between. Each of its letters counts {K} points. How many points is that?",
    story(title="Two Witnesses", things="two witnesses saw the cars pass",
          intro="The police compare two statements."),
    story(title="Song Sheets", things="two singers remember the notes of a song",
          intro="A folk song has come down in two versions."),
    args=(Arg("s", "text", "the first word"), Arg("t", "text", "the second word")),
    result="{K} times the length of the longest such word",
    bounds=("1 ≤ length of s and of t ≤ {N}", "the words have letters from a to z"),
    make=lambda draw, n, picked: _two_words(draw, n, "abcd"),
    solution="def solve(s, t):\n    best = [0] * (len(t) + 1)\n    for c in s:\n        row = [0]\n"
    "        for j, d in enumerate(t):\n            row.append(best[j] + 1 if c == d else max(row[j], best[j + 1]))\n"
    "        best = row\n    return @K@ * best[-1]\n",
    slow="from functools import lru_cache\n\ndef solve(s, t):\n    @lru_cache(None)\n    def best(i, j):\n"
    "        if i == len(s) or j == len(t):\n            return 0\n        if s[i] == t[j]:\n"
    "            return 1 + best(i + 1, j + 1)\n"
    "        return max(best(i + 1, j), best(i, j + 1))\n    return @K@ * best(0, 0)\n",
    wrong=("def solve(s, t):\n    return @K@ * sum(min(s.count(c), t.count(c)) for c in set(s))\n",),
    params={"K": (1, 2, 3, 10)}, small=60, large=300,
)  # fmt: skip
_COVERED = _book(
    "covered_length", "greedy",
    "There are n {plural}; {one} i {lasts} from {from_} l_i to {from_} r_i. How long is the time at which at least "
    "one of "
    "them {lasts}? If it is below {K}, the answer is 0.",
    story(title="Exhibitions", plural="exhibitions", one="exhibition", lasts="is open", from_="hour",
          intro="A gallery is lit as long as something is on."),
    story(title="Night Guards", plural="guards", one="guard", lasts="is on duty", from_="minute",
          intro="A warehouse is guarded by people with shifts of their own."),
    args=(Arg("spans", "rows", "begin and end of every {one}", "n", "l r"),),
    result="the length of that time, or 0 if it is below {K}",
    bounds=("1 ≤ n ≤ {N}", "0 ≤ l_i < r_i ≤ 10^6"),
    make=lambda draw, n, picked: (_spans(draw, n),),
    solution="def solve(spans):\n    total = end = 0\n    for low, high in sorted(spans):\n"
    "        total += max(0, high - max(low, end))\n        end = max(end, high)\n"
    "    return total if total >= @K@ else 0\n",
    slow="def solve(spans):\n    marks = sorted({v for span in spans for v in span})\n    total = 0\n"
    "    for a, b in zip(marks, marks[1:]):\n        if any(low <= a and b <= high for low, high in spans):\n"
    "            total += b - a\n    return total if total >= @K@ else 0\n",
    wrong=("def solve(spans):\n    total = sum(high - low for low, high in spans)\n"
    "    return total if total >= @K@ else 0\n",),
    params={"K": (1, 5, 10, 20)},
)  # fmt: skip


def _spans(draw: Draw, n: int) -> list[list[int]]:
    most, found = draw.either(10, 30, 10**6), []
    for _ in range(size(draw, n)):
        low = draw.below(most)
        found.append([low, low + draw.integer(1, max(1, most // draw.either(2, 10)))])
    return [[low, min(high, 10**6)] for low, high in found if low < min(high, 10**6)] or [[0, 1]]


_CROWD = _book(
    "most_at_once", "greedy",
    "{Where} n {plural} come and go: {one} i is there from minute l_i up to, but not including, minute r_i. The "
    "room is "
    "crowded when more than {K} of them are there at the same time. What is the largest number by which it is "
    "exceeded?",
    story(title="Tea Room", Where="In a tea room,", plural="guests", one="guest", intro="There are not many chairs."),
    story(title="Boat Shed", Where="In a shed,", plural="boats", one="boat", intro="Space for boats is short in "
    "winter."),
    args=(Arg("spans", "rows", "when every {one} comes and goes", "n", "l r"),),
    result="the largest number beyond {K}, or 0 if it is never crowded",
    bounds=("1 ≤ n ≤ {N}", "0 ≤ l_i < r_i ≤ 10^6"),
    make=lambda draw, n, picked: (_spans(draw, n),),
    solution="def solve(spans):\n    there = most = 0\n"
    "    for _, change in sorted([(low, 1) for low, _ in spans] + [(high, -1) for _, high in spans]):\n"
    "        there += change\n        most = max(most, there)\n    return max(0, most - @K@)\n",
    slow="def solve(spans):\n    return max(0, max(sum(a <= low < b for a, b in spans) for low, _ in spans) - @K@)\n",
    wrong=("def solve(spans):\n    return max(0, max(sum(a <= low <= b for a, b in spans) for low, _ in spans) - "
    "@K@)\n",),
    params={"K": (1, 2, 3, 4)},
)  # fmt: skip
_OUT_OF_ORDER = _book(
    "out_of_order", "counting",
    "{Things} stand in a row; the i-th one has the number a_i. A pair is out of order if the one that stands "
    "farther left "
    "has a number that is larger by at least {K}. How many pairs are out of order?",
    story(title="Bookshelf", Things="The volumes of an encyclopedia", intro="After a move, nothing is where it was."),
    story(title="School Photo", Things="Children of different heights", intro="The photographer is getting impatient."),
    args=(Arg("a", "ints", "the numbers from left to right", "n"),),
    result="the number of pairs out of order",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(4, 12, 10**6)),),
    solution="from bisect import bisect_left, insort\n\ndef solve(a):\n    seen, found = [], 0\n    for v in a:\n"
    "        found += len(seen) - bisect_left(seen, v + @K@)\n        insort(seen, v)\n    return found\n",
    slow="def solve(a):\n    return sum(a[i] - a[j] >= @K@ for j in range(len(a)) for i in range(j))\n",
    wrong=("def solve(a):\n    return sum(v - w >= @K@ for v, w in zip(a, a[1:]))\n",),
    params={"K": (1, 2, 3, 5)},
)  # fmt: skip
_ISLANDS = _book(
    "islands", "graphs",
    "The map is a grid: `#` is {land} and `.` is {water}. Fields with `#` belong together if one can walk from one "
    "to the "
    "other over `#` up, down, left and right. How many such groups have at least {K} fields?",
    story(title="Archipelago", land="land", water="water", intro="A cartographer counts islands on an old chart."),
    story(title="Mould", land="mould", water="clean bread", intro="A biologist photographs a slice of bread every "
    "day."),
    args=(Arg("rows", "grid", "the rows of the map, from top to bottom", "h"),),
    result="the number of groups",
    bounds=("1 ≤ height, width ≤ 40",),
    make=lambda draw, n, picked: (_map(draw, n),),
    solution="def solve(rows):\n    left = {(i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if c == "
    "'#'}\n"
    "    found = 0\n    while left:\n        waiting, count = [left.pop()], 0\n        while waiting:\n"
    "            i, j = waiting.pop()\n            count += 1\n"
    "            for place in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):\n                if place in left:\n"
    "                    left.remove(place)\n                    waiting.append(place)\n"
    "        found += count >= @K@\n    return found\n",
    slow="def solve(rows):\n    group = {(i, j): (i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if "
    "c == '#'}\n"
    "    changed = True\n    while changed:\n        changed = False\n        for i, j in group:\n"
    "            for other in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):\n"
    "                if other in group and group[other] < group[i, j]:\n"
    "                    group[i, j] = group[other]\n                    changed = True\n"
    "    names = list(group.values())\n    return sum(names.count(name) >= @K@ for name in set(names))\n",
    wrong=("def solve(rows):\n    return sum(row.count('#' * @K@) for row in rows)\n",),
    params={"K": (1, 2, 3, 4)}, small=20, large=40,
)  # fmt: skip


def _map(draw: Draw, n: int) -> list[str]:
    most = max(1, min(n, 40))
    rows, cols = draw.integer(max(1, most // 2), most), draw.integer(max(1, most // 2), most)
    return ["".join(row) for row in grid(draw, rows, cols, [("#", draw.either(0.3, 0.5, 0.7))])]


_COINS = _book(
    "fewest_coins", "dynamic",
    "{Where} there are coins of n different values, as many of each as one likes. Pay exactly x with as few coins as "
    "possible. Each coin costs a fee of {K}. How much are the fees?",
    story(title="Foreign Coins", Where="In a country far away,", intro="The currency takes some getting used to."),
    story(title="Arcade Tokens", Where="In an arcade,", intro="The machines take tokens only."),
    args=(Arg("a", "ints", "the values of the coins", "n"), Arg("x", "int", "the sum to pay")),
    result="the smallest sum of fees, or -1 if x cannot be paid",
    bounds=("1 ≤ n ≤ 12", "1 ≤ a_i ≤ 500", "0 ≤ x ≤ 500"),
    make=lambda draw, n, picked: (
        increasing(draw, draw.integer(1, min(n, 12)), 1, draw.either(9, 30)), draw.below(min(8 * n, 500)),
    ),
    solution="def solve(a, x):\n    fewest = [0]\n    for v in range(1, x + 1):\n"
    "        fewest.append(min((fewest[v - c] + 1 for c in a if c <= v), default=x + 1))\n"
    "    return @K@ * fewest[x] if fewest[x] <= x else -1\n",
    slow="def solve(a, x):\n    sums, count = {0}, 0\n    while x not in sums:\n"
    "        sums = {s + c for s in sums for c in a if s + c <= x}\n"
    "        count += 1\n        if not sums:\n            return -1\n    return @K@ * count\n",
    wrong=("def solve(a, x):\n    count = 0\n    for c in sorted(a, reverse=True):\n        count += x // c\n"
    "        x %= c\n"
           "    return -1 if x else @K@ * count\n",),
    params={"K": (1, 2, 3, 5)}, small=40, large=60,
)  # fmt: skip
_CIRCLE = _book(
    "counting_out", "simulation",
    "n {plural} stand in a circle, numbered 1 to n. Counting begins at number 1 and goes round, up to {K}: the "
    "one who is counted last leaves, and counting begins again with the next one. Which number is left in the end?",
    story(title="Counting Rhyme", plural="children", intro="Somebody has to be it."),
    story(title="Last Candle", plural="candles", intro="On a birthday cake, candles are blown out by a rule."),
    args=(Arg("n", "int", "how many there are"),),
    result="the number of the last one",
    bounds=("1 ≤ n ≤ 2000",),
    make=lambda draw, n, picked: (draw.integer(1, min(20 * n, 2000)),),
    solution="def solve(n):\n    last = 0\n    for size in range(2, n + 1):\n        last = (last + @K@) % size\n"
    "    return last + 1\n",
    slow="def solve(n):\n    circle = list(range(1, n + 1))\n    at = 0\n    while len(circle) > 1:\n"
    "        at = (at + @Km@) % len(circle)\n        del circle[at]\n    return circle[0]\n",
    wrong=("def solve(n):\n    last = 0\n    for size in range(2, n + 1):\n        last = (last + @Km@) % size\n"
    "    return last + 1\n",),
    params={"K": (2, 3, 4, 5, 7)},
)  # fmt: skip
_GROUPS = _book(
    "circles_of_friends", "graphs",
    "There are n {plural}, numbered 1 to n, and {links} between some of them. Two of them are in the same circle if "
    "a chain "
    "of {links} leads from one to the other. How many circles have at least {K} members?",
    story(title="Pen Friends", plural="people", links="friendships", intro="Letters travel from friend to friend."),
    story(title="Cave Maps", plural="caves", links="passages", intro="Cavers have mapped a mountain."),
    args=(Arg("n", "int", "the number of {plural}"), Arg("links", "rows", "the ends of each of the "
    "{links}", "m", "u v")),
    result="the number of circles",
    bounds=("2 ≤ n ≤ {N}", "1 ≤ m ≤ 2n", "1 ≤ u_i, v_i ≤ n, u_i ≠ v_i"),
    make=lambda draw, n, picked: _network(draw, n),
    solution="def solve(n, links):\n    boss = list(range(n + 1))\n\n    def find(v):\n        while boss[v] != v:\n"
    "            boss[v] = boss[boss[v]]\n            v = boss[v]\n        return v\n\n    for u, v in links:\n"
    "        boss[find(u)] = find(v)\n    sizes = {}\n    for v in range(1, n + 1):\n"
    "        sizes[find(v)] = sizes.get(find(v), 0) + 1\n    return sum(size >= @K@ for size in sizes.values())\n",
    slow="def solve(n, links):\n    group = {v: {v} for v in range(1, n + 1)}\n    for u, v in links:\n"
    "        both = group[u] | group[v]\n        for w in both:\n            group[w] = both\n"
    "    return len({min(g) for g in group.values() if len(g) >= @K@})\n",
    wrong=("def solve(n, links):\n    near = {v: {v} for v in range(1, n + 1)}\n    for u, v in links:\n"
    "        near[u].add(v)\n"
           "        near[v].add(u)\n    return len({min(g) for g in near.values() if len(g) >= @K@})\n",),
    params={"K": (1, 2, 3, 4)},
)  # fmt: skip


def _network(draw: Draw, n: int) -> tuple[int, list[list[int]]]:
    n = max(2, size(draw, n))
    found = edges(draw, n, draw.integer(1, max(1, draw.either(n // 3, n - 1, 2 * n))))
    return n, [list(pair) for pair in found] or [[1, 2]]


_FAMILY = _book(
    "far_from_the_root", "trees",
    "A {tree} consists of n {plural}, numbered 1 to n, and n - 1 {links} between them, such that there is exactly "
    "one way "
    "from any of them to any other. How many {plural} are at least {K} {links} away from number 1?",
    story(title="River Springs", tree="river", plural="forks", links="arms", intro="Salmon swim up from the mouth "
    "of a river."),
    story(title="Chain of Command", tree="company", plural="people", links="reporting lines",
          intro="In a large company, news takes its time."),
    args=(Arg("n", "int", "the number of {plural}"),
          Arg("links", "rows", "the ends of each of the {links}", "n - 1", "u v")),
    result="how many they are",
    bounds=("2 ≤ n ≤ {N}", "1 ≤ u_i, v_i ≤ n"),
    make=lambda draw, n, picked: _rooted(draw, n),
    solution="def solve(n, links):\n    near = [[] for _ in range(n + 1)]\n    for u, v in links:\n"
    "        near[u].append(v)\n"
    "        near[v].append(u)\n    far = {1: 0}\n    waiting = [1]\n    for v in waiting:\n        for w in near[v]:\n"
    "            if w not in far:\n                far[w] = far[v] + 1\n                waiting.append(w)\n"
    "    return sum(d >= @K@ for d in far.values())\n",
    slow="def solve(n, links):\n    there = {1}\n    for _ in range(@Km@):\n"
    "        there |= {v for u, v in links if u in there} | {u for u, v in links if v in there}\n"
    "    return n - len(there)\n",
    wrong=("def solve(n, links):\n    there = {1}\n    for _ in range(@K@):\n"
           "        there |= {v for u, v in links if u in there} | {u for u, v in links if v in there}\n"
           "    return n - len(there)\n",),
    params={"K": (2, 3, 4, 5)},
)  # fmt: skip


def _rooted(draw: Draw, n: int) -> tuple[int, list[list[int]]]:
    n = max(2, size(draw, n))
    return n, [list(pair) for pair in tree(draw, n)]


_WATER = _book(
    "rain_water", "sequences",
    "A row of n {walls} is seen from the side: the i-th one is 1 wide and a_i high. After a long rain, water stands "
    "wherever "
    "it cannot run off to the left or right. Water that is less than {K} deep dries up. How much is left?",
    story(title="Roof Garden", walls="planters", intro="A roof is covered with planters of different heights."),
    story(title="Sand Castle", walls="towers", intro="It is raining on the beach."),
    args=(Arg("a", "ints", "the heights from left to right", "n"),),
    result="the amount of water left",
    bounds=("1 ≤ n ≤ {N}", "0 ≤ a_i ≤ 10^6"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 0, draw.either(4, 9, 10**6)),),
    solution="def solve(a):\n    left, most = [], 0\n    for v in a:\n        most = max(most, v)\n"
    "        left.append(most)\n"
    "    total = most = 0\n    for v, l in zip(reversed(a), reversed(left)):\n        most = max(most, v)\n"
    "        deep = min(l, most) - v\n        total += deep if deep >= @K@ else 0\n    return total\n",
    slow="def solve(a):\n    deep = [min(max(a[:i + 1]), max(a[i:])) - a[i] for i in range(len(a))]\n"
    "    return sum(d for d in deep if d >= @K@)\n",
    wrong=("def solve(a):\n    return sum(d for d in (min(a[0], a[-1]) - v for v in a) if d >= @K@)\n",),
    params={"K": (1, 2, 3)},
)  # fmt: skip
_NUMERALS = _book(
    "roman", "strings",
    "{Text} is written in Roman numerals (I = 1, V = 5, X = 10, L = 50, C = 100, D = 500, M = 1000; a smaller one "
    "before a "
    "larger one is subtracted). Which year is {K} years later?",
    story(title="Cornerstone", Text="The year on a cornerstone", intro="An old house has been restored."),
    story(title="Film Credits", Text="The year at the end of a film", intro="Films give the year of their making in "
    "an odd way."),
    args=(Arg("s", "text", "the numeral"),),
    result="the year in ordinary digits",
    bounds=("1 ≤ the year on it ≤ 3999",),
    make=lambda draw, n, picked: (_roman(draw.integer(1, min(3999, 40 * n + 60))),),
    solution="def solve(s):\n    worth = {'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}\n"
    "    year = 0\n"
    "    for c, after in zip(s, s[1:] + 'I'):\n        year += -worth[c] if worth[c] < worth[after] else worth[c]\n"
    "    return year + @K@\n",
    slow="def solve(s):\n    for two, four in (('IV', 'IIII'), ('IX', 'VIIII'), ('XL', 'XXXX'), ('XC', 'LXXXX'), "
    "('CD', 'CCCC'), ('CM', 'DCCCC')):\n"
    "        s = s.replace(two, four)\n"
    "    return @K@ + sum(s.count(c) * w for c, w in zip('IVXLCDM', (1, 5, 10, 50, 100, 500, 1000)))\n",
    wrong=("def solve(s):\n    return @K@ + sum(s.count(c) * w for c, w in zip('IVXLCDM', (1, 5, 10, 50, 100, 500, "
    "1000)))\n",),
    params={"K": (1, 10, 25, 100)},
)  # fmt: skip


def _roman(year: int) -> str:
    found = ""
    for worth, text in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    ):
        found, year = found + text * (year // worth), year % worth
    return found


_FIELD = _book(
    "field_area", "geometry",
    "{Thing} is a polygon whose sides do not cross. Its n corners are given in order, in metres. {Need} if {one} is "
    "enough "
    "for {K} square metres, and only whole ones can be had?",
    story(title="Village Green", Thing="The green of a village", Need="How many bags of seed does it take", one="a bag",
          intro="A village sows new grass on its green after the fair."),
    story(title="Salvage Area", Thing="The area that divers search", Need="How many dives does it take", one="a dive",
          intro="A wreck lies somewhere under the buoys."),
    args=(Arg("corners", "rows", "the coordinates of the corners", "n", "x y"),),
    result="how many it takes",
    bounds=("3 ≤ n ≤ {N}", "-10^6 ≤ x_i, y_i ≤ 10^6"),
    make=lambda draw, n, picked: (_polygon(draw, n),),
    solution="def solve(corners):\n    twice = 0\n    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):\n"
    "        twice += a * d - b * c\n    return -(-abs(twice) // @K2@)\n",
    slow="def solve(corners):\n    x, y = corners[0]\n    twice = 0\n"
    "    for (a, b), (c, d) in zip(corners[1:], corners[2:]):\n"
    "        twice += (a - x) * (d - y) - (b - y) * (c - x)\n    return -(-abs(twice) // @K2@)\n",
    wrong=("def solve(corners):\n    twice = 0\n    for (a, b), (c, d) in zip(corners, corners[1:]):\n"
           "        twice += a * d - b * c\n    return -(-abs(twice) // @K2@)\n",),
    params={"K": (2, 5, 10, 20)},
)  # fmt: skip


def _polygon(draw: Draw, n: int) -> list[list[int]]:
    """Draw the border of a row of columns of different heights."""
    count = max(2, size(draw, n) // 2)
    xs = increasing(draw, count, -count * 3, count * 3)
    low = [-draw.integer(1, 9) for _ in xs]
    high = [draw.integer(1, 9) for _ in xs]
    corners = [[x, y] for x, y in zip(xs, low, strict=True)] + [[x, y] for x, y in zip(xs, high, strict=True)][::-1]
    corners = corners[::-1] if draw.chance(0.5) else corners
    cut = draw.below(len(corners))
    dx, dy = draw.integer(-50, 50), draw.integer(-50, 50)
    return [[x + dx, y + dy] for x, y in corners[cut:] + corners[:cut]]


_STONES = _book(
    "taking_stones", "games",
    "There are n heaps of {stones}; heap i has a_i. Two players take turns: whoever is to move takes from 1 to {K} "
    "{stones} "
    "from one heap. Whoever takes the last one of all wins. On how many of the heaps can the first player make a "
    "move after "
    "which the other one loses, if both play as well as possible?",
    story(title="Beach Game", stones="pebbles", intro="There is nothing else to do on this beach."),
    story(title="Waiting Room", stones="matches", intro="Two people wait for a late train."),
    args=(Arg("a", "ints", "the sizes of the heaps", "n"),),
    result="the number of such heaps, 0 if the first player loses",
    bounds=("1 ≤ n ≤ {N}", "1 ≤ a_i ≤ 300"),
    make=lambda draw, n, picked: (numbers(draw, size(draw, n), 1, draw.either(4, 9, 20, 300)),),
    solution="def solve(a):\n    rests = [v % @K1@ for v in a]\n    all_ = 0\n    for r in rests:\n        all_ ^= r\n"
    "    if not all_:\n        return 0\n    found = 0\n    for v, r in zip(a, rests):\n"
    "        found += any((v - t) % @K1@ == r ^ all_ for t in range(1, min(v, @K@) + 1))\n    return found\n",
    slow="def solve(a):\n    worth = [0]\n    for v in range(1, max(a) + 1):\n        below = worth[-@K@:]\n"
    "        worth.append(next(g for g in range(v + 1) if g not in below))\n    found = 0\n"
    "    for i, v in enumerate(a):\n"
    "        others = 0\n        for j, w in enumerate(a):\n            others ^= worth[w] if i != j else 0\n"
    "        found += others in worth[:v][-@K@:]\n    return found\n",
    wrong=("def solve(a):\n    all_ = 0\n    for v in a:\n        all_ ^= v\n"
    "    return sum(v ^ all_ < v for v in a)\n",),
    params={"K": (1, 2, 3, 4)},
)  # fmt: skip

KERNELS = (
    _NTH, _DEPTH, _BLINK, _PRIMES, _CLIMB, _PROFIT, _PAIRS, _ANAGRAM, _RUNS, _MIRROR, _SHARED, _COVERED, _CROWD,
    _OUT_OF_ORDER, _ISLANDS, _COINS, _CIRCLE, _GROUPS, _FAMILY, _WATER, _NUMERALS, _FIELD, _STONES,
)  # fmt: skip
