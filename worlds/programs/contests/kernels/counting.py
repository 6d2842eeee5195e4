"""Kernels of counting: recurrences of enormous length, digits."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.kernel import Arg, Kernel, Picked, opt, story

__all__ = ["KERNELS"]


def _strip(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    if n > 60:
        return (draw.integer(10**17, 10**18),)
    return (draw.integer(1, n + 4),)


_STRIP = Kernel(
    "strip", "counting", 3,
    "{Thing} of length n is {made} from left to right out of {parts} of length 1, in {C1} colours, and {parts} of "
    "length {L1}, in {C} "
    "colours. {rule} Two ways are different if at some place there is a different {part}, or one of another colour. "
    "{goal}",
    (
        story(title="Garden Path", Thing="A path", made="paved", parts="slabs", part="slab",
            intro="A very, very long path is to be paved."),
        story(title="Endless Scarf", Thing="A scarf", made="knitted", parts="pieces", part="piece",
             intro="A club of knitters wants to break a record."),
        story(title="Goods Train", Thing="A train", made="put together", parts="waggons", part="waggon",
             intro="A toy maker dreams of an enormous train."),
        story(title="Light Chain", Thing="A chain of lights", made="built", parts="lamps", part="lamp",
             intro="A town wants to be seen from the moon."),
    ),
    (Arg("n", "int", "the length"),),
    "{result}",
    ("1 ≤ n ≤ 10^18",),
    _strip,
    """
def solve(n):
    size = @size@
    step = [[0] * size for _ in range(size)]
    @fill@

    def times(a, b):
        return [[sum(x * y for x, y in zip(row, col)) % @MOD@ for col in zip(*b)] for row in a]

    result = [[int(i == j) for j in range(size)] for i in range(size)]
    while n:
        if n & 1:
            result = times(result, step)
        step = times(step, step)
        n >>= 1
    return @end@
""",
    """
def solve(n):
    @slow@
""",
    (
        "def solve(n):\n    a, b = 1, @C1@\n    for _ in range(min(n, 10**6) - 1):\n        a, b = b, (@C1@ * b + "
        "@C@ * a) % @MOD@\n    "
        "return b\n",
    ),
    choices={
        "rule": {
            "none": opt(0, rule="There are no further rules.", size="@L1@",
                        fill="step[0][0] = @C1@\nstep[0][@L@] = @C@\nfor i in range(1, size):\n    step[i][i - 1] = 1",
                        end="result[0][0]",
                        slow="ways = [1]\nfor i in range(1, n + 1):\n    ways.append((@C1@ * ways[i - 1] + (@C@ * "
                             "ways[i - @L1@] if i >= @L1@ "
                             "else 0)) % @MOD@)\nreturn ways[n]"),
            "apart": opt(1, rule="Two {parts} of length 1 directly side by side must not have the same colour.",
            size="@L1@ + 1",
                         fill="step[0][:2] = [@C@, @C1@]\nstep[1][@L1@] = @C@\nstep[2][:2] = [1, 1]\nfor i in "
                              "range(3, size):\n    "
                              "step[i][i - 1] = 1", end="(result[0][1] + result[1][1]) % @MOD@",
                         slow="from functools import lru_cache\n@lru_cache(None)\ndef ways(left, last):\n    if not "
                              "left:\n        "
                              "return 1\n    found = sum(ways(left - 1, c) for c in range(@C1@) if c != last)\n    "
                              "if left >= @L1@:\n        "
                              "found += @C@ * ways(left - @L1@, None)\n    return found\nreturn ways(n, None) % @MOD@"),
        },
        "goal": {
            "all": opt(0, goal="How many ways are there?", result="the number of ways, modulo {MOD}"),
        },
    },
    params={"C": (1, 2, 3, 4), "L": (1, 2, 3)},
    small=40,
    large=1000,
)  # fmt: skip


def _range(draw: Draw, n: int, picked: Picked) -> tuple[Any, ...]:
    most = 10**18 if n > 60 else draw.either(30, 300, 3000)
    low, high = sorted((draw.integer(1, most), draw.integer(1, most)))
    return (draw.integer(1, 1 + most // 100), high) if n > 60 else (low, high)


_DIGITS = Kernel(
    "digits", "counting", 3,
    "{Who} calls a positive whole number {nice} if, written in decimal without leading zeros, {first}{second}. {goal}",
    (
        story(title="Number Plates", Who="A collector of number plates", nice="handsome",
             intro="Some people pay a lot for the right number."),
        story(title="Odometer", Who="A lorry driver", nice="festive", intro="An odometer has seen it all."),
        story(title="Safe Codes", Who="A burglar", nice="promising", intro="A burglar has heard rumours about the "
                                                            "code of a safe."),
        story(title="Serial Numbers", Who="A bank clerk", nice="remarkable", intro="A bank clerk reads the serial "
                                                            "numbers of banknotes."),
    ),
    (Arg("low", "int", "the smallest number asked about"), Arg("high", "int", "the largest number asked about")),
    "{result}",
    ("1 ≤ low ≤ high ≤ 10^18",),
    _range,
    """
