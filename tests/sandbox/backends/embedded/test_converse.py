"""Functions called from outside: plain data both ways, whatever the program does."""

import pytest
from same import same

from turnwise.sandbox import Limits, Program

LIMITS = Limits(wall_s=20, memory_mb=256)

SOURCE = """
print("loading")
seen = []
def double(x, *, times=2): return x * times
def echo(*args): print("said", args); return args
class Solution:
    def __init__(self): self.count = 0
    def add(self, n): self.count += n; return self.count
"""


@pytest.fixture
def conversation(sandbox):
    with sandbox.converse(Program(SOURCE, name="solution.py"), LIMITS) as made:
        yield made


def test_calls(conversation):
    assert conversation.started.stdout == "loading\n" and conversation.started.ok
    assert conversation.call("double", 21).value == 42
    assert conversation.call("double", "ab", kwargs={"times": 3}).value == "ababab"
    reply = conversation.call("echo", (1, 2.0), {3: {"x"}}, b"\xff")
    assert same(reply.value, ((1, 2.0), {3: {"x"}}, b"\xff")) and reply.result.stdout.startswith("said")
    assert [conversation.call("Solution.add", 2).value for _ in range(2)] == [2, 2]
    assert conversation.call("max", [1, 5]).value == 5
    assert conversation.call("none").error.startswith("AttributeError")
    assert conversation.call("double").error.startswith("TypeError")
    assert conversation.call("double", 1, kwargs={"times": 10}, wall_s=5).value == 10


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("import sys; sys.exit(0)", "SystemExit"),
        ("import os; os._exit(0)", "the program is gone"),
        ("while True: pass", "stopped: wall"),
        ("return object()", "no plain data: a builtins.object"),
        ("return lambda: 1", "no plain data"),
        ("x = []; x.append(x); return x", "no plain data"),
        ("return 'x' * (1 << 25)", "no plain data"),
        ("return bytearray(10**10)", "MemoryError"),
        ("import os; os.write(200, b'x' * 10000); return 1", "the program is gone"),
        ("import os; os.close(200); return 1", "the program is gone"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n        def __str__(self): raise self\n    raise E", "E"),
        ("print('x' * 10**7); return 1", "stopped: output"),
    ],
)
def test_functions_that_misbehave(sandbox, body, error):
    with sandbox.converse(Program(f"def f(x):\n    {body}"), LIMITS) as conversation:
        reply = conversation.call("f", 1, wall_s=0.3 if "while" in body else None)
        assert reply.value is None and reply.error.startswith(error)
        again = conversation.call("f", 1, wall_s=0.3 if "while" in body else None)
        assert again.value is None and again.error


def test_lies_about_equality_stay_inside(sandbox):
    source = """
class Liar(int):
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __repr__(self): return "42"
    __str__ = __int__ = __index__ = __repr__
class Words(str):
    def __eq__(self, other): return True
    def __str__(self): return "right"
class Numbers(list):
    def __eq__(self, other): return True
    def __iter__(self): return iter([42])
class Pairs(dict):
    def items(self): return [("a", 42)]
class Real(float):
    def __repr__(self): return "42.0"
def liar(): return [Liar(7), Words("wrong"), Numbers([7]), Pairs(b=7), True, Real(7.0)]
import collections, enum
class Colour(enum.IntEnum):
    RED = 3
Point = collections.namedtuple("Point", "x y")
def honest(): return [collections.Counter("aab"), Point(1, 2), collections.OrderedDict(a=1), Colour.RED]
"""
    with sandbox.converse(Program(source), LIMITS) as conversation:
        assert same(conversation.call("liar").value, [7, "wrong", [7], {"b": 7}, True, 7.0])
        assert same(conversation.call("honest").value, [{"a": 2, "b": 1}, (1, 2), {"a": 1}, 3])


def test_a_program_that_does_not_load(sandbox):
    for source, code in (("1 / 0", 1), ("import sys; sys.exit(4)", 4), ("(", 1)):
        with sandbox.converse(Program(source), LIMITS) as conversation:
            assert conversation.started.exit_code == code
            assert conversation.call("f").error
    with sandbox.converse(Program("import os; os._exit(0)"), LIMITS) as conversation:
        assert conversation.started.lost
        assert conversation.call("f").error.startswith("the program is gone")
