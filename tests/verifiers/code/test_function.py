"""Functions in a real sandbox: right ones pass, wrong ones are told why, hostile ones cost their own test."""
# ruff: noqa: E501 (programs, one a line)

import doctest

import pytest

import turnwise.verifiers.code
import turnwise.verifiers.code.function
from turnwise.sandbox import Limits, use_sandbox
from turnwise.verifiers.code import (
    Example,
    Failure,
    same_unordered,
    shown,
    verify_against,
    verify_function,
    verify_property,
)

LIMITS = Limits(wall_s=2, memory_mb=128, output_bytes=4096)
PATIENT = Limits(wall_s=10, memory_mb=128, output_bytes=4096)  # for right programs, on a busy machine
DOUBLE = [Example((n,), {}, 2 * n) for n in (3, 0, -1, 50)]


@pytest.fixture(scope="module")
def check(sandbox):
    def check(source, examples=DOUBLE, name="f", **settings):
        return verify_function(source, name, examples, sandbox=sandbox, **{"limits": LIMITS, **settings})

    return check


RIGHT = [
    "def f(x): return 2 * x",
    "f = lambda x, *rest: x + x",
    "import sys\ndef f(x): return 2 * x\nsys.exit(0)",
    "def f(x): return 2 * x\nif __name__ == '__main__':\n    raise SystemExit(f(int(input())))",
    "print('loading' * 100)\ndef f(x):\n    print(x, 'is it')\n    return 2 * x",
    "import sys\nsys.setrecursionlimit(20000)\ndef f(x): return g(5000) + 2 * x\ndef g(n): return n and g(n - 1)",
    "import threading\ndef f(x):\n    out = []\n    t = threading.Thread(target=lambda: out.append(2 * x))\n    t.start(); t.join()\n    return out[0]",
    "class I(int): pass\ndef f(x): return I(2 * x)",
    "from __future__ import annotations\nimport functools\n@functools.lru_cache\ndef f(x: Nothing) -> int: return 2 * x",
    "\ufeffdef f(x):\r\n\treturn 2 * x\r\n",
    "import sys\nassert sys.stdin.read() == ''\ndef f(x): return 2 * x",
    "import enum\nclass E(enum.IntEnum):\n    A = 6; B = 0; C = -2; D = 100\ndef f(x): return E(2 * x)",
]  # fmt: skip


@pytest.mark.parametrize("source", RIGHT)
def test_right_programs(check, source):
    verdict = check(source, limits=PATIENT)
    assert verdict.correct and verdict.score == 1 and verdict.parts == {"passed": 4, "tests": 4}
    assert verdict.value == source and not verdict.reason


WRONG = [
    ("def f(x): return x + 3", 1 / 4, "test 2: returned 3 (an int), which is wrong"),
    ("def f(x): return 2.0 * x", 0, "test 1: returned 6.0 (a float), which is wrong"),
    ("def f(x): return str(2 * x)", 0, "test 1: returned '6' (a str of 1 character), which is wrong"),
    ("def f(x):\n    if x:\n        return 2 * x\n    return 1 / x", 3 / 4, "test 2: raised ZeroDivisionError: division by zero (line 4)"),
    ("def f(x)\n    return 1", 0, "test 1: could not be loaded: SyntaxError: "),
    ("def f(x): return 2 * x\nassert f(2) == 5", 0, "test 1: could not be loaded: AssertionError (line 2)"),
    ("def f(x): return 2 * x\nraise SystemExit(3)", 0, "test 1: could not be loaded: "),
    ("def g(x): return 2 * x", 0, "test 1: defines no 'f'"),
    ("", 0, "test 1: defines no 'f'"),
    ("def f(): return 6", 0, "test 1: raised TypeError: f() takes 0 positional arguments but 1 was given"),
    ("def f(x): yield 2 * x", 0, "test 1: did not return plain data: a builtins.generator is not plain data"),
    ("import os\ndef f(x): os._exit(0)", 0, "test 1: ended the program instead of returning"),
    ("import sys\ndef f(x): sys.exit(0)", 0, "test 1: raised SystemExit: 0 (line 2)"),
    ("import os\nos._exit(0)\ndef f(x): return 2 * x", 0, "test 1: ended while it was loaded"),
    ("def f(x): return 2 * x if x else bytearray(10**9)", 3 / 4, "test 2: raised MemoryError"),
    ("def f(x): return 2 * x if x else print('x' * 10**6)", 3 / 4, "test 2: printed too much"),
    ("def f(x):\n    while not x: pass\n    return 2 * x", 3 / 4, "test 2: ran out of time (2 s)"),
    ("def f(x):\n    while not x:\n        try:\n            while True: pass\n        except KeyboardInterrupt: pass\n    return 2 * x", 3 / 4, "test 2: ran out of time (2 s)"),
    ("import os\ndef f(x): return 2 * x if x else os.kill(os.getpid(), 9)", 3 / 4, "test 2: ended the program"),
    ("x\0", 0, "test 1: could not be loaded: "),
    ("\ud800", 0, "test 1: could not be loaded: "),
    ("class V(Exception):\n    def __str__(self): raise self\ndef f(x): raise V", 0, "test 1: raised V"),
    ("def f(x): raise ValueError('\\ud800\\x1b[2J\\n' + 'a' * 9999)", 0, "test 1: raised ValueError: ??[2J aaa"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "score", "reason"), WRONG)
