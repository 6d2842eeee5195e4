"""Functions called from outside: plain data both ways, whatever the program does."""

import contextlib
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.sandbox.bundle
import turnwise.sandbox.frames
import turnwise.sandbox.values
from tests._work import at_most
from turnwise.sandbox import Limits, Program
from turnwise.sandbox.frames import FrameError, pack, parse, read_frame
from turnwise.sandbox.values import ValueFormatError, decode, encode

LIMITS = Limits(wall_s=20, memory_mb=256)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.dictionaries(st.sampled_from(["~", "a"]), inner)
        | st.sets(HASHABLE, max_size=4)
    ),
    max_leaves=12,
)


def same(a: object, b: object) -> bool:
    """Equal and of the same types all the way down."""
    return repr_of(a) == repr_of(b)


def repr_of(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [repr_of(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted((repr_of(item) for item in value), key=repr)
    if isinstance(value, dict):
        return "dict", sorted(((repr_of(key), repr_of(item)) for key, item in value.items()), key=repr)
    return type(value).__name__, repr(value)


@given(VALUES)
def test_values_come_back_with_their_types(value):
    assert same(decode(encode(value)), value)


@given(st.text() | st.binary())
def test_nonsense_is_refused_and_nothing_else_raised(text):
    for read in (decode, lambda text: parse(text.encode() if isinstance(text, str) else text)):
        with contextlib.suppress(ValueFormatError, FrameError):
            read(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**5, "[" * 60 + "]" * 60, "NaN",
        '{"~":["set",[[1]]]}', '{"~":["os.system","x"]}', '{"~":1}', '{"~":["int","z"]}',
        '{"~":["complex",[1' + "0" * 400 + ",0]]}",
        '{"~":["tuple","x"]}', '{"~":["complex",["a","b"]]}', "1" * 5000, '{"~":["float","1e5"]}', '{"~":["dict",[1]]}',
    ],
)  # fmt: skip
def test_hostile_texts(text):
    with pytest.raises(ValueFormatError):
        decode(text)


PRIME = 2**61 - 1  # its multiples have the hash 0


@pytest.mark.parametrize(
    "text",
    [
        '{"~":["set",[' + ",".join(str(k * PRIME) for k in range(1, 100_000)) + "]]}",
        '{"~":["dict",[' + ",".join(f"[{k * PRIME},0]" for k in range(1, 100_000)) + "]]}",
        "[" + ",".join(['{"~":["frozenset",[' + ",".join(str(k * PRIME) for k in range(1, 2000)) + "]]}"] * 100) + "]",
        "[" + "[],{}," * 2_500_000 + "1]",
        "[" + "[]," * 1_200_000 + "1]",
    ],
)  # fmt: skip
def test_texts_that_would_take_long_are_refused_soon(text):
    with at_most(millions=60), pytest.raises(ValueFormatError):
        decode(text)


def test_large_values_are_read():
    for value in (
        set(range(200_000)),
        {n: -n for n in range(100_000)},
        ",[{" * 1_500_000,
        [(n,) for n in range(10**5)],
    ):
        assert decode(encode(value)) == value


def test_bounds_of_values():
    nested: list[object] = []
    for _ in range(60):
        nested = [nested]
    loop: list[object] = []
    loop.append(loop)
    for value in (nested, loop, object(), [0] * (10**6 + 1), {"a": print}, "x" * (1 << 25)):
        with pytest.raises(ValueFormatError):
            encode(value)
    assert decode(encode(3**50000)) == 3**50000


def test_frames():
    data = pack({"a": 1}, [b"xy", b""]) + pack({})
    at = [0]

    def read(size: int) -> bytes:
        at[0] += size
        return data[at[0] - size : at[0]]

    assert read_frame(read) == ({"a": 1}, [b"xy", b""])
    assert read_frame(read) == ({}, [])
    assert read_frame(read) is None
    for bad in (b"\xff" * 20, pack({"blobs": [-1]}), pack({"blobs": 3}), pack({"blobs": [1]})):
        with pytest.raises(FrameError):
            read_frame(lambda size, left=[bad]: (left[0][:size], left.__setitem__(0, left[0][size:]))[0])
    with pytest.raises(FrameError):
        parse(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}")
    assert parse(b'{"a":"' + b"[" * 100 + b'"}') == {"a": "[" * 100}


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


def test_examples():
    for module in (
        turnwise.sandbox.values,
        turnwise.sandbox.frames,
        turnwise.sandbox.bundle,
    ):
        assert doctest.testmod(module).failed == 0
