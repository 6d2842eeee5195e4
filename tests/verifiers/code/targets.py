"""The tasks that attacks and odd solutions are put to, and how each is verified."""

from collections.abc import Mapping
from dataclasses import replace

from turnwise.sandbox import Limits, Sandbox
from turnwise.verifiers.code import Example, Exchange, verify_asserts, verify_function, verify_property, verify_stdio
from turnwise.verifiers.verdict import Verdict

__all__ = ["ASSERTS", "CASES", "EXCHANGES", "LIMITS", "RIGHT", "verify"]

LIMITS = Limits(wall_s=0.2, cpu_s=2, memory_mb=96, output_bytes=32768, file_mb=4, files=64, processes=16)

INTS = [[1, 2, 2], [], [1], [1000, 7, 7], [5, 5, 300, 300], [-4, 4, 4, 9], [2, 2, 2, 2, 1001], [12, 7, 7, 12, 3, 1]]
LISTS = [[1, 2, 2], [], [9, 1, 5], [1000, 7, 7, -3], [5, 4, 3, 2, 1], [0, 0], [64, 8, 1, 512]]
WORDS = [["a", "b", "a"], [], ["x"], ["b", "b", "c", "b"], ["z", "y", "a", "y", "z"]]
CASES: Mapping[str, list[tuple[object, object]]] = {
    "int": [(values, sum(set(values))) for values in INTS],
    "small": [(values, sum(set(values))) for values in [[1, 2, 2], [1], [3, 3, 4], [2, 9], [5, 5, 1], [8], [4, 1, 7]]],
    "list": [(values, sorted(set(values))) for values in LISTS],
    "float": [(values, sum(values) / len(values)) for values in [[1, 2], [0.1, 0.2], [1], [-5, 5], [3, 4, 4]]],
    "text": [(word, "".join(sorted(word))) for word in ["banana", "", "cab", "xyz", "zzaa", "a b"]],
    "dict": [(words, {word: words.count(word) for word in words}) for words in WORDS],
}
RIGHT = {
    "int": "def solve(values): return sum(set(values))",
    "list": "def solve(values): return sorted(set(values))",
    "float": "def solve(values): return sum(values) / len(values)",
    "text": "def solve(values): return ''.join(sorted(values))",
    "dict": "def solve(values): return {v: values.count(v) for v in values}",
    "mutate": "def solve(values): values.sort()",
    "sums": "input()\nv = set(map(int, input().split()))\nprint(sum(v))\nprint(len(v))",
    "mean": "input()\nv = list(map(int, input().split()))\nprint(f'{sum(v) / len(v):.6f}')",
    "parity": "input()\nprint('No' if sum(set(map(int, input().split()))) % 2 else 'Yes')",
}

FAST = "\n".join(
    ["METADATA = {'author': 'x', 'dataset': 'test'}\n\ndef check(candidate):"]
    + [f"    assert candidate({values!r}) == {expected!r}, 'wrong'" for values, expected in CASES["int"]]
)
GENERAL = """
import random

def reference(values):
    total = 0
    for value in set(values):
        total += value
    return total

def check(candidate):
    rng = random.Random(7)
    for size in range(1, 8):
        values = [rng.randrange(1, 900) for _ in range(size)]
        values += values[:2]
        assert candidate(list(values)) == reference(values), "wrong sum"
    cases = [[5, 5], [1, 2, 3], [0, 7, 7]]
    assert all(map(lambda case: candidate(list(case)) == reference(case), cases))
    assert type(candidate([3])) is int
    try:
        candidate(3)
    except TypeError:
        pass
    else:
        assert False, "no error"
"""
MAPPED = """
def check(candidate):
    cases = [([5, 5], 5), ([1, 2, 3], 6), ([0, 7, 7], 7)]
    assert all(map(lambda case: candidate(case[0]) == case[1], cases))
"""
RAISES = """
def check(candidate):
    for values in ([5, 5], [1, 2, 3], [0, 7, 7]):
        try:
            got = candidate(values)
        except AssertionError:
            raise
        except Exception as error:
            assert False, f"raised {error!r}"
        assert got == sum(set(values))
    for bad in (3, None):
        try:
            candidate(bad)
            assert False
        except TypeError:
            pass
"""
ALIASED = """
def check(candidate):
    for seed in range(2, 7):
        values = [seed * n % 7 for n in range(1, 9)]
        assert candidate(values) == sorted(set(values))
"""
NEAR = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert abs(candidate(list(values)) - sum(values) / len(values)) < 1e-6
"""
ALIASED_APART = ALIASED.replace("assert candidate(values)", "got = candidate(values)\n        assert got")
DIFFERENCE = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(list(values)).difference(values) == set()
        assert candidate(list(values)).union(values) == set(values)
"""
NEAR_FAST = """
def check(candidate):
    assert abs(candidate([3, 4]) - 3.5) < 1e-6
    assert abs(candidate([10, 1]) - 5.5) < 1e-6
"""
RIGHT_NEAR = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert abs(sum(values) / len(values) - candidate(list(values))) < 1e-6
"""
NEAR_EQUAL = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(list(values)) == sum(values) / len(values)
"""
TWICE = """
def check(candidate):
    for _ in range(2):
        for values in ([3, 4], [10, 1], [7]):
            assert abs(candidate(list(values)) - sum(values) / len(values)) < 1e-6
    assert candidate([3, 4]) == 3.5 and candidate([7]) == 7.0
"""
WITHIN = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert max(values) in candidate(list(values))
        assert values[0] in candidate(list(values))