def test_wrong_programs(check, source, score, reason):
    verdict = check(source)
    assert not verdict.correct and verdict.score == score and verdict.reason.startswith(reason)
    assert len(verdict.reason) < 400 and verdict.reason.isprintable()
    assert isinstance(verdict.value, Failure) and verdict.value.args == (DOUBLE[verdict.value.index].args)


def test_loading_may_take_longer_than_a_call(check):
    source = "import time\ntime.sleep(0.7)\ndef f(x): return 2 * x"
    assert check(source, limits=Limits(wall_s=0.5)).correct


def test_a_function_is_loaded_once_or_for_each_test(check):
    source = "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n"
    assert check(source, [Example((0,), {}, n) for n in (1, 2, 3)]).correct
    assert check(source, [Example((0,), {}, 1)] * 3, fresh=True).correct


def test_tests_after_three_that_were_stopped_fail_unasked(check):
    source = "def f(x):\n    while x < 9: pass\n    return 1"
    examples = [Example((n,), {}, 1) for n in (9, 0, 0, 0, 0, 0, 0, 9)]
    verdict = check(source, examples, limits=Limits(wall_s=0.2))
    assert verdict.parts == {"passed": 1, "tests": 8}  # the last is right, too


def test_stopping_at_the_first_failure(check):
    verdict = check("def f(x): return 6", [*DOUBLE, *DOUBLE], all_tests=False)
    assert verdict.score == 1 / 8 and verdict.value.index == 1
    assert check("def f(x): return 6", [*DOUBLE, *DOUBLE]).score == 2 / 8


def test_the_expected_value_is_told_only_when_asked(check):
    examples = [Example(("q",), {}, "secret value")]
    quiet, told = (check("def f(x): return x", examples, reveal=reveal) for reveal in (False, True))
    assert "secret" not in repr(quiet)
    assert (
        told.reason
        == "test 1: returned 'q' (a str of 1 character), which is wrong: not 'secret value' (a str of 12 characters)"
    )


def test_arguments_that_a_call_changes(check):
    sort = [Example(([3, 1, 2],), {}, None, ([1, 2, 3],)), Example(([],), {}, None, ([],))]
    assert check("def f(x): x.sort()", sort).correct
    assert check("def f(x): x[:] = sorted(x); return x", sort).score == 0
    verdict = check("def f(x): sorted(x)", sort)
    assert verdict.score == 1 / 2 and verdict.reason == "test 1: left its arguments as [[3, 1, 2]], which is wrong"
    assert check("def f(x): x.sort()", [Example(([3, 1],), {}, None)]).correct


