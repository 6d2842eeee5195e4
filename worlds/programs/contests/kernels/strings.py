"""Kernels on words: borders and periods, palindromes, brackets, windows of letters."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.inputs import letters, size
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _word(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    if picked.get("hard"):
        return ("a" * (n - 1) + "b",)
    return (letters(draw, size(draw, n), draw.either("a", "ab", "ab", "abc", "abcdefgh")),)


_BORDERS = Kernel(
    "borders", "strings", 2,
    "{Thing} is written as a word s of n lower-case letters. {goal}",
    (
        story(title="Wallpaper", Thing="The pattern of a wallpaper",
              intro="A restorer finds a strip of old wallpaper."),
        story(title="Radio Beacon", Thing="The signal of a beacon", intro="A beacon in the desert has been sending "
                                                            "for weeks."),
        story(title="Knitting", Thing="A row of a pullover", intro="A knitting pattern has lost its first page."),
        story(title="Birdsong", Thing="The song of a bird", intro="An ornithologist codes every note as a letter."),
    ),
    (Arg("s", "text", "the word"),),
    "{result}",
    ("1 ≤ n ≤ {N}",),
    _word,
    """
def solve(s):
    n = len(s)
    border = [0] * (n + 1)
    border[0] = -1
    k = -1
    for i in range(n):
        while k >= 0 and s[k] != s[i]:
            k = border[k]
        k += 1
        border[i + 1] = k
    @code@
""",
    "def solve(s):\n    n = len(s)\n    @slow@\n",
    (
        "def solve(s):\n    n = len(s)\n    k = n // 2\n    while k and s[:k] != s[n - k:]:\n        k -= 1\n    "
        "return @guess@\n",
        "def solve(s):\n    n = len(s)\n    k = 0\n    while k < n - 1 and s[k] == s[n - 1 - k]:\n        k += 1\n   "
        " return @guess@\n",
    ),
    choices={
        "goal": {
            "period": opt(0, goal="A number p from 1 to n is a period if every letter is equal to the one p places "
                                  "before it (as far as "
                                  "there is one).", result="the smallest period", code="return n - border[n]",
                                  guess="n - k",
                          slow="return next(p for p in range(1, n + 1) if all(s[i] == s[i - p] for i in range(p, n)))"),
            "repeat": opt(0, goal="s is to be written as a shorter word, repeated as often as possible (a whole "
                                  "number of times).",
                          result="the largest number of repetitions", guess="n // max(1, n - k)",
                          code="p = n - border[n]\nreturn n // p if n % p == 0 else 1",
                          slow="return max(k for k in range(1, n + 1) if n % k == 0 and s[:n // k] * k == s)"),
            "prefixes": opt(1, goal="For each prefix of s (s itself included), count at how many places of s it "
                                    "occurs; occurrences may "
                                    "overlap.", result="the sum of these counts", guess="n + k",
                            code="count = [0] + [1] * n\nfor i in range(n, 0, -1):\n    if border[i] > 0:\n        "
                                 "count[border[i]] += "
                                 "count[i]\nreturn sum(count)",
                            slow="return sum(s.startswith(s[:k], i) for k in range(1, n + 1) for i in range(n))"),
            "both": opt(1, goal="A word is a frame of s if s begins with it and ends with it (it may be s itself, "
                                "and the two may overlap). "
                                "The strength of a frame is its length times the number of its occurrences in s, "
                                "which may overlap.",
                        result="the sum of the strengths of all frames", guess="n + 2 * k",
                        code="count = [0] + [1] * n\nfor i in range(n, 0, -1):\n    if border[i] > 0:\n        "
                             "count[border[i]] += count[i]\n"
                             "total, k = 0, n\nwhile k > 0:\n    total += k * count[k]\n    k = border[k]\nreturn "
                             "total",
                        slow="return sum(k * sum(s.startswith(s[:k], i) for i in range(n)) for k in range(1, n + 1) if "
                             "s.endswith(s[:k]))"),
            "inner": opt(2, goal="We look for the longest word that s begins with, that s ends with, and that also "
                                 "occurs somewhere in "
                                 "between, neither at the beginning nor at the end; occurrences may overlap.",
                         result="the length of that word, or 0 if there is none", guess="k",
                         code="longest = max(border[1:n], default=0)\nk = border[n]\nwhile k > longest:\n    k = "
                              "border[k]\nreturn max(k, 0)",
                         slow="return max((k for k in range(1, n) if s.endswith(s[:k]) and any(s.startswith(s[:k], "
                              "i) for i in range(1, n "
                              "- k))), default=0)"),
            "apart": opt(3, goal="For each prefix of s (s itself included), count the frames of the prefix that do "
                                 "not overlap: words of at "
                                 "most half its length with which it both begins and ends.",
                         result="the product of (c + 1) over all these counts c, modulo {MOD}", guess="k + 1",
                         code="depth = [0] * (n + 1)\nfor i in range(1, n + 1):\n    depth[i] = depth[border[i]] + 1 "
                              "if border[i] >= 0 else 0\n"
                              "result, k = 1, 0\nfor i in range(1, n):\n    while k and s[k] != s[i]:\n        k = "
                              "border[k]\n    k += s[k] == "
                              "s[i]\n    while 2 * k > i + 1:\n        k = border[k]\n    result = result * "
                              "(depth[k] + 1) % @MOD@\nreturn "
                              "result",
                         slow="result = 1\nfor i in range(1, n + 1):\n    c = sum(s[:k] == s[i - k:i] for k in "
                              "range(1, i // 2 + 1))\n    "
                              "result = result * (c + 1) % @MOD@\nreturn result"),
        },
    },
    small=200,
    large=20_000,
)  # fmt: skip

_PALINDROMES = Kernel(
    "palindromes", "strings", 3,
    "{Thing} is written as a word s of n lower-case letters. A mirror word is one that reads the same in both "
    "directions. {goal}",
    (
        story(title="Necklace", Thing="A row of beads", intro="A jeweller loves symmetry."),
        story(title="Banner", Thing="The text of a banner", intro="A banner hangs over the street and is read from "
                                                            "both sides."),
        story(title="Crystal", Thing="The sequence of the layers of a crystal",
             intro="A crystal has grown under changing conditions."),
        story(title="Facade", Thing="The sequence of the windows of a facade", intro="An architect of the old school "
                                                            "inspects a facade."),
    ),
    (Arg("s", "text", "the word"),),
    "{result}",
    ("1 ≤ n ≤ {N}",),
    _word,
    """
