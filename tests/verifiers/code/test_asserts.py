"""Test programs: what they take from the program under test, where they run, and what they count."""
# ruff: noqa: E501 (programs, one a line)

import ast
import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.code.asserts
from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Limits, use_sandbox
from turnwise.verifiers.code import TestFormatError, asserts, verify_asserts
from turnwise.verifiers.code.assert_units import read_tests
from turnwise.verifiers.code.assert_values import Beyond, evaluate, is_simple

LIMITS = Limits(wall_s=2, memory_mb=128)


@pytest.fixture(scope="module")
def check(sandbox):
    def check(source, tests, entry_point="", **options):
        return verify_asserts(source, tests, entry_point, sandbox=sandbox, **{"limits": LIMITS, **options})

    return check


def is_plain(tests, entry_point=""):
    """Whether the assertions are evaluated outside of any sandbox."""
    program = read_tests(tests, entry_point)
    names = {*program.names, "candidate"}
    return bool(program.asserts) and all(is_simple(condition, names) for condition in program.asserts)


DOUBLE = "def f(x): return x + x"
PLAIN = [
    "assert f(2) == 4",
    "assert f([1]) == [1, 1], 'message'\nassert f('a') != 'a'",
    "import math\nassert math.isclose(f(0.1), 0.2, rel_tol=1e-9)\nassert abs(f(1.5) - 3.0) < 1e-6",
    "assert set(f([1])) == {1} and len(f(())) == 0\nassert not f(0)\nassert f(1) in (2, 3)",
    "assert f(True) is not True\nassert isinstance(f(1), (int, float)) and sorted(f([2, 1]), ) == [1, 1, 2, 2]",
    "assert f([1, 2])[0] == 1 and f('ab')[1:3] == 'ba'\nassert f(-2) == -4.0 and f(f(1)) == 4",
    "METADATA = {}\n\ndef check(candidate):\n    assert True\n    assert candidate(2) == 4\n    assert candidate(x) == 1 if 0 else True",
    "'''Doc.'''\ndef check(candidate):\n    assert candidate(2) == 4\n\ncheck(f)",
    "assert f(2.0) == 4\nassert f(1) == 2.0 == 2\nassert (1, 1) == tuple(f([1]))\nassert max(f([1, 5])) == 5",
]  # fmt: skip
JAILED = [
    "x = [1]\nassert f(x) == [1, 1]",
    "for n in range(5):\n    assert f(n) == 2 * n",
    "import random\ndef check(candidate):\n    for _ in range(3):\n        n = random.random()\n        assert candidate(n) == 2 * n\ncheck(f)",
    "assert [f(n) for n in (1, 2)] == [2, 4]\nassert list(map(f, [1])) == [2]",
    "def test_a():\n    assert f(1) == 2\n\ndef test_b():\n    assert f('a') == 'aa'",
    "import pytest\n\ndef test_a():\n    with pytest.raises(TypeError, match='NoneType'):\n        f(None)\n    with pytest.raises(TypeError):\n        f()\n    assert f(0.1) == pytest.approx(0.2)",
    "import pytest\n@pytest.mark.parametrize('x, y', [(1, 2), ('a', 'aa')])\n@pytest.mark.slow\ndef test_a(x, y):\n    assert f(x) == y",
    "import unittest\nfrom solution import f as g\nclass T(unittest.TestCase):\n    def setUp(self): self.n = 2\n    def test_a(self): self.assertEqual(g(self.n), 4)\n    def test_b(self):\n        with self.assertRaises(TypeError): g({})",
    "import solution\nassert solution.f(1) == 2",
    "def check(c):\n    def twice(x):\n        return x + x\n    y = twice(1)\n    assert c(1) == y\n    assert c(2) == twice(2)",
    "import unittest\nclass T(unittest.TestCase):\n    def test(self): assert f(1) == 2\nif __name__ == '__main__':\n    unittest.main()",
    "x = 1\nif __name__ == '__main__':\n    assert f(x) == 2",
    "try:\n    f({})\n    assert False\nexcept TypeError as error:\n    assert 'dict' in str(error)",
    "def check(candidate):\n    if candidate(1) != 2:\n        assert False\n    assert candidate(3) == 6\n    return True",
    "assert f(f'{1}') == '11'\nassert f(x=3) == 6\nassert f(*[4]) == 8\nassert f(**{'x': 1}) == 2",
]  # fmt: skip


@pytest.mark.parametrize("tests", PLAIN)
def test_plain_assertions(check, tests):
    entry = "f" if "check" in tests else ""
    if " if 0 " not in tests:
        assert is_plain(tests, entry)
        assert check(DOUBLE, tests, entry).correct
        assert not check("def f(x): return None", tests, entry).correct


