"""The time that all tests of one program share: what is charged, what is left out, and what is said of it.

A program here sleeps for a tenth of a second or more in every test and all tests share a quarter of one: whatever the
machine, no more than three tests can run, and every single one stays far below its own limit.
"""

import doctest

import pytest

import turnwise.verifiers.code.budget
from tests._work import one_in
from turnwise.core.errors import SettingsError
from turnwise.sandbox import Limits, Result
from turnwise.verifiers.code import (
    Example,
    Exchange,
    verify_against,
    verify_asserts,
    verify_function,
    verify_property,
    verify_stdio,
)
from turnwise.verifiers.code.budget import Budget
from turnwise.verifiers.code.languages import compiler_sandbox

PATIENT = Limits(wall_s=20, memory_mb=256)
SLOW = "import time\ndef f(x):\n    time.sleep(0.1)\n    return x"
SLOW_PRINT = "import time\ntime.sleep(0.1)\nprint(input())"
NUMBERS = list(range(12))


def plain(n):
    return "\n".join(f"assert f({i}) == {i}" for i in range(n))


def in_functions(n):
    return "import pytest\n" + "\n".join(f"def test_{i}():\n    assert f({i}) == pytest.approx({i})" for i in range(n))


def in_a_case(n):
    tests = "\n".join(f"    def test_{i}(self): self.assertEqual(f({i}), {i})" for i in range(n))
    return f"import unittest\nclass Cases(unittest.TestCase):\n{tests}"


VERDICTS = {
    "function": lambda s: verify_function(SLOW, "f", [Example((n,), {}, n) for n in NUMBERS], **s),
    "fresh": lambda s: verify_function(SLOW, "f", [Example((n,), {}, n) for n in NUMBERS], fresh=True, **s),
    "stops": lambda s: verify_function(SLOW, "f", [Example((n,), {}, n) for n in NUMBERS], all_tests=False, **s),
    "property": lambda s: verify_property(SLOW, "f", [(n,) for n in NUMBERS], lambda args, got: got == args[0], **s),
    "against": lambda s: verify_against(SLOW, "f", [(n,) for n in NUMBERS], lambda x: x, **s),
    "stdio": lambda s: verify_stdio(SLOW_PRINT, [Exchange(f"{n}\n", f"{n}\n") for n in NUMBERS], **s),
    "assertions": lambda s: verify_asserts(SLOW, plain(12), **s),
    "check": lambda s: verify_asserts(SLOW, "def check(candidate):\n" + "".join(
        f"    assert candidate([{n}])[0] == {n}\n" for n in NUMBERS), "f", **s),
    "pytest": lambda s: verify_asserts(SLOW, in_functions(12), **s),
    "unittest": lambda s: verify_asserts(SLOW, in_a_case(12), **s),
}  # fmt: skip


@pytest.mark.parametrize("kind", one_in(4, VERDICTS))
def test_a_slow_program_stops_when_the_time_of_all_tests_is_used_up(sandbox, kind):
    verdict = VERDICTS[kind]({"limits": PATIENT, "total_s": 0.25, "sandbox": sandbox})
    passed = round(verdict.parts["passed"])
    assert not verdict.correct and not verdict.undecided and verdict.parts["tests"] == 12
    assert 1 <= passed <= 3 and verdict.score == passed / 12
    assert verdict.reason == f"test {passed + 1}: not run: earlier tests used up the 0.25 s that all share"


@pytest.mark.parametrize("kind", one_in(10, VERDICTS))
def test_with_time_enough_it_is_right(sandbox, kind):
    assert VERDICTS[kind]({"limits": PATIENT, "total_s": 200, "sandbox": sandbox}).correct


@pytest.mark.parametrize(
    ("language", "source"),
    [("bash", "sleep 0.1; cat"), ("javascript", "setTimeout(() => process.stdin.pipe(process.stdout), 100)")],
)
def test_other_languages_share_it_too(sandbox, language, source):
    exchanges = [Exchange(f"{n}\n", f"{n}\n") for n in NUMBERS]
    with compiler_sandbox() as compilers:
        verdict = verify_stdio(source, exchanges, language=language, limits=PATIENT, total_s=0.25, sandbox=compilers)
    assert 1 <= verdict.parts["passed"] <= 3 and "used up the 0.25 s" in verdict.reason


def test_loading_is_charged_by_its_own_limit(sandbox):
    examples = [Example((n,), {}, n) for n in NUMBERS]
    slow_load = "import time\ntime.sleep(0.1)\ndef f(x): return x"
    settings = {"limits": PATIENT, "sandbox": sandbox}
    assert verify_function(slow_load, "f", examples, total_s=10, **settings).correct
    verdict = verify_function(slow_load, "f", examples, total_s=0.25, fresh=True, **settings)
    assert 1 <= verdict.parts["passed"] <= 3 and "used up" in verdict.reason


def test_a_wrong_test_before_is_what_is_said(sandbox):
    examples = [Example((n,), {}, n or "no") for n in NUMBERS]
    verdict = verify_function(SLOW, "f", examples, limits=PATIENT, total_s=0.25, sandbox=sandbox)
    assert verdict.reason == "test 1: returned 0 (an int), which is wrong" and verdict.parts["passed"] <= 2


def test_programs_beside_their_tests_have_no_more(sandbox):
    tests = "\n".join(f"assert f(lambda: {n}) is not None" for n in range(1, 5))
    settings = {"limits": PATIENT, "sandbox": sandbox, "isolated": False}
    sleepy = "import time\ndef f(x): time.sleep({}); return x"
    assert verify_asserts(sleepy.format(0), tests, total_s=20, **settings).correct
    assert "ran out of time" in verify_asserts(sleepy.format(60), tests, total_s=0.25, **settings).reason


def charged(budget, wall_s, limit_s, times=1):
    for _ in range(times):
        budget.spend(Result(wall_s=wall_s), Limits(wall_s=limit_s))
    return bool(budget.problem)


def test_what_is_charged():
    assert not charged(Budget(5.0, 8), 4.0, 5.0, times=3)  # 12 of 15 s
    assert charged(Budget(5.0, 8), 4.0, 5.0, times=4)
    assert not charged(Budget(5.0, 8), 5.0, 10.0, times=5)  # half of what loading may take: 2.5 of three tests
    assert charged(Budget(5.0, 8), 5.0, 10.0, times=7)
    assert not charged(Budget(0.1, 1), 0.002, 0.1, times=20_000)  # many calls of a program that takes no time itself
    assert not charged(Budget(2.0, 100), 0.19, 2.0, times=100)  # a tenth of the limit for each
    assert charged(Budget(2.0, 100), 0.21, 2.0, times=100)
    assert not charged(Budget(2.0, 100, total_s=40), 0.21, 2.0, times=100)


@pytest.mark.parametrize("total_s", [0, -1, float("nan")])
def test_a_total_that_is_no_time_is_an_error(total_s):
    with pytest.raises(SettingsError, match="total_s"):
        verify_function(SLOW, "f", [Example((1,), {}, 1)], total_s=total_s)


def test_the_examples_in_the_docstring_hold():
    assert doctest.testmod(turnwise.verifiers.code.budget).failed == 0