def solve(s):
    n = len(s)
    t = "|" + "|".join(s) + "|"
    radius = [0] * len(t)
    centre = right = 0
    for i in range(len(t)):
        r = min(right - i, radius[2 * centre - i]) if i < right else 0
        while i - r - 1 >= 0 and i + r + 1 < len(t) and t[i - r - 1] == t[i + r + 1]:
            r += 1
        radius[i] = r
        if i + r > right:
            centre, right = i, i + r
    @code@
""",
    """
def solve(s):
    n = len(s)
    found = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if s[i:j] == s[i:j][::-1]]
    @slow@
""",
    (
        "def solve(s):\n    best = count = 0\n    for i in range(len(s)):\n        r = 0\n        while i - r >= 0 "
        "and i + r < len(s) and s[i - "
        "r] == s[i + r]:\n            r += 1\n        best = max(best, 2 * r - 1)\n        count += r\n    return "
        "@guess@\n",
    ),
    choices={
        "goal": {
            "longest": opt(0, goal="Look for the longest mirror word among the words that consist of consecutive "
                                   "letters of s.",
                           result="its length", code="return max(radius)", slow="return max(j - i for i, j in found)",
                               guess="best"),
            "count": opt(0, goal="How many pairs i ≤ j are there such that the letters from place i to place j form "
                                 "a mirror word?",
                         result="the number of pairs", code="return sum((r + 1) // 2 for r in radius)",
                             slow="return len(found)",
                         guess="count"),
            "ends": opt(1, goal="For each place i from 1 to n, let c_i be the number of mirror words of consecutive "
                                "letters that cover the "
                                "place i.", result="the sum of i · c_i over all i, modulo {MOD}", guess="count",
                        code="change = [0] * (n + 2)\nslope = [0] * (n + 3)\nfor i, r in enumerate(radius):\n    k = "
                             "(r + 1) // 2\n    if not "
                             "k:\n        continue\n    left = (i + 1) // 2 - k\n    right = i // 2\n    # counts "
                             "rise from left to the middle "
                             "and fall again\n    slope[left] += 1\n    slope[left + k] -= 1\n    slope[right + 1] "
                             "-= 1\n    slope[right + 1 + "
                             "k] += 1\ntotal = here = step = 0\nfor i in range(n):\n    step += slope[i]\n    here "
                             "+= step\n    total += (i + 1) * "
                             "here\nreturn total % @MOD@",
                        slow="return sum(i + 1 for a, b in found for i in range(a, b)) % @MOD@"),
            "lengths": opt(1, goal="Every mirror word of consecutive letters, at each place where it occurs, is cut "
                                   "out and put on a shelf.",
                           result="the sum of the lengths of everything on the shelf, modulo {MOD}", guess="count",
                           code="total = 0\nfor i, r in enumerate(radius):\n    k = (r + 1) // 2\n    total += k * k "
                                "+ (k if i % 2 == 0 else "
                                "0)\nreturn total % @MOD@", slow="return sum(j - i for i, j in found) % @MOD@"),
            "two": opt(2, goal="Choose two mirror words of consecutive letters of s that do not overlap and lie "
                               "directly side by side, the "
                               "second beginning where the first ends.",
                       result="the largest possible length of both together, or 0 if that is impossible (as for n = 1)",
                           guess="best + 1",
                       code="ends, starts = [0] * (n + 2), [0] * (n + 2)\nfor i, r in enumerate(radius):\n    if "
                            "r:\n        left, right = (i - r) "
                            "// 2, (i + r) // 2\n        ends[right] = max(ends[right], r)\n        starts[left] = "
                            "max(starts[left], r)\nfor i in "
                            "range(n, 0, -1):\n    ends[i] = max(ends[i], ends[i + 1] - 2)\nfor i in range(1, n):\n  "
                            "  starts[i] = max(starts[i], "
                            "starts[i - 1] - 2)\nreturn max((ends[i] + starts[i] for i in range(1, n) if ends[i] > 0 "
                            "and starts[i] > 0), "
                            "default=0)",
                       slow="return max((j - i + q - j for i, j in found for p, q in found if p == j), default=0)"),
        },
    },
    small=150,
    large=20_000,
)  # fmt: skip


def _brackets(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    kinds = "ab" if picked["kinds"] == "one" else "abcd"
    if picked.get("hard"):
        return ("a" * (n // 4) + "ab" * (n // 4) + "b" * (n // 4),)
    word: list[str] = []
    depth: list[str] = []
    for _ in range(n):
        if depth and draw.chance(draw.either(0.3, 0.5, 0.6)):
            mark = depth.pop()
        else:
            mark = draw.choice(kinds[::2])
            depth.append({"a": "b", "c": "d"}[mark])
        word.append(mark if draw.chance(0.93) else draw.choice(kinds))
    return ("".join(word),)


_BRACKETS = Kernel(
    "brackets", "strings", 2,
    "{Log} is written as a word s of n letters: {letters}. A word is tidy if it can be read as correct brackets: it "
    "is empty, or {rule}, "
    "or two tidy words one after the other. {goal}",
    (
        story(title="Doors", Log="The log of a night watchman",
             intro="Every night, a watchman opens doors and locks them again behind him."),
        story(title="Stacked Trays", Log="A shift in a canteen", intro="Trays are put on piles and taken off again."),
        story(title="Nested Calls", Log="The trace of a program", intro="A profiler has recorded the calls of a "
                                                            "program, but some entries "
             "are lost."),
        story(title="Parentheses", Log="A formula without its numbers", intro="A typesetter has dropped a formula."),
    ),
    (Arg("s", "text", "the word"),),
    "{result}",
    ("1 ≤ n ≤ {N}",),
    _brackets,
    """