@pytest.mark.parametrize("tests", JAILED)
def test_other_test_programs(check, tests):
    entry = "f" if "def check" in tests else ""
    assert not is_plain(tests, entry)
    verdict = check(DOUBLE, tests, entry)
    assert verdict.correct, verdict
    assert not check("def f(x): return None", tests, entry).correct


@pytest.mark.parametrize("tests", ["assert f(3) == 6\nassert f(4) == 9\nassert f(5) == 10"])
@pytest.mark.parametrize("before", ["", "x = 1\n"])
@pytest.mark.parametrize("isolated", [True, False])
def test_scores_and_reasons(check, tests, before, isolated):
    verdict = check(DOUBLE, before + tests, isolated=isolated)
    assert verdict.score == 2 / 3 and verdict.value.index == 1 and verdict.parts == {"passed": 2, "tests": 3}
    assert "9" not in verdict.reason
    early = check(DOUBLE, before + tests, isolated=isolated, all_tests=False)
    assert early.score == 1 / 3 and early.value.index == 1
    if isolated:
        assert verdict.reason == "test 2: returned 8 (an int), which is wrong" and verdict.value.args == (4,)


BAD = [
    ("def f(x): raise KeyError(x)", "raised KeyError: 1 (line 1)"),
    ("import sys\ndef f(x): sys.exit(0)", "raised SystemExit: 0 (line 2)"),
    ("import os\ndef f(x): os._exit(0)", "ended the program instead of returning"),
    pytest.param("def f(x):\n    while True: pass", "ran out of time (2 s)", marks=pytest.mark.slow),
    ("1 / 0", "could not be loaded: ZeroDivisionError: division by zero (line 1)"),
    ("", None),
    ("class L:\n    def __eq__(self, other): return True\ndef f(x): return L()", None),
    ("class L(int):\n    def __eq__(self, other): return True\ndef f(x): return L(7)", "returned 7 (an int), which is wrong"),
    ("import builtins\nbuiltins.abs = builtins.eval = lambda *_: 2\ndef f(x): return 0", "returned 0 (an int), which is wrong"),
    ("def f(x): raise AssertionError", None),
    ("def f(x):\n    x = [x]\n    for _ in range(44): x = [x]\n    return x", None),
    ("def f(x): return 'x' * (1 << 24)", None),
]  # fmt: skip


@pytest.mark.parametrize("before", ["", "x = 1\n"])
@pytest.mark.parametrize(("source", "reason"), BAD)
def test_programs_that_fail(check, source, reason, before):
    verdict = check(source, f"{before}assert f(1) == 2\nassert [2] == [f(1)]", limits=Limits(wall_s=2, memory_mb=256))
    assert verdict.score == 0 and not verdict.correct
    assert reason is None or verdict.reason == f"test 1: {reason}"


def test_exceptions_keep_their_built_in_type(check):
    tests = "import pytest\ndef test_a():\n    with pytest.raises(LookupError, match='key'):\n        f()"
    assert check("class Mine(KeyError): pass\ndef f(): raise Mine('the key')", tests).correct
    assert not check("class Mine(Exception): pass\ndef f(): raise Mine('the key')", tests).correct
    assert not check("def f(): return KeyError('the key')", tests).correct
    assert check("def f(): b'\\xff'.decode()", tests.replace("LookupError, match='key'", "ValueError")).correct
    ended = "import pytest\ndef test_a():\n    with pytest.raises(BaseException):\n        f()"
    assert not check("import os\ndef f(): os._exit(0)", ended).correct
    assert not check("def f():\n    while True: pass", ended, limits=Limits(wall_s=0.2)).correct


STACK = """
class Stack:
    limit = 3
    def __init__(self, items=()): self.items = list(items)
    def push(self, item):
        if len(self.items) == self.limit: raise OverflowError('full')
        self.items.append(item)
        return self
    def pop(self): return self.items.pop()
    def __len__(self): return len(self.items)
    def __getitem__(self, n): return self.items[n]
    def __contains__(self, item): return item in self.items
    def __add__(self, other): return Stack(self.items + other.items)
    def __str__(self): return f'<{self.items}>'
def merged(a, b): return a + b
"""


def test_objects_of_the_program(check):
    tests = """
import pytest
s = Stack()
assert s.push(1).push(2).pop() == 2
assert len(s) == 1 and s.items == [1] and s[0] == 1 and 1 in s and 2 not in s and str(s) == '<[1]>' and list(s) == [1]
t = merged(s, Stack(range(2)))
assert t.items == [1, 0, 1]
assert t is not s and t != s and t == t and bool(t)
with pytest.raises(OverflowError):
    t.push(4)
with pytest.raises(AttributeError):
    t.peek
with pytest.raises(TypeError):
    t()
"""
    verdict = check(STACK, tests)
    assert verdict.correct, verdict
    assert check(STACK.replace("limit = 3", "limit = 9"), tests).score == 6 / 7
    assert check(
        "def f(n):\n    for i in range(n): yield i", "assert list(f(3)) == [0, 1, 2]\nassert next(f(1)) == 0"
    ).correct
    assert check("def f(n): return map(str, range(n))", "assert ''.join(f(3)) == '012'").correct
    assert not check("def f(n): return range(n)", "assert f(3) == [0, 1, 2]").correct


