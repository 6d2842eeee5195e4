"""Steps that reduce a list of integers to a number, and steps that work on a number."""

from turnwise.worlds.programs.specifications.lists import FROM
from turnwise.worlds.programs.specifications.steps import Block, add_blocks

__all__: list[str] = []

_ENDS = {"first": ("", "first"), "last": ("[::-1]", "last")}

add_blocks(
    # ---- integers to an integer ----
    Block("total", "ints", "int", ("Take the sum of the numbers (0 if there are none).",
          "Add all numbers up (0 if there are none)."), "Y = sum(X)", bits="+6", near=("count",)),
    Block("count", "ints", "int", ("Count the numbers.",), "Y = len(X)", bits="=7", near=("count_distinct",)),
    Block("count_distinct", "ints", "int", ("Count the different numbers (each counts once, however often it occurs).",
                                            ), "Y = len(set(X))", bits="=7", near=("count",)),
    Block("count_if", "ints", "int", ("Count the numbers that {P}.",), "Y = sum(1 for v in X if P(v))",
          {"P": "int?"}, bits="=7"),
    Block("sum_if", "ints", "int", ("Take the sum of the numbers that {P} (0 if there are none).",),
          "Y = sum(v for v in X if P(v))", {"P": "int?"}, bits="+6"),
    Block("sum_of", "ints", "int", ("For each number take {F}, and add these up (0 for an empty list).",),
          "Y = sum(F(v) for v in X)", {"F": "int"}, bits="*2", most=16),
    Block("extreme", "ints", "int", ("Take the {which} number ({D} if there are none).",),
          "Y = @which@(X, default=D)", params={"D": (-1, 1)},
          choices={"which": {"max": ("max", "largest"), "min": ("min", "smallest")}}),
    Block("extreme_by", "ints", "int",
          ("Take the number with the {which} {KEY}; if several tie, the one that comes {end} in the list ({D} if the "
           "list is empty).",),
          "Y = @which@(X@end@, key=lambda v: KEY(v), default=D)", {"KEY": "key"}, {"D": (-1, 1)},
          {"which": {"max": ("max", "largest"), "min": ("min", "smallest")}, "end": _ENDS}),
    Block("find", "ints", "int", ("Take the {end} number that {P.s} ({D} if there is none).",),
          "Y = next((v for v in X@end@ if P(v)), D)", {"P": "int?"}, {"D": (-1, 1)}, {"end": FROM}),
    Block("place", "ints", "int",
          ("Take the position, counted from 0, of the {which} number; if it occurs more than once, of its {end} "
           "occurrence (-1 for an empty list).",),
          "Y = @end@ if X else -1",
          choices={"end": {"first": ("X.index(@which@(X))", "first"),
                           "last": ("len(X) - 1 - X[::-1].index(@which@(X))", "last")},
                   "which": {"max": ("max", "largest"), "min": ("min", "smallest")}}, bits="=7"),
    Block("longest_if", "ints", "int",
          ("Take the length of the longest run of neighbouring numbers all of which {P} (0 if no number does).",),
          "Y = run = 0\nfor v in X:\n    run = run + 1 if P(v) else 0\n    Y = max(Y, run)", {"P": "int?"}, bits="=7"),
    Block("longest_rise", "ints", "int",
          ("Take the length of the longest piece of neighbouring numbers in which each number is {op} the one before "
           "it (a single number is such a piece; 0 for an empty list).",),
          "Y = run = 0\nfor i, v in enumerate(X):\n    run = run + 1 if i and X[i - 1] @op@ v else 1\n    Y = max(Y, "
          "run)",
          choices={"op": {"<": ("<", "greater than"), "<=": ("<=", "at least as large as"), ">": (">", "less than")}},
          bits="=7"),
    Block("longest_subsequence", "ints", "int",
          ("Choose numbers from the list, not necessarily neighbours, in their order, so that each is {op} the one "
           "chosen before it. Take the largest count of numbers that can be chosen (0 for an empty list).",),
          "best = []\nfor i, v in enumerate(X):\n    best.append(1 + max((b for b, w in zip(best, X) if w @op@ v), "
          "default=0))\nY = max(best, default=0)",
          choices={"op": {"<": ("<", "greater than"), "<=": ("<=", "at least as large as"), ">": (">", "less than")},
                   }, bits="=7"),
    Block("inversions", "ints", "int",
          ("Count the pairs of positions i < j where the number at i is {op} the number at j.",),
          "Y = sum(v @op@ w for i, v in enumerate(X) for w in X[i + 1:])",
          choices={"op": {">": (">", "greater than"), ">=": (">=", "greater than or equal to"), "==": ("==",
          "equal to")}},
          bits="=10"),
    Block("pairs_divisible", "ints", "int",
          ("Count the pairs of positions i < j where the {op} of the two numbers is divisible by {K}.",),
          "Y = sum((v @op@ w) % K == 0 for i, v in enumerate(X) for w in X[i + 1:])", params={"K": (2, 7)},
          choices={"op": {"+": ("+", "sum"), "-": ("-", "difference"), "*": ("*", "product")}}, bits="=10", most=20),
    Block("mode", "ints", "int",
          ("Take the number that occurs most often; if several tie, {tie} ({D} if the list is empty).",),
          "Y = D\nif X:\n    most = max(X.count(v) for v in X)\n    Y = @tie@(v for v in X if X.count(v) == most)",
          params={"D": (-1, 1)},
          choices={"tie": {"small": ("min", "the smallest"), "large": ("max", "the largest"),
                           "first": ("next", "the one that occurs first in the list")}}),
    Block("subarray", "ints", "int",
          ("Take the {which} sum of a piece of one or more neighbouring numbers (0 for an empty list).",),
          "sums = []\nfor i in range(len(X)):\n    total = 0\n    for v in X[i:]:\n        total += v\n        "
          "sums.append(total)\nY = @which@(sums, default=0)",
          choices={"which": {"max": ("max", "largest"), "min": ("min", "smallest")}}, near=("subarray_empty",),
          bits="+6"),
    Block("subarray_empty", "ints", "int", ("",),
          "sums = [0]\nfor i in range(len(X)):\n    total = 0\n    for v in X[i:]:\n        total += v\n        "
          "sums.append(total)\nY = @which@(sums, default=0)",
          choices={"which": {"max": ("max", ""), "min": ("min", "")}}, drawn=False),
    Block("subarrays_sum", "ints", "int",
          ("Count the pieces of one or more neighbouring numbers whose sum is divisible by {K} (pieces at different "
           "places count separately).",),
          "Y = 0\nfor i in range(len(X)):\n    total = 0\n    for v in X[i:]:\n        total += v\n        Y += total "
          "% K == 0",
          params={"K": (2, 9)}, bits="=10"),
    Block("alternating", "ints", "int",
          ("Take the alternating sum: the first number, minus the second, plus the third, minus the fourth, and so on "
           "(0 for an empty list).",),
          "Y = sum(X[::2]) - sum(X[1::2])", near=("alternating_turned",), bits="+5"),
    Block("alternating_turned", "ints", "int", ("",), "Y = sum(X[1::2]) - sum(X[::2])", drawn=False),
    Block("median", "ints", "int",
          ("Take the median: sort the numbers and take the one in the middle; of the two middle ones of an even "
           "count, the {which} (0 for an empty list).",),
          "Y = sorted(X)[@which@ // 2] if X else 0",
          choices={"which": {"low": ("(len(X) - 1)", "smaller"), "high": ("len(X)", "larger")}}),
    Block("kth", "ints", "int",
          ("Sort the {what} {dir} and take the one at position {K}, counted from 0 ({D} if there is none).",),
          "ordered = sorted(@what@@dir@)\nY = ordered[K] if K < len(ordered) else D",
          params={"K": (1, 3), "D": (-1, 1)},
          choices={"what": {"all": ("X", "numbers, repeated ones included,"),
                            "set": ("set(X)", "different numbers, each taken once,")},
                   "dir": {"up": ("", "from small to large"), "down": (", reverse=True", "from large to small")}}),
    Block("hash", "ints", "int",
          ("Start with {A}; for each number from left to right, multiply what you have by {B}, add the number, and "
           "take the remainder of division by {M} (never negative).",),
          "Y = A\nfor v in X:\n    Y = (Y * B + v) % M", params={"A": (0, 9), "B": (2, 31), "M": (50, 997)},
          near=("hash_other",), bits="=10"),
    Block("hash_other", "ints", "int", ("",), "Y = A\nfor v in X:\n    Y = (Y + v) * B % M",
          params={"A": (0, 9), "B": (2, 31), "M": (50, 997)}, drawn=False),
    Block("bounded", "ints", "int",
          ("Start with {A}; for each number from left to right, add it; if the result is below 0, set it to 0, and if "
           "it is above {B}, set it to {B}.",),
          "Y = A\nfor v in X:\n    Y = min(max(Y + v, 0), B)", params={"A": (0, 9), "B": (20, 90)},
          near=("bounded_end",), bits="=7"),
    Block("bounded_end", "ints", "int", ("",), "Y = min(max(A + sum(X), 0), B)",
          params={"A": (0, 9), "B": (20, 90)}, drawn=False),
    Block("gap", "ints", "int",
          ("Take the {which} difference of two numbers that are neighbours once the list is sorted (0 for fewer than "
           "two numbers).",),
          "ordered = sorted(X)\nY = @which@((b - a for a, b in zip(ordered, ordered[1:])), default=0)",
          choices={"which": {"max": ("max", "largest"), "min": ("min", "smallest")}}, bits="+1"),
    Block("common", "ints", "int",
          ("Take the greatest common divisor of the numbers (never negative; 0 if all are 0 or the list is empty).",),
          "Y = 0\nfor v in X:\n    Y = math.gcd(Y, v)", near=("common_first",)),
    Block("common_first", "ints", "int", ("",), "Y = max((abs(v) for v in X), default=0)", drawn=False),
    # ---- a number to a number, a list or a text ----
    Block("then", "int", "int", ("Replace the number by {F}.",), "Y = F(X)", {"F": "int"}, bits="F"),
    Block("then_if", "int", "int", ("If the number {P.s}, replace it by {F}; otherwise leave it.",),
          "Y = F(X) if P(X) else X", {"P": "int?", "F": "int"}, bits="F"),
    Block("digits", "int", "ints",
          ("Take the list of the decimal digits of the number, {order} (the sign is ignored; 0 gives one 0).",),
          "Y = [int(c) for c in str(abs(X))@order@]",
          choices={"order": {"left": ("", "from left to right"), "right": ("[::-1]", "from right to left")}},
          bits="=4"),
    Block("in_base", "int", "ints",
          ("Take the list of the digits of the absolute value of the number in base {K}, {order} digit first (0 gives "
           "an empty list).",),
          "Y, rest = [], abs(X)\nwhile rest:\n    Y.append(rest % K)\n    rest //= K@order@", params={"K": (2, 7)},
          choices={"order": {"low": ("", "lowest"), "high": ("\nY.reverse()", "highest")}}, bits="=3"),
    Block("divisors", "int", "ints",
          ("Take the list of the positive divisors of the absolute value of the number, {order} (0 gives an empty "
           "list).",),
          "Y = [d for d in @order@ if abs(X) % d == 0]",
          choices={"order": {"up": ("range(1, abs(X) + 1)", "from small to large"),
                             "down": ("range(abs(X), 0, -1)", "from large to small")}}, most=14, near=("proper",)),
    Block("proper", "int", "ints", ("",), "Y = [d for d in @order@ if abs(X) % d == 0 and d < abs(X)]",
          choices={"order": {"up": ("range(1, abs(X) + 1)", ""), "down": ("range(abs(X), 0, -1)", "")}}, drawn=False),
    Block("factors", "int", "ints",
          ("Take the list of the prime factors of the absolute value of the number from small to large, {repeat} (0 "
           "and 1 give an empty list).",),
          "Y, rest = [], abs(X)\nfor d in range(2, math.isqrt(rest) + 1):\n    while rest and rest % d == 0:\n        "
          "Y.append(d)\n        rest //= d\nif rest > 1:\n    Y.append(rest)@repeat@", most=20,
          choices={"repeat": {"each": ("", "each as often as it divides"),
                              "once": ("\nY = sorted(set(Y))", "each only once")}}),
    Block("hops", "int", "ints",
          ("Make a list that starts with the absolute value of the number. As long as its last item is greater than 1 "
           "and it has fewer than {K} items, append {even} if the last item is even, and {odd} if it is odd.",),
          "Y = [abs(X)]\nwhile Y[-1] > 1 and len(Y) < K:\n    v = Y[-1]\n    Y.append(@even@ if v % 2 == 0 else @odd@)",
          params={"K": (5, 12)},
          choices={"even": {"half": ("v // 2", "half of it"), "third": ("v // 2 + 1", "one more than half of it")},
                   "odd": {"3n": ("3 * v + 1", "one more than three times it"), "n5": ("v + 5", "five more than it"),
                           "less": ("v - 1", "one less than it")}}, bits="+20", most=18),
    Block("binary", "int", "ints",
          ("Take the list of the positions of the ones in the binary form of the absolute value of the number, "
           "counted from the lowest digit, which has position {base}, in increasing order.",),
          "Y = [i for i, c in enumerate(bin(abs(X))[:1:-1]@base@) if c == '1']",
          choices={"base": {"0": ("", "0"), "1": (", 1", "1")}}, bits="=6"),
)  # fmt: skip