PAIR = {"a": "b", "c": "d"}

def solve(s):
    stack, match = [], {}
    @start@
    for i, mark in enumerate(s):
        @step@
    return @end@
""",
    """
PAIR = {"a": "b", "c": "d"}

def tidy(word):
    while "ab" in word or "cd" in word:
        word = word.replace("ab", "").replace("cd", "")
    return not word

def solve(s):
    n = len(s)
    found = [(i, j) for i in range(n) for j in range(i + 2, n + 1) if tidy(s[i:j])]
    @slow@
""",
    (
        "def solve(s):\n    depth = extra = 0\n    for c in s:\n        if c in 'ac':\n            depth += 1\n      "
        "  elif depth:\n            "
        "depth -= 1\n        else:\n            extra += 1\n    return @guess@\n",
        "def solve(s):\n    return 2 * min(s.count('a'), s.count('b')) + 2 * min(s.count('c'), s.count('d'))\n",
    ),
    choices={
        "kinds": {
            "one": opt(0, letters="a opens, b closes", rule="an a, a tidy word and a b"),
            "two": opt(1, letters="a and c open, b closes an a, and d closes a c",
                       rule="an a, a tidy word and a b, or a c, a tidy word and a d"),
        },
        "goal": {
            "longest": opt(0, goal="How long is the longest tidy word of consecutive letters of s?",
            guess="len(s) - depth - extra",
                           result="its length (0 if there are only empty ones)", start="best, bottom = 0, -1",
                           step="if mark in PAIR:\n    stack.append(i)\nelif stack and PAIR[s[stack[-1]]] == mark:\n "
                                "   stack.pop()\n    best = "
                                "max(best, i - (stack[-1] if stack else bottom))\nelse:\n    stack, bottom = [], i",
                           end="best", slow="return max((j - i for i, j in found), default=0)"),
            "count": opt(1, goal="How many pairs i < j are there such that the letters from place i to place j form "
                                 "a tidy word?",
                         guess="(len(s) - depth - extra) // 2", result="the number of pairs",
                             start="total, ending = 0, [0] * (len(s) + 1)",
                         step="if mark in PAIR:\n    stack.append(i)\nelif stack and PAIR[s[stack[-1]]] == mark:\n   "
                              " j = stack.pop()\n    "
                              "ending[i + 1] = ending[j] + 1\n    total += ending[i + 1]\nelse:\n    stack = []",
                         end="total", slow="return len(found)"),
            "worth": opt(2, goal="The worth of an inner pair ab or cd is {V}; a tidy word around which a pair is put "
                                 "is worth {W} times as much "
                                 "as before, plus {V}; the worth of two tidy words one after the other is the sum. "
                                 "What is the worth of the "
                                 "longest tidy prefix of s (0 for the empty word)?", guess="(len(s) - depth - extra) "
                                                            "// 2 * @V@",
                         result="the worth, modulo {MOD}", start="levels, last, whole = [0], 0, True",
                         step="if not whole:\n    continue\nif mark in PAIR:\n    stack.append(mark)\n    "
                              "levels.append(0)\nelif stack and "
                              "PAIR[stack[-1]] == mark:\n    stack.pop()\n    inner = levels.pop()\n    levels[-1] = "
                              "(levels[-1] + @W@ * inner + "
                              "@V@) % @MOD@\n    if not stack:\n        last = levels[0]\nelse:\n    whole = False",
                         end="last",
                         slow="def worth(word):\n    if not word:\n        return 0\n    k = next(k for k in "
                              "range(2, len(word) + 1, 2) if "
                              "tidy(word[:k]))\n    return worth(word[1:k - 1]) * @W@ + @V@ + worth(word[k:])\nend = "
                              "max((j for i, j in found if "
                              "not i), default=0)\nreturn worth(s[:end]) % @MOD@"),
        },
    },
    params={"V": (1, 3, 5), "W": (2, 3)},
    small=80,
    large=20_000,
)  # fmt: skip


def _letters(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    n = size(draw, n)
    alphabet = draw.either("ab", "abc", "abcd", "abcdefghijklmnopqrstuvwxyz")
    s = letters(draw, n, alphabet)
    m = draw.integer(1, max(1, min(n, draw.either(2, 3, n // 2 if n <= 60 else 5000))))
    if draw.chance(0.7):
        i = draw.below(n - m + 1)
        t = "".join(draw.shuffled(s[i : i + m]))
    else:
        t = letters(draw, m, alphabet)
    return s, t


_LETTERS = Kernel(
    "letters", "strings", 2,
    "{Long} is a word s, {short} is a word t, both of lower-case letters. {goal}",
    (
        story(title="Ransom Note", Long="A newspaper", short="a message", intro="A message is to be cut from one long "
                                                            "line of a newspaper."),
        story(title="Gene Probe", Long="A genome", short="a probe", intro="A laboratory looks for traces of a virus."),
        story(title="Word Search", Long="A line of a puzzle book", short="the hidden word",
            intro="A puzzle magazine has run out of ideas."),
        story(title="Assembly Line", Long="The sequence of parts on a belt", short="a kit",
            intro="Parts come along a belt, one letter for each "
             "type."),
    ),
    (Arg("s", "text", "the long word"), Arg("t", "text", "the short word")),
    "{result}",
    ("1 ≤ length of t ≤ length of s ≤ {N}",),
    _letters,
    """