LIES = [
    ("def __sub__(self, other): return 0.0\n    __rsub__ = __sub__", "assert abs(f([3]) - 3.5) < 1e-6\nassert abs(3.5 - f([3])) < 1e-6"),
    ("def __contains__(self, item): return True", "assert 3 in f([3])"),
    ("def issuperset(self, other): return True\n    startswith = isdigit = equals = issuperset", "assert f(1).issuperset([3])\nassert f(1).startswith('a')\nassert f(1).isdigit()\nassert f(1).equals(2)"),
    ("def difference(self, other): return set()\n    def find(self, part): return 0\n    equals = find", "assert f(1).difference({3}) == set()\nassert f('a').find('b') == 0\nassert f(1).equals(2) == 0"),
    ("def __lt__(self, other): return True\n    __gt__ = __le__ = __lt__", "assert f([3]) < 3\nassert 2 < f(1)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "tests"), LIES)
@pytest.mark.parametrize("before", ["", "x = 1\n"])
def test_objects_are_no_judges_of_themselves(check, body, tests, before):
    assert check(f"class L:\n    {body}\ndef f(x): return L()", before + tests).score == 0


def test_operators_of_classes_that_tests_call(check):
    source = "class V:\n    def __init__(self, n): self.n = n\n    def __add__(self, o): return V(self.n + o.n)\n    def __contains__(self, i): return i < self.n"
    assert check(source, "a = V(1) + V(2)\nassert a.n == 3 and 0 in V(1) and 1 not in V(1)").correct


def test_a_call_does_not_change_what_it_is_compared_with(check):
    empties = "def f(x): x.clear(); return x"
    assert not check(empties, "x = [1, 1]\nassert f(x) == sorted(set(x))").correct
    case = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        x = [1, 1]\n        self.assertEqual(f(x), sorted(set(x)))"
    assert not check(empties, case).correct
    apart = "x = [1, 1]\ngot = f(x)\nassert got == sorted(set(x))"
    assert not check(empties, apart).correct
    assert not check("def f(x): raise StopIteration", "x = 1\nassert all(map(lambda n: f(n) == 2, [x]))").correct


def test_arguments_and_outputs(check):
    assert check("def f(x): x.sort()", "x = [2, 1]\nf(x)\nassert x == [1, 2]").correct
    nested = "x = {'a': [1], 'b': {1}}\ninner = x['a']\nf(x)\nassert inner == [1, 2] and x == {'a': [1, 2], 'b': {1, 2}, 'c': 0}"
    assert check("def f(x): x['a'].append(2); x['b'].add(2); x['c'] = 0", nested).correct
    printed = "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    f()\nassert out.getvalue() == 'hi\\n'"
    assert check("def f(): print('hi')", printed).correct and not check("def f(): print('ho')", printed).correct
    assert check("def f(x): return list(x)", "for r in [range(3)]:\n    assert f(r) == [0, 1, 2]").correct


def test_support_and_entry_points(check):
    support = "import math\ndef helper(x):\n    return math.floor(x)\n\ndef f(x):\n    '''The task.'''\n"
    tests = "def check(candidate):\n    for x in (1.5, 2.0):\n        assert helper(candidate(x)) == 2 * x"
    assert check("def helper(x): return 'mine'\n" + DOUBLE, tests, "f", support=support).correct
    assert not check(
        "def helper(x): return Yes()\nclass Yes:\n    def __eq__(s, o): return True\ndef f(x): return 0",
        tests,
        "f",
        support=support,
    ).correct
    method = "class Solution:\n    def f(self, x): return x + x"
    assert check(method, "def check(candidate):\n    assert candidate(1) == 2", "Solution.f").correct
    assert check(method, "def check(c):\n    x = c(1)\n    assert x == 2", "Solution.f").correct
    assert check(method, "assert Solution().f(2) == 4").correct
    for before in ("", "x = 1\n"):
        assert check("y = 1", f"{before}assert f(1) == 2").reason == "test 1: defines no 'f'"
    assert check("def sum(x): return 7", "assert sum([1]) == 7", "sum").correct
    assert not check("", "def check(candidate):\n    assert candidate([1]) == 1", "sum").correct


UNUSABLE = [
    ("assert f(", "not Python"),
    ("f(1)", "assert nothing"),
    ("assert True", "nothing from the program|assert nothing"),
    ("assert 1 == 1", "nothing from the program"),
    ("def check(candidate):\n    assert candidate(1)", "entry_point"),
    ("assert numpy.array(f(1)) == 1", "numpy.array"),
    ("assert f(lambda: 1) == 2", "plain data"),
    ("assert f(...) == 2", "plain data"),
    ("import nothing_of_that_name\nassert f(1) == 2", "ModuleNotFoundError"),
    ("from solution import *\nassert f(1) == 2", "import"),
    ("def check(candidate):\n    assert candidate(1) == helper(1)", "helper"),
    ("def test_a(tmp_path):\n    assert f(tmp_path)", "fixtures"),
    ("if 0:\n    assert f(1) == 2", "never call"),
]  # fmt: skip


@pytest.mark.parametrize(("tests", "words"), UNUSABLE)
def test_test_programs_that_cannot_be_used(check, tests, words):
    with pytest.raises(TestFormatError, match=words):
        check(DOUBLE, tests, "f" if "helper" in words else "")


def test_programs_cannot_make_tests_unusable(check):
    hostile = [
        "class A:\n    def m(self): pass\ndef f(x): return A() if x == 1 else x",
        "class A:\n    def __getattr__(self, name): return self\n    def __call__(self, *a): return self\ndef f(x): return A()",
        "def f(x): return {'~object~': 99, 'type': 'x'}",
        "def f(x): return {'~': ['tuple', [1]]}",
    ]
    tests = "y = f(1)\nassert f(2) == 3\nassert f(y) == 4\nz = y.m\nassert f(z) == 5\nassert f([y, y.m]) == 1"
    for source in hostile:
        assert check(source, tests).score == 0


def test_tests_have_time_to_start_and_say_so_where_they_do_not(check, monkeypatch):
    slow = "import time\ntime.sleep(0.3)\nx = 1\nassert f(x) == 2\ntime.sleep(0.3)\nassert f(2) == 4"
    assert check(DOUBLE, slow, limits=Limits(wall_s=0.2)).correct
    monkeypatch.setattr(asserts, "_START_S", 0.2)
    with pytest.raises(InfrastructureError, match="do not start: stopped: wall"):
        check(DOUBLE, slow, limits=Limits(wall_s=0.2))


@pytest.mark.slow
def test_tests_beside_the_program(check):
    callback = "assert f(lambda n: n + 1) == 3"
    assert check("def f(g): return g(2)", callback, isolated=False).correct
    assert not check("def f(g): return g(1)", callback, isolated=False).correct
    for source in (
        "import os\ndef f(g): os._exit(0)",
        "import sys\ndef f(g): sys.exit(0)",
        "1 / 0",
        "def f(g):\n    while 1: pass",
    ):
        assert check(source, callback, isolated=False).score == 0


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(LITERALS, LITERALS, LITERALS)
def test_plain_assertions_say_what_python_says(argument, got, expected):
    tests = f"assert f({argument!r}) == {expected!r}\nassert not f({argument!r}) or f({argument!r}) is None\nassert len(f({argument!r})) < 2"
    program = read_tests(tests)
    assert is_plain(tests) and program.names == ("f",)
    seen = []

    def call(name, args, kwargs):
        seen.append(args)
        return got

    for condition in program.asserts:
        try:
            wanted = bool(eval(ast.unparse(condition), {"f": lambda x: got}))
        except TypeError:
            with pytest.raises(TypeError):
                evaluate(condition, call, {"f"})
            continue
        assert bool(evaluate(condition, call, {"f"})) is wanted
    assert all(args == (argument,) for args in seen)


@settings(max_examples=25)
@given(LITERALS, LITERALS)
def test_both_ways_agree(check, got, expected):
    source, tests = f"def f(): return {got!r}", f"assert f() == {expected!r}\nassert [f()] != {expected!r}"
    here, there = check(source, tests), check(source, f"x = 1\n{tests}")
    assert (here.correct, here.score) == (there.correct, there.score)


def test_what_is_beyond_goes_to_the_jail(check):
    many = ast.parse("set(f())", mode="eval").body
    with pytest.raises(Beyond):
        evaluate(many, lambda *_: list(range(50_000)), {"f"})
    product = ast.parse("f() * f()", mode="eval").body
    for value in (10**5000, "x"):
        with pytest.raises(Beyond):
            evaluate(product, lambda *_, value=value: value, {"f"})
    assert check("def f(): return list(range(50_000))", "assert len(set(f())) == 50_000").correct
    assert (
        not is_plain("assert f() ** 9 == 1")
        and not is_plain("assert eval(f()) == 1")
        and not is_plain("assert f().x == 1")
    )


def test_examples(sandbox):
    use_sandbox(sandbox)
    assert doctest.testmod(turnwise.verifiers.code.asserts).failed == 0