def test_methods_and_names(check):
    source = (
        "class Solution:\n    def __init__(self): self.n = 0\n    def f(self, x): self.n += 1; return 2 * x * self.n"
    )
    assert check(source, name="Solution.f").correct
    assert check("class A:\n    class B:\n        def f(self, x): return 2 * x", name="A.B.f").correct
    assert check("def f(x, *, k): return x * k", [Example((3,), {"k": 2}, 6)]).correct


def test_python_brings_no_answers_of_its_own(check):
    examples = [Example(([1, 2],), {}, 3)]
    assert check("", examples, name="sum").reason == "test 1: defines no 'sum'"
    failure = check("x = 1", examples).value
    assert failure.what == "defines no 'f'" and shown(failure.result) == "the program defines no 'f'"
    assert check("def sum(x): return x[0] + x[1]", examples, name="sum").correct


def test_other_comparisons_and_files(check):
    assert check("def f(x): return {x, 1}", [Example((2,), {}, {1, 2})]).correct
    assert check("def f(x): return [3, 1]", [Example((2,), {}, [1, 3])], same=same_unordered).correct
    assert check("n = int(open('d/n').read())\ndef f(x): return n * x", files={"d/n": "2"}).correct
    broken = check("def f(x): return 3", same=lambda got, expected: got[0] == expected)
    assert broken.score == 0 and not broken.correct


@pytest.mark.parametrize(
    "examples",
    [
        [],
        [Example((object(),), {}, 1)],
        [Example((1,), {}, print)],
        [Example([1], {}, 1)],
        [Example((1,), {"a": {1: id}}, 1)],
    ],
)
def test_examples_that_cannot_be_used(check, examples):
    with pytest.raises(ValueError, match=r"at least one|plain data|a tuple"):
        check("def f(x): return x", examples)


def test_expected_values_of_other_types_are_taken_as_plain(check):
    class Count(int):
        pass

    assert check("def f(x): return {'a': x}", [Example((Count(1),), {}, {"a": Count(1)})]).correct


def test_properties(sandbox):
    def is_root(args, got):
        return abs(got[0] ** 2 - args[0]) < 1e-6

    inputs = [(4.0,), (2.0,), (9.0,)]
    settings = {"sandbox": sandbox, "limits": LIMITS}
    assert verify_property("def f(x): return [x ** 0.5]", "f", inputs, is_root, **settings).correct
    for wrong in ("x ** 0.5", "[]", "['a']", "[10 ** 10 ** 5]", "None", "{0: float('nan')}"):
        verdict = verify_property(f"def f(x): return {wrong}", "f", inputs, is_root, **settings)
        assert not verdict.correct and verdict.score == 0 and verdict.reason.startswith("test 1: returned ")
    swapped = verify_property(
        "def f(x): x.reverse(); return x[0]",
        "f",
        [([1, 2],)],
        lambda args, got: args == ([1, 2],) and got == (2, ([2, 1],)),
        mutates=True,
        **settings,
    )
    assert swapped.correct


def test_against_a_reference(sandbox):
    inputs = [([3, 1],), ([],), ([2, 2],)]

    def reference(values):
        values.sort()
        return values

    settings = {"sandbox": sandbox, "limits": LIMITS}
    assert verify_against("f = sorted", "f", inputs, reference, **settings).correct
    assert inputs[0] == ([3, 1],)
    assert verify_against("def f(x): return x", "f", inputs, reference, **settings).score == 2 / 3
    with pytest.raises(ValueError, match="plain data"):
        verify_against("f = sorted", "f", inputs, lambda values: iter(values), **settings)


def test_numpy_values(sandbox):
    pytest.importorskip("numpy")
    from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox

    source = "import numpy as np\ndef f(x): return [np.int64(x), np.arange(3), {np.float64(0.5)}, np.bool_(True)]"
    with EmbeddedSandbox(workers=1, packages=["numpy"]) as made:
        limits = Limits(wall_s=20, memory_mb=1024)
        assert verify_function(
            source, "f", [Example((4,), {}, [4, [0, 1, 2], {0.5}, True])], limits=limits, sandbox=made
        ).correct


def test_examples(sandbox):
    use_sandbox(sandbox)
    for module in (turnwise.verifiers.code, turnwise.verifiers.code.function):
        assert doctest.testmod(module).failed == 0