from collections import Counter

def solve(s, t):
    missing = Counter(t)
    open_ = len(missing)
    left = 0
    @start@
    for right, c in enumerate(s):
        if c in missing:
            missing[c] -= 1
            open_ -= missing[c] == 0
            @over@
        @use@
    return @end@
""",
    """
from collections import Counter

def solve(s, t):
    n, need = len(s), Counter(t)
    @slow@
""",
    (
        "def solve(s, t):\n    return s.find(t) + 1\n",
        "def solve(s, t):\n    need, found, best = set(t), 0, -1\n    for i in range(len(s) - len(t) + 1):\n        "
        "if set(s[i : i + len(t)]) == "
        "need:\n            found += 1\n            best = len(t)\n    return @guess@\n",
    ),
    choices={
        "goal": {
            "cover": opt(0, goal="We look for the shortest stretch of consecutive letters of s from which t can be "
                                 "put together: each letter "
                                 "must occur in it at least as often as in t.", result="its length, or -1 if there "
                                                            "is none", guess="best",
                         start="best = -1", use="while not open_:\n    if best < 0 or right - left + 1 < best:\n     "
                                                "   best = right - left + 1\n"
                         "    d = s[left]\n    if d in missing:\n        open_ += missing[d] == 0\n        "
                         "missing[d] += 1\n    left += 1",
                         end="best", slow="return min((j - i for i in range(n) for j in range(i + 1, n + 1) if not "
                                          "need - Counter(s[i:j])), "
                         "default=-1)"),
            "anagrams": opt(0, goal="At how many places does a stretch of consecutive letters of s begin that has "
                                    "the same letters as t, each "
                                    "as often, in any order?", result="the number of places", guess="found",
                                    start="found = 0",
                            over="open_ += missing[c] == -1",
                            use="if right - left == len(t):\n    d = s[left]\n    left += 1\n    if d in missing:\n  "
                                "      open_ += missing[d] == "
                                "0\n        missing[d] += 1\n        open_ -= missing[d] == 0\nfound += not open_ "
                                "and right - left + 1 == len(t)",
                            end="found", slow="return sum(sorted(s[i:i + len(t)]) == sorted(t) for i in range(n - "
                                              "len(t) + 1))"),
            "stretches": opt(1, goal="How many stretches of consecutive letters of s are there from which t can be "
                                     "put together (each letter "
                                     "occurs in the stretch at least as often as in t)? Stretches at different "
                                     "places are different.",
                             result="the number of stretches", guess="found", start="found = 0",
                             use="while not open_:\n    d = s[left]\n    if d in missing:\n        open_ += "
                                 "missing[d] == 0\n        missing[d] "
                                 "+= 1\n    left += 1\nfound += left", end="found",
                             slow="return sum(not need - Counter(s[i:j]) for i in range(n) for j in range(i + 1, n + "
                                  "1))"),
            "disjoint": opt(1, goal="Cut s into stretches of consecutive letters, so that t can be put together from "
                                    "the letters of as many of them as possible (each letter occurs in the stretch at "
                                    "least as often as in t). How many can that be?",
                            result="the largest number of such stretches", guess="found", start="found = 0",
                            use="if not open_:\n    found += 1\n    missing = Counter(t)\n    open_ = len(missing)",
                                end="found",
                            slow="best = [0] * (n + 1)\nfor j in range(1, n + 1):\n    best[j] = max([best[j - 1]] + "
                                 "[best[i] + 1 for i in "
                                 "range(j) if not need - Counter(s[i:j])])\nreturn best[n]"),
        },
    },
    small=100,
    large=20_000,
)  # fmt: skip

KERNELS = (_BORDERS, _PALINDROMES, _BRACKETS, _LETTERS)
