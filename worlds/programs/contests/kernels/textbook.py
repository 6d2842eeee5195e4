"""Kernels that every textbook has, the first rung: one idea each, a constant, and no twist."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import letters, numbers, size
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

KERNELS = (
    _NTH, _DEPTH, _BLINK, _PRIMES, _CLIMB, _PROFIT, _PAIRS, _ANAGRAM, _RUNS, _MIRROR, _SHARED, _COVERED, _CROWD,
)  # fmt: skip