def solve(low, high):
    return (upto(high) - upto(low - 1)) % @MOD@

def upto(limit):
    if limit <= 0:
        return 0
    # state: (started, tight, what the rules remember) -> (count, sum)
    states = {(False, True, None, 0): (1, 0)}
    for digit in str(limit):
        top = int(digit)
        new = {}
        for (started, tight, last, memory), (count, total) in states.items():
            for d in range((top if tight else 9) + 1):
                if not started and not d:
                    key = (False, tight and d == top, None, 0)
                else:
                    if @bad@:
                        continue
                    key = (True, tight and d == top, @last@, @memory@)
                old = new.get(key, (0, 0))
                new[key] = (old[0] + count, (old[1] + 10 * total + d * count) % @MOD@)
        states = new
    return sum(@take@ for (started, _, last, memory), (count, total) in states.items() if started and @good@)
""",
    """
def solve(low, high):
    found = []
    for x in range(low, high + 1):
        s = str(x)
        if @first_ok@ and @second_ok@:
            found.append(x)
    return @slow@ % @MOD@
""",
    (),
    choices={
        "first": {
            "rising": opt(0, first="no digit is smaller than the one before it", bad="(last is not None and d < "
                                                            "last)@bad2@", last="d",
                          first_ok="list(s) == sorted(s)"),
            "differ": opt(0, first="neighbouring digits are different", bad="(last is not None and d == last)@bad2@",
            last="d",
                          first_ok="all(a != b for a, b in zip(s, s[1:]))"),
            "near": opt(0, first="neighbouring digits differ by at least {E}", bad="(last is not None and abs(d - "
                                                            "last) < @E@)@bad2@",
                        last="d", first_ok="all(abs(int(a) - int(b)) >= @E@ for a, b in zip(s, s[1:]))"),
            "free": opt(0, first="the digit {F} does not occur in it", bad="d == @F@@bad2@", last="None",
            first_ok="'@F@' not in s"),
        },
        "second": {
            "none": opt(0, second="", bad2="", memory="0", good="True", second_ok="True"),
            "sum": opt(1, second=", and the sum of its digits is divisible by {S}", bad2="",
            memory="(memory + d) % @S@",
                       good="memory == 0", second_ok="sum(map(int, s)) % @S@ == 0"),
            "few": opt(1, second=", and at most {Q} of its digits are odd", bad2=" or (d % 2 and memory == @Q@)",
                       memory="memory + d % 2", good="True", second_ok="sum(int(c) % 2 for c in s) <= @Q@"),
            "multiple": opt(1, second=", and it is divisible by {M}", bad2="", memory="(memory * 10 + d) % @M@",
            good="memory == 0",
                            second_ok="x % @M@ == 0"),
        },
        "goal": {
            "count": opt(0, goal="How many {nice} numbers are there from low to high, both included?", take="count",
            slow="len(found)",
                         result="their number, modulo {MOD}"),
            "sum": opt(1, goal="What is the sum of all {nice} numbers from low to high, both included?", take="total",
            slow="sum(found)",
                       result="the sum, modulo {MOD}"),
        },
    },
    params={"E": (2, 3), "F": (1, 3, 4, 7), "S": (3, 5, 7, 10), "Q": (1, 2, 3), "M": (3, 7, 11, 13)},
    small=60,
    large=1000,
)  # fmt: skip

KERNELS = (_STRIP, _DIGITS)