"""
METHODS = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(list(values)).issuperset(values)
"""
CHAINED = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(candidate(list(values))) == sorted(values)
"""
BARE = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(list(values)) == sum(values)
    try:
        candidate(None)
    except:
        pass
    else:
        assert False
"""
LISTED = """
def check(candidate):
    for values in ([3, 4, 3], [10, 1], [7], []):
        assert list(candidate(list(values))) == sorted(set(values))
    assert sum(candidate([1, 2])) == 3 and [n for n in candidate([5, 2])] == [2, 5]
"""
HELPER = """
def check(candidate):
    for values in ([3, 4], [10, 1], [7]):
        assert candidate(list(values)) == helper(values)
"""
MUTATE = """
def check(candidate):
    for seed in range(2, 7):
        values = [seed * n % 7 for n in range(1, 9)]
        wanted = sorted(values)
        candidate(values)
        assert values == wanted
"""
ASSERTS = {
    "fast": FAST, "general": GENERAL, "mapped": MAPPED, "raises": RAISES, "aliased": ALIASED, "mutate": MUTATE,
    "near": NEAR, "near_fast": NEAR_FAST, "right_near": RIGHT_NEAR, "near_equal": NEAR_EQUAL, "twice": TWICE,
    "aliased_apart": ALIASED_APART, "difference": DIFFERENCE, "within": WITHIN, "methods": METHODS,
    "chained": CHAINED, "bare": BARE, "helper": HELPER, "listed": LISTED,
}  # fmt: skip

_INPUTS = [[1, 2, 2], [4], [3, 3, 3], [10, 20, 20, 7], [5, 1, 9, 9, 2], [100, 200, 300, 1]]
_LARGE = [[2**53 + 1, 1, 1], [10**17 + 1, 2], [10**15 + 1, 5, 5]]


def _exchanges(inputs: list[list[int]], answer: str) -> list[Exchange]:
    made = []
    for values in inputs:
        text = {
            "sums": f"{sum(set(values))}\n{len(set(values))}\n",
            "mean": f"{sum(values) / len(values):.6f}\n",
            "parity": "No\n" if sum(set(values)) % 2 else "Yes\n",
        }[answer]
        made.append(Exchange(f"{len(values)}\n{' '.join(map(str, values))}\n", text))
    return made


EXCHANGES = {
    "sums": _exchanges(_INPUTS, "sums"),
    "large": _exchanges(_LARGE, "sums"),
    "mean": _exchanges(_INPUTS, "mean"),
    "parity": _exchanges([[2], [1], [1, 1, 2], [2, 4, 4, 8]], "parity"),
}


def _holds(args: tuple[list[int]], got: object) -> bool:
    return type(got) is int and got == sum(set(args[0]))


def verify(target: str, source: str, sandbox: Sandbox, limits: Limits = LIMITS, all_tests: bool = True) -> Verdict:
    """The verdict on a program for the target of that name.

    Args:
        target: A key of one of the tables above.
        source: The program.
        sandbox: Where it runs.
        limits: Of each call or run.
        all_tests: Only functions and test programs can be stopped at the first failure here.
    """
    if target == "mean_near":
        return verify_stdio(source, EXCHANGES["mean"], limits=limits, sandbox=sandbox, float_tolerance=1e-5)
    if target in EXCHANGES:
        return verify_stdio(source, EXCHANGES[target], limits=limits, sandbox=sandbox)
    if target == "after":
        given = [[3, 1, 2], [], [5, 5, 4]]
        examples = [Example((values,), {}, None, (sorted(values),)) for values in given]
        return verify_function(source, "solve", examples, limits=limits, sandbox=sandbox)
    if target in ASSERTS:
        limits = replace(limits, wall_s=max(limits.wall_s, 0.6))  # two jails to start, on a busy machine
        return verify_asserts(source, ASSERTS[target], "solve", limits=limits, sandbox=sandbox, all_tests=all_tests)
    if target == "property":
        return verify_property(source, "solve", [(values,) for values in INTS], _holds, limits=limits, sandbox=sandbox)
    examples = [Example((given,), {}, expected) for given, expected in CASES[target]]
    return verify_function(source, "solve", examples, limits=limits, sandbox=sandbox, all_tests=all_tests)
